// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transpose_engine_impl.hpp"

namespace tessera::apps {

template std::unique_ptr<TransposeEngine> make_sized_transpose_engine<1>(HostBuffer&, HostBuffer&,
                                                                         const TransposeRequest&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_transpose_engine<2>(HostBuffer&, HostBuffer&,
                                                                         const TransposeRequest&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_transpose_engine<4>(HostBuffer&, HostBuffer&,
                                                                         const TransposeRequest&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_transpose_engine<8>(HostBuffer&, HostBuffer&,
                                                                         const TransposeRequest&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_transpose_engine<16>(HostBuffer&, HostBuffer&,
                                                                          const TransposeRequest&, const std::string&);

}  // namespace tessera::apps

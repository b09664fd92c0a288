// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transpose_engine_impl.hpp"

namespace tessera::apps {

template std::unique_ptr<TransposeEngine> make_sized_transpose_engine<3>(HostBuffer&, HostBuffer&,
                                                                         const TransposeRequest&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_transpose_engine<5>(HostBuffer&, HostBuffer&,
                                                                         const TransposeRequest&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_transpose_engine<6>(HostBuffer&, HostBuffer&,
                                                                         const TransposeRequest&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_transpose_engine<7>(HostBuffer&, HostBuffer&,
                                                                         const TransposeRequest&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_transpose_engine<9>(HostBuffer&, HostBuffer&,
                                                                         const TransposeRequest&, const std::string&);

}  // namespace tessera::apps

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transpose_engine_impl.hpp"

namespace tessera::apps {

template std::unique_ptr<TransposeEngine> make_sized_transpose_engine<10>(HostBuffer&, HostBuffer&,
                                                                          const TransposeRequest&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_transpose_engine<11>(HostBuffer&, HostBuffer&,
                                                                          const TransposeRequest&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_transpose_engine<12>(HostBuffer&, HostBuffer&,
                                                                          const TransposeRequest&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_transpose_engine<13>(HostBuffer&, HostBuffer&,
                                                                          const TransposeRequest&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_transpose_engine<14>(HostBuffer&, HostBuffer&,
                                                                          const TransposeRequest&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_transpose_engine<15>(HostBuffer&, HostBuffer&,
                                                                          const TransposeRequest&, const std::string&);

}  // namespace tessera::apps

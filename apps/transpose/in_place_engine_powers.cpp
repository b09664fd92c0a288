// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "in_place_engine_impl.hpp"

namespace tessera::apps {

template std::unique_ptr<TransposeEngine> make_sized_in_place_engine<1>(const HostBuffer&, HostBuffer&,
                                                                        const InPlaceMatrices&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_in_place_engine<2>(const HostBuffer&, HostBuffer&,
                                                                        const InPlaceMatrices&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_in_place_engine<4>(const HostBuffer&, HostBuffer&,
                                                                        const InPlaceMatrices&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_in_place_engine<8>(const HostBuffer&, HostBuffer&,
                                                                        const InPlaceMatrices&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_in_place_engine<16>(const HostBuffer&, HostBuffer&,
                                                                         const InPlaceMatrices&, const std::string&);

}  // namespace tessera::apps

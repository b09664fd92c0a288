// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "in_place_engine_impl.hpp"

namespace tessera::apps {

template std::unique_ptr<TransposeEngine> make_sized_in_place_engine<3>(const HostBuffer&, HostBuffer&,
                                                                        const InPlaceMatrices&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_in_place_engine<5>(const HostBuffer&, HostBuffer&,
                                                                        const InPlaceMatrices&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_in_place_engine<6>(const HostBuffer&, HostBuffer&,
                                                                        const InPlaceMatrices&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_in_place_engine<7>(const HostBuffer&, HostBuffer&,
                                                                        const InPlaceMatrices&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_in_place_engine<9>(const HostBuffer&, HostBuffer&,
                                                                        const InPlaceMatrices&, const std::string&);

}  // namespace tessera::apps

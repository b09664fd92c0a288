// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "in_place_engine_impl.hpp"

namespace tessera::apps {

template std::unique_ptr<TransposeEngine> make_sized_in_place_engine<10>(const HostBuffer&, HostBuffer&,
                                                                         const InPlaceMatrices&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_in_place_engine<11>(const HostBuffer&, HostBuffer&,
                                                                         const InPlaceMatrices&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_in_place_engine<12>(const HostBuffer&, HostBuffer&,
                                                                         const InPlaceMatrices&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_in_place_engine<13>(const HostBuffer&, HostBuffer&,
                                                                         const InPlaceMatrices&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_in_place_engine<14>(const HostBuffer&, HostBuffer&,
                                                                         const InPlaceMatrices&, const std::string&);
template std::unique_ptr<TransposeEngine> make_sized_in_place_engine<15>(const HostBuffer&, HostBuffer&,
                                                                         const InPlaceMatrices&, const std::string&);

}  // namespace tessera::apps

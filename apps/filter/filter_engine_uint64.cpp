// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "filter_engine_impl.hpp"

namespace tessera::apps {

template std::unique_ptr<FilterEngine> make_typed_filter_engine<std::uint64_t, std::uint64_t>(HostArray&, HostArray&,
                                                                                              const FilterRequest&,
                                                                                              const std::string&);
template std::unique_ptr<FilterEngine> make_typed_filter_engine<std::uint64_t, std::int64_t>(HostArray&, HostArray&,
                                                                                             const FilterRequest&,
                                                                                             const std::string&);
template std::unique_ptr<FilterEngine> make_typed_filter_engine<std::uint64_t, double>(HostArray&, HostArray&,
                                                                                       const FilterRequest&,
                                                                                       const std::string&);

}  // namespace tessera::apps

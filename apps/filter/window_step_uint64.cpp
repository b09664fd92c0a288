// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "window_step_impl.hpp"

namespace tessera::apps {

template std::unique_ptr<FilterStep> make_window_step<std::uint64_t, std::uint64_t>(const FilterRequest&,
                                                                                    const LinesShape&,
                                                                                    const std::string&);
template std::unique_ptr<FilterStep> make_window_step<std::uint64_t, double>(const FilterRequest&, const LinesShape&,
                                                                             const std::string&);

}  // namespace tessera::apps

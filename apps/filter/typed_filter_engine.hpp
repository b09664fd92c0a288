// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_FILTER_TYPED_FILTER_ENGINE_HPP
#define TESSERA_APPS_FILTER_TYPED_FILTER_ENGINE_HPP

#include <memory>
#include <string>

#include "filter_engine.hpp"

namespace tessera::apps {

/// Instantiated in files of their own, because the kernels of a pair of types take long to compile.
template <class In, class Out>
[[nodiscard]] std::unique_ptr<FilterEngine> make_typed_filter_engine(HostArray& input, HostArray& output,
                                                                     const FilterRequest& request,
                                                                     const std::string& space);

}  // namespace tessera::apps

#endif

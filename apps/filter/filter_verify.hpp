// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters checked by evaluating their definition, one output at a time.
#ifndef TESSERA_APPS_FILTER_FILTER_VERIFY_HPP
#define TESSERA_APPS_FILTER_FILTER_VERIFY_HPP

#include "common/comparison.hpp"
#include "common/dataset.hpp"
#include "common/host_array.hpp"
#include "common/measurement.hpp"
#include "filter_engine.hpp"

namespace tessera::apps {

/// Checks all outputs, or samples of them and every output whose window leaves its line, where full is not asked for.
/// Integer data with whole weights: exact, clamped to the output's type or rounded to it once. Else (m + 2) u sum |w x|
/// over the window ((m + 6) where mode odd or a scale has part) and the output's rounding; NaN and infinities as the
/// definition gives them. Minima, maxima and medians: exact, zeros with their signs. Means: of integers rounded once,
/// else (2 ceil(log2 m) + 3) u sum |x| / m and the output's rounding. Complex elements: each part by itself, but for
/// NaN under policy omit, which are NaN as a whole.
[[nodiscard]] Verification verify_filter(const FilterRequest& request, const HostArray& input, const HostArray& output,
                                         bool full, const NormFunction& norms, const ProgressCallback& progress,
                                         std::uint64_t samples = 4096);

}  // namespace tessera::apps

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions checked by an independent serial pass on the host.
#ifndef TESSERA_APPS_REDUCE_REDUCE_VERIFY_HPP
#define TESSERA_APPS_REDUCE_REDUCE_VERIFY_HPP

#include <cstdint>
#include <functional>

#include "common/comparison.hpp"
#include "common/dataset.hpp"
#include "common/host_array.hpp"
#include "common/measurement.hpp"
#include "reduce_pass.hpp"

namespace tessera::apps {

struct ReduceCheck {
  std::uint64_t accumulators = 1;  // partial sums of the plan, at least: they enter the bound of fast sums
  bool full = false;               // else samples of what exceeds whole_limit
  std::uint64_t whole_limit = std::uint64_t{1} << 28;
  std::uint64_t blocks = 1024;
};

/// The pass on count elements from offset of the whole array, by what is checked.
using RangeReduction = std::function<std::vector<OpValues>(std::uint64_t offset, std::uint64_t count)>;

/// Checks all values of a pass, up to whole_limit elements or in full. Beyond that: of the whole array blocks spread
/// over it, which are reduced again, and a min or max must bound them all; of axes as many values, spread over the
/// result, as whole_limit elements stand behind.
/// Exact sums and what follows from them: the very bits, from integers of any length. Fast sums: 1.01 (512 +
/// ceil(log2 P) + 2) u sum |x|, and what follows from that; a sum whose terms exceed the type in all may overflow.
/// Products of floats: n u. All else, integers too: the very value.
/// input2: the second array of dot, else null.
[[nodiscard]] Verification verify_reduction(const ReducePass& pass, const ReduceCheck& check, const HostArray& input,
                                            const HostArray* input2, const std::vector<OpValues>& values,
                                            const RangeReduction& reduce_range, const NormFunction& norms,
                                            const ProgressCallback& progress);

}  // namespace tessera::apps

#endif

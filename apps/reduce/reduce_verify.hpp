// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions checked by an independent serial pass on the host.
#ifndef TESSERA_APPS_REDUCE_REDUCE_VERIFY_HPP
#define TESSERA_APPS_REDUCE_REDUCE_VERIFY_HPP

#include <cstdint>
#include <functional>
#include <string>

#include "common/comparison.hpp"
#include "common/dataset.hpp"
#include "common/host_array.hpp"
#include "common/measurement.hpp"

namespace tessera::apps {

struct ReduceCheck {
  std::string operation;           // sum, min or max
  std::uint64_t accumulators = 1;  // partial sums of the plan, at least: they enter the bound of a floating sum
  bool full = false;               // else blocks of what exceeds whole_limit
  std::uint64_t whole_limit = std::uint64_t{1} << 28;
  std::uint64_t blocks = 1024;
};

/// The reduction of count elements from offset, by what is checked.
using RangeReduction = std::function<Number(std::uint64_t offset, std::uint64_t count)>;

/// Checks the value of the whole array, up to whole_limit elements or in full; beyond it, blocks spread over the array
/// are reduced again and checked, and a min or max must bound them all.
/// sum of integers, min, max: exact. sum of floats: 1.01 (512 + ceil(log2 P) + 2) u sum |x|; NaN and infinities by
/// the elements; a sum whose terms exceed the type in all may overflow.
[[nodiscard]] Verification verify_reduction(const ReduceCheck& check, const HostArray& input, const Number& value,
                                            const RangeReduction& reduce_range, const NormFunction& norms,
                                            const ProgressCallback& progress);

}  // namespace tessera::apps

#endif

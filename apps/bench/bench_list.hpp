// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of what is measured, and its shards.
#ifndef TESSERA_APPS_BENCH_BENCH_LIST_HPP
#define TESSERA_APPS_BENCH_BENCH_LIST_HPP

#include <vector>

#include "bench_options.hpp"

namespace tessera::apps::bench {

/// What shares arrays: one operation on one size.
struct Task {
  const Operation* operation = nullptr;  // none: the ceilings
  Request request;                       // without the space
};

/// In the order of parts, operations, types, sizes and taps; a part's ceilings come first, and what a part names twice
/// stands once. Types that an operation is not measured in are said on standard error. The tasks point into operations.
/// \throws Failure (bad_input) where two parts measure the same.
[[nodiscard]] std::vector<Task> bench_list(const std::vector<Part>& parts, const std::vector<Operation>& operations);

/// Every task is in one of the shards 0 .. count-1, whatever the machine; they take about the same time.
[[nodiscard]] std::vector<Task> shard_of(const std::vector<Task>& list, const Shard& shard);

}  // namespace tessera::apps::bench

#endif

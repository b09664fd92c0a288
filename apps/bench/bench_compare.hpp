// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_BENCH_BENCH_COMPARE_HPP
#define TESSERA_APPS_BENCH_BENCH_COMPARE_HPP

#include "bench_options.hpp"
#include "common/failure.hpp"

namespace tessera::apps::bench {

/// Says on standard output which rows of the second file are slower or faster than those of the first: where the
/// intervals of the medians have nothing in common. Rows are the same where device, concurrency, operation, type,
/// width, shape and implementation are. Returns not_verified where one is slower by more than the tolerance, is wrong,
/// or is not measured any more: lacking or skipped. \throws Failure (bad_input)
[[nodiscard]] ExitStatus run_compare(const BenchOptions& options);

}  // namespace tessera::apps::bench

#endif

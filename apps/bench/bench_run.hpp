// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_BENCH_BENCH_RUN_HPP
#define TESSERA_APPS_BENCH_BENCH_RUN_HPP

#include "bench_options.hpp"
#include "common/failure.hpp"

namespace tessera::apps::bench {

/// Measures everything that the options ask for. Returns not_verified where a row was wrong.
[[nodiscard]] ExitStatus run_bench(const BenchOptions& options, const std::vector<Operation>& operations);

}  // namespace tessera::apps::bench

#endif

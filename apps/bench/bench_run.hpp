// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_BENCH_BENCH_RUN_HPP
#define TESSERA_APPS_BENCH_BENCH_RUN_HPP

#include "bench_options.hpp"
#include "bench_row.hpp"
#include "common/failure.hpp"
#include "device/session.hpp"

namespace tessera::apps::bench {

/// Measures everything that the options ask for; a line on standard output for each row, a record to the file if there
/// is one, which is put in place at the end, also where something fails on the way. Returns not_verified where a row
/// was wrong. \throws Failure (no_resource) naming the contender that could not be timed.
[[nodiscard]] ExitStatus run_bench(const BenchOptions& options, const std::vector<Operation>& operations,
                                   const Session& session, RowFile* file);

}  // namespace tessera::apps::bench

#endif

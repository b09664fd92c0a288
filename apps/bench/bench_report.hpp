// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_BENCH_BENCH_REPORT_HPP
#define TESSERA_APPS_BENCH_BENCH_REPORT_HPP

#include <string>

#include "bench_options.hpp"
#include "bench_table.hpp"
#include "common/failure.hpp"

namespace tessera::apps::bench {

/// Each table as text: sizes down and a group of columns for each implementation, or the other way round where there
/// are many of those; below it the worst and the best shape of Tessera's.
[[nodiscard]] std::string report_text(const Tables& tables);

/// A line for each row, behind one of names.
[[nodiscard]] std::string report_csv(const Tables& tables);

/// The tables on standard output, and the files that the options name. \throws Failure
[[nodiscard]] ExitStatus run_report(const BenchOptions& options);

}  // namespace tessera::apps::bench

#endif

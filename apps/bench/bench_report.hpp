// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_BENCH_BENCH_REPORT_HPP
#define TESSERA_APPS_BENCH_BENCH_REPORT_HPP

#include <string>
#include <vector>

namespace tessera::apps::bench {

/// Tables of the records in the files: one for each device, operation, type and filter width, sizes down, a group of
/// columns for each implementation. Of rows that measure the same, the last counts.
/// \throws Failure (bad_input) naming file and line for what is not a record of the bench.
[[nodiscard]] std::string report_tables(const std::vector<std::string>& files);

}  // namespace tessera::apps::bench

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table of a machine, for a README.
#ifndef TESSERA_APPS_BENCH_BENCH_MARKDOWN_HPP
#define TESSERA_APPS_BENCH_BENCH_MARKDOWN_HPP

#include <string>

#include "bench_table.hpp"

namespace tessera::apps::bench {

/// For each device what ran when and by which command, and a table: a line for each of Tessera's rows beside its best
/// peer, or the worst, the median and the best shape where an implementation was measured in many.
[[nodiscard]] std::string report_markdown(const Tables& tables, bool with_rates);

}  // namespace tessera::apps::bench

#endif

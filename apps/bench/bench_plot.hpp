// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_BENCH_BENCH_PLOT_HPP
#define TESSERA_APPS_BENCH_BENCH_PLOT_HPP

#include <string>

#include "bench_table.hpp"

namespace tessera::apps::bench {

/// A picture of each table, one below the other, as an SVG document: bandwidth over size where there are several sizes
/// and few implementations, else bars for each shape. The ceiling is dashed.
[[nodiscard]] std::string report_plot(const Tables& tables);

}  // namespace tessera::apps::bench

#endif

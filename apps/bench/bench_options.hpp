// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of tessera-bench.
#ifndef TESSERA_APPS_BENCH_BENCH_OPTIONS_HPP
#define TESSERA_APPS_BENCH_BENCH_OPTIONS_HPP

#include <string>
#include <vector>

#include "bench_part.hpp"

namespace tessera::apps::bench {

/// How each case is measured.
struct Measuring {
  int repeat = 10, warmup = 2;
  int cold = 3;                    // runs behind a flush of the caches
  double time_limit_seconds = 10;  // for all runs of a case
};

/// Share index of count of the list of cases.
struct Shard {
  int index = 0, count = 1;
};

enum class Command { run, report, compare };

struct BenchOptions {
  Command command = Command::run;
  std::vector<std::string> files;   // of report; of compare the old and the new one
  double tolerance_percent = 5;     // of compare
  std::string plot, csv, markdown;  // that report writes; "" for none
  bool with_rates = true;           // in Markdown
  std::vector<Part> parts;
  Measuring measuring;
  Shard shard;
  std::string space, out;
  std::vector<std::string> kokkos_arguments, command_line;
};

/// Returns false where --help or --version has been answered. \throws Failure (bad_input)
[[nodiscard]] bool parse_options(int argc, const char* const* argv, const std::vector<Operation>& operations,
                                 BenchOptions& options);

}  // namespace tessera::apps::bench

#endif

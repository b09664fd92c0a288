// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of tessera-bench: run and report.
#ifndef TESSERA_APPS_BENCH_BENCH_OPTIONS_HPP
#define TESSERA_APPS_BENCH_BENCH_OPTIONS_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "bench_case.hpp"

namespace tessera::apps::bench {

/// What --sizes names: a count of elements, or a matrix.
struct SizeOption {
  std::uint64_t rows = 1, columns = 0;
  bool is_matrix = false;
};

struct BenchOptions {
  bool is_report = false;
  std::vector<std::string> files;  // of report
  std::vector<std::string> operations, variants;
  std::vector<SizeOption> sizes;
  std::vector<NumberType> types;
  bool types_given = true;         // else those that each operation has
  std::vector<std::int64_t> taps;  // empty: those of each operation
  int team_size = 0, league_size = 0, repeat = 10, warmup = 2;
  std::string space, out;
  std::vector<std::string> kokkos_arguments, command;
};

/// Returns false where --help or --version has been answered. \throws Failure (bad_input)
[[nodiscard]] bool parse_options(int argc, const char* const* argv, const std::vector<Operation>& operations,
                                 BenchOptions& options);

/// "1000000", "32e6", "2^24", "4096x4096" (rows x columns). \throws Failure (bad_input)
[[nodiscard]] SizeOption parse_size(const std::string& text);

}  // namespace tessera::apps::bench

#endif

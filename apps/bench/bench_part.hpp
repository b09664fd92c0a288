// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is measured: products of operations, types, sizes and the rest, from the command line or an experiment.
#ifndef TESSERA_APPS_BENCH_BENCH_PART_HPP
#define TESSERA_APPS_BENCH_BENCH_PART_HPP

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bench_case.hpp"

namespace tessera::apps::bench {

/// A count of elements, or a matrix.
struct SizeOption {
  std::uint64_t rows = 1, columns = 0;
  bool is_matrix = false;
};

struct Part {
  std::string where;  // it stands in an experiment; "" for the command line
  std::vector<std::string> operations, variants = {"automatic"}, summations = {"exact", "fast"};
  std::vector<SizeOption> sizes;
  std::optional<std::vector<NumberType>> types;  // else those that each operation has
  std::vector<std::int64_t> taps;                // empty: those of each operation
  std::vector<int> team_sizes = {0};
  int league_size = 0;
};

// Values as users write them. where: the option, or file and field. Each refuses what stands twice in a list.
// \throws Failure (bad_input)

/// "1000000", "32e6", "2^24", "4096x4096" (rows x columns).
[[nodiscard]] SizeOption parse_size(const std::string& where, const std::string& text);
[[nodiscard]] std::vector<NumberType> parse_types(const std::string& where, const std::vector<std::string>& names);
[[nodiscard]] std::vector<std::string> parse_names(const std::string& where, const std::vector<std::string>& names,
                                                   const std::vector<std::string>& known);
/// Variants of the operations of that name, "all" for every one.
[[nodiscard]] std::vector<std::string> parse_variants(const std::string& where, const std::vector<std::string>& names,
                                                      const std::vector<std::string>& operation_names,
                                                      const std::vector<Operation>& operations);

/// The names of the operations, and "ceiling".
[[nodiscard]] std::vector<std::string> names_of(const std::vector<Operation>& operations);

}  // namespace tessera::apps::bench

#endif

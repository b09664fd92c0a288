// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the measuring loop knows of an operation: plain functions, no Kokkos.
#ifndef TESSERA_APPS_BENCH_BENCH_CASE_HPP
#define TESSERA_APPS_BENCH_BENCH_CASE_HPP

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/number_type.hpp"

namespace tessera::apps::bench {

/// One operation on one array.
struct Request {
  std::string space;
  NumberType type = NumberType::float32;
  std::uint64_t rows = 1, columns = 0;  // rows > 1 only for transposes
  std::int64_t taps = 0;                // 0 but for filters and windows
  std::vector<std::string> variants;    // of this operation
  std::vector<std::string> summations = {"exact", "fast"};
  std::vector<int> team_sizes = {0};  // each is measured; 0: the plan decides
  int league_size = 0;                // 0: the plan decides
  [[nodiscard]] std::uint64_t size() const { return rows * columns; }
};

/// each(team_size, suffix) for the team sizes asked for; suffix tells the names of their contenders apart.
template <class Each>
void for_team_sizes(const Request& request, const Each& each) {
  for (const int team_size : request.team_sizes) {
    each(team_size, team_size == 0 ? std::string{} : ", team " + std::to_string(team_size));
  }
}

enum class Role {
  tessera,
  peer,     // does the same job
  context,  // moves the same bytes
};

/// Fields of a plan struct, as records have them.
using Plan = std::vector<std::pair<std::string, std::int64_t>>;

/// One implementation of the operation. run() submits its work; check() poisons the output, runs, and says what is
/// wrong, "" for nothing; bits(), after check(), is a hash of the output. refusal: why it cannot run at all.
struct Contender {
  std::string name;
  Role role = Role::peer;
  std::string variant;
  Plan plan;
  std::function<void()> run;
  std::function<std::string()> check;
  std::string refusal;
  std::function<std::uint64_t()> bits = {};
  std::string summation = {};  // exact, fast, or neither
  std::string task = {};       // min, mean, .. where the contenders of a case do different things
};

/// The contenders on one array in memory, and a stopwatch for them.
struct Case {
  std::uint64_t bytes = 0;  // compulsory
  bool bounded_by_copy = false;
  Shape shape;              // empty: as requested
  std::optional<int> axis;  // that is reduced; none: all
  std::vector<int> axes;    // the input's in the output's order; empty: not permuted
  std::vector<Contender> contenders;
  std::function<void()> start;
  std::function<double()> stop;  // seconds since start of the work submitted since
  std::function<void()> flush;   // leaves nothing of the arrays in the caches
};

/// What an operation makes of a request: one case, or several that share arrays.
struct Cases {
  std::vector<Case> list;
  Cases(Case only) { list.push_back(std::move(only)); }
  Cases(std::vector<Case> all) : list(std::move(all)) {}
};

/// An operation of the bench.
struct Operation {
  std::string name;
  std::vector<NumberType> types;
  std::vector<std::string> variants;
  int arrays = 1;  // of the input's size, that it holds
  std::function<Cases(const Request&)> make;
  std::vector<std::int64_t> taps = {};  // widths that are measured where none are named; empty: it has none
  bool has_summations = false;
  int cases = 1;  // about, that a request makes
};

[[nodiscard]] Operation reduce_operation();
[[nodiscard]] Operation min_operation();
[[nodiscard]] Operation argmin_operation();
[[nodiscard]] Operation stats_operation();
[[nodiscard]] Operation spread_operation();
[[nodiscard]] Operation integer_operation();
[[nodiscard]] Operation dot_operation();
[[nodiscard]] Operation axes_operation();
[[nodiscard]] Operation dispatch_operation();
[[nodiscard]] Operation filter_operation();
[[nodiscard]] Operation window_operation();
[[nodiscard]] Operation lines_operation();
[[nodiscard]] Operation short_integers_operation();
[[nodiscard]] Operation steps_operation();
[[nodiscard]] Operation squares_operation();
[[nodiscard]] Operation transpose_operation();
[[nodiscard]] Operation permute_operation();

}  // namespace tessera::apps::bench

#endif

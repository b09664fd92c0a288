// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a caller may choose of a reduction.
#ifndef TESSERA_REDUCE_REDUCE_OPTIONS_HPP
#define TESSERA_REDUCE_REDUCE_OPTIONS_HPP

#include <array>
#include <string_view>
#include <tessera/nan_policy.hpp>

namespace tessera {

/// Strategy of a reduction.
enum class ReduceVariant {
  automatic,    ///< the fastest for the input
  interleaved,  ///< one element a thread, a tree with a modulo test: divergent; passes until one value is left
  strided,      ///< the same with neighbouring threads at work, on data further and further apart
  sequential,   ///< the same with neighbouring threads on neighbouring data
  two_stage,    ///< two loads a thread, then the partials: no atomics
  grid_stride,  ///< a loop over the whole array in steps of the league, one atomic a team (of exact sums, a digit)
  single_pass,  ///< one kernel: teams leave partials, the last one to finish folds them
};
inline constexpr std::array reduce_variants{
    ReduceVariant::automatic, ReduceVariant::interleaved, ReduceVariant::strided,    ReduceVariant::sequential,
    ReduceVariant::two_stage, ReduceVariant::grid_stride, ReduceVariant::single_pass};

constexpr std::string_view to_string(ReduceVariant variant) {
  switch (variant) {
    case ReduceVariant::automatic:
      return "automatic";
    case ReduceVariant::interleaved:
      return "interleaved";
    case ReduceVariant::strided:
      return "strided";
    case ReduceVariant::sequential:
      return "sequential";
    case ReduceVariant::two_stage:
      return "two_stage";
    case ReduceVariant::grid_stride:
      return "grid_stride";
    case ReduceVariant::single_pass:
      break;
  }
  return "single_pass";
}

/// How sums of floating elements are made: an argument of the reducers that sum.
enum class Summation {
  exact,  ///< rounded once from the exact value: the same bits for any order, plan and machine
  fast,   ///< in the element type, chains of at most 512 adds, then pairwise: the same bits for one plan
};
inline constexpr std::array summations{Summation::exact, Summation::fast};

constexpr std::string_view to_string(Summation summation) {
  switch (summation) {
    case Summation::exact:
      return "exact";
    case Summation::fast:
      break;
  }
  return "fast";
}

struct ReduceOptions {
  ReduceVariant variant = ReduceVariant::automatic;
  NanPolicy nan = NanPolicy::propagate;
  int league_size = 0;  ///< teams; 0: from the extents
  int team_size = 0;    ///< threads a team; 0: from the extents
};

}  // namespace tessera

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a caller may choose of a reduction.
#ifndef TESSERA_REDUCE_REDUCE_OPTIONS_HPP
#define TESSERA_REDUCE_REDUCE_OPTIONS_HPP

#include <array>
#include <string_view>

namespace tessera {

/// Strategy of a reduction.
enum class ReduceVariant {
  automatic,    ///< the fastest for the input
  single_pass,  ///< one kernel: teams leave partials, the last one to finish folds them
};
inline constexpr std::array reduce_variants{ReduceVariant::automatic, ReduceVariant::single_pass};

constexpr std::string_view to_string(ReduceVariant variant) {
  switch (variant) {
    case ReduceVariant::automatic:
      return "automatic";
    case ReduceVariant::single_pass:
      break;
  }
  return "single_pass";
}

/// How floating elements are summed.
enum class Summation {
  fast,  ///< in the element type, chains of at most 512 adds, then pairwise
};
inline constexpr std::array summations{Summation::fast};

constexpr std::string_view to_string(Summation) { return "fast"; }

struct ReduceOptions {
  ReduceVariant variant = ReduceVariant::automatic;
  Summation summation = Summation::fast;
  int league_size = 0;  ///< teams; 0: from the extents
  int team_size = 0;    ///< threads a team; 0: from the extents
};

}  // namespace tessera

#endif

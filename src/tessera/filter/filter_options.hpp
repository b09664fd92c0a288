// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a caller may choose of a filter.
#ifndef TESSERA_FILTER_FILTER_OPTIONS_HPP
#define TESSERA_FILTER_FILTER_OPTIONS_HPP

#include <array>
#include <cstdint>
#include <string_view>
#include <tessera/filter/boundary.hpp>
#include <tessera/nan_policy.hpp>
#include <tessera/stores.hpp>

namespace tessera {

/// Strategy of a filter.
enum class FilterVariant {
  automatic,    ///< the fastest for the request
  direct,       ///< no scratch: every element of every window from memory
  juxtaposed,   ///< tiles in team scratch, without halo: neighbours beyond a tile's edges from memory
  overlapping,  ///< tile and halo staged in team scratch; devices take several short lines at once
  vectorized,   ///< narrow windows: 16-byte accesses, no test of boundaries inside, the taps in the kernel's argument
  register_blocked,  ///< wide windows of floating sums: a window in registers that rotates, many outputs a thread
  transform,  ///< very wide windows: Fourier transforms of blocks, through a FilterTransform (filter_transform.hpp)
};
inline constexpr std::array filter_variants{
    FilterVariant::automatic,  FilterVariant::direct,           FilterVariant::juxtaposed, FilterVariant::overlapping,
    FilterVariant::vectorized, FilterVariant::register_blocked, FilterVariant::transform};

constexpr std::string_view to_string(FilterVariant variant) {
  switch (variant) {
    case FilterVariant::automatic:
      return "automatic";
    case FilterVariant::direct:
      return "direct";
    case FilterVariant::juxtaposed:
      return "juxtaposed";
    case FilterVariant::overlapping:
      return "overlapping";
    case FilterVariant::vectorized:
      return "vectorized";
    case FilterVariant::register_blocked:
      return "register_blocked";
    case FilterVariant::transform:
      break;
  }
  return "transform";
}

/// The type in which floating data accumulates.
enum class FilterAccumulate {
  element,  ///< the input's own
  float64,  ///< double, rounded once to the output's type
};
inline constexpr std::array filter_accumulates{FilterAccumulate::element, FilterAccumulate::float64};

constexpr std::string_view to_string(FilterAccumulate accumulate) {
  return accumulate == FilterAccumulate::element ? "element" : "float64";
}

struct FilterOptions {
  int axis = -1;                                    ///< that lines run along; negative ones count from the end
  BoundaryMode mode_left = BoundaryMode::reflect;   ///< for elements before the line
  BoundaryMode mode_right = BoundaryMode::reflect;  ///< for elements after the line
  BoundaryValue cval = 0.0;                         ///< of mode constant; representable in the input's type
  std::int64_t origin = 0;                          ///< shift of the window, -floor(m/2) .. floor((m-1)/2)
  FilterAccumulate accumulate = FilterAccumulate::element;
  NanPolicy nan =
      NanPolicy::propagate;  ///< omit: left out as by mode renormalise, under any mode; error: with a workspace
  FilterVariant variant = FilterVariant::automatic;
  int steps = 1;                      ///< applications in one call, at most FilterPlan::most_steps
  int league_size = 0;                ///< teams; 0: from the extents
  int team_size = 0;                  ///< threads a team; 0: from the extents; a thread a line: a warp at least
  Stores stores = Stores::automatic;  ///< how a host writes the output
};

}  // namespace tessera

#endif

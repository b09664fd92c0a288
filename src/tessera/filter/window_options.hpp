// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a caller may choose of a window filter.
#ifndef TESSERA_FILTER_WINDOW_OPTIONS_HPP
#define TESSERA_FILTER_WINDOW_OPTIONS_HPP

#include <array>
#include <cstdint>
#include <string_view>
#include <tessera/filter/boundary.hpp>
#include <tessera/nan_policy.hpp>

namespace tessera {

/// What is made of the elements of a window.
enum class WindowOperation {
  min,  ///< the smallest
  max,  ///< the largest
  box,  ///< their mean
};
inline constexpr std::array window_operations{WindowOperation::min, WindowOperation::max, WindowOperation::box};

constexpr std::string_view to_string(WindowOperation operation) {
  switch (operation) {
    case WindowOperation::min:
      return "min";
    case WindowOperation::max:
      return "max";
    case WindowOperation::box:
      break;
  }
  return "box";
}

struct WindowOptions {
  int axis = -1;                                    ///< that lines run along; negative ones count from the end
  BoundaryMode mode_left = BoundaryMode::reflect;   ///< for elements before the line
  BoundaryMode mode_right = BoundaryMode::reflect;  ///< for elements after the line
  BoundaryValue cval = 0.0;                         ///< of mode constant; representable in the input's type
  std::int64_t origin = 0;                          ///< shift of the window, -floor(m/2) .. floor((m-1)/2)
  NanPolicy nan = NanPolicy::propagate;  ///< omit: of what else the window holds, NaN where it holds nothing else;
                                         ///< error: with a workspace
  int league_size = 0;                   ///< teams; 0: from the extents
  int team_size = 0;                     ///< threads a team; 0: from the extents; on devices most variants take up to
                                         ///< 128; walks: rounded up to warps, a thread a line: a warp at least
};

}  // namespace tessera

#endif

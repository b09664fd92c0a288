// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a caller may choose of a transpose.
#ifndef TESSERA_TRANSPOSE_TRANSPOSE_OPTIONS_HPP
#define TESSERA_TRANSPOSE_TRANSPOSE_OPTIONS_HPP

#include <array>
#include <string_view>

namespace tessera {

/// Strategy of a transpose.
enum class TransposeVariant {
  automatic,  ///< the fastest for the shape
  padded,     ///< tile in team scratch, one unused column against bank conflicts
};
inline constexpr std::array transpose_variants{TransposeVariant::automatic, TransposeVariant::padded};

constexpr std::string_view to_string(TransposeVariant variant) {
  switch (variant) {
    case TransposeVariant::automatic:
      return "automatic";
    case TransposeVariant::padded:
      break;
  }
  return "padded";
}

struct TransposeOptions {
  TransposeVariant variant = TransposeVariant::automatic;
  int league_size = 0;  ///< teams; 0: from the extents
  int team_size = 0;    ///< threads a team; 0: from the extents
};

}  // namespace tessera

#endif

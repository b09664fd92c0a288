// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a caller may choose of a transpose.
#ifndef TESSERA_TRANSPOSE_TRANSPOSE_OPTIONS_HPP
#define TESSERA_TRANSPOSE_TRANSPOSE_OPTIONS_HPP

#include <array>
#include <string_view>
#include <tessera/stores.hpp>

namespace tessera {

/// Strategy of a transpose, from naive to best.
enum class TransposeVariant {
  automatic,  ///< the fastest for the shape
  naive,      ///< no scratch: coalesced reads, scattered writes
  tiled,      ///< matrix tile in team scratch, both sides coalesced, bank conflicts between
  padded,     ///< as tiled, with one unused column against the bank conflicts
  swizzled,   ///< accesses of up to 16 bytes on both sides, small transposes in registers, tile in rotated order
  packed,     ///< a tile of several axes in team scratch: short extents, and rows that stay rows
};
inline constexpr std::array transpose_variants{TransposeVariant::automatic, TransposeVariant::naive,
                                               TransposeVariant::tiled,     TransposeVariant::padded,
                                               TransposeVariant::swizzled,  TransposeVariant::packed};

constexpr std::string_view to_string(TransposeVariant variant) {
  switch (variant) {
    case TransposeVariant::automatic:
      return "automatic";
    case TransposeVariant::naive:
      return "naive";
    case TransposeVariant::tiled:
      return "tiled";
    case TransposeVariant::padded:
      return "padded";
    case TransposeVariant::swizzled:
      return "swizzled";
    case TransposeVariant::packed:
      break;
  }
  return "packed";
}

struct TransposeOptions {
  TransposeVariant variant = TransposeVariant::automatic;
  int league_size = 0;                ///< teams; 0: from the extents
  int team_size = 0;                  ///< threads a team; 0: from the extents
  Stores stores = Stores::automatic;  ///< how a host writes the output
  bool operator==(const TransposeOptions&) const = default;
};

}  // namespace tessera

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a caller may choose of an in-place transpose.
#ifndef TESSERA_TRANSPOSE_IN_PLACE_OPTIONS_HPP
#define TESSERA_TRANSPOSE_IN_PLACE_OPTIONS_HPP

#include <array>
#include <cstddef>
#include <string_view>

namespace tessera {

/// Strategy of an in-place transpose.
enum class InPlaceVariant {
  automatic,      ///< the fastest for the shape
  swapped_tiles,  ///< square matrices: two tiles through team scratch change places
  c2r,     ///< any shape: columns are rotated (where the extents share a factor), rows shuffled, columns shuffled
  r2c,     ///< any shape: the inverse of c2r for the extents exchanged, so that lines have the other lengths
  chunks,  ///< any shape, on hosts: bands of rows are turned, then their columns change places as wholes
  blocks,  ///< any shape (of 2^31 runs and more, lines): blocks are transposed where they stand, then their rows, as
           ///< runs, change places along cycles; for extents with a large common factor, a short one, or few rows or
           ///< columns more than such extents
};
inline constexpr std::array in_place_variants{InPlaceVariant::automatic, InPlaceVariant::swapped_tiles,
                                              InPlaceVariant::c2r,       InPlaceVariant::r2c,
                                              InPlaceVariant::chunks,    InPlaceVariant::blocks};

constexpr std::string_view to_string(InPlaceVariant variant) {
  switch (variant) {
    case InPlaceVariant::automatic:
      return "automatic";
    case InPlaceVariant::swapped_tiles:
      return "swapped_tiles";
    case InPlaceVariant::c2r:
      return "c2r";
    case InPlaceVariant::r2c:
      return "r2c";
    case InPlaceVariant::chunks:
      return "chunks";
    case InPlaceVariant::blocks:
      break;
  }
  return "blocks";
}

struct InPlaceOptions {
  InPlaceVariant variant = InPlaceVariant::automatic;
  int league_size = 0;          ///< most teams of a kernel; 0: from the extents
  int team_size = 0;            ///< threads a team; 0: from the extents
  std::size_t batch_bytes = 0;  ///< of workspace for lines that scratch cannot hold, if one fits, or for what blocks
                                ///< set aside; 0: 32 MiB, 64 for the longest lines, on hosts at least a 256th of the
                                ///< matrix (chunks take what they need)
};

}  // namespace tessera

#endif

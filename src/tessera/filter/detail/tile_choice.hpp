// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tiles of its outputs a filter's kernel makes.
#ifndef TESSERA_FILTER_DETAIL_TILE_CHOICE_HPP
#define TESSERA_FILTER_DETAIL_TILE_CHOICE_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/tile_range.hpp>

namespace tessera::detail {

/// All tiles of all lines, one line after the other. Other choices have the same members.
struct EveryTile {
  /// head_max: elements by which a line's tiles may begin before it.
  [[nodiscard]] IndexRange tiles(int /*tile*/, int /*head_max*/, std::int64_t tiles_per_line,
                                 std::int64_t lines) const {
    return {0, lines * tiles_per_line};
  }
  [[nodiscard]] int league(int planned, IndexRange) const { return planned; }
  /// Whether the tile with outputs begin to end of that line is made.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool takes(std::int64_t /*line*/, std::int64_t /*begin*/,
                                                       std::int64_t /*end*/) const {
    return true;
  }
};

}  // namespace tessera::detail

#endif

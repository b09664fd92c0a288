// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbouring lines across memory, so many at a time.
#ifndef TESSERA_FILTER_DETAIL_COLUMN_TILES_HPP
#define TESSERA_FILTER_DETAIL_COLUMN_TILES_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <tessera/detail/lanes.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/filter/detail/line_array.hpp>

namespace tessera::detail {

/// Lanes skipped, skipped + 1, .. take the lines first, first + 1, .. of so many neighbours.
struct ColumnTile {
  std::int64_t first;
  int skipped, width;
};

/// The first tile may begin before the lines, so that all begin on boundaries of memory.
struct ColumnTiles {
  std::int64_t columns, count;
  int lanes, lead;

  ColumnTiles(std::int64_t all, int at_once, int before = 0)
      : columns(all), count(ceil_div(all + before, std::int64_t{at_once})), lanes(at_once), lead(before) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION ColumnTile tile(std::int64_t index) const {
    const std::int64_t begin = index * lanes - lead, first = Kokkos::max<std::int64_t>(begin, 0);
    return {first, static_cast<int>(first - begin),
            static_cast<int>(Kokkos::min<std::int64_t>(begin + lanes, columns) - first)};
  }
};

/// Of what a warp reads at once. Few tiles have no lead: one more would cost more.
template <class T>
ColumnTiles column_tiles(const LineArray<T>& lines, int lanes, bool is_host) {
  const std::int64_t columns = lines.columns();
  if (is_host || columns < 8 * std::int64_t{lanes}) return {columns, lanes};
  const TileBoundary boundary(std::min(lanes, warp_lanes), sizeof(T));
  if (!lines.keep(boundary)) return {columns, lanes};
  return {columns, lanes, boundary.lead(reinterpret_cast<std::uintptr_t>(lines.data))};
}

}  // namespace tessera::detail

#endif

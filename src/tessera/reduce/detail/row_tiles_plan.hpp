// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows summed from team scratch. Those that follow each other in memory by tiles: how many of them a tile has, and how
// many lanes each of them; sizes are measured on an H200. Long ones through rings, measured on an H100.
#ifndef TESSERA_REDUCE_DETAIL_ROW_TILES_PLAN_HPP
#define TESSERA_REDUCE_DETAIL_ROW_TILES_PLAN_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/async_copy.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/reduce/detail/axes_shape.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>

namespace tessera::detail {

/// A team's threads, the teams that registers are for, and their scratch.
inline constexpr int row_tiles_team_size = 128;
inline constexpr int row_tiles_teams_at_once = 8;
inline constexpr std::size_t row_tiles_teams_scratch = std::size_t{212} << 10;
/// Bytes of an array from which on a second kernel costs less than the first one saves.
inline constexpr std::int64_t row_tiles_bytes_min = std::int64_t{64} << 20;

/// Whether a device takes rows of such elements through tiles at all.
template <class Fold>
KOKKOS_INLINE_FUNCTION constexpr bool takes_row_tiles(std::size_t element_bytes) {
  return sums_in_pairs<Fold>() && element_bytes >= sizeof(float);
}

struct RowTilesPlan {
  int rows = 0;  ///< 0: too few are in scratch at once
  int lanes = 1;
  std::size_t scratch_bytes = 0;
};

inline RowTilesPlan row_tiles_plan(const DeviceLimits& limits, std::int64_t row_size, std::size_t element_bytes) {
  const std::size_t scratch = limits.shared_scratch(row_tiles_teams_scratch, row_tiles_teams_at_once);
  const std::size_t taken = after_axes() + sector_bytes;
  const std::int64_t row_bytes = row_size * static_cast<std::int64_t>(element_bytes);
  const bool floats = element_bytes <= sizeof(float);
  RowTilesPlan plan;
  // A thread reads shorter rows from memory in less time.
  if (row_size < (floats ? 8 : 9) || scratch < taken) return plan;
  const std::int64_t most = static_cast<std::int64_t>(scratch - taken) / row_bytes;
  if (most < (floats ? 3 : 2)) return plan;
  const bool quick = floats && row_size <= few_max, in_packs = row_bytes % packed_bytes == 0;
  // Bytes of a lane at most: of 64 floats each, rows of 128 to 512 took a tenth more time than of 32.
  const std::int64_t lane_bytes = !quick ? 416 : in_packs ? 240 : 288;
  while (plan.lanes < 32 && row_bytes > plan.lanes * lane_bytes) plan.lanes *= 2;
  // Sums of floats in one double take so little time that memory, asked for more bytes at once than this, gets slower.
  const std::int64_t ragged = (row_bytes < 64 ? 24 : 20) << 10;
  const std::int64_t tile_bytes = !quick ? 26 << 10 : in_packs ? 16 << 10 : ragged;
  std::int64_t rows = std::max<std::int64_t>(1, std::min(most, tile_bytes / row_bytes));
  // Whole rounds of all threads, or whole warps.
  const std::int64_t at_once = row_tiles_team_size / plan.lanes, of_warp = 32 / plan.lanes;
  if (rows >= at_once) {
    rows = std::min(most / at_once, (rows + at_once / 2) / at_once) * at_once;
  } else if (!quick && rows >= of_warp) {
    rows -= rows % of_warp;
  }
  plan.rows = static_cast<int>(rows);
  plan.scratch_bytes = taken + static_cast<std::size_t>(rows * row_bytes);
  return plan;
}

/// A row's lanes, and 16-byte pieces of a lane in its ring.
inline constexpr int row_ring_lanes = 32;
inline constexpr int row_ring_pieces = 12;
inline constexpr int row_ring_vectors = row_tiles_team_size / row_ring_lanes;

/// Scratch of a team: the axes and a ring a lane.
inline std::size_t row_rings_scratch_bytes() {
  return after_axes() + std::size_t{row_tiles_team_size} * row_ring_pieces * packed_bytes;
}

/// Whether rows are long enough, and many. Longer ones go through registers in the same time.
inline bool takes_row_rings(const DeviceLimits& limits, std::int64_t rows, std::int64_t row_bytes) {
  return row_bytes >= 4 << 10 && row_bytes <= 96 << 10 && rows >= std::int64_t{32} * multiprocessors(limits) &&
         row_rings_scratch_bytes() <= limits.shared_scratch(row_tiles_teams_scratch, row_tiles_teams_at_once);
}

/// Elements of a lane. Of rows that no lanes divide an odd number: neighbours then read different banks.
inline int row_tile_part(std::int64_t row_size, int lanes) {
  const auto part = static_cast<int>(ceil_div(row_size, std::int64_t{lanes}));
  return static_cast<std::int64_t>(part) * lanes == row_size ? part : part | 1;
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Few lines across memory that fill it together, as colours of pixels and components of vectors do: how much of them a
// team takes, and where it lies in its scratch.
#ifndef TESSERA_FILTER_DETAIL_INTERLEAVED_PLAN_HPP
#define TESSERA_FILTER_DETAIL_INTERLEAVED_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/lanes.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/filter/detail/filter_shape.hpp>
#include <type_traits>

namespace tessera::detail {

/// The outputs of a thread, an odd number, so that the threads' first ones lie in different banks; the bytes of
/// scratch, the teams at once, how often in a tile at most, and the most lines (measured on an H200).
template <std::size_t AccumulatorBytes>
inline constexpr int interleaved_run = AccumulatorBytes > 4 ? 5 : 9;
inline constexpr std::size_t interleaved_bytes = 26624;
inline constexpr int interleaved_teams_at_once = 8;
inline constexpr int interleaved_turns = 16;
inline constexpr int interleaved_columns_max = 128;

/// A team's share: several blocks of lines whole, or a tile of one; none where another kernel takes the lines.
struct InterleavedPlan {
  int blocks = 0;
  int tile = 0;   // outputs of each line
  int runs = 0;   // of a block, a thread's each
  int pitch = 0;  // from block to block, in elements of scratch
  std::size_t slots_at = 0, bytes = 0;
};

/// Elements of a block begin anywhere in a sector of scratch, outputs anywhere in a piece.
template <class Types>
InterleavedPlan interleaved_share(const FilterShape& shape, std::int64_t blocks, std::int64_t outputs) {
  using In = typename Types::in_type;
  using Out = typename Types::out_type;
  constexpr int run = interleaved_run<sizeof(typename Types::accumulator_type)>;
  const auto columns = static_cast<int>(shape.columns), rows = static_cast<int>(ceil_div(outputs, run)) * run;
  constexpr int sector = sector_bytes / sizeof(In);
  InterleavedPlan plan;
  plan.blocks = static_cast<int>(blocks);
  plan.tile = static_cast<int>(outputs);
  plan.runs = rows / run * columns;
  plan.pitch = (rows + static_cast<int>(shape.taps) - 1) * columns + sector;
  ScratchLayout layout;
  layout.append<In>(static_cast<std::size_t>(plan.blocks * plan.pitch));
  plan.slots_at = layout.append<Packed<Out>>(
      static_cast<std::size_t>(ceil_div(blocks * outputs * shape.columns, packed_length<Out>) + 1));
  plan.bytes = layout.bytes();
  return plan;
}

inline std::size_t interleaved_most_scratch(const DeviceLimits& limits) {
  return limits.shared_scratch(interleaved_teams_at_once * interleaved_bytes, interleaved_teams_at_once);
}

/// Of no lines as of one block.
inline std::int64_t interleaved_blocks(const FilterShape& shape) {
  return std::max<std::int64_t>(1, shape.lines / shape.columns);
}

/// Tiles of like length, so many that the fewest threads are idle; each costs as much as a turn besides.
template <class Types>
InterleavedPlan interleaved_tiling(const DeviceLimits& limits, const FilterShape& shape, int team_size) {
  constexpr int run = interleaved_run<sizeof(typename Types::accumulator_type)>;
  const std::int64_t runs = ceil_div(shape.extent, run) * shape.columns, blocks = interleaved_blocks(shape);
  const std::int64_t round = run * std::max<std::int64_t>(1, team_size / shape.columns);  // outputs of a line
  const int most = tile_turns(limits, ceil_div(blocks * runs, team_size), interleaved_teams_at_once, interleaved_turns);
  InterleavedPlan best;
  double best_cost = 0;
  for (int turns = 1; turns <= most; ++turns) {
    const std::int64_t tiles = ceil_div(shape.extent, round * turns), share = ceil_div(shape.extent, tiles);
    const std::int64_t together = shape.full_blocks ? std::clamp<std::int64_t>(turns * team_size / runs, 1, blocks) : 1;
    const std::int64_t outputs =
        together > 1 ? shape.extent : std::min(shape.extent, ceil_div(share, std::int64_t{run}) * run);
    const InterleavedPlan plan = interleaved_share<Types>(shape, together, outputs);
    if (turns > 1 && scratch_request(plan.bytes) > interleaved_most_scratch(limits)) break;
    const double turns_taken = static_cast<double>(ceil_div(plan.blocks * plan.runs, team_size)) + 1;
    const double tiles_taken =
        static_cast<double>(ceil_div(shape.extent, plan.tile)) / static_cast<double>(plan.blocks);
    const double cost = tiles_taken * turns_taken;  // of a block
    if (turns == 1 || cost < best_cost) {
      best = plan;
      best_cost = cost;
    }
  }
  return best;
}

/// Of tiles.
inline std::int64_t interleaved_tiles(const FilterShape& shape, const InterleavedPlan& plan) {
  return ceil_div(interleaved_blocks(shape), plan.blocks) * ceil_div(shape.extent, plan.tile);
}

/// Kernels for them: in and out alike, sums of at most 64 bits.
template <class Types>
inline constexpr bool has_interleaved_kernel = std::is_same_v<typename Types::in_type, typename Types::out_type> &&
                                               sizeof(typename Types::accumulator_type) <= 8;

/// Whether those that read rows in tiles, a lane for each neighbour, make less of them: lanes move bytes or 16 bits,
/// tiles share sectors of memory, or more than an eighth of the lanes is idle (measured on an H200).
template <class T>
bool wastes_column_tiles(std::int64_t columns) {
  constexpr int lanes = warp_lanes;
  if (sizeof(T) < 4) return true;
  const bool shared = columns > lanes && columns * sizeof(T) % sector_bytes != 0;
  return shared || 8 * columns < 7 * lanes * ceil_div(columns, lanes);
}

/// Of lines that one takes: on devices, where scratch holds a turn, and windows beyond a tile's own rows do not cost
/// more than its lanes (measured on an H200).
template <class Types>
InterleavedPlan interleaved_plan(const DeviceLimits& limits, const FilterShape& shape, int team_size) {
  if constexpr (has_interleaved_kernel<Types>) {
    if (limits.is_host || !shape.full_columns || shape.columns > interleaved_columns_max ||
        !wastes_column_tiles<typename Types::in_type>(shape.columns)) {
      return {};
    }
    const InterleavedPlan plan = interleaved_tiling<Types>(limits, shape, team_size);
    const bool pays = 2 * (plan.tile + shape.taps - 1) <= 5 * plan.tile;
    if (pays && scratch_request(plan.bytes) <= interleaved_most_scratch(limits)) return plan;
  }
  return {};
}

}  // namespace tessera::detail

#endif

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

/// Linear filters: the outputs of a thread, an odd number, so that the threads' first ones lie in different banks.
template <std::size_t AccumulatorBytes>
inline constexpr int interleaved_run = AccumulatorBytes > 4 ? 5 : 9;
/// And the teams at once. Of all kernels of such lines: the scratch of those, how often in a tile at most, and the most
/// lines (measured on an H200).
inline constexpr int interleaved_teams_at_once = 8;
inline constexpr std::size_t interleaved_teams_scratch = std::size_t{8 * 26} << 10;
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

/// What a kernel of them makes, Run outputs a thread, and its teams at once.
template <class In, class Out, int Run, int Teams>
struct InterleavedTypes {
  using in_type = In;
  using out_type = Out;
  static constexpr int run = Run;
  static constexpr int teams = Teams;
};
template <class Types>
using FilterInterleavedTypes =
    InterleavedTypes<typename Types::in_type, typename Types::out_type,
                     interleaved_run<sizeof(typename Types::accumulator_type)>, interleaved_teams_at_once>;

/// Elements of a block begin anywhere in a sector of scratch, outputs anywhere in a piece.
template <class Types>
InterleavedPlan interleaved_share(const FilterShape& shape, std::int64_t blocks, std::int64_t outputs) {
  using In = typename Types::in_type;
  using Out = typename Types::out_type;
  constexpr int run = Types::run;
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

template <class Types>
std::size_t interleaved_most_scratch(const DeviceLimits& limits) {
  return limits.shared_scratch(interleaved_teams_scratch, Types::teams);
}

/// Of no lines as of one block.
inline std::int64_t interleaved_blocks(const FilterShape& shape) {
  return std::max<std::int64_t>(1, shape.lines / shape.columns);
}

/// Windows beyond a tile's own rows do not cost more than its lanes (measured on an H200).
inline bool interleaved_pays(const InterleavedPlan& plan, std::int64_t taps) {
  return 2 * (plan.tile + taps - 1) <= std::int64_t{5} * plan.tile;
}

/// Tiles of like length that pay, if scratch has room for any, so many that the fewest threads are idle; each costs as
/// much as a turn besides. Whether one pays does not hang on the number of blocks.
template <class Types>
InterleavedPlan interleaved_tiling(const DeviceLimits& limits, const FilterShape& shape, int team_size) {
  constexpr int run = Types::run;
  const std::int64_t runs = ceil_div(shape.extent, run) * shape.columns, blocks = interleaved_blocks(shape);
  const std::int64_t round = run * std::max<std::int64_t>(1, team_size / shape.columns);  // outputs of a line
  const int most = tile_turns(limits, ceil_div(blocks * runs, team_size), Types::teams, interleaved_turns);
  const std::size_t room = interleaved_most_scratch<Types>(limits);
  const auto fits = [&](const InterleavedPlan& plan) { return scratch_request(plan.bytes) <= room; };
  const auto whole = [&](std::int64_t count) { return interleaved_share<Types>(shape, count, shape.extent); };
  std::int64_t most_blocks = 1;
  if (shape.full_blocks && shape.extent <= round * interleaved_turns && fits(whole(1))) {
    const std::size_t first = whole(1).bytes, more = whole(2).bytes - first;
    most_blocks = std::min(blocks, 1 + static_cast<std::int64_t>((room - first) / more));
    while (most_blocks > 1 && !fits(whole(most_blocks))) --most_blocks;
  }
  InterleavedPlan best;
  double best_cost = 0;
  bool pays = false;
  for (int turns = 1; turns <= most || (turns <= interleaved_turns && !pays); ++turns) {
    const std::int64_t tiles = ceil_div(shape.extent, round * turns), share = ceil_div(shape.extent, tiles);
    const std::int64_t outputs = std::min(shape.extent, ceil_div(share, std::int64_t{run}) * run);
    InterleavedPlan plan = interleaved_share<Types>(shape, 1, outputs);
    if (turns > 1 && !fits(plan)) break;
    const std::int64_t together = std::min(turns * team_size / runs, most_blocks);
    if (together > 1) plan = whole(together);
    const double turns_taken = static_cast<double>(ceil_div(plan.blocks * plan.runs, team_size)) + 1;
    const double tiles_taken =
        static_cast<double>(ceil_div(shape.extent, plan.tile)) / static_cast<double>(plan.blocks);
    const double cost = tiles_taken * turns_taken;  // of a block
    const bool plan_pays = interleaved_pays(plan, shape.taps);
    if (turns == 1 || (plan_pays && !pays) || (plan_pays == pays && cost <= best_cost)) {
      best = plan;
      best_cost = cost;
      pays = plan_pays;
    }
  }
  return best;
}

/// Of tiles.
inline std::int64_t interleaved_tiles(const FilterShape& shape, const InterleavedPlan& plan) {
  return ceil_div(interleaved_blocks(shape), plan.blocks) * ceil_div(shape.extent, plan.tile);
}

/// Whether those that read rows in tiles, a lane for each neighbour, make less of them: lanes move bytes or 16 bits,
/// tiles share sectors of memory, or more than an eighth of the lanes is idle (measured on an H200).
template <class T>
bool wastes_column_tiles(std::int64_t columns) {
  constexpr int lanes = warp_lanes;
  if (sizeof(T) < 4) return true;
  const bool shared = columns > lanes && columns * sizeof(T) % sector_bytes != 0;
  return shared || 8 * columns < 7 * lanes * ceil_div(columns, lanes);
}

/// Of lines that such kernels take: on devices, where scratch holds tiles that pay.
template <class Types>
InterleavedPlan interleaved_plan_of(const DeviceLimits& limits, const FilterShape& shape, int team_size) {
  if (limits.is_host || !shape.full_columns || shape.columns > interleaved_columns_max ||
      !wastes_column_tiles<typename Types::in_type>(shape.columns)) {
    return {};
  }
  const InterleavedPlan plan = interleaved_tiling<Types>(limits, shape, team_size);
  return interleaved_pays(plan, shape.taps) && scratch_request(plan.bytes) <= interleaved_most_scratch<Types>(limits)
             ? plan
             : InterleavedPlan();
}

/// Linear filters that there is a kernel for: in and out alike, sums of at most 64 bits.
template <class Types>
inline constexpr bool has_interleaved_kernel = std::is_same_v<typename Types::in_type, typename Types::out_type> &&
                                               sizeof(typename Types::accumulator_type) <= 8;
template <class Types>
InterleavedPlan interleaved_plan(const DeviceLimits& limits, const FilterShape& shape, int team_size) {
  if constexpr (has_interleaved_kernel<Types>) {
    return interleaved_plan_of<FilterInterleavedTypes<Types>>(limits, shape, team_size);
  }
  return {};
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans of window filters, from a pure host function.
#ifndef TESSERA_FILTER_DETAIL_MAKE_WINDOW_PLAN_HPP
#define TESSERA_FILTER_DETAIL_MAKE_WINDOW_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/filter/detail/filter_shape.hpp>
#include <tessera/filter/detail/padded_lines_plan.hpp>
#include <tessera/filter/detail/thread_lines_plan.hpp>
#include <tessera/filter/detail/window_interleaved_plan.hpp>
#include <tessera/filter/detail/window_pieces.hpp>
#include <tessera/filter/detail/window_walks_plan.hpp>
#include <tessera/filter/window_options.hpp>
#include <tessera/filter/window_plan.hpp>
#include <type_traits>

namespace tessera::detail {

template <class Op>
void plan_window_chunks(std::string_view function, const DeviceLimits& limits, std::int64_t extent,
                        const WindowShape& window, int asked_team_size, WindowPlan& plan) {
  require_team_size(function, asked_team_size, limits.is_host ? limits.concurrency : window_chunk_team_size);
  plan.variant = WindowVariant::chunks;
  plan.team_size = asked_team_size;
  if (limits.is_host) {
    plan.team_size = std::max(1, asked_team_size);
    plan.tile = plan.team_size * host_windows_outputs<Op>(window.size);
    return;
  }
  constexpr int width = window_chunk<typename Op::in_type>;
  constexpr int thread_elements = width * window_chunk_turns<Op>;
  if (asked_team_size == 0) {
    const std::int64_t threads = ceil_div(extent, thread_elements);
    plan.team_size = 32 * static_cast<int>(ceil_div(std::min<std::int64_t>(threads, window_chunk_team_size), 32));
  }
  const std::size_t most = limits.shared_scratch(window_chunk_teams_scratch, window_chunk_teams<Op>);
  plan.tile = plan.team_size * thread_elements;
  const auto exceeds = [&](std::size_t bytes) {
    return scratch_request(window_chunks_scratch<Op>(plan.tile, window.size).bytes) > bytes;
  };
  while (asked_team_size == 0 && plan.team_size > 32 && exceeds(most)) {
    plan.team_size -= 32;
    plan.tile = plan.team_size * thread_elements;
  }
  while (plan.tile > width && exceeds(limits.scratch_bytes)) plan.tile = plan.tile / 2 / width * width;
  plan.scratch_bytes = window_chunks_scratch<Op>(plan.tile, window.size).bytes;
}

/// Variants runs and walks. Returns the number of tiles or walks, or 0 where not all teams that their registers are
/// planned for have scratch for windows of that size.
template <class Op>
std::int64_t plan_window_runs(std::string_view function, const DeviceLimits& limits, std::int64_t lines,
                              std::int64_t extent, const WindowShape& window, int asked_team_size, WindowPlan& plan) {
  constexpr int length = window_runs_length<Op>;
  const std::int64_t at_once = std::int64_t{window_runs_teams} * multiprocessors(limits);
  const bool walks = is_window_of_walks<Op>(window.size, extent, lines, at_once);
  const int largest = walks ? window_walks_team_size : window_runs_team_size;
  const std::int64_t runs = std::min<std::int64_t>(ceil_div(extent, length), largest);
  const std::size_t most = limits.shared_scratch(window_runs_teams_scratch, window_runs_teams);
  const auto bytes = [&](int tile) {
    return walks ? window_walks_scratch<Op>(tile, window.size, most).bytes
                 : window_runs_scratch<Op>(tile, window.size).bytes;
  };
  if (scratch_request(bytes(32 * length)) > most) return 0;
  require_team_size(function, asked_team_size, largest);
  plan.variant = walks ? WindowVariant::walks : WindowVariant::runs;
  plan.team_size = asked_team_size != 0 ? asked_team_size : 32 * static_cast<int>(ceil_div(runs, 32));
  if (walks) plan.team_size = warp_lanes * static_cast<int>(ceil_div(plan.team_size, warp_lanes));
  plan.tile = plan.team_size * length;
  while (plan.tile > 32 * length && scratch_request(bytes(plan.tile)) > most) plan.tile -= 32 * length;
  if (asked_team_size == 0) plan.team_size = plan.tile / length;
  plan.scratch_bytes = bytes(plan.tile);
  const std::int64_t per_line = ceil_div(extent, plan.tile), tiles = lines * per_line;
  if (!walks) {
    const std::int64_t longest = window.size <= window_runs_ahead_max<Op> ? window_runs_walk : 1;
    plan.walk = static_cast<int>(std::clamp<std::int64_t>(tiles / at_once, 1, longest));
    return ceil_div(tiles, plan.walk);
  }
  const std::int64_t walks_per_line = window_walks_of_line(lines, per_line, plan.tile, window.size, at_once);
  plan.walk = static_cast<int>(ceil_div(per_line, walks_per_line));
  return lines * ceil_div(per_line, plan.walk);
}

/// Variant columns, of windows that registers hold. Returns the number of tiles.
template <class Op>
std::int64_t plan_window_columns(std::string_view function, const DeviceLimits& limits, std::int64_t columns,
                                 std::int64_t lines, std::int64_t extent, int asked_team_size, WindowPlan& plan) {
  require_team_size(function, asked_team_size, limits.is_host ? limits.concurrency : window_chunk_team_size);
  plan.variant = WindowVariant::columns;
  plan.team_size = asked_team_size != 0 ? asked_team_size : limits.is_host ? 1 : window_chunk_team_size;
  plan.lanes = limits.is_host ? window_column_lines<true> : window_column_lines<false>;
  if (!limits.is_host) plan.team_size = std::max(plan.team_size, plan.lanes);  // a thread for each line of a tile
  const int groups = limits.is_host ? 4 : plan.team_size / plan.lanes;
  plan.tile = groups * window_column_outputs<Op>;
  const auto tiles = [&] { return lines / columns * ceil_div(columns, plan.lanes) * ceil_div(extent, plan.tile); };
  if (!limits.is_host) plan.tile *= tile_turns(limits, tiles(), window_column_teams<Op>, window_column_turns<Op>);
  return tiles();
}

/// Variant columns, of windows whose values a thread's scratch holds. Returns the number of tiles.
template <class Op>
std::int64_t plan_window_column_walks(std::string_view function, const DeviceLimits& limits, std::int64_t columns,
                                      std::int64_t lines, std::int64_t extent, const WindowShape& window,
                                      int asked_team_size, WindowPlan& plan) {
  require_team_size(function, asked_team_size, 256);
  plan.variant = WindowVariant::columns;
  plan.lanes = 128;
  const auto bytes = [&] {
    return window_column_walk_bytes<Op>(plan.lanes * window_column_walks_at_once(plan.lanes), window.size);
  };
  while (plan.lanes > 1 && plan.lanes / 2 >= columns) plan.lanes /= 2;
  while (plan.lanes > 32 && scratch_request(bytes()) > limits.scratch_bytes) plan.lanes /= 2;
  plan.team_size = asked_team_size != 0 ? asked_team_size : std::max(32, plan.lanes);
  plan.tile = static_cast<int>(window.size);
  plan.scratch_bytes = bytes();
  // A walk begins with a block that is only read: long enough to make that little, short enough to occupy the machine.
  const std::int64_t lanes_tiles = ceil_div(columns, std::int64_t{plan.lanes}), blocks = ceil_div(extent, window.size);
  const std::int64_t teams = std::int64_t{8} * multiprocessors(limits) * window_column_walks_at_once(plan.lanes);
  plan.walk = static_cast<int>(
      std::clamp<std::int64_t>(lines / columns * lanes_tiles * blocks / (2 * teams), 1, window_column_walk_blocks));
  const std::int64_t walks = lines / columns * ceil_div(blocks, std::int64_t{plan.walk});
  return ceil_div(walks, std::int64_t{window_column_walks_at_once(plan.lanes)}) * lanes_tiles;
}

/// Variant columns, of windows that registers do not hold. False where no team's scratch holds what it takes.
template <class Op>
bool plan_window_column_blocks(const DeviceLimits& limits, std::int64_t lines, std::int64_t columns,
                               const WindowBlockShape& shape, WindowPlan& plan) {
  const auto piece_bytes = [&](bool stages) { return window_column_scratch<Op>(shape, plan.lanes, stages).bytes; };
  const auto fits = [&](bool stages, int least) {
    plan.lanes = limits.is_host ? window_column_block_lines<true> : window_column_block_lines<false>;
    while (plan.lanes / 2 >= columns) plan.lanes /= 2;
    for (; plan.lanes >= least; plan.lanes /= 2) {
      if (scratch_request(piece_bytes(stages)) <= limits.scratch_bytes) return true;
    }
    return false;
  };
  constexpr int sector = std::max(1, 32 / static_cast<int>(sizeof(typename Op::in_type)));
  // A host's caches hold the rows as well. On devices pairs of sectors are worth a second look at memory.
  const bool stages = !limits.is_host && fits(true, static_cast<int>(std::min<std::int64_t>(2 * sector, columns)));
  if (!stages && !fits(false, sector)) return false;
  plan.variant = WindowVariant::columns;
  plan.tile = static_cast<int>(shape.part_size);
  plan.parts = static_cast<int>(shape.parts);
  plan.scratch_bytes = piece_bytes(stages);
  const auto threads = static_cast<int>(ceil_div(plan.tile, window_run)) * plan.lanes;
  plan.team_size = limits.is_host ? 1 : static_cast<int>(ceil_div(ceil_div(threads, ceil_div(threads, 256)), 32)) * 32;
  // A walk begins with a block that only counts: long enough to make that little, short enough to occupy the machine.
  const std::int64_t tiles = lines / columns * ceil_div(columns, plan.lanes) * (shape.part_end - shape.part_begin);
  const std::int64_t teams =
      limits.is_host ? 8 * std::int64_t{limits.concurrency} : 8 * std::int64_t{multiprocessors(limits)};
  plan.walk = static_cast<int>(std::clamp<std::int64_t>(tiles / teams, shape.parts, 32 * shape.parts));
  return true;
}

template <class Op>
void plan_window_blocks(const DeviceLimits& limits, std::int64_t lines, const WindowBlockShape& shape,
                        WindowPlan& plan) {
  plan.variant = WindowVariant::blocks;
  plan.tile = static_cast<int>(shape.part_size);
  plan.parts = static_cast<int>(shape.parts);
  const std::int64_t runs = ceil_div(plan.tile, window_run);
  const std::int64_t rounds = ceil_div(runs, 256);
  plan.team_size = limits.is_host ? 1 : static_cast<int>(ceil_div(ceil_div(runs, rounds), 32)) * 32;
  plan.scratch_bytes = window_blocks_scratch<Op>(plan.tile).bytes;
  // A walk begins with parts that only count: long enough to make that little, short enough to occupy the machine.
  const std::int64_t tiles = lines * (shape.part_end - shape.part_begin);
  const std::int64_t teams =
      limits.is_host ? 8 * std::int64_t{limits.concurrency} : 16 * std::int64_t{multiprocessors(limits)};
  plan.walk = static_cast<int>(std::clamp<std::int64_t>(tiles / teams, 1, 16));
  if (shape.parts > window_kept_parts) {
    plan.workspace_bytes = 4 * static_cast<std::size_t>(lines * shape.part_count()) * sizeof(typename Op::value_type);
  }
}

/// What no kernel of sums can do. Integers are never NaN.
template <class Op>
bool takes_direct(const WindowOptions& options) {
  return std::is_floating_point_v<typename Op::in_type> && !Op::is_idempotent && options.nan == NanPolicy::omit;
}

/// adjacent: lines follow each other in memory. Returns the number of tiles.
template <class Op>
std::int64_t plan_window_few(std::string_view function, const DeviceLimits& limits, std::int64_t lines,
                             std::int64_t extent, const WindowShape& window, int asked_team_size, bool adjacent,
                             WindowPlan& plan) {
  require_team_size(function, asked_team_size, limits.is_host ? limits.concurrency : window_few_team_size);
  constexpr int length = window_few_sizes<Op>.length;
  plan.variant = WindowVariant::few;
  const auto together = [&] { return adjacent && lines > 1 && extent <= window_few_line_tiles * plan.tile; };
  if (limits.is_host) {
    // A thread takes lines one by one.
    plan.team_size = std::max(1, asked_team_size);
    plan.tile = host_windows_outputs<Op>(window.size);
    if (together()) plan.lanes = static_cast<int>(std::clamp<std::int64_t>(plan.tile / extent, 1, lines));
    if (plan.lanes > 1) plan.tile = plan.lanes * static_cast<int>(extent);
  } else {
    plan.team_size = asked_team_size != 0 ? asked_team_size : window_few_team_size;
    plan.tile = plan.team_size * length;
    const auto bytes = [&] { return scratch_request(window_few_scratch<Op>(plan.tile, window.size).bytes); };
    const std::size_t most = limits.shared_scratch(window_chunk_teams_scratch, window_few_sizes<Op>.teams);
    while (plan.tile > 32 * length && bytes() > most) plan.tile -= 32 * length;
    const bool as_one = together();
    const std::int64_t runs = ceil_div(as_one ? lines * extent : extent, length);
    if (runs < plan.tile / length) plan.tile = 32 * length * static_cast<int>(ceil_div(runs, 32));
    if (asked_team_size == 0) plan.team_size = plan.tile / length;
    // All that a tile may touch.
    if (as_one) plan.lanes = static_cast<int>(ceil_div(plan.tile, extent)) + 1;
    plan.scratch_bytes = window_few_scratch<Op>(plan.tile, window.size).bytes;
  }
  return plan.lanes > 1 ? ceil_div(lines * extent, plan.tile) : lines * ceil_div(extent, plan.tile);
}

/// Variant lines: windows of the kernel, which are of as many elements or of one less.
constexpr int window_lines_slots(std::int64_t size) { return static_cast<int>(size) | 1; }

template <class Op>
ThreadLinesPlan window_thread_lines_plan(const DeviceLimits& limits, std::int64_t extent, const WindowShape& window,
                                         int team_size) {
  const std::int64_t ahead = window_lines_slots(window.size) - 1 - window.reach_left;
  return thread_lines_plan<typename Op::in_type>(limits, extent, ahead, team_size);
}

/// Returns the number of tiles, or 0 where variant few does as well.
template <class Op>
std::int64_t plan_window_lines(const DeviceLimits& limits, std::int64_t lines, std::int64_t extent,
                               const WindowShape& window, int asked_team_size, bool adjacent, WindowPlan& plan) {
  const int team_size = asked_team_size != 0 ? asked_team_size : thread_lines_team_size;
  const bool has_ends = window.size <= extent && 100 * (window.size - 1) >= window_lines_ends * extent;
  const bool fits = window.size >= window_lines_min && has_ends && adjacent && lines > 1;
  if (!has_window_lines<Op> || limits.is_host || !fits || team_size > thread_lines_team_size) return 0;
  const ThreadLinesPlan share = window_thread_lines_plan<Op>(limits, extent, window, team_size);
  if (!share.fills(window_lines_fill, team_size)) return 0;
  plan.variant = WindowVariant::lines;
  plan.team_size = team_size;
  plan.lanes = share.lines;
  plan.tile = share.lines * static_cast<int>(extent);
  plan.scratch_bytes = share.bytes;
  return ceil_div(lines, share.lines);
}

template <class Op>
PaddedLinesPlan window_padded_lines_plan(const DeviceLimits& limits, std::int64_t lines, std::int64_t extent,
                                         const WindowShape& window, int team_size) {
  const bool runs = takes_runs<Op> && window.size > window_runs_length<Op>;
  if (fills_registers<Op> || window.size > window_padded_max || (runs && extent > window_padded_extent)) return {};
  return padded_lines_plan<typename Op::in_type, typename Op::out_type>(limits, lines, extent, window.size, team_size,
                                                                        0, run_of<Op>(padded_lines_run));
}

/// Variant padded. Returns the number of teams, or 0 where another variant takes lines of that extent.
template <class Op>
std::int64_t plan_window_padded_lines(std::string_view function, const DeviceLimits& limits, std::int64_t lines,
                                      std::int64_t extent, const WindowShape& window, int asked_team_size,
                                      WindowPlan& plan) {
  const PaddedLinesPlan share = window_padded_lines_plan<Op>(limits, lines, extent, window, asked_team_size);
  if (limits.is_host || share.lines == 0) return 0;
  require_team_size(function, asked_team_size, padded_lines_team_size);
  plan.variant = WindowVariant::padded;
  plan.team_size = share.team_size;
  plan.lanes = share.lines;
  plan.tile = share.lines * static_cast<int>(extent);
  plan.scratch_bytes = share.bytes;
  return share.teams;
}

/// lines of extent >= 1 elements each.
template <class Op>
WindowPlan make_window_plan(std::string_view function, const DeviceLimits& limits, std::int64_t lines,
                            std::int64_t extent, const WindowShape& window, const WindowOptions& options,
                            const LinePlace& place = {}) {
  const std::int64_t columns = place.columns;
  const bool adjacent = place.adjacent;
  require_league_size(function, options.league_size);
  WindowPlan plan;
  std::int64_t tiles = 0;
  const auto planned = [&] {
    plan.league_size = options.league_size != 0 ? options.league_size : tile_league(limits, tiles);
    return plan;
  };
  const auto plan_padded = [&] {
    tiles = plan_window_padded_lines<Op>(function, limits, lines, extent, window, options.team_size, plan);
    return tiles > 0;
  };
  const auto plan_runs = [&] {
    if (limits.is_host || !is_window_of_runs<Op>(window.size)) return false;
    tiles = plan_window_runs<Op>(function, limits, lines, extent, window, options.team_size, plan);
    return tiles > 0;
  };
  if (!takes_direct<Op>(options) && place.full_columns) {
    const FilterShape shape = full_columns_shape(place, lines, extent, window.size, window.reach_left);
    tiles = plan_window_interleaved<Op>(function, limits, shape, options.team_size, plan);
    if (tiles > 0) return planned();
  }
  const bool is_across = fills_columns<typename Op::in_type>(columns) && !takes_direct<Op>(options);
  const auto shape_of = [&](std::int64_t part_limit) { return window_block_shape(extent, window, part_limit); };
  if (is_across && window.size <= window_column_max<Op>) {
    tiles = plan_window_columns<Op>(function, limits, columns, lines, extent, options.team_size, plan);
    return planned();
  }
  if (is_across && is_window_of_column_walks<Op>(limits.is_host, window.size)) {
    tiles = plan_window_column_walks<Op>(function, limits, columns, lines, extent, window, options.team_size, plan);
    return planned();
  }
  // Those that take a workspace take it however the output lies.
  if (is_across && window.size <= window_kept_parts * window_part_limit<Op>(limits.is_host)) {
    const WindowBlockShape shape = shape_of(window_column_part_limit(window.size));
    if (plan_window_column_blocks<Op>(limits, lines, columns, shape, plan)) {
      require_team_size(function, options.team_size, limits.is_host ? limits.concurrency : 1024);
      if (options.team_size != 0) plan.team_size = options.team_size;
      tiles = lines / columns * ceil_div(columns, plan.lanes) * ceil_div(shape.part_end - shape.part_begin, plan.walk);
      return planned();
    }
    plan = {};
  }
  if (takes_direct<Op>(options)) {
    require_team_size(function, options.team_size, limits.is_host ? limits.concurrency : 1024);
    plan.variant = WindowVariant::direct;
    plan.team_size = options.team_size != 0 ? options.team_size : limits.is_host ? 1 : 128;
    plan.tile = limits.is_host ? 1024 : plan.team_size;
    tiles = lines * ceil_div(extent, plan.tile);
  } else if (window.size <= window_few_max) {
    tiles = plan_window_lines<Op>(limits, lines, extent, window, options.team_size, adjacent, plan);
    if (tiles == 0 && (adjacent || !plan_padded())) {
      tiles = plan_window_few<Op>(function, limits, lines, extent, window, options.team_size, adjacent, plan);
    }
  } else if (plan_padded()) {
    return planned();
  } else if (plan_runs()) {
    return planned();
  } else if (window.size <= window_chunks_limit<Op>(limits.is_host)) {
    plan_window_chunks<Op>(function, limits, extent, window, options.team_size, plan);
    tiles = lines * ceil_div(extent, plan.tile);
    if (limits.is_host && tiles < limits.concurrency) {
      plan.tile = plan.team_size * host_windows_outputs<Op>(1);
      tiles = lines * ceil_div(extent, plan.tile);
    }
  } else {
    require_team_size(function, options.team_size, limits.is_host ? limits.concurrency : 1024);
    const WindowBlockShape shape = shape_of(window_part_limit<Op>(limits.is_host));
    plan_window_blocks<Op>(limits, lines, shape, plan);
    tiles = lines * ceil_div(shape.part_end - shape.part_begin, plan.walk);
    if (options.team_size != 0) plan.team_size = options.team_size;
  }
  return planned();
}

}  // namespace tessera::detail

#endif

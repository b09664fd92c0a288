// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a window filter is mapped to teams: data, from a pure host function.
#ifndef TESSERA_FILTER_WINDOW_PLAN_HPP
#define TESSERA_FILTER_WINDOW_PLAN_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/filter/window_options.hpp>
#include <type_traits>

namespace tessera {

/// Strategy of a window filter; the window's size decides.
enum class WindowVariant {
  chunks,   ///< tile and halo in team scratch, windows of whole chunks and their ends
  blocks,   ///< blocks as long as the window, or parts of them: the end of one and the beginning of the next
  columns,  ///< lines across memory: neighbouring threads take neighbouring lines, whole windows in registers
  direct    ///< no scratch: every element of every window from memory (means that leave out NaN)
};

constexpr std::string_view to_string(WindowVariant variant) {
  switch (variant) {
    case WindowVariant::chunks:
      return "chunks";
    case WindowVariant::blocks:
      return "blocks";
    case WindowVariant::columns:
      return "columns";
    case WindowVariant::direct:
      break;
  }
  return "direct";
}

struct WindowPlan {
  WindowVariant variant = WindowVariant::chunks;
  int league_size = 1;
  int team_size = 1;
  int vector_length = 1;
  int tile = 1;                     ///< outputs a team makes at a time
  int parts = 1;                    ///< of a block; more than 8 take a workspace and two more kernels
  int walk = 1;                     ///< tiles that a team takes in a row
  std::size_t scratch_bytes = 0;    ///< level 0, a team
  std::size_t workspace_bytes = 0;  ///< what the parts come to
  bool operator==(const WindowPlan&) const = default;
};

inline std::string to_string(const WindowPlan& plan) {
  return std::string(to_string(plan.variant)) + " league " + std::to_string(plan.league_size) + " team " +
         std::to_string(plan.team_size) + " vector " + std::to_string(plan.vector_length) + " tile " +
         std::to_string(plan.tile) + " parts " + std::to_string(plan.parts) + " walk " + std::to_string(plan.walk) +
         " scratch " + std::to_string(plan.scratch_bytes) + " B workspace " + std::to_string(plan.workspace_bytes) +
         " B";
}

namespace detail {

/// Variant blocks: neighbouring elements that one thread joins in a chain. Odd: threads then read their own runs from
/// scratch without bank conflicts, wherever the runs begin. 9 keeps the chains' error within that of a tree.
inline constexpr int window_run = 9;

/// Variant chunks: neighbouring elements that are read and written together.
template <class T>
inline constexpr int window_chunk = sizeof(T) <= 4   ? 4
                                    : sizeof(T) <= 8 ? 2
                                                     : 1;

/// Whether the ends of a window are joined with whole chunks between them.
template <class Op>
constexpr bool is_wide_window(std::int64_t window) {
  return Op::whole_windows_max == 0 && (window - 1) / window_chunk<typename Op::in_type> > 1;
}

/// The chunks of a thread, fewer where it keeps a sum of each in registers, the threads of a team, and the teams that a
/// multiprocessor shall hold (measured on an H200).
template <bool IsHost, class Op>
inline constexpr int window_chunk_turns = IsHost ? 256 : (Op::is_idempotent ? 8 : 4);
inline constexpr int window_chunk_team_size = 128;
template <class Op>
inline constexpr bool fills_registers = Op::whole_windows_max * sizeof(typename Op::in_type) > 72;
template <class Op, bool IsWide>
inline constexpr int window_chunk_teams = fills_registers<Op>          ? 3
                                          : IsWide&& Op::is_idempotent ? 5
                                                                       : 7;

/// Scratch for all of them: that many teams do not start where a multiprocessor has less (an A100 has 164 KB).
inline constexpr std::size_t window_chunk_teams_scratch = 160 * 1024;

/// A halo of a window is staged for each tile: longer windows go to variant blocks.
template <class T>
constexpr std::int64_t window_chunks_limit(bool is_host) {
  return is_host ? 256 : 4096 / (sizeof(T) < 8 ? 4 : 8);
}

/// Variant columns: the outputs of a thread, in a row, and its team's neighbouring lines.
template <class Op>
inline constexpr int window_column_outputs = sizeof(typename Op::in_type) <= 4 ? 16 : 8;
template <bool IsHost>
inline constexpr int window_column_lines = IsHost ? 128 : 32;

/// Output i is made of the elements i - reach_left .. i - reach_left + size - 1.
struct WindowShape {
  std::int64_t size, reach_left;
};

/// Scratch pieces of variant chunks.
struct WindowChunksScratch {
  std::size_t staged_at, totals_at[2], bytes;
};

template <class Op>
WindowChunksScratch window_chunks_scratch(int tile, std::int64_t window) {
  constexpr int width = window_chunk<typename Op::in_type>;
  const auto span = static_cast<std::size_t>((window - 1) / width);
  const std::size_t chunks = static_cast<std::size_t>(tile) / width + span + 1;
  ScratchLayout layout;
  WindowChunksScratch pieces{};
  pieces.staged_at = layout.append<typename Op::staged_type>(chunks * width);
  for (auto& at : pieces.totals_at)
    at = layout.append<typename Op::value_type>(is_wide_window<Op>(window) ? chunks : 0);
  pieces.bytes = layout.bytes();
  return pieces;
}

/// Elements in scratch of variant blocks: as wide as results, which take their place.
template <class Op>
using window_slot_t = std::conditional_t<sizeof(typename Op::in_type) == sizeof(typename Op::out_type),
                                         typename Op::in_type, std::int64_t>;

/// Up to so many parts of a block, a team keeps their totals while it walks along the line.
inline constexpr std::int64_t window_kept_parts = 8;

/// Scratch pieces of variant blocks.
struct WindowBlocksScratch {
  std::size_t left_at, right_at, forward_at[2], backward_at[2], kept_at, bytes;
};

template <class Op>
WindowBlocksScratch window_blocks_scratch(int tile) {
  ScratchLayout layout;
  WindowBlocksScratch pieces{};
  const std::size_t elements = static_cast<std::size_t>(tile) + packed_length<typename Op::in_type>;
  const auto runs = static_cast<std::size_t>(ceil_div(tile, window_run));
  pieces.left_at = layout.append<window_slot_t<Op>>(elements);
  pieces.right_at = layout.append<window_slot_t<Op>>(elements);
  for (auto& at : pieces.forward_at) at = layout.append<typename Op::value_type>(runs);
  for (auto& at : pieces.backward_at) at = layout.append<typename Op::value_type>(runs);
  pieces.kept_at = layout.append<typename Op::value_type>(window_kept_parts);
  pieces.bytes = layout.bytes();
  return pieces;
}

/// A line, and what windows see beyond its ends, as blocks of the window's size that start at multiples of it, each cut
/// into parts of part_size elements, the last one shorter.
struct WindowBlockShape {
  std::int64_t window, parts, part_size;
  std::int64_t first, count;          // blocks: the first one's number, -1 or 0, and how many are read
  std::int64_t part_begin, part_end;  // in which windows start, counted from the first block's first

  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t part_count() const { return count * parts; }
};

inline WindowBlockShape window_block_shape(std::int64_t extent, const WindowShape& window, std::int64_t part_limit) {
  WindowBlockShape shape{};
  shape.window = window.size;
  shape.part_size = ceil_div(window.size, ceil_div(window.size, part_limit));
  shape.parts = ceil_div(window.size, shape.part_size);
  shape.first = window.reach_left > 0 ? -1 : 0;
  const std::int64_t last_start = extent - 1 - window.reach_left;
  const std::int64_t last = last_start + window.size - 1;
  shape.count = last / window.size - shape.first + 1;
  const auto part_of = [&](std::int64_t start) {
    const std::int64_t offset = start - shape.first * window.size;
    return offset / window.size * shape.parts + offset % window.size / shape.part_size;
  };
  shape.part_begin = part_of(-window.reach_left);
  shape.part_end = part_of(last_start) + 1;
  return shape;
}

/// Longest part that, with the one a block on and the scans of both, fits a team's scratch: 40 KB on devices, 32 KB on
/// hosts, where shorter ones stay in a cache.
template <class Op>
std::int64_t window_part_limit(bool is_host) {
  constexpr std::size_t run_bytes = 2 * window_run * sizeof(window_slot_t<Op>) + 4 * sizeof(typename Op::value_type);
  return static_cast<std::int64_t>((is_host ? 20000 : 40000) / run_bytes) * window_run;
}

template <class Op>
void plan_window_chunks(std::string_view function, const DeviceLimits& limits, std::int64_t extent,
                        const WindowShape& window, int asked_team_size, WindowPlan& plan) {
  require_team_size(function, asked_team_size, limits.is_host ? limits.concurrency : window_chunk_team_size);
  constexpr int width = window_chunk<typename Op::in_type>;
  const int thread_elements = width * (limits.is_host ? window_chunk_turns<true, Op> : window_chunk_turns<false, Op>);
  plan.variant = WindowVariant::chunks;
  plan.team_size = asked_team_size;
  if (asked_team_size == 0) {
    const std::int64_t threads = ceil_div(extent, thread_elements);
    plan.team_size = limits.is_host
                         ? 1
                         : 32 * static_cast<int>(ceil_div(std::min<std::int64_t>(threads, window_chunk_team_size), 32));
  }
  const int teams = is_wide_window<Op>(window.size) ? window_chunk_teams<Op, true> : window_chunk_teams<Op, false>;
  const std::size_t most =
      limits.is_host ? limits.scratch_bytes : std::min(limits.scratch_bytes, window_chunk_teams_scratch / teams);
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

template <class Op>
void plan_window_columns(std::string_view function, const DeviceLimits& limits, int asked_team_size, WindowPlan& plan) {
  require_team_size(function, asked_team_size, limits.is_host ? limits.concurrency : window_chunk_team_size);
  plan.variant = WindowVariant::columns;
  plan.team_size = asked_team_size != 0 ? asked_team_size : limits.is_host ? 1 : window_chunk_team_size;
  const int groups = limits.is_host ? 4 : std::max(1, plan.team_size / window_column_lines<false>);
  plan.tile = groups * window_column_outputs<Op>;
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

/// lines of extent >= 1 elements each.
template <class Op>
WindowPlan make_window_plan(std::string_view function, const DeviceLimits& limits, std::int64_t lines,
                            std::int64_t extent, const WindowShape& window, const WindowOptions& options) {
  require_league_size(function, options.league_size);
  WindowPlan plan;
  std::int64_t tiles = 0;
  if (takes_direct<Op>(options)) {
    require_team_size(function, options.team_size, limits.is_host ? limits.concurrency : 1024);
    plan.variant = WindowVariant::direct;
    plan.team_size = options.team_size != 0 ? options.team_size : limits.is_host ? 1 : 128;
    plan.tile = limits.is_host ? 1024 : plan.team_size;
    tiles = lines * ceil_div(extent, plan.tile);
  } else if (window.size <= window_chunks_limit<typename Op::in_type>(limits.is_host)) {
    plan_window_chunks<Op>(function, limits, extent, window, options.team_size, plan);
    tiles = lines * ceil_div(extent, plan.tile);
  } else {
    require_team_size(function, options.team_size, limits.is_host ? limits.concurrency : 1024);
    const auto shape = window_block_shape(extent, window, window_part_limit<Op>(limits.is_host));
    plan_window_blocks<Op>(limits, lines, shape, plan);
    tiles = lines * ceil_div(shape.part_end - shape.part_begin, plan.walk);
    if (options.team_size != 0) plan.team_size = options.team_size;
  }
  plan.league_size = options.league_size != 0 ? options.league_size : tile_league(limits, tiles);
  return plan;
}

}  // namespace detail
}  // namespace tessera

#endif

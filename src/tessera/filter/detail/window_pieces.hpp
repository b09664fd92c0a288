// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What windows are cut into, and the team scratch that the pieces take.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_PIECES_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_PIECES_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/async_copy.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <type_traits>

namespace tessera::detail {

/// Variant blocks: neighbouring elements that one thread joins in a chain. Odd: threads then read their own runs from
/// scratch without bank conflicts, wherever the runs begin. 9 keeps the chains' error within that of a tree.
inline constexpr int window_run = 9;

/// Variant chunks: neighbouring elements that are read and written together.
template <class T>
inline constexpr int window_chunk = sizeof(T) <= 4   ? 4
                                    : sizeof(T) <= 8 ? 2
                                                     : 1;

/// Whether whole chunks lie between the ends of a window (all but those whose elements are taken at once).
template <class Op>
inline constexpr bool has_totals = Op::whole_windows_max == 0;

/// Whether an operation makes the outputs of a thread together, Op::run of them, of windows up to whole_windows_max.
template <class Op>
inline constexpr bool makes_runs = requires {
  requires Op::run >
  0;
};
template <class Op>
constexpr int run_of(int usual) {
  if constexpr (makes_runs<Op>) {
    return Op::run;
  } else {
    return usual;
  }
}
/// The teams that a multiprocessor shall hold of them: so many as registers leave room for, or nearly.
template <class Op>
inline constexpr int run_teams = sizeof(typename Op::value_type) <= 4 ? 7 : 5;

/// The chunks of a thread, fewer where it keeps a sum of each in registers, the threads of a team, and the teams that a
/// multiprocessor shall hold (measured on an H200).
template <class Op>
inline constexpr int window_chunk_turns = Op::is_idempotent ? 8 : 4;
inline constexpr int window_chunk_team_size = 128;
template <class Op>
inline constexpr bool fills_registers = !makes_runs<Op> && Op::whole_windows_max * sizeof(typename Op::in_type) > 72;
template <class Op>
inline constexpr int window_chunk_teams = fills_registers<Op>                  ? 3
                                          : has_totals<Op>&& Op::is_idempotent ? 5
                                                                               : 7;

/// Scratch for all of them, where a multiprocessor has it.
inline constexpr std::size_t window_chunk_teams_scratch = 160 * 1024;

/// Of hosts, whose threads make windows by themselves: neighbours in a block that is scanned, the longest windows, and
/// those of extrema up to which scans are slower.
template <class Op>
inline constexpr int host_scan_block = Op::is_idempotent ? 16 : 8;
template <class Op>
inline constexpr std::int64_t host_windows_max = Op::whole_windows_max > 0              ? Op::whole_windows_max
                                                 : sizeof(typename Op::value_type) <= 8 ? 4096
                                                                                        : 2048;
inline constexpr int host_extrema_unscanned = 64;

/// The outputs that a thread makes at a time: those of long windows share a halo, large elements are few.
template <class Op>
inline constexpr int host_windows_outputs_max =
    Op::whole_windows_max == 0
        ? 4096
        : std::clamp(16384 / static_cast<int>(std::max(sizeof(typename Op::in_type), sizeof(typename Op::out_type))), 1,
                     1024);
template <class Op>
KOKKOS_INLINE_FUNCTION constexpr int host_windows_outputs(std::int64_t window) {
  constexpr int most = host_windows_outputs_max<Op>;
  return window > 256 || most < 1024 ? most : 1024;
}

/// A halo of a window is staged for each tile: longer windows go to variant blocks.
template <class Op>
constexpr std::int64_t window_chunks_limit(bool is_host) {
  return is_host ? host_windows_max<Op> : 4096 / (sizeof(typename Op::in_type) < 8 ? 4 : 8);
}

/// Whether an operation has windows of one size alone.
template <class Op>
inline constexpr bool has_one_size = requires {
  requires Op::has_one_size;
};

/// Whether an operation has one that is quicker and takes most elements.
template <class Op>
inline constexpr bool has_quick = requires {
  typename Op::quick_type;
};

/// Variant runs, of devices: which operations it takes, neighbouring outputs of a thread (odd, as in blocks), the
/// threads of a team, the teams that a multiprocessor shall hold, and their scratch, where it has that.
template <class Op>
inline constexpr bool takes_runs = Op::whole_windows_max == 0 && sizeof(typename Op::value_type) <= 8 &&
                                   (sizeof(typename Op::in_type) == 4 || sizeof(typename Op::in_type) == 8) &&
                                   sizeof(typename Op::out_type) == sizeof(typename Op::in_type);
template <class Op>
inline constexpr int window_runs_length = sizeof(typename Op::in_type) <= 4 ? 21 : 15;
inline constexpr int window_runs_team_size = 128;
inline constexpr int window_runs_teams = 5;
inline constexpr std::size_t window_runs_teams_scratch = 200 * 1024;

/// Whether arithmetic takes as long as memory, so that the next tile's elements had better be on their way meanwhile:
/// short elements, of windows that leave scratch for two tiles. Then a team makes a few (measured on an H200).
template <class Op>
inline constexpr std::int64_t window_runs_ahead_max = sizeof(typename Op::in_type) > 4 ? 0
                                                      : Op::is_idempotent              ? 2048
                                                                                       : 1024;
inline constexpr std::int64_t window_runs_walk = 3;

/// Its windows: those that have the first and the last output of a run in common, up to where blocks are quicker than
/// short tiles; and those of them that tiles take with all of their halos, quicker than walks along lines (measured on
/// an H100 and an H200).
inline constexpr std::int64_t window_runs_bytes = 64 * 1024, window_runs_tile_bytes = 24 * 1024;
template <class Op>
constexpr bool is_window_of_runs(std::int64_t window) {
  return takes_runs<Op> && window > window_runs_length<Op> &&
         window <= window_runs_bytes / static_cast<std::int64_t>(sizeof(typename Op::in_type));
}

/// Variant few: the longest window, whose chain's error is within that of a tree, the threads of a team, and lines of
/// up to how many tiles are taken together.
inline constexpr int window_few_max = 9;
inline constexpr int window_few_team_size = 128;
inline constexpr std::int64_t window_few_line_tiles = 8;

/// Its threads: neighbouring outputs (odd, as in blocks), those of them that registers hold at a time, 16-byte pieces
/// of memory that are read at a time, and the teams that a multiprocessor shall hold (measured on an H200).
struct WindowFewSizes {
  int length, group, loads, teams;
};
template <class Op>
inline constexpr WindowFewSizes window_few_sizes =
    Op::is_idempotent
        ? (sizeof(typename Op::value_type) <= 4 ? WindowFewSizes{31, 31, 8, 5} : WindowFewSizes{15, 5, 8, 6})
        : (sizeof(typename Op::in_type) <= 4 ? WindowFewSizes{21, 3, 6, 7} : WindowFewSizes{15, 3, 4, 7});

/// Variant lines: elements whose place outputs can take; the shortest window, and in percent the least shares of a
/// line's outputs whose windows leave it and of a team's threads that have a line (measured on an H200).
template <class Op>
inline constexpr bool has_window_lines = std::is_same_v<typename Op::in_type, typename Op::out_type> &&
                                         sizeof(typename Op::in_type) >= 4;
inline constexpr int window_lines_min = 3;
inline constexpr int window_lines_ends = 4;
inline constexpr int window_lines_fill = 70;

/// Variant padded: the longest window, of whose elements sums of doubles are within the error of a tree,
/// and the longest lines that are not left to variant runs where that can be (measured on an H100).
inline constexpr std::int64_t window_padded_max = 128;
inline constexpr std::int64_t window_padded_extent = 512;

/// Variant interleaved: the threads of a team, the longest window (of sums as variant padded has it), and the outputs
/// of a thread (odd, as in blocks) and the teams at once (measured on an H200).
inline constexpr int window_interleaved_team_size = 128;
inline constexpr std::int64_t window_interleaved_max = 128;
struct WindowInterleavedSizes {
  int run, teams;
};
template <class Op>
constexpr WindowInterleavedSizes window_interleaved_sizes() {
  if (makes_runs<Op>) return {run_of<Op>(0), run_teams<Op>};
  if (!Op::is_idempotent) return {window_run, sizeof(typename Op::in_type) <= 4 ? 7 : 5};
  if (!has_one_size<Op> && sizeof(typename Op::value_type) > 4) return {7, 6};
  return {9, 8};
}

/// Whether sums of short elements fill twice their registers.
template <class Op>
inline constexpr bool widens_values = sizeof(typename Op::value_type) > 4 && sizeof(typename Op::in_type) <= 4;

/// Variant columns: the outputs of a thread, in a row, how often in a tile (measured on an H200), the teams that a
/// multiprocessor shall hold, their neighbouring lines (of blocks too), and the longest window that registers hold.
template <class Op>
inline constexpr int window_column_outputs = run_of<Op>(sizeof(typename Op::in_type) > 4 ? 8
                                                        : widens_values<Op>              ? 12
                                                                                         : 16);
template <class Op>
inline constexpr std::int64_t window_column_turns = has_one_size<Op> ? 1 : 64 / run_of<Op>(16);
template <class Op>
inline constexpr int window_column_teams = makes_runs<Op>        ? run_teams<Op>
                                           : fills_registers<Op> ? 3
                                           : Op::whole_windows_max > 0 || sizeof(typename Op::value_type) <= 4 ? 7
                                           : widens_values<Op>                                                 ? 6
                                                                                                               : 5;
template <bool IsHost>
inline constexpr int window_column_lines = IsHost ? 128 : 32;
template <bool IsHost>
inline constexpr int window_column_block_lines = IsHost ? 64 : 32;
template <class Op>
inline constexpr int window_column_max = Op::whole_windows_max > 0 ? Op::whole_windows_max : window_few_max;

/// Of devices, whose threads walk along lines: neighbours of a line that a thread reads at a time, the teams that a
/// multiprocessor shall hold, the most blocks of a walk, and the longest windows (measured on an H100 and an H200): of
/// sums of doubles those whose chains err no more than a tree.
inline constexpr int window_column_walk_part = 8;
inline constexpr int window_column_walk_teams = 3;
inline constexpr std::int64_t window_column_walk_blocks = 32;
template <class Op>
constexpr bool is_window_of_column_walks(bool is_host, std::int64_t window) {
  constexpr bool exact = Op::is_idempotent || sizeof(typename Op::in_type) <= 4;
  return !is_host && takes_runs<Op> && window <= (exact ? 640 / static_cast<int>(sizeof(typename Op::value_type)) : 32);
}
/// Walks of a team that takes so many lines.
inline int window_column_walks_at_once(int lanes) { return std::max(1, 32 / lanes); }
/// A block for each thread.
template <class Op>
KOKKOS_INLINE_FUNCTION constexpr std::size_t window_column_walk_bytes(int slots, std::int64_t window) {
  return static_cast<std::size_t>(slots * window) * sizeof(typename Op::value_type);
}

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
  for (auto& at : pieces.totals_at) at = layout.append<typename Op::value_type>(has_totals<Op> ? chunks : 0);
  pieces.bytes = layout.bytes();
  return pieces;
}

/// Scratch pieces of variant runs, of tiles with their halos.
struct WindowRunsScratch {
  std::size_t staged_at, totals_at[2], flag_at, bytes;
  int staged_pieces, staged_length;  // of so many elements
};

template <class Op>
WindowRunsScratch window_runs_scratch(int tile, std::int64_t window) {
  constexpr int length = window_runs_length<Op>;
  const std::size_t runs = static_cast<std::size_t>(tile) / length + static_cast<std::size_t>(window - 1) / length;
  ScratchLayout layout;
  WindowRunsScratch pieces{};
  constexpr int width = packed_length<typename Op::in_type>;
  const std::int64_t packs = ceil_div(tile + window - 1, width) + std::int64_t{sector_bytes} / packed_bytes;
  pieces.staged_pieces = window <= window_runs_ahead_max<Op> ? 2 : 1;
  pieces.staged_length = static_cast<int>(packs * width);
  pieces.staged_at = layout.append<Packed<typename Op::in_type>>(static_cast<std::size_t>(pieces.staged_pieces) *
                                                                 static_cast<std::size_t>(packs));
  for (auto& at : pieces.totals_at) at = layout.append<typename Op::value_type>(runs + 1);
  pieces.flag_at = layout.append<int>(has_quick<Op> ? 1 : 0);
  pieces.bytes = layout.bytes();
  return pieces;
}

/// Scratch pieces of variant few.
struct WindowFewScratch {
  std::size_t staged_at, slots_at, bytes;
};

template <class Op>
WindowFewScratch window_few_scratch(int tile, std::int64_t window) {
  using In = typename Op::in_type;
  using Out = typename Op::out_type;
  constexpr int length = window_few_sizes<Op>.length;
  const std::int64_t outputs = ceil_div(tile, length) * length;
  ScratchLayout layout;
  WindowFewScratch pieces{};
  pieces.staged_at = layout.append<typename Op::staged_type>(static_cast<std::size_t>(outputs + window - 1) +
                                                             (sector_bytes + packed_bytes) / sizeof(In));
  pieces.slots_at = layout.append<Out>(static_cast<std::size_t>(outputs) + packed_length<Out>);
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

/// Of variant columns: runs of as many parts as a device's team has warps, until they are more than are kept. No bit
/// shall depend on the machine.
inline std::int64_t window_column_part_limit(std::int64_t window) {
  return std::max<std::int64_t>(8 * window_run, ceil_div(window, window_kept_parts));
}

/// Scratch pieces of variant columns: the last block's elements, those of the part one block on, the runs' totals.
struct WindowColumnScratch {
  std::size_t block_at, part_at, forward_at[2], backward_at[2], kept_at, bytes;
};

/// stages: elements wait in scratch, else they are read again.
template <class Op>
WindowColumnScratch window_column_scratch(const WindowBlockShape& shape, int lanes, bool stages) {
  ScratchLayout layout;
  WindowColumnScratch pieces{};
  const auto of_rows = [&](std::int64_t rows) { return static_cast<std::size_t>(rows * lanes); };
  if (stages) {
    pieces.block_at = layout.append<typename Op::staged_type>(of_rows(shape.parts * shape.part_size));
    pieces.part_at = layout.append<typename Op::staged_type>(of_rows(shape.part_size));
  }
  const std::size_t runs = of_rows(ceil_div(shape.part_size, window_run));
  for (auto& at : pieces.forward_at) at = layout.append<typename Op::value_type>(runs);
  for (auto& at : pieces.backward_at) at = layout.append<typename Op::value_type>(runs);
  pieces.kept_at = layout.append<typename Op::value_type>(of_rows(shape.parts));
  pieces.bytes = layout.bytes();
  return pieces;
}

}  // namespace tessera::detail

#endif

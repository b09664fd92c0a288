// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that the plan of a filter and its kernels share, and which kernels there are for its types.
#ifndef TESSERA_FILTER_DETAIL_FILTER_SIZES_HPP
#define TESSERA_FILTER_DETAIL_FILTER_SIZES_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/complex.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/filter/detail/filter_shape.hpp>
#include <tessera/filter/detail/padded_lines_plan.hpp>
#include <tessera/filter/detail/thread_lines_plan.hpp>
#include <type_traits>

namespace tessera::detail {

/// Elements short enough that sums of 32 bits, several times as fast as longer ones, hold those of usual weights.
template <class T>
inline constexpr bool has_short_sums = !rounds_v<T> && sizeof(T) <= 2;

/// Outputs that a thread keeps in registers.
template <bool IsHost>
inline constexpr int filter_outputs_per_thread = IsHost ? 64 : 8;

/// How often in a tile of variant overlapping (measured on an H200): as often as 16 KiB hold; and the teams whose
/// scratch a multiprocessor holds then.
template <class Staged>
inline constexpr std::int64_t overlapping_turns = sizeof(Staged) < 16 ? 16 / static_cast<int>(sizeof(Staged)) : 1;
inline constexpr int overlapping_teams_at_once = 13;

/// Scratch pieces of the overlapping filter, in this order.
struct FilterScratch {
  std::size_t footprint_at, weights_at, sums_at, bytes;
};

/// Types: a FilterTypes. The footprint may be shifted by up to one 16-byte piece.
template <class Types>
FilterScratch filter_scratch(int tile, int taps_per_pass, bool several_passes) {
  ScratchLayout layout;
  FilterScratch pieces{};
  pieces.footprint_at = layout.append<typename Types::staged_type>(
      static_cast<std::size_t>(tile + taps_per_pass - 1 + packed_length<typename Types::in_type>));
  pieces.weights_at = layout.append<typename Types::weight_type>(static_cast<std::size_t>(taps_per_pass));
  pieces.sums_at = layout.append<typename Types::accumulator_type>(several_passes ? static_cast<std::size_t>(tile) : 0);
  pieces.bytes = layout.bytes();
  return pieces;
}

/// Variant vectorized on contiguous lines: the most taps, its teams, and the chunks that a thread makes at a time
/// (measured on an H200).
inline constexpr int narrow_slots_max = 33;
inline constexpr int vectorized_team_size = 128;
inline constexpr int vectorized_teams_at_once = 9;
inline constexpr int vectorized_chunks_per_thread = 4;

/// Several applications at once: the most slots, the most of them, the share of a tile that their halos may be, and
/// the neighbouring chunks of a thread, an odd number: the threads' first ones then lie in different banks.
inline constexpr int steps_slots_max = 12;
inline constexpr int steps_max = 16;
inline constexpr int steps_halo_share = 8;
inline constexpr int steps_run = 5;
inline constexpr int steps_teams_at_once = 7;

/// Lines of no more tiles are short.
inline constexpr int short_line_tiles = 8;
inline constexpr int short_lines_teams_at_once = 8;

/// Lines that follow each other, as one: the most slots, and the most outputs of a line, in percent, whose windows may
/// leave it (measured on an H200).
inline constexpr int adjacent_slots_max = 12;
template <class T>
inline constexpr int adjacent_ends_max = sizeof(T) > 4 ? 10 : 5;

/// Lines that follow each other, a thread each: the most taps, and the least share of the threads that has a line, in
/// percent (measured on an H200).
inline constexpr int thread_lines_taps_max = 12;
inline constexpr int thread_lines_fill = 33;

/// Threads of devices make runs of neighbouring chunks: reading a window for each chunk of outputs would take longer
/// than memory does. An odd number of chunks, so that the threads' first ones lie in different banks.
inline constexpr int runs_chunks = 5;
inline constexpr int runs_teams_at_once = 8;

/// Variant register_blocked: the threads of a team and those that a multiprocessor shall hold, and the outputs of a
/// thread, fewer where there is less to do (measured on an H100).
template <class Accumulator>
inline constexpr int blocked_team_size = sizeof(Accumulator) < 8 ? 128 : 64;
inline constexpr int blocked_threads_wide = 512;
inline constexpr int blocked_threads_narrow = 768;
template <class Accumulator>
inline constexpr int blocked_outputs_wide = packed_length<Accumulator> * 8;
template <class Accumulator>
inline constexpr int blocked_outputs_narrow = blocked_outputs_wide<Accumulator> / 2;
template <class Accumulator>
constexpr int blocked_outputs(std::int64_t taps) {
  return taps > (sizeof(Accumulator) < 8 ? 96 : 32) ? blocked_outputs_wide<Accumulator>
                                                    : blocked_outputs_narrow<Accumulator>;
}

struct BlockedScratch {
  std::size_t footprint_at, weights_at, bytes;
};

/// The footprint is padded by a chunk for every thread; windows are read ahead.
template <class Types>
BlockedScratch blocked_scratch(int tile, int taps_per_pass, int outputs) {
  using Accumulator = typename Types::accumulator_type;
  constexpr int width = packed_length<Accumulator>;
  const int thread_chunks = outputs / width;
  const auto chunks = ceil_div(tile + taps_per_pass, width) + 2 * (thread_chunks + 1);
  ScratchLayout layout;
  BlockedScratch pieces{};
  pieces.footprint_at =
      layout.append<Packed<Accumulator>>(static_cast<std::size_t>(chunks + chunks / thread_chunks + 1));
  pieces.weights_at = layout.append<Accumulator>(static_cast<std::size_t>(taps_per_pass));
  pieces.bytes = layout.bytes();
  return pieces;
}

/// On lines across memory: the most taps, those up to which rows are unrolled, the outputs of a thread and the
/// neighbouring lines of a team.
inline constexpr int column_taps_max = 257;
inline constexpr int column_few_taps = 9;
template <std::size_t AccumulatorBytes>
inline constexpr int column_outputs_per_thread = AccumulatorBytes > 8   ? 4
                                                 : AccumulatorBytes > 4 ? 8
                                                                        : 16;
/// How often in a tile (measured on an H200).
template <std::size_t AccumulatorBytes>
constexpr std::int64_t column_turns(std::int64_t taps) {
  return AccumulatorBytes > 4 || taps <= column_few_taps ? 2 : 4;
}
template <bool IsHost>
inline constexpr int column_tile = IsHost ? 128 : 32;
template <std::size_t AccumulatorBytes>
inline constexpr int column_teams_at_once = AccumulatorBytes > 8   ? 4
                                            : AccumulatorBytes > 4 ? 7
                                                                   : 9;

/// Elements that a team of variant vectorized takes at a time.
template <class Types>
int vectorized_tile(int team_size) {
  return packed_length<typename Types::in_type> * vectorized_chunks_per_thread * team_size;
}

/// Of a line. A host thread takes several runs a tile, so that the tile's own cost does not show.
template <class Types>
int line_tile(const DeviceLimits& limits, int team_size) {
  const int tile = vectorized_tile<Types>(team_size);
  return limits.is_host ? tile * static_cast<int>(ceil_div(512 * packed_length<typename Types::in_type>, tile)) : tile;
}

/// Lines that a team takes several of, or in equal parts.
template <class Types>
bool has_short_lines(const FilterShape& shape, int team_size) {
  return has_even_lines(shape) && shape.extent <= short_line_tiles * std::int64_t{vectorized_tile<Types>(team_size)};
}

/// Of a window of 16-byte chunks, from that where its first tap may lie.
template <class Types>
int narrow_slots(const FilterShape& shape) {
  constexpr int width = packed_length<typename Types::in_type>;
  return static_cast<int>(ceil_div(shape.reach_left, width) * width - shape.reach_left +
                          std::min<std::int64_t>(shape.taps, narrow_slots_max + 1));
}

/// Whether short lines are filtered as one.
template <class Types>
bool takes_adjacent_lines(const DeviceLimits& limits, const FilterShape& shape, int team_size) {
  return !limits.is_host && shape.adjacent && shape.lines > 1 && narrow_slots<Types>(shape) <= adjacent_slots_max &&
         100 * (shape.taps - 1) <= adjacent_ends_max<typename Types::in_type> * shape.extent &&
         has_short_lines<Types>(shape, team_size);
}

/// The taps of the kernel that gives each thread a line.
constexpr int thread_lines_slots(std::int64_t taps) { return taps <= 5 ? 5 : taps <= 9 ? 9 : thread_lines_taps_max; }

template <class Types>
ThreadLinesPlan filter_thread_lines_plan(const DeviceLimits& limits, const FilterShape& shape, int team_size) {
  const std::int64_t ahead = thread_lines_slots(shape.taps) - 1 - shape.reach_left;
  return thread_lines_plan<typename Types::in_type>(limits, shape.extent, ahead, team_size);
}

/// Whether it takes short lines so: those whose outputs see their ends, many of them, and that leave few threads idle.
template <class Types>
bool takes_thread_lines(const DeviceLimits& limits, const FilterShape& shape, int team_size) {
  return !limits.is_host && shape.adjacent && shape.lines > 1 && shape.taps <= thread_lines_taps_max &&
         has_short_lines<Types>(shape, team_size) && !takes_adjacent_lines<Types>(limits, shape, team_size) &&
         filter_thread_lines_plan<Types>(limits, shape, team_size).fills(thread_lines_fill, team_size);
}

template <class Types>
PaddedLinesPlan filter_padded_lines_plan(const DeviceLimits& limits, const FilterShape& shape, int asked_team_size) {
  const std::size_t weights = static_cast<std::size_t>(shape.taps) * sizeof(typename Types::weight_type);
  return padded_lines_plan<typename Types::staged_type, typename Types::out_type>(limits, shape.lines, shape.extent,
                                                                                  shape.taps, asked_team_size, weights);
}

/// Whether variant overlapping takes several lines at a time.
template <class Types>
bool takes_padded_lines(const DeviceLimits& limits, const FilterShape& shape, int asked_team_size) {
  return !limits.is_host && shape.direction != LineDirection::across && shape.lines > 1 &&
         asked_team_size <= padded_lines_team_size &&
         filter_padded_lines_plan<Types>(limits, shape, asked_team_size).lines > 0;
}

/// Chunks of a window beyond that of its output, both sides together.
template <class Types>
int halo_chunks(std::int64_t taps, std::int64_t reach_left) {
  constexpr int width = packed_length<typename Types::in_type>;
  const std::int64_t first_slot = ceil_div(reach_left, width) * width - reach_left;
  return static_cast<int>((first_slot + taps + width - 2) / width);
}

/// A team's share of short lines: several of them, or a segment of one.
struct ShortLinesPlan {
  int lines;
  std::int64_t segments;      // of a line
  int out_chunks, in_chunks;  // of a segment: its outputs, and these with their halo
};

template <class Types>
ShortLinesPlan short_lines_plan(const FilterShape& shape, int team_size) {
  constexpr int width = packed_length<typename Types::in_type>;
  const int capacity = vectorized_chunks_per_thread * team_size;
  const std::int64_t line_chunks = ceil_div(shape.extent + width - 1, width);  // wherever it begins
  ShortLinesPlan plan{};
  plan.segments = ceil_div(line_chunks, capacity);
  plan.out_chunks = static_cast<int>(ceil_div(line_chunks, plan.segments));
  plan.lines = plan.segments == 1 ? capacity / plan.out_chunks : 1;
  plan.in_chunks = plan.out_chunks + halo_chunks<Types>(shape.taps, shape.reach_left);
  return plan;
}

/// Bytes and 16-bit integers on contiguous lines: the taps that go by at a time, the words of outputs that a thread
/// makes, an odd number, so that the threads' first ones lie in different banks, and how often in a tile (measured
/// on an H200).
inline constexpr int short_taps_block = 4;
inline constexpr int short_integers_turns = 4;
template <class T>
inline constexpr int short_integers_word = 4 / static_cast<int>(sizeof(T));
template <class Types>
inline constexpr int short_integers_words = rounds_v<typename Types::accumulator_type> &&
                                                    sizeof(typename Types::in_type) == 1
                                                ? 3
                                                : 5;
template <class Types>
inline constexpr int short_integers_run = short_integers_words<Types>* short_integers_word<typename Types::in_type>;
template <class Types>
inline constexpr int short_integers_teams_at_once = rounds_v<typename Types::accumulator_type> ? 6 : 8;

/// A team's share of such lines: several of them, or a segment of one.
struct ShortIntegersPlan {
  int lines;
  std::int64_t segments;            // of a line
  int runs, in_chunks, out_chunks;  // of a segment
};

/// Of so many runs.
template <class Types>
ShortIntegersPlan short_integers_share(const FilterShape& shape, int threads, int capacity) {
  using T = typename Types::in_type;
  constexpr int width = packed_length<T>, run = short_integers_run<Types>, word = short_integers_word<T>;
  const std::int64_t line_runs = ceil_div(shape.extent + width - 1, run);  // wherever it begins
  ShortIntegersPlan plan{};
  plan.segments = ceil_div(line_runs, capacity);
  plan.runs = static_cast<int>(ceil_div(line_runs, plan.segments));
  if (plan.segments > 1) {  // whole chunks
    plan.runs = static_cast<int>(ceil_div(plan.runs, 4)) * 4;
    plan.segments = ceil_div(line_runs, plan.runs);
  }
  const auto taps = static_cast<int>(ceil_div(shape.taps, short_taps_block)) * short_taps_block;
  // A thread reads a word more. Sectors of memory are sectors of scratch.
  plan.in_chunks = 2 * static_cast<int>(ceil_div(2 * width - 1 + plan.runs * run + taps + word, 2 * width));
  plan.out_chunks = static_cast<int>(ceil_div(plan.runs * run, width));
  plan.lines = 1;
  if (plan.segments > 1 || !has_even_lines(shape)) return plan;
  // As many as scratch shall hold, or fewer that leave fewer threads idle.
  const int chunks = static_cast<int>(ceil_div(capacity * run, width)) * 5 / 2;
  const auto most = static_cast<int>(std::min<std::int64_t>(shape.lines, chunks / (plan.in_chunks + plan.out_chunks)));
  const auto idle = [&](int lines) { return ceil_div(lines * plan.runs, threads) * threads - lines * plan.runs; };
  for (int lines = most; lines > most / 2; --lines) {
    if (lines == most || idle(lines) * plan.lines < idle(plan.lines) * lines) plan.lines = lines;
  }
  return plan;
}

/// Scratch pieces, in this order.
struct ShortIntegersScratch {
  std::size_t staged_at, made_at, bytes;
};

template <class Types>
ShortIntegersScratch short_integers_scratch(const ShortIntegersPlan& plan) {
  using Chunk = Packed<typename Types::in_type>;
  ScratchLayout layout;
  ShortIntegersScratch pieces{};
  pieces.staged_at = layout.append<Chunk>(static_cast<std::size_t>(plan.lines * plan.in_chunks + 1));
  pieces.made_at = layout.append<Chunk>(static_cast<std::size_t>(plan.lines * plan.out_chunks));
  pieces.bytes = layout.bytes();
  return pieces;
}

/// Fewer turns where a multiprocessor's scratch does not hold the teams that the registers are planned for.
template <class Types>
ShortIntegersPlan short_integers_plan(const DeviceLimits& limits, const FilterShape& shape, int team_size) {
  constexpr int teams = short_integers_teams_at_once<Types>;
  constexpr std::size_t most_bytes = 40960;
  const std::size_t most = limits.shared_scratch(teams * most_bytes, teams);
  const int threads = limits.is_host ? 128 : team_size;
  ShortIntegersPlan plan{};
  for (int turns = short_integers_turns; turns > 0; --turns) {
    plan = short_integers_share<Types>(shape, threads, turns * threads);
    if (short_integers_scratch<Types>(plan).bytes <= most) return plan;
  }
  plan.lines = 1;
  return plan;
}

/// Of lines across memory, neighbours of which are whole words: the outputs of a thread, how often in a tile at most,
/// the bytes of scratch, the words that a tile is wide, half as many for more taps, and the teams at once (measured on
/// an H200).
inline constexpr int short_columns_outputs = 8;
inline constexpr int short_columns_turns = 6;
inline constexpr std::size_t short_columns_bytes = 32768;
inline constexpr int short_columns_lanes = 32, short_columns_wide_taps = 64;
template <class Types>
inline constexpr int short_columns_teams_at_once = rounds_v<typename Types::accumulator_type> ? 4 : 6;

/// A team's share of such lines.
struct ShortColumnsPlan {
  int lanes, tile;  // words, and outputs of each line
  int pitch, rows;  // of scratch: words from row to row
};

KOKKOS_INLINE_FUNCTION std::size_t short_columns_scratch(const ShortColumnsPlan& plan) {
  ScratchLayout layout;
  layout.append<std::uint32_t>(static_cast<std::size_t>(plan.rows * plan.pitch));
  return layout.bytes();
}

/// What a team may take of a multiprocessor that holds as many as its registers are planned for.
template <class Types>
std::size_t short_columns_most_scratch(const DeviceLimits& limits) {
  constexpr int teams = short_columns_teams_at_once<Types>;
  return limits.shared_scratch(teams * short_columns_bytes, teams);
}

template <class Types>
ShortColumnsPlan short_columns_plan(const DeviceLimits& limits, const FilterShape& shape, int team_size) {
  constexpr int outputs = short_columns_outputs;
  const int most_lanes = shape.taps > short_columns_wide_taps ? short_columns_lanes / 2 : short_columns_lanes;
  const std::int64_t words = ceil_div(shape.columns, short_integers_word<typename Types::in_type>);
  const auto taps = static_cast<int>(ceil_div(shape.taps, short_taps_block)) * short_taps_block;
  ShortColumnsPlan plan{};
  // Tiles of like width, in whole chunks, and of like length.
  const auto lanes = static_cast<int>(ceil_div(words, ceil_div(words, most_lanes)));
  plan.lanes = plan.pitch = static_cast<int>(ceil_div(lanes, 4)) * 4;
  const int round = outputs * std::max(1, (limits.is_host ? 128 : team_size) / plan.lanes);
  const std::int64_t rounds = shape.lines / shape.columns * ceil_div(words, plan.lanes) * ceil_div(shape.extent, round);
  const auto words_there = static_cast<int>(short_columns_most_scratch<Types>(limits) / sizeof(std::uint32_t));
  const int most_turns = std::clamp((words_there / plan.pitch - taps) / round, 1, short_columns_turns);
  const int turns = tile_turns(limits, rounds, short_columns_teams_at_once<Types>, most_turns);
  const std::int64_t share = ceil_div(shape.extent, ceil_div(shape.extent, std::int64_t{round} * turns));
  plan.tile = static_cast<int>(ceil_div(share, outputs)) * outputs;
  plan.rows = plan.tile + taps;
  return plan;
}

/// Kernels for contiguous lines that are worth their compile time: floating data in its own type throughout. Of those
/// for many taps or many applications only real data.
template <class Types>
inline constexpr bool has_line_kernels =
    rounds_v<typename Types::in_type>&& std::is_same_v<typename Types::in_type, typename Types::out_type>&&
        std::is_same_v<typename Types::in_type, typename Types::accumulator_type>;
template <class Types>
inline constexpr bool has_blocked_kernels = has_line_kernels<Types> && !is_complex_v<typename Types::in_type>;
/// The same for bytes and 16-bit integers, in 32-bit sums or double.
template <class Types>
inline constexpr bool has_short_integer_kernel =
    has_short_sums<typename Types::in_type>&& std::is_same_v<typename Types::in_type, typename Types::out_type> &&
    (std::is_same_v<typename Types::accumulator_type, std::int32_t> ||
     std::is_same_v<typename Types::accumulator_type, double>);
/// Whether they take lines across memory so: devices, where rows fill a sector and scratch holds a round of outputs.
template <class Types>
bool takes_short_columns(const DeviceLimits& limits, const FilterShape& shape, int team_size) {
  return has_short_integer_kernel<Types> && !limits.is_host && shape.word_columns &&
         fills_columns<typename Types::in_type>(shape.columns) &&
         short_columns_scratch(short_columns_plan<Types>(limits, shape, team_size)) <=
             short_columns_most_scratch<Types>(limits);
}
/// Accumulators of 128 bits are for rare data.
template <class Types>
inline constexpr bool has_column_kernel =
    sizeof(typename Types::accumulator_type) <= 8 || is_complex_v<typename Types::in_type>;

template <class Types>
bool takes_vectorized(const FilterShape& shape) {
  if (shape.taps > shape.extent) return false;
  if (shape.direction == LineDirection::along) {
    if (has_short_integer_kernel<Types>) return shape.taps <= column_taps_max;
    return has_line_kernels<Types> && narrow_slots<Types>(shape) <= narrow_slots_max;
  }
  return has_column_kernel<Types> && shape.direction == LineDirection::across && shape.taps <= column_taps_max;
}

template <class Types>
bool takes_register_blocked(const FilterShape& shape) {
  return has_blocked_kernels<Types> && shape.direction == LineDirection::along && shape.taps <= shape.extent;
}

/// The longest lines that variant overlapping takes several of with their halos where variant vectorized could take
/// them (measured on an H100; of short integers on an H200).
template <class Types>
std::int64_t padded_lines_extent(std::int64_t taps) {
  using T = typename Types::in_type;
  if (has_short_integer_kernel<Types>) {
    constexpr std::int64_t few = 64 / sizeof(T);
    return rounds_v<typename Types::accumulator_type> ? std::max(few, 6 * taps) : few;
  }
  return taps <= thread_lines_taps_max ? 0 : sizeof(T) < 8 ? 100 : 8192;
}

/// Taps of filters that a host streams: those of more are held up by their products, not by memory.
inline constexpr std::int64_t streamed_taps_max = 5;

/// Whether a host's runs of outputs are streamed: those that vectors of one floating type make.
template <class Types>
inline constexpr bool has_streamed_runs = std::is_floating_point_v<typename Types::out_type>&&
    std::is_same_v<typename Types::out_type, typename Types::accumulator_type>&&
        std::is_same_v<typename Types::out_type, typename Types::staged_type>&&
            std::is_same_v<typename Types::out_type, typename Types::weight_type>;

}  // namespace tessera::detail

#endif

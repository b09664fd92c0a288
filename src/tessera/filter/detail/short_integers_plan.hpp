// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes and 16-bit integers that the kernels of variant vectorized take: how much of them a team takes, and where it
// lies in its scratch.
#ifndef TESSERA_FILTER_DETAIL_SHORT_INTEGERS_PLAN_HPP
#define TESSERA_FILTER_DETAIL_SHORT_INTEGERS_PLAN_HPP

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
#include <type_traits>

namespace tessera::detail {

/// Elements short enough that sums of 32 bits, several times as fast as longer ones, hold those of usual weights.
template <class T>
inline constexpr bool has_short_sums = !rounds_v<T> && sizeof(T) <= 2;

/// Kernels for them: in and out alike, sums of 32 bits or double.
template <class Types>
inline constexpr bool has_short_integer_kernel =
    has_short_sums<typename Types::in_type>&& std::is_same_v<typename Types::in_type, typename Types::out_type> &&
    (std::is_same_v<typename Types::accumulator_type, std::int32_t> ||
     std::is_same_v<typename Types::accumulator_type, double>);

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
  int lanes, tile;  // words, in whole chunks, and outputs of each line
  int rows;         // of as many words, in scratch
};

KOKKOS_INLINE_FUNCTION std::size_t short_columns_scratch(const ShortColumnsPlan& plan) {
  ScratchLayout layout;
  layout.append<std::uint32_t>(static_cast<std::size_t>(plan.rows * plan.lanes));
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
  constexpr int outputs = short_columns_outputs, length = short_integers_word<typename Types::in_type>;
  const int most_lanes = shape.taps > short_columns_wide_taps ? short_columns_lanes / 2 : short_columns_lanes;
  const std::int64_t words = ceil_div(shape.columns, length);
  const auto taps = static_cast<int>(ceil_div(shape.taps, short_taps_block)) * short_taps_block;
  ShortColumnsPlan plan{};
  // Tiles of like width and length.
  const auto lanes = static_cast<int>(ceil_div(words, ceil_div(words, most_lanes)));
  plan.lanes = static_cast<int>(ceil_div(lanes, 4)) * 4;
  const int round = outputs * std::max(1, (limits.is_host ? 128 : team_size) / plan.lanes);
  const std::int64_t rounds = column_tile_count(shape, plan.lanes * length) * ceil_div(shape.extent, round);
  const auto words_there = static_cast<int>(short_columns_most_scratch<Types>(limits) / sizeof(std::uint32_t));
  const int most_turns = std::clamp((words_there / plan.lanes - taps) / round, 1, short_columns_turns);
  const int turns = tile_turns(limits, rounds, short_columns_teams_at_once<Types>, most_turns);
  const std::int64_t share = ceil_div(shape.extent, ceil_div(shape.extent, std::int64_t{round} * turns));
  plan.tile = static_cast<int>(ceil_div(share, outputs)) * outputs;
  plan.rows = plan.tile + taps;
  return plan;
}

/// Whether one takes lines across memory: on devices, where rows fill a sector and scratch holds a round of outputs.
template <class Types>
bool takes_short_columns(const DeviceLimits& limits, const FilterShape& shape, int team_size) {
  return has_short_integer_kernel<Types> && !limits.is_host && shape.word_columns &&
         fills_columns<typename Types::in_type>(shape.columns) &&
         short_columns_scratch(short_columns_plan<Types>(limits, shape, team_size)) <=
             short_columns_most_scratch<Types>(limits);
}

}  // namespace tessera::detail

#endif

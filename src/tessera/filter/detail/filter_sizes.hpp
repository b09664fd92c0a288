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
#include <tessera/filter/detail/short_integers_plan.hpp>
#include <tessera/filter/detail/thread_lines_plan.hpp>
#include <type_traits>

namespace tessera::detail {

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

/// Kernels for contiguous lines that are worth their compile time: floating data in its own type throughout. Of those
/// for many taps or many applications only real data.
template <class Types>
inline constexpr bool has_line_kernels =
    rounds_v<typename Types::in_type>&& std::is_same_v<typename Types::in_type, typename Types::out_type>&&
        std::is_same_v<typename Types::in_type, typename Types::accumulator_type>;
template <class Types>
inline constexpr bool has_blocked_kernels = has_line_kernels<Types> && !is_complex_v<typename Types::in_type>;
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

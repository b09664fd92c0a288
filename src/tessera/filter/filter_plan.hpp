// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a filter is mapped to teams: data, from a pure host function.
#ifndef TESSERA_FILTER_FILTER_PLAN_HPP
#define TESSERA_FILTER_FILTER_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/complex.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/host_stream.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/filter/detail/filter_shape.hpp>
#include <tessera/filter/filter_options.hpp>
#include <type_traits>

namespace tessera {

struct FilterPlan {
  FilterVariant variant = FilterVariant::overlapping;
  int league_size = 1;
  int team_size = 1;
  int vector_length = 1;
  int tile = 1;                   ///< outputs a team makes at a time
  int taps_per_pass = 1;          ///< more taps than this take several passes over the tile
  int halo = 0;                   ///< elements staged beyond the tile, both sides together
  int steps = 1;                  ///< applications of the filter
  int most_steps = 1;             ///< that one call can make, for these types, extents and options
  std::size_t scratch_bytes = 0;  ///< level 0, a team
  std::int64_t block = 0;         ///< elements of a transform; 0: none is made
  int batch = 0;                  ///< blocks that are transformed at a time
  bool streamed = false;          ///< a host writes past its caches
  bool operator==(const FilterPlan&) const = default;
};

inline std::string to_string(const FilterPlan& plan) {
  return std::string(to_string(plan.variant)) + " league " + std::to_string(plan.league_size) + " team " +
         std::to_string(plan.team_size) + " vector " + std::to_string(plan.vector_length) + " tile " +
         std::to_string(plan.tile) + " halo " + std::to_string(plan.halo) + " taps a pass " +
         std::to_string(plan.taps_per_pass) + " steps " + std::to_string(plan.steps) + " scratch " +
         std::to_string(plan.scratch_bytes) + " B" +
         (plan.block == 0 ? std::string()
                          : " block " + std::to_string(plan.block) + " batch " + std::to_string(plan.batch)) +
         (plan.streamed ? " streamed" : "");
}

namespace detail {

/// Outputs that a thread keeps in registers.
template <bool IsHost>
inline constexpr int filter_outputs_per_thread = IsHost ? 64 : 8;

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

/// From here on variant register_blocked is faster.
template <class Types>
inline constexpr int unrolled_taps_max = sizeof(typename Types::accumulator_type) > 4 ? 24 : 33;

/// Variant register_blocked: its teams, and the outputs of a thread, fewer where there is less to do.
inline constexpr int blocked_team_size = 64;
inline constexpr int blocked_teams_wide = 8;
inline constexpr int blocked_teams_narrow = 12;
template <class Accumulator>
inline constexpr int blocked_outputs_wide = packed_length<Accumulator> * 8;
template <class Accumulator>
inline constexpr int blocked_outputs_narrow = blocked_outputs_wide<Accumulator> / 2;
template <class Accumulator>
constexpr int blocked_outputs(std::int64_t taps) {
  return taps > 96 ? blocked_outputs_wide<Accumulator> : blocked_outputs_narrow<Accumulator>;
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

/// On lines across memory: the most taps, the outputs of a thread and the neighbouring lines of a team.
inline constexpr int column_taps_max = 257;
template <std::size_t AccumulatorBytes>
inline constexpr int column_outputs_per_thread = AccumulatorBytes > 8   ? 4
                                                 : AccumulatorBytes > 4 ? 8
                                                                        : 16;
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
  return shape.direction == LineDirection::along && shape.lines == shape.columns &&
         shape.extent <= short_line_tiles * std::int64_t{vectorized_tile<Types>(team_size)} &&
         shape.column_stride < std::int64_t{1} << 20;
}

/// Of a window of 16-byte chunks, from that where its first tap may lie.
template <class Types>
int narrow_slots(const FilterShape& shape) {
  constexpr int width = packed_length<typename Types::in_type>;
  return static_cast<int>(ceil_div(shape.reach_left, width) * width - shape.reach_left +
                          std::min<std::int64_t>(shape.taps, narrow_slots_max + 1));
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
    return has_line_kernels<Types> && narrow_slots<Types>(shape) <= narrow_slots_max;
  }
  return has_column_kernel<Types> && shape.direction == LineDirection::across && shape.taps <= column_taps_max;
}

template <class Types>
bool takes_register_blocked(const FilterShape& shape) {
  return has_blocked_kernels<Types> && shape.direction == LineDirection::along && shape.taps <= shape.extent;
}

/// These complete a plan and return the number of its tiles.
template <class Types>
std::int64_t plan_direct(const DeviceLimits& limits, const FilterShape& shape, FilterPlan& plan) {
  plan.tile = limits.is_host ? 1024 : plan.team_size;
  if (plan.variant == FilterVariant::juxtaposed) {
    plan.scratch_bytes = static_cast<std::size_t>(plan.tile) * sizeof(typename Types::in_type);
  }
  return shape.lines * ceil_div(shape.extent, plan.tile);
}

/// Chunks of the halo that each of several applications takes: a reflection at the left end is of the elements that the
/// right halo holds, which is made as wide as the left one.
template <class Types>
int step_halo_chunks(const FilterShape& shape) {
  const auto left = static_cast<int>(ceil_div(shape.reach_left, packed_length<typename Types::in_type>));
  return std::max(halo_chunks<Types>(shape.taps, shape.reach_left), 2 * left);
}

/// Whether what one application stores is all that the next one needs of a line, its ends too.
template <class Types>
bool takes_steps(const FilterShape& shape, const FilterOptions& options) {
  const auto plain = [](BoundaryMode mode) {
    return mode != BoundaryMode::odd && mode != BoundaryMode::renormalise && mode != BoundaryMode::valid;
  };
  if (options.nan != NanPolicy::propagate || !plain(options.mode_left) || !plain(options.mode_right)) return false;
  // A line that goes on round its ends does so at both of them.
  if ((options.mode_left == BoundaryMode::wrap) != (options.mode_right == BoundaryMode::wrap)) return false;
  // A reflection at the right end is of the elements that the left halo holds.
  const bool reflects = options.mode_right == BoundaryMode::reflect || options.mode_right == BoundaryMode::mirror;
  constexpr int width = packed_length<typename Types::in_type>;
  return !reflects || shape.taps - 1 - shape.reach_left <= ceil_div(shape.reach_left, width) * width;
}

/// Of variant vectorized on contiguous lines with teams of that size.
template <class Types>
int most_filter_steps(const DeviceLimits& limits, const FilterShape& shape, const FilterOptions& options,
                      int team_size) {
  const int tile = line_tile<Types>(limits, team_size);
  const int halo = packed_length<typename Types::in_type> * step_halo_chunks<Types>(shape);
  const bool fits = has_blocked_kernels<Types> && shape.direction == LineDirection::along && shape.extent > tile &&
                    !has_short_lines<Types>(shape, team_size) && narrow_slots<Types>(shape) <= steps_slots_max &&
                    takes_steps<Types>(shape, options);
  return fits ? std::clamp(halo == 0 ? steps_max : tile / steps_halo_share / halo, 1, steps_max) : 1;
}

template <class Types>
std::int64_t plan_vectorized(const DeviceLimits& limits, const FilterShape& shape, FilterPlan& plan) {
  constexpr int width = packed_length<typename Types::in_type>;
  plan.taps_per_pass = static_cast<int>(shape.taps);
  plan.halo = plan.taps_per_pass - 1;
  if (shape.direction == LineDirection::across) {
    plan.tile = limits.is_host ? 64
                               : column_outputs_per_thread<sizeof(typename Types::accumulator_type)> *
                                     std::max(1, plan.team_size / column_tile<false>);
    const int columns = limits.is_host ? column_tile<true> : column_tile<false>;
    return shape.lines / shape.columns * ceil_div(shape.columns, columns) * ceil_div(shape.extent, plan.tile);
  }
  plan.halo = width * halo_chunks<Types>(shape.taps, shape.reach_left);
  ScratchLayout layout;
  if (has_short_lines<Types>(shape, plan.team_size)) {
    const ShortLinesPlan share = short_lines_plan<Types>(shape, plan.team_size);
    plan.tile = share.lines * share.out_chunks * width;
    layout.append<Packed<typename Types::in_type>>(static_cast<std::size_t>(share.lines * share.in_chunks));
    plan.scratch_bytes = layout.bytes();
    return ceil_div(shape.lines, share.lines) * share.segments;
  }
  plan.tile = line_tile<Types>(limits, plan.team_size);
  if (plan.steps > 1) plan.halo = width * step_halo_chunks<Types>(shape) * plan.steps;
  int chunks = (plan.tile + plan.halo) / width;
  if (plan.steps > 1) {
    // The last runs are read to their ends.
    const int round = steps_run * plan.team_size;
    chunks = static_cast<int>(ceil_div(chunks, round)) * round + (steps_slots_max + width - 2) / width;
  }
  layout.append<Packed<typename Types::in_type>>(static_cast<std::size_t>(chunks));
  plan.scratch_bytes = layout.bytes();
  return shape.lines * ceil_div(shape.extent + width - 1, plan.tile);
}

template <class Types>
std::int64_t plan_register_blocked(const FilterShape& shape, FilterPlan& plan) {
  using Accumulator = typename Types::accumulator_type;
  const int outputs = blocked_outputs<Accumulator>(shape.taps);
  plan.tile = outputs * plan.team_size;
  // Passes of like length, each a multiple of what is read at once.
  constexpr std::int64_t pass_limit = 1024;
  const std::int64_t passes = ceil_div(shape.taps, pass_limit);
  plan.taps_per_pass = static_cast<int>(passes == 1 ? shape.taps : ceil_div(ceil_div(shape.taps, passes), 16) * 16);
  plan.halo = plan.taps_per_pass - 1;
  plan.scratch_bytes = blocked_scratch<Types>(plan.tile, plan.taps_per_pass, outputs).bytes;
  return shape.lines * ceil_div(shape.extent + packed_length<typename Types::in_type> - 1, plan.tile);
}

/// Taps of filters that a host streams: those of more are held up by their products, not by memory.
inline constexpr std::int64_t streamed_taps_max = 5;

/// Whether a host's runs of outputs are streamed: those that vectors of one floating type make.
template <class Types>
inline constexpr bool has_streamed_runs = std::is_floating_point_v<typename Types::out_type>&&
    std::is_same_v<typename Types::out_type, typename Types::accumulator_type>&&
        std::is_same_v<typename Types::out_type, typename Types::staged_type>&&
            std::is_same_v<typename Types::out_type, typename Types::weight_type>;

template <class Types>
std::int64_t plan_overlapping(const DeviceLimits& limits, const FilterShape& shape, Stores stores, FilterPlan& plan) {
  constexpr std::int64_t pass_limit = 512;
  const int outputs = limits.is_host ? filter_outputs_per_thread<true> : filter_outputs_per_thread<false>;
  plan.tile = outputs * plan.team_size;
  // A host thread takes several runs a tile, so that the tile's own cost does not show; sums of several passes take
  // their share of the scratch.
  if (limits.is_host) plan.tile *= static_cast<int>(ceil_div(shape.taps <= pass_limit ? 1024 : 512, plan.tile));
  plan.taps_per_pass = static_cast<int>(std::min(shape.taps, pass_limit));
  plan.halo = plan.taps_per_pass - 1;
  plan.scratch_bytes = filter_scratch<Types>(plan.tile, plan.taps_per_pass, shape.taps > plan.taps_per_pass).bytes;
  const auto bytes = static_cast<std::uint64_t>(shape.lines * shape.extent) * sizeof(typename Types::out_type);
  plan.streamed = has_streamed_runs<Types> && shape.direction == LineDirection::along &&
                  (stores == Stores::streamed || shape.taps <= streamed_taps_max) &&
                  takes_streaming(stores, limits.is_host, bytes);
  return shape.lines * ceil_div(shape.extent, plan.tile);
}

/// The registers of a variant's kernels bound its teams on devices.
inline int largest_team(const DeviceLimits& limits, FilterVariant variant) {
  if (limits.is_host) return limits.concurrency;
  if (variant == FilterVariant::vectorized) return vectorized_team_size;
  return variant == FilterVariant::register_blocked ? blocked_team_size : 1024;
}

/// The fastest variant that can do it, with the team that is asked for.
template <class Types>
FilterVariant best_variant(const DeviceLimits& limits, const FilterShape& shape, int team_size) {
  const auto fits = [&](FilterVariant variant) { return team_size <= largest_team(limits, variant); };
  // On hosts the compiler's vectors do better on runs than on chunks.
  const bool chunks_pay = !limits.is_host || shape.direction == LineDirection::across;
  const bool wide = shape.direction == LineDirection::along && shape.taps > unrolled_taps_max<Types>;
  if (chunks_pay && wide && takes_register_blocked<Types>(shape) && fits(FilterVariant::register_blocked)) {
    return FilterVariant::register_blocked;
  }
  const bool narrow = chunks_pay && takes_vectorized<Types>(shape) && fits(FilterVariant::vectorized);
  return narrow ? FilterVariant::vectorized : FilterVariant::overlapping;
}

template <class Types>
FilterPlan make_filter_plan(const DeviceLimits& limits, const FilterShape& shape, const FilterOptions& options) {
  require_league_size("tessera::filter", options.league_size);
  require_team_size("tessera::filter", options.team_size, largest_team(limits, options.variant));
  FilterPlan plan;
  plan.variant = options.variant == FilterVariant::automatic ? best_variant<Types>(limits, shape, options.team_size)
                                                             : options.variant;
  plan.team_size = options.team_size != 0 ? options.team_size : (limits.is_host ? 1 : vectorized_team_size);
  if (plan.variant == FilterVariant::vectorized) {
    plan.most_steps = most_filter_steps<Types>(limits, shape, options, plan.team_size);
  }
  require_argument(1 <= options.steps && options.steps <= plan.most_steps, "tessera::filter", "options",
                   "steps " + std::to_string(options.steps), "1 to " + std::to_string(plan.most_steps),
                   "make the others with another call");
  plan.steps = options.steps;
  std::int64_t tiles = 0;
  switch (plan.variant) {
    case FilterVariant::direct:
    case FilterVariant::juxtaposed:
      tiles = plan_direct<Types>(limits, shape, plan);
      break;
    case FilterVariant::vectorized:
      tiles = plan_vectorized<Types>(limits, shape, plan);
      break;
    case FilterVariant::register_blocked:
      if (options.team_size == 0 && !limits.is_host) plan.team_size = blocked_team_size;
      tiles = plan_register_blocked<Types>(shape, plan);
      break;
    case FilterVariant::transform:  // refused before
    case FilterVariant::automatic:
    case FilterVariant::overlapping:
      tiles = plan_overlapping<Types>(limits, shape, options.stores, plan);
  }
  plan.league_size = options.league_size != 0 ? options.league_size : tile_league(limits, tiles);
  return plan;
}

}  // namespace detail
}  // namespace tessera

#endif

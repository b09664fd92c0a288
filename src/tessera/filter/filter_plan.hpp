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
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/host_stream.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/filter/detail/filter_shape.hpp>
#include <tessera/filter/detail/filter_sizes.hpp>
#include <tessera/filter/detail/interleaved_plan.hpp>
#include <tessera/filter/filter_options.hpp>

namespace tessera {

struct FilterPlan {
  FilterVariant variant = FilterVariant::overlapping;
  int league_size = 1;
  int team_size = 1;
  int vector_length = 1;
  int tile = 1;                   ///< outputs a team makes at a time
  int taps_per_pass = 1;          ///< more taps than this take several passes over the tile
  int halo = 0;                   ///< elements staged beyond the tile, or each of its lines, both sides together
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
  if (shape.direction == LineDirection::across && !limits.is_host) {
    plan.team_size = std::max(plan.team_size, column_tile<false>);  // a thread for each line of a tile
  }
  if (takes_short_columns<Types>(limits, shape, plan.team_size)) {
    const ShortColumnsPlan share = short_columns_plan<Types>(limits, shape, plan.team_size);
    plan.tile = share.tile;
    plan.scratch_bytes = short_columns_scratch(share);
    const int columns = share.lanes * short_integers_word<typename Types::in_type>;
    return column_tile_count(shape, columns) * ceil_div(shape.extent, share.tile);
  }
  if (const auto share = interleaved_plan<Types>(limits, shape, plan.team_size); share.blocks > 0) {
    plan.tile = share.tile;
    plan.scratch_bytes = share.bytes;
    return interleaved_tiles(shape, share);
  }
  if (shape.direction == LineDirection::across) {
    constexpr std::size_t bytes = sizeof(typename Types::accumulator_type);
    const int columns = limits.is_host ? column_tile<true> : column_tile<false>;
    const auto tiles = [&] { return column_tile_count(shape, columns) * ceil_div(shape.extent, plan.tile); };
    plan.tile = limits.is_host ? 64 : column_outputs_per_thread<bytes> * (plan.team_size / columns);
    if (!limits.is_host) {
      plan.tile *= tile_turns(limits, tiles(), column_teams_at_once<bytes>, column_turns<bytes>(shape.taps));
    }
    return tiles();
  }
  if (has_short_integer_kernel<Types>) {
    const ShortIntegersPlan share = short_integers_plan<Types>(limits, shape, plan.team_size);
    plan.tile = share.lines * share.runs * short_integers_run<Types>;
    plan.scratch_bytes = short_integers_scratch<Types>(share).bytes;
    return ceil_div(shape.lines, share.lines) * share.segments;
  }
  plan.halo = width * halo_chunks<Types>(shape.taps, shape.reach_left);
  ScratchLayout layout;
  if (takes_thread_lines<Types>(limits, shape, plan.team_size)) {
    const ThreadLinesPlan share = filter_thread_lines_plan<Types>(limits, shape, plan.team_size);
    plan.tile = share.lines * static_cast<int>(shape.extent);
    plan.halo = share.halo;
    plan.scratch_bytes = share.bytes;
    return ceil_div(shape.lines, share.lines);
  }
  const bool adjacent = takes_adjacent_lines<Types>(limits, shape, plan.team_size);
  if (has_short_lines<Types>(shape, plan.team_size) && !adjacent) {
    const ShortLinesPlan share = short_lines_plan<Types>(shape, plan.team_size);
    plan.tile = share.lines * share.out_chunks * width;
    layout.append<Packed<typename Types::in_type>>(static_cast<std::size_t>(share.lines * share.in_chunks));
    plan.scratch_bytes = layout.bytes();
    return ceil_div(shape.lines, share.lines) * share.segments;
  }
  const bool runs = plan.steps == 1 && !limits.is_host;
  plan.tile = runs ? width * runs_chunks * plan.team_size : line_tile<Types>(limits, plan.team_size);
  if (plan.steps > 1) plan.halo = width * step_halo_chunks<Types>(shape) * plan.steps;
  int chunks = ((runs ? 2 : 1) * plan.tile + plan.halo) / width;  // of runs the outputs too
  if (plan.steps > 1) {
    // The last runs are read to their ends.
    const int round = steps_run * plan.team_size;
    chunks = static_cast<int>(ceil_div(chunks, round)) * round + (steps_slots_max + width - 2) / width;
  }
  layout.append<Packed<typename Types::in_type>>(static_cast<std::size_t>(chunks));
  plan.scratch_bytes = layout.bytes();
  if (adjacent) return ceil_div(shape.lines * shape.extent + width - 1, plan.tile);
  return shape.lines * ceil_div(shape.extent + width - 1, plan.tile);
}

/// Variant register_blocked: the threads among which tiles of one size share a line.
template <class Types>
int blocked_team(const FilterShape& shape) {
  using Accumulator = typename Types::accumulator_type;
  const std::int64_t outputs = blocked_outputs<Accumulator>(shape.taps);
  const std::int64_t most = shape.extent + packed_length<typename Types::in_type> - 1;
  const std::int64_t tiles = ceil_div(most, outputs * blocked_team_size<Accumulator>);
  return 32 * static_cast<int>(ceil_div(most, 32 * outputs * tiles));
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

template <class Types>
std::int64_t plan_overlapping(const DeviceLimits& limits, const FilterShape& shape, Stores stores, FilterPlan& plan) {
  constexpr std::int64_t pass_limit = 512;
  const int outputs = limits.is_host ? filter_outputs_per_thread<true> : filter_outputs_per_thread<false>;
  plan.tile = outputs * plan.team_size;
  const std::int64_t per_line = ceil_div(shape.extent, plan.tile);
  if (!limits.is_host && shape.taps <= pass_limit) {
    const std::int64_t most = std::min(per_line, overlapping_turns<typename Types::staged_type>);
    plan.tile *= tile_turns(limits, shape.lines * per_line, overlapping_teams_at_once, most);
  }
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

/// Variant overlapping, several short lines at a time.
template <class Types>
std::int64_t plan_padded_lines(const DeviceLimits& limits, const FilterShape& shape, int asked_team_size,
                               FilterPlan& plan) {
  const PaddedLinesPlan share = filter_padded_lines_plan<Types>(limits, shape, asked_team_size);
  plan.team_size = share.team_size;
  plan.tile = share.lines * static_cast<int>(shape.extent);
  plan.taps_per_pass = static_cast<int>(shape.taps);
  plan.halo = plan.taps_per_pass - 1;
  plan.scratch_bytes = share.bytes;
  return share.teams;
}

/// The registers of a variant's kernels bound its teams on devices.
template <class Types>
int largest_team(const DeviceLimits& limits, FilterVariant variant) {
  if (limits.is_host) return limits.concurrency;
  if (variant == FilterVariant::vectorized) return vectorized_team_size;
  return variant == FilterVariant::register_blocked ? blocked_team_size<typename Types::accumulator_type> : 1024;
}

/// The fastest variant that can do it, with the team that is asked for.
template <class Types>
FilterVariant best_variant(const DeviceLimits& limits, const FilterShape& shape, int team_size) {
  const auto fits = [&](FilterVariant variant) { return team_size <= largest_team<Types>(limits, variant); };
  const bool is_long = shape.extent > padded_lines_extent<Types>(shape.taps);
  if (!(is_long && takes_vectorized<Types>(shape)) && takes_padded_lines<Types>(limits, shape, team_size)) {
    return FilterVariant::overlapping;
  }
  // On hosts the compiler's vectors do better on runs than on chunks.
  const bool chunks_pay = !limits.is_host || shape.direction == LineDirection::across;
  if (chunks_pay && takes_vectorized<Types>(shape) && fits(FilterVariant::vectorized)) return FilterVariant::vectorized;
  const bool wide = chunks_pay && takes_register_blocked<Types>(shape) && fits(FilterVariant::register_blocked);
  return wide ? FilterVariant::register_blocked : FilterVariant::overlapping;
}

/// together: short lines may share a tile.
template <class Types>
FilterPlan make_filter_plan(const DeviceLimits& limits, const FilterShape& shape, const FilterOptions& options,
                            bool together = true) {
  require_league_size("tessera::filter", options.league_size);
  require_team_size("tessera::filter", options.team_size, largest_team<Types>(limits, options.variant));
  FilterPlan plan;
  plan.variant = options.variant == FilterVariant::automatic ? best_variant<Types>(limits, shape, options.team_size)
                                                             : options.variant;
  plan.team_size = options.team_size != 0 ? options.team_size : (limits.is_host ? 1 : vectorized_team_size);
  if (plan.variant == FilterVariant::vectorized) {
    plan.most_steps = most_filter_steps<Types>(limits, shape, options, plan.team_size);
  }
  TESSERA_REQUIRE_ARGUMENT(1 <= options.steps && options.steps <= plan.most_steps, "tessera::filter", "options",
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
      if (options.team_size == 0 && !limits.is_host) plan.team_size = blocked_team<Types>(shape);
      tiles = plan_register_blocked<Types>(shape, plan);
      break;
    case FilterVariant::transform:  // refused before
    case FilterVariant::automatic:
    case FilterVariant::overlapping:
      tiles = together && takes_padded_lines<Types>(limits, shape, options.team_size)
                  ? plan_padded_lines<Types>(limits, shape, options.team_size, plan)
                  : plan_overlapping<Types>(limits, shape, options.stores, plan);
  }
  plan.league_size = options.league_size != 0 ? options.league_size : tile_league(limits, tiles);
  return plan;
}

}  // namespace detail
}  // namespace tessera

#endif

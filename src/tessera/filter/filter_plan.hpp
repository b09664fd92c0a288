// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a filter is mapped to teams: data, from a pure host function.
#ifndef TESSERA_FILTER_FILTER_PLAN_HPP
#define TESSERA_FILTER_FILTER_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/filter/filter_options.hpp>

namespace tessera {

struct FilterPlan {
  FilterVariant variant = FilterVariant::overlapping;
  int league_size = 1;
  int team_size = 1;
  int vector_length = 1;
  int tile = 1;                   ///< outputs a team makes at a time
  int taps_per_pass = 1;          ///< more taps than this take several passes over the tile
  int halo = 0;                   ///< elements staged beyond the tile, both sides together
  std::size_t scratch_bytes = 0;  ///< level 0, a team
  bool operator==(const FilterPlan&) const = default;
};

inline std::string to_string(const FilterPlan& plan) {
  return std::string(to_string(plan.variant)) + " league " + std::to_string(plan.league_size) + " team " +
         std::to_string(plan.team_size) + " vector " + std::to_string(plan.vector_length) + " tile " +
         std::to_string(plan.tile) + " halo " + std::to_string(plan.halo) + " taps a pass " +
         std::to_string(plan.taps_per_pass) + " scratch " + std::to_string(plan.scratch_bytes) + " B";
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

/// lines of extent elements each, taps wide.
template <class Types>
FilterPlan make_filter_plan(const DeviceLimits& limits, std::int64_t lines, std::int64_t extent, std::int64_t taps,
                            const FilterOptions& options) {
  require_league_size("tessera::filter", options.league_size);
  require_team_size("tessera::filter", options.team_size, limits.is_host ? limits.concurrency : 1024);
  FilterPlan plan;
  const int outputs = limits.is_host ? filter_outputs_per_thread<true> : filter_outputs_per_thread<false>;
  plan.team_size = options.team_size != 0 ? options.team_size : (limits.is_host ? 1 : 128);
  plan.tile = outputs * plan.team_size;
  // A host thread takes several runs a tile, so that the tile's own cost does not show.
  if (limits.is_host) plan.tile *= static_cast<int>(ceil_div(512, plan.tile));
  constexpr std::int64_t pass_limit = 512;
  plan.taps_per_pass = static_cast<int>(std::min(taps, pass_limit));
  plan.halo = plan.taps_per_pass - 1;
  const std::int64_t tiles = lines * ceil_div(extent, plan.tile);
  // Host teams walk many tiles each: a team costs them more than a tile.
  const std::int64_t most = limits.is_host ? 8 * std::int64_t{limits.concurrency} : std::numeric_limits<int>::max();
  plan.league_size = options.league_size != 0 ? options.league_size
                                              : static_cast<int>(std::max<std::int64_t>(1, std::min(tiles, most)));
  plan.scratch_bytes = filter_scratch<Types>(plan.tile, plan.taps_per_pass, taps > plan.taps_per_pass).bytes;
  return plan;
}

}  // namespace detail
}  // namespace tessera

#endif

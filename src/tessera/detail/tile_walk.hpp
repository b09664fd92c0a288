// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tiles a team of a league takes.
#ifndef TESSERA_DETAIL_TILE_WALK_HPP
#define TESSERA_DETAIL_TILE_WALK_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/tile_range.hpp>

namespace tessera::detail {

/// Tiles begin, begin + step, .. below end.
struct TileWalk {
  std::int64_t begin, end, step;
};

/// Teams of a device run at once: neighbours take neighbouring tiles. A team of a host takes neighbours itself: its
/// core fetches ahead along memory. Shares differ by one tile at most: a league has few teams for each thread.
template <TeamMember Member>
KOKKOS_FORCEINLINE_FUNCTION TileWalk tile_walk(const Member& team, IndexRange tiles) {
  if constexpr (is_host_space<typename Member::execution_space>) {
    const std::int64_t rank = team.league_rank(), teams = team.league_size(), count = tiles.end - tiles.begin;
    const std::int64_t share = count / teams, more = count % teams;
    const std::int64_t begin = tiles.begin + rank * share + Kokkos::min(rank, more);
    return {begin, begin + share + (rank < more ? 1 : 0), 1};
  } else {
    return {tiles.begin + team.league_rank(), tiles.end, team.league_size()};
  }
}

/// Of tiles 0 .. count - 1.
template <TeamMember Member>
KOKKOS_FORCEINLINE_FUNCTION TileWalk tile_walk(const Member& team, std::int64_t count) {
  return tile_walk(team, IndexRange{0, count});
}

}  // namespace tessera::detail

#endif

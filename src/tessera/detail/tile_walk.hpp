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

namespace tessera::detail {

/// Tiles begin, begin + step, .. below end.
struct TileWalk {
  std::int64_t begin, end, step;
};

/// Teams of a device run at once: neighbours take neighbouring tiles. A team of a host takes neighbours itself: its
/// core fetches ahead along memory.
template <TeamMember Member>
KOKKOS_FORCEINLINE_FUNCTION TileWalk tile_walk(const Member& team, std::int64_t tiles) {
  if constexpr (is_host_space<typename Member::execution_space>) {
    const std::int64_t rank = team.league_rank(), teams = team.league_size();
    const std::int64_t share = tiles / teams, more = tiles % teams;
    return {rank * share + Kokkos::min(rank, more), (rank + 1) * share + Kokkos::min(rank + 1, more), 1};
  } else {
    return {team.league_rank(), tiles, team.league_size()};
  }
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a plan must know of the machine. Plans are pure functions of it.
#ifndef TESSERA_DETAIL_DEVICE_LIMITS_HPP
#define TESSERA_DETAIL_DEVICE_LIMITS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tessera/concepts.hpp>

namespace tessera::detail {

/// Host spaces read host memory, and a team of one thread is their natural team.
template <ExecutionSpace Space>
inline constexpr bool is_host_space = bool(Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible);

struct DeviceLimits {
  bool is_host = true;
  int concurrency = 1;            ///< threads that run at once
  std::size_t scratch_bytes = 0;  ///< level 0, a team
  /// Likewise, of all teams that one multiprocessor holds.
  std::size_t multiprocessor_scratch_bytes = std::numeric_limits<std::size_t>::max();
  std::size_t memory_scratch_bytes = 0;  ///< level 1, a team

  bool operator==(const DeviceLimits&) const = default;

  /// What a team may take where so many shall share planned bytes of a multiprocessor: kernels whose registers are
  /// planned for them do not start where it has less. Of that, the system and Kokkos take some.
  [[nodiscard]] std::size_t shared_scratch(std::size_t planned, int teams) const {
    constexpr std::size_t taken = 2048;
    const std::size_t there = multiprocessor_scratch_bytes / static_cast<std::size_t>(teams);
    return std::min({scratch_bytes, planned / static_cast<std::size_t>(teams), there - std::min(there, taken)});
  }
};

/// Of an instance, which may have a part of the threads. Kokkos with the deprecated code of its version 4 has a static
/// function, which tells of the default instance unless it is given one.
template <ExecutionSpace Space>
int concurrency_of(const Space& space) {
  if constexpr (requires { Space::concurrency(space); }) {
    return Space::concurrency(space);
  } else {
    return space.concurrency();
  }
}

template <ExecutionSpace Space>
DeviceLimits device_limits(const Space& space) {
  DeviceLimits limits{.is_host = is_host_space<Space>,
                      .concurrency = std::max(1, concurrency_of(space)),
                      .scratch_bytes = static_cast<std::size_t>(Kokkos::TeamPolicy<Space>::scratch_size_max(0)),
                      .memory_scratch_bytes = static_cast<std::size_t>(Kokkos::TeamPolicy<Space>::scratch_size_max(1))};
  if constexpr (requires { space.cuda_device_prop(); }) {
    limits.multiprocessor_scratch_bytes = space.cuda_device_prop().sharedMemPerMultiprocessor;
  }
  return limits;
}

/// Threads of one GPU multiprocessor, the grain in which leagues are counted.
inline constexpr int multiprocessor_threads = 2048;

inline int multiprocessors(const DeviceLimits& limits) {
  return std::max(1, limits.concurrency / multiprocessor_threads);
}

/// How often a device's team makes as many outputs as its threads make at once before it looks for its next tile, which
/// takes divisions: at most so often, as teams that are apart make memory slower. turns: of all teams. Some rounds of
/// as many teams as run at once are left.
inline int tile_turns(const DeviceLimits& limits, std::int64_t turns, int teams_at_once, std::int64_t most) {
  constexpr std::int64_t rounds = 4;
  return static_cast<int>(
      std::clamp<std::int64_t>(turns / (rounds * teams_at_once * multiprocessors(limits)), 1, most));
}

/// Teams for work in tiles. Those of a host walk many each: a team costs them more than a tile.
inline int tile_league(const DeviceLimits& limits, std::int64_t tiles) {
  const std::int64_t most = limits.is_host ? 8 * std::int64_t{limits.concurrency} : std::numeric_limits<int>::max();
  return static_cast<int>(std::max<std::int64_t>(1, std::min(tiles, most)));
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How values are joined by a reducer: as they come in one thread, and across a team.
#ifndef TESSERA_REDUCE_DETAIL_JOINS_HPP
#define TESSERA_REDUCE_DETAIL_JOINS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/lanes.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/detail/unroll.hpp>
#include <type_traits>

namespace tessera::detail {

/// Joins values as they come in a balanced tree (a binary counter), so that the depth is log2 of their number. Nothing
/// is set up before the first one: most threads of a GPU have none, and what they stored would reach memory.
template <class R>
class PairwiseFold {
 public:
  using value_type = typename R::value_type;

  KOKKOS_FUNCTION PairwiseFold() {
    // g++ does not see that the first push does.
    KOKKOS_IF_ON_HOST((m_count = 0;))
  }

  /// Not inlined, as what is rare slows the loop that it stands in.
  TESSERA_NOINLINE KOKKOS_FUNCTION void push(const R& reducer, value_type value, bool is_first) {
    if (is_first) m_count = 0;
    int level = 0;
    for (std::uint64_t bits = m_count; (bits & 1) != 0; bits >>= 1, ++level) {
      value_type joined = m_levels[level];
      reducer.join(joined, value);
      value = joined;
    }
    m_levels[level] = value;
    ++m_count;
  }

  TESSERA_NOINLINE KOKKOS_FUNCTION value_type total(const R& reducer) const {
    value_type result = reducer.identity();
    for (int level = 0; (m_count >> level) != 0; ++level) {
      if ((m_count >> level & 1) == 0) continue;
      value_type joined = m_levels[level];
      reducer.join(joined, result);
      result = joined;
    }
    return result;
  }

 private:
  std::uint64_t m_count;
  union {
    value_type m_levels[40];  // 2^40 chains
  };
};

/// The same where no order matters: one value is all it needs.
template <class R>
class PlainFold {
 public:
  using value_type = typename R::value_type;

  KOKKOS_FUNCTION PlainFold() {}

  /// Not inlined: rare, so that the value needs no registers.
  TESSERA_NOINLINE KOKKOS_FUNCTION void push(const R& reducer, value_type value, bool is_first) {
    if (!is_first) reducer.join(value, m_total);
    m_total = value;
  }
  KOKKOS_FUNCTION value_type total(const R&) const { return m_total; }

 private:
  union {
    value_type m_total;
  };
};

#if defined(__CUDA_ARCH__)
/// Whether ranks 32 w to 32 w + 31 of the team are the lanes of a warp.
template <TeamMember Member>
__device__ __forceinline__ bool has_whole_warps(const Member& team) {
  if constexpr (requires { typename Member::is_thread_group; }) {
    return false;
  } else {
    return blockDim.x == 1 && team.team_size() % 32 == 0;
  }
}

/// The first lane's value with those of the count - 1 behind it, in a tree. The others end with something else.
template <Reducer R>
__device__ __forceinline__ void join_lanes(const R& reducer, typename R::value_type& value, int lane, int count) {
  TESSERA_UNROLL
  for (int distance = 16; distance > 0; distance /= 2) {
    const auto further = lane_further(value, distance);
    if (lane + distance < count) reducer.join(value, further);
  }
}
#endif

/// Joins one value of each thread in a tree over neighbours (coalesced, any team size), for the first thread; the
/// others get something else. The barriers stand outside the branches: every thread meets each of them. Scratch is free
/// behind the next one.
template <TeamMember Member, Reducer R>
KOKKOS_FUNCTION typename R::value_type team_join_at_first(const Member& team, const typename R::value_type& value,
                                                          const R& reducer, typename R::value_type* scratch) {
  const int rank = team.team_rank();
  if (team.team_size() == 1) return value;
#if defined(__CUDA_ARCH__)
  // Through shuffles, where the team's threads are whole warps: one barrier instead of one for each level.
  using Value = typename R::value_type;
  if constexpr (sizeof(Value) <= 32 && sizeof(Value) % 4 == 0 && std::is_trivially_copyable_v<Value>) {
    if (has_whole_warps(team)) {
      const int lane = rank % 32, warps = team.team_size() / 32;
      Value mine = value;
      join_lanes(reducer, mine, lane, 32);
      if (lane == 0) scratch[rank / 32] = mine;
      team.team_barrier();
      if (rank < 32) {
        mine = scratch[Kokkos::min(lane, warps - 1)];
        join_lanes(reducer, mine, lane, warps);
      }
      return mine;
    }
  }
#endif
  scratch[rank] = value;
  team.team_barrier();
  for (int active = team.team_size(); active > 1;) {
    const int half = (active + 1) / 2;
    if (rank + half < active) reducer.join(scratch[rank], scratch[rank + half]);
    team.team_barrier();
    active = half;
  }
  return scratch[0];
}

/// The same for all threads; scratch is free again.
template <TeamMember Member, Reducer R>
KOKKOS_FUNCTION typename R::value_type team_join(const Member& team, const typename R::value_type& value,
                                                 const R& reducer, typename R::value_type* scratch) {
  auto joined = team_join_at_first(team, value, reducer, scratch);
  if (team.team_size() == 1) return joined;
  // Where no thread of the first warp reads any more.
  auto& total = scratch[team.team_size() - 1];
  if (team.team_rank() == 0) total = joined;
  team.team_barrier();
  joined = total;
  team.team_barrier();
  return joined;
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How vector lanes join what each of them holds.
#ifndef TESSERA_REDUCE_DETAIL_LANE_JOIN_HPP
#define TESSERA_REDUCE_DETAIL_LANE_JOIN_HPP

#include <Kokkos_Core.hpp>
#include <tessera/reduce/detail/joins.hpp>
#include <type_traits>

namespace tessera::detail {

/// A reducer of ours as Kokkos wants one for the lanes of a vector.
template <class R>
struct LaneJoin {
  using reducer = LaneJoin;
  using value_type = typename R::value_type;
  using result_view_type = Kokkos::View<value_type, Kokkos::AnonymousSpace, Kokkos::MemoryUnmanaged>;

  const R& of;
  value_type* result;

  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { of.join(into, from); }
  KOKKOS_FUNCTION void init(value_type& value) const { value = of.identity(); }
  KOKKOS_FUNCTION value_type& reference() const { return *result; }
  KOKKOS_FUNCTION bool references_scalar() const { return true; }
  KOKKOS_FUNCTION result_view_type view() const { return result_view_type(result); }
};

/// This lane's number. Variables outside of ranges over lanes are each lane's own on devices. Not by such a range, at
/// whose end Kokkos makes a mask of the lanes.
template <TeamMember Member>
KOKKOS_FORCEINLINE_FUNCTION int lane_number([[maybe_unused]] const Member& team, [[maybe_unused]] int lanes) {
#if defined(__CUDA_ARCH__)
  return static_cast<int>(threadIdx.x);
#else
  int lane = 0;
  Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, lanes), [&](int l) { lane = l; });
  return lane;
#endif
}

/// Vectors that shuffle at once where all of them do the same: those of a warp.
KOKKOS_INLINE_FUNCTION int vectors_at_once([[maybe_unused]] int lanes) {
  KOKKOS_IF_ON_DEVICE((return 32 / lanes;))
  KOKKOS_IF_ON_HOST((return 1;))
}

#if defined(__CUDA_ARCH__)
__device__ __forceinline__ bool warps_are_whole() { return blockDim.x * blockDim.y % 32 == 0; }
template <class Value>
inline constexpr bool is_shuffled = sizeof(Value) <= 48 &&
                                    sizeof(Value) % 4 == 0 && std::is_trivially_copyable_v<Value>;
#endif

/// Leaves what the lanes of a vector hold, each in a variable of its own, with the first of them. Together: all vectors
/// of the warp call, which then shuffles as one: what finds out which lanes do takes longer than a short row.
template <bool Together, TeamMember Member, Reducer R>
KOKKOS_FORCEINLINE_FUNCTION void join_vector(const Member& team, int lanes, const R& reducer,
                                             typename R::value_type& value) {
  using Value = typename R::value_type;
#if defined(__CUDA_ARCH__)
  if constexpr (Together && is_shuffled<Value>) {
    if (warps_are_whole()) {
      for (int distance = lanes / 2; distance > 0; distance /= 2) {
        reducer.join(value, lane_further(value, distance));
      }
      return;
    }
  }
#endif
  Value joined = reducer.identity();
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(team, lanes), [&](int, Value& mine) { mine = value; }, LaneJoin<R>{reducer, &joined});
  value = joined;
}

/// What the first lane of a vector says, after join_vector().
template <bool Together>
KOKKOS_FORCEINLINE_FUNCTION bool first_lane_says([[maybe_unused]] int lanes, bool answer) {
#if defined(__CUDA_ARCH__)
  if constexpr (Together) {
    if (warps_are_whole()) {
      const int lane = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x) % 32;
      return (__ballot_sync(~0u, answer) >> (lane & -lanes) & 1) != 0;
    }
  }
#endif
  return answer;
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fold that counts zeros of either sign: one test a group where there is none.
#ifndef TESSERA_REDUCE_DETAIL_ZEROS_FOLD_HPP
#define TESSERA_REDUCE_DETAIL_ZEROS_FOLD_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/fold_context.hpp>
#include <tessera/reduce/detail/value_fold.hpp>
#include <tessera/status.hpp>

namespace tessera::detail {

struct ZeroCounts {
  std::int64_t zeros, negative_zeros;
};

template <class T>
class ZerosFold {
  struct Join {
    using value_type = ZeroCounts;
    KOKKOS_FUNCTION value_type identity() const { return {0, 0}; }
    KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
      into.zeros += from.zeros;
      into.negative_zeros += from.negative_zeros;
    }
  };

 public:
  static constexpr int lanes = reduce_loads_in_flight(sizeof(T)) * packed_length<T>;
  static constexpr int team_size_max = 1024;
  static constexpr int teams_at_once = 1;
  using thread_type = ZeroCounts;
  struct spill_type {};
  using team_type = ZeroCounts;

  KOKKOS_FUNCTION ZerosFold(const ZeroCounts&, const FoldContext&) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(thread_type& thread, spill_type&) const { thread = {0, 0}; }

  template <int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION void add(thread_type& thread, spill_type&, const T (&elements)[N], const Index&,
                                       const Status&) const {
    bool any = false;
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) any = any || elements[k] == T(0);
    if (!any) return;
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      if (elements[k] != T(0)) continue;
      ++thread.zeros;
      if constexpr (std::is_floating_point_v<T>) thread.negative_zeros += Kokkos::signbit(elements[k]) ? 1 : 0;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void absorb(thread_type& thread, spill_type&, const team_type& part) const {
    Join{}.join(thread, part);
  }

  KOKKOS_FUNCTION static std::size_t scratch_bytes(int team_size) {
    return static_cast<std::size_t>(team_size) * sizeof(team_type);
  }

  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION void close(const Member& team, thread_type& thread, spill_type&, team_type& result,
                                         std::byte* scratch) const {
    const team_type mine = team_join_at_first(team, thread, Join{}, reinterpret_cast<team_type*>(scratch));
    if (team.team_rank() == 0) result = mine;
    team.team_barrier();
  }

  KOKKOS_FUNCTION team_type& close_alone(thread_type& thread, spill_type&, team_type& room) const {
    room = thread;
    return room;
  }

  template <TeamMember Member>
  KOKKOS_FUNCTION static void store(const Member& team, const team_type& from, team_type& to) {
    if (team.team_rank() == 0) to = from;
  }
};

}  // namespace tessera::detail

#endif

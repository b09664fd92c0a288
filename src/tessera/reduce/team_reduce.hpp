// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Team level: reductions inside a user's own TeamPolicy kernel.
#ifndef TESSERA_REDUCE_TEAM_REDUCE_HPP
#define TESSERA_REDUCE_TEAM_REDUCE_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <tessera/concepts.hpp>
#include <tessera/reduce/detail/element_range.hpp>
#include <tessera/reduce/detail/thread_fold.hpp>
#include <tessera/reduce/reduce_plan.hpp>
#include <tessera/reduce/reducers.hpp>

namespace tessera {

/// Level-0 scratch that team_reduce needs: team_size values, rounded up to 16 bytes.
template <Reducer R>
KOKKOS_FUNCTION std::size_t team_reduce_scratch_bytes(int team_size) {
  return detail::reduce_scratch_bytes<typename R::value_type>(team_size);
}

namespace detail {

/// Joins one value of each thread in a halving tree over neighbours (coalesced, any team size). The barriers stand
/// outside the branches: every thread meets each of them. All threads see the result; scratch is free again.
template <TeamMember Member, Reducer R>
KOKKOS_FUNCTION typename R::value_type team_join(const Member& team, const typename R::value_type& value,
                                                 const R& reducer, typename R::value_type* scratch) {
  const int rank = team.team_rank();
  if (team.team_size() == 1) return value;
  scratch[rank] = value;
  team.team_barrier();
  for (int active = team.team_size(); active > 1;) {
    const int half = (active + 1) / 2;
    if (rank + half < active) reducer.join(scratch[rank], scratch[rank + half]);
    team.team_barrier();
    active = half;
  }
  const typename R::value_type result = scratch[0];
  team.team_barrier();
  return result;
}

template <TeamMember Member, class Range, Reducer R>
KOKKOS_FUNCTION typename R::value_type team_reduce_range(const Member& team, const Range& range, const R& reducer,
                                                         void* scratch) {
  constexpr int loads = reduce_loads_in_flight(sizeof(typename Range::element_type));
  const auto value = thread_fold<loads>(range, team.team_rank(), team.team_size(), reducer);
  return team_join(team, value, reducer, static_cast<typename R::value_type*>(scratch));
}

}  // namespace detail

/// Reduces a rank-1 view with all threads of a team, inside a TeamPolicy kernel.
///
/// \param[in] team     every thread of the team must call, with the same arguments; vector length 1
/// \param[in] in       n elements, any layout, global or scratch memory; written before a team_barrier
/// \param[in] reducer  concept Reducer; finalize is not applied
/// \param[in] scratch  team_reduce_scratch_bytes<R>(team_size) bytes of team scratch on a 16-byte boundary
/// \return the joined value, the same in every thread; scratch may be used again at once
///
/// The same bits for the same team size. Each element is read once, in 16-byte pieces where the view is contiguous.
template <TeamMember Member, View InView, Reducer R>
KOKKOS_FUNCTION typename R::value_type team_reduce(const Member& team, const InView& in, const R& reducer,
                                                   void* scratch) {
  static_assert(InView::rank() == 1, "tessera::team_reduce: `in` must have rank 1");
  return detail::team_reduce_range(team, detail::element_range(in), reducer, scratch);
}

}  // namespace tessera

#endif

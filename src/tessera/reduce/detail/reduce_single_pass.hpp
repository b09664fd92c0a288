// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant single_pass: each team reduces one contiguous block and leaves a partial; the team that finishes last folds
// the partials. The last one is found by a ticket, so no team waits for another.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_SINGLE_PASS_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_SINGLE_PASS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/reduce/reduce_plan.hpp>
#include <tessera/reduce/team_reduce.hpp>
#include <tessera/status.hpp>

namespace tessera::detail {

template <class R>
KOKKOS_FUNCTION auto finalized(const R& reducer, const typename R::value_type& value, const Status& status) {
  if constexpr (requires { reducer.finalize(value, status); }) {
    return reducer.finalize(value, status);
  } else if constexpr (requires { reducer.finalize(value); }) {
    return reducer.finalize(value);
  } else {
    return value;
  }
}

template <ExecutionSpace Space, class Range, Reducer R, class Result>
struct ReduceSinglePass {
  // Every team that a plan may choose must be launchable, whatever the reducer keeps in registers.
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<1024, 1>>;
  using value_type = typename R::value_type;

  Range range;
  R reducer;
  Result* out;
  value_type* partials;
  std::uint32_t* ticket;
  std::uint64_t* status_word;
  std::int64_t block;  // elements a team
  std::size_t scratch_bytes;

  KOKKOS_FUNCTION void operator()(const typename policy_type::member_type& team) const {
    ScratchLayout layout;
    const std::size_t values_at = layout.append<value_type>(static_cast<std::size_t>(team.team_size()));
    const std::size_t last_at = layout.append<int>(1);
    std::byte* scratch = team_scratch(team, scratch_bytes);

    const std::int64_t begin = Kokkos::min(range.size, team.league_rank() * block);
    const std::int64_t end = Kokkos::min(range.size, begin + block);
    const value_type partial = team_reduce_range(team, range.part(begin, end), reducer, scratch + values_at);

    int* last = reinterpret_cast<int*>(scratch + last_at);
    if (team.team_rank() == 0) {
      partials[team.league_rank()] = partial;
      // The partial must be seen by whoever sees the ticket.
      Kokkos::memory_fence();
      *last = Kokkos::atomic_fetch_add(ticket, 1u) + 1 == static_cast<std::uint32_t>(team.league_size());
    }
    team.team_barrier();
    if (*last == 0) return;  // the same for the whole team, and no barrier follows for those who leave
    Kokkos::memory_fence();

    const std::int64_t share = ceil_div(team.league_size(), team.team_size());
    const std::int64_t first = Kokkos::min<std::int64_t>(team.league_size(), team.team_rank() * share);
    const std::int64_t stop = Kokkos::min<std::int64_t>(team.league_size(), first + share);
    value_type mine = first < stop ? partials[first] : reducer.identity();
    if (share > 1) {
      PairwiseFold<R> fold;
      for (std::int64_t i = first; i < stop; ++i) fold.push(reducer, partials[i]);
      mine = fold.total(reducer);
    }
    const value_type total = team_join(team, mine, reducer, reinterpret_cast<value_type*>(scratch + values_at));
    if (team.team_rank() == 0) {
      *out = static_cast<Result>(finalized(reducer, total, Status(status_word)));
      *ticket = 0;
    }
  }
};

template <ExecutionSpace Space, class Range, Reducer R, class Result>
void launch_single_pass(const Space& space, const ReducePlan& plan, const Range& range, const R& reducer, Result* out,
                        void* partials, std::uint32_t* ticket, std::uint64_t* status_word, int asked_team_size) {
  // Blocks of whole packs keep every team but the first on 16-byte boundaries where the first is.
  const std::int64_t grain = packed_length<typename Range::element_type>;
  const std::int64_t block = ceil_div(ceil_div(range.size, plan.league_size), grain) * grain;
  const ReduceSinglePass<Space, Range, R, Result> functor{
      range,  reducer,     out,   static_cast<typename R::value_type*>(partials),
      ticket, status_word, block, plan.scratch_bytes};
  typename ReduceSinglePass<Space, Range, R, Result>::policy_type policy(space, plan.league_size, plan.team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(plan.scratch_bytes))));
  require_launchable("tessera::reduce", policy, functor, asked_team_size);
  Kokkos::parallel_for("tessera::reduce::single_pass", policy, functor);
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant grid_stride: a league that fits the device walks the array in steps of all its threads, each team joins its
// threads in scratch, and one thread of it joins the team's value to the total with an atomic. The order of the teams
// varies from run to run, and with it the rounding of floating sums.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_GRID_STRIDE_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_GRID_STRIDE_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/reduce_passes.hpp>
#include <tessera/reduce/detail/thread_fold.hpp>
#include <tessera/reduce/reduce_plan.hpp>
#include <tessera/reduce/team_reduce.hpp>
#include <tessera/status.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Range, class Fold>
struct ReduceGridStride {
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<Fold::team_size_max, 1>>;
  using value_type = typename Fold::team_type;

  Range range;
  Fold fold;
  value_type* total;
  std::uint64_t* status_word;
  std::size_t scratch_bytes;

  KOKKOS_FUNCTION void operator()(const typename policy_type::member_type& team) const {
    const FoldScratch<Fold> pieces(team.team_size());
    std::byte* scratch = team_scratch(team, scratch_bytes);
    auto& result = *reinterpret_cast<value_type*>(scratch + pieces.result_at);
    const Status status(status_word);

    typename Fold::thread_type thread;
    typename Fold::spill_type spill;
    fold.begin(thread, spill);
    if constexpr (sums_exactly<Fold>()) {
      // An exact sum is no textbook's: it loads as single_pass does, and shares that code on a host.
      thread_fold(fold, range, {team.team_rank(), team.team_size(), team.league_rank(), team.league_size()}, thread,
                  spill, status);
    } else {
      fold_elements(std::int64_t{team.league_rank()} * team.team_size() + team.team_rank(),
                    std::int64_t{team.league_size()} * team.team_size(), thread, spill, status);
    }
    fold.close(team, thread, spill, result, scratch + pieces.close_at);
    if (team.team_rank() == 0) fold.merge(*total, result);
  }

 private:
  KOKKOS_FUNCTION void fold_elements(std::int64_t rank, std::int64_t step, typename Fold::thread_type& thread,
                                     typename Fold::spill_type& spill, const Status& status) const {
    using T = typename Range::element_type;
    constexpr int loads = grid_stride_loads < Fold::lanes ? grid_stride_loads : Fold::lanes;
    std::int64_t i = rank;
    for (; i + (loads - 1) * step < range.size; i += loads * step) {
      T group[loads];
      TESSERA_UNROLL
      for (int k = 0; k < loads; ++k) group[k] = range.data[i + k * step];
      fold.add(thread, spill, group, GroupIndex<decltype(range.position)>{range.position, i, step, 1}, status);
    }
    for (; i < range.size; i += step) {
      const T one[1] = {range.data[i]};
      fold.add(thread, spill, one, GroupIndex<decltype(range.position)>{range.position, i, 0, 1}, status);
    }
  }
};

/// Before and after: the total becomes the identity, and the result. What the total held is another call's, perhaps
/// another reducer's; 0 would be no identity of max.
template <class Fold, class Result>
struct ReduceGridStrideEnds {
  Fold fold;
  typename Fold::team_type* total;
  Result* out;  // null before
  std::int64_t size;
  std::uint64_t* status_word;

  KOKKOS_FUNCTION void operator()(int) const {
    if (out == nullptr) {
      *total = fold.identity();
    } else {
      typename Fold::team_type value = *total;
      *out = fold.template finalize<Result>(value, size, Status(status_word));
    }
  }
};

template <class Space, class Range, class Fold, class Result>
void launch_grid_stride(const PassCall<Space, Range, Fold, Result>& call) {
  using Functor = ReduceGridStride<Space, Range, Fold>;
  using Ends = ReduceGridStrideEnds<Fold, Result>;
  const ReducePlan& plan = call.plan;
  auto* const total = static_cast<typename Fold::team_type*>(call.workspace.partials());
  std::uint64_t* const status_word = call.workspace.status_word();
  const Functor functor{call.range, call.fold, total, status_word, plan.scratch_bytes};
  typename Functor::policy_type policy(call.space, plan.league_size, plan.team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(plan.scratch_bytes))));
  require_launchable("tessera::reduce", policy, functor, call.asked_team_size);

  const Kokkos::RangePolicy<Space> one(call.space, 0, 1);
  Kokkos::parallel_for("tessera::reduce::grid_stride_begin", one,
                       Ends{call.fold, total, nullptr, call.range.size, status_word});
  Kokkos::parallel_for("tessera::reduce::grid_stride", policy, functor);
  Kokkos::parallel_for("tessera::reduce::grid_stride_end", one,
                       Ends{call.fold, total, call.out, call.range.size, status_word});
}

}  // namespace tessera::detail

#endif

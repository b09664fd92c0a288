// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second kernel where several teams share an output: folds their partial results.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_PARTS_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_PARTS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/reduce/detail/axes_problem.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/fold_finish.hpp>
#include <tessera/reduce/detail/joins.hpp>

namespace tessera::detail {

/// A team an output. problem.parts: 1, so that finish() writes results; parts: those to fold.
template <ExecutionSpace Space, class Problem>
struct ReduceParts {
  using Fold = typename Problem::fold_type;
  using policy_type = AxesPolicy<Space, Problem::teams_at_once>;
  static constexpr const char* label = "tessera::reduce_axes::parts";

  Problem problem;
  std::size_t scratch_bytes;
  int parts;

  KOKKOS_FUNCTION void operator()(const typename policy_type::member_type& team) const {
    if (problem.is_done()) return;
    std::byte* scratch = team_scratch(team, scratch_bytes);
    const AxesDim* axes = axes_in_reach<Space>(team, problem, scratch);
    std::byte* fold_scratch = scratch + after_axes();

    const IndexRange outputs = items_of(problem.kept_size, team.league_rank(), team.league_size());
    for (std::int64_t output = outputs.begin; output < outputs.end; ++output) {
      if (!problem.is_wanted(axes, output)) continue;
      const std::int64_t first = output * parts;
      if constexpr (sums_in_pairs<Fold>()) {
        pair_t<Fold> mine{};
        for (int part = team.team_rank(); part < parts; part += team.team_size()) {
          typename pair_t<Fold>::join_type{}.join(mine, problem.partials.pairs[first + part]);
        }
        const pair_t<Fold> whole = join_pairs(team, mine, fold_scratch + FoldScratch<Fold>(team.team_size()).close_at);
        if (problem.finish(team, axes, output, 0, whole)) continue;
      }
      typename Fold::thread_type thread;
      typename Fold::spill_type spill;
      problem.fold.begin(thread, spill);
      for (int part = team.team_rank(); part < parts; part += team.team_size()) {
        if constexpr (sums_in_pairs<Fold>()) {
          const pair_t<Fold> pair = problem.partials.pairs[first + part];
          if (pair.exact()) {
            problem.fold.absorb(thread, spill, pair);
            continue;
          }
        }
        problem.fold.absorb(thread, spill, problem.partials.totals[first + part]);
      }
      finish_fold(team, problem.fold, false, thread, spill, fold_scratch,
                  [&](auto&& total) { return problem.finish(team, axes, output, 0, total); });
    }
    problem.end(team);
  }
};

}  // namespace tessera::detail

#endif

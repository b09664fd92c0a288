// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant overlapping, short lines: a team takes several, each with its halos, and a thread makes a run of outputs.
#ifndef TESSERA_FILTER_DETAIL_FILTER_PADDED_LINES_HPP
#define TESSERA_FILTER_DETAIL_FILTER_PADDED_LINES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/convert.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/filter_job.hpp>
#include <tessera/filter/detail/padded_lines.hpp>
#include <tessera/filter/detail/run_sums.hpp>
#include <tessera/filter/filter_plan.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Types>
struct FilterPaddedLines {
  using policy_type = PaddedLinesPolicy<Space>;
  using member_type = typename policy_type::member_type;
  using In = typename Types::in_type;
  using Out = typename Types::out_type;
  using Staged = typename Types::staged_type;
  using Weight = typename Types::weight_type;
  using Accumulator = typename Types::accumulator_type;
  static constexpr int run = padded_lines_run;

  PaddedLines<In, Staged, Out> padded;
  FilterRule<Types> rule;
  int plain_begin, plain_end;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    std::byte* const scratch = team_scratch(team, padded.plan().bytes);
    auto* const weights = reinterpret_cast<Weight*>(scratch + padded.plan().extra_at);
    const auto taps = static_cast<int>(rule.window.taps);
    for (int k = team.team_rank(); k < taps; k += team.team_size()) {
      weights[k] = static_cast<Weight>(rule.window.weight(k));
    }
    padded.for_each(
        team, scratch, [](const In& element) { return static_cast<Staged>(element); },
        [&](const Staged* elements, const auto& x, int i, Out* slots) {
          make_run(elements, weights, taps, x, i, slots);
        });
  }

 private:
  template <class Line>
  KOKKOS_FORCEINLINE_FUNCTION void make_run(const Staged* elements, const Weight* weights, int taps, const Line& x,
                                            int i, Out* slots) const {
    Accumulator sums[run];
    run_sums(elements, 1, weights, taps, sums);
    TESSERA_UNROLL
    for (int s = 0; s < run; ++s) {
      if (i + s < padded.outputs()) slots[s] = convert<Out>(sums[s]);
    }
    if (i >= plain_begin && i + run <= plain_end) return;
    TESSERA_NO_UNROLL
    for (int s = 0; s < run && i + s < padded.outputs(); ++s) {
      if (i + s < plain_begin || i + s >= plain_end) slots[s] = rule.output(x(), i + s);
    }
  }
};

template <class Types, ExecutionSpace Space>
void launch_padded_lines(const Space& space, const FilterPlan& plan, const FilterShape& shape,
                         const FilterJob<Types>& job, int asked_team_size) {
  using Functor = FilterPaddedLines<Space, Types>;
  const FilterRule<Types>& rule = job.rule;
  const Functor functor{{filter_padded_lines_plan<Types>(device_limits(space), shape, plan.team_size), job.in, job.out,
                         rule.window.reach_left, rule.boundary},
                        rule,
                        static_cast<int>(rule.plain_begin()),
                        static_cast<int>(rule.plain_end())};
  auto policy = typename Functor::policy_type(space, plan.league_size, plan.team_size)
                    .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(plan.scratch_bytes))));
  require_launchable("tessera::filter", policy, functor, asked_team_size);
  Kokkos::parallel_for("tessera::filter::padded_lines", policy, functor);
}

}  // namespace tessera::detail

#endif

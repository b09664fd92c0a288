// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant direct: no scratch, each output by its definition. Right for everything; the foot of the ladder.
#ifndef TESSERA_FILTER_DETAIL_FILTER_DIRECT_HPP
#define TESSERA_FILTER_DETAIL_FILTER_DIRECT_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/filter/detail/filter_job.hpp>
#include <tessera/filter/filter_plan.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Types>
struct FilterDirect {
  using policy_type = Kokkos::TeamPolicy<Space>;
  using member_type = typename policy_type::member_type;

  FilterJob<Types> job;
  int tile;
  std::int64_t tiles_per_line, tiles;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const TileWalk walk = tile_walk(team, tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      const QuotientRemainder split = divide(index, tiles_per_line);
      const auto* x = job.in.line(split.quotient);
      auto* y = job.out.line(split.quotient);
      const std::int64_t end = Kokkos::min((split.remainder + 1) * tile, job.out.extent);
      for (std::int64_t i = split.remainder * tile + team.team_rank(); i < end; i += team.team_size()) {
        y[i * job.out.stride] = job.rule.output(x, i);
      }
    }
  }
};

template <class Types, ExecutionSpace Space>
void launch_direct(const Space& space, const FilterPlan& plan, const FilterJob<Types>& job, int asked_team_size) {
  const std::int64_t tiles_per_line = ceil_div(job.out.extent, plan.tile);
  const FilterDirect<Space, Types> functor{job, plan.tile, tiles_per_line, job.in.lines() * tiles_per_line};
  const auto policy = Kokkos::TeamPolicy<Space>(space, plan.league_size, plan.team_size);
  require_launchable("tessera::filter", policy, functor, asked_team_size);
  Kokkos::parallel_for("tessera::filter::direct", policy, functor);
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant juxtaposed: tiles side by side in team scratch, without halo; what lies beyond a tile's edges is read from
// memory.
#ifndef TESSERA_FILTER_DETAIL_FILTER_JUXTAPOSED_HPP
#define TESSERA_FILTER_DETAIL_FILTER_JUXTAPOSED_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/convert.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/weighted.hpp>
#include <tessera/filter/detail/filter_job.hpp>
#include <tessera/filter/filter_plan.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Types>
struct FilterJuxtaposed {
  using policy_type = Kokkos::TeamPolicy<Space>;
  using member_type = typename policy_type::member_type;
  using In = typename Types::in_type;
  using Accumulator = typename Types::accumulator_type;
  using Weight = typename Types::weight_type;

  FilterJob<Types> job;
  int tile;
  std::int64_t tiles_per_line, tiles;
  std::size_t scratch_bytes;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    auto* staged = reinterpret_cast<In*>(team_scratch(team, scratch_bytes));
    const TileWalk walk = tile_walk(team, tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      const QuotientRemainder split = divide(index, tiles_per_line);
      const In* x = job.in.line(split.quotient);
      auto* y = job.out.line(split.quotient);
      const std::int64_t first = split.remainder * tile;
      const int count = static_cast<int>(Kokkos::min<std::int64_t>(tile, job.out.extent - first));
      for (int e = team.team_rank(); e < count; e += team.team_size()) staged[e] = x[(first + e) * job.in.stride];
      team.team_barrier();
      for (int e = team.team_rank(); e < count; e += team.team_size()) {
        const std::int64_t i = first + e;
        y[i * job.out.stride] = job.rule.is_plain(i)
                                    ? convert<typename Types::out_type>(correlate(x, staged, first, count, i))
                                    : job.rule.output(x, i);
      }
      team.team_barrier();  // scratch is staged anew
    }
  }

 private:
  KOKKOS_FUNCTION Accumulator correlate(const In* x, const In* staged, std::int64_t first, int count,
                                        std::int64_t i) const {
    Accumulator sum = 0;
    for (std::int64_t k = 0; k < job.rule.window.taps; ++k) {
      const std::int64_t j = i - job.rule.window.reach_left + k;
      const In element = j >= first && j < first + count ? staged[j - first] : job.rule.element(x, j);
      sum += weighted<Accumulator>(static_cast<Weight>(job.rule.window.weight(k)), element);
    }
    return sum;
  }
};

template <class Types, ExecutionSpace Space>
void launch_juxtaposed(const Space& space, const FilterPlan& plan, const FilterJob<Types>& job, int asked_team_size) {
  const std::int64_t tiles_per_line = ceil_div(job.out.extent, plan.tile);
  const FilterJuxtaposed<Space, Types> functor{job, plan.tile, tiles_per_line, job.in.lines() * tiles_per_line,
                                               plan.scratch_bytes};
  auto policy = Kokkos::TeamPolicy<Space>(space, plan.league_size, plan.team_size)
                    .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(plan.scratch_bytes))));
  require_launchable("tessera::filter", policy, functor, asked_team_size);
  Kokkos::parallel_for("tessera::filter::juxtaposed", policy, functor);
}

}  // namespace tessera::detail

#endif

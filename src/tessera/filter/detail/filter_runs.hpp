// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant vectorized, contiguous lines, the widest of its filters: reading a window for each chunk of outputs would
// take longer than memory does. A thread makes neighbouring chunks, reads what their windows share once, and hands them
// on through scratch, so that neighbouring threads store neighbours.
#ifndef TESSERA_FILTER_DETAIL_FILTER_RUNS_HPP
#define TESSERA_FILTER_DETAIL_FILTER_RUNS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <span>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/filter_vectorized.hpp>
#include <tessera/filter/filter_plan.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Types>
struct FilterRuns : FilterVectorized<Space, Types, narrow_slots_max, runs_slots_min, runs_chunks> {
  using Base = FilterVectorized<Space, Types, narrow_slots_max, runs_slots_min, runs_chunks>;
  using typename Base::Chunk;
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<vectorized_team_size, runs_teams_at_once>,
                                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;
  using Base::width;
  static constexpr int run = runs_chunks;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    auto* chunks = reinterpret_cast<Chunk*>(team_scratch(team, this->scratch_bytes));
    Chunk* made = chunks + this->tile_chunks + this->halo_chunks;
    const TileWalk walk = tile_walk(team, this->tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      if (index != walk.begin) team.team_barrier();  // scratch has been read
      const auto place = this->place_of(index);
      this->stage(team, place.x, place.first - std::int64_t{this->chunks_left} * width, chunks);
      team.team_barrier();
      Chunk sums[run];
      correlate_narrow(chunks + team.team_rank() * run, this->taps, sums);
      TESSERA_UNROLL
      for (int r = 0; r < run; ++r) made[team.team_rank() * run + r] = sums[r];
      team.team_barrier();
      this->store_tile(
          team, place.y, place.first, [&](int chunk) { return made[chunk]; },
          [&](int at) { this->store_with_care(place.x, place.y, place.first, at, chunks); });
    }
  }
};

/// weights: of the filter, in runs_slots_min slots and more.
template <class Types, ExecutionSpace Space>
void launch_runs(const Space& space, const FilterPlan& plan, const FilterJob<Types>& job,
                 std::span<const double> weights, int asked_team_size) {
  using Functor = FilterRuns<Space, Types>;
  const Functor functor{vectorized_functor<narrow_slots_max, runs_slots_min, runs_chunks>(space, plan, job, weights)};
  launch_vectorized_functor("tessera::filter::runs", space, plan, functor, asked_team_size);
}

}  // namespace tessera::detail

#endif

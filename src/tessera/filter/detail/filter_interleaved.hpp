// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant vectorized, few lines across memory that fill it together, on devices.
#ifndef TESSERA_FILTER_DETAIL_FILTER_INTERLEAVED_HPP
#define TESSERA_FILTER_DETAIL_FILTER_INTERLEAVED_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tessera/concepts.hpp>
#include <tessera/detail/convert.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/filter_job.hpp>
#include <tessera/filter/detail/filter_sizes.hpp>
#include <tessera/filter/detail/filter_vectorized.hpp>
#include <tessera/filter/detail/interleaved_lines.hpp>
#include <tessera/filter/detail/interleaved_plan.hpp>
#include <tessera/filter/detail/run_sums.hpp>
#include <tessera/filter/filter_plan.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Types>
struct FilterInterleaved {
  using Lines = InterleavedLines<FilterInterleavedTypes<Types>>;
  using In = typename Types::in_type;
  using Out = typename Types::out_type;
  using Weight = typename Types::weight_type;
  using Accumulator = typename Types::accumulator_type;
  static constexpr int run = Lines::run;
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<vectorized_team_size, interleaved_teams_at_once>,
                                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;

  Lines lines;
  FilterJob<Types> job;
  FoldedRange<Types> folded;
  Weight weights[column_taps_max];  // part of the kernel's argument: all threads read the same one at a time
  std::size_t scratch_bytes;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const auto element = [&](const In* x, std::int64_t j) { return folded.fold.element(x, job.in.stride, j); };
    lines.for_each(team, team_scratch(team, scratch_bytes), element,
                   [&](const typename Lines::Tile& tile, const auto& runs) { make(tile, runs); });
  }

 private:
  template <class Runs>
  KOKKOS_FORCEINLINE_FUNCTION void make(const typename Lines::Tile& tile, const Runs& runs) const {
    const int plain_begin = near_index(folded.begin - tile.first), plain_end = near_index(folded.end - tile.first);
    runs([&](const typename Lines::Run& of) {
      Accumulator sums[run];
      run_sums(of.elements, of.step, weights, static_cast<int>(job.rule.window.taps), sums);
      TESSERA_UNROLL
      for (int s = 0; s < run; ++s) {
        if (s < of.count) of.slots[s * of.step] = convert<Out>(sums[s]);
      }
      if (of.i >= plain_begin && of.i + run <= plain_end) return;
      TESSERA_NO_UNROLL
      for (int s = 0; s < run && s < of.count; ++s) {
        if (of.i + s >= plain_begin && of.i + s < plain_end) continue;
        of.slots[s * of.step] = job.rule.output(of.x, tile.first + of.i + s);
      }
    });
  }
};

/// weights: of the filter, at most column_taps_max. Rows of neighbours follow each other; of several blocks, they too.
template <class Types, ExecutionSpace Space>
void launch_interleaved(const Space& space, const FilterPlan& plan, const InterleavedPlan& share,
                        const FilterJob<Types>& job, std::span<const double> weights, int asked_team_size) {
  using Functor = FilterInterleaved<Space, Types>;
  Functor functor{{share, job.in, job.out, job.rule.window.taps, job.rule.window.reach_left},
                  job,
                  FoldedRange<Types>(job.rule),
                  {},
                  share.bytes};
  put_weights(weights, job.rule.window.reversed, functor.weights);
  launch_vectorized_functor("tessera::filter::interleaved", space, plan, functor, asked_team_size);
}

}  // namespace tessera::detail

#endif

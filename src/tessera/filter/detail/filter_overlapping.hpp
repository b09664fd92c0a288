// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant overlapping: tile and halo staged in team scratch, so that each element is read from memory about once.
#ifndef TESSERA_FILTER_DETAIL_FILTER_OVERLAPPING_HPP
#define TESSERA_FILTER_DETAIL_FILTER_OVERLAPPING_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/host_stream.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/filter/detail/filter_job.hpp>
#include <tessera/filter/detail/host_correlate.hpp>
#include <tessera/filter/detail/stage.hpp>
#include <tessera/filter/detail/tile_choice.hpp>
#include <tessera/filter/filter_plan.hpp>
#include <tessera/filter/team_filter.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Types, class Choice>
struct FilterOverlapping {
  using policy_type = Kokkos::TeamPolicy<Space>;
  using member_type = typename policy_type::member_type;
  using In = typename Types::in_type;
  using Out = typename Types::out_type;
  using Staged = typename Types::staged_type;
  using Weight = typename Types::weight_type;
  using Accumulator = typename Types::accumulator_type;
  template <class T>
  using Piece = Kokkos::View<T*, Kokkos::AnonymousSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  template <class T>
  using StridedPiece =
      Kokkos::View<T*, Kokkos::LayoutStride, Kokkos::AnonymousSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  FilterJob<Types> job;
  int tile, taps_per_pass;
  std::int64_t tiles_per_line;
  IndexRange tiles;
  FilterScratch pieces;
  bool streamed;
  Choice choice;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    std::byte* scratch = team_scratch(team, pieces.bytes);
    const TileWalk walk = tile_walk(team, tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      const QuotientRemainder split = divide(index, tiles_per_line);
      const std::int64_t first = split.remainder * tile;
      if (!choice.takes(split.quotient, first, Kokkos::min(first + tile, job.out.extent))) continue;
      filter_tile(team, scratch, job.in.line(split.quotient), job.out.line(split.quotient), first);
    }
    if (streamed) stream_fence();
  }

  KOKKOS_FUNCTION void filter_tile(const member_type& team, std::byte* scratch, const In* x, Out* y,
                                   std::int64_t first) const {
    const std::int64_t end = Kokkos::min(first + tile, job.out.extent);
    const std::int64_t begin_plain = Kokkos::min(Kokkos::max(first, job.rule.plain_begin()), end);
    const std::int64_t end_plain = Kokkos::max(Kokkos::min(end, job.rule.plain_end()), begin_plain);
    filter_end(team, x, y, first, begin_plain);
    filter_end(team, x, y, end_plain, end);
    if (begin_plain < end_plain) {
      filter_range(team, scratch, x, y, begin_plain, static_cast<int>(end_plain - begin_plain));
    }
  }

  KOKKOS_FUNCTION void filter_end(const member_type& team, const In* x, Out* y, std::int64_t first,
                                  std::int64_t end) const {
    for (std::int64_t i = first + team.team_rank(); i < end; i += team.team_size()) {
      y[i * job.out.stride] = job.rule.output(x, i);
    }
  }

  KOKKOS_FUNCTION void filter_range(const member_type& team, std::byte* scratch, const In* x, Out* y,
                                    std::int64_t first, int count) const {
    auto* weights = reinterpret_cast<Weight*>(scratch + pieces.weights_at);
    const Piece<Accumulator> sums(reinterpret_cast<Accumulator*>(scratch + pieces.sums_at), count);
    for (std::int64_t tap = 0; tap < job.rule.window.taps; tap += taps_per_pass) {
      const int taps = static_cast<int>(Kokkos::min<std::int64_t>(taps_per_pass, job.rule.window.taps - tap));
      const int span = count + taps - 1;
      const Staged* footprint = footprint_of(team, x, first - job.rule.window.reach_left + tap, span,
                                             reinterpret_cast<Staged*>(scratch + pieces.footprint_at));
      for (int k = team.team_rank(); k < taps; k += team.team_size()) {
        weights[k] = static_cast<Weight>(job.rule.window.weight(tap + k));
      }
      team.team_barrier();
      const Piece<const Staged> staged(footprint, span);
      const Piece<const Weight> staged_weights(weights, taps);
      const Piece<Accumulator> earlier(sums.data(), tap == 0 ? 0 : count);
      if (tap + taps < job.rule.window.taps) {
        team_correlate<Accumulator>(team, staged, staged_weights, sums, earlier);
      } else if (job.out.stride == 1) {
        correlate_last(team, staged, staged_weights, Piece<Out>(y + first, count), earlier);
      } else {
        const StridedPiece<Out> target(y + first * job.out.stride,
                                       Kokkos::LayoutStride(count, static_cast<std::size_t>(job.out.stride)));
        team_correlate<Accumulator>(team, staged, staged_weights, target, earlier);
      }
      team.team_barrier();  // scratch is staged anew
    }
  }

  /// The last pass, to neighbours in memory.
  KOKKOS_FUNCTION void correlate_last(const member_type& team, const Piece<const Staged>& staged,
                                      const Piece<const Weight>& weights, const Piece<Out>& out,
                                      const Piece<Accumulator>& earlier) const {
#ifdef TESSERA_HOST_VECTORS
    if constexpr (is_host_space<Space> && has_streamed_runs<Types>) {
      constexpr int outputs = filter_outputs_per_thread<true>;
      const auto taps = static_cast<int>(weights.extent(0)), count = static_cast<int>(out.extent(0));
      if (streamed && count >= outputs) {
        return stream_correlate<outputs>(weights.data(), taps, staged.data(),
                                         earlier.extent(0) == 0 ? nullptr : earlier.data(), out.data(), count,
                                         team.team_rank(), team.team_size());
      }
    }
#endif
    team_correlate<Accumulator>(team, staged, weights, out, earlier);
  }

  /// Elements first .. first + count - 1: on a host, whose caches are its scratch, where they lie if they lie there as
  /// they are to be staged.
  KOKKOS_FUNCTION const Staged* footprint_of(const member_type& team, const In* x, std::int64_t first, int count,
                                             Staged* scratch) const {
    if constexpr (is_host_space<Space> && std::is_same_v<In, Staged>) {
      if (job.in.stride == 1 && first >= 0 && first + count <= job.in.extent) return x + first;
    }
    return stage_line(team, x, job.in.stride, job.in.extent, first, count, job.rule.boundary, scratch);
  }
};

template <class Types, ExecutionSpace Space, class Choice = EveryTile>
void launch_overlapping(const Space& space, const FilterPlan& plan, const FilterJob<Types>& job, int asked_team_size,
                        const Choice& choice = {}) {
  const std::int64_t tiles_per_line = ceil_div(job.out.extent, plan.tile);
  const IndexRange tiles = choice.tiles(plan.tile, 0, tiles_per_line, job.in.lines());
  const FilterScratch pieces =
      filter_scratch<Types>(plan.tile, plan.taps_per_pass, job.rule.window.taps > plan.taps_per_pass);
  const FilterOverlapping<Space, Types, Choice> functor{job,   plan.tile, plan.taps_per_pass, tiles_per_line,
                                                        tiles, pieces,    plan.streamed,      choice};
  auto policy = Kokkos::TeamPolicy<Space>(space, choice.league(plan.league_size, tiles), plan.team_size)
                    .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(plan.scratch_bytes))));
  require_launchable("tessera::filter", policy, functor, asked_team_size);
  Kokkos::parallel_for("tessera::filter::overlapping", policy, functor);
}

}  // namespace tessera::detail

#endif

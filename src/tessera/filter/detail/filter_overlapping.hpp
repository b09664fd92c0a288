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
#include <tessera/detail/convert.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/filter/detail/line_array.hpp>
#include <tessera/filter/detail/stage.hpp>
#include <tessera/filter/filter_plan.hpp>
#include <tessera/filter/team_filter.hpp>

namespace tessera::detail {

/// Types of one instantiation. Integers are staged as they are: a wider accumulator would only fill scratch.
template <class In, class Out, class Accumulator>
struct FilterTypes {
  using in_type = In;
  using out_type = Out;
  using accumulator_type = Accumulator;
  using staged_type = std::conditional_t<std::is_floating_point_v<Accumulator>, Accumulator, In>;
  using weight_type = std::conditional_t<std::is_floating_point_v<Accumulator>, Accumulator, std::int64_t>;
};

/// The window: out[i] = sum_k w[k] x[i - reach_left + k], w reversed for a convolution.
struct FilterWindow {
  const double* weights;
  std::int64_t taps;
  std::int64_t reach_left;
  bool reversed;
};

template <ExecutionSpace Space, class Types>
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

  LineArray<const In> in;
  LineArray<Out> out;
  FilterWindow window;
  Boundary<In> boundary;
  int tile, taps_per_pass;
  std::int64_t tiles_per_line, tiles;
  FilterScratch pieces;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    std::byte* scratch = team_scratch(team, pieces.bytes);
    for (std::int64_t index = team.league_rank(); index < tiles; index += team.league_size()) {
      const QuotientRemainder split = divide(index, tiles_per_line);
      filter_tile(team, scratch, in.line(split.quotient), out.line(split.quotient), split.remainder * tile);
    }
  }

  KOKKOS_FUNCTION void filter_tile(const member_type& team, std::byte* scratch, const In* x, Out* y,
                                   std::int64_t first) const {
    const std::int64_t n = in.extent;
    const std::int64_t end = Kokkos::min(first + tile, n);
    const std::int64_t reach_right = window.taps - 1 - window.reach_left;
    const std::int64_t kept_left = boundary.left == BoundaryMode::keep ? window.reach_left : 0;
    const std::int64_t kept_right = boundary.right == BoundaryMode::keep ? n - reach_right : n;
    const std::int64_t begin_computed = Kokkos::min(Kokkos::max(first, kept_left), end);
    const std::int64_t end_computed = Kokkos::max(Kokkos::min(end, kept_right), begin_computed);
    copy_kept(team, x, y, first, begin_computed);
    copy_kept(team, x, y, end_computed, end);
    if (begin_computed < end_computed) {
      filter_range(team, scratch, x, y, begin_computed, static_cast<int>(end_computed - begin_computed));
    }
  }

  KOKKOS_FUNCTION void copy_kept(const member_type& team, const In* x, Out* y, std::int64_t first,
                                 std::int64_t end) const {
    for (std::int64_t i = first + team.team_rank(); i < end; i += team.team_size()) {
      y[i * out.stride] = convert<Out>(x[i * in.stride]);
    }
  }

  KOKKOS_FUNCTION void filter_range(const member_type& team, std::byte* scratch, const In* x, Out* y,
                                    std::int64_t first, int count) const {
    auto* weights = reinterpret_cast<Weight*>(scratch + pieces.weights_at);
    const Piece<Accumulator> sums(reinterpret_cast<Accumulator*>(scratch + pieces.sums_at), count);
    for (std::int64_t tap = 0; tap < window.taps; tap += taps_per_pass) {
      const int taps = static_cast<int>(Kokkos::min<std::int64_t>(taps_per_pass, window.taps - tap));
      const int span = count + taps - 1;
      const Staged* footprint = stage_line(team, x, in.stride, in.extent, first - window.reach_left + tap, span,
                                           boundary, reinterpret_cast<Staged*>(scratch + pieces.footprint_at));
      for (int k = team.team_rank(); k < taps; k += team.team_size()) {
        weights[k] = static_cast<Weight>(window.weights[window.reversed ? window.taps - 1 - tap - k : tap + k]);
      }
      team.team_barrier();
      const Piece<const Staged> staged(footprint, span);
      const Piece<const Weight> staged_weights(weights, taps);
      const Piece<Accumulator> earlier(sums.data(), tap == 0 ? 0 : count);
      if (tap + taps < window.taps) {
        team_correlate<Accumulator>(team, staged, staged_weights, sums, earlier);
      } else if (out.stride == 1) {
        team_correlate<Accumulator>(team, staged, staged_weights, Piece<Out>(y + first, count), earlier);
      } else {
        const StridedPiece<Out> target(y + first * out.stride,
                                       Kokkos::LayoutStride(count, static_cast<std::size_t>(out.stride)));
        team_correlate<Accumulator>(team, staged, staged_weights, target, earlier);
      }
      team.team_barrier();  // scratch is staged anew
    }
  }
};

template <class Types, ExecutionSpace Space>
void launch_overlapping(const Space& space, const FilterPlan& plan, const LineArray<const typename Types::in_type>& in,
                        const LineArray<typename Types::out_type>& out, const FilterWindow& window,
                        const Boundary<typename Types::in_type>& boundary, int asked_team_size) {
  const std::int64_t tiles_per_line = ceil_div(in.extent, plan.tile);
  const FilterScratch pieces = filter_scratch<Types>(plan.tile, plan.taps_per_pass, window.taps > plan.taps_per_pass);
  const FilterOverlapping<Space, Types> functor{
      in, out, window, boundary, plan.tile, plan.taps_per_pass, tiles_per_line, in.lines() * tiles_per_line, pieces};
  auto policy = Kokkos::TeamPolicy<Space>(space, plan.league_size, plan.team_size)
                    .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(plan.scratch_bytes))));
  require_launchable("tessera::filter", policy, functor, asked_team_size);
  Kokkos::parallel_for("tessera::filter::overlapping", policy, functor);
}

}  // namespace tessera::detail

#endif

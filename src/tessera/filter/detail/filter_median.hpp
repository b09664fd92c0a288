// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The course of a median filter over lines and tiles, and what its methods share.
#ifndef TESSERA_FILTER_DETAIL_FILTER_MEDIAN_HPP
#define TESSERA_FILTER_DETAIL_FILTER_MEDIAN_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/convert.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/filter/detail/line_array.hpp>
#include <tessera/filter/detail/median_key.hpp>
#include <tessera/filter/detail/stage.hpp>
#include <tessera/filter/median_plan.hpp>

namespace tessera::detail {

/// Lines and windows: out[i] is the median of x[i - reach_left] .. x[i - reach_left + taps - 1].
template <class T, class Out>
struct MedianLines {
  LineArray<const T> in;
  LineArray<Out> out;
  Boundary<T> boundary;
  std::int64_t taps, reach_left;
  bool omits_nan = false;

  [[nodiscard]] KOKKOS_FUNCTION T element(const T* x, std::int64_t j) const {
    return boundary.element(x, in.stride, j, in.extent);
  }

  /// Those of NaN are beyond all others of floats.
  [[nodiscard]] KOKKOS_FUNCTION MedianKey<T> key(T element) const {
    return is_nan(element) ? ~MedianKey<T>{0} : median_key(element);
  }
  /// Of the ascending keys of a window with so many NaN, the place of its median; -1 where that is NaN.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t rank(std::int64_t nans) const {
    if (nans == 0) return taps / 2;
    return omits_nan && nans < taps ? (taps - nans) / 2 : -1;
  }
};

/// Elements by which scratch is shifted so that its 16-byte pieces are those of y.
template <class T, class Out>
KOKKOS_FUNCTION int aligned_shift(const Out* y, std::int64_t stride) {
  if constexpr (!std::is_same_v<T, Out>) {
    return 0;
  } else {
    constexpr std::int64_t width = packed_length<T>;
    return stride == 1 ? static_cast<int>((width - misaligned_head(y, width)) % width) : 0;
  }
}

/// results: shifted by aligned_shift(y, stride).
template <TeamMember Member, class T, class Out>
KOKKOS_FUNCTION void store_results(const Member& team, const T* results, Out* y, std::int64_t stride, int count) {
  int done = 0;
  if constexpr (std::is_same_v<T, Out> && !is_host_space<typename Member::execution_space>) {
    if (stride == 1) {
      const int head = static_cast<int>(misaligned_head(y, count));
      const int packs = (count - head) / packed_length<T>;
      const auto* source = reinterpret_cast<const Packed<T>*>(results + head);
      auto* target = reinterpret_cast<Packed<T>*>(y + head);
      for (int p = team.team_rank(); p < packs; p += team.team_size()) target[p] = source[p];
      for (int i = team.team_rank(); i < head; i += team.team_size()) y[i] = results[i];
      done = head + packs * packed_length<T>;
    }
  }
  for (int i = done + team.team_rank(); i < count; i += team.team_size()) y[i * stride] = convert<Out>(results[i]);
}

/// Method: filter_range() of a run of outputs whose windows are all computed, with scratch of its scratch_level.
template <ExecutionSpace Space, class T, class Out, class Method>
struct FilterMedian {
  using policy_type = Kokkos::TeamPolicy<Space>;
  using member_type = typename policy_type::member_type;

  MedianLines<T, Out> lines;
  Method method;
  int tile;
  std::int64_t tiles;
  bool lines_first;       // neighbouring teams take neighbouring lines
  std::int64_t in_a_row;  // lines then, else tiles of a line

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    std::byte* scratch = team_scratch<Method::scratch_level>(team, method.pieces.bytes);
    const TileWalk walk = tile_walk(team, tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      const QuotientRemainder split = divide(index, in_a_row);
      const std::int64_t line = lines_first ? split.remainder : split.quotient;
      const T* x = lines.in.line(line);
      Out* y = lines.out.line(line);
      const std::int64_t n = lines.in.extent;
      const std::int64_t first = (lines_first ? split.quotient : split.remainder) * tile,
                         end = Kokkos::min(first + tile, n);
      const std::int64_t kept_left = lines.boundary.left == BoundaryMode::keep ? lines.reach_left : 0;
      const std::int64_t kept_right =
          lines.boundary.right == BoundaryMode::keep ? n - (lines.taps - 1 - lines.reach_left) : n;
      // A window of one is a copy everywhere.
      const std::int64_t begin_computed = lines.taps == 1 ? end : Kokkos::min(Kokkos::max(first, kept_left), end);
      const std::int64_t end_computed = Kokkos::max(Kokkos::min(end, kept_right), begin_computed);
      copy(team, x, y, first, begin_computed);
      copy(team, x, y, end_computed, end);
      if (begin_computed == end_computed) continue;
      method.filter_range(team, scratch, lines, x, y, begin_computed, static_cast<int>(end_computed - begin_computed));
      team.team_barrier();  // scratch is used anew
    }
  }

  KOKKOS_FUNCTION void copy(const member_type& team, const T* x, Out* y, std::int64_t first, std::int64_t end) const {
    for (std::int64_t i = first + team.team_rank(); i < end; i += team.team_size()) {
      y[i * lines.out.stride] = convert<Out>(x[i * lines.in.stride]);
    }
  }
};

template <ExecutionSpace Space, class T, class Out, class Method>
void launch_median(const Space& space, const MedianPlan& plan, const MedianLines<T, Out>& lines, const Method& method,
                   int asked_team_size) {
  const std::int64_t count = lines.in.lines(), tiles_per_line = ceil_div(lines.in.extent, plan.tile);
  // Elements of lines across memory share sectors with those of their neighbours.
  const bool lines_first =
      !is_host_space<Space> && lines.in.columns() > 1 && lines.in.column_stride() < lines.in.stride;
  const FilterMedian<Space, T, Out, Method> functor{
      lines, method, plan.tile, count * tiles_per_line, lines_first, lines_first ? count : tiles_per_line};
  const int scratch = static_cast<int>(scratch_request(plan.scratch_bytes));
  auto policy = Kokkos::TeamPolicy<Space>(space, plan.league_size, plan.team_size)
                    .set_scratch_size(Method::scratch_level, Kokkos::PerTeam(scratch));
  require_launchable("tessera::median_filter", policy, functor, asked_team_size);
  Kokkos::parallel_for("tessera::median_filter", policy, functor);
}

}  // namespace tessera::detail

#endif

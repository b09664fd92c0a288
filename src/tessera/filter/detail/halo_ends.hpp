// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outputs whose windows reach a halo of the caller's: the few at the ends of lines, each made by itself. A kernel that
// knows of no halo has made the others, and has written there what these replace.
#ifndef TESSERA_FILTER_DETAIL_HALO_ENDS_HPP
#define TESSERA_FILTER_DETAIL_HALO_ENDS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/filter/detail/filter_request.hpp>
#include <tessera/filter/detail/line_array.hpp>
#include <tessera/filter/detail/stage.hpp>
#include <tessera/filter/detail/window_pieces.hpp>
#include <tessera/filter/halo.hpp>
#include <type_traits>

namespace tessera::detail {

template <class Side>
inline constexpr bool is_halo = !std::is_same_v<Side, NoHalo>;

/// The options of the kernel that makes the other outputs: those at a halo are kept, then replaced.
template <class Left, class Right, class Options>
Options without_halo(std::string_view function, Options options) {
  static_assert(is_halo<Left> || is_halo<Right>, "tessera::Halo: a halo has at least one side");
  if (is_halo<Left>) options.mode_left = BoundaryMode::keep;
  if (is_halo<Right>) options.mode_right = BoundaryMode::keep;
  require_element_modes(function, options.mode_left, options.mode_right);
  return options;
}

/// One side of it as lines in the order of those of `in`, at least reach elements of each.
template <ExecutionSpace Space, View InView, View OutView, class Side>
LineArray<const typename InView::non_const_value_type> halo_lines(std::string_view function, std::string_view name,
                                                                  const InView& in, const OutView& out,
                                                                  const Side& side, int axis, std::int64_t reach) {
  using In = typename InView::non_const_value_type;
  if constexpr (is_halo<Side>) {
    static_assert(AccessibleFrom<Side, Space>, "tessera::Halo: its views must be in memory that the space can access");
    static_assert(static_cast<std::size_t>(Side::rank()) == static_cast<std::size_t>(InView::rank()),
                  "tessera::Halo: its views must have the rank of `in`");
    static_assert(std::is_same_v<typename Side::non_const_value_type, In>,
                  "tessera::Halo: its views must have the elements of `in`");
    auto extents = extents_of(in);
    const std::size_t along = side.extent(axis);
    extents[static_cast<std::size_t>(axis)] = along;
    TESSERA_REQUIRE_ARGUMENT(extents_of(side) == extents && static_cast<std::int64_t>(along) >= reach, function, name,
                             "extents " + extents_text(side),
                             "those of `in`, " + extents_text(in) + ", but along axis " + std::to_string(axis) +
                                 " at least " + std::to_string(reach),
                             "pass all elements that windows reach");
    require_disjoint(function, side, out, name);
    return line_arrays<const In, const In>(in, side, axis).second;
  } else {
    return {};
  }
}

/// A line and what stands beyond its ends.
template <class T>
struct HaloLine {
  const T *x, *left, *right;
  std::int64_t extent, stride, left_extent, left_stride, right_stride;
  Boundary<T> boundary;  // of a side without a halo

  [[nodiscard]] KOKKOS_FUNCTION T element(std::int64_t j) const {
    if (j < 0 && left != nullptr) return left[(left_extent + j) * left_stride];
    if (j >= extent && right != nullptr) return right[(j - extent) * right_stride];
    return boundary.element(x, stride, j, extent);
  }
};

/// Rule: rule(line, i) is output i of a HaloLine.
template <ExecutionSpace Space, class In, class Out, class Rule>
struct HaloEnds {
  using policy_type = Kokkos::TeamPolicy<Space>;
  using member_type = typename policy_type::member_type;

  LineArray<const In> in, left, right;
  LineArray<Out> out;
  Boundary<In> boundary;
  Rule rule;
  std::int64_t left_ends, right_begin, ends;  // outputs 0 .. left_ends - 1 and right_begin .. of each line
  std::int64_t lines;
  int tile;
  bool lines_first;  // neighbouring threads take neighbouring lines

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const std::int64_t count = lines * ends;
    for (std::int64_t first = std::int64_t{team.league_rank()} * tile; first < count;
         first += std::int64_t{team.league_size()} * tile) {
      const std::int64_t last = Kokkos::min(first + tile, count);
      for (std::int64_t at = first + team.team_rank(); at < last; at += team.team_size()) {
        const QuotientRemainder split = divide(at, lines_first ? lines : ends);
        const std::int64_t line = lines_first ? split.remainder : split.quotient;
        const std::int64_t end = lines_first ? split.quotient : split.remainder;
        const std::int64_t i = end < left_ends ? end : right_begin + (end - left_ends);
        const HaloLine<In> pieces{in.line(line), left.line(line), right.line(line), in.extent, in.stride,
                                  left.extent,   left.stride,     right.stride,     boundary};
        out.line(line)[i * out.stride] = rule(pieces, i);
      }
    }
  }
};

/// boundary: with mode keep on the sides that have a halo.
template <class Left, class Right, class In, class Out, class Rule, ExecutionSpace Space>
void launch_halo_ends(const Space& space, const LineArray<const In>& in, const LineArray<const In>& left,
                      const LineArray<const In>& right, const LineArray<Out>& out, const Boundary<In>& boundary,
                      const WindowShape& window, const Rule& rule) {
  const std::int64_t n = in.extent, reach_right = window.size - 1 - window.reach_left;
  // Those whose window leaves the line on a side that keeps them stay as they are.
  const bool keeps_left = !is_halo<Left> && boundary.left == BoundaryMode::keep;
  const bool keeps_right = !is_halo<Right> && boundary.right == BoundaryMode::keep;
  const std::int64_t begin = keeps_left ? std::min(window.reach_left, n) : 0;
  const std::int64_t end = keeps_right ? std::max(n - reach_right, begin) : n;
  const std::int64_t left_ends = is_halo<Left> ? std::min(window.reach_left, end) : 0;
  const std::int64_t right_begin = is_halo<Right> ? std::clamp(n - reach_right, std::max(left_ends, begin), end) : end;
  using Functor = HaloEnds<Space, In, Out, Rule>;
  const std::int64_t lines = in.lines(), ends = left_ends + (end - right_begin);
  if (lines * ends == 0) return;
  const DeviceLimits limits = device_limits(space);
  const int team_size = limits.is_host ? 1 : 128;
  const int tile = limits.is_host ? 64 : team_size;
  const Functor functor{in,        left,        right, out,   boundary, rule,
                        left_ends, right_begin, ends,  lines, tile,     in.stride != 1};
  const auto policy =
      typename Functor::policy_type(space, tile_league(limits, ceil_div(lines * ends, tile)), team_size);
  Kokkos::parallel_for("tessera::filter::halo_ends", policy, functor);
}

}  // namespace tessera::detail

#endif

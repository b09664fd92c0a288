// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device level: the median of a moving window along any axis.
#ifndef TESSERA_FILTER_MEDIAN_FILTER_HPP
#define TESSERA_FILTER_MEDIAN_FILTER_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/convert.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/filter/detail/filter_shape.hpp>
#include <tessera/filter/detail/find_nan.hpp>
#include <tessera/filter/detail/halo_ends.hpp>
#include <tessera/filter/detail/median_direct.hpp>
#include <tessera/filter/detail/median_network.hpp>
#include <tessera/filter/detail/median_ranks.hpp>
#include <tessera/filter/detail/window_chunks.hpp>
#include <tessera/filter/detail/window_columns.hpp>
#include <tessera/filter/detail/window_interleaved.hpp>
#include <tessera/filter/detail/window_lines.hpp>
#include <tessera/filter/detail/window_median_network.hpp>
#include <tessera/filter/detail/window_padded_lines.hpp>
#include <tessera/filter/detail/window_pieces.hpp>
#include <tessera/filter/filter.hpp>
#include <tessera/filter/halo.hpp>
#include <tessera/filter/median_plan.hpp>
#include <tessera/filter/window_options.hpp>
#include <tessera/filter/window_plan.hpp>
#include <tessera/workspace.hpp>
#include <type_traits>

namespace tessera {

namespace detail {

/// In registers.
template <class Op, ExecutionSpace Space, class T, class Out>
void run_median_windows(const Space& space, const MedianPlan& plan, const MedianLines<T, Out>& lines,
                        int asked_team_size) {
  constexpr std::string_view function = "tessera::median_filter";
  if constexpr (makes_runs<Op>) {
    if (plan.method == MedianMethod::network) {
      using Method = NetworkMedian<T, Op::whole_windows_max, Op::run, !is_host_space<Space>>;
      const auto pieces = median_scratch<T>(plan.method, plan.tile, plan.network_window, plan.runs);
      return launch_median(space, plan, lines, Method{pieces}, asked_team_size);
    }
  }
  const WindowLines<Op> windows{lines.in, lines.out, lines.boundary, {lines.taps, lines.reach_left}};
  const WindowPlan windows_plan{.league_size = plan.league_size,
                                .team_size = plan.team_size,
                                .tile = plan.tile,
                                .lanes = plan.lanes,
                                .scratch_bytes = plan.scratch_bytes};
  if constexpr (!makes_runs<Op>) {
    if (plan.method == MedianMethod::chunks) {
      return launch_window_chunks(function, space, windows_plan, windows, Op(), asked_team_size);
    }
  }
  if constexpr (!makes_runs<Op> || !is_host_space<Space>) {
    if (plan.method == MedianMethod::columns) {
      return launch_window_columns(function, space, windows_plan, windows, Op(), asked_team_size);
    }
  }
  if constexpr (!is_host_space<Space>) {
    if (plan.method == MedianMethod::interleaved) {
      return launch_window_interleaved(function, space, windows_plan, windows, Op(), asked_team_size);
    }
    launch_window_padded_lines(function, space, windows_plan, windows, Op(), asked_team_size);
  }
}

template <ExecutionSpace Space, class T, class Out>
void run_median(const Space& space, const MedianPlan& plan, const MedianLines<T, Out>& lines, int asked_team_size) {
  const MedianScratch pieces = median_scratch<T>(plan.method, plan.tile, lines.taps, plan.runs);
  switch (plan.method) {
    case MedianMethod::ranks:
      return launch_median(space, plan, lines, RanksMedian<T, MedianMethod::ranks>(pieces, plan), asked_team_size);
    case MedianMethod::memory_ranks:
      return launch_median(space, plan, lines, RanksMedian<T, MedianMethod::memory_ranks>(pieces, plan),
                           asked_team_size);
    case MedianMethod::direct:
      return launch_median(space, plan, lines, DirectMedian<T>{pieces}, asked_team_size);
    case MedianMethod::chunks:
    case MedianMethod::network:
    case MedianMethod::columns:
    case MedianMethod::interleaved:
    case MedianMethod::padded:
      break;
  }
  with_median_windows<!is_host_space<Space>, T, Out>(
      plan.network_window, [&]<class Op>(const Op&) { run_median_windows<Op>(space, plan, lines, asked_team_size); });
}

inline void require_median_window(std::string_view function, std::int64_t window, const WindowOptions& options) {
  TESSERA_REQUIRE_ARGUMENT(window >= 1, function, "window", std::to_string(window), "at least 1",
                           "a window of one copies");
  require_origin(function, window, options.origin, [&] { return "a window of " + std::to_string(window); });
}

template <ExecutionSpace Space, View InView, View OutView>
void filter_medians(const Space& space, const InView& in, std::int64_t window, const OutView& out,
                    const WindowOptions& options, std::uint64_t* status_word) {
  static_assert(AccessibleFrom<InView, Space>,
                "tessera::median_filter: `in` must be in memory that the space can access");
  static_assert(AccessibleFrom<OutView, Space>,
                "tessera::median_filter: `out` must be in memory that the space can access");
  static_assert(InView::rank() >= 1, "tessera::median_filter: `in` must have rank 1 to 8");
  static_assert(static_cast<std::size_t>(InView::rank()) == static_cast<std::size_t>(OutView::rank()),
                "tessera::median_filter: `in` and `out` must have the same rank");
  using T = typename InView::non_const_value_type;
  using Out = typename OutView::value_type;
  static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8) && std::is_arithmetic_v<Out>,
                "tessera::median_filter: the elements must be numbers, those of `in` of 4 or 8 bytes");
  constexpr std::string_view function = "tessera::median_filter";
  const Kokkos::Profiling::ScopedRegion region("tessera::median_filter");

  bool same_extents = true;
  for (std::size_t d = 0; d < InView::rank(); ++d) same_extents = same_extents && in.extent(d) == out.extent(d);
  TESSERA_REQUIRE_ARGUMENT(same_extents, function, "out", "extents " + extents_text(out),
                           "those of `in`, " + extents_text(in), "make the views of the same shape");
  require_disjoint(function, in, out);
  require_median_window(function, window, options);
  require_element_modes(function, options.mode_left, options.mode_right);
  const int axis = filter_axis(function, options.axis, static_cast<int>(InView::rank()));
  const Boundary<T> boundary{options.mode_left, options.mode_right, boundary_value<T>(function, options)};
  const bool refuses_nan = require_nan_policy<T>(function, options.nan, boundary.cval, status_word != nullptr);
  const auto [in_lines, out_lines] = line_arrays<const T, Out>(in, out, axis);
  const MedianLines<T, Out> lines{
      in_lines, out_lines, boundary, window, window / 2 + options.origin, options.nan == NanPolicy::omit};
  if (in.size() == 0) return;
  const MedianPlan plan = make_median_plan<T, Out>(device_limits(space), lines.in.lines(), lines.in.extent, window,
                                                   options, line_place(in_lines, out_lines));
  if constexpr (std::is_floating_point_v<T>) {
    if (refuses_nan) launch_find_nan(space, in, status_word);
  }
  run_median(space, plan, lines, options.team_size);
}

/// For the few outputs at a halo.
template <class T, class Out>
struct MedianHaloRule {
  MedianLines<T, Out> lines;

  KOKKOS_FUNCTION Out operator()(const HaloLine<T>& line, std::int64_t i) const {
    return convert<Out>(
        DirectMedian<T>::median(lines, [&](std::int64_t k) { return line.element(i - lines.reach_left + k); }));
  }
};

template <ExecutionSpace Space, View InView, View OutView, class Left, class Right>
void filter_median_halo(const Space& space, const InView& in, std::int64_t window, const OutView& out,
                        const WindowOptions& asked, const Halo<Left, Right>& halo) {
  using T = typename InView::non_const_value_type;
  using Out = typename OutView::value_type;
  constexpr std::string_view function = "tessera::median_filter";
  const auto options = without_halo<Left, Right>(function, asked);
  require_median_window(function, window, options);
  const int axis = filter_axis(function, options.axis, static_cast<int>(InView::rank()));
  const std::int64_t reach_left = window / 2 + options.origin;
  const auto left = halo_lines<Space>(function, "halo.left", in, out, halo.left, axis, reach_left);
  const auto right = halo_lines<Space>(function, "halo.right", in, out, halo.right, axis, window - 1 - reach_left);
  filter_medians(space, in, window, out, options, nullptr);
  const auto [in_lines, out_lines] = line_arrays<const T, Out>(in, out, axis);
  const Boundary<T> boundary{options.mode_left, options.mode_right, boundary_value<T>(function, options)};
  const MedianLines<T, Out> lines{in_lines, out_lines, boundary, window, reach_left, options.nan == NanPolicy::omit};
  launch_halo_ends<Left, Right>(space, in_lines, left, right, out_lines, boundary, WindowShape{window, reach_left},
                                MedianHaloRule<T, Out>{lines});
}

}  // namespace detail

/// Replaces every element of the lines of one axis by the median of the m elements around it: out[i] is element
/// floor(m/2), counted from 0, of the ascending x[i - a] .. x[i - a + m - 1], a = floor(m/2) + origin, for even m too.
/// x beyond the line is what the boundary modes say. Asynchronous on the instance; neither allocates nor waits, but for
/// Kokkos' scratch of level 1 (below) when that grows.
///
/// \param[in] space    the instance that runs it
/// \param[in] in       rank 1 to 8, any extents (64-bit sizes, 0 included) and layout, of numbers of 4 or 8 bytes
/// \param[in] window   m >= 1; it may exceed n
/// \param[out] out     the extents of in, any layout without zero strides, memory disjoint from in
/// \param[in] options  axis, modes (elements: not odd, renormalise, valid), cval, origin, NaN policy, sizes of league
///                     and team
///
/// Exact: every output is an element of its window, -0.0 before +0.0, converted to the output's type (floats round,
/// integers clamp). A NaN reaches exactly the outputs whose window holds it, and is a quiet one there; under NaN policy
/// omit an output is element floor(l/2) of the l others, NaN where l is 0. The same bits for every plan and device.
/// Cost: up to m = 33 some comparisons or exchanges in registers for an output, which neighbours share. For wider
/// windows tiles are sorted with what windows see beyond them, and windows move on as sets of bits: a few steps for an
/// output, however wide the window is, where the medians of neighbours are close in rank, and some m / 30, or m / 700
/// in scratch of level 1, where they are far apart, as on a line whose elements alternate. Up to about 4000 floats or
/// 2800 elements of 8 bytes that is done in team scratch on devices, else in scratch of level 1, of which a team takes
/// 20 MB at most, for windows of a million elements, and all teams of an instance of a device 1 GiB (whatever league is
/// asked for; Kokkos throws where there is no room). Wider windows take m steps for each bit of the elements' type.
/// Lines across memory, of 2 m elements and more, are read in whole rows up to m = 33 on devices (by teams of up to
/// 128) and up to m = 5 on hosts where a row has 32 bytes, on devices also where rows follow each other, and NaN are
/// not omitted; others are read element by element. Compulsory bytes: each element of in read once, each of out written
/// once.
///
/// \throws InvalidArgument  for a window below 1, extents that differ, overlapping views, an origin beyond the window,
///                          NaN policy error without a workspace, a cval that the input's type cannot hold, sizes of
///                          league or team that the space cannot have
template <ExecutionSpace Space, View InView, View OutView>
void median_filter(const Space& space, const InView& in, std::int64_t window, const OutView& out,
                   const WindowOptions& options = {}) {
  detail::filter_medians(space, in, window, out, options, nullptr);
}

/// The same under any NaN policy: `error` reads in once more before, and leaves the row-major position of the first NaN
/// in the workspace (of any size), which check(space, workspace) throws; outputs are as under propagate.
template <ExecutionSpace Space, View InView, View OutView>
void median_filter(const Space& space, const InView& in, std::int64_t window, const OutView& out,
                   const WindowOptions& options, const Workspace<Space>& workspace) {
  detail::filter_medians(space, in, window, out, options, workspace.status_word());
}

/// Lines that go on beyond their ends in views of the caller's, on the sides that halo has: their modes have no part in
/// it then. All else as above; any NaN policy but error. A second kernel makes the outputs whose windows reach the
/// halo, each in m steps for each bit of the elements' type.
///
/// \throws InvalidArgument  also for views of a halo that have too few elements, or share memory with out
template <ExecutionSpace Space, View InView, View OutView, class Left, class Right>
void median_filter(const Space& space, const InView& in, std::int64_t window, const OutView& out,
                   const WindowOptions& options, const Halo<Left, Right>& halo) {
  detail::filter_median_halo(space, in, window, out, options, halo);
}

/// The plan that median_filter() follows for `in` (its extents and strides alone) and an `out` of its strides and type.
/// Pure: it launches and allocates nothing.
///
/// \throws InvalidArgument  for an axis, or sizes of league or team, that it refuses; what else it refuses it alone
///                          looks at
template <ExecutionSpace Space, View InView>
MedianPlan median_plan(const Space& space, const InView& in, std::int64_t window, const WindowOptions& options = {}) {
  using T = typename InView::non_const_value_type;
  const int axis = detail::filter_axis("tessera::median_plan", options.axis, static_cast<int>(InView::rank()));
  const auto lines = detail::line_arrays<const T, const T>(in, in, axis).first;
  return detail::make_median_plan<T>(detail::device_limits(space), lines.lines(), lines.extent, window, options,
                                     detail::line_place(lines, lines));
}

}  // namespace tessera

#endif

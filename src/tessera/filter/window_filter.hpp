// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device level: minimum, maximum and mean of a moving window along any axis, at a cost per element that does not
// grow with the window.
#ifndef TESSERA_FILTER_WINDOW_FILTER_HPP
#define TESSERA_FILTER_WINDOW_FILTER_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <limits>
#include <string>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/filter/detail/filter_shape.hpp>
#include <tessera/filter/detail/find_nan.hpp>
#include <tessera/filter/detail/halo_ends.hpp>
#include <tessera/filter/detail/make_window_plan.hpp>
#include <tessera/filter/detail/window_blocks.hpp>
#include <tessera/filter/detail/window_box.hpp>
#include <tessera/filter/detail/window_chunks.hpp>
#include <tessera/filter/detail/window_column_blocks.hpp>
#include <tessera/filter/detail/window_column_walks.hpp>
#include <tessera/filter/detail/window_columns.hpp>
#include <tessera/filter/detail/window_direct.hpp>
#include <tessera/filter/detail/window_extremum.hpp>
#include <tessera/filter/detail/window_few.hpp>
#include <tessera/filter/detail/window_interleaved.hpp>
#include <tessera/filter/detail/window_padded_lines.hpp>
#include <tessera/filter/detail/window_runs.hpp>
#include <tessera/filter/detail/window_thread_lines.hpp>
#include <tessera/filter/detail/window_walks.hpp>
#include <tessera/filter/filter.hpp>
#include <tessera/filter/halo.hpp>
#include <tessera/filter/window_options.hpp>
#include <tessera/filter/window_plan.hpp>
#include <tessera/workspace.hpp>

namespace tessera {

/// Element type of a window filter's output for input of T: T, of a box of integers double.
template <class T, WindowOperation Operation>
using window_result_t =
    std::conditional_t<Operation == WindowOperation::box && !std::is_floating_point_v<T>, double, T>;

namespace detail {

constexpr std::string_view window_function(WindowOperation operation) {
  switch (operation) {
    case WindowOperation::min:
      return "tessera::min_filter";
    case WindowOperation::max:
      return "tessera::max_filter";
    case WindowOperation::box:
      break;
  }
  return "tessera::box_filter";
}

template <class T, WindowOperation Operation>
using window_op_t = std::conditional_t<Operation == WindowOperation::box, WindowBox<T>,
                                       WindowExtremum<T, Operation == WindowOperation::min>>;

template <WindowOperation Operation, class T>
window_op_t<T, Operation> make_window_op(std::int64_t window, const WindowOptions& options) {
  if constexpr (Operation == WindowOperation::box) {
    return {window, static_cast<double>(window), 1.0 / static_cast<double>(window)};
  } else {
    using Op = window_op_t<T, Operation>;
    return options.nan == NanPolicy::omit ? Op::omitting_nan() : Op{};
  }
}

template <WindowOperation Operation>
void require_window(std::int64_t window, const WindowOptions& options) {
  constexpr std::string_view function = window_function(Operation);
  constexpr std::int64_t most =
      Operation == WindowOperation::box ? box_window_max : std::numeric_limits<std::int64_t>::max();
  TESSERA_REQUIRE_ARGUMENT(window >= 1 && window <= most, function, "window", std::to_string(window) + " elements",
                           "1 to " + std::to_string(most), "a window holds at least its output's element");
  require_origin(function, window, options.origin, [&] { return "a window of " + std::to_string(window); });
}

/// Two line lengths beyond an end hold whatever modes put there: extrema see nothing new farther out.
template <class Op>
WindowShape window_shape(std::int64_t extent, std::int64_t window, std::int64_t origin) {
  std::int64_t reach_left = window / 2 + origin;
  std::int64_t reach_right = window - 1 - reach_left;
  if constexpr (Op::is_idempotent) {
    reach_left = std::min(reach_left, 2 * extent);
    reach_right = std::min(reach_right, 2 * extent);
  }
  return {reach_left + reach_right + 1, reach_left};
}

template <WindowOperation Operation, ExecutionSpace Space, View InView, View OutView>
WindowPlan window_plan_of(const Space& space, const InView& in, std::int64_t window, const OutView& out,
                          const WindowOptions& options) {
  using In = typename InView::non_const_value_type;
  using Op = window_op_t<In, Operation>;
  require_window<Operation>(window, options);
  const int axis = filter_axis(window_function(Operation), options.axis, static_cast<int>(InView::rank()));
  if (in.size() == 0) return {};
  const auto [lines, out_lines] = line_arrays<const In, const typename OutView::value_type>(in, out, axis);
  return make_window_plan<Op>(window_function(Operation), device_limits(space), lines.lines(), lines.extent,
                              window_shape<Op>(lines.extent, window, options.origin), options,
                              line_place(lines, out_lines));
}

template <WindowOperation Operation, ExecutionSpace Space, View InView, View OutView>
void filter_windows(const Space& space, const InView& in, std::int64_t window, const OutView& out,
                    const WindowOptions& options, const Workspace<Space>* workspace) {
  static_assert(AccessibleFrom<InView, Space>, "tessera::window: `in` must be in memory that the space can access");
  static_assert(AccessibleFrom<OutView, Space>, "tessera::window: `out` must be in memory that the space can access");
  static_assert(InView::rank() >= 1, "tessera::window: `in` must have rank 1 to 8");
  static_assert(static_cast<std::size_t>(InView::rank()) == static_cast<std::size_t>(OutView::rank()),
                "tessera::window: `in` and `out` must have the same rank");
  using In = typename InView::non_const_value_type;
  using Out = typename OutView::value_type;
  static_assert(std::is_arithmetic_v<In> && !std::is_same_v<In, bool>, "tessera::window: the elements must be numbers");
  static_assert(std::is_same_v<Out, window_result_t<In, Operation>>,
                "tessera::window: `out` must have the elements of `in`, of a box of integers double");
  using Op = window_op_t<In, Operation>;
  constexpr std::string_view function = window_function(Operation);
  const Kokkos::Profiling::ScopedRegion region("tessera::window");

  bool same_extents = true;
  for (std::size_t d = 0; d < InView::rank(); ++d) same_extents = same_extents && in.extent(d) == out.extent(d);
  TESSERA_REQUIRE_ARGUMENT(same_extents, function, "out", "extents " + extents_text(out),
                           "those of `in`, " + extents_text(in), "make the views of the same shape");
  require_disjoint(function, in, out);
  require_element_modes(function, options.mode_left, options.mode_right);
  const WindowPlan plan = window_plan_of<Operation>(space, in, window, out, options);
  const Boundary<In> boundary{options.mode_left, options.mode_right, boundary_value<In>(function, options)};
  const bool refuses_nan = require_nan_policy<In>(function, options.nan, boundary.cval, workspace != nullptr);
  if (in.size() == 0) return;

  require_scratch(function, plan.scratch_bytes, device_limits(space));
  const std::size_t room = workspace == nullptr ? 0 : workspace->bytes();
  TESSERA_REQUIRE_ARGUMENT(room >= plan.workspace_bytes, function, "workspace", std::to_string(room) + " bytes",
                           "at least " + std::to_string(plan.workspace_bytes) + " bytes",
                           "make it with window_plan(..).workspace_bytes");
  const int axis = filter_axis(function, options.axis, static_cast<int>(InView::rank()));
  const auto [in_lines, out_lines] = line_arrays<const In, Out>(in, out, axis);
  const WindowLines<Op> lines{in_lines, out_lines, boundary, window_shape<Op>(in_lines.extent, window, options.origin)};
  const Op op = make_window_op<Operation, In>(window, options);
  if constexpr (std::is_floating_point_v<In>) {
    if (refuses_nan) launch_find_nan(space, in, workspace->status_word());
    if constexpr (Operation == WindowOperation::box) {
      if (plan.variant == WindowVariant::direct) {
        return launch_window_direct(function, space, plan, lines, op, options.team_size);
      }
    }
  }
  if (plan.variant == WindowVariant::columns) {
    if (plan.scratch_bytes == 0) {
      launch_window_columns(function, space, plan, lines, op, options.team_size);
    } else if (is_window_of_column_walks<Op>(is_host_space<Space>, lines.window.size)) {
      if constexpr (!is_host_space<Space> && takes_runs<Op>) {
        launch_window_column_walks(function, space, plan, lines, op, options.team_size);
      }
    } else {
      launch_window_column_blocks(function, space, plan, lines, op, options.team_size);
    }
  } else if (plan.variant == WindowVariant::interleaved) {
    if constexpr (!is_host_space<Space>) {
      launch_window_interleaved(function, space, plan, lines, op, options.team_size);
    }
  } else if (plan.variant == WindowVariant::few) {
    launch_window_few(function, space, plan, lines, op, options.team_size);
  } else if (plan.variant == WindowVariant::lines) {
    if constexpr (!is_host_space<Space> && has_window_lines<Op>) {
      launch_window_thread_lines(function, space, plan, lines, op, options.team_size);
    }
  } else if (plan.variant == WindowVariant::padded) {
    if constexpr (!is_host_space<Space>) {
      launch_window_padded_lines(function, space, plan, lines, op, options.team_size);
    }
  } else if (plan.variant == WindowVariant::runs) {
    if constexpr (!is_host_space<Space> && takes_runs<Op>) {
      launch_window_runs(function, space, plan, lines, op, options.team_size);
    }
  } else if (plan.variant == WindowVariant::walks) {
    if constexpr (!is_host_space<Space> && takes_runs<Op>) {
      launch_window_walks(function, space, plan, lines, op, options.team_size);
    }
  } else if (plan.variant == WindowVariant::chunks) {
    launch_window_chunks(function, space, plan, lines, op, options.team_size);
  } else {
    launch_window_blocks(function, space, plan, lines, op, workspace == nullptr ? nullptr : workspace->partials(),
                         options.team_size);
  }
}

template <WindowOperation Operation, ExecutionSpace Space, View InView, View OutView>
void filter_windows(const Space& space, const InView& in, std::int64_t window, const OutView& out,
                    const WindowOptions& options) {
  using In = typename InView::non_const_value_type;
  require_nan_policy<In>(window_function(Operation), options.nan, In(0), false);
  const std::size_t bytes = window_plan_of<Operation>(space, in, window, out, options).workspace_bytes;
  if (bytes == 0) return filter_windows<Operation, Space>(space, in, window, out, options, nullptr);
  const Workspace<Space> workspace(space, bytes);
  filter_windows<Operation>(space, in, window, out, options, &workspace);
}

/// Output i, element by element: for the few at a halo. reach_left is that of the whole window, omits_nan of means.
template <class Op>
struct WindowHaloRule {
  Op op;
  std::int64_t window, reach_left;
  bool omits_nan;

  KOKKOS_FUNCTION typename Op::out_type operator()(const HaloLine<typename Op::in_type>& line, std::int64_t i) const {
    const auto element = [&](std::int64_t k) { return line.element(i - reach_left + k); };
    if constexpr (!Op::is_idempotent && std::is_floating_point_v<typename Op::in_type>) {
      return op.mean(element, omits_nan);
    } else {
      typename Op::value_type joined = op.identity();
      for (std::int64_t k = 0; k < window; ++k) joined = op.join(joined, op.value(op.staged(element(k))));
      return op.result(joined);
    }
  }
};

template <WindowOperation Operation, ExecutionSpace Space, View InView, View OutView, class Left, class Right>
void filter_window_halo(const Space& space, const InView& in, std::int64_t window, const OutView& out,
                        const WindowOptions& asked, const Halo<Left, Right>& halo) {
  using In = typename InView::non_const_value_type;
  using Op = window_op_t<In, Operation>;
  constexpr std::string_view function = window_function(Operation);
  const auto options = without_halo<Left, Right>(function, asked);
  require_window<Operation>(window, options);
  const int axis = filter_axis(function, options.axis, static_cast<int>(InView::rank()));
  const std::int64_t reach_left = window / 2 + options.origin;
  const auto left = halo_lines<Space>(function, "halo.left", in, out, halo.left, axis, reach_left);
  const auto right = halo_lines<Space>(function, "halo.right", in, out, halo.right, axis, window - 1 - reach_left);
  filter_windows<Operation>(space, in, window, out, options);
  const auto [in_lines, out_lines] = line_arrays<const In, typename OutView::value_type>(in, out, axis);
  const Boundary<In> boundary{options.mode_left, options.mode_right, boundary_value<In>(function, options)};
  launch_halo_ends<Left, Right>(space, in_lines, left, right, out_lines, boundary, WindowShape{window, reach_left},
                                WindowHaloRule<Op>{make_window_op<Operation, In>(window, options), window, reach_left,
                                                   options.nan == NanPolicy::omit});
}

}  // namespace detail

/// The smallest element of each window of m elements along one axis: out[i] = min x[i - a .. i - a + m - 1],
/// a = floor(m/2) + origin, where x beyond the line is what the boundary modes say. Asynchronous on the instance; one
/// kernel, no allocation, no fence, where the plan's workspace_bytes is 0.
///
/// \param[in] space      the instance that runs it
/// \param[in] in         rank 1 to 8, any extents (64-bit sizes, 0 included) and layout
/// \param[in] window     m >= 1, odd or even; m may exceed n
/// \param[out] out       the extents and the element type of in, any layout without zero strides, memory disjoint
///                       from in
/// \param[in] options    axis, modes, cval, origin, NaN policy, sizes of league and team
/// \param[in] workspace  at least window_plan(..).workspace_bytes; shared only by calls that are ordered
///
/// A NaN gives the quiet NaN in exactly the outputs whose window holds it; NaN policy omit leaves it out, and gives NaN
/// where nothing else is left; under `error` in is read once more before, and check(space, workspace) throws the
/// row-major position of the first one, outputs are as under propagate. -0.0 is less than 0.0. The same bits under
/// every plan. Cost, whatever m: a few operations and scratch accesses an element, each element read from memory once,
/// and again from a cache, which must hold m elements a team, where m is beyond some 500 elements, 1000 of four bytes:
/// on devices up to two more times as m nears 24 KiB; but where there are tens of millions of elements, in lines of 8 m
/// and more, teams walk along lines and read each once if m is beyond 1792, of four bytes 2048, of their means 768; if
/// m is beyond 24 KiB, up to 64 KiB, they always do, and read each once or twice. Hosts read up to one more for each as
/// m nears 4096 (2048 of means of 64-bit integers), and each twice beyond. Where m is beyond 8 parts of about 2000
/// elements, or 4000 of four bytes (half of that on hosts), three kernels and a workspace read it three times. An n
/// less than m costs like m. Devices take several lines of at most 512 elements (1152 where m <= 15) a team, up to m =
/// 128, for some m / 9 scratch accesses an element; so up to 128 lines across memory whose rows follow each other
/// (colours of pixels), where a team's scratch holds some m rows and lanes for each line would be idle or share
/// sectors. Lines across memory, neighbours in memory being the same element of neighbouring lines (in and out, at
/// least 32 bytes of them), are read in whole rows: up to m = 9 about once from memory, beyond once and again each
/// walk's first m, where m is beyond about 500 (on hosts any) a second time, often from a cache. Lines neither so nor
/// of stride 1, or whose m is too long for scratch (beyond some 10000), are read element by element. Scratch:
/// WindowPlan::scratch_bytes a team. Compulsory bytes: each element of in read once, each of out written once.
///
/// \throws InvalidArgument  for an axis that in has not, m < 1, an origin beyond the window, extents that differ,
///                          overlapping views, a cval that the input's type cannot hold, NaN policy error without a
///                          workspace, one that is too small,
///                          sizes of league or team that the space cannot have
/// \throws ResourceError    where the plan's scratch exceeds what a team can have
template <ExecutionSpace Space, View InView, View OutView>
void min_filter(const Space& space, const InView& in, std::int64_t window, const OutView& out,
                const WindowOptions& options, const Workspace<Space>& workspace) {
  detail::filter_windows<WindowOperation::min>(space, in, window, out, options, &workspace);
}

/// The same with a workspace of its own where it takes one: then it allocates, and fences when that is freed.
/// \throws InvalidArgument, ResourceError
template <ExecutionSpace Space, View InView, View OutView>
void min_filter(const Space& space, const InView& in, std::int64_t window, const OutView& out,
                const WindowOptions& options = {}) {
  detail::filter_windows<WindowOperation::min>(space, in, window, out, options);
}

/// The largest element of each window; all else as min_filter.
template <ExecutionSpace Space, View InView, View OutView>
void max_filter(const Space& space, const InView& in, std::int64_t window, const OutView& out,
                const WindowOptions& options, const Workspace<Space>& workspace) {
  detail::filter_windows<WindowOperation::max>(space, in, window, out, options, &workspace);
}
template <ExecutionSpace Space, View InView, View OutView>
void max_filter(const Space& space, const InView& in, std::int64_t window, const OutView& out,
                const WindowOptions& options = {}) {
  detail::filter_windows<WindowOperation::max>(space, in, window, out, options);
}

/// The mean of each window, m < 2^31; out has the type of floating input, of integers double. All else as min_filter.
///
/// Floating data is summed in double by trees within blocks that start at multiples of m of the line's index, or, of
/// shorter windows, within pieces from the first element of output 0's window on, or, of 9 elements at most, one after
/// the other: error at most (2 ceil(log2 m) + 3) u sum |x| / m over the window, of float 8 instead of 3 and the
/// output's rounding; the same bits whatever the sizes of team and league and, where teams always walk or never, the
/// number of lines, but from m = 10 on not those of lines that lie in memory the other way, or across it beside others,
/// of which devices take few (128 and less) otherwise than many. Nothing is subtracted: what leaves the window is gone,
/// and a NaN or Inf reaches exactly the outputs whose window holds it. A mean of zeros is +0.0.
/// Integers: the exact sum, divided and rounded once. Under NaN policy omit each window is read from memory, m elements
/// an output, and its mean is that of its l elements that are not NaN.
template <ExecutionSpace Space, View InView, View OutView>
void box_filter(const Space& space, const InView& in, std::int64_t window, const OutView& out,
                const WindowOptions& options, const Workspace<Space>& workspace) {
  detail::filter_windows<WindowOperation::box>(space, in, window, out, options, &workspace);
}
template <ExecutionSpace Space, View InView, View OutView>
void box_filter(const Space& space, const InView& in, std::int64_t window, const OutView& out,
                const WindowOptions& options = {}) {
  detail::filter_windows<WindowOperation::box>(space, in, window, out, options);
}

/// Lines that go on beyond their ends in views of the caller's, on the sides that halo has: their modes have no part in
/// it then. All else as above without a workspace; any NaN policy but error. One kernel more makes the outputs whose
/// windows reach the halo, m elements of memory for each.
///
/// \throws InvalidArgument  also for views of a halo that have too few elements, or share memory with out
template <ExecutionSpace Space, View InView, View OutView, class Left, class Right>
void min_filter(const Space& space, const InView& in, std::int64_t window, const OutView& out,
                const WindowOptions& options, const Halo<Left, Right>& halo) {
  detail::filter_window_halo<WindowOperation::min>(space, in, window, out, options, halo);
}
template <ExecutionSpace Space, View InView, View OutView, class Left, class Right>
void max_filter(const Space& space, const InView& in, std::int64_t window, const OutView& out,
                const WindowOptions& options, const Halo<Left, Right>& halo) {
  detail::filter_window_halo<WindowOperation::max>(space, in, window, out, options, halo);
}
template <ExecutionSpace Space, View InView, View OutView, class Left, class Right>
void box_filter(const Space& space, const InView& in, std::int64_t window, const OutView& out,
                const WindowOptions& options, const Halo<Left, Right>& halo) {
  detail::filter_window_halo<WindowOperation::box>(space, in, window, out, options, halo);
}

/// The plan that they follow for `in` (its extents and strides alone) and an `out` of its strides; its workspace_bytes
/// are right for any. Pure: it launches and allocates nothing.
///
/// \throws InvalidArgument for an axis, a window, an origin or sizes of league or team that they refuse; what else they
/// refuse they alone look at
template <ExecutionSpace Space, View InView>
WindowPlan window_plan(const Space& space, const InView& in, WindowOperation operation, std::int64_t window,
                       const WindowOptions& options = {}) {
  switch (operation) {
    case WindowOperation::min:
      return detail::window_plan_of<WindowOperation::min>(space, in, window, in, options);
    case WindowOperation::max:
      return detail::window_plan_of<WindowOperation::max>(space, in, window, in, options);
    case WindowOperation::box:
      break;
  }
  return detail::window_plan_of<WindowOperation::box>(space, in, window, in, options);
}

}  // namespace tessera

#endif

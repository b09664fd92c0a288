// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device level: reductions of a view over any set of its axes.
#ifndef TESSERA_REDUCE_REDUCE_AXES_HPP
#define TESSERA_REDUCE_REDUCE_AXES_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <ranges>
#include <span>
#include <string>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/reduce/detail/axes_launch.hpp>
#include <tessera/reduce/detail/axes_shape.hpp>
#include <tessera/reduce/detail/exact_arithmetic.hpp>
#include <tessera/reduce/detail/require_elements.hpp>
#include <tessera/reduce/reduce_axes_plan.hpp>
#include <tessera/reduce/reduce_options.hpp>
#include <tessera/reduce/reducers.hpp>
#include <tessera/workspace.hpp>
#include <type_traits>

namespace tessera {

/// A set of axes, from a braced list or anything contiguous of int, which it copies. Negative ones count from the end.
class Axes {
 public:
  Axes(std::initializer_list<int> axes) { copy({axes.begin(), axes.size()}); }
  template <std::ranges::contiguous_range Range>
  requires(!std::same_as<std::remove_cvref_t<Range>, Axes> && std::convertible_to<const Range&, std::span<const int>>)
      Axes(const Range& axes) {
    copy(axes);
  }
  [[nodiscard]] std::span<const int> list() const { return {m_axes.data(), m_count}; }

 private:
  void copy(std::span<const int> axes) {
    m_count = std::min(axes.size(), m_axes.size());
    std::copy_n(axes.begin(), m_count, m_axes.begin());
  }

  std::array<int, detail::axes_max + 1> m_axes{};  // of so many one is repeated, or none of a view
  std::size_t m_count = 0;
};

namespace detail {

/// Whether each axis is reduced. \throws InvalidArgument
template <std::size_t Rank>
std::array<bool, Rank> reduced_axes(const Axes& axes) {
  constexpr int rank = static_cast<int>(Rank);
  std::array<bool, Rank> reduced{};
  for (const int axis : axes.list()) {
    const int d = axis < 0 ? axis + rank : axis;
    TESSERA_REQUIRE_ARGUMENT(d >= 0 && d < rank, "tessera::reduce_axes", "axes", "axis " + std::to_string(axis),
                             "axes " + std::to_string(-rank) + " to " + std::to_string(rank - 1),
                             "name axes of the input");
    TESSERA_REQUIRE_ARGUMENT(!reduced[static_cast<std::size_t>(d)], "tessera::reduce_axes", "axes",
                             "axis " + std::to_string(axis) + " is repeated", "each axis once", "leave it out");
    reduced[static_cast<std::size_t>(d)] = true;
  }
  return reduced;
}

/// The axes of `in`, with the strides of `out` where one is given. \throws InvalidArgument
template <View InView, class... OutViews>
AxesShape axes_shape(const InView& in, const Axes& axes, const OutViews&... out) {
  constexpr std::size_t rank = InView::rank();
  static_assert(rank >= 1 && rank <= axes_max, "tessera::reduce_axes: `in` must have rank 1 to 8");
  const std::array<bool, rank> reduced = reduced_axes<rank>(axes);
  std::array<AxesArgument, rank> arguments;
  for (std::size_t d = 0; d < rank; ++d) {
    arguments[d] = {static_cast<std::int64_t>(in.extent(d)), static_cast<std::int64_t>(in.stride(d)), 0, reduced[d]};
  }
  (add_output_strides(arguments, out), ...);
  AxesShape shape = make_axes_shape(arguments.data(), static_cast<int>(rank));
  shape.misalignment = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(in.data()) % packed_bytes /
                                                 sizeof(typename InView::value_type));
  return shape;
}

/// \throws InvalidArgument where the extents of `out` are not those of the kept axes.
template <std::size_t Rank, View OutView>
void add_output_strides(std::array<AxesArgument, Rank>& axes, const OutView& out) {
  std::size_t kept = 0;
  for (const AxesArgument& axis : axes) kept += axis.reduced ? 0 : 1;
  constexpr std::size_t out_rank = OutView::rank();
  const bool keeps = out_rank == Rank;
  TESSERA_REQUIRE_ARGUMENT(keeps || out_rank == kept, "tessera::reduce_axes", "out", "rank " + std::to_string(out_rank),
                           "rank " + std::to_string(kept) + " (the kept axes) or " + std::to_string(Rank) +
                               " (extent 1 on the reduced axes)",
                           "pass an output view of such a rank");
  std::string expected;
  bool fits = true;
  std::size_t e = 0;
  for (AxesArgument& axis : axes) {
    if (axis.reduced && !keeps) continue;
    const std::int64_t extent = axis.reduced ? 1 : axis.extent;
    fits = fits && static_cast<std::int64_t>(out.extent(e)) == extent;
    if (!axis.reduced) axis.out_stride = static_cast<std::int64_t>(out.stride(e));
    expected += (e++ == 0 ? "" : ", ") + std::to_string(extent);
  }
  TESSERA_REQUIRE_ARGUMENT(fits, "tessera::reduce_axes", "out", "extents " + extents_text(out), "(" + expected + ")",
                           "pass an output view of such extents");
}

/// The plan for elements of T that lie in such a shape.
template <class T, Reducer R, ExecutionSpace Space>
ReduceAxesPlan axes_plan_of(const Space& space, const AxesShape& shape, const ReduceOptions& options) {
  return make_axes_plan<fold_t<R, T>>(device_limits(space), shape, sizeof(T), options);
}

/// reduce_axes() of the elements behind a pointer, or behind a PairPointer, that lie as those of `in` do.
template <ExecutionSpace Space, View InView, class Pointer, Reducer R, View OutView>
void reduce_axes_behind(const Space& space, const InView& in, const Pointer& elements, const Axes& axes,
                        const R& reducer, const OutView& out, const ReduceOptions& options,
                        const Workspace<Space>& workspace) {
  static_assert(AccessibleFrom<OutView, Space>,
                "tessera::reduce_axes: `out` must be in memory that the space can access");
  static_assert(holds_result<R, typename OutView::value_type>,
                "tessera::reduce_axes: `out` must hold the reducer's result type");
  using T = std::remove_cvref_t<decltype(elements[0])>;
  constexpr std::string_view function = "tessera::reduce_axes";
  const AxesShape shape = axes_shape(in, axes, out);
  require_automatic(function, options);
  if (shape.kept_size > 0) {
    require_elements(function, in, static_cast<std::uint64_t>(shape.reduced_size), reducer);
  }
  if constexpr (sums_exactly<fold_t<R, T>>()) require_exact_arithmetic(function);
  const AxesShape planned = axes_shape(in, axes);
  const ReduceAxesPlan plan = axes_plan_of<T, R>(space, planned, options);
  require_axes_resources(function, space, plan, workspace);
  if (shape.kept_size == 0) return;
  const fold_t<R, T> fold(reducer, {options.nan});
  launch_axes(space, plan, planned, shape, fold, elements, out.data(), workspace, options.team_size);
}

}  // namespace detail

/// The plan that reduce_axes() will follow. Pure: it launches and allocates nothing, and looks at no element.
/// \throws InvalidArgument for axes that cannot be, and sizes of league or team that cannot be.
template <ExecutionSpace Space, View InView, Reducer R>
ReduceAxesPlan reduce_axes_plan(const Space& space, const InView& in, const Axes& axes, const R&,
                                const ReduceOptions& options = {}) {
  return detail::axes_plan_of<typename InView::non_const_value_type, R>(space, detail::axes_shape(in, axes), options);
}

/// Reduces a view over a set of its axes: asynchronous on the instance, one kernel, two where several teams share an
/// output, or where much data is summed exactly, four at most; no allocation, no fence.
///
/// \param[in] space      the instance that runs it
/// \param[in] in         n0 x .. x n(r-1), rank 1 to 8, any layout
/// \param[in] axes       those that are reduced: {0, -1}; negative ones count from the end. None: every element is
///                       reduced by itself; all: one output
/// \param[in] reducer    concept Reducer; positions (arg*) are row-major among the reduced axes
/// \param[out] out       the kept axes in their order, or rank r with extent 1 on the reduced ones; any layout
///                       without zero strides, of reduce_result_t<R>; shares no memory with `in`
/// \param[in] options    nan; league_size; team_size: at most so many threads, in whole groups; variant: automatic, as
///                       the mapping follows from extents and strides
/// \param[in] workspace  at least reduce_axes_plan(..).workspace_bytes; shared only by calls that are ordered
///
/// Deterministic: the same bits on every run with one plan; exact reducers have the same bits whatever the plan.
/// Compulsory bytes: each element of `in` read once, of `out` written once. Of many exact sums, means, norms and
/// deviations those that have infinities or NaN, or lie so near the middle between two results that pairs of doubles do
/// not tell how they are rounded, are read twice. Scratch: the plan's scratch_bytes a team.
/// What only the data can show goes to the workspace's status word, with the row-major index of the output, or of the
/// NaN element in `in`, and a spoiled result (NaN, 0); check(space, workspace) throws it.
/// \throws InvalidArgument  for axes out of range or repeated, an output of another shape, fewer reduced elements than
///                          the reducer needs, overlapping memory, a workspace that is too small, sizes of league
///                          or team that the space cannot have, another variant than automatic
/// \throws ResourceError    where the plan's scratch exceeds what a team can have
template <ExecutionSpace Space, View InView, Reducer R, View OutView>
void reduce_axes(const Space& space, const InView& in, const Axes& axes, const R& reducer, const OutView& out,
                 const ReduceOptions& options, const Workspace<Space>& workspace) {
  static_assert(AccessibleFrom<InView, Space>,
                "tessera::reduce_axes: `in` must be in memory that the space can access");
  const Kokkos::Profiling::ScopedRegion region("tessera::reduce_axes");
  detail::require_disjoint("tessera::reduce_axes", in, out);
  const typename InView::const_value_type* const elements = in.data();
  detail::reduce_axes_behind(space, in, elements, axes, reducer, out, options, workspace);
}

/// The same with a workspace of its own: allocates, and fences when that is freed. What only the data can show is
/// thrown. \throws InvalidArgument, ResourceError
template <ExecutionSpace Space, View InView, Reducer R, View OutView>
void reduce_axes(const Space& space, const InView& in, const Axes& axes, const R& reducer, const OutView& out,
                 const ReduceOptions& options = {}) {
  const Workspace<Space> workspace(space, reduce_axes_plan(space, in, axes, reducer, options).workspace_bytes);
  reduce_axes(space, in, axes, reducer, out, options, workspace);
  check(space, workspace);
}

}  // namespace tessera

#endif

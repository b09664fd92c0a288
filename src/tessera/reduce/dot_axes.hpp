// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device level: reductions of two views at once over any set of their axes.
#ifndef TESSERA_REDUCE_DOT_AXES_HPP
#define TESSERA_REDUCE_DOT_AXES_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <string>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/reduce/detail/pair_range.hpp>
#include <tessera/reduce/dot.hpp>
#include <tessera/reduce/reduce_axes.hpp>
#include <tessera/reduce/reduce_axes_plan.hpp>
#include <tessera/reduce/reduce_options.hpp>
#include <tessera/workspace.hpp>
#include <type_traits>

namespace tessera {

namespace detail {

/// "(4, 1)"
template <View V>
std::string strides_text(const V& view) {
  std::string text = "(";
  for (std::size_t d = 0; d < V::rank(); ++d) text += (d == 0 ? "" : ", ") + std::to_string(view.stride(d));
  return text + ")";
}

/// That elements at one position of both lie at one offset. \throws InvalidArgument
template <View XView, View YView>
void require_alike(std::string_view function, const XView& x, const YView& y) {
  static_assert(XView::rank() == YView::rank(), "tessera::reduce_axes: `x` and `y` must have the same rank");
  static_assert(std::is_same_v<typename XView::non_const_value_type, typename YView::non_const_value_type>,
                "tessera::reduce_axes: `x` and `y` must have the same element type");
  bool same_extents = true, same_strides = true;
  for (std::size_t d = 0; d < XView::rank(); ++d) {
    same_extents = same_extents && x.extent(d) == y.extent(d);
    same_strides = same_strides && (x.extent(d) <= 1 || x.stride(d) == y.stride(d));
  }
  TESSERA_REQUIRE_ARGUMENT(same_extents, function, "y", "extents " + extents_text(y),
                           "the extents of `x`, " + extents_text(x), "pass views of the same shape");
  TESSERA_REQUIRE_ARGUMENT(same_strides, function, "y", "strides " + strides_text(y),
                           "the strides of `x`, " + strides_text(x), "copy one of them to the layout of the other");
}

}  // namespace detail

/// The plan that reduce_axes() of two views will follow; as for one view. \throws InvalidArgument
template <ExecutionSpace Space, View XView, View YView, Reducer R>
ReduceAxesPlan reduce_axes_plan(const Space& space, const XView& x, const YView& y, const Axes& axes, const R&,
                                const ReduceOptions& options = {}) {
  detail::require_alike("tessera::reduce_axes", x, y);
  return detail::axes_plan_of<ElementPair<typename XView::non_const_value_type>, R>(space, detail::axes_shape(x, axes),
                                                                                    options);
}

/// Reduces two views over a set of their axes, as reduce_axes() does one view: the reducer, Dot<T> say, maps
/// ElementPair<T>{x, y}. Asynchronous on the instance, one kernel, or two where several teams share an output; no
/// allocation, no fence.
///
/// \param[in] x, y       n0 x .. x n(r-1), rank 1 to 8, any layout, but both with the same strides; may be one view
/// \param[in] axes       as for one view
/// \param[in] reducer    concept Reducer, of ElementPair<T>. A pair is NaN where an element of it is
/// \param[out] out       as for one view; shares no memory with `x` and `y`
/// \param[in] options    as for one view
/// \param[in] workspace  at least reduce_axes_plan(space, x, y, ..).workspace_bytes; shared only by ordered calls
///
/// Deterministic, and reports what only the data can show, as for one view. Compulsory bytes: each element of `x` and
/// `y` read once, of `out` written once; whole rows in 16-byte pieces where those of both begin alike. Scratch: the
/// plan's scratch_bytes a team.
/// \throws InvalidArgument  for different extents or strides, and as for one view; ResourceError likewise
template <ExecutionSpace Space, View XView, View YView, Reducer R, View OutView>
void reduce_axes(const Space& space, const XView& x, const YView& y, const Axes& axes, const R& reducer,
                 const OutView& out, const ReduceOptions& options, const Workspace<Space>& workspace) {
  static_assert(AccessibleFrom<XView, Space> && AccessibleFrom<YView, Space>,
                "tessera::reduce_axes: `x` and `y` must be in memory that the space can access");
  constexpr std::string_view function = "tessera::reduce_axes";
  const Kokkos::Profiling::ScopedRegion region("tessera::reduce_axes");
  detail::require_alike(function, x, y);
  detail::require_disjoint(function, x, out, "x");
  detail::require_disjoint(function, y, out, "y");
  const detail::PairPointer<typename XView::non_const_value_type> pairs{x.data(), y.data()};
  detail::reduce_axes_behind(space, x, pairs, axes, reducer, out, options, workspace);
}

/// The same with a workspace of its own: allocates, and fences when that is freed. What only the data can show is
/// thrown. \throws InvalidArgument, ResourceError
template <ExecutionSpace Space, View XView, View YView, Reducer R, View OutView>
void reduce_axes(const Space& space, const XView& x, const YView& y, const Axes& axes, const R& reducer,
                 const OutView& out, const ReduceOptions& options = {}) {
  const Workspace<Space> workspace(space, reduce_axes_plan(space, x, y, axes, reducer, options).workspace_bytes);
  reduce_axes(space, x, y, axes, reducer, out, options, workspace);
  check(space, workspace);
}

}  // namespace tessera

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every filter with weights checks of a call, and the job that it comes to.
#ifndef TESSERA_FILTER_DETAIL_FILTER_LINES_HPP
#define TESSERA_FILTER_DETAIL_FILTER_LINES_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/filter/detail/filter_job.hpp>
#include <tessera/filter/detail/filter_request.hpp>
#include <tessera/filter/detail/filter_shape.hpp>
#include <tessera/filter/detail/line_array.hpp>
#include <tessera/filter/filter_options.hpp>
#include <tessera/filter/weights.hpp>
#include <type_traits>

namespace tessera::detail {

/// Calls launch(FilterShape, FilterJob<..>, whether NaN are to be found), also where there are no outputs.
template <ExecutionSpace Space, View InView, View OutView, class Launch>
void with_filter_job(std::string_view function, bool reversed, const InView& in, const FilterWeights<Space>& weights,
                     const OutView& out, const FilterOptions& options, bool has_workspace, const Launch& launch) {
  static_assert(AccessibleFrom<InView, Space>, "tessera::filter: `in` must be in memory that the space can access");
  static_assert(AccessibleFrom<OutView, Space>, "tessera::filter: `out` must be in memory that the space can access");
  static_assert(InView::rank() >= 1, "tessera::filter: `in` must have rank 1 to 8");
  static_assert(static_cast<std::size_t>(InView::rank()) == static_cast<std::size_t>(OutView::rank()),
                "tessera::filter: `in` and `out` must have the same rank");
  using In = typename InView::non_const_value_type;
  using Out = typename OutView::value_type;
  static_assert((std::is_arithmetic_v<In> && std::is_arithmetic_v<Out>) || (is_complex_v<In> && is_complex_v<Out>),
                "tessera::filter: the element types must be numbers, both real or both complex");
  const Kokkos::Profiling::ScopedRegion region("tessera::filter");

  const int axis = filter_axis(function, options.axis, static_cast<int>(InView::rank()));
  const std::int64_t taps = weights.size();
  require_origin(function, taps, options.origin, [&] { return std::to_string(taps) + " taps"; });
  const auto extent = static_cast<std::int64_t>(in.extent(axis));
  const FilterSpan span = filter_span(reversed, taps, extent, options);
  auto extents = extents_of(in);
  extents[static_cast<std::size_t>(axis)] = static_cast<std::size_t>(span.outputs);
  TESSERA_REQUIRE_ARGUMENT(extents_of(out) == extents, function, "out", "extents " + extents_text(out),
                           span.outputs == extent ? "those of `in`, " + extents_text(in)
                                                  : "what mode valid leaves of `in`, " + extents_text(extents),
                           "make the views of the same shape, less what mode valid leaves out");
  require_disjoint(function, in, out);
  require_scalable<In>(function, weights, options);
  const Boundary<In> boundary{options.mode_left, options.mode_right, boundary_value<In>(function, options)};
  const bool refuses_nan = require_nan_policy<In>(function, options.nan, boundary.cval, has_workspace);
  const FilterArithmetic arithmetic = filter_arithmetic<In>(function, weights, extent, options);

  const FilterWindow window{weights.values().data(), taps, span.reach_left, reversed};
  const auto [in_lines, out_lines] = line_arrays<const In, Out>(in, out, axis);
  const FilterShape shape = filter_shape(in_lines, out_lines, taps, span.reach_left);
  visit_filter_types<In, Out>(arithmetic, [&, &in_lines = in_lines, &out_lines = out_lines](auto types) {
    using Types = decltype(types);
    const FilterRule<Types> rule{window,       boundary,          extent,        in_lines.stride,
                                 span.outputs, span.first_output, weights.sum(), omits_nan<In>(options)};
    launch(shape, FilterJob<Types>{in_lines, out_lines, rule}, refuses_nan);
  });
}

}  // namespace tessera::detail

#endif

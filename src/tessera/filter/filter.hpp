// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device level: linear filters with run-time taps along the last axis.
//
// Tile and halo in fast memory follow V. Volkov and the CUDA SDK's convolutionSeparable (V. Podlozhnyuk, "Image
// Convolution with CUDA", 2007); the boundary modes are SciPy's and NumPy's.
#ifndef TESSERA_FILTER_FILTER_HPP
#define TESSERA_FILTER_FILTER_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cmath>
#include <string>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/convert.hpp>
#include <tessera/filter/detail/filter_overlapping.hpp>
#include <tessera/filter/filter_options.hpp>
#include <tessera/filter/filter_plan.hpp>
#include <tessera/filter/weights.hpp>
#include <variant>

namespace tessera {

namespace detail {

/// The element of type T that cval stands for. Floating types round; what does not fit is refused.
template <class T>
T boundary_value(std::string_view function, const FilterOptions& options) {
  if (options.mode_left != BoundaryMode::constant && options.mode_right != BoundaryMode::constant) return T(0);
  return std::visit(
      [&](const auto cval) {
        const T value = convert<T>(cval);
        bool fine = true;
        if constexpr (std::is_floating_point_v<T>) {
          fine = std::isfinite(value) || !std::isfinite(static_cast<double>(cval));
        } else if constexpr (std::is_floating_point_v<decltype(cval)>) {
          // A clamped or rounded value does not convert back; 2^63 and 2^64 would, by rounding.
          fine = static_cast<double>(value) == cval && std::abs(cval) < (std::is_signed_v<T> ? 0x1p63 : 0x1p64);
          if (std::is_signed_v<T> && cval == -0x1p63) fine = sizeof(T) == 8;
        } else {
          fine = static_cast<Int128>(value) == static_cast<Int128>(cval);
        }
        require_argument(fine, function, "options", "cval " + std::to_string(cval),
                         "a value of the input's element type", "choose one that the type can hold");
        return value;
      },
      options.cval);
}

/// Magnitude of the largest product sum that integer data can give: type's largest magnitude times sum |w|.
template <class T>
long double integer_bound(long double magnitude_sum) {
  return std::ldexp(magnitude_sum,
                    std::is_signed_v<T> ? static_cast<int>(8 * sizeof(T)) - 1 : static_cast<int>(8 * sizeof(T)));
}

enum class FilterArithmetic { element, float64, int64, int128 };

/// In which arithmetic a filter of T runs (semantics: exact integers with integer weights, whatever their size).
template <class T>
FilterArithmetic filter_arithmetic(std::string_view function, bool integer_weights, long double magnitude_sum,
                                   FilterAccumulate accumulate) {
  if constexpr (std::is_floating_point_v<T>) {
    return accumulate == FilterAccumulate::float64 && sizeof(T) < sizeof(double) ? FilterArithmetic::float64
                                                                                 : FilterArithmetic::element;
  } else {
    if (!integer_weights) return FilterArithmetic::float64;
    // Half of the range: magnitude_sum is rounded above 2^64.
    if (integer_bound<T>(magnitude_sum) < 0x1p62L) return FilterArithmetic::int64;
    require_argument(magnitude_sum < 0x1p62L, function, "weights",
                     "integer weights with a sum of magnitudes above 2^62", "less with integer data",
                     "scale the weights down, or filter in floating point");
    return FilterArithmetic::int128;
  }
}

/// Calls visitor(FilterTypes<..>{}) with the types of that arithmetic.
template <class In, class Out, class Visitor>
auto visit_filter_types(FilterArithmetic arithmetic, Visitor&& visitor) {
  if constexpr (std::is_floating_point_v<In>) {
    if (arithmetic == FilterArithmetic::element) return visitor(FilterTypes<In, Out, In>{});
  } else {
    if (arithmetic == FilterArithmetic::int64) return visitor(FilterTypes<In, Out, std::int64_t>{});
    if (arithmetic == FilterArithmetic::int128) return visitor(FilterTypes<In, Out, Int128>{});
  }
  return visitor(FilterTypes<In, Out, double>{});
}

template <ExecutionSpace Space, View InView, View OutView>
void filter_last_axis(std::string_view function, bool reversed, const Space& space, const InView& in,
                      const FilterWeights<Space>& weights, const OutView& out, const FilterOptions& options) {
  static_assert(AccessibleFrom<InView, Space>, "tessera::filter: `in` must be in memory that the space can access");
  static_assert(AccessibleFrom<OutView, Space>, "tessera::filter: `out` must be in memory that the space can access");
  static_assert(InView::rank() >= 1 && InView::rank() <= 3, "tessera::filter: `in` must have rank 1 to 3");
  static_assert(static_cast<std::size_t>(InView::rank()) == static_cast<std::size_t>(OutView::rank()),
                "tessera::filter: `in` and `out` must have the same rank");
  using In = typename InView::non_const_value_type;
  using Out = typename OutView::value_type;
  static_assert(std::is_arithmetic_v<In> && std::is_arithmetic_v<Out>,
                "tessera::filter: the element types must be numbers");
  const Kokkos::Profiling::ScopedRegion region("tessera::filter");

  bool same_extents = true;
  for (std::size_t d = 0; d < InView::rank(); ++d) same_extents = same_extents && in.extent(d) == out.extent(d);
  require_argument(same_extents, function, "out", "extents " + extents_text(out), "those of `in`, " + extents_text(in),
                   "make the views of the same shape");
  require_disjoint(function, in, out);
  const std::int64_t taps = weights.size();
  require_argument(-(taps / 2) <= options.origin && options.origin <= (taps - 1) / 2, function, "options",
                   "origin " + std::to_string(options.origin) + " with " + std::to_string(taps) + " taps",
                   std::to_string(-(taps / 2)) + " to " + std::to_string((taps - 1) / 2),
                   "the window must hold the output");
  const Boundary<In> boundary{options.mode_left, options.mode_right, boundary_value<In>(function, options)};
  const FilterArithmetic arithmetic =
      filter_arithmetic<In>(function, weights.is_integer(), weights.magnitude_sum(), options.accumulate);
  if (in.size() == 0) return;

  // A convolution is the correlation with the weights reversed about the output's element.
  const std::int64_t reach_left = reversed ? taps - 1 - taps / 2 - options.origin : taps / 2 + options.origin;
  const FilterWindow window{weights.values().data(), taps, reach_left, reversed};
  const auto in_lines = line_array<const In>(in);
  const auto out_lines = line_array<Out>(out);
  visit_filter_types<In, Out>(arithmetic, [&](auto types) {
    using Types = decltype(types);
    const DeviceLimits limits = device_limits(space);
    const FilterPlan plan = make_filter_plan<Types>(limits, in_lines.lines(), in_lines.extent, taps, options);
    require_scratch(function, plan.scratch_bytes, limits);
    launch_overlapping<Types>(space, plan, in_lines, out_lines, window, boundary, options.team_size);
  });
}

}  // namespace detail

/// Correlates every line of the last axis with m weights: out[i] = sum_k w[k] x[i - a + k], a = floor(m/2) + origin,
/// where x beyond the line is what the boundary modes say. Asynchronous on the instance; no allocation, no fence.
///
/// \param[in] space    the instance that runs it
/// \param[in] in       n0 x .. x n, rank 1 to 3, any extents (64-bit sizes, 0 included) and layout
/// \param[in] weights  m >= 1 taps; m may exceed n. They must live until the kernel is done
/// \param[out] out     the extents of in, any layout, memory disjoint from in
/// \param[in] options  modes, cval, origin, accumulation, variant, sizes of league and team
///
/// Arithmetic: floating data in its own type (or double, options.accumulate), error at most (m + 2) u sum |w x| and the
/// output's rounding. Integer data with whole weights is exact (64 or 128 bits), then clamped to the output's type;
/// with other weights in double, rounded to nearest even for integer outputs. A NaN or Inf reaches exactly the outputs
/// whose window holds it. Terms are added in the order of k: the same bits on every run with one plan and device.
/// Scratch: tile + halo elements, the weights of a pass and, beyond 512 taps, a sum an output. Compulsory bytes: each
/// element of in read once, each of out written once.
/// \throws InvalidArgument  for extents that differ, overlapping views, an origin beyond the window, a cval that the
///                          input's type cannot hold, sizes of league or team that the space cannot have
/// \throws ResourceError    where the plan's scratch exceeds what a team can have
template <ExecutionSpace Space, View InView, View OutView>
void correlate(const Space& space, const InView& in, const FilterWeights<Space>& weights, const OutView& out,
               const FilterOptions& options = {}) {
  detail::filter_last_axis("tessera::correlate", false, space, in, weights, out, options);
}

/// Convolves: out[i] = sum_k w[k] x[i + origin - k + floor(m/2)]. All else as correlate.
template <ExecutionSpace Space, View InView, View OutView>
void convolve(const Space& space, const InView& in, const FilterWeights<Space>& weights, const OutView& out,
              const FilterOptions& options = {}) {
  detail::filter_last_axis("tessera::convolve", true, space, in, weights, out, options);
}

/// The plan that correlate() and convolve() follow for `in` (its extents alone) and an output of Out. Pure: it launches
/// and allocates nothing. \throws InvalidArgument as they do
template <class Out, ExecutionSpace Space, View InView>
FilterPlan filter_plan(const Space& space, const InView& in, const FilterWeights<Space>& weights,
                       const FilterOptions& options = {}) {
  using In = typename InView::non_const_value_type;
  const auto lines = detail::line_array<const In>(in);
  return detail::visit_filter_types<In, Out>(detail::filter_arithmetic<In>("tessera::filter_plan", weights.is_integer(),
                                                                           weights.magnitude_sum(), options.accumulate),
                                             [&](auto types) {
                                               return detail::make_filter_plan<decltype(types)>(
                                                   detail::device_limits(space), lines.lines(), lines.extent,
                                                   weights.size(), options);
                                             });
}

}  // namespace tessera

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a caller's options come to: checked values, the arithmetic, and where windows and outputs lie.
#ifndef TESSERA_FILTER_DETAIL_FILTER_REQUEST_HPP
#define TESSERA_FILTER_DETAIL_FILTER_REQUEST_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/complex.hpp>
#include <tessera/detail/convert.hpp>
#include <tessera/error.hpp>
#include <tessera/filter/detail/filter_job.hpp>
#include <tessera/filter/detail/filter_sizes.hpp>
#include <tessera/filter/filter_options.hpp>
#include <tessera/filter/weights.hpp>
#include <type_traits>
#include <variant>

namespace tessera::detail {

/// The element of type T that cval, a real number, stands for. Floating types round; what does not fit is refused.
template <class T, class Options>
T boundary_value(std::string_view function, const Options& options) {
  if (options.mode_left != BoundaryMode::constant && options.mode_right != BoundaryMode::constant) return T(0);
  return std::visit(
      [&](const auto cval) {
        const auto value = convert<real_part_t<T>>(cval);
        bool fine = true;
        if constexpr (rounds_v<T>) {
          fine = std::isfinite(value) || !std::isfinite(static_cast<double>(cval));
        } else if constexpr (std::is_floating_point_v<decltype(cval)>) {
          // A clamped or rounded value does not convert back; 2^63 and 2^64 would, by rounding.
          fine = static_cast<double>(value) == cval && std::abs(cval) < (std::is_signed_v<T> ? 0x1p63 : 0x1p64);
          if (std::is_signed_v<T> && cval == -0x1p63) fine = sizeof(T) == 8;
        } else {
          fine = static_cast<Int128>(value) == static_cast<Int128>(cval);
        }
        TESSERA_REQUIRE_ARGUMENT(fine, function, "options", "cval " + std::to_string(cval),
                                 "a value of the input's element type", "choose one that the type can hold");
        return T(value);
      },
      options.cval);
}

/// Magnitude of the largest product sum that integer data can give: type's largest magnitude times sum |w|.
template <class T>
long double integer_bound(long double magnitude_sum) {
  return std::ldexp(magnitude_sum,
                    std::is_signed_v<T> ? static_cast<int>(8 * sizeof(T)) - 1 : static_cast<int>(8 * sizeof(T)));
}

/// Integers are never NaN.
template <class T>
bool omits_nan(const FilterOptions& options) {
  return rounds_v<T> && options.nan == NanPolicy::omit;
}

/// For windows that are not sums.
inline void require_element_modes(std::string_view function, BoundaryMode left, BoundaryMode right) {
  for (const BoundaryMode mode : {left, right}) {
    const bool fine = std::find(element_modes.begin(), element_modes.end(), mode) != element_modes.end();
    TESSERA_REQUIRE_ARGUMENT(fine, function, "options", "mode " + std::string(to_string(mode)), names_of(element_modes),
                             "the others are for linear filters");
  }
}

/// Whether NaN are to be found, which takes a workspace.
template <class T>
bool require_nan_policy(std::string_view function, NanPolicy policy, const T& cval, bool has_workspace) {
  const bool refuses = rounds_v<T> && policy == NanPolicy::error;
  TESSERA_REQUIRE_ARGUMENT(!refuses || has_workspace, function, "options", "NaN policy error without a workspace",
                           "a workspace for what is found", "pass one, or choose propagate or omit");
  TESSERA_REQUIRE_ARGUMENT(!refuses || cval == cval, function, "options", "a NaN cval under NaN policy error",
                           "a number", "choose another cval, or propagate or omit");
  return refuses;
}

enum class FilterArithmetic { element, float64, int32, int64, int128 };

inline bool has_mode(const FilterOptions& options, BoundaryMode mode) {
  return options.mode_left == mode || options.mode_right == mode;
}

/// What leaves out taps needs weights that results can be scaled by.
template <class T, ExecutionSpace Space>
void require_scalable(std::string_view function, const FilterWeights<Space>& weights, const FilterOptions& options) {
  const bool renormalises = has_mode(options, BoundaryMode::renormalise);
  TESSERA_REQUIRE_ARGUMENT(
      weights.sum() != 0 || !(renormalises || omits_nan<T>(options)), function, "weights",
      "weights with sum 0 under " + std::string(renormalises ? "mode renormalise" : "NaN policy omit"),
      "a sum that results can be scaled by", "choose another mode or policy");
}

/// In which arithmetic a filter of T along lines of extent elements runs (semantics: exact integers with integer
/// weights, whatever their size).
template <class T, ExecutionSpace Space>
FilterArithmetic filter_arithmetic(std::string_view function, const FilterWeights<Space>& weights, std::int64_t extent,
                                   const FilterOptions& options) {
  if constexpr (rounds_v<T>) {
    const bool widens = options.accumulate == FilterAccumulate::float64 && sizeof(real_part_t<T>) < sizeof(double);
    if constexpr (sizeof(real_part_t<T>) < sizeof(double)) {
      TESSERA_REQUIRE_ARGUMENT(widens || std::isfinite(static_cast<float>(weights.largest_magnitude())), function,
                               "weights", "a weight of magnitude " + std::to_string(weights.largest_magnitude()),
                               "weights that float holds", "accumulate in float64, or scale them");
    }
    return widens ? FilterArithmetic::float64 : FilterArithmetic::element;
  } else {
    if (!weights.is_integer() || has_mode(options, BoundaryMode::renormalise)) return FilterArithmetic::float64;
    long double magnitude_sum = weights.magnitude_sum();
    if (has_mode(options, BoundaryMode::odd)) {
      // Each reflection adds at most twice the range of the data to what stands in for an element.
      const std::int64_t reflections = extent < 2 ? 0 : (weights.size() - 1) / (extent - 1) + 1;
      magnitude_sum = std::max(magnitude_sum, 1.0L) * static_cast<long double>(1 + 2 * reflections);
    }
    // Half of the range: magnitude_sum is rounded above 2^64.
    if (has_short_sums<T> && integer_bound<T>(magnitude_sum) < 0x1p30L) return FilterArithmetic::int32;
    if (integer_bound<T>(magnitude_sum) < 0x1p62L) return FilterArithmetic::int64;
    TESSERA_REQUIRE_ARGUMENT(
        magnitude_sum < 0x1p62L, function, "weights",
        "integer weights with a sum of magnitudes above 2^62 (under mode odd less, by how often the "
        "window holds the line)",
        "less with integer data", "scale the weights down, or filter in floating point");
    return FilterArithmetic::int128;
  }
}

/// Calls visitor(FilterTypes<..>{}) with the types of that arithmetic.
template <class In, class Out, class Visitor>
auto visit_filter_types(FilterArithmetic arithmetic, Visitor&& visitor) {
  if constexpr (rounds_v<In>) {
    if (arithmetic == FilterArithmetic::element) return visitor(FilterTypes<In, Out, In>{});
  } else {
    if constexpr (has_short_sums<In>) {
      if (arithmetic == FilterArithmetic::int32) return visitor(FilterTypes<In, Out, std::int32_t>{});
    }
    if (arithmetic == FilterArithmetic::int64) return visitor(FilterTypes<In, Out, std::int64_t>{});
    if (arithmetic == FilterArithmetic::int128) return visitor(FilterTypes<In, Out, Int128>{});
  }
  return visitor(FilterTypes<In, Out, as_double_t<In>>{});
}

/// 0 <= result < rank
inline int filter_axis(std::string_view function, int axis, int rank) {
  TESSERA_REQUIRE_ARGUMENT(-rank <= axis && axis < rank, function, "options", "axis " + std::to_string(axis),
                           std::to_string(-rank) + " to " + std::to_string(rank - 1), "choose an axis of `in`");
  return axis < 0 ? axis + rank : axis;
}

/// of: what has so many elements, "5 taps".
template <class Text>
void require_origin(std::string_view function, std::int64_t size, std::int64_t origin, const Text& of) {
  TESSERA_REQUIRE_ARGUMENT(-(size / 2) <= origin && origin <= (size - 1) / 2, function, "options",
                           "origin " + std::to_string(origin) + " with " + of(),
                           std::to_string(-(size / 2)) + " to " + std::to_string((size - 1) / 2),
                           "the window must hold the output");
}

/// How windows lie, and which outputs there are.
struct FilterSpan {
  std::int64_t reach_left;    // of output 0
  std::int64_t first_output;  // the element it stands for: mode valid leaves out those before
  std::int64_t outputs;
};

inline FilterSpan filter_span(bool reversed, std::int64_t taps, std::int64_t extent, const FilterOptions& options) {
  // A convolution is the correlation with the weights reversed about the output's element.
  const std::int64_t left = reversed ? taps - 1 - taps / 2 - options.origin : taps / 2 + options.origin;
  const std::int64_t first = options.mode_left == BoundaryMode::valid ? left : 0;
  const std::int64_t last = options.mode_right == BoundaryMode::valid ? taps - 1 - left : 0;
  return {left - first, first, std::max<std::int64_t>(0, extent - first - last)};
}

}  // namespace tessera::detail

#endif

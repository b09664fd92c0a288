// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1D filters by their defining sums, one output at a time: what the library's kernels are compared with. Boundaries are
// found by walking the extended line step by step, not by the closed formulas that the library uses. Hand-checked in
// unit/reference/test_filter_reference.cpp.
#ifndef TESSERA_TESTS_REFERENCE_FILTER_REFERENCE_HPP
#define TESSERA_TESTS_REFERENCE_FILTER_REFERENCE_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "reduce_reference.hpp"

namespace tessera::reference {

enum class Edge { reflect, mirror, nearest, wrap, constant, odd, renormalise, valid, keep };

/// One linear filter of a line. Wide holds every value exactly: long double, or wide_int for integers.
template <class Wide>
struct LinearFilter {
  std::vector<Wide> weights;
  Edge left = Edge::reflect, right = Edge::reflect;
  Wide cval = 0;
  std::int64_t origin = 0;
  bool convolve = false;
  bool omit_nan = false;
};

/// Index of the element that stands for x[j], or -1 for the constant; n > 0.
inline std::int64_t element_for(Edge left, Edge right, std::int64_t j, std::int64_t n) {
  if (0 <= j && j < n) return j;
  switch (j < 0 ? left : right) {
    case Edge::reflect:
      while (j < 0 || j >= n) j = j < 0 ? -1 - j : 2 * n - 1 - j;
      return j;
    case Edge::mirror:
      if (n == 1) return 0;
      while (j < 0 || j >= n) j = j < 0 ? -j : 2 * n - 2 - j;
      return j;
    case Edge::nearest:
      return j < 0 ? 0 : n - 1;
    case Edge::wrap:
      while (j < 0) j += n;
      while (j >= n) j -= n;
      return j;
    default:
      return -1;
  }
}

/// What stands for x[j]: its value, the magnitudes it is made of, and whether its tap counts.
template <class Wide>
struct ExtendedElement {
  Wide value = 0, magnitude = 0;
  bool counts = true;
};

template <class Wide, class T>
ExtendedElement<Wide> extended_element(const std::vector<T>& line, const LinearFilter<Wide>& filter, std::int64_t j) {
  const auto n = static_cast<std::int64_t>(line.size());
  const auto at = [&](std::int64_t index) { return static_cast<Wide>(line[static_cast<std::size_t>(index)]); };
  const auto magnitude = [](Wide x) { return x < 0 ? -x : x; };
  const Edge edge = j < 0 ? filter.left : filter.right;
  ExtendedElement<Wide> element;
  if (edge == Edge::odd && n > 1) {
    // Each step mirrors the extended line at an end, in position and in value.
    Wide sign = 1;
    for (; j < 0 || j >= n; sign = -sign) {
      const Wide end = at(j < 0 ? 0 : n - 1);
      element.value += 2 * sign * end;
      element.magnitude += 2 * magnitude(end);
      j = j < 0 ? -j : 2 * n - 2 - j;
    }
    element.value += sign * at(j);
    element.magnitude += magnitude(at(j));
  } else {
    const std::int64_t index = edge == Edge::odd ? 0 : element_for(filter.left, filter.right, j, n);
    element.value = index < 0 ? filter.cval : at(index);
    element.magnitude = magnitude(element.value);
    element.counts = index >= 0 || edge == Edge::constant;
  }
  if (filter.omit_nan && element.value != element.value) element.counts = false;
  return element;
}

/// What one output is: its exact value, the sum of the terms' magnitudes, whether it is a copy (mode keep), and whether
/// it is made of more than products of elements (mode odd, or scaled).
template <class Wide>
struct FilterOutput {
  Wide value = 0, sum_abs = 0;
  bool copied = false, derived = false;
};

template <class Wide, class T>
FilterOutput<Wide> filter_output(const std::vector<T>& line, const LinearFilter<Wide>& filter, std::int64_t first) {
  const auto n = static_cast<std::int64_t>(line.size()), m = static_cast<std::int64_t>(filter.weights.size());
  FilterOutput<Wide> output;
  std::vector<Wide> counted;
  for (std::int64_t k = 0; k < m; ++k) {
    const std::int64_t j = filter.convolve ? first + m - 1 - k : first + k;
    const Wide weight = filter.weights[static_cast<std::size_t>(k)];
    const ExtendedElement<Wide> x = extended_element(line, filter, j);
    if ((j < 0 ? filter.left : filter.right) == Edge::odd && (j < 0 || j >= n)) output.derived = true;
    if (!x.counts) continue;
    counted.push_back(weight);
    output.value += weight * x.value;
    output.sum_abs += (weight < 0 ? -weight : weight) * x.magnitude;
  }
  if constexpr (std::is_floating_point_v<Wide>) {
    if (counted.size() == filter.weights.size()) return output;
    const Wide inside = float_sum(counted).sum, all = float_sum(filter.weights).sum;
    const Wide scale = inside == 0 ? std::numeric_limits<Wide>::quiet_NaN() : all / inside;
    output = {output.value * scale, output.sum_abs * std::abs(scale), false, true};
  }
  return output;
}

/// All outputs of a line: mode valid has fewer than there are elements.
template <class Wide, class T>
std::vector<FilterOutput<Wide>> filter_line(const std::vector<T>& line, const LinearFilter<Wide>& filter) {
  const auto n = static_cast<std::int64_t>(line.size()), m = static_cast<std::int64_t>(filter.weights.size());
  std::vector<FilterOutput<Wide>> outputs;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t first = filter.convolve ? i + filter.origin + m / 2 - (m - 1) : i - (m / 2 + filter.origin);
    const auto leaves_to = [&](Edge edge) {
      return (first < 0 && filter.left == edge) || (first + m > n && filter.right == edge);
    };
    if (leaves_to(Edge::valid)) continue;
    outputs.push_back(leaves_to(Edge::keep)
                          ? FilterOutput<Wide>{static_cast<Wide>(line[static_cast<std::size_t>(i)]), 0, true}
                          : filter_output(line, filter, first));
  }
  return outputs;
}

/// Each line of the last axis of a row-major array.
template <class Wide, class T>
std::vector<FilterOutput<Wide>> filter_lines(const std::vector<T>& array, std::size_t line_size,
                                             const LinearFilter<Wide>& filter) {
  std::vector<FilterOutput<Wide>> outputs;
  outputs.reserve(array.size());
  for (std::size_t begin = 0; begin < array.size(); begin += line_size) {
    const auto first = array.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto line = filter_line(std::vector<T>(first, first + static_cast<std::ptrdiff_t>(line_size)), filter);
    outputs.insert(outputs.end(), line.begin(), line.end());
  }
  return outputs;
}

/// The error that a linear filter's output may have, for an accumulator of type Accumulator and results of type Out.
template <class Accumulator, class Out>
long double linear_filter_bound(const FilterOutput<long double>& output, std::size_t taps) {
  constexpr long double unit = std::numeric_limits<Accumulator>::epsilon() / 2;
  long double bound = static_cast<long double>(taps + (output.derived ? 6 : 2)) * unit * output.sum_abs;
  if (output.copied) bound = 0;
  if constexpr (std::is_floating_point_v<Out>) {
    bound += std::numeric_limits<Out>::epsilon() / 2 * std::abs(output.value) + std::numeric_limits<Out>::denorm_min();
  }
  return bound;
}

/// Into Out's range, never wrapped.
template <class Out>
Out clamped(wide_int value) {
  const wide_int lowest = std::numeric_limits<Out>::min(), highest = std::numeric_limits<Out>::max();
  return static_cast<Out>(value < lowest ? lowest : value > highest ? highest : value);
}

}  // namespace tessera::reference

#endif

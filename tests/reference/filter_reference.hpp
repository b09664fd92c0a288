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

enum class Edge { reflect, mirror, nearest, wrap, constant, keep };

/// One linear filter of a line. Wide holds every value exactly: long double, or wide_int for integers.
template <class Wide>
struct LinearFilter {
  std::vector<Wide> weights;
  Edge left = Edge::reflect, right = Edge::reflect;
  Wide cval = 0;
  std::int64_t origin = 0;
  bool convolve = false;
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

/// What one output is: its exact value, the sum of the terms' magnitudes, and whether it is a copy (mode keep).
template <class Wide>
struct FilterOutput {
  Wide value = 0, sum_abs = 0;
  bool copied = false;
};

template <class Wide, class T>
std::vector<FilterOutput<Wide>> filter_line(const std::vector<T>& line, const LinearFilter<Wide>& filter) {
  const auto n = static_cast<std::int64_t>(line.size()), m = static_cast<std::int64_t>(filter.weights.size());
  std::vector<FilterOutput<Wide>> outputs(line.size());
  for (std::int64_t i = 0; i < n; ++i) {
    FilterOutput<Wide>& output = outputs[static_cast<std::size_t>(i)];
    for (std::int64_t k = 0; k < m; ++k) {
      const std::int64_t j = filter.convolve ? i + filter.origin - k + m / 2 : i - (m / 2 + filter.origin) + k;
      if ((j < 0 && filter.left == Edge::keep) || (j >= n && filter.right == Edge::keep)) {
        output = {static_cast<Wide>(line[static_cast<std::size_t>(i)]), 0, true};
        break;
      }
      const std::int64_t at = element_for(filter.left, filter.right, j, n);
      const Wide x = at < 0 ? filter.cval : static_cast<Wide>(line[static_cast<std::size_t>(at)]);
      const Wide term = filter.weights[static_cast<std::size_t>(k)] * x;
      output.value += term;
      output.sum_abs += term < 0 ? -term : term;
    }
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
  long double bound = static_cast<long double>(taps + 2) * unit * output.sum_abs;
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

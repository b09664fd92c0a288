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
std::int64_t element_for(Edge left, Edge right, std::int64_t j, std::int64_t n);

/// What stands for x[j]: its value, the magnitudes it is made of, and whether its tap counts.
template <class Wide>
struct ExtendedElement {
  Wide value = 0, magnitude = 0;
  bool counts = true;
};

/// Of a line of long double, as the next.
template <class Wide>
ExtendedElement<Wide> extended_element(const std::vector<Wide>& line, const LinearFilter<Wide>& filter, std::int64_t j);

/// What one output is: its exact value, the sum of the terms' magnitudes, whether it is a copy (mode keep), and whether
/// it is made of more than products of elements (mode odd, or scaled).
template <class Wide>
struct FilterOutput {
  Wide value = 0, sum_abs = 0;
  bool copied = false, derived = false;
};

/// The output whose first tap is x[first].
template <class Wide>
FilterOutput<Wide> filter_output(const std::vector<Wide>& line, const LinearFilter<Wide>& filter, std::int64_t first);

/// All outputs of a line, of long double or wide_int: mode valid has fewer than there are elements.
template <class Wide>
std::vector<FilterOutput<Wide>> filter_line(const std::vector<Wide>& line, const LinearFilter<Wide>& filter);

template <class Wide, class T>
std::vector<FilterOutput<Wide>> filter_line(const std::vector<T>& line, const LinearFilter<Wide>& filter) {
  return filter_line(std::vector<Wide>(line.begin(), line.end()), filter);
}

/// Each line of the last axis of a row-major array.
template <class Wide, class T>
std::vector<FilterOutput<Wide>> filter_lines(const std::vector<T>& array, std::size_t line_size,
                                             const LinearFilter<Wide>& filter) {
  std::vector<FilterOutput<Wide>> outputs;
  outputs.reserve(array.size());
  for (std::size_t begin = 0; begin < array.size(); begin += line_size) {
    const auto first = array.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto line = filter_line(std::vector<Wide>(first, first + static_cast<std::ptrdiff_t>(line_size)), filter);
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

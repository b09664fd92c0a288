// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "filter_reference.hpp"

namespace tessera::reference {

std::int64_t element_for(Edge left, Edge right, std::int64_t j, std::int64_t n) {
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

template <class Wide>
ExtendedElement<Wide> extended_element(const std::vector<Wide>& line, const LinearFilter<Wide>& filter,
                                       std::int64_t j) {
  const auto n = static_cast<std::int64_t>(line.size());
  const auto at = [&](std::int64_t index) { return line[static_cast<std::size_t>(index)]; };
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

template <class Wide>
FilterOutput<Wide> filter_output(const std::vector<Wide>& line, const LinearFilter<Wide>& filter, std::int64_t first) {
  const auto n = static_cast<std::int64_t>(line.size()), m = static_cast<std::int64_t>(filter.weights.size());
  FilterOutput<Wide> output;
  std::vector<Wide> counted(filter.weights.size());
  Wide* const first_counted = counted.data();
  Wide* next = first_counted;
  for (std::int64_t k = 0; k < m; ++k) {
    const std::int64_t j = filter.convolve ? first + m - 1 - k : first + k;
    const Wide weight = filter.weights[static_cast<std::size_t>(k)];
    const ExtendedElement<Wide> x = extended_element(line, filter, j);
    if ((j < 0 ? filter.left : filter.right) == Edge::odd && (j < 0 || j >= n)) output.derived = true;
    if (!x.counts) continue;
    *next++ = weight;
    output.value += weight * x.value;
    output.sum_abs += (weight < 0 ? -weight : weight) * x.magnitude;
  }
  if constexpr (std::is_floating_point_v<Wide>) {
    if (next - first_counted == m) return output;
    counted.resize(static_cast<std::size_t>(next - first_counted));
    const Wide inside = float_sum(counted).sum, all = float_sum(filter.weights).sum;
    const Wide scale = inside == 0 ? std::numeric_limits<Wide>::quiet_NaN() : all / inside;
    output = {output.value * scale, output.sum_abs * std::abs(scale), false, true};
  }
  return output;
}

template <class Wide>
std::vector<FilterOutput<Wide>> filter_line(const std::vector<Wide>& line, const LinearFilter<Wide>& filter) {
  const auto n = static_cast<std::int64_t>(line.size()), m = static_cast<std::int64_t>(filter.weights.size());
  std::vector<FilterOutput<Wide>> outputs;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t first = filter.convolve ? i + filter.origin + m / 2 - (m - 1) : i - (m / 2 + filter.origin);
    const auto leaves_to = [&](Edge edge) {
      return (first < 0 && filter.left == edge) || (first + m > n && filter.right == edge);
    };
    if (leaves_to(Edge::valid)) continue;
    outputs.push_back(leaves_to(Edge::keep) ? FilterOutput<Wide>{line[static_cast<std::size_t>(i)], 0, true}
                                            : filter_output(line, filter, first));
  }
  return outputs;
}

template ExtendedElement<long double> extended_element(const std::vector<long double>&,
                                                       const LinearFilter<long double>&, std::int64_t);
template FilterOutput<long double> filter_output(const std::vector<long double>&, const LinearFilter<long double>&,
                                                 std::int64_t);
template std::vector<FilterOutput<long double>> filter_line(const std::vector<long double>&,
                                                            const LinearFilter<long double>&);
template std::vector<FilterOutput<wide_int>> filter_line(const std::vector<wide_int>&, const LinearFilter<wide_int>&);

}  // namespace tessera::reference

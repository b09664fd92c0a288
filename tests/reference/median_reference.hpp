// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The median filter by its definition: each window gathered and sorted.
#ifndef TESSERA_TESTS_REFERENCE_MEDIAN_REFERENCE_HPP
#define TESSERA_TESTS_REFERENCE_MEDIAN_REFERENCE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "filter_reference.hpp"

namespace tessera::reference {

template <class T>
struct MedianFilter {
  std::int64_t window = 1, origin = 0;
  Edge left = Edge::reflect, right = Edge::reflect;
  T cval = 0;
};

/// Element floor(m/2) of the sorted window, -0.0 before +0.0; the quiet NaN where it holds a NaN.
template <class T>
T median_of(std::vector<T> window) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::any_of(window.begin(), window.end(), [](T x) { return x != x; })) {
      return std::numeric_limits<T>::quiet_NaN();
    }
    std::sort(window.begin(), window.end(),
              [](T a, T b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); });
  } else {
    std::sort(window.begin(), window.end());
  }
  return window[window.size() / 2];
}

template <class T>
std::vector<T> median_line(const std::vector<T>& line, const MedianFilter<T>& filter) {
  const auto n = static_cast<std::int64_t>(line.size());
  std::vector<T> outputs;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t first = i - filter.window / 2 - filter.origin, last = first + filter.window - 1;
    if ((first < 0 && filter.left == Edge::keep) || (last >= n && filter.right == Edge::keep)) {
      outputs.push_back(line[static_cast<std::size_t>(i)]);
      continue;
    }
    std::vector<T> window;
    for (std::int64_t j = first; j <= last; ++j) {
      const std::int64_t at = element_for(filter.left, filter.right, j, n);
      window.push_back(at < 0 ? filter.cval : line[static_cast<std::size_t>(at)]);
    }
    outputs.push_back(median_of(window));
  }
  return outputs;
}

}  // namespace tessera::reference

#endif

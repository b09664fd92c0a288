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

#include "window_reference.hpp"

namespace tessera::reference {

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

/// omits_nan: of what is left of each window then, a NaN where that is nothing.
template <class T>
std::vector<T> median_line(const std::vector<T>& line, const Window<T>& window, bool omits_nan = false) {
  std::vector<T> outputs;
  for (std::size_t i = 0; i < line.size(); ++i) {
    std::vector<T> elements = window_elements(line, static_cast<std::int64_t>(i), window);
    const bool is_kept = elements.empty();
    if (omits_nan) std::erase_if(elements, [](T x) { return x != x; });
    if (elements.empty()) {
      outputs.push_back(is_kept ? line[i] : std::numeric_limits<T>::quiet_NaN());
    } else {
      outputs.push_back(median_of(elements));
    }
  }
  return outputs;
}

}  // namespace tessera::reference

#endif

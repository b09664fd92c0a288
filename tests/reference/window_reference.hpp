// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mean of a moving window by walking each window, in integers of any length or in long double (minimum and maximum are
// those of reduce_reference.hpp): what the library's window kernels are compared with. Hand-checked in
// unit/reference/test_filter_reference.cpp.
#ifndef TESSERA_TESTS_REFERENCE_WINDOW_REFERENCE_HPP
#define TESSERA_TESTS_REFERENCE_WINDOW_REFERENCE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "big_integer.hpp"
#include "filter_reference.hpp"

namespace tessera::reference {

template <class T>
struct Window {
  std::int64_t size = 1, origin = 0;
  Edge left = Edge::reflect, right = Edge::reflect;
  T cval = 0;
};

/// Where the elements of output i's window stand, in order, -1 for the constant. None where mode keep copies the
/// input's element instead.
std::vector<std::int64_t> window_places(std::int64_t n, std::int64_t i, std::int64_t size, std::int64_t origin,
                                        Edge left, Edge right);

template <class T>
std::vector<T> window_elements(const std::vector<T>& line, std::int64_t i, const Window<T>& window) {
  const auto n = static_cast<std::int64_t>(line.size());
  const std::vector<std::int64_t> places = window_places(n, i, window.size, window.origin, window.left, window.right);
  std::vector<T> elements(places.size());
  std::transform(places.begin(), places.end(), elements.begin(),
                 [&, x = line.data()](std::int64_t at) { return at < 0 ? window.cval : x[at]; });
  return elements;
}

/// The mean of floating elements, and the error that a box filter's output may have.
struct WindowMean {
  long double value = 0, bound = 0;
};
template <class T>
WindowMean window_mean(const std::vector<T>& elements) {
  long double sum = 0, magnitudes = 0;
  for (const T x : elements) {
    sum += static_cast<long double>(x);
    magnitudes += std::abs(static_cast<long double>(x));
  }
  const auto size = static_cast<long double>(elements.size());
  int levels = 0;
  while ((std::size_t{1} << levels) < elements.size()) ++levels;
  WindowMean mean{sum / size, (2 * levels + (sizeof(T) < sizeof(double) ? 8 : 3)) * 0x1p-53L * magnitudes / size};
  mean.bound += std::numeric_limits<T>::denorm_min();
  if (sizeof(T) < sizeof(double)) mean.bound += std::numeric_limits<T>::epsilon() / 2 * std::abs(mean.value);
  return mean;
}

/// The mean of integers, rounded once.
template <class T>
double integer_window_mean(const std::vector<T>& elements) {
  wide_int sum = 0;
  for (const T x : elements) sum += x;
  const wide_int magnitude = sum < 0 ? -sum : sum;
  Natural whole(static_cast<std::uint64_t>(magnitude));
  whole.add_shifted(static_cast<std::uint64_t>(magnitude >> 64), 64);
  const auto mean = rounded_quotient<double>(whole, Natural(elements.size()), 0);
  return sum < 0 ? -mean : mean;
}

}  // namespace tessera::reference

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters of bytes and 16-bit integers of any value, at lines' ends of all kinds.
#ifndef TESSERA_TESTS_UNIT_FILTER_SHORT_INTEGER_CHECK_HPP
#define TESSERA_TESTS_UNIT_FILTER_SHORT_INTEGER_CHECK_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "filter_check.hpp"

namespace tessera::test {

template <class T>
std::vector<T> any_values(std::size_t size, std::uint64_t seed) {
  std::vector<T> data;
  for (std::size_t i = 0; i < size; ++i) data.push_back(static_cast<T>(mixed(i, seed)));
  return data;
}

/// Of so many bytes and a sign, as many as 32-bit sums of T hold; they cancel in part.
template <class T>
std::vector<double> digit_weights(std::size_t taps, int digits) {
  const double most = std::min(std::ldexp(1.0, 8 * digits - 1), std::ldexp(1.0, 29 - static_cast<int>(8 * sizeof(T))));
  std::vector<double> weights;
  for (std::size_t k = 0; k < taps; ++k) {
    const double share = std::floor(most / static_cast<double>(taps));
    weights.push_back(k % 3 == 1 ? -share + static_cast<double>(k % 5) : share - static_cast<double>(k % 7));
  }
  return weights;
}

/// Under one pair of modes by all variants, under the others by the one that has kernels for them.
template <class T, class InLayout = Right, class OutLayout = Right, class Space>
void check_integer_lines(const Space& space, std::size_t lines, std::size_t size, const std::vector<double>& weights) {
  FilterCheck<T, T, InLayout, OutLayout, Space, 2> check(space, {lines, size}, any_values<T>(lines * size, size),
                                                         weights);
  check.check({.mode_left = BoundaryMode::reflect, .mode_right = BoundaryMode::constant, .cval = 5.0}, false);
  check_vectorized(check);
}

}  // namespace tessera::test

#endif

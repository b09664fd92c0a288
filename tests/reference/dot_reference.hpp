// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dot products in schoolbook integers, rounded once.
#ifndef TESSERA_TESTS_REFERENCE_DOT_REFERENCE_HPP
#define TESSERA_TESTS_REFERENCE_DOT_REFERENCE_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "big_integer.hpp"

namespace tessera::reference {

/// Finite elements only.
template <class T>
T exact_dot(const std::vector<T>& x, const std::vector<T>& y) {
  ExactTotal total(-2148);
  for (std::size_t i = 0; i < x.size(); ++i) {
    int ex = 0, ey = 0;
    const double mx = std::frexp(static_cast<double>(x[i]), &ex), my = std::frexp(static_cast<double>(y[i]), &ey);
    const auto a = static_cast<std::uint64_t>(std::ldexp(std::abs(mx), 53));
    const auto b = static_cast<std::uint64_t>(std::ldexp(std::abs(my), 53));
    const bool negative = std::signbit(mx) != std::signbit(my);
    const int exponent = ex + ey - 106;
    // The lowest bits of subnormals are zeros, which may lie below the total's own.
    const auto add = [&](std::uint64_t product, int at) {
      for (; product != 0 && at < -2148; ++at) product >>= 1;
      if (product != 0) total.add(negative, product, at);
    };
    const std::uint64_t low = b & 0xffffffff, high = b >> 32;
    add((a & 0xffffffff) * low, exponent);
    add((a >> 32) * low, exponent + 32);
    add((a & 0xffffffff) * high, exponent + 32);
    add((a >> 32) * high, exponent + 64);
  }
  const T result = rounded_quotient<T>(total.magnitude(), Natural(1), total.lowest());
  return total.negative() ? -result : result;
}

}  // namespace tessera::reference

#endif

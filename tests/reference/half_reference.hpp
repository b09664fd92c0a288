// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding to a binary format, and its bits, by arithmetic in long double: what the library's float16 and bfloat16
// results are compared with. Shares no code with it.
#ifndef TESSERA_TESTS_REFERENCE_HALF_REFERENCE_HPP
#define TESSERA_TESTS_REFERENCE_HALF_REFERENCE_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tessera::reference {

/// Bits of the significand with the hidden one, and of the exponent field; exponents of normal numbers.
struct BinaryFormat {
  int digits, exponent_bits, exponent_min, exponent_max;
};
inline constexpr BinaryFormat half_format{11, 5, -14, 15};
inline constexpr BinaryFormat brain_format{8, 8, -126, 127};
inline constexpr BinaryFormat single_format{24, 8, -126, 127};

/// To nearest, ties to even; beyond the largest number an infinity.
inline long double nearest(const BinaryFormat& format, long double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int exponent = std::max(std::ilogb(x), format.exponent_min);
  const int unit = exponent - format.digits + 1;
  const long double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit);
  const bool beyond = std::abs(rounded) >= std::ldexp(1.0L, format.exponent_max + 1);
  return beyond ? std::copysign(std::numeric_limits<long double>::infinity(), x) : rounded;
}

/// The bits of a value that the format has; of NaN the quiet one.
inline std::uint32_t encoded(const BinaryFormat& format, long double value) {
  const int fraction = format.digits - 1;
  const std::uint32_t infinity = ((std::uint32_t{1} << format.exponent_bits) - 1) << fraction;
  if (std::isnan(value)) return infinity | std::uint32_t{1} << (fraction - 1);
  const std::uint32_t sign = std::signbit(value) ? std::uint32_t{1} << (fraction + format.exponent_bits) : 0;
  if (std::isinf(value)) return sign | infinity;
  if (value == 0) return sign;
  const int exponent = std::max(std::ilogb(value), format.exponent_min);
  const auto mantissa = static_cast<std::uint32_t>(std::ldexp(std::abs(value), fraction - exponent));
  // The hidden bit makes the field one more.
  return sign | (mantissa + (static_cast<std::uint32_t>(exponent - format.exponent_min) << fraction));
}

inline long double decoded(const BinaryFormat& format, std::uint32_t bits) {
  const int fraction = format.digits - 1;
  const std::uint32_t one = 1;
  const std::uint32_t field = bits >> fraction & ((one << format.exponent_bits) - 1);
  const std::uint32_t mantissa = bits & ((one << fraction) - 1);
  const long double sign = (bits >> (fraction + format.exponent_bits) & 1) != 0 ? -1 : 1;
  if (field == (one << format.exponent_bits) - 1) {
    return mantissa != 0 ? std::numeric_limits<long double>::quiet_NaN()
                         : sign * std::numeric_limits<long double>::infinity();
  }
  const std::uint32_t whole = field == 0 ? mantissa : mantissa | one << fraction;
  const int exponent = std::max<int>(1, static_cast<int>(field)) - 1 + format.exponent_min;
  return sign * std::ldexp(static_cast<long double>(whole), exponent - fraction);
}

}  // namespace tessera::reference

#endif

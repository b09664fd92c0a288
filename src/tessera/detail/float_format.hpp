// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating element types: their layouts, and float16 and bfloat16, which are float where Kokkos has no such types.
#ifndef TESSERA_DETAIL_FLOAT_FORMAT_HPP
#define TESSERA_DETAIL_FLOAT_FORMAT_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace tessera::detail {

/// A floating type of 16 bits of its own.
template <class T>
inline constexpr bool is_short_float_v =
    !std::is_same_v<T, float> &&
    (std::is_same_v<T, Kokkos::Experimental::half_t> || std::is_same_v<T, Kokkos::Experimental::bhalf_t>);
template <class T>
inline constexpr bool is_floating_v = std::is_floating_point_v<T> || is_short_float_v<T>;
template <class T>
inline constexpr bool is_number_v = std::is_arithmetic_v<T> || is_floating_v<T>;

/// What elements are computed in: float for short ones, which it holds exactly.
template <class T>
using wide_t = std::conditional_t<is_short_float_v<T>, float, T>;
template <class T>
KOKKOS_INLINE_FUNCTION wide_t<T> widened(const T& element) {
  return static_cast<wide_t<T>>(element);
}

/// Layout of an IEEE binary format.
template <class T>
struct FloatFormat;
template <>
struct FloatFormat<float> {
  using bits_type = std::uint32_t;
  static constexpr int mantissa = 24;  // bits, with the hidden one
  static constexpr int exponent_min = -126;
  static constexpr int exponent_max = 127;
  static constexpr bits_type quiet_nan = 0x7fc00000u;
};
template <>
struct FloatFormat<double> {
  using bits_type = std::uint64_t;
  static constexpr int mantissa = 53;
  static constexpr int exponent_min = -1022;
  static constexpr int exponent_max = 1023;
  static constexpr bits_type quiet_nan = 0x7ff8000000000000u;
};

/// 2^exponent, which is a normal double.
KOKKOS_INLINE_FUNCTION double power_of_two(int exponent) {
  return Kokkos::bit_cast<double>(static_cast<std::uint64_t>(exponent + FloatFormat<double>::exponent_max) << 52);
}

struct HalfFormat {
  using bits_type = std::uint16_t;
  static constexpr int mantissa = 11;
  static constexpr int exponent_min = -14;
  static constexpr int exponent_max = 15;
  static constexpr bits_type quiet_nan = 0x7e00u;
};
struct BrainFormat {
  using bits_type = std::uint16_t;
  static constexpr int mantissa = 8;
  static constexpr int exponent_min = -126;
  static constexpr int exponent_max = 127;
  static constexpr bits_type quiet_nan = 0x7fc0u;
};
template <class T>
requires is_short_float_v<T>
struct FloatFormat<T> : std::conditional_t<std::is_same_v<T, Kokkos::Experimental::half_t>, HalfFormat, BrainFormat> {
};

}  // namespace tessera::detail

#endif

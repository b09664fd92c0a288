// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The terms of exact sums: their bits, their exponents, and the way of single ones to the digits.
#ifndef TESSERA_REDUCE_DETAIL_EXACT_TERMS_HPP
#define TESSERA_REDUCE_DETAIL_EXACT_TERMS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/noinline.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/exact_digits.hpp>
#include <tessera/reduce/detail/exact_rounding.hpp>
#include <type_traits>

namespace tessera::detail {

/// Of an element type: the digits of sums of elements and of products, and the words of their windows.
template <class T>
struct ExactFormat {
  using sum_digits = ExactDigits<0, 8>;
  using product_digits = ExactDigits<0, 8>;
};
template <>
struct ExactFormat<float> {
  using sum_digits = ExactDigits<-149, 12>;
  using product_digits = ExactDigits<-298, 20>;
  static constexpr int sum_words = 2;      // 66 binades, 21 of them in one word
  static constexpr int product_words = 2;  // 20 binades of elements
  static constexpr int product_bits = 48;  // a product is a multiple of its leading bit / 2^(product_bits - 1)
};
template <>
struct ExactFormat<double> {
  using sum_digits = ExactDigits<-1074, 68>;
  using product_digits = ExactDigits<-2148, 134>;
  static constexpr int sum_words = 3;      // 36 binades in two words, 81 in three
  static constexpr int product_words = 4;  // 13 binades of elements in three words, 36 in four
  static constexpr int product_bits = 106;
};

/// What the digits do not show. Kept in slow memory, as is everything whose address a rare path takes.
struct Specials {
  static constexpr std::uint32_t nan = 1, plus_infinity = 2, minus_infinity = 4;
  std::uint32_t flags;
  std::int64_t nans, infinities;
};

/// The bits of an element: exponent field and mantissa, as integers.
template <class T>
struct FloatParts {
  using Format = FloatFormat<T>;
  using Bits = typename Format::bits_type;
  Bits bits;

  KOKKOS_INLINE_FUNCTION explicit FloatParts(T value) : bits(Kokkos::bit_cast<Bits>(value)) {}
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool negative() const { return (bits >> (8 * sizeof(T) - 1)) != 0; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Bits magnitude() const { return static_cast<Bits>(bits << 1) >> 1; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int field() const {
    return static_cast<int>(magnitude() >> (Format::mantissa - 1));
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool finite() const { return field() <= 2 * Format::exponent_max; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool is_nan() const {
    return magnitude() > (static_cast<Bits>(2 * Format::exponent_max + 1) << (Format::mantissa - 1));
  }
  /// value = +-mantissa() * 2^(position() + lowest bit of the format)
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t mantissa() const {
    constexpr Bits hidden = Bits{1} << (Format::mantissa - 1);
    return static_cast<std::int64_t>((bits & (hidden - 1)) | (field() > 0 ? hidden : Bits{0}));
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int position() const { return field() > 0 ? field() - 1 : 0; }
  /// Of a normal number: 2^exponent() <= |value|.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int exponent() const { return field() - Format::exponent_max; }
};

/// A finite value to the digits.
template <class T, int LowBit, int Count>
TESSERA_NOINLINE KOKKOS_FUNCTION void deposit_value(ExactDigits<LowBit, Count>& digits, T value) {
  const FloatParts<T> parts(value);
  digits.deposit(parts.negative() ? -parts.mantissa() : parts.mantissa(), parts.position());
}

/// A double that is a multiple of the digits' unit, as sums of their terms are.
template <int LowBit, int Count>
TESSERA_NOINLINE KOKKOS_FUNCTION void deposit_multiple(ExactDigits<LowBit, Count>& digits, double value) {
  if (value == 0) return;
  const FloatParts<double> parts(value);
  const int position = parts.position() - 1074 - LowBit;
  const std::int64_t mantissa = position < 0 ? parts.mantissa() >> -position : parts.mantissa();
  digits.deposit(parts.negative() ? -mantissa : mantissa, position < 0 ? 0 : position);
}

/// A product of finite values to the digits.
template <class T, int LowBit, int Count>
TESSERA_NOINLINE KOKKOS_FUNCTION void deposit_product(ExactDigits<LowBit, Count>& digits, T a, T b) {
  const FloatParts<T> x(a), y(b);
  const UInt128 product = static_cast<UInt128>(x.mantissa()) * static_cast<std::uint64_t>(y.mantissa());
  const auto low = static_cast<std::int64_t>(static_cast<std::uint64_t>(product) & 0x3ffffffffffffffu);
  const auto high = static_cast<std::int64_t>(static_cast<std::uint64_t>(product >> 58));
  const bool negative = x.negative() != y.negative();
  const int position = x.position() + y.position();
  digits.deposit(negative ? -low : low, position);
  digits.deposit(negative ? -high : high, position + 58);
}

/// Elements that a host takes at once, so that there are vectors to make of them.
inline constexpr int host_group = 128;

/// Elements in memory, for loops over rare ones: unrolled, these would be most of a kernel.
template <class Element, int N>
struct Kept {
  Element values[N];
  KOKKOS_FORCEINLINE_FUNCTION explicit Kept(const Element (&elements)[N]) {
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) values[k] = elements[k];
  }
};

/// The range of exponents of a group of terms; zeros fit anywhere.
struct ExponentRange {
  int lowest, highest;  // exponents of normal terms
  bool empty;           // all zero
  bool ordinary;        // neither NaN, infinite nor subnormal
};

/// High words of doubles, or floats, without their signs: they compare as magnitudes.
KOKKOS_INLINE_FUNCTION std::uint32_t magnitude_word(float x) {
  return Kokkos::bit_cast<std::uint32_t>(x) & 0x7fffffffu;
}
KOKKOS_INLINE_FUNCTION std::uint32_t magnitude_word(double x) {
  return static_cast<std::uint32_t>(Kokkos::bit_cast<std::uint64_t>(x) >> 32) & 0x7fffffffu;
}

template <class T, int N>
KOKKOS_INLINE_FUNCTION ExponentRange exponent_range(const T (&terms)[N]) {
  constexpr int shift = std::is_same_v<T, float> ? 23 : 20;
  constexpr std::uint32_t normal = 1u << shift;
  constexpr std::uint32_t infinite = static_cast<std::uint32_t>(2 * FloatFormat<T>::exponent_max + 1) << shift;
  std::uint32_t largest = 0;
  std::uint32_t smallest = ~0u;
  TESSERA_UNROLL
  for (int k = 0; k < N; ++k) {
    const std::uint32_t word = magnitude_word(terms[k]);
    largest = word > largest ? word : largest;
    smallest = word < smallest ? word : smallest;
  }
  bool ordinary = largest < infinite;
  bool empty = false;
  if (smallest < normal) {
    // Zeros do not count, subnormals do.
    smallest = ~0u;
    empty = true;
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      const std::uint32_t word = magnitude_word(terms[k]);
      const bool zero = FloatParts<T>(terms[k]).magnitude() == 0;
      empty = empty && zero;
      ordinary = ordinary && (zero || word >= normal);
      smallest = !zero && word < smallest ? word : smallest;
    }
  }
  return {static_cast<int>(smallest >> shift) - FloatFormat<T>::exponent_max,
          static_cast<int>(largest >> shift) - FloatFormat<T>::exponent_max, empty, ordinary};
}

/// Rounded by fma, which no compiler contracts with the addition that follows.
KOKKOS_INLINE_FUNCTION double rounded_product(double a, double b) { return Kokkos::fma(a, b, -0.0); }

}  // namespace tessera::detail

#endif

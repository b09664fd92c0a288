// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From exact digits to floating results with one rounding. Integer arithmetic only, but for estimates: compilers
// contract floating expressions, and GPUs flush subnormals, each in its own way.
#ifndef TESSERA_REDUCE_DETAIL_EXACT_ROUNDING_HPP
#define TESSERA_REDUCE_DETAIL_EXACT_ROUNDING_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/float_format.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/exact_digits.hpp>
#include <type_traits>

namespace tessera::detail {

__extension__ typedef unsigned __int128 UInt128;

/// A magnitude of any size, its head in 128 bits: value = (head + rest) * 2^exponent with 0 <= rest < 1, and rest > 0
/// just where `more` says so. Bit 127 of head is set, or the value is zero.
struct WideValue {
  UInt128 head = 0;
  int exponent = 0;
  bool more = false;
  bool negative = false;
};

KOKKOS_INLINE_FUNCTION int bit_width_of(std::uint64_t value) {
  return 64 - Kokkos::Experimental::countl_zero_builtin(value);
}
KOKKOS_INLINE_FUNCTION int bit_width_of(UInt128 value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return high != 0 ? 64 + bit_width_of(high) : bit_width_of(static_cast<std::uint64_t>(value));
}

KOKKOS_INLINE_FUNCTION WideValue normalised(WideValue value) {
  const int shift = 128 - bit_width_of(value.head);
  if (value.head == 0) return value;
  value.head <<= shift;
  value.exponent -= shift;
  return value;
}

/// Round to nearest, ties to even, subnormals included; beyond the largest value an infinity. T may be an integer that
/// takes the bits of a format.
template <class T, class Format = FloatFormat<T>>
KOKKOS_INLINE_FUNCTION T rounded(const WideValue& value) {
  using Bits = typename Format::bits_type;
  constexpr int digits = Format::mantissa;
  constexpr int total_bits = static_cast<int>(8 * sizeof(T));
  const Bits sign = static_cast<Bits>(value.negative) << (total_bits - 1);
  if (value.head == 0) return Kokkos::bit_cast<T>(Bits{0});
  const int exponent = value.exponent + 127;  // of the leading bit
  constexpr Bits infinity = (static_cast<Bits>(2 * Format::exponent_max + 1)) << (digits - 1);
  if (exponent > Format::exponent_max) return Kokkos::bit_cast<T>(static_cast<Bits>(sign | infinity));

  const bool subnormal = exponent < Format::exponent_min;
  const int cut = 128 - digits + (subnormal ? Format::exponent_min - exponent : 0);
  Bits bits = 0;
  if (cut <= 128) {
    const UInt128 half = UInt128{1} << (cut - 1);
    const UInt128 dropped = cut == 128 ? value.head : value.head & ((half << 1) - 1);
    bits = cut == 128 ? Bits{0} : static_cast<Bits>(value.head >> cut);
    const bool up = dropped > half || (dropped == half && (value.more || (bits & 1) != 0));
    bits = static_cast<Bits>(bits + (up ? 1 : 0));
  }
  // The hidden bit, and a carry out of the mantissa, add to the exponent as they should.
  if (!subnormal) bits = static_cast<Bits>(bits + (static_cast<Bits>(exponent - Format::exponent_min) << (digits - 1)));
  return Kokkos::bit_cast<T>(static_cast<Bits>(sign | bits));
}

/// Digits as a magnitude in place: each 0 .. 2^32-1, and the sign apart. Leading and trailing zeros are cut off. What
/// ExactDigits it was made of holds nothing afterwards.
struct Magnitude {
  std::int64_t* digit;
  int begin, end;
  int low_bit;
  bool negative;
};

template <int LowBit, int Count>
KOKKOS_FUNCTION Magnitude magnitude(ExactDigits<LowBit, Count>& digits) {
  digits.carry();
  Magnitude result{digits.digit, digits.begin, digits.end, LowBit, false};
  if (result.begin >= result.end) return {digits.digit, 0, 0, LowBit, false};
  result.negative = result.digit[result.end - 1] < 0;
  if (result.negative) {
    std::int64_t over = 0;
    for (int j = result.begin; j < result.end; ++j) {
      const std::int64_t value = over - result.digit[j];
      const bool last = j + 1 == result.end;
      result.digit[j] = last ? value : value & 0xffffffff;
      over = last ? 0 : value >> 32;
    }
  }
  while (result.end > result.begin && result.digit[result.end - 1] == 0) --result.end;
  while (result.end > result.begin && result.digit[result.begin] == 0) ++result.begin;
  digits.begin = digits.end = 0;  // no longer two's complement
  return result;
}

/// The 128 leading bits of digits [begin, end), each 0 .. 2^32-1; low_bit as in ExactDigits.
KOKKOS_INLINE_FUNCTION WideValue leading_bits(const std::int64_t* digit, int begin, int end, int low_bit) {
  WideValue result;
  while (end > begin && digit[end - 1] == 0) --end;
  if (end == begin) return result;
  constexpr int taken = 5;
  std::uint64_t top[taken];
  TESSERA_UNROLL
  for (int i = 0; i < taken; ++i) {
    top[i] = end - 1 - i >= begin ? static_cast<std::uint64_t>(digit[end - 1 - i]) : std::uint64_t{0};
  }
  const int shift = 32 - bit_width_of(top[0]);
  const UInt128 four = static_cast<UInt128>(top[0] << 32 | top[1]) << 64 | (top[2] << 32 | top[3]);
  result.head = four << shift | top[4] >> (32 - shift);
  result.exponent = 32 * (end - 4) + low_bit - shift;
  result.more = (top[4] << shift & 0xffffffffu) != 0;
  for (int j = end - taken - 1; !result.more && j >= begin; --j) result.more = digit[j] != 0;
  return result;
}

KOKKOS_INLINE_FUNCTION WideValue leading_bits(const Magnitude& m) {
  WideValue result = leading_bits(m.digit, m.begin, m.end, m.low_bit);
  result.negative = m.negative;
  return result;
}

/// Rounded somehow: for estimates that are corrected.
KOKKOS_INLINE_FUNCTION double roughly(UInt128 value) {
  return static_cast<double>(static_cast<std::uint64_t>(value >> 64)) * 0x1p64 +
         static_cast<double>(static_cast<std::uint64_t>(value));
}

/// Bits position .. position + count - 1 of digits [begin, end), zeros beyond them; count <= 32.
KOKKOS_INLINE_FUNCTION std::uint64_t bits_at(const std::int64_t* digit, int begin, int end, int position, int count) {
  const int j = position >> 5;
  const std::uint64_t low = j >= begin && j < end ? static_cast<std::uint64_t>(digit[j]) : 0;
  const std::uint64_t high = j + 1 >= begin && j + 1 < end ? static_cast<std::uint64_t>(digit[j + 1]) : 0;
  return (high << 32 | low) >> (position & 31) & ((std::uint64_t{1} << count) - 1);
}

/// Digits [begin, end), each 0 .. 2^32-1, over a divisor, 0 < divisor < 2^127: 128 leading bits of the quotient.
KOKKOS_INLINE_FUNCTION WideValue divided(const std::int64_t* digit, int begin, int end, int low_bit, UInt128 divisor) {
  WideValue result;
  while (end > begin && digit[end - 1] == 0) --end;
  if (end == begin) return result;
  // Long division, as many bits at a time as leave room for a quotient that is one off; zeros follow the last digit.
  const int step_max = Kokkos::max(1, Kokkos::min(32, 126 - bit_width_of(divisor)));
  const double inverse = 1 / roughly(divisor);
  UInt128 remainder = 0;
  int width = 0;
  int position = 32 * end;
  while (width < 128) {
    const int step = Kokkos::min(step_max, 128 - width);
    position -= step;
    const UInt128 dividend = remainder << step | bits_at(digit, begin, end, position, step);
    std::uint64_t quotient = dividend >= divisor ? 1 : 0;
    if (step_max > 1) quotient = static_cast<std::uint64_t>(roughly(dividend) * inverse);
    remainder = dividend - divisor * quotient;
    if (step_max > 1 && remainder >> 127 != 0) {  // below zero
      --quotient;
      remainder += divisor;
    } else if (remainder >= divisor) {
      ++quotient;
      remainder -= divisor;
    }
    result.head = result.head << step | quotient;
    width = width == 0 ? bit_width_of(quotient) : width + step;
  }
  result.exponent = position + low_bit;
  result.more = remainder != 0;
  const int last = position >> 5;
  if (last >= begin) {
    const auto cut = static_cast<std::uint64_t>(digit[last]) & ((std::uint64_t{1} << (position & 31)) - 1);
    result.more = result.more || cut != 0;
    for (int j = last - 1; j >= begin; --j) result.more = result.more || digit[j] != 0;
  }
  return result;
}

KOKKOS_INLINE_FUNCTION WideValue divided(const Magnitude& m, UInt128 divisor) {
  WideValue result = divided(m.digit, m.begin, m.end, m.low_bit, divisor);
  result.negative = m.negative;
  return result;
}

/// The square root, 64 leading bits of it.
KOKKOS_INLINE_FUNCTION WideValue square_root(const WideValue& value) {
  WideValue result;
  if (value.head == 0) return result;
  // An even exponent, at the price of a bit.
  const bool odd = (value.exponent & 1) != 0;
  const UInt128 square = odd ? value.head >> 1 : value.head;
  const bool cut = odd && (value.head & 1) != 0;
  // An estimate, and what a step of Newton's leaves to correct.
  constexpr std::uint64_t root_max = ~std::uint64_t{0};
  const double estimate = Kokkos::sqrt(roughly(square));
  UInt128 root = estimate < 0x1p64 ? static_cast<std::uint64_t>(estimate) : root_max;
  const bool over = root * root > square;
  const UInt128 off = over ? root * root - square : square - root * root;
  const auto change = static_cast<std::uint64_t>(roughly(off) / (2 * estimate));
  root = over ? root - change : Kokkos::min<UInt128>(root + change, root_max);
  while (root * root > square) --root;
  while (square - root * root > 2 * root) ++root;
  const UInt128 remainder = square - root * root;
  result.head = root;
  result.exponent = (value.exponent + (odd ? 1 : 0)) / 2;
  result.more = value.more || cut || remainder != 0;
  return normalised(result);
}

/// (n S2 - S^2) / divisor, S being s and S2 being q; the numerator is never negative. Count: digits that q can have.
template <int Count>
KOKKOS_FUNCTION WideValue spread_over(std::uint64_t n, const Magnitude& s, const Magnitude& q, UInt128 divisor) {
  constexpr int count = Count + 6;
  const int begin = s.begin < s.end && 2 * s.begin < q.begin ? 2 * s.begin : q.begin;
  const int end = (s.begin < s.end && 2 * s.end > q.end ? 2 * s.end : q.end) + 3;
  if (q.begin >= q.end) return {};
  std::int64_t difference[count];
  for (int j = begin; j < end; ++j) difference[j] = 0;
  const std::uint64_t factor[2] = {n & 0xffffffffu, n >> 32};
  for (int half = 0; half < 2; ++half) {
    std::uint64_t over = 0;
    for (int j = q.begin; j < q.end || over != 0; ++j) {
      const std::uint64_t product = (j < q.end ? factor[half] * static_cast<std::uint64_t>(q.digit[j]) : 0) +
                                    static_cast<std::uint64_t>(difference[j + half]) + over;
      difference[j + half] = static_cast<std::int64_t>(product & 0xffffffffu);
      over = product >> 32;
    }
  }
  for (int i = s.begin; i < s.end; ++i) {
    std::uint64_t over = 0;   // of the product
    std::int64_t borrow = 0;  // of the subtraction
    for (int j = s.begin; j < s.end || over != 0 || borrow != 0; ++j) {
      const std::uint64_t product =
          (j < s.end ? static_cast<std::uint64_t>(s.digit[i]) * static_cast<std::uint64_t>(s.digit[j]) : 0) + over;
      over = product >> 32;
      const std::int64_t left = difference[i + j] - static_cast<std::int64_t>(product & 0xffffffffu) + borrow;
      difference[i + j] = left & 0xffffffff;
      borrow = left >> 32;
    }
  }
  return divided(difference, begin, end, q.low_bit, divisor);
}

}  // namespace tessera::detail

#endif

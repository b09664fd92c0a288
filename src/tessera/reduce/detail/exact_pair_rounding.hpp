// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows from an exact sum in two doubles with one rounding: its quotient by a whole number, its root.
#ifndef TESSERA_REDUCE_DETAIL_EXACT_PAIR_ROUNDING_HPP
#define TESSERA_REDUCE_DETAIL_EXACT_PAIR_ROUNDING_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/float_format.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/exact_rounding.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <tessera/reduce/detail/narrow.hpp>

namespace tessera::detail {

/// For values that are rounded to fewer bits than a double's: the multiple of 16 units in the last place nearest to an
/// estimate within some units of one that is not negative. No middle between two results lies beside it.
KOKKOS_FORCEINLINE_FUNCTION double nearest_multiple(double estimate) {
  return Kokkos::bit_cast<double>((Kokkos::bit_cast<std::uint64_t>(estimate) + 8) & ~std::uint64_t{15});
}
/// Moved to the value's side, by what it leaves of that, of which the sign is right.
KOKKOS_FORCEINLINE_FUNCTION double beside_multiple(double multiple, double left) {
  auto bits = Kokkos::bit_cast<std::uint64_t>(multiple);
  if (left != 0) bits = left > 0 ? bits + 1 : bits - 1;
  return Kokkos::bit_cast<double>(bits);
}

/// The exact quotient by a whole number, 1 to 2^49, rounded once. An estimate within 3 units in the last place, as the
/// low part may be one of them, is put right by what it leaves of the dividend: doubles hold that.
template <class Result>
KOKKOS_INLINE_FUNCTION Result rounded_quotient(const ExactPair& pair, std::int64_t whole) {
  static_assert(is_floating_v<Result>);
  if (pair.high == 0) return Result(0);
  const bool negative = pair.high < 0;
  const double divisor = static_cast<double>(whole), inverse = 1 / divisor;
  const double high = Kokkos::fabs(pair.high), low = negative ? -pair.low : pair.low;
  double quotient = high * inverse;
  auto bits = Kokkos::bit_cast<std::uint64_t>(quotient);
  if constexpr (sizeof(Result) < sizeof(double)) {
    quotient = nearest_multiple(quotient);
    quotient = beside_multiple(quotient, Kokkos::fma(-quotient, divisor, high) + low);
  } else {
    for (bool moves = true; moves;) {
      const auto above = Kokkos::bit_cast<double>(bits + 1), below = Kokkos::bit_cast<double>(bits - 1);
      // Twice what is left, less what the middle to each neighbour would leave; below zero there is none.
      const double left = 2 * Kokkos::fma(-quotient, divisor, high);
      const double over = (left - (above - quotient) * divisor) + 2 * low;
      const double under = (left + (quotient - below) * divisor) + 2 * low;
      const bool odd = (bits & 1) != 0, rises = over > 0 || (over == 0 && odd);
      moves = rises || under < 0 || (under == 0 && odd);
      if (moves) quotient = rises ? above : below;
      bits = Kokkos::bit_cast<std::uint64_t>(quotient);
    }
  }
  return narrowed<Result>(negative ? -quotient : quotient);
}

/// high + low as a double; whether it is the same for all that this is off by no more than off.
KOKKOS_FORCEINLINE_FUNCTION bool round_within(double high, double low, double off, double& result) {
  const double more = off + 0x1p-52 * Kokkos::fabs(low);  // as the sums below are off too
  result = high + (low + more);
  return result == high + (low - more);
}

/// The root of what a pair is off by no more than off; whether an estimate tells how it is rounded.
KOKKOS_FORCEINLINE_FUNCTION bool estimate_root(const ExactPair& pair, double off, double& result) {
  const double root = Kokkos::sqrt(pair.high), twice = 2 * root;
  // Newton's step, which leaves 2^-105 of the root.
  const double rest = (Kokkos::fma(-root, root, pair.high) + pair.low) / twice;
  return pair.high > 0x1p-960 && round_within(root, rest, 1.01 * (off / twice) + 0x1p-102 * root, result);
}

/// What round() makes of an exact sum; whether it makes the same of all that a total may be off, and not zero of those.
template <class Result, class Round>
KOKKOS_FORCEINLINE_FUNCTION bool settle_total(const BoundedPair& total, const Round& round, Result& result) {
  if (!total.holds()) return false;
  // More by what the additions are off.
  const double off = total.bound == 0 ? 0 : total.bound + 0x1p-50 * (total.bound + Kokkos::fabs(total.low));
  result = round(two_sum(total.high, total.low + off));
  if (off == 0) return true;
  return result == round(two_sum(total.high, total.low - off)) && result != Result(0);
}

/// A pair that is not negative, in 128 bits and what more there is.
KOKKOS_INLINE_FUNCTION WideValue wide_value(const ExactPair& pair) {
  WideValue wide;
  if (pair.high == 0) return wide;
  const FloatParts<double> high(pair.high), low_parts(pair.low);
  constexpr int room = 74;  // behind the high part's 53 bits, and one ahead of them
  wide.head = static_cast<UInt128>(high.mantissa()) << room;
  wide.exponent = high.position() - 1074 - room;
  const int shift = low_parts.position() - 1074 - wide.exponent;
  const auto low = static_cast<std::uint64_t>(low_parts.mantissa());
  // No more than half a unit of the high part, the low one never reaches its bits but by a carry.
  const UInt128 whole = shift >= 0 ? static_cast<UInt128>(low) << shift : shift > -64 ? low >> -shift : 0;
  const bool cut = shift < 0 && (shift <= -64 ? low != 0 : (low & ((std::uint64_t{1} << -shift) - 1)) != 0);
  wide.head = pair.low < 0 ? wide.head - whole - (cut ? 1 : 0) : wide.head + whole;
  wide.more = cut;
  return normalised(wide);
}

/// The root of a pair that is not negative, rounded once.
template <class Result>
KOKKOS_INLINE_FUNCTION Result rounded_root(const ExactPair& pair) {
  if constexpr (sizeof(Result) < sizeof(double)) {
    const double root = nearest_multiple(Kokkos::sqrt(pair.high)), square = rounded_product(root, root);
    const ExactPair left = two_sum(pair.high - square, -Kokkos::fma(root, root, -square));
    const ExactPair all = two_sum(left.high, pair.low);
    return narrowed<Result>(beside_multiple(root, all.high + (all.low + left.low)));
  } else {
    return rounded<Result>(square_root(wide_value(pair)));
  }
}

}  // namespace tessera::detail

#endif

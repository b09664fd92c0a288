// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variances and deviations that follow from sums in pairs of doubles, rounded once: most from an estimate, as no middle
// between two results is near; floats of exact sums else by steps that are exact, or off by less than matters.
#ifndef TESSERA_REDUCE_DETAIL_EXACT_SPREAD_HPP
#define TESSERA_REDUCE_DETAIL_EXACT_SPREAD_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/exact_few_squares.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/exact_pair_rounding.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <tessera/reduce/detail/narrow.hpp>

namespace tessera::detail {

/// A product and its rounding error.
KOKKOS_FORCEINLINE_FUNCTION ExactPair two_product(double a, double b) {
  const double product = rounded_product(a, b);
  return {product, Kokkos::fma(a, b, -product)};
}

/// n S2 - S^2 as the exact sum of two terms that mostly cancel, and smaller ones.
struct SpreadTerms {
  static constexpr int count = 8;
  double first, second, small[count];
};
KOKKOS_FORCEINLINE_FUNCTION SpreadTerms spread_terms(const BoundedSpread& total, double n) {
  const ExactPair squares = two_product(n, total.squares.high), squares_low = two_product(n, total.squares.low);
  const ExactPair square = two_product(total.sum.high, total.sum.high);
  const ExactPair mixed = two_product(2 * total.sum.high, total.sum.low);
  const ExactPair square_low = two_product(total.sum.low, total.sum.low);
  const ExactPair errors = two_sum(squares.low, -square.low);
  return {squares.high,
          -square.high,
          {errors.high, squares_low.high, errors.low, -mixed.high, -square_low.high, squares_low.low, -mixed.low,
           -square_low.low}};
}

/// What n S2 - S^2 is off at most.
KOKKOS_FORCEINLINE_FUNCTION double spread_off(const BoundedSpread& total, double n) {
  if (total.exact()) return 0;
  const BoundedPair& sum = total.sum;
  return 1.01 * ((2 * Kokkos::fabs(sum.high) + sum.bound) * sum.bound + n * total.squares.bound);
}

/// The variance of n elements, or its root, by the divisor n (n - ddof), whole; whether an estimate tells how it is
/// rounded.
template <bool Root, class Result>
KOKKOS_FORCEINLINE_FUNCTION bool estimate_spread(const BoundedSpread& total, double n, double divisor,
                                                 Result& result) requires(sizeof(Result) < sizeof(double)) {
  const double off = spread_off(total, n);
  const SpreadTerms terms = spread_terms(total, n);
  const ExactPair large = two_sum(terms.first, terms.second);
  double rest = large.low, magnitudes = Kokkos::fabs(large.low);
  TESSERA_UNROLL
  for (int k = 0; k < SpreadTerms::count; ++k) {
    rest += terms.small[k];
    magnitudes += Kokkos::fabs(terms.small[k]);
  }
  const double over = large.high + rest;
  result = Result(0);
  if (over == 0 && magnitudes == 0 && off == 0) return true;
  // Each addition to the rest is off by half a unit in the last place of magnitudes, at most.
  if (!(magnitudes <= 0x1p-5 * over && off <= 0x1p-51 * over)) return false;
  const double quotient = over / divisor;
  // Some units in the last place off.
  const auto bits = Kokkos::bit_cast<std::uint64_t>(Root ? Kokkos::sqrt(quotient) : quotient);
  result = narrowed<Result>(Kokkos::bit_cast<double>(bits - 16));
  return result == narrowed<Result>(Kokkos::bit_cast<double>(bits + 16));
}

/// The same as a double: all that two doubles hold of the numerator, its quotient and the root.
template <bool Root>
KOKKOS_FORCEINLINE_FUNCTION bool estimate_spread(const BoundedSpread& total, double n, double divisor, double& result) {
  const BoundedPair &sum = total.sum, &sum2 = total.squares;
  const ExactPair squares = two_product(n, sum2.high), square = two_product(sum.high, sum.high);
  const ExactPair large = two_sum(squares.high, -square.high);
  const double errors = squares.low - square.low;
  const double magnitudes = squares.high + square.high;
  result = 0;
  const bool whole = total.exact() && sum.low == 0 && sum2.low == 0;
  // Below, errors of products are no doubles.
  if (!(magnitudes > 0x1p-900)) return magnitudes == 0 && whole;
  if (large.high == 0 && errors == 0 && whole) return true;
  const ExactPair over = two_sum(large.high, large.low + errors + (n * sum2.low - 2 * sum.high * sum.low));
  if (!(over.high > 0x1p-900)) return false;
  // Some ten additions and products are off by 2^-53 of less than 6 2^-53 of magnitudes each.
  const double off = spread_off(total, n) + 0x1p-99 * magnitudes;
  const double high = over.high / divisor;
  const double low = (Kokkos::fma(-high, divisor, over.high) + over.low) / divisor;
  const double quotient_off = 1.01 * (off / divisor) + 0x1p-103 * high;
  return Root ? estimate_root({high, low}, quotient_off, result) : round_within(high, low, quotient_off, result);
}

template <int N>
KOKKOS_INLINE_FUNCTION BoundedPair bounded_sum(double first, double second, const double (&small)[N]) {
  ExactFew<double> few;
  few.add(first);
  few.add(second);
  TESSERA_UNROLL
  for (int k = 0; k < N; ++k) few.add(small[k]);
  return few.total();
}

/// The same of exact sums, where the middle between two results is near: by the sign of what it leaves. Whether that is
/// sure.
template <bool Root, class Result>
KOKKOS_INLINE_FUNCTION bool round_spread(const BoundedSpread& total, double n, double divisor, Result& result) {
  static_assert(sizeof(Result) < sizeof(double));
  const SpreadTerms terms = spread_terms(total, n);
  const BoundedPair over = bounded_sum(terms.first, terms.second, terms.small);
  result = Result(0);
  if (!(over.high > 0)) return over.high == 0 && over.bound == 0;
  const double quotient = over.high / divisor;
  const double value = nearest_multiple(Root ? Kokkos::sqrt(quotient) : quotient);
  BoundedPair left;
  if constexpr (Root) {
    const ExactPair square = two_product(value, value);
    const ExactPair high = two_product(square.high, divisor), low = two_product(square.low, divisor);
    left = bounded_sum(over.high, -high.high, {over.low, -low.high, -high.low, -low.low});
  } else {
    const ExactPair product = two_product(value, divisor);
    left = bounded_sum(over.high, -product.high, {-product.low, over.low});
  }
  const double bound = over.bound + left.bound;
  if (!(Kokkos::fabs(left.high) > 2 * bound) && bound != 0) return false;
  result = narrowed<Result>(beside_multiple(value, left.high));
  return true;
}

}  // namespace tessera::detail

#endif

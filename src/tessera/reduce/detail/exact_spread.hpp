// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variances and deviations of floats that follow from exact sums in pairs of doubles, rounded once: in doubles, by
// steps that are exact, or off by less than what the rounding depends on. Else the digits do.
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

/// high + low is off by no more than bound, and by nothing where that is 0.
struct BoundedSum {
  double high, low, bound;
};

/// Two terms that mostly cancel, and smaller ones. Closely: a third of two doubles' bits more, in twice the time. Else
/// exact where all but the first two of the smaller ones are zero, as of few elements, and two doubles hold the sum.
template <bool Closely, int N>
KOKKOS_FORCEINLINE_FUNCTION BoundedSum bounded_sum(double first, double second, const double (&small)[N]) {
  static_assert(N >= 2 && N < 16);
  if constexpr (Closely) {
    ExactFew<double> few;
    few.add(first);
    few.add(second);
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) few.add(small[k]);
    const ExactPair whole = few.nearest();
    return {whole.high, whole.low, few.bound()};
  } else {
    const ExactPair large = two_sum(first, second);
    const ExactPair with_first = two_sum(large.low, small[0]), with_both = two_sum(with_first.high, small[1]);
    double rest = with_first.low + with_both.low;
    double magnitudes = Kokkos::fabs(with_first.low) + Kokkos::fabs(with_both.low);
    TESSERA_UNROLL
    for (int k = 2; k < N; ++k) {
      rest += small[k];
      magnitudes += Kokkos::fabs(small[k]);
    }
    const ExactPair low = two_sum(with_both.high, rest), whole = two_sum(large.high, low.high);
    return {whole.high, whole.low, Kokkos::fabs(low.low) + magnitudes * 0x1p-48};
  }
}

/// A product and its rounding error.
KOKKOS_FORCEINLINE_FUNCTION ExactPair two_product(double a, double b) {
  const double product = rounded_product(a, b);
  return {product, Kokkos::fma(a, b, -product)};
}

/// n S2 - S^2.
template <bool Closely>
KOKKOS_FORCEINLINE_FUNCTION BoundedSum spread_numerator(const SpreadPairs& total, double n) {
  const ExactPair squares = two_product(n, total.squares.high), squares_low = two_product(n, total.squares.low);
  const ExactPair square = two_product(total.sum.high, total.sum.high);
  const ExactPair mixed = two_product(2 * total.sum.high, total.sum.low);
  const ExactPair square_low = two_product(total.sum.low, total.sum.low);
  const ExactPair errors = two_sum(squares.low, -square.low);
  return bounded_sum<Closely>(squares.high, -square.high,
                              {errors.high, squares_low.high, errors.low, -mixed.high, -square_low.high,
                               squares_low.low, -mixed.low, -square_low.low});
}

/// The variance of n elements, or its root, by the divisor n (n - ddof), whole; whether it is surely rounded right.
template <bool Root, bool Closely, class Result>
KOKKOS_FORCEINLINE_FUNCTION bool round_spread(const SpreadPairs& total, double n, double divisor, Result& result) {
  static_assert(sizeof(Result) < sizeof(double));
  const BoundedSum over = spread_numerator<Closely>(total, n);
  result = Result(0);
  if (!(over.high > 0)) return over.high == 0 && over.bound == 0;
  const double quotient = over.high / divisor;
  const double value = nearest_multiple(Root ? Kokkos::sqrt(quotient) : quotient);
  BoundedSum left;
  if constexpr (Root) {
    const ExactPair square = two_product(value, value);
    const ExactPair high = two_product(square.high, divisor), low = two_product(square.low, divisor);
    left = bounded_sum<Closely>(over.high, -high.high, {over.low, -low.high, -high.low, -low.low});
  } else {
    const ExactPair product = two_product(value, divisor);
    left = bounded_sum<Closely>(over.high, -product.high, {-product.low, over.low});
  }
  const double bound = over.bound + left.bound;
  if (!(Kokkos::fabs(left.high) > 2 * bound) && bound != 0) return false;
  result = narrowed<Result>(beside_multiple(value, left.high));
  return true;
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact sums that two doubles hold, or hold but for less than what their rounding depends on: most are such, and they
// need no digits. Whether one is shows as it is made.
#ifndef TESSERA_REDUCE_DETAIL_EXACT_PAIR_HPP
#define TESSERA_REDUCE_DETAIL_EXACT_PAIR_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/float_format.hpp>
#include <tessera/reduce/detail/narrow.hpp>
#include <type_traits>
#include <utility>

namespace tessera::detail {

/// high + low, low being at most half a unit in the last place of high; low is NaN where two doubles do not do.
struct ExactPair {
  double high, low;
  KOKKOS_FUNCTION static ExactPair none() { return {0, Kokkos::Experimental::quiet_NaN_v<double>}; }
  [[nodiscard]] KOKKOS_FUNCTION bool exact() const { return low == low; }
};

/// The sum and its rounding error (D. Knuth, "The Art of Computer Programming", vol. 2, 4.2.2).
KOKKOS_INLINE_FUNCTION ExactPair two_sum(double a, double b) {
  const double sum = a + b;
  const double from_b = sum - a;
  return {sum, (a - (sum - from_b)) + (b - from_b)};
}

struct BoundedPairSum;

/// high + low, off by no more than bound; by anything where that is NaN. Rounding needs no more, but near the middle
/// between two results.
struct BoundedPair {
  using join_type = BoundedPairSum;
  double high, low, bound;
  KOKKOS_FUNCTION static BoundedPair none() { return {0, 0, Kokkos::Experimental::quiet_NaN_v<double>}; }
  [[nodiscard]] KOKKOS_FUNCTION bool exact() const { return bound == 0 && low == low; }
  /// Whether it says anything: low is NaN where a sum has overflowed, or an element is not finite.
  [[nodiscard]] KOKKOS_FUNCTION bool holds() const {
    return bound + Kokkos::fabs(low) < Kokkos::Experimental::infinity_v<double>;
  }
};

/// As a reducer, for team_join.
struct BoundedPairSum {
  using value_type = BoundedPair;
  KOKKOS_FUNCTION value_type identity() const { return {0, 0, 0}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    const ExactPair high = two_sum(into.high, from.high);
    into.bound += from.bound;
    // Of floats most: a third of the operations below, each of which waits for another.
    if (into.low == 0 && from.low == 0) {
      into.high = high.high;
      into.low = high.low;
      return;
    }
    const ExactPair low = two_sum(into.low, from.low);
    const ExactPair rest = two_sum(high.low, low.high);
    const ExactPair whole = two_sum(high.high, rest.high);
    into.high = whole.high;
    into.low = whole.low;
    if (rest.low == 0 && low.low == 0) return;
    const ExactPair with_rest = two_sum(whole.low, rest.low + low.low);
    into.low = with_rest.high;
    // What the last sum leaves, and more than what the one in it is off.
    into.bound += 2 * (Kokkos::fabs(with_rest.low) + 0x1p-50 * (Kokkos::fabs(rest.low) + Kokkos::fabs(low.low)));
  }
};

/// A few terms one after the other.
template <class T>
class ExactFew;

template <>
class ExactFew<double> {
 public:
  ExactFew() = default;
  KOKKOS_FORCEINLINE_FUNCTION explicit ExactFew(const BoundedPair& first)
      : m_high(first.high), m_low(first.low), m_lost(first.bound) {}
  KOKKOS_FORCEINLINE_FUNCTION void add(double term) {
    const ExactPair high = two_sum(m_high, term);
    const ExactPair low = two_sum(m_low, high.low);
    m_high = high.high;
    m_low = low.high;
    m_lost += Kokkos::fabs(low.low);
  }
  KOKKOS_FORCEINLINE_FUNCTION void join(const ExactFew& from) {
    add(from.m_high);
    add(from.m_low);
    m_lost += from.m_lost;
  }
  /// Two terms, or a sum that they are off by no more than bound.
  KOKKOS_FORCEINLINE_FUNCTION void add(const BoundedPair& terms) {
    const ExactPair high = two_sum(m_high, terms.high);
    const ExactPair low = two_sum(m_low, high.low), lower = two_sum(low.high, terms.low);
    m_high = high.high;
    m_low = lower.high;
    m_lost += Kokkos::fabs(low.low) + Kokkos::fabs(lower.low) + terms.bound;
  }
  /// span: not looked at.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION BoundedPair total(int = 0) const {
    const ExactPair whole = two_sum(m_high, m_low);
    return {whole.high, whole.low, 2 * m_lost};
  }

 private:
  double m_high = 0, m_low = 0;
  double m_lost = 0;
};

/// Binades that so many floats may span for a double to hold their sum: its 53 bits, less the 24 of a term and what the
/// number of terms adds.
KOKKOS_INLINE_FUNCTION constexpr int float_span(std::int64_t terms) {
  int span = 53 - 24;
  for (std::int64_t left = terms; left > 1; left = (left + 1) / 2) --span;
  return span;
}

/// Floats that ExactFew takes, and the binades that they may span.
inline constexpr int few_max = 1024;
inline constexpr int few_span = float_span(few_max);

/// Floats: a double holds their sum where their exponents are close, which is all that is looked at.
template <>
class ExactFew<float> {
 public:
  KOKKOS_FORCEINLINE_FUNCTION void add(float term) {
    const std::uint32_t twice = Kokkos::bit_cast<std::uint32_t>(term) << 1;  // without its sign
    m_largest = Kokkos::max(m_largest, twice);
    m_smallest = Kokkos::min(m_smallest, twice - 2);  // of a zero the largest there is
    m_sum += static_cast<double>(term);
  }
  KOKKOS_FORCEINLINE_FUNCTION void join(const ExactFew& from) {
    m_largest = Kokkos::max(m_largest, from.m_largest);
    m_smallest = Kokkos::min(m_smallest, from.m_smallest);
    m_sum += from.m_sum;
  }
  /// span: float_span() of at least as many terms.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION ExactPair total(int span) const {
    const int highest = static_cast<int>(m_largest >> 24);
    const bool holds = highest < 255 && highest - static_cast<int>(m_smallest >> 24) <= span;
    return {m_sum, holds ? 0 : Kokkos::Experimental::quiet_NaN_v<double>};
  }

 private:
  double m_sum = 0;
  std::uint32_t m_largest = 0, m_smallest = ~std::uint32_t{0};
};

/// For lanes that sum a few each.
template <class Few>
struct ExactFewSum {
  using value_type = Few;
  KOKKOS_FUNCTION value_type identity() const { return {}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into.join(from); }
};

/// Rounded once. To float by way of the odd neighbour, from which the second rounding goes as from the exact value
/// (S. Boldo, G. Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd",
/// 2008).
template <class Result>
KOKKOS_INLINE_FUNCTION Result rounded(const ExactPair& pair) {
  static_assert(is_floating_v<Result>);
  if constexpr (sizeof(Result) >= sizeof(double)) {
    return pair.high;
  } else {
    auto bits = Kokkos::bit_cast<std::uint64_t>(pair.high);
    if (pair.low != 0 && (bits & 1) == 0) bits = (pair.low > 0) == (pair.high > 0) ? bits + 1 : bits - 1;
    return narrowed<Result>(Kokkos::bit_cast<double>(bits));
  }
}

/// What a fold in pairs makes of an element.
template <class Fold, class T>
using term_t = std::remove_cvref_t<decltype(Fold::term(std::declval<const T&>()))>;

/// Whether a fold can leave its total as a pair: pair(thread, spill), absorb and finalize of one.
template <class Fold>
KOKKOS_INLINE_FUNCTION constexpr bool sums_in_pairs() {
  return requires { requires Fold::in_pairs; };
}

/// Whether it sums squares: twice the work of a sum in pairs, or more.
template <class Fold>
KOKKOS_INLINE_FUNCTION constexpr bool sums_squares() {
  return requires { requires Fold::sums_squares; };
}

/// Whether its result is of how far elements are from each other.
template <class Fold>
KOKKOS_INLINE_FUNCTION constexpr bool sums_spread() {
  return requires { requires Fold::is_spread; };
}

/// What stands for the total of a fold that closes in pairs.
template <class Fold>
struct PairOf {
  using type = BoundedPair;
};
template <class Fold>
requires requires { typename Fold::pair_type; }
struct PairOf<Fold> {
  using type = typename Fold::pair_type;
};
template <class Fold>
using pair_t = typename PairOf<Fold>::type;

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A few terms, group by group, to sums that two doubles hold; of floats their squares too.
#ifndef TESSERA_REDUCE_DETAIL_EXACT_FEW_SQUARES_HPP
#define TESSERA_REDUCE_DETAIL_EXACT_FEW_SQUARES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>

namespace tessera::detail {

/// The sum of floats that span at most float_span(N) binades.
template <int N>
KOKKOS_FORCEINLINE_FUNCTION double close_sum(const float (&elements)[N]) {
  double sum = 0;
  TESSERA_UNROLL
  for (int k = 0; k < N; ++k) sum += static_cast<double>(elements[k]);
  return sum;
}

/// Adds terms; of floats in a few binades, which are most, their sum in one double.
template <class T, int N>
KOKKOS_FORCEINLINE_FUNCTION void add_group(ExactFew<double>& few, const T (&terms)[N]) {
  if constexpr (sizeof(T) < sizeof(double) && N > 1) {
    const FieldRange fields = field_range(terms);
    constexpr int span = float_span(N);
    if (fields.highest - fields.lowest <= span) return few.add(close_sum(terms));
  }
  TESSERA_UNROLL
  for (int k = 0; k < N; ++k) few.add(static_cast<double>(terms[k]));
}
template <int N>
KOKKOS_FORCEINLINE_FUNCTION void add_group(ExactFew<float>& few, const float (&terms)[N]) {
  TESSERA_UNROLL
  for (int k = 0; k < N; ++k) few.add(terms[k]);
}

/// add_group() to what holds nothing yet.
template <class Few, class T, int N>
KOKKOS_FORCEINLINE_FUNCTION void take_group(Few& few, const T (&terms)[N]) {
  if constexpr (requires { few.take(FieldRange{}, terms); }) {
    const FieldRange fields = field_range(terms);
    if (fields.highest - fields.lowest <= float_span(N)) return few.take(fields, terms);
  }
  add_group(few, terms);
}

/// The sum of the squares of floats, a double each, as two doubles where they span at most float_span(N) binades. They
/// are cut at the unit of a power of two above their sum: what is cut off is a multiple of the smallest one's unit, of
/// which 53 bits hold as many.
template <int N>
KOKKOS_FORCEINLINE_FUNCTION ExactPair cut_squares(const FieldRange& fields, const float (&elements)[N]) {
  constexpr int room = 53 - 24 - float_span(N);  // binades that so many terms add
  const int above = 2 * (fields.highest + 1 - FloatFormat<float>::exponent_max) + room;
  const double power =
      Kokkos::bit_cast<double>(static_cast<std::uint64_t>(above + FloatFormat<double>::exponent_max) << 52);
  double sum = power, rest = 0;
  TESSERA_UNROLL
  for (int k = 0; k < N; ++k) {
    // Exact, so that it is no matter whether a compiler contracts it with what follows.
    const double square = static_cast<double>(elements[k]) * static_cast<double>(elements[k]);
    const double next = sum + square;
    rest += square - (next - sum);
    sum = next;
  }
  return {sum - power, rest};
}

/// Squares of floats.
class SquaresFew {
 public:
  KOKKOS_FORCEINLINE_FUNCTION void add(float element) {
    m_few.add(static_cast<double>(element) * static_cast<double>(element));
  }
  /// Of floats that span no more than float_span(N) binades.
  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION void add(const FieldRange& fields, const float (&elements)[N]) {
    const ExactPair squares = cut_squares(fields, elements);
    m_few.add(squares.high);
    m_few.add(squares.low);
  }
  /// The first ones.
  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION void take(const FieldRange& fields, const float (&elements)[N]) {
    const ExactPair squares = cut_squares(fields, elements);
    m_few = ExactFew<double>(two_sum(squares.high, squares.low));
  }
  KOKKOS_FORCEINLINE_FUNCTION void join(const SquaresFew& from) { m_few.join(from.m_few); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION BoundedPair bounded(int = 0) const { return m_few.bounded(); }

 private:
  ExactFew<double> m_few;
};

template <class Pair>
struct SpreadSum;

/// The sums that variances follow from.
template <class Pair>
struct Spread {
  using join_type = SpreadSum<Pair>;
  Pair sum, squares;
  KOKKOS_FUNCTION static Spread none() { return {Pair::none(), Pair::none()}; }
  [[nodiscard]] KOKKOS_FUNCTION bool exact() const { return sum.exact() && squares.exact(); }
};
using SpreadPairs = Spread<ExactPair>;
using BoundedSpread = Spread<BoundedPair>;

template <class Pair>
struct SpreadSum {
  using value_type = Spread<Pair>;
  KOKKOS_FUNCTION value_type identity() const { return {}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    const typename Pair::join_type join;
    join.join(into.sum, from.sum);
    join.join(into.squares, from.squares);
  }
};

/// Floats and their squares.
class SpreadFew {
 public:
  KOKKOS_FORCEINLINE_FUNCTION void add(float element) {
    m_sum.add(static_cast<double>(element));
    m_squares.add(element);
  }
  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION void add(const FieldRange& fields, const float (&elements)[N]) {
    m_sum.add(close_sum(elements));
    m_squares.add(fields, elements);
  }
  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION void take(const FieldRange& fields, const float (&elements)[N]) {
    m_sum = ExactFew<double>({close_sum(elements), 0});
    m_squares.take(fields, elements);
  }
  KOKKOS_FORCEINLINE_FUNCTION void join(const SpreadFew& from) {
    m_sum.join(from.m_sum);
    m_squares.join(from.m_squares);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION BoundedSpread bounded(int = 0) const {
    return {m_sum.bounded(), m_squares.bounded()};
  }

 private:
  ExactFew<double> m_sum;
  SquaresFew m_squares;
};

/// Of floats, to sums that take those close to each other together.
template <class Few, int N>
KOKKOS_FORCEINLINE_FUNCTION auto add_group(Few& few, const float (&elements)[N])
    -> decltype(few.add(FieldRange{}, elements)) {
  const FieldRange fields = field_range(elements);
  if (fields.highest - fields.lowest <= float_span(N)) return few.add(fields, elements);
  TESSERA_UNROLL
  for (int k = 0; k < N; ++k) few.add(elements[k]);
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A few terms, group by group, to sums that two doubles hold; their squares too.
#ifndef TESSERA_REDUCE_DETAIL_EXACT_FEW_SQUARES_HPP
#define TESSERA_REDUCE_DETAIL_EXACT_FEW_SQUARES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <type_traits>

namespace tessera::detail {

/// Elements of which a group's sums are made at once: floats that span so few binades that these are exact, and doubles
/// whose squares, and powers of two above, are doubles.
template <class T, int N>
KOKKOS_FORCEINLINE_FUNCTION bool takes_group(const FieldRange& fields) {
  if constexpr (sizeof(T) < sizeof(double)) {
    return fields.highest - fields.lowest <= float_span(N);
  } else {
    return fields.highest <= square_field_max;
  }
}

/// Adds terms to a power of two above their sum, so that what each of them leaves is a multiple of one unit, and sums
/// that apart. Whether anything was left is told.
class CutSum {
 public:
  /// The sum's power of two, which with signed terms is half as large again.
  KOKKOS_FORCEINLINE_FUNCTION CutSum(int power, bool is_signed)
      : m_start(is_signed ? 1.5 * power_of_two(power) : power_of_two(power)), m_sum(m_start) {}
  KOKKOS_FORCEINLINE_FUNCTION void add(double term) {
    const double next = m_sum + term;
    add_rest(term - (next - m_sum));
    m_sum = next;
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_rest(double rest) {
    m_rest += rest;
    m_left |= Kokkos::bit_cast<std::uint64_t>(rest);
  }
  /// Says that something is left.
  KOKKOS_FORCEINLINE_FUNCTION void leave() { m_left = 1; }
  /// off: what the sum of what is left is off, where anything is.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION BoundedPair total(double off) const {
    return {m_sum - m_start, m_rest, m_left << 1 == 0 ? 0 : off};  // whatever the sign of zeros
  }

 private:
  double m_start, m_sum, m_rest = 0;
  std::uint64_t m_left = 0;
};

/// Binades that so many terms add.
template <int N>
inline constexpr int room_of = 53 - 24 - float_span(N);

/// The sum of elements that takes_group() does.
template <int N>
KOKKOS_FORCEINLINE_FUNCTION BoundedPair group_sum(const FieldRange&, const float (&elements)[N]) {
  double sum = 0;
  TESSERA_UNROLL
  for (int k = 0; k < N; ++k) sum += static_cast<double>(elements[k]);
  return {sum, 0, 0};
}
template <int N>
KOKKOS_FORCEINLINE_FUNCTION BoundedPair group_sum(const FieldRange& fields, const double (&elements)[N]) {
  const int highest = Kokkos::max(fields.highest, +square_field_min);
  const int above = highest + 2 - FloatFormat<double>::exponent_max + room_of<N>;
  CutSum sum(above, true);
  TESSERA_UNROLL
  for (int k = 0; k < N; ++k) sum.add(elements[k]);
  // N terms of half a unit, 2^(above - 52), are added in N steps, each off by 2^-53 of their sum.
  return sum.total(power_of_two(above - 104 + 2 * room_of<N>));
}

/// The sum of the squares of such. Those of floats, a double each, are cut at the unit of a power of two above their
/// sum: what is cut off is a multiple of the smallest one's unit, of which 53 bits hold as many.
template <int N>
KOKKOS_FORCEINLINE_FUNCTION BoundedPair group_squares(const FieldRange& fields, const float (&elements)[N]) {
  CutSum sum(2 * (fields.highest + 1 - FloatFormat<float>::exponent_max) + room_of<N>, false);
  TESSERA_UNROLL
  for (int k = 0; k < N; ++k) sum.add(rounded_product(elements[k], elements[k]));
  return sum.total(0);
}
template <int N>
KOKKOS_FORCEINLINE_FUNCTION BoundedPair group_squares(const FieldRange& fields, const double (&elements)[N]) {
  const int highest = Kokkos::max(fields.highest, +square_field_min);
  const int above = 2 * (highest + 1 - FloatFormat<double>::exponent_max) + room_of<N>;
  CutSum sum(above, false);
  if (fields.lowest < square_field_min) sum.leave();
  TESSERA_UNROLL
  for (int k = 0; k < N; ++k) {
    const double square = rounded_product(elements[k], elements[k]);
    sum.add(square);
    sum.add_rest(Kokkos::fma(elements[k], elements[k], -square));
  }
  // As above, with N terms more that are smaller; and what smaller squares lose is less than that.
  return sum.total(power_of_two(above - 104 + 2 * room_of<N>));
}

/// add_group() of what makes its sums at once.
template <class Few, class T, int N>
KOKKOS_FORCEINLINE_FUNCTION auto add_group(Few& few, const T (&elements)[N])
    -> decltype(few.add(FieldRange{}, elements)) {
  const FieldRange fields = field_range(elements);
  if (takes_group<T, N>(fields)) return few.add(fields, elements);
  TESSERA_UNROLL
  for (int k = 0; k < N; ++k) few.add(elements[k]);
}

/// Adds terms; of floats in a few binades, which are most, their sum in one double.
template <class T, int N>
KOKKOS_FORCEINLINE_FUNCTION void add_group(ExactFew<double>& few, const T (&terms)[N]) {
  if constexpr (sizeof(T) < sizeof(double) && N > 1) {
    const FieldRange fields = field_range(terms);
    if (takes_group<T, N>(fields)) return few.add(group_sum(fields, terms).high);
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
    if (takes_group<T, N>(fields)) return few.take(fields, terms);
  }
  add_group(few, terms);
}

/// Squares.
template <class T>
class SquaresFew {
 public:
  KOKKOS_FORCEINLINE_FUNCTION void add(T element) {
    const auto x = static_cast<double>(element);
    const double square = rounded_product(x, x);
    if constexpr (sizeof(T) < sizeof(double)) {
      m_few.add(square);
    } else {
      // More than the smallest squares, and their errors, lose.
      const double off = is_usual_product(square) || x == 0 ? 0 : power_of_two(-1022);
      m_few.add({square, Kokkos::fma(x, x, -square), off});
    }
  }
  /// Of elements that takes_group() does.
  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION void add(const FieldRange& fields, const T (&elements)[N]) {
    m_few.add(group_squares(fields, elements));
  }
  /// The first ones.
  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION void take(const FieldRange& fields, const T (&elements)[N]) {
    m_few = ExactFew<double>(group_squares(fields, elements));
  }
  KOKKOS_FORCEINLINE_FUNCTION void join(const SquaresFew& from) { m_few.join(from.m_few); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION BoundedPair total(int = 0) const { return m_few.total(); }

 private:
  ExactFew<double> m_few;
};

struct BoundedSpreadSum;

/// The sums that variances follow from.
struct BoundedSpread {
  using join_type = BoundedSpreadSum;
  BoundedPair sum, squares;
  KOKKOS_FUNCTION static BoundedSpread none() { return {BoundedPair::none(), BoundedPair::none()}; }
  [[nodiscard]] KOKKOS_FUNCTION bool exact() const { return sum.exact() && squares.exact(); }
  [[nodiscard]] KOKKOS_FUNCTION bool holds() const { return sum.holds() && squares.holds(); }
};

struct BoundedSpreadSum {
  using value_type = BoundedSpread;
  KOKKOS_FUNCTION value_type identity() const { return {}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    BoundedPairSum{}.join(into.sum, from.sum);
    BoundedPairSum{}.join(into.squares, from.squares);
  }
};

/// Elements and their squares.
template <class T>
class SpreadFew {
 public:
  KOKKOS_FORCEINLINE_FUNCTION void add(T element) {
    m_sum.add(static_cast<double>(element));
    m_squares.add(element);
  }
  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION void add(const FieldRange& fields, const T (&elements)[N]) {
    const BoundedPair sum = group_sum(fields, elements);
    sizeof(T) < sizeof(double) ? m_sum.add(sum.high) : m_sum.add(sum);
    m_squares.add(fields, elements);
  }
  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION void take(const FieldRange& fields, const T (&elements)[N]) {
    m_sum = ExactFew<double>(group_sum(fields, elements));
    m_squares.take(fields, elements);
  }
  KOKKOS_FORCEINLINE_FUNCTION void join(const SpreadFew& from) {
    m_sum.join(from.m_sum);
    m_squares.join(from.m_squares);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION BoundedSpread total(int = 0) const {
    return {m_sum.total(), m_squares.total()};
  }

 private:
  ExactFew<double> m_sum;
  SquaresFew<T> m_squares;
};

/// Elements less one of them, and the squares of that: where the elements are close to each other, or the same, n S2
/// and S^2 cancel, but not those of the differences, which then are doubles.
template <class T>
class ShiftedFew {
 public:
  /// Of no elements, to be joined with any.
  ShiftedFew() = default;
  KOKKOS_FORCEINLINE_FUNCTION explicit ShiftedFew(T shift) : m_shift(shift) {}
  KOKKOS_FORCEINLINE_FUNCTION void add(T element) { m_few.add(difference(element)); }
  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION void add_group(const T (&elements)[N]) {
    double differences[N];
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) differences[k] = difference(elements[k]);
    detail::add_group(m_few, differences);
  }
  KOKKOS_FORCEINLINE_FUNCTION void join(const ShiftedFew& from) {
    m_few.join(from.m_few);
    m_off = m_off || from.m_off;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION BoundedSpread total(int = 0) const {
    return m_off ? BoundedSpread::none() : m_few.total();
  }
  /// What adds nothing.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T neutral() const { return m_shift; }

 private:
  KOKKOS_FORCEINLINE_FUNCTION double difference(T element) {
    const ExactPair difference = two_sum(static_cast<double>(element), -static_cast<double>(m_shift));
    m_off = m_off || !(difference.low == 0);
    return difference.high;
  }

  T m_shift = 0;
  SpreadFew<double> m_few;
  bool m_off = false;
};

template <class T, int N>
KOKKOS_FORCEINLINE_FUNCTION void add_group(ShiftedFew<T>& few, const T (&elements)[N]) {
  few.add_group(elements);
}

/// Pieces of what adds nothing to a sum.
template <class Piece, class Few>
KOKKOS_FORCEINLINE_FUNCTION Piece neutral_piece([[maybe_unused]] const Few& few) {
  Piece piece{};
  if constexpr (requires { few.neutral(); }) {
    TESSERA_UNROLL
    for (auto& value : piece.values) value = static_cast<std::remove_reference_t<decltype(value)>>(few.neutral());
  }
  return piece;
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fast part of exact sums on devices: elements whose exponents lie in a window of some twenty binades. Each is cut
// at a fixed bit: above it a double adds the pieces without error, below it another one what they leave. What is cut
// off follows from the sum before and after an addition: (sum + x) - sum, as the sum has a large constant in it (the
// extractors of J. Demmel, P. Ahrens, H. Nguyen, "Efficient reproducible floating point summation and BLAS", 2016).
#ifndef TESSERA_REDUCE_DETAIL_EXACT_WINDOW_HPP
#define TESSERA_REDUCE_DETAIL_EXACT_WINDOW_HPP

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <type_traits>

namespace tessera::detail {

/// The bits of a float, of a double its high word: floats of these bits have the order of elements.
KOKKOS_INLINE_FUNCTION std::uint32_t order_word(float x) { return Kokkos::bit_cast<std::uint32_t>(x); }
KOKKOS_INLINE_FUNCTION std::uint32_t order_word(double x) {
  return static_cast<std::uint32_t>(Kokkos::bit_cast<std::uint64_t>(x) >> 32);
}

/// Of a group's words the least and the greatest, with and without a sign bit: negative elements come in reverse, after
/// others in one order and before them in the other. Integers, as devices may compare three at once.
class GroupWords {
 public:
  template <class T, int N>
  KOKKOS_FORCEINLINE_FUNCTION explicit GroupWords(const T (&elements)[N]) {
    std::uint32_t word[N];
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) word[k] = order_word(elements[k]);
    m_least = m_greatest = word[0];
    m_lowest = m_highest = static_cast<std::int32_t>(word[0]);
    TESSERA_UNROLL
    for (int k = 1; k < N; ++k) {
      const auto with_sign = static_cast<std::int32_t>(word[k]);
      m_least = word[k] < m_least ? word[k] : m_least;
      m_greatest = word[k] > m_greatest ? word[k] : m_greatest;
      m_lowest = with_sign < m_lowest ? with_sign : m_lowest;
      m_highest = with_sign > m_highest ? with_sign : m_highest;
    }
  }

  /// Of magnitudes; of zeros too.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION WordRange magnitudes() const {
    const std::uint32_t low = no_sign(m_lowest), high = no_sign(m_highest);
    return {Kokkos::min(no_sign(m_least), low), Kokkos::max(no_sign(m_greatest), high)};
  }
  /// Of elements, where all are finite.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION float lowest() const {
    return Kokkos::bit_cast<float>(static_cast<std::int32_t>(m_greatest) < 0 ? m_greatest : m_least);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION float highest() const {
    return Kokkos::bit_cast<float>(m_highest < 0 ? m_lowest : m_highest);
  }

 private:
  template <class Word>
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t no_sign(Word word) {
    return static_cast<std::uint32_t>(word) & 0x7fffffffu;
  }
  std::uint32_t m_least, m_greatest;
  std::int32_t m_lowest, m_highest;
};

/// The least word of magnitudes that are not zero.
template <class T, int N>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t smallest_but_zero(const T (&elements)[N]) {
  std::uint32_t smallest = ~0u;
  TESSERA_UNROLL
  for (int k = 0; k < N; ++k) {
    const std::uint32_t word = FloatParts<T>(elements[k]).magnitude() == 0 ? ~0u : magnitude_word(elements[k]);
    smallest = word < smallest ? word : smallest;
  }
  return smallest;
}

/// Of elements T, float or double, the sum, that of their magnitudes and that of their squares.
///
/// With 2^B <= |x| < 2^T for all elements that are not zero, 2^k of them at most, and u = 2^(T+k-50): the constant is
/// 1.5 * 2^52 u, so sums below 2^51 u stay in its binade and pieces are multiples of u. What they leave is at most u/2
/// and a multiple of 2^(B-52): 2^k of that need T - B <= 52 - 2k. Floats need no cut, only T - B <= 30 - k. Squares of
/// floats have 2T for T and multiples of 2^(2B-46): T - B <= 29 - k; those of doubles are a rounded product, a multiple
/// of 2^(2B-52), T - B <= 26 - k, and its error, which has 2T-54 for T and multiples of 2^(2B-104), T - B <= 27 - k.
template <class T>
class ExactWindow {
  static constexpr bool narrow = std::is_same_v<T, float>;
  static constexpr int elements_log = narrow ? 8 : 7;  // k
  static constexpr int binades = (narrow ? 29 : 26) - elements_log;
  static constexpr int shift = narrow ? 23 : 20;  // of a word to the exponent field
  static constexpr int bias = narrow ? 127 : 1023;
  /// Fields that B and T may have: normal numbers; of doubles those whose squares, their errors and the constants are.
  static constexpr int field_min = narrow ? 1 : 565, field_max = narrow ? 255 : 1520;
  /// Binades above what opens a window: of normally distributed elements few are larger.
  static constexpr int headroom = 2;
  static constexpr int sum_parts = narrow ? 1 : 2, square_parts = narrow ? 2 : 4;

 public:
  /// What it has added: high and low parts.
  struct Terms {
    double sum[sum_parts], magnitude[sum_parts], squares[square_parts];
  };

  KOKKOS_FORCEINLINE_FUNCTION void clear() {
    m_ceiling = 0;
    m_room = 1 << elements_log;
    restart();
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_open() const { return m_ceiling != 0; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool holds(const WordRange& words) const { return fits(words, m_ceiling); }
  /// Whether it could be opened for them.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool could_hold(const WordRange& words) {
    return fits(words, ceiling_over(words));
  }

  /// Counts elements, whether it takes them or not: then all threads of a warp empty theirs at the same time. Whether
  /// it must be emptied, as it has no room for so many.
  KOKKOS_FORCEINLINE_FUNCTION bool is_full(int count, int group) {
    m_room -= count;
    if (m_room >= group) return false;
    m_room = 1 << elements_log;
    return true;
  }

  /// Emptied before.
  KOKKOS_FORCEINLINE_FUNCTION void open(const WordRange& words) {
    m_ceiling = ceiling_over(words);
    restart();
  }

  /// Those that it holds.
  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION void add(const T (&elements)[N]) {
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      const auto x = static_cast<double>(elements[k]);
      if constexpr (narrow) {
        m_terms.sum[0] += x;
        m_terms.magnitude[0] += Kokkos::fabs(x);
        const double before = m_terms.squares[0];
        m_terms.squares[0] = Kokkos::fma(x, x, before);
        const double piece = m_terms.squares[0] - before;
        m_terms.squares[1] += Kokkos::fma(x, x, -piece);
      } else {
        // A piece has the sign of its element, or is zero.
        const double piece = add_piece(m_terms.sum[0], x);
        const double rest = x - piece;
        m_terms.sum[1] += rest;
        m_terms.magnitude[0] += Kokkos::fabs(piece);
        m_terms.magnitude[1] += times_sign_of(x, rest);
        const double square = rounded_product(x, x), error = Kokkos::fma(x, x, -square);
        m_terms.squares[1] += square - add_piece(m_terms.squares[0], square);
        m_terms.squares[3] += error - add_piece(m_terms.squares[2], error);
      }
    }
  }

  /// What an open one has added.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Terms terms() const {
    Terms terms = m_terms;
    if constexpr (!narrow) {
      terms.sum[0] -= constant(1, 0);
      terms.squares[2] -= constant(2, -54);
    }
    terms.squares[0] -= constant(2, 0);
    return terms;
  }

  /// Empty again, for the same binades.
  KOKKOS_FORCEINLINE_FUNCTION void restart() {
    m_terms = {};
    if constexpr (!narrow) {
      m_terms.sum[0] = constant(1, 0);
      m_terms.squares[2] = constant(2, -54);
    }
    m_terms.squares[0] = constant(2, 0);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static bool fits(const WordRange& words, std::uint32_t ceiling) {
    return words.largest < ceiling && words.smallest >= ceiling - (static_cast<std::uint32_t>(binades) << shift);
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t ceiling_over(const WordRange& words) {
    const int field = static_cast<int>(words.largest >> shift) + 1 + headroom;
    return static_cast<std::uint32_t>(Kokkos::clamp(field, field_min + binades, +field_max)) << shift;
  }

  /// Of powers: elements or squares, scaled.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION double constant(int power, int scale) const {
    const int top = power * (static_cast<int>(m_ceiling >> shift) - bias) + scale;
    const auto field = static_cast<std::uint64_t>(top + elements_log + 2 + 1023);
    return Kokkos::bit_cast<double>(field << 52 | std::uint64_t{1} << 51);
  }

  /// Of x, the piece by which the sum grew.
  KOKKOS_FORCEINLINE_FUNCTION static double add_piece(double& pieces, double x) {
    const double before = pieces;
    pieces = before + x;
    return pieces - before;
  }
  KOKKOS_FORCEINLINE_FUNCTION static double times_sign_of(double sign, double x) {
    constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;
    return Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(x) ^
                                    (Kokkos::bit_cast<std::uint64_t>(sign) & sign_bit));
  }

  Terms m_terms;
  std::uint32_t m_ceiling;  // the word of 2^T; 0: of no element
  std::int32_t m_room;
};

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fast part of an exact sum: a window over the exponents in which floating additions are exact.
//
// Terms are cut into pieces that are multiples of 2^k, 2^(k-45), 2^(k-90), .. by (x + C) - C with C = 1.5 * 2^(k+52);
// up to 512 pieces of a kind add to a double without rounding (J. Demmel, P. Ahrens, H. Nguyen, "Efficient reproducible
// floating point summation and BLAS", 2016, cut likewise but round). Then they go to the digits.
#ifndef TESSERA_REDUCE_DETAIL_EXACT_WINDOW_HPP
#define TESSERA_REDUCE_DETAIL_EXACT_WINDOW_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/host_vector.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/exact_digits.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || \
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ == 1)
#error "Tessera's exact sums need IEEE arithmetic: compile without -ffast-math, -fassociative-math, -ffinite-math-only"
#endif

namespace tessera::detail {

KOKKOS_INLINE_FUNCTION double power_of_two(int exponent) {
  return Kokkos::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// Bits apart of the words of a window: a double's 53 less what 512 additions and the cut need.
inline constexpr int word_bits = 45;

/// Words doubles that hold multiples of 2^(k - 45 word); Low: no term has bits below 2^Low.
template <int Words, int Low>
class ExactWindow {
 public:
  /// Terms that a window takes before it must be emptied.
  static constexpr int terms_max = 496;
  /// Terms above are for the digits: C would overflow.
  static constexpr int exponent_max = 1013;

  KOKKOS_FORCEINLINE_FUNCTION void clear() {
    m_k = unset;
    m_terms = 0;
    TESSERA_UNROLL
    for (int word = 0; word < Words; ++word) m_word[word] = 0;
  }

  /// How many words an exact addition takes of terms that are multiples of 2^lowest and below the window's top; 0: more
  /// than there are.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int level(int lowest) const {
    if (lowest >= m_k) return 1;
    TESSERA_UNROLL
    for (int word = 1; word < Words; ++word) {
      if (lowest >= m_k - word_bits * word) return word + 1;
    }
    return 0;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool below_top(int exponent) const { return exponent <= m_k + 43; }

  /// Moves the window to where terms below 2^(exponent+1) fit, if it should move; level() of them. Cuts: on its way up
  /// it takes along what it holds, for which code and registers are well spent where terms are few.
  template <bool Cuts, int LowBit, int Count>
  KOKKOS_FORCEINLINE_FUNCTION int fit(int exponent, int lowest, ExactDigits<LowBit, Count>& digits) {
    const bool up = !below_top(exponent);
    if (!up) {
      const int words_needed = level(lowest);
      // Down, where a whole word stands above all that comes.
      if (words_needed != 0 || exponent >= m_k - 2 || m_k == k_min) return words_needed;
    }
    move<Cuts>(exponent, up, digits);
    return level(lowest);
  }

  template <int LowBit, int Count>
  KOKKOS_FORCEINLINE_FUNCTION void count(int terms, ExactDigits<LowBit, Count>& digits) {
    if (m_terms + terms > terms_max) empty(digits);
    m_terms += terms;
  }

  /// Adds a term that needs Level words.
  template <int Level>
  KOKKOS_FORCEINLINE_FUNCTION void add(double term) {
    add_from<0, Level>(term);
  }

  /// Adds a term below 2^(k-1), as the error of a product is.
  template <int Level>
  KOKKOS_FORCEINLINE_FUNCTION void add_low(double term) {
    add_from<1, Level>(term);
  }

#if defined(TESSERA_HOST_VECTORS)
  /// Adds N terms that load(first, vector) takes four at a time, in chains that a processor adds side by side. From: 1
  /// for terms that are below 2^(k-1), else 0.
  template <int From, int Level, int N, class Load>
  void add_vectors(const Load& load) {
    constexpr int chains = 4;
    constexpr int width = host_vector_width;
    static_assert(N % (chains * width) == 0);
    HostVector<double> sums[Level][chains] = {};
    for (int first = 0; first < N; first += chains * width) {
      for (int c = 0; c < chains; ++c) {
        HostVector<double> term;
        load(first + c * width, term);
        for (int word = From; word + 1 < Level; ++word) {
          const double cut = cut_of(word);
          const HostVector<double> piece = (term + cut) - cut;
          sums[word][c] += piece;
          term -= piece;
        }
        sums[Level - 1][c] += term;
      }
    }
    for (int word = From; word < Level; ++word) {
      const HostVector<double> sum = (sums[word][0] + sums[word][1]) + (sums[word][2] + sums[word][3]);
      m_word[word] += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
  }
#endif

  /// What the window holds. Digits hold the rest.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION ExactPair pair() const {
    ExactPair whole{m_word[Words - 1], 0};
    TESSERA_UNROLL
    for (int word = Words - 2; word >= 0; --word) ExactPairSum{}.join(whole, {m_word[word], 0});
    return whole;
  }

  /// Moves everything to the digits.
  template <int LowBit, int Count>
  KOKKOS_FORCEINLINE_FUNCTION void empty(ExactDigits<LowBit, Count>& digits) {
    if (m_terms == 0) return;
    TESSERA_UNROLL
    for (int word = 0; word < Words; ++word) {
      empty_word(m_word[word], m_k - word_bits * word, digits);
      m_word[word] = 0;
    }
    m_terms = 0;
  }

 private:
  static constexpr int unset = -100000;
  // No piece may be subnormal, nor below the digits.
  static constexpr int k_min = word_bits * (Words - 1) + (Low > -1022 ? Low : -1022);

  template <int LowBit, int Count>
  KOKKOS_FORCEINLINE_FUNCTION static void empty_word(double word, int unit, ExactDigits<LowBit, Count>& digits) {
    if (word != 0) digits.deposit(static_cast<std::int64_t>(word * power_of_two(-unit)), unit - LowBit);
  }

  template <bool Cuts, int LowBit, int Count>
  KOKKOS_FORCEINLINE_FUNCTION void move(int exponent, bool up, ExactDigits<LowBit, Count>& digits) {
    // Three binades of headroom: the largest of a few terms is seldom further below that of all.
    const int wanted = exponent - 40;
    const int k = wanted < k_min ? k_min : wanted > 970 ? 970 : wanted;
    if constexpr (Cuts) {
      if (up && m_terms != 0 && k >= m_k + 2) return cut_again(k, digits);
    }
    empty(digits);
    m_k = k;
  }

  /// Each word is a term of the moved window, or goes to the digits where its end has no place any more.
  template <int LowBit, int Count>
  KOKKOS_FORCEINLINE_FUNCTION void cut_again(int k, ExactDigits<LowBit, Count>& digits) {
    double old[Words];
    TESSERA_UNROLL
    for (int word = 0; word < Words; ++word) {
      old[word] = m_word[word];
      m_word[word] = 0;
    }
    const int old_k = m_k;
    m_k = k;
    m_terms += Words;
    const double scale = power_of_two(-(k - word_bits * (Words - 1)));
    TESSERA_UNROLL
    for (int word = 0; word < Words; ++word) {
      const double units = old[word] * scale;
      if (units != 0 && Kokkos::trunc(units) == units) {
        add_from<0, Words>(old[word]);
      } else {
        empty_word(old[word], old_k - word_bits * word, digits);
      }
    }
  }

  /// What a term is added to and taken off again, for its piece in a word.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION double cut_of(int word) const {
    return Kokkos::bit_cast<double>((static_cast<std::uint64_t>(m_k - word_bits * word + 52 + 1023) << 52) |
                                    (std::uint64_t{1} << 51));
  }

  template <int Word, int Level>
  KOKKOS_FORCEINLINE_FUNCTION void add_from(double term) {
    if constexpr (Word + 1 >= Level) {
      m_word[Word] += term;
    } else {
      const double cut = cut_of(Word);
      const double piece = (term + cut) - cut;
      m_word[Word] += piece;
      add_from<Word + 1, Level>(term - piece);
    }
  }

  double m_word[Words];
  int m_k;
  int m_terms;
};

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weighted sums of bytes and 16-bit integers in lines across memory: of as many neighbouring lines as a word has
// elements, from rows of a word.
#ifndef TESSERA_FILTER_DETAIL_SHORT_COLUMN_SUMS_HPP
#define TESSERA_FILTER_DETAIL_SHORT_COLUMN_SUMS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/short_integers_plan.hpp>
#include <tessera/filter/detail/short_sums.hpp>

namespace tessera::detail {

/// The words of one column of scratch, row by row.
class ShortRows {
 public:
  KOKKOS_FORCEINLINE_FUNCTION ShortRows(const std::uint32_t* memory, int pitch) : m_memory(memory), m_pitch(pitch) {}

  KOKKOS_FORCEINLINE_FUNCTION void read(std::uint32_t (&rows)[short_taps_block]) {
    TESSERA_UNROLL
    for (std::uint32_t& row : rows) {
      row = load_word(m_memory);
      m_memory += m_pitch;
    }
  }

 private:
  const std::uint32_t* m_memory;
  int m_pitch;
};

/// The elements that a block's taps take for a run of outputs: of each line as words.
template <class T>
class ShortColumns {
 public:
  static constexpr int length = short_integers_word<T>;
  static constexpr int block_words = short_taps_block / length;

  KOKKOS_FORCEINLINE_FUNCTION explicit ShortColumns(ShortRows& rows) {
    TESSERA_UNROLL
    for (int w = 0; w < words; w += block_words) take(rows, w);
  }

  /// To the next block.
  KOKKOS_FORCEINLINE_FUNCTION void slide(ShortRows& rows) {
    TESSERA_UNROLL
    for (auto& line : m_words) {
      TESSERA_UNROLL
      for (int w = 0; w < words - block_words; ++w) line[w] = line[w + block_words];
    }
    take(rows, words - block_words);
  }

  /// The word of elements i, i + 1, .. of line c.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t word(int c, int i) const { return word_at<T>(m_words[c], i); }

 private:
  static constexpr int words = (short_columns_outputs + short_taps_block) / length;

  /// A block of rows to words w, w + 1, .. of each line.
  KOKKOS_FORCEINLINE_FUNCTION void take(ShortRows& source, int w) {
    std::uint32_t rows[short_taps_block];
    source.read(rows);
    if constexpr (length == 2) {
      TESSERA_UNROLL
      for (int half = 0; half < 2; ++half) {
        m_words[0][w + half] = chosen_bytes(rows[2 * half], rows[2 * half + 1], 0x5410);
        m_words[1][w + half] = chosen_bytes(rows[2 * half], rows[2 * half + 1], 0x7632);
      }
    } else {
      const std::uint32_t low_begin = chosen_bytes(rows[0], rows[1], 0x5140);
      const std::uint32_t low_end = chosen_bytes(rows[2], rows[3], 0x5140);
      const std::uint32_t high_begin = chosen_bytes(rows[0], rows[1], 0x7362);
      const std::uint32_t high_end = chosen_bytes(rows[2], rows[3], 0x7362);
      m_words[0][w] = chosen_bytes(low_begin, low_end, 0x5410);
      m_words[1][w] = chosen_bytes(low_begin, low_end, 0x7632);
      m_words[2][w] = chosen_bytes(high_begin, high_end, 0x5410);
      m_words[3][w] = chosen_bytes(high_begin, high_end, 0x7632);
    }
  }

  std::uint32_t m_words[length][words];
};

/// The outputs of a run, each of all lines, as words. rows: from that of the first output's first tap on.
template <class Types>
KOKKOS_FORCEINLINE_FUNCTION void make_columns(ShortRows rows, const ShortTaps<Types, std::int32_t>& taps,
                                              std::uint32_t (&results)[short_columns_outputs]) {
  using T = typename Types::in_type;
  using Columns = ShortColumns<T>;
  const int blocks = (taps.count + short_taps_block - 1) / short_taps_block;
  std::uint32_t sums[short_columns_outputs][Columns::length] = {};
  Columns columns(rows);
  TESSERA_NO_UNROLL
  for (int block = 0;;) {
    const auto products = [&](int v, int c, std::uint32_t digits, std::uint32_t sum) {
      sum = add_products<T, false>(columns.word(c, v), digits, sum);
      if constexpr (Columns::block_words > 1) {
        sum = add_products<T, true>(columns.word(c, v + Columns::length), digits, sum);
      }
      return sum;
    };
    TESSERA_UNROLL
    for (int c = 0; c < Columns::length; ++c) {
      TESSERA_UNROLL
      for (int v = 0; v < short_columns_outputs; ++v) sums[v][c] = products(v, c, taps.digits[0][block], sums[v][c]);
    }
    TESSERA_NO_UNROLL
    for (int d = 1; d < taps.digits_used; ++d) {
      TESSERA_UNROLL
      for (int c = 0; c < Columns::length; ++c) {
        TESSERA_UNROLL
        for (int v = 0; v < short_columns_outputs; ++v) sums[v][c] += products(v, c, taps.digits[d][block], 0) << 8 * d;
      }
    }
    if (++block == blocks) break;
    columns.slide(rows);
  }
  TESSERA_UNROLL
  for (int v = 0; v < short_columns_outputs; ++v) {
    std::int32_t values[Columns::length];
    TESSERA_UNROLL
    for (int c = 0; c < Columns::length; ++c) values[c] = static_cast<std::int32_t>(sums[v][c]);
    results[v] = clamped_word<T>(values);
  }
}

/// In the order of the taps, two lines at a time.
template <class Types>
KOKKOS_FORCEINLINE_FUNCTION void make_columns(const ShortRows& rows, const ShortTaps<Types, double>& taps,
                                              std::uint32_t (&results)[short_columns_outputs]) {
  using T = typename Types::in_type;
  constexpr int length = short_integers_word<T>, bits = 8 * static_cast<int>(sizeof(T));
  constexpr int at_once = 2, count = short_columns_outputs + short_taps_block;
  TESSERA_UNROLL
  for (std::uint32_t& result : results) result = 0;
  TESSERA_UNROLL
  for (int first = 0; first < length; first += at_once) {
    ShortRows source = rows;
    double elements[count][at_once];
    const auto take = [&](int at) {
      std::uint32_t words[short_taps_block];
      source.read(words);
      TESSERA_UNROLL
      for (int r = 0; r < short_taps_block; ++r) {
        TESSERA_UNROLL
        for (int c = 0; c < at_once; ++c) {
          elements[at + r][c] = double_of(word_element<T>(words[r], first + c));
        }
      }
    };
    double sums[short_columns_outputs][at_once] = {};
    TESSERA_UNROLL
    for (int at = 0; at < count; at += short_taps_block) take(at);
    TESSERA_NO_UNROLL
    for (int tap = 0;;) {
      TESSERA_UNROLL
      for (int t = 0; t < short_taps_block; ++t) {
        if (tap + t >= taps.count) break;
        const double weight = taps.weights[tap + t];
        TESSERA_UNROLL
        for (int v = 0; v < short_columns_outputs; ++v) {
          TESSERA_UNROLL
          for (int c = 0; c < at_once; ++c) sums[v][c] += weight * elements[v + t][c];
        }
      }
      tap += short_taps_block;
      if (tap >= taps.count) break;
      TESSERA_UNROLL
      for (int i = 0; i < count - short_taps_block; ++i) {
        TESSERA_UNROLL
        for (int c = 0; c < at_once; ++c) elements[i][c] = elements[i + short_taps_block][c];
      }
      take(count - short_taps_block);
    }
    TESSERA_UNROLL
    for (int v = 0; v < short_columns_outputs; ++v) {
      std::int32_t values[length] = {};
      TESSERA_UNROLL
      for (int c = 0; c < at_once; ++c) values[c] = whole_sum<T>(taps, sums[v][c]);
      results[v] |= clamped_word<T>(values) << first * bits;
    }
  }
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weighted sums of bytes and 16-bit integers, four taps at a time. Sums of integers take weights as digits of a byte,
// whose products with four bytes or two 16-bit elements are one instruction on CUDA.
#ifndef TESSERA_FILTER_DETAIL_SHORT_SUMS_HPP
#define TESSERA_FILTER_DETAIL_SHORT_SUMS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tessera/detail/complex.hpp>
#include <tessera/detail/convert.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/filter_sizes.hpp>
#include <tessera/filter/detail/short_integers_plan.hpp>
#include <type_traits>

namespace tessera::detail {

inline constexpr int short_taps_blocks = (column_taps_max + short_taps_block - 1) / short_taps_block;

/// The taps in the order of the elements, zeros after the last.
template <class Types, class Accumulator = typename Types::accumulator_type>
struct ShortTaps {
  double weights[short_taps_blocks * short_taps_block];
  int count;
  bool small;  // sums stay below 2^31
};

/// Weight k is the sum of its digits times 256^d, each from -128 to 127: byte k % 4 of digits[d][k / 4].
template <class Types>
struct ShortTaps<Types, std::int32_t> {
  /// For weights below 2^23 (FilterArithmetic::int32 of 8-bit elements).
  static constexpr int digits_max = 4;
  std::uint32_t digits[digits_max][short_taps_blocks];
  int count, digits_used;
};

template <class Types>
ShortTaps<Types> short_taps(std::span<const double> weights, bool reversed) {
  ShortTaps<Types> taps{};
  taps.count = static_cast<int>(weights.size());
  double magnitudes = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double weight = weights[reversed ? weights.size() - 1 - k : k];
    magnitudes += std::abs(weight);
    if constexpr (rounds_v<typename Types::accumulator_type>) {
      taps.weights[k] = weight;
    } else {
      auto rest = static_cast<std::int32_t>(weight);
      for (int d = 0; rest != 0; ++d) {
        const auto digit = static_cast<std::int8_t>(rest & 255);
        taps.digits[d][k / short_taps_block] |= std::uint32_t{static_cast<std::uint8_t>(digit)}
                                                << 8 * (k % short_taps_block);
        rest = (rest - digit) / 256;
        taps.digits_used = std::max(taps.digits_used, d + 1);
      }
    }
  }
  if constexpr (rounds_v<typename Types::accumulator_type>) taps.small = magnitudes < 0x1p14;  // of 16-bit elements
  return taps;
}

/// Of scratch that holds elements: hosts may not see those as words.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t load_word(const std::uint32_t* memory) {
#if defined(__CUDA_ARCH__)
  return *memory;
#else
  std::uint32_t word;
  std::memcpy(&word, memory, sizeof(word));
  return word;
#endif
}
KOKKOS_FORCEINLINE_FUNCTION void store_word(std::uint32_t* memory, std::uint32_t word) {
#if defined(__CUDA_ARCH__)
  *memory = word;
#else
  std::memcpy(memory, &word, sizeof(word));
#endif
}

/// Bits shift .. shift + 31 of two words, 0 <= shift < 32.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t funnel_bits(std::uint32_t low, std::uint32_t high, int shift) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_r(low, high, static_cast<unsigned>(shift));
#else
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> shift);
#endif
}

/// Element e of a word of them.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T word_element(std::uint32_t word, int e) {
  return static_cast<T>(word >> static_cast<int>(8 * sizeof(T)) * e);
}

/// Bytes of low (0 to 3) and high (4 to 7) that the digits of `bytes` name, the lowest first.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t chosen_bytes(std::uint32_t low, std::uint32_t high, std::uint32_t bytes) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(low, high, bytes);
#else
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  std::uint32_t word = 0;
  for (int b = 0; b < 4; ++b) word |= static_cast<std::uint32_t>(both >> 8 * (bytes >> 4 * b & 7) & 255) << 8 * b;
  return word;
#endif
}

/// sum + the products of a word of elements with the digits of as many taps, of a block the later half if Later.
template <class T, bool Later>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t add_products(std::uint32_t elements, std::uint32_t digits,
                                                       std::uint32_t sum) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 610
  if constexpr (sizeof(T) == 1) {
    if constexpr (std::is_signed_v<T>) {
      asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(elements), "r"(digits), "r"(sum));
    } else {
      asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(elements), "r"(digits), "r"(sum));
    }
  } else if constexpr (std::is_signed_v<T>) {
    if constexpr (Later) {
      asm("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(elements), "r"(digits), "r"(sum));
    } else {
      asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(elements), "r"(digits), "r"(sum));
    }
  } else if constexpr (Later) {
    asm("dp2a.hi.u32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(elements), "r"(digits), "r"(sum));
  } else {
    asm("dp2a.lo.u32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(elements), "r"(digits), "r"(sum));
  }
#else
  constexpr int length = short_integers_word<T>;
  for (int e = 0; e < length; ++e) {
    const std::int32_t digit = static_cast<std::int8_t>(digits >> 8 * (e + (Later ? length : 0)));
    sum += static_cast<std::uint32_t>(word_element<T>(elements, e) * digit);
  }
#endif
  return sum;
}

/// Exact, without the slow conversions of GPUs: as the low bits of 2^52 and more.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION double double_of(T element) {
  constexpr std::uint32_t offset = std::is_signed_v<T> ? 1U << 31 : 0;
  const std::uint32_t low = static_cast<std::uint32_t>(std::int32_t{element}) + offset;
  return Kokkos::bit_cast<double>(std::uint64_t{0x43300000} << 32 | low) - (0x1p52 + offset);
}

/// To nearest even, of magnitudes below 2^31.
KOKKOS_FORCEINLINE_FUNCTION std::int32_t rounded(double small) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(Kokkos::bit_cast<std::uint64_t>(small + 0x1.8p52)));
}

/// The word of elements i, i + 1, .. of words of them.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t word_at(const std::uint32_t* words, int i) {
  constexpr int length = short_integers_word<T>;
  if (i % length == 0) return words[i / length];
  return funnel_bits(words[i / length], words[i / length + 1], i % length * static_cast<int>(8 * sizeof(T)));
}

/// The elements that a block's taps take for a run of outputs, as words, whatever the place of the first one in a word.
template <class Types>
class ShortWindow {
 public:
  using T = typename Types::in_type;
  static constexpr int length = short_integers_word<T>;
  static constexpr int count = short_integers_run<Types> + short_taps_block - 1;  // elements
  static constexpr int block_words = short_taps_block / length;

  /// From element `first` of memory on. Reads a word more than it holds.
  KOKKOS_FORCEINLINE_FUNCTION ShortWindow(const std::uint32_t* memory, int first)
      : m_memory(memory + first / length), m_shift(first % length * static_cast<int>(8 * sizeof(T))) {
    m_read = load_word(m_memory);
    TESSERA_UNROLL
    for (int w = 0; w < words; ++w) m_words[w] = next();
  }

  /// To the next block.
  KOKKOS_FORCEINLINE_FUNCTION void slide() {
    TESSERA_UNROLL
    for (int w = 0; w < words - block_words; ++w) m_words[w] = m_words[w + block_words];
    TESSERA_UNROLL
    for (int w = words - block_words; w < words; ++w) m_words[w] = next();
  }

  /// The word of elements i, i + 1, ..
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t word(int i) const { return word_at<T>(m_words, i); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T element(int i) const {
    return word_element<T>(m_words[i / length], i % length);
  }

 private:
  static constexpr int words = (count + length - 1) / length;

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t next() {
    const std::uint32_t low = m_read;
    m_read = load_word(++m_memory);
    return funnel_bits(low, m_read, m_shift);
  }

  const std::uint32_t* m_memory;
  int m_shift;
  std::uint32_t m_read, m_words[words];
};

template <class Types>
KOKKOS_FORCEINLINE_FUNCTION void sum_run(const std::uint32_t* memory, int first,
                                         const ShortTaps<Types, std::int32_t>& taps,
                                         std::int32_t (&results)[short_integers_run<Types>]) {
  using Window = ShortWindow<Types>;
  constexpr int run = short_integers_run<Types>, length = Window::length;
  const int blocks = (taps.count + short_taps_block - 1) / short_taps_block;
  std::uint32_t sums[run] = {};
  TESSERA_NO_UNROLL
  for (int d = taps.digits_used - 1; d >= 0; --d) {
    if (d < taps.digits_used - 1) {
      TESSERA_UNROLL
      for (int v = 0; v < run; ++v) sums[v] <<= 8;
    }
    Window window(memory, first);
    TESSERA_NO_UNROLL
    for (int block = 0;; window.slide()) {
      const std::uint32_t digits = taps.digits[d][block];
      TESSERA_UNROLL
      for (int v = 0; v < run; ++v) {
        sums[v] = add_products<typename Types::in_type, false>(window.word(v), digits, sums[v]);
        if constexpr (Window::block_words > 1)
          sums[v] = add_products<typename Types::in_type, true>(window.word(v + length), digits, sums[v]);
      }
      if (++block == blocks) break;
    }
  }
  TESSERA_UNROLL
  for (int v = 0; v < run; ++v) results[v] = static_cast<std::int32_t>(sums[v]);
}

/// In the order of the taps.
template <class Types>
KOKKOS_FORCEINLINE_FUNCTION void sum_run(const std::uint32_t* memory, int first, const ShortTaps<Types, double>& taps,
                                         double (&sums)[short_integers_run<Types>]) {
  using Window = ShortWindow<Types>;
  constexpr int run = short_integers_run<Types>;
  TESSERA_UNROLL
  for (int v = 0; v < run; ++v) sums[v] = 0;
  Window window(memory, first);
  double elements[Window::count];
  TESSERA_UNROLL
  for (int i = 0; i < Window::count; ++i) elements[i] = double_of(window.element(i));
  TESSERA_NO_UNROLL
  for (int tap = 0;;) {
    TESSERA_UNROLL
    for (int t = 0; t < short_taps_block; ++t) {
      if (tap + t >= taps.count) break;
      const double weight = taps.weights[tap + t];
      TESSERA_UNROLL
      for (int v = 0; v < run; ++v) sums[v] += weight * elements[v + t];
    }
    tap += short_taps_block;
    if (tap >= taps.count) break;
    window.slide();
    TESSERA_UNROLL
    for (int i = 0; i < Window::count - short_taps_block; ++i) elements[i] = elements[i + short_taps_block];
    TESSERA_UNROLL
    for (int i = Window::count - short_taps_block; i < Window::count; ++i) elements[i] = double_of(window.element(i));
  }
}

template <class Out, class Types>
KOKKOS_FORCEINLINE_FUNCTION std::int32_t whole_sum(const ShortTaps<Types, double>& taps, double sum) {
  return taps.small ? rounded(sum) : convert<Out>(sum);
}
template <class Out, class Types>
KOKKOS_FORCEINLINE_FUNCTION std::int32_t whole_sum(const ShortTaps<Types, std::int32_t>&, std::int32_t sum) {
  return sum;
}

/// A word of values of T, clamped.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t clamped_word(const std::int32_t* values) {
  std::uint32_t word = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 720
  if constexpr (sizeof(T) == 1 && std::is_signed_v<T>) {
    asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, 0;" : "=r"(word) : "r"(values[3]), "r"(values[2]));
    asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;" : "=r"(word) : "r"(values[1]), "r"(values[0]), "r"(word));
  } else if constexpr (sizeof(T) == 1) {
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, 0;" : "=r"(word) : "r"(values[3]), "r"(values[2]));
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(word) : "r"(values[1]), "r"(values[0]), "r"(word));
  } else if constexpr (std::is_signed_v<T>) {
    asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(word) : "r"(values[1]), "r"(values[0]));
  } else {
    asm("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r"(word) : "r"(values[1]), "r"(values[0]));
  }
#else
  for (int e = 0; e < short_integers_word<T>; ++e) {
    const auto bits = static_cast<std::make_unsigned_t<T>>(convert<T>(values[e]));
    word |= std::uint32_t{bits} << static_cast<int>(8 * sizeof(T)) * e;
  }
#endif
  return word;
}

/// The outputs of a run as words. first: the element of memory that the first one's first tap takes.
template <class Types>
KOKKOS_FORCEINLINE_FUNCTION void make_run(const std::uint32_t* memory, int first, const ShortTaps<Types>& taps,
                                          std::uint32_t (&results)[short_integers_words<Types>]) {
  using T = typename Types::out_type;
  constexpr int length = short_integers_word<T>;
  typename Types::accumulator_type sums[short_integers_run<Types>];
  sum_run(memory, first, taps, sums);
  TESSERA_UNROLL
  for (int w = 0; w < short_integers_words<Types>; ++w) {
    std::int32_t values[length];
    TESSERA_UNROLL
    for (int e = 0; e < length; ++e) values[e] = whole_sum<T>(taps, sums[w * length + e]);
    results[w] = clamped_word<T>(values);
  }
}

}  // namespace tessera::detail

#endif

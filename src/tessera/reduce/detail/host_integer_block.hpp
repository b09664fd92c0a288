// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of a host's block of integers, of their magnitudes and of their squares, in vectors.
#ifndef TESSERA_REDUCE_DETAIL_HOST_INTEGER_BLOCK_HPP
#define TESSERA_REDUCE_DETAIL_HOST_INTEGER_BLOCK_HPP

#include <tessera/detail/host_vector.hpp>

#if defined(TESSERA_HOST_VECTORS)

#include <cstdint>
#include <tessera/detail/host_prefetch.hpp>
#include <tessera/detail/host_stream.hpp>
#include <tessera/reduce/detail/exact_moments_spill.hpp>
#include <type_traits>

namespace tessera::detail {

/// Sums of unsigned words in a vector's lanes, halves of the words apart.
template <class Lane>
struct HalvesInLanes {
  static constexpr int lanes = host_vector_bytes / static_cast<int>(sizeof(Lane)), half = 4 * sizeof(Lane);
  using Words = HostVector<Lane, lanes>;
  Words low = {}, high = {};

  void add(const Words& words) {
    low += words & ((Lane{1} << half) - 1);
    high += words >> half;
  }
  [[nodiscard]] std::uint64_t low_total() const { return total(low); }
  [[nodiscard]] std::uint64_t high_total() const { return total(high); }

 private:
  static std::uint64_t total(const Words& words) {
    std::uint64_t sum = 0;
    for (int lane = 0; lane < lanes; ++lane) sum += words[lane];
    return sum;
  }
};

/// A block's sums of N elements of up to 32 bits, in lanes of twice as many: squares fit, and so do the sums of some
/// of their halves.
template <class T, Moments Wanted>
class NarrowIntegerBlock {
  static constexpr int bits = 8 * static_cast<int>(sizeof(T));
  using Lane =
      std::conditional_t<bits == 8, std::uint16_t, std::conditional_t<bits == 16, std::uint32_t, std::uint64_t>>;
  using Wide = std::conditional_t<std::is_signed_v<T>, std::make_signed_t<Lane>, Lane>;
  static constexpr int lanes = host_vector_bytes / static_cast<int>(sizeof(Lane));
  static constexpr int line = stream_line / static_cast<int>(sizeof(T));  // elements of a line of memory
  using Words = HostVector<Lane, lanes>;

 public:
  std::int64_t sum = 0;
  std::uint64_t magnitude = 0;
  HalvesInLanes<Lane> squares;

  template <int N>
  explicit NarrowIntegerBlock(const T (&elements)[N]) {
    static_assert(N % line == 0 && N / lanes <= 256);  // terms of a lane of 16 bits
    Words sums = {}, magnitudes = {};
    for (int first = 0; first < N; first += line) {
      prefetch_page_ahead<line>(elements + first);
      for (int at = first; at < first + line; at += lanes) {
        HostVector<T, lanes> loaded;
        load_vector(elements + at, loaded);
        const auto wide = __builtin_convertvector(loaded, HostVector<Wide, lanes>);
        const auto words = (Words)wide;
        if constexpr (Wanted.sum) sums += words;
        if constexpr (Wanted.magnitude || Wanted.squares) {
          const Words sizes = wide < 0 ? 0 - words : words;
          if constexpr (Wanted.magnitude) magnitudes += sizes;
          if constexpr (Wanted.squares) squares.add(squares_of(sizes));
        }
      }
    }
    for (int lane = 0; lane < lanes; ++lane) {
      if constexpr (Wanted.sum) sum += static_cast<Wide>(sums[lane]);
      if constexpr (Wanted.magnitude) magnitude += magnitudes[lane];
    }
  }

 private:
  static Words squares_of(const Words& sizes) {
    if constexpr (bits == 32) {
      Words squares;
      multiply_low_halves<lanes>(sizes, sizes, squares);
      return squares;
    } else {
      return sizes * sizes;
    }
  }
};

/// A block's sums of N elements of 64 bits. Each holds low + high 2^32, squares of the halves of an element:
/// low low + 2 low high 2^32 + high high 2^64.
template <class T, Moments Wanted>
class WideIntegerBlock {
  static constexpr int lanes = host_vector_bytes / static_cast<int>(sizeof(T));
  static constexpr int line = stream_line / static_cast<int>(sizeof(T));
  using Words = HostVector<std::uint64_t, lanes>;

 public:
  std::uint64_t sum_low = 0;
  std::int64_t sum_high = 0;
  HalvesInLanes<std::uint64_t> magnitude, low_low, low_high, high_high;

  template <int N>
  explicit WideIntegerBlock(const T (&elements)[N]) {
    static_assert(N % line == 0);
    Words low = {};
    HostVector<T, lanes> high = {};
    for (int first = 0; first < N; first += line) {
      prefetch_page_ahead<line>(elements + first);
      for (int at = first; at < first + line; at += lanes) {
        HostVector<T, lanes> loaded;
        load_vector(elements + at, loaded);
        const auto words = (Words)loaded;
        if constexpr (Wanted.sum) {
          low += words & 0xffffffffu;
          high += loaded >> 32;
        }
        if constexpr (Wanted.magnitude || Wanted.squares) {
          const Words sizes = loaded < 0 ? 0 - words : words;
          if constexpr (Wanted.magnitude) magnitude.add(sizes);
          if constexpr (Wanted.squares) {
            const Words upper = sizes >> 32;
            Words product;
            multiply_low_halves<lanes>(sizes, sizes, product);
            low_low.add(product);
            multiply_low_halves<lanes>(sizes, upper, product);
            low_high.add(product);
            multiply_low_halves<lanes>(upper, upper, product);
            high_high.add(product);
          }
        }
      }
    }
    for (int lane = 0; lane < lanes; ++lane) {
      sum_low += low[lane];
      sum_high += static_cast<std::int64_t>(high[lane]);
    }
  }
};

}  // namespace tessera::detail

#endif

#endif

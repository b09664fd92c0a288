// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the lanes of a warp add exact terms in registers: as integers over a few digits, which most data stay within.
// Terms stay in registers, as all threads' slow memory together is more than a cache holds; other loops are kept, as
// fetching instructions that run once takes longer than they do.
#ifndef TESSERA_REDUCE_DETAIL_WARP_DIGITS_HPP
#define TESSERA_REDUCE_DETAIL_WARP_DIGITS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/exact_digits.hpp>
#include <tessera/reduce/detail/exact_rounding.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>

namespace tessera::detail {

/// The sum of a warp: digits [begin, end) as ExactDigits has them, Words at most; not carried.
template <int Words>
struct WarpDigits {
  std::int32_t begin, end;
  std::int64_t digit[Words];
};

/// ExactDigits of any format, to write.
struct DigitsView {
  std::int32_t *begin, *end, *deposits;
  std::int64_t* digit;

  template <int LowBit, int Count>
  KOKKOS_FUNCTION explicit DigitsView(ExactDigits<LowBit, Count>& digits)
      : begin(&digits.begin), end(&digits.end), deposits(&digits.deposits), digit(digits.digit) {}
};
/// The same to read.
struct DigitsPart {
  std::int32_t begin, end;
  const std::int64_t* digit;

  template <int LowBit, int Count>
  KOKKOS_FUNCTION explicit DigitsPart(const ExactDigits<LowBit, Count>& digits)
      : begin(digits.begin), end(digits.end), digit(digits.digit) {}
};

#if defined(__CUDA_ARCH__)
/// Of all lanes, which all call.
__device__ __forceinline__ int warp_min(int value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(~0u, value);
#else
  for (int distance = 16; distance > 0; distance /= 2) value = min(value, __shfl_xor_sync(~0u, value, distance));
  return value;
#endif
}
__device__ __forceinline__ int warp_max(int value) { return -warp_min(-value); }
__device__ __forceinline__ int warp_add(int value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(~0u, value);
#else
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(~0u, value, distance);
  return value;
#endif
}
/// Where the sum is below 2^63.
__device__ __forceinline__ std::int64_t warp_add(std::int64_t value) {
  const int low = warp_add(static_cast<int>(value & 0xffffff));
  const int middle = warp_add(static_cast<int>(value >> 24 & 0xffffff));
  const int high = warp_add(static_cast<int>(value >> 48));
  return low + static_cast<std::int64_t>(middle) * (1 << 24) +
         static_cast<std::int64_t>(high) * (std::int64_t{1} << 48);
}

/// Two's complement in registers.
template <int Words>
class WordSum {
 public:
  /// Adds value * 2^position, |value| < 2^62; what lies below bit 0 is zero.
  __device__ __forceinline__ void add(std::int64_t value, int position) {
    if (position < 0) value >>= -position;
    position = max(position, 0);
    const int first = position >> 5, shift = position & 31;
    const auto low = static_cast<std::uint64_t>(value) << shift;
    const auto high = static_cast<std::uint32_t>(value >> (63 - shift) >> 1);
    const auto sign = static_cast<std::uint32_t>(value >> 63);
    std::uint32_t over = 0;
    TESSERA_UNROLL
    for (int k = 0; k < Words; ++k) {
      std::uint32_t piece = k < first ? 0 : sign;
      if (k == first) piece = static_cast<std::uint32_t>(low);
      if (k == first + 1) piece = static_cast<std::uint32_t>(low >> 32);
      if (k == first + 2) piece = high;
      const std::uint64_t sum = static_cast<std::uint64_t>(m_word[k]) + piece + over;
      m_word[k] = static_cast<std::uint32_t>(sum);
      over = static_cast<std::uint32_t>(sum >> 32);
    }
  }

  /// The sum of all lanes' words [0, count), of which the last has a sign.
  __device__ __forceinline__ void add_lanes(int count, int lane, std::int64_t (&digit)[Words]) const {
    TESSERA_UNROLL
    for (int k = 0; k < Words; ++k) {
      if (k >= count) continue;  // the same in all lanes
      const auto with_sign = static_cast<std::int32_t>(m_word[k]) >> 16;
      const int high = warp_add(k + 1 < count ? with_sign & 0xffff : with_sign);
      const int low = warp_add(static_cast<int>(m_word[k] & 0xffffu));
      if (lane == 0) digit[k] = static_cast<std::int64_t>(high) * 65536 + low;
    }
  }

 private:
  std::uint32_t m_word[Words] = {};
};

/// Adds the lanes' terms, eight each at most: for_terms(f) calls f with those that are not zero. False where Words are
/// too few; all lanes call.
template <int Words, class ForTerms>
__device__ __forceinline__ bool add_lanes_terms(const ForTerms& for_terms, int lane, WarpDigits<Words>& total) {
  constexpr int spare = 3 + 5 + 1;  // bits of the terms' number, and a sign
  int lowest = Kokkos::Experimental::finite_max_v<int>, highest = 0;
  for_terms([&](const DigitTerm& term) {
    const auto magnitude = static_cast<std::uint64_t>(term.value < 0 ? -term.value : term.value);
    lowest = min(lowest, term.position + Kokkos::Experimental::countr_zero_builtin(magnitude));
    highest = max(highest, term.position + bit_width_of(magnitude));
  });
  lowest = warp_min(lowest);
  highest = warp_max(highest);
  const int begin = highest > 0 ? lowest / 32 : 0;
  const int count = highest > 0 ? (highest + spare + 31) / 32 - begin : 0;
  if (count > Words) return false;
  WordSum<Words> words;
  for_terms([&](const DigitTerm& term) { words.add(term.value, term.position - 32 * begin); });
  words.add_lanes(count, lane, total.digit);
  if (lane == 0) {
    total.begin = begin;
    total.end = begin + count;
  }
  return true;
}

/// Adds what several teams left, 256 a lane at most: part_at(i), a DigitsPart, for i from first on in steps, below
/// count.
template <int Words, class PartAt>
__device__ __forceinline__ bool add_lanes_digits(const PartAt& part_at, int first, int count, int step, int lane,
                                                 WarpDigits<Words>& total) {
  int begin = Kokkos::Experimental::finite_max_v<int>, end = 0;
  TESSERA_NO_UNROLL
  for (int i = first; i < count; i += step) {
    const DigitsPart part = part_at(i);
    if (part.begin >= part.end) continue;
    begin = min(begin, part.begin);
    end = max(end, part.end);
  }
  begin = warp_min(begin);
  end = warp_max(end);
  if (begin >= end) begin = end = 0;
  if (end - begin > Words) return false;
  std::int64_t digit[Words] = {};
  TESSERA_NO_UNROLL
  for (int i = first; i < count; i += step) {
    const DigitsPart part = part_at(i);
    TESSERA_UNROLL
    for (int k = 0; k < Words; ++k) {
      if (part.begin <= begin + k && begin + k < part.end) digit[k] += part.digit[begin + k];
    }
  }
  TESSERA_UNROLL
  for (int k = 0; k < Words; ++k) {
    if (begin + k >= end) continue;
    const std::int64_t sum = warp_add(digit[k]);
    if (lane == 0) total.digit[k] = sum;
  }
  if (lane == 0) {
    total.begin = begin;
    total.end = end;
  }
  return true;
}

/// Adds the sums of warps, of_warp(w) each; all lanes of one warp call.
template <class OfWarp>
__device__ __forceinline__ void add_warps(const OfWarp& of_warp, int warps, int lane, const DigitsView& result) {
  const auto& own = of_warp(min(lane, warps - 1));
  const bool any = own.begin < own.end;
  const int end = warp_max(any ? own.end : 0);
  const int begin = warp_min(any ? own.begin : end);
  TESSERA_NO_UNROLL
  for (int j = begin + lane; j < end; j += 32) {
    std::int64_t sum = 0;
    TESSERA_NO_UNROLL
    for (int w = 0; w < warps; ++w) {
      const auto& part = of_warp(w);
      if (part.begin <= j && j < part.end) sum += part.digit[j - part.begin];
    }
    result.digit[j] = sum;
  }
  if (lane == 0) {
    *result.begin = begin;
    *result.end = end;
    *result.deposits = 0;
  }
}
#endif

}  // namespace tessera::detail

#endif

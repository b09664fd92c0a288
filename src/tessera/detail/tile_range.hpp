// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index arithmetic of tiles.
#ifndef TESSERA_DETAIL_TILE_RANGE_HPP
#define TESSERA_DETAIL_TILE_RANGE_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace tessera::detail {

KOKKOS_INLINE_FUNCTION constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

struct QuotientRemainder {
  std::int64_t quotient, remainder;
};

/// a / b for a >= 0, b > 0. In 32 bits where both fit: a 64-bit division costs a GPU as much as a small tile.
KOKKOS_INLINE_FUNCTION QuotientRemainder divide(std::int64_t a, std::int64_t b) {
  if (((a | b) >> 32) == 0) {
    const auto small_a = static_cast<std::uint32_t>(a);
    const auto small_b = static_cast<std::uint32_t>(b);
    const std::uint32_t quotient = small_a / small_b;
    return {quotient, small_a - quotient * small_b};
  }
  const std::int64_t quotient = a / b;
  return {quotient, a - quotient * b};
}

/// Where a tile sees an index counted from its begin: far more than it has is as good as more yet.
KOKKOS_FORCEINLINE_FUNCTION int near_index(std::int64_t index) {
  constexpr std::int64_t far = 1 << 30;
  return static_cast<int>(Kokkos::min(Kokkos::max(index, -far), far));
}

struct IndexRange {
  std::int64_t begin, end;
};

/// Items of a worker: neighbours.
KOKKOS_INLINE_FUNCTION IndexRange items_of(std::int64_t items, std::int64_t worker, std::int64_t workers) {
  const std::int64_t share = ceil_div(items, workers);
  const std::int64_t begin = Kokkos::min(items, worker * share);
  return {begin, Kokkos::min(items, begin + share)};
}

}  // namespace tessera::detail

#endif

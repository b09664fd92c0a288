// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of 64-bit integers that cannot overflow on the way.
#ifndef TESSERA_DETAIL_EXACT_INTEGER_HPP
#define TESSERA_DETAIL_EXACT_INTEGER_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/host_prefetch.hpp>
#include <tessera/detail/host_vector.hpp>
#include <type_traits>

namespace tessera::detail {

/// element < 0, where that can be.
template <class T>
KOKKOS_FUNCTION bool is_negative(T element) {
  if constexpr (std::is_signed_v<T>) {
    return element < T(0);
  } else {
    return false;
  }
}

/// |element|, of the lowest integer too.
template <class T>
KOKKOS_FUNCTION std::make_unsigned_t<T> magnitude_of(T element) {
  using Unsigned = std::make_unsigned_t<T>;
  const auto bits = static_cast<Unsigned>(element);
  return is_negative(element) ? static_cast<Unsigned>(Unsigned(0) - bits) : bits;
}

/// A 128-bit two's complement integer: room for 2^63 terms of 64 bits.
struct ExactInteger {
  std::uint64_t low = 0;
  std::int64_t high = 0;

  KOKKOS_FUNCTION void add(const ExactInteger& other) {
    low += other.low;
    high += other.high + (low < other.low ? 1 : 0);
  }

  /// The same while other threads add: each sees by what it found whether its own low word carried, in any order.
  KOKKOS_FUNCTION void atomic_add(const ExactInteger& other) {
    const std::uint64_t found = Kokkos::atomic_fetch_add(&low, other.low);
    const std::int64_t more = other.high + (found + other.low < found ? 1 : 0);
    if (more != 0) Kokkos::atomic_add(&high, more);
  }

  template <class T>
  KOKKOS_FUNCTION static ExactInteger from(T value) {
    if constexpr (std::is_signed_v<T>) {
      return {static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), value < 0 ? -1 : 0};
    } else {
      return {static_cast<std::uint64_t>(value), 0};
    }
  }

  /// Whether the value fits Result, int64 or uint64.
  template <class Result>
  [[nodiscard]] KOKKOS_FUNCTION bool fits() const {
    if constexpr (std::is_signed_v<Result>) return high == (static_cast<std::int64_t>(low) < 0 ? -1 : 0);
    return high == 0;
  }
};

/// The sum of a few 64-bit terms in two words, halves of the terms apart: three instructions a term and no carry.
/// Good for 2^31 terms.
template <class T>
struct SplitSum {
  std::uint64_t low = 0;
  T high = 0;

  KOKKOS_FUNCTION void add(T value) {
    low += static_cast<std::uint64_t>(value) & 0xffffffffu;
    high += value >> 32;
  }

#if defined(TESSERA_HOST_VECTORS)
  /// As add(), for groups of as many terms as there are sums.
  template <int Lanes>
  static void add_vectors(SplitSum (&sums)[Lanes], const T* terms, int groups) {
    HostVector<std::uint64_t, Lanes> low;
    HostVector<T, Lanes> high;
    for (int lane = 0; lane < Lanes; ++lane) {
      low[lane] = sums[lane].low;
      high[lane] = sums[lane].high;
    }
    for (int group = 0; group < groups; ++group) {
      if (groups > 1) prefetch_page_ahead<Lanes>(terms + group * Lanes);
      HostVector<T, Lanes> of_group;
      load_vector(terms + group * Lanes, of_group);
      low += (HostVector<std::uint64_t, Lanes>)of_group & 0xffffffffu;
      high += of_group >> 32;
    }
    for (int lane = 0; lane < Lanes; ++lane) sums[lane] = {low[lane], high[lane]};
  }
#endif

  [[nodiscard]] KOKKOS_FUNCTION ExactInteger total() const {
    ExactInteger upper{static_cast<std::uint64_t>(high) << 32, static_cast<std::int64_t>(high >> 32)};
    upper.add({low, 0});
    return upper;
  }
};

}  // namespace tessera::detail

#endif

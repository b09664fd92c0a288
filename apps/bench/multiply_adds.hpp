// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As many multiply-adds as a filter makes, in registers alone: what arithmetic allows.
#ifndef TESSERA_APPS_BENCH_MULTIPLY_ADDS_HPP
#define TESSERA_APPS_BENCH_MULTIPLY_ADDS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/host_vector.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/unroll.hpp>

#include "bench_data.hpp"

namespace tessera::apps::bench {

/// Chains v = v factor + addend, enough of them for the latency of one. With 0.5 and 1, which the compiler does not
/// know, 2 stays 2.
template <class Space, class T>
struct MultiplyAdds {
#ifdef TESSERA_HOST_VECTORS
  static constexpr int width = detail::is_host_space<Space> ? 32 / static_cast<int>(sizeof(T)) : 1;
  using Vector = detail::HostVector<T, width>;
#else
  static constexpr int width = 1;
  using Vector = T;
#endif
  static constexpr int chains = 12, rounds_at_once = 8;

  T factor, addend;
  std::int64_t groups;  // of rounds
  T* out;

  /// For count of them in all, rounded up to whole groups of rounds of all threads.
  MultiplyAdds(const Space& space, std::int64_t count, T* target, T scale, T plus)
      : factor(scale),
        addend(plus),
        groups(detail::ceil_div(count, std::int64_t{space.concurrency()} * chains * width * rounds_at_once)),
        out(target) {}
  /// Of an item that has done its work.
  static constexpr T result = 2 * chains * width;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    Vector values[chains];
    for (int c = 0; c < chains; ++c) values[c] = Vector{} + (addend + addend);
    for (std::int64_t group = 0; group < groups; ++group) {
      // Else counting takes a sixth of the time (measured on an H100).
      TESSERA_UNROLL
      for (int k = 0; k < rounds_at_once; ++k) {
        TESSERA_UNROLL
        for (int c = 0; c < chains; ++c) values[c] = values[c] * factor + addend;
      }
    }
    T sum = 0;
    for (int c = 0; c < chains; ++c) {
      if constexpr (width == 1) {
        sum += values[c];
      } else {
        for (int k = 0; k < width; ++k) sum += values[c][k];
      }
    }
    out[item] = sum;
  }
};

template <class T>
struct CountUnequal {
  const T* out;
  T expected;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const { wrong += !(out[i] == expected); }
};

}  // namespace tessera::apps::bench

#endif

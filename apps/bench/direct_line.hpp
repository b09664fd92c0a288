// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters of lines, mode reflect, by their definition.
#ifndef TESSERA_APPS_BENCH_DIRECT_LINE_HPP
#define TESSERA_APPS_BENCH_DIRECT_LINE_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "bench_data.hpp"

namespace tessera::apps::bench {

/// One output by its definition, every element from memory.
template <class T>
struct DirectLine {
  const T* in;
  const double* weights;
  std::int64_t extent, stride, taps;

  /// visitor(k, element) for the window of output i of the array.
  template <class Visitor>
  KOKKOS_FUNCTION void visit(std::int64_t i, const Visitor& visitor) const {
    const std::int64_t j = i / stride % extent;
    const T* line = in + (i - j * stride);
    for (std::int64_t k = 0; k < taps; ++k) visitor(k, line[reflected(j - taps / 2 + k, extent) * stride]);
  }
  template <class Accumulator>
  KOKKOS_FUNCTION Accumulator sum(std::int64_t i) const {
    Accumulator total = 0;
    visit(i, [&](std::int64_t k, T x) { total += static_cast<Accumulator>(weights[k]) * static_cast<Accumulator>(x); });
    return total;
  }
};

/// Where an element stands in a window.
template <class T>
struct Rank {
  T element;
  std::int64_t less = 0, not_greater = 0;
  bool is_there = false;

  KOKKOS_FUNCTION void see(T x) {
    less += x < element;
    not_greater += x <= element;
    is_there = is_there || x == element;
  }
  [[nodiscard]] KOKKOS_FUNCTION bool is_median(std::int64_t window) const {
    return is_there && less <= window / 2 && window / 2 < not_greater;
  }
};

}  // namespace tessera::apps::bench

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's run of outputs from staged elements, of any number of taps.
#ifndef TESSERA_FILTER_DETAIL_RUN_SUMS_HPP
#define TESSERA_FILTER_DETAIL_RUN_SUMS_HPP

#include <Kokkos_Core.hpp>
#include <tessera/detail/complex.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/detail/weighted.hpp>
#include <type_traits>

namespace tessera::detail {

/// sums[s] = sum_k weights[k] elements[(s + k) step], the terms of each added in the order of the taps. All are read,
/// up to Run + taps - 2, also for outputs that there are not.
template <int Run, class Accumulator, class Staged, class Weight>
KOKKOS_FORCEINLINE_FUNCTION void run_sums(const Staged* elements, int step, const Weight* weights, int taps,
                                          Accumulator (&sums)[Run]) {
  // Of integers their own type: a product that widens them is one instruction.
  using Window = std::conditional_t<rounds_v<Accumulator>, Accumulator, Staged>;
  Window window[Run];  // a ring
  TESSERA_UNROLL
  for (int s = 0; s < Run; ++s) sums[s] = Accumulator(0);
  TESSERA_UNROLL
  for (int s = 0; s < Run - 1; ++s) window[s] = static_cast<Window>(elements[s * step]);
  elements += (Run - 1) * step;
  const auto add = [&](int u, int k) {
    window[(u + Run - 1) % Run] = static_cast<Window>(elements[k * step]);
    const Weight weight = weights[k];
    TESSERA_UNROLL
    for (int s = 0; s < Run; ++s) sums[s] += weighted<Accumulator>(weight, window[(u + s) % Run]);
  };
  int tap = 0;
  TESSERA_NO_UNROLL
  for (; tap + Run <= taps; tap += Run) {
    TESSERA_UNROLL
    for (int u = 0; u < Run; ++u) add(u, tap + u);
  }
  TESSERA_UNROLL
  for (int u = 0; u < Run - 1; ++u) {
    if (tap + u < taps) add(u, tap + u);
  }
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Few taps, as part of a kernel's argument: multiplications take them from there without a load.
#ifndef TESSERA_FILTER_DETAIL_NARROW_TAPS_HPP
#define TESSERA_FILTER_DETAIL_NARROW_TAPS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tessera/detail/complex.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/detail/weighted.hpp>
#include <tessera/filter/detail/filter_job.hpp>
#include <type_traits>

namespace tessera::detail {

/// Zeros stand before the first tap, as a window may begin anywhere in a chunk, and after the last. What they make of
/// NaN and infinities, has_nan() finds and correlate_exactly() mends. Fewest: no filter of the kernel takes less slots.
template <class Types, int Slots, int Fewest = 1>
struct NarrowTaps {
  typename Types::weight_type weight[Slots];
  int first, end;  // Fewest <= end <= Slots
};

/// weights: of the filter, that take narrow_slots() slots.
template <class Types, int Slots, int Fewest = 1>
NarrowTaps<Types, Slots, Fewest> narrow_taps(const FilterWindow& window, std::span<const double> weights) {
  constexpr int width = packed_length<typename Types::in_type>;
  const auto count = static_cast<int>(weights.size());
  const int first = static_cast<int>(ceil_div(window.reach_left, width) * width - window.reach_left);
  NarrowTaps<Types, Slots, Fewest> taps{{}, first, first + count};
  put_weights(weights, window.reversed, taps.weight + first);
  return taps;
}

/// The outputs of a run of chunks. window: the chunks from that of the first one's first tap on. Terms are added in the
/// order of the taps.
template <class Types, int Slots, int Fewest, class Sums, std::size_t Run>
KOKKOS_FORCEINLINE_FUNCTION void correlate_narrow(const Packed<typename Types::in_type>* window,
                                                  const NarrowTaps<Types, Slots, Fewest>& taps, Sums (&sums)[Run]) {
  using Accumulator = typename Types::accumulator_type;
  constexpr int width = packed_length<typename Types::in_type>;
  constexpr int run = static_cast<int>(Run), window_chunks = run + (Slots + width - 2) / width;
  TESSERA_UNROLL
  for (int r = 0; r < run; ++r) {
    TESSERA_UNROLL
    for (int v = 0; v < width; ++v) sums[r].values[v] = Accumulator(0);
  }
  TESSERA_UNROLL
  for (int c = 0; c < window_chunks; ++c) {
    // No test before chunks that all windows have: loads do not pass it, and each would wait for the products before.
    const bool always = c * width < Fewest + run * width - 1;
    if (!always && c * width >= taps.end + run * width - 1) continue;
    const Packed<typename Types::in_type> chunk = window[c];
    TESSERA_UNROLL
    for (int e = 0; e < width; ++e) {
      const auto element = static_cast<Accumulator>(chunk.values[e]);
      TESSERA_UNROLL
      for (int r = 0; r < run; ++r) {
        TESSERA_UNROLL
        for (int v = 0; v < width; ++v) {
          const int slot = (c - r) * width + e - v;
          if (slot < 0 || slot >= Slots) continue;
          sums[r].values[v] += weighted<Accumulator>(taps.weight[slot], element);
        }
      }
    }
  }
}

/// One output, without the zeros. window: the elements from that of slot 0 on.
template <class Types, int Slots, int Fewest>
KOKKOS_FORCEINLINE_FUNCTION typename Types::accumulator_type correlate_exactly(
    const typename Types::in_type* window, const NarrowTaps<Types, Slots, Fewest>& taps) {
  using Accumulator = typename Types::accumulator_type;
  Accumulator sum = 0;
  TESSERA_NO_UNROLL
  for (int slot = taps.first; slot < taps.end; ++slot) {
    sum += weighted<Accumulator>(taps.weight[slot], window[slot]);
  }
  return sum;
}

template <class Sums>
KOKKOS_FORCEINLINE_FUNCTION bool has_nan(const Sums& sums) {
  bool found = false;
  if constexpr (rounds_v<std::remove_cvref_t<decltype(sums.values[0])>>) {
    TESSERA_UNROLL
    for (const auto& value : sums.values) found = found || value != value;
  }
  return found;
}

}  // namespace tessera::detail

#endif

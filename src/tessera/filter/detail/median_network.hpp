// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Medians of neighbouring windows in registers. What all of them hold is sorted once, and all but its middle cannot be
// a median; halves of the windows then merge that with what they hold beside it, and so on: the separable sorting of A.
// Adams ("Fast median filters using separable sorting networks", 2021) along one axis.
#ifndef TESSERA_FILTER_DETAIL_MEDIAN_NETWORK_HPP
#define TESSERA_FILTER_DETAIL_MEDIAN_NETWORK_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/filter_median.hpp>
#include <tessera/filter/detail/median_key.hpp>
#include <tessera/filter/detail/sorting_network.hpp>
#include <tessera/filter/detail/stage.hpp>

namespace tessera::detail {

/// x: what the first window begins with. taps <= Window, and Outputs - 1 <= taps: the windows have a common part.
template <class T, int Window, int Outputs>
struct NeighbouringMedians {
  using Key = MedianKey<T>;
  const T* x;
  int taps;
  bool has_nan = false;
  T medians[Outputs]{};

  KOKKOS_FORCEINLINE_FUNCTION Key key(int k) {
    has_nan |= is_nan(x[k]);
    return median_key(x[k]);
  }

  /// Narrower windows get keys below and above all others, which leave the median in the middle.
  KOKKOS_FORCEINLINE_FUNCTION void run() {
    constexpr int common = Window - Outputs + 1;
    const int held = taps - Outputs + 1;
    const int below = Window / 2 - taps / 2;
    Key keys[common], middle[Outputs];
    TESSERA_UNROLL
    for (int k = 0; k < common; ++k) {
      keys[k] = k < held ? key(Outputs - 1 + k) : (k < held + below ? Key{0} : ~Key{0});
    }
    sort_keys<Window / 2 - Outputs + 1>(keys, middle);
    split<0>(middle);
  }

  /// middle: sorted; its last one is the median but for Count - 1 more elements of each of Count windows from First on.
  template <int First, int Count>
  KOKKOS_FORCEINLINE_FUNCTION void split(const Key (&middle)[Count]) {
    if constexpr (Count == 1) {
      medians[First] = median_element<T>(middle[0]);
    } else {
      constexpr int half = Count / 2;
      part<First, half>(middle, First + half - 1);
      part<First + half, Count - half>(middle, taps + First);
    }
  }

  /// Size of the windows, from First on, and the elements from `more` on that they share beside middle.
  template <int First, int Size, int Count>
  KOKKOS_FORCEINLINE_FUNCTION void part(const Key (&middle)[Count], int more) {
    constexpr int added = Count - Size;
    Key unsorted[added], sorted[added], keys[Count + added], kept[Size];
    TESSERA_UNROLL
    for (int k = 0; k < added; ++k) unsorted[k] = key(more + k);
    sort_keys<0>(unsorted, sorted);
    TESSERA_UNROLL
    for (int k = 0; k < Count; ++k) keys[k] = middle[k];
    TESSERA_UNROLL
    for (int k = 0; k < added; ++k) keys[Count + k] = sorted[k];
    merge_keys<Count, added, added>(keys, kept);
    split<First>(kept);
  }
};

/// MedianMethod::network.
template <class T, int Window, int Outputs>
struct NetworkMedian {
  MedianScratch pieces;

  template <TeamMember Member, class Out>
  KOKKOS_FUNCTION void filter_range(const Member& team, std::byte* scratch, const MedianLines<T, Out>& lines,
                                    const T* x, Out* y, std::int64_t first, int count) const {
    const int taps = static_cast<int>(lines.taps);
    const int groups = static_cast<int>(ceil_div(count, Outputs));
    const T* staged =
        stage_line(team, x, lines.in.stride, lines.in.extent, first - lines.reach_left, groups * Outputs + taps - 1,
                   lines.boundary, reinterpret_cast<T*>(scratch + pieces.elements_at));
    T* results = reinterpret_cast<T*>(scratch + pieces.results_at) + aligned_shift<T>(y + first, lines.out.stride);
    team.team_barrier();
    for (int group = team.team_rank(); group < groups; group += team.team_size()) {
      NeighbouringMedians<T, Window, Outputs> windows{staged + group * Outputs, taps};
      windows.run();
      TESSERA_UNROLL
      for (int j = 0; j < Outputs; ++j) results[group * Outputs + j] = windows.medians[j];
      if (windows.has_nan) mark_nan(staged + group * Outputs, taps, results + group * Outputs);
    }
    team.team_barrier();
    store_results(team, results, y + first * lines.out.stride, lines.out.stride, count);
  }

  KOKKOS_FUNCTION static void mark_nan(const T* x, int taps, T* results) {
    for (int j = 0; j < Outputs; ++j) {
      for (int k = 0; k < taps; ++k) {
        if (is_nan(x[j + k])) results[j] = median_of_nan<T>();
      }
    }
  }
};

}  // namespace tessera::detail

#endif

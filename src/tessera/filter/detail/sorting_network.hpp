// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorting and merging in registers: odd-even merge networks (K. Batcher, 1968) of any size, laid out by the compiler.
#ifndef TESSERA_FILTER_DETAIL_SORTING_NETWORK_HPP
#define TESSERA_FILTER_DETAIL_SORTING_NETWORK_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <tessera/detail/float_extrema.hpp>
#include <tessera/filter/detail/median_key.hpp>
#include <type_traits>
#include <utility>

namespace tessera::detail {

/// Compare-exchanges of lines, and the lines in the order of what they hold at the end.
template <int Lines>
struct SortingNetwork {
  static constexpr int capacity = Lines * Lines / 2 + 1;
  int low[capacity]{}, high[capacity]{};
  int exchanges = 0;
  int order[Lines]{};

  constexpr void exchange(int a, int b) {
    low[exchanges] = a;
    high[exchanges] = b;
    ++exchanges;
  }

  /// lines: first ones and then second ones that hold sorted keys. Leaves all of them in order.
  constexpr void merge(int* lines, int first, int second) {
    if (first == 0 || second == 0) return;
    if (first == 1 && second == 1) return exchange(lines[0], lines[1]);
    int even[Lines]{}, odd[Lines]{};
    int evens = 0, odds = 0;
    for (int i = 0; i < first + second; ++i) {
      const bool is_even = (i < first ? i : i - first) % 2 == 0;
      if (is_even) {
        even[evens++] = lines[i];
      } else {
        odd[odds++] = lines[i];
      }
    }
    merge(even, (first + 1) / 2, (second + 1) / 2);
    merge(odd, first / 2, second / 2);
    // An even one begins; then each odd one may have to change places with the next even one.
    int at = 0;
    lines[at++] = even[0];
    for (int i = 0; i < odds; ++i) {
      lines[at++] = odd[i];
      if (i + 1 >= evens) continue;
      exchange(odd[i], even[i + 1]);
      lines[at++] = even[i + 1];
    }
    if (evens > odds + 1) lines[at] = even[evens - 1];
  }

  constexpr void sort(int* lines, int count) {
    if (count < 2) return;
    sort(lines, count / 2);
    sort(lines + count / 2, count - count / 2);
    merge(lines, count / 2, count - count / 2);
  }
};

/// Of First + Second keys: sorts them, or merges First sorted ones and Second sorted ones. A variable, as device code
/// may not call constexpr functions of the host.
template <bool Sorts, int First, int Second>
inline constexpr SortingNetwork<First + Second> network_of = [] {
  SortingNetwork<First + Second> network;
  for (int i = 0; i < First + Second; ++i) network.order[i] = i;
  if (Sorts) {
    network.sort(network.order, First + Second);
  } else {
    network.merge(network.order, First, Second);
  }
  return network;
}();

template <class Key>
KOKKOS_FORCEINLINE_FUNCTION void compare_exchange(Key& low, Key& high) {
  const Key smaller = high < low ? high : low;
  high = high < low ? low : high;
  low = smaller;
}

/// Of floats, none of them NaN: zeros have an order too.
KOKKOS_FORCEINLINE_FUNCTION void compare_exchange(float& low, float& high) {
#ifdef TESSERA_ORDERED_FLOAT_EXTREMA
  const float smaller = Kokkos::fmin(low, high);
  high = Kokkos::fmax(low, high);
#else
  const bool is_ordered = median_key(low) <= median_key(high);
  const float smaller = is_ordered ? low : high;
  high = is_ordered ? high : low;
#endif
  low = smaller;
}

/// Keys From .. From + Kept - 1 in the order that sorting all of them gives. The network's numbers are constants where
/// they are used, so that keys stay in registers; exchanges that no kept key depends on fall away.
template <int From, int Kept, bool Sorts, int First, int Second, class Key, std::size_t... Exchange,
          std::size_t... Rank>
KOKKOS_FORCEINLINE_FUNCTION void run_network(Key (&keys)[First + Second], Key (&kept)[Kept],
                                             std::index_sequence<Exchange...>, std::index_sequence<Rank...>) {
  (compare_exchange(keys[std::integral_constant<int, network_of<Sorts, First, Second>.low[Exchange]>::value],
                    keys[std::integral_constant<int, network_of<Sorts, First, Second>.high[Exchange]>::value]),
   ...);
  ((kept[Rank] = keys
        [std::integral_constant<int, network_of<Sorts, First, Second>.order[From + static_cast<int>(Rank)]>::value]),
   ...);
}

template <int From, int Kept, int Count, class Key>
KOKKOS_FORCEINLINE_FUNCTION void sort_keys(Key (&keys)[Count], Key (&kept)[Kept]) {
  constexpr auto exchanges = static_cast<std::size_t>(network_of<true, Count, 0>.exchanges);
  run_network<From, Kept, true, Count, 0>(keys, kept, std::make_index_sequence<exchanges>(),
                                          std::make_index_sequence<Kept>());
}

/// keys: First sorted ones, then Second sorted ones.
template <int First, int Second, int From, int Kept, class Key>
KOKKOS_FORCEINLINE_FUNCTION void merge_keys(Key (&keys)[First + Second], Key (&kept)[Kept]) {
  constexpr auto exchanges = static_cast<std::size_t>(network_of<false, First, Second>.exchanges);
  run_network<From, Kept, false, First, Second>(keys, kept, std::make_index_sequence<exchanges>(),
                                                std::make_index_sequence<Kept>());
}

}  // namespace tessera::detail

#endif

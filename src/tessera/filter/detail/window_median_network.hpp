// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Medians of neighbouring windows in registers. What all of them hold is sorted once, and all but its middle cannot be
// a median; halves of the windows then merge that with what they hold beside it, and so on: the separable sorting of A.
// Adams ("Fast median filters using separable sorting networks", 2021) along one axis. An operation of the kernels of
// windows, to which it gives a thread's outputs together.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_MEDIAN_NETWORK_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_MEDIAN_NETWORK_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <tessera/detail/convert.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/median_key.hpp>
#include <tessera/filter/detail/sorting_network.hpp>
#include <tessera/filter/detail/window_median.hpp>

namespace tessera::detail {

/// What networks compare: keys, or, on devices, floats as they are, whose zeros compare_exchange() orders. A NaN goes
/// behind all others.
template <class T, bool OnDevice>
struct MedianOrder {
  using key_type = MedianKey<T>;
  KOKKOS_FORCEINLINE_FUNCTION static key_type lowest() { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static key_type highest() { return ~key_type{0}; }
  KOKKOS_FORCEINLINE_FUNCTION static key_type key(T element) { return median_key(element); }
  KOKKOS_FORCEINLINE_FUNCTION static T element(key_type key) { return median_element<T>(key); }
};
template <>
struct MedianOrder<float, true> {
  using key_type = float;
  KOKKOS_FORCEINLINE_FUNCTION static float lowest() { return -highest(); }
  KOKKOS_FORCEINLINE_FUNCTION static float highest() { return Kokkos::Experimental::infinity_v<float>; }
  KOKKOS_FORCEINLINE_FUNCTION static float key(float element) { return Kokkos::fmin(element, highest()); }
  KOKKOS_FORCEINLINE_FUNCTION static float element(float key) { return key; }
};

/// x[k]: what the first window begins with. taps <= Window, and Outputs - 1 <= taps: the windows have a common part.
template <class T, int Window, int Outputs, bool OnDevice, class Elements>
struct NeighbouringMedians {
  using Order = MedianOrder<T, OnDevice>;
  using Key = typename Order::key_type;
  const Elements& x;
  int taps;
  bool has_nan = false;
  T medians[Outputs]{};

  KOKKOS_FORCEINLINE_FUNCTION Key key(int k) {
    const T element = x[k];
    has_nan |= is_nan(element);
    return Order::key(element);
  }

  /// Of the s-th window.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool holds_nan(int s) const {
    bool found = false;
    TESSERA_NO_UNROLL
    for (int k = 0; k < taps; ++k) found = found || is_nan(x[s + k]);
    return found;
  }

  /// Narrower windows get keys below and above all others, which leave the median in the middle.
  KOKKOS_FORCEINLINE_FUNCTION void run() {
    constexpr int common = Window - Outputs + 1;
    const int held = taps - Outputs + 1;
    const int below = Window / 2 - taps / 2;
    Key keys[common], middle[Outputs];
    TESSERA_UNROLL
    for (int k = 0; k < common; ++k) {
      keys[k] = k < held ? key(Outputs - 1 + k) : k < held + below ? Order::lowest() : Order::highest();
    }
    sort_keys<Window / 2 - Outputs + 1>(keys, middle);
    split<0>(middle);
  }

  /// middle: sorted; its last one is the median but for Count - 1 more elements of each of Count windows from First on.
  template <int First, int Count>
  KOKKOS_FORCEINLINE_FUNCTION void split(const Key (&middle)[Count]) {
    if constexpr (Count == 1) {
      medians[First] = Order::element(middle[0]);
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

template <class T, class Out, int Window, int Outputs, bool OnDevice>
struct MedianNetwork {
  using in_type = T;
  using out_type = Out;
  using value_type = T;
  static constexpr bool is_idempotent = true;
  static constexpr int whole_windows_max = Window;
  static constexpr bool has_one_size = false;
  static constexpr int run = Outputs;

  /// Of the windows of size elements[s], elements[s + 1], ..
  template <class Elements>
  KOKKOS_FORCEINLINE_FUNCTION void make_run(const Elements& elements, int size, Out (&results)[Outputs]) const {
    NeighbouringMedians<T, Window, Outputs, OnDevice, Elements> windows{elements, size};
    windows.run();
    TESSERA_UNROLL
    for (int s = 0; s < Outputs; ++s) results[s] = convert<Out>(windows.medians[s]);
    if (!windows.has_nan) return;
    TESSERA_UNROLL
    for (int s = 0; s < Outputs; ++s) {
      if (windows.holds_nan(s)) results[s] = convert<Out>(median_of_nan<T>());
    }
  }
};

/// A network of that width, and the neighbouring outputs that it gives at once. Odd, so that threads side by side read
/// scratch without bank conflicts.
struct MedianNetworkSize {
  int window, outputs;
};
inline constexpr std::array<MedianNetworkSize, 3> median_network_sizes{{{9, 5}, {17, 9}, {33, 11}}};

/// The smallest network for a window of that width; none: width 0.
inline MedianNetworkSize median_network_size(std::int64_t taps) {
  const auto* size = std::find_if(median_network_sizes.begin(), median_network_sizes.end(),
                                  [&](const MedianNetworkSize& network) { return taps <= network.window; });
  return size == median_network_sizes.end() ? MedianNetworkSize{0, 1} : *size;
}

/// f(operation) of the network of that width, or of windows of few elements where it is 0.
template <bool OnDevice, class T, class Out, class F>
auto with_median_windows(int network_window, const F& f) {
  constexpr auto& sizes = median_network_sizes;
  if (network_window == 0) return f(WindowMedian<T, Out>());
  if (network_window == sizes[0].window) return f(MedianNetwork<T, Out, sizes[0].window, sizes[0].outputs, OnDevice>());
  if (network_window == sizes[1].window) return f(MedianNetwork<T, Out, sizes[1].window, sizes[1].outputs, OnDevice>());
  return f(MedianNetwork<T, Out, sizes[2].window, sizes[2].outputs, OnDevice>());
}

}  // namespace tessera::detail

#endif

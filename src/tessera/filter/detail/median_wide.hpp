// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Medians of wide windows: a sorted window that moves on (hosts), and the bits of the median by counting.
#ifndef TESSERA_FILTER_DETAIL_MEDIAN_WIDE_HPP
#define TESSERA_FILTER_DETAIL_MEDIAN_WIDE_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/filter/detail/filter_median.hpp>
#include <tessera/filter/detail/median_key.hpp>

namespace tessera::detail {

/// A thread's window in ascending order.
template <class T>
struct SortedWindow {
  using Key = MedianKey<T>;
  Key* keys;
  std::int64_t size, nans;

  /// The first position whose key is not below that one.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t position(Key key) const {
    std::int64_t low = 0, high = size;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (keys[middle] < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  template <class Lines>
  KOKKOS_FUNCTION void add(const Lines& lines, T element) {
    const Key key = lines.key(element);
    const std::int64_t at = position(key);
    for (std::int64_t k = size; k > at; --k) keys[k] = keys[k - 1];
    keys[at] = key;
    ++size;
    nans += is_nan(element) ? 1 : 0;
  }

  /// Only the keys between both places move.
  template <class Lines>
  KOKKOS_FUNCTION void replace(const Lines& lines, T leaving, T entering) {
    const Key key = lines.key(entering);
    std::int64_t hole = position(lines.key(leaving));
    const std::int64_t at = position(key);
    for (; hole + 1 < at; ++hole) keys[hole] = keys[hole + 1];
    for (; hole > at; --hole) keys[hole] = keys[hole - 1];
    keys[hole] = key;
    nans += (is_nan(entering) ? 1 : 0) - (is_nan(leaving) ? 1 : 0);
  }
};

/// MedianMethod::sorted: each thread makes a run of outputs.
template <class T>
struct SortedMedian {
  MedianScratch pieces;

  template <TeamMember Member, class Out>
  KOKKOS_FUNCTION void filter_range(const Member& team, std::byte* scratch, const MedianLines<T, Out>& lines,
                                    const T* x, Out* y, std::int64_t first, int count) const {
    const std::int64_t share = ceil_div(count, team.team_size());
    const std::int64_t begin = first + Kokkos::min<std::int64_t>(count, team.team_rank() * share);
    const std::int64_t end = Kokkos::min(first + count, begin + share);
    if (begin == end) return;
    const std::int64_t taps = lines.taps;
    auto* keys = reinterpret_cast<MedianKey<T>*>(scratch + pieces.keys_at) + team.team_rank() * taps;
    SortedWindow<T> window{keys, 0, 0};
    for (std::int64_t k = 0; k < taps; ++k) window.add(lines, lines.element(x, begin - lines.reach_left + k));
    for (std::int64_t i = begin;;) {
      const std::int64_t rank = lines.rank(window.nans);
      const T median = rank < 0 ? median_of_nan<T>() : median_element<T>(keys[rank]);
      y[i * lines.out.stride] = convert<Out>(median);
      if (++i == end) return;
      const std::int64_t leaving = i - lines.reach_left - 1;
      window.replace(lines, lines.element(x, leaving), lines.element(x, leaving + taps));
    }
  }
};

/// MedianMethod::direct: each bit of an output by a count over its window, which is read from memory.
template <class T>
struct DirectMedian {
  using Key = MedianKey<T>;
  MedianScratch pieces;

  template <TeamMember Member, class Out>
  KOKKOS_FUNCTION void filter_range(const Member& team, std::byte*, const MedianLines<T, Out>& lines, const T* x,
                                    Out* y, std::int64_t first, int count) const {
    for (int i = team.team_rank(); i < count; i += team.team_size()) {
      const std::int64_t j = first + i - lines.reach_left;
      y[(first + i) * lines.out.stride] =
          convert<Out>(median(lines, [&](std::int64_t k) { return lines.element(x, j + k); }));
    }
  }

  /// The median of a window; element(k) is its k-th.
  template <class Out, class Element>
  KOKKOS_FUNCTION static T median(const MedianLines<T, Out>& lines, const Element& element) {
    std::int64_t nans = 0;
    for (std::int64_t k = 0; k < lines.taps; ++k) nans += is_nan(element(k)) ? 1 : 0;
    std::int64_t rank = lines.rank(nans);
    if (rank < 0) return median_of_nan<T>();
    Key known = 0;
    for (int bit = median_key_bits<T> - 1; bit >= 0; --bit) {
      std::int64_t zeros = 0;  // keys that agree in the bits known so far, and have none here
      for (std::int64_t k = 0; k < lines.taps; ++k) {
        if (lines.key(element(k)) >> bit == known >> bit) ++zeros;
      }
      if (rank >= zeros) {
        rank -= zeros;
        known |= Key{1} << bit;
      }
    }
    return median_element<T>(known);
  }
};

}  // namespace tessera::detail

#endif

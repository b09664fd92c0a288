// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Medians of windows that no scratch holds.
#ifndef TESSERA_FILTER_DETAIL_MEDIAN_DIRECT_HPP
#define TESSERA_FILTER_DETAIL_MEDIAN_DIRECT_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/filter/detail/filter_median.hpp>
#include <tessera/filter/detail/median_key.hpp>

namespace tessera::detail {

/// MedianMethod::direct: each bit of an output by a count over its window, which is read from memory.
template <class T>
struct DirectMedian {
  using Key = MedianKey<T>;
  static constexpr int scratch_level = 0;
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

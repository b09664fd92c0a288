// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The median of a short window: an operation of the kernel of chunks (see window_extremum.hpp), which gives it the
// elements of whole windows.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_MEDIAN_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_MEDIAN_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/convert.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/window_extremum.hpp>
#include <type_traits>

namespace tessera::detail {

/// The longest window.
inline constexpr int median_chunks_max = 5;

/// Joins compare integers in the order of the elements, NaN first.
template <class T, class Out>
struct WindowMedian {
  using Keys = WindowExtremum<T, true>;
  using in_type = T;
  using out_type = Out;
  using value_type = typename Keys::value_type;
  using staged_type = value_type;
  static constexpr bool is_idempotent = true;
  static constexpr int whole_windows_max = median_chunks_max;
  static constexpr bool has_one_size = false;

  KOKKOS_FUNCTION staged_type staged(T element) const { return Keys{}.staged(element); }
  KOKKOS_FUNCTION value_type value(staged_type key) const { return key; }

  /// The element that floor(Count / 2) others go before, or a NaN.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION Out window(const value_type* x) const {
    static_assert(1 <= Count && Count <= whole_windows_max);
    value_type result = median<Count>(x);
    if constexpr (std::is_floating_point_v<T>) {
      if (may_have_nan<Count>(x)) {
        value_type least = x[0];
        TESSERA_UNROLL
        for (int k = 1; k < Count; ++k) least = Kokkos::min(least, x[k]);
        if (Keys{}.is_nan(least)) result = least;
      }
    }
    return convert<Out>(Keys{}.result(result));
  }

 private:
  /// NaN come first: the upper halves of keys tell nearly all others from them, at a quarter of the cost.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION static bool may_have_nan(const value_type* x) {
    std::int32_t least = upper(x[0]);
    TESSERA_UNROLL
    for (int k = 1; k < Count; ++k) least = Kokkos::min(least, upper(x[k]));
    return least <= upper(Keys{}.last_nan());
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::int32_t upper(value_type key) {
    return static_cast<std::int32_t>(key >> (8 * (sizeof(value_type) - sizeof(std::int32_t))));
  }

  /// One comparison for both.
  struct Ordered {
    value_type less, more;
    KOKKOS_FORCEINLINE_FUNCTION Ordered(value_type a, value_type b) : less(a < b ? a : b), more(a < b ? b : a) {}
  };

  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION static value_type median(const value_type* x) {
    if constexpr (Count == 1) {
      return x[0];
    } else if constexpr (Count == 2) {
      return Kokkos::max(x[0], x[1]);
    } else if constexpr (Count == 3) {
      return median_of(x[0], x[1], x[2]);
    } else {
      // Neither the larger of the larger ones nor the smaller of the smaller ones; of five, pairs of neighbours, which
      // windows share.
      const Ordered first(x[Count - 4], x[Count - 3]), second(x[Count - 2], x[Count - 1]);
      const value_type low = Kokkos::max(first.less, second.less), high = Kokkos::min(first.more, second.more);
      if constexpr (Count == 4) {
        return Kokkos::max(high, low);
      } else {
        return median_of(x[0], low, high);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static value_type median_of(value_type a, value_type b, value_type c) {
    const Ordered of_two(a, b);
    return Kokkos::max(of_two.less, Kokkos::min(of_two.more, c));
  }
};

}  // namespace tessera::detail

#endif

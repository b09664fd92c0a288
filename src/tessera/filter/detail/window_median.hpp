// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The median of a short window: an operation of the kernel of chunks (see window_extremum.hpp), which gives it the
// elements of whole windows.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_MEDIAN_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_MEDIAN_HPP

#include <Kokkos_Core.hpp>
#include <tessera/detail/convert.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/window_extremum.hpp>

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
    value_type least = x[0];
    TESSERA_UNROLL
    for (int k = 1; k < Count; ++k) least = Kokkos::min(least, x[k]);
    return convert<Out>(Keys{}.result(Keys{}.is_nan(least) ? least : median<Count>(x)));
  }

 private:
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION static value_type median(const value_type* x) {
    using Kokkos::max;
    using Kokkos::min;
    if constexpr (Count == 1) {
      return x[0];
    } else if constexpr (Count == 2) {
      return max(x[0], x[1]);
    } else if constexpr (Count == 3) {
      return median_of(x[0], x[1], x[2]);
    } else if constexpr (Count == 4) {
      // Neither the larger of the larger ones nor the smaller of the smaller ones.
      return max(min(max(x[0], x[1]), max(x[2], x[3])), max(min(x[0], x[1]), min(x[2], x[3])));
    } else {
      // Pairs of neighbours, which windows share.
      return median_of(x[0], max(min(x[1], x[2]), min(x[3], x[4])), min(max(x[1], x[2]), max(x[3], x[4])));
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static value_type median_of(value_type a, value_type b, value_type c) {
    return Kokkos::max(Kokkos::min(a, b), Kokkos::min(Kokkos::max(a, b), c));
  }
};

}  // namespace tessera::detail

#endif

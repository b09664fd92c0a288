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

/// Compares integers in the order of the elements, NaN first, but doubles as they are: keys of 64 bits cost more than
/// what numbers do not tell, NaN and the signs of zeros.
template <class T, class Out>
struct WindowMedian {
  using Keys = WindowExtremum<T, true>;
  static constexpr bool compares_numbers = std::is_same_v<T, double>;
  using in_type = T;
  using out_type = Out;
  using value_type = std::conditional_t<compares_numbers, T, typename Keys::value_type>;
  using staged_type = value_type;
  static constexpr bool is_idempotent = true;
  static constexpr int whole_windows_max = median_chunks_max;
  static constexpr bool has_one_size = false;

  KOKKOS_FUNCTION staged_type staged(T element) const {
    if constexpr (compares_numbers) {
      return element;
    } else {
      return Keys{}.staged(element);
    }
  }
  KOKKOS_FUNCTION value_type value(staged_type staged) const { return staged; }

  /// The element that floor(Count / 2) others go before, or a NaN. Without branches: hosts make vectors of it.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION Out window(const value_type* x) const {
    return convert<Out>(element<Count>(x, Middle<Count>(x + 1).median(x[0])));
  }

  /// Of the windows at x and at x + 1, which hold all but one of their elements in common.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void two_windows(const value_type* x, Out& first, Out& second) const {
    const Middle<Count> middle(x + 1);
    const value_type medians[2] = {middle.median(x[0]), middle.median(x[Count])};
    if (may_be_special<Count + 1>(x, medians)) {
      first = convert<Out>(element<Count>(x, medians[0]));
      second = convert<Out>(element<Count>(x + 1, medians[1]));
    } else {
      first = convert<Out>(number(medians[0]));
      second = convert<Out>(number(medians[1]));
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static value_type lesser(value_type a, value_type b) { return a < b ? a : b; }
  KOKKOS_FORCEINLINE_FUNCTION static value_type greater(value_type a, value_type b) { return a < b ? b : a; }

  /// One comparison for both.
  struct Ordered {
    value_type less, more;
    KOKKOS_FORCEINLINE_FUNCTION Ordered(value_type a, value_type b) : less(a < b ? a : b), more(a < b ? b : a) {}
  };

  /// Between which of Count - 1 elements the median of Count lies, whatever the other one is.
  template <int Count>
  struct Middle {
    value_type low{}, high{};

    KOKKOS_FORCEINLINE_FUNCTION explicit Middle(const value_type* x) {
      static_assert(1 <= Count && Count <= whole_windows_max);
      if constexpr (Count == 2) {
        low = x[0];
      } else if constexpr (Count == 3) {
        order(x[0], x[1]);
      } else if constexpr (Count == 4) {
        const Ordered pair(x[0], x[1]);
        low = greater(pair.less, lesser(pair.more, x[2]));
        high = greater(pair.more, x[2]);
      } else if constexpr (Count == 5) {
        const Ordered first(x[0], x[1]), second(x[2], x[3]);
        order(greater(first.less, second.less), lesser(first.more, second.more));
      }
    }
    KOKKOS_FORCEINLINE_FUNCTION value_type median(value_type other) const {
      if constexpr (Count == 1) return other;
      if constexpr (Count == 2) return greater(low, other);
      return greater(low, lesser(high, other));
    }

   private:
    KOKKOS_FORCEINLINE_FUNCTION void order(value_type a, value_type b) {
      const Ordered pair(a, b);
      low = pair.less;
      high = pair.more;
    }
  };

  /// Of a median that is neither a NaN nor, where numbers are compared, zero.
  KOKKOS_FORCEINLINE_FUNCTION static T number(value_type median) {
    if constexpr (compares_numbers) {
      return median;
    } else {
      return Keys{}.number(median);
    }
  }

  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION static bool holds_nan(const value_type* x) {
    if constexpr (compares_numbers) {
      bool found = false;
      TESSERA_UNROLL
      for (int k = 0; k < Count; ++k) found |= x[k] != x[k];
      return found;
    } else if constexpr (std::is_floating_point_v<T>) {
      value_type least = x[0];
      TESSERA_UNROLL
      for (int k = 1; k < Count; ++k) least = lesser(least, x[k]);
      return Keys{}.is_nan(least);
    } else {
      return false;
    }
  }

  /// Of any elements.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION static T element(const value_type* x, value_type median) {
    if constexpr (compares_numbers) {
      // Elements with their sign set come first, zeros too.
      constexpr std::uint64_t sign = std::uint64_t{1} << 63;
      std::uint64_t signs = 0;
      TESSERA_UNROLL
      for (int k = 0; k < Count; ++k) signs += Kokkos::bit_cast<std::uint64_t>(x[k]) >> 63;
      const std::uint64_t magnitude = Kokkos::bit_cast<std::uint64_t>(median) & ~sign;
      const T signed_median = Kokkos::bit_cast<T>(magnitude | (signs > Count / 2 ? sign : 0));
      return holds_nan<Count>(x) ? Kokkos::Experimental::quiet_NaN_v<T> : signed_median;
    } else if constexpr (std::is_floating_point_v<T>) {
      return holds_nan<Count>(x) ? Kokkos::Experimental::quiet_NaN_v<T> : number(median);
    } else {
      return median;
    }
  }

  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION static bool may_be_special(const value_type* x, const value_type (&medians)[2]) {
    const bool has_nan = holds_nan<Count>(x);
    return compares_numbers ? has_nan || medians[0] == 0 || medians[1] == 0 : has_nan;
  }
};

}  // namespace tessera::detail

#endif

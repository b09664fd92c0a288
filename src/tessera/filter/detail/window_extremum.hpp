// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The smallest or largest element of a window: an operation of the window kernels.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_EXTREMUM_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_EXTREMUM_HPP

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstdint>
#include <tessera/detail/float_extrema.hpp>
#include <tessera/detail/host_vector.hpp>
#include <tessera/detail/unroll.hpp>
#include <type_traits>

namespace tessera::detail {

/// The operation for elements that are neither NaN nor -0.0 (nor of doubles the negative ones nearest to it): they are
/// compared as they are.
template <class T, bool IsMin>
struct WindowExtremumOfNumbers {
  using in_type = T;
  using out_type = T;
  using value_type = T;
  using staged_type = T;
  static constexpr bool is_idempotent = true;

  KOKKOS_FUNCTION static bool takes(T value) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    const auto bits = Kokkos::bit_cast<Bits>(value);
    return value == value &&
           static_cast<std::int32_t>(bits >> (8 * (sizeof(T) - 4))) != Kokkos::Experimental::finite_min_v<std::int32_t>;
  }
  /// Whether it takes all values that were seen, which come to joined.
  class Watch {
   public:
    KOKKOS_FORCEINLINE_FUNCTION void see([[maybe_unused]] T value) {
      if constexpr (sizeof(T) == 8) {
        // Extrema of integers are cheaper than comparisons of doubles; infinities are not taken.
        const auto high = static_cast<std::uint32_t>(Kokkos::bit_cast<std::uint64_t>(value) >> 32);
        m_exponent = Kokkos::max(m_exponent, high << 1);
        m_lowest = Kokkos::min(m_lowest, static_cast<std::int32_t>(high));
      } else {
#ifndef TESSERA_ORDERED_FLOAT_EXTREMA
        m_all = m_all && takes(value);
#endif
      }
    }
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool took_all([[maybe_unused]] T joined) const {
      if constexpr (sizeof(T) == 8) {
        return m_exponent < 0xffe00000U && m_lowest != Kokkos::Experimental::finite_min_v<std::int32_t>;
      } else {
#ifdef TESSERA_ORDERED_FLOAT_EXTREMA
        return joined == joined;
#else
        return m_all;
#endif
      }
    }

   private:
    std::uint32_t m_exponent = 0;
    std::int32_t m_lowest = 0;
    bool m_all = true;
  };
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION static bool takes_all(const T (&values)[Count], T joined) {
    Watch watch;
    TESSERA_UNROLL
    for (int s = 0; s < Count; ++s) watch.see(values[s]);
    return watch.took_all(joined);
  }
  KOKKOS_FUNCTION T identity() const {
    return IsMin ? Kokkos::Experimental::infinity_v<T> : -Kokkos::Experimental::infinity_v<T>;
  }
  KOKKOS_FUNCTION T staged(T element) const { return element; }
  KOKKOS_FUNCTION T value(T element) const { return element; }
  KOKKOS_FUNCTION T join(T a, T b) const {
#ifdef TESSERA_ORDERED_FLOAT_EXTREMA
    if constexpr (sizeof(T) == 4) {
      float joined;
      if constexpr (IsMin) {
        asm("min.NaN.f32 %0, %1, %2;" : "=f"(joined) : "f"(a), "f"(b));
      } else {
        asm("max.NaN.f32 %0, %1, %2;" : "=f"(joined) : "f"(a), "f"(b));
      }
      return joined;
    }
#endif
    if constexpr (sizeof(T) == 4) return IsMin ? Kokkos::fmin(a, b) : Kokkos::fmax(a, b);
    return (a < b) == IsMin ? a : b;
  }
  template <int Count, bool IsAll = true>
  KOKKOS_FORCEINLINE_FUNCTION void results(const T* values, T, T* results) const {
    TESSERA_UNROLL
    for (int k = 0; k < Count; ++k) results[k] = values[k];
  }
};

template <class T, bool IsMin>
struct WindowQuickExtremum {};
template <std::floating_point T, bool IsMin>
struct WindowQuickExtremum<T, IsMin> {
  using quick_type = WindowExtremumOfNumbers<T, IsMin>;
};

/// An operation of the window kernels has the types of elements, of what stands for them in scratch, of values and of
/// results, and staged(), value() of either, join(), identity(), result(), and results() of several, given all that
/// their windows hold, joined (of sums anything where IsAll does not say so). If all its windows are short it has
/// instead of the joins the result window() of all elements of one, whole_windows_max, and has_one_size where windows
/// are of no other; or instead of all these, but for the types and whole_windows_max, a thread's outputs by make_run(),
/// run of them. It may have a quick_type: an operation of the same results for the elements that it takes(), whose
/// Watch says whether it took all. Joins here compare integers that are in the order of the elements, NaN first: their
/// order is free.
template <class T, bool IsMin>
struct WindowExtremum : WindowQuickExtremum<T, IsMin> {
  using in_type = T;
  using out_type = T;
  using value_type = std::conditional_t<std::is_floating_point_v<T>,
                                        std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>, T>;
  using staged_type = value_type;
  static constexpr bool is_idempotent = true;
  static constexpr int whole_windows_max = 0;
#ifdef TESSERA_HOST_VECTORS
  using JoinVectors = std::conditional_t<IsMin, LesserOf, GreaterOf>;
#endif

  /// The operation that leaves out NaN has them last instead: values, so that a kernel need not choose.
  static WindowExtremum omitting_nan() {
    WindowExtremum op;
    op.turn = -op.turn;
    op.nan_begin = IsMin ? highest_nan_begin : smallest;
    return op;
  }

  KOKKOS_FUNCTION value_type identity() const { return IsMin ? largest : smallest; }
  KOKKOS_FUNCTION staged_type staged(T element) const {
    if constexpr (std::is_floating_point_v<T>) {
      return rotated(ordered(Kokkos::bit_cast<value_type>(element)), turn);
    } else {
      return element;
    }
  }
  template <class Element>
  KOKKOS_FUNCTION value_type value(Element element) const {
    if constexpr (std::is_same_v<Element, staged_type>) {
      return element;
    } else {
      return staged(element);
    }
  }
  KOKKOS_FUNCTION value_type join(value_type a, value_type b) const {
    return IsMin ? Kokkos::min(a, b) : Kokkos::max(a, b);
  }
  /// Of joined keys: whether a NaN is among them, or nothing else.
  [[nodiscard]] KOKKOS_FUNCTION bool is_nan(value_type key) const {
    return std::is_floating_point_v<T> && Unsigned(key) - Unsigned(nan_begin) < 2 * Unsigned(nans);
  }
  KOKKOS_FUNCTION T result(value_type key) const {
    if constexpr (std::is_floating_point_v<T>) {
      // A choice of integers that are both known: of others, g++ makes a branch, and no vectors.
      const auto bits = Kokkos::bit_cast<value_type>(number(key));
      constexpr T quiet = Kokkos::Experimental::quiet_NaN_v<T>;
      const auto nan = Kokkos::bit_cast<value_type>(quiet);
      return Kokkos::bit_cast<T>(is_nan(key) ? nan : bits);
    } else {
      return key;
    }
  }
  template <int Count, bool IsAll = true>
  KOKKOS_FORCEINLINE_FUNCTION void results(const value_type* keys, value_type all, T* results) const {
    // One test for all of them, as a rule: where NaN come first.
    if ((turn > 0) == IsMin && !is_nan(all)) {
      TESSERA_UNROLL
      for (int k = 0; k < Count; ++k) results[k] = number(keys[k]);
      return;
    }
    TESSERA_UNROLL
    for (int k = 0; k < Count; ++k) results[k] = result(keys[k]);
  }
  /// Of a key that is no NaN.
  [[nodiscard]] KOKKOS_FUNCTION T number(value_type key) const {
    if constexpr (std::is_floating_point_v<T>) {
      return Kokkos::bit_cast<T>(ordered(rotated(key, -turn)));
    } else {
      return key;
    }
  }

 private:
  using Unsigned = std::make_unsigned_t<value_type>;
  static constexpr value_type largest = Kokkos::Experimental::finite_max_v<value_type>;
  static constexpr value_type smallest = Kokkos::Experimental::finite_min_v<value_type>;
  /// NaN have all bits of the exponent, and are this many of either sign. Ordered, they lie at both ends: turned by
  /// their number, all lie at the end that counts, beyond the infinities.
  static constexpr value_type nans = sizeof(T) == 4 ? 0x7fffff : static_cast<value_type>(0xfffffffffffff);
  static constexpr value_type highest_nan_begin = std::is_floating_point_v<T> ? largest - 2 * nans + 1 : 0;

  value_type turn = IsMin ? nans : static_cast<value_type>(-nans);
  value_type nan_begin = IsMin ? smallest : highest_nan_begin;

  /// From bits to integers in the order of the numbers, and back.
  KOKKOS_FUNCTION static value_type ordered(value_type bits) {
    return bits ^ ((bits >> (8 * static_cast<int>(sizeof(value_type)) - 1)) & largest);
  }
  KOKKOS_FUNCTION static value_type rotated(value_type key, value_type by) {
    return static_cast<value_type>(Unsigned(key) + Unsigned(by));
  }
};

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mean of a window: an operation of the window kernels (see window_extremum.hpp).
//
// The quotient is P. Markstein's ("Computation of elementary functions on the IBM RISC System/6000 processor", 1990).
#ifndef TESSERA_FILTER_DETAIL_WINDOW_BOX_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_BOX_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <functional>
#include <tessera/detail/convert.hpp>
#include <tessera/detail/host_vector.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/detail/unroll.hpp>
#include <type_traits>

namespace tessera::detail {

/// Windows up to here: sums of 32-bit integers then fit 64 bits, of 64-bit ones 95.
inline constexpr std::int64_t box_window_max = (std::int64_t{1} << 31) - 1;

/// sum / window, rounded once to nearest even, for |sum| < 2^95 and window < 2^31.
TESSERA_NOINLINE KOKKOS_INLINE_FUNCTION double rounded_quotient(Int128 sum, std::int64_t window) {
  constexpr Int128 exact = Int128{1} << 53;
  if (sum > -exact && sum < exact) return static_cast<double>(sum) / static_cast<double>(window);
  // At least 54 bits of the quotient, the last one set where anything is left: enough for the rounding.
  const Int128 magnitude = (sum < 0 ? -sum : sum) << 32;
  Int128 quotient = magnitude / window;
  bool inexact = quotient * window != magnitude;
  double scale = 0x1p-32;
  while ((quotient >> 63) != 0) {
    inexact = inexact || (quotient & 0xff) != 0;
    quotient >>= 8;
    scale *= 0x1p8;
  }
  const auto digits = static_cast<std::int64_t>(quotient) | (inexact ? 1 : 0);
  const double rounded = static_cast<double>(digits) * scale;
  return sum < 0 ? -rounded : rounded;
}

/// Floating data is summed in double, integers exactly.
template <class T>
struct WindowBox {
  using in_type = T;
  using out_type = std::conditional_t<std::is_floating_point_v<T>, T, double>;
  using value_type = std::conditional_t<std::is_floating_point_v<T>, double,
                                        std::conditional_t<(sizeof(T) < 8), std::int64_t, Int128>>;
  using staged_type = T;
  static constexpr bool is_idempotent = false;
  static constexpr int whole_windows_max = 0;
#ifdef TESSERA_HOST_VECTORS
  using JoinVectors = std::plus<>;
#endif

  std::int64_t window;
  double divisor, inverse;  // window, and 1 / window

  KOKKOS_FUNCTION value_type identity() const { return value_type(0); }
  KOKKOS_FUNCTION staged_type staged(T element) const { return element; }
  template <class Staged>
  KOKKOS_FUNCTION value_type value(Staged element) const {
    return static_cast<value_type>(element);
  }
  KOKKOS_FUNCTION value_type join(value_type a, value_type b) const { return a + b; }
  KOKKOS_FUNCTION out_type result(value_type sum) const {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<out_type>(quotient(sum + 0.0));  // no -0.0, which some orders of summation would lose
    } else {
      return rounded_quotient(sum, window);
    }
  }

  template <int Count, bool IsAll = false>
  KOKKOS_FORCEINLINE_FUNCTION void results(const value_type* sums, [[maybe_unused]] value_type all,
                                           out_type* results) const {
    if constexpr (IsAll && std::is_same_v<T, float>) {
      if (is_finite(all)) {
        TESSERA_UNROLL
        for (int k = 0; k < Count; ++k) results[k] = static_cast<float>(near_quotient(sums[k] + 0.0));
      } else {
        TESSERA_UNROLL
        for (int k = 0; k < Count; ++k) results[k] = result(sums[k]);
      }
    } else if constexpr (std::is_floating_point_v<T>) {
      double quotients[Count];
      bool all_quick = true;
      TESSERA_UNROLL
      for (int k = 0; k < Count; ++k) quotients[k] = quick_quotient(sums[k] + 0.0, all_quick);
      if (!all_quick) {
        TESSERA_UNROLL
        for (int k = 0; k < Count; ++k) quotients[k] = (sums[k] + 0.0) / divisor;
      }
      TESSERA_UNROLL
      for (int k = 0; k < Count; ++k) results[k] = static_cast<out_type>(quotients[k]);
    } else {
      TESSERA_UNROLL
      for (int k = 0; k < Count; ++k) results[k] = result(sums[k]);
    }
  }

  /// The mean of a window of floats by itself, or of those that are not NaN. element(k): its k-th. Summed as A.
  /// Neumaier did ("Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", 1974).
  template <class Element>
  [[nodiscard]] KOKKOS_FUNCTION out_type mean(const Element& element, bool omits_nan) const {
    double sum = 0, rest = 0;
    std::int64_t count = 0;
    for (std::int64_t k = 0; k < window; ++k) {
      const auto x = static_cast<double>(element(k));
      if (omits_nan && x != x) continue;
      ++count;
      const double next = sum + x;
      rest += Kokkos::abs(sum) >= Kokkos::abs(x) ? (sum - next) + x : (x - next) + sum;
      sum = next;
    }
    if (count == 0) return Kokkos::Experimental::quiet_NaN_v<out_type>;
    const double all = sum + rest;
    return static_cast<out_type>((all == all ? all + 0.0 : sum) / static_cast<double>(count));
  }

 private:
  /// The division's own bits. A device divides in a dozen instructions and a branch: a correction of the product with
  /// the inverse gives the same, away from the ends of the exponent's range. The product is within 1.5 units of its
  /// last place, the remainder exact, so that the correction errs by 2^-52 of a unit, and no quotient by an integer
  /// below 2^31 is nearer to where roundings change than 2^-32 of one.
  [[nodiscard]] KOKKOS_FUNCTION double quotient(double sum) const {
    bool is_quick = true;
    const double quick = quick_quotient(sum, is_quick);
    return is_quick ? quick : sum / divisor;
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool is_finite(double value) {
    return (static_cast<std::uint32_t>(Kokkos::bit_cast<std::uint64_t>(value) >> 32) << 1) < 0xffe00000U;
  }
  /// The same where that product is finite and away from those ends.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION double near_quotient(double sum) const {
    KOKKOS_IF_ON_DEVICE(
        (const double first = sum * inverse; return Kokkos::fma(Kokkos::fma(-first, divisor, sum), inverse, first);))
    KOKKOS_IF_ON_HOST((return sum / divisor;))
  }
  /// is_quick becomes false where it is another.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION double quick_quotient(double sum, [[maybe_unused]] bool& is_quick) const {
    KOKKOS_IF_ON_DEVICE((
        const double first = sum * inverse; const double corrected = near_quotient(sum);
        if constexpr (sizeof(T) < sizeof(double)) {
          // Sums of floats are far from those ends, but for infinities.
          return is_finite(first) ? corrected : first;
        } else {
          const std::uint64_t bits = Kokkos::bit_cast<std::uint64_t>(first);
          // The exponent's digits, from 2^-960 to 2^960: cheaper than comparisons of doubles.
          is_quick = is_quick && ((bits >> 52) + 1985) % 2048 < 1920;
          return corrected;
        }))
    KOKKOS_IF_ON_HOST((return sum / divisor;))
  }
};

}  // namespace tessera::detail

#endif

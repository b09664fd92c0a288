// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion of results to the output's type: rounded to nearest even, clamped, never wrapped.
#ifndef TESSERA_DETAIL_CONVERT_HPP
#define TESSERA_DETAIL_CONVERT_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/complex.hpp>
#include <type_traits>

namespace tessera::detail {

/// Exact sums of products of 64-bit integers. The extension is in every compiler that Kokkos' back ends use.
__extension__ using Int128 = __int128;

/// Integers that Wide holds.
template <class T, class Wide>
inline constexpr bool is_held = std::is_integral_v<T> &&
                                (sizeof(T) < sizeof(Wide) || (sizeof(T) == sizeof(Wide) && std::is_signed_v<T>));

/// Compilers for hosts make no vectors of 128 bits' comparisons.
template <class Out, class In>
using both_hold = std::conditional_t<
    is_held<Out, std::int32_t> && is_held<In, std::int32_t>, std::int32_t,
    std::conditional_t<is_held<Out, std::int64_t> && is_held<In, std::int64_t>, std::int64_t, Int128>>;

/// Out and In: int128, or arithmetic, or both complex. NaN becomes integer 0.
template <class Out, class In>
KOKKOS_FUNCTION Out convert(const In& value) {
  if constexpr (std::is_same_v<Out, In> || std::is_floating_point_v<Out>) {
    return static_cast<Out>(value);
  } else if constexpr (is_complex_v<Out>) {
    using Real = typename Out::value_type;
    return {static_cast<Real>(value.real()), static_cast<Real>(value.imag())};
  } else {
    constexpr Out low = Kokkos::Experimental::finite_min_v<Out>;
    constexpr Out high = Kokkos::Experimental::finite_max_v<Out>;
    if constexpr (std::is_floating_point_v<In>) {
      if (value != value) return 0;
      // high + 1 is a power of two, so it is exact in floating point where high is not.
      constexpr In beyond = In(2) * static_cast<In>(high / 2 + 1);
      const In whole = Kokkos::nearbyint(value);
      if (whole >= beyond) return high;
      if (whole < static_cast<In>(low)) return low;
      return static_cast<Out>(whole);
    } else {
      using Wide = both_hold<Out, In>;
      const auto wide = static_cast<Wide>(value);
      if (wide > static_cast<Wide>(high)) return high;
      if (wide < static_cast<Wide>(low)) return low;
      return static_cast<Out>(wide);
    }
  }
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements as unsigned integers of the same order, -0.0 before +0.0.
#ifndef TESSERA_FILTER_DETAIL_MEDIAN_KEY_HPP
#define TESSERA_FILTER_DETAIL_MEDIAN_KEY_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace tessera::detail {

template <class T>
using MedianKey = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
inline constexpr int median_key_bits = 8 * static_cast<int>(sizeof(T));

template <class T>
inline constexpr MedianKey<T> median_key_sign = MedianKey<T>{1} << (median_key_bits<T> - 1);

/// The keys of NaN lie beyond those of the infinities: windows that hold one are found by is_nan().
template <class T>
KOKKOS_FORCEINLINE_FUNCTION MedianKey<T> median_key(T element) {
  using Key = MedianKey<T>;
  const Key bits = Kokkos::bit_cast<Key>(element);
  if constexpr (std::is_floating_point_v<T>) {
    // All bits of negative numbers turn, else the sign alone.
    const auto negative = static_cast<Key>(static_cast<std::make_signed_t<Key>>(bits) >> (median_key_bits<T> - 1));
    return bits ^ (negative | median_key_sign<T>);
  } else {
    return std::is_signed_v<T> ? bits ^ median_key_sign<T> : bits;
  }
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION T median_element(MedianKey<T> key) {
  using Key = MedianKey<T>;
  if constexpr (std::is_floating_point_v<T>) {
    const Key turned = (key & median_key_sign<T>) != 0 ? median_key_sign<T> : ~Key{0};
    return Kokkos::bit_cast<T>(key ^ turned);
  } else {
    return Kokkos::bit_cast<T>(std::is_signed_v<T> ? key ^ median_key_sign<T> : key);
  }
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION bool is_nan(T element) {
  if constexpr (std::is_floating_point_v<T>) {
    return Kokkos::isnan(element);
  } else {
    return false;
  }
}

/// What an output is whose window holds a NaN.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T median_of_nan() {
  if constexpr (std::is_floating_point_v<T>) {
    return Kokkos::Experimental::quiet_NaN_v<T>;
  } else {
    return T(0);
  }
}

}  // namespace tessera::detail

#endif

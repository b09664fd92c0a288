// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which element types are complex.
#ifndef TESSERA_DETAIL_COMPLEX_HPP
#define TESSERA_DETAIL_COMPLEX_HPP

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace tessera::detail {

template <class T>
inline constexpr bool is_complex_v = false;
template <class Real>
inline constexpr bool is_complex_v<Kokkos::complex<Real>> = true;

namespace complex_parts {
template <class T>
struct Part {
  using real = T;
  using wide = double;
};
template <class T>
struct Part<Kokkos::complex<T>> {
  using real = T;
  using wide = Kokkos::complex<double>;
};
}  // namespace complex_parts

/// T's part, or T; and double, or complex of it.
template <class T>
using real_part_t = typename complex_parts::Part<T>::real;
template <class T>
using as_double_t = typename complex_parts::Part<T>::wide;

/// Floating, or complex.
template <class T>
inline constexpr bool rounds_v = std::is_floating_point_v<real_part_t<T>>;

}  // namespace tessera::detail

#endif

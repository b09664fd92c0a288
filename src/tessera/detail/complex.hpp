// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which element types are complex.
#ifndef TESSERA_DETAIL_COMPLEX_HPP
#define TESSERA_DETAIL_COMPLEX_HPP

#include <Kokkos_Core.hpp>

namespace tessera::detail {

template <class T>
inline constexpr bool is_complex_v = false;
template <class Real>
inline constexpr bool is_complex_v<Kokkos::complex<Real>> = true;

}  // namespace tessera::detail

#endif

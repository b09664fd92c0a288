// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a transpose may do to each element on the way. A user's own is any function of an element that kernels can call.
#ifndef TESSERA_TRANSPOSE_ELEMENT_FUNCTIONS_HPP
#define TESSERA_TRANSPOSE_ELEMENT_FUNCTIONS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/complex.hpp>
#include <tessera/detail/convert.hpp>
#include <type_traits>

namespace tessera {

/// Conversion to Out: floats round to nearest even, to integers too, which clamp and take NaN as 0.
template <class Out>
struct Convert {
  template <class In>
  KOKKOS_FUNCTION Out operator()(const In& value) const {
    return detail::convert<Out>(value);
  }
};

/// The complex conjugate: flips the sign bit of the imaginary part, of a NaN too. Real elements stay as they are.
struct Conjugate {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& value) const {
    if constexpr (detail::is_complex_v<T>) {
      using Real = typename T::value_type;
      using Bits = std::conditional_t<sizeof(Real) == 8, std::uint64_t, std::uint32_t>;
      constexpr Bits sign = Bits{1} << (8 * sizeof(Real) - 1);
      return {value.real(), Kokkos::bit_cast<Real>(Kokkos::bit_cast<Bits>(value.imag()) ^ sign)};
    } else {
      return value;
    }
  }
};

/// alpha x.
template <class T>
struct Scale {
  T alpha;
  KOKKOS_FUNCTION T operator()(const T& value) const { return alpha * value; }
};

/// alpha conj(x).
template <class T>
struct ScaleConjugate {
  T alpha;
  KOKKOS_FUNCTION T operator()(const T& value) const { return alpha * Conjugate{}(value); }
};

}  // namespace tessera

#endif

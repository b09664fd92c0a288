// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A term of a weighted sum.
#ifndef TESSERA_DETAIL_WEIGHTED_HPP
#define TESSERA_DETAIL_WEIGHTED_HPP

#include <Kokkos_Core.hpp>
#include <tessera/detail/complex.hpp>

namespace tessera::detail {

/// weight * element in Accumulator. A real weight scales the parts of a complex element: a product of complex numbers
/// would cost twice as much, and make NaN of an infinite part.
template <class Accumulator, class Weight, class Element>
KOKKOS_FORCEINLINE_FUNCTION Accumulator weighted(const Weight& weight, const Element& element) {
  if constexpr (is_complex_v<Accumulator> && !is_complex_v<Weight>) {
    const auto scale = static_cast<typename Accumulator::value_type>(weight);
    const auto value = static_cast<Accumulator>(element);
    return {scale * value.real(), scale * value.imag()};
  } else {
    return static_cast<Accumulator>(weight) * static_cast<Accumulator>(element);
  }
}

}  // namespace tessera::detail

#endif

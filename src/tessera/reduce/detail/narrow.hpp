// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding of double to the floating types of 16 bits. Integer arithmetic only: conversions that devices and headers
// bring go by way of float, or give NaN other bits.
#ifndef TESSERA_REDUCE_DETAIL_NARROW_HPP
#define TESSERA_REDUCE_DETAIL_NARROW_HPP

#include <Kokkos_Core.hpp>
#include <tessera/detail/float_format.hpp>
#include <tessera/reduce/detail/exact_rounding.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>

namespace tessera::detail {

/// To nearest, ties to even, subnormals included; zeros and infinities keep their sign, NaN is the quiet one.
template <class Format>
KOKKOS_FUNCTION typename Format::bits_type narrowed_bits(double value) {
  using Bits = typename Format::bits_type;
  const FloatParts<double> parts(value);
  if (parts.is_nan()) return Format::quiet_nan;
  if (parts.magnitude() == 0) return static_cast<Bits>(parts.bits >> (64 - 8 * sizeof(Bits)));
  WideValue wide;  // an infinity reads as 2^1024
  wide.head = static_cast<UInt128>(parts.mantissa());
  wide.exponent = parts.position() - 1074;
  wide.negative = parts.negative();
  return rounded<Bits, Format>(normalised(wide));
}

/// A floating value as Result, rounded once.
template <class Result, class Value>
KOKKOS_INLINE_FUNCTION Result narrowed(Value value) {
  if constexpr (is_short_float_v<Result>) {
    return Kokkos::bit_cast<Result>(narrowed_bits<FloatFormat<Result>>(static_cast<double>(value)));
  } else {
    return static_cast<Result>(value);
  }
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exact_reference.hpp"

namespace tessera::reference {

void ExactSums::add(bool negative, std::uint64_t mantissa, std::int64_t exponent) {
  m_sum.add(negative, mantissa, exponent);
  m_magnitude.add(false, mantissa, exponent);
  const std::uint64_t low = mantissa & 0xffffffff, high = mantissa >> 32;
  m_squares.add(false, low * low, 2 * exponent);
  m_squares.add(false, low * high, 2 * exponent + 33);
  m_squares.add(false, high * high, 2 * exponent + 64);
}

void ExactSums::add(double value) {
  if (std::isnan(value)) {
    m_nan = true;
  } else if (std::isinf(value)) {
    (value > 0 ? m_above : m_below) = true;
  } else {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto field = static_cast<std::int64_t>(bits >> 52 & 0x7ff);
    const std::uint64_t fraction = bits & 0xfffffffffffff;
    const std::uint64_t leading = field == 0 ? 0 : std::uint64_t{1} << 52;
    add(std::signbit(value), fraction | leading, (field == 0 ? 1 : field) - 1075);
  }
}

}  // namespace tessera::reference

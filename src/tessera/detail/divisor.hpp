// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Division by numbers that a launch knows, as multiplication.
#ifndef TESSERA_DETAIL_DIVISOR_HPP
#define TESSERA_DETAIL_DIVISOR_HPP

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>

namespace tessera::detail {

/// Quotients of numbers below 2^16 by one such number.
class SmallDivisor {
 public:
  explicit SmallDivisor(int divisor)
      : m_divisor(divisor), m_factor(static_cast<std::uint32_t>((std::uint64_t{1} << 32) / divisor + 1)) {}
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int value() const { return m_divisor; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int quotient(int number) const {
    if (m_divisor == 1) return number;
    return static_cast<int>(static_cast<std::uint64_t>(static_cast<std::uint32_t>(number)) * m_factor >> 32);
  }

 private:
  int m_divisor;
  std::uint32_t m_factor;
};

/// The same of any numbers, by division.
class WholeDivisor {
 public:
  explicit WholeDivisor(int divisor) : m_divisor(divisor) {}
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int value() const { return m_divisor; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int quotient(int number) const { return number / m_divisor; }

 private:
  int m_divisor;
};

/// Quotients of numbers below 2^31.
class Divisor {
 public:
  Divisor() = default;  // 1
  explicit Divisor(std::uint32_t value)
      : m_value(value),
        m_shift(std::bit_width(value - 1)),
        m_factor(static_cast<std::uint32_t>((((std::uint64_t{1} << m_shift) - value) << 32) / value + 1)) {}

  [[nodiscard]] KOKKOS_FUNCTION std::uint32_t value() const { return m_value; }
  [[nodiscard]] KOKKOS_FUNCTION std::uint32_t quotient(std::uint32_t dividend) const {
    return (static_cast<std::uint32_t>((std::uint64_t{m_factor} * dividend) >> 32) + dividend) >> m_shift;
  }

 private:
  std::uint32_t m_value = 1;
  int m_shift = 0;
  std::uint32_t m_factor = 1;
};

}  // namespace tessera::detail

#endif

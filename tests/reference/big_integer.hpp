// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers of any size by schoolbook arithmetic, and the one rounding of a quotient of them or of its root: what the
// library's exact sums are compared with. Shares no code with them. Hand-checked in
// unit/reference/test_reduce_reference.cpp.
#ifndef TESSERA_TESTS_REFERENCE_BIG_INTEGER_HPP
#define TESSERA_TESTS_REFERENCE_BIG_INTEGER_HPP

#include <cstdint>
#include <vector>

namespace tessera::reference {

/// A whole number >= 0: limbs of 32 bits, lowest first, the last one not 0.
class Natural {
 public:
  Natural() = default;
  explicit Natural(std::uint64_t value) { add_shifted(value, 0); }

  [[nodiscard]] bool is_zero() const { return m_limbs.empty(); }
  [[nodiscard]] std::int64_t bit_length() const;
  [[nodiscard]] bool bit(std::int64_t at) const;

  /// Adds value * 2^shift.
  void add_shifted(std::uint64_t value, std::int64_t shift);

  /// -1, 0, 1 as this is less than, equal to or greater than other.
  [[nodiscard]] int compare(const Natural& other) const;

  [[nodiscard]] Natural plus(const Natural& other) const;
  /// other must not be greater.
  [[nodiscard]] Natural minus(const Natural& other) const;
  [[nodiscard]] Natural times(const Natural& other) const;
  [[nodiscard]] Natural shifted_up(std::int64_t bits) const;

  /// The bits above; `lost` becomes true where one below was set.
  [[nodiscard]] Natural shifted_down(std::int64_t bits, bool& lost) const;

  void set_bit(std::int64_t at) { add_shifted(1, at); }
  void twice_plus(bool lowest);

  /// 64 bits and fewer.
  [[nodiscard]] std::uint64_t value() const;

 private:
  void trim();

  std::vector<std::uint32_t> m_limbs;
};

struct Quotient {
  Natural whole;
  bool rest = false;
};

/// By subtracting bit for bit.
Quotient quotient(const Natural& numerator, const Natural& denominator);

/// floor(sqrt(value)), by trying bit for bit.
Natural whole_root(const Natural& value);

/// numerator / denominator * 2^exponent, to nearest, ties to even. Result: float or double.
template <class Result>
Result rounded_quotient(const Natural& numerator, const Natural& denominator, std::int64_t exponent);

/// sqrt(numerator / denominator * 2^exponent), likewise.
template <class Result>
Result rounded_root(const Natural& numerator, const Natural& denominator, std::int64_t exponent);

/// A sum of terms mantissa * 2^exponent of both signs, exponent >= lowest.
class ExactTotal {
 public:
  explicit ExactTotal(std::int64_t lowest) : m_lowest(lowest) {}

  void add(bool negative, std::uint64_t mantissa, std::int64_t exponent) {
    (negative ? m_below : m_above).add_shifted(mantissa, exponent - m_lowest);
  }

  [[nodiscard]] bool negative() const { return m_above.compare(m_below) < 0; }
  [[nodiscard]] Natural magnitude() const { return negative() ? m_below.minus(m_above) : m_above.minus(m_below); }
  [[nodiscard]] std::int64_t lowest() const { return m_lowest; }

 private:
  std::int64_t m_lowest;
  Natural m_above, m_below;
};

}  // namespace tessera::reference

#endif

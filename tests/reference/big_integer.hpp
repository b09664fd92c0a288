// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers of any size by schoolbook arithmetic, and the one rounding of a quotient of them or of its root: what the
// library's exact sums are compared with. Shares no code with them. Hand-checked in
// unit/reference/test_reduce_reference.cpp.
#ifndef TESSERA_TESTS_REFERENCE_BIG_INTEGER_HPP
#define TESSERA_TESTS_REFERENCE_BIG_INTEGER_HPP

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tessera::reference {

/// A whole number >= 0: limbs of 32 bits, lowest first, the last one not 0.
class Natural {
 public:
  Natural() = default;
  explicit Natural(std::uint64_t value) { add_shifted(value, 0); }

  [[nodiscard]] bool is_zero() const { return m_limbs.empty(); }
  [[nodiscard]] std::int64_t bit_length() const {
    return m_limbs.empty() ? 0 : 32 * static_cast<std::int64_t>(m_limbs.size()) - std::countl_zero(m_limbs.back());
  }
  [[nodiscard]] bool bit(std::int64_t at) const {
    const auto limb = static_cast<std::size_t>(at / 32);
    return limb < m_limbs.size() && (m_limbs[limb] >> (at % 32) & 1) != 0;
  }

  /// Adds value * 2^shift.
  void add_shifted(std::uint64_t value, std::int64_t shift) {
    const int inner = static_cast<int>(shift % 32);
    const std::uint64_t low = (value & 0xffffffff) << inner, high = (value >> 32) << inner;
    const std::uint64_t pieces[3] = {low & 0xffffffff, (low >> 32) + (high & 0xffffffff), high >> 32};
    auto at = static_cast<std::size_t>(shift / 32);
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < 3 || carry != 0; ++i, ++at) {
      if (at >= m_limbs.size()) m_limbs.resize(at + 1, 0);
      carry += m_limbs[at] + (i < 3 ? pieces[i] : 0);
      m_limbs[at] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    trim();
  }

  /// -1, 0, 1 as this is less than, equal to or greater than other.
  [[nodiscard]] int compare(const Natural& other) const {
    if (m_limbs.size() != other.m_limbs.size()) return m_limbs.size() < other.m_limbs.size() ? -1 : 1;
    for (std::size_t i = m_limbs.size(); i-- > 0;) {
      if (m_limbs[i] != other.m_limbs[i]) return m_limbs[i] < other.m_limbs[i] ? -1 : 1;
    }
    return 0;
  }

  [[nodiscard]] Natural plus(const Natural& other) const {
    Natural result = *this;
    for (std::size_t i = 0; i < other.m_limbs.size(); ++i) {
      result.add_shifted(other.m_limbs[i], 32 * static_cast<std::int64_t>(i));
    }
    return result;
  }
  /// other must not be greater.
  [[nodiscard]] Natural minus(const Natural& other) const {
    Natural result = *this;
    std::int64_t borrow = 0;
    for (std::size_t i = 0; i < m_limbs.size(); ++i) {
      std::int64_t limb = std::int64_t{m_limbs[i]} - borrow;
      if (i < other.m_limbs.size()) limb -= other.m_limbs[i];
      borrow = limb < 0 ? 1 : 0;
      result.m_limbs[i] = static_cast<std::uint32_t>(limb + (borrow << 32));
    }
    result.trim();
    return result;
  }
  [[nodiscard]] Natural times(const Natural& other) const {
    Natural result;
    for (std::size_t i = 0; i < m_limbs.size(); ++i) {
      for (std::size_t j = 0; j < other.m_limbs.size(); ++j) {
        result.add_shifted(std::uint64_t{m_limbs[i]} * other.m_limbs[j], 32 * static_cast<std::int64_t>(i + j));
      }
    }
    return result;
  }
  [[nodiscard]] Natural shifted_up(std::int64_t bits) const {
    Natural result;
    for (std::size_t i = 0; i < m_limbs.size(); ++i) {
      result.add_shifted(m_limbs[i], 32 * static_cast<std::int64_t>(i) + bits);
    }
    return result;
  }

  /// The bits above; `lost` becomes true where one below was set.
  [[nodiscard]] Natural shifted_down(std::int64_t bits, bool& lost) const {
    Natural result;
    for (std::int64_t at = 0; at < std::min(bits, bit_length()); ++at) lost = lost || bit(at);
    for (std::int64_t at = bits; at < bit_length(); ++at) {
      if (bit(at)) result.set_bit(at - bits);
    }
    return result;
  }

  void set_bit(std::int64_t at) { add_shifted(1, at); }
  void twice_plus(bool lowest) {
    std::uint32_t carry = lowest ? 1 : 0;
    for (std::uint32_t& limb : m_limbs) {
      const std::uint32_t out = limb >> 31;
      limb = limb << 1 | carry;
      carry = out;
    }
    if (carry != 0) m_limbs.push_back(carry);
  }

  /// 64 bits and fewer.
  [[nodiscard]] std::uint64_t value() const {
    std::uint64_t result = 0;
    for (std::size_t i = std::min<std::size_t>(2, m_limbs.size()); i-- > 0;) result = result << 32 | m_limbs[i];
    return result;
  }

 private:
  void trim() {
    while (!m_limbs.empty() && m_limbs.back() == 0) m_limbs.pop_back();
  }

  std::vector<std::uint32_t> m_limbs;
};

struct Quotient {
  Natural whole;
  bool rest = false;
};

/// By subtracting bit for bit.
inline Quotient quotient(const Natural& numerator, const Natural& denominator) {
  Quotient result;
  Natural rest;
  for (std::int64_t at = numerator.bit_length(); at-- > 0;) {
    rest.twice_plus(numerator.bit(at));
    if (rest.compare(denominator) < 0) continue;
    rest = rest.minus(denominator);
    result.whole.set_bit(at);
  }
  result.rest = !rest.is_zero();
  return result;
}

/// floor(sqrt(value)), by trying bit for bit.
inline Natural whole_root(const Natural& value) {
  Natural root;
  for (std::int64_t at = (value.bit_length() + 1) / 2; at-- > 0;) {
    Natural tried = root;
    tried.set_bit(at);
    if (tried.times(tried).compare(value) <= 0) root = tried;
  }
  return root;
}

/// (value + something in (0, 1) where rest) * 2^exponent to nearest, ties to even. value: 0, or of more bits than
/// Result has and one.
template <class Result>
Result nearest(const Natural& value, bool rest, std::int64_t exponent) {
  using Limits = std::numeric_limits<Result>;
  if (value.is_zero()) return 0;
  const std::int64_t top = value.bit_length() + exponent;  // the value is in [2^(top-1), 2^top)
  // The place of the last bit that is kept.
  const std::int64_t last = std::max<std::int64_t>(top - Limits::digits, Limits::min_exponent - Limits::digits);
  const std::int64_t dropped = last - exponent;
  std::uint64_t kept = 0;
  for (std::int64_t at = value.bit_length(); at-- > std::max<std::int64_t>(0, dropped);) {
    kept = kept << 1 | (value.bit(at) ? 1 : 0);
  }
  if (dropped <= 0) return std::ldexp(static_cast<Result>(kept), static_cast<int>(exponent));  // no bit to drop
  bool sticky = rest;
  for (std::int64_t at = 0; at < dropped - 1; ++at) sticky = sticky || value.bit(at);
  if (value.bit(dropped - 1) && (sticky || (kept & 1) != 0)) ++kept;
  if (top > Limits::max_exponent + 1) return Limits::infinity();
  return std::ldexp(static_cast<Result>(kept), static_cast<int>(last));  // exact, or overflows to infinity
}

/// numerator / denominator * 2^exponent as a whole number of some `bits` bits times 2^exponent, with an even exponent.
struct ScaledQuotient {
  Natural whole;
  bool rest = false;
  std::int64_t exponent = 0;

  ScaledQuotient(const Natural& numerator, const Natural& denominator, std::int64_t bits, std::int64_t exponent_of) {
    std::int64_t up = denominator.bit_length() - numerator.bit_length() + bits;
    if ((exponent_of - up) % 2 != 0) ++up;
    const Natural scaled = up >= 0 ? numerator.shifted_up(up) : numerator.shifted_down(-up, rest);
    const Quotient q = quotient(scaled, denominator);
    whole = q.whole;
    rest = rest || q.rest;
    exponent = exponent_of - up;
  }
};

/// numerator / denominator * 2^exponent.
template <class Result>
Result rounded_quotient(const Natural& numerator, const Natural& denominator, std::int64_t exponent) {
  const ScaledQuotient q(numerator, denominator, 80, exponent);
  return nearest<Result>(q.whole, q.rest, q.exponent);
}

/// sqrt(numerator / denominator * 2^exponent).
template <class Result>
Result rounded_root(const Natural& numerator, const Natural& denominator, std::int64_t exponent) {
  const ScaledQuotient q(numerator, denominator, 160, exponent);
  const Natural root = whole_root(q.whole);
  return nearest<Result>(root, q.rest || root.times(root).compare(q.whole) != 0, q.exponent / 2);
}

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

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "big_integer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

namespace tessera::reference {

std::int64_t Natural::bit_length() const {
  return m_limbs.empty() ? 0 : 32 * static_cast<std::int64_t>(m_limbs.size()) - std::countl_zero(m_limbs.back());
}

bool Natural::bit(std::int64_t at) const {
  const auto limb = static_cast<std::size_t>(at / 32);
  return limb < m_limbs.size() && (m_limbs[limb] >> (at % 32) & 1) != 0;
}

void Natural::add_shifted(std::uint64_t value, std::int64_t shift) {
  const int inner = static_cast<int>(shift % 32);
  const std::uint64_t low = (value & 0xffffffff) << inner, high = (value >> 32) << inner;
  const std::uint64_t pieces[3] = {low & 0xffffffff, (low >> 32) + (high & 0xffffffff), high >> 32};
  std::size_t count = 3;
  while (count > 0 && pieces[count - 1] == 0) --count;
  auto at = static_cast<std::size_t>(shift / 32);
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < count || carry != 0; ++i, ++at) {
    if (at >= m_limbs.size()) m_limbs.resize(at + 1, 0);
    carry += m_limbs[at] + (i < count ? pieces[i] : 0);
    m_limbs[at] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
}

int Natural::compare(const Natural& other) const {
  if (m_limbs.size() != other.m_limbs.size()) return m_limbs.size() < other.m_limbs.size() ? -1 : 1;
  for (std::size_t i = m_limbs.size(); i-- > 0;) {
    if (m_limbs[i] != other.m_limbs[i]) return m_limbs[i] < other.m_limbs[i] ? -1 : 1;
  }
  return 0;
}

Natural Natural::plus(const Natural& other) const {
  Natural result = *this;
  for (std::size_t i = 0; i < other.m_limbs.size(); ++i) {
    result.add_shifted(other.m_limbs[i], 32 * static_cast<std::int64_t>(i));
  }
  return result;
}

Natural Natural::minus(const Natural& other) const {
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

Natural Natural::times(const Natural& other) const {
  Natural result;
  for (std::size_t i = 0; i < m_limbs.size(); ++i) {
    for (std::size_t j = 0; j < other.m_limbs.size(); ++j) {
      result.add_shifted(std::uint64_t{m_limbs[i]} * other.m_limbs[j], 32 * static_cast<std::int64_t>(i + j));
    }
  }
  return result;
}

Natural Natural::shifted_up(std::int64_t bits) const {
  Natural result;
  for (std::size_t i = 0; i < m_limbs.size(); ++i) {
    result.add_shifted(m_limbs[i], 32 * static_cast<std::int64_t>(i) + bits);
  }
  return result;
}

Natural Natural::shifted_down(std::int64_t bits, bool& lost) const {
  Natural result;
  for (std::int64_t at = 0; at < std::min(bits, bit_length()); ++at) lost = lost || bit(at);
  for (std::int64_t at = bits; at < bit_length(); ++at) {
    if (bit(at)) result.set_bit(at - bits);
  }
  return result;
}

void Natural::twice_plus(bool lowest) {
  std::uint32_t carry = lowest ? 1 : 0;
  for (std::uint32_t& limb : m_limbs) {
    const std::uint32_t out = limb >> 31;
    limb = limb << 1 | carry;
    carry = out;
  }
  if (carry != 0) m_limbs.push_back(carry);
}

std::uint64_t Natural::value() const {
  std::uint64_t result = 0;
  for (std::size_t i = std::min<std::size_t>(2, m_limbs.size()); i-- > 0;) result = result << 32 | m_limbs[i];
  return result;
}

void Natural::trim() {
  while (!m_limbs.empty() && m_limbs.back() == 0) m_limbs.pop_back();
}

Quotient quotient(const Natural& numerator, const Natural& denominator) {
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

Natural whole_root(const Natural& value) {
  Natural root;
  for (std::int64_t at = (value.bit_length() + 1) / 2; at-- > 0;) {
    Natural tried = root;
    tried.set_bit(at);
    if (tried.times(tried).compare(value) <= 0) root = tried;
  }
  return root;
}

namespace {

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

}  // namespace

template <class Result>
Result rounded_quotient(const Natural& numerator, const Natural& denominator, std::int64_t exponent) {
  const ScaledQuotient q(numerator, denominator, 80, exponent);
  return nearest<Result>(q.whole, q.rest, q.exponent);
}

template <class Result>
Result rounded_root(const Natural& numerator, const Natural& denominator, std::int64_t exponent) {
  const ScaledQuotient q(numerator, denominator, 160, exponent);
  const Natural root = whole_root(q.whole);
  return nearest<Result>(root, q.rest || root.times(root).compare(q.whole) != 0, q.exponent / 2);
}

template float rounded_quotient<float>(const Natural&, const Natural&, std::int64_t);
template double rounded_quotient<double>(const Natural&, const Natural&, std::int64_t);
template float rounded_root<float>(const Natural&, const Natural&, std::int64_t);
template double rounded_root<double>(const Natural&, const Natural&, std::int64_t);

}  // namespace tessera::reference

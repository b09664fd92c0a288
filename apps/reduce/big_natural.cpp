// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "big_natural.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace tessera::apps {
namespace {

std::int64_t floor_div(std::int64_t value, std::int64_t divisor) {
  return value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor);
}

}  // namespace

BigNatural::BigNatural(Uint128 value, std::int64_t exponent) : m_offset(floor_div(exponent, 32)) {
  const auto shift = static_cast<unsigned>(exponent - 32 * m_offset);
  std::uint64_t carry = 0;
  for (; value != 0; value >>= 32) {
    const std::uint64_t part = static_cast<std::uint64_t>(static_cast<std::uint32_t>(value)) << shift | carry;
    m_limbs.push_back(static_cast<std::uint32_t>(part));
    carry = part >> 32;
  }
  m_limbs.push_back(static_cast<std::uint32_t>(carry));
  trim();
}

BigNatural::BigNatural(std::vector<std::uint32_t> limbs, std::int64_t offset)
    : m_limbs(std::move(limbs)), m_offset(offset) {
  trim();
}

void BigNatural::trim() {
  while (!m_limbs.empty() && m_limbs.back() == 0) m_limbs.pop_back();
  const auto first = std::find_if(m_limbs.begin(), m_limbs.end(), [](std::uint32_t limb) { return limb != 0; });
  m_offset += first - m_limbs.begin();
  m_limbs.erase(m_limbs.begin(), first);
}

BigNatural BigNatural::times(const BigNatural& other) const {
  std::vector<std::uint32_t> product(m_limbs.size() + other.m_limbs.size(), 0);
  for (std::size_t i = 0; i < m_limbs.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < other.m_limbs.size(); ++j) {
      const std::uint64_t sum = std::uint64_t{m_limbs[i]} * other.m_limbs[j] + product[i + j] + carry;
      product[i + j] = static_cast<std::uint32_t>(sum);
      carry = sum >> 32;
    }
    product[i + other.m_limbs.size()] = static_cast<std::uint32_t>(carry);
  }
  return {std::move(product), m_offset + other.m_offset};
}

BigNatural BigNatural::minus(const BigNatural& other) const {
  if (other.is_zero()) return *this;
  const std::int64_t first = std::min(m_offset, other.m_offset);
  std::vector<std::uint32_t> difference;
  std::int64_t borrow = 0;
  for (std::int64_t position = first; position < end(); ++position) {
    std::int64_t digit = std::int64_t{limb(position)} - other.limb(position) - borrow;
    borrow = digit < 0 ? 1 : 0;
    difference.push_back(static_cast<std::uint32_t>(digit + (borrow << 32)));
  }
  return {std::move(difference), first};
}

int BigNatural::compare(const BigNatural& other) const {
  if (is_zero() || other.is_zero()) return is_zero() == other.is_zero() ? 0 : is_zero() ? -1 : 1;
  if (end() != other.end()) return end() < other.end() ? -1 : 1;
  for (std::int64_t position = end() - 1; position >= std::min(m_offset, other.m_offset); --position) {
    const std::uint32_t left = limb(position), right = other.limb(position);
    if (left != right) return left < right ? -1 : 1;
  }
  return 0;
}

bool BigNatural::to_uint64(std::uint64_t& value) const {
  value = 0;
  if (is_zero()) return true;
  if (m_offset < 0 || end() > 2) return false;
  value = std::uint64_t{limb(1)} << 32 | limb(0);
  return true;
}

void BigNatural::leading(std::uint64_t& mantissa, std::int64_t& exponent) const {
  const std::int64_t top = end() - 1;
  const int length = std::bit_width(m_limbs.back());
  const Uint128 bits = (Uint128{limb(top)} << 64) | (Uint128{limb(top - 1)} << 32) | limb(top - 2);
  mantissa = static_cast<std::uint64_t>(bits >> length);
  exponent = 32 * (top - 2) + length;
}

long double BigNatural::approximate() const {
  if (is_zero()) return 0;
  std::uint64_t mantissa = 0;
  std::int64_t exponent = 0;
  leading(mantissa, exponent);
  return std::ldexp(static_cast<long double>(mantissa),
                    static_cast<int>(std::clamp<std::int64_t>(exponent, -40000, 40000)));
}

}  // namespace tessera::apps

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_REDUCE_BIG_SUM_HPP
#define TESSERA_APPS_REDUCE_BIG_SUM_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "big_natural.hpp"

namespace tessera::apps {

/// An exact sum of terms magnitude * 2^exponent with exponents in a range that is given once.
class BigSum {
 public:
  BigSum() = default;
  BigSum(std::int64_t lowest_exponent, std::int64_t highest_exponent)
      : m_offset((lowest_exponent - 31) / 32),
        m_limbs(static_cast<std::size_t>(highest_exponent / 32 - m_offset + 8), 0),
        m_first(m_limbs.size()) {}

  /// Cheap where few limbs were in use.
  void clear() {
    if (m_first < m_limbs.size()) std::fill(&m_limbs[m_first], &m_limbs[m_last] + 1, 0);
    m_first = m_limbs.size();
    m_last = 0;
    m_pending = 0;
  }

  void add(std::uint64_t magnitude, std::int64_t exponent, bool negative) {
    if (magnitude == 0) return;
    const auto position = static_cast<std::uint64_t>(exponent - 32 * m_offset);
    const auto i = static_cast<std::size_t>(position / 32);
    const Uint128 wide = Uint128{magnitude} << (position % 32);
    const std::int64_t sign = negative ? -1 : 1;
    m_limbs[i] += sign * static_cast<std::uint32_t>(wide);
    m_limbs[i + 1] += sign * static_cast<std::uint32_t>(wide >> 32);
    m_limbs[i + 2] += sign * static_cast<std::int64_t>(wide >> 64);
    m_first = std::min(m_first, i);
    m_last = std::max(m_last, i + 3);  // one more, which takes the carries and the sign
    if (++m_pending == std::uint32_t{1} << 29) carry(m_limbs.data() + m_first, m_limbs.data() + m_last);
  }
  void add(Uint128 magnitude, std::int64_t exponent, bool negative) {
    add(static_cast<std::uint64_t>(magnitude), exponent, negative);
    if (const auto high = static_cast<std::uint64_t>(magnitude >> 64); high != 0) add(high, exponent + 64, negative);
  }

  struct Value {
    BigNatural magnitude;
    bool negative = false;
  };
  [[nodiscard]] Value value() const {
    if (m_first == m_limbs.size()) return {};
    std::array<std::int64_t, most_limbs> digits;
    std::int64_t* const last = std::copy(&m_limbs[m_first], &m_limbs[m_last] + 1, digits.begin()) - 1;
    Value result;
    propagate(digits.data(), last);
    result.negative = *last < 0;
    if (result.negative) {
      for (auto* digit = digits.data(); digit <= last; ++digit) *digit = -*digit;
      propagate(digits.data(), last);
    }
    result.magnitude =
        BigNatural(std::vector<std::uint32_t>(digits.data(), last + 1), m_offset + static_cast<std::int64_t>(m_first));
    return result;
  }

 private:
  static constexpr std::size_t most_limbs = 160;  // squares of doubles take 144

  // Every limb but the last becomes a digit of 32 bits.
  static void propagate(std::int64_t* first, std::int64_t* last) {
    for (; first != last; ++first) {
      const std::int64_t carried = *first >> 32;
      *first -= carried << 32;
      first[1] += carried;
    }
  }
  void carry(std::int64_t* first, std::int64_t* last) {
    propagate(first, last);
    m_pending = 0;
  }

  std::int64_t m_offset = 0;  // the first limb is worth 2^(32 m_offset)
  std::vector<std::int64_t> m_limbs;
  std::size_t m_first = 0, m_last = 0;  // limbs in use; none where m_first is the size
  std::uint32_t m_pending = 0;          // additions since the limbs were digits: 2^30 of 32 bits fit 63 bits
};

}  // namespace tessera::apps

#endif

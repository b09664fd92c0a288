// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers of any length for the verification of exact reductions: plain schoolbook arithmetic, apart from the library.
#ifndef TESSERA_APPS_REDUCE_BIG_NATURAL_HPP
#define TESSERA_APPS_REDUCE_BIG_NATURAL_HPP

#include <cstdint>
#include <vector>

namespace tessera::apps {

__extension__ using Uint128 = unsigned __int128;

/// A non-negative number of finite binary expansion: limbs of 32 bits, the first one worth 2^(32 offset).
class BigNatural {
 public:
  BigNatural() = default;
  /// value * 2^exponent
  explicit BigNatural(Uint128 value, std::int64_t exponent = 0);
  /// limbs: from the least significant
  BigNatural(std::vector<std::uint32_t> limbs, std::int64_t offset);

  [[nodiscard]] bool is_zero() const { return m_limbs.empty(); }
  [[nodiscard]] BigNatural times(const BigNatural& other) const;
  /// other: not larger
  [[nodiscard]] BigNatural minus(const BigNatural& other) const;
  /// -1, 0, 1: less, equal, greater
  [[nodiscard]] int compare(const BigNatural& other) const;
  /// The number itself, where it is an integer below 2^64. \return false where it is not.
  [[nodiscard]] bool to_uint64(std::uint64_t& value) const;
  /// Nearly the number: its 64 leading bits. Of 0: 0. Infinity beyond long double's range.
  [[nodiscard]] long double approximate() const;
  /// mantissa * 2^exponent with its 64 leading bits, cut off. Not of 0.
  void leading(std::uint64_t& mantissa, std::int64_t& exponent) const;

 private:
  void trim();
  /// The limb worth 2^(32 position).
  [[nodiscard]] std::uint32_t limb(std::int64_t position) const {
    const std::int64_t i = position - m_offset;
    return i >= 0 && i < static_cast<std::int64_t>(m_limbs.size()) ? m_limbs[static_cast<std::size_t>(i)] : 0;
  }
  [[nodiscard]] std::int64_t end() const { return m_offset + static_cast<std::int64_t>(m_limbs.size()); }

  std::vector<std::uint32_t> m_limbs;  // neither first nor last is 0
  std::int64_t m_offset = 0;
};

}  // namespace tessera::apps

#endif

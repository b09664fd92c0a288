// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that nobody chose, the same on every run.
#ifndef TESSERA_TESTS_PROPERTY_RANDOM_SIZES_HPP
#define TESSERA_TESTS_PROPERTY_RANDOM_SIZES_HPP

#include <cstddef>
#include <cstdint>

#include "support/data.hpp"

namespace tessera::test {

/// A stream of sizes; small ones are as likely as large ones.
class RandomSizes {
 public:
  explicit RandomSizes(std::uint64_t seed) : m_seed(seed) {}

  /// In [lowest, highest].
  std::size_t between(std::size_t lowest, std::size_t highest) {
    const std::size_t range = highest - lowest + 1;
    const std::uint64_t word = mixed(m_count++, m_seed);
    const std::size_t limit = (word & 1) != 0 ? range : 1 + range / 16;
    return lowest + (word >> 1) % limit;
  }

 private:
  std::uint64_t m_seed, m_count = 0;
};

}  // namespace tessera::test

#endif

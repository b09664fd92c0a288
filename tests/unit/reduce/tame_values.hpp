// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that two doubles mostly add up.
#ifndef TESSERA_TESTS_UNIT_REDUCE_TAME_VALUES_HPP
#define TESSERA_TESTS_UNIT_REDUCE_TAME_VALUES_HPP

#include <cmath>
#include <cstddef>
#include <vector>

#include "support/data.hpp"

namespace tessera::test {

/// But for lines here and there that need more: neighbours of theirs must not mind.
template <class T>
std::vector<T> mostly_tame_values(std::size_t count, std::size_t period = 1009) {
  std::vector<T> result = values<T>(count, 5);
  for (std::size_t i = 0; i < count; i += period) {
    result[i] = std::ldexp(T(1), 100);
    result[(i + 501) % count] = std::ldexp(T(1.5), -100);
  }
  return result;
}

}  // namespace tessera::test

#endif

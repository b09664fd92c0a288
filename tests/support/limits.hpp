// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_TESTS_SUPPORT_LIMITS_HPP
#define TESSERA_TESTS_SUPPORT_LIMITS_HPP

#include <cstdint>
#include <limits>

namespace tessera::test {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();

}  // namespace tessera::test

#endif

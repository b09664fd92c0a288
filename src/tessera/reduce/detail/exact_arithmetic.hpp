// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What exact sums ask of the arithmetic, tested before they run: not every compiler says when it is allowed to change
// values.
#ifndef TESSERA_REDUCE_DETAIL_EXACT_ARITHMETIC_HPP
#define TESSERA_REDUCE_DETAIL_EXACT_ARITHMETIC_HPP

#include <cfenv>
#include <string_view>
#include <tessera/error.hpp>

namespace tessera::detail {

/// \throws InvalidArgument where the host does not round to nearest, or the compiler takes (x + c) - c for x.
inline void require_exact_arithmetic(std::string_view function) {
  TESSERA_REQUIRE_ARGUMENT(std::fegetround() == FE_TONEAREST, function, "rounding mode", "not to nearest",
                           "FE_TONEAREST, which exact sums need", "call std::fesetround(FE_TONEAREST) before");
  // 2^52 and 1.25: the sum rounds to a whole number.
  volatile double large = 0x1p52;
  const double shift = large;
  volatile double small = 1.25;
  const double rounded = (small + shift) - shift;
  TESSERA_REQUIRE_ARGUMENT(rounded == 1, function, "compiler options", "(x + c) - c is not rounded",
                           "IEEE arithmetic, which exact sums need", "compile without -ffast-math and the like");
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact sums refuse arithmetic that they cannot trust.
#include <catch2/catch_test_macros.hpp>
#include <cfenv>

#include "reduce_check.hpp"
#include "support/message.hpp"

namespace {

namespace test = tessera::test;

TEST_CASE("an exact sum needs rounding to nearest", "[reduce][errors]") {
  const Kokkos::View<double*> in("in", 3);
  const auto sum = [&] { tessera::reduce(Kokkos::DefaultExecutionSpace(), in, tessera::Sum<double>{}); };
  std::fesetround(FE_UPWARD);
  const std::string text = test::message_of<tessera::InvalidArgument>(sum);
  std::fesetround(FE_TONEAREST);
  test::check_message(text, {"tessera::reduce", "rounding mode", "not to nearest", "expected", "FE_TONEAREST", ";"});
  CHECK_NOTHROW(sum());
}

}  // namespace

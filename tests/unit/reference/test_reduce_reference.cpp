// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reduce reference against answers worked out by hand.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "reference/reduce_reference.hpp"
#include "support/limits.hpp"

namespace {

namespace reference = tessera::reference;

TEST_CASE("the reference sum keeps what plain addition loses", "[reference]") {
  // In long double 1e30 + 1 is 1e30: a plain sum gives 0, the exact one is 3.
  const reference::FloatSum sum = reference::float_sum(std::vector<double>{1, 1e30, 1, -1e30, 1});
  CHECK(sum.sum == 3);
  CHECK(sum.sum_abs == 1e30 * 2.0L + 3);
  CHECK(reference::float_sum(std::vector<float>{}).sum == 0);
  CHECK(reference::float_sum(std::vector<float>{1.5f, -0.25f}).sum == 1.25L);
}

TEST_CASE("the reference sum carries infinities and NaN", "[reference]") {
  CHECK(reference::float_sum(std::vector<double>{1, tessera::test::infinity, 2}).sum == tessera::test::infinity);
  CHECK(std::isnan(reference::float_sum(std::vector<double>{tessera::test::infinity, -tessera::test::infinity}).sum));
  CHECK(std::isnan(reference::float_sum(std::vector<double>{1, tessera::test::nan, 2}).sum));
}

TEST_CASE("the bound of a fast sum", "[reference]") {
  // 1.01 (512 + 3 + 2) 2^-24 for eight accumulators, 2^-53 for doubles.
  CHECK(std::abs(reference::fast_sum_bound<float>(1, 8) - 1.01L * 517 * 0x1p-24L) < 1e-18L);
  CHECK(std::abs(reference::fast_sum_bound<double>(2, 1) - 1.01L * 514 * 0x1p-52L) < 1e-25L);
}

TEST_CASE("the reference integer sum judges the final value only", "[reference]") {
  constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  const reference::IntegerSum returned = reference::integer_sum(std::vector<std::int64_t>{highest, 5, -5});
  CHECK(returned.fits);
  CHECK(static_cast<std::int64_t>(returned.sum) == highest);
  CHECK_FALSE(reference::integer_sum(std::vector<std::int64_t>{highest, 1}).fits);
  CHECK_FALSE(reference::integer_sum(std::vector<std::int64_t>{lowest, -1}).fits);
  CHECK(reference::integer_sum(std::vector<std::int64_t>{lowest, 0}).fits);
  constexpr std::uint64_t top = std::numeric_limits<std::uint64_t>::max();
  CHECK(reference::integer_sum(std::vector<std::uint64_t>{top}).fits);
  CHECK_FALSE(reference::integer_sum(std::vector<std::uint64_t>{top, 1}).fits);
  CHECK(static_cast<int>(reference::integer_sum(std::vector<std::int32_t>{-7, 3}).sum) == -4);
}

TEST_CASE("the reference minimum and maximum order zeros and let NaN through", "[reference]") {
  CHECK(reference::minimum(std::vector<int>{3, -2, 7}) == -2);
  CHECK(reference::maximum(std::vector<int>{3, -2, 7}) == 7);
  CHECK(std::signbit(reference::minimum(std::vector<double>{0.0, -0.0})));
  CHECK(std::signbit(reference::minimum(std::vector<double>{-0.0, 0.0})));
  CHECK_FALSE(std::signbit(reference::maximum(std::vector<double>{0.0, -0.0})));
  CHECK_FALSE(std::signbit(reference::maximum(std::vector<double>{-0.0, 0.0})));
  CHECK(std::isnan(reference::minimum(std::vector<double>{1, tessera::test::nan, -1})));
  CHECK(std::isnan(reference::maximum(std::vector<double>{tessera::test::nan, 1})));
  CHECK(reference::minimum(std::vector<double>{tessera::test::infinity, tessera::test::infinity}) ==
        tessera::test::infinity);
}

}  // namespace

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers of any size and their rounding against answers worked out by hand.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "reference/big_integer.hpp"
#include "reference/exact_reference.hpp"
#include "reference/reduce_reference.hpp"
#include "support/limits.hpp"

namespace {

namespace reference = tessera::reference;
using reference::Natural;
constexpr double tiny = std::numeric_limits<double>::denorm_min();

TEST_CASE("whole numbers of any size", "[reference]") {
  const Natural ten_to_18(1000000000000000000u);
  const Natural square = ten_to_18.times(ten_to_18);  // 10^36
  CHECK(square.bit_length() == 120);
  CHECK(square.minus(ten_to_18).plus(ten_to_18).compare(square) == 0);
  CHECK(square.compare(ten_to_18) == 1);
  CHECK(Natural().is_zero());
  CHECK(ten_to_18.minus(ten_to_18).is_zero());
  CHECK(reference::whole_root(square).compare(ten_to_18) == 0);
  CHECK(reference::whole_root(square.minus(Natural(1))).value() == 999999999999999999u);
  const reference::Quotient q = reference::quotient(square.plus(Natural(7)), ten_to_18);
  CHECK(q.whole.compare(ten_to_18) == 0);
  CHECK(q.rest);
  CHECK_FALSE(reference::quotient(square, ten_to_18).rest);
  // A carry through three limbs.
  CHECK(Natural(~std::uint64_t{0}).plus(Natural(1)).compare(Natural(1).shifted_up(64)) == 0);
  bool lost = false;
  CHECK(Natural(0b1011000).shifted_down(3, lost).value() == 0b1011);
  CHECK_FALSE(lost);
  CHECK(Natural(0b1011000).shifted_down(4, lost).value() == 0b101);
  CHECK(lost);
}

TEST_CASE("quotients and roots are rounded once, ties to even", "[reference]") {
  const auto ratio = [](std::uint64_t a, std::uint64_t b, std::int64_t exponent) {
    return reference::rounded_quotient<double>(Natural(a), Natural(b), exponent);
  };
  CHECK(ratio(1, 3, 0) == 1.0 / 3);
  CHECK(ratio(2, 7, 5) == 64.0 / 7);
  constexpr std::uint64_t two53 = std::uint64_t{1} << 53;
  CHECK(ratio(two53 + 1, 1, 0) == 0x1p53);      // a tie, to even
  CHECK(ratio(two53 + 3, 1, 0) == 0x1p53 + 4);  // a tie, to even
  CHECK(ratio(2 * two53 + 3, 2, 0) == 0x1p53 + 2);
  CHECK(ratio(1, 2, -1074) == 0);
  CHECK(ratio(3, 4, -1074) == tiny);
  CHECK(ratio(3, 2, -1074) == 2 * tiny);
  CHECK(ratio(two53 - 1, 1, 971) == std::numeric_limits<double>::max());
  CHECK(ratio(2 * two53 - 1, 1, 970) == tessera::test::infinity);
  CHECK(ratio(4 * two53 - 3, 1, 969) == std::numeric_limits<double>::max());
  CHECK(ratio(1, 1, 5000) == tessera::test::infinity);
  CHECK(reference::rounded_quotient<float>(Natural(16777217), Natural(1), 0) == 16777216.0f);
  CHECK(reference::rounded_root<double>(Natural(2), Natural(1), 0) == std::sqrt(2.0));
  CHECK(reference::rounded_root<double>(Natural(2), Natural(3), 1) == std::sqrt(4.0 / 3));
  CHECK(reference::rounded_root<double>(Natural(9), Natural(1), -2148) == 3 * tiny);
}

TEST_CASE("exact sums and what follows from them", "[reference]") {
  const reference::ExactSums sums(std::vector<double>{1e308, 1e308, -1e308, -1e308, 3, tiny, -tiny, 1});
  CHECK(sums.sum<double>() == 4);
  CHECK(sums.mean<double>() == 0.5);
  CHECK(sums.l1<double>() == tessera::test::infinity);
  CHECK(sums.l2<double>() == tessera::test::infinity);
  const reference::ExactSums small(std::vector<std::int32_t>{1, -2, 4, 5});
  CHECK(small.sum<double>() == 8);
  CHECK(small.l1<double>() == 12);
  CHECK(small.l2<double>() == std::sqrt(46.0));
  CHECK(small.variance<double>(0) == 7.5);  // 46/4 - 4
  CHECK(small.variance<double>(1) == 10);
  CHECK(small.deviation<double>(1) == std::sqrt(10.0));
  CHECK(reference::ExactSums(std::vector<double>{tessera::test::infinity, 1}).sum<double>() == tessera::test::infinity);
  CHECK(std::isnan(
      reference::ExactSums(std::vector<double>{tessera::test::infinity, -tessera::test::infinity}).sum<double>()));
  CHECK(std::isnan(reference::ExactSums(std::vector<double>{tessera::test::infinity}).variance<double>(0)));
  CHECK(reference::ExactSums(std::vector<double>{tiny, 3 * tiny}).deviation<double>(0) == tiny);
  bool fits = false;
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  CHECK(reference::ExactSums(std::vector<std::int64_t>{lowest, -1, 1}).integer_sum<std::int64_t>(fits) == lowest);
  CHECK(fits);
  reference::ExactSums(std::vector<std::int64_t>{lowest, -1}).integer_sum<std::int64_t>(fits);
  CHECK_FALSE(fits);
}

TEST_CASE("reference positions and products", "[reference]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values{2, 0.0, -0.0, 5, 0, 5};
  CHECK(reference::extreme_at(values, false, false, false).index == 1);
  CHECK(reference::extreme_at(values, false, true, false).index == 4);
  CHECK(reference::extreme_at(values, true, false, false).index == 3);
  CHECK(reference::extreme_at(values, true, true, false).index == 5);
  const std::vector<double> with_nan{2, nan, 1, nan, 3};
  CHECK(reference::extreme_at(with_nan, false, false, false).index == 1);
  CHECK(reference::extreme_at(with_nan, false, true, false).index == 3);
  CHECK(reference::extreme_at(with_nan, false, true, true).index == 2);
  CHECK(reference::extreme_at(std::vector<double>{nan}, false, true, true).index == -1);
  CHECK(reference::float_product(std::vector<double>{0x1p1000, 0x1p1000, 0x1p-1000, 2}).value() == 0x1p1001L);
  CHECK(reference::float_product(std::vector<double>{-4, tiny, 0x1p1000}).value() == -0x1p-72L);
  const std::vector<std::int64_t> integers{1ll << 40, -(1ll << 23), 1};
  CHECK(reference::integer_product(integers).sum == std::numeric_limits<std::int64_t>::min());
  CHECK(reference::integer_product(integers).fits);
  CHECK_FALSE(reference::integer_product(std::vector<std::int64_t>{1ll << 40, 1ll << 40, 1ll << 60}).fits);
  CHECK(reference::integer_product(std::vector<std::int64_t>{1ll << 40, 1ll << 40, 0, 1ll << 60}).fits);
  CHECK(reference::integer_product(std::vector<std::uint64_t>{~0ull, 1}).fits);
}

}  // namespace

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The comparisons themselves: what they let through, what they find, what they print.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <vector>

#include "support/compare.hpp"
#include "support/data.hpp"
#include "support/message.hpp"

namespace {

namespace test = tessera::test;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

bool equal(std::size_t, int a, int b) { return a == b; }

TEST_CASE("a mismatch names the first index, both values and the count", "[support]") {
  CHECK(test::mismatch_report(std::vector<int>{1, 2, 3}, std::vector<int>{1, 2, 3}, equal) == "");
  CHECK(test::mismatch_report(std::vector<int>{1, 2, 7, 8}, std::vector<int>{1, 2, 3, -4}, equal) ==
        "2 of 4 differ, the first at index 2: got 7, expected 3");
  CHECK(test::mismatch_report(std::vector<int>{1}, std::vector<int>{}, equal) == "got 1 elements, expected 0");
}

TEST_CASE("printed numbers keep all digits, other types show their bytes", "[support]") {
  CHECK(test::printed(0.1) == "0.10000000000000001");
  CHECK(test::printed(static_cast<signed char>(-5)) == "-5");
  CHECK(test::printed(std::array<unsigned char, 2>{0x0a, 0xff}) == "0xa ff");
}

TEST_CASE("equal values: NaN equals NaN, zeros have signs", "[support]") {
  CHECK(test::same_value(nan, -nan));
  CHECK_FALSE(test::same_value(nan, 1.0));
  CHECK_FALSE(test::same_value(0.0, -0.0));
  CHECK_FALSE(test::same_value(1.0, -1.0));
  CHECK(test::same_value(3, 3));
  CHECK_FALSE(test::same_bits(0.0, -0.0));
  CHECK_FALSE(test::same_bits(test::poison<double>(), nan));
}

TEST_CASE("within a bound, on both sides", "[support]") {
  CHECK(test::within(1.25, 1.0L, 0.25L));
  CHECK(test::within(0.75, 1.0L, 0.25L));
  CHECK_FALSE(test::within(-1.0, 1.0L, 0.25L));
  CHECK_FALSE(test::within(nan, 1.0L, 10.0L));
  CHECK_FALSE(test::within(1.0, static_cast<long double>(nan), 10.0L));
  CHECK(test::within(infinity, static_cast<long double>(infinity), 0.0L));
  CHECK_FALSE(test::within(infinity, 1.0L, std::numeric_limits<long double>::infinity()));
}

TEST_CASE("test data depends on the position, poison is none of it", "[support]") {
  std::set<float> seen;
  for (const float x : test::values<float>(1000)) {
    CHECK(std::abs(x) < 1);
    seen.insert(x);
  }
  CHECK(seen.size() > 990);
  CHECK(test::values<float>(100, 1) != test::values<float>(100, 2));
  for (const int x : test::values<int>(1000)) CHECK((-1000 <= x && x <= 1000));
  CHECK(std::isnan(test::poison<float>()));
  CHECK(test::poison<int>() < -1000);
}

TEST_CASE("the message of an exception is its text", "[support]") {
  CHECK(test::message_of<std::runtime_error>([] { throw std::runtime_error("text"); }) == "text");
}

}  // namespace

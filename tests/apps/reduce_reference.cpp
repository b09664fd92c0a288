// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic under the verification of exact reductions, against values worked out by hand.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "reduce/big_sum.hpp"
#include "reduce/exact_rounding.hpp"
#include "reduce/line_reference.hpp"
#include "reduce/line_walk.hpp"
#include "support/limits.hpp"

namespace tessera::apps::test {
namespace {

using tessera::test::infinity;
constexpr double tiniest = std::numeric_limits<double>::denorm_min();
constexpr double largest = std::numeric_limits<double>::max();

BigNatural power(std::int64_t exponent) { return BigNatural(1, exponent); }

BigNatural sum_of(const std::vector<double>& terms, bool negative = false) {
  BigSum sum(-1074, 971);
  for (const double x : terms) {
    const Term term = term_of(x);
    sum.add(term.magnitude, term.exponent, term.negative);
  }
  const BigSum::Value value = sum.value();
  CHECK(value.negative == negative);
  return value.magnitude;
}

double rounded(const BigNatural& number) { return rounded_quotient(number, BigNatural(1)); }

}  // namespace

TEST_CASE("long integers are compared, multiplied and subtracted") {
  CHECK(power(100).compare(power(99)) == 1);
  CHECK(power(-70).compare(power(-69)) == -1);
  CHECK(power(64).compare(BigNatural(std::uint64_t{1} << 32, 32)) == 0);
  CHECK(BigNatural().compare(power(-1000)) == -1);
  CHECK(BigNatural().compare(BigNatural(0, 77)) == 0);
  const BigNatural less = power(200).minus(power(-200));  // all ones
  CHECK(less.compare(power(200)) == -1);
  CHECK(power(200).minus(less).compare(power(-200)) == 0);
  // (2^200 - 2^-200)^2 = 2^400 - 2 + 2^-400
  CHECK(less.times(less).compare(power(400).minus(BigNatural(2)).minus(BigNatural()).minus(BigNatural())) == 1);
  CHECK(less.times(less).minus(power(400).minus(BigNatural(2))).compare(power(-400)) == 0);
  std::uint64_t value = 0;
  CHECK(BigNatural(~std::uint64_t{0}).to_uint64(value));
  CHECK(value == ~std::uint64_t{0});
  CHECK_FALSE(power(64).to_uint64(value));
  CHECK_FALSE(power(-1).to_uint64(value));
  CHECK(BigNatural(3, 998).approximate() == std::ldexp(3.0L, 998));
}

TEST_CASE("sums of floating terms keep every bit") {
  CHECK(sum_of({1e308, 1e308, -1e308, -1e308, tiniest}).compare(power(-1074)) == 0);
  CHECK(sum_of({-largest, -largest, tiniest}, true)
            .compare(BigNatural(Uint128{1} << 53, 972).minus(power(972)).minus(power(-1074))) == 0);
  CHECK(sum_of({0x1p-500, -0x1p-500}).is_zero());
  CHECK(sum_of({-0.0}).is_zero());
  BigSum sum(0, 64);
  for (int i = 0; i < 5; ++i) sum.add(~Uint128{0}, 0, true);
  sum.add(std::uint64_t{7}, 0, false);
  CHECK(sum.value().negative);
  CHECK(sum.value().magnitude.compare(BigNatural(5, 128).minus(BigNatural(12))) == 0);
  sum.clear();
  CHECK(sum.value().magnitude.is_zero());
  sum.add(std::uint64_t{7}, 64, false);
  CHECK(sum.value().magnitude.compare(BigNatural(7, 64)) == 0);
}

TEST_CASE("elements are taken apart exactly") {
  for (const double x : {1.0, -0.75, tiniest, -3 * tiniest, largest, 0x1p-1022}) {
    const Term term = term_of(x);
    CHECK(std::ldexp(static_cast<double>(term.magnitude), static_cast<int>(term.exponent)) == std::abs(x));
    CHECK(term.negative == (x < 0));
  }
  CHECK(term_of(std::numeric_limits<float>::denorm_min()).exponent == -149);
  CHECK(term_of(std::numeric_limits<std::int64_t>::min()).magnitude == std::uint64_t{1} << 63);
}

TEST_CASE("quotients are rounded once, ties to even") {
  const BigNatural one(1), three(3);
  CHECK(rounded_quotient(one, three) == 1.0 / 3);
  CHECK(rounded_quotient(one, three, RoundedTo::float32) == double{1.0F / 3});
  CHECK(rounded(BigNatural((Uint128{1} << 53) + 1)) == 0x1p53);      // a tie
  CHECK(rounded(BigNatural((Uint128{1} << 53) + 3)) == 0x1p53 + 4);  // the other one
  CHECK(rounded(sum_of({0x1p53, 1, tiniest})) == 0x1p53 + 2);        // barely no tie
  CHECK(rounded(sum_of({0x1p53, 1, -tiniest})) == 0x1p53);
  CHECK(rounded_quotient(sum_of({1, 0x1p-24, 0x1p-60}), one, RoundedTo::float32) == 1 + 0x1p-23);
  CHECK(rounded(power(-1075)) == 0);
  CHECK(rounded(BigNatural(3, -1076)) == tiniest);
  CHECK(rounded_quotient(BigNatural(3, -150), one, RoundedTo::float32) == 0x1p-148);
  CHECK(rounded(BigNatural((Uint128{1} << 54) - 1, 970)) == infinity);  // half a step above the largest
  CHECK(rounded(BigNatural((Uint128{1} << 55) - 3, 969)) == largest);
  CHECK(rounded(power(1024)) == infinity);
  CHECK(rounded(power(5000)) == infinity);
  CHECK(rounded_quotient(power(128), one, RoundedTo::float32) == infinity);
}

TEST_CASE("roots are rounded once") {
  const BigNatural one(1);
  CHECK(rounded_root(BigNatural(2), one) == std::sqrt(2.0));
  CHECK(rounded_root(BigNatural(9), BigNatural(4)) == 1.5);
  CHECK(rounded_root(power(-2148), one) == tiniest);
  CHECK(rounded_root(power(2046), one) == 0x1p1023);
  const Uint128 middle = (Uint128{1} << 53) + 1;  // its square lies half way between two results
  CHECK(rounded_root(BigNatural(middle).times(BigNatural(middle)), one) == 0x1p53);
  CHECK(rounded_root(BigNatural(middle).times(BigNatural(middle)).minus(power(-3000)), one) == 0x1p53);
  const Uint128 odd = (Uint128{1} << 53) + 3;
  CHECK(rounded_root(BigNatural(odd).times(BigNatural(odd)), one) == 0x1p53 + 4);
  CHECK(rounded_root(BigNatural(odd).times(BigNatural(odd)).minus(power(-3000)), one) == 0x1p53 + 2);
  CHECK(rounded_root(BigNatural(), one) == 0);
}

TEST_CASE("quotients and roots are rounded to integers once, ties to even, clamped to 64 bits") {
  const BigNatural one(1), two(2);
  CHECK(whole_quotient(BigNatural(), two) == 0);
  CHECK(whole_quotient(one, two) == 0);
  CHECK(whole_quotient(BigNatural(3), two) == 2);
  CHECK(whole_quotient(BigNatural(5), two) == 2);
  CHECK(whole_quotient(sum_of({2.5, 0x1p-80}), one) == 3);  // barely no tie
  CHECK(whole_quotient(sum_of({3.5, -0x1p-80}), one) == 3);
  CHECK(whole_quotient(power(53).minus(power(-1)), one) == std::uint64_t{1} << 53);
  CHECK(whole_quotient(BigNatural((Uint128{1} << 53) + 1), one) == (std::uint64_t{1} << 53) + 1);
  CHECK(whole_quotient(power(64).minus(one), one) == ~std::uint64_t{0});
  CHECK(whole_quotient(power(64), one) == ~std::uint64_t{0});
  CHECK(whole_quotient(power(5000), one) == ~std::uint64_t{0});
  CHECK(whole_quotient(power(-5000), one) == 0);
  CHECK(whole_root(BigNatural(25), BigNatural(4)) == 2);
  CHECK(whole_root(BigNatural(49), BigNatural(4)) == 4);
  CHECK(whole_root(BigNatural(49, -2).minus(power(-80)), one) == 3);
  CHECK(whole_root(BigNatural(6), one) == 2);
  CHECK(whole_root(power(126).minus(one), one) == std::uint64_t{1} << 63);
  CHECK(whole_root(power(130), one) == ~std::uint64_t{0});
}

TEST_CASE("the elements behind a value are walked in row-major order") {
  const Shape shape{2, 3, 4, 5};
  ReducePass pass;
  pass.reduced = {false, true, false, true};
  const LineWalk walk(pass, shape);
  CHECK(walk.count() == 15);
  std::vector<std::uint64_t> offsets;
  walk.for_each([&](std::uint64_t offset) { offsets.push_back(walk.begin(6) + offset); });  // position (1, 2)
  REQUIRE(offsets.size() == 15);
  for (std::uint64_t i = 0; i < 15; ++i) {
    CHECK(offsets[i] == 60 + i / 5 * 20 + 2 * 5 + i % 5);
    CHECK(walk.begin(6) + walk.element(i) == offsets[i]);
  }
  pass.reduced = {true, true, false, false};
  const LineWalk rows(pass, shape);
  CHECK(rows.begin(19) == 19);
  CHECK(rows.element(5) == 100);
  pass.reduced.clear();
  const LineWalk whole(pass, shape);
  CHECK(whole.count() == 120);
  CHECK(whole.begin(0) + whole.element(77) == 77);
}

}  // namespace tessera::apps::test

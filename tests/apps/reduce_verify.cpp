// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce/reduce_verify.hpp"

#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <numeric>

#include "apps/verify_support.hpp"

namespace tessera::apps::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
Verification check_value(const std::string& operation, const std::vector<T>& values, const Number& got) {
  ReduceCheck check;
  check.operation = operation;
  return verify_reduction(check, host_array(values), got, {}, plain_norms, no_progress);
}

template <class T>
bool passes(const std::string& operation, const std::vector<T>& values, const Number& got) {
  return check_value(operation, values, got).passed;
}

}  // namespace

TEST_CASE("a floating sum must lie within the bound of fast summation") {
  // 1000 elements: 2 partial sums of 512 at most, so the factor is 1.01 (512 + 1 + 2).
  std::vector<double> values(1000, 0.1);
  values[17] = -5;
  const double magnitude = 999 * 0.1 + 5;
  const double bound = 1.01 * 515 * 0x1p-53 * magnitude;
  const double sum = 999 * 0.1 - 5;  // 0.1 stands for a double a little above it: 999 times 5.55e-18
  CHECK(passes("sum", values, sum));
  CHECK(passes("sum", values, sum + 0.99 * bound));
  CHECK_FALSE(passes("sum", values, sum + 1.01 * bound));
  CHECK_FALSE(passes("sum", values, sum - 1.01 * bound));

  const Verification wrong = check_value("sum", values, sum + 1);
  CHECK(wrong.method == "serial compensated sum in long double of all elements");
  CHECK(wrong.checked == 1000);
  CHECK(wrong.wrong == 1);
  CHECK(std::abs(wrong.max_abs_error - 1) < 1e-12);
  CHECK(std::abs(wrong.max_rel_error - 1 / sum) < 1e-12);
  CHECK(wrong.first_wrong.starts_with("index 0: got 95.9"));
}

TEST_CASE("the reference sum itself survives cancellation") {
  std::vector<double> values;
  for (int i = 0; i < 5000; ++i) values.insert(values.end(), {1e16, 1.0, -1e16});
  const Verification good = check_value("sum", values, 5000.0);
  CHECK(good.passed);
  CHECK(good.max_abs_error == 0);
}

TEST_CASE("the bound of a float sum is that of float") {
  const std::vector<float> values(100, 1.0F);
  const double bound = 1.01 * 514 * 0x1p-24 * 100;
  CHECK(passes("sum", values, 100 + 0.99 * bound));
  CHECK_FALSE(passes("sum", values, 100 + 1.01 * bound));
}

TEST_CASE("NaN and infinities of a sum must be those of its elements") {
  CHECK(passes("sum", std::vector<double>{1, nan, 2}, nan));
  CHECK_FALSE(passes("sum", std::vector<double>{1, nan, 2}, 3.0));
  CHECK(passes("sum", std::vector<double>{1, infinity}, infinity));
  CHECK_FALSE(passes("sum", std::vector<double>{1, infinity}, nan));
  CHECK_FALSE(passes("sum", std::vector<double>{1, infinity}, -infinity));
  CHECK(passes("sum", std::vector<double>{-infinity, infinity}, nan));
  CHECK_FALSE(passes("sum", std::vector<double>{-infinity, infinity}, infinity));
  CHECK_FALSE(passes("sum", std::vector<double>{1, 2}, infinity));
  CHECK_FALSE(passes("sum", std::vector<double>{1, 2}, nan));
  // These may overflow on the way.
  CHECK(passes("sum", std::vector<double>{1e308, 1e308, -1e308}, infinity));
  CHECK(passes("sum", std::vector<double>{1e308, 1e308, -1e308}, 1e308));
  CHECK_FALSE(passes("sum", std::vector<double>{1e308, 1e308, -1e308}, 0.5e308));
}

TEST_CASE("an integer sum must be exact, whatever its partial sums") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK(passes("sum", std::vector<std::int64_t>{most, most, -most, -most, 7}, std::int64_t{7}));
  CHECK_FALSE(passes("sum", std::vector<std::int64_t>{most, most, -most, -most, 7}, std::int64_t{8}));
  CHECK(passes("sum", std::vector<std::uint64_t>{~std::uint64_t{0}}, ~std::uint64_t{0}));
  CHECK(passes("sum", std::vector<std::int32_t>{-3, 1}, std::int64_t{-2}));
  const Verification wrong = check_value("sum", std::vector<std::int64_t>{most - 1}, most);
  CHECK(wrong.first_wrong == "index 0: got 9223372036854775807, expected 9223372036854775806");
}

TEST_CASE("min and max must be the very element") {
  const std::vector<double> values{3, -1, 2};
  CHECK(passes("min", values, -1.0));
  CHECK_FALSE(passes("min", values, std::nextafter(-1.0, 0.0)));
  CHECK(passes("max", values, 3.0));
  CHECK_FALSE(passes("max", values, 2.0));
  CHECK(passes("min", std::vector<double>{0.0, -0.0}, -0.0));
  CHECK_FALSE(passes("min", std::vector<double>{0.0, -0.0}, 0.0));
  CHECK(passes("max", std::vector<double>{-0.0, 0.0}, 0.0));
  CHECK_FALSE(passes("max", std::vector<double>{-0.0, 0.0}, -0.0));
  CHECK(passes("min", std::vector<float>{1, std::numeric_limits<float>::quiet_NaN(), 0}, nan));
  CHECK_FALSE(passes("min", std::vector<float>{1, std::numeric_limits<float>::quiet_NaN(), 0}, 0.0));
  CHECK(passes("max", std::vector<double>{infinity, 1}, infinity));
  CHECK(passes("max", std::vector<std::uint64_t>{5, ~std::uint64_t{0}}, ~std::uint64_t{0}));
  CHECK_FALSE(passes("max", std::vector<std::int32_t>{5, 6}, std::int64_t{5}));
}

TEST_CASE("beyond the limit blocks are reduced again and checked") {
  std::vector<std::int64_t> values(1003);
  std::iota(values.begin(), values.end(), -500);
  const HostArray input = host_array(values);
  ReduceCheck check;
  check.whole_limit = 100;
  check.blocks = 10;
  const auto sum_range = [&](std::uint64_t offset, std::uint64_t count) -> Number {
    return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(offset),
                           values.begin() + static_cast<std::ptrdiff_t>(offset + count), std::int64_t{0});
  };
  check.operation = "sum";
  const Verification good = verify_reduction(check, input, std::int64_t{0}, sum_range, plain_norms, no_progress);
  CHECK(good.passed);
  CHECK(good.checked == 10);
  CHECK(good.method == "serial 128-bit integer sum of 10 blocks of 10 elements, each against a reduction of its own");

  const auto faulty_range = [&](std::uint64_t offset, std::uint64_t count) -> Number {
    return std::get<std::int64_t>(sum_range(offset, count)) + (offset > 500 ? 1 : 0);
  };
  const Verification wrong = verify_reduction(check, input, std::int64_t{0}, faulty_range, plain_norms, no_progress);
  CHECK_FALSE(wrong.passed);
  CHECK(wrong.wrong == 5);
  CHECK(wrong.first_wrong == "index 550: got 546, expected 545");

  check.operation = "min";
  const auto min_range = [&](std::uint64_t offset, std::uint64_t) -> Number { return values[offset]; };
  CHECK(verify_reduction(check, input, std::int64_t{-500}, min_range, plain_norms, no_progress).passed);
  const Verification too_large = verify_reduction(check, input, std::int64_t{0}, min_range, plain_norms, no_progress);
  CHECK(too_large.wrong == 5);
  CHECK(too_large.first_wrong == "index 0: got 0 of the whole array, expected a bound of the elements from there");

  check.full = true;
  CHECK(verify_reduction(check, input, std::int64_t{-500}, min_range, plain_norms, no_progress).checked == 1003);
}

}  // namespace tessera::apps::test

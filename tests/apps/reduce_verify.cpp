// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce/reduce_verify.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <complex>
#include <limits>
#include <numeric>

#include "apps/verify_support.hpp"
#include "support/limits.hpp"

namespace tessera::apps::test {
namespace {

using tessera::test::infinity;
using tessera::test::nan;
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

ReducePass pass_of(const std::string& operation, bool exact = true, const std::string& policy = "propagate",
                   std::uint64_t ddof = 0) {
  ReducePass pass;
  pass.operations = {operation};
  pass.exact = exact;
  pass.nan = policy;
  pass.ddof = ddof;
  return pass;
}

OpValues one(const std::string& operation, const Number& value, std::int64_t index = -1) {
  OpValues values;
  values.op = operation;
  std::visit([&](auto number) { values.values = std::vector{number}; }, value);
  if (index >= 0) values.index = {index};
  return values;
}

template <class T>
Verification check_values(const ReducePass& pass, const std::vector<T>& values, const OpValues& got, Shape shape = {}) {
  return verify_reduction(pass, {}, host_array(values, shape), nullptr, {got}, {}, plain_norms, no_progress);
}

template <class T>
bool passes(const ReducePass& pass, const std::vector<T>& values, const Number& got, std::int64_t index = -1) {
  return check_values(pass, values, one(pass.operations[0], got, index)).passed;
}
template <class T>
bool passes(const std::string& operation, const std::vector<T>& values, const Number& got, std::int64_t index = -1) {
  return passes(pass_of(operation), values, got, index);
}

HostArray complex_array(const std::vector<std::complex<double>>& values) {
  HostArray array{ElementType::float64, {values.size()}, HostBuffer(values.size() * sizeof(values[0])), true};
  std::copy(values.begin(), values.end(), array.buffer.as<std::complex<double>>());
  return array;
}

}  // namespace

TEST_CASE("an exact sum must be the very bits") {
  const std::vector<double> values{1e308, 1e308, -1e308, 0.1, -1e308};
  CHECK(passes("sum", values, 0.1));
  CHECK_FALSE(passes("sum", values, std::nextafter(0.1, 1.0)));
  CHECK_FALSE(passes("sum", values, 0.0));
  CHECK(passes("sum", std::vector<double>{-0.0, -0.0}, 0.0));
  CHECK_FALSE(passes("sum", std::vector<double>{-0.0, -0.0}, -0.0));
  CHECK(passes("sum", std::vector<float>{1, 0x1p-24F, 0x1p-60F}, 1 + 0x1p-24 + 0x1p-60));
  CHECK(passes("mean", std::vector<double>{1, 2, 4}, 7.0 / 3));
  CHECK(passes("l1", std::vector<double>{-1, 0x1p-53, -0x1p-105}, 1 + 0x1p-52));
  CHECK(passes("l2", std::vector<double>{0x3p600, -0x4p600}, 0x5p600));
  CHECK(passes("var", std::vector<double>{1e15, 1e15 + 1, 1e15 + 2}, 2.0 / 3));
  CHECK(passes(pass_of("var", true, "propagate", 1), std::vector<double>{1, 2}, 0.5));
  CHECK(passes("std", std::vector<double>{1e-300, -1e-300}, 1e-300));
  const Verification wrong = check_values(pass_of("sum"), std::vector<double>{1, 2}, one("sum", 4.0));
  CHECK(wrong.method == "serial reference in integers of any length of all elements");
  CHECK(wrong.checked == 2);
  CHECK(wrong.wrong == 1);
  CHECK(wrong.max_abs_error == 1);
  CHECK(wrong.max_rel_error == 1.0 / 3);
  CHECK(wrong.first_wrong == "index 0: got 4, expected 3");
}

TEST_CASE("a fast sum must lie within its bound") {
  // 1000 elements: 2 partial sums of 512 at most, so the factor is 1.01 (512 + 1 + 2), and one for the last rounding.
  std::vector<double> values(1000, 0.1);
  values[17] = -5;
  const double magnitude = 999 * 0.1 + 5;
  const double bound = 1.01 * 516 * 0x1p-53 * magnitude;
  const double sum = 999 * 0.1 - 5;  // 0.1 stands for a double a little above it: 999 times 5.55e-18
  const ReducePass fast = pass_of("sum", false);
  CHECK(passes(fast, values, sum));
  CHECK(passes(fast, values, sum + 0.99 * bound));
  CHECK_FALSE(passes(fast, values, sum + 1.01 * bound));
  CHECK_FALSE(passes(fast, values, sum - 1.01 * bound));
  const Verification wrong = check_values(fast, values, one("sum", sum + 1));
  CHECK(wrong.method == "bounds from serial integers of any length of all elements");
  CHECK(std::abs(wrong.max_abs_error - 1) < 1e-12);
  CHECK(wrong.first_wrong.starts_with("index 0: got 95.9"));

  const std::vector<float> ones(100, 1.0F);
  const double float_bound = 1.01 * 515 * 0x1p-24 * 100;
  CHECK(passes(fast, ones, 100 + 0.99 * float_bound));
  CHECK_FALSE(passes(fast, ones, 100 + 1.01 * float_bound));
  CHECK(passes(pass_of("mean", false), values, sum / 1000));
  CHECK_FALSE(passes(pass_of("mean", false), values, sum / 1000 + bound));
  CHECK(passes(pass_of("l2", false), std::vector<double>{3, 4}, 5.0));
  CHECK_FALSE(passes(pass_of("l2", false), std::vector<double>{3, 4}, 5.001));
  CHECK(passes(pass_of("var", false), std::vector<double>{3, 4}, 0.25));
  CHECK_FALSE(passes(pass_of("var", false), std::vector<double>{3, 4}, 0.26));
  CHECK(passes(pass_of("std", false), std::vector<double>{3, 4}, 0.5));
  CHECK_FALSE(passes(pass_of("std", false), std::vector<double>{3, 4}, 0.51));
}

TEST_CASE("NaN and infinities of a sum must be those of its elements") {
  for (const bool exact : {true, false}) {
    const ReducePass sum = pass_of("sum", exact);
    CHECK(passes(sum, std::vector<double>{1, nan, 2}, nan));
    CHECK_FALSE(passes(sum, std::vector<double>{1, nan, 2}, 3.0));
    CHECK(passes(sum, std::vector<double>{1, infinity}, infinity));
    CHECK_FALSE(passes(sum, std::vector<double>{1, infinity}, nan));
    CHECK_FALSE(passes(sum, std::vector<double>{1, infinity}, -infinity));
    CHECK(passes(sum, std::vector<double>{-infinity, infinity}, nan));
    CHECK_FALSE(passes(sum, std::vector<double>{-infinity, infinity}, infinity));
    CHECK_FALSE(passes(sum, std::vector<double>{1, 2}, infinity));
    CHECK_FALSE(passes(sum, std::vector<double>{1, 2}, nan));
  }
  const std::vector<double> large{1e308, 1e308, -1e308};
  CHECK(passes(pass_of("sum", false), large, infinity));  // these may overflow on the way
  CHECK(passes(pass_of("sum", false), large, 1e308));
  CHECK_FALSE(passes(pass_of("sum", false), large, 0.5e308));
  CHECK_FALSE(passes("sum", large, infinity));
  CHECK(passes("l1", std::vector<double>{-infinity, infinity}, infinity));
  CHECK(passes("var", std::vector<double>{1, infinity}, nan));
  CHECK_FALSE(passes("sum", std::vector<double>{nan}, -nan));  // the quiet one
}

TEST_CASE("NaN are propagated or left out") {
  const std::vector<double> values{nan, 3, nan, 1};
  const auto omit = [](const std::string& operation) { return pass_of(operation, true, "omit"); };
  CHECK(passes("min", values, nan));
  CHECK(passes(omit("min"), values, 1.0));
  CHECK(passes(omit("sum"), values, 4.0));
  CHECK(passes(omit("mean"), values, 2.0));
  CHECK(passes("argmin", values, nan, 0));
  CHECK(passes("argmax_last", values, nan, 2));
  CHECK(passes(omit("argmax"), values, 3.0, 1));
  CHECK(passes("count", values, std::uint64_t{4}));
  CHECK(passes(omit("count"), values, std::uint64_t{2}));
  CHECK(passes("count_nan", values, std::uint64_t{2}));
  CHECK(passes("any", std::vector<double>{nan, 0}, std::uint64_t{1}));
  CHECK(passes(omit("any"), std::vector<double>{nan, 0}, std::uint64_t{0}));
  CHECK(passes("all", std::vector<double>{nan, 1}, std::uint64_t{1}));
  CHECK_FALSE(passes(pass_of("sum", true, "error"), values, nan));
  CHECK(passes(pass_of("sum", true, "error"), std::vector<double>{1, 2}, 3.0));
}

TEST_CASE("what has no value must have none") {
  OpValues nothing = one("min", 0.0);
  nothing.undefined = {1};
  CHECK(check_values(pass_of("min"), std::vector<double>{}, nothing, {0}).passed);
  CHECK(check_values(pass_of("min", true, "omit"), std::vector<double>{nan}, nothing).passed);
  const Verification wrong = check_values(pass_of("min"), std::vector<double>{2}, nothing);
  CHECK(wrong.first_wrong == "index 0: got nothing, expected 2");
  CHECK_FALSE(passes(pass_of("var", true, "propagate", 3), std::vector<double>{1, 2, 4}, 0.0));
}

TEST_CASE("integers must be exact, whatever their partial sums") {
  CHECK(passes("sum", std::vector<std::int64_t>{most, most, -most, -most, 7}, std::int64_t{7}));
  CHECK_FALSE(passes("sum", std::vector<std::int64_t>{most, most, -most, -most, 7}, std::int64_t{8}));
  CHECK_FALSE(passes("sum", std::vector<std::int64_t>{most, 1}, std::numeric_limits<std::int64_t>::min()));
  CHECK(passes("sum", std::vector<std::int64_t>{-most, -1}, std::numeric_limits<std::int64_t>::min()));
  CHECK(passes("sum", std::vector<std::uint64_t>{~std::uint64_t{0}}, ~std::uint64_t{0}));
  CHECK(passes("sum", std::vector<std::int32_t>{-3, 1}, std::int64_t{-2}));
  CHECK(passes("l1", std::vector<std::int64_t>{-most - 1, 5}, (std::uint64_t{1} << 63) + 5));
  CHECK(passes("linf", std::vector<std::int64_t>{-most - 1, 5}, std::uint64_t{1} << 63));
  CHECK(passes("mean", std::vector<std::int64_t>{most, most, most}, 0x1p63));
  CHECK(passes("l2", std::vector<std::int64_t>{-most - 1}, 0x1p63));
  CHECK(passes("prod", std::vector<std::int64_t>{most, most, 0, -1}, std::int64_t{0}));
  CHECK(passes("prod", std::vector<std::int64_t>{std::int64_t{1} << 62, -2}, -most - 1));
  CHECK_FALSE(passes("prod", std::vector<std::int64_t>{std::int64_t{1} << 62, 2}, -most - 1));
  CHECK(passes("bit_and", std::vector<std::int32_t>{6, -4}, std::int64_t{4}));
  CHECK(passes("bit_or", std::vector<std::int32_t>{6, 9}, std::int64_t{15}));
  CHECK(passes("bit_xor", std::vector<std::uint64_t>{6, 3}, std::uint64_t{5}));
  CHECK(passes("bit_and", std::vector<std::uint64_t>{}, ~std::uint64_t{0}));
  const Verification wrong = check_values(pass_of("sum"), std::vector<std::int64_t>{most - 1}, one("sum", most));
  CHECK(wrong.first_wrong == "index 0: got 9223372036854775807, expected 9223372036854775806");
  CHECK(check_values(pass_of("sum"), std::vector<std::int64_t>{most, 1}, one("sum", std::int64_t{0})).first_wrong ==
        "index 0: got 0, expected an integer beyond 64 bits");
}

TEST_CASE("a product of floats must lie within n u, with no spurious overflow") {
  CHECK(passes("prod", std::vector<double>{1e200, 1e200, 1e-200, 1e-200, 3}, 3.0));
  CHECK(passes("prod", std::vector<double>{0.1, -0.1}, -0.1 * 0.1));
  CHECK_FALSE(passes("prod", std::vector<double>{0.1, -0.1}, -0.1 * 0.1 * (1 + 0x1p-49)));
  CHECK(passes("prod", std::vector<double>{infinity, 0}, nan));
  CHECK(passes("prod", std::vector<double>{-infinity, 2}, -infinity));
  CHECK(passes("prod", std::vector<double>{-1, 0}, -0.0));
  CHECK(passes("prod", std::vector<double>{}, 1.0));
}

TEST_CASE("complex values are checked part by part") {
  using Values = std::vector<std::complex<double>>;
  const auto check = [](const std::string& operation, const Values& values, std::vector<double> got,
                        const std::string& policy = "propagate", const Values& second = {}) {
    ReducePass pass = pass_of(operation, true, policy);
    pass.is_complex = true;
    OpValues result;
    result.op = operation;
    result.values = std::move(got);
    const HostArray x = complex_array(values), y = complex_array(second);
    return verify_reduction(pass, {}, x, second.empty() ? nullptr : &y, {result}, {}, plain_norms, no_progress);
  };
  const Values values{{1e308, 1}, {1e308, 0x1p-60}, {-1e308, -1}, {0.1, 2}, {-1e308, 0}};
  CHECK(check("sum", values, {0.1, 2 + 0.0}).passed);
  const Verification wrong = check("sum", values, {0.1, std::nextafter(2.0, 3.0)});
  CHECK_FALSE(wrong.passed);
  CHECK(wrong.first_wrong == "index 0: got 2.0000000000000004, expected 2");
  CHECK(wrong.method == "serial reference in integers of any length of all elements");
  CHECK_FALSE(check("sum", values, {2, 0.1}).passed);
  CHECK(check("mean", {{1, 4}, {2, 0}}, {1.5, 2}).passed);
  CHECK_FALSE(check("mean", {{1, 4}, {2, 0}}, {1.5, 2.5}).passed);
  CHECK(check("l1", {{-1, 0x1p-53}, {0, -0x1p-105}}, {1 + 0x1p-52}).passed);
  CHECK(check("l2", {{0x3p600, 0}, {0, -0x4p600}}, {0x5p600}).passed);
  CHECK_FALSE(check("l2", {{3, 4}}, {7}).passed);
  // A NaN spoils its part of a sum, and all of a norm; left out, it takes the other part with it.
  CHECK(check("sum", {{1, nan}, {2, 3}}, {3, nan}).passed);
  CHECK(check("l1", {{1, nan}, {2, 3}}, {nan}).passed);
  CHECK(check("sum", {{1, nan}, {2, 3}}, {2, 3}, "omit").passed);
  CHECK_FALSE(check("sum", {{1, nan}, {2, 3}}, {3, 3}, "omit").passed);
  CHECK(check("mean", {{1, nan}, {2, 3}}, {2, 3}, "omit").passed);
  CHECK(check("prod", {{1, nan}, {2, 3}}, {2, 3}, "omit").passed);
  // Products lie within a bound that goes with their magnitude.
  CHECK(check("prod", {{1, 2}, {3, 4}}, {-5, 10 + 0x1p-50}).passed);
  CHECK_FALSE(check("prod", {{1, 2}, {3, 4}}, {-5, 10 + 0x1p-46}).passed);
  CHECK_FALSE(check("prod", {{1, 2}, {3, 4}}, {-5, -10}).passed);
  CHECK(check("prod", {{1e200, 0}, {0, 1e200}, {0, -1e-200}, {1e-200, 0}}, {1, 0}).passed);
  CHECK(check("prod", {{infinity, 0}, {0, 0}}, {nan, nan}).passed);
  CHECK(check("prod", {{1e300, 1e300}, {0, 0}}, {0, 0}).passed);
  CHECK(check("prod", {{1e300, 0}, {0, 1e300}}, {0, infinity}).passed);
  CHECK(check("prod", {}, {1, 0}).passed);
  CHECK(check("dot", {{1, 2}}, {-5, 10}, "propagate", {{3, 4}}).passed);
  CHECK_FALSE(check("dot", {{1, 2}}, {11, -2}, "propagate", {{3, 4}}).passed);  // conjugated
  CHECK(check("dot", {{1, 2}, {nan, 1}}, {-5, 10}, "omit", {{3, 4}, {1, 1}}).passed);
}

TEST_CASE("min, max and their places must be the very element") {
  const std::vector<double> values{3, -1, 2, -1};
  CHECK(passes("min", values, -1.0));
  CHECK_FALSE(passes("min", values, std::nextafter(-1.0, 0.0)));
  CHECK(passes("argmin", values, -1.0, 1));
  CHECK_FALSE(passes("argmin", values, -1.0, 3));
  CHECK(passes("argmin_last", values, -1.0, 3));
  CHECK(passes("argmax", values, 3.0, 0));
  const std::vector<double> zeros{0.0, -0.0};
  CHECK(passes("min", zeros, -0.0));
  CHECK_FALSE(passes("min", zeros, 0.0));
  CHECK(passes("max", std::vector<double>{-0.0, 0.0}, 0.0));
  CHECK(passes("argmin", zeros, 0.0, 0));
  CHECK_FALSE(passes("argmin", zeros, -0.0, 1));
  CHECK(passes("argmax_last", zeros, -0.0, 1));
  CHECK(passes("max", std::vector<std::uint64_t>{5, ~std::uint64_t{0}}, ~std::uint64_t{0}));
  CHECK_FALSE(passes("max", std::vector<std::int32_t>{5, 6}, std::int64_t{5}));
  OpValues both{"minmax", std::vector<double>{-1, 3}, {}, {}};
  CHECK(check_values(pass_of("minmax"), values, both).passed);
  both.values = std::vector<double>{3, -1};
  CHECK(check_values(pass_of("minmax"), values, both).wrong == 2);
}

TEST_CASE("a dot product is summed exactly") {
  const HostArray x = host_array(std::vector<double>{1e200, 3, -1e200}),
                  y = host_array(std::vector<double>{1e200, 0.1, 1e200});
  const auto check = [&](double got) {
    return verify_reduction(pass_of("dot"), {}, x, &y, {one("dot", got)}, {}, plain_norms, no_progress).passed;
  };
  CHECK(check(3 * 0.1));  // 3 * 0.1 is rounded once as well
  CHECK_FALSE(check(0.3));
}

TEST_CASE("along axes every value is checked in its place") {
  ReducePass pass = pass_of("argmax");
  pass.operations = {"argmax", "sum"};
  pass.reduced = {true, false, true};
  std::vector<std::int32_t> values(24);
  std::iota(values.begin(), values.end(), 0);
  std::vector<OpValues> got{{"argmax", std::vector<std::int64_t>{15, 19, 23}, {7, 7, 7}, {}},
                            {"sum", std::vector<std::int64_t>{60, 92, 124}, {}, {}}};
  const HostArray input = host_array(values, {2, 3, 4});
  const auto verify = [&] { return verify_reduction(pass, {}, input, nullptr, got, {}, plain_norms, no_progress); };
  CHECK(verify().passed);
  CHECK(verify().checked == 24);
  std::get<std::vector<std::int64_t>>(got[1].values)[2] = 125;
  CHECK(verify().first_wrong == "index 2: got sum 125, expected 124");
  got[0].index[1] = 3;
  CHECK(verify().wrong == 2);
  CHECK(verify().first_wrong == "index 1: got argmax 19 at 3, expected 19 at 7");

  ReduceCheck check;
  check.whole_limit = 16;  // 2 of the 3 values
  const Verification sampled = verify_reduction(pass, check, input, nullptr, got, {}, plain_norms, no_progress);
  CHECK(sampled.method == "serial reference in integers of any length of 2 of 3 values");
  CHECK(sampled.wrong == 1);
}

TEST_CASE("beyond the limit blocks are reduced again and checked") {
  std::vector<std::int64_t> values(1003);
  std::iota(values.begin(), values.end(), -500);
  const HostArray input = host_array(values);
  ReduceCheck check;
  check.whole_limit = 100;
  check.blocks = 10;
  std::int64_t fault = 0;
  const auto sum_range = [&](std::uint64_t offset, std::uint64_t count) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(offset);
    const std::int64_t sum = std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(count), std::int64_t{0});
    return std::vector{one("sum", sum + (offset > 500 ? fault : 0))};
  };
  const auto verify = [&](const std::string& operation, std::int64_t value, const RangeReduction& reduce_range) {
    return verify_reduction(pass_of(operation), check, input, nullptr, {one(operation, value)}, reduce_range,
                            plain_norms, no_progress);
  };
  const Verification good = verify("sum", 0, sum_range);
  CHECK(good.passed);
  CHECK(good.checked == 100);
  CHECK(good.method ==
        "serial reference in integers of any length of 10 blocks of 10 elements, each against a reduction of its own");
  fault = 1;
  const Verification wrong = verify("sum", 0, sum_range);
  CHECK_FALSE(wrong.passed);
  CHECK(wrong.wrong == 5);
  CHECK(wrong.first_wrong == "index 550: got 546, expected 545");

  const auto min_range = [&](std::uint64_t offset, std::uint64_t) { return std::vector{one("min", values[offset])}; };
  CHECK(verify("min", -500, min_range).passed);
  const Verification too_large = verify("min", 0, min_range);
  CHECK(too_large.wrong == 5);
  CHECK(too_large.first_wrong == "index 0: got min 0 of the whole array, expected a bound of the elements from there");

  check.full = true;
  CHECK(verify("min", -500, min_range).checked == 1003);
}

}  // namespace tessera::apps::test

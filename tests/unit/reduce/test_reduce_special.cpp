// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each reducer promises beyond plain data: products at the ends of their range, counts, bits, empty input, fast
// moments.
#include <bit>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "reduce_check.hpp"
#include "support/message.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
using Space = Kokkos::DefaultExecutionSpace;
using tessera::InvalidArgument;
using tessera::NanPolicy;
using tessera::ReduceOptions;
using tessera::Summation;

template <class R, class T>
auto reduced_special(const std::vector<T>& values, const ReduceOptions& options = {}, const R& reducer = {}) {
  return tessera::reduce(Space(), test::device_copy<Space>(values), reducer, options);
}

template <class R, class T>
std::string message(const std::vector<T>& values, const ReduceOptions& options = {}, const R& reducer = {}) {
  return test::message_of<InvalidArgument>([&] { reduced_special<R>(values, options, reducer); });
}

TEST_CASE("a product of floats overflows and underflows only at the end", "[reduce][prod]") {
  using Limits = std::numeric_limits<double>;
  using Prod = tessera::Prod<double>;
  // Five factors, in an order that is the plan's: n u.
  CHECK(std::abs(reduced_special<Prod>(std::vector{1e300, 1e300, 1e-300, 1e-300, 3.0}) - 3.0) <= 5 * 0x1p-53 * 3.0);
  CHECK(reduced_special<Prod>(std::vector{0x1p1023, -4.0, 0x1p-1000}) == -0x1p25);
  CHECK(reduced_special<Prod>(std::vector{Limits::denorm_min(), 0x1p1000, 0x1p74}) == 1.0);
  CHECK(reduced_special<Prod>(std::vector{0x1p-1000, 0x1p-74}) == Limits::denorm_min());
  CHECK(reduced_special<Prod>(std::vector{0x1.8p-1000, 0x1p-74}) == 2 * Limits::denorm_min());  // a tie, to even
  CHECK(reduced_special<Prod>(std::vector{0x1p1000, 0x1p24}) == Limits::infinity());
  CHECK(test::same_value(reduced_special<Prod>(std::vector{0x1p-1000, -0x1p-1000}), -0.0));
  CHECK(test::same_value(reduced_special<Prod>(std::vector{-0.0, 3.0}), -0.0));
  CHECK(reduced_special<Prod>(std::vector{Limits::infinity(), -2.0}) == -Limits::infinity());
  CHECK(std::isnan(reduced_special<Prod>(std::vector{0.0, 5.0, Limits::infinity()})));
  CHECK(reduced_special<Prod>(std::vector<double>{}) == 1.0);

  std::vector<double> values;
  for (std::size_t i = 0; i < 30000; ++i) {
    const double x = std::ldexp(1.5 + test::value_at<double>(i) / 4, static_cast<int>(test::mixed(i) % 2000) - 1000);
    values.insert(values.end(), {x, -1 / x});
  }
  for (const int league_size : {0, 7}) {
    test::check_reduced(reduced_special<Prod>(values, {.league_size = league_size}), "prod", values);
  }
  CHECK(reduced_special<tessera::Prod<float>>(std::vector{0x1p100f, 0x1p100f, 0x1p-126f, 0x1p-80f}) == 0x1p-6f);
  CHECK(reduced_special<tessera::Prod<float>>(std::vector{0x1p100f, 0x1p28f}) ==
        std::numeric_limits<float>::infinity());
}

TEST_CASE("a product of integers is judged by its final value", "[reduce][prod]") {
  using Prod = tessera::Prod<std::int64_t>;
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  CHECK(reduced_special<Prod>(std::vector<std::int64_t>{lowest / 2, 2}) == lowest);
  CHECK(reduced_special<Prod>(std::vector<std::int64_t>{lowest, -1, -1}) == lowest);
  CHECK(reduced_special<Prod>(std::vector<std::int64_t>{lowest, lowest, lowest, 0, 3}) == 0);
  std::vector<std::int64_t> values(5003, 3);
  values[4000] = 0;
  CHECK(reduced_special<Prod>(values, {.league_size = 7}) == 0);
  CHECK(reduced_special<Prod>(std::vector<std::int64_t>{}) == 1);
  for (const auto& beyond : {std::vector<std::int64_t>{lowest, -1}, std::vector<std::int64_t>{1ll << 32, 1ll << 31},
                             std::vector<std::int64_t>(5003, -3)}) {
    test::check_message(message<Prod>(beyond), {"tessera::reduce", "`in`", "does not fit", "expected", ";"});
  }
  using Unsigned = tessera::Prod<std::uint64_t>;
  CHECK(reduced_special<Unsigned>(std::vector<std::uint64_t>{1ull << 32, 1ull << 31}) == 1ull << 63);
  CHECK(reduced_special<Unsigned>(std::vector<std::uint64_t>{3, 5, 17, 257, 65537, 4294967297}) == ~0ull);
  CHECK_THROWS_AS(reduced_special<Unsigned>(std::vector<std::uint64_t>{1ull << 32, 1ull << 32}), InvalidArgument);
}

struct BelowHalf {
  KOKKOS_FUNCTION bool operator()(float x) const { return !(x >= 0.5f); }
};

TEST_CASE("count asks a predicate", "[reduce][count]") {
  using Count = tessera::Count<float, BelowHalf>;
  std::vector<float> values = test::values<float>(70001);
  std::uint64_t expected = 0;
  for (const float x : values) expected += x < 0.5f ? 1 : 0;
  CHECK(reduced_special<Count>(values) == expected);
  CHECK(reduced_special<Count>(std::vector<float>{}) == 0);
  values.push_back(std::numeric_limits<float>::quiet_NaN());
  CHECK(reduced_special<Count>(values) == expected + 1);
  CHECK(reduced_special<Count>(values, {.nan = NanPolicy::omit}) == expected);
  test::check_message(message<Count>(values, {.nan = NanPolicy::error}), {"element 70001 is NaN"});
}

TEST_CASE("any and all find one element at every place", "[reduce][count]") {
  const std::size_t size = 4099;
  CHECK_FALSE(reduced_special<tessera::Any<double>>(std::vector<double>(size, -0.0)));
  CHECK(reduced_special<tessera::All<double>>(std::vector<double>(size, 0x1p-1074)));
  CHECK_FALSE(reduced_special<tessera::Any<double>>(std::vector<double>{}));
  CHECK(reduced_special<tessera::All<double>>(std::vector<double>{}));
  for (std::size_t at = 0; at < size; at += 1 + at / 9) {
    INFO("element " << at);
    std::vector<double> values(size, 0.0);
    values[at] = 1;
    CHECK(reduced_special<tessera::Any<double>>(values, {.league_size = 3}));
    values[at] = std::numeric_limits<double>::quiet_NaN();
    CHECK(reduced_special<tessera::Any<double>>(values));
    CHECK_FALSE(reduced_special<tessera::Any<double>>(values, {.nan = NanPolicy::omit}));
    for (double& x : values) x = x == 0 ? 1 : 0;
    CHECK_FALSE(reduced_special<tessera::All<double>>(values, {.league_size = 3}));
  }
}

TEST_CASE("bits that all, any, or an odd number of elements have", "[reduce][bits]") {
  using T = std::uint16_t;
  std::vector<T> values(4099, T(0xf0f1));
  values[17] = 0x70ff;
  values[4000] = 0xff01;
  CHECK(reduced_special<tessera::BitAnd<T>>(values) == 0x7001);
  CHECK(reduced_special<tessera::BitOr<T>>(values) == 0xffff);
  CHECK(reduced_special<tessera::BitXor<T>>(values) == (0xf0f1 ^ 0x70ff ^ 0xff01));
  CHECK(reduced_special<tessera::BitAnd<T>>(std::vector<T>{}) == 0xffff);
  CHECK(reduced_special<tessera::BitOr<T>>(std::vector<T>{}) == 0);
  CHECK(reduced_special<tessera::BitXor<T>>(std::vector<T>{}) == 0);
}

TEST_CASE("magnitudes of the lowest integers fit uint64", "[reduce]") {
  CHECK(reduced_special<tessera::LInf<std::int64_t>>(
            std::vector{std::numeric_limits<std::int64_t>::min(), std::int64_t{5}}) == 1ull << 63);
  CHECK(reduced_special<tessera::LInf<std::int8_t>>(std::vector<std::int8_t>{-128, 127}) == 128);
  CHECK(reduced_special<tessera::LInf<double>>(std::vector<double>{}) == 0);
}

TEST_CASE("variances need more elements than ddof", "[reduce][errors]") {
  using Var = tessera::Var<double>;
  const std::vector<double> values{1, 2, 4};
  CHECK(reduced_special<Var>(values, {}, Var{1}) == 7.0 / 3);
  CHECK(reduced_special<Var>(values, {}, Var{2}) == 14.0 / 3);
  CHECK(reduced_special<tessera::Std<double>>(values, {}, {2}) == std::sqrt(14.0 / 3));
  test::check_message(message<Var>(values, {}, Var{3}),
                      {"tessera::reduce", "`in`", "(3) has 3 elements", "expected", "at least 4 elements", "var", ";"});
  test::check_message(message<Var>(values, {}, Var{-1}),
                      {"tessera::reduce", "`reducer`", "ddof -1", "expected", "0 or more", ";"});
  test::check_message(message<Var>(std::vector<double>{}), {"(0) has no elements", "at least one element", "var", ";"});
  const std::vector<double> with_nan{1, 3, std::numeric_limits<double>::quiet_NaN()};
  CHECK(reduced_special<Var>(with_nan, {.nan = NanPolicy::omit}, Var{1}) == 2);
  test::check_message(message<Var>(with_nan, {.nan = NanPolicy::omit}, Var{2}), {"too few elements", "expected", ";"});
}

TEST_CASE("positions, extremes and means of nothing are errors that name them", "[reduce][errors]") {
  const std::vector<float> nothing;
  test::check_message(message<tessera::ArgMin<float>>(nothing), {"(0) has no elements", "one element", "argmin", ";"});
  test::check_message(message<tessera::MinMax<float>>(nothing), {"(0) has no elements", "one element", "minmax", ";"});
  test::check_message(message<tessera::Mean<float>>(nothing), {"(0) has no elements", "one element", "mean", ";"});
}

template <class T>
void check_fast_moments(const std::vector<T>& values, T tolerance) {
  INFO("size " << values.size());
  const tessera::reference::ExactSums exact(values);
  const auto near = [&](T got, T expected) { return std::abs(got - expected) <= tolerance * std::abs(expected); };
  CHECK(near(reduced_special<tessera::Mean<T, Summation::fast>>(values), exact.template mean<T>()));
  CHECK(near(reduced_special<tessera::L1<T, Summation::fast>>(values), exact.template l1<T>()));
  CHECK(near(reduced_special<tessera::L2<T, Summation::fast>>(values), exact.template l2<T>()));
  CHECK(near(reduced_special<tessera::Var<T, Summation::fast>>(values), exact.template variance<T>(0)));
  CHECK(near(reduced_special<tessera::Std<T, Summation::fast>>(values, {.league_size = 3}, {1}),
             exact.template deviation<T>(1)));
}

TEST_CASE("fast means, norms and variances are near the exact ones", "[reduce][fast]") {
  for (const std::size_t size : {2, 17, 4099, 300007}) {
    // Far from 0, where the difference of the sums would lose every bit of a variance.
    std::vector<float> values = test::values<float>(size);
    for (float& x : values) x += 1000;
    check_fast_moments(values, 1e-4f);
  }
  CHECK(reduced_special<tessera::Var<float, Summation::fast>>(std::vector<float>(5003, 1e6f)) == 0);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> with_nan{1, nan, 3, nan};
  CHECK(std::isnan(reduced_special<tessera::Var<float, Summation::fast>>(with_nan)));
  CHECK(reduced_special<tessera::Var<float, Summation::fast>>(with_nan, {.nan = NanPolicy::omit}, {1}) == 2);
  CHECK(reduced_special<tessera::Mean<float, Summation::fast>>(with_nan, {.nan = NanPolicy::omit}) == 2);
  CHECK_THROWS_AS((reduced_special<tessera::Mean<float, Summation::fast>>(with_nan, {.nan = NanPolicy::error})),
                  InvalidArgument);
  CHECK_THROWS_AS((reduced_special<tessera::Mean<float, Summation::fast>>(std::vector<float>{})), InvalidArgument);
}

TEST_CASE("fast variances of an outlier and many others", "[reduce][fast]") {
  // Deviations from the first element alone lose 2^18 units in the last place: chains have 256 elements.
  for (const std::size_t outliers : {1, 3, 7, 8, 9, 60, 64, 100}) {
    INFO(outliers);
    std::vector<float> values = test::values<float>(20000, outliers);
    for (std::size_t i = 0; i < outliers; ++i) values[i] = 1e7f;
    const tessera::reference::ExactSums exact(values);
    for (const int team_size : {1, 0}) {
      const ReduceOptions options{.league_size = team_size, .team_size = team_size};
      const float got = reduced_special<tessera::Var<float, Summation::fast>>(values, options);
      CHECK(std::abs(got - exact.variance<float>(0)) <= 1e-4f * exact.variance<float>(0));
    }
  }
  // Far from zero, whose means float rounds.
  std::vector<double> far = test::values<double>(5000);
  for (double& x : far) x += 0x1p40;
  const double right = tessera::reference::ExactSums(far).variance<double>(0);
  CHECK(std::abs(reduced_special<tessera::Var<double, Summation::fast>>(far) - right) <= 1e-4 * right);
  // Squares of whose means overflow, of teams with threads that have no element.
  const std::vector<float> alike(3, 1e30f);
  CHECK(reduced_special<tessera::Var<float, Summation::fast>>(alike) == 0);
}

}  // namespace

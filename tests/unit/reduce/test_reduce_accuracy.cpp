// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How exact results are: the error bound of fast sums on data made to break it, exact integers, NaN, Inf and zeros.
#include <algorithm>
#include <bit>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "reduce_check.hpp"
#include "support/limits.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
constexpr std::int64_t int64_min = std::numeric_limits<std::int64_t>::min();
constexpr std::uint64_t uint64_max = std::numeric_limits<std::uint64_t>::max();

template <class Reducer, class T, class Space>
auto reduced_once(const Space& space, const std::vector<T>& values, const tessera::ReduceOptions& options = {}) {
  return tessera::reduce(space, test::device_copy<Space>(values), Reducer{}, options);
}

template <class T, class Space>
auto sum(const Space& space, const std::vector<T>& values, const tessera::ReduceOptions& options = {}) {
  return reduced_once<tessera::Sum<T>>(space, values, options);
}

template <class T>
using FastSum = tessera::Sum<T, tessera::Summation::fast>;

TEMPLATE_LIST_TEST_CASE("a fast sum keeps its bound where one long chain would lose it", "[reduce]", test::OneSpace) {
  // One chain of 4 million adds of 0.1f is 2 % off, a thousand times the bound.
  const TestType space;
  const std::vector<float> values(4000037, 0.1f);
  const float naive = [&] {
    float total = 0;
    for (const float x : values) total += x;
    return total;
  }();
  const auto exact = tessera::reference::float_sum(values);
  const long double bound = tessera::reference::fast_sum_bound<float>(exact.sum_abs, values.size());
  REQUIRE_FALSE(test::within(naive, exact.sum, bound));

  test::check_fast_sum(reduced_once<FastSum<float>>(space, values), values);
  for (const int team_size : test::odd_team_sizes(space)) {
    test::check_fast_sum(reduced_once<FastSum<float>>(space, values, {.league_size = 1, .team_size = team_size}),
                         values);
  }
}

TEMPLATE_LIST_TEST_CASE("a fast sum of a strided view keeps its bound too", "[reduce]", test::OneSpace) {
  const std::vector<float> values(1000003, 0.1f);
  const test::GuardedView<float, test::Strided, TestType, 1> in({values.size()}, values);
  test::check_fast_sum(tessera::reduce(TestType(), in.view(), FastSum<float>{}, {.league_size = 1}), values);
}

TEMPLATE_LIST_TEST_CASE("a fast sum of mixed signs and magnitudes keeps its bound", "[reduce]", test::OneSpace) {
  std::vector<float> values = test::values<float>(300007);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::ldexp(values[i], static_cast<int>(i % 41) - 20);
  test::check_fast_sum(reduced_once<FastSum<float>>(TestType(), values), values);
  test::check_reduced(sum(TestType(), values), "sum", values);
}

TEMPLATE_LIST_TEST_CASE("one plan gives a fast sum the same bits on every run", "[reduce]", test::OneSpace) {
  const TestType space;
  const auto in = test::device_copy<TestType>(test::values<float>(500009));
  const float first = tessera::reduce(space, in, FastSum<float>{});
  for (int run = 0; run < 20; ++run) {
    CHECK(test::same_bits(tessera::reduce(space, in, FastSum<float>{}), first));
  }
}

TEMPLATE_LIST_TEST_CASE("an exact sum and a minimum do not depend on the order", "[reduce]", test::OneSpace) {
  const std::vector<float> values = test::values<float>(200003);
  std::vector<float> permuted = values;
  for (std::size_t i = permuted.size(); i-- > 1;) std::swap(permuted[i], permuted[test::mixed(i) % (i + 1)]);
  REQUIRE(permuted != values);
  test::check_reduced(sum(TestType(), permuted), "sum", values);
  test::check_fast_sum(reduced_once<FastSum<float>>(TestType(), permuted), values);
  test::check_reduced(reduced_once<tessera::Min<float>>(TestType(), permuted), "min", values);
}

TEMPLATE_LIST_TEST_CASE("integer sums that overflow only on the way are right", "[reduce]", test::OneSpace) {
  const TestType space;
  CHECK(sum(space, std::vector<std::int64_t>{test::int64_max, test::int64_max, -test::int64_max, -5}) ==
        test::int64_max - 5);
  CHECK(sum(space, std::vector<std::int64_t>{int64_min, int64_min, test::int64_max, test::int64_max, 3}) == 1);
  CHECK(sum(space, std::vector<std::uint64_t>{uint64_max - 7, 7}) == uint64_max);

  // The first half is all large, the second takes it back: every partial sum of a team, chain and thread overflows.
  std::vector<std::int64_t> values(100003, test::int64_max);
  std::fill(values.begin() + 50001, values.end(), -test::int64_max);
  values.back() = 42;
  test::check_reduced(sum(space, values), "sum", values);
  for (const int league_size : test::odd_league_sizes()) {
    test::check_reduced(sum(space, values, {.league_size = league_size}), "sum", values);
  }
}

TEMPLATE_LIST_TEST_CASE("integer sums reach both ends of their type", "[reduce]", test::OneSpace) {
  const TestType space;
  CHECK(sum(space, std::vector<std::int64_t>{test::int64_max - 1, 1}) == test::int64_max);
  CHECK(sum(space, std::vector<std::int64_t>{int64_min + 1, -1}) == int64_min);
  CHECK(sum(space, std::vector<std::uint64_t>{uint64_max}) == uint64_max);
  constexpr auto int32_min = std::numeric_limits<std::int32_t>::min();
  CHECK(sum(space, std::vector<std::int32_t>(1000003, int32_min)) == 1000003 * std::int64_t{int32_min});
  constexpr auto uint32_max = std::numeric_limits<std::uint32_t>::max();
  CHECK(sum(space, std::vector<std::uint32_t>(100003, uint32_max)) == 100003 * std::uint64_t{uint32_max});
  CHECK(sum(space, std::vector<std::int8_t>(100003, -128)) == -128 * 100003);
}

template <class T, class Space>
void check_nan_at_every_place(const Space& space) {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
  for (const std::size_t size : {1, 5, 33, 4097}) {
    for (std::size_t at = 0; at < size; at += 1 + size / 13) {
      INFO("size " << size << ", NaN at " << at);
      std::vector<T> values = test::values<T>(size);
      values[0] = -infinity;
      values[at] = nan;
      CHECK(std::isnan(sum(space, values)));
      CHECK(std::isnan(reduced_once<tessera::Min<T>>(space, values)));
      CHECK(std::isnan(reduced_once<tessera::Max<T>>(space, values)));
    }
  }
}

TEMPLATE_LIST_TEST_CASE("a NaN anywhere makes the result NaN", "[reduce]", test::OneSpace) {
  check_nan_at_every_place<float>(TestType());
  check_nan_at_every_place<double>(TestType());
}

TEMPLATE_LIST_TEST_CASE("a NaN extremum is the quiet one", "[reduce]", test::OneSpace) {
  const std::vector<float> values{1, test::poison<float>(), 2};
  CHECK(std::bit_cast<std::uint32_t>(reduced_once<tessera::Min<float>>(TestType(), values)) == 0x7fc00000u);
  CHECK(std::bit_cast<std::uint32_t>(reduced_once<tessera::Max<float>>(TestType(), values)) == 0x7fc00000u);
}

TEMPLATE_LIST_TEST_CASE("infinities are ordinary values", "[reduce]", test::OneSpace) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const TestType space;
  std::vector<double> values = test::values<double>(1009);
  values[500] = infinity;
  CHECK(sum(space, values) == infinity);
  CHECK(reduced_once<tessera::Max<double>>(space, values) == infinity);
  CHECK(reduced_once<tessera::Min<double>>(space, values) > -1);
  values[800] = -infinity;
  CHECK(std::isnan(sum(space, values)));
  CHECK(reduced_once<tessera::Min<double>>(space, values) == -infinity);
  CHECK(reduced_once<tessera::Min<double>>(space, std::vector<double>(1009, infinity)) == infinity);
  CHECK(reduced_once<tessera::Max<double>>(space, std::vector<double>(1009, -infinity)) == -infinity);
}

TEMPLATE_LIST_TEST_CASE("negative zero is below positive zero", "[reduce]", test::OneSpace) {
  const TestType space;
  for (const std::size_t size : {2, 17, 5003}) {
    for (const std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
      std::vector<double> values(size, 0.0);
      values[at] = -0.0;
      CHECK(std::signbit(reduced_once<tessera::Min<double>>(space, values)));
      CHECK_FALSE(std::signbit(reduced_once<tessera::Max<double>>(space, values)));
      for (double& x : values) x = -x;
      CHECK(std::signbit(reduced_once<tessera::Min<double>>(space, values)));
      CHECK_FALSE(std::signbit(reduced_once<tessera::Max<double>>(space, values)));
    }
  }
}

/// Both zeros at every place of the groups that a thread takes, among elements that are no better; or a NaN.
template <class T, class Space>
void check_places_in_groups(const Space& space, const tessera::ReduceOptions& options) {
  constexpr std::size_t size = 71;
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  for (std::size_t at = 0; at < size; ++at) {
    INFO("place " << at);
    const std::size_t further = (at + 9) % size;
    std::vector<T> values(size, T(1.5));
    const auto min = [&] { return reduced_once<tessera::Min<T>>(space, values, options); };
    const auto max = [&] { return reduced_once<tessera::Max<T>>(space, values, options); };
    values[at] = T(0);
    CHECK(test::same_value(min(), T(0)));
    values[further] = -T(0);
    CHECK(test::same_value(min(), -T(0)));
    for (T& x : values) x = -x;
    CHECK(test::same_value(max(), T(0)));
    values[further] = -T(0);
    CHECK(test::same_value(max(), -T(0)));
    values[further] = -nan;
    CHECK(test::same_value(min(), nan));
    CHECK(test::same_value(max(), nan));
  }
}

TEMPLATE_LIST_TEST_CASE("zeros and NaN count at every place of a group", "[reduce]", test::OneSpace) {
  check_places_in_groups<float>(TestType(), {});
  check_places_in_groups<double>(TestType(), {});
  check_places_in_groups<float>(TestType(), {.league_size = 1, .team_size = 1});
  check_places_in_groups<double>(TestType(), {.league_size = 1, .team_size = 1});
}

TEMPLATE_LIST_TEST_CASE("the sum of nothing is zero", "[reduce]", test::OneSpace) {
  const TestType space;
  CHECK(test::same_value(sum(space, std::vector<float>{}), 0.0f));
  CHECK(sum(space, std::vector<std::int64_t>{}) == 0);
  CHECK(sum(space, std::vector<std::uint64_t>{}, {.league_size = 7}) == 0);
}

}  // namespace

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer data: exact with whole weights, clamped, never wrapped; in double with other weights. One space: what differs
// between spaces, test_filter.cpp sees.
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "filter_check.hpp"
#include "support/limits.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::FilterOptions;
constexpr std::int64_t int64_min = std::numeric_limits<std::int64_t>::min();
constexpr std::uint64_t uint64_max = std::numeric_limits<std::uint64_t>::max();
constexpr std::int32_t int32_max = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t int32_min = std::numeric_limits<std::int32_t>::min();

/// Values over the whole range of T, both ends among them.
template <class T>
std::vector<T> extreme_values(std::size_t size) {
  std::vector<T> line;
  for (std::size_t i = 0; i < size; ++i) line.push_back(static_cast<T>(test::mixed(i, 5)));
  line[0] = line[size / 2] = std::numeric_limits<T>::max();
  line[size - 1] = line[size / 3] = std::numeric_limits<T>::min();
  return line;
}

template <class In, class Out, class Space>
void check_extremes(const Space& space, const std::vector<double>& weights) {
  test::FilterCheck<In, Out, test::Right, test::Right, Space, 1> check(space, {331}, extreme_values<In>(331), weights);
  check.check_both({.mode_left = BoundaryMode::reflect, .mode_right = BoundaryMode::wrap});
  check.check_both({.mode_left = BoundaryMode::constant,
                    .mode_right = BoundaryMode::keep,
                    .cval = std::uint64_t{std::numeric_limits<In>::max()}});
  check.check({.mode_left = BoundaryMode::odd, .mode_right = BoundaryMode::odd}, false);
}

/// Sums of products below 2^62, then beyond 64 bits, then near 2^126.
template <class In, class Out, class Space>
void check_all_widths(const Space& space) {
  check_extremes<In, Out>(space, {1, -2, 1});
  check_extremes<In, Out>(space, {1000003, -999, 7, 5});
  check_extremes<In, Out>(space, {0x1p40, -0x1p52, 3, 0x1p60, -1});
  check_extremes<In, Out>(space, {1});
}

TEMPLATE_LIST_TEST_CASE("int32 filters are exact", "[filter]", test::OneSpace) {
  check_all_widths<std::int32_t, std::int64_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("int64 filters are exact and clamp", "[filter]", test::OneSpace) {
  check_all_widths<std::int64_t, std::int64_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("uint64 filters are exact and clamp", "[filter]", test::OneSpace) {
  check_all_widths<std::uint64_t, std::uint64_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("uint64 filters with negative weights give int64", "[filter]", test::OneSpace) {
  check_all_widths<std::uint64_t, std::int64_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("exact integers round once to double", "[filter]", test::OneSpace) {
  check_all_widths<std::int64_t, double>(TestType());
}
TEMPLATE_LIST_TEST_CASE("integer results clamp to narrower types", "[filter]", test::OneSpace) {
  check_all_widths<std::int32_t, std::int32_t>(TestType());
}

/// Weights whose sum of magnitudes, with elements of that range, is the largest that sums of 32 bits are for, and one
/// more.
template <class T>
void check_short_sums(const auto& space) {
  using tessera::detail::FilterArithmetic;
  const double most = 0x1p30 / (std::is_signed_v<T> ? -static_cast<double>(std::numeric_limits<T>::min())
                                                    : static_cast<double>(std::numeric_limits<T>::max()) + 1);
  const std::vector<double> largest{most / 2, 1 - most / 2}, beyond{most / 2, -most / 2};
  const auto arithmetic_of = [&](const std::vector<double>& weights, BoundaryMode mode) {
    const tessera::FilterWeights<std::remove_cvref_t<decltype(space)>> device_weights(space, weights);
    return tessera::detail::filter_arithmetic<T>("test", device_weights, 331,
                                                 {.mode_left = mode, .mode_right = BoundaryMode::wrap});
  };
  CHECK(arithmetic_of(largest, BoundaryMode::wrap) == FilterArithmetic::int32);
  CHECK(arithmetic_of(beyond, BoundaryMode::wrap) == FilterArithmetic::int64);
  CHECK(arithmetic_of(largest, BoundaryMode::odd) == FilterArithmetic::int64);
  CHECK(arithmetic_of({0.5, 1}, BoundaryMode::wrap) == FilterArithmetic::float64);
  for (const auto& weights : {largest, beyond, std::vector<double>{3, -7, 11, 2}}) {
    check_extremes<T, T>(space, weights);
    check_extremes<T, std::int64_t>(space, weights);
    test::FilterCheck<T, T, test::Left, test::Left, std::remove_cvref_t<decltype(space)>, 2> across(
        space, {67, 45}, extreme_values<T>(std::size_t{67} * 45), weights);
    across.check_both({.mode_left = BoundaryMode::odd, .mode_right = BoundaryMode::keep});
  }
}

TEMPLATE_LIST_TEST_CASE("short integers are exact in sums of 32 bits", "[filter]", test::OneSpace) {
  check_short_sums<std::int8_t>(TestType());
  check_short_sums<std::uint8_t>(TestType());
  check_short_sums<std::int16_t>(TestType());
  check_short_sums<std::uint16_t>(TestType());
}

template <class Out, class In>
void check_conversion() {
  using tessera::detail::Int128;
  constexpr Int128 low = std::numeric_limits<Out>::min(), high = std::numeric_limits<Out>::max();
  for (const Int128 near :
       {Int128{std::numeric_limits<In>::min()}, Int128{std::numeric_limits<In>::max()}, low, high, Int128{0}}) {
    for (int beside = -1; beside <= 1; ++beside) {
      const auto value = static_cast<In>(near + beside);
      const Int128 wide = value;
      CHECK(tessera::detail::convert<Out>(value) == static_cast<Out>(wide < low ? low : wide > high ? high : wide));
    }
  }
}

template <class Out, class... In>
void check_conversions_to() {
  (check_conversion<Out, In>(), ...);
}
template <class... T>
void check_conversions() {
  (check_conversions_to<T, T...>(), ...);
}

TEST_CASE("integers of all types convert to all by clamping", "[filter]") {
  check_conversions<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                    std::uint64_t>();
}

TEMPLATE_LIST_TEST_CASE("integer filters clamp at both ends, and only there", "[filter]", test::OneSpace) {
  const TestType space;
  const FilterOptions zero{.mode_left = BoundaryMode::constant, .mode_right = BoundaryMode::constant};
  // A sum that leaves 64 bits on the way and comes back.
  test::check_values(
      test::filtered<std::int64_t>(space, std::vector<std::int64_t>{test::int64_max, test::int64_max, int64_min, 5},
                                   {1, 1, 1}, zero),
      std::vector<std::int64_t>{test::int64_max, test::int64_max - 1, 4, int64_min + 5});
  test::check_values(
      test::filtered<std::int64_t>(space, std::vector<std::int64_t>{int64_min, int64_min, test::int64_max}, {2}, zero),
      std::vector<std::int64_t>{int64_min, int64_min, test::int64_max});
  test::check_values(
      test::filtered<std::uint64_t>(space, std::vector<std::uint64_t>{3, uint64_max, 4}, {-1, 1, 0}, zero),
      std::vector<std::uint64_t>{3, uint64_max - 3, 0});
  test::check_values(test::filtered<std::int32_t>(space, std::vector<std::int32_t>{int32_max, int32_min, 1}, {2}, zero),
                     std::vector<std::int32_t>{int32_max, int32_min, 2});
}

template <class In, class Out, class Space>
void check_odd_integers(const Space& space, std::vector<In> line, const std::vector<double>& weights) {
  const std::size_t size = line.size();
  test::FilterCheck<In, Out, test::Right, test::Right, Space, 1>(space, {size}, std::move(line), weights)
      .check_both({.mode_left = BoundaryMode::odd, .mode_right = BoundaryMode::odd});
}

TEMPLATE_LIST_TEST_CASE("odd ends of integers are exact where their values leave the type", "[filter]",
                        test::OneSpace) {
  const TestType space;
  // Products that 64 bits hold for elements of the line, but not for what is beyond it.
  std::vector<double> weights(41, 0.0);
  weights.front() = weights.back() = 0x1p29;
  weights[1] = -0x1p29;
  check_odd_integers<std::int32_t, std::int64_t>(space, {int32_min, int32_max}, weights);
  check_odd_integers<std::int32_t, std::int32_t>(space, {int32_max, 0, int32_min}, weights);
  check_odd_integers<std::int64_t, std::int64_t>(space, {int64_min, 5, test::int64_max}, {1, -3, 1, 0, 2});
  check_odd_integers<std::int64_t, std::int64_t>(space, {int64_min, 7}, {0, 0, 0});
}

TEMPLATE_LIST_TEST_CASE("renormalised integers are computed in double", "[filter]", test::OneSpace) {
  const TestType space;
  const FilterOptions renormalise{.mode_left = BoundaryMode::renormalise, .mode_right = BoundaryMode::renormalise};
  test::check_values(test::filtered<double>(space, std::vector<std::int64_t>{2, 3, 8, -5}, {1, 0, 1}, renormalise),
                     std::vector<double>{3 * 2, 10, -2, 8 * 2});
  test::check_values(
      test::filtered<std::int64_t>(space, std::vector<std::int32_t>{2, 3, 8, -5}, {1, 2, 1}, renormalise),
      std::vector<std::int64_t>{9, 16, 14, -3});
}

TEMPLATE_LIST_TEST_CASE("integer data with fractional weights is computed in double", "[filter]", test::OneSpace) {
  const TestType space;
  test::filter_check<std::int64_t, double>(space, 3, 1009, test::fractional_weights(8)).check_both({});
  test::filter_check<std::uint64_t, double>(space, 3, 1009, test::fractional_weights(8)).check_both({});
  test::filter_check<std::int32_t, std::int64_t>(space, 3, 1009, test::fractional_weights(8)).check_both({});
}

TEMPLATE_LIST_TEST_CASE("rounding to integers is to nearest, ties to even", "[filter]", test::OneSpace) {
  const TestType space;
  const std::vector<std::int32_t> line{-5, -3, -1, 1, 3, 5, 7, 2};
  test::check_values(test::filtered<std::int64_t>(space, line, {0.5}),
                     std::vector<std::int64_t>{-2, -2, 0, 0, 2, 2, 4, 1});
  test::check_values(test::filtered<std::int64_t>(space, line, {0.75}),
                     std::vector<std::int64_t>{-4, -2, -1, 1, 2, 4, 5, 2});
}

TEMPLATE_LIST_TEST_CASE("float results convert to integers: NaN 0, infinities and large values clamp", "[filter]",
                        test::OneSpace) {
  const TestType space;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> line{
      std::numeric_limits<double>::quiet_NaN(), infinity, -infinity, 1e300, -1e300, 2.5, -0.5, 0x1p63, -0x1p63, 9.3};
  test::check_values(test::filtered<std::int64_t>(space, line, {1}),
                     std::vector<std::int64_t>{0, test::int64_max, int64_min, test::int64_max, int64_min, 2, 0,
                                               test::int64_max, int64_min, 9});
  test::check_values(test::filtered<std::uint64_t>(space, std::vector<double>{-1, 0x1p64, 0x1p63, -infinity}, {1}),
                     std::vector<std::uint64_t>{0, uint64_max, std::uint64_t{1} << 63, 0});
}

}  // namespace

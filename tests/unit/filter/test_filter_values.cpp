// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NaN, Inf, accumulation in double, and the conversions of results.
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "filter_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::FilterOptions;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Which outputs read element `at`, by the reference: a line of zeros with a 1 there, weights of 1.
std::vector<bool> readers(std::size_t size, std::size_t at, std::size_t taps, const FilterOptions& options) {
  tessera::reference::LinearFilter<long double> filter;
  filter.weights.assign(taps, 1);
  filter.left = test::edge_of(options.mode_left);
  filter.right = test::edge_of(options.mode_right);
  filter.origin = options.origin;
  std::vector<double> line(size, 0.0);
  line[at] = 1;
  std::vector<bool> reads;
  for (const auto& output : tessera::reference::filter_line(line, filter)) reads.push_back(output.value != 0);
  return reads;
}

template <class Space>
void check_reach(const Space& space, std::size_t size, std::size_t taps, const FilterOptions& options) {
  for (std::size_t at = 0; at < size; at += 1 + size / 23) {
    INFO("NaN at " << at << " of " << size << ", " << test::described(options, false, taps));
    std::vector<double> line = test::values<double>(size);
    line[at] = nan;
    const std::vector<double> out = test::filtered<double>(space, line, test::fractional_weights(taps), options);
    std::vector<int> got, expected;
    for (const bool reads : readers(size, at, taps, options)) expected.push_back(reads);
    for (const double x : out) got.push_back(std::isnan(x));
    test::check_values(got, expected);
  }
}

TEMPLATE_LIST_TEST_CASE("a NaN reaches exactly the outputs whose window holds it", "[filter]", test::Spaces) {
  const TestType space;
  const std::size_t tile = test::filter_tile<double>(space);
  for (const BoundaryMode mode : tessera::boundary_modes) {
    const FilterOptions options{.mode_left = mode, .mode_right = mode};
    check_reach(space, 9, 4, options);
    check_reach(space, 2 * tile + 3, 5, options);
    check_reach(space, tile + 70, 600, options);
  }
}

TEMPLATE_LIST_TEST_CASE("a zero weight reads its element: 0 * Inf and 0 * NaN are NaN", "[filter]", test::Spaces) {
  const TestType space;
  const std::vector<double> weights{0, 1, 0};
  const auto out = test::filtered<double>(space, std::vector<double>{1, 2, infinity, 4, 5, nan, 7, 8, 9}, weights);
  test::check_values(out, {1, nan, infinity, nan, nan, nan, nan, 8, 9});
}

TEMPLATE_LIST_TEST_CASE("infinities keep their sign and cancel to NaN", "[filter]", test::Spaces) {
  const auto out = test::filtered<float>(
      TestType(), std::vector<float>{0, static_cast<float>(infinity), 1, 2, static_cast<float>(-infinity), 3},
      {1, 1, 1});
  const auto plus = static_cast<float>(infinity), minus = static_cast<float>(-infinity);
  test::check_values(out, {plus, plus, plus, minus, minus, minus});
  const auto cancelled = test::filtered<double>(TestType(), std::vector<double>{infinity, 1, -infinity}, {1, 1, 1});
  test::check_values(cancelled, {infinity, nan, -infinity});
}

TEMPLATE_LIST_TEST_CASE("a NaN cval reaches the outputs that read it", "[filter]", test::Spaces) {
  const FilterOptions options{.mode_left = BoundaryMode::constant, .mode_right = BoundaryMode::constant, .cval = nan};
  const auto out = test::filtered<double>(TestType(), std::vector<double>{1, 2, 3, 4, 5}, {1, 1, 1}, options);
  test::check_values(out, {nan, 6, 9, 12, nan});
}

TEMPLATE_LIST_TEST_CASE("accumulation in double keeps what float loses", "[filter]", test::Spaces) {
  const TestType space;
  const std::vector<float> line{1e8f, 1, -1e8f, 1e8f, 1, -1e8f};
  const std::vector<double> weights{1, 1, 1};
  const FilterOptions wrap{.mode_left = BoundaryMode::wrap, .mode_right = BoundaryMode::wrap};
  FilterOptions in_double = wrap;
  in_double.accumulate = tessera::FilterAccumulate::float64;
  test::check_values(test::filtered<float>(space, line, weights, in_double), std::vector<float>(6, 1));
  CHECK(test::filtered<float>(space, line, weights, wrap) != std::vector<float>(6, 1));

  auto check = test::filter_check<float, float>(space, 3, 1009, test::fractional_weights(41));
  check.check_both(in_double);
  auto to_double = test::filter_check<float, double>(space, 3, 1009, test::fractional_weights(41));
  to_double.check_both(in_double);
}

TEMPLATE_LIST_TEST_CASE("a unit filter loses no bit", "[filter]", test::Spaces) {
  const std::vector<std::int64_t> line{(std::int64_t{1} << 53) + 1, -7, std::numeric_limits<std::int64_t>::min()};
  test::check_values(test::filtered<std::int64_t>(TestType(), line, {1}), line);
  const std::vector<float> subnormal{1e-45f, -1e-40f, 1.5f, -0.5f};
  test::check_bits(test::filtered<float>(TestType(), subnormal, {1}), subnormal);
}

TEMPLATE_LIST_TEST_CASE("nearly symmetric weights are not taken for symmetric", "[filter]", test::Spaces) {
  const FilterOptions options{.mode_left = BoundaryMode::constant, .mode_right = BoundaryMode::constant};
  const auto out = test::filtered<double>(TestType(), std::vector<double>{0, 0, 1e17}, {1e-17, 0, 3e-17}, options);
  test::check_values(out, {0, 3, 0});
}

}  // namespace

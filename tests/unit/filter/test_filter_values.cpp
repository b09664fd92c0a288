// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NaN, Inf, accumulation in double, and the conversions of results.
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "filter_check.hpp"
#include "support/limits.hpp"
#include "support/message.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::FilterOptions;

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
  for (const auto& output : tessera::reference::filter_line(line, filter))
    reads.push_back(output.value != 0 || output.sum_abs != 0);
  return reads;
}

template <class Space>
void check_reach(const Space& space, std::size_t size, std::size_t taps, const FilterOptions& options) {
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}, size / 2, size - 2, size - 1}) {
    INFO("NaN at " << at << " of " << size << ", " << test::described(options, false, taps));
    std::vector<double> line = test::values<double>(size);
    line[at] = test::nan;
    const std::vector<double> out = test::filtered<double>(space, line, test::fractional_weights(taps), options);
    std::vector<int> got, expected;
    for (const bool reads : readers(size, at, taps, options)) expected.push_back(reads);
    for (const double x : out) got.push_back(std::isnan(x));
    test::check_values(got, expected);
  }
}

TEMPLATE_LIST_TEST_CASE("filters with weights: a NaN reaches exactly the outputs whose window holds it", "[filter]",
                        test::OneSpace) {
  const TestType space;
  const std::size_t tile = test::filter_tile<double>(space);
  for (const BoundaryMode mode : tessera::boundary_modes) {
    const FilterOptions options{.mode_left = mode, .mode_right = mode};
    check_reach(space, 9, 4, options);
    check_reach(space, 2 * tile + 3, 5, options);
    check_reach(space, 90, 600, options);
  }
}

TEMPLATE_LIST_TEST_CASE("a zero weight reads its element: 0 * Inf and 0 * NaN are NaN", "[filter]", test::OneSpace) {
  const TestType space;
  const std::vector<double> weights{0, 1, 0};
  const auto out =
      test::filtered<double>(space, std::vector<double>{1, 2, test::infinity, 4, 5, test::nan, 7, 8, 9}, weights);
  test::check_values(out, {1, test::nan, test::infinity, test::nan, test::nan, test::nan, test::nan, 8, 9});
}

TEMPLATE_LIST_TEST_CASE("infinities keep their sign and cancel to NaN", "[filter]", test::OneSpace) {
  const auto out = test::filtered<float>(
      TestType(),
      std::vector<float>{0, static_cast<float>(test::infinity), 1, 2, static_cast<float>(-test::infinity), 3},
      {1, 1, 1});
  const auto plus = static_cast<float>(test::infinity), minus = static_cast<float>(-test::infinity);
  test::check_values(out, {plus, plus, plus, minus, minus, minus});
  const auto cancelled =
      test::filtered<double>(TestType(), std::vector<double>{test::infinity, 1, -test::infinity}, {1, 1, 1});
  test::check_values(cancelled, {test::infinity, test::nan, -test::infinity});
}

TEMPLATE_LIST_TEST_CASE("a NaN cval reaches the outputs that read it", "[filter]", test::OneSpace) {
  const FilterOptions options{
      .mode_left = BoundaryMode::constant, .mode_right = BoundaryMode::constant, .cval = test::nan};
  const auto out = test::filtered<double>(TestType(), std::vector<double>{1, 2, 3, 4, 5}, {1, 1, 1}, options);
  test::check_values(out, {test::nan, 6, 9, 12, test::nan});
}

template <class Space>
void check_omitted(const Space& space, BoundaryMode left, BoundaryMode right, const std::vector<double>& line) {
  test::FilterCheck<double, double, test::Right, test::Right, Space, 1> check(space, {line.size()}, line,
                                                                              test::fractional_weights(5));
  check.check_both({.mode_left = left, .mode_right = right, .cval = test::nan, .nan = tessera::NanPolicy::omit});
}

TEMPLATE_LIST_TEST_CASE("omitted NaN count in no output, under any mode", "[filter]", test::OneSpace) {
  std::vector<double> line = test::values<double>(61);
  for (const std::size_t at : {0, 1, 20, 22, 40, 41, 42, 43, 44, 60}) line[at] = test::nan;
  for (const BoundaryMode mode : tessera::boundary_modes) check_omitted(TestType(), mode, mode, line);
  check_omitted(TestType(), BoundaryMode::valid, BoundaryMode::odd, {test::nan, test::nan, 3});
  check_omitted(TestType(), BoundaryMode::constant, BoundaryMode::renormalise, {test::nan});
}

TEMPLATE_LIST_TEST_CASE("what is left without NaN is scaled", "[filter]", test::OneSpace) {
  const TestType space;
  const FilterOptions omit{.mode_left = BoundaryMode::keep, .nan = tessera::NanPolicy::omit};
  test::check_values(
      test::filtered<double>(space, std::vector<double>{test::nan, 3, 5, test::nan, test::nan, test::nan, 7}, {1, 2, 1},
                             omit),
      std::vector<double>{test::nan, 11 * 4 / 3.0, 13 * 4 / 3.0, 5 * 4, test::nan, 7 * 4, 7 * 4});
  test::check_values(test::filtered<std::int64_t>(
                         space, std::vector<double>{test::nan, 3, test::nan, test::nan, test::nan}, {1, 2, 1}, omit),
                     std::vector<std::int64_t>{0, 12, 12, 0, 0});
}

TEMPLATE_LIST_TEST_CASE("omitting NaN changes nothing where there are none", "[filter]", test::OneSpace) {
  const TestType space;
  const std::vector<double> line = test::values<double>(301);
  const std::vector<double> weights = test::fractional_weights(7);
  test::check_bits(test::filtered<double>(space, line, weights, {.nan = tessera::NanPolicy::omit}),
                   test::filtered<double>(space, line, weights, {.variant = tessera::FilterVariant::direct}));
  test::check_values(
      test::filtered<std::int64_t>(space, std::vector<std::int64_t>{1, 5}, {1, -1}, {.nan = tessera::NanPolicy::omit}),
      std::vector<std::int64_t>{0, -4});
}

TEMPLATE_LIST_TEST_CASE("NaN policy error names the first NaN in row-major order", "[filter][errors]", test::OneSpace) {
  const TestType space;
  const tessera::Workspace<TestType> workspace(space, 0);
  const tessera::FilterWeights<TestType> weights(space, std::vector<double>{1, 2, 1});
  FilterOptions options{.nan = tessera::NanPolicy::error};
  std::vector<double> values = test::values<double>(5 * 7);
  const auto filter = [&](bool convolve) {
    // Row-major order is not that of memory.
    const test::GuardedView<double, test::Left, TestType, 2> in({5, 7}, values), out({5, 7});
    if (convolve) {
      tessera::convolve(space, in.view(), weights, out.view(), options, workspace);
    } else {
      tessera::correlate(space, in.view(), weights, out.view(), options, workspace);
    }
    space.fence();
    return out.read();
  };
  CHECK(std::isfinite(filter(false)[17]));
  CHECK_NOTHROW(tessera::check(space, workspace));
  values[17] = values[29] = values[34] = test::nan;
  for (const bool convolve : {false, true}) {
    const std::vector<double> out = filter(convolve);
    CHECK((std::isfinite(out[15]) && std::isnan(out[16]) && std::isnan(out[34])));
    const auto call = [&] { tessera::check(space, workspace); };
    test::check_message(test::message_of<tessera::InvalidArgument>(call),
                        {"tessera::filter", "`in`", "element 17 is NaN", "expected", "NanPolicy::error", ";", "omit"});
  }
  options.mode_left = BoundaryMode::constant;
  options.cval = test::nan;
  test::check_message(test::message_of<tessera::InvalidArgument>([&] { filter(false); }),
                      {"tessera::correlate", "`options`", "NaN cval", "expected", "a number", ";"});
}

TEMPLATE_LIST_TEST_CASE("accumulation in double keeps what float loses", "[filter]", test::OneSpace) {
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

TEMPLATE_LIST_TEST_CASE("a unit filter loses no bit", "[filter]", test::OneSpace) {
  const std::vector<std::int64_t> line{(std::int64_t{1} << 53) + 1, -7, std::numeric_limits<std::int64_t>::min()};
  test::check_values(test::filtered<std::int64_t>(TestType(), line, {1}), line);
  const std::vector<float> subnormal{1e-45f, -1e-40f, 1.5f, -0.5f};
  test::check_bits(test::filtered<float>(TestType(), subnormal, {1}), subnormal);
}

TEMPLATE_LIST_TEST_CASE("nearly symmetric weights are not taken for symmetric", "[filter]", test::OneSpace) {
  const FilterOptions options{.mode_left = BoundaryMode::constant, .mode_right = BoundaryMode::constant};
  const auto out = test::filtered<double>(TestType(), std::vector<double>{0, 0, 1e17}, {1e-17, 0, 3e-17}, options);
  test::check_values(out, {0, 3, 0});
}

}  // namespace

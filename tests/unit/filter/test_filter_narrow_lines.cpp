// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contiguous lines under few taps: those that a device takes many of at a time, and long ones whose threads make runs
// of chunks.
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>

#include "filter_check.hpp"
#include "support/limits.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::FilterOptions;

/// Lines of more than eight tiles.
template <class T, class Space>
std::size_t long_line(const Space& space) {
  return 9 * test::filter_tile<T>(space) + 13;
}

template <class T, class Space>
void check_long(const Space& space) {
  for (const std::size_t taps : {17, 18, 24, 31, 33}) {
    auto check = test::filter_check<T, T>(space, 2, long_line<T>(space), test::fractional_weights(taps));
    check.check_both({.mode_left = BoundaryMode::mirror, .mode_right = BoundaryMode::constant, .cval = 1.5});
    check.check({.mode_left = BoundaryMode::odd, .mode_right = BoundaryMode::keep, .origin = 3}, false);
    check.check({.mode_left = BoundaryMode::valid, .mode_right = BoundaryMode::wrap, .team_size = 1}, false);
  }
}

TEMPLATE_LIST_TEST_CASE("up to 33 taps on long lines of float", "[filter]", test::OneSpace) {
  check_long<float>(TestType());
}
TEMPLATE_LIST_TEST_CASE("up to 33 taps on long lines of double", "[filter]", test::OneSpace) {
  check_long<double>(TestType());
}

TEMPLATE_LIST_TEST_CASE("33 taps on misaligned lines", "[filter]", test::OneSpace) {
  const TestType space;
  const std::size_t size = long_line<float>(space);
  test::FilterCheck<float, float, test::Misaligned, test::Misaligned, TestType, 2>(
      space, {3, size}, test::values<float>(3 * size, 4), test::fractional_weights(33))
      .check_both({});
}

TEMPLATE_LIST_TEST_CASE("a NaN or an infinity reaches the outputs of its windows in long lines", "[filter]",
                        test::OneSpace) {
  const TestType space;
  const std::size_t size = long_line<double>(space), taps = 31;
  std::vector<double> line(size, 1.0);
  const std::vector<std::size_t> places{0, 1000, 1500, size / 2, size - 1};
  for (const std::size_t at : places) line[at] = at % 3 == 0 ? test::nan : test::infinity;
  const std::vector<double> out = test::filtered<double>(space, line, std::vector<double>(taps, 1.0));
  std::vector<int> got, expected;
  for (std::size_t i = 0; i < size; ++i) {
    bool reads = false;  // reflections of the ends lie in windows that hold the ends
    for (const std::size_t at : places) reads = reads || (i + taps / 2 >= at && i <= at + taps / 2);
    expected.push_back(reads);
    got.push_back(!std::isfinite(out[i]));
  }
  test::check_values(got, expected);
}

/// One line, and more than two tiles of them.
template <class T, class Space>
void check_many(const Space& space, std::size_t size, std::size_t taps) {
  for (const std::size_t lines : {std::size_t{1}, std::size_t{7}, 6000 / size}) {
    auto check = test::filter_check<T, T>(space, lines, size, test::fractional_weights(taps));
    check.check_both({.mode_left = BoundaryMode::reflect, .mode_right = BoundaryMode::constant, .cval = 1.5});
    check.check({.mode_left = BoundaryMode::wrap, .mode_right = BoundaryMode::mirror, .league_size = 2}, false);
    check.check({.mode_left = BoundaryMode::keep, .mode_right = BoundaryMode::odd}, false);
    check.check({.mode_left = BoundaryMode::valid, .mode_right = BoundaryMode::nearest}, false);
    check.check({.mode_left = BoundaryMode::renormalise, .mode_right = BoundaryMode::valid}, false);
  }
}

template <class T, class Space>
void check_short(const Space& space) {
  check_many<T>(space, 1, 1);
  check_many<T>(space, 3, 3);
  check_many<T>(space, 17, 3);
  check_many<T>(space, 17, 9);
  check_many<T>(space, 17, 10);
  check_many<T>(space, 200, 5);
}

TEMPLATE_LIST_TEST_CASE("many short lines of float", "[filter]", test::OneSpace) { check_short<float>(TestType()); }
TEMPLATE_LIST_TEST_CASE("many short lines of double", "[filter]", test::OneSpace) { check_short<double>(TestType()); }

/// As many lines as a team takes, one less and one more, where the plan says that some are taken at once.
template <class T, class InLayout, class OutLayout, class Space>
void check_lines(const Space& space, std::size_t size, std::size_t taps) {
  const test::GuardedView<T, test::Right, Space, 2> many({10000, size});
  const tessera::FilterWeights<Space> weights(space, test::fractional_weights(taps));
  const auto tile = static_cast<std::size_t>(filter_plan(space, many.const_view(), weights, many.view()).tile);
  const std::size_t team = std::max<std::size_t>(2, tile / size);
  const int few = test::runs_on_host<Space> ? 1 : 3;
  for (const std::size_t lines : {team - 1, team, team + 1}) {
    test::FilterCheck<T, T, InLayout, OutLayout, Space, 2> check(space, {lines, size}, test::values<T>(lines * size, 4),
                                                                 test::fractional_weights(taps));
    check.check_both({.mode_left = BoundaryMode::reflect, .mode_right = BoundaryMode::constant, .cval = 1.5});
    check.check({.mode_left = BoundaryMode::mirror, .mode_right = BoundaryMode::wrap, .league_size = 2}, false);
    check.check({.mode_left = BoundaryMode::odd, .mode_right = BoundaryMode::keep, .team_size = few}, false);
  }
}

/// Extents about the chunks and banks of scratch.
template <class T, class Space>
void check_line_sizes(const Space& space) {
  for (const std::size_t size : {2, 4, 7, 8, 9, 16, 17, 31, 32, 33, 64}) {
    for (const std::size_t taps : {2, 5, 6, 9, 12}) {
      if (taps <= size) check_lines<T, test::Right, test::Right>(space, size, taps);
    }
    check_lines<T, test::Right, test::Misaligned>(space, size, 2);
    check_lines<T, test::Misaligned, test::Right>(space, size, 2);
    check_lines<T, test::Misaligned, test::Misaligned>(space, size, 2);
  }
}

TEMPLATE_LIST_TEST_CASE("short lines of float about what a team takes", "[filter]", test::OneSpace) {
  check_line_sizes<float>(TestType());
}
TEMPLATE_LIST_TEST_CASE("short lines of double about what a team takes", "[filter]", test::OneSpace) {
  check_line_sizes<double>(TestType());
}

TEMPLATE_LIST_TEST_CASE("windows at either end of an origin on short lines", "[filter]", test::OneSpace) {
  auto check = test::filter_check<float, float>(TestType(), 301, 11, test::fractional_weights(8));
  for (const std::int64_t origin : {-4, -3, 0, 3}) {
    check.check({.mode_left = BoundaryMode::wrap, .mode_right = BoundaryMode::nearest, .origin = origin}, false);
  }
}

TEMPLATE_LIST_TEST_CASE("a NaN or an infinity stays within its windows on short lines", "[filter]", test::OneSpace) {
  const TestType space;
  constexpr std::size_t lines = 300, size = 13, taps = 7, reach = taps / 2;
  std::vector<float> data(lines * size, 1.0F);
  for (std::size_t l = 0; l < lines; l += 2) {
    data[l * size + l % size] = l % 4 == 0 ? static_cast<float>(test::nan) : static_cast<float>(test::infinity);
  }
  const test::GuardedView<float, test::Right, TestType, 2> in({lines, size}, data), out({lines, size});
  correlate(space, in.const_view(), tessera::FilterWeights<TestType>(space, std::vector<double>(taps, 1.0)), out.view(),
            {.mode_left = BoundaryMode::constant, .mode_right = BoundaryMode::constant});
  std::vector<int> got, expected;
  const std::vector<float> values = out.read();
  for (std::size_t p = 0; p < values.size(); ++p) {
    const std::size_t l = p / size, i = p % size, at = l % size;
    got.push_back(!std::isfinite(values[p]));
    expected.push_back(l % 2 == 0 && i + reach >= at && i <= at + reach);
  }
  test::check_values(got, expected);
}

TEMPLATE_LIST_TEST_CASE("many short lines apart from each other", "[filter]", test::OneSpace) {
  test::FilterCheck<float, float, test::Block, test::Misaligned, TestType, 2>(
      TestType(), {301, 17}, test::values<float>(301 * 17, 4), test::fractional_weights(5))
      .check_both({.mode_left = BoundaryMode::reflect, .mode_right = BoundaryMode::keep});
}

}  // namespace

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contiguous lines under few taps: those that a device takes many of at a time, and long ones whose threads make runs
// of chunks.
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

TEMPLATE_LIST_TEST_CASE("many short lines apart from each other", "[filter]", test::OneSpace) {
  test::FilterCheck<float, float, test::Block, test::Misaligned, TestType, 2>(
      TestType(), {301, 17}, test::values<float>(301 * 17, 4), test::fractional_weights(5))
      .check_both({.mode_left = BoundaryMode::reflect, .mode_right = BoundaryMode::keep});
}

}  // namespace

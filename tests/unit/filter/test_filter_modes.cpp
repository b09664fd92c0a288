// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every pair of boundary modes, with windows of any width (even, wider than the line) at every legal end of the origin.
#include <catch2/catch_template_test_macros.hpp>
#include <set>

#include "filter_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::FilterOptions;

/// Origins at both legal ends, and between.
std::set<std::int64_t> origins(std::size_t taps) {
  const auto m = static_cast<std::int64_t>(taps);
  return {-(m / 2), 0, (m - 1) / 2};
}

template <class T, class Space>
void check_all_modes(const Space& space, std::size_t size, std::size_t taps) {
  auto check = test::filter_check<T, T>(space, 2, size, test::fractional_weights(taps));
  for (const BoundaryMode left : tessera::boundary_modes) {
    for (const BoundaryMode right : tessera::boundary_modes) {
      for (const std::int64_t origin : origins(taps)) {
        check.check_both({.mode_left = left, .mode_right = right, .cval = 2.5, .origin = origin});
      }
    }
  }
}

template <class T, class Space>
void check_equal_modes(const Space& space, std::size_t size, std::size_t taps) {
  auto check = test::filter_check<T, T>(space, 2, size, test::fractional_weights(taps));
  for (const BoundaryMode mode : tessera::boundary_modes) {
    for (const std::int64_t origin : origins(taps)) {
      check.check_both({.mode_left = mode, .mode_right = mode, .cval = 2.5, .origin = origin});
    }
  }
}

TEMPLATE_LIST_TEST_CASE("all modes on short lines", "[filter]", test::Spaces) {
  for (const std::size_t size : {1, 2, 5}) {
    for (const std::size_t taps : {2, 3, 19}) check_all_modes<double>(TestType(), size, taps);
  }
  for (const std::size_t size : {3, 4, 7}) {
    for (const std::size_t taps : {1, 4, 5, 8}) check_equal_modes<double>(TestType(), size, taps);
  }
}

TEMPLATE_LIST_TEST_CASE("all modes on lines of several tiles", "[filter]", test::Spaces) {
  const std::size_t tile = test::filter_tile<double>(TestType());
  check_all_modes<double>(TestType(), 2 * tile + 1, 6);
}

TEMPLATE_LIST_TEST_CASE("windows wider than a tile and than one pass of taps", "[filter]", test::Spaces) {
  const std::size_t tile = test::filter_tile<double>(TestType());
  for (const std::size_t taps : {tile + 5, std::size_t{511}, std::size_t{512}, std::size_t{513}, std::size_t{1025}}) {
    for (const std::size_t size : {std::size_t{3}, tile + 1, 3 * tile + 7}) {
      auto check = test::filter_check<double, double>(TestType(), 2, size, test::fractional_weights(taps));
      for (const BoundaryMode mode : {BoundaryMode::mirror, BoundaryMode::constant, BoundaryMode::keep}) {
        check.check_both({.mode_left = mode, .mode_right = BoundaryMode::wrap, .cval = -3.25});
        check.check_both({.mode_left = BoundaryMode::reflect, .mode_right = mode, .cval = -3.25});
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("five thousand taps", "[filter]", test::Spaces) {
  auto line = test::filter_check<double, double>(TestType(), 1, 3001, test::fractional_weights(5000));
  line.check_both({.mode_left = BoundaryMode::wrap, .mode_right = BoundaryMode::mirror, .origin = -2500});
  auto short_line = test::filter_check<float, float>(TestType(), 3, 2, test::fractional_weights(5001));
  short_line.check_both({.mode_left = BoundaryMode::reflect, .mode_right = BoundaryMode::nearest, .origin = 2500});
}

}  // namespace

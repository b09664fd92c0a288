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

/// Correlations and convolutions in turn.
template <class Check>
void check_origins(Check& check, BoundaryMode left, BoundaryMode right, std::size_t taps) {
  bool convolve = left < right;
  for (const std::int64_t origin : origins(taps)) {
    check.check({.mode_left = left, .mode_right = right, .cval = 2.5, .origin = origin}, convolve);
    convolve = !convolve;
  }
}

template <class Space>
void check_all_pairs(const Space& space, std::size_t size, std::size_t taps) {
  auto check = test::filter_check<double, double>(space, 2, size, test::fractional_weights(taps));
  for (const BoundaryMode left : tessera::boundary_modes) {
    for (const BoundaryMode right : tessera::boundary_modes) check_origins(check, left, right, taps);
  }
}

/// Each mode on both sides, or on one and its neighbour in the list on the other.
template <class Space>
void check_all_modes(const Space& space, std::size_t size, std::size_t taps, std::size_t other) {
  auto check = test::filter_check<double, double>(space, 2, size, test::fractional_weights(taps));
  constexpr auto modes = tessera::boundary_modes;
  for (std::size_t m = 0; m < modes.size(); ++m)
    check_origins(check, modes[m], modes[(m + other) % modes.size()], taps);
}

TEMPLATE_LIST_TEST_CASE("all pairs of modes on short lines", "[filter]", test::OneSpace) {
  check_all_pairs(TestType(), 5, 4);
  check_all_pairs(TestType(), 2, 9);
}

TEMPLATE_LIST_TEST_CASE("all modes on short lines", "[filter]", test::OneSpace) {
  for (const std::size_t size : {1, 3, 7}) {
    for (const std::size_t taps : {1, 4, 8, 19}) check_all_modes(TestType(), size, taps, 0);
  }
}

TEMPLATE_LIST_TEST_CASE("all modes on lines of several tiles", "[filter]", test::Spaces) {
  const std::size_t tile = test::filter_tile<double>(TestType());
  check_all_modes(TestType(), 2 * tile + 1, 6, 1);
}

TEMPLATE_LIST_TEST_CASE("windows wider than a tile and than one pass of taps", "[filter]", test::OneSpace) {
  const std::size_t tile = test::filter_tile<double>(TestType());
  bool convolve = false;
  const auto check = [&](std::size_t taps, std::size_t size, BoundaryMode left, BoundaryMode right) {
    test::filter_check<double, double>(TestType(), 1, size, test::fractional_weights(taps))
        .check({.mode_left = left, .mode_right = right, .cval = -3.25}, convolve);
    convolve = !convolve;
  };
  check(511, tile + 1, BoundaryMode::mirror, BoundaryMode::wrap);
  check(512, tile + 1, BoundaryMode::constant, BoundaryMode::keep);
  check(513, tile + 1, BoundaryMode::reflect, BoundaryMode::mirror);
  check(tile + 5, 3, BoundaryMode::wrap, BoundaryMode::odd);
  check(1025, 3, BoundaryMode::keep, BoundaryMode::wrap);
  check(tile + 5, 2 * tile + 7, BoundaryMode::valid, BoundaryMode::constant);
  check(1025, 2 * tile + 7, BoundaryMode::renormalise, BoundaryMode::reflect);
}

TEMPLATE_LIST_TEST_CASE("five thousand taps", "[filter]", test::OneSpace) {
  auto line = test::filter_check<double, double>(TestType(), 1, 401, test::fractional_weights(5000));
  line.check({.mode_left = BoundaryMode::wrap, .mode_right = BoundaryMode::mirror, .origin = -2500}, false);
  auto short_line = test::filter_check<float, float>(TestType(), 3, 2, test::fractional_weights(5001));
  short_line.check({.mode_left = BoundaryMode::reflect, .mode_right = BoundaryMode::nearest, .origin = 2500}, true);
}

}  // namespace

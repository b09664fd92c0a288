// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes and 16-bit integers along contiguous lines: weights of one digit and more, several lines or a segment of one at
// a time.
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "filter_check.hpp"
#include "short_integer_check.hpp"
#include "support/message.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::FilterOptions;
using tessera::FilterVariant;

/// Blocks of four taps, and one more; lines about chunks, words and what threads make.
template <class T, class Space>
void check_extents_of_integers(const Space& space) {
  for (const std::size_t size : {1, 3, 15, 16, 17, 33, 101, 333}) {
    for (const std::size_t taps : {1, 3, 4, 5, 9, 33}) {
      if (taps > size) continue;
      test::check_integer_lines<T>(space, 1 + 300 / size, size,
                                   taps % 2 == 0 ? test::whole_weights(taps) : test::fractional_weights(taps));
    }
  }
}

/// Segments of a line, and lines that are a little more or less than one.
template <class T, class Space>
void check_segments(const Space& space) {
  const auto tile = test::filter_tile<T>(space);
  for (const std::size_t size : {tile - 1, tile + 1, 2 * tile + 1, 5 * tile + 77}) {
    test::check_integer_lines<T>(space, 2, size, test::whole_weights(5));
  }
  test::check_integer_lines<T, test::Misaligned, test::Right>(space, 3, tile + 77, test::whole_weights(257));
  test::check_integer_lines<T, test::Right, test::Misaligned>(space, 3, tile + 77, test::fractional_weights(66));
}

template <class T, class Space>
void check_digits(const Space& space) {
  for (int digits = 1; digits <= 4; ++digits) {
    for (const std::size_t taps : {2, 7})
      test::check_integer_lines<T>(space, 7, 501, test::digit_weights<T>(taps, digits));
  }
  test::check_integer_lines<T>(space, 2, 77, {127, -128});
  test::check_integer_lines<T>(space, 2, 77, {128, -129});
  test::check_integer_lines<T>(space, 2, 77, {32639, -32640});
  test::check_integer_lines<T>(space, 2, 77, {0, 0, 0});
  test::check_integer_lines<T>(space, 2, 77, {0x1p23 - 1});
}

TEMPLATE_LIST_TEST_CASE("short lines of int8", "[filter]", test::OneSpace) {
  check_extents_of_integers<std::int8_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("short lines of uint8", "[filter]", test::OneSpace) {
  check_extents_of_integers<std::uint8_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("short lines of int16", "[filter]", test::OneSpace) {
  check_extents_of_integers<std::int16_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("short lines of uint16", "[filter]", test::OneSpace) {
  check_extents_of_integers<std::uint16_t>(TestType());
}

TEMPLATE_LIST_TEST_CASE("long lines of bytes", "[filter]", test::OneSpace) { check_segments<std::uint8_t>(TestType()); }
TEMPLATE_LIST_TEST_CASE("long lines of 16-bit integers", "[filter]", test::OneSpace) {
  check_segments<std::int16_t>(TestType());
}

TEMPLATE_LIST_TEST_CASE("weights of several digits with int8", "[filter]", test::OneSpace) {
  check_digits<std::int8_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("weights of several digits with uint8", "[filter]", test::OneSpace) {
  check_digits<std::uint8_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("weights of several digits with int16", "[filter]", test::OneSpace) {
  check_digits<std::int16_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("weights of several digits with uint16", "[filter]", test::OneSpace) {
  check_digits<std::uint16_t>(TestType());
}

/// As many lines as a team takes, one less and one more.
TEMPLATE_LIST_TEST_CASE("lines of bytes about what a team takes", "[filter]", test::OneSpace) {
  const TestType space;
  for (const std::size_t size : {101, 333, 1001}) {
    const test::GuardedView<std::uint8_t, test::Right, TestType, 2> many({300, size});
    const tessera::FilterWeights<TestType> weights(space, {1, 2, 1});
    const FilterOptions options{.variant = FilterVariant::vectorized};
    const auto tile =
        static_cast<std::size_t>(filter_plan(space, many.const_view(), weights, many.view(), options).tile);
    const std::size_t team = std::max<std::size_t>(2, tile / size);
    for (const std::size_t lines : {team - 1, team, team + 1}) {
      test::check_integer_lines<std::uint8_t>(space, lines, size, test::whole_weights(9));
    }
  }
}

TEMPLATE_LIST_TEST_CASE("bytes in blocks of an array, and of rank 3", "[filter]", test::OneSpace) {
  const TestType space;
  test::check_integer_lines<std::uint8_t, test::Block, test::Right>(space, 31, 133, test::whole_weights(9));
  test::check_integer_lines<std::uint8_t, test::Right, test::Block>(space, 31, 133, test::fractional_weights(6));
  test::FilterCheck<std::int16_t, std::int16_t, test::Block, test::Block, TestType, 3>(
      space, {3, 5, 211}, test::any_values<std::int16_t>(3 * 5 * 211, 3), test::whole_weights(12))
      .check_both({.mode_left = BoundaryMode::mirror, .mode_right = BoundaryMode::reflect});
}

TEMPLATE_LIST_TEST_CASE("windows of bytes at either end of an origin", "[filter]", test::OneSpace) {
  auto check = test::filter_check<std::uint8_t, std::uint8_t>(TestType(), 31, 211, test::whole_weights(40));
  for (const std::int64_t origin : {-20, -3, 0, 19}) {
    check.check_both({.mode_left = BoundaryMode::wrap, .mode_right = BoundaryMode::nearest, .origin = origin});
  }
}

/// Products that double holds exactly, so that contraction changes nothing; sums with halves among them.
template <class T, class Space>
void check_rounding(const Space& space, double scale) {
  const std::vector<T> line = test::any_values<T>(203, 9);
  const std::vector<double> weights{0.25 * scale, 0.75 * scale, -0.5 * scale, 0.5};
  std::vector<T> expected;
  for (std::size_t i = 0; i < line.size(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const std::size_t at = i + k;
      if (at >= 2 && at < line.size() + 2) sum += weights[k] * static_cast<double>(line[at - 2]);
    }
    const double low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    expected.push_back(static_cast<T>(std::clamp(std::nearbyint(sum), low, high)));
  }
  for (const FilterVariant variant : {FilterVariant::automatic, FilterVariant::vectorized}) {
    const FilterOptions options{
        .mode_left = BoundaryMode::constant, .mode_right = BoundaryMode::constant, .variant = variant};
    test::check_values(test::filtered<T>(space, line, weights, options), expected);
  }
}

TEMPLATE_LIST_TEST_CASE("sums in double round to even and clamp to short integers", "[filter]", test::OneSpace) {
  for (const double scale : {1.0, 3.0, 8191.0, 0x1p40, 0x1p1000}) {
    check_rounding<std::int8_t>(TestType(), scale);
    check_rounding<std::uint8_t>(TestType(), scale);
    check_rounding<std::int16_t>(TestType(), scale);
    check_rounding<std::uint16_t>(TestType(), scale);
  }
}

TEMPLATE_LIST_TEST_CASE("the shortest lines of bytes go several at a time with their halos", "[filter]",
                        test::OneSpace) {
  const TestType space;
  const auto variant_of = [&](std::size_t size, std::size_t taps, double weight) {
    const test::GuardedView<std::uint8_t, test::Right, TestType, 2> bytes({300, size});
    const tessera::FilterWeights<TestType> weights(space, std::vector<double>(taps, weight));
    return filter_plan(space, bytes.const_view(), weights, bytes.view()).variant;
  };
  const FilterVariant fastest = test::runs_on_host<TestType> ? FilterVariant::overlapping : FilterVariant::vectorized;
  CHECK(variant_of(64, 3, 1) == FilterVariant::overlapping);
  CHECK(variant_of(65, 3, 1) == fastest);
  CHECK(variant_of(300, 50, 1) == fastest);
  CHECK(variant_of(300, 50, 0.5) == FilterVariant::overlapping);
  CHECK(variant_of(301, 50, 0.5) == fastest);
}

TEMPLATE_LIST_TEST_CASE("short integers take variant vectorized up to 257 taps", "[filter]", test::OneSpace) {
  const TestType space;
  const test::GuardedView<std::uint8_t, test::Right, TestType, 2> bytes({3, 5000});
  const test::GuardedView<std::int32_t, test::Right, TestType, 2> words({3, 5000});
  const auto variant_of = [&](const std::vector<double>& taps, const auto& out, FilterVariant variant) {
    const tessera::FilterWeights<TestType> weights(space, taps);
    return filter_plan(space, bytes.const_view(), weights, out.view(), {.variant = variant}).variant;
  };
  const FilterVariant fastest = test::runs_on_host<TestType> ? FilterVariant::overlapping : FilterVariant::vectorized;
  CHECK(variant_of(std::vector<double>(257, 1.0), bytes, FilterVariant::automatic) == fastest);
  CHECK(variant_of(std::vector<double>(257, 0.5), bytes, FilterVariant::automatic) == fastest);
  CHECK(variant_of({1, 2}, bytes, FilterVariant::vectorized) == FilterVariant::vectorized);
  CHECK(variant_of({1, 2}, words, FilterVariant::automatic) == FilterVariant::overlapping);
  for (const std::vector<double>& refused : {std::vector<double>(258, 1.0), std::vector<double>{0x1p23, 1}}) {
    test::check_message(
        test::message_of<tessera::InvalidArgument>([&] { variant_of(refused, bytes, FilterVariant::vectorized); }),
        {"variant vectorized", "at most 257 taps", "8- or 16-bit integers", "choose"});
  }
}

}  // namespace

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modes whose ends are more than elements of the line: odd, renormalise, valid. What all modes share,
// test_filter_modes.cpp sees.
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <limits>

#include "filter_check.hpp"
#include "support/limits.hpp"
#include "support/message.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::FilterOptions;
constexpr FilterOptions odd{.mode_left = BoundaryMode::odd, .mode_right = BoundaryMode::odd};
constexpr FilterOptions renormalise{.mode_left = BoundaryMode::renormalise, .mode_right = BoundaryMode::renormalise};
constexpr FilterOptions valid{.mode_left = BoundaryMode::valid, .mode_right = BoundaryMode::valid};

TEMPLATE_LIST_TEST_CASE("odd ends continue a straight line, however far", "[filter]", test::OneSpace) {
  std::vector<double> line;
  for (int i = 0; i < 7; ++i) line.push_back(3 * i - 4);
  test::check_values(test::filtered<double>(TestType(), line, std::vector<double>(41, 1), odd),
                     std::vector<double>{-164, -41, 82, 205, 328, 451, 574});
}

TEMPLATE_LIST_TEST_CASE("odd ends read the other end of the line only where they reach beyond it", "[filter]",
                        test::OneSpace) {
  const TestType space;
  // A large element at one end must cost the other end no accuracy, an infinite one no value.
  test::check_values(test::filtered<double>(space, std::vector<double>{1, 2, 4, 0x1p99}, {1, 1, 1}, odd),
                     std::vector<double>{0 + 1 + 2, 7, 0x1p99, 3 * 0x1p99});
  test::check_values(test::filtered<double>(space, std::vector<double>{1, 2, 4, test::infinity}, {1, 1, 1}, odd),
                     std::vector<double>{3, 7, test::infinity, test::infinity});
  test::check_values(test::filtered<double>(space, std::vector<double>{test::nan, 2, 4, 8, 16}, {1, 1, 1}, odd),
                     std::vector<double>{test::nan, test::nan, 14, 28, 16 + 8 + 24});
}

TEMPLATE_LIST_TEST_CASE("a renormalised filter keeps a constant", "[filter]", test::OneSpace) {
  const std::vector<double> out =
      test::filtered<double>(TestType(), std::vector<double>(9, 4), {1, 2, 4, 8, 1}, renormalise);
  for (const double x : out) CHECK(std::abs(x - 64) <= 64 * 11 * 0x1p-53);
}

TEMPLATE_LIST_TEST_CASE("a renormalised output that leaves nothing out has the bits of any other mode", "[filter]",
                        test::OneSpace) {
  const TestType space;
  const std::vector<double> line = test::values<double>(301);
  const std::vector<double> weights = test::fractional_weights(7);
  for (const tessera::FilterVariant variant : tessera::filter_variants) {
    if (variant == tessera::FilterVariant::transform) continue;  // takes a FilterTransform
    FilterOptions scaled = renormalise;
    scaled.variant = variant;
    std::vector<double> got = test::filtered<double>(space, line, weights, scaled);
    std::vector<double> expected = test::filtered<double>(space, line, weights, {.variant = variant});
    got.erase(got.end() - 3, got.end());
    got.erase(got.begin(), got.begin() + 3);
    test::check_bits(got, std::vector<double>(expected.begin() + 3, expected.end() - 3));
  }
}

TEMPLATE_LIST_TEST_CASE("weights that cancel are summed without noise", "[filter]", test::OneSpace) {
  // Inside are 3, 1e17 and -1e17: one after the other in double, 3 is lost.
  const auto out = test::filtered<double>(TestType(), std::vector<double>{5, 0, 0}, {9, 3, 1e17, -1e17}, renormalise);
  CHECK(out[1] == 15 * 12 / 3);
}

TEMPLATE_LIST_TEST_CASE("weights inside that sum to 0 give NaN, and all weights an error", "[filter][errors]",
                        test::OneSpace) {
  const TestType space;
  test::check_values(test::filtered<double>(space, std::vector<double>{1, 2, 3}, {1, 2, -2}, renormalise),
                     std::vector<double>{test::nan, 1 + 4 - 6, (2 + 6) / 3.0});
  const auto call = [&] {
    test::filtered<double>(space, std::vector<double>{1, 2}, {1, -1}, {.mode_right = BoundaryMode::renormalise});
  };
  test::check_message(test::message_of<tessera::InvalidArgument>(call),
                      {"tessera::correlate", "`weights`", "sum 0", "mode renormalise", "expected", ";", "another"});
}

TEMPLATE_LIST_TEST_CASE("a valid filter of a line shorter than the window has no output", "[filter]", test::OneSpace) {
  const TestType space;
  CHECK(test::filtered<double>(space, std::vector<double>{1, 2}, {1, 1, 1}, valid).empty());
  test::check_values(test::filtered<double>(space, std::vector<double>{1, 2, 4}, {1, 1, 1}, valid),
                     std::vector<double>{7});
}

TEMPLATE_LIST_TEST_CASE("outputs of a valid filter have their own extent", "[filter][errors]", test::OneSpace) {
  const TestType space;
  const test::GuardedView<double, test::Right, TestType, 2> in({3, 9}, test::values<double>(27)), out({3, 9});
  const tessera::FilterWeights<TestType> weights(space, std::vector<double>{1, 2, 3, 4});
  const auto message = [&](const FilterOptions& options) {
    return test::message_of<tessera::InvalidArgument>(
        [&] { tessera::correlate(space, in.view(), weights, out.view(), options); });
  };
  test::check_message(message(valid),
                      {"tessera::correlate", "`out`", "(3, 9)", "expected", "mode valid", "(3, 6)", ";", "shape"});
  test::check_message(message({.mode_left = BoundaryMode::valid}), {"expected", "(3, 7)"});
  test::check_message(message({.mode_right = BoundaryMode::valid}), {"expected", "(3, 8)"});
}

}  // namespace

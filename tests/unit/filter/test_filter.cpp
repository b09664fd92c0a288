// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters of every element type over sizes around the plan's tile, and under plans that no tuning would choose.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>

#include "filter_check.hpp"
#include "support/message.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::FilterOptions;

constexpr FilterOptions two_modes{.mode_left = BoundaryMode::mirror, .mode_right = BoundaryMode::wrap};

template <class In, class Out, class Space>
void check_sizes(const Space& space, std::vector<double> (*weights)(std::size_t)) {
  for (const std::size_t size : test::sizes_around(test::filter_tile<In>(space))) {
    for (const std::size_t taps : {1, 3, 4, 17}) {
      if (size > 0) test::filter_check<In, Out>(space, 3, size, weights(taps)).check_both(two_modes);
    }
  }
  test::filter_check<In, Out>(space, 1, test::is_sanitized ? 20011 : 200003, weights(5)).check_both(two_modes);
}

TEMPLATE_LIST_TEST_CASE("filter float", "[filter]", test::Spaces) {
  check_sizes<float, float>(TestType(), test::fractional_weights);
}
TEMPLATE_LIST_TEST_CASE("filter double", "[filter]", test::OneSpace) {
  check_sizes<double, double>(TestType(), test::fractional_weights);
}
TEMPLATE_LIST_TEST_CASE("filter int32 to int64", "[filter]", test::OneSpace) {
  check_sizes<std::int32_t, std::int64_t>(TestType(), test::whole_weights);
}
TEMPLATE_LIST_TEST_CASE("filter int64", "[filter]", test::Spaces) {
  check_sizes<std::int64_t, std::int64_t>(TestType(), test::whole_weights);
}
TEMPLATE_LIST_TEST_CASE("filter uint64", "[filter]", test::OneSpace) {
  check_sizes<std::uint64_t, std::uint64_t>(TestType(), test::whole_weights);
}
TEMPLATE_LIST_TEST_CASE("filter int32 to double", "[filter]", test::OneSpace) {
  check_sizes<std::int32_t, double>(TestType(), test::fractional_weights);
}

TEMPLATE_LIST_TEST_CASE("filter under plans that no tuning would choose", "[filter]", test::OneSpace) {
  const TestType space;
  for (const std::size_t taps : {3, test::is_sanitized ? 200 : 600}) {
    auto check = test::filter_check<float, float>(space, 5, 1009, test::fractional_weights(taps));
    for (const int team_size : test::odd_team_sizes(space)) {
      for (const int league_size : test::odd_league_sizes()) {
        FilterOptions options = two_modes;
        options.team_size = team_size;
        options.league_size = league_size;
        check.check_both(options);
      }
    }
  }
}

/// A thread takes taps in groups, then those that are left in smaller ones.
template <class T, class Space>
void check_every_number_of_taps(const Space& space, std::size_t most) {
  FilterOptions options = two_modes;
  options.variant = tessera::FilterVariant::register_blocked;
  for (std::size_t taps = 1; taps <= most; ++taps) {
    test::filter_check<T, T>(space, 1, most + 37, test::fractional_weights(taps)).check(options, false);
  }
}

TEMPLATE_LIST_TEST_CASE("register-blocked filters of every number of taps", "[filter]", test::Spaces) {
  check_every_number_of_taps<float>(TestType(), 180);
  check_every_number_of_taps<double>(TestType(), 75);
}

#if defined(KOKKOS_ENABLE_CUDA)
TEST_CASE("a filter with a team of 1024 gives the answer, or is refused with what is possible", "[filter]") {
  auto check = test::filter_check<float, float>(Kokkos::Cuda(), 5, 10007, test::fractional_weights(3));
  test::check_honoured_or_refused([&] { check.check_both({.league_size = 7, .team_size = 1024}); },
                                  {"tessera::", "`options`", "expected", ";"});
}

TEST_CASE("a filter whose tile exceeds a team's scratch is a resource error", "[filter][errors]") {
  const Kokkos::Cuda space;
  const auto limit = Kokkos::TeamPolicy<Kokkos::Cuda>::scratch_size_max(0);
  const auto call = [&] {
    test::filtered<double>(space, test::values<double>(100), test::fractional_weights(600), {.team_size = 1024});
  };
  test::check_message(test::message_of<tessera::ResourceError>(call),
                      {"tessera::correlate", "`options`", "bytes of team scratch", "expected",
                       "at most " + std::to_string(limit) + " bytes", ";", "smaller team"});
}
#endif

TEMPLATE_LIST_TEST_CASE("each filter variant gives the answer", "[filter]", test::OneSpace) {
  auto check = test::filter_check<double, double>(TestType(), 3, 5003, test::fractional_weights(9));
  for (const tessera::FilterVariant variant : tessera::filter_variants) {
    if (variant == tessera::FilterVariant::transform) continue;  // takes a FilterTransform
    INFO("variant " << to_string(variant));
    FilterOptions options = two_modes;
    options.variant = variant;
    check.check_both(options);
  }
}

TEMPLATE_LIST_TEST_CASE("one filter plan gives the same bits on every run", "[filter]", test::Spaces) {
  const TestType space;
  const std::vector<float> line = test::values<float>(3001);
  const std::vector<double> weights = test::fractional_weights(31);
  const std::vector<float> first = test::filtered<float>(space, line, weights);
  for (int run = 0; run < 5; ++run) test::check_bits(test::filtered<float>(space, line, weights), first);
}

TEMPLATE_LIST_TEST_CASE("an empty array gives an empty array", "[filter]", test::OneSpace) {
  const TestType space;
  const tessera::FilterWeights<TestType> weights(space, std::vector<double>{1, 2, 3});
  const test::GuardedView<float, test::Right, TestType, 1> line({0}), line_out({0});
  tessera::correlate(space, line.view(), weights, line_out.view());
  const test::GuardedView<float, test::Right, TestType, 3> lines({2, 0, 5}), lines_out({2, 0, 5});
  tessera::convolve(space, lines.view(), weights, lines_out.view());
  space.fence();
  line_out.check_guards();
  lines_out.check_guards();
}

}  // namespace

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moving windows along short lines that follow each other in memory: several of them at a time.
#include <Kokkos_Core.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <limits>

#include "support/message.hpp"
#include "window_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::NanPolicy;
using tessera::WindowOperation;
using tessera::WindowOptions;
using tessera::WindowPlan;
using tessera::WindowVariant;
using test::Extents;

constexpr std::int64_t short_windows[] = {1, 2, 3, 4, 5, 8, 9};

template <class T, class Space>
WindowPlan plan_short(const Space& space, std::size_t lines, std::size_t extent, WindowOperation operation,
                      std::int64_t window, const WindowOptions& options = {}) {
  const Kokkos::View<T**, Kokkos::LayoutRight, Space> in("in", lines, extent);
  return tessera::window_plan(space, in, operation, window, options);
}

template <WindowOperation Operation, class T, class InLayout = test::Right, class OutLayout = test::Right, class Space>
void check_short(const Space& space, std::size_t lines, std::size_t extent, std::int64_t window,
                 const WindowOptions& options) {
  const std::vector<T> data = test::values<T>(lines * extent, extent);
  INFO(test::described(options, window) << ", " << lines << " lines of " << extent);
  const auto got =
      test::windowed<Operation, InLayout, OutLayout>(space, Extents<2>{lines, extent}, data, window, options);
  for (std::size_t first = 0; first < data.size(); first += extent) {
    const auto piece = [&](const auto& all) {
      return std::decay_t<decltype(all)>(all.begin() + static_cast<std::ptrdiff_t>(first),
                                         all.begin() + static_cast<std::ptrdiff_t>(first + extent));
    };
    test::check_windows<Operation>(piece(got), piece(data), window, options);
  }
}

/// Lines around as many as a team takes, shorter and longer than windows reach.
template <WindowOperation Operation, class T, class Space>
void check_short_sizes(const Space& space) {
  int which = 0;
  for (const std::int64_t window : short_windows) {
    for (const std::size_t extent : {1, 2, 16, 17, 33, 200}) {
      const WindowPlan plan = plan_short<T>(space, 100000, extent, Operation, window);
      CHECK(plan.variant == WindowVariant::short_lines);
      const auto at_once = static_cast<std::size_t>(plan.lanes);
      CHECK(at_once * extent == static_cast<std::size_t>(plan.tile));
      const std::size_t counts[] = {2, at_once - 1, at_once, at_once + 1, 2 * at_once + 3};
      const std::size_t lines = extent < 16 ? 3 : counts[which % 5];
      check_short<Operation, T>(space, lines, extent, window, test::varied_options(which, window));
      ++which;
    }
  }
}

TEMPLATE_LIST_TEST_CASE("window minimum of short lines", "[window][short]", test::Spaces) {
  check_short_sizes<WindowOperation::min, float>(TestType());
}
TEMPLATE_LIST_TEST_CASE("window maximum of short lines", "[window][short]", test::OneSpace) {
  check_short_sizes<WindowOperation::max, std::int64_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("window mean of short lines", "[window][short]", test::OneSpace) {
  check_short_sizes<WindowOperation::box, std::int32_t>(TestType());
  check_short<WindowOperation::box, float>(TestType(), 300, 17, 9, {});
}

TEMPLATE_LIST_TEST_CASE("windows of short lines under every pair of modes", "[window][short]", test::OneSpace) {
  for (const std::int64_t window : {2, 5, 9}) {
    for (const std::size_t extent : {1, 5, 40}) {
      for (const BoundaryMode left : tessera::element_modes) {
        for (const BoundaryMode right : tessera::element_modes) {
          const WindowOptions options{.mode_left = left, .mode_right = right, .cval = 2.0};
          check_short<WindowOperation::box, std::int32_t>(TestType(), 7, extent, window, options);
          check_short<WindowOperation::min, float>(TestType(), 7, extent, window, options);
        }
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("windows of short lines under any plan", "[window][short]", test::OneSpace) {
  const TestType space;
  const std::vector<float> data = test::values<float>(1000 * 37, 5);
  for (const std::int64_t window : {3, 9}) {
    const auto expected = test::windowed<WindowOperation::max>(space, Extents<2>{1000, 37}, data, window);
    for (const int team_size : test::odd_team_sizes(space)) {
      if (team_size > 256) continue;
      for (const int league_size : test::odd_league_sizes()) {
        const WindowOptions options{.league_size = league_size, .team_size = team_size};
        INFO(test::described(options, window));
        test::check_bits(test::windowed<WindowOperation::max>(space, Extents<2>{1000, 37}, data, window, options),
                         expected);
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("short lines anywhere in memory", "[window][short]", test::OneSpace) {
  check_short<WindowOperation::min, float, test::Misaligned, test::Right>(TestType(), 300, 17, 5, {});
  check_short<WindowOperation::min, float, test::Right, test::Misaligned>(TestType(), 300, 17, 5, {});
  check_short<WindowOperation::min, float, test::Block, test::Right>(TestType(), 300, 17, 5, {});
}

TEMPLATE_LIST_TEST_CASE("a NaN stays in its short line", "[window][short]", test::OneSpace) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> data(60, 1);
  data[23] = nan;  // element 3 of line 2
  for (const NanPolicy policy : {NanPolicy::propagate, NanPolicy::omit}) {
    const auto got = test::windowed<WindowOperation::min>(TestType(), Extents<2>{6, 10}, data, 3, {.nan = policy});
    for (std::size_t i = 0; i < got.size(); ++i) {
      const bool holds = policy == NanPolicy::propagate && i >= 22 && i <= 24;
      CHECK((got[i] != got[i]) == holds);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("the plans of windows of short lines", "[window][short]", test::OneSpace) {
  const TestType space;
  const auto variant = [&](std::size_t lines, std::size_t extent, std::int64_t window) {
    return plan_short<float>(space, lines, extent, WindowOperation::min, window).variant;
  };
  CHECK(variant(2, 512, 9) == WindowVariant::short_lines);
  CHECK(variant(1, 512, 9) == WindowVariant::short_lines);
  CHECK(plan_short<double>(space, 2, 512, WindowOperation::box, 9).variant == WindowVariant::chunks);
  CHECK(variant(2, 513, 9) == WindowVariant::chunks);
  CHECK(variant(2, 512, 10) == WindowVariant::chunks);
  const Kokkos::View<float**, Kokkos::LayoutRight, TestType> wider("wider", 20, 40);
  const auto apart = Kokkos::subview(wider, Kokkos::ALL, std::pair<int, int>(0, 30));
  CHECK(tessera::window_plan(space, apart, WindowOperation::min, 3).variant == WindowVariant::chunks);
}

}  // namespace

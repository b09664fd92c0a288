// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows of few elements: along lines of any length, short lines that follow each other in memory together.
#include <Kokkos_Core.hpp>
#include <algorithm>
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
  const Kokkos::View<T**, Kokkos::LayoutRight, Space> in(Kokkos::view_alloc(Kokkos::WithoutInitializing, "in"), lines,
                                                         extent);
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

/// Lines in about as many tiles as make a difference, shorter and longer than windows reach and than tiles.
template <WindowOperation Operation, class T, class Space>
void check_short_sizes(const Space& space) {
  int which = 0;
  for (const std::int64_t window : short_windows) {
    const auto tile = static_cast<std::size_t>(plan_short<T>(space, 1, 100000, Operation, window).tile);
    for (const std::size_t extent : {std::size_t{1}, std::size_t{2}, std::size_t{16}, std::size_t{17}, std::size_t{33},
                                     std::size_t{200}, tile - 1, tile + 1}) {
      const WindowPlan plan = plan_short<T>(space, 10000, extent, Operation, window);
      CHECK((plan.variant == WindowVariant::few || plan.variant == WindowVariant::lines));
      CHECK((plan.lanes > 1) == (extent <= tile / 2 || !test::runs_on_host<Space>));
      const auto at_once = static_cast<std::size_t>(plan.lanes);
      const std::size_t counts[] = {2, at_once, at_once + 1, 2 * at_once + 3, 3 * at_once};
      const std::size_t lines = extent < 16 ? 3 : counts[which % 5];
      check_short<Operation, T>(space, lines, extent, window, test::varied_options(which, window));
      ++which;
    }
  }
}

TEMPLATE_LIST_TEST_CASE("window minimum of short lines", "[window][few]", test::Spaces) {
  check_short_sizes<WindowOperation::min, float>(TestType());
}
TEMPLATE_LIST_TEST_CASE("window maximum of short lines", "[window][few]", test::OneSpace) {
  check_short_sizes<WindowOperation::max, std::int64_t>(TestType());
  check_short_sizes<WindowOperation::max, std::int8_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("window mean of short lines", "[window][few]", test::Spaces) {
  check_short_sizes<WindowOperation::box, float>(TestType());
}
TEMPLATE_LIST_TEST_CASE("window mean of short lines of other types", "[window][few]", test::OneSpace) {
  check_short_sizes<WindowOperation::box, double>(TestType());
  if (!test::is_sanitized) {
    check_short_sizes<WindowOperation::box, std::int64_t>(TestType());
    check_short_sizes<WindowOperation::box, std::int32_t>(TestType());
  }
}

/// Lines of a thread each: as many as a team takes, one less and one more, of extents about the chunks and banks of
/// scratch.
template <WindowOperation Operation, class T, class Space>
void check_thread_lines(const Space& space) {
  int which = 0;
  for (const std::size_t extent : {3, 5, 8, 9, 16, 17, 24, 32, 33}) {
    for (std::int64_t window = 3; window <= std::min<std::int64_t>(9, static_cast<std::int64_t>(extent)); ++window) {
      const WindowPlan plan = plan_short<T>(space, 1000, extent, Operation, window);
      if (!test::runs_on_host<Space>) CHECK(plan.variant == WindowVariant::lines);
      const std::size_t lines = static_cast<std::size_t>(std::max(plan.lanes, 2) + which % 3 - 1);
      WindowOptions options = test::varied_options(which, window);
      check_short<Operation, T>(space, lines, extent, window, options);
      options.league_size = 2;
      check_short<Operation, T, test::Misaligned>(space, 3 * lines, extent, window, options);
      options.team_size = 1;
      check_short<Operation, T, test::Right, test::Misaligned>(space, 3, extent, window, options);
      check_short<Operation, T, test::Misaligned, test::Misaligned>(space, lines, extent, window, options);
      ++which;
    }
  }
}

TEMPLATE_LIST_TEST_CASE("window minimum of lines of a thread each", "[window][few]", test::OneSpace) {
  check_thread_lines<WindowOperation::min, float>(TestType());
}
TEMPLATE_LIST_TEST_CASE("window maximum of lines of a thread each", "[window][few]", test::OneSpace) {
  check_thread_lines<WindowOperation::max, std::int64_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("window mean of lines of a thread each", "[window][few]", test::OneSpace) {
  check_thread_lines<WindowOperation::box, float>(TestType());
  check_thread_lines<WindowOperation::box, double>(TestType());
}

/// The mean of few elements, and the bits of sums in that order.
template <class T>
std::vector<T> chain_means(const std::vector<T>& data, std::size_t extent, std::int64_t window) {
  const auto n = static_cast<std::int64_t>(extent);
  std::vector<T> means;
  for (std::size_t at = 0; at < data.size(); ++at) {
    const auto i = static_cast<std::int64_t>(at % extent);
    double sum = 0;
    for (std::int64_t k = 0; k < window; ++k) {
      std::int64_t j = i - window / 2 + k;
      j = j < 0 ? -1 - j : j >= n ? 2 * n - 1 - j : j;
      const auto x = static_cast<double>(data[at - static_cast<std::size_t>(i) + static_cast<std::size_t>(j)]);
      sum = k == 0 ? x : sum + x;
    }
    means.push_back(static_cast<T>(sum / static_cast<double>(window)));
  }
  return means;
}

/// Alone, beside others, apart in memory, across memory.
template <class T, class Space>
void check_chains(const Space& space) {
  constexpr std::size_t lines = 40, extent = 101;
  const std::vector<T> data = test::values<T>(lines * extent, 3);
  const std::vector<T> alone_data(data.begin(), data.begin() + extent);
  for (const std::int64_t window : short_windows) {
    INFO("window " << window);
    const std::vector<T> expected = chain_means(data, extent, window);
    const Extents<2> extents{lines, extent};
    test::check_bits(test::windowed<WindowOperation::box>(space, extents, data, window), expected);
    test::check_bits(test::windowed<WindowOperation::box, test::Block>(space, extents, data, window), expected);
    test::check_bits(test::windowed<WindowOperation::box>(space, alone_data, window),
                     chain_means(alone_data, extent, window));
    const auto across = test::windowed<WindowOperation::box, test::Left, test::Left>(space, extents, data, window);
    test::check_bits(across, expected);
    test::check_bits(test::windowed<WindowOperation::box, test::BlockLeft, test::Left>(space, extents, data, window),
                     expected);
  }
}

TEMPLATE_LIST_TEST_CASE("means of few elements are sums in their order, wherever they lie", "[window][few]",
                        test::Spaces) {
  check_chains<float>(TestType());
  check_chains<double>(TestType());
}

TEMPLATE_LIST_TEST_CASE("windows of short lines under every pair of modes", "[window][few]", test::OneSpace) {
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

TEMPLATE_LIST_TEST_CASE("windows of short lines under any plan", "[window][few]", test::OneSpace) {
  const TestType space;
  const std::vector<float> data = test::values<float>(1000 * 37, 5);
  for (const std::int64_t window : {3, 9}) {
    const auto expected = test::windowed<WindowOperation::max>(space, Extents<2>{1000, 37}, data, window);
    for (const int team_size : test::odd_team_sizes(space)) {
      if (team_size > 128) continue;
      for (const int league_size : test::odd_league_sizes()) {
        const WindowOptions options{.league_size = league_size, .team_size = team_size};
        INFO(test::described(options, window));
        test::check_bits(test::windowed<WindowOperation::max>(space, Extents<2>{1000, 37}, data, window, options),
                         expected);
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("short lines anywhere in memory", "[window][few]", test::OneSpace) {
  check_short<WindowOperation::min, float, test::Misaligned, test::Right>(TestType(), 300, 17, 5, {});
  check_short<WindowOperation::min, float, test::Right, test::Misaligned>(TestType(), 300, 17, 5, {});
  check_short<WindowOperation::min, float, test::Block, test::Right>(TestType(), 300, 17, 5, {});
}

TEMPLATE_LIST_TEST_CASE("a NaN stays in its short line", "[window][few]", test::OneSpace) {
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

TEMPLATE_LIST_TEST_CASE("the plans of windows of few elements", "[window][few]", test::OneSpace) {
  const TestType space;
  const auto plan = [&](std::size_t lines, std::size_t extent, std::int64_t window) {
    return plan_short<float>(space, lines, extent, WindowOperation::min, window);
  };
  CHECK(plan(2, 512, 9).variant == WindowVariant::few);
  CHECK(plan(2, 512, 9).lanes > 1);
  CHECK(plan(1, 512, 9).variant == WindowVariant::few);
  CHECK(plan(1, 512, 9).lanes == 1);
  CHECK(plan(2, 1000000, 9).lanes == 1);
  const bool is_host = test::runs_on_host<TestType>;
  CHECK(plan(2, 512, 10).variant == (is_host ? WindowVariant::chunks : WindowVariant::padded));
  CHECK(plan_short<double>(space, 2, 512, WindowOperation::box, 9).variant == WindowVariant::few);
  const Kokkos::View<float**, Kokkos::LayoutRight, TestType> wider("wider", 20, 40);
  const auto apart = Kokkos::subview(wider, Kokkos::ALL, std::pair<int, int>(0, 30));
  const WindowPlan plan_apart = tessera::window_plan(space, apart, WindowOperation::min, 3);
  CHECK(plan_apart.variant == (is_host ? WindowVariant::few : WindowVariant::padded));
  CHECK((plan_apart.lanes == 1) == is_host);
  const WindowVariant short_lines = is_host ? WindowVariant::few : WindowVariant::lines;
  CHECK(plan(1000, 17, 9).variant == short_lines);
  CHECK(plan(1000, 17, 2).variant == WindowVariant::few);
  CHECK(plan(1, 17, 9).variant == WindowVariant::few);
  CHECK(plan(1000, 60, 3).variant == WindowVariant::few);
  CHECK(plan_short<std::int32_t>(space, 1000, 17, WindowOperation::box, 9).variant == WindowVariant::few);
  CHECK(to_string(WindowVariant::few) == "few");
  CHECK(to_string(WindowVariant::lines) == "lines");
}

}  // namespace

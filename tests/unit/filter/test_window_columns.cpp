// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moving windows along lines that run across memory: whole rows are read, short windows in registers, others by blocks.
#include <Kokkos_Core.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
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
using test::check_across;
using test::Extents;
using test::line_of;

/// In registers, of one run, of one part, of several, of as many as there are, of longer ones.
constexpr std::int64_t column_windows[] = {1, 2, 3, 5, 8, 9, 10, 31, 64, 72, 73, 301, 1000};

template <class T, class Space>
WindowPlan plan_across(const Space& space, std::size_t rows, std::size_t columns, WindowOperation operation,
                       std::int64_t window, WindowOptions options = {}) {
  const Kokkos::View<T**, Kokkos::LayoutRight, Space> in("in", rows, columns);
  options.axis = 0;
  return tessera::window_plan(space, in, operation, window, options);
}

/// Extents around what a team makes at a time, columns around what it takes side by side; of rows that do not follow
/// each other, as devices have another kernel for few that do (test_window_interleaved.cpp).
template <WindowOperation Operation, class T, class Space>
void check_column_sizes(const Space& space) {
  constexpr std::size_t column_counts[] = {31, 32, 33, 127, 9, 64, 1};
  int which = 0;
  for (const std::int64_t window : column_windows) {
    const WindowPlan plan = plan_across<T>(space, 211, 129, Operation, window);
    CHECK(plan.variant == WindowVariant::columns);
    const auto tile = static_cast<std::size_t>(plan.tile);
    for (const std::size_t size : {std::size_t{1}, tile - 1, tile, tile + 1, 2 * tile + 1, std::size_t{211}}) {
      if (size == 0) continue;
      const std::size_t columns = column_counts[which % 7];
      check_across<Operation, T, test::Block>(space, Extents<2>{size, columns}, window,
                                              test::varied_options(which, window, 0));
      ++which;
    }
  }
}

TEMPLATE_LIST_TEST_CASE("window minimum across memory", "[window][columns]", test::Spaces) {
  check_column_sizes<WindowOperation::min, float>(TestType());
}
TEMPLATE_LIST_TEST_CASE("window maximum of int32 across memory", "[window][columns]", test::OneSpace) {
  check_column_sizes<WindowOperation::max, std::int32_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("window mean of floats across memory", "[window][columns]", test::OneSpace) {
  check_column_sizes<WindowOperation::box, float>(TestType());
}
TEMPLATE_LIST_TEST_CASE("window mean of doubles across memory", "[window][columns]", test::Spaces) {
  check_column_sizes<WindowOperation::box, double>(TestType());
}
TEMPLATE_LIST_TEST_CASE("window mean of integers across memory", "[window][columns]", test::OneSpace) {
  check_column_sizes<WindowOperation::box, std::int32_t>(TestType());
  for (const std::int64_t window : {1, 9, 31, 301}) {
    check_across<WindowOperation::box, std::int64_t, test::Block>(
        TestType(), Extents<2>{211, 33}, window, test::varied_options(static_cast<int>(window), window, 0));
  }
}

TEMPLATE_LIST_TEST_CASE("windows across memory, of any rank and layout", "[window][columns]", test::OneSpace) {
  const TestType space;
  int which = 0;
  for (const std::int64_t window : {3, 8, 31, 301}) {
    check_across<WindowOperation::box, double>(space, Extents<3>{3, 85, 33}, window,
                                               test::varied_options(which++, window, 1));
    check_across<WindowOperation::box, double>(space, Extents<3>{130, 3, 7}, window,
                                               test::varied_options(which++, window, 0));
    check_across<WindowOperation::box, double, test::Block, test::Right>(space, Extents<3>{2, 85, 40}, window,
                                                                         test::varied_options(which++, window, 1));
    check_across<WindowOperation::min, float, test::Misaligned, test::Block>(space, Extents<2>{97, 131}, window,
                                                                             test::varied_options(which++, window, 0));
    check_across<WindowOperation::min, float, test::Right, test::Left>(space, Extents<2>{97, 40}, window,
                                                                       test::varied_options(which++, window, 0));
  }
}

TEMPLATE_LIST_TEST_CASE("windows across memory under every pair of modes", "[window][columns]", test::OneSpace) {
  for (const std::int64_t window : {2, 9, 19, 150}) {
    for (const std::size_t size : {1, 5, 40}) {
      for (const BoundaryMode left : tessera::element_modes) {
        for (const BoundaryMode right : tessera::element_modes) {
          const WindowOptions options{.axis = 0, .mode_left = left, .mode_right = right, .cval = 2.5};
          check_across<WindowOperation::box, double, test::Block>(TestType(), Extents<2>{size, 9}, window, options);
        }
      }
    }
  }
}

/// The same lines, side by side, also apart, and one after the other.
template <WindowOperation Operation, class T, class Space>
void check_transposed(const Space& space, const std::vector<T>& data, const Extents<2>& extents,
                      const WindowOptions& options) {
  for (const std::int64_t window : {1, 2, 5, 9, 10, 64, 301, 3000}) {
    if (options.origin > (window - 1) / 2) continue;
    INFO(test::described(options, window));
    const auto along = test::windowed<Operation>(space, extents, data, window, options);
    test::check_bits(test::windowed<Operation, test::Left, test::Left>(space, extents, data, window, options), along);
    test::check_bits(test::windowed<Operation, test::BlockLeft, test::Left>(space, extents, data, window, options),
                     along);
  }
}

TEMPLATE_LIST_TEST_CASE("window extrema have the same bits across memory and along it", "[window][columns][nan]",
                        test::OneSpace) {
  const TestType space;
  const Extents<2> extents{45, 700};
  const std::vector<float> floats = test::unusual_values<float>(45 * 700);
  const std::vector<double> doubles = test::unusual_values<double>(45 * 700);
  for (const NanPolicy nan : {NanPolicy::propagate, NanPolicy::omit}) {
    const WindowOptions options{.mode_left = BoundaryMode::wrap, .mode_right = BoundaryMode::keep, .nan = nan};
    check_transposed<WindowOperation::min>(space, floats, extents, options);
    check_transposed<WindowOperation::max>(space, doubles, extents, options);
  }
  check_transposed<WindowOperation::max>(space, test::values<std::int64_t>(45 * 700), extents, {.origin = 3});
}

/// A NaN or an infinity of a mean is in its window, and nothing that has left it.
TEMPLATE_LIST_TEST_CASE("what has left a window across memory is gone", "[window][columns][nan]", test::OneSpace) {
  const TestType space;
  const Extents<2> extents{900, 135};
  std::vector<double> data(900 * 135, 1.0);
  for (std::size_t i = 0; i < 200 * 135; ++i) data[i] = i % 2 == 0 ? 1e300 : -3e17;
  data[250 * 135 + 17] = std::numeric_limits<double>::quiet_NaN();
  data[251 * 135 + 18] = std::numeric_limits<double>::infinity();
  for (const std::int64_t window : {9, 31, 301}) {
    const auto got = test::windowed<WindowOperation::box>(space, extents, data, window, {.axis = 0});
    const auto reach = static_cast<std::size_t>(window / 2);
    for (std::size_t i = 200 + reach; i < 900; ++i) {
      for (std::size_t c = 0; c < 135; ++c) {
        const double mean = got[i * 135 + c];
        if (c == 17 && i <= 250 + reach && i + reach >= 250) {
          if (!std::isnan(mean)) FAIL("no NaN in row " << i);
        } else if (c == 18 && i <= 251 + reach && i + reach >= 251) {
          if (!std::isinf(mean)) FAIL("no infinity in row " << i);
        } else if (mean != 1.0) {
          FAIL("row " << i << ", column " << c << ": " << mean);
        }
      }
    }
  }
}

/// Long enough for a device's teams to make several rows of runs before they look for their next tile, and for walks of
/// several blocks.
TEMPLATE_LIST_TEST_CASE("windows across memory, of long lines", "[window][columns]", test::OneSpace) {
  const TestType space;
  check_across<WindowOperation::min, float, test::Block>(space, Extents<2>{480001, 8}, 3, {.axis = 0});
  for (const std::int64_t window : {3, 31}) {
    if (test::is_sanitized && window == 3) continue;
    check_across<WindowOperation::box, double, test::Block>(space, Extents<2>{180001, 9}, window, {.axis = 0});
  }
}

TEMPLATE_LIST_TEST_CASE("windows across memory have the same bits under any plan", "[window][columns]",
                        test::OneSpace) {
  const TestType space;
  const Extents<2> extents{1501, 71};
  const std::vector<double> data = test::values<double>(1501 * 71);
  std::vector<double> few;  // other neighbours, other walks
  for (std::size_t i = 0; i < 1501; ++i) few.insert(few.end(), data.begin() + 71 * i, data.begin() + 71 * i + 9);
  for (const std::int64_t window : {5, 10, 100, 700}) {
    const auto expected = test::windowed<WindowOperation::box, test::Block>(space, extents, data, window, {.axis = 0});
    for (const int team_size : test::odd_team_sizes(space)) {
      if (window <= 9 && team_size > tessera::detail::window_chunk_team_size) continue;
      for (const int league_size : test::odd_league_sizes()) {
        const WindowOptions options{.axis = 0, .league_size = league_size, .team_size = team_size};
        INFO(test::described(options, window));
        test::check_bits(test::windowed<WindowOperation::box, test::Block>(space, extents, data, window, options),
                         expected);
        const auto got =
            test::windowed<WindowOperation::box, test::Block>(space, Extents<2>{1501, 9}, few, window, options);
        test::check_bits(line_of(got, 8, 1501, 9), line_of(expected, 8, 1501, 71));
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("windows across memory refuse NaN", "[window][columns][nan][errors]", test::OneSpace) {
  const TestType space;
  std::vector<float> data = test::values<float>(50 * 40);
  data[777] = data[1999] = test::poison<float>();
  const test::GuardedView<float, test::Right, TestType, 2> in({50, 40}, data), out({50, 40});
  const tessera::Workspace<TestType> workspace(space, 1 << 16);
  const WindowOptions options{.axis = 0, .nan = NanPolicy::error};
  for (const std::int64_t window : {5, 31}) {
    tessera::min_filter(space, in.const_view(), window, out.view(), options, workspace);
    test::check_message(test::message_of<tessera::InvalidArgument>([&] { tessera::check(space, workspace); }),
                        {"element 777 is NaN"});
  }
}

TEST_CASE("the plans of windows across memory", "[window][columns][plan]") {
  using Space = Kokkos::DefaultExecutionSpace;
  const Space space;
  for (const WindowOperation operation : tessera::window_operations) {
    for (const std::int64_t window : {1, 9, 10, 301, 2000}) {
      const WindowPlan plan = plan_across<double>(space, 3000, 64, operation, window);
      INFO(to_string(plan));
      CHECK(plan.variant == WindowVariant::columns);
      CHECK(plan.workspace_bytes == 0);
      CHECK((plan.scratch_bytes == 0) == (window <= 9));
    }
    // Too few lines to fill a sector of memory, and an input alone that lies across it.
    CHECK(plan_across<double>(space, 3000, 3, operation, 31).variant != WindowVariant::columns);
  }
  const WindowPlan asked =
      plan_across<float>(space, 3000, 64, WindowOperation::min, 31, {.league_size = 3, .team_size = 1});
  CHECK(asked.league_size == 3);
  CHECK(asked.team_size == 1);
  CHECK(plan_across<float>(space, 100, 64, WindowOperation::box, 31, {.nan = NanPolicy::omit}).variant ==
        WindowVariant::direct);
}

/// A check of private code, from any machine.
TEST_CASE("a device's team takes several turns where there are many", "[filter][window][plan]") {
  const tessera::detail::DeviceLimits limits{false, 270336, 40900};  // 132 multiprocessors
  constexpr std::int64_t four_rounds = 4 * 5 * 132;
  const auto turns = [&](std::int64_t count) { return tessera::detail::tile_turns(limits, count, 5, 4); };
  CHECK(turns(0) == 1);
  CHECK(turns(2 * four_rounds - 1) == 1);
  CHECK(turns(2 * four_rounds) == 2);
  CHECK(turns(4 * four_rounds) == 4);
  CHECK(turns(std::int64_t{1} << 40) == 4);
}

/// A check of private code: the plans of a device, from any machine.
TEST_CASE("plans across memory fit a device's scratch", "[window][columns][plan]") {
  const tessera::detail::DeviceLimits limits{false, 270336, 40900};
  const auto check = [&]<class Op>(Op) {
    for (const std::int64_t window : {10, 31, 301, 1000, 3001, 10007, 1000003}) {
      for (const std::int64_t columns : {8, 33, 4096}) {
        const WindowPlan plan = tessera::detail::make_window_plan<Op>("test", limits, 4 * columns, 20000,
                                                                      {window, window / 2}, {}, {columns});
        INFO(columns << " columns, window " << window << ": " << to_string(plan));
        CHECK(tessera::detail::scratch_request(plan.scratch_bytes) <= limits.scratch_bytes);
        CHECK((plan.workspace_bytes == 0 || plan.variant == WindowVariant::blocks));
        if (window <= 3001) CHECK(plan.variant == WindowVariant::columns);
        if (plan.variant != WindowVariant::columns) continue;
        CHECK(plan.lanes < 2 * columns);
        CHECK(plan.team_size % 32 == 0);
        CHECK(plan.team_size <= 256);
        CHECK(plan.walk >= plan.parts);
        CHECK(plan.parts <= 8);
      }
    }
  };
  check(tessera::detail::window_op_t<float, WindowOperation::min>());
  check(tessera::detail::window_op_t<float, WindowOperation::box>());
  check(tessera::detail::window_op_t<double, WindowOperation::box>());
  check(tessera::detail::window_op_t<std::int64_t, WindowOperation::box>());
}

}  // namespace

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Medians of lines across memory: few of them, as colours of pixels are, and many, as columns of an image.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "median_check.hpp"
#include "window_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::MedianMethod;
using tessera::MedianPlan;
using tessera::WindowOptions;
using tessera::WindowPlan;
using test::Extents;

/// Integers are rounded and clamped, of NaN 0.
template <class Out, class T>
Out as(T x) {
  if constexpr (std::is_same_v<Out, T>) {
    return x;
  } else {
    if (x != x) return 0;
    const double rounded = std::nearbyint(static_cast<double>(x));
    return static_cast<Out>(
        std::clamp<double>(rounded, std::numeric_limits<Out>::min(), std::numeric_limits<Out>::max()));
  }
}

/// filter(in, out): medians along the middle axis, of which many windows hold NaN, infinities or zeros of either sign.
template <class Out, class T, class InLayout, class OutLayout, class Space, class Filter>
void check_lines_across(const Space& space, const Extents<3>& extents, std::int64_t window,
                        const WindowOptions& options, const Filter& filter) {
  INFO(test::described(options, window) << ", " << extents[0] << " times " << extents[1] << " rows of " << extents[2]);
  const std::size_t count = extents[0] * extents[1] * extents[2];
  const std::vector<T> data = test::unusual_values<T>(count, count / 2);
  const test::GuardedView<T, InLayout, Space, 3> in(extents, data);
  const test::GuardedView<Out, OutLayout, Space, 3> out(extents);
  filter(in.const_view(), out.view());
  space.fence();
  out.check_guards();
  const std::vector<Out> got = out.read();
  for (std::size_t o = 0; o < extents[0]; ++o) {
    for (std::size_t c = 0; c < extents[2]; ++c) {
      const std::size_t first = o * extents[1] * extents[2] + c;
      const std::vector<T> medians =
          test::expected_medians(test::line_of(data, first, extents[1], extents[2]), window, options);
      std::vector<Out> expected(medians.size());
      std::transform(medians.begin(), medians.end(), expected.begin(), as<Out, T>);
      test::check_bits(test::line_of(got, first, extents[1], extents[2]), expected);
    }
  }
}

template <class T, class InLayout = test::Right, class OutLayout = test::Right, class Out = T, class Space>
void check_medians_across(const Space& space, const Extents<3>& extents, std::int64_t window,
                          const WindowOptions& options) {
  check_lines_across<Out, T, InLayout, OutLayout>(
      space, extents, window, options,
      [&](const auto& in, const auto& out) { tessera::median_filter(space, in, window, out, options); });
}

/// The ends of what registers hold in each way.
constexpr std::int64_t register_windows[] = {1, 2, 4, 5, 6, 9, 10, 17, 18, 33};

/// Lines about what a thread and a team make, columns about the most that either kernel takes.
template <class T, class Space>
void check_all_across(const Space& space) {
  int which = 0;
  for (const std::size_t size : {1, 4, 12, 131}) {
    for (const std::int64_t window : register_windows) {
      check_medians_across<T>(space, {1, size, 3}, window, test::varied_options(which, window, 1));
      check_medians_across<T>(space, {1, size, 161}, window, test::varied_options(which++, window, 1));
    }
  }
  for (const std::size_t columns : {2, 8, 31, 32, 33, 128, 129}) {
    for (const std::int64_t window : {3, 7, 20}) {
      check_medians_across<T>(space, {2, 45, columns}, window, test::varied_options(which++, window, 1));
    }
  }
  for (const std::int64_t window : {5, 8, 33}) {
    const WindowOptions options = test::varied_options(which++, window, 1);
    check_medians_across<T, test::Misaligned, test::Misaligned>(space, {3, 101, 3}, window, options);
    check_medians_across<T, test::Misaligned, test::Right>(space, {2, 70, 160}, window, options);
    check_medians_across<T, test::Right, test::Block>(space, {2, 70, 40}, window, options);
    check_medians_across<T, test::Block, test::Strided>(space, {2, 40, 140}, window, options);
  }
  // Many short blocks, which teams take several of.
  check_medians_across<T>(space, {151, 12, 2}, 6, test::varied_options(which, 6, 1));
}

TEMPLATE_LIST_TEST_CASE("medians across memory: floats", "[median][columns][interleaved][nan]", test::OneSpace) {
  check_all_across<float>(TestType());
}
TEMPLATE_LIST_TEST_CASE("medians across memory: doubles", "[median][columns][interleaved][nan]", test::OneSpace) {
  check_all_across<double>(TestType());
}
TEMPLATE_LIST_TEST_CASE("medians across memory: integers", "[median][columns][interleaved]", test::OneSpace) {
  check_all_across<std::int64_t>(TestType());
}

TEMPLATE_LIST_TEST_CASE("medians across memory under other plans, as another type",
                        "[median][columns][interleaved][nan]", test::OneSpace) {
  const TestType space;
  for (const std::size_t columns : {3, 150}) {
    for (const std::int64_t window : {5, 7, 33}) {
      const Extents<3> extents{2, 91, columns};
      for (const int team_size : test::odd_team_sizes(space)) {
        if (team_size > tessera::detail::window_chunk_team_size && window <= 5) continue;
        for (const int league_size : {1, 7}) {
          check_medians_across<float>(space, extents, window,
                                      {.axis = 1, .league_size = league_size, .team_size = team_size});
        }
      }
      check_medians_across<double, test::Right, test::Right, std::int16_t>(space, extents, window, {.axis = 1});
    }
  }
}

TEMPLATE_LIST_TEST_CASE("medians across memory of any width, also where NaN are omitted",
                        "[median][columns][interleaved][nan]", test::OneSpace) {
  const TestType space;
  for (const std::size_t columns : {3, 40}) {
    for (const std::int64_t window : {4, 9, 101}) {
      WindowOptions options = test::varied_options(static_cast<int>(window), window, 1);
      check_medians_across<double>(space, {2, 61, columns}, window, options);
      options.nan = tessera::NanPolicy::omit;
      check_medians_across<float>(space, {2, 61, columns}, window, options);
    }
  }
  // Several tiles of each line, also by fewer teams; what team scratch does not hold.
  check_medians_across<float>(space, {2, 1300, 3}, 40, {.axis = 1});
  check_medians_across<float>(space, {2, 1300, 3}, 40, {.axis = 1, .league_size = 3});
  check_medians_across<float>(space, {2, 9, 3}, 6000, {.axis = 1});
  check_medians_across<float, test::Block, test::Misaligned>(space, {2, 1300, 3}, 5,
                                                             {.axis = 1, .nan = tessera::NanPolicy::omit});
}

/// The kernels of devices, also on hosts.
template <class Op, class Space>
void check_kernels(const Space& space, const Extents<3>& extents, std::int64_t window, const WindowOptions& options,
                   int team_size = test::runs_on_host<Space> ? 1 : 128) {
  using namespace tessera::detail;
  using T = typename Op::in_type;
  INFO("operation of up to " << Op::whole_windows_max << ", team " << team_size);
  const auto check = [&](const auto& launch) {
    check_lines_across<T, T, test::Misaligned, test::Misaligned>(
        space, extents, window, options, [&](const auto& in, const auto& out) {
          const auto [in_lines, out_lines] = line_arrays<const T, T>(in, out, 1);
          const Boundary<T> boundary{options.mode_left, options.mode_right, boundary_value<T>("test", options)};
          const WindowLines<Op> lines{in_lines, out_lines, boundary, {window, window / 2 + options.origin}};
          WindowPlan plan{.league_size = 3, .team_size = team_size};
          launch(lines, plan);
        });
  };
  if (extents[2] == 1) {
    return check([&](const WindowLines<Op>& lines, WindowPlan& plan) {
      const auto share = window_padded_lines_plan<Op>(device_limits(space), lines.in.lines(), lines.in.extent,
                                                      lines.window, team_size);
      REQUIRE(share.lines > 0);
      plan.scratch_bytes = share.bytes;
      launch_window_padded_lines("test", space, plan, share, lines, Op(), 0);
    });
  }
  check([&](const WindowLines<Op>& lines, WindowPlan& plan) {
    plan.tile = 2 * window_column_outputs<Op>;
    if (!test::runs_on_host<Space>) plan.team_size = std::max(32, team_size);
    launch_window_columns("test", space, plan, lines, Op(), 0);
  });
  check([&](const WindowLines<Op>& lines, WindowPlan& plan) {
    const FilterShape shape = filter_shape(lines.in, lines.out, window, lines.window.reach_left);
    REQUIRE(shape.full_columns);
    const auto share = interleaved_tiling<WindowInterleavedTypes<Op>>(device_limits(space), shape, team_size);
    plan.scratch_bytes = share.bytes;
    launch_window_interleaved("test", space, plan, share, lines, Op(), 0);
  });
}

/// shortest: the fewest elements that it takes.
template <class Op, class Space>
void check_operation(const Space& space, std::int64_t shortest) {
  constexpr std::int64_t longest = Op::whole_windows_max;
  int which = 0;
  for (const std::int64_t window : {shortest, longest / 2 + 1, longest}) {
    for (const std::size_t columns : {1, 3, 40}) {
      for (int k = 0; k < 3; ++k) {
        check_kernels<Op>(space, {2, 58, columns}, window, test::varied_options(which++, window, 1));
      }
    }
  }
  if (test::runs_on_host<Space>) return;
  for (const int team_size : {1, 33}) check_kernels<Op>(space, {31, 40, 2}, longest, {.axis = 1}, team_size);
}

template <class T, class Space>
void check_operations(const Space& space) {
  check_operation<tessera::detail::WindowMedian<T, T>>(space, 1);
  for (const auto& [window, outputs] : tessera::detail::median_network_sizes) {
    tessera::detail::with_median_windows<!test::runs_on_host<Space>, T, T>(
        window, [&, run = outputs]<class Op>(const Op&) {
          if constexpr (tessera::detail::makes_runs<Op>) check_operation<Op>(space, run - 1);
        });
  }
}

TEMPLATE_LIST_TEST_CASE("the kernels of medians: floats", "[median][columns][interleaved][padded][nan]",
                        test::OneSpace) {
  check_operations<float>(TestType());
}
TEMPLATE_LIST_TEST_CASE("the kernels of medians: doubles", "[median][columns][interleaved][padded][nan]",
                        test::OneSpace) {
  check_operations<double>(TestType());
}

MedianPlan plan_across(bool is_host, std::int64_t columns, std::int64_t extent, std::int64_t window,
                       const WindowOptions& options = {}, bool full = true) {
  const tessera::detail::DeviceLimits limits{is_host, is_host ? 4 : 1 << 18, 200 << 10};
  return tessera::detail::make_median_plan<float>(limits, 64 * columns, extent, window, options,
                                                  {columns, false, full, full});
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("the plan of medians follows the views", "[median][columns][interleaved]", test::OneSpace) {
  const auto method = [&](std::size_t rows, std::size_t columns, std::int64_t window) {
    const Kokkos::View<float**, Kokkos::LayoutRight, TestType> in("in", rows, columns);
    return tessera::median_plan(TestType(), in, window, {.axis = 0}).method;
  };
  constexpr bool is_host = test::runs_on_host<TestType>;
  CHECK(method(100, 3, 5) == (is_host ? MedianMethod::chunks : MedianMethod::interleaved));
  CHECK(method(100, 3, 9) == (is_host ? MedianMethod::network : MedianMethod::interleaved));
  CHECK(method(100, 150, 5) == MedianMethod::columns);
  CHECK(method(100, 150, 9) == (is_host ? MedianMethod::network : MedianMethod::columns));
  for (const std::int64_t window : {5, 9, 50}) {
    CHECK(method(0, 3, window) == MedianMethod::direct);
    CHECK(method(3, 0, window) == MedianMethod::direct);
  }
}

TEST_CASE("the plan of medians follows the lines across memory", "[median][columns][interleaved]") {
  for (const std::int64_t window : {3, 7, 33}) {
    INFO("window " << window);
    CHECK(plan_across(false, 3, 1000, window).method == MedianMethod::interleaved);
    CHECK(plan_across(false, 3, 1000, window).network_window == (window == 3 ? 0 : window == 7 ? 9 : 33));
    // Where scratch has no room for tiles that pay, each thread reads its own.
    CHECK(plan_across(false, 100, 1000, window).method ==
          (window < 33 ? MedianMethod::interleaved : MedianMethod::columns));
    CHECK(plan_across(false, 128, 1000, window).method == MedianMethod::columns);
    CHECK(plan_across(false, 129, 1000, window).method == MedianMethod::columns);
    CHECK(plan_across(false, 100, 1000, window, {}, false).method == MedianMethod::columns);
    CHECK(plan_across(false, 100, 1000, window, {.team_size = 96}).team_size == 96);
    const MedianMethod few = window == 3 ? MedianMethod::columns : MedianMethod::network;
    CHECK(plan_across(true, 100, 1000, window).method == few);
    CHECK(plan_across(true, 129, 1000, window).method == few);
  }
  CHECK(plan_across(false, 3, 1000, 34).method == MedianMethod::ranks);
  CHECK(plan_across(false, 3, 1000, 9, {.nan = tessera::NanPolicy::omit}).method == MedianMethod::ranks);
  // Networks leave short lines to those that are padded, and large teams to tiles of a line.
  CHECK(plan_across(false, 3, 17, 9).method == MedianMethod::padded);
  CHECK(plan_across(false, 3, 18, 9).method == MedianMethod::interleaved);
  CHECK(plan_across(false, 3, 10, 5).method == MedianMethod::interleaved);
  CHECK(plan_across(false, 129, 1000, 9, {.team_size = 256}).method == MedianMethod::network);
  CHECK(plan_across(false, 3, 5000, 9, {.team_size = 256}).method == MedianMethod::network);
}

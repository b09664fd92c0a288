// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moving windows along few lines across memory that fill it together, which devices have a kernel for: colours of
// pixels, components of vectors.
#include <Kokkos_Core.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "support/message.hpp"
#include "window_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::WindowOperation;
using tessera::WindowOptions;
using tessera::WindowPlan;
using tessera::WindowVariant;
using test::check_across;
using test::Extents;

/// Lines about what a thread and a team make, columns about the most that there is a kernel for.
template <WindowOperation Operation, class T, class Space>
void check_pixel_windows(const Space& space) {
  int which = 0;
  for (const std::size_t size : {1, 2, 9, 10, 131, 401}) {
    for (const std::int64_t window : {1, 2, 3, 8, 9, 10, 11, 31, 128, 129}) {
      check_across<Operation, T>(space, Extents<2>{size, 3}, window, test::varied_options(which++, window, 0));
    }
  }
  for (const std::size_t columns : {2, 4, 5, 7, 8, 16, 31, 33, 127, 129}) {
    check_across<Operation, T>(space, Extents<2>{85, columns}, 5, test::varied_options(which++, 5, 0));
  }
  check_across<Operation, T>(space, Extents<3>{601, 3, 2}, 3, test::varied_options(which++, 3, 1));
  check_across<Operation, T, test::Misaligned, test::Misaligned>(space, Extents<3>{3, 203, 3}, 12,
                                                                 test::varied_options(which, 12, 1));
}

TEMPLATE_LIST_TEST_CASE("windows of pixels: minima of floats", "[window][interleaved]", test::OneSpace) {
  check_pixel_windows<WindowOperation::min, float>(TestType());
}
TEMPLATE_LIST_TEST_CASE("windows of pixels: maxima of doubles", "[window][interleaved]", test::OneSpace) {
  check_pixel_windows<WindowOperation::max, double>(TestType());
}
TEMPLATE_LIST_TEST_CASE("windows of pixels: minima of bytes", "[window][interleaved]", test::OneSpace) {
  check_pixel_windows<WindowOperation::min, std::uint8_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("windows of pixels: means of floats", "[window][interleaved]", test::OneSpace) {
  check_pixel_windows<WindowOperation::box, float>(TestType());
}
TEMPLATE_LIST_TEST_CASE("windows of pixels: means of doubles", "[window][interleaved]", test::OneSpace) {
  check_pixel_windows<WindowOperation::box, double>(TestType());
}
TEMPLATE_LIST_TEST_CASE("windows of pixels: means of 16-bit integers", "[window][interleaved]", test::OneSpace) {
  check_pixel_windows<WindowOperation::box, std::int16_t>(TestType());
}

/// Extrema from the kernel, also where the library takes another one, against those of the same lines along memory.
template <WindowOperation Operation, class T, class Layout, class Space>
void check_window_kernel(const Space& space, const Extents<3>& extents, std::int64_t size, const WindowOptions& options,
                         int team_size = test::runs_on_host<Space> ? 1 : 128) {
  using namespace tessera::detail;
  using Op = window_op_t<T, Operation>;
  INFO(test::described(options, size) << ", " << extents[0] << " times " << extents[1] << " rows of " << extents[2]
                                      << ", team " << team_size);
  const std::size_t count = extents[0] * extents[1] * extents[2];
  const std::vector<T> data = test::unusual_values<T>(count, count / 2);
  const test::GuardedView<T, Layout, Space, 3> in(extents, data), out(extents);
  const auto [in_lines, out_lines] = line_arrays<const T, T>(in.const_view(), out.view(), 1);
  const WindowShape window{size, size / 2 + options.origin};
  const FilterShape shape = filter_shape(in_lines, out_lines, window.size, window.reach_left);
  REQUIRE(shape.full_columns);
  const auto share = interleaved_tiling<WindowInterleavedTypes<Op>>(device_limits(space), shape, team_size);
  WindowPlan plan{.league_size = 3, .team_size = team_size};
  plan.scratch_bytes = share.bytes;
  const WindowLines<Op> lines{
      in_lines, out_lines, {options.mode_left, options.mode_right, boundary_value<T>("test", options)}, window};
  launch_window_interleaved("test", space, plan, share, lines, make_window_op<Operation, T>(size, options), 0);
  space.fence();
  out.check_guards();

  const std::vector<T> got = out.read();
  for (std::size_t o = 0; o < extents[0]; ++o) {
    for (std::size_t c = 0; c < extents[2]; ++c) {
      const std::size_t first = o * extents[1] * extents[2] + c;
      const auto line = test::line_of(data, first, extents[1], extents[2]);
      test::check_bits(test::line_of(got, first, extents[1], extents[2]),
                       test::windowed<Operation>(space, line, size, options));
    }
  }
}

template <WindowOperation Operation, class T, class Space>
void check_window_kernels(const Space& space) {
  for (const std::size_t columns : {2, 31}) {
    for (const std::int64_t window : {1, 4, 9, 33}) {
      check_window_kernel<Operation, T, test::Right>(
          space, {3, 203, columns}, window, {.mode_left = BoundaryMode::reflect, .mode_right = BoundaryMode::wrap});
      check_window_kernel<Operation, T, test::Misaligned>(
          space, {2, 40, columns}, window,
          {.mode_left = BoundaryMode::constant, .mode_right = BoundaryMode::keep, .cval = 7.0, .origin = window / 3});
      check_window_kernel<Operation, T, test::Misaligned>(
          space, {2, 40, columns}, window,
          {.mode_left = BoundaryMode::keep, .mode_right = BoundaryMode::mirror, .nan = tessera::NanPolicy::omit});
    }
  }
  check_window_kernel<Operation, T, test::Right>(space, {1, 700, 3}, 257, {});
  // Several blocks at a time, in the last tile fewer.
  check_window_kernel<Operation, T, test::Misaligned>(space, {301, 3, 2}, 3, {.mode_right = BoundaryMode::wrap});
  if (test::runs_on_host<Space>) return;
  for (const int team_size : {1, 7, 33, 48}) {
    check_window_kernel<Operation, T, test::Right>(space, {301, 3, 2}, 2, {}, team_size);
    check_window_kernel<Operation, T, test::Right>(space, {2, 203, 3}, 33, {}, team_size);
  }
}

TEMPLATE_LIST_TEST_CASE("the kernel of windows of pixels, floats", "[window][interleaved][nan]", test::OneSpace) {
  check_window_kernels<WindowOperation::min, float>(TestType());
}
TEMPLATE_LIST_TEST_CASE("the kernel of windows of pixels, doubles", "[window][interleaved][nan]", test::OneSpace) {
  check_window_kernels<WindowOperation::max, double>(TestType());
}
TEMPLATE_LIST_TEST_CASE("the kernel of windows of pixels, bytes", "[window][interleaved]", test::OneSpace) {
  check_window_kernels<WindowOperation::max, std::uint8_t>(TestType());
}

TEMPLATE_LIST_TEST_CASE("means of windows of pixels have the same bits under any plan", "[window][interleaved]",
                        test::OneSpace) {
  const TestType space;
  const auto check = [&]<class T>(T) {
    const std::vector<T> data = test::values<T>(1501 * 9);
    for (const std::int64_t window : {5, 10, 100}) {
      const auto expected = test::windowed<WindowOperation::box>(space, Extents<2>{1501, 9}, data, window, {.axis = 0});
      for (const int team_size : test::odd_team_sizes(space)) {
        if (team_size > tessera::detail::window_interleaved_team_size) continue;
        for (const int league_size : test::odd_league_sizes()) {
          const WindowOptions options{.axis = 0, .league_size = league_size, .team_size = team_size};
          INFO(test::described(options, window));
          test::check_bits(test::windowed<WindowOperation::box>(space, Extents<2>{1501, 9}, data, window, options),
                           expected);
        }
      }
    }
  };
  check(float{});
  check(double{});
}

TEMPLATE_LIST_TEST_CASE("which windows of few lines go through scratch together", "[window][interleaved][plan]",
                        test::OneSpace) {
  const TestType space;
  const bool device = !test::runs_on_host<TestType>;
  const auto plan_of = [&]<class T, class Layout>(T, Layout, std::size_t columns, WindowOperation operation,
                                                  std::int64_t window, const WindowOptions& options = {}) {
    const test::GuardedView<T, Layout, TestType, 2> lines({columns, 1000});
    return tessera::window_plan(space, lines.const_view(), operation, window, options);
  };
  const auto takes = [](const WindowPlan& plan) { return plan.variant == WindowVariant::interleaved; };
  for (const WindowOperation operation : tessera::window_operations) {
    CHECK(takes(plan_of(float{}, test::Left{}, 3, operation, 3)) == device);
    CHECK(takes(plan_of(double{}, test::Left{}, 3, operation, 128)) == device);
    CHECK(takes(plan_of(std::uint8_t{}, test::Left{}, 64, operation, 31)) == device);
    CHECK_FALSE(takes(plan_of(double{}, test::Left{}, 3, operation, 129)));
    CHECK_FALSE(takes(plan_of(float{}, test::BlockLeft{}, 3, operation, 3)));
    CHECK_FALSE(takes(plan_of(float{}, test::Left{}, 32, operation, 3)));
    CHECK_FALSE(takes(plan_of(float{}, test::Left{}, 129, operation, 3)));
    CHECK_FALSE(takes(plan_of(float{}, test::Right{}, 3, operation, 3)));
  }
  CHECK_FALSE(takes(plan_of(float{}, test::Left{}, 3, WindowOperation::box, 3, {.nan = tessera::NanPolicy::omit})));
  if (!device) return;
  const WindowPlan plan = plan_of(float{}, test::Left{}, 3, WindowOperation::min, 9, {.team_size = 33});
  CHECK(plan.team_size == 33);
  CHECK(plan.scratch_bytes > 0);
  CHECK(to_string(plan).starts_with("interleaved league "));
  test::check_message(test::message_of<tessera::InvalidArgument>(
                          [&] { plan_of(float{}, test::Left{}, 3, WindowOperation::min, 9, {.team_size = 256}); }),
                      {"tessera::min_filter", "team_size", "256", "128"});
}

/// A check of private code: the plans of devices, from any machine.
TEST_CASE("teams of windows of pixels fit the scratch of small multiprocessors", "[window][interleaved][plan]") {
  using namespace tessera::detail;
  constexpr std::size_t kib = 1024;
  const auto check = [&]<class Op>(Op, std::size_t there) {
    const DeviceLimits limits{false, 132 * 2048, 40936, there};
    int taken = 0;
    for (const std::int64_t window : {1, 3, 33, 128}) {
      for (const std::int64_t columns : {2, 3, 16, 33}) {
        for (const std::int64_t extent : {7, 300, 1000000}) {
          const LinePlace place{columns, false, true, true};
          const WindowPlan plan = make_window_plan<Op>("test", limits, 30000000 / extent * columns, extent,
                                                       {window, window / 2}, {}, place);
          if (plan.variant != WindowVariant::interleaved) continue;
          ++taken;
          INFO(there << " bytes, window " << window << ": " << to_string(plan));
          CHECK((plan.scratch_bytes + 1024) * static_cast<std::size_t>(WindowInterleavedTypes<Op>::teams) <= there);
        }
      }
    }
    CHECK(taken >= (there < 100000 ? 2 : 12));
  };
  // The order of sums does not hang on the number of blocks.
  const auto is_taken = [&](std::int64_t columns, std::int64_t extent, std::int64_t window, std::int64_t blocks,
                            std::size_t there) {
    const LinePlace place{columns, false, true, true};
    return make_window_plan<window_op_t<double, WindowOperation::box>>(
               "test", {false, 132 * 2048, 40936, there}, blocks * columns, extent, {window, window / 2}, {}, place)
               .variant == WindowVariant::interleaved;
  };
  for (const std::int64_t blocks : {1, 2, 3, 32, 100000}) {
    INFO(blocks << " blocks");
    CHECK(is_taken(4, 90, 100, blocks, 100 * kib));
    CHECK(is_taken(4, 9, 13, blocks, 164 * kib));
    CHECK_FALSE(is_taken(16, 1000, 128, blocks, 64 * kib));
  }
  for (const std::size_t there : {64 * kib, 100 * kib, 164 * kib, 228 * kib}) {
    check(window_op_t<std::uint8_t, WindowOperation::min>(), there);
    check(window_op_t<float, WindowOperation::box>(), there);
    check(window_op_t<double, WindowOperation::max>(), there);
    check(window_op_t<double, WindowOperation::box>(), there);
  }
}

}  // namespace

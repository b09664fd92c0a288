// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short lines under windows and filters that may be longer than they are: those that a device takes several of at a
// time, each with its halos.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>

#include "median_check.hpp"
#include "support/limits.hpp"
#include "window_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::FilterOptions;
using tessera::FilterPlan;
using tessera::FilterVariant;
using tessera::MedianMethod;
using tessera::WindowOperation;
using tessera::WindowOptions;
using tessera::WindowPlan;
using tessera::WindowVariant;
using test::Extents;

template <class T>
std::vector<T> line_of(const std::vector<T>& data, std::size_t line, std::size_t extent) {
  const auto first = data.begin() + static_cast<std::ptrdiff_t>(line * extent);
  return std::vector<T>(first, first + static_cast<std::ptrdiff_t>(extent));
}

/// InLayout, OutLayout: Block has lines apart.
template <WindowOperation Operation, class InLayout = test::Right, class OutLayout = test::Right, class T, class Space>
void check_lines(const Space& space, const std::vector<T>& data, std::size_t extent, std::int64_t window,
                 const WindowOptions& options) {
  const std::size_t lines = data.size() / extent;
  INFO(test::described(options, window) << ", " << lines << " lines of " << extent);
  const auto got =
      test::windowed<Operation, InLayout, OutLayout>(space, Extents<2>{lines, extent}, data, window, options);
  for (std::size_t line = 0; line < lines; ++line) {
    test::check_windows<Operation>(line_of(got, line, extent), line_of(data, line, extent), window, options);
  }
}

/// Extents about the runs of threads, windows about the runs and the longest one; as many lines as a team takes, one
/// more, and many more.
template <WindowOperation Operation, class T, class Space>
void check_window_sizes(const Space& space) {
  int which = 0;
  const std::int64_t windows[] = {10, 11, 18, 19, 20, 27, 28, 37, 64, 100, 127, 128, 129};
  for (const std::size_t extent : {1, 2, 8, 9, 10, 17, 18, 19, 50, 100, 200, 512}) {
    for (const std::int64_t window : windows) {
      if (test::is_sanitized && (which + static_cast<int>(extent)) % 3 != 0) {
        ++which;
        continue;
      }
      const Kokkos::View<T**, Kokkos::LayoutRight, Space> many("many", 1000, extent);
      const WindowPlan plan = tessera::window_plan(space, many, Operation, window);
      using Op = tessera::detail::window_op_t<T, Operation>;
      const std::int64_t seen = tessera::detail::window_shape<Op>(static_cast<std::int64_t>(extent), window, 0).size;
      if (!test::runs_on_host<Space>) CHECK((plan.variant == WindowVariant::padded) == (seen > 9 && seen <= 128));
      const auto at_once = static_cast<std::size_t>(std::min(plan.lanes, 130));
      const std::size_t counts[] = {1, at_once, at_once + 1, 2 * at_once + 1};
      const std::size_t lines = extent > 200 ? 3 : counts[which % 4];
      WindowOptions options = test::varied_options(which, window);
      const std::vector<T> data = test::values<T>(lines * extent, extent);
      check_lines<Operation>(space, data, extent, window, options);
      if (which % 3 == 0) check_lines<Operation, test::Block, test::Right>(space, data, extent, window, options);
      options.league_size = 2;
      if (which % 3 == 1) check_lines<Operation, test::Misaligned, test::Block>(space, data, extent, window, options);
      options.team_size = 1;
      if (which % 5 == 2) check_lines<Operation, test::Right, test::Misaligned>(space, data, extent, window, options);
      ++which;
    }
  }
}

TEMPLATE_LIST_TEST_CASE("window minimum of several short lines", "[window][padded]", test::OneSpace) {
  check_window_sizes<WindowOperation::min, float>(TestType());
}
TEMPLATE_LIST_TEST_CASE("window maximum of several short lines", "[window][padded]", test::OneSpace) {
  check_window_sizes<WindowOperation::max, double>(TestType());
}
TEMPLATE_LIST_TEST_CASE("window extrema of several short lines of integers", "[window][padded]", test::OneSpace) {
  check_window_sizes<WindowOperation::max, std::int8_t>(TestType());
  if (!test::is_sanitized) check_window_sizes<WindowOperation::min, std::int64_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("window mean of several short lines", "[window][padded]", test::OneSpace) {
  check_window_sizes<WindowOperation::box, float>(TestType());
  check_window_sizes<WindowOperation::box, double>(TestType());
}
TEMPLATE_LIST_TEST_CASE("window mean of several short lines of integers", "[window][padded]", test::OneSpace) {
  check_window_sizes<WindowOperation::box, std::int16_t>(TestType());
  if (!test::is_sanitized) check_window_sizes<WindowOperation::box, std::int64_t>(TestType());
}

/// Windows of few elements of lines apart in memory.
TEMPLATE_LIST_TEST_CASE("few elements of lines apart", "[window][padded]", test::OneSpace) {
  const TestType space;
  int which = 0;
  for (const std::size_t extent : {1, 5, 9, 17, 100, 1152, 1153}) {
    for (const std::int64_t window : {1, 2, 3, 8, 9}) {
      const WindowOptions options = test::varied_options(which++, window);
      const std::vector<float> data = test::values<float>(extent > 1000 ? 3 * extent : 41 * extent, extent);
      check_lines<WindowOperation::min, test::Block, test::Block>(space, data, extent, window, options);
      check_lines<WindowOperation::box, test::Block, test::Block>(space, data, extent, window, options);
    }
  }
}

/// A NaN, an infinity and zeros of both signs in some lines: the others are as they were.
TEMPLATE_LIST_TEST_CASE("what is special in a short line stays in its windows", "[window][padded]", test::OneSpace) {
  const TestType space;
  constexpr std::size_t extent = 60, lines = 70;
  std::vector<double> data = test::values<double>(lines * extent, 5);
  for (const std::size_t line : {3, 4, 9, 30, 69}) {
    double* const x = data.data() + line * extent;
    x[line % 7] = line == 4 ? test::infinity : test::nan;
    x[extent - 1 - line % 5] = line == 9 ? -test::infinity : test::nan;
  }
  for (std::size_t line = 40; line < 50; ++line) {
    for (std::size_t i = 0; i < extent; ++i) data[line * extent + i] = (line + i) % 23 == 0 ? -0.0 : 0.0;
  }
  for (const std::int64_t window : {10, 31}) {
    for (const BoundaryMode mode : {BoundaryMode::reflect, BoundaryMode::constant, BoundaryMode::keep}) {
      const WindowOptions options{.mode_left = mode, .mode_right = BoundaryMode::wrap, .cval = -0.0};
      INFO(test::described(options, window));
      const auto minima = test::windowed<WindowOperation::min>(space, Extents<2>{lines, extent}, data, window, options);
      const auto maxima = test::windowed<WindowOperation::max>(space, Extents<2>{lines, extent}, data, window, options);
      std::vector<double> low, high;
      for (std::size_t line = 0; line < lines; ++line) {
        const std::vector<double> alone = line_of(data, line, extent);
        for (std::size_t i = 0; i < extent; ++i) {
          std::vector<double> elements = tessera::reference::window_elements(
              alone, static_cast<std::int64_t>(i),
              tessera::reference::Window<double>{window, 0, test::edge_of(options.mode_left),
                                                 test::edge_of(options.mode_right), -0.0});
          const bool has_nan = std::any_of(elements.begin(), elements.end(), [](double x) { return x != x; });
          const auto before = [](double a, double b) { return a == b ? std::signbit(a) && !std::signbit(b) : a < b; };
          if (!has_nan) std::sort(elements.begin(), elements.end(), before);
          low.push_back(elements.empty() ? alone[i] : has_nan ? test::nan : elements.front());
          high.push_back(elements.empty() ? alone[i] : has_nan ? test::nan : elements.back());
        }
      }
      test::check_values(minima, low);
      test::check_values(maxima, high);
      const auto sign_bits = [](const std::vector<double>& values) {
        std::vector<int> bits;
        for (const double x : values) bits.push_back(x == 0 && std::signbit(x));
        return bits;
      };
      test::check_values(sign_bits(minima), sign_bits(low));
      test::check_values(sign_bits(maxima), sign_bits(high));
    }
  }
}

/// Rows of a block of planes, and elements apart: lines at distances that are not equal.
TEMPLATE_LIST_TEST_CASE("short lines at unequal distances", "[window][filter][median][padded]", test::OneSpace) {
  const TestType space;
  const Extents<3> extents{7, 9, 23};
  const std::vector<double> data = test::values<double>(7 * 9 * 23, 6);
  const auto check = [&]<class Layout>(Layout, const auto& filter, const auto& expected_of) {
    const test::GuardedView<double, Layout, TestType, 3> in(extents, data), out(extents);
    filter(in.const_view(), out.view());
    space.fence();
    out.check_guards();
    std::vector<double> expected;
    for (std::size_t line = 0; line < 63; ++line) {
      const std::vector<double> outputs = expected_of(line_of(data, line, 23));
      expected.insert(expected.end(), outputs.begin(), outputs.end());
    }
    test::check_values(out.read(), expected);
  };
  for (const BoundaryMode mode : {BoundaryMode::mirror, BoundaryMode::constant, BoundaryMode::keep}) {
    const WindowOptions options{.mode_left = mode, .mode_right = BoundaryMode::wrap, .cval = 0.25};
    const FilterOptions filter_options{.mode_left = mode, .mode_right = BoundaryMode::wrap, .cval = 0.25};
    const tessera::FilterWeights<TestType> weights(space, test::whole_weights(31));
    for (const std::int64_t window : {3, 7, 31}) {
      const auto medians = [&](const auto& in, const auto& out) {
        tessera::median_filter(space, in, window, out, options);
      };
      const auto means = [&](const auto& in, const auto& out) { tessera::box_filter(space, in, window, out, options); };
      const auto filtered = [&](const auto& in, const auto& out) {
        tessera::correlate(space, in, weights, out, filter_options);
      };
      const auto median_of = [&](const auto& line) { return test::expected_medians(line, window, options); };
      const auto mean_of = [&](const auto& line) {
        return test::windowed<WindowOperation::box>(space, line, window, options);
      };
      const auto filtered_of = [&](const auto& line) {
        return test::filtered<double>(space, line, test::whole_weights(31), filter_options);
      };
      const auto check_all = [&](auto layout) {
        check(layout, medians, median_of);
        check(layout, means, mean_of);
        check(layout, filtered, filtered_of);
      };
      check_all(test::Block{});
      check_all(test::Strided{});
    }
  }
}

/// Alone, among others, apart in memory, with any team.
TEMPLATE_LIST_TEST_CASE("means of short lines have the same bits under any plan", "[window][padded]", test::OneSpace) {
  const TestType space;
  for (const std::size_t extent : {17, 101, 500, 1000}) {
    constexpr std::size_t lines = 5;
    const std::vector<double> data = test::values<double>(lines * extent, 8);
    for (const std::int64_t window : {10, 13, 16, 31, 128, 129}) {
      INFO("window " << window << ", lines of " << extent);
      const Extents<2> extents{lines, extent};
      const auto expected = test::windowed<WindowOperation::box>(space, extents, data, window);
      test::check_bits(test::windowed<WindowOperation::box, test::Block>(space, extents, data, window), expected);
      test::check_bits(test::windowed<WindowOperation::box, test::Strided>(space, extents, data, window), expected);
      test::check_bits(test::windowed<WindowOperation::box>(space, line_of(data, 3, extent), window),
                       line_of(expected, 3, extent));
      for (const int team_size : test::odd_team_sizes(space)) {
        if (team_size > tessera::detail::padded_lines_team_size) continue;
        const WindowOptions options{.league_size = 3, .team_size = team_size};
        test::check_bits(test::windowed<WindowOperation::box>(space, extents, data, window, options), expected);
      }
    }
  }
}

/// Lines of one or two tiles of the longer kernels: their ends are staged apart from what lies between.
template <WindowOperation Operation, class T, class Space>
void check_medium(const Space& space) {
  int which = 0;
  for (const std::size_t extent : {513, 700, 1152, 1153, 2687, 2689, 6000}) {
    for (const std::int64_t window : {3, 10, 13, 22, 31, 129, 601}) {
      const WindowOptions options = test::varied_options(which, window);
      const std::vector<T> data = test::values<T>(3 * extent, extent);
      check_lines<Operation>(space, data, extent, window, options);
      if (which % 2 == 0) check_lines<Operation, test::Block, test::Misaligned>(space, data, extent, window, options);
      which += test::is_sanitized ? 2 : 1;
    }
  }
}

TEMPLATE_LIST_TEST_CASE("windows of lines of a few tiles", "[window][padded]", test::OneSpace) {
  check_medium<WindowOperation::min, float>(TestType());
  check_medium<WindowOperation::box, double>(TestType());
  if (!test::is_sanitized) check_medium<WindowOperation::max, std::int16_t>(TestType());
}

/// Modes whose ends are sums over some of the taps, too.
template <class In, class Out = In, class Space>
void check_filters(const Space& space, const std::vector<std::size_t>& taps_of_test) {
  int which = 0;
  for (const std::size_t extent : {1, 2, 9, 17, 60, 100, 300}) {
    for (const std::size_t taps : taps_of_test) {
      const std::size_t lines = extent > 60 ? 4 : 33;
      const auto weights = std::is_integral_v<In> ? test::whole_weights(taps) : test::fractional_weights(taps);
      test::FilterCheck<In, Out, test::Right, test::Right, Space, 2> follow(
          space, {lines, extent}, test::values<In>(lines * extent, 4), weights);
      test::FilterCheck<In, Out, test::Block, test::Block, Space, 2> apart(
          space, {lines, extent}, test::values<In>(lines * extent, 5), weights);
      const FilterOptions constant{.mode_left = BoundaryMode::reflect, .mode_right = BoundaryMode::constant, .cval = 2};
      const FilterOptions odd{.mode_left = BoundaryMode::odd, .mode_right = BoundaryMode::keep, .league_size = 2};
      const FilterOptions wrap{.mode_left = BoundaryMode::wrap, .mode_right = BoundaryMode::mirror, .team_size = 1};
      const FilterOptions valid{.mode_left = BoundaryMode::valid, .mode_right = BoundaryMode::nearest};
      const FilterOptions less{.mode_left = BoundaryMode::renormalise, .mode_right = BoundaryMode::valid};
      const FilterOptions all[] = {constant, odd, wrap, valid};
      follow.check(all[which % 4], which % 3 == 0);
      apart.check(all[(which + 1) % 4], which % 3 == 1);
      if (!std::is_integral_v<In>) apart.check(less, false);
      ++which;
    }
  }
}

TEMPLATE_LIST_TEST_CASE("filters of several short lines of float", "[filter][padded]", test::OneSpace) {
  check_filters<float>(TestType(), {1, 8, 13, 17, 31, 100});
}
TEMPLATE_LIST_TEST_CASE("filters of several short lines of double", "[filter][padded]", test::OneSpace) {
  check_filters<double>(TestType(), {2, 14, 35, 101});
}
TEMPLATE_LIST_TEST_CASE("filters of several short lines of integers", "[filter][padded]", test::OneSpace) {
  check_filters<std::int16_t, std::int32_t>(TestType(), {3, 10, 33});
}

TEMPLATE_LIST_TEST_CASE("the widest filters of short lines", "[filter][padded]", test::OneSpace) {
  for (const std::size_t taps : {256, 257, 258}) {
    auto check = test::filter_check<float, float>(TestType(), 20, 50, test::fractional_weights(taps));
    check.check({.mode_left = BoundaryMode::mirror, .mode_right = BoundaryMode::wrap}, false);
  }
}

/// Of every network, with NaN in some lines.
template <class T, class Out, class Space>
void check_medians(const Space& space) {
  int which = 0;
  for (const std::size_t extent : {1, 5, 9, 17, 60, 111}) {
    for (const std::int64_t window : {1, 2, 3, 5, 6, 9, 10, 17, 18, 31, 33, 34}) {
      const std::size_t lines = extent > 50 ? 7 : 30 + static_cast<std::size_t>(which % 9);
      std::vector<T> data = test::values<T>(lines * extent, 3);
      if constexpr (std::is_floating_point_v<T>) {
        for (std::size_t line = 2; line < lines; line += 5) data[line * extent + line % extent] = test::poison<T>();
      }
      WindowOptions options = test::varied_options(which, window);
      if (which % 3 == 1) options.league_size = 2;
      if (which % 3 == 2) options.team_size = 1;
      INFO(test::described(options, window) << ", " << lines << " lines of " << extent);
      const test::GuardedView<T, test::Block, Space, 2> in({lines, extent}, data);
      const test::GuardedView<Out, test::Right, Space, 2> out({lines, extent});
      tessera::median_filter(space, in.const_view(), window, out.view(), options);
      space.fence();
      out.check_guards();
      std::vector<Out> expected;
      for (std::size_t line = 0; line < lines; ++line) {
        const std::vector<T> medians = test::expected_medians(line_of(data, line, extent), window, options);
        expected.insert(expected.end(), medians.begin(), medians.end());
      }
      test::check_values(out.read(), expected);
      ++which;
    }
  }
}

TEMPLATE_LIST_TEST_CASE("medians of several short lines", "[median][padded]", test::OneSpace) {
  check_medians<float, float>(TestType());
  check_medians<double, double>(TestType());
  check_medians<float, double>(TestType());
  check_medians<std::int32_t, std::int32_t>(TestType());
}

/// A check of private code: the plans of a device, from any machine.
TEST_CASE("teams that take several lines fit a multiprocessor", "[window][filter][padded][plan]") {
  namespace detail = tessera::detail;
  for (const std::size_t there : {228, 164, 100}) {
    const detail::DeviceLimits limits{false, 270336, 40900, there * 1024};
    for (const std::int64_t extent : {1, 9, 10, 17, 64, 100, 400, 512, 800, 1000, 1152, 1153}) {
      for (const std::int64_t window : {1, 2, 10, 31, 128, 257, 258}) {
        INFO(there << " KiB, lines of " << extent << ", window " << window);
        const detail::PaddedLinesPlan plan =
            detail::padded_lines_plan<double, double>(limits, 1 << 20, extent, window, 0);
        CHECK((plan.lines > 0) == (extent <= 1152 && window <= 257));
        if (plan.lines == 0) continue;
        const std::size_t each = detail::scratch_request(plan.bytes) + 1024;
        CHECK((plan.lines == 1 || detail::padded_lines_teams * each <= there * 1024));
        CHECK(detail::scratch_request(plan.bytes) <= limits.scratch_bytes);
        CHECK(plan.lines * plan.runs <= plan.team_size);
        CHECK(plan.pitch >= plan.footprint);
        CHECK(plan.footprint >= extent + window - 1);
        if (there == 228 && window <= 31) CHECK(3 * plan.lines * plan.runs >= 2 * plan.team_size);
        CHECK(detail::padded_lines_plan<double, double>(limits, 1 << 20, extent, window, 7).team_size == 7);
      }
    }
  }
}

TEST_CASE("which lines a device takes several of", "[window][filter][padded][plan]") {
  namespace detail = tessera::detail;
  using Op = detail::window_op_t<float, WindowOperation::min>;
  const detail::DeviceLimits limits{false, 270336, 40900};
  const auto variant_of = [&](std::int64_t extent, std::int64_t window, bool adjacent) {
    const detail::WindowShape shape{window, window / 2};
    return detail::make_window_plan<Op>("test", limits, 1000, extent, shape, {}, {0, adjacent}).variant;
  };
  CHECK(variant_of(100, 31, true) == WindowVariant::padded);
  CHECK(variant_of(100, 31, false) == WindowVariant::padded);
  CHECK(variant_of(600, 31, true) == WindowVariant::runs);
  CHECK(variant_of(600, 13, true) == WindowVariant::padded);
  CHECK(variant_of(100, 129, true) == WindowVariant::runs);
  CHECK(variant_of(100, 9, true) == WindowVariant::lines);
  CHECK(variant_of(100, 9, false) == WindowVariant::padded);
  CHECK(to_string(WindowVariant::padded) == "padded");
  const auto median_of = [&](std::int64_t extent, std::int64_t window, std::int64_t columns,
                             const WindowOptions& options) {
    return detail::make_median_plan<float>(limits, 1000, extent, window, options, {columns, false});
  };
  for (const std::int64_t window : {3, 5, 9, 17, 33, 34}) {
    const auto plan = median_of(100, window, 0, {});
    CHECK((plan.method == MedianMethod::padded) == (window <= 33));
    CHECK((plan.lanes > 1) == (window <= 33));
    CHECK(median_of(100, window, 1000, {}).method != MedianMethod::padded);
    CHECK(median_of(2000, window, 0, {}).method != MedianMethod::padded);
    CHECK(median_of(100, window, 0, {.nan = tessera::NanPolicy::omit}).method != MedianMethod::padded);
    CHECK(median_of(100, window, 0, {.team_size = 128}).team_size == 128);
  }
  using Types = detail::FilterTypes<float, float, float>;
  const auto filter_of = [&](std::int64_t extent, std::int64_t taps) {
    const detail::FilterShape shape{1000, extent,   1000, extent, detail::LineDirection::along,
                                    taps, taps / 2, true, false};
    return detail::make_filter_plan<Types>(limits, shape, {}).variant;
  };
  CHECK(filter_of(17, 31) == FilterVariant::overlapping);
  CHECK(filter_of(100, 31) == FilterVariant::overlapping);
  CHECK(filter_of(200, 31) == FilterVariant::vectorized);
  CHECK(filter_of(200, 65) == FilterVariant::overlapping);
  CHECK(filter_of(1153, 65) == FilterVariant::register_blocked);
  CHECK(filter_of(400, 300) == FilterVariant::register_blocked);
}

}  // namespace

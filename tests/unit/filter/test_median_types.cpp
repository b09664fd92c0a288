// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Median filters of all types, layouts and output types.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <vector>

#include "median_check.hpp"

namespace test = tessera::test;
using tessera::BoundaryMode;

TEMPLATE_LIST_TEST_CASE("medians of integers and doubles, up to their extremes", "[filter][median]", test::OneSpace) {
  const TestType space;
  const auto check = [&]<class T, class Out>(T, Out) {
    std::vector<T> line = test::values<T>(90);
    for (std::size_t i = 0; i < line.size(); i += 3) {
      line[i] = i % 2 == 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
    }
    line[40] = 0;
    for (const std::int64_t window : {3, 8, 16, 21, 60}) test::check_median_as<Out>(space, line, window, {});
    test::check_median_as<Out>(space, line, 4, {.mode_right = BoundaryMode::constant, .cval = 7.0});
  };
  check(double{}, double{});
  check(std::int32_t{}, std::int64_t{});
}

TEMPLATE_LIST_TEST_CASE("medians of lines in any layout", "[filter][median]", test::OneSpace) {
  const TestType space;
  const std::vector<double> data{1.5, 2.5, 3e10, -1, -7, -8, -9, -1e10, 4, 4, 0.5, 0.25};
  const std::vector<double> medians{1.5, 2.5, 2.5, -1, -7, -8, -9, -1e10, 4, 4, 0.5, 0.25};
  const auto check = [&]<class Layout>(Layout) {
    const test::GuardedView<double, Layout, TestType, 3> in({3, 1, 4}, data), out({3, 1, 4});
    tessera::median_filter(space, in.const_view(), 3, out.view());
    space.fence();
    test::check_values(out.read(), medians);
    out.check_guards();
  };
  check(test::Right{});
  check(test::Misaligned{});
  check(test::Strided{});
  check(test::BlockLeft{});
}

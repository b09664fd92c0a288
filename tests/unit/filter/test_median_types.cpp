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

TEMPLATE_LIST_TEST_CASE("short medians of every choice of zeros, NaN, infinities and numbers", "[filter][median]",
                        test::OneSpace) {
  const TestType space;
  const auto check = [&]<class T>(T) {
    constexpr T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
    constexpr T least = std::numeric_limits<T>::denorm_min();
    const std::vector<T> with_nan{T(0), -T(0), nan, -least, infinity}, without{T(0), -T(0), least, T(-1), -infinity};
    for (const std::vector<T>& some : {with_nan, without}) {
      std::vector<T> line;  // five elements after the other, all choices
      for (std::size_t choice = 0; choice < 3125; ++choice) {
        for (std::size_t k = 0, digits = choice; k < 5; ++k, digits /= 5) line.push_back(some[digits % 5]);
      }
      const std::vector<T> backwards(line.rbegin(), line.rend());
      const auto alternating = [](const std::vector<T>& first, const std::vector<T>& second) {
        std::vector<T> both;
        for (std::size_t i = 0; i < first.size(); ++i) both.insert(both.end(), {first[i], second[i]});
        return both;
      };
      for (const std::int64_t window : {2, 3, 4, 5}) {
        test::check_median(space, line, window, {});
        const test::GuardedView<T, test::Right, TestType, 2> in({line.size(), 2}, alternating(line, backwards));
        const test::GuardedView<T, test::Right, TestType, 2> out({line.size(), 2});
        tessera::median_filter(space, in.const_view(), window, out.view(), {.axis = 0});
        space.fence();
        test::check_values(out.read(), alternating(test::expected_medians(line, window, {}),
                                                   test::expected_medians(backwards, window, {})));
        out.check_guards();
      }
    }
  };
  check(float{});
  check(double{});
}

namespace {

/// data: whole rows, one after the other, whatever the views' layout.
template <class Layout, class T, std::size_t Rank, class Space>
void check_layout(const Space& space, const test::Extents<Rank>& extents, const std::vector<T>& data,
                  const std::vector<T>& medians, std::int64_t window, const tessera::WindowOptions& options) {
  const test::GuardedView<T, Layout, Space, Rank> in(extents, data), out(extents);
  tessera::median_filter(space, in.const_view(), window, out.view(), options);
  space.fence();
  test::check_values(out.read(), medians);
  out.check_guards();
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("medians of wide windows along lines in any layout", "[filter][median]", test::OneSpace) {
  const TestType space;
  const std::vector<float> data = test::special_values(5 * 90);
  const tessera::WindowOptions options{.mode_left = BoundaryMode::wrap, .origin = 7, .league_size = 3};
  std::vector<float> medians;
  for (auto line = data.begin(); line != data.end(); line += 90) {
    const auto some = test::expected_medians(std::vector<float>(line, line + 90), 61, options);
    medians.insert(medians.end(), some.begin(), some.end());
  }
  const auto check = [&]<class Layout>(Layout) {
    check_layout<Layout>(space, test::Extents<2>{5, 90}, data, medians, 61, options);
  };
  check(test::Right{});
  check(test::Left{});
  check(test::Misaligned{});
  check(test::Strided{});
}

TEMPLATE_LIST_TEST_CASE("medians of lines in any layout", "[filter][median]", test::OneSpace) {
  const TestType space;
  const std::vector<double> data{1.5, 2.5, 3e10, -1, -7, -8, -9, -1e10, 4, 4, 0.5, 0.25};
  const std::vector<double> medians{1.5, 2.5, 2.5, -1, -7, -8, -9, -1e10, 4, 4, 0.5, 0.25};
  const auto check = [&]<class Layout>(Layout) {
    check_layout<Layout>(space, test::Extents<3>{3, 1, 4}, data, medians, 3, {});
  };
  check(test::Right{});
  check(test::Misaligned{});
  check(test::Strided{});
  check(test::BlockLeft{});
}

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Median filters against sorted windows, bit for bit, under every method.
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tessera/filter/median_filter.hpp>
#include <vector>

#include "median_check.hpp"

namespace {

namespace test = tessera::test;
namespace reference = tessera::reference;
using tessera::BoundaryMode;
using tessera::MedianMethod;
using tessera::WindowOptions;

template <class Space>
int team_of_many(const Space& space) {
  return test::odd_team_sizes(space).back();
}

/// The same under a method that the automatic plan may not choose here, in tiles of a few outputs.
template <class T, class Space>
void check_method(const Space& space, MedianMethod method, const std::vector<T>& line, std::int64_t window,
                  const WindowOptions& options, int tile, int team_size, int runs = 1) {
  INFO(to_string(method) << ", " << test::described(options, window) << ", line of " << line.size() << ", tile "
                         << tile);
  const test::GuardedView<T, test::Right, Space, 1> in({line.size()}, line), out({line.size()});
  tessera::MedianPlan plan{.method = method, .league_size = 3, .team_size = team_size, .tile = tile, .runs = runs};
  plan.scratch_bytes = tessera::detail::median_scratch<T>(method, tile, window, runs).bytes;
  const auto cval = static_cast<T>(std::get<double>(options.cval));
  const auto [in_lines, out_lines] = tessera::detail::line_arrays<const T, T>(in.const_view(), out.view(), 0);
  const tessera::detail::MedianLines<T, T> lines{in_lines,
                                                 out_lines,
                                                 {options.mode_left, options.mode_right, cval},
                                                 window,
                                                 window / 2 + options.origin,
                                                 options.nan == tessera::NanPolicy::omit};
  tessera::detail::run_median(space, plan, lines, 0);
  space.fence();
  test::check_values(out.read(), test::expected_medians(line, window, options));
  out.check_guards();
}

constexpr MedianMethod wide_methods[] = {MedianMethod::ranks, MedianMethod::memory_ranks, MedianMethod::direct};
constexpr MedianMethod ranks_methods[] = {MedianMethod::ranks, MedianMethod::memory_ranks};

const std::vector<std::int64_t> network_ends{1, 2, 3, 5, 6, 9, 10, 17, 18, 33};

}  // namespace

TEST_CASE("the median reference, by hand", "[filter][median]") {
  using Values = std::vector<double>;
  CHECK(reference::median_of(Values{3, 1, 2}) == 2);
  CHECK(reference::median_of(Values{4, 3, 1, 2}) == 3);
  CHECK(std::signbit(reference::median_of(Values{0.0, -0.0, -1, -0.0, 1})));
  CHECK(std::isnan(reference::median_of(Values{0, std::nan(""), 1})));
  CHECK(reference::median_line(Values{1, 5, 2, 9}, {.size = 3}) == Values{1, 2, 5, 9});
  CHECK(reference::median_line(Values{1, 5, 2, 9}, {.size = 2}) == Values{1, 5, 5, 9});
  CHECK(reference::median_line(Values{1, 5, 2, 9}, {.size = 3, .origin = 1}) == Values{1, 1, 2, 5});
}

TEMPLATE_LIST_TEST_CASE("every width up to the network's ends, and lines around a tile", "[filter][median]",
                        test::OneSpace) {
  const TestType space;
  const std::vector<float> line = test::special_values(5000);
  for (const std::int64_t window : network_ends) {
    const Kokkos::View<float*, TestType> large("large", 100000);
    const auto tile = static_cast<std::size_t>(tessera::median_plan(space, large, window).tile);
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{31}, tile - 1, tile, tile + 1}) {
      test::check_median(space, std::vector<float>(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(size)),
                         window, {});
    }
  }
}

TEMPLATE_LIST_TEST_CASE("medians of wide windows, also wider than the line", "[filter][median]", test::OneSpace) {
  const TestType space;
  for (const std::int64_t window : {34, 101, 1000}) {
    for (const std::size_t size : {1, 33, 400}) test::check_median(space, test::special_values(size), window, {});
  }
  // In scratch of level 1, and more places than 16 bits tell apart.
  const Kokkos::View<float*, TestType> some("some", 90);
  REQUIRE(tessera::median_plan(space, some, 6000).method == MedianMethod::memory_ranks);
  test::check_median(space, test::special_values(3), 20000, {});
  test::check_median(space, test::special_values(90), 6000, {.mode_right = BoundaryMode::wrap, .origin = -5});
  test::check_median(space, test::special_values(5), 70000, {.mode_left = BoundaryMode::keep});
  test::check_median(space, test::values<double>(40), 5000, {});
  test::check_median(space, test::values<std::int64_t>(40), 5000, {});
}

TEMPLATE_LIST_TEST_CASE("medians of wide windows in several tiles, near and far apart in rank", "[filter][median]",
                        test::OneSpace) {
  const TestType space;
  constexpr std::size_t size = 15001, window = 4999;
  const Kokkos::View<float*, TestType> some("some", size);
  const tessera::MedianPlan plan = tessera::median_plan(space, some, window);
  REQUIRE(plan.method == MedianMethod::memory_ranks);
  REQUIRE(static_cast<std::size_t>(plan.tile) < size);
  std::vector<float> near_line = test::values<float>(size), far_line(size);
  for (std::size_t i = 0; i < size; ++i) far_line[i] = near_line[i] + (i % 2 == 0 ? 1e6F : -1e6F);
  for (const auto& line : {near_line, far_line}) {
    // Under mode wrap, by a sorted window that moves on.
    const auto element = [&](std::size_t j) { return line[(j + size - window / 2) % size]; };
    std::vector<float> sorted, expected;
    for (std::size_t k = 0; k < window; ++k) sorted.push_back(element(k));
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < size; ++i) {
      expected.push_back(sorted[window / 2]);
      sorted.erase(std::lower_bound(sorted.begin(), sorted.end(), element(i)));
      sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), element(i + window)), element(i + window));
    }
    const test::GuardedView<float, test::Right, TestType, 1> in({size}, line), out({size});
    tessera::median_filter(space, in.const_view(), window, out.view(),
                           {.mode_left = BoundaryMode::wrap, .mode_right = BoundaryMode::wrap});
    space.fence();
    test::check_values(out.read(), expected);
    out.check_guards();
  }
}

TEMPLATE_LIST_TEST_CASE("medians under every pair of boundary modes and every origin", "[filter][median]",
                        test::OneSpace) {
  const TestType space;
  const std::vector<float> line = test::special_values(41);
  for (const BoundaryMode left : tessera::element_modes) {
    for (const BoundaryMode right : tessera::element_modes) {
      for (const std::int64_t window : {4, 90}) {
        test::check_median(space, line, window, {.mode_left = left, .mode_right = right, .cval = -0.25});
      }
    }
    for (const std::int64_t window : {4, 5}) {
      for (std::int64_t origin = -(window / 2); origin <= (window - 1) / 2; ++origin) {
        test::check_median(space, line, window,
                           {.mode_left = left, .mode_right = left, .cval = 0.25, .origin = origin});
      }
    }
    for (const std::int64_t origin : {-17, 16}) {
      test::check_median(space, line, 34, {.mode_left = left, .mode_right = left, .origin = origin});
    }
  }
}

TEMPLATE_LIST_TEST_CASE("the methods for wide windows agree, whatever tile and team", "[filter][median]",
                        test::OneSpace) {
  const TestType space;
  const std::vector<float> line = test::special_values(300);
  for (const MedianMethod method : wide_methods) {
    for (const int team_size : test::odd_team_sizes(space)) {
      for (const std::int64_t window : {1, 16, 150}) {
        for (const int tile : {7, 300}) check_method(space, method, line, window, {}, tile, team_size);
      }
      check_method(space, method, line, 20, {.mode_left = BoundaryMode::keep, .origin = -3}, 32, team_size);
      check_method(space, method, test::special_values(5), 33, {.mode_right = BoundaryMode::constant, .cval = 1.0}, 2,
                   team_size);
    }
  }
  // What a chunk and pairs of chunks hold, around it; runs of no outputs, and more of them than the team has threads.
  constexpr std::size_t chunk = tessera::detail::median_chunk;
  for (const std::size_t staged :
       {std::size_t{2}, chunk - 1, chunk, chunk + 1, 2 * chunk, 4 * chunk, 5 * chunk + 2, std::size_t{1200}}) {
    const std::size_t size = staged - 1;  // under windows of two
    for (const int runs : {1, 4, 13, 64}) {
      for (const MedianMethod method : ranks_methods) {
        check_method(space, method, test::special_values(size), 2, {}, 600, 1, runs);
        check_method(space, method, test::special_values(size), 257, {}, 600, team_of_many(space), runs);
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("the methods for wide windows take elements of 4 and 8 bytes up to their extremes",
                        "[filter][median]", test::OneSpace) {
  const TestType space;
  const auto check = [&]<class T>(T) {
    std::vector<T> line = test::values<T>(200);
    for (std::size_t i = 0; i < line.size(); i += 3) {
      line[i] = test::mixed(i, 8) % 2 == 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
    }
    for (const MedianMethod method : wide_methods) {
      check_method(space, method, line, 40, {.mode_right = BoundaryMode::constant, .cval = 3.0}, 77,
                   team_of_many(space), 4);
    }
  };
  check(double{});
  check(std::int32_t{});
  check(std::uint32_t{});
  check(std::int64_t{});
  check(std::uint64_t{});
}

TEMPLATE_LIST_TEST_CASE("the methods for wide windows agree on what NaN they omit", "[filter][median][nan]",
                        test::OneSpace) {
  const TestType space;
  std::vector<float> line = test::special_values(700);
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_hole = 200 < i && i < 420;
    if (is_hole || test::mixed(i, 3) % 5 == 0) line[i] = i % 2 == 0 ? test::poison<float>() : -test::poison<float>();
  }
  for (const std::int64_t window : {6, 40, 151}) {
    const WindowOptions options{.mode_left = BoundaryMode::wrap, .nan = tessera::NanPolicy::omit};
    for (const int runs : {1, 32}) {
      for (const MedianMethod method : ranks_methods) {
        check_method(space, method, line, window, options, 333, team_of_many(space), runs);
      }
    }
    check_method(space, MedianMethod::direct, line, window, options, 333, 1);
  }
}

TEMPLATE_LIST_TEST_CASE("a NaN reaches exactly the medians whose window holds it", "[filter][median]", test::OneSpace) {
  const TestType space;
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t at = 0; at < 60; at += 7) {
    std::vector<float> line = test::special_values(60);
    line[at] = nan;
    if (at > 30) line[at / 2] = -nan;
    for (const std::int64_t window : {1, 3, 8, 17, 30}) test::check_median(space, line, window, {});
    test::check_median(space, line, 40, {.mode_left = BoundaryMode::keep, .mode_right = BoundaryMode::wrap});
    for (const MedianMethod method : wide_methods) check_method(space, method, line, 6, {}, 13, 1);
  }
  const WindowOptions beyond{.mode_left = BoundaryMode::constant, .cval = static_cast<double>(nan)};
  for (const std::int64_t window : {5, 50}) test::check_median(space, test::special_values(70), window, beyond);
}

TEMPLATE_LIST_TEST_CASE("medians do not depend on league and team", "[filter][median]", test::OneSpace) {
  const TestType space;
  const std::vector<float> line = test::special_values(2500);
  for (const int team_size : test::odd_team_sizes(space)) {
    for (const int league_size : test::odd_league_sizes()) {
      for (const std::int64_t window : {4, 9, 50}) {
        if (window == 4 && team_size > tessera::detail::window_chunk_team_size) continue;
        test::check_median(space, line, window, {.league_size = league_size, .team_size = team_size});
      }
    }
  }
}

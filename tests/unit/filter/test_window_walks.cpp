// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows of lines so long that a device's teams walk along them: every output, bit for bit. Elements are whole numbers
// of eighths, so that all sums are exact.
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <tessera/filter/window_filter.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "support/compare.hpp"
#include "support/spaces.hpp"
#include "window_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::WindowOperation;
using tessera::WindowOptions;
using tessera::WindowPlan;

template <class T>
constexpr T quiet = std::numeric_limits<T>::quiet_NaN();

/// What stands for the j-th element of a line; only for the modes used here, of which each looks as far as it needs.
template <class T>
T shown(const T* line, std::int64_t n, std::int64_t j, const WindowOptions& options) {
  if (j >= 0 && j < n) return line[j];
  const BoundaryMode mode = j < 0 ? options.mode_left : options.mode_right;
  if (mode == BoundaryMode::constant) return static_cast<T>(std::get<double>(options.cval));
  if (mode == BoundaryMode::wrap) return line[((j % n) + n) % n];
  return line[j < 0 ? 0 : n - 1];
}

/// Zeros have an order.
template <class T>
bool comes_first(T a, T b) {
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}

/// Each window's result in constant time: of extrema by a queue of those elements that may still be one, of means by
/// the exact sums of all elements so far.
template <WindowOperation Operation, class T>
std::vector<T> expected_line(const T* line, std::int64_t n, std::int64_t window, const WindowOptions& options) {
  const std::int64_t left = window / 2 + options.origin;
  std::vector<T> results(static_cast<std::size_t>(n));
  std::deque<std::pair<std::int64_t, T>> candidates;
  std::deque<std::int64_t> nans;
  std::vector<std::int64_t> sums(static_cast<std::size_t>(n + window));
  for (std::int64_t k = 0; k < n + window - 1; ++k) {
    const std::int64_t j = k - left;
    const T x = shown(line, n, j, options);
    const bool is_nan = x != x;
    if (is_nan) nans.push_back(k);
    sums[static_cast<std::size_t>(k) + 1] =
        sums[static_cast<std::size_t>(k)] + (is_nan ? 0 : static_cast<std::int64_t>(x * 8));
    if (Operation != WindowOperation::box && !is_nan) {
      const auto beats = [](T a, T b) {
        return Operation == WindowOperation::min ? comes_first(a, b) : comes_first(b, a);
      };
      while (!candidates.empty() && !beats(candidates.back().second, x)) candidates.pop_back();
      candidates.emplace_back(k, x);
    }
    const std::int64_t i = k - (window - 1);
    if (i < 0) continue;
    while (!candidates.empty() && candidates.front().first < i) candidates.pop_front();
    while (!nans.empty() && nans.front() < i) nans.pop_front();
    T& result = results[static_cast<std::size_t>(i)];
    if (options.mode_left == BoundaryMode::keep && (i < left || i - left + window > n)) {
      result = line[i];
    } else if (!nans.empty()) {
      result = quiet<T>;
    } else if (Operation == WindowOperation::box) {
      const std::int64_t sum = sums[static_cast<std::size_t>(k) + 1] - sums[static_cast<std::size_t>(i)];
      result = static_cast<T>(static_cast<double>(sum) / 8 / static_cast<double>(window));
    } else {
      result = candidates.front().second;
    }
  }
  return results;
}

template <WindowOperation Operation, class T, class Space>
void check_walks(const Space& space, std::int64_t window, const WindowOptions& options, std::size_t odd_elements) {
  // On a device many tiles for each team that runs at once.
  const bool is_tile = window * sizeof(T) <= 24576;
  const std::size_t lines = 2, extent = tessera::detail::is_host_space<Space> ? 40009 : is_tile ? 12000017 : 6000011;
  INFO(test::described(options, window) << ", " << odd_elements << " odd elements");
  std::vector<T> data;
  for (std::size_t i = 0; i < lines * extent; ++i) {
    data.push_back(static_cast<T>(static_cast<int>(test::mixed(i) % 4001) - 2000) / 8);
  }
  for (std::size_t k = 0; k < odd_elements; ++k) {
    const std::size_t at = test::mixed(k, 5) % data.size();
    data[at] = k % 3 == 0 ? quiet<T> : static_cast<T>(-0.0);
  }
  if constexpr (!tessera::detail::is_host_space<Space>) {
    const Kokkos::View<T**, Kokkos::LayoutRight, Space> in("in", lines, extent);
    const tessera::WindowPlan plan = tessera::window_plan(space, in, Operation, window, options);
    INFO(to_string(plan));
    const bool walks = plan.variant == tessera::WindowVariant::walks;
    CHECK(walks == (window > (sizeof(T) > 4 ? 1792 : Operation == WindowOperation::box ? 768 : 2048)));
    CHECK((!walks || plan.walk > 3));
  }
  const auto got = test::windowed<Operation>(space, test::Extents<2>{lines, extent}, data, window, options);
  std::vector<T> expected;
  for (std::size_t line = 0; line < lines; ++line) {
    const auto results =
        expected_line<Operation>(data.data() + line * extent, static_cast<std::int64_t>(extent), window, options);
    expected.insert(expected.end(), results.begin(), results.end());
  }
  test::check_values(got, expected);
}

template <WindowOperation Operation, class T, class Space>
void check_windows_of_walks(const Space& space) {
  const WindowOptions plain{.mode_left = BoundaryMode::nearest, .mode_right = BoundaryMode::constant, .cval = 17.5};
  for (const std::int64_t window : {769, 1025, 2049, 3001, 3073, 6145, 8192}) {
    check_walks<Operation, T>(space, window, plain, 0);
  }
  const WindowOptions shifted{.mode_left = BoundaryMode::wrap, .mode_right = BoundaryMode::nearest, .origin = -700};
  check_walks<Operation, T>(space, 2500, shifted, 30);
  check_walks<Operation, T>(space, 7000, shifted, 30);
  check_walks<Operation, T>(space, 7000, shifted, 3000);
  const WindowOptions kept{.mode_left = BoundaryMode::keep, .mode_right = BoundaryMode::keep};
  check_walks<Operation, T>(space, 2600, kept, 30);
  check_walks<Operation, T>(space, 7000, kept, 30);
}

TEMPLATE_LIST_TEST_CASE("windows of walks along lines: minima", "[window]", test::OneSpace) {
  check_windows_of_walks<WindowOperation::min, float>(TestType());
  check_windows_of_walks<WindowOperation::min, double>(TestType());
}

TEMPLATE_LIST_TEST_CASE("windows of walks along lines: integers", "[window]", test::OneSpace) {
  const WindowOptions shifted{.mode_left = BoundaryMode::wrap, .mode_right = BoundaryMode::nearest, .origin = -700};
  check_walks<WindowOperation::min, std::int64_t>(TestType(), 4001, shifted, 0);
  check_walks<WindowOperation::max, std::int32_t>(TestType(), 7001, shifted, 0);
}

TEMPLATE_LIST_TEST_CASE("windows of walks along lines: maxima", "[window]", test::OneSpace) {
  check_windows_of_walks<WindowOperation::max, float>(TestType());
}

TEMPLATE_LIST_TEST_CASE("windows of walks along lines: means", "[window]", test::OneSpace) {
  check_windows_of_walks<WindowOperation::box, float>(TestType());
  check_windows_of_walks<WindowOperation::box, double>(TestType());
}

TEST_CASE("walks along lines fill a device as evenly as can be", "[window][plan]") {
  const auto walks_of = [](std::int64_t lines, std::int64_t tiles, std::int64_t teams) {
    return tessera::detail::window_walks_of_line(lines, tiles, 2016, 3001, teams);
  };
  CHECK(walks_of(1, 66577, 660) == 660);
  CHECK(walks_of(2, 66577, 660) == 330);
  CHECK(walks_of(400, 100, 660) == 3);  // in two waves, of 36 tiles each with those before the first
  CHECK(walks_of(20000, 50, 660) == 1);
  CHECK(walks_of(1, 3, 660) == 3);
  CHECK(walks_of(1, 1 << 20, 1) == 4);  // no walk of 2^29 elements or more
}

TEST_CASE("teams that walk along lines are whole warps", "[window][plan]") {
  const tessera::detail::DeviceLimits limits{false, 270336, 40900};
  using Op = tessera::detail::window_op_t<float, WindowOperation::min>;
  for (const auto& [asked, team_size] : {std::pair{1, 32}, {32, 32}, {40, 64}, {96, 96}}) {
    const WindowPlan plan = tessera::detail::make_window_plan<Op>("test", limits, 1, std::int64_t{1} << 27,
                                                                  {3001, 1500}, {.team_size = asked});
    CHECK(plan.variant == tessera::WindowVariant::walks);
    CHECK(plan.team_size == team_size);
    CHECK(plan.tile == 21 * team_size);
  }
}

}  // namespace

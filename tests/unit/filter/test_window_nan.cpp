// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NaN policies of moving minima, maxima, means and medians.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tessera/filter/median_filter.hpp>

#include "median_check.hpp"
#include "support/message.hpp"
#include "window_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::NanPolicy;
using tessera::WindowOperation;
using tessera::WindowOptions;

/// What window i holds but NaN; false where mode keep copies the element.
template <class T>
bool gather(const std::vector<T>& line, std::int64_t i, std::int64_t window, const WindowOptions& options,
            std::vector<T>& left) {
  const T cval = std::visit([](auto value) { return static_cast<T>(value); }, options.cval);
  const tessera::reference::Window<T> shape{window, options.origin, test::edge_of(options.mode_left),
                                            test::edge_of(options.mode_right), cval};
  left = tessera::reference::window_elements(line, i, shape);
  if (left.empty()) return false;
  std::erase_if(left, [](T x) { return x != x; });
  return true;
}

/// -0.0 before +0.0
template <class T>
bool goes_before(T a, T b) {
  return a == b ? std::signbit(a) && !std::signbit(b) : a < b;
}

/// Every step-th output of each operation.
template <class T, class Space>
void check_omitted(const Space& space, const std::vector<T>& line, std::int64_t window, WindowOptions options,
                   std::int64_t step = 1) {
  INFO(test::described(options, window) << ", line of " << line.size());
  options.nan = NanPolicy::omit;
  const auto least = test::windowed<WindowOperation::min>(space, line, window, options);
  const auto most = test::windowed<WindowOperation::max>(space, line, window, options);
  const auto mean = test::windowed<WindowOperation::box>(space, line, window, options);
  const test::GuardedView<T, test::Right, Space, 1> in({line.size()}, line), out({line.size()});
  tessera::median_filter(space, in.const_view(), window, out.view(), options);
  space.fence();
  out.check_guards();
  const std::vector<T> median = out.read();
  std::vector<T> got, expected, means;
  std::vector<long double> expected_means, bounds;
  std::vector<T> left;
  for (std::size_t at = 0; at < line.size(); at += static_cast<std::size_t>(step)) {
    const bool is_kept = !gather(line, static_cast<std::int64_t>(at), window, options, left);
    got.insert(got.end(), {least[at], most[at], median[at]});
    means.push_back(mean[at]);
    if (is_kept || left.empty()) {
      const T value = is_kept ? line[at] : std::numeric_limits<T>::quiet_NaN();
      expected.insert(expected.end(), 3, value);
      expected_means.push_back(value);
      bounds.push_back(0);
      continue;
    }
    std::sort(left.begin(), left.end(), goes_before<T>);
    expected.insert(expected.end(), {left.front(), left.back(), left[left.size() / 2]});
    const auto reference = tessera::reference::window_mean(left);
    expected_means.push_back(reference.value);
    bounds.push_back(reference.bound);
  }
  test::check_values(got, expected);
  test::check_within(means, expected_means, bounds);
}

/// Single NaN of both signs, and more of them than windows hold.
template <class T>
std::vector<T> line_with_nan(std::size_t size) {
  std::vector<T> line = test::values<T>(size, 9);
  for (std::size_t i = 0; i < size; ++i) {
    const bool is_hole = i % 701 > 640;
    if (is_hole || test::mixed(i, 10) % 5 == 0) line[i] = i % 2 == 0 ? test::poison<T>() : -test::poison<T>();
  }
  return line;
}

TEMPLATE_LIST_TEST_CASE("windows omit NaN", "[window][median][nan]", test::Spaces) {
  const TestType space;
  for (const std::int64_t window : {1, 2, 3, 5, 9, 31, 60}) {
    for (const std::size_t size : {1, 2, 40, 3001}) check_omitted(space, line_with_nan<float>(size), window, {});
  }
  check_omitted(space, line_with_nan<double>(5003), 33, {.mode_left = BoundaryMode::wrap, .origin = 7});
}

TEMPLATE_LIST_TEST_CASE("windows omit NaN under each mode, infinities and zeros among them", "[window][median][nan]",
                        test::OneSpace) {
  const TestType space;
  std::vector<float> line = test::special_values(400);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (test::mixed(i, 12) % 4 == 0) line[i] = test::poison<float>();
  }
  // Sums of infinities of both signs are NaN; the bound knows none.
  std::vector<float> finite = line;
  for (float& x : finite) x = std::isinf(x) || std::abs(x) > 1e30F ? 1 : x;
  for (const BoundaryMode mode : tessera::element_modes) {
    for (const std::int64_t window : {4, 17, 900}) {
      check_omitted(space, finite, window, {.mode_left = mode, .mode_right = mode, .cval = -0.0});
    }
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  check_omitted(space, finite, 21, {.mode_left = BoundaryMode::constant, .cval = nan, .origin = 8});
  const auto least = test::windowed<WindowOperation::min>(space, line, 5, {.nan = NanPolicy::omit});
  const auto mean = test::windowed<WindowOperation::box>(space, line, 5, {.nan = NanPolicy::omit});
  std::vector<float> left;
  for (std::size_t i = 0; i < line.size(); ++i) {
    (void)gather(line, static_cast<std::int64_t>(i), 5, {}, left);
    INFO(i);
    if (left.empty()) continue;
    const float expected = *std::min_element(left.begin(), left.end(), goes_before<float>);
    CHECK(test::same_bits(least[i], expected));
    float sum = 0;
    for (const float x : left) sum += x;
    if (!std::isfinite(sum)) CHECK(std::isnan(sum) == std::isnan(mean[i]));
  }
}

TEMPLATE_LIST_TEST_CASE("wide windows omit NaN", "[window][median][nan]", test::OneSpace) {
  const TestType space;
  check_omitted(space, line_with_nan<float>(test::is_sanitized ? 1701 : 7001), 300,
                {.mode_right = BoundaryMode::mirror}, 97);
  for (const std::int64_t window : {1500, 20011}) {
    check_omitted(space, line_with_nan<float>(test::is_sanitized ? 211 : 701), window,
                  {.mode_right = BoundaryMode::mirror}, 97);
  }
  check_omitted(space, line_with_nan<double>(test::is_sanitized ? 307 : 1501), 6001,
                {.mode_left = BoundaryMode::nearest}, 97);
}

TEMPLATE_LIST_TEST_CASE("windows of integers have no NaN to omit", "[window][nan]", test::OneSpace) {
  const TestType space;
  const std::vector<std::int64_t> line = test::values<std::int64_t>(900);
  for (const std::int64_t window : {5, 300}) {
    test::check_line<WindowOperation::box>(space, line, window, {.nan = NanPolicy::omit});
    test::check_line<WindowOperation::min>(space, line, window, {.nan = NanPolicy::omit});
  }
}

TEMPLATE_LIST_TEST_CASE("windows refuse NaN", "[window][median][nan][errors]", test::OneSpace) {
  const TestType space;
  std::vector<double> line = test::values<double>(3000);
  const WindowOptions options{.nan = NanPolicy::error};
  const tessera::Workspace<TestType> workspace(space, 1 << 20);
  const test::GuardedView<double, test::Right, TestType, 1> out({3000}), same({3000});
  const auto call = [&](int which, const auto& in, const auto& to, const auto&... more) {
    if (which == 0) tessera::min_filter(space, in.const_view(), 5, to.view(), more...);
    if (which == 1) tessera::max_filter(space, in.const_view(), 200, to.view(), more...);
    if (which == 2) tessera::box_filter(space, in.const_view(), 20011, to.view(), more...);
    if (which == 3) tessera::median_filter(space, in.const_view(), 7, to.view(), more...);
  };
  for (const int which : {0, 1, 2, 3}) {
    const test::GuardedView<double, test::Right, TestType, 1> clean({3000}, line);
    call(which, clean, out, options, workspace);
    tessera::check(space, workspace);
    std::vector<double> spoiled = line;
    spoiled[2999] = spoiled[1777] = std::numeric_limits<double>::quiet_NaN();
    const test::GuardedView<double, test::Right, TestType, 1> in({3000}, spoiled);
    call(which, in, out, options, workspace);
    test::check_message(test::message_of<tessera::InvalidArgument>([&] { tessera::check(space, workspace); }),
                        {"`in`", "element 1777 is NaN", "expected no NaN"});
    call(which, in, same);
    space.fence();
    test::check_values(out.read(), same.read());
    test::check_message(test::message_of<tessera::InvalidArgument>([&] { call(which, in, out, options); }),
                        {"`options`", "NaN policy error without a workspace", ";", "propagate or omit"});
    WindowOptions beyond = options;
    beyond.mode_left = BoundaryMode::constant;
    beyond.cval = std::numeric_limits<double>::quiet_NaN();
    test::check_message(test::message_of<tessera::InvalidArgument>([&] { call(which, in, out, beyond, workspace); }),
                        {"`options`", "a NaN cval under NaN policy error", ";"});
  }
}

TEST_CASE("the plans of windows that omit NaN", "[window][median][nan][plan]") {
  using Space = Kokkos::DefaultExecutionSpace;
  const Space space;
  const Kokkos::View<float*, Space> in("in", 5000);
  const WindowOptions omit{.nan = NanPolicy::omit};
  const auto box = tessera::window_plan(space, in, WindowOperation::box, 20011, omit);
  CHECK(box.variant == tessera::WindowVariant::direct);
  CHECK(box.workspace_bytes == 0);
  CHECK(to_string(box).starts_with("direct league "));
  CHECK(tessera::window_plan(space, in, WindowOperation::min, 31, omit) ==
        tessera::window_plan(space, in, WindowOperation::min, 31));
  CHECK(tessera::median_plan(space, in, 5, omit).method != tessera::MedianMethod::chunks);
  CHECK(tessera::median_plan(space, in, 9, omit).method != tessera::MedianMethod::network);
}

}  // namespace

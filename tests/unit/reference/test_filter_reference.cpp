// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The filter and transpose references against answers worked out by hand.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "reference/filter_reference.hpp"
#include "reference/transpose_reference.hpp"
#include "reference/window_reference.hpp"

namespace {

namespace reference = tessera::reference;
using reference::Edge;
using reference::LinearFilter;

std::vector<double> filtered(const std::vector<double>& line, const LinearFilter<long double>& filter) {
  std::vector<double> result;
  for (const auto& output : reference::filter_line(line, filter)) result.push_back(static_cast<double>(output.value));
  return result;
}

/// The letters that stand before, in and after the line abcd.
std::string extended(Edge edge, int before, int after) {
  std::string text;
  for (int j = -before; j < 4 + after; ++j) {
    const std::int64_t at = reference::element_for(edge, edge, j, 4);
    text += at < 0 ? 'k' : static_cast<char>('a' + at);
  }
  return text;
}

TEST_CASE("the reference extends a line as SciPy's documentation draws it", "[reference]") {
  CHECK(extended(Edge::reflect, 5, 5) ==
        "ddcba"
        "abcd"
        "dcbaa");
  CHECK(extended(Edge::mirror, 5, 5) ==
        "bcdcb"
        "abcd"
        "cbabc");
  CHECK(extended(Edge::nearest, 3, 3) ==
        "aaa"
        "abcd"
        "ddd");
  CHECK(extended(Edge::wrap, 5, 5) ==
        "dabcd"
        "abcd"
        "abcda");
  CHECK(extended(Edge::constant, 2, 2) ==
        "kk"
        "abcd"
        "kk");
}

TEST_CASE("the reference extends a line of one element", "[reference]") {
  for (const Edge edge : {Edge::reflect, Edge::mirror, Edge::nearest, Edge::wrap}) {
    for (int j = -4; j < 5; ++j) CHECK(reference::element_for(edge, edge, j, 1) == 0);
  }
}

TEST_CASE("reference correlate and convolve", "[reference]") {
  const std::vector<double> line{1, 10, 100, 1000};
  LinearFilter<long double> filter{{1, 2, 3}, Edge::constant, Edge::constant, 0, 0, false};
  CHECK(filtered(line, filter) == std::vector<double>{32, 321, 3210, 2100});
  filter.convolve = true;
  CHECK(filtered(line, filter) == std::vector<double>{12, 123, 1230, 2300});
  filter.origin = 1;  // a convolution's window moves to the right, a correlation's to the left
  CHECK(filtered(line, filter) == std::vector<double>{123, 1230, 2300, 3000});
  filter.convolve = false;
  CHECK(filtered(line, filter) == std::vector<double>{3, 32, 321, 3210});
}

TEST_CASE("reference filters of even width take one element more on the left", "[reference]") {
  const std::vector<double> line{1, 10, 100};
  LinearFilter<long double> filter{{1, 2}, Edge::constant, Edge::constant, 5, 0, false};
  CHECK(filtered(line, filter) == std::vector<double>{5 + 2, 1 + 20, 10 + 200});
  filter.convolve = true;  // out[i] = w0 x[i+1] + w1 x[i]
  CHECK(filtered(line, filter) == std::vector<double>{10 + 2, 100 + 20, 5 + 200});
}

TEST_CASE("the reference keeps the outputs whose window leaves the line on a side that keeps", "[reference]") {
  const std::vector<double> line{1, 10, 100, 1000};
  const LinearFilter<long double> both{{1, 1, 1}, Edge::keep, Edge::keep, 0, 0, false};
  CHECK(filtered(line, both) == std::vector<double>{1, 111, 1110, 1000});
  const LinearFilter<long double> left{{1, 1, 1}, Edge::keep, Edge::nearest, 0, 0, false};
  CHECK(filtered(line, left) == std::vector<double>{1, 111, 1110, 2100});
  const LinearFilter<long double> wide{{1, 1, 1, 1, 1}, Edge::reflect, Edge::keep, 0, 0, false};
  CHECK(filtered({1, 10}, wide) == std::vector<double>{1, 10});
}

TEST_CASE("the reference's odd extension turns a line about its ends", "[reference]") {
  const auto extended = [](const std::vector<long double>& line, int before, int after) {
    const LinearFilter<long double> odd{{1}, Edge::odd, Edge::odd};
    std::vector<double> values;
    for (int j = -before; j < static_cast<int>(line.size()) + after; ++j) {
      values.push_back(static_cast<double>(reference::extended_element(line, odd, j).value));
    }
    return values;
  };
  // As numpy.pad of mode reflect with reflect_type odd.
  CHECK(extended({1, 2, 4, 8}, 3, 3) == std::vector<double>{-6, -2, 0, 1, 2, 4, 8, 12, 14, 15});
  CHECK(extended({0, 3}, 3, 3) == std::vector<double>{-9, -6, -3, 0, 3, 6, 9, 12});
  CHECK(extended({0, 1, 5}, 5, 5) == std::vector<double>{-11, -10, -9, -5, -1, 0, 1, 5, 9, 10, 11, 15, 19});
  CHECK(extended({7}, 2, 2) == std::vector<double>(5, 7));
  const LinearFilter<long double> odd{{1, 1}, Edge::odd, Edge::odd};
  CHECK(reference::filter_line(std::vector<double>{3, 1}, odd)[0].sum_abs == 3 + (2 * 3 + 1));
}

TEST_CASE("the reference scales what taps inside give", "[reference]") {
  const LinearFilter<long double> both{{1, 2, 6}, Edge::renormalise, Edge::renormalise};
  CHECK(filtered({1, 10, 100}, both) == std::vector<double>{(2 + 60) * 9 / 8.0, 621, (10 + 200) * 3});
  const LinearFilter<long double> left{{1, 2, 6}, Edge::renormalise, Edge::nearest};
  CHECK(filtered({1, 10, 100}, left) == std::vector<double>{(2 + 60) * 9 / 8.0, 621, 10 + 200 + 600});
  LinearFilter<long double> none{{1, 2, -2}, Edge::renormalise, Edge::renormalise};
  CHECK(std::isnan(filtered({1, 10, 100}, none)[0]));
  none.omit_nan = true;
  none.right = Edge::constant;
  const std::vector<double> omitted = filtered({1, std::numeric_limits<double>::quiet_NaN(), 100}, none);
  CHECK(omitted[0] == 1);
  CHECK(omitted[1] == (1 - 200) / -1);
  CHECK(std::isnan(omitted[2]));
}

TEST_CASE("the reference has no outputs whose window leaves the line on a side of mode valid", "[reference]") {
  const std::vector<double> line{1, 10, 100, 1000};
  LinearFilter<long double> filter{{1, 2, 3, 4}, Edge::valid, Edge::valid};
  CHECK(filtered(line, filter) == std::vector<double>{4321});
  filter.right = Edge::constant;
  CHECK(filtered(line, filter) == std::vector<double>{4321, 3210});
  filter.left = Edge::constant;
  filter.right = Edge::valid;
  CHECK(filtered(line, filter) == std::vector<double>{3 + 40, 2 + 30 + 400, 4321});
  filter.left = Edge::valid;
  CHECK(filtered({1, 10, 100}, filter).empty());
}

TEST_CASE("reference sides may differ, and windows may be wider than the line", "[reference]") {
  const LinearFilter<long double> filter{{1, 10, 100, 1000, 10000}, Edge::wrap, Edge::nearest, 0, 0, false};
  CHECK(filtered({1, 2}, filter) == std::vector<double>{22121, 22212});
}

TEST_CASE("the reference's integers are exact and clamp", "[reference]") {
  constexpr std::int64_t big = std::numeric_limits<std::int64_t>::max();
  const LinearFilter<reference::wide_int> filter{{1, 1, -1}, Edge::nearest, Edge::nearest, 0, 0, false};
  const auto outputs = reference::filter_line(std::vector<std::int64_t>{big, big, 0}, filter);
  CHECK(reference::clamped<std::int64_t>(outputs[0].value) == big);
  CHECK(outputs[1].value == reference::wide_int{big} + big);
  CHECK(reference::clamped<std::int64_t>(outputs[1].value) == big);
  CHECK(reference::clamped<std::int64_t>(-outputs[1].value) == std::numeric_limits<std::int64_t>::min());
  CHECK(reference::clamped<std::uint64_t>(-1) == 0);
  CHECK(reference::clamped<std::int32_t>(7) == 7);
}

TEST_CASE("the reference's windows hold what correlate reads, and their means are exact", "[reference]") {
  const std::vector<int> line{1, 2, 3, 4};
  const auto elements = [&](std::int64_t i, const reference::Window<int>& window) {
    return reference::window_elements(line, i, window);
  };
  CHECK(elements(0, {.size = 3}) == std::vector<int>{1, 1, 2});
  CHECK(elements(3, {.size = 4, .origin = -2, .right = Edge::wrap}) == std::vector<int>{4, 1, 2, 3});
  CHECK(elements(1, {.size = 5, .left = Edge::constant, .cval = 9}) == std::vector<int>{9, 1, 2, 3, 4});
  CHECK(elements(0, {.size = 2, .left = Edge::keep}).empty());
  constexpr std::int64_t low = std::numeric_limits<std::int64_t>::min();
  CHECK(reference::integer_window_mean(std::vector<std::int64_t>{low, low, low}) == -0x1p63);
  CHECK(reference::integer_window_mean(std::vector<int>{1, 0, 0}) == 1.0 / 3);
  CHECK(reference::integer_window_mean(std::vector<std::int64_t>{(std::int64_t{1} << 53) + 1}) == 0x1p53);
  const auto mean = reference::window_mean(std::vector<double>{1, -2, 4});
  CHECK(mean.value == 1);
  CHECK(static_cast<double>(mean.bound) == 7 * 0x1p-53 * 7 / 3);
}

TEST_CASE("the reference transpose", "[reference]") {
  CHECK(reference::transposed(std::vector<int>{1, 2, 3, 4, 5, 6}, 2, 3) == std::vector<int>{1, 4, 2, 5, 3, 6});
  CHECK(reference::transposed(std::vector<int>{}, 0, 3).empty());
}

}  // namespace

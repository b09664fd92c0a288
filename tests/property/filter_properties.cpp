// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What holds for every linear filter, whatever the data. Integers are compared exactly.
#include <algorithm>
#include <array>
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <tessera/filter/filter.hpp>

#include "random_sizes.hpp"
#include "support/compare.hpp"
#include "support/guarded_view.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::FilterOptions;
using Line = std::vector<std::int64_t>;

template <class Space, class T>
std::vector<T> filtered(const Space& space, const std::vector<T>& line, const std::vector<double>& weights,
                        const FilterOptions& options, bool convolve = false) {
  const test::GuardedView<T, test::Right, Space, 1> in({line.size()}, line), out({line.size()});
  const tessera::FilterWeights<Space> device_weights(space, weights);
  if (convolve) {
    tessera::convolve(space, in.view(), device_weights, out.view(), options);
  } else {
    tessera::correlate(space, in.view(), device_weights, out.view(), options);
  }
  space.fence();
  return out.read();
}

/// Under which integers give an exact integer an element.
constexpr std::array exact_modes{BoundaryMode::reflect, BoundaryMode::mirror,   BoundaryMode::nearest,
                                 BoundaryMode::wrap,    BoundaryMode::constant, BoundaryMode::odd,
                                 BoundaryMode::keep};

/// A random line, filter and boundary.
struct Request {
  std::size_t size, taps;
  FilterOptions options;
  std::vector<double> weights;

  Request(test::RandomSizes& sizes, std::uint64_t seed) : size(sizes.between(1, 3000)), taps(sizes.between(1, 40)) {
    const auto m = static_cast<std::int64_t>(taps);
    options.mode_left = exact_modes[sizes.between(0, exact_modes.size() - 1)];
    options.mode_right = exact_modes[sizes.between(0, exact_modes.size() - 1)];
    options.origin = static_cast<std::int64_t>(sizes.between(0, taps - 1)) - m / 2;
    for (const std::int32_t weight : test::values<std::int32_t>(taps, seed)) weights.push_back(weight);
  }
};

template <class Check>
void for_requests(std::uint64_t seed, const Check& check) {
  test::RandomSizes sizes(seed);
  for (std::uint64_t run = 0; run < 25; ++run) {
    const Request request(sizes, seed + run);
    INFO("size " << request.size << ", taps " << request.taps << ", origin " << request.options.origin << ", left "
                 << to_string(request.options.mode_left) << ", right " << to_string(request.options.mode_right));
    check(request, run);
  }
}

template <class Space>
void check_linearity(const Space& space) {
  for_requests(21, [&](const Request& request, std::uint64_t run) {
    const Line x = test::values<std::int64_t>(request.size, run), y = test::values<std::int64_t>(request.size, run + 1);
    Line combined, expected;
    for (std::size_t i = 0; i < request.size; ++i) combined.push_back(3 * x[i] - 5 * y[i]);
    const Line fx = filtered(space, x, request.weights, request.options);
    const Line fy = filtered(space, y, request.weights, request.options);
    for (std::size_t i = 0; i < request.size; ++i) expected.push_back(3 * fx[i] - 5 * fy[i]);
    test::check_values(filtered(space, combined, request.weights, request.options), expected);
  });
}

template <class Space>
void check_reversal(const Space& space) {
  for_requests(22, [&](const Request& request, std::uint64_t run) {
    // A convolution is the correlation with reversed weights, its window's centre mirrored.
    FilterOptions mirrored = request.options;
    mirrored.origin = -request.options.origin - (request.taps % 2 == 0 ? 1 : 0);
    std::vector<double> reversed = request.weights;
    std::reverse(reversed.begin(), reversed.end());
    const Line line = test::values<std::int64_t>(request.size, run);
    test::check_values(filtered(space, line, request.weights, request.options, true),
                       filtered(space, line, reversed, mirrored));
  });
}

template <class Space>
void check_mirror_image(const Space& space) {
  for_requests(23, [&](const Request& request, std::uint64_t run) {
    // The reversed line under swapped modes, convolved, is the reversed result of the correlation.
    FilterOptions swapped = request.options;
    std::swap(swapped.mode_left, swapped.mode_right);
    Line line = test::values<std::int64_t>(request.size, run);
    Line expected = filtered(space, line, request.weights, request.options);
    std::reverse(line.begin(), line.end());
    std::reverse(expected.begin(), expected.end());
    test::check_values(filtered(space, line, request.weights, swapped, true), expected);
  });
}

template <class Space>
void check_unit(const Space& space) {
  test::RandomSizes sizes(24);
  for (std::uint64_t run = 0; run < 15; ++run) {
    const std::size_t taps = 2 * sizes.between(0, 20) + 1;
    std::vector<double> unit(taps, 0.0);
    unit[taps / 2] = 1;
    const std::vector<double> line = test::values<double>(sizes.between(1, 3000), run);
    for (const BoundaryMode mode : exact_modes) {
      const FilterOptions options{.mode_left = mode, .mode_right = mode};
      test::check_bits(filtered(space, line, unit, options), line);
      test::check_bits(filtered(space, line, unit, options, true), line);
    }
  }
}

template <class Space>
void check_rotation(const Space& space) {
  for_requests(25, [&](const Request& request, std::uint64_t run) {
    FilterOptions options = request.options;
    options.mode_left = options.mode_right = BoundaryMode::wrap;
    Line line = test::values<std::int64_t>(request.size, run);
    Line expected = filtered(space, line, request.weights, options);
    const auto by = static_cast<std::ptrdiff_t>(request.size / 3);
    std::rotate(line.begin(), line.begin() + by, line.end());
    std::rotate(expected.begin(), expected.begin() + by, expected.end());
    test::check_values(filtered(space, line, request.weights, options), expected);
  });
}

TEMPLATE_LIST_TEST_CASE("filters are linear", "[filter]", test::Spaces) { check_linearity(TestType()); }
TEMPLATE_LIST_TEST_CASE("a convolution is a correlation with reversed weights", "[filter]", test::Spaces) {
  check_reversal(TestType());
}
TEMPLATE_LIST_TEST_CASE("left and right are alike", "[filter]", test::Spaces) { check_mirror_image(TestType()); }
TEMPLATE_LIST_TEST_CASE("a unit filter is the identity", "[filter]", test::Spaces) { check_unit(TestType()); }
TEMPLATE_LIST_TEST_CASE("a wrapped filter turns with its line", "[filter]", test::Spaces) {
  check_rotation(TestType());
}

}  // namespace

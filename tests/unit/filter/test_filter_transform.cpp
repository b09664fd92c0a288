// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters by Fourier transforms: within the bound of direct sums wherever that holds, direct where it would not.
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <limits>
#include <tessera/filter/filter_transform.hpp>

#include "transform_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::FilterOptions;
using tessera::FilterTransformOptions;
using test::TransformSpaces;

template <class T, class Space>
void check_modes() {
  const Space space;
  const auto weights = test::fractional_weights(37);
  test::TransformCheck<T, Space> check(space, 1, 307, weights, {.block = 128});
  for (const BoundaryMode left : tessera::boundary_modes) {
    for (const BoundaryMode right : tessera::boundary_modes) {
      check.check_both({.mode_left = left, .mode_right = right, .cval = 0.75});
    }
  }
}

TEMPLATE_LIST_TEST_CASE("transforms: all modes", "[filter][transform]", TransformSpaces) {
  check_modes<float, TestType>();
  check_modes<double, TestType>();
}

template <class T, class Space>
void check_sizes() {
  const Space space;
  const auto weights = test::fractional_weights(29);  // 36 outputs a block
  for (const std::size_t size : {0, 1, 2, 28, 29, 35, 36, 37, 71, 72, 73, 509}) {
    test::TransformCheck<T, Space> check(space, 1, size, weights, {.block = 64});
    check.check_both({});
    check.check_both({.mode_left = BoundaryMode::wrap, .mode_right = BoundaryMode::mirror});
    check.check_both({.mode_left = BoundaryMode::valid, .mode_right = BoundaryMode::keep});
    check.check_both({.mode_left = BoundaryMode::renormalise, .mode_right = BoundaryMode::odd});
  }
}

TEMPLATE_LIST_TEST_CASE("transforms: lines around the size of a block", "[filter][transform]", TransformSpaces) {
  check_sizes<float, TestType>();
  check_sizes<double, TestType>();
}

TEMPLATE_LIST_TEST_CASE("transforms: widths and origins", "[filter][transform]", TransformSpaces) {
  const TestType space;
  for (const std::size_t taps : {1, 2, 3, 64, 301}) {
    const FilterTransformOptions known{.extent = 151, .lines = 1};
    test::TransformCheck<double, TestType> check(space, 1, 151, test::fractional_weights(taps), known);
    const auto m = static_cast<std::int64_t>(taps);
    for (const std::int64_t origin : {-(m / 2), std::int64_t{0}, (m - 1) / 2}) {
      check.check_both({.origin = origin});
      check.check_both({.mode_left = BoundaryMode::mirror, .mode_right = BoundaryMode::wrap, .origin = origin});
    }
  }
}

TEMPLATE_LIST_TEST_CASE("transforms: blocks and batches of any size", "[filter][transform]", TransformSpaces) {
  const TestType space;
  const auto weights = test::fractional_weights(33);
  for (const std::int64_t block : {128, 4096}) {
    for (const std::size_t blocks : {1, 3, 1000}) {
      const std::size_t memory = 32 * static_cast<std::size_t>(block) * blocks;
      test::TransformCheck<float, TestType> check(space, 2, 509, weights, {.block = block, .memory_bytes = memory});
      check.check_both({});
      CHECK(check.plan().block == block);
      CHECK(check.plan().batch >= 1);
      CHECK(static_cast<std::size_t>(check.plan().batch) <= 2 * blocks);
    }
  }
}

/// Lines along each axis of arrays in every layout.
template <class Layout, class Space>
void check_axes(const Space& space) {
  constexpr std::size_t rows = 60, columns = 53;
  const auto data = test::values<float>(rows * columns);
  const test::GuardedView<float, Layout, Space, 2> in({rows, columns}, data), out({rows, columns});
  const auto weights = test::fractional_weights(23);
  const tessera::FilterWeights<Space> device_weights(space, weights);
  const tessera::FilterTransform<Space, float> transform(space, device_weights, {.block = 64});
  tessera::correlate(space, in.const_view(), transform, out.view(), {.axis = 0});
  space.fence();
  out.check_guards();
  std::vector<float> turned(rows * columns);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) turned[c * rows + r] = data[r * columns + c];
  }
  test::check_transformed<float>(turned, rows, weights, {}, false, [&] {
    const auto got = out.read();
    std::vector<float> result(got.size());
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) result[c * rows + r] = got[r * columns + c];
    }
    return result;
  }());
  tessera::convolve(space, in.const_view(), transform, out.view(), {.axis = 1});
  space.fence();
  out.check_guards();
  test::check_transformed<float>(data, columns, weights, {}, true, out.read());
}

TEMPLATE_LIST_TEST_CASE("transforms: any axis and layout", "[filter][transform]", TransformSpaces) {
  const TestType space;
  check_axes<test::Right>(space);
  check_axes<test::Left>(space);
  check_axes<test::Strided>(space);
  check_axes<test::Block>(space);
}

TEMPLATE_LIST_TEST_CASE("transforms: a NaN or Inf reaches its windows alone", "[filter][transform]", TransformSpaces) {
  const TestType space;
  const std::size_t taps = 40, size = 700, at = 333;
  for (const double special : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    auto line = test::values<double>(size);
    line[at] = special;
    const auto weights = test::fractional_weights(taps);
    const auto got = test::transformed(space, line, weights, {}, {.block = 128});
    test::check_transformed<double>(line, size, weights, {}, false, got);
    for (std::size_t i = 0; i < size; ++i) {
      // Output i takes elements i - 20 .. i + 19.
      const bool holds = i + taps / 2 > at && i <= at + taps / 2;
      INFO("output " << i);
      CHECK(std::isfinite(got[i]) == !holds);
    }
  }
  // cval is an element like others.
  const auto line = test::values<float>(200);
  const FilterOptions options{.mode_left = BoundaryMode::constant, .cval = std::nan("")};
  const auto weights = test::fractional_weights(9);
  test::check_transformed<float>(line, 200, weights, options, false,
                                 test::transformed(space, line, weights, options, {.block = 64}));
}

/// Checks the outputs; how many blocks ran direct.
template <class T, class Space>
std::int64_t direct_blocks(const Space& space, const std::vector<T>& line, const std::vector<double>& weights,
                           std::int64_t block) {
  std::int64_t count = -1;
  test::check_transformed<T>(line, line.size(), weights, {}, false,
                             test::transformed(space, line, weights, {}, {.block = block}, false, &count));
  return count;
}

TEMPLATE_LIST_TEST_CASE("transforms: blocks they cannot do run direct, and no others", "[filter][transform]",
                        TransformSpaces) {
  const TestType space;
  const std::size_t size = 790;
  const auto weights = test::fractional_weights(50);
  const auto direct = [&](const std::vector<float>& line) {  // of ten blocks of 79 outputs
    return direct_blocks(space, line, weights, 128);
  };
  const auto line = test::values<float>(size);
  CHECK(direct(line) == 0);
  auto special = line;
  for (const float value : {1e30f, std::nanf(""), -HUGE_VALF}) {
    special[400] = value;  // which the blocks of outputs 316 .. 473 take
    CHECK(direct(special) == 2);
  }
  // Outputs of small elements beside large ones: each has its own bound.
  auto steep = line, gap = line, tiny = line;
  for (std::size_t i = 0; i < size; ++i) {
    if (i < 440) steep[i] *= 1e-20f;
    if (i > 150 && i < 490) gap[i] = 0;
    tiny[i] *= 1e-30f;
  }
  CHECK(direct(steep) == 1);
  CHECK(direct(gap) == 2);  // a block of zeros alone is none of them
  CHECK(direct(tiny) == 0);
  for (std::size_t i = 0; i < 440; ++i) steep[i] = 1e-5f * line[i];
  CHECK(direct(steep) == 0);  // a double's rounding is little to a float
}

TEMPLATE_LIST_TEST_CASE("transforms: blocks of doubles run direct where they must", "[filter][transform]",
                        TransformSpaces) {
  const TestType space;
  const std::size_t size = 4347;
  auto weights = test::fractional_weights(600);
  const auto direct = [&](const std::vector<double>& line) {  // of three blocks of 1449 outputs
    return direct_blocks(space, line, weights, 2048);
  };
  const auto line = test::values<double>(size);
  CHECK(direct(line) == 0);
  auto special = line, tiny = line;
  special[200] = 1e300;
  CHECK(direct(special) == 1);
  for (auto& x : tiny) x *= 1e-300;
  CHECK(direct(tiny) == 3);
  // A filter of few taps is as exact as its few roundings: too good for transforms.
  CHECK(direct_blocks(space, std::vector<double>(line.begin(), line.begin() + 500), {0.5, 0.25, 0.125}, 128) == 4);
  weights[3] = 1e200;
  CHECK(direct(line) == 3);
}

TEMPLATE_LIST_TEST_CASE("transforms: zeros give +0.0", "[filter][transform]", TransformSpaces) {
  const TestType space;
  const std::vector<double> zeros(500, -0.0);
  test::check_bits(test::transformed(space, zeros, test::fractional_weights(21), {}, {.block = 64}),
                   std::vector<double>(500, 0.0));
  test::check_bits(test::transformed(space, test::values<float>(500), std::vector<double>(21, 0.0), {}, {.block = 64}),
                   std::vector<float>(500, 0.0f));
}

TEMPLATE_LIST_TEST_CASE("transforms: errors lie below their estimate", "[filter][transform]", TransformSpaces) {
  const TestType space;
  for (const std::size_t taps : {100, 1000}) {
    for (const int kind : {0, 1, 2}) {
      const std::size_t block = tessera::detail::power_of_two_from(4 * static_cast<std::int64_t>(taps));
      const std::size_t size = block - taps + 1;  // one block's outputs
      auto weights = test::fractional_weights(taps);
      auto line = test::values<double>(size);
      for (std::size_t k = 0; k < taps && kind == 1; ++k) weights[k] = 1 / static_cast<double>(taps);
      for (auto& x : line) x = kind == 2 ? x : x + 2;
      const double error = test::worst_error(space, line, weights, static_cast<std::int64_t>(block));
      double norm_1 = 0, squares = 0, elements = 0;
      for (const double weight : weights) {
        norm_1 += std::abs(weight);
        squares += weight * weight;
      }
      for (std::size_t i = 0; i < size; ++i) elements += 2 * line[i] * line[i];  // without halo: mode constant
      const tessera::detail::TransformError estimate(static_cast<std::int64_t>(block), norm_1, std::sqrt(squares));
      INFO("taps " << taps << ", kind " << kind << ", error " << error << ", estimate "
                   << estimate.factor * std::sqrt(elements));
      CHECK(error > 0);
      CHECK(error < estimate.factor * std::sqrt(elements));
    }
  }
}

}  // namespace

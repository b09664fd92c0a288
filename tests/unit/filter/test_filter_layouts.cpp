// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs and outputs of every layout, rank 1 to 3, managed and const. All elements around the views are poison.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>

#include "filter_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::FilterOptions;
using test::Extents;

template <class InLayout, class OutLayout, std::size_t Rank, class Space>
void check_extents(const Space& space, const Extents<Rank>& extents) {
  const std::size_t size = test::detail::product(extents);
  for (const std::size_t taps : {4, 9}) {
    test::FilterCheck<float, float, InLayout, OutLayout, Space, Rank> check(
        space, extents, test::values<float>(size, size), test::fractional_weights(taps));
    check.check_both({.mode_left = BoundaryMode::reflect, .mode_right = BoundaryMode::constant, .cval = 1.5});
    check.check_both({.mode_left = BoundaryMode::keep, .mode_right = BoundaryMode::odd});
    check.check({.mode_left = BoundaryMode::valid, .mode_right = BoundaryMode::renormalise}, false);
  }
}

template <class InLayout, class OutLayout, class Space>
void check_ranks(const Space& space) {
  check_extents<InLayout, OutLayout, 1>(space, {1031});
  check_extents<InLayout, OutLayout, 2>(space, {37, 131});
  check_extents<InLayout, OutLayout, 3>(space, {3, 5, 67});
  check_extents<InLayout, OutLayout, 3>(space, {4, 1, 2});
}

TEMPLATE_LIST_TEST_CASE("filter misaligned lines", "[filter]", test::OneSpace) {
  check_ranks<test::Misaligned, test::Right>(TestType());
}
TEMPLATE_LIST_TEST_CASE("filter LayoutLeft", "[filter]", test::OneSpace) {
  check_ranks<test::Left, test::Left>(TestType());
}
TEMPLATE_LIST_TEST_CASE("filter LayoutLeft to LayoutRight", "[filter]", test::OneSpace) {
  check_ranks<test::Left, test::Misaligned>(TestType());
}
TEMPLATE_LIST_TEST_CASE("filter strided views to blocks", "[filter]", test::OneSpace) {
  check_ranks<test::Strided, test::Block>(TestType());
}
TEMPLATE_LIST_TEST_CASE("filter blocks to strided views", "[filter]", test::OneSpace) {
  check_ranks<test::Block, test::Strided>(TestType());
}
TEMPLATE_LIST_TEST_CASE("filter blocks of LayoutLeft arrays", "[filter]", test::OneSpace) {
  check_ranks<test::BlockLeft, test::BlockLeft>(TestType());
}

/// Lines along each axis of a row-major array, each compared with its own reference.
template <class OutLayout, class Space>
void check_axes(const Space& space, std::size_t taps) {
  const Extents<4> extents{3, 34, 5, 37};
  const std::vector<float> data = test::values<float>(test::detail::product(extents), 5);
  const std::vector<double> weights = test::fractional_weights(taps);
  const test::GuardedView<float, test::Right, Space, 4> in(extents, data);
  test::GuardedView<float, OutLayout, Space, 4> out(extents);
  const tessera::FilterWeights<Space> device_weights(space, weights);
  tessera::reference::LinearFilter<long double> filter;
  filter.weights.assign(weights.begin(), weights.end());
  filter.left = tessera::reference::Edge::mirror;
  filter.right = tessera::reference::Edge::constant;
  filter.cval = 1.5L;
  for (const int axis : {0, 1, -2, 3}) {
    const auto d = static_cast<std::size_t>(axis < 0 ? axis + 4 : axis);
    std::size_t stride = 1;
    for (std::size_t after = d + 1; after < 4; ++after) stride *= extents[after];
    std::vector<long double> results(data.size()), bounds(data.size());
    for (std::size_t begin = 0; begin < data.size(); ++begin) {
      if (begin / stride % extents[d] != 0) continue;
      std::vector<float> line;
      for (std::size_t i = 0; i < extents[d]; ++i) line.push_back(data[begin + i * stride]);
      const auto outputs = tessera::reference::filter_line(line, filter);
      for (std::size_t i = 0; i < extents[d]; ++i) {
        results[begin + i * stride] = outputs[i].value;
        bounds[begin + i * stride] = tessera::reference::linear_filter_bound<float, float>(outputs[i], taps);
      }
    }
    for (const tessera::FilterVariant variant : tessera::filter_variants) {
      if (variant == tessera::FilterVariant::transform) continue;  // takes a FilterTransform
      const FilterOptions options{.axis = axis,
                                  .mode_left = BoundaryMode::mirror,
                                  .mode_right = BoundaryMode::constant,
                                  .cval = 1.5,
                                  .variant = variant};
      INFO("axis " << axis << ", " << taps << " taps, " << to_string(variant));
      out.write(std::vector<float>(data.size(), test::poison<float>()));
      try {
        tessera::correlate(space, in.const_view(), device_weights, out.view(), options);
      } catch (const tessera::InvalidArgument&) {
        // Which variants can do what, test_filter_plan.cpp checks.
        CHECK((variant == tessera::FilterVariant::vectorized || variant == tessera::FilterVariant::register_blocked));
        continue;
      }
      space.fence();
      test::check_within(out.read(), results, bounds);
      out.check_guards();
    }
  }
}

TEMPLATE_LIST_TEST_CASE("filter along each axis of four", "[filter][axes]", test::OneSpace) {
  check_axes<test::Right>(TestType(), 5);
  check_axes<test::Right>(TestType(), 30);
}
TEMPLATE_LIST_TEST_CASE("filter along each axis to another layout", "[filter][axes]", test::OneSpace) {
  check_axes<test::Left>(TestType(), 4);
}

TEMPLATE_LIST_TEST_CASE("filter managed and const views", "[filter]", test::OneSpace) {
  const TestType space;
  const std::vector<double> line = test::values<double>(997);
  const std::vector<double> weights = test::fractional_weights(7);
  const tessera::FilterWeights<TestType> device_weights(space, weights);
  const auto in = test::device_copy<TestType>(line);
  const Kokkos::View<const double*, TestType> constant = in;
  const Kokkos::View<double*, TestType> out("out", line.size()), out_of_constant("out", line.size());
  tessera::correlate(space, in, device_weights, out);
  tessera::correlate(space, constant, device_weights, out_of_constant);
  space.fence();
  const std::vector<double> expected = test::filtered<double>(space, line, weights);
  test::check_bits(test::host_copy(out), expected);
  test::check_bits(test::host_copy(out_of_constant), expected);
}

TEMPLATE_LIST_TEST_CASE("input and output may be rows of one array", "[filter]", test::OneSpace) {
  const TestType space;
  const std::vector<double> values = test::values<double>(2 * 101);
  const test::GuardedView<double, test::Right, TestType, 2> both({2, 101}, values);
  const auto in = Kokkos::subview(both.view(), 0, Kokkos::ALL);
  const auto out = Kokkos::subview(both.view(), 1, Kokkos::ALL);
  const std::vector<double> line(values.begin(), values.begin() + 101);
  tessera::correlate(space, in, tessera::FilterWeights<TestType>(space, std::vector<double>{1, 2, 1}), out);
  space.fence();
  const std::vector<double> now = both.read();
  test::check_bits(std::vector<double>(now.begin() + 101, now.end()), test::filtered<double>(space, line, {1, 2, 1}));
  test::check_bits(std::vector<double>(now.begin(), now.begin() + 101), line);
}

}  // namespace

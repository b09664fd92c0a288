// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What holds for every reduction, whatever the data.
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <tessera/reduce/reduce.hpp>
#include <utility>

#include "random_sizes.hpp"
#include "reference/reduce_reference.hpp"
#include "support/compare.hpp"
#include "support/guarded_view.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;

template <class View>
auto part(const View& view, std::size_t begin, std::size_t end) {
  return Kokkos::subview(view, std::pair(begin, end));
}

template <class T, class Space>
void check_parts(const Space& space, std::uint64_t seed) {
  test::RandomSizes sizes(seed);
  for (int run = 0; run < 20; ++run) {
    const std::size_t size = sizes.between(2, 50000), cut = sizes.between(1, size - 1);
    INFO("size " << size << ", cut " << cut);
    const auto in = test::device_copy<Space>(test::values<T>(size, seed + static_cast<std::uint64_t>(run)));
    const auto left = part(in, 0, cut), right = part(in, cut, size);
    const tessera::Sum<T> sum;
    CHECK(tessera::reduce(space, in, sum) == tessera::reduce(space, left, sum) + tessera::reduce(space, right, sum));
    const tessera::Min<T> min;
    CHECK(tessera::reduce(space, in, min) ==
          std::min(tessera::reduce(space, left, min), tessera::reduce(space, right, min)));
    const tessera::Max<T> max;
    CHECK(tessera::reduce(space, in, max) ==
          std::max(tessera::reduce(space, left, max), tessera::reduce(space, right, max)));
  }
}

TEMPLATE_LIST_TEST_CASE("the reduction of the whole is that of its parts", "[reduce]", test::Spaces) {
  check_parts<std::int64_t>(TestType(), 11);
  check_parts<std::int32_t>(TestType(), 12);
}

TEMPLATE_LIST_TEST_CASE("a fast sum is that of its parts, within both bounds", "[reduce]", test::Spaces) {
  const TestType space;
  test::RandomSizes sizes(13);
  for (int run = 0; run < 20; ++run) {
    const std::size_t size = sizes.between(2, 50000), cut = sizes.between(1, size - 1);
    INFO("size " << size << ", cut " << cut);
    const std::vector<float> values = test::values<float>(size, static_cast<std::uint64_t>(run));
    const auto in = test::device_copy<TestType>(values);
    const tessera::Sum<float, tessera::Summation::fast> sum;
    const long double parts = static_cast<long double>(tessera::reduce(space, part(in, 0, cut), sum)) +
                              tessera::reduce(space, part(in, cut, size), sum);
    const long double bound =
        tessera::reference::fast_sum_bound<float>(tessera::reference::float_sum(values).sum_abs, size);
    CHECK(test::within(tessera::reduce(space, in, sum), parts, 2 * bound));
  }
}

TEMPLATE_LIST_TEST_CASE("no order and no plan changes an exact result", "[reduce]", test::Spaces) {
  const TestType space;
  test::RandomSizes sizes(15);
  for (int run = 0; run < 20; ++run) {
    std::vector<double> values = test::values<double>(sizes.between(1, 20000), 100 + static_cast<std::uint64_t>(run));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = std::ldexp(values[i], static_cast<int>(test::mixed(i) % 2000) - 1000);
    }
    INFO("size " << values.size());
    const double sum = tessera::reference::ExactSums(values).sum<double>();
    for (int order = 0; order < 3; ++order) {
      const tessera::ReduceOptions options{.league_size = static_cast<int>(sizes.between(1, 40))};
      const auto in = test::device_copy<TestType>(values);
      CHECK(test::same_bits(tessera::reduce(space, in, tessera::Sum<double>{}, options), sum));
      for (std::size_t i = values.size(); i-- > 1;) std::swap(values[i], values[sizes.between(0, i)]);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("positions of extremes mirror each other and hold them", "[reduce]", test::Spaces) {
  const TestType space;
  test::RandomSizes sizes(16);
  for (int run = 0; run < 20; ++run) {
    std::vector<double> values = test::values<double>(sizes.between(1, 20000), static_cast<std::uint64_t>(run));
    for (double& x : values) x = std::round(8 * x);
    const tessera::ReduceOptions options{.league_size = static_cast<int>(sizes.between(1, 40))};
    const auto max = tessera::reduce(space, test::device_copy<TestType>(values), tessera::ArgMax<double>{}, options);
    CHECK(values.at(static_cast<std::size_t>(max.index)) == max.value);
    for (double& x : values) x = -x;
    CHECK(tessera::reduce(space, test::device_copy<TestType>(values), tessera::ArgMin<double>{}).index == max.index);
    std::reverse(values.begin(), values.end());
    const auto last = tessera::reduce(space, test::device_copy<TestType>(values), tessera::ArgMinLast<double>{});
    CHECK(last.index == static_cast<std::int64_t>(values.size()) - 1 - max.index);
  }
}

TEMPLATE_LIST_TEST_CASE("extrema mirror each other, and no plan changes them", "[reduce]", test::Spaces) {
  const TestType space;
  test::RandomSizes sizes(14);
  for (int run = 0; run < 20; ++run) {
    std::vector<double> values = test::values<double>(sizes.between(1, 20000), static_cast<std::uint64_t>(run));
    const tessera::ReduceOptions options{.league_size = static_cast<int>(sizes.between(1, 40))};
    const double max = tessera::reduce(space, test::device_copy<TestType>(values), tessera::Max<double>{}, options);
    for (double& x : values) x = -x;
    CHECK(tessera::reduce(space, test::device_copy<TestType>(values), tessera::Min<double>{}) == -max);
  }
}

}  // namespace

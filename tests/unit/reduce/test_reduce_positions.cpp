// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where extremes stand: ties, zeros of both signs, NaN, every layout and plan.
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <limits>

#include "reduce_check.hpp"
#include "support/message.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
using test::Extents;
constexpr float float_nan = std::numeric_limits<float>::quiet_NaN();
constexpr float float_infinity = std::numeric_limits<float>::infinity();

template <class T, class Space, class InView>
void check_positions(const Space& space, const InView& in, const std::vector<T>& values,
                     const tessera::ReduceOptions& options = {}) {
  test::check_reducer(space, in, tessera::ArgMin<T>{}, values, options);
  test::check_reducer(space, in, tessera::ArgMaxLast<T>{}, values, options);
}

TEMPLATE_LIST_TEST_CASE("positions of equal elements are the lowest, or the highest", "[reduce][arg]", test::OneSpace) {
  const TestType space;
  for (const std::size_t size : {1, 2, 17, 4099, 50021}) {
    std::vector<std::vector<float>> data{std::vector<float>(size, 3.5f),
                                         std::vector<float>(size, float_infinity),
                                         std::vector<float>(size, -float_infinity),
                                         std::vector<float>(size, 0.0f),
                                         std::vector<float>(size, float_nan),
                                         test::values<float>(size)};
    for (std::size_t i = 0; i < size; ++i) data[3][i] = test::mixed(i) % 2 == 0 ? 0.0f : -0.0f;
    // Many ties far apart, and both extremes twice.
    data.emplace_back();
    for (std::size_t i = 0; i < size; ++i) data.back().push_back(static_cast<float>(test::mixed(i) % 5));
    for (const std::size_t at : {size / 5, size - 1 - size / 7}) data[5][at] = -4;
    for (const std::size_t at : {size / 3, size - 1 - size / 9}) data[5][at] = 4;
    for (const auto& values : data) {
      INFO("size " << size << ", first " << values[0]);
      const auto in = test::device_copy<TestType>(values);
      check_positions(space, in, values);
      for (const int league_size : test::odd_league_sizes()) {
        check_positions(space, in, values,
                        {.league_size = league_size, .team_size = test::odd_team_sizes(space).back()});
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("an extreme is found at every place", "[reduce][arg]", test::OneSpace) {
  const std::size_t size = 1031;
  std::vector<float> values = test::values<float>(size);
  for (std::size_t at = 0; at < size; at += 1 + at / 20) {
    const float kept = values[at];
    for (const float extreme : {-2.0f, 2.0f, float_nan}) {
      INFO("element " << at << " is " << extreme);
      values[at] = extreme;
      check_positions(TestType(), test::device_copy<TestType>(values), values, {.league_size = 3});
    }
    values[at] = kept;
  }
}

template <class Layout, class Space, std::size_t Rank>
void check_layout(const Extents<Rank>& extents) {
  // Few different values, so that ties lie far apart in memory and in position.
  std::vector<float> values;
  for (std::size_t i = 0; i < test::detail::product(extents); ++i) {
    values.push_back(static_cast<float>(test::mixed(i, Rank) % 97));
  }
  for (const bool with_nan : {false, true}) {
    INFO("rank " << Rank << (with_nan ? ", with NaN" : ""));
    if (with_nan) values[values.size() / 3] = values[values.size() / 2] = float_nan;
    const test::GuardedView<float, Layout, Space, Rank> in(extents, values);
    for (const tessera::NanPolicy policy : {tessera::NanPolicy::propagate, tessera::NanPolicy::omit}) {
      check_positions(Space(), in.const_view(), values, {.nan = policy});
      check_positions(Space(), in.const_view(), values, {.nan = policy, .league_size = 5});
    }
  }
}

template <class Layout, class Space>
void check_position_ranks() {
  check_layout<Layout, Space, 2>({67, 101});
  check_layout<Layout, Space, 4>({7, 5, 11, 13});
}

TEMPLATE_LIST_TEST_CASE("positions are row-major in LayoutLeft", "[reduce][arg]", test::OneSpace) {
  check_position_ranks<test::Left, TestType>();
}
TEMPLATE_LIST_TEST_CASE("positions are row-major in strided views", "[reduce][arg]", test::OneSpace) {
  check_position_ranks<test::Strided, TestType>();
  check_position_ranks<test::BlockLeft, TestType>();
}

TEST_CASE("the first NaN of a LayoutLeft array is named by its row-major position", "[reduce][arg][errors]") {
  using Space = Kokkos::DefaultExecutionSpace;
  std::vector<float> values = test::values<float>(67 * 101);
  values[3000] = values[1234] = values[5000] = float_nan;
  const test::GuardedView<float, test::Left, Space, 2> in({67, 101}, values);
  const auto call = [&] {
    tessera::reduce(Space(), in.const_view(), tessera::ArgMin<float>{}, {.nan = tessera::NanPolicy::error});
  };
  test::check_message(test::message_of<tessera::InvalidArgument>(call),
                      {"tessera::reduce", "`in`", "element 1234 is NaN", "expected", ";"});
}

}  // namespace

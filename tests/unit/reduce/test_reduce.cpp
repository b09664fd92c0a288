// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every built-in reducer of floats on every execution space: sizes around the plan's tile, odd plans, NaN policies.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <string>

#include "reduce_check.hpp"
#include "support/message.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;

/// Elements that one team reads at a time under the automatic plan.
template <class T, class Space>
std::size_t tile_size(const Space& space) {
  const tessera::ReducePlan plan = tessera::reduce_plan<T>(space, tessera::Sum<T>{}, 1000);
  return static_cast<std::size_t>(plan.team_size * plan.loads_in_flight) * 16 / sizeof(T);
}

template <class T, class Space>
void check_size(const Space& space, std::size_t size, const tessera::ReduceOptions& options = {}) {
  INFO("size " << size << ", team " << options.team_size << ", league " << options.league_size);
  const std::vector<T> values = test::values<T>(size, size);
  const test::GuardedView<T, test::Right, Space, 1> in({size}, values);
  test::check_built_in_reducers(space, in.const_view(), values, options);
}

template <class T, class Space>
void check_sizes(const Space& space) {
  const std::size_t tile = tile_size<T>(space);
  for (const std::size_t size : test::sizes_around(tile)) check_size<T>(space, size);
  for (const std::size_t size : {256 * tile - 1, 256 * tile, 256 * tile + 1}) check_size<T>(space, size);
  check_size<T>(space, 300007);
}

/// A thread's chains of additions end within these sizes, in every kind of remainder.
template <class T, class Space>
void check_odd_plans(const Space& space) {
  for (const int team_size : test::odd_team_sizes(space)) {
    for (const int league_size : test::odd_league_sizes()) {
      for (const std::size_t size : {0, 1, 6, 100, 4099, 70001}) {
        check_size<T>(space, size, {.league_size = league_size, .team_size = team_size});
      }
    }
  }
  // Not whole warps, whose lanes join through shuffles.
  check_size<T>(space, 70001, {.league_size = 3, .team_size = test::runs_on_host<Space> ? 1 : 100});
}

TEMPLATE_LIST_TEST_CASE("reduce float", "[reduce]", test::Spaces) { check_sizes<float>(TestType()); }

TEMPLATE_LIST_TEST_CASE("reduce float under plans that no tuning would choose", "[reduce]", test::Spaces) {
  check_odd_plans<float>(TestType());
}

/// NaN at both ends, in a row, alone; with and without infinities and zeros of both signs.
std::vector<std::vector<float>> data_with_nan() {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  std::vector<std::vector<float>> data{{nan},    {nan, nan, nan},    {nan, 2},
                                       {2, nan}, {0.0f, nan, -0.0f}, {-infinity, nan}};
  for (const std::size_t size : {5, 64, 4099, 70001}) {
    data.push_back(test::values<float>(size));
    data.push_back(data.back());
    for (const std::size_t at : {size / 3, size / 2, size - 1}) data.back()[at] = nan;
    data.push_back(data.back());
    data.back()[0] = test::poison<float>();
    data.back()[size / 4] = infinity;
    data.back()[size / 4 + 1] = -infinity;
  }
  for (const std::uint64_t one_in : {3, 100}) data.push_back(test::spoiled_values<float>(20011, one_in, one_in == 3));
  return data;
}

TEMPLATE_LIST_TEST_CASE("NaN are propagated, or omitted", "[reduce][nan]", test::Spaces) {
  for (const tessera::NanPolicy policy : {tessera::NanPolicy::propagate, tessera::NanPolicy::omit}) {
    for (const auto& values : data_with_nan()) {
      INFO("policy " << to_string(policy) << ", size " << values.size());
      const test::GuardedView<float, test::Right, TestType, 1> in({values.size()}, values);
      test::check_built_in_reducers(TestType(), in.const_view(), values, {.nan = policy});
      test::check_built_in_reducers(TestType(), in.const_view(), values, {.nan = policy, .league_size = 3});
    }
  }
}

TEMPLATE_LIST_TEST_CASE("NaN among doubles, and what is left summed fast", "[reduce][nan]", test::OneSpace) {
  const TestType space;
  const tessera::ReduceOptions options{.nan = tessera::NanPolicy::omit};
  for (const std::uint64_t one_in : {3, 100}) {
    const auto values = test::spoiled_values<double>(20011, one_in, false);
    const auto in = test::device_copy<TestType>(values);
    test::check_reducer(space, in, tessera::Sum<double>{}, values, options);
    test::check_reducer(space, in, tessera::Std<double>{}, values, options);
    test::check_reducer(space, in, tessera::MinMax<double>{}, values, options);
    test::check_reducer(space, in, tessera::ArgMaxLast<double>{}, values, options);
    std::vector<double> small = test::values<double>(20011), rest;
    for (std::size_t i = 0; i < small.size(); ++i) {
      if (std::isnan(values[i])) small[i] = values[i];
      if (!std::isnan(small[i])) rest.push_back(small[i]);
    }
    const auto spoiled = test::device_copy<TestType>(small);
    test::check_fast_sum(tessera::reduce(space, spoiled, tessera::Sum<double, tessera::Summation::fast>{}, options),
                         rest);
  }
}

/// Whether the reducer gives a value whatever is NaN.
template <class R>
bool takes_nan() {
  return R::name().starts_with("count_");
}

TEMPLATE_LIST_TEST_CASE("NaN are refused with the place of the first", "[reduce][nan][errors]", test::Spaces) {
  const tessera::ReduceOptions options{.nan = tessera::NanPolicy::error, .league_size = 3};
  for (const std::size_t size : {1, 64, 70001}) {
    std::vector<float> values = test::values<float>(size);
    const test::GuardedView<float, test::Right, TestType, 1> sound({size}, values);
    test::check_built_in_reducers(TestType(), sound.const_view(), values, options);
    for (const std::size_t at : {size - 1, size / 2, size / 3}) values[at] = test::poison<float>();
    const test::GuardedView<float, test::Right, TestType, 1> in({size}, values);
    const std::string element = "element " + std::to_string(size / 3) + " is NaN";
    tessera::BuiltInReducers::for_each<float>([&](const auto& reducer) {
      INFO(reducer.name() << " of " << size);
      const auto call = [&] { return tessera::reduce(TestType(), in.const_view(), reducer, options); };
      if (takes_nan<std::decay_t<decltype(reducer)>>()) {
        test::check_reduced(call(), reducer.name(), values);
      } else {
        test::check_message(
            test::message_of<tessera::InvalidArgument>(call),
            {"tessera::reduce", "`in`", element, "expected", "no NaN", "NanPolicy::error", ";", "omit"});
      }
    });
  }
}

#if defined(KOKKOS_ENABLE_CUDA)
TEST_CASE("reduce with a team of 1024 gives the answer, or is refused with the largest", "[reduce]") {
  const auto call = [] { check_size<float>(Kokkos::Cuda(), 100003, {.league_size = 7, .team_size = 1024}); };
  test::check_honoured_or_refused(call, {"tessera::reduce", "`options`", "team_size 1024", "expected", "0 to", ";"});
}
#endif

}  // namespace

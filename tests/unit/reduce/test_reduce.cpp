// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every built-in reducer, element type and execution space, over sizes around the plan's tile.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <tuple>

#include "reduce_check.hpp"
#include "support/message.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
using test::Extents;

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
  check_size<T>(space, 1000003);
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
}

TEMPLATE_LIST_TEST_CASE("reduce float", "[reduce]", test::Spaces) { check_sizes<float>(TestType()); }
TEMPLATE_LIST_TEST_CASE("reduce double", "[reduce]", test::Spaces) { check_sizes<double>(TestType()); }
TEMPLATE_LIST_TEST_CASE("reduce int32", "[reduce]", test::Spaces) { check_sizes<std::int32_t>(TestType()); }
TEMPLATE_LIST_TEST_CASE("reduce int64", "[reduce]", test::Spaces) { check_sizes<std::int64_t>(TestType()); }
TEMPLATE_LIST_TEST_CASE("reduce uint64", "[reduce]", test::Spaces) { check_sizes<std::uint64_t>(TestType()); }

TEMPLATE_LIST_TEST_CASE("reduce under plans that no tuning would choose", "[reduce]", test::Spaces) {
  check_odd_plans<float>(TestType());
  check_odd_plans<std::int64_t>(TestType());
}

#if defined(KOKKOS_ENABLE_CUDA)
TEST_CASE("reduce with a team of 1024 gives the answer, or is refused with the largest", "[reduce]") {
  const auto call = [] { check_size<std::int64_t>(Kokkos::Cuda(), 100003, {.league_size = 7, .team_size = 1024}); };
  test::check_honoured_or_refused(call, {"tessera::reduce", "`options`", "team_size 1024", "expected", "0 to", ";"});
}
#endif

}  // namespace

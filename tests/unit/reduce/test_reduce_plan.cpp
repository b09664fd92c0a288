// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans: pure, comparable, printable, overridable. Options and variants print their names.
#include <catch2/catch_template_test_macros.hpp>
#include <string>

#include "reduce_check.hpp"
#include "support/message.hpp"
#include "support/spaces.hpp"
#include "support/tools_recorder.hpp"

namespace {

namespace test = tessera::test;
using tessera::ReduceOptions;
using tessera::ReducePlan;

template <class Space>
ReducePlan plan_of(const Space& space, std::uint64_t size, const ReduceOptions& options = {}) {
  return tessera::reduce_plan<float>(space, tessera::Sum<float>{}, size, options);
}

TEMPLATE_LIST_TEST_CASE("a reduce plan is a pure function", "[reduce][plan]", test::OneSpace) {
  const TestType space;
  const test::ToolsRecord record = test::recorded([&] {
    for (const std::uint64_t size :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 20, std::uint64_t{1} << 40}) {
      const ReducePlan plan = plan_of(space, size);
      CHECK(plan == plan_of(space, size));
      CHECK(plan.variant != tessera::ReduceVariant::automatic);
      CHECK(plan.league_size >= 1);
      CHECK(plan.team_size >= 1);
      CHECK(plan.vector_length >= 1);
      CHECK(plan.scratch_bytes <= static_cast<std::size_t>(Kokkos::TeamPolicy<TestType>::scratch_size_max(0)));
      CHECK(plan.workspace_bytes >= static_cast<std::size_t>(plan.league_size) * sizeof(float));
    }
  });
  CHECK(record.kernels.empty());
  test::check_asynchronous(record);
}

TEMPLATE_LIST_TEST_CASE("a reduce plan takes what the caller overrides", "[reduce][plan]", test::OneSpace) {
  const TestType space;
  for (const int team_size : test::odd_team_sizes(space)) {
    for (const int league_size : test::odd_league_sizes()) {
      const ReducePlan plan = plan_of(space, 100000, {.league_size = league_size, .team_size = team_size});
      CHECK(plan.league_size == league_size);
      CHECK(plan.team_size == team_size);
    }
  }
  CHECK_FALSE(plan_of(space, 100000, {.league_size = 3}) == plan_of(space, 100000, {.league_size = 7}));
  CHECK(plan_of(space, 100000, {.variant = tessera::ReduceVariant::single_pass}).variant ==
        tessera::ReduceVariant::single_pass);
}

TEMPLATE_LIST_TEST_CASE("a reduce plan refuses what cannot be", "[reduce][plan]", test::OneSpace) {
  const TestType space;
  const auto call = [&] { static_cast<void>(plan_of(space, 10, {.team_size = 1 << 20})); };
  test::check_message(test::message_of<tessera::InvalidArgument>(call),
                      {"tessera::reduce", "`options`", "team_size 1048576", "expected", "0 to", ";"});
}

TEST_CASE("a reduce plan prints itself", "[reduce][plan]") {
  const ReducePlan plan{.league_size = 12,
                        .team_size = 34,
                        .vector_length = 1,
                        .loads_in_flight = 4,
                        .scratch_bytes = 560,
                        .workspace_bytes = 780};
  const std::string text = to_string(plan);
  INFO(text);
  for (const char* part :
       {"single_pass", "league 12", "team 34", "vector 1", "loads 4", "scratch 560", "workspace 780"}) {
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("reduce options print their names", "[reduce][plan]") {
  CHECK(to_string(tessera::ReduceVariant::automatic) == "automatic");
  CHECK(to_string(tessera::ReduceVariant::single_pass) == "single_pass");
  CHECK(to_string(tessera::ReduceVariant::grid_stride) == "grid_stride");
  CHECK(tessera::reduce_variants.size() == 7);
  CHECK(to_string(tessera::Summation::exact) == "exact");
  CHECK(to_string(tessera::Summation::fast) == "fast");
  CHECK(to_string(tessera::NanPolicy::propagate) == "propagate");
  CHECK(to_string(tessera::NanPolicy::omit) == "omit");
  CHECK(to_string(tessera::NanPolicy::error) == "error");
}

}  // namespace

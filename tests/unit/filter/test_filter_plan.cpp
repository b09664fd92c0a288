// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filter plans: pure, comparable, printable, overridable, within the scratch budget.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <string>

#include "filter_check.hpp"
#include "support/message.hpp"
#include "support/tools_recorder.hpp"

namespace {

namespace test = tessera::test;
using tessera::FilterOptions;
using tessera::FilterPlan;

template <class T, class Space>
FilterPlan plan_of(const Space& space, std::size_t size, std::size_t taps, const FilterOptions& options = {}) {
  const Kokkos::View<T*, Space> in(Kokkos::view_alloc("in", Kokkos::WithoutInitializing), size);
  const tessera::FilterWeights<Space> weights(space, test::fractional_weights(taps));
  return tessera::filter_plan(space, in, weights, in, options);
}

TEMPLATE_LIST_TEST_CASE("a filter plan is a pure function", "[filter][plan]", test::OneSpace) {
  const TestType space;
  const Kokkos::View<double*, TestType> in("in", 100000);
  const tessera::FilterWeights<TestType> weights(space, test::fractional_weights(5));
  FilterPlan plan;
  const test::ToolsRecord record = test::recorded([&] { plan = tessera::filter_plan(space, in, weights, in); });
  CHECK(record.kernels.empty());
  test::check_asynchronous(record);
  CHECK(plan == tessera::filter_plan(space, in, weights, in));
  CHECK(plan.variant != tessera::FilterVariant::automatic);
  CHECK(plan.halo >= 4);
  CHECK(plan.taps_per_pass == 5);
  CHECK(plan.tile >= 1);
}

TEMPLATE_LIST_TEST_CASE("a filter plan fits the scratch of a team for any number of taps", "[filter][plan]",
                        test::Spaces) {
  const TestType space;
  const auto limit = static_cast<std::size_t>(Kokkos::TeamPolicy<TestType>::scratch_size_max(0));
  for (const std::size_t taps : {1, 2, 511, 512, 513, 100000}) {
    const FilterPlan plan = plan_of<double>(space, 100000, taps);
    INFO(to_string(plan));
    CHECK(plan.scratch_bytes <= limit);
    CHECK(plan.taps_per_pass >= 1);
    CHECK(static_cast<std::size_t>(plan.taps_per_pass) <= taps);
  }
}

TEMPLATE_LIST_TEST_CASE("a filter plan of no elements", "[filter][plan]", test::Spaces) {
  const TestType space;
  const tessera::FilterWeights<TestType> weights(space, test::fractional_weights(3));
  const auto check = [&](const auto& view) {
    for (int axis = 0; axis < static_cast<int>(view.rank()); ++axis) {
      CHECK(tessera::filter_plan(space, view, weights, view, {.axis = axis}).taps_per_pass >= 1);
    }
  };
  for (const std::size_t rows : {0, 5}) {
    check(Kokkos::View<float**, Kokkos::LayoutRight, TestType>("in", rows, 0));
    check(Kokkos::View<double**, Kokkos::LayoutLeft, TestType>("in", 0, rows));
    check(Kokkos::View<std::int32_t***, Kokkos::LayoutRight, TestType>("in", 0, rows, 64));
    check(Kokkos::View<float***, Kokkos::LayoutRight, TestType>("in", 0, rows, 3));
  }
}

template <class In, class Out, class Space>
std::string variant_refusal(const Space& space, std::size_t taps, const FilterOptions& options) {
  const Kokkos::View<In**, Kokkos::LayoutRight, Space> in("in", 40, 50);
  const Kokkos::View<Out**, Kokkos::LayoutRight, Space> out("out", 40, 50);
  const tessera::FilterWeights<Space> weights(space, test::fractional_weights(taps));
  return test::message_of<tessera::InvalidArgument>(
      [&] { static_cast<void>(tessera::filter_plan(space, in, weights, out, options)); });
}

TEMPLATE_LIST_TEST_CASE("variants say what they cannot do", "[filter][plan][errors]", test::OneSpace) {
  using tessera::FilterVariant;
  const TestType space;
  const FilterOptions vectorized{.variant = FilterVariant::vectorized};
  const FilterOptions blocked{.variant = FilterVariant::register_blocked};
  const FilterOptions across{.axis = 0, .variant = FilterVariant::vectorized};
  test::check_message(variant_refusal<float, float>(space, 34, vectorized),
                      {"tessera::filter_plan", "`options`", "variant vectorized", "at most 33 taps", "257", "choose"});
  test::check_message(variant_refusal<float, float>(space, 41, across), {"variant vectorized", "no more taps"});
  test::check_message(variant_refusal<double, float>(space, 5, vectorized), {"variant vectorized", "own type"});
  test::check_message(variant_refusal<float, float>(space, 51, blocked),
                      {"tessera::filter_plan", "`options`", "variant register_blocked", "no more taps", "choose"});
  test::check_message(variant_refusal<float, float>(space, 5, {.axis = 0, .variant = FilterVariant::register_blocked}),
                      {"variant register_blocked", "contiguous lines"});
  test::check_message(variant_refusal<float, float>(space, 5, {.axis = 2}),
                      {"tessera::filter_plan", "`options`", "axis 2", "expected", "-2 to 1", ";"});
  const Kokkos::View<double**, Kokkos::LayoutRight, TestType> in("in", 40, 300), out("out", 40, 300);
  const auto plan = [&](std::size_t taps, const FilterOptions& options) {
    return tessera::filter_plan(space, in, tessera::FilterWeights<TestType>(space, test::fractional_weights(taps)), out,
                                options);
  };
  CHECK(plan(33, vectorized).variant == FilterVariant::vectorized);
  CHECK(plan(40, across).variant == FilterVariant::vectorized);
  CHECK(plan(300, blocked).variant == FilterVariant::register_blocked);
  CHECK(plan(5, {.axis = 0}).variant == FilterVariant::vectorized);
  CHECK(plan(301, {}).variant == FilterVariant::overlapping);
}

TEMPLATE_LIST_TEST_CASE("a filter plan takes what the caller overrides", "[filter][plan]", test::OneSpace) {
  const TestType space;
  for (const int team_size : test::odd_team_sizes(space)) {
    for (const int league_size : test::odd_league_sizes()) {
      const FilterPlan plan = plan_of<float>(space, 100000, 3, {.league_size = league_size, .team_size = team_size});
      CHECK(plan.league_size == league_size);
      CHECK(plan.team_size == team_size);
    }
  }
  const auto call = [&] { static_cast<void>(plan_of<float>(space, 100, 3, {.team_size = 1 << 20})); };
  test::check_message(test::message_of<tessera::InvalidArgument>(call),
                      {"tessera::", "`options`", "team_size 1048576", "expected", "0 to", ";"});
}

TEST_CASE("tiles of staged elements are large where there are many", "[filter][plan]") {
  const tessera::detail::DeviceLimits limits{false, 270336, 40900};
  const auto tile_of = [&]<class Types>(Types, std::int64_t lines, std::int64_t extent, std::int64_t taps) {
    const tessera::detail::FilterShape shape{lines, extent,   lines, extent, tessera::detail::LineDirection::along,
                                             taps,  taps / 2, true,  false};
    const FilterPlan plan =
        tessera::detail::make_filter_plan<Types>(limits, shape, {.variant = tessera::FilterVariant::overlapping});
    CHECK(plan.scratch_bytes <= limits.scratch_bytes);
    return plan.tile;
  };
  using Bytes = tessera::detail::FilterTypes<std::uint8_t, std::uint8_t, std::int32_t>;
  using Widened = tessera::detail::FilterTypes<float, float, double>;
  CHECK(tile_of(Bytes(), 1, 1 << 29, 3) == 16 * 1024);
  CHECK(tile_of(Bytes(), 131072, 16384, 3) == 16 * 1024);
  CHECK(tile_of(Bytes(), 131072, 16300, 3) == 16 * 1024);
  CHECK(tile_of(Bytes(), 1 << 20, 2500, 3) == 3 * 1024);  // a line
  CHECK(tile_of(Bytes(), 1, 1 << 20, 3) == 1024);         // all multiprocessors
  CHECK(tile_of(Bytes(), 1, 1 << 29, 512) == 16 * 1024);
  CHECK(tile_of(Bytes(), 1, 1 << 29, 513) == 1024);  // sums take scratch
  CHECK(tile_of(Widened(), 1, 1 << 29, 9) == 2 * 1024);
}

/// A check of private code: the plans of a device, from any machine.
template <class T>
void check_blocked_plans(std::int64_t outputs, int team_size, std::int64_t taps) {
  const tessera::detail::DeviceLimits limits{false, 270336, 40900};
  for (const std::int64_t extent : {129, 1000, 2045, 2046, 4093, 4094, 9000, 100003, 1 << 27}) {
    const tessera::detail::FilterShape shape{1,    extent,   1,    1,    tessera::detail::LineDirection::along,
                                             taps, taps / 2, true, false};
    const FilterPlan plan = tessera::detail::make_filter_plan<tessera::detail::FilterTypes<T, T, T>>(limits, shape, {});
    INFO(extent << " elements, " << taps << " taps: " << to_string(plan));
    CHECK(plan.variant == tessera::FilterVariant::register_blocked);
    CHECK(plan.tile == plan.team_size * outputs);
    CHECK(plan.team_size % 32 == 0);
    // Outputs begin up to a 16-byte piece before the line. No more tiles than the largest teams make, and with a warp
    // less it would be more.
    const std::int64_t most = extent + 16 / static_cast<std::int64_t>(sizeof(T)) - 1, largest = outputs * team_size;
    const std::int64_t tiles = (most + plan.tile - 1) / plan.tile;
    CHECK(tiles == (most + largest - 1) / largest);
    CHECK((plan.team_size - 32) * outputs * tiles < most);
  }
}

TEST_CASE("a wide filter's tiles share a line evenly", "[filter][plan]") {
  check_blocked_plans<float>(16, 128, 65);
  check_blocked_plans<float>(32, 128, 129);
  check_blocked_plans<double>(16, 64, 65);
}

TEST_CASE("scratch beyond the limit is refused with both sizes", "[filter][plan][errors]") {
  // The check of private code: on a host no legal filter plan exceeds the limit.
  const tessera::detail::DeviceLimits limits{true, 1, 1000};
  const auto call = [&] { tessera::detail::require_scratch("tessera::correlate", 2000, limits); };
  test::check_message(test::message_of<tessera::ResourceError>(call),
                      {"tessera::correlate", "`options`", "20", "bytes of team scratch", "expected",
                       "at most 1000 bytes", ";", "smaller"});
  CHECK_NOTHROW(tessera::detail::require_scratch("tessera::correlate", 900, limits));
}

TEST_CASE("a filter plan prints itself", "[filter][plan]") {
  const FilterPlan plan{.league_size = 12,
                        .team_size = 34,
                        .vector_length = 1,
                        .tile = 136,
                        .taps_per_pass = 5,
                        .halo = 4,
                        .scratch_bytes = 560};
  const std::string text = to_string(plan);
  INFO(text);
  for (const char* part :
       {"overlapping", "league 12", "team 34", "vector 1", "tile 136", "halo 4", "taps a pass 5", "scratch 560"}) {
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK_FALSE(plan == FilterPlan{});
}

TEST_CASE("filter options print their names", "[filter][plan]") {
  CHECK(to_string(tessera::FilterVariant::automatic) == "automatic");
  CHECK(to_string(tessera::FilterVariant::overlapping) == "overlapping");
  CHECK(to_string(tessera::FilterVariant::direct) == "direct");
  CHECK(to_string(tessera::FilterVariant::juxtaposed) == "juxtaposed");
  CHECK(to_string(tessera::FilterVariant::vectorized) == "vectorized");
  CHECK(to_string(tessera::FilterVariant::register_blocked) == "register_blocked");
  CHECK(to_string(tessera::FilterVariant::transform) == "transform");
  CHECK(tessera::filter_variants.size() == 7);
  CHECK(to_string(tessera::FilterAccumulate::element) == "element");
  CHECK(to_string(tessera::FilterAccumulate::float64) == "float64");
}

}  // namespace

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters that write past a host's caches: which do by themselves, and that they have the bits of those that do not.
#include <catch2/catch_template_test_macros.hpp>
#include <tessera/detail/host_stream.hpp>

#include "filter_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::FilterOptions;
using tessera::FilterPlan;
using tessera::Stores;

template <class T, class Space>
FilterPlan plan_of_line(const Space& space, std::size_t size, const FilterOptions& options, std::size_t taps = 5) {
  const tessera::FilterWeights<Space> weights(space, test::fractional_weights(taps));
  const Kokkos::View<T*, Space> in(Kokkos::view_alloc("in", Kokkos::WithoutInitializing), size);
  return tessera::filter_plan(space, in, weights, in, options);
}

TEMPLATE_LIST_TEST_CASE("large filters of a host are streamed", "[filter][streamed]", test::OneSpace) {
  const TestType space;
  constexpr bool streams = tessera::detail::is_host_space<TestType> && tessera::detail::has_streaming_stores;
  constexpr std::size_t floats = std::size_t{1} << 23;
  CHECK_FALSE(plan_of_line<float>(space, floats - 1, {}).streamed);
  CHECK(plan_of_line<float>(space, floats, {}).streamed == streams);
  CHECK(plan_of_line<double>(space, floats / 2 + 1, {}).streamed == streams);
  CHECK(plan_of_line<float>(space, floats, {}, 5).streamed == streams);
  CHECK_FALSE(plan_of_line<float>(space, floats, {}, 6).streamed);
  CHECK_FALSE(plan_of_line<float>(space, floats, {.stores = Stores::cached}).streamed);
  const FilterPlan small = plan_of_line<double>(space, 100, {.stores = Stores::streamed});
  CHECK(small.streamed == streams);
  CHECK(to_string(small).ends_with(" streamed") == streams);
  CHECK_FALSE(plan_of_line<std::int32_t>(space, floats, {.stores = Stores::streamed}).streamed);
}

/// Lines one after the other: most begin within a line of memory.
template <class T, class OutLayout, class Space>
void check_streamed(const Space& space, std::size_t extent, std::size_t taps, FilterOptions options) {
  INFO("lines of " << extent << ", " << taps << " taps, team " << options.team_size);
  constexpr std::size_t lines = 5;
  const std::vector<T> values = test::values<T>(lines * extent, taps);
  const tessera::FilterWeights<Space> weights(space, test::fractional_weights(taps));
  const test::GuardedView<T, test::Misaligned, Space, 2> in({lines, extent}, values);
  const test::GuardedView<T, OutLayout, Space, 2> cached({lines, extent}), streamed({lines, extent});
  options.variant = tessera::FilterVariant::overlapping;
  options.stores = Stores::cached;
  tessera::correlate(space, in.const_view(), weights, cached.view(), options);
  options.stores = Stores::streamed;
  tessera::correlate(space, in.const_view(), weights, streamed.view(), options);
  space.fence();
  test::check_bits(streamed.read(), cached.read());
  streamed.check_guards();
}

TEMPLATE_LIST_TEST_CASE("streamed filters have the bits of others", "[filter][streamed]", test::OneSpace) {
  const TestType space;
  for (const std::size_t extent : {40, 63, 64, 66, 80, 127, 1023, 1024, 1025, 3001}) {
    for (const std::size_t taps : {1, 3, 10, 33}) {
      check_streamed<float, test::Right>(space, extent, taps, {});
      check_streamed<double, test::Misaligned>(space, extent, taps, {.mode_left = tessera::BoundaryMode::wrap});
    }
  }
  check_streamed<float, test::Block>(space, 2500, 1100, {});  // several passes over the taps
  check_streamed<double, test::Strided>(space, 300, 5, {});   // never whole lines
  check_streamed<double, test::Right>(space, 300, 5, {.accumulate = tessera::FilterAccumulate::float64});
}

TEMPLATE_LIST_TEST_CASE("streamed filters under plans that no tuning would choose", "[filter][streamed]",
                        test::OneSpace) {
  const TestType space;
  for (const int team_size : test::odd_team_sizes(space)) {
    for (const int league_size : test::odd_league_sizes()) {
      const FilterOptions options{.league_size = league_size, .team_size = team_size};
      check_streamed<float, test::Right>(space, 4099, 9, options);
      check_streamed<double, test::Misaligned>(space, 1500, 401, options);  // that scratch of a GPU holds
    }
  }
}

}  // namespace

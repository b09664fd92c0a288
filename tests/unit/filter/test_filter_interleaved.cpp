// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Few lines across memory that fill it together, which devices have a kernel for: colours of pixels, components of
// vectors.
#include <Kokkos_Core.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "filter_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::FilterOptions;

template <class T, class Space>
void check_pixels(const Space& space, std::size_t columns, std::size_t size, const std::vector<double>& weights) {
  test::FilterCheck<T, T, test::Left, test::Left, Space, 2> check(space, {columns, size},
                                                                  test::values<T>(columns * size, size), weights);
  check.check({}, false);
  check_vectorized(check);
}

/// Lines about what a thread and a team make, columns about the most that there is a kernel for.
template <class T, class Space>
void check_all_pixels(const Space& space) {
  for (const std::size_t size : {1, 2, 9, 10, 131, 401}) {
    for (const std::size_t taps : {1, 2, 3, 9, 10, 33}) {
      if (taps > size) continue;
      check_pixels<T>(space, 3, size, taps % 2 == 0 ? test::whole_weights(taps) : test::fractional_weights(taps));
    }
  }
  for (const std::size_t columns : {2, 4, 5, 7, 8, 16, 31, 33, 127, 129}) {
    check_pixels<T>(space, columns, 21, test::whole_weights(5));
  }
  check_pixels<T>(space, 3, 900, test::whole_weights(257));
}

TEMPLATE_LIST_TEST_CASE("pixels of floats", "[filter]", test::OneSpace) { check_all_pixels<float>(TestType()); }
TEMPLATE_LIST_TEST_CASE("pixels of doubles", "[filter]", test::OneSpace) { check_all_pixels<double>(TestType()); }
TEMPLATE_LIST_TEST_CASE("pixels of bytes", "[filter]", test::OneSpace) { check_all_pixels<std::uint8_t>(TestType()); }
TEMPLATE_LIST_TEST_CASE("pixels of 32-bit integers", "[filter]", test::OneSpace) {
  check_all_pixels<std::int32_t>(TestType());
}

/// Sums of whole numbers: exact in any order.
template <class T, class Layout = test::Right, class Space>
void check_pixel_kernel(const Space& space, const test::Extents<3>& extents, std::size_t taps,
                        const FilterOptions& options, int team_size = test::runs_on_host<Space> ? 1 : 128) {
  std::vector<T> data = test::values<T>(extents[0] * extents[1] * extents[2], 7);
  if constexpr (std::is_floating_point_v<T>) {
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<T>(test::mixed(i, 5) % 199) - 99;
    data[data.size() / 3] = std::numeric_limits<T>::quiet_NaN();
    data[data.size() / 2] = std::numeric_limits<T>::infinity();
  }
  const auto launch = [&]<class Types>(const tessera::detail::FilterShape& shape,
                                       const tessera::detail::FilterJob<Types>& job, const auto& weights) {
    if constexpr (tessera::detail::has_interleaved_kernel<Types>) {
      REQUIRE(shape.full_columns);
      const auto share = tessera::detail::interleaved_tiling<tessera::detail::FilterInterleavedTypes<Types>>(
          tessera::detail::device_limits(space), shape, team_size);
      tessera::FilterPlan plan{.league_size = 3, .team_size = team_size};
      plan.scratch_bytes = share.bytes;
      launch_interleaved(space, plan, share, job, weights.narrow(), 0);
    } else {
      FAIL("one type and a sum of at most 64 bits");
    }
  };
  test::check_kernel<T, Layout>(space, extents, data, test::whole_weights(taps), options, launch);
}

template <class T, class Space>
void check_pixel_kernels(const Space& space) {
  for (const std::size_t columns : {2, 3, 31}) {
    for (const std::size_t size : {40, 203}) {
      for (const std::size_t taps : {1, 4, 9, 33}) {
        const test::Extents<3> extents{5, size, columns};
        check_pixel_kernel<T>(space, extents, taps, {.axis = 1, .mode_left = BoundaryMode::reflect});
        check_pixel_kernel<T, test::Misaligned>(
            space, extents, taps,
            {.axis = 1, .mode_left = BoundaryMode::constant, .mode_right = BoundaryMode::odd, .cval = 7});
        check_pixel_kernel<T, test::Misaligned>(
            space, extents, taps, {.axis = 1, .mode_left = BoundaryMode::valid, .mode_right = BoundaryMode::wrap});
        check_pixel_kernel<T>(space, extents, taps,
                              {.axis = 1, .mode_left = BoundaryMode::keep, .mode_right = BoundaryMode::valid});
      }
    }
  }
  check_pixel_kernel<T>(space, {2, 700, 3}, 257, {.axis = 1});
  check_pixel_kernel<T>(space, {2, 60, 3}, 6, {.axis = 1, .mode_right = BoundaryMode::renormalise, .origin = -3});
  check_pixel_kernel<T>(space, {2, 60, 3}, 6, {.axis = 1, .mode_left = BoundaryMode::renormalise, .origin = 2});
  // Several blocks at a time, in the last tile fewer.
  for (const std::size_t taps : {1, 2, 3}) {
    check_pixel_kernel<T>(space, {601, 3, 2}, taps, {.axis = 1, .mode_right = BoundaryMode::wrap});
    check_pixel_kernel<T, test::Misaligned>(space, {601, 3, 2}, taps, {.axis = 1, .mode_left = BoundaryMode::valid});
    if (test::runs_on_host<Space>) continue;
    for (const int team_size : {7, 33, 48}) check_pixel_kernel<T>(space, {601, 3, 2}, taps, {.axis = 1}, team_size);
  }
}

TEMPLATE_LIST_TEST_CASE("the kernel of pixels, floats", "[filter]", test::OneSpace) {
  check_pixel_kernels<float>(TestType());
}
TEMPLATE_LIST_TEST_CASE("the kernel of pixels, doubles", "[filter]", test::OneSpace) {
  check_pixel_kernels<double>(TestType());
}
TEMPLATE_LIST_TEST_CASE("the kernel of pixels, bytes", "[filter]", test::OneSpace) {
  check_pixel_kernels<std::uint8_t>(TestType());
}

TEMPLATE_LIST_TEST_CASE("pixels of floats accumulated in double, teams of any size", "[filter]", test::OneSpace) {
  const TestType space;
  for (const int team_size : test::runs_on_host<TestType> ? std::vector<int>{1} : std::vector<int>{1, 7, 33, 48, 128}) {
    for (const std::size_t taps : {4, 33}) {
      test::FilterCheck<float, float, test::Left, test::Left, TestType, 2> check(
          space, {3, 203}, test::values<float>(3 * 203, 9), test::fractional_weights(taps));
      check.check({.accumulate = tessera::FilterAccumulate::float64, .team_size = team_size}, false);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("few lines that fill memory go through scratch on devices", "[filter]", test::OneSpace) {
  const TestType space;
  const tessera::FilterWeights<TestType> weights(space, {1, 2, 1});
  const auto scratch_of = [&]<class T, class Layout>(T, Layout, std::size_t columns) {
    const test::GuardedView<T, Layout, TestType, 2> lines({columns, 100});
    return filter_plan(space, lines.const_view(), weights, lines.view(), {}).scratch_bytes;
  };
  const bool device = !test::runs_on_host<TestType>;
  CHECK((scratch_of(float{}, test::Left{}, 3) > 0) == device);
  CHECK((scratch_of(std::uint8_t{}, test::Left{}, 3) > 0) == device);
  CHECK(scratch_of(float{}, test::BlockLeft{}, 3) == 0);
  CHECK(scratch_of(float{}, test::Left{}, 32) == 0);
  CHECK(scratch_of(float{}, test::Left{}, 129) == 0);
}

template <class Types>
void check_pixel_scratch(const tessera::detail::DeviceLimits& limits) {
  using namespace tessera::detail;
  int taken = 0;
  for (const int team_size : {32, 100, 128}) {
    for (const std::int64_t taps : {1, 3, 33, 257}) {
      for (const std::int64_t columns : {2, 3, 16, 33}) {
        for (const std::int64_t extent : {7, 300, 1000000}) {
          if (taps > extent) continue;
          const FilterShape shape{30000000 / extent * columns,
                                  extent,
                                  columns,
                                  1,
                                  LineDirection::across,
                                  taps,
                                  taps / 2,
                                  false,
                                  false,
                                  true,
                                  true};
          const InterleavedPlan plan = interleaved_plan<Types>(limits, shape, team_size);
          if (plan.blocks == 0) continue;
          ++taken;
          const std::size_t bytes = plan.bytes;
          INFO(limits.multiprocessor_scratch_bytes << " bytes, team " << team_size << ", " << taps
                                                   << " taps: " << bytes);
          CHECK((bytes + 1024) * static_cast<std::size_t>(interleaved_teams_at_once) <=
                limits.multiprocessor_scratch_bytes);
        }
      }
    }
  }
  CHECK(taken >= (limits.multiprocessor_scratch_bytes < 100000 ? 20 : 60));
}

TEST_CASE("teams of pixels fit the scratch of small multiprocessors", "[filter][plan]") {
  using namespace tessera::detail;
  constexpr std::size_t kib = 1024;
  for (const std::size_t there : {64 * kib, 100 * kib, 164 * kib, 228 * kib}) {
    const DeviceLimits limits{false, 132 * 2048, 40936, there};
    check_pixel_scratch<FilterTypes<std::uint8_t, std::uint8_t, std::int32_t>>(limits);
    check_pixel_scratch<FilterTypes<float, float, float>>(limits);
    check_pixel_scratch<FilterTypes<double, double, double>>(limits);
  }
  using Types = FilterTypes<float, float, float>;
  const FilterShape shape{3, 1000000, 3, 1, LineDirection::across, 33, 16, false, false, true};
  CHECK(interleaved_plan<Types>({false, 132 * 2048, 40936, 100 * kib}, shape, 128).blocks == 1);
}

}  // namespace

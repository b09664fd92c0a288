// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes and 16-bit integers in lines across memory: neighbours that are whole words of memory, which devices have a
// kernel for, and others.
#include <Kokkos_Core.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <type_traits>

#include "filter_check.hpp"
#include "short_integer_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::FilterOptions;

template <class T, class Space>
void check_word_columns(const Space& space, std::size_t columns, std::size_t size, const std::vector<double>& weights) {
  test::check_integer_lines<T, test::Left, test::Left>(space, columns, size, weights);
}

/// Lines about what a thread and a team make, weights of one block of taps and more; columns about a tile's.
template <class T, class Space>
void check_columns_of_integers(const Space& space) {
  for (const std::size_t size : {1, 8, 9, 131}) {
    for (const std::size_t taps : {1, 3, 4, 5, 9, 33}) {
      if (taps > size) continue;
      check_word_columns<T>(space, 36, size,
                            taps % 2 == 0 ? test::whole_weights(taps) : test::fractional_weights(taps));
    }
  }
  for (const std::size_t columns : {32, 60, 124, 132, 260}) {
    check_word_columns<T>(space, columns, 21, test::whole_weights(6));
    check_word_columns<T>(space, columns, 21, test::fractional_weights(3));
  }
  check_word_columns<T>(space, 36, 200, test::whole_weights(65));
  check_word_columns<T>(space, 36, 260, test::fractional_weights(257));
  check_word_columns<T>(space, 131, 41, test::whole_weights(6));
  check_word_columns<T>(space, 12, 41, test::whole_weights(6));
  for (int digits = 1; digits <= 4; ++digits) {
    check_word_columns<T>(space, 64, 77, test::digit_weights<T>(7, digits));
  }
  check_word_columns<T>(space, 64, 77, {0, 0, 0});
  check_word_columns<T>(space, 64, 77, {0x1p23 - 1});
}

TEMPLATE_LIST_TEST_CASE("columns of int8", "[filter]", test::OneSpace) {
  check_columns_of_integers<std::int8_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("columns of uint8", "[filter]", test::OneSpace) {
  check_columns_of_integers<std::uint8_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("columns of int16", "[filter]", test::OneSpace) {
  check_columns_of_integers<std::int16_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("columns of uint16", "[filter]", test::OneSpace) {
  check_columns_of_integers<std::uint16_t>(TestType());
}

/// Off a boundary of 16 bytes by elements that are whole words of bytes, or are not.
template <std::size_t Shift>
struct OffWords : test::Left {
  static constexpr std::size_t shift = Shift;
};

/// Rows that are 69 elements more than words apart.
struct OddRows : test::Left {
  using kokkos_layout = Kokkos::LayoutStride;
  template <std::size_t Rank>
  static test::Extents<Rank> strides(const test::Extents<Rank>& extents) {
    return test::detail::strides_left(extents, 1, 69);
  }
};

TEMPLATE_LIST_TEST_CASE("columns of bytes off boundaries of memory", "[filter]", test::OneSpace) {
  const TestType space;
  for (const std::size_t columns : {64, 1060}) {
    const auto weights = test::whole_weights(5);
    test::check_integer_lines<std::uint8_t, OffWords<4>, OffWords<4>>(space, columns, 21, weights);
    test::check_integer_lines<std::uint8_t, OffWords<4>, OffWords<12>>(space, columns, 21, weights);
    test::check_integer_lines<std::uint8_t, test::Left, OffWords<2>>(space, columns, 21, weights);
    test::check_integer_lines<std::uint8_t, test::BlockLeft, test::Left>(space, columns, 21, weights);
    test::check_integer_lines<std::uint8_t, OddRows, test::Left>(space, columns, 21, weights);
    test::check_integer_lines<std::int16_t, test::Left, OddRows>(space, columns, 21, weights);
    test::check_integer_lines<std::int16_t, test::Left, OffWords<2>>(space, columns, 21, weights);
  }
}

TEMPLATE_LIST_TEST_CASE("columns of 16-bit integers in batches", "[filter]", test::OneSpace) {
  const TestType space;
  const test::Extents<3> extents{5, 70, 48};
  const test::GuardedView<std::int16_t, test::Right, TestType, 3> in(extents,
                                                                     test::any_values<std::int16_t>(5 * 70 * 48, 1));
  const test::GuardedView<std::int16_t, test::Right, TestType, 3> out(extents), expected(extents);
  for (const std::vector<double>& values : {test::whole_weights(7), test::fractional_weights(12)}) {
    const tessera::FilterWeights<TestType> weights(space, values);
    FilterOptions options{.axis = 1, .mode_left = BoundaryMode::wrap, .mode_right = BoundaryMode::odd};
    tessera::convolve(space, in.const_view(), weights, out.view(), options);
    options.variant = tessera::FilterVariant::direct;
    tessera::convolve(space, in.const_view(), weights, expected.view(), options);
    test::check_values(out.read(), expected.read());
    out.check_guards();
  }
}

TEMPLATE_LIST_TEST_CASE("lines across memory that are words go through scratch on devices", "[filter]",
                        test::OneSpace) {
  const TestType space;
  const tessera::FilterWeights<TestType> weights(space, {1, 2, 1});
  const auto scratch_of = [&]<class T>(T, std::size_t columns) {
    const test::GuardedView<T, test::Left, TestType, 2> lines({columns, 100});
    return filter_plan(space, lines.const_view(), weights, lines.view(), {}).scratch_bytes;
  };
  const bool device = !test::runs_on_host<TestType>;
  CHECK((scratch_of(std::uint8_t{}, 32) > 0) == device);
  CHECK((scratch_of(std::int16_t{}, 34) > 0) == device);
  CHECK(scratch_of(std::uint8_t{}, 130) == 0);
  CHECK(scratch_of(std::int16_t{}, 129) == 0);
  CHECK(scratch_of(float{}, 32) == 0);
}

template <class T, class Layout = test::Left, class Space>
void check_word_kernel(const Space& space, std::size_t columns, std::size_t size, const std::vector<double>& values,
                       const FilterOptions& options) {
  const auto launch = [&]<class Types>(const tessera::detail::FilterShape& shape,
                                       const tessera::detail::FilterJob<Types>& job, const auto& weights) {
    if constexpr (tessera::detail::has_short_integer_kernel<Types>) {
      REQUIRE(shape.word_columns);
      tessera::FilterPlan plan{.league_size = 3, .team_size = test::runs_on_host<Space> ? 1 : 128};
      plan.scratch_bytes = tessera::detail::short_columns_scratch(
          tessera::detail::short_columns_plan<Types>(tessera::detail::device_limits(space), shape, plan.team_size));
      launch_short_columns(space, plan, shape, job, weights.narrow(), 0);
    } else {
      FAIL("sums of 32 bits or double");
    }
  };
  const test::Extents<2> extents{columns, size};
  test::check_kernel<T, Layout>(space, extents, test::any_values<T>(columns * size, 3), values, options, launch);
}

template <class T, class Space>
void check_kernels(const Space& space) {
  for (const std::size_t size : {40, 203}) {
    for (const std::size_t taps : {1, 4, 9, 33}) {
      for (const auto& weights : {test::whole_weights(taps), test::fractional_weights(taps)}) {
        check_word_kernel<T>(space, 44, size, weights, {.mode_left = BoundaryMode::reflect});
        check_word_kernel<T>(space, 132, size, weights,
                             {.mode_left = BoundaryMode::constant, .mode_right = BoundaryMode::odd, .cval = 7});
        check_word_kernel<T>(space, 36, size, weights,
                             {.mode_left = BoundaryMode::valid, .mode_right = BoundaryMode::wrap});
        check_word_kernel<T>(space, 64, size, weights,
                             {.mode_left = BoundaryMode::keep, .mode_right = BoundaryMode::valid});
      }
    }
  }
  check_word_kernel<T>(space, 1060, 70, test::digit_weights<T>(6, 2), {});
  if constexpr (std::is_same_v<T, std::int8_t>) check_word_kernel<T>(space, 64, 70, {0x1p23 - 1}, {});
  check_word_kernel<T, OffWords<4>>(space, 1024, 70, test::whole_weights(6), {});  // tiles begin before the lines
  check_word_kernel<T>(space, 64, 300, test::whole_weights(257), {});
}

TEMPLATE_LIST_TEST_CASE("the kernel of columns of words, bytes", "[filter]", test::OneSpace) {
  check_kernels<std::uint8_t>(TestType());
  check_kernels<std::int8_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("the kernel of columns of words, 16-bit integers", "[filter]", test::OneSpace) {
  check_kernels<std::uint16_t>(TestType());
  check_kernels<std::int16_t>(TestType());
}

/// As many teams as registers are planned for, or Kokkos refuses the launch; of each the system and Kokkos take some.
template <class Types>
void check_scratch(const tessera::detail::DeviceLimits& limits) {
  using namespace tessera::detail;
  for (const int team_size : {1, 32, 100, 128}) {
    for (const std::int64_t taps : {1, 3, 33, 64, 65, 257}) {
      const auto check = [&](std::size_t bytes, int teams) {
        INFO(limits.multiprocessor_scratch_bytes << " bytes, team " << team_size << ", " << taps << " taps: " << bytes);
        CHECK((bytes + 1024) * static_cast<std::size_t>(teams) <= limits.multiprocessor_scratch_bytes);
      };
      for (const std::int64_t columns : {32, 60, 128, 1000, 4096}) {
        const FilterShape shape{columns, 100000, columns, 1, LineDirection::across, taps, taps / 2, false, true};
        if (!takes_short_columns<Types>(limits, shape, team_size)) continue;
        check(short_columns_scratch(short_columns_plan<Types>(limits, shape, team_size)),
              short_columns_teams_at_once<Types>);
      }
      for (const std::int64_t extent : {257, 1000, 2500, 100000}) {
        const FilterShape shape{1000, extent, 1000, extent, LineDirection::along, taps, taps / 2, true, false};
        check(short_integers_scratch<Types>(short_integers_plan<Types>(limits, shape, team_size)).bytes,
              short_integers_teams_at_once<Types>);
      }
    }
  }
}

TEST_CASE("teams of short integers fit the scratch of small multiprocessors", "[filter][plan]") {
  using namespace tessera::detail;
  constexpr std::size_t kib = 1024;
  for (const std::size_t there : {64 * kib, 96 * kib, 100 * kib, 164 * kib, 228 * kib}) {
    const DeviceLimits limits{false, 132 * 2048, 40936, there};
    check_scratch<FilterTypes<std::uint8_t, std::uint8_t, std::int32_t>>(limits);
    check_scratch<FilterTypes<std::uint8_t, std::uint8_t, double>>(limits);
    check_scratch<FilterTypes<std::int16_t, std::int16_t, std::int32_t>>(limits);
    check_scratch<FilterTypes<std::int16_t, std::int16_t, double>>(limits);
  }
  using Types = FilterTypes<std::uint8_t, std::uint8_t, std::int32_t>;
  const FilterShape shape{4096, 100000, 4096, 1, LineDirection::across, 33, 16, false, true};
  const FilterShape wide{4096, 100000, 4096, 1, LineDirection::across, 257, 128, false, true};
  CHECK(short_columns_plan<Types>({false, 132 * 2048, 40936, 228 * kib}, shape, 128).tile == 192);
  CHECK(takes_short_columns<Types>({false, 132 * 2048, 40936, 164 * kib}, wide, 128));
  CHECK(takes_short_columns<Types>({false, 132 * 2048, 40936, 100 * kib}, shape, 128));
  CHECK_FALSE(takes_short_columns<Types>({false, 132 * 2048, 40936, 100 * kib}, wide, 128));
}

}  // namespace

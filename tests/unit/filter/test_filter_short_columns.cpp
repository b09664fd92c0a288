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
  for (const std::size_t size : {1, 7, 8, 9, 33, 131, 197}) {
    for (const std::size_t taps : {1, 3, 4, 5, 9, 33}) {
      if (taps > size) continue;
      check_word_columns<T>(space, 36, size,
                            taps % 2 == 0 ? test::whole_weights(taps) : test::fractional_weights(taps));
    }
  }
  for (const std::size_t columns : {32, 60, 64, 124, 128, 132, 260}) {
    check_word_columns<T>(space, columns, 41, test::whole_weights(6));
    check_word_columns<T>(space, columns, 41, test::fractional_weights(3));
  }
  check_word_columns<T>(space, 132, 300, test::whole_weights(65));
  check_word_columns<T>(space, 132, 300, test::fractional_weights(257));
  check_word_columns<T>(space, 131, 41, test::whole_weights(6));
  check_word_columns<T>(space, 12, 41, test::whole_weights(6));
  for (int digits = 1; digits <= 4; ++digits) {
    check_word_columns<T>(space, 64, 77, test::digit_weights<T>(7, digits));
  }
  check_word_columns<T>(space, 64, 77, {0, 0, 0});
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

TEMPLATE_LIST_TEST_CASE("columns of bytes off boundaries of memory", "[filter]", test::OneSpace) {
  const TestType space;
  for (const std::size_t columns : {64, 1024, 1060}) {
    const auto weights = test::whole_weights(5);
    test::check_integer_lines<std::uint8_t, OffWords<4>, OffWords<4>>(space, columns, 70, weights);
    test::check_integer_lines<std::uint8_t, OffWords<4>, OffWords<12>>(space, columns, 70, weights);
    test::check_integer_lines<std::uint8_t, test::Left, OffWords<2>>(space, columns, 70, weights);
    test::check_integer_lines<std::uint8_t, test::BlockLeft, test::Left>(space, columns, 70, weights);
    test::check_integer_lines<std::int16_t, test::Left, OffWords<2>>(space, columns, 70, weights);
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
  CHECK(scratch_of(std::uint8_t{}, 34) == 0);
  CHECK(scratch_of(std::uint8_t{}, 28) == 0);
  CHECK(scratch_of(std::int16_t{}, 33) == 0);
  CHECK(scratch_of(float{}, 32) == 0);
}

/// The kernel of words itself, also where the library takes another one.
template <class T, class Space>
void check_kernel(const Space& space, std::size_t columns, std::size_t size, const std::vector<double>& values,
                  const FilterOptions& options) {
  const std::size_t outputs = size - test::dropped_outputs(options, false, values.size());
  const test::GuardedView<T, test::Left, Space, 2> in({columns, size}, test::any_values<T>(columns * size, 3));
  const test::GuardedView<T, test::Left, Space, 2> out({columns, outputs}), expected({columns, outputs});
  const tessera::FilterWeights<Space> weights(space, values);
  const auto launch = [&]<class Types>(const tessera::detail::FilterShape& shape,
                                       const tessera::detail::FilterJob<Types>& job, bool) {
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
  tessera::detail::with_filter_job("test", false, in.const_view(), weights, out.view(), options, false, launch);
  FilterOptions direct = options;
  direct.variant = tessera::FilterVariant::direct;
  tessera::correlate(space, in.const_view(), weights, expected.view(), direct);
  test::check_values(out.read(), expected.read());
}

template <class T, class Space>
void check_kernels(const Space& space) {
  for (const std::size_t size : {40, 203}) {
    for (const std::size_t taps : {1, 4, 9, 33}) {
      for (const auto& weights : {test::whole_weights(taps), test::fractional_weights(taps)}) {
        check_kernel<T>(space, 44, size, weights, {.mode_left = BoundaryMode::reflect});
        check_kernel<T>(space, 132, size, weights,
                        {.mode_left = BoundaryMode::constant, .mode_right = BoundaryMode::odd, .cval = 7});
        check_kernel<T>(space, 36, size, weights, {.mode_left = BoundaryMode::valid, .mode_right = BoundaryMode::wrap});
        check_kernel<T>(space, 64, size, weights, {.mode_left = BoundaryMode::keep, .mode_right = BoundaryMode::valid});
      }
    }
  }
  check_kernel<T>(space, 1060, 70, test::digit_weights<T>(6, 2), {});
  check_kernel<T>(space, 64, 300, test::whole_weights(257), {});
}

TEMPLATE_LIST_TEST_CASE("the kernel of columns of words, bytes", "[filter]", test::OneSpace) {
  check_kernels<std::uint8_t>(TestType());
  check_kernels<std::int8_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("the kernel of columns of words, 16-bit integers", "[filter]", test::OneSpace) {
  check_kernels<std::uint16_t>(TestType());
  check_kernels<std::int16_t>(TestType());
}

}  // namespace

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns of large matrices, and long rows, which a GPU takes by packs. Their elements are multiples of one unit, whose
// sums integers hold.
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tessera/reduce/exact_accumulator.hpp>
#include <tessera/reduce/reduce_axes.hpp>
#include <vector>

#include "axes_check.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
using tessera::NanPolicy;
using tessera::ReduceOptions;
using test::Extents;

template <class Space>
inline constexpr bool on_host = tessera::detail::is_host_space<Space>;

/// matrices x rows x stride in memory, of which the columns from number first on are reduced.
struct Columns {
  Extents<3> extents;
  std::size_t first, columns;

  [[nodiscard]] std::size_t size() const { return extents[0] * extents[1] * extents[2]; }
  [[nodiscard]] std::size_t outputs() const { return extents[0] * columns; }
  [[nodiscard]] std::size_t at(std::size_t output, std::size_t row) const {
    return (output / columns * extents[1] + row) * extents[2] + first + output % columns;
  }
  template <class V>
  [[nodiscard]] auto of(const V& view) const {
    return Kokkos::subview(test::strided(view), Kokkos::ALL(), Kokkos::ALL(),
                           std::pair<std::size_t, std::size_t>(first, first + columns));
  }
};

/// So many columns of an array of so many bytes, with a gap behind each row.
template <class T, class Space>
Columns columns_of(std::size_t columns, std::size_t matrices, std::size_t first = 0, std::size_t gap = 0) {
  const std::size_t count = (on_host<Space> ? std::size_t{1} << 17 : std::size_t{34} << 20) / sizeof(T);
  return {{matrices, std::max<std::size_t>(9, count / (matrices * columns)), columns + gap}, first, columns};
}

/// What integers do not hold: here and there a column with terms far apart, infinities or a NaN.
enum class Odd { none, apart, infinite, not_a_number };
Odd oddity(const Columns& in, std::size_t output) {
  const std::size_t column = in.columns == 1 ? output : output % in.columns;
  if (column % 97 != 1) return Odd::none;
  return static_cast<Odd>(1 + (column / 97 + output / in.columns) % 3);
}

template <class T>
std::int64_t multiple(std::size_t position) {
  constexpr int bits = sizeof(T) == 4 ? 24 : 38;
  return static_cast<std::int64_t>(test::mixed(position, 6) >> (63 - bits)) - (std::int64_t{1} << bits);
}

template <class T>
std::vector<T> odd_values(const Columns& in) {
  std::vector<T> values(in.size(), std::numeric_limits<T>::quiet_NaN());
  const std::size_t rows = in.extents[1];
  for (std::size_t output = 0; output < in.outputs(); ++output) {
    for (std::size_t row = 0; row < rows; ++row) {
      values[in.at(output, row)] = std::ldexp(static_cast<T>(multiple<T>(in.at(output, row))), -20);
    }
    T &one = values[in.at(output, 5)], &other = values[in.at(output, rows - 3)];
    switch (oddity(in, output)) {
      case Odd::none:
        break;
      case Odd::apart:
        one = std::ldexp(T(1), 100);
        other = std::ldexp(T(1.5), -100);
        break;
      case Odd::infinite:
        one = -std::numeric_limits<T>::infinity();
        break;
      case Odd::not_a_number:
        other = std::numeric_limits<T>::quiet_NaN();
        break;
    }
  }
  return values;
}

template <class T, class Result>
Result expected_sum(const Columns& in, const std::vector<T>& values, std::size_t output, NanPolicy policy) {
  const std::size_t rows = in.extents[1];
  if (oddity(in, output) == Odd::none) {
    std::int64_t sum = 0;
    for (std::size_t row = 0; row < rows; ++row) sum += multiple<T>(in.at(output, row));
    return std::ldexp(static_cast<Result>(sum), -20);
  }
  tessera::ExactAccumulator<T> sum;
  for (std::size_t row = 0; row < rows; ++row) {
    const T value = values[in.at(output, row)];
    if (value == value || policy != NanPolicy::omit) sum.add(value);
  }
  return sum.template round<Result>();
}

/// Exact sums, twice by one workspace.
template <class InLayout, class OutLayout, class T, class Result, class Space>
void check_sums(const Space& space, const Columns& columns, NanPolicy policy) {
  const std::vector<T> values = odd_values<T>(columns);
  const test::GuardedView<T, InLayout, Space, 3> memory(columns.extents, values);
  const auto in = columns.of(memory.const_view());
  const test::GuardedView<Result, OutLayout, Space, 2> out({columns.extents[0], columns.columns});
  const ReduceOptions options{.nan = policy};
  const auto plan = tessera::reduce_axes_plan(space, in, {1}, tessera::Sum<T>{}, options);
  INFO(columns.extents[0] << " x " << columns.extents[1] << " x " << columns.columns << " of " << columns.extents[2]
                          << ", " << to_string(plan));
  if (!on_host<Space>) CHECK(plan.mapping == tessera::AxesMapping::packs);
  const tessera::Workspace<Space> workspace(space, plan.workspace_bytes);
  for (int time = 0; time < 2; ++time) {
    tessera::reduce_axes(space, in, {1}, tessera::Sum<T>{}, out.view(), options, workspace);
    CHECK(test::left_in(space, workspace) == 0);
  }
  const std::vector<Result> results = out.read();
  std::size_t wrong = 0, nans = 0;
  for (std::size_t output = 0; output < results.size(); ++output) {
    const auto expected = expected_sum<T, Result>(columns, values, output, policy);
    const bool is_nan = expected != expected;
    const bool right = is_nan ? results[output] != results[output] : test::same_bits(results[output], expected);
    wrong += right ? 0 : 1;
    nans += is_nan ? 1 : 0;
  }
  CHECK(wrong == 0);
  if (policy == NanPolicy::omit) CHECK(nans == 0);
  out.check_guards();
}

template <class T, class Space>
void check_exact_sums(const Space& space) {
  // Few columns, which a team joins; rows that share one; segments; those that begin beside 16-byte boundaries.
  for (const std::size_t columns : {2, 3, 17, 64, 100, 127, 129, 500, 1023, 3001, 20000}) {
    check_sums<test::Right, test::Left, T, T>(space, columns_of<T, Space>(columns, 3), NanPolicy::propagate);
    check_sums<test::Misaligned, test::Right, T, double>(space, columns_of<T, Space>(columns, 1), NanPolicy::omit);
  }
  check_sums<test::Right, test::Right, T, T>(space, columns_of<T, Space>(1000, 2, 1, 3), NanPolicy::propagate);
  // Long rows, which are matrices of one column.
  const std::size_t row = (on_host<Space> ? 1003 : std::size_t{1029} << 10) / sizeof(T);
  check_sums<test::Misaligned, test::Right, T, T>(space, {{257, row, 1}, 0, 1}, NanPolicy::propagate);
  check_sums<test::Misaligned, test::Left, T, T>(space, columns_of<T, Space>(5, 3, 2, 2), NanPolicy::propagate);
  check_sums<test::Right, test::Left, T, T>(space, columns_of<T, Space>(508, 1, 3, 516), NanPolicy::omit);
}

TEMPLATE_LIST_TEST_CASE("exact sums of many float columns", "[reduce][axes]", test::OneSpace) {
  check_exact_sums<float>(TestType());
}
TEMPLATE_LIST_TEST_CASE("exact sums of many double columns", "[reduce][axes]", test::OneSpace) {
  check_exact_sums<double>(TestType());
}

/// fold(row, element, into): what the reducer makes of a column, without rounding.
template <class T, class R, class Wide, class Space, class Fold>
void check_fold(const Space& space, const R& reducer, Wide identity, const Fold& fold) {
  for (const std::size_t count : {1, 3, 17, 100, 129, 1023, 20000}) {
    const bool gaps = count > 1;
    const Columns columns = columns_of<T, Space>(count, 2, gaps ? 1 : 0, gaps ? 1 + (count + 1) % 2 : 0);
    std::vector<T> values(columns.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(test::mixed(i, 8) % 31) - T(15);
    const test::GuardedView<T, test::Right, Space, 3> memory(columns.extents, values);
    const auto in = columns.of(memory.const_view());
    using Result = tessera::reduce_result_t<R>;
    const test::GuardedView<Result, test::Left, Space, 2> out({columns.extents[0], columns.columns});
    INFO(columns.extents[1] << " x " << count << ", " << to_string(tessera::reduce_axes_plan(space, in, {1}, reducer)));
    tessera::reduce_axes(space, in, {1}, reducer, out.view());
    std::vector<Result> expected(columns.outputs());
    for (std::size_t output = 0; output < expected.size(); ++output) {
      Wide folded = identity;
      for (std::size_t row = 0; row < columns.extents[1]; ++row) fold(row, values[columns.at(output, row)], folded);
      expected[output] = static_cast<Result>(folded);
    }
    test::check_bits(out.read(), expected);
    out.check_guards();
    if (!on_host<Space>) {
      CHECK(tessera::reduce_axes_plan(space, in, {1}, reducer).mapping == tessera::AxesMapping::packs);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("other reductions of many columns", "[reduce][axes]", test::OneSpace) {
  const TestType space;
  const auto add = [](std::size_t, auto element, std::int64_t& sum) { sum += static_cast<std::int64_t>(element); };
  const auto largest = [](std::size_t, auto element, double& most) { most = std::max<double>(most, element); };
  // Their partial sums are integers, which floats hold.
  check_fold<float>(space, tessera::Sum<float, tessera::Summation::fast>{}, std::int64_t{0}, add);
  check_fold<double>(space, tessera::Sum<double, tessera::Summation::fast>{}, std::int64_t{0}, add);
  check_fold<double>(space, tessera::Max<double>{}, -std::numeric_limits<double>::infinity(), largest);
  check_fold<std::int32_t>(space, test::PositionSum{}, std::uint64_t{0},
                           [](std::size_t row, std::int32_t element, std::uint64_t& sum) {
                             sum += test::PositionSum{}.map(element, static_cast<std::int64_t>(row));
                           });
}

TEMPLATE_LIST_TEST_CASE("fast sums of many columns keep their bound, and leave NaN out", "[reduce][axes]",
                        test::OneSpace) {
  const TestType space;
  const Columns columns = columns_of<float, TestType>(300, 1);
  std::vector<float> values = test::values<float>(columns.size(), 4);
  for (std::size_t column = 0; column < columns.columns; column += 17) {
    values[columns.at(column, column % columns.extents[1])] = std::numeric_limits<float>::quiet_NaN();
  }
  const test::GuardedView<float, test::Right, TestType, 3> in(columns.extents, values);
  for (const NanPolicy policy : {NanPolicy::propagate, NanPolicy::omit}) {
    const test::GuardedView<float, test::Right, TestType, 2> out({1, columns.columns});
    tessera::reduce_axes(space, test::strided(in.const_view()), {1}, tessera::Sum<float, tessera::Summation::fast>{},
                         out.view(), {.nan = policy});
    const std::vector<float> sums = out.read();
    std::size_t wrong = 0;
    for (std::size_t column = 0; column < columns.columns; ++column) {
      double sum = 0, magnitudes = 0;
      for (std::size_t row = 0; row < columns.extents[1]; ++row) {
        const double value = values[columns.at(column, row)];
        if (policy == NanPolicy::omit && value != value) continue;
        sum += value;
        magnitudes += std::fabs(value);
      }
      const double bound =
          static_cast<double>(tessera::reference::fast_sum_bound<float>(magnitudes, columns.extents[1]));
      const bool right =
          sum != sum ? sums[column] != sums[column] : std::fabs(static_cast<double>(sums[column]) - sum) <= bound;
      wrong += right ? 0 : 1;
    }
    INFO("policy " << static_cast<int>(policy));
    CHECK(wrong == 0);
  }
}

}  // namespace

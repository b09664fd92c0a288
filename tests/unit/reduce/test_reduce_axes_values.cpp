// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The built-in reducers over axes: exact to the last bit whatever the plan, NaN policies, real layouts.
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tessera/reduce/exact_accumulator.hpp>
#include <tessera/reduce/reduce.hpp>

#include "axes_check.hpp"
#include "support/message.hpp"
#include "support/spaces.hpp"
#include "tame_values.hpp"

namespace {

namespace test = tessera::test;
using tessera::NanPolicy;
using tessera::ReduceOptions;
using test::Extents;

template <class T>
constexpr T nan_of = std::numeric_limits<T>::quiet_NaN();

// Few: the reference takes its time.
constexpr Extents<3> extents{19, 1, 6};
constexpr std::size_t size = 19 * 6;

template <class T, class Space>
void check_reducers(const Space& space, const std::vector<T>& values, const ReduceOptions& options = {}) {
  const test::GuardedView<T, test::Right, Space, 3> in(extents, values);
  for (const unsigned mask : {1u, 4u, 7u}) {
    const auto view = test::strided(in.const_view());
    test::check_axes<test::Right>(space, tessera::Sum<T>{}, view, values, mask, options);
    test::check_axes<test::Right>(space, tessera::Std<T>{}, view, values, mask, options);
  }
}

TEMPLATE_LIST_TEST_CASE("reducers over axes", "[reduce][axes]", test::OneSpace) {
  check_reducers<float>(TestType(), test::values<float>(size));
  check_reducers<double>(TestType(), test::values<double>(size), {.league_size = 7});
  check_reducers<std::int64_t>(TestType(), test::values<std::int64_t>(size));
}

/// Magnitudes over all exponents that leave sums finite, so that every path of an exact sum is taken.
template <class T>
std::vector<T> wild_values(std::size_t count) {
  std::vector<T> values = test::values<T>(count, 3);
  constexpr int lowest = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  constexpr int range = std::numeric_limits<T>::max_exponent - 20 - lowest;
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = std::ldexp(values[i], lowest + static_cast<int>(test::mixed(i, 9) % range));
    if (i % 11 == 0) values[i] = T(i % 2 == 0 ? 0.0 : -0.0);
  }
  return values;
}

/// Each line has the bits of the line reduced by itself, divided among teams or not.
template <class T, class R, class Space>
void check_against_whole(const Space& space, const R& reducer, const std::vector<T>& values) {
  constexpr std::size_t rows = 3;
  const std::size_t columns = values.size() / rows;
  const test::GuardedView<T, test::Misaligned, Space, 2> in({rows, columns}, values);
  for (const bool by_rows : {true, false}) {
    std::vector<tessera::reduce_result_t<R>> expected;
    for (std::size_t line = 0; line < (by_rows ? rows : columns); ++line) {
      const auto lines = test::strided(in.const_view());
      expected.push_back(by_rows ? tessera::reduce(space, Kokkos::subview(lines, line, Kokkos::ALL()), reducer)
                                 : tessera::reduce(space, Kokkos::subview(lines, Kokkos::ALL(), line), reducer));
    }
    for (const int league_size : {0, 1, 50, 500}) {
      const test::GuardedView<tessera::reduce_result_t<R>, test::Right, Space, 1> out({expected.size()});
      tessera::reduce_axes(space, in.const_view(), {by_rows ? 1 : 0}, reducer, out.view(),
                           {.league_size = league_size});
      test::check_bits(out.read(), expected);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("exact results over axes have the bits of whole reductions", "[reduce][axes]", test::OneSpace) {
  for (const std::size_t columns : {2011, 37, 500}) {
    check_against_whole<float>(TestType(), tessera::Sum<float>{}, wild_values<float>(3 * columns));
    check_against_whole<double>(TestType(), tessera::Sum<double>{}, wild_values<double>(3 * columns));
  }
  check_against_whole<float>(TestType(), tessera::Sum<float>{}, test::mostly_tame_values<float>(3 * 1009));
  check_against_whole<double>(TestType(), tessera::Sum<double>{}, test::mostly_tame_values<double>(3 * 1009));
  check_against_whole<double>(TestType(), tessera::Std<double>{}, wild_values<double>(3 * 2011));
}

/// An array of n0 x n1 x n2, reduced over its middle axis, with an accumulator for each output.
template <class T, class Space>
void check_many_outputs(const Space& space, const Extents<3>& n, const std::vector<T>& values) {
  const test::GuardedView<T, test::Right, Space, 3> in(n, values);
  const test::GuardedView<T, test::Right, Space, 2> out({n[0], n[2]});
  tessera::reduce_axes(space, in.const_view(), {1}, tessera::Sum<T>{}, out.view());
  const std::vector<T> results = out.read();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n[0]; ++i) {
    for (std::size_t j = 0; j < n[2]; ++j) {
      tessera::ExactAccumulator<T> line;
      for (std::size_t k = 0; k < n[1]; ++k) line.add(values[(i * n[1] + k) * n[2] + j]);
      if (!test::same_bits(results[i * n[2] + j], line.template round<T>())) ++wrong;
    }
  }
  INFO(n[0] << " x " << n[1] << " x " << n[2]);
  CHECK(wrong == 0);
}

// On a GPU each has a mapping of its own, or the edge of one: so many that a few lanes for each fill the machine.
TEMPLATE_LIST_TEST_CASE("many outputs have the bits of accumulators", "[reduce][axes]", test::OneSpace) {
  constexpr std::size_t share = tessera::detail::is_host_space<TestType> ? 16 : 1;
  const std::vector<Extents<3>> shapes{{34001 / share, 33, 1},
                                       {8501 / share, 259, 1},
                                       {2203 / share, 1101, 1},
                                       {17011 / share, 68, 1},
                                       {2203 / share, 1108, 1},
                                       {70001 / share, 16, 1},
                                       {70001 / share, 13, 1},
                                       {1, 2, 5003},
                                       {1, 4, 5001},
                                       {1, 7, 5003},
                                       {3, 5, 4099},
                                       {59, 161, 3},
                                       {7, 331, 17},
                                       {2, 1, 8191},
                                       {1, 40, 131101 / share},
                                       {5, 3, 17}};
  for (const auto& n : shapes) {
    const std::size_t count = n[0] * n[1] * n[2];
    check_many_outputs<float>(TestType(), n, wild_values<float>(count));
    check_many_outputs<float>(TestType(), n, test::mostly_tame_values<float>(count));
    check_many_outputs<double>(TestType(), n, wild_values<double>(count));
    check_many_outputs<double>(TestType(), n, test::mostly_tame_values<double>(count));
  }
}

// So long on a GPU that wide segments of their rows go to several teams each.
TEMPLATE_LIST_TEST_CASE("long columns that are few have the bits of accumulators", "[reduce][axes]", test::OneSpace) {
  constexpr bool is_host = tessera::detail::is_host_space<TestType>;
  for (const auto& n : {Extents<3>{1, is_host ? 1301 : 135301, 301}, Extents<3>{2, is_host ? 601 : 6203, 4001}}) {
    check_many_outputs<float>(TestType(), n, test::mostly_tame_values<float>(n[0] * n[1] * n[2], 100003));
  }
}

// Long lines, which several teams share: what each leaves may be one or the other.
template <class T, class Space>
void check_parts(const Space& space) {
  for (const auto& n : {Extents<3>{2, 300007, 1}, Extents<3>{1, 300007, 2}, Extents<3>{1, 40009, 16}}) {
    const std::size_t count = n[0] * n[1] * n[2];
    std::vector<T> values = test::values<T>(count, 7);
    check_many_outputs<T>(space, n, values);
    for (std::size_t i = count / 3; i < count / 3 + 40; ++i) values[i] = std::ldexp(values[i], i % 2 == 0 ? 90 : -90);
    check_many_outputs<T>(space, n, values);
    values[count / 2] = std::numeric_limits<T>::infinity();
    check_many_outputs<T>(space, n, values);
  }
}
TEMPLATE_LIST_TEST_CASE("parts of lines that two doubles hold, and parts that they do not", "[reduce][axes]",
                        test::OneSpace) {
  check_parts<float>(TestType());
  check_parts<double>(TestType());
}

/// With a NaN in some, which spoils them or is left out.
TEMPLATE_LIST_TEST_CASE("fast sums of many rows keep their bound", "[reduce][axes]", test::OneSpace) {
  constexpr std::size_t share = tessera::detail::is_host_space<TestType> ? 16 : 1;
  const float nan = nan_of<float>;
  for (const auto& n : {Extents<2>{34001 / share, 33}, Extents<2>{17011 / share, 68}, Extents<2>{8501 / share, 259},
                        Extents<2>{2203 / share, 1108}, Extents<2>{2203 / share, 4101}}) {
    std::vector<float> values = test::values<float>(n[0] * n[1], 4);
    for (std::size_t i = 0; i < n[0]; i += 17) values[i * n[1] + i % n[1]] = nan;
    const test::GuardedView<float, test::Right, TestType, 2> in(n, values);
    for (const NanPolicy policy : {NanPolicy::propagate, NanPolicy::omit}) {
      const test::GuardedView<float, test::Right, TestType, 1> out({n[0]});
      tessera::reduce_axes(TestType(), in.const_view(), {1}, tessera::Sum<float, tessera::Summation::fast>{},
                           out.view(), {.nan = policy});
      const std::vector<float> sums = out.read();
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < n[0]; ++i) {
        double sum = 0, magnitudes = 0;
        for (std::size_t k = 0; k < n[1]; ++k) {
          const double value = values[i * n[1] + k];
          if (policy == NanPolicy::omit && value != value) continue;
          sum += value;
          magnitudes += std::fabs(value);
        }
        const double bound = static_cast<double>(tessera::reference::fast_sum_bound<float>(magnitudes, n[1]));
        const bool right = sum != sum ? sums[i] != sums[i] : std::fabs(static_cast<double>(sums[i]) - sum) <= bound;
        wrong += right ? 0 : 1;
      }
      INFO(n[0] << " x " << n[1] << ", policy " << static_cast<int>(policy));
      CHECK(wrong == 0);
    }
  }
}

/// Rows of a part of an array, which begin on 16-byte boundaries or beside them.
template <class Space>
void check_rows_with_gaps(const Space& space, const Extents<3>& n, const std::vector<float>& values) {
  const test::GuardedView<float, test::Right, Space, 3> in(n, values);
  const std::size_t rows = n[1], columns = n[2];
  for (const std::size_t first : {4, 5}) {
    const auto part = Kokkos::subview(in.const_view(), Kokkos::ALL(), std::pair<std::size_t, std::size_t>(1, rows),
                                      std::pair<std::size_t, std::size_t>(first, columns - 4));
    const test::GuardedView<float, test::Right, Space, 2> out({n[0], rows - 1});
    tessera::reduce_axes(space, part, {-1}, tessera::Sum<float>{}, out.view());
    const std::vector<float> results = out.read();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
      tessera::ExactAccumulator<float> row;
      const std::size_t begin = (i / (rows - 1) * rows + 1 + i % (rows - 1)) * columns;
      for (std::size_t k = first; k < columns - 4; ++k) row.add(values[begin + k]);
      if (!test::same_bits(results[i], row.template round<float>())) ++wrong;
    }
    INFO(n[0] << " x " << rows << " x " << columns << " from " << first);
    CHECK(wrong == 0);
  }
}

TEMPLATE_LIST_TEST_CASE("many rows with gaps have the bits of accumulators", "[reduce][axes]", test::OneSpace) {
  constexpr bool is_host = tessera::detail::is_host_space<TestType>;
  const Extents<3> shorter{is_host ? 2 : 19, 1801, 72}, longer{is_host ? 2 : 10, is_host ? 18 : 1801, 1072};
  check_rows_with_gaps(TestType(), shorter, wild_values<float>(shorter[0] * shorter[1] * shorter[2]));
  check_rows_with_gaps(TestType(), longer, test::mostly_tame_values<float>(longer[0] * longer[1] * longer[2], 10007));
}

/// planes x rows of so many elements, that follow each other: sums of rows, twice by one workspace.
template <class InLayout, class OutLayout, class T, class Result, class Space>
void check_rows(const Space& space, const Extents<3>& n, const std::vector<T>& values, NanPolicy policy) {
  const test::GuardedView<T, InLayout, Space, 3> in(n, values);
  const test::GuardedView<Result, OutLayout, Space, 2> out({n[0], n[1]});
  const ReduceOptions options{.nan = policy};
  const auto plan = tessera::reduce_axes_plan(space, in.const_view(), {2}, tessera::Sum<T>{}, options);
  INFO(n[0] << " x " << n[1] << " x " << n[2] << ", policy " << static_cast<int>(policy) << ", " << to_string(plan));
  const tessera::Workspace<Space> workspace(space, plan.workspace_bytes);
  for (int time = 0; time < 2; ++time) {
    tessera::reduce_axes(space, in.const_view(), {2}, tessera::Sum<T>{}, out.view(), options, workspace);
    CHECK(test::left_in(space, workspace) == 0);
  }
  const std::vector<Result> results = out.read();
  std::size_t wrong = 0, nans = 0;
  for (std::size_t row = 0; row < results.size(); ++row) {
    tessera::ExactAccumulator<T> sum;
    for (std::size_t k = 0; k < n[2]; ++k) {
      const T value = values[row * n[2] + k];
      if (value == value || policy != NanPolicy::omit) sum.add(value);
    }
    const auto expected = sum.template round<Result>();
    const bool right = expected != expected ? results[row] != results[row] : test::same_bits(results[row], expected);
    wrong += right ? 0 : 1;
    nans += expected != expected ? 1 : 0;
  }
  CHECK(wrong == 0);
  CHECK((nans > 0) == (policy == NanPolicy::propagate));
  out.check_guards();
}

// Enough of them for tiles and rings on a GPU. Infinities of both signs, NaN and what two doubles do not hold are here
// and there, or in every row.
template <class T, class Space>
void check_many_rows(const Space& space) {
  constexpr std::size_t count = (tessera::detail::is_host_space<Space> ? 1 << 17 : 65 << 20) / sizeof(T);
  std::vector<T> tame = test::mostly_tame_values<T>(count, 10007), wild = wild_values<T>(count);
  for (std::size_t i = 0; i + 7 < count; i += 100003) {
    tame[i] = nan_of<T>;
    tame[i + 7] = wild[i] = std::numeric_limits<T>::infinity();
    wild[i + 1] = -std::numeric_limits<T>::infinity();
  }
  for (const std::size_t length : {5,   6,   7,   8,   9,   17,   31,   32,   36,   50,   65,   72,  100,
                                   127, 128, 257, 500, 512, 1000, 1024, 1027, 1500, 1999, 2048, 3001}) {
    const std::size_t rows = count / length / 3;
    std::vector<T> values(tame.begin(), tame.begin() + static_cast<std::ptrdiff_t>(3 * rows * length));
    check_rows<test::Right, test::Right, T, T>(space, {3, rows, length}, values, NanPolicy::propagate);
    check_rows<test::Misaligned, test::Left, T, double>(space, {3, rows, length}, values, NanPolicy::omit);
    std::copy_n(wild.begin(), values.size(), values.begin());
    check_rows<test::Right, test::Left, T, T>(space, {3, rows, length}, values, NanPolicy::propagate);
  }
}

TEMPLATE_LIST_TEST_CASE("many float rows that follow each other", "[reduce][axes]", test::OneSpace) {
  check_many_rows<float>(TestType());
}
TEMPLATE_LIST_TEST_CASE("many double rows that follow each other", "[reduce][axes]", test::OneSpace) {
  check_many_rows<double>(TestType());
}

TEMPLATE_LIST_TEST_CASE("a NaN among many rows is named", "[reduce][axes][errors]", test::OneSpace) {
  constexpr std::size_t rows = tessera::detail::is_host_space<TestType> ? 99 : 200 << 10, length = 88;
  std::vector<float> values = test::values<float>(rows * length);
  values[97 * length + 3] = values[98 * length] = nan_of<float>;
  const test::GuardedView<float, test::Right, TestType, 2> in({rows, length}, values);
  const test::GuardedView<float, test::Right, TestType, 1> out({rows});
  const auto call = [&] {
    tessera::reduce_axes(TestType(), in.const_view(), {1}, tessera::Sum<float>{}, out.view(),
                         {.nan = NanPolicy::error});
  };
  test::check_message(test::message_of<tessera::InvalidArgument>(call),
                      {"tessera::reduce", "`in`", "element " + std::to_string(97 * length + 3) + " is NaN"});
}

TEMPLATE_LIST_TEST_CASE("float sums over axes round to the output's type once", "[reduce][axes]", test::OneSpace) {
  const std::vector<float> values{1.0f, 0x1p-24f, 0x1p-60f, 1.0f, 0x1p-24f, 0.0f};
  const test::GuardedView<float, test::Right, TestType, 2> in({2, 3}, values);
  const test::GuardedView<float, test::Right, TestType, 1> narrow({2});
  const test::GuardedView<double, test::Right, TestType, 1> wide({2});
  tessera::reduce_axes(TestType(), in.const_view(), {1}, tessera::Sum<float>{}, narrow.view());
  tessera::reduce_axes(TestType(), in.const_view(), {1}, tessera::Sum<float>{}, wide.view());
  CHECK(narrow.read() == std::vector<float>{0x1.000002p0f, 1.0f});
  CHECK(wide.read() == std::vector<double>{1 + 0x1p-24, 1 + 0x1p-24});
}

TEMPLATE_LIST_TEST_CASE("NaN in one line spoils that line alone, or is left out", "[reduce][axes]", test::OneSpace) {
  const TestType space;
  for (const unsigned mask : {1u, 2u}) {
    constexpr std::size_t n = 12;
    std::vector<float> values = test::values<float>(n * n);
    values[5 * n + 7] = nan_of<float>;
    values[5 * n + 5] = nan_of<float>;
    const test::GuardedView<float, test::Right, TestType, 2> in({n, n}, values);
    const auto view = test::strided(in.const_view());
    test::check_axes<test::Right>(space, tessera::Sum<float>{}, view, values, mask);
    test::check_axes<test::Right>(space, tessera::Max<float>{}, view, values, mask);

    const test::GuardedView<float, test::Right, TestType, 1> out({n});
    tessera::reduce_axes(space, in.const_view(), {mask == 1 ? 0 : 1}, tessera::Mean<float>{}, out.view(),
                         {.nan = NanPolicy::omit});
    std::vector<float> expected;
    for (const auto& line : tessera::reference::lines({n, n}, {mask == 1, mask == 2})) {
      std::vector<float> left = tessera::reference::gathered(values, line);
      std::erase_if(left, [](float x) { return std::isnan(x); });
      expected.push_back(test::expected_of<float>(tessera::Mean<float>{}, left));
    }
    test::check_bits(out.read(), expected);
  }
}

template <class Layout, class Space>
void check_real_layout(const Space& space) {
  const std::vector<std::int32_t> values = test::values<std::int32_t>(9 * 40 * 7);
  const test::GuardedView<std::int32_t, Layout, Space, 3> in({9, 40, 7}, values);
  for (const unsigned mask : {1u, 3u, 6u}) {
    test::check_axes<Layout>(space, test::PositionSum{}, in.const_view(), values, mask);
    test::check_axes<Layout>(space, test::PositionSum{}, in.view(), values, mask);
  }
}

TEMPLATE_LIST_TEST_CASE("axes of views as users have them", "[reduce][axes]", test::OneSpace) {
  check_real_layout<test::Right>(TestType());
  check_real_layout<test::Left>(TestType());
}

}  // namespace

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where extremes stand among the reduced axes: every mapping, ties, NaN, lines of infinities.
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <tessera/reduce/reduce_axes.hpp>
#include <vector>

#include "axes_check.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
using tessera::NanPolicy;
using test::Extents;

/// Few values, so that many are equal: positions are those among the reduced axes, the first or the last one.
TEMPLATE_LIST_TEST_CASE("positions of extrema over axes", "[reduce][axes]", test::OneSpace) {
  const TestType space;
  std::vector<float> values(8 * 30 * 5);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(test::mixed(i) % 7);
  const auto check = [&](const auto& in, unsigned mask, const auto& reducer, bool last) {
    using Result = tessera::reduce_result_t<std::decay_t<decltype(reducer)>>;
    const auto lines = tessera::reference::lines({8, 30, 5}, {(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0});
    std::vector<std::int64_t> expected, got;
    for (const auto& line : lines) {
      const std::vector<float> of = tessera::reference::gathered(values, line);
      std::size_t best = 0;
      for (std::size_t i = 0; i < of.size(); ++i) best = of[i] < of[best] || (last && of[i] == of[best]) ? i : best;
      expected.push_back(static_cast<std::int64_t>(best));
    }
    const Kokkos::View<Result***, Kokkos::LayoutRight, TestType> out("out", (mask & 1) != 0 ? 1 : 8,
                                                                     (mask & 2) != 0 ? 1 : 30, (mask & 4) != 0 ? 1 : 5);
    tessera::reduce_axes(space, in, test::axes_of(mask, 3), reducer, out);
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
    for (std::size_t i = 0; i < host.size(); ++i) got.push_back(host.data()[i].index);
    CHECK(got == expected);
  };
  const test::GuardedView<float, test::Right, TestType, 3> right({8, 30, 5}, values);
  const test::GuardedView<float, test::Left, TestType, 3> left({8, 30, 5}, values);
  for (unsigned mask = 0; mask < 8; ++mask) {
    INFO("axes " << mask);
    check(right.const_view(), mask, tessera::ArgMin<float>{}, false);
    check(left.const_view(), mask, tessera::ArgMin<float>{}, false);
    check(left.const_view(), mask, tessera::ArgMinLast<float>{}, true);
  }
}

/// By a walk along the line; the reducer's name says which element is wanted.
template <class R, class T>
tessera::ArgResult<T> expected_position(const std::vector<T>& line, NanPolicy policy) {
  const bool lowest = R::name().starts_with("argmin"), last = R::name().ends_with("_last");
  std::int64_t best = -1;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(line.size()); ++i) {
    const T element = line[static_cast<std::size_t>(i)];
    const bool nan = element != element;
    if (nan && policy == NanPolicy::omit) continue;
    if (best >= 0) {
      const T other = line[static_cast<std::size_t>(best)];
      const bool other_nan = other != other, equal = nan ? other_nan : element == other;
      const bool beats = nan ? !other_nan : (lowest ? element < other : other < element);
      if (!beats && !(equal && last)) continue;
    }
    best = i;
  }
  return {line[static_cast<std::size_t>(best)], best};
}

/// Few values, so that many are equal; some lines hold one alone: what no element beats, or all of them.
template <class T>
std::vector<T> lines_of_ties(std::size_t count, std::size_t length, std::size_t pitch, std::size_t step) {
  std::vector<T> values(count * length);
  for (std::size_t line = 0; line < count; ++line) {
    for (std::size_t k = 0; k < length; ++k) {
      const std::uint64_t random = test::mixed(line * length + k);
      T value = static_cast<T>(static_cast<float>(random % 7));
      if constexpr (!std::is_integral_v<T>) {
        if (line % 19 == 3) value = static_cast<T>(-std::numeric_limits<float>::infinity());
        if (line % 19 == 5) value = static_cast<T>(std::numeric_limits<float>::infinity());
        if (line % 19 == 7) value = static_cast<T>(random % 2 == 0 ? 0.0f : -0.0f);
        if (random % 509 == 1) value = static_cast<T>(std::numeric_limits<float>::quiet_NaN());
      } else {
        if (line % 19 == 3) value = std::numeric_limits<T>::min();
        if (line % 19 == 5) value = std::numeric_limits<T>::max();
      }
      values[line * pitch + k * step] = value;
    }
  }
  return values;
}

/// Lines of n elements, as rows or as columns.
template <class R, class T, class Space>
void check_ties(const Space& space, std::size_t length, bool by_rows, NanPolicy policy) {
  constexpr std::size_t elements = (tessera::detail::is_host_space<Space> ? 1 << 16 : 34 << 20) / sizeof(T);
  const std::size_t count = elements / length;
  const std::size_t pitch = by_rows ? length : 1, step = by_rows ? 1 : count;
  const std::vector<T> values = lines_of_ties<T>(count, length, pitch, step);
  const test::GuardedView<T, test::Right, Space, 2> in(by_rows ? Extents<2>{count, length} : Extents<2>{length, count},
                                                       values);
  const Kokkos::View<tessera::ArgResult<T>*, Space> out("out", count);
  const std::vector<int> axes{by_rows ? 1 : 0};
  const tessera::ReduceOptions options{.nan = policy};
  INFO(R::name() << " of " << in.const_view().extent(0) << " x " << in.const_view().extent(1) << ", "
                 << to_string(tessera::reduce_axes_plan(space, in.const_view(), axes, R{}, options)));
  tessera::reduce_axes(space, in.const_view(), axes, R{}, out, options);
  const auto results = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  std::size_t wrong = 0;
  std::vector<T> line(length);
  for (std::size_t l = 0; l < count; ++l) {
    for (std::size_t k = 0; k < length; ++k) line[k] = values[l * pitch + k * step];
    const auto expected = expected_position<R>(line, policy);
    const bool same = results(l).value == expected.value ||
                      (results(l).value != results(l).value && expected.value != expected.value);
    wrong += results(l).index == expected.index && same ? 0 : 1;
  }
  CHECK(wrong == 0);
}

template <class R, class T, class Space>
void check_all_ties(const Space& space, NanPolicy policy = NanPolicy::propagate) {
  for (const std::size_t length : {1, 3, 16, 17, 24, 33, 64, 100, 1000}) {
    if (policy == NanPolicy::omit && length < 16) continue;  // of some nothing is left
    check_ties<R, T>(space, length, true, policy);
  }
  for (const std::size_t length : {5, 200, 1500}) check_ties<R, T>(space, length, false, policy);
}

TEMPLATE_LIST_TEST_CASE("positions in many rows and columns", "[reduce][axes][arg]", test::OneSpace) {
  check_all_ties<tessera::ArgMin<float>, float>(TestType());
  check_all_ties<tessera::ArgMaxLast<float>, float>(TestType());
  check_all_ties<tessera::ArgMax<double>, double>(TestType());
  check_all_ties<tessera::ArgMinLast<std::int32_t>, std::int32_t>(TestType());
}

TEMPLATE_LIST_TEST_CASE("positions of elements of 16 bits in many rows", "[reduce][axes][arg]", test::OneSpace) {
  using Brain = Kokkos::Experimental::bhalf_t;
  check_all_ties<tessera::ArgMax<Brain>, Brain>(TestType());
}

TEMPLATE_LIST_TEST_CASE("positions in many rows and columns without their NaN", "[reduce][axes][arg]", test::OneSpace) {
  check_all_ties<tessera::ArgMin<float>, float>(TestType(), NanPolicy::omit);
}

/// Rows of two axes, the faster of which is not the last: the first of equal elements is not the first in memory.
TEMPLATE_LIST_TEST_CASE("positions in many rows whose axes are turned", "[reduce][axes][arg]", test::OneSpace) {
  constexpr std::size_t rows = tessera::detail::is_host_space<TestType> ? 300 : 100000, a = 5, b = 12;
  std::vector<float> values(rows * a * b);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(test::mixed(i) % 5);
  const test::GuardedView<float, test::Right, TestType, 1> memory({values.size()}, values);
  const Kokkos::View<const float***, Kokkos::LayoutStride, TestType, Kokkos::MemoryTraits<Kokkos::Unmanaged>> in(
      memory.view().data(), Kokkos::LayoutStride(rows, a * b, a, 1, b, a));
  const Kokkos::View<tessera::ArgResult<float>*, TestType> out("out", rows);
  INFO(to_string(tessera::reduce_axes_plan(TestType(), in, {1, 2}, tessera::ArgMin<float>{})));
  tessera::reduce_axes(TestType(), in, {1, 2}, tessera::ArgMin<float>{}, out);
  const auto results = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  std::size_t wrong = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<float> line;
    for (std::size_t i = 0; i < a; ++i) {
      for (std::size_t j = 0; j < b; ++j) line.push_back(values[row * a * b + j * a + i]);
    }
    const auto expected = expected_position<tessera::ArgMin<float>>(line, NanPolicy::propagate);
    wrong += results(row).index == expected.index && results(row).value == expected.value ? 0 : 1;
  }
  CHECK(wrong == 0);
}

}  // namespace

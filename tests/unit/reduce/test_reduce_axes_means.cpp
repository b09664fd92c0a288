// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Means and norms over axes: what two doubles hold is divided, or its root taken, with one rounding.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <tessera/reduce/reduce_axes.hpp>
#include <vector>

#include "axes_check.hpp"
#include "support/spaces.hpp"
#include "tame_values.hpp"

namespace {

namespace test = tessera::test;
using tessera::NanPolicy;
using tessera::ReduceOptions;
using test::Extents;

/// Some of the rows or columns of a matrix, those among them that two doubles do not hold, against big integers.
template <class R, class T, class Space>
void check_some(const Space& space, const R& reducer, std::size_t length, bool by_rows, std::size_t period,
                NanPolicy policy) {
  constexpr std::size_t count = (tessera::detail::is_host_space<Space> ? 1 << 15 : 66 << 20) / sizeof(T);
  const Extents<2> n = by_rows ? Extents<2>{count / length, length} : Extents<2>{length, count / length};
  std::vector<T> values = test::mostly_tame_values<T>(n[0] * n[1], period);
  for (std::size_t i = 0; i < values.size(); i += 3 * period) values[i + 2] = std::numeric_limits<T>::quiet_NaN();
  const test::GuardedView<T, test::Right, Space, 2> in(n, values);
  const test::GuardedView<T, test::Right, Space, 1> out({n[by_rows ? 0 : 1]});
  const ReduceOptions options{.nan = policy};
  const std::vector<int> axes{by_rows ? 1 : 0};
  INFO(R::name() << " of " << n[0] << " x " << n[1] << ", "
                 << to_string(tessera::reduce_axes_plan(space, in.const_view(), axes, reducer, options)));
  tessera::reduce_axes(space, in.const_view(), axes, reducer, out.view(), options);
  const std::vector<T> results = out.read();
  std::vector<std::size_t> outputs{0, results.size() - 1};
  for (std::size_t k = 0; k < 20; ++k) {
    outputs.push_back(k * results.size() / 20);
    const std::size_t odd = std::min(k * period, values.size() - 1);
    outputs.push_back(by_rows ? odd / n[1] : odd % n[1]);
  }
  std::size_t wrong = 0;
  for (const std::size_t output : outputs) {
    std::vector<T> line;
    for (std::size_t k = 0; k < length; ++k) {
      line.push_back(values[by_rows ? output * n[1] + k : k * n[1] + output]);
    }
    const auto expected = tessera::reference::reduced<T>(R::name(), line, policy == NanPolicy::omit);
    const auto value = static_cast<T>(expected.value);
    const T result = results[output];
    wrong += !expected.defined || (value == value ? test::same_bits(result, value) : result != result) ? 0 : 1;
  }
  CHECK(wrong == 0);
  out.check_guards();
}

template <class R, class T, class Space>
void check_lines(const Space& space, const R& reducer) {
  for (const NanPolicy policy : {NanPolicy::propagate, NanPolicy::omit}) {
    for (const std::size_t length : {3, 16, 25, 100, 1000, 3001}) {
      check_some<R, T>(space, reducer, length, true, 10007, policy);
    }
    for (const std::size_t length : {5, 200, 1000, 2700})
      check_some<R, T>(space, reducer, length, false, 100003, policy);
  }
}

TEMPLATE_LIST_TEST_CASE("means and norms of many rows and columns", "[reduce][axes]", test::OneSpace) {
  check_lines<tessera::Mean<float>, float>(TestType(), {});
  check_lines<tessera::Mean<double>, double>(TestType(), {});
  check_lines<tessera::L2<float>, float>(TestType(), {});
}

TEMPLATE_LIST_TEST_CASE("variances and deviations of many rows and columns", "[reduce][axes]", test::OneSpace) {
  check_lines<tessera::Var<float>, float>(TestType(), {});
  check_lines<tessera::Std<float>, float>(TestType(), {});
}

// A host's panels; what devices make of such is tested as kernels of doubles are.
TEST_CASE("norms and variances of many rows and columns of doubles", "[reduce][axes]") {
  const Kokkos::DefaultHostExecutionSpace space;
  check_lines<tessera::L2<double>, double>(space, {});
  check_lines<tessera::Var<double>, double>(space, {});
  check_lines<tessera::Std<double>, double>(space, {});
}

/// Lines that single sums settle, that pairs do not, and whose variance is 0, or not there.
template <class T>
void check_spreads(std::size_t length, bool by_rows) {
  const Kokkos::DefaultHostExecutionSpace space;
  constexpr std::size_t lines = 19;
  const Extents<2> n = by_rows ? Extents<2>{lines, length} : Extents<2>{length, lines};
  std::vector<T> values = test::values<T>(lines * length, 4);
  const auto at = [&](std::size_t line, std::size_t k) -> T& {
    return values[by_rows ? line * length + k : k * lines + line];
  };
  for (std::size_t k = 0; k < length; ++k) {
    at(1, k) = T(0.1);
    at(2, k) = T(1e6) + T(k % 3);
    at(3, k) = std::ldexp(at(3, k), static_cast<int>(k % 60) - 30);
    at(4, k) = T(0);
    at(5, k) *= std::ldexp(T(1), sizeof(T) == 4 ? -140 : -540);
    at(6, k) *= std::ldexp(T(1), sizeof(T) == 4 ? 120 : 1000);
  }
  at(7, length - 1) = std::numeric_limits<T>::infinity();
  at(8, length / 2) = std::numeric_limits<T>::quiet_NaN();
  const test::GuardedView<T, test::Right, Kokkos::DefaultHostExecutionSpace, 2> in(n, values);
  const test::GuardedView<T, test::Right, Kokkos::DefaultHostExecutionSpace, 1> variances({lines}), norms({lines});
  tessera::reduce_axes(space, in.const_view(), {by_rows ? 1 : 0}, tessera::Var<T>{}, variances.view());
  tessera::reduce_axes(space, in.const_view(), {by_rows ? 1 : 0}, tessera::L2<T>{}, norms.view());
  const std::vector<T> variance = variances.read(), norm = norms.read();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < lines; ++i) {
    std::vector<T> line;
    for (std::size_t k = 0; k < length; ++k) line.push_back(at(i, k));
    const auto agrees = [&](T result, std::string_view name) {
      const auto expected = static_cast<T>(tessera::reference::reduced<T>(name, line, false).value);
      return expected == expected ? test::same_bits(result, expected) : result != result;
    };
    wrong += !agrees(variance[i], "var");
    wrong += !agrees(norm[i], "l2");
  }
  INFO(length << (by_rows ? " along rows" : " down columns"));
  CHECK(wrong == 0);
}

TEST_CASE("norms and variances of lines of all kinds on hosts", "[reduce][axes]") {
  for (const std::size_t length : {1, 2, 5, 8, 13, 16, 25, 100, 700}) {
    for (const bool by_rows : {false, true}) {
      check_spreads<float>(length, by_rows);
      check_spreads<double>(length, by_rows);
    }
  }
}

}  // namespace

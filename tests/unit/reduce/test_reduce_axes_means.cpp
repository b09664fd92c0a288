// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Means and norms over axes: what two doubles hold is divided, or its root taken, with one rounding.
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <limits>
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
    for (const std::size_t length : {3, 16, 100, 1000, 3001}) {
      check_some<R, T>(space, reducer, length, true, 10007, policy);
    }
    for (const std::size_t length : {5, 200, 1000}) check_some<R, T>(space, reducer, length, false, 100003, policy);
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

}  // namespace

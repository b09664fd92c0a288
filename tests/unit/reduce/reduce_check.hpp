// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One reduction through the public interface, compared with the reference.
#ifndef TESSERA_TESTS_UNIT_REDUCE_REDUCE_CHECK_HPP
#define TESSERA_TESTS_UNIT_REDUCE_REDUCE_CHECK_HPP

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <tessera/reduce/reduce.hpp>
#include <type_traits>
#include <vector>

#include "reference/reduce_reference.hpp"
#include "support/compare.hpp"
#include "support/data.hpp"
#include "support/guarded_view.hpp"

namespace tessera::test {

/// The type of the value in a result: of ArgMin's and MinMax's results that of the elements.
template <class Result>
struct ScalarOf {
  using type = Result;
};
template <class T>
struct ScalarOf<ArgResult<T>> {
  using type = T;
};
template <class T>
struct ScalarOf<MinMaxResult<T>> {
  using type = T;
};
template <class Result>
using scalar_t = typename ScalarOf<Result>::type;

/// Whether `got` is what is expected of reducer `name`: to the last bit where there is no bound.
template <class T, class Result>
void check_expected(const Result& got, std::string_view name, const reference::Reduced& expected) {
  REQUIRE(expected.defined);
  INFO(name << ": got " << printed(got) << ", expected " << printed(expected.value) << " at " << expected.index);
  const auto same = [](auto value, long double wanted) { return same_value(static_cast<long double>(value), wanted); };
  if constexpr (std::is_same_v<Result, ArgResult<T>>) {
    CHECK(got.index == expected.index);
    CHECK(same(got.value, expected.value));
  } else if constexpr (std::is_same_v<Result, MinMaxResult<T>>) {
    CHECK(same(got.min, expected.value));
    CHECK(same(got.max, expected.second));
  } else if constexpr (std::is_floating_point_v<Result>) {
    CHECK((same(got, expected.value) || (expected.bound > 0 && within(got, expected.value, expected.bound))));
  } else {
    CHECK(same(got, expected.value));
  }
}

/// The same of what reducer `name` gives for `values`.
template <class Result, class T>
void check_reduced(const Result& got, std::string_view name, const std::vector<T>& values, bool omit_nan = false) {
  INFO(values.size() << " elements");
  check_expected<T>(got, name, reference::reduced<scalar_t<Result>>(name, values, omit_nan));
}

/// Whether `got` keeps the bound of a fast sum. An accumulator takes at least one element, so no plan has more of them
/// than elements.
template <class T>
void check_fast_sum(T got, const std::vector<T>& values) {
  const reference::FloatSum expected = reference::float_sum(values);
  INFO("fast sum of " << values.size() << " elements: got " << printed(got) << ", expected " << printed(expected.sum));
  CHECK(within(got, expected.sum, reference::fast_sum_bound<T>(expected.sum_abs, values.size())));
}

/// A reducer on a view that holds `values`. Where integers do not fit or nothing is left, it throws.
template <class Space, class InView, class R, class T>
void check_reducer(const Space& space, const InView& in, const R& reducer, const std::vector<T>& values,
                   const ReduceOptions& options = {}) {
  const bool omit_nan = options.nan == NanPolicy::omit;
  if (reference::reduced<scalar_t<reduce_result_t<R>>>(R::name(), values, omit_nan).defined) {
    check_reduced(reduce(space, in, reducer, options), R::name(), values, omit_nan);
  } else {
    INFO(R::name() << " of " << values.size() << " elements has no result");
    CHECK_THROWS_AS(reduce(space, in, reducer, options), InvalidArgument);
  }
}

/// Every built-in reducer of T.
template <class T, class Space, class InView>
void check_built_in_reducers(const Space& space, const InView& in, const std::vector<T>& values,
                             const ReduceOptions& options = {}) {
  BuiltInReducers::for_each<T>([&](const auto& reducer) { check_reducer(space, in, reducer, values, options); });
}

/// Elements of which one in `one_in` is NaN, and some infinite, in runs and alone.
template <class T>
std::vector<T> spoiled_values(std::size_t size, std::uint64_t one_in, bool infinities) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  std::vector<T> spoiled = values<T>(size, one_in);
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t bits = mixed(i + 77);
    if (bits % one_in == 0 || i % 3000 < 600) spoiled[i] = std::numeric_limits<T>::quiet_NaN();
    if (infinities && bits % 512 == 3) spoiled[i] = (bits >> 32) % 2 == 0 ? infinity : -infinity;
    if (bits % 512 == 4) spoiled[i] = (bits >> 32) % 2 == 0 ? T(0) : T(-0.0);
    if (bits % 2048 == 5) spoiled[i] = std::numeric_limits<T>::max();
  }
  return spoiled;
}

}  // namespace tessera::test

#endif

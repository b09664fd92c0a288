// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One reduction through the public interface, compared with the reference.
#ifndef TESSERA_TESTS_UNIT_REDUCE_REDUCE_CHECK_HPP
#define TESSERA_TESTS_UNIT_REDUCE_REDUCE_CHECK_HPP

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>
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

}  // namespace tessera::test

#endif

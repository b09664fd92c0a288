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

/// Whether `got` is what reducer `name` gives for `values`, to the last bit.
template <class Result, class T>
void check_reduced(Result got, std::string_view name, const std::vector<T>& values) {
  const reference::Reduced expected = reference::reduced<Result>(name, values);
  REQUIRE(expected.defined);
  INFO(name << " of " << values.size() << " elements: got " << printed(got) << ", expected "
            << printed(expected.value));
  CHECK(same_value(static_cast<long double>(got), expected.value));
}

/// Whether `got` keeps the bound of a fast sum. An accumulator takes at least one element, so no plan has more of them
/// than elements.
template <class T>
void check_fast_sum(T got, const std::vector<T>& values) {
  const reference::FloatSum expected = reference::float_sum(values);
  INFO("fast sum of " << values.size() << " elements: got " << printed(got) << ", expected " << printed(expected.sum));
  CHECK(within(got, expected.sum, reference::fast_sum_bound<T>(expected.sum_abs, values.size())));
}

/// Every built-in reducer that is defined for `values`, on a view that holds them.
template <class T, class Space, class InView>
void check_built_in_reducers(const Space& space, const InView& in, const std::vector<T>& values,
                             const ReduceOptions& options = {}) {
  BuiltInReducers::for_each<T>([&](const auto& reducer) {
    using Result = reduce_result_t<std::decay_t<decltype(reducer)>>;
    const auto name = reducer.name();
    if (!reference::reduced<Result>(name, values).defined) return;
    check_reduced(reduce(space, in, reducer, options), name, values);
  });
}

}  // namespace tessera::test

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One reduction through the public interface, compared with the reference.
#ifndef TESSERA_TESTS_UNIT_REDUCE_REDUCE_CHECK_HPP
#define TESSERA_TESTS_UNIT_REDUCE_REDUCE_CHECK_HPP

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>
#include <tessera/reduce/reduce.hpp>
#include <vector>

#include "reference/reduce_reference.hpp"
#include "support/compare.hpp"
#include "support/data.hpp"
#include "support/guarded_view.hpp"

namespace tessera::test {

/// Whether `got` is what reducer `name` gives for `values`: exact where the reference is, else within the bound of a
/// fast sum. An accumulator takes at least one element, so no plan has more of them than elements.
template <class Result, class T>
void check_reduced(Result got, std::string_view name, const std::vector<T>& values) {
  const reference::Reduced expected = reference::reduced(name, values);
  REQUIRE(expected.defined);
  INFO(name << " of " << values.size() << " elements: got " << printed(got) << ", expected "
            << printed(expected.value));
  if (name == "sum" && std::is_floating_point_v<T>) {
    CHECK(within(got, expected.value, reference::fast_sum_bound<Result>(expected.magnitude, values.size())));
  } else {
    CHECK(same_value(static_cast<long double>(got), expected.value));
  }
}

/// Every built-in reducer that is defined for `values`, on a view that holds them.
template <class T, class Space, class InView>
void check_built_in_reducers(const Space& space, const InView& in, const std::vector<T>& values,
                             const ReduceOptions& options = {}) {
  BuiltInReducers::for_each<T>([&](const auto& reducer) {
    const auto name = reducer.name();
    if (reference::reduced(name, values).defined) check_reduced(reduce(space, in, reducer, options), name, values);
  });
}

}  // namespace tessera::test

#endif

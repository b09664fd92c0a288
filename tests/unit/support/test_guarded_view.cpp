// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guarded views: the index mapping is that of the Kokkos view, and writes outside the view are found.
#include <Kokkos_Core.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <vector>

#include "support/guarded_view.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
using HostSpace = Kokkos::DefaultHostExecutionSpace;

TEMPLATE_LIST_TEST_CASE("a guarded view and its Kokkos view mean the same elements", "[support]", test::Layouts) {
  const test::Extents<3> extents{3, 4, 5};
  const test::GuardedView<int, TestType, HostSpace, 3> guarded(extents, test::values<int>(60));
  const auto view = guarded.view();
  std::vector<int> seen;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) {
      for (int k = 0; k < 5; ++k) seen.push_back(view(i, j, k));
    }
  }
  test::check_bits(seen, test::values<int>(60));
  test::check_bits(guarded.read(), test::values<int>(60));
  guarded.check_guards();
}

TEST_CASE("layouts are what their names say", "[support]") {
  const auto address = [](const auto& guarded) { return reinterpret_cast<std::uintptr_t>(guarded.view().data()); };
  const test::GuardedView<float, test::Right, HostSpace, 1> right({8});
  const test::GuardedView<float, test::Misaligned, HostSpace, 1> misaligned({8});
  CHECK(address(right) % 16 == 0);
  CHECK(address(misaligned) % 16 == 4);
  CHECK(test::GuardedView<float, test::Strided, HostSpace, 1>({8}).view().stride(0) == 2);
  const test::GuardedView<float, test::BlockLeft, HostSpace, 2> block({8, 4});
  CHECK(block.view().stride(0) == 1);
  CHECK(block.view().stride(1) == 13);
}

TEST_CASE("writes before, behind and between the elements of a view are found", "[support]") {
  const test::GuardedView<float, test::Strided, HostSpace, 2> guarded({3, 4}, test::values<float>(12));
  CHECK(guarded.guard_report() == "");
  for (const int offset : {-1, 1, 23 + 2 * 3 + 2}) {
    float& element = guarded.view().data()[offset];
    const float before = element;
    element = 1;
    INFO("offset " << offset);
    CHECK(guarded.guard_report().find("1 of ") == 0);
    element = before;
  }
  guarded.view()(1, 2) = 7;
  CHECK(guarded.guard_report() == "");
  CHECK(guarded.read()[6] == 7);
}

TEST_CASE("outputs begin as poison", "[support]") {
  const test::GuardedView<double, test::Right, Kokkos::DefaultExecutionSpace, 1> guarded({3});
  test::check_bits(guarded.read(), std::vector<double>(3, test::poison<double>()));
  CHECK(test::GuardedView<double, test::Left, Kokkos::DefaultExecutionSpace, 2>({0, 3}).read().empty());
}

}  // namespace

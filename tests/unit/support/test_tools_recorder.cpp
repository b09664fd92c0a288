// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recorder sees what it is there to see.
#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "support/spaces.hpp"
#include "support/tools_recorder.hpp"

namespace {

namespace test = tessera::test;

template <class Space>
struct Fill {
  Kokkos::View<int*, Space> view;
  KOKKOS_FUNCTION void operator()(int i) const { view(i) = i; }
};

template <class Space>
void fill(const Space& space, const Kokkos::View<int*, Space>& view) {
  const Kokkos::Profiling::ScopedRegion region("region");
  Kokkos::parallel_for("tessera::fill", Kokkos::RangePolicy<Space>(space, 0, view.extent_int(0)), Fill<Space>{view});
}

TEMPLATE_LIST_TEST_CASE("kernels carry their label and instance", "[support]", test::Spaces) {
  const auto space = test::another_instance<TestType>();
  const Kokkos::View<int*, TestType> view("view", 10);
  const test::ToolsRecord record = test::recorded([&] { fill(space, view); });
  REQUIRE(record.kernels.size() == 1);
  CHECK(record.kernels[0].label == "tessera::fill");
  // Kokkos gives all instances of a host space one identifier.
  if (!test::runs_on_host<TestType>) {
    CHECK(record.kernels[0].device != Kokkos::Tools::Experimental::device_id(TestType()));
  }
  REQUIRE(record.regions.size() == 1);
  CHECK(record.regions[0] == "region");
  test::check_kernels(record, space);
  test::check_asynchronous(record);
  space.fence();
}

TEMPLATE_LIST_TEST_CASE("fences, allocations and copies are counted", "[support]", test::Spaces) {
  const TestType space;
  CHECK(test::recorded([&] { space.fence("a fence"); }).fences.at(0).label == "a fence");
  const auto made = test::recorded([] { const Kokkos::View<int*, TestType> view("an allocation", 10); });
  CHECK(made.allocations.at(0) == "an allocation");
  CHECK(made.deallocations == made.allocations);
  const Kokkos::View<int*, TestType> a("a", 10), b("b", 10);
  CHECK(test::recorded([&] { Kokkos::deep_copy(space, a, b); }).copies.at(0) == "b -> a");
  CHECK(test::recorded([] {}).kernels.empty());
}

}  // namespace

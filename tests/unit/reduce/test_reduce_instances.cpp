// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reduce runs on the instance it is given, and waits, copies and allocates only where it says so.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>

#include "reduce_check.hpp"
#include "support/spaces.hpp"
#include "support/tools_recorder.hpp"

namespace {

namespace test = tessera::test;

TEMPLATE_LIST_TEST_CASE("reduce with a workspace launches one kernel on its instance and nothing else", "[reduce]",
                        test::Spaces) {
  const auto space = test::another_instance<TestType>();
  const std::vector<float> values = test::values<float>(100003);
  const auto in = test::device_copy<TestType>(values);
  const test::GuardedView<float, test::Right, TestType, 0> out({});
  const tessera::Sum<float> sum;
  const tessera::Workspace<TestType> workspace(space,
                                               tessera::reduce_plan<float>(space, sum, values.size()).workspace_bytes);
  tessera::reduce(space, in, sum, out.view(), {}, workspace);  // Kokkos' own scratch memory grows on the first call

  const test::ToolsRecord record = test::recorded([&] { tessera::reduce(space, in, sum, out.view(), {}, workspace); });
  test::check_kernels(record, space);
  CHECK(record.kernels.size() == 1);
  test::check_asynchronous(record);
  CHECK(record.regions == std::vector<std::string>{"tessera::reduce"});
  space.fence();
  test::check_reduced(out.read().at(0), "sum", values);
  out.check_guards();
}

TEMPLATE_LIST_TEST_CASE("reduce without a workspace stays on its instance", "[reduce]", test::Spaces) {
  const auto space = test::another_instance<TestType>();
  const std::vector<float> values = test::values<float>(10007);
  const auto in = test::device_copy<TestType>(values);
  float result = tessera::reduce(space, in, tessera::Max<float>{});  // Kokkos' own scratch memory grows
  const test::ToolsRecord record = test::recorded([&] { result = tessera::reduce(space, in, tessera::Max<float>{}); });
  test::check_kernels(record, space);
  test::check_reduced(result, "max", values);
  for (const std::string& allocation : record.allocations) {
    INFO("allocation " << allocation);
    CHECK(allocation.rfind("tessera::", 0) == 0);
  }
  for (const test::ToolsEvent& fence : record.fences) {
    INFO("fence " << fence.label);
    if (fence.label.find("free") != std::string::npos) continue;  // Kokkos' own, of everything, before memory goes
    CHECK(fence.device == Kokkos::Tools::Experimental::device_id(space));
  }
}

TEMPLATE_LIST_TEST_CASE("a region is closed when reduce throws", "[reduce]", test::Spaces) {
  const Kokkos::View<float*, TestType> empty("empty", 0);
  const test::ToolsRecord record = test::recorded(
      [&] { CHECK_THROWS_AS(tessera::reduce(TestType(), empty, tessera::Min<float>{}), tessera::InvalidArgument); });
  CHECK(record.open_regions == 0);
  CHECK(record.kernels.empty());
}

TEMPLATE_LIST_TEST_CASE("reductions on several instances at once do not disturb each other", "[reduce]", test::Spaces) {
  const TestType spaces[2] = {test::another_instance<TestType>(), test::another_instance<TestType>()};
  const std::vector<std::int64_t> values = test::values<std::int64_t>(100003);
  const auto in = test::device_copy<TestType>(values);
  const auto plan =
      tessera::reduce_plan<std::int64_t>(spaces[0], tessera::Max<std::int64_t>{}, values.size(), {.league_size = 7});
  const tessera::Workspace<TestType> workspaces[2] = {{spaces[0], plan.workspace_bytes},
                                                      {spaces[1], plan.workspace_bytes}};
  const Kokkos::View<std::int64_t[20], TestType> maxima("maxima"), minima("minima");
  for (int i = 0; i < 20; ++i) {
    tessera::reduce(spaces[0], in, tessera::Max<std::int64_t>{}, Kokkos::subview(maxima, i), {.league_size = 7},
                    workspaces[0]);
    tessera::reduce(spaces[1], in, tessera::Min<std::int64_t>{}, Kokkos::subview(minima, i), {.league_size = 7},
                    workspaces[1]);
  }
  for (const TestType& space : spaces) space.fence();
  test::check_values(test::host_copy(maxima), std::vector<std::int64_t>(20, 1000));
  test::check_values(test::host_copy(minima), std::vector<std::int64_t>(20, -1000));
}

TEMPLATE_LIST_TEST_CASE("one workspace serves calls of any size and reducer in turn", "[reduce]", test::Spaces) {
  const TestType space;
  const std::vector<double> values = test::values<double>(70001);
  const auto in = test::device_copy<TestType>(values);
  const tessera::Workspace<TestType> workspace(space, 1 << 16);
  const Kokkos::View<double, TestType> out("out");
  for (const std::size_t size : {70001, 1, 300, 70001, 4096}) {
    const auto part = Kokkos::subview(in, std::pair<std::size_t, std::size_t>(0, size));
    const std::vector<double> expected(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(size));
    double got = 0;
    tessera::reduce(space, part, tessera::Sum<double>{}, out, {.league_size = static_cast<int>(size % 11)}, workspace);
    Kokkos::deep_copy(got, out);
    test::check_reduced(got, "sum", expected);
    tessera::reduce(space, part, tessera::Min<double>{}, out, {}, workspace);
    Kokkos::deep_copy(got, out);
    test::check_reduced(got, "min", expected);
    tessera::check(space, workspace);
  }
}

}  // namespace

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters run on the instance they are given, and wait, copy and allocate nowhere.
#include <catch2/catch_template_test_macros.hpp>

#include "filter_check.hpp"
#include "support/tools_recorder.hpp"

namespace {

namespace test = tessera::test;

TEMPLATE_LIST_TEST_CASE("a filter launches one kernel on its instance and nothing else", "[filter]", test::Spaces) {
  const auto space = test::another_instance<TestType>();
  const std::vector<float> line = test::values<float>(100003);
  const std::vector<double> weights = test::fractional_weights(11);
  const test::GuardedView<float, test::Right, TestType, 1> in({line.size()}, line), out({line.size()});
  const tessera::FilterWeights<TestType> device_weights(space, weights);
  tessera::correlate(space, in.view(), device_weights, out.view());  // Kokkos' own scratch memory grows

  const test::ToolsRecord record =
      test::recorded([&] { tessera::convolve(space, in.view(), device_weights, out.view()); });
  test::check_kernels(record, space);
  CHECK(record.kernels.size() == 1);
  test::check_asynchronous(record);
  CHECK(record.regions == std::vector<std::string>{"tessera::filter"});
  space.fence();
  test::check_bits(out.read(), test::filtered<float>(TestType(), line, weights, {}, true));
}

TEMPLATE_LIST_TEST_CASE("weights are copied on their instance", "[filter]", test::Spaces) {
  const auto space = test::another_instance<TestType>();
  const std::vector<double> weights = test::fractional_weights(11);
  const test::ToolsRecord record = test::recorded([&] { const tessera::FilterWeights<TestType> made(space, weights); });
  for (const test::ToolsEvent& fence : record.fences) {
    INFO("fence " << fence.label);
    if (fence.label.find("free") != std::string::npos) continue;  // Kokkos' own, of everything, before memory goes
    CHECK(fence.device == Kokkos::Tools::Experimental::device_id(space));
  }
}

TEMPLATE_LIST_TEST_CASE("a filter's region is closed when it throws", "[filter]", test::Spaces) {
  const Kokkos::View<float*, TestType> in("in", 3), out("out", 4);
  const tessera::FilterWeights<TestType> weights(TestType(), std::vector<double>{1});
  const test::ToolsRecord record = test::recorded(
      [&] { CHECK_THROWS_AS(tessera::correlate(TestType(), in, weights, out), tessera::InvalidArgument); });
  CHECK(record.open_regions == 0);
  CHECK(record.kernels.empty());
}

}  // namespace

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/workspace.hpp>

#include "support/message.hpp"
#include "support/spaces.hpp"
#include "support/tools_recorder.hpp"

namespace {

namespace test = tessera::test;

TEMPLATE_LIST_TEST_CASE("a workspace has the bytes asked for, and a good status", "[workspace]", test::Spaces) {
  const TestType space;
  for (const std::size_t bytes : {0, 1, 1000}) {
    const tessera::Workspace<TestType> workspace(space, bytes);
    CHECK(workspace.bytes() == bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(workspace.partials()) % 16 == 0);
    CHECK_NOTHROW(tessera::check(space, workspace));
  }
}

TEMPLATE_LIST_TEST_CASE("copies of a workspace share its memory", "[workspace]", test::Spaces) {
  const tessera::Workspace<TestType> workspace(TestType(), 100);
  const test::ToolsRecord record = test::recorded([&] {
    const tessera::Workspace<TestType> copy = workspace;
    CHECK(copy.partials() == workspace.partials());
  });
  CHECK(record.allocations.empty());
}

TEMPLATE_LIST_TEST_CASE("a workspace larger than memory is a resource error", "[workspace][errors]", test::Spaces) {
  const auto call = [] { const tessera::Workspace<TestType> workspace(TestType(), std::size_t{1} << 60); };
  test::check_message(test::message_of<tessera::ResourceError>(call),
                      {"tessera::Workspace", "`bytes`", "1152921504606846976 bytes", "expected", "free", ";"});
}

TEMPLATE_LIST_TEST_CASE("check fences its instance", "[workspace]", test::Spaces) {
  const auto space = test::another_instance<TestType>();
  const tessera::Workspace<TestType> workspace(space, 16);
  const test::ToolsRecord record = test::recorded([&] { tessera::check(space, workspace); });
  REQUIRE_FALSE(record.fences.empty());
  for (const test::ToolsEvent& fence : record.fences) {
    INFO("fence " << fence.label);
    CHECK(fence.device == Kokkos::Tools::Experimental::device_id(space));
  }
}

}  // namespace

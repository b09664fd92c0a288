// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions that throw leave everything usable.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <tessera/reduce/dot.hpp>
#include <tessera/reduce/reduce.hpp>
#include <tessera/reduce/reduce_axes.hpp>
#include <tessera/reduce/reduce_segments.hpp>
#include <tessera/reduce/reducers.hpp>

#include "failure_check.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
using tessera::InvalidArgument;

TEMPLATE_LIST_TEST_CASE("reduce survives its refusals", "[failures]", test::OneSpace) {
  const auto space = test::another_instance<TestType>();
  const Kokkos::View<float**, TestType> in("in", 71, 53);
  const Kokkos::View<float, TestType> out("out");
  test::fill(in);
  const tessera::Sum<float> sum;
  const tessera::Workspace<TestType> workspace(space,
                                               tessera::reduce_plan<float>(space, sum, in.size()).workspace_bytes);
  const tessera::Workspace<TestType> small(space, 0);
  const auto good = [&] { tessera::reduce(space, in, sum, out, {}, workspace); };
  const auto check = [&](const auto& bad) { test::check_survived<InvalidArgument>(space, in, out, good, bad); };
  check([&] { tessera::reduce(space, in, sum, out, {}, small); });
  check([&] { tessera::reduce(space, in, sum, out, {.team_size = -1}, workspace); });
  check([&] { tessera::reduce(space, Kokkos::View<float*, TestType>(), tessera::Min<float>{}, out, {}, workspace); });
  check([&] { tessera::reduce(space, Kokkos::View<float*, TestType>(), tessera::Min<float>{}); });
  CHECK_NOTHROW(tessera::check(space, workspace));
}

TEMPLATE_LIST_TEST_CASE("reductions of axes, of segments and of two views survive their refusals", "[failures]",
                        test::OneSpace) {
  const auto space = test::another_instance<TestType>();
  const Kokkos::View<float**, TestType> in("in", 71, 53);
  const Kokkos::View<float*, TestType> columns("columns", 53), line("line", 500), segments("segments", 2);
  const Kokkos::View<float, TestType> dot("dot");
  const Kokkos::View<std::int64_t*, TestType> offsets("offsets", 3);
  test::fill(in);
  test::fill(line);
  Kokkos::deep_copy(Kokkos::subview(offsets, 1), 100);
  Kokkos::deep_copy(Kokkos::subview(offsets, 2), 500);
  const tessera::Workspace<TestType> workspace(space, 1 << 16);
  const tessera::Sum<float> sum;
  test::check_survived<InvalidArgument>(
      space, in, columns, [&] { tessera::reduce_axes(space, in, {0}, sum, columns); },
      [&] { tessera::reduce_axes(space, in, {2}, sum, columns); });
  test::check_survived<InvalidArgument>(
      space, line, segments, [&] { tessera::reduce_segments(space, line, offsets, sum, segments); },
      [&] { tessera::reduce_segments(space, line, offsets, sum, columns); });
  test::check_survived<InvalidArgument>(
      space, line, dot, [&] { tessera::reduce(space, line, line, tessera::Dot<float>{}, dot, {}, workspace); },
      [&] { tessera::reduce(space, line, columns, tessera::Dot<float>{}, dot, {}, workspace); });
}

TEMPLATE_LIST_TEST_CASE("what the data spoil is thrown once, and workspace and instance serve on", "[failures]",
                        test::OneSpace) {
  const auto space = test::another_instance<TestType>();
  const Kokkos::View<std::int64_t*, TestType> in("in", 1000);
  const Kokkos::View<std::int64_t, TestType> out("out");
  const tessera::Sum<std::int64_t> sum;
  const auto bytes = tessera::reduce_plan<std::int64_t>(space, sum, in.size()).workspace_bytes;
  const tessera::Workspace<TestType> workspace(space, bytes);
  for (int round = 0; round < 3; ++round) {
    Kokkos::deep_copy(in, std::numeric_limits<std::int64_t>::max());
    CHECK_NOTHROW(tessera::reduce(space, in, sum, out, {}, workspace));
    CHECK_THROWS_AS(tessera::check(space, workspace), InvalidArgument);
    CHECK_NOTHROW(tessera::check(space, workspace));
    const test::ToolsRecord record =
        test::recorded([&] { CHECK_THROWS_AS(tessera::reduce(space, in, sum), InvalidArgument); });
    CHECK_FALSE(record.allocations.empty());
    test::check_freed(record);
    CHECK(record.open_regions == 0);
    Kokkos::deep_copy(in, 7);
    tessera::reduce(space, in, sum, out, {}, workspace);
    CHECK_NOTHROW(tessera::check(space, workspace));
    CHECK(test::elements_of(out) == std::vector<std::int64_t>{7000});
    CHECK(tessera::reduce(space, in, sum) == 7000);
  }
}

TEMPLATE_LIST_TEST_CASE("memory that is not there leaves none behind", "[failures]", test::OneSpace) {
  const auto space = test::another_instance<TestType>();
  test::check_refused<tessera::ResourceError>(
      [&] { const tessera::Workspace<TestType> workspace(space, std::size_t{1} << 60); });
  const tessera::Workspace<TestType> workspace(space, 1000);
  CHECK_NOTHROW(tessera::check(space, workspace));
}

}  // namespace

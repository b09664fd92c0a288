// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each error of reduce_axes, with its text, and what it does on its instance.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <limits>

#include "axes_check.hpp"
#include "support/limits.hpp"
#include "support/message.hpp"
#include "support/spaces.hpp"
#include "support/tools_recorder.hpp"

namespace {

namespace test = tessera::test;
using tessera::Axes;
using tessera::InvalidArgument;
using tessera::NanPolicy;
using tessera::ReduceOptions;

template <class Space, class Out>
std::string message_into(const Out& out, const Axes& axes, const ReduceOptions& options = {}) {
  const Kokkos::View<float***, Space> in("in", 2, 3, 4);
  return test::message_of<InvalidArgument>(
      [&] { tessera::reduce_axes(Space(), in, axes, tessera::Min<float>{}, out, options); });
}

TEMPLATE_LIST_TEST_CASE("axes that cannot be are errors", "[reduce][axes][errors]", test::OneSpace) {
  const Kokkos::View<float**, TestType> out("out", 2, 4);
  test::check_message(message_into<TestType>(out, {3}),
                      {"tessera::reduce_axes", "`axes`", "axis 3", "expected", "-3 to 2", ";"});
  test::check_message(message_into<TestType>(out, {-4}),
                      {"tessera::reduce_axes", "`axes`", "axis -4", "expected", "-3 to 2", ";"});
  test::check_message(message_into<TestType>(out, {1, -2}),
                      {"tessera::reduce_axes", "`axes`", "axis -2 is repeated", "expected", "once", ";"});
}

TEMPLATE_LIST_TEST_CASE("outputs of another shape are errors", "[reduce][axes][errors]", test::OneSpace) {
  const Kokkos::View<float**, TestType> out("out", 2, 3);
  const Kokkos::View<float***, TestType> keeping("keeping", 2, 3, 4);
  test::check_message(message_into<TestType>(out, {1}),
                      {"tessera::reduce_axes", "`out`", "extents (2, 3)", "expected", "(2, 4)", ";"});
  test::check_message(message_into<TestType>(keeping, {1}),
                      {"tessera::reduce_axes", "`out`", "extents (2, 3, 4)", "expected", "(2, 1, 4)", ";"});
  test::check_message(message_into<TestType>(out, {0, 1}),
                      {"tessera::reduce_axes", "`out`", "rank 2", "expected", "rank 1", "or 3", ";"});
}

TEMPLATE_LIST_TEST_CASE("an output inside the input is an error", "[reduce][axes][errors]", test::OneSpace) {
  const Kokkos::View<float**, Kokkos::LayoutRight, TestType> in("in", 4, 4);
  const auto call = [&] {
    tessera::reduce_axes(TestType(), in, {0}, tessera::Max<float>{}, Kokkos::subview(in, 1, Kokkos::ALL()));
  };
  test::check_message(test::message_of<InvalidArgument>(call), {"tessera::reduce_axes", "`out`", "overlaps", "`in`"});
}

TEMPLATE_LIST_TEST_CASE("an output whose elements share memory is an error", "[reduce][axes][errors]", test::OneSpace) {
  const Kokkos::View<float*, TestType> memory("memory", 8);
  const auto out = [&](std::size_t n0, std::size_t stride0, std::size_t n1, std::size_t stride1) {
    return Kokkos::View<float**, Kokkos::LayoutStride, TestType, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
        memory.data(), Kokkos::LayoutStride(n0, stride0, n1, stride1));
  };
  test::check_message(message_into<TestType>(out(2, 4, 4, 0), {1}),
                      {"tessera::reduce_axes", "`out`", "stride 0 on axis 1 of extents (2, 4)", "expected",
                       "memory of its own for each element", ";"});
  CHECK_NOTHROW(tessera::reduce_axes(TestType(), Kokkos::View<float***, TestType>("in", 1, 3, 4), {1},
                                     tessera::Max<float>{}, out(1, 0, 4, 1)));  // one row needs no stride
  TestType().fence();
}

TEMPLATE_LIST_TEST_CASE("options that cannot be are errors of reduce_axes", "[reduce][axes][errors]", test::OneSpace) {
  const Kokkos::View<float**, TestType> out("out", 2, 4);
  test::check_message(message_into<TestType>(out, {1}, {.variant = tessera::ReduceVariant::single_pass}),
                      {"tessera::reduce_axes", "`options`", "variant single_pass", "expected", "automatic", ";"});
  test::check_message(message_into<TestType>(out, {1}, {.league_size = -1}),
                      {"tessera::reduce_axes", "`options`", "league_size -1", "expected", "0 or more", ";"});
  test::check_message(message_into<TestType>(out, {1}, {.team_size = 100000}),
                      {"tessera::reduce_axes", "`options`", "team_size 100000", "expected", "0 to", ";"});
}

TEMPLATE_LIST_TEST_CASE("nothing to reduce is an error where elements are needed", "[reduce][axes][errors]",
                        test::OneSpace) {
  const Kokkos::View<float**, TestType> in("in", 3, 0);
  const Kokkos::View<float*, TestType> rows("rows", 3), columns("columns", 0);
  const auto call = [&] { tessera::reduce_axes(TestType(), in, {1}, tessera::Min<float>{}, rows); };
  test::check_message(test::message_of<InvalidArgument>(call),
                      {"tessera::reduce_axes", "`in`", "(3, 0)", "expected", "one element", "min", ";"});
  tessera::reduce_axes(TestType(), in, {0}, tessera::Min<float>{}, columns);  // no output has nothing
}

TEMPLATE_LIST_TEST_CASE("a workspace that is too small is an error of reduce_axes", "[reduce][axes][errors]",
                        test::OneSpace) {
  const TestType space;
  const Kokkos::View<float*, TestType> in("in", 100000);
  const Kokkos::View<float, TestType> out("out");
  const ReduceOptions options{.league_size = 8};
  const tessera::Sum<float> sum;
  const tessera::ReduceAxesPlan plan = tessera::reduce_axes_plan(space, in, {0}, sum, options);
  REQUIRE(plan.parts > 1);
  const tessera::Workspace<TestType> workspace(space, plan.workspace_bytes - 1);
  const auto call = [&] { tessera::reduce_axes(space, in, {0}, sum, out, options, workspace); };
  test::check_message(test::message_of<InvalidArgument>(call),
                      {"tessera::reduce_axes", "`workspace`", std::to_string(plan.workspace_bytes - 1) + " bytes",
                       "expected", "at least " + std::to_string(plan.workspace_bytes) + " bytes", ";"});
}

TEMPLATE_LIST_TEST_CASE("what the data spoil is reported with the lowest index", "[reduce][axes][errors]",
                        test::OneSpace) {
  const TestType space;
  std::vector<std::int64_t> large(6 * 50, 1);
  for (const std::size_t row : {2, 4}) large[row * 50] = large[row * 50 + 49] = test::int64_max;
  const test::GuardedView<std::int64_t, test::Right, TestType, 2> in({6, 50}, large);
  const test::GuardedView<std::int64_t, test::Right, TestType, 1> out({6});
  const tessera::Workspace<TestType> workspace(space, 0);
  tessera::reduce_axes(space, in.const_view(), {1}, tessera::Sum<std::int64_t>{}, out.view(), {}, workspace);
  test::check_message(test::message_of<InvalidArgument>([&] { tessera::check(space, workspace); }),
                      {"`in`", "does not fit", "output 2"});
  CHECK(out.read() == std::vector<std::int64_t>{50, 50, 0, 50, 0, 50});

  std::vector<float> spoiled = test::values<float>(3 * 4 * 60);
  spoiled[1 * 240 + 2 * 60 + 30] = spoiled[1 * 240 + 3 * 60 + 1] = std::numeric_limits<float>::quiet_NaN();
  const test::GuardedView<float, test::Right, TestType, 3> cube({3, 4, 60}, spoiled);
  const ReduceOptions refuse{.nan = NanPolicy::error};
  const auto check_index = [&](const Axes& axes, std::size_t outputs, const auto& reducer) {
    const Kokkos::View<float*, TestType> lines("lines", outputs);
    const auto call = [&] { tessera::reduce_axes(space, cube.const_view(), axes, reducer, lines, refuse); };
    test::check_message(test::message_of<InvalidArgument>(call), {"`in`", "element 390 is NaN"});
  };
  check_index({0, 1}, 60, tessera::Sum<float>{});
  check_index({0, 2}, 4, tessera::Sum<float>{});
  check_index({1, 2}, 3, tessera::Max<float>{});
  check_index({0, 1}, 60, tessera::Max<float>{});
}

TEMPLATE_LIST_TEST_CASE("lines without enough elements that are not NaN are reported", "[reduce][axes][errors]",
                        test::OneSpace) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const test::GuardedView<float, test::Right, TestType, 2> in({3, 2}, std::vector<float>{1, 2, nan, nan, 5, nan});
  const test::GuardedView<float, test::Right, TestType, 1> out({3});
  const auto call = [&] {
    tessera::reduce_axes(TestType(), in.const_view(), {1}, tessera::Min<float>{}, out.view(), {.nan = NanPolicy::omit});
  };
  test::check_message(test::message_of<InvalidArgument>(call), {"`in`", "too few elements", "output 1"});
  test::check_values(out.read(), {1.0f, nan, 5.0f});
}

TEMPLATE_LIST_TEST_CASE("reduce_axes with a workspace launches its kernels and nothing else", "[reduce][axes]",
                        test::OneSpace) {
  const auto space = test::another_instance<TestType>();
  const std::vector<float> values = test::values<float>(2 * 30000);
  const test::GuardedView<float, test::Right, TestType, 2> in({2, 30000}, values);
  const test::GuardedView<float, test::Right, TestType, 1> out({2}), columns({30000});
  const tessera::Sum<float> sum;
  const auto check_kernels = [&](int axis, const auto& result, const ReduceOptions& options) {
    const tessera::ReduceAxesPlan plan = tessera::reduce_axes_plan(space, in.const_view(), {axis}, sum, options);
    const tessera::Workspace<TestType> workspace(space, plan.workspace_bytes);
    const auto call = [&] {
      tessera::reduce_axes(space, in.const_view(), {axis}, sum, result.view(), options, workspace);
    };
    call();  // Kokkos' own scratch memory grows on the first call
    const test::ToolsRecord record = test::recorded(call);
    test::check_kernels(record, space);
    CHECK(record.kernels.size() == (plan.parts > 1 ? 2 : 1));
    test::check_asynchronous(record);
    CHECK(record.regions == std::vector<std::string>{"tessera::reduce_axes"});
    space.fence();
  };
  check_kernels(1, out, {.league_size = 1});
  check_kernels(1, out, {.league_size = 8});
  check_kernels(0, columns, {});
}

}  // namespace

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each error of reduce, with its text.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <tessera/reduce/fused.hpp>

#include "reduce_check.hpp"
#include "support/limits.hpp"
#include "support/message.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
using tessera::InvalidArgument;
using tessera::ReduceOptions;
using tessera::ResourceError;

TEMPLATE_LIST_TEST_CASE("minimum and maximum of nothing are errors", "[reduce][errors]", test::OneSpace) {
  const Kokkos::View<float*, TestType> empty("empty", 0);
  const Kokkos::View<float**, TestType> no_columns("no columns", 3, 0);
  const auto minimum = [&] { tessera::reduce(TestType(), empty, tessera::Min<float>{}); };
  test::check_message(test::message_of<InvalidArgument>(minimum),
                      {"tessera::reduce", "`in`", "(0)", "expected", "one element", "min", ";"});
  const auto maximum = [&] { tessera::reduce(TestType(), no_columns, tessera::Max<float>{}); };
  test::check_message(test::message_of<InvalidArgument>(maximum),
                      {"tessera::reduce", "`in`", "(3, 0)", "expected", "one element", "max", ";"});
}

template <class T, class Space>
std::string sum_message(const Space& space, const std::vector<T>& values, const ReduceOptions& options = {}) {
  const auto in = test::device_copy<Space>(values);
  return test::message_of<InvalidArgument>([&] { tessera::reduce(space, in, tessera::Sum<T>{}, options); });
}

TEMPLATE_LIST_TEST_CASE("an integer sum that does not fit is an error", "[reduce][errors]", test::OneSpace) {
  const TestType space;
  const std::string text = sum_message(space, std::vector<std::int64_t>{test::int64_max, 1});
  test::check_message(text, {"tessera::reduce", "`in`", "does not fit", "expected", "int64", "uint64", ";"});
  CHECK(sum_message(space, std::vector<std::int64_t>{-test::int64_max, -2}) == text);
  CHECK(sum_message(space, std::vector<std::uint64_t>{std::numeric_limits<std::uint64_t>::max(), 1}) == text);
  CHECK(sum_message(space, std::vector<std::int64_t>(100003, test::int64_max), {.league_size = 7}) == text);
}

TEMPLATE_LIST_TEST_CASE("an asynchronous sum that does not fit leaves 0 and a status", "[reduce][errors]",
                        test::OneSpace) {
  const TestType space;
  const auto bad = test::device_copy<TestType>(std::vector<std::int64_t>{test::int64_max, test::int64_max});
  const auto good = test::device_copy<TestType>(std::vector<std::int64_t>{40, 2});
  const test::GuardedView<std::int64_t, test::Right, TestType, 0> out({}), next({});
  const tessera::Sum<std::int64_t> sum;
  const tessera::ReducePlan plan = tessera::reduce_plan<std::int64_t>(space, sum, 2);
  const tessera::Workspace<TestType> workspace(space, plan.workspace_bytes);

  tessera::reduce(space, bad, sum, out.view(), {}, workspace);
  tessera::reduce(space, good, sum, next.view(), {}, workspace);
  test::check_message(test::message_of<InvalidArgument>([&] { tessera::check(space, workspace); }),
                      {"tessera::reduce", "`in`", "does not fit"});
  CHECK(out.read() == std::vector<std::int64_t>{0});
  CHECK(next.read() == std::vector<std::int64_t>{42});
  out.check_guards();

  tessera::check(space, workspace);  // good again
  tessera::reduce(space, good, sum, out.view(), {}, workspace);
  tessera::check(space, workspace);
  CHECK(out.read() == std::vector<std::int64_t>{42});
}

TEMPLATE_LIST_TEST_CASE("a workspace that is too small is an error", "[reduce][errors]", test::OneSpace) {
  const TestType space;
  const auto in = test::device_copy<TestType>(test::values<double>(1000));
  const test::GuardedView<double, test::Right, TestType, 0> out({});
  const ReduceOptions options{.league_size = 7};
  const tessera::Sum<double> sum;
  const std::size_t needed = tessera::reduce_plan<double>(space, sum, 1000, options).workspace_bytes;
  const tessera::Workspace<TestType> workspace(space, needed - 1);
  const auto call = [&] { tessera::reduce(space, in, sum, out.view(), options, workspace); };
  test::check_message(test::message_of<InvalidArgument>(call),
                      {"tessera::reduce", "`workspace`", std::to_string(needed - 1) + " bytes", "expected",
                       "at least " + std::to_string(needed) + " bytes", ";", "reduce_plan"});
  test::check_bits(out.read(), std::vector<double>{test::poison<double>()});
}

TEMPLATE_LIST_TEST_CASE("sizes of team and league that cannot be are errors", "[reduce][errors]", test::OneSpace) {
  const TestType space;
  const std::vector<double> values(100, 1.0);
  test::check_message(sum_message(space, values, {.team_size = -1}),
                      {"tessera::reduce", "`options`", "team_size -1", "expected", "0 to", ";", "plan"});
  test::check_message(sum_message(space, values, {.team_size = 1000000}),
                      {"tessera::reduce", "`options`", "team_size 1000000", "expected", "0 to", ";", "plan"});
  test::check_message(sum_message(space, values, {.league_size = -3}),
                      {"tessera::reduce", "`options`", "league_size -3", "expected", "0 or more", ";", "plan"});
}

TEMPLATE_LIST_TEST_CASE("errors of fused reducers name the one whose they are", "[reduce][errors]", test::OneSpace) {
  using tessera::fuse, tessera::Min, tessera::Sum, tessera::Var;
  const TestType space;
  const Kokkos::View<double*, TestType> none("none", 0), one("one", 1);
  const auto message = [&](const auto& in, const auto& reducer) {
    return test::message_of<InvalidArgument>([&] { tessera::reduce(space, in, reducer); });
  };
  test::check_message(message(none, fuse<double>(Sum<double>{}, Min<double>{})),
                      {"tessera::reduce", "`in`", "(0)", "at least one element for min"});
  test::check_message(message(one, fuse<double>(Sum<double>{}, Var<double>{3}, Min<double>{})),
                      {"tessera::reduce", "`in`", "(1)", "at least 4 elements for var"});
  test::check_message(message(one, fuse<double>(Var<double>{-1}, Sum<double>{})),
                      {"tessera::reduce", "`reducer`", "ddof -1", "0 or more"});
}

TEMPLATE_LIST_TEST_CASE("a team that a part of the space cannot have is an error", "[reduce][errors]", test::OneSpace) {
  if constexpr (test::runs_on_host<TestType>) {
    const int threads = TestType().concurrency();
    if (threads < 2) return;
    const auto parts = Kokkos::Experimental::partition_space(TestType(), 1, 1);
    const auto in = test::device_copy<TestType>(test::values<double>(100));
    CHECK(tessera::reduce(parts[0], in, tessera::Max<double>{}) ==
          tessera::reduce(TestType(), in, tessera::Max<double>{}));
    const auto call = [&] { tessera::reduce(parts[0], in, tessera::Max<double>{}, {.team_size = threads}); };
    test::check_message(test::message_of<InvalidArgument>(call),
                        {"tessera::reduce", "`options`", "team_size " + std::to_string(threads), "0 to"});
  }
}

/// Where the element is in row-major order.
struct PositionOf {
  using value_type = std::int64_t;
  static constexpr bool all_variants = true;
  double wanted;
  KOKKOS_FUNCTION value_type identity() const { return 0; }
  KOKKOS_FUNCTION value_type map(double x, std::int64_t index) const { return x == wanted ? index : 0; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into += from; }
};

TEMPLATE_LIST_TEST_CASE("textbook variants refuse strided views in an order of their own", "[reduce][errors]",
                        test::OneSpace) {
  const TestType space;
  const Kokkos::View<double*, TestType> memory("memory", 6);
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<TestType>(space, 0, 6), KOKKOS_LAMBDA(int i) { memory(i) = i; });
  const Kokkos::View<const double**, Kokkos::LayoutStride, TestType, Kokkos::MemoryTraits<Kokkos::Unmanaged>> turned(
      memory.data(), Kokkos::LayoutStride(2, 1, 3, 2));
  CHECK(tessera::reduce(space, turned, PositionOf{3}) == 4);  // row 1, column 1 of three
  test::check_message(test::message_of<InvalidArgument>([&] {
                        tessera::reduce(space, turned, PositionOf{3}, {.variant = tessera::ReduceVariant::sequential});
                      }),
                      {"tessera::reduce", "`in`", "an order of their own", "contiguous memory for variant sequential"});
}

/// A value of many bytes, so that few of them fill a team's scratch memory.
template <int Bytes>
struct OversizedSum {
  struct value_type {
    int sum;
    char rest[Bytes];
  };
  KOKKOS_FUNCTION value_type identity() const { return {}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into.sum += from.sum; }
  KOKKOS_FUNCTION value_type map(int element) const {
    value_type value{};
    value.sum = element;
    return value;
  }
};

TEMPLATE_LIST_TEST_CASE("scratch beyond what a team can have is a resource error", "[reduce][errors]", test::OneSpace) {
  constexpr bool host = test::runs_on_host<TestType>;
  const OversizedSum<host ? 65536 : 116> sum;
  const ReduceOptions options{.team_size = host ? 1 : 1024};
  const auto in = test::device_copy<TestType>(test::values<int>(10));
  const Kokkos::View<typename decltype(sum)::value_type, TestType> out("out");
  const tessera::ReducePlan plan = tessera::reduce_plan<int>(TestType(), sum, 10, options);
  const auto limit = Kokkos::TeamPolicy<TestType>::scratch_size_max(0);
  REQUIRE(plan.scratch_bytes > static_cast<std::size_t>(limit));
  const auto call = [&] { tessera::reduce(TestType(), in, sum, out, options); };
  test::check_message(test::message_of<ResourceError>(call),
                      {"tessera::reduce", "`options`", "bytes of team scratch", "expected",
                       "at most " + std::to_string(limit) + " bytes", ";", "smaller team"});
}

}  // namespace

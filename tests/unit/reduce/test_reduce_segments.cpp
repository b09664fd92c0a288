// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Segments of all lengths, empty ones too, under plans that cut them anywhere; errors and what runs.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <tessera/reduce/reduce_segments.hpp>

#include "axes_check.hpp"
#include "support/message.hpp"
#include "support/spaces.hpp"
#include "support/tools_recorder.hpp"

namespace {

namespace test = tessera::test;
using tessera::InvalidArgument;
using tessera::ReduceOptions;
using Offsets = std::vector<std::int64_t>;

/// lengths to offsets, from `first` on.
Offsets offsets_of(const std::vector<std::int64_t>& lengths, std::int64_t first = 0) {
  Offsets offsets{first};
  for (const std::int64_t length : lengths) offsets.push_back(offsets.back() + length);
  return offsets;
}

template <class Layout, class R, class T, class Space>
void check_segments(const Space& space, const R& reducer, const Offsets& offsets, std::size_t size,
                    const ReduceOptions& options = {}) {
  using Result = tessera::reduce_result_t<R>;
  const std::vector<T> values = test::values<T>(size, 11);
  const test::GuardedView<T, Layout, Space, 1> in({size}, values);
  const test::GuardedView<std::int64_t, Layout, Space, 1> bounds({offsets.size()}, offsets);
  const test::GuardedView<Result, Layout, Space, 1> out({offsets.size() - 1});
  INFO(size << " elements, " << offsets.size() - 1 << " segments, "
            << to_string(tessera::reduce_segments_plan<T>(space, reducer, size, offsets.size() - 1, options)));
  tessera::reduce_segments(space, in.const_view(), bounds.const_view(), reducer, out.view(), options);
  std::vector<Result> expected;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    expected.push_back(test::expected_of<Result>(
        reducer, std::vector<T>(values.begin() + offsets[s], values.begin() + offsets[s + 1])));
  }
  test::check_values(out.read(), expected);
  out.check_guards();
}

template <class Layout, class Space>
void check_lengths(const Space& space, const ReduceOptions& options = {}) {
  const auto check = [&](const std::vector<std::int64_t>& lengths) {
    const Offsets offsets = offsets_of(lengths);
    check_segments<Layout, test::PositionSum, std::int32_t>(space, {}, offsets,
                                                            static_cast<std::size_t>(offsets.back()), options);
  };
  check({});
  check({0});
  check({0, 0, 0});
  check({1});
  check({0, 5, 0, 0, 127, 128, 129, 0, 1, 1, 3, 2000, 0});
  check(std::vector<std::int64_t>(5000, 3));
  check(std::vector<std::int64_t>(9000, 0));
  check({40000});
  check({1, 30000, 1, 1, 0, 9000, 2});
  std::vector<std::int64_t> mixed;
  for (std::uint64_t s = 0; s < 3000; ++s) mixed.push_back(static_cast<std::int64_t>(test::mixed(s) % 40));
  for (const std::size_t s : {0, 700, 701, 2999}) mixed[s] = 5003;
  check(mixed);
}

TEMPLATE_LIST_TEST_CASE("segments of all lengths", "[reduce][segments]", test::OneSpace) {
  check_lengths<test::Right>(TestType());
  check_lengths<test::Misaligned>(TestType());
  check_lengths<test::Strided>(TestType());
}

TEMPLATE_LIST_TEST_CASE("segments under plans that no tuning would choose", "[reduce][segments]", test::OneSpace) {
  for (const int team_size : test::odd_team_sizes(TestType())) {
    for (const int league_size : test::odd_league_sizes()) {
      check_lengths<test::Right>(TestType(), {.league_size = league_size, .team_size = team_size});
    }
  }
}

TEMPLATE_LIST_TEST_CASE("segments that leave elements out", "[reduce][segments]", test::OneSpace) {
  check_segments<test::Right, test::PositionSum, std::int32_t>(TestType(), {}, offsets_of({7, 0, 900, 3000}, 5), 10000);
}

TEMPLATE_LIST_TEST_CASE("exact sums of segments", "[reduce][segments]", test::OneSpace) {
  const Offsets offsets = offsets_of({3, 0, 2500, 1, 1800, 40});
  for (const int league_size : {0, 5}) {
    const auto size = static_cast<std::size_t>(offsets.back());
    const ReduceOptions options{.league_size = league_size};
    check_segments<test::Misaligned, tessera::Sum<double>, double>(TestType(), {}, offsets, size, options);
    check_segments<test::Right, tessera::Sum<float>, float>(TestType(), {}, offsets, size, options);
  }
  const Offsets filled = offsets_of({3, 2500, 1, 1800, 40});
  const auto size = static_cast<std::size_t>(filled.back());
  check_segments<test::Right, tessera::Mean<float>, float>(TestType(), {}, filled, size);
  check_segments<test::Misaligned, tessera::L2<float>, float>(TestType(), {}, offsets, size);
}

TEMPLATE_LIST_TEST_CASE("an empty segment where elements are needed is reported", "[reduce][segments][errors]",
                        test::OneSpace) {
  const test::GuardedView<float, test::Right, TestType, 1> in({3}, std::vector<float>{4, 2, 3}), out({4});
  const test::GuardedView<std::int64_t, test::Right, TestType, 1> bounds({5}, Offsets{0, 2, 2, 2, 3});
  const auto call = [&] {
    tessera::reduce_segments(TestType(), in.const_view(), bounds.const_view(), tessera::Min<float>{}, out.view());
  };
  test::check_message(test::message_of<InvalidArgument>(call), {"`in`", "too few elements", "output 1"});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  test::check_values(out.read(), {2.0f, nan, nan, 3.0f});
  const auto means = [&] {
    tessera::reduce_segments(TestType(), in.const_view(), bounds.const_view(), tessera::Mean<float>{}, out.view());
  };
  test::check_message(test::message_of<InvalidArgument>(means), {"`in`", "too few elements", "output 1"});
  test::check_values(out.read(), {3.0f, nan, nan, 3.0f});
}

TEMPLATE_LIST_TEST_CASE("segments that cannot be are errors", "[reduce][segments][errors]", test::OneSpace) {
  const TestType space;
  const Kokkos::View<float*, TestType> in("in", 3000), out("out", 2), three("three", 3);
  const Kokkos::View<std::int64_t*, TestType> bounds("bounds", 3), none("none", 0);
  const tessera::Sum<float> sum;
  const auto message = [&](const auto& call) { return test::message_of<InvalidArgument>(call); };
  test::check_message(message([&] { tessera::reduce_segments(space, in, none, sum, out); }),
                      {"tessera::reduce_segments", "`offsets`", "no elements", "expected", "one more", ";"});
  test::check_message(message([&] { tessera::reduce_segments(space, in, bounds, sum, three); }),
                      {"tessera::reduce_segments", "`out`", "(3)", "expected", "(2)", ";"});
  test::check_message(
      message([&] { tessera::reduce_segments(space, in, bounds, sum, Kokkos::subview(in, std::pair(0, 2))); }),
      {"tessera::reduce_segments", "`out`", "overlaps"});
  test::check_message(message([&] { tessera::reduce_segments(space, in, bounds, sum, out, {.league_size = -1}); }),
                      {"tessera::reduce_segments", "`options`", "league_size -1"});
  test::check_message(message([&] { tessera::reduce_segments(space, in, bounds, sum, out, {.team_size = 100000}); }),
                      {"tessera::reduce_segments", "`options`", "team_size 100000"});
  test::check_message(message([&] { tessera::reduce_segments(space, in, bounds, tessera::Var<float>{-1}, out); }),
                      {"tessera::reduce_segments", "`reducer`", "ddof -1", "expected", "0 or more"});
  const auto variant = [&] {
    tessera::reduce_segments(space, in, bounds, sum, out, {.variant = tessera::ReduceVariant::single_pass});
  };
  test::check_message(message(variant), {"tessera::reduce_segments", "`options`", "variant single_pass"});

  const ReduceOptions options{.league_size = 7};
  const std::size_t bytes = tessera::reduce_segments_plan<float>(space, sum, 3000, 2, options).workspace_bytes;
  REQUIRE(bytes > 0);
  const tessera::Workspace<TestType> workspace(space, bytes - 1);
  const auto call = [&] { tessera::reduce_segments(space, in, bounds, sum, out, options, workspace); };
  test::check_message(message(call), {"tessera::reduce_segments", "`workspace`", "at least " + std::to_string(bytes)});
}

TEMPLATE_LIST_TEST_CASE("reduce_segments with a workspace launches its kernels and nothing else", "[reduce][segments]",
                        test::OneSpace) {
  const auto space = test::another_instance<TestType>();
  const Offsets offsets = offsets_of({1000, 9000, 10});
  const test::GuardedView<float, test::Right, TestType, 1> in({10010}, test::values<float>(10010)), out({3});
  const test::GuardedView<std::int64_t, test::Right, TestType, 1> bounds({4}, offsets);
  const tessera::Sum<float> sum;
  for (const int league_size : {1, 4}) {
    const ReduceOptions options{.league_size = league_size};
    const tessera::ReduceSegmentsPlan plan = tessera::reduce_segments_plan<float>(space, sum, 10010, 3, options);
    const tessera::Workspace<TestType> workspace(space, plan.workspace_bytes);
    const auto call = [&] {
      tessera::reduce_segments(space, in.const_view(), bounds.const_view(), sum, out.view(), options, workspace);
    };
    call();  // Kokkos' own scratch memory grows on the first call
    const test::ToolsRecord record = test::recorded(call);
    test::check_kernels(record, space);
    CHECK(record.kernels.size() == (plan.chunks > 1 ? 2 : 1));
    test::check_asynchronous(record);
    CHECK(record.regions == std::vector<std::string>{"tessera::reduce_segments"});
    space.fence();
  }
}

}  // namespace

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every variant: the answer for each size and plan, NaN policies, what it refuses, and what its plan says.
#include <algorithm>
#include <bit>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "reduce_check.hpp"
#include "support/message.hpp"
#include "support/spaces.hpp"

namespace tessera::test {

/// Asks for all variants, but no device joins 24 bytes at once.
struct WideSum {
  struct value_type {
    double count, sum, squares;
  };
  static constexpr bool all_variants = true;
  KOKKOS_FUNCTION value_type identity() const { return {0, 0, 0}; }
  KOKKOS_FUNCTION value_type map(double element) const { return {1, element, element * element}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into.sum += from.sum; }
};

/// Asks for none but those that every reducer has.
struct PlainProduct {
  using value_type = double;
  KOKKOS_FUNCTION value_type identity() const { return 1; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into *= from; }
};

}  // namespace tessera::test

namespace {

namespace test = tessera::test;
using tessera::InvalidArgument;
using tessera::ReduceOptions;
using tessera::ReduceVariant;
using test::PlainProduct;
using test::WideSum;

template <class T>
using FastSum = tessera::Sum<T, tessera::Summation::fast>;

constexpr bool is_textbook(ReduceVariant variant) {
  return variant != ReduceVariant::automatic && variant != ReduceVariant::single_pass;
}

template <class R, class T, class Space>
void check_size(const Space& space, std::size_t size, const ReduceOptions& options = {}) {
  INFO("variant " << to_string(options.variant) << ", size " << size << ", team " << options.team_size << ", league "
                  << options.league_size);
  std::vector<T> values = test::values<T>(size, size + 1);
  // Far from 0, which is no identity of a minimum or maximum.
  for (T& x : values) x = static_cast<T>(x - (R::name() == "max" ? T(5000) : R::name() == "min" ? T(-5000) : T(0)));
  const test::GuardedView<T, test::Misaligned, Space, 1> in({size}, values);
  if (R::name() != "sum" && size == 0) return;
  const auto got = tessera::reduce(space, in.const_view(), R{}, options);
  if constexpr (std::is_same_v<R, FastSum<T>> && std::is_floating_point_v<T>) {
    test::check_fast_sum(got, values);
  } else {
    test::check_reduced(got, R::name(), values);
  }
}

template <class R, class T, class Space>
void check_variants() {
  const Space space;
  for (const ReduceVariant variant : tessera::reduce_variants) {
    REQUIRE(tessera::reduce_supports<T>(R{}, variant));
    for (const std::size_t size : {0, 1, 2, 3, 31, 255, 256, 257, 511, 512, 513, 65535, 65536, 65537}) {
      check_size<R, T>(space, size, {.variant = variant});
    }
    for (const int team_size : test::odd_team_sizes(space)) {
      for (const int league_size : test::odd_league_sizes()) {
        for (const std::size_t size : {1, 97, 4099}) {
          check_size<R, T>(space, size, {.variant = variant, .league_size = league_size, .team_size = team_size});
        }
      }
    }
    check_size<R, T>(space, 4099, {.variant = variant, .team_size = 1});
  }
}

TEMPLATE_LIST_TEST_CASE("every variant sums floats", "[reduce][variants]", test::Spaces) {
  check_variants<FastSum<float>, float, TestType>();
}
TEMPLATE_LIST_TEST_CASE("every variant sums integers", "[reduce][variants]", test::OneSpace) {
  check_variants<tessera::Sum<std::int64_t>, std::int64_t, TestType>();
}
TEMPLATE_LIST_TEST_CASE("every variant finds a minimum", "[reduce][variants]", test::OneSpace) {
  check_variants<tessera::Min<double>, double, TestType>();
}
TEMPLATE_LIST_TEST_CASE("every variant finds a maximum", "[reduce][variants]", test::OneSpace) {
  check_variants<tessera::Max<std::int32_t>, std::int32_t, TestType>();
}

TEMPLATE_LIST_TEST_CASE("integer sums that overflow only on the way are right in every variant", "[reduce][variants]",
                        test::OneSpace) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> values(100003, most);
  std::fill(values.begin() + 50001, values.end(), -most);
  values.back() = 42;
  const auto in = test::device_copy<TestType>(values);
  const auto spoiled = test::device_copy<TestType>(std::vector<std::int64_t>(3001, most));
  const tessera::Sum<std::int64_t> sum;
  for (const ReduceVariant variant : tessera::reduce_variants) {
    INFO("variant " << to_string(variant));
    CHECK(tessera::reduce(TestType(), in, sum, {.variant = variant, .league_size = 7}) == 42);
    const auto call = [&] { tessera::reduce(TestType(), spoiled, sum, {.variant = variant}); };
    test::check_message(test::message_of<InvalidArgument>(call), {"tessera::reduce", "does not fit"});
  }
}

TEMPLATE_LIST_TEST_CASE("variants follow the NaN policies, with row-major positions", "[reduce][variants]",
                        test::OneSpace) {
  const TestType space;
  std::vector<double> values = test::values<double>(30 * 50);
  values[1009] = values[700] = std::numeric_limits<double>::quiet_NaN();
  const test::GuardedView<double, test::Left, TestType, 2> in({30, 50}, values);
  std::vector<double> rest;
  std::copy_if(values.begin(), values.end(), std::back_inserter(rest), [](double x) { return x == x; });
  const std::vector<double> nothing(77, std::numeric_limits<double>::quiet_NaN());
  const auto empty = test::device_copy<TestType>(nothing);
  const tessera::Min<double> min;
  for (const ReduceVariant variant : tessera::reduce_variants) {
    INFO("variant " << to_string(variant));
    CHECK(std::isnan(tessera::reduce(space, in.view(), min, {.variant = variant})));
    const ReduceOptions omit{.variant = variant, .nan = tessera::NanPolicy::omit};
    test::check_reduced(tessera::reduce(space, in.view(), min, omit), "min", rest);
    const auto none_left = [&] { tessera::reduce(space, empty, min, omit); };
    test::check_message(test::message_of<InvalidArgument>(none_left), {"tessera::reduce", "too few elements"});
    const ReduceOptions error{.variant = variant, .nan = tessera::NanPolicy::error};
    const auto refused = [&] { tessera::reduce(space, in.view(), min, error); };
    test::check_message(test::message_of<InvalidArgument>(refused), {"tessera::reduce", "element 700 is NaN"});
  }
}

/// Eight bytes without an atomic of their own: count and xor of the elements.
struct Marks {
  struct value_type {
    std::uint32_t count, mix;
    bool operator==(const value_type&) const = default;
  };
  static constexpr bool all_variants = true;
  static constexpr bool order_free = true;
  KOKKOS_FUNCTION value_type identity() const { return {0, 0}; }
  KOKKOS_FUNCTION value_type map(std::uint32_t element, std::int64_t index) const {
    return {1, element * static_cast<std::uint32_t>(2 * index + 1)};
  }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    into.count += from.count;
    into.mix ^= from.mix;
  }
};

TEMPLATE_LIST_TEST_CASE("each element counts exactly once in every variant", "[reduce][variants]", test::OneSpace) {
  const TestType space;
  const Marks marks;
  for (const std::size_t size : {0, 1, 257, 8193, 100003}) {
    const std::vector<std::uint32_t> values = test::values<std::uint32_t>(size);
    auto expected = marks.identity();
    for (std::size_t i = 0; i < size; ++i) marks.join(expected, marks.map(values[i], static_cast<std::int64_t>(i)));
    const auto in = test::device_copy<TestType>(values);
    for (const ReduceVariant variant : tessera::reduce_variants) {
      INFO("variant " << to_string(variant) << ", size " << size);
      for (const int league_size : {0, 3}) {
        CHECK((tessera::reduce(space, in, marks, {.variant = variant, .league_size = league_size}) == expected));
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("variants share a workspace, whatever the last one left there", "[reduce][variants]",
                        test::OneSpace) {
  const TestType space;
  const std::vector<std::int32_t> values = test::values<std::int32_t>(70001);
  const auto in = test::device_copy<TestType>(values);
  const tessera::Max<std::int32_t> max;
  std::size_t bytes = 0;
  for (const ReduceVariant variant : tessera::reduce_variants) {
    bytes = std::max(bytes,
                     tessera::reduce_plan<std::int32_t>(space, max, in.size(), {.variant = variant}).workspace_bytes);
  }
  const tessera::Workspace<TestType> workspace(space, bytes);
  const Kokkos::View<std::int32_t*, TestType> out("out", tessera::reduce_variants.size());
  for (int round = 0; round < 2; ++round) {
    Kokkos::deep_copy(space, out, -77);
    for (std::size_t v = 0; v < tessera::reduce_variants.size(); ++v) {
      tessera::reduce(space, in, max, Kokkos::subview(out, v), {.variant = tessera::reduce_variants[v]}, workspace);
    }
    tessera::check(space, workspace);
    for (const std::int32_t got : test::host_copy(out)) test::check_reduced(got, "max", values);
  }
}

TEMPLATE_LIST_TEST_CASE("a variant that is marked deterministic gives the same bits on every run", "[reduce][variants]",
                        test::OneSpace) {
  const TestType space;
  const auto in = test::device_copy<TestType>(test::values<float>(100009));
  for (const ReduceVariant variant : tessera::reduce_variants) {
    INFO("variant " << to_string(variant));
    const tessera::ReducePlan plan =
        tessera::reduce_plan<float>(space, FastSum<float>{}, in.size(), {.variant = variant});
    CHECK(plan.deterministic == (variant != ReduceVariant::grid_stride));
    CHECK((to_string(plan).find("not deterministic") != std::string::npos) != plan.deterministic);
    CHECK(tessera::reduce_plan<int>(space, tessera::Sum<int>{}, 100, {.variant = variant}).deterministic);
    CHECK(tessera::reduce_plan<float>(space, tessera::Max<float>{}, 100, {.variant = variant}).deterministic);
    if (tessera::reduce_supports<float>(tessera::Sum<float>{}, variant)) {
      CHECK(tessera::reduce_plan<float>(space, tessera::Sum<float>{}, 100, {.variant = variant}).deterministic);
    }
    if (!plan.deterministic) continue;
    const float first = tessera::reduce(space, in, FastSum<float>{}, {.variant = variant});
    for (int run = 0; run < 5; ++run) {
      CHECK(test::same_bits(tessera::reduce(space, in, FastSum<float>{}, {.variant = variant}), first));
    }
  }
}

template <class T, class R>
std::string refusal(const R& reducer, ReduceVariant variant) {
  return test::message_of<InvalidArgument>([&] {
    static_cast<void>(
        tessera::reduce_plan<T>(Kokkos::DefaultExecutionSpace(), reducer, std::uint64_t{10}, {.variant = variant}));
  });
}

TEST_CASE("a variant that cannot do the request is refused with those that can", "[reduce][variants][errors]") {
  for (const ReduceVariant variant : tessera::reduce_variants) {
    const std::string name(to_string(variant));
    INFO(name);
    const bool merges = variant == ReduceVariant::grid_stride;
    CHECK(tessera::reduce_supports<float>(tessera::Sum<float>{}, variant) == (!is_textbook(variant) || merges));
    CHECK(!tessera::reduce_supports<float>(tessera::Std<float>{}, ReduceVariant::grid_stride));
    CHECK(tessera::reduce_supports<double>(PlainProduct{}, variant) == !is_textbook(variant));
    CHECK(tessera::reduce_supports<float>(FastSum<float>{}, variant));
    CHECK(tessera::reduce_supports<float>(WideSum{}, variant) == (variant != ReduceVariant::grid_stride));
    if (!is_textbook(variant)) continue;
    if (!merges) {
      test::check_message(refusal<float>(tessera::Sum<float>{}, variant),
                          {"tessera::reduce", "`options`", "variant " + name, "sum", "exact", "expected",
                           "automatic, grid_stride, single_pass", ";", "Summation::fast"});
    }
    test::check_message(refusal<double>(PlainProduct{}, variant),
                        {"tessera::reduce", "variant " + name, "expected automatic, single_pass;"});
  }
  test::check_message(
      refusal<float>(WideSum{}, ReduceVariant::grid_stride),
      {"variant grid_stride", "expected", "automatic, interleaved, strided, sequential, two_stage, single_pass;"});
  CHECK(tessera::supported_reduce_variants<double>(PlainProduct{}) ==
        std::vector{ReduceVariant::automatic, ReduceVariant::single_pass});
}

TEMPLATE_LIST_TEST_CASE("the variants of textbooks refuse elements apart in memory", "[reduce][variants][errors]",
                        test::OneSpace) {
  const test::GuardedView<double, test::Strided, TestType, 1> in({40}, test::values<double>(40));
  for (const ReduceVariant variant : tessera::reduce_variants) {
    const auto call = [&] { tessera::reduce(TestType(), in.view(), tessera::Min<double>{}, {.variant = variant}); };
    if (is_textbook(variant)) {
      test::check_message(test::message_of<InvalidArgument>(call),
                          {"tessera::reduce", "`in`", "apart", "expected", "contiguous",
                           "variant " + std::string(to_string(variant)), ";", "automatic or single_pass"});
    } else {
      CHECK_NOTHROW(call());
    }
  }
}

TEMPLATE_LIST_TEST_CASE("plans of variants hold what their passes need", "[reduce][variants][plan]", test::OneSpace) {
  const TestType space;
  for (const ReduceVariant variant : tessera::reduce_variants) {
    INFO("variant " << to_string(variant));
    for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 33}) {
      const auto plan = tessera::reduce_plan<float>(space, FastSum<float>{}, size, {.variant = variant});
      CHECK(plan == tessera::reduce_plan<float>(space, FastSum<float>{}, size, {.variant = variant}));
      CHECK(plan.league_size >= 1);
      CHECK(plan.scratch_bytes >= static_cast<std::size_t>(plan.team_size) * sizeof(float));
      if (is_textbook(variant)) CHECK(plan.variant == variant);
    }
  }
  const auto blocks = [&](ReduceVariant variant) {
    return tessera::reduce_plan<std::int32_t>(space, tessera::Max<std::int32_t>{}, 1 << 20, {.variant = variant});
  };
  // One block leaves nothing to another pass; two_stage takes twice as much as sequential where a thread takes one.
  CHECK(tessera::reduce_plan<int>(space, tessera::Max<int>{}, 1, {.variant = ReduceVariant::strided}).workspace_bytes ==
        0);
  CHECK(blocks(ReduceVariant::interleaved).workspace_bytes == blocks(ReduceVariant::sequential).workspace_bytes);
  CHECK(blocks(ReduceVariant::two_stage).workspace_bytes <= blocks(ReduceVariant::sequential).workspace_bytes);
  CHECK(blocks(ReduceVariant::grid_stride).workspace_bytes == sizeof(std::int32_t));
}

}  // namespace

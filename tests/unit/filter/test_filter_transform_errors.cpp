// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters by Fourier transforms: what they refuse, with its text, and where they run.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <string>

#include "support/message.hpp"
#include "support/tools_recorder.hpp"
#include "transform_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::FilterOptions;
using tessera::FilterVariant;
using tessera::InvalidArgument;
using tessera::ResourceError;
using test::TransformSpaces;

template <class Exception, class Space>
std::string not_made(const Space& space, std::size_t taps, const tessera::FilterTransformOptions& options) {
  const tessera::FilterWeights<Space> weights(space, std::vector<double>(taps, 1.0));
  return test::message_of<Exception>(
      [&] { const tessera::FilterTransform<Space, float> made(space, weights, options); });
}

TEMPLATE_LIST_TEST_CASE("transforms: objects that cannot be made", "[filter][transform][errors]", TransformSpaces) {
  const TestType space;
  for (const std::int64_t block : std::vector<std::int64_t>{-8, 2, 12, 4, std::int64_t{1} << 40}) {
    test::check_message(not_made<InvalidArgument>(space, 5, {.block = block}),
                        {"tessera::FilterTransform", "`options`", "block " + std::to_string(block) + " with 5 taps",
                         "expected", "power of two", "taps", ";", "0 lets"});
  }
  test::check_message(not_made<InvalidArgument>(space, 5, {.extent = -1}),
                      {"tessera::FilterTransform", "`options`", "extent -1", "expected", "0 or more", ";"});
  test::check_message(not_made<InvalidArgument>(space, 5, {.lines = -2}), {"lines -2", "expected", "0 or more", ";"});
  test::check_message(not_made<ResourceError>(space, 1000, {.memory_bytes = 20000}),
                      {"tessera::FilterTransform", "`options`", "memory_bytes 20000 with 1000 taps", "expected",
                       "blocks of 2048 elements", ";", "raise it"});
}

/// The text of a refused correlation of 9 elements.
template <class T, class Space>
std::string refusal(const Space& space, const FilterOptions& options, std::size_t outputs = 9) {
  const test::GuardedView<T, test::Right, Space, 1> in({9}, test::values<T>(9)), out({outputs});
  const tessera::FilterTransform<Space, T> transform(space,
                                                     tessera::FilterWeights<Space>(space, std::vector<double>{1, 2}));
  const std::string text =
      test::message_of<InvalidArgument>([&] { tessera::convolve(space, in.view(), transform, out.view(), options); });
  test::check_bits(out.read(), std::vector<T>(outputs, test::poison<T>()));
  return text;
}

TEMPLATE_LIST_TEST_CASE("transforms: options they do not take", "[filter][transform][errors]", TransformSpaces) {
  const TestType space;
  const auto refused = [&](const std::string& text, std::string_view value, std::string_view expected) {
    test::check_message(text, {"tessera::convolve", "`options`", value, "with a FilterTransform", "expected", expected,
                               ";", "pass the weights"});
  };
  refused(refusal<float>(space, {.variant = FilterVariant::direct}), "variant direct", "automatic or transform");
  refused(refusal<float>(space, {.nan = tessera::NanPolicy::omit}), "NaN policy omit", "propagate");
  refused(refusal<float>(space, {.nan = tessera::NanPolicy::error}), "NaN policy error", "propagate");
  refused(refusal<float>(space, {.accumulate = tessera::FilterAccumulate::float64}), "accumulate float64", "element");
  refused(refusal<float>(space, {.steps = 2}), "steps 2", "1");
  refused(refusal<float>(space, {.team_size = 32}), "team_size 32, league_size 0", "0");
  refused(refusal<float>(space, {.league_size = 3}), "team_size 0, league_size 3", "0");
  test::check_message(refusal<double>(space, {.origin = 2}), {"tessera::convolve", "origin 2 with 2 taps", "-1 to 0"});
  test::check_message(refusal<double>(space, {}, 8), {"tessera::convolve", "`out`", "(8)", "expected", "(9)", ";"});
}

TEMPLATE_LIST_TEST_CASE("transforms: variant transform needs the object", "[filter][transform][errors]",
                        test::OneSpace) {
  const TestType space;
  const Kokkos::View<float*, TestType> in("in", 9), out("out", 9);
  const tessera::FilterWeights<TestType> weights(space, std::vector<double>{1, 2});
  const FilterOptions options{.variant = FilterVariant::transform};
  const auto call = [&] { tessera::correlate(space, in, weights, out, options); };
  test::check_message(
      test::message_of<InvalidArgument>(call),
      {"tessera::correlate", "`options`", "variant transform with weights", "expected", "a FilterTransform", ";",
       "filter_transform.hpp", "or choose automatic, direct, juxtaposed or overlapping"});
  const auto plan = [&] { static_cast<void>(tessera::filter_plan(space, in, weights, out, options)); };
  test::check_message(test::message_of<InvalidArgument>(plan),
                      {"tessera::filter_plan", "variant transform", "a FilterTransform"});
}

TEMPLATE_LIST_TEST_CASE("transforms: they run on their instance, and wait, copy and allocate nowhere",
                        "[filter][transform]", TransformSpaces) {
  const auto space = test::another_instance<TestType>();
  const auto line = test::values<double>(5003);
  const auto weights = test::fractional_weights(300);
  const test::GuardedView<double, test::Right, TestType, 1> in({line.size()}, line), out({line.size()});
  const tessera::FilterTransform<TestType, double> transform(space, tessera::FilterWeights<TestType>(space, weights),
                                                             {.block = 1024, .memory_bytes = 1 << 16});
  tessera::correlate(space, in.view(), transform, out.view());  // Kokkos' own scratch memory grows
  const test::ToolsRecord record = test::recorded([&] { tessera::convolve(space, in.view(), transform, out.view()); });
  test::check_kernels(record, space);
  test::check_asynchronous(record);
  CHECK(record.regions == std::vector<std::string>{"tessera::filter"});
  space.fence();
  test::check_transformed<double>(line, line.size(), weights, {}, true, out.read());
}

TEMPLATE_LIST_TEST_CASE("transforms: a plan for the lines that are named", "[filter][transform]", TransformSpaces) {
  const TestType space;
  const tessera::FilterWeights<TestType> weights(space, std::vector<double>(100, 1.0));
  const auto plan = [&](const tessera::FilterTransformOptions& options) {
    return tessera::FilterTransform<TestType, float>(space, weights, options).plan();
  };
  CHECK(plan({.memory_bytes = 1 << 20}).block == 8192);
  CHECK(plan({.memory_bytes = 1 << 20}).variant == FilterVariant::transform);
  CHECK(plan({.extent = 1000}).block == 2048);
  CHECK(plan({.extent = 1}).block == 256);
  CHECK(plan({.memory_bytes = 256 * 32}).block <= 512);
  const auto few = plan({.extent = 1000, .lines = 1});
  CHECK(few.batch == 1);
  CHECK(few.tile == 2048 - 99);
  CHECK(few.halo == 99);
  CHECK(to_string(few).ends_with(" block 2048 batch 1"));
}

}  // namespace

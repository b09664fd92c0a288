// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each error of the filters, with its text. A refused call writes nothing.
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "filter_check.hpp"
#include "support/message.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::FilterOptions;
using tessera::InvalidArgument;

/// The text of a refused correlation of a line of 9 elements.
template <class T, class Space>
std::string refusal(const Space& space, const std::vector<double>& weights, const FilterOptions& options,
                    bool convolve = false) {
  const test::GuardedView<T, test::Right, Space, 1> in({9}, test::values<T>(9)), out({9});
  const tessera::FilterWeights<Space> device_weights(space, weights);
  const std::string text = test::message_of<InvalidArgument>([&] {
    if (convolve) {
      tessera::convolve(space, in.view(), device_weights, out.view(), options);
    } else {
      tessera::correlate(space, in.view(), device_weights, out.view(), options);
    }
  });
  test::check_bits(out.read(), std::vector<T>(9, test::poison<T>()));
  return text;
}

TEMPLATE_LIST_TEST_CASE("an origin beyond the window is an error", "[filter][errors]", test::OneSpace) {
  const TestType space;
  const std::vector<double> odd(5, 1.0), even(4, 1.0);
  test::check_message(
      refusal<float>(space, odd, {.origin = 3}),
      {"tessera::correlate", "`options`", "origin 3 with 5 taps", "expected", "-2 to 2", ";", "window"});
  test::check_message(
      refusal<float>(space, odd, {.origin = -3}, true),
      {"tessera::convolve", "`options`", "origin -3 with 5 taps", "expected", "-2 to 2", ";", "window"});
  test::check_message(refusal<float>(space, even, {.origin = 2}), {"origin 2 with 4 taps", "expected", "-2 to 1"});
  test::check_message(refusal<float>(space, even, {.origin = -3}), {"origin -3 with 4 taps", "expected", "-2 to 1"});
  test::check_message(refusal<float>(space, {1}, {.origin = 1}), {"origin 1 with 1 taps", "expected", "0 to 0"});
}

TEMPLATE_LIST_TEST_CASE("weights that the accumulator's type cannot hold are an error", "[filter][errors]",
                        test::OneSpace) {
  const TestType space;
  test::check_message(
      refusal<float>(space, {1e300, 1}, {}),
      {"tessera::correlate", "`weights`", "a weight of magnitude 1000", "expected", "float", "float64"});
  CHECK(test::filtered<double>(space, std::vector<double>{1, 2}, {1e300}, {})[1] == 2e300);
  const FilterOptions in_double{.accumulate = tessera::FilterAccumulate::float64};
  CHECK(test::filtered<float>(space, std::vector<float>{0, 1}, {1e300}, in_double)[0] == 0);
}

TEMPLATE_LIST_TEST_CASE("a value beyond the line may be of any type of number", "[filter]", test::OneSpace) {
  const TestType space;
  const auto check = [&](const auto cval) {
    using T = std::decay_t<decltype(cval)>;
    const FilterOptions options{.mode_left = BoundaryMode::constant, .cval = cval};
    CHECK(test::filtered<double>(space, std::vector<T>{1, 2}, {1, 0}, options) == std::vector<double>{7, 1});
  };
  check(std::uint8_t{7});
  check(std::uint16_t{7});
  check(std::uint32_t{7});
  check(std::uint64_t{7});
  check(std::int8_t{7});
  check(std::int64_t{7});
  check(7.0f);
  check(7.0);
}

TEMPLATE_LIST_TEST_CASE("NaN are refused where no output is left of the lines", "[filter][nan][errors]",
                        test::OneSpace) {
  const TestType space;
  const auto in = test::device_copy<TestType>(std::vector<float>{1, std::numeric_limits<float>::quiet_NaN(), 3});
  const Kokkos::View<float*, TestType> out("out", 0);
  const tessera::FilterWeights<TestType> weights(space, {1, 2, 3, 4});
  const tessera::Workspace<TestType> workspace(space, 0);
  tessera::correlate(
      space, in, weights, out,
      {.mode_left = BoundaryMode::valid, .mode_right = BoundaryMode::valid, .nan = tessera::NanPolicy::error},
      workspace);
  test::check_message(test::message_of<InvalidArgument>([&] { tessera::check(space, workspace); }),
                      {"`in`", "element 1 is NaN"});
}

TEMPLATE_LIST_TEST_CASE("views of different extents are an error", "[filter][errors]", test::OneSpace) {
  const TestType space;
  const test::GuardedView<float, test::Right, TestType, 2> in({3, 9}, test::values<float>(27)), out({9, 3});
  const tessera::FilterWeights<TestType> weights(space, std::vector<double>{1});
  const auto call = [&] { tessera::correlate(space, in.view(), weights, out.view()); };
  test::check_message(test::message_of<InvalidArgument>(call),
                      {"tessera::correlate", "`out`", "(9, 3)", "expected", "(3, 9)", ";", "same shape"});
}

TEMPLATE_LIST_TEST_CASE("overlapping views are an error", "[filter][errors]", test::OneSpace) {
  const TestType space;
  const test::GuardedView<float, test::Right, TestType, 1> memory({20}, test::values<float>(20));
  const tessera::FilterWeights<TestType> weights(space, std::vector<double>{1});
  const auto part = [&](std::size_t begin) {
    return Kokkos::subview(memory.view(), std::pair<std::size_t, std::size_t>(begin, begin + 10));
  };
  for (const std::size_t begin : {0, 1, 9}) {
    const auto call = [&] { tessera::convolve(space, part(begin), weights, part(0)); };
    test::check_message(test::message_of<InvalidArgument>(call),
                        {"tessera::convolve", "`out`", "overlap", "`in`", "expected", "separate", ";"});
  }
  const Kokkos::View<float*, Kokkos::LayoutStride, TestType, Kokkos::MemoryTraits<Kokkos::Unmanaged>> one_element(
      memory.view().data(), Kokkos::LayoutStride(10, 0));
  test::check_message(
      test::message_of<InvalidArgument>([&] { tessera::convolve(space, part(10), weights, one_element); }),
      {"tessera::convolve", "`out`", "stride 0 on axis 0 of extents (10)", "expected", "memory of its own", ";"});
  CHECK_NOTHROW(tessera::convolve(space, part(10), weights, part(0)));
  space.fence();
}

TEMPLATE_LIST_TEST_CASE("a cval that the input's type cannot hold is an error", "[filter][errors]", test::OneSpace) {
  const TestType space;
  FilterOptions options{.mode_left = BoundaryMode::constant};
  const auto refused = [&](const std::string& text, std::string_view value) {
    test::check_message(text, {"tessera::correlate", "`options`", "cval", value, "expected", "element type", ";"});
  };
  options.cval = 0.5;
  refused(refusal<std::int32_t>(space, {1}, options), "0.5");
  options.cval = std::int64_t{1} << 31;
  refused(refusal<std::int32_t>(space, {1}, options), "2147483648");
  options.cval = std::int64_t{-1};
  refused(refusal<std::uint64_t>(space, {1}, options), "-1");
  options.cval = std::numeric_limits<std::uint64_t>::max();
  refused(refusal<std::int64_t>(space, {1}, options), "18446744073709551615");
  options.cval = 0x1p63;
  refused(refusal<std::int64_t>(space, {1}, options), "9223372036854775808");
  options.cval = 0x1p64;
  refused(refusal<std::uint64_t>(space, {1}, options), "18446744073709551616");
  options.cval = std::numeric_limits<double>::quiet_NaN();
  refused(refusal<std::int64_t>(space, {1}, options), "nan");
  options.cval = -std::numeric_limits<double>::infinity();
  refused(refusal<std::int64_t>(space, {1}, options), "-inf");
  options.cval = 1e300;
  refused(refusal<float>(space, {1}, options), "1000");
}

TEMPLATE_LIST_TEST_CASE("a cval at the ends of the input's type is legal", "[filter]", test::OneSpace) {
  const TestType space;
  FilterOptions options{.mode_left = BoundaryMode::constant, .mode_right = BoundaryMode::constant, .origin = -1};
  const auto last = [&]<class T>(T, auto cval) {
    options.cval = cval;
    return test::filtered<T>(space, std::vector<T>{1, 2}, {0, 1, 0}, options).back();
  };
  constexpr auto int64_min = std::numeric_limits<std::int64_t>::min();
  constexpr auto uint64_max = std::numeric_limits<std::uint64_t>::max();
  CHECK(last(std::int64_t{}, int64_min) == int64_min);
  CHECK(last(std::int64_t{}, -0x1p63) == int64_min);
  CHECK(last(std::uint64_t{}, uint64_max) == uint64_max);
  CHECK(last(std::int32_t{}, -2147483648.0) == std::numeric_limits<std::int32_t>::min());
  CHECK(last(float{}, 0.1) == 0.1f);
  // The unused taps would make NaN of an infinity.
  options.cval = std::numeric_limits<double>::infinity();
  CHECK(test::filtered<float>(space, std::vector<float>{1}, {1, 1}, options).back() == HUGE_VALF);
}

TEMPLATE_LIST_TEST_CASE("a cval that no mode uses is not looked at", "[filter]", test::OneSpace) {
  const FilterOptions options{.mode_left = BoundaryMode::wrap, .cval = 0.5};
  test::check_values(test::filtered<std::int64_t>(TestType(), std::vector<std::int64_t>{1, 2}, {1}, options), {1, 2});
}

TEMPLATE_LIST_TEST_CASE("integer weights beyond exact arithmetic are an error", "[filter][errors]", test::OneSpace) {
  test::check_message(refusal<std::int64_t>(TestType(), {0x1p61, 0x1p61}, {}),
                      {"tessera::correlate", "`weights`", "2^62", "expected", "integer data", ";", "floating point"});
  test::check_values(test::filtered<double>(TestType(), std::vector<double>{1, 2}, {0x1p70}),
                     std::vector<double>{0x1p70, 0x1p71});
}

TEMPLATE_LIST_TEST_CASE("what a NaN policy cannot be combined with is an error", "[filter][errors]", test::OneSpace) {
  const TestType space;
  FilterOptions options{.nan = tessera::NanPolicy::omit};
  test::check_message(refusal<float>(space, {1, -1}, options),
                      {"tessera::correlate", "`weights`", "sum 0", "NaN policy omit", "expected", ";", "policy"});
  options.variant = tessera::FilterVariant::overlapping;
  test::check_message(refusal<float>(space, {1, 1}, options), {"tessera::correlate", "`options`", "variant overlapping",
                                                               "NaN policy omit", "expected", "direct", ";"});
  test::check_message(refusal<float>(space, {1}, {.nan = tessera::NanPolicy::error}),
                      {"tessera::correlate", "`options`", "NaN policy error", "workspace", "expected", ";", "omit"});
}

TEMPLATE_LIST_TEST_CASE("integer weights under mode odd are refused earlier", "[filter][errors]", test::OneSpace) {
  // Of 9 elements, 9 taps reach two reflections: factor 5.
  std::vector<double> weights(9, 0.0);
  weights[0] = 0x1p60;
  test::check_message(refusal<std::int64_t>(TestType(), weights, {.mode_left = BoundaryMode::odd}),
                      {"tessera::correlate", "`weights`", "2^62", "mode odd", "expected", "integer data", ";"});
}

TEMPLATE_LIST_TEST_CASE("team and league sizes that a filter cannot have are errors", "[filter][errors]",
                        test::OneSpace) {
  const TestType space;
  test::check_message(refusal<float>(space, {1}, {.league_size = -1}),
                      {"tessera::", "`options`", "league_size -1", "expected", "0 or more", ";"});
  test::check_message(refusal<float>(space, {1}, {.team_size = -1}),
                      {"tessera::", "`options`", "team_size -1", "expected", "0 to", ";"});
  test::check_message(refusal<float>(space, {1}, {.team_size = 1000000}),
                      {"tessera::", "`options`", "team_size 1000000", "expected", "0 to", ";"});
}

TEMPLATE_LIST_TEST_CASE("weights that are none are an error", "[filter][errors]", test::OneSpace) {
  const TestType space;
  const auto message = [&](const std::vector<double>& weights) {
    return test::message_of<InvalidArgument>([&] { const tessera::FilterWeights<TestType> made(space, weights); });
  };
  test::check_message(message({}),
                      {"tessera::FilterWeights", "`weights`", "no weights", "expected", "at least one", ";"});
  test::check_message(message({1, 2, std::numeric_limits<double>::quiet_NaN()}),
                      {"tessera::FilterWeights", "`weights`", "weight 2 is nan", "expected", "finite", ";"});
  test::check_message(message({1, std::numeric_limits<double>::infinity()}),
                      {"tessera::FilterWeights", "`weights`", "weight 1 is inf", "expected", "finite", ";"});
}

TEMPLATE_LIST_TEST_CASE("weights know what they are", "[filter]", test::OneSpace) {
  const TestType space;
  const tessera::FilterWeights<TestType> whole(space, std::vector<double>{1, -2, 0, 0x1p60});
  CHECK(whole.size() == 4);
  CHECK(whole.is_integer());
  CHECK_FALSE(whole.is_nonnegative());
  CHECK(whole.magnitude_sum() == 3 + 0x1p60L);
  const tessera::FilterWeights<TestType> fractional(space, std::vector<double>{1, 0.5});
  CHECK_FALSE(fractional.is_integer());
  CHECK(fractional.is_nonnegative());
}

}  // namespace

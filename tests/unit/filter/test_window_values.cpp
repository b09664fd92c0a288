// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Window filters where arithmetic is special: NaN, infinities, zeros, integers near their limits, what has left the
// window; their plans, launches and errors.
#include <bit>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <type_traits>

#include "support/limits.hpp"
#include "support/message.hpp"
#include "support/tools_recorder.hpp"
#include "window_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::InvalidArgument;
using tessera::WindowOperation;
using tessera::WindowOptions;
using tessera::WindowPlan;
constexpr WindowOptions zeros_outside{.mode_left = BoundaryMode::constant, .mode_right = BoundaryMode::constant};

/// One special element of a line stands in exactly the outputs whose window holds it; the others have the same bits.
template <WindowOperation Operation, class Space>
void check_reach(const Space& space, double special) {
  const std::vector<double> plain = test::values<double>(4001);
  for (const std::int64_t window : {4, 31, 600, 1100, 3000, 3500}) {
    const auto without = test::windowed<Operation>(space, plain, window, zeros_outside);
    for (const std::int64_t at : {0, 1, 1099, 2048, 4000}) {
      INFO(special << " at " << at << ", window " << window);
      std::vector<double> line = plain, expected = without;
      line[static_cast<std::size_t>(at)] = special;
      for (std::int64_t i = 0; i < 4001; ++i) {
        const std::int64_t first = i - window / 2;
        if (first <= at && at < first + window) expected[static_cast<std::size_t>(i)] = special;
      }
      test::check_values(test::windowed<Operation>(space, line, window, zeros_outside), expected);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("moving windows: a NaN reaches exactly the outputs whose window holds it", "[window]",
                        test::OneSpace) {
  check_reach<WindowOperation::min>(TestType(), test::nan);
  check_reach<WindowOperation::box>(TestType(), test::nan);
}

TEMPLATE_LIST_TEST_CASE("an test::infinity reaches exactly the means whose window holds it", "[window]",
                        test::OneSpace) {
  check_reach<WindowOperation::box>(TestType(), test::infinity);
  check_reach<WindowOperation::box>(TestType(), -test::infinity);
  const std::vector<double> both{test::infinity, 1, -test::infinity, 2, 4, 6};
  test::check_values(test::windowed<WindowOperation::box>(TestType(), both, 3, zeros_outside),
                     {test::infinity, test::nan, -test::infinity, -test::infinity, 4, 10.0 / 3});
}

TEMPLATE_LIST_TEST_CASE("what has left the window is gone", "[window]", test::OneSpace) {
  test::check_values(test::windowed<WindowOperation::box>(TestType(), std::vector<double>{1e17, 1, 1, 1}, 2),
                     {1e17, 5e16, 1, 1});
  for (const std::int64_t window : {20, 1100, 3000}) {
    std::vector<double> line(7000, 1.0);
    for (std::size_t i = 0; i < 1000; ++i) line[i] = i % 2 == 0 ? 1e300 : -3e17;
    const auto got = test::windowed<WindowOperation::box>(TestType(), line, window);
    const auto first = static_cast<std::ptrdiff_t>(1000 + window / 2);
    test::check_values(std::vector<double>(got.begin() + first, got.end()),
                       std::vector<double>(got.size() - static_cast<std::size_t>(first), 1.0));
  }
}

TEMPLATE_LIST_TEST_CASE("zeros in a window have an order, their mean is positive", "[window]", test::OneSpace) {
  const TestType space;
  const std::vector<double> line{-0.0, 0.0, -0.0, -0.0, 0.0, 0.0};
  test::check_values(test::windowed<WindowOperation::min>(space, line, 2), {-0.0, -0.0, -0.0, -0.0, -0.0, 0.0});
  test::check_values(test::windowed<WindowOperation::max>(space, line, 2), {-0.0, 0.0, 0.0, -0.0, 0.0, 0.0});
  const std::vector<double> negative(60, -0.0);
  for (const std::int64_t window : {1, 2, 30, 1100}) {
    test::check_values(test::windowed<WindowOperation::box>(space, negative, window), std::vector<double>(60, 0.0));
  }
}

/// Wherever in a tile or its halo the one zero lies that counts among others of the other sign.
template <class T>
void check_one_zero() {
  constexpr std::int64_t extent = 4001;
  for (const std::int64_t window : {31, 40, 600, 3500}) {
    for (const bool is_min : {true, false}) {
      const T plain = is_min ? T(0) : -T(0);
      WindowOptions options = zeros_outside;
      options.cval = static_cast<double>(plain);
      for (std::int64_t at = 0; at < extent; at += 97) {
        INFO("window " << window << ", " << (is_min ? "min" : "max") << ", at " << at);
        std::vector<T> line(extent, plain), expected(extent, plain);
        for (std::size_t i = 0; i < line.size(); i += 3) line[i] = is_min ? T(i + 1) : -T(i + 1);
        line[static_cast<std::size_t>(at)] = -plain;
        for (std::int64_t i = 0; i < extent; ++i) {
          const std::int64_t first = i - window / 2;
          if (first <= at && at < first + window) expected[static_cast<std::size_t>(i)] = -plain;
        }
        const Kokkos::DefaultExecutionSpace space;
        test::check_values(is_min ? test::windowed<WindowOperation::min>(space, line, window, options)
                                  : test::windowed<WindowOperation::max>(space, line, window, options),
                           expected);
      }
    }
  }
}

TEST_CASE("one zero among those of the other sign counts in every window that holds it", "[window]") {
  check_one_zero<float>();
  check_one_zero<double>();
}

/// NaN of either sign with payloads, infinities and the largest numbers are told apart.
template <class T, class Bits>
void check_specials(std::initializer_list<Bits> nans) {
  constexpr T infinity = std::numeric_limits<T>::infinity(), largest = std::numeric_limits<T>::max();
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> line{-infinity, infinity, infinity, largest, -largest, -infinity, -infinity, 0};
  const Kokkos::DefaultExecutionSpace space;
  test::check_values(test::windowed<WindowOperation::min>(space, line, 2),
                     {-infinity, -infinity, infinity, largest, -largest, -infinity, -infinity, -infinity});
  test::check_values(test::windowed<WindowOperation::max>(space, line, 2),
                     {-infinity, infinity, infinity, infinity, largest, -largest, -infinity, 0});
  for (const Bits bits : nans) {
    std::vector<T> spoiled = line;
    spoiled[1] = std::bit_cast<T>(bits);
    INFO(std::hex << bits);
    test::check_values(test::windowed<WindowOperation::min>(space, spoiled, 2),
                       {-infinity, nan, nan, largest, -largest, -infinity, -infinity, -infinity});
    test::check_values(test::windowed<WindowOperation::max>(space, spoiled, 2),
                       {-infinity, nan, nan, infinity, largest, -largest, -infinity, 0});
  }
}

TEST_CASE("extrema tell every NaN from the infinities", "[window]") {
  check_specials<float, std::uint32_t>({0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001, 0x7fffffff, 0xffffffff});
  check_specials<double, std::uint64_t>({0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0xfff0000000000001,
                                         ~std::uint64_t{0} >> 1, ~std::uint64_t{0}});
}

/// Values of which each rounds, whose sums need more than 64 bits, and which nearly cancel.
template <class T, class Space>
void check_exact(const Space& space) {
  constexpr T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  std::vector<T> line;
  for (std::size_t i = 0; i < 3100; ++i) {
    const std::uint64_t word = test::mixed(i);
    const T near = static_cast<T>(word % 7);
    line.push_back(i % 500 < 250 ? static_cast<T>(word)
                                 : (i % 3 == 0 ? static_cast<T>(low + near) : static_cast<T>(high - near)));
  }
  for (const std::int64_t window : {1, 2, 3, 9, 31, 1100, 2048, 2049, 3000}) {
    test::check_line<WindowOperation::box>(space, line, window, zeros_outside);
  }
}

TEMPLATE_LIST_TEST_CASE("means of integers near their limits are rounded once", "[window]", test::OneSpace) {
  check_exact<std::int64_t>(TestType());
  check_exact<std::uint64_t>(TestType());
}

TEMPLATE_LIST_TEST_CASE("window extrema of integers are exact at their limits", "[window]", test::OneSpace) {
  constexpr std::uint64_t high = std::numeric_limits<std::uint64_t>::max();
  const std::vector<std::uint64_t> line{high, high - 1, 0, 1, high - 2, high - 3, high - 1};
  test::check_values(test::windowed<WindowOperation::max>(TestType(), line, 2),
                     {high, high, high - 1, 1, high - 2, high - 2, high - 1});
}

TEMPLATE_LIST_TEST_CASE("a window filter launches its kernels on its instance and nothing else", "[window]",
                        test::OneSpace) {
  const auto space = test::another_instance<TestType>();
  const std::vector<double> line = test::values<double>(100003);
  const test::GuardedView<double, test::Right, TestType, 1> in({line.size()}, line), out({line.size()});
  for (const std::int64_t window : {31, 5000, 20011}) {
    const std::size_t bytes = tessera::window_plan(space, in.view(), WindowOperation::box, window).workspace_bytes;
    CHECK((bytes == 0) == (window < 20011));
    const tessera::Workspace<TestType> workspace(space, bytes);
    tessera::box_filter(space, in.view(), window, out.view(), {}, workspace);  // Kokkos' own scratch memory grows
    const test::ToolsRecord record =
        test::recorded([&] { tessera::box_filter(space, in.view(), window, out.view(), {}, workspace); });
    test::check_kernels(record, space);
    CHECK(record.kernels.size() == (window < 20011 ? 1 : 3));
    test::check_asynchronous(record);
    CHECK(record.regions == std::vector<std::string>{"tessera::window"});
    space.fence();
    test::check_bits(out.read(), test::windowed<WindowOperation::box>(TestType(), line, window));
  }
  const test::ToolsRecord record = test::recorded([&] { tessera::box_filter(space, in.view(), 31, out.view()); });
  CHECK(record.kernels.size() == 1);
  test::check_asynchronous(record);
}

TEMPLATE_LIST_TEST_CASE("a window plan is a pure function within the scratch of a team", "[window][plan]",
                        test::OneSpace) {
  const TestType space;
  const Kokkos::View<std::int64_t*, TestType> in("in", 100000);
  const auto limit = static_cast<std::size_t>(Kokkos::TeamPolicy<TestType>::scratch_size_max(0));
  for (const WindowOperation operation : tessera::window_operations) {
    for (const std::int64_t window : {1, 19, 1024, 1025, 4097, 10000000}) {
      WindowPlan plan;
      const test::ToolsRecord record =
          test::recorded([&] { plan = tessera::window_plan(space, in, operation, window); });
      INFO(to_string(operation) << " " << window << ": " << to_string(plan));
      CHECK(record.kernels.empty());
      test::check_asynchronous(record);
      CHECK(plan == tessera::window_plan(space, in, operation, window));
      CHECK(tessera::detail::scratch_request(plan.scratch_bytes) <= limit);
      CHECK(plan.tile >= 1);
    }
  }
  for (const int team_size : test::odd_team_sizes(space)) {
    if (team_size > tessera::detail::window_chunk_team_size) continue;
    const WindowPlan plan =
        tessera::window_plan(space, in, WindowOperation::box, 31, {.league_size = 3, .team_size = team_size});
    CHECK(plan.team_size == team_size);
    CHECK(plan.league_size == 3);
  }
}

/// A check of private code: the plans of a device, from any machine.
template <WindowOperation Operation, class T>
void check_device_plans() {
  using Op = tessera::detail::window_op_t<T, Operation>;
  const tessera::detail::DeviceLimits limits{false, 270336, 40900};
  for (const std::int64_t window : {1,    15,   16,   21,   22,   301,  512,  513,   1024,  1025,  2048,   2049,
                                    3072, 3073, 4097, 6144, 6145, 8192, 8193, 10007, 16384, 16385, 1000003}) {
    const WindowPlan plan =
        tessera::detail::make_window_plan<Op>("test", limits, 1, std::int64_t{1} << 27, {window, window / 2}, {});
    INFO(to_string(plan));
    CHECK(tessera::detail::scratch_request(plan.scratch_bytes) <= limits.scratch_bytes);
    if (plan.variant == tessera::WindowVariant::few) {
      const std::size_t teams = tessera::detail::window_few_sizes<Op>.teams;
      CHECK(teams * tessera::detail::scratch_request(plan.scratch_bytes) <= 160 * 1024);
    }
    CHECK(plan.team_size <= 256);
    CHECK(plan.team_size % 32 == 0);
    CHECK((plan.workspace_bytes == 0) == (plan.parts <= 8));
    const bool walks = plan.variant == tessera::WindowVariant::walks;
    CHECK((walks || plan.variant == tessera::WindowVariant::runs) == tessera::detail::is_window_of_runs<Op>(window));
    if (window == 4097 && sizeof(typename Op::out_type) == 4) CHECK(plan.parts == 1);
    if (walks || plan.variant == tessera::WindowVariant::runs) {
      const bool is_sum = Operation == WindowOperation::box, is_short = sizeof(T) == 4;
      CHECK(walks == (window > (is_short ? (is_sum ? 768 : 2048) : 1792)));
      if (!walks) CHECK(plan.walk == (is_short && window <= (is_sum ? 1024 : 2048) ? 3 : 1));
      // As many walks as run at once, but for the last tiles.
      if (walks) CHECK(plan.league_size <= 132 * 5);
      if (walks) CHECK(plan.league_size > 132 * 5 * 9 / 10);
      const std::int64_t tiles = ((std::int64_t{1} << 27) + plan.tile - 1) / plan.tile;
      CHECK(plan.league_size == (tiles + plan.walk - 1) / plan.walk);
    }
  }
}

/// Scratch of all teams of a multiprocessor that a kernel's registers are for: an H200's, an A100's, a smaller card's.
template <WindowOperation Operation, class T>
void check_shared_scratch() {
  using Op = tessera::detail::window_op_t<T, Operation>;
  using tessera::WindowVariant;
  for (const std::size_t there : {228, 164, 100}) {
    const tessera::detail::DeviceLimits limits{false, 270336, 40900, there * 1024};
    for (const std::int64_t window : {3, 9, 10, 15, 22, 301, 513, 1025, 2048, 2049, 3072, 4097, 6144, 8192, 16384}) {
      for (const std::int64_t extent : {std::int64_t{17}, std::int64_t{33}, std::int64_t{50}, std::int64_t{1} << 20}) {
        const WindowPlan plan =
            tessera::detail::make_window_plan<Op>("test", limits, 1 << 20, extent, {window, window / 2}, {}, {0, true});
        INFO(there << " KiB, window " << window << ", lines of " << extent << ": " << to_string(plan));
        const int teams = plan.variant == WindowVariant::few      ? tessera::detail::window_few_sizes<Op>.teams
                          : plan.variant == WindowVariant::lines  ? tessera::detail::thread_lines_teams_at_once
                          : plan.variant == WindowVariant::padded ? tessera::detail::padded_lines_teams
                          : plan.variant == WindowVariant::chunks ? tessera::detail::window_chunk_teams<Op>
                          : plan.variant == WindowVariant::runs   ? tessera::detail::window_runs_teams
                          : plan.variant == WindowVariant::walks  ? tessera::detail::window_runs_teams
                                                                  : 1;
        const std::size_t each = tessera::detail::scratch_request(plan.scratch_bytes) + 1024;
        CHECK(static_cast<std::size_t>(teams) * each <= there * 1024);
        if (there == 228 && tessera::detail::is_window_of_runs<Op>(window) && (extent > 512 || window > 128)) {
          CHECK((plan.variant == WindowVariant::runs || plan.variant == WindowVariant::walks));
        }
      }
    }
  }
}

TEST_CASE("teams that a device starts at once fit its multiprocessor", "[window][plan]") {
  check_shared_scratch<WindowOperation::min, float>();
  check_shared_scratch<WindowOperation::max, double>();
  check_shared_scratch<WindowOperation::box, float>();
  check_shared_scratch<WindowOperation::box, double>();
  check_shared_scratch<WindowOperation::min, std::int8_t>();
}

TEST_CASE("teams that take short lines fit a multiprocessor", "[filter][plan]") {
  for (const std::size_t there : {228, 164, 100}) {
    const tessera::detail::DeviceLimits limits{false, 270336, 40900, there * 1024};
    for (const std::int64_t extent : {2, 8, 17, 32, 33, 100, 200, 1000, 5000, 100000}) {
      for (const std::int64_t halo : {0, 4, 11}) {
        INFO(there << " KiB, lines of " << extent << ", halo of " << halo);
        const auto plan = tessera::detail::thread_lines_plan<double>(limits, extent, halo, 128);
        const std::size_t each = tessera::detail::scratch_request(plan.bytes) + 1024;
        CHECK(tessera::detail::thread_lines_teams_at_once * each <= there * 1024);
        CHECK((plan.lines > 0) == (extent < 2000));
      }
    }
  }
}

TEST_CASE("window plans of a device fit its scratch", "[window][plan]") {
  check_device_plans<WindowOperation::min, float>();
  check_device_plans<WindowOperation::box, float>();
  check_device_plans<WindowOperation::box, double>();
  check_device_plans<WindowOperation::min, double>();
  check_device_plans<WindowOperation::box, std::int32_t>();
  check_device_plans<WindowOperation::box, std::int64_t>();
}

TEST_CASE("a window plan and its operations print themselves", "[window][plan]") {
  const WindowPlan plan{.variant = tessera::WindowVariant::blocks,
                        .league_size = 12,
                        .team_size = 34,
                        .tile = 136,
                        .parts = 5,
                        .walk = 6,
                        .scratch_bytes = 560,
                        .workspace_bytes = 78};
  CHECK(to_string(plan) ==
        "blocks league 12 team 34 vector 1 tile 136 parts 5 walk 6 lanes 1 scratch 560 B workspace 78 B");
  CHECK(to_string(WindowPlan{}).starts_with("chunks league 1 "));
  CHECK(to_string(tessera::WindowVariant::runs) == "runs");
  CHECK_FALSE(plan == WindowPlan{});
  CHECK(to_string(WindowOperation::min) == "min");
  CHECK(to_string(WindowOperation::max) == "max");
  CHECK(to_string(WindowOperation::box) == "box");
}

/// The text of a refused filter of a line of 9 elements, which writes nothing.
template <WindowOperation Operation, class T, class Space>
std::string refusal(const Space& space, std::int64_t window, const WindowOptions& options = {}) {
  using Result = tessera::window_result_t<T, Operation>;
  const test::GuardedView<T, test::Right, Space, 1> in({9}, test::values<T>(9));
  const test::GuardedView<Result, test::Right, Space, 1> out({9});
  const std::string text = test::message_of<InvalidArgument>(
      [&] { test::filter_window<Operation>(space, in.view(), window, out.view(), options); });
  test::check_bits(out.read(), std::vector<Result>(9, test::poison<Result>()));
  return text;
}

TEMPLATE_LIST_TEST_CASE("windows that cannot be are errors", "[window][errors]", test::OneSpace) {
  const TestType space;
  test::check_message(refusal<WindowOperation::min, double>(space, 0),
                      {"tessera::min_filter", "`window`", "0 elements", "expected", "1 to 9223372036854775807", ";"});
  test::check_message(refusal<WindowOperation::box, double>(space, -3),
                      {"tessera::box_filter", "`window`", "-3 elements", "expected", "1 to 2147483647", ";"});
  test::check_message(refusal<WindowOperation::box, double>(space, std::int64_t{1} << 31),
                      {"tessera::box_filter", "`window`", "2147483648 elements", "expected", "1 to 2147483647", ";"});
  test::check_message(refusal<WindowOperation::min, double>(space, 5, {.origin = 3}),
                      {"tessera::min_filter", "`options`", "origin 3 with a window of 5", "expected", "-2 to 2", ";"});
  test::check_message(refusal<WindowOperation::box, double>(space, 4, {.origin = -3}),
                      {"tessera::box_filter", "`options`", "origin -3 with a window of 4", "expected", "-2 to 1", ";"});
}

TEMPLATE_LIST_TEST_CASE("arguments that a window filter cannot take are errors", "[window][errors]", test::OneSpace) {
  const TestType space;
  test::check_message(
      refusal<WindowOperation::box, std::int64_t>(space, 3, {.mode_left = BoundaryMode::constant, .cval = 0.5}),
      {"tessera::box_filter", "`options`", "cval 0.5", "expected", "element type", ";"});
  test::check_message(refusal<WindowOperation::min, double>(space, 3, {.mode_left = BoundaryMode::renormalise}),
                      {"tessera::min_filter", "`options`", "mode renormalise", "reflect", "keep", "linear"});
  test::check_message(refusal<WindowOperation::box, double>(space, 3, {.axis = 1}),
                      {"tessera::box_filter", "`options`", "axis 1", "expected", "-1 to 0", ";"});
  test::check_message(refusal<WindowOperation::box, double>(space, 3, {.league_size = -1}),
                      {"tessera::box_filter", "`options`", "league_size -1", "expected", "0 or more", ";"});
  test::check_message(refusal<WindowOperation::box, double>(space, 3, {.team_size = 1000000}),
                      {"tessera::box_filter", "`options`", "team_size 1000000", "expected", "0 to", ";"});

  const test::GuardedView<double, test::Right, TestType, 1> in({9000}, test::values<double>(9000)), out({9000});
  const auto part = [&](std::size_t begin, std::size_t end) {
    return Kokkos::subview(in.view(), std::pair<std::size_t, std::size_t>(begin, end));
  };
  const auto message = [&](const auto& call) { return test::message_of<InvalidArgument>(call); };
  test::check_message(message([&] { tessera::box_filter(space, part(0, 9), 3, out.view()); }),
                      {"tessera::box_filter", "`out`", "(9000)", "expected", "(9)", ";", "same shape"});
  test::check_message(message([&] { tessera::box_filter(space, part(0, 9), 3, part(8, 17)); }),
                      {"tessera::box_filter", "`out`", "overlap", "`in`", "expected", "separate", ";"});
  const tessera::Workspace<TestType> small(space, 16);
  test::check_message(message([&] { tessera::box_filter(space, in.view(), 20011, out.view(), {}, small); }),
                      {"tessera::box_filter", "`workspace`", "16 bytes", "expected", "at least", ";", "window_plan"});
}

}  // namespace

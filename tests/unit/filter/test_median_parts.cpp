// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What median filters are made of: keys, networks, plans; and each error with its text.
#include <algorithm>
#include <bit>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <tessera/filter/median_filter.hpp>
#include <vector>

#include "support/guarded_view.hpp"
#include "support/message.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::InvalidArgument;
using tessera::MedianMethod;
using tessera::WindowOptions;

/// The network's order of the zeros and ones of a word, a bit a line.
template <int Lines>
std::vector<int> run(const tessera::detail::SortingNetwork<Lines>& network, unsigned word) {
  std::vector<int> lines;
  for (int i = 0; i < Lines; ++i) lines.push_back(static_cast<int>(word >> i & 1));
  for (int e = 0; e < network.exchanges; ++e) {
    int &low = lines[static_cast<std::size_t>(network.low[e])],
        &high = lines[static_cast<std::size_t>(network.high[e])];
    if (high < low) std::swap(low, high);
  }
  std::vector<int> ordered;
  for (const int line : network.order) ordered.push_back(lines[static_cast<std::size_t>(line)]);
  return ordered;
}

/// Networks that sort all zeros and ones sort everything.
template <int Lines>
void check_sorts() {
  constexpr auto network = tessera::detail::network_of<true, Lines, 0>;
  for (unsigned word = 0; word < 1U << Lines; ++word) {
    const std::vector<int> ordered = run(network, word);
    if (!std::is_sorted(ordered.begin(), ordered.end())) FAIL_CHECK(Lines << " lines, word " << word);
  }
}

template <int First, int Second>
void check_merges() {
  constexpr auto network = tessera::detail::network_of<false, First, Second>;
  for (int a = 0; a <= First; ++a) {
    for (int b = 0; b <= Second; ++b) {
      const unsigned ones = (1U << First) - (1U << a), more = (1U << Second) - (1U << b);
      const std::vector<int> ordered = run(network, ones | more << First);
      if (!std::is_sorted(ordered.begin(), ordered.end())) FAIL_CHECK(First << " and " << Second << " lines");
    }
  }
}

template <class T>
void check_keys(const std::vector<T>& ascending) {
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    const auto key = tessera::detail::median_key(ascending[i]);
    CHECK(test::same_bits(tessera::detail::median_element<T>(key), ascending[i]));
    if (i > 0) CHECK(tessera::detail::median_key(ascending[i - 1]) < key);
  }
}

template <class T>
std::vector<T> floating_values() {
  using Limits = std::numeric_limits<T>;
  return {-Limits::infinity(),  Limits::lowest(), -1, -Limits::min(), -Limits::denorm_min(), T(-0.0), T(0.0),
          Limits::denorm_min(), Limits::min(),    1,  Limits::max(),  Limits::infinity()};
}

/// The text of a refused call, which writes nothing.
template <class Space>
std::string refusal(const Space& space, std::int64_t window, const WindowOptions& options) {
  const test::GuardedView<float, test::Right, Space, 1> in({9}, test::values<float>(9)), out({9});
  const std::string text = test::message_of<InvalidArgument>(
      [&] { tessera::median_filter(space, in.const_view(), window, out.view(), options); });
  test::check_bits(out.read(), std::vector<float>(9, test::poison<float>()));
  return text;
}

tessera::MedianPlan plan_of(bool is_host, std::int64_t window, const WindowOptions& options = {},
                            std::size_t scratch_bytes = 40936, std::size_t memory_scratch_bytes = 20 << 20) {
  const tessera::detail::DeviceLimits limits{.is_host = is_host,
                                             .concurrency = is_host ? 4 : 1 << 18,
                                             .scratch_bytes = scratch_bytes,
                                             .memory_scratch_bytes = memory_scratch_bytes};
  return tessera::detail::make_median_plan<float>(limits, 10, 1 << 20, window, options);
}

}  // namespace

TEST_CASE("networks sort and merge any number of lines", "[median]") {
  check_sorts<1>();
  check_sorts<2>();
  check_sorts<3>();
  check_sorts<5>();
  check_sorts<9>();
  check_sorts<12>();
  check_merges<1, 1>();
  check_merges<3, 2>();
  check_merges<5, 3>();
  check_merges<9, 5>();
  check_merges<11, 6>();
  check_merges<3, 7>();
}

TEST_CASE("keys have the order of the elements, and give them back", "[median]") {
  check_keys(floating_values<float>());
  check_keys(floating_values<double>());
  check_keys<std::int32_t>(
      {std::numeric_limits<std::int32_t>::min(), -1, 0, 1, std::numeric_limits<std::int32_t>::max()});
  check_keys<std::int64_t>(
      {std::numeric_limits<std::int64_t>::min(), -1, 0, 1, std::numeric_limits<std::int64_t>::max()});
  check_keys<std::uint64_t>({0, 1, std::uint64_t{1} << 63, std::numeric_limits<std::uint64_t>::max()});
}

TEST_CASE("the plan of a median filter follows the window", "[median]") {
  CHECK(to_string(plan_of(false, 3)) ==
        "chunks league 2560 team 128 vector 1 tile 4096 lanes 1 runs 1 network 0 scratch 16400 B");
  CHECK(plan_of(false, 5).method == MedianMethod::chunks);
  CHECK(to_string(plan_of(false, 7)) ==
        "network league 8200 team 128 vector 1 tile 1280 lanes 1 runs 1 network 9 scratch 10304 B");
  CHECK(plan_of(false, 33).network_window == 33);
  CHECK(plan_of(false, 34).method == MedianMethod::ranks);
  CHECK(to_string(plan_of(false, 301)) ==
        "ranks league 12310 team 128 vector 1 tile 852 lanes 1 runs 64 network 0 scratch 20192 B");
  CHECK(plan_of(false, 34).team_size == 64);
  CHECK(plan_of(false, 1001).runs == 32);
  CHECK(plan_of(false, 2001).runs == 16);
  CHECK(plan_of(false, 3001).team_size == 256);
  CHECK(plan_of(false, 301, {.team_size = 32}).runs == 32);
  CHECK(plan_of(false, 301, {.team_size = 33}).runs == 32);
  CHECK(plan_of(false, 4087).method == MedianMethod::ranks);
  CHECK(plan_of(false, 4087).scratch_bytes + 16 <= 40936);
  CHECK(plan_of(false, 4087).runs == 4);
  // Hardly any scratch, and more than places of 16 bits tell apart.
  CHECK(plan_of(false, 34, {}, 1000).method == MedianMethod::memory_ranks);
  CHECK(plan_of(false, 9, {.nan = tessera::NanPolicy::omit}, 1000).method == MedianMethod::ranks);
  CHECK(plan_of(false, 50000, {}, 4 << 20).method == MedianMethod::ranks);
  CHECK(plan_of(false, 50000, {}, 4 << 20).tile + 50000 - 1 <= tessera::detail::median_ranks_elements);
  CHECK(plan_of(false, 70000, {}, 4 << 20).method == MedianMethod::memory_ranks);
  // Tiles in scratch too small to be worth their halos.
  CHECK(to_string(plan_of(false, 5000)) ==
        "memory ranks league 256 team 512 vector 1 tile 10000 lanes 1 runs 64 network 0 scratch 343920 B");
  CHECK(plan_of(false, 20000, {.team_size = 33}).runs == 33);
  CHECK(tessera::detail::make_median_plan<float>(
            {.is_host = false, .concurrency = 1 << 18, .scratch_bytes = 40936, .memory_scratch_bytes = 20 << 20}, 1000,
            9, 6000, {})
            .runs == 9);
  // All its memory: fewer windows at once, then smaller tiles, and no more teams than have room.
  const auto widest = plan_of(false, 1000000);
  CHECK(widest.method == MedianMethod::memory_ranks);
  CHECK(widest.runs == 8);
  CHECK(widest.scratch_bytes + 16 <= 20 << 20);
  CHECK(widest.league_size * widest.scratch_bytes <= std::size_t{1} << 30);
  CHECK(plan_of(false, 1000000, {.league_size = 7}).league_size == 7);
  CHECK(plan_of(false, 1000000, {.league_size = 7000}).league_size == widest.league_size);
  CHECK(plan_of(false, 5000, {.league_size = 7000}).league_size == 256);
  CHECK(plan_of(true, 1000000, {.league_size = 7000}).league_size == 30);
  CHECK(to_string(plan_of(true, 34)) ==
        "memory ranks league 32 team 1 vector 1 tile 512 lanes 1 runs 1 network 0 scratch 8736 B");
  CHECK(plan_of(true, 1001).tile == 2002);
  CHECK(plan_of(true, 1001, {.team_size = 2}).runs == 2);
  CHECK(plan_of(true, 31, {}, 200).method == MedianMethod::memory_ranks);
  CHECK(plan_of(true, 31, {}, 200).network_window == 0);
  for (const bool is_host : {true, false}) {
    CHECK(plan_of(is_host, 3000000).method == MedianMethod::direct);
    CHECK(plan_of(is_host, 20000, {}, 1000, 1000).method == MedianMethod::direct);
    for (const std::int64_t window : {std::int64_t{1} << 61, std::numeric_limits<std::int64_t>::max()}) {
      CHECK(plan_of(is_host, window).method == MedianMethod::direct);
      CHECK(plan_of(is_host, window).scratch_bytes == 0);
    }
  }
  // A team that has too large a tile gets a smaller one.
  const auto large = plan_of(false, 31, {.team_size = 1024});
  CHECK(large.team_size == 1024);
  CHECK(large.tile % 11 == 0);
  CHECK(large.scratch_bytes + 16 <= 40936);
  CHECK(plan_of(false, 31, {.league_size = 7}).league_size == 7);
  for (const MedianMethod method : tessera::median_methods) CHECK_FALSE(to_string(method).empty());
}

TEMPLATE_LIST_TEST_CASE("each error of the median filter", "[median][errors]", test::OneSpace) {
  const TestType space;
  const std::string name = "tessera::median_filter";
  for (const std::int64_t window : {0, -3}) {
    test::check_message(refusal(space, window, {}),
                        {name, "`window`", std::to_string(window), "expected", "at least 1", ";", "copies"});
  }
  test::check_message(refusal(space, 5, {.origin = 3}),
                      {name, "`options`", "origin 3 with a window of 5", "expected", "-2 to 2", ";", "hold"});
  test::check_message(refusal(space, 4, {.origin = 2}), {"origin 2 with a window of 4", "expected", "-2 to 1"});
  test::check_message(refusal(space, 4, {.origin = -3}), {"origin -3 with a window of 4", "expected", "-2 to 1"});
  test::check_message(refusal(space, 3, {.mode_left = BoundaryMode::constant, .cval = 1e300}),
                      {name, "`options`", "cval", "1000", "expected", "element type", ";"});
  test::check_message(refusal(space, 3, {.mode_right = BoundaryMode::odd}),
                      {name, "`options`", "mode odd", "reflect", "keep", "linear"});
  test::check_message(refusal(space, 3, {.axis = 1}), {name, "`options`", "axis 1", "-1 to 0"});
  test::check_message(refusal(space, 3, {.league_size = -1}), {name, "`options`", "league_size -1", "0 or more"});
  test::check_message(refusal(space, 3, {.team_size = 1000000}), {name, "`options`", "team_size 1000000", "0 to"});

  const test::GuardedView<float, test::Right, TestType, 2> in({3, 9}, test::values<float>(27)), out({9, 3});
  const auto mismatch = [&] { tessera::median_filter(space, in.const_view(), 3, out.view()); };
  test::check_message(test::message_of<InvalidArgument>(mismatch),
                      {name, "`out`", "(9, 3)", "expected", "(3, 9)", ";", "same shape"});
  const auto overlap = [&] { tessera::median_filter(space, in.const_view(), 3, in.view()); };
  test::check_message(test::message_of<InvalidArgument>(overlap),
                      {name, "`out`", "overlap", "`in`", "expected", "separate", ";"});
}

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every set of axes of ranks 1 to 4, in each layout, by a reducer that sees each element and its position.
#include <array>
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <vector>

#include "axes_check.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
using test::Extents;

TEST_CASE("axes with a name keep their list", "[reduce][axes]") {
  const auto last_and = [](int axis) -> tessera::Axes { return {axis, -1}; };
  const tessera::Axes axes = last_and(3), copied = std::array{1, 2};
  CHECK(std::vector<int>(axes.list().begin(), axes.list().end()) == std::vector<int>{3, -1});
  CHECK(std::vector<int>(copied.list().begin(), copied.list().end()) == std::vector<int>{1, 2});
  CHECK(tessera::Axes{0, 1, 2, 3, 4, 5, 6, 7, 0, 1}.list().size() == 9);  // one more than a view has
}

template <class Layout, class OutLayout, class Space>
void check_axes_of_ranks(const Space& space, const tessera::ReduceOptions& options = {}) {
  const auto check = [&](const auto& extents) {
    test::check_all_axes<Layout, OutLayout, std::int32_t>(space, test::PositionSum{}, extents, options);
  };
  check(Extents<1>{1});
  check(Extents<1>{1009});
  check(Extents<2>{3, 67});
  check(Extents<2>{67, 3});
  check(Extents<2>{1, 5});
  check(Extents<3>{5, 33, 7});
  check(Extents<3>{7, 1, 18});
  check(Extents<4>{3, 5, 7, 11});
  check(Extents<4>{2, 1, 9, 35});
}

template <class Space, std::size_t Rank>
void check_row_major(const Space& space, const Extents<Rank>& extents, const tessera::ReduceOptions& options) {
  test::check_all_axes<test::Right, test::Right, std::int32_t>(space, test::PositionSum{}, extents, options);
}

TEMPLATE_LIST_TEST_CASE("all sets of axes, row-major", "[reduce][axes]", test::OneSpace) {
  check_axes_of_ranks<test::Right, test::Right>(TestType());
}
TEMPLATE_LIST_TEST_CASE("all sets of axes, column-major", "[reduce][axes]", test::OneSpace) {
  check_axes_of_ranks<test::Left, test::Right>(TestType());
}
TEMPLATE_LIST_TEST_CASE("all sets of axes, off 16-byte boundaries", "[reduce][axes]", test::OneSpace) {
  check_axes_of_ranks<test::Misaligned, test::Strided>(TestType());
}
TEMPLATE_LIST_TEST_CASE("all sets of axes, every second element", "[reduce][axes]", test::OneSpace) {
  check_axes_of_ranks<test::Strided, test::Left>(TestType());
}
TEMPLATE_LIST_TEST_CASE("all sets of axes, blocks of larger arrays", "[reduce][axes]", test::OneSpace) {
  check_axes_of_ranks<test::Block, test::BlockLeft>(TestType());
  check_axes_of_ranks<test::BlockLeft, test::Block>(TestType());
}

TEMPLATE_LIST_TEST_CASE("all sets of axes under plans that no tuning would choose", "[reduce][axes]", test::OneSpace) {
  for (const int team_size : test::odd_team_sizes(TestType())) {
    for (const int league_size : test::odd_league_sizes()) {
      check_axes_of_ranks<test::Right, test::Right>(TestType(), {.league_size = league_size, .team_size = team_size});
    }
  }
}

TEMPLATE_LIST_TEST_CASE("long and thin shapes", "[reduce][axes]", test::OneSpace) {
  const auto check = [](const auto& extents) { check_row_major(TestType(), extents, {}); };
  for (const std::size_t n : {4099, 30011}) {
    for (const std::size_t m : {1, 2, 3, 17}) {
      if (test::is_sanitized && (m == 2 || (m == 17 && n > 4099))) continue;
      check(Extents<2>{m, n});
      check(Extents<2>{n, m});
    }
  }
  check(Extents<2>{1, 100003});
  check(Extents<3>{7, 1009, 7});
  check(Extents<3>{2, 3, 10007});
  // Divided: several teams an output.
  check_row_major(TestType(), Extents<2>{3, 100003}, {.league_size = 64});
  check_row_major(TestType(), Extents<2>{100003, 3}, {.league_size = 64});
  check_row_major(TestType(), Extents<3>{1009, 2, 30}, {.league_size = 64});
}

TEMPLATE_LIST_TEST_CASE("rows and columns around what a team and a thread take", "[reduce][axes]", test::OneSpace) {
  for (const std::size_t n : {1,  2,  3,  4,   5,   7,   8,   15,  16,  17,   31,   32,   33,
                              63, 64, 65, 127, 128, 129, 511, 512, 513, 1023, 1024, 1025, 2049}) {
    test::check_all_axes<test::Right, test::Right, std::int32_t>(TestType(), test::PositionSum{}, Extents<2>{n, 37});
    test::check_all_axes<test::Right, test::Right, std::int32_t>(TestType(), test::PositionSum{}, Extents<2>{131, n});
    test::check_all_axes<test::Misaligned, test::Right, std::int32_t>(TestType(), test::PositionSum{},
                                                                      Extents<2>{33, n});
  }
}

/// Around what a team of a GPU takes of them at once.
TEMPLATE_LIST_TEST_CASE("rows of one to three elements", "[reduce][axes]", test::OneSpace) {
  for (const std::size_t n : {1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 12345}) {
    for (const std::size_t length : {1, 2, 3}) {
      test::check_all_axes<test::Right, test::Right, std::int32_t>(TestType(), test::PositionSum{},
                                                                   Extents<2>{n, length});
      test::check_all_axes<test::Misaligned, test::Right, std::int32_t>(TestType(), test::PositionSum{},
                                                                        Extents<2>{n, length});
    }
  }
}

/// Sizes of team that are no whole warps, or none that a plan takes.
template <class Space>
std::vector<int> odd_team_sizes() {
  if (tessera::detail::is_host_space<Space>) return {0, 1};
  return {0, 40, 96};
}

/// Around what a team of a GPU takes of them at once, and lines before and behind them.
TEMPLATE_LIST_TEST_CASE("columns of two to eight elements", "[reduce][axes]", test::OneSpace) {
  for (const std::size_t length : {2, 3, 4, 5, 6, 7, 8}) {
    for (const std::size_t n : {31, 511, 513, 767, 769, 1023, 1025, 1279, 1281, 2047, 2048, 2049, 4097}) {
      if (test::is_sanitized && n > 513) break;
      test::check_all_axes<test::Right, test::Right, std::int32_t>(TestType(), test::PositionSum{},
                                                                   Extents<2>{length, n});
    }
    for (const int team_size : odd_team_sizes<TestType>()) {
      check_row_major(TestType(), Extents<3>{3, length, 4099}, {.team_size = team_size});
    }
    test::check_all_axes<test::Misaligned, test::Right, std::int32_t>(TestType(), test::PositionSum{},
                                                                      Extents<3>{2, length, 4098});
  }
}

/// Fewer columns side by side than a GPU's threads read at once: those of several blocks go to one team.
TEMPLATE_LIST_TEST_CASE("few columns side by side", "[reduce][axes]", test::OneSpace) {
  for (const std::size_t columns : {2, 3, 5, 17, 31}) {
    if (test::is_sanitized && (columns == 3 || columns == 5)) continue;
    check_row_major(TestType(), Extents<3>{1, 5003, columns}, {});
    check_row_major(TestType(), Extents<3>{7, 331, columns}, {});
    for (const int team_size : odd_team_sizes<TestType>()) {
      check_row_major(TestType(), Extents<3>{59, 161, columns}, {.team_size = team_size});
    }
  }
}

/// So many that a few lanes of a GPU for each fill it.
TEMPLATE_LIST_TEST_CASE("many rows", "[reduce][axes]", test::OneSpace) {
  constexpr std::size_t share = tessera::detail::is_host_space<TestType> ? 16 : 1;
  for (const auto& n : {Extents<2>{34001, 33}, Extents<2>{34001, 68}, Extents<2>{8501, 259}, Extents<2>{2203, 1101},
                        Extents<2>{2203, 1108}}) {
    for (const int team_size : odd_team_sizes<TestType>()) {
      check_row_major(TestType(), Extents<2>{n[0] / share, n[1]}, {.team_size = team_size});
    }
  }
}

TEMPLATE_LIST_TEST_CASE("eight axes", "[reduce][axes]", test::OneSpace) {
  const Extents<8> extents{2, 3, 1, 2, 3, 2, 1, 3};
  const std::vector<std::int32_t> values = test::values<std::int32_t>(216, 5);
  const test::GuardedView<std::int32_t, test::BlockLeft, TestType, 8> in(extents, values);
  for (unsigned mask = 0; mask < 256; ++mask) {
    const auto expected = test::expected_of_axes(test::PositionSum{}, extents, values, mask);
    test::check_axes_into<test::Right, 8>(TestType(), test::PositionSum{}, test::strided(in.const_view()), expected,
                                          mask, {});
  }
}

TEMPLATE_LIST_TEST_CASE("axes without elements", "[reduce][axes]", test::OneSpace) {
  test::check_all_axes<test::Right, test::Right, std::int32_t>(TestType(), test::PositionSum{}, Extents<2>{0, 5});
  test::check_all_axes<test::Right, test::Right, std::int32_t>(TestType(), test::PositionSum{}, Extents<3>{4, 0, 5});
}

}  // namespace

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines across memory whose tiles begin on boundaries of memory, wherever the lines do.
#include <Kokkos_Core.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>

#include "filter_check.hpp"
#include "window_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::WindowOperation;
using tessera::detail::ColumnTile;
using tessera::detail::ColumnTiles;
using tessera::detail::LineArray;
using test::Extents;

TEST_CASE("tiles of lines across memory take each line once", "[filter][lead]") {
  for (const int lanes : {1, 4, 32, 128}) {
    for (const int lead : {0, 1, 16, 127}) {
      if (lead >= lanes) continue;
      for (const std::int64_t columns : {1, 31, 32, 33, 256, 1000}) {
        const ColumnTiles tiles(columns, lanes, lead);
        INFO(columns << " lines, " << lanes << " at once, lead " << lead);
        std::int64_t next = 0;
        for (std::int64_t index = 0; index < tiles.count; ++index) {
          const ColumnTile tile = tiles.tile(index);
          CHECK(tile.first == next);
          CHECK(tile.skipped == (index == 0 ? lead : 0));
          CHECK(tile.width > 0);
          CHECK(tile.skipped + tile.width <= lanes);
          next = tile.first + tile.width;
        }
        CHECK(next == columns);
      }
    }
  }
}

TEST_CASE("tiles of lines across memory begin on boundaries of memory", "[filter][lead]") {
  alignas(256) static const double memory[64] = {};
  const auto lead_of = [](const double* data, std::int64_t columns, std::int64_t stride, std::int64_t batch_stride = 0,
                          int lanes = 32, bool is_host = false) {
    const LineArray<const double> lines{
        data, 100, stride, {1, 1, 1, 1, 1, 3, columns}, {0, 0, 0, 0, 0, batch_stride, 1}};
    return tessera::detail::column_tiles(lines, lanes, is_host).lead;
  };
  CHECK(lead_of(memory, 256, 256) == 0);
  CHECK(lead_of(memory + 16, 256, 256) == 16);
  CHECK(lead_of(memory + 33, 256, 256) == 1);
  CHECK(lead_of(memory + 16, 2048, 2048, 2048 * 100, 128) == 16);  // as a warp reads them, not a team
  // Few tiles, rows and batches that leave the boundaries, hosts.
  CHECK(lead_of(memory + 16, 255, 256) == 0);
  CHECK(lead_of(memory + 16, 256, 272) == 0);
  CHECK(lead_of(memory + 16, 256, 256, 256 * 100 + 16) == 0);
  CHECK(lead_of(memory + 16, 256, 256, 256 * 100, 32, true) == 0);
  // 128 bytes at once.
  alignas(256) static const float floats[64] = {};
  const LineArray<const float> lines{floats + 40, 100, 256, {1, 1, 1, 1, 1, 1, 256}, {0, 0, 0, 0, 0, 0, 1}};
  CHECK(tessera::detail::column_tiles(lines, 32, false).lead == 8);
}

/// Off a boundary by some elements more than other views.
template <std::size_t Shift>
struct Off : test::Left {
  static constexpr std::size_t shift = Shift;
};

template <class T, class In, class Out, class Space>
void check_filters(const Space& space, std::size_t columns, std::size_t extent) {
  for (const std::size_t taps : {3, 14, 40}) {
    test::FilterCheck<T, T, In, Out, Space, 2> check(
        space, {columns, extent}, test::values<T>(columns * extent, extent), test::fractional_weights(taps));
    check.check({.mode_left = BoundaryMode::mirror, .mode_right = BoundaryMode::constant, .cval = 2.0}, false);
    check.check({.mode_left = BoundaryMode::keep, .variant = tessera::FilterVariant::vectorized, .league_size = 5},
                true);
  }
}

template <class T, class In, class Out, class Space>
void check_windows(const Space& space, std::size_t columns, std::size_t extent, std::int64_t window) {
  INFO("off by " << In::shift << " and " << Out::shift);
  test::check_across<WindowOperation::min, T, In, Out>(space, Extents<2>{columns, extent}, window,
                                                       test::varied_options(static_cast<int>(In::shift), window, 1));
}

/// In registers, walks, blocks.
template <class T, class In, class Out, class Space>
void check_all(const Space& space) {
  check_filters<T, In, Out>(space, 256, 41);
  check_filters<T, In, Out>(space, 320, 47);
  check_windows<T, In, Out>(space, 288, 61, 3);
  check_windows<T, In, Out>(space, 1024, 61, 24);
  check_windows<T, In, Out>(space, 256, 150, 101);
}

TEMPLATE_LIST_TEST_CASE("lines across memory, off boundaries of memory", "[filter][lead]", test::OneSpace) {
  const TestType space;
  check_all<double, Off<0>, Off<0>>(space);
  check_all<double, Off<1>, Off<16>>(space);
  check_all<double, Off<16>, Off<5>>(space);
  if constexpr (!test::is_sanitized) check_all<float, Off<5>, Off<1>>(space);
}

TEMPLATE_LIST_TEST_CASE("teams smaller than a warp take all lines across memory", "[filter][lead]", test::OneSpace) {
  const TestType space;
  for (const int team_size : {1, 31}) {
    if (test::runs_on_host<TestType> && team_size > 1) continue;
    test::FilterCheck<double, double, test::Left, test::Left, TestType, 2> check(
        space, {45, 50}, test::values<double>(45 * 50, 1), test::fractional_weights(5));
    check.check({.team_size = team_size}, false);
    for (const std::int64_t window : {3, 24}) {
      test::check_across<WindowOperation::min, double, test::Left, test::Left>(space, Extents<2>{45, 50}, window,
                                                                               {.axis = 1, .team_size = team_size});
    }
  }
}

}  // namespace

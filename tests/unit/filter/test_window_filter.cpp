// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Minimum, maximum and mean of a moving window: element types, sizes around the plan's tile, windows of every kind
// (short, of whole chunks, of blocks, of blocks in parts, wider than the line), modes, layouts, odd plans.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>

#include "window_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::WindowOperation;
using tessera::WindowOptions;
using test::Extents;

/// Even and odd, around the lengths at which the kernels change: few, chunks, scanned blocks and runs with no, one and
/// more whole ones between, blocks, few and many parts of blocks.
constexpr std::int64_t windows[] = {1,   2,    3,    4,    5,    6,    7,    8,    9,    10,   12,   15,   16,   17,
                                    31,  32,   34,   47,   61,   62,   63,   64,   65,   255,  256,  257,  512,  513,
                                    527, 1024, 1025, 1055, 2049, 3072, 3073, 4096, 4097, 6145, 8192, 8193, 20011};

/// Modes that differ from case to case, and the origin at its ends and between.
WindowOptions options_of(int which, std::int64_t window) {
  const std::int64_t origins[] = {0, -(window / 2), (window - 1) / 2};
  return {.mode_left = tessera::element_modes[static_cast<std::size_t>(which % 6)],
          .mode_right = tessera::element_modes[static_cast<std::size_t>((which / 2 + 3) % 6)],
          .cval = 3.0,
          .origin = origins[which % 3]};
}

template <WindowOperation Operation, class T, class Space>
void check_sizes(const Space& space) {
  const std::size_t tile = test::window_tile<T>(space, Operation, 3);
  int which = 0;
  for (const std::int64_t window : windows) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{7}, tile - 1, tile, tile + 1, std::size_t{5003}}) {
      if (window > 1025 && size == tile) continue;
      test::check_line<Operation>(space, test::values<T>(size, size), window, options_of(which++, window));
    }
  }
}

TEMPLATE_LIST_TEST_CASE("window minimum of floats", "[window]", test::OneSpace) {
  check_sizes<WindowOperation::min, float>(TestType());
}
TEMPLATE_LIST_TEST_CASE("window maximum of int64", "[window]", test::OneSpace) {
  check_sizes<WindowOperation::max, std::int64_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("window mean of floats", "[window]", test::OneSpace) {
  check_sizes<WindowOperation::box, float>(TestType());
}
TEMPLATE_LIST_TEST_CASE("window mean of doubles", "[window]", test::Spaces) {
  check_sizes<WindowOperation::box, double>(TestType());
}
TEMPLATE_LIST_TEST_CASE("window mean of int32", "[window]", test::OneSpace) {
  check_sizes<WindowOperation::box, std::int32_t>(TestType());
}

TEMPLATE_LIST_TEST_CASE("window filters under every pair of modes", "[window]", test::OneSpace) {
  for (const std::int64_t window : {2, 19, 1500, 4001}) {
    for (const std::size_t size : {1, 5, 40}) {
      const std::vector<double> line = test::values<double>(size, size);
      for (const BoundaryMode left : tessera::element_modes) {
        for (const BoundaryMode right : tessera::element_modes) {
          const WindowOptions options{.mode_left = left, .mode_right = right, .cval = 2.5};
          test::check_line<WindowOperation::box>(TestType(), line, window, options);
        }
      }
    }
  }
}

/// The largest of windows far wider than the line is that of everything that the modes show.
TEMPLATE_LIST_TEST_CASE("window extrema of windows wider than anything", "[window]", test::OneSpace) {
  const std::vector<std::int64_t> line = test::values<std::int64_t>(50);
  for (const BoundaryMode mode : tessera::element_modes) {
    const WindowOptions options{.mode_left = mode, .mode_right = mode, .cval = std::int64_t{5000}};
    std::int64_t most = tessera::reference::maximum(line);
    if (mode == BoundaryMode::constant) most = 5000;
    std::vector<std::int64_t> expected(line.size(), most);
    if (mode == BoundaryMode::keep) expected = line;
    test::check_values(
        test::windowed<WindowOperation::max>(TestType(), line, std::numeric_limits<std::int64_t>::max(), options),
        expected);
  }
}

template <class InLayout, class OutLayout, class Space, std::size_t Rank>
void check_layouts(const Space& space, const Extents<Rank>& extents) {
  const std::vector<double> data = test::values<double>(test::detail::product(extents));
  const std::size_t size = extents[Rank - 1];
  for (const std::int64_t window : {4, 31, 2500, 4001, 20011}) {
    const auto got = test::windowed<WindowOperation::box, InLayout, OutLayout>(space, extents, data, window);
    for (std::size_t begin = 0; begin < data.size(); begin += size) {
      const auto at = static_cast<std::ptrdiff_t>(begin), end = static_cast<std::ptrdiff_t>(begin + size);
      const std::vector<double> line(data.begin() + at, data.begin() + end);
      // The bits of a line by itself: they depend on its elements and their index alone.
      test::check_bits(std::vector<double>(got.begin() + at, got.begin() + end),
                       test::windowed<WindowOperation::box>(space, line, window));
    }
  }
}

TEMPLATE_LIST_TEST_CASE("window filters of any layout and rank", "[window]", test::OneSpace) {
  check_layouts<test::Strided, test::Block>(TestType(), Extents<1>{1031});
  check_layouts<test::Misaligned, test::Left>(TestType(), Extents<2>{7, 131});
  check_layouts<test::BlockLeft, test::Strided>(TestType(), Extents<3>{2, 3, 67});
}

TEMPLATE_LIST_TEST_CASE("window filters along another axis", "[window]", test::OneSpace) {
  const TestType space;
  const std::size_t size = 211, columns = 3;
  const std::vector<double> data = test::values<double>(size * columns);
  for (const std::int64_t window : {5, 100, 1500}) {
    const auto got = test::windowed<WindowOperation::box, test::Block, test::Left>(space, Extents<2>{size, columns},
                                                                                   data, window, {.axis = 0});
    for (std::size_t c = 0; c < columns; ++c) {
      std::vector<double> line, outputs;
      for (std::size_t i = 0; i < size; ++i) {
        line.push_back(data[i * columns + c]);
        outputs.push_back(got[i * columns + c]);
      }
      test::check_bits(outputs, test::windowed<WindowOperation::box>(space, line, window));
    }
  }
}

template <WindowOperation Operation, class T, class Space>
void check_plans(const Space& space) {
  const std::vector<T> line = test::values<T>(7001);
  for (const std::int64_t window : {5, 100, 520, 1500, 5000, 20011}) {
    const auto expected = test::windowed<Operation>(space, line, window);
    for (const int team_size : test::odd_team_sizes(space)) {
      if (window <= 6144 && team_size > tessera::detail::window_walks_team_size) continue;
      for (const int league_size : test::odd_league_sizes()) {
        const WindowOptions options{.league_size = league_size, .team_size = team_size};
        INFO(test::described(options, window));
        test::check_bits(test::windowed<Operation>(space, line, window, options), expected);
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("window filters have the same bits under any plan", "[window]", test::OneSpace) {
  check_plans<WindowOperation::box, double>(TestType());
  check_plans<WindowOperation::box, float>(TestType());
  check_plans<WindowOperation::min, float>(TestType());
}

/// Teams walk along a long line, and do not along its beginning alone: the outputs are right, and the same bits.
TEMPLATE_LIST_TEST_CASE("window filters of long lines", "[window]", test::OneSpace) {
  const TestType space;
  const std::vector<double> line = test::values<double>(300007);
  const std::vector<double> beginning(line.begin(), line.begin() + 12001);
  for (const std::int64_t window : {100, 1500, 5000}) {
    std::vector<double> all = test::windowed<WindowOperation::box>(space, line, window);
    test::check_windows<WindowOperation::box>(all, line, window, {});
    std::vector<double> first = test::windowed<WindowOperation::box>(space, beginning, window);
    first.resize(static_cast<std::size_t>(12001 - window));
    all.resize(first.size());
    test::check_bits(all, first);
  }
}

TEMPLATE_LIST_TEST_CASE("a window filter of nothing gives nothing", "[window]", test::OneSpace) {
  test::windowed<WindowOperation::box>(TestType(), std::vector<double>{}, 3);
  test::windowed<WindowOperation::min>(TestType(), Extents<3>{2, 0, 5}, std::vector<float>{}, 3000);
}

}  // namespace

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In-place transposes of any shape, by every variant, with lines in scratch and in batches through the workspace.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <numeric>

#include "in_place_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::InPlaceOptions;
using tessera::InPlaceVariant;
using tessera::LineMemory;
using InPlaceShapes = std::vector<std::pair<std::size_t, std::size_t>>;

/// Empty, one line, primes, extents with and without a common factor, either one larger, around powers of two.
InPlaceShapes in_place_shapes() {
  return {{0, 0},   {0, 5},   {5, 0},   {1, 1},    {1, 1009}, {1009, 1},  {2, 3},     {3, 2},     {2, 4},    {4, 2},
          {6, 4},   {37, 53}, {53, 37}, {12, 18},  {63, 65},  {64, 32},   {33, 1},    {31, 33},   {100, 10}, {7, 1001},
          {128, 3}, {3, 128}, {96, 64}, {127, 64}, {129, 64}, {509, 263}, {260, 512}, {1024, 17}, {17, 1024}};
}

template <class T, class Space>
void check_in_place_shapes(const Space& space) {
  for (const auto& [rows, columns] : in_place_shapes()) test::check_in_place<T>(space, rows, columns);
}

TEMPLATE_LIST_TEST_CASE("in place: float", "[transpose][in_place]", test::Spaces) {
  check_in_place_shapes<float>(TestType());
}
TEMPLATE_LIST_TEST_CASE("in place: elements of 1 byte", "[transpose][in_place]", test::OneSpace) {
  check_in_place_shapes<std::uint8_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("in place: complex double", "[transpose][in_place]", test::OneSpace) {
  check_in_place_shapes<Kokkos::complex<double>>(TestType());
}
TEMPLATE_LIST_TEST_CASE("in place: records of 12 bytes", "[transpose][in_place]", test::OneSpace) {
  check_in_place_shapes<test::Record>(TestType());
}

TEMPLATE_LIST_TEST_CASE("in place: every variant of every small shape", "[transpose][in_place]", test::OneSpace) {
  const TestType space;
  for (std::size_t rows = 1; rows <= 13; ++rows) {
    for (std::size_t columns = 1; columns <= 13; ++columns) {
      for (const InPlaceVariant variant : tessera::in_place_variants) {
        if (variant == InPlaceVariant::swapped_tiles && rows != columns) continue;
        if (variant == InPlaceVariant::chunks && !test::runs_on_host<TestType>) continue;
        test::check_in_place<float>(space, rows, columns, {.variant = variant});
        test::check_in_place<float>(space, rows, columns, {.variant = variant, .batch_bytes = 1});
      }
    }
  }
}

/// Lines too long for scratch: rows, columns or both go through registers or the workspace, there in batches.
template <class T, class Space>
void check_long_lines(const Space& space, std::size_t rows, std::size_t columns) {
  for (const InPlaceVariant variant : {InPlaceVariant::c2r, InPlaceVariant::r2c}) {
    for (const std::size_t lines : {0, 1, 3, 50}) {
      if (test::is_sanitized && (lines == 1 || lines == 50)) continue;
      const InPlaceOptions options{.variant = variant, .batch_bytes = 2 * lines * std::max(rows, columns) * sizeof(T)};
      const tessera::InPlacePlan plan = tessera::in_place_plan<T>(space, rows, columns, options);
      CHECK((plan.rows.memory != LineMemory::scratch || plan.columns.memory != LineMemory::scratch));
      test::check_in_place<T, test::Misaligned>(space, rows, columns, options);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("in place: lines that scratch cannot hold", "[transpose][in_place]", test::OneSpace) {
  const TestType space;
  check_long_lines<float>(space, 25000, 11);
  check_long_lines<float>(space, 9, 12300);
  check_long_lines<float>(space, 11000, test::is_sanitized ? 26 : 250);
  check_long_lines<double>(space, 70, 6160);
  check_long_lines<double>(space, 6144, 96);
  check_long_lines<Kokkos::complex<double>>(space, 2, 30003);
  check_long_lines<test::Record>(space, 4000, 36);
  check_long_lines<std::uint8_t>(space, 45000, 6);
}

TEMPLATE_LIST_TEST_CASE("in place: all lines through the workspace", "[transpose][in_place]", test::OneSpace) {
  const TestType space;
  using T = Kokkos::complex<double>;
  constexpr std::size_t longest = test::runs_on_host<TestType> ? 2600 : 6200;  // devices have registers
  for (const std::size_t longer : {longest, longest + 1}) {
    for (const auto& [rows, columns] : InPlaceShapes{{1300, longer}, {longer, 1300}}) {
      const InPlaceOptions options{.variant = rows < columns ? InPlaceVariant::c2r : InPlaceVariant::r2c,
                                   .batch_bytes = 1 << 22};
      const tessera::InPlacePlan plan = tessera::in_place_plan<T>(space, rows, columns, options);
      CHECK(plan.rows.memory == LineMemory::workspace);
      CHECK(plan.columns.memory == LineMemory::workspace);
      CHECK(plan.passes == (std::gcd(longer, std::size_t{1300}) > 1 ? 3 : 2));
      if (test::is_sanitized && (rows == longest || columns == longest + 1)) continue;  // one of each number of passes
      test::check_in_place<T>(space, rows, columns, options);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("in place: more batches than buffers, some smaller", "[transpose][in_place]", test::OneSpace) {
  const TestType space;
  using T = Kokkos::complex<double>;
  for (const InPlaceVariant variant : {InPlaceVariant::c2r, InPlaceVariant::r2c}) {
    const InPlaceOptions options{.variant = variant, .batch_bytes = 64 * 7000 * sizeof(T)};
    const bool is_inverse = variant == InPlaceVariant::r2c;
    const std::size_t rows = is_inverse ? 150 : 7000, columns = is_inverse ? 7000 : 150;
    const tessera::InPlacePlan plan = tessera::in_place_plan<T>(space, rows, columns, options);
    CHECK(plan.columns.memory == LineMemory::workspace);
    CHECK(plan.columns.buffers == 8);
    CHECK(plan.columns.batch == 8);
    for (const int league_size : {0, 1, 3}) {
      if (test::is_sanitized && league_size == 0) continue;
      test::check_in_place<T>(space, rows, columns,
                              {.variant = variant, .league_size = league_size, .batch_bytes = options.batch_bytes});
    }
  }
}

/// Chunks of a cache line and longer, one band a step and several; extents that chunks divide, and that they do not.
template <class T, class Layout = test::Right, class Space>
void check_chunks(const Space& space) {
  for (const auto& [rows, columns] : InPlaceShapes{{2, 3000},
                                                   {3, 5003},
                                                   {37, 53},
                                                   {64, 1024},
                                                   {67, 997},
                                                   {96, 4096},
                                                   {128, 384},
                                                   {255, 257},
                                                   {300, 300},
                                                   {509, 521}}) {
    for (const std::size_t batch_bytes : {1, 40000, 400000}) {
      const InPlaceOptions options{.variant = InPlaceVariant::chunks, .batch_bytes = batch_bytes};
      test::check_in_place<T, Layout>(space, rows, columns, options);
      test::check_in_place<T, Layout>(space, columns, rows, options);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("in place: chunks", "[transpose][in_place]", test::OneSpace) {
  if constexpr (test::runs_on_host<TestType>) {
    const TestType space;
    check_chunks<float>(space);
    check_chunks<test::Bytes<4>, test::Misaligned>(space);
    if constexpr (!test::is_sanitized) {
      check_chunks<test::Record>(space);
      check_chunks<double>(space);
      check_chunks<std::uint8_t>(space);
      check_chunks<Kokkos::complex<double>>(space);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("in place: matrices of a mebibyte and more, as automatic takes them", "[transpose][in_place]",
                        test::OneSpace) {
  const TestType space;
  test::check_in_place<float>(space, 1000, 263);
  test::check_in_place<float>(space, 263, 1000);
  test::check_in_place<double>(space, 3, 700001);
  test::check_in_place<double>(space, 700001, 3);
  test::check_in_place<float>(space, 1536, 4608);
  test::check_in_place<test::Record>(space, 1201, 1203);
}

TEMPLATE_LIST_TEST_CASE("in place: chunks under plans that no tuning would choose", "[transpose][in_place]",
                        test::OneSpace) {
  if constexpr (test::runs_on_host<TestType>) {
    const TestType space;
    for (const int team_size : test::odd_team_sizes(space)) {
      for (const int league_size : test::odd_league_sizes()) {
        const InPlaceOptions options{
            .variant = InPlaceVariant::chunks, .league_size = league_size, .team_size = team_size, .batch_bytes = 1};
        for (const auto& [rows, columns] : InPlaceShapes{{2, 300}, {300, 2}, {16, 1024}, {1001, 77}, {77, 1001}}) {
          test::check_in_place<float>(space, rows, columns, options);
        }
      }
    }
  }
}

/// Squares of a common factor, blocks of all columns or rows, lines set aside, cycles with and without cuts.
template <class T, class Space>
void check_blocks(const Space& space) {
  const InPlaceShapes shapes = {{96, 288}, {288, 96},  {192, 320}, {100, 102}, {102, 100}, {511, 509}, {1009, 3},
                                {3, 1009}, {1500, 7},  {384, 131}, {392, 131}, {193, 320}, {193, 321}, {64, 640},
                                {640, 64}, {36, 4097}, {130, 390}, {4099, 36}, {50, 50}};
  for (const auto& [rows, columns] : shapes) {
    for (const std::size_t batch_bytes : {0, 1, 200000}) {
      if (test::is_sanitized && batch_bytes == 1) continue;
      const InPlaceOptions options{.variant = InPlaceVariant::blocks, .batch_bytes = batch_bytes};
      test::check_in_place<T>(space, rows, columns, options);
      test::check_in_place<T, test::Misaligned>(space, rows, columns, options);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("in place: blocks and cycles of runs", "[transpose][in_place]", test::OneSpace) {
  check_blocks<float>(TestType());
  check_blocks<test::Record>(TestType());
  if constexpr (!test::is_sanitized) check_blocks<Kokkos::complex<double>>(TestType());
}

template <class Space, std::size_t... Sizes>
void check_in_place_sizes(const Space& space, std::index_sequence<Sizes...>) {
  (test::check_in_place<test::Bytes<Sizes + 1>>(space, 66, 132), ...);
  (test::check_in_place<test::Bytes<Sizes + 1>, test::Misaligned>(space, 131, 67), ...);
}

TEMPLATE_LIST_TEST_CASE("in place: elements of 1 to 16 bytes with no alignment", "[transpose][in_place]",
                        test::OneSpace) {
  check_in_place_sizes(TestType(), std::make_index_sequence<16>());
}

TEMPLATE_LIST_TEST_CASE("in place under plans that no tuning would choose", "[transpose][in_place]", test::OneSpace) {
  const TestType space;
  for (const int team_size : test::odd_team_sizes(space)) {
    for (const int league_size : test::odd_league_sizes()) {
      for (const InPlaceVariant variant : {InPlaceVariant::c2r, InPlaceVariant::r2c, InPlaceVariant::blocks}) {
        const InPlaceOptions options{
            .variant = variant, .league_size = league_size, .team_size = team_size, .batch_bytes = 1 << 20};
        if (!test::is_sanitized) test::check_in_place<float>(space, 509, 263, options);
        test::check_in_place<float>(space, 96, 144, options);
        test::check_in_place<float>(space, 13000, 12, options);
        test::check_in_place<float>(space, 12, 13000, options);
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("in place without a workspace", "[transpose][in_place]", test::OneSpace) {
  const TestType space;
  for (const auto& [rows, columns] : InPlaceShapes{{30, 20}, {13000, 7}, {50, 50}, {1, 9}}) {
    const std::vector<float> values = test::values<float>(rows * columns);
    const auto memory = test::device_copy<TestType>(values);
    tessera::transpose_in_place(space, memory, rows, columns);
    space.fence();
    test::check_bits(test::host_copy(memory), tessera::reference::transposed(values, rows, columns));
  }
}

}  // namespace

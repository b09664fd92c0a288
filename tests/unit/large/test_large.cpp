// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Past 2^31 elements, where 32-bit indices end. Elements of one byte keep this within 4.5 GiB. Data is made and checked
// by Kokkos kernels of the test's own, for all elements.
#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <tessera/filter/filter.hpp>
#include <tessera/transpose/transpose.hpp>

#include "large_line.hpp"

namespace {

using Space = tessera::test::LargeSpace;
using Range = tessera::test::LargeRange;
using Line = tessera::test::LargeLine;
using Matrix = Kokkos::View<std::uint8_t**, Kokkos::LayoutRight, Space>;

constexpr std::int64_t line_size = (std::int64_t{1} << 31) + 3;

/// In [-6, 6], period 13: no power of two divides it, so an index that wraps meets other values.
KOKKOS_INLINE_FUNCTION std::int8_t line_value(std::int64_t i) { return static_cast<std::int8_t>(i % 13 - 6); }

struct LineValues {
  KOKKOS_INLINE_FUNCTION static std::int8_t value(std::int64_t i) { return line_value(i); }
};

/// Counts wrong outputs of the filter (1, 2, -1) with both sides wrapped.
struct WrongFiltered {
  Line out;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    const int expected =
        line_value((i + line_size - 1) % line_size) + 2 * line_value(i) - line_value((i + 1) % line_size);
    wrong += out(i) != expected ? 1 : 0;
  }
};

KOKKOS_INLINE_FUNCTION std::uint8_t matrix_value(std::int64_t row, std::int64_t column) {
  return static_cast<std::uint8_t>(row * 31 + column * 17 + (row ^ column) / 251);
}

/// Elements that one work item takes in turn: a division by the extent for each of them would take most of the time.
constexpr std::int64_t chunk = 4096;

/// Calls visit(row, column) for the elements of a chunk.
template <class Visit>
KOKKOS_INLINE_FUNCTION void for_chunk(const Matrix& matrix, std::int64_t index, const Visit& visit) {
  const auto columns = static_cast<std::int64_t>(matrix.extent(1));
  const std::int64_t end = Kokkos::min(static_cast<std::int64_t>(matrix.size()), (index + 1) * chunk);
  std::int64_t row = index * chunk / columns, column = index * chunk % columns;
  for (std::int64_t i = index * chunk; i < end; ++i) {
    visit(row, column);
    if (++column == columns) {
      column = 0;
      ++row;
    }
  }
}

struct FillMatrix {
  Matrix matrix;
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    for_chunk(matrix, index,
              [&](std::int64_t row, std::int64_t column) { matrix(row, column) = matrix_value(row, column); });
  }
};

/// Counts wrong elements of the transposed matrix.
struct WrongTransposed {
  Matrix out;
  KOKKOS_FUNCTION void operator()(std::int64_t index, std::int64_t& wrong) const {
    for_chunk(out, index, [&](std::int64_t row, std::int64_t column) {
      wrong += out(row, column) != matrix_value(column, row) ? 1 : 0;
    });
  }
};

TEST_CASE("filter a line past 2^31 elements", "[large]") {
  const Line line = tessera::test::filled_line<LineValues>(line_size);
  const Line out(Kokkos::view_alloc("out", Kokkos::WithoutInitializing), line_size);
  const double taps[] = {1, 2, -1};
  const tessera::FilterWeights<Space> weights(Space(), taps);
  tessera::correlate(Space(), line, weights, out,
                     {.mode_left = tessera::BoundaryMode::wrap, .mode_right = tessera::BoundaryMode::wrap});
  std::int64_t wrong = -1;
  Kokkos::parallel_reduce("check", Range(0, line_size), WrongFiltered{out}, wrong);
  CHECK(wrong == 0);
}

void check_transpose(std::int64_t rows, std::int64_t columns) {
  INFO(rows << " x " << columns);
  const Matrix in(Kokkos::view_alloc("in", Kokkos::WithoutInitializing), rows, columns);
  const Matrix out(Kokkos::view_alloc("out", Kokkos::WithoutInitializing), columns, rows);
  const std::int64_t chunks = (rows * columns + chunk - 1) / chunk;
  Kokkos::parallel_for("fill", Range(0, chunks), FillMatrix{in});
  tessera::transpose(Space(), in, out);
  std::int64_t wrong = -1;
  Kokkos::parallel_reduce("check", Range(0, chunks), WrongTransposed{out}, wrong);
  CHECK(wrong == 0);
}

/// A few elements far apart, as rows of a very long array are.
struct FarRows {
  Line memory;
  std::int64_t columns, apart;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { memory(i / columns * apart + i % columns) = line_value(i); }
};

struct WrongGathered {
  Line out;
  std::int64_t rows, columns;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    wrong += out(i) != line_value(i % rows * columns + i / rows) ? 1 : 0;
  }
};

TEST_CASE("permute rows further apart than 2^32 elements within a tile", "[large][8gib]") {
  constexpr std::int64_t rows = 64, columns = 40, apart = (std::int64_t{1} << 27) + 5;
  const Line memory(Kokkos::view_alloc("memory", Kokkos::WithoutInitializing), (rows - 1) * apart + columns);
  Kokkos::parallel_for("fill", Range(0, rows * columns), FarRows{memory, columns, apart});
  const Kokkos::View<std::int8_t**, Kokkos::LayoutStride, Space> in(memory.data(),
                                                                    Kokkos::LayoutStride(rows, apart, columns, 1));
  for (const auto variant : tessera::transpose_variants) {
    INFO("variant " << to_string(variant));
    const Line out(Kokkos::view_alloc("out", Kokkos::WithoutInitializing), rows * columns);
    const Kokkos::View<std::int8_t**, Kokkos::LayoutRight, Space> turned(out.data(), columns, rows);
    tessera::permute(Space(), in, turned, {1, 0}, {.variant = variant});
    std::int64_t wrong = -1;
    Kokkos::parallel_reduce("check", Range(0, rows * columns), WrongGathered{out, rows, columns}, wrong);
    CHECK(wrong == 0);
  }
}

TEST_CASE("transpose matrices past 2^31 elements", "[large]") {
  check_transpose(46341, 46343);
  check_transpose(1, line_size);
}

}  // namespace

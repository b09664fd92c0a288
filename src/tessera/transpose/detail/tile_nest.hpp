// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a host takes a tile of variants packed and naive apart: into rows of the output, or into matrices whose rows and
// columns go along several axes each.
#ifndef TESSERA_TRANSPOSE_DETAIL_TILE_NEST_HPP
#define TESSERA_TRANSPOSE_DETAIL_TILE_NEST_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/tile_range.hpp>
#include <tessera/transpose/detail/host_turn.hpp>
#include <tessera/transpose/detail/tile_tables.hpp>

namespace tessera::detail {

enum class NestBody : std::uint8_t {
  copied,    // rows that stand as they do in the input
  strided,   // rows along one axis
  gathered,  // rows along several, whose elements have places in a table
  matrices
};

/// The digits of a tile, by their numbers in the output's order: those of a row of the output, or of a matrix' rows,
/// those of its columns, those along which rows follow each other in one loop, and the rest.
struct TileNest {
  NestBody body = NestBody::strided;
  int inner = 0, across = 0, looped = 0;
  std::int8_t digits[tile_digits_max] = {};
  int inner_extent = 1, across_extent = 1, looped_extent = 1;
  int in_run_digits = 0, in_run = 1;  // of the input's order: those of a run, and its elements

  /// Which of them have places in a table: what goes along one axis has a stride.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool tables_inner() const {
    return body == NestBody::gathered || body == NestBody::matrices;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool tables_across() const { return body == NestBody::matrices; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool tables_rows() const { return looped > 1; }
  /// Entries of all tables.
  [[nodiscard]] int entries() const {
    return (tables_inner() ? inner_extent : 0) + (tables_across() ? across_extent : 0) +
           (tables_rows() ? 2 * looped_extent : 0);
  }
};

namespace tile_nest {

// Measured on a Zen 5.
/// Entries of a table of a row's elements, or of rows.
inline constexpr int table_max = 256;
/// Extent of an axis that is worth a loop of its own.
inline constexpr int loop_min = 32;
/// Times, in those of an element of a whole block: of a matrix before its first block, of an element by itself.
inline constexpr double begin_cost = 24, gathered_cost = 2.5;

using Divided = std::array<bool, tile_digits_max>;

/// Digits whose elements are neighbours in memory, the fastest first. The last one alone may be divided.
struct Run {
  int count = 0;
  std::array<std::int8_t, tile_digits_max> digits{};
};

inline Run run_along(const TileTables& tables, const Divided& divided, std::int64_t TileDigit::*stride) {
  Run run;
  std::int64_t length = 1;
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (int d = 0; d < tables.digits; ++d) {
      if (tables.out_order[d].*stride != length) continue;
      run.digits[static_cast<std::size_t>(run.count++)] = static_cast<std::int8_t>(d);
      length *= tables.out_order[d].extent;
      goes_on = !divided[static_cast<std::size_t>(d)];
      break;
    }
  }
  return run;
}

/// Time of an element of a matrix: of the blocks that cover it, of side x side elements or halves of that.
inline double matrix_cost(int rows, int columns, int side) {
  const auto covered = [&](int extent) {
    int block = side;
    while (block > turned_side && 2 * extent <= block) block /= 2;
    return static_cast<double>(ceil_div(extent, block) * block);
  };
  return (covered(rows) * covered(columns) + begin_cost) / (static_cast<double>(rows) * columns);
}

/// The matrix of the digits that are neighbours on either side, as many of them as it takes.
inline void choose_matrix(const TileTables& tables, const Run& in, const Run& out, int side, TileNest& nest) {
  double least = gathered_cost;
  int columns = 1;
  for (int across = 1; across <= in.count; ++across) {
    columns *= tables.out_order[in.digits[static_cast<std::size_t>(across - 1)]].extent;
    int rows = 1;
    for (int inner = 1; inner <= out.count; ++inner) {
      const std::int8_t added = out.digits[static_cast<std::size_t>(inner - 1)];
      if (std::find(in.digits.begin(), in.digits.begin() + across, added) != in.digits.begin() + across) break;
      rows *= tables.out_order[added].extent;
      const double cost = matrix_cost(rows, columns, side);
      if (cost >= least || std::min(rows, columns) < turned_least) continue;
      least = cost;
      nest.body = NestBody::matrices;
      nest.inner = inner;
      nest.across = across;
      nest.inner_extent = rows;
      nest.across_extent = columns;
    }
  }
}

}  // namespace tile_nest

/// side: of the blocks in which a matrix is turned.
inline TileNest nest_of(const TileTables& tables, int side) {
  using namespace tile_nest;
  TileNest nest;
  Divided divided{}, taken{};
  for (int d = 0; d < tables.axes; ++d) {
    const TileAxis& axis = tables.outer[d];
    if (axis.digit >= 0) divided[static_cast<std::size_t>(axis.digit)] = true;
  }
  const Run in = run_along(tables, divided, &TileDigit::in_stride),
            out = run_along(tables, divided, &TileDigit::out_stride);
  const auto extent_of = [&](std::int8_t digit) { return static_cast<int>(tables.out_order[digit].extent); };
  nest.in_run_digits = in.count;
  for (int d = 0; d < in.count; ++d) nest.in_run *= extent_of(in.digits[static_cast<std::size_t>(d)]);
  if (in.count > 0 && out.count > 0) {
    if (in.digits[0] == out.digits[0]) {
      nest.body = NestBody::copied;
    } else {
      choose_matrix(tables, in, out, side, nest);
    }
  }
  int count = 0;
  const auto take = [&](std::int8_t digit) {
    nest.digits[count++] = digit;
    taken[static_cast<std::size_t>(digit)] = true;
  };
  if (nest.body == NestBody::matrices) {
    for (int d = 0; d < nest.inner; ++d) take(out.digits[static_cast<std::size_t>(d)]);
    for (int d = 0; d < nest.across; ++d) take(in.digits[static_cast<std::size_t>(d)]);
  } else if (tables.digits > 0) {
    const std::int8_t first = out.count > 0 ? out.digits[0] : std::int8_t{0};
    take(first);
    nest.inner = 1;
    nest.inner_extent = extent_of(first);
    if (nest.body != NestBody::copied && nest.inner_extent < loop_min) {
      for (int d = 1; d < out.count; ++d) {
        const std::int8_t digit = out.digits[static_cast<std::size_t>(d)];
        if (nest.inner_extent * extent_of(digit) > table_max) break;
        take(digit);
        ++nest.inner;
        nest.inner_extent *= extent_of(digit);
        nest.body = NestBody::gathered;
      }
    }
  }
  // Of several digits in one loop the last one alone may be divided: whole ones come first.
  for (const bool whole : {true, false}) {
    for (std::int8_t digit = 0; digit < tables.digits; ++digit) {
      const auto d = static_cast<std::size_t>(digit);
      if (!taken[d] && divided[d] != whole) take(digit);
    }
  }
  if (nest.body == NestBody::matrices) return nest;
  for (int d = nest.inner; d < tables.digits; ++d) {
    const std::int8_t digit = nest.digits[d];
    const bool one_loop =
        nest.looped == 0 || (nest.looped_extent < loop_min && nest.looped_extent * extent_of(digit) <= table_max);
    if (!one_loop) break;
    ++nest.looped;
    nest.looped_extent *= extent_of(digit);
    if (divided[static_cast<std::size_t>(digit)]) break;
  }
  return nest;
}

}  // namespace tessera::detail

#endif

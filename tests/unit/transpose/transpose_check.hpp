// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One transpose through the public interface, compared bit for bit with the reference.
#ifndef TESSERA_TESTS_UNIT_TRANSPOSE_TRANSPOSE_CHECK_HPP
#define TESSERA_TESTS_UNIT_TRANSPOSE_TRANSPOSE_CHECK_HPP

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <tessera/transpose/transpose.hpp>
#include <utility>
#include <vector>

#include "reference/transpose_reference.hpp"
#include "support/compare.hpp"
#include "support/data.hpp"
#include "support/guarded_view.hpp"
#include "support/spaces.hpp"

namespace tessera::test {

template <std::size_t Size>
struct Bytes {
  unsigned char bytes[Size];
};

/// An element of several members, aligned to the largest.
struct Record {
  float x, y;
  int id;
};

/// 16 bytes on boundaries of 8.
struct Pair {
  double x, y;
};

template <class T, class InLayout, class OutLayout, class Space>
void check_transpose(const Space& space, std::size_t rows, std::size_t columns, const TransposeOptions& options = {}) {
  INFO(rows << " x " << columns << " elements of " << sizeof(T) << " bytes, team " << options.team_size << ", league "
            << options.league_size);
  const std::vector<T> values = test::values<T>(rows * columns, rows);
  const GuardedView<T, InLayout, Space, 2> in({rows, columns}, values);
  const GuardedView<T, OutLayout, Space, 2> out({columns, rows});
  tessera::transpose(space, in.const_view(), out.view(), options);
  space.fence();
  check_bits(out.read(), reference::transposed(values, rows, columns));
  out.check_guards();
  in.check_guards();
}

/// Empty, one row, one column, primes, and around the tile.
inline std::vector<std::pair<std::size_t, std::size_t>> transpose_shapes(const TransposePlan& plan) {
  const auto r = static_cast<std::size_t>(plan.tile_rows), c = static_cast<std::size_t>(plan.tile_columns);
  return {{0, 0},         {0, 5},         {5, 0},         {1, 1},         {1, 1009},      {1009, 1},
          {2, 3},         {37, 53},       {r - 1, c - 1}, {r, c},         {r + 1, c + 1}, {c, r},
          {c - 1, r + 1}, {2 * r, 2 * c}, {3 * r + 1, c}, {r, 3 * c - 1}, {509, 263},     {2 * r + 1, 4 * c + 1}};
}

}  // namespace tessera::test

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One in-place transpose through the public interface, compared bit for bit with the reference.
#ifndef TESSERA_TESTS_UNIT_TRANSPOSE_IN_PLACE_CHECK_HPP
#define TESSERA_TESTS_UNIT_TRANSPOSE_IN_PLACE_CHECK_HPP

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <tessera/transpose/transpose_in_place.hpp>
#include <vector>

#include "reference/transpose_reference.hpp"
#include "transpose_check.hpp"

namespace tessera::test {

template <class T, class Layout, class Space>
void check_square(const Space& space, std::size_t extent, const InPlaceOptions& options = {}) {
  INFO(extent << " x " << extent << " elements of " << sizeof(T) << " bytes, team " << options.team_size << ", league "
              << options.league_size);
  const std::vector<T> values = test::values<T>(extent * extent, extent);
  const GuardedView<T, Layout, Space, 2> matrix({extent, extent}, values);
  transpose_in_place(space, matrix.view(), options);
  space.fence();
  check_bits(matrix.read(), reference::transposed(values, extent, extent));
  matrix.check_guards();
}

/// Layout: Right, or Misaligned for memory that begins off a boundary of 16 bytes.
template <class T, class Layout = Right, class Space>
void check_in_place(const Space& space, std::size_t rows, std::size_t columns, const InPlaceOptions& options = {}) {
  const InPlacePlan plan = in_place_plan<T>(space, rows, columns, options);
  INFO(rows << " x " << columns << " elements of " << sizeof(T) << " bytes, " << to_string(plan));
  const std::vector<T> values = test::values<T>(rows * columns, rows);
  const GuardedView<T, Layout, Space, 1> memory({rows * columns}, values);
  const Workspace<Space> workspace(space, plan.workspace_bytes);
  transpose_in_place(space, memory.view(), rows, columns, options, workspace);
  space.fence();
  check_bits(memory.read(), reference::transposed(values, rows, columns));
  memory.check_guards();
}

}  // namespace tessera::test

#endif

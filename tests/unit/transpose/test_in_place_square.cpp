// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In-place transposes of square matrices: sizes around the tile, elements of every size, layouts, batches.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>

#include "in_place_check.hpp"

namespace {

namespace test = tessera::test;

template <class T, class Layout, class Space>
void check_square_extents(const Space& space) {
  const auto tile = static_cast<std::size_t>(tessera::in_place_plan<T>(space, 1000, 1000).tile_rows);
  for (const std::size_t extent : {std::size_t{0}, std::size_t{1}, std::size_t{2}, tile - 1, tile, tile + 1, 2 * tile,
                                   3 * tile + 1, std::size_t{263}}) {
    test::check_square<T, Layout>(space, extent);
  }
}

TEMPLATE_LIST_TEST_CASE("square in place: float", "[transpose][in_place]", test::Spaces) {
  check_square_extents<float, test::Right>(TestType());
}
TEMPLATE_LIST_TEST_CASE("square in place: complex double", "[transpose][in_place]", test::OneSpace) {
  check_square_extents<Kokkos::complex<double>, test::Right>(TestType());
}
TEMPLATE_LIST_TEST_CASE("square in place: every layout", "[transpose][in_place]", test::Layouts) {
  check_square_extents<double, TestType>(Kokkos::DefaultExecutionSpace());
}
TEMPLATE_LIST_TEST_CASE("square in place: records of 12 bytes", "[transpose][in_place]", test::OneSpace) {
  check_square_extents<test::Record, test::Block>(TestType());
}

template <class Space, std::size_t... Sizes>
void check_square_sizes(const Space& space, std::index_sequence<Sizes...>) {
  (test::check_square<test::Bytes<Sizes + 1>, test::Right>(space, 131), ...);
  (test::check_square<test::Bytes<Sizes + 1>, test::Misaligned>(space, 3), ...);
}

TEMPLATE_LIST_TEST_CASE("square in place: elements of 1 to 16 bytes with no alignment", "[transpose][in_place]",
                        test::OneSpace) {
  check_square_sizes(TestType(), std::make_index_sequence<16>());
}

TEMPLATE_LIST_TEST_CASE("square in place under plans that no tuning would choose", "[transpose][in_place]",
                        test::OneSpace) {
  const TestType space;
  for (const int team_size : test::odd_team_sizes(space)) {
    for (const int league_size : test::odd_league_sizes()) {
      test::check_square<float, test::Right>(space, 301, {.league_size = league_size, .team_size = team_size});
    }
  }
}

template <class T, class Layout, class Space>
void check_square_batches(const Space& space, std::size_t batches, std::size_t extent) {
  INFO(batches << " batches of " << extent << " x " << extent);
  const std::vector<T> values = test::values<T>(batches * extent * extent);
  const test::GuardedView<T, Layout, Space, 3> matrices({batches, extent, extent}, values);
  tessera::transpose_in_place(space, matrices.view());
  space.fence();
  std::vector<T> expected;
  const auto size = static_cast<std::ptrdiff_t>(extent * extent);
  for (auto at = values.begin(); at != values.end(); at += size) {
    const std::vector<T> turned = tessera::reference::transposed(std::vector<T>(at, at + size), extent, extent);
    expected.insert(expected.end(), turned.begin(), turned.end());
  }
  test::check_bits(matrices.read(), expected);
  matrices.check_guards();
}

TEMPLATE_LIST_TEST_CASE("square in place: batches of every layout", "[transpose][in_place]", test::Layouts) {
  const Kokkos::DefaultExecutionSpace space;
  check_square_batches<float, TestType>(space, 0, 5);
  check_square_batches<float, TestType>(space, 1, 70);
  check_square_batches<float, TestType>(space, 5, 129);
  check_square_batches<float, TestType>(space, 67, 3);
  check_square_batches<Kokkos::complex<double>, TestType>(space, 3, 65);
}

}  // namespace

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The team level, inside a kernel as a user writes it: each team turns tiles of a matrix, two in the same scratch.
#include <catch2/catch_template_test_macros.hpp>
#include <tessera/transpose/team_transpose.hpp>

#include "transpose_check.hpp"

namespace {

namespace test = tessera::test;

/// out(j, i) = in(i, j) and out_again likewise, one tile a team.
template <class Space, class InView, class OutView>
struct TileTranspose {
  using policy_type = Kokkos::TeamPolicy<Space>;
  using value_type = typename OutView::value_type;
  InView in;
  OutView out, out_again;
  int tile_rows, tile_columns, tiles_across;

  KOKKOS_FUNCTION void operator()(const typename policy_type::member_type& team) const {
    void* scratch = team.team_scratch(0).get_shmem_aligned(tessera::team_transpose_scratch_bytes<value_type>(),
                                                           alignof(value_type));
    const int row = team.league_rank() / tiles_across * tile_rows;
    const int column = team.league_rank() % tiles_across * tile_columns;
    const Kokkos::pair<int, int> rows(row, Kokkos::min(row + tile_rows, in.extent_int(0)));
    const Kokkos::pair<int, int> columns(column, Kokkos::min(column + tile_columns, in.extent_int(1)));
    const auto tile = Kokkos::subview(in, rows, columns);
    tessera::team_transpose(team, tile, Kokkos::subview(out, columns, rows), scratch);
    team.team_barrier();
    tessera::team_transpose(team, tile, Kokkos::subview(out_again, columns, rows), scratch);
  }
};

template <class T, class InLayout, class OutLayout, class Space>
void check_tiles(const Space& space, int team_size, int tile_rows, int tile_columns) {
  INFO("team " << team_size << ", tile " << tile_rows << " x " << tile_columns);
  constexpr std::size_t rows = 131, columns = 77;
  const std::vector<T> values = test::values<T>(rows * columns);
  const test::GuardedView<T, InLayout, Space, 2> in({rows, columns}, values);
  const test::GuardedView<T, OutLayout, Space, 2> out({columns, rows}), again({columns, rows});
  const int across = (static_cast<int>(columns) + tile_columns - 1) / tile_columns;
  const int down = (static_cast<int>(rows) + tile_rows - 1) / tile_rows;
  const TileTranspose<Space, decltype(in.const_view()), decltype(out.view())> kernel{
      in.const_view(), out.view(), again.view(), tile_rows, tile_columns, across};
  const auto bytes = static_cast<int>(tessera::team_transpose_scratch_bytes<T>() + alignof(T));
  auto policy = Kokkos::TeamPolicy<Space>(space, across * down, team_size).set_scratch_size(0, Kokkos::PerTeam(bytes));
  Kokkos::parallel_for("tiles", policy, kernel);
  space.fence();
  const std::vector<T> expected = tessera::reference::transposed(values, rows, columns);
  test::check_bits(out.read(), expected);
  test::check_bits(again.read(), expected);
  out.check_guards();
  again.check_guards();
}

TEMPLATE_LIST_TEST_CASE("team_transpose of tiles", "[transpose][team]", test::Spaces) {
  const TestType space;
  for (const int team_size : test::odd_team_sizes(space)) {
    check_tiles<double, test::Right, test::Right>(space, team_size, 64, 32);
    check_tiles<double, test::Right, test::Right>(space, team_size, 7, 5);
    check_tiles<float, test::Left, test::Block>(space, team_size, 64, 32);
    check_tiles<float, test::Left, test::Block>(space, team_size, 1, 32);
  }
}

TEST_CASE("scratch of team_transpose is a padded tile", "[transpose][team]") {
  CHECK(tessera::team_transpose_scratch_bytes<double>() == 64 * 33 * sizeof(double));
}

}  // namespace

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Square matrices in place: a team stages a tile and its mirror image, and writes each where the other was.
#ifndef TESSERA_TRANSPOSE_DETAIL_IN_PLACE_SQUARE_HPP
#define TESSERA_TRANSPOSE_DETAIL_IN_PLACE_SQUARE_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/transpose/detail/host_turn.hpp>

namespace tessera::detail {

/// Rows of a square tile. Hosts have 32 KiB for two.
constexpr int swapped_tile(bool is_host, std::size_t element_bytes) { return is_host && element_bytes > 8 ? 16 : 32; }

inline constexpr int swapped_team_size = 256;

/// Side of the blocks of tiles that teams take one after another: the ends of rows that share a cache line are written
/// while it is there. On an H200 4 is best for extents that tiles do not divide, and costs others nothing.
inline constexpr int swapped_block = 4;

/// Pairs of tiles that teams walk for a matrix: blocks on and above the diagonal, as wholes.
KOKKOS_INLINE_FUNCTION constexpr std::int64_t swapped_pairs(std::int64_t blocks) {
  return blocks * (blocks + 1) / 2 * swapped_block * swapped_block;
}

/// One column unused, against bank conflicts.
KOKKOS_INLINE_FUNCTION constexpr std::size_t swapped_scratch_bytes(int tile, std::size_t element_bytes) {
  return static_cast<std::size_t>(2 * tile * (tile + 1)) * element_bytes;
}

/// Matrices of extent x extent elements, in rows of `across`; the column index is the one of the smaller stride.
template <class T>
struct SquareMatrices {
  T* data;
  std::int64_t extent, row_stride, column_stride;
  std::int64_t batches, batch_row_stride;
  std::int64_t across = 1, across_stride = 0;
};

/// Whole tiles with the planned team: constant counts, all loads before the first store, pointers stepped by constants.
/// Of a tile on the diagonal, which is its own image, both copies hold the same.
template <int TeamSize, int Tile, TeamMember Member, class T>
KOKKOS_FUNCTION void team_swap_whole(const Member& team, T* upper, T* lower, std::int64_t row_stride,
                                     std::int64_t column_stride, T* scratch) {
  constexpr int pitch = Tile + 1;
  constexpr int rows = TeamSize / Tile;  // that the team takes at a time
  constexpr int each = Tile / rows;
  static_assert(TeamSize % Tile == 0 && Tile % rows == 0);
  const int row = team.team_rank() / Tile, column = team.team_rank() % Tile;
  const std::int64_t first = row * row_stride + column * column_stride, step = rows * row_stride;
  T values[2][each];
  const T* source = upper + first;
  TESSERA_UNROLL
  for (int k = 0; k < each; ++k, source += step) values[0][k] = *source;
  source = lower + first;
  TESSERA_UNROLL
  for (int k = 0; k < each; ++k, source += step) values[1][k] = *source;
  T* stage = scratch + row * pitch + column;
  TESSERA_UNROLL
  for (int k = 0; k < each; ++k) {
    stage[k * rows * pitch] = values[0][k];
    stage[(Tile + k * rows) * pitch] = values[1][k];
  }
  team.team_barrier();
  const T* turned = scratch + column * pitch + row;
  T* target = lower + first;
  TESSERA_UNROLL
  for (int k = 0; k < each; ++k, target += step) *target = turned[k * rows];
  target = upper + first;
  TESSERA_UNROLL
  for (int k = 0; k < each; ++k, target += step) *target = turned[Tile * pitch + k * rows];
}

/// Any part of a pair, by one thread of a host: upper has rows x columns elements, lower columns x rows.
template <int Tile, class T>
KOKKOS_FUNCTION void swap_turned(T* upper, T* lower, std::int64_t row_stride, int rows, int columns, T* scratch) {
  const StridedTile<T> kept{scratch, Tile, 1};
  turn<false>(StridedTile<const T>{upper, row_stride, 1}, kept, Unchanged(), rows, 0, columns, 0);
  if (upper != lower) {
    const StridedTile<T> above{upper, row_stride, 1};
    turn<false>(StridedTile<const T>{lower, row_stride, 1}, above, Unchanged(), columns, 0, rows, 0);
  }
  for (int row = 0; row < columns; ++row) {
    for (int column = 0; column < rows; ++column) lower[row * row_stride + column] = scratch[row * Tile + column];
  }
}

/// Any part of a pair, any team: upper has rows x columns elements, lower columns x rows.
template <int Tile, TeamMember Member, class T>
KOKKOS_FUNCTION void team_swap_part(const Member& team, T* upper, T* lower, std::int64_t row_stride,
                                    std::int64_t column_stride, int rows, int columns, T* scratch) {
  if constexpr (is_host_space<typename Member::execution_space>) {
    if (team.team_size() == 1 && column_stride == 1) {
      return swap_turned<Tile>(upper, lower, row_stride, rows, columns, scratch);
    }
  }
  constexpr int pitch = Tile + 1;
  const auto for_each = [&](int tile_rows, int tile_columns, const auto& visit) {
    if constexpr (is_host_space<typename Member::execution_space>) {
      for (int row = team.team_rank(); row < tile_rows; row += team.team_size()) {
        for (int column = 0; column < tile_columns; ++column) visit(row, column);
      }
    } else {
      TESSERA_NO_UNROLL
      for (int e = team.team_rank(); e < tile_rows * Tile; e += team.team_size()) {
        if (e % Tile < tile_columns) visit(e / Tile, e % Tile);
      }
    }
  };
  for_each(rows, columns, [&](int row, int column) {
    scratch[row * pitch + column] = upper[row * row_stride + column * column_stride];
  });
  for_each(columns, rows, [&](int row, int column) {
    scratch[(Tile + row) * pitch + column] = lower[row * row_stride + column * column_stride];
  });
  team.team_barrier();
  for_each(columns, rows, [&](int row, int column) {
    lower[row * row_stride + column * column_stride] = scratch[column * pitch + row];
  });
  for_each(rows, columns, [&](int row, int column) {
    upper[row * row_stride + column * column_stride] = scratch[(Tile + column) * pitch + row];
  });
}

template <ExecutionSpace Space, class T>
struct SwapTiles {
  static constexpr int tile = swapped_tile(is_host_space<Space>, sizeof(T));
  /// Few registers a thread, so that loads of several teams are under way.
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<swapped_team_size, 6>>;
  using member_type = typename policy_type::member_type;

  SquareMatrices<T> matrices;
  std::int64_t blocks, pairs;  // along a side, and of all matrices

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    auto* scratch = reinterpret_cast<T*>(team_scratch(team, swapped_scratch_bytes(tile, sizeof(T))));
    const TileWalk walk = tile_walk(team, pairs);
    for (std::int64_t pair = walk.begin; pair < walk.end; pair += walk.step) {
      swap_pair(team, pair, scratch);
      if (pair + walk.step < walk.end) team.team_barrier();  // scratch is staged anew
    }
  }

  /// Blocks on and above the diagonal are a triangle. Its last row stands behind its first, and so on: blocks + 1 a
  /// row.
  KOKKOS_FUNCTION void swap_pair(const member_type& team, std::int64_t pair, T* scratch) const {
    T* matrix = matrices.data;
    if (matrices.batches > 1) {
      const QuotientRemainder batch = divide(pair, swapped_pairs(blocks));
      const QuotientRemainder place = divide(batch.quotient, matrices.across);
      matrix += place.quotient * matrices.batch_row_stride + place.remainder * matrices.across_stride;
      pair = batch.remainder;
    }
    const auto inner = static_cast<int>(pair % (swapped_block * swapped_block));
    const QuotientRemainder folded = divide(pair / (swapped_block * swapped_block), blocks + 1);
    const bool is_behind = folded.remainder >= blocks - folded.quotient;
    const std::int64_t block_row = is_behind ? blocks - 1 - folded.quotient : folded.quotient;
    const std::int64_t block_column = is_behind ? folded.remainder - 1 : folded.remainder + block_row;
    const std::int64_t row = block_row * swapped_block + inner / swapped_block;
    const std::int64_t column = block_column * swapped_block + inner % swapped_block;
    if (row > column || column * tile >= matrices.extent) return;
    swap_tiles(team, matrix, row * tile, column * tile, scratch);
  }

  KOKKOS_FUNCTION void swap_tiles(const member_type& team, T* matrix, std::int64_t row, std::int64_t column,
                                  T* scratch) const {
    const std::int64_t extent = matrices.extent;
    const std::int64_t row_stride = matrices.row_stride, column_stride = matrices.column_stride;
    T* upper = matrix + row * row_stride + column * column_stride;
    T* lower = matrix + column * row_stride + row * column_stride;
    if constexpr (!is_host_space<Space>) {
      if (column + tile <= extent && team.team_size() == swapped_team_size) {
        team_swap_whole<swapped_team_size, tile>(team, upper, lower, row_stride, column_stride, scratch);
        return;
      }
    }
    const auto tile_rows = static_cast<int>(Kokkos::min<std::int64_t>(tile, extent - row));
    const auto tile_columns = static_cast<int>(Kokkos::min<std::int64_t>(tile, extent - column));
    team_swap_part<tile>(team, upper, lower, row_stride, column_stride, tile_rows, tile_columns, scratch);
  }
};

template <ExecutionSpace Space, class T>
void launch_swap_tiles(std::string_view function, const Space& space, const SquareMatrices<T>& matrices,
                       int league_size, int team_size, int asked_team_size) {
  using Functor = SwapTiles<Space, T>;
  const std::int64_t blocks = ceil_div(matrices.extent, Functor::tile * swapped_block);
  const Functor functor{matrices, blocks, swapped_pairs(blocks) * matrices.batches};
  const auto league = static_cast<int>(std::min<std::int64_t>(league_size, functor.pairs));
  typename Functor::policy_type policy(space, league, team_size);
  const std::size_t bytes = scratch_request(swapped_scratch_bytes(Functor::tile, sizeof(T)));
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes)));
  require_launchable(function, policy, functor, asked_team_size);
  Kokkos::parallel_for("tessera::transpose_in_place::swapped_tiles", policy, functor);
}

}  // namespace tessera::detail

#endif

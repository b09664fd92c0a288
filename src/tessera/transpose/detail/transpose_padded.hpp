// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant padded: a tile through team scratch, both sides coalesced. One unused column puts a tile's column into
// different banks.
#ifndef TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_PADDED_HPP
#define TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_PADDED_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/transpose/team_transpose.hpp>
#include <tessera/transpose/transpose_plan.hpp>

namespace tessera::detail {

/// Matrices as the kernel sees them: the input's column index is its fast one.
template <class T>
struct TransposeRequest {
  StridedTile<const T> in;  // rows x columns
  StridedTile<T> out;       // columns x rows
  std::int64_t rows, columns;
};

template <ExecutionSpace Space, class T>
struct TransposePadded {
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<1024, 1>>;
  using member_type = typename policy_type::member_type;
  static constexpr int tile_height = transpose_tile_height(is_host_space<Space>, sizeof(T));

  TransposeRequest<T> request;
  std::int64_t tile_rows, tiles;  // tiles down a column of tiles, and in all
  bool out_by_rows;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    auto* scratch = reinterpret_cast<T*>(team_scratch(team, transpose_scratch_bytes(tile_height, sizeof(T))));
    // Down the columns of tiles: neighbouring teams write neighbouring segments.
    for (std::int64_t tile = team.league_rank(); tile < tiles; tile += team.league_size()) {
      const QuotientRemainder split = divide(tile, tile_rows);
      transpose_tile(team, split.remainder * tile_height, split.quotient * transpose_tile_columns, scratch);
      if (tile + team.league_size() < tiles) team.team_barrier();  // scratch is staged anew
    }
  }

  KOKKOS_FUNCTION void transpose_tile(const member_type& team, std::int64_t row, std::int64_t column,
                                      T* scratch) const {
    const StridedTile<const T>& in = request.in;
    const StridedTile<T>& out = request.out;
    const StridedTile<const T> source{in.data + row * in.row_stride + column * in.column_stride, in.row_stride,
                                      in.column_stride};
    const StridedTile<T> target{out.data + column * out.row_stride + row * out.column_stride, out.row_stride,
                                out.column_stride};
    const bool whole = row + tile_height <= request.rows && column + transpose_tile_columns <= request.columns;
    if constexpr (!is_host_space<Space>) {
      if (whole && out_by_rows && team.team_size() == transpose_team_size) {
        team_transpose_whole<transpose_team_size>(team, source, target, scratch);
        return;
      }
    }
    const auto rows = static_cast<int>(Kokkos::min<std::int64_t>(tile_height, request.rows - row));
    const auto columns = static_cast<int>(Kokkos::min<std::int64_t>(transpose_tile_columns, request.columns - column));
    team_transpose_part(team, source, target, rows, columns, out_by_rows, scratch);
  }
};

template <ExecutionSpace Space, class T>
void launch_padded(const Space& space, const TransposePlan& plan, const TransposeRequest<T>& request,
                   int asked_team_size) {
  const std::int64_t tile_rows = ceil_div(request.rows, plan.tile_rows);
  const TransposePadded<Space, T> functor{request, tile_rows, tile_rows * ceil_div(request.columns, plan.tile_columns),
                                          request.out.column_stride <= request.out.row_stride};
  typename TransposePadded<Space, T>::policy_type policy(space, plan.league_size, plan.team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(plan.scratch_bytes))));
  require_launchable("tessera::transpose", policy, functor, asked_team_size);
  Kokkos::parallel_for("tessera::transpose::padded", policy, functor);
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variants tiled and padded: a tile through team scratch, both sides coalesced. One unused column, of padded, puts a
// tile's column into different banks.
#ifndef TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_TILED_HPP
#define TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_TILED_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/transpose/detail/transpose_job.hpp>
#include <tessera/transpose/detail/transpose_launch.hpp>
#include <tessera/transpose/team_transpose.hpp>
#include <tessera/transpose/transpose_plan.hpp>

namespace tessera::detail {

/// Few registers a thread, so that loads of several teams are under way. ToSectors: the segments that a tile writes are
/// moved to boundaries of sectors; its tiles are taller, as each reads more rows than its own.
template <ExecutionSpace Space, class Job, bool ToSectors>
struct TransposeTiled {
  using In = typename Job::in_type;
  using Out = typename Job::out_type;
  static constexpr int tile_rows =
      ToSectors ? transpose_sector_tile_rows : transpose_tile_height(is_host_space<Space>, sizeof(Out));
  static constexpr int tile_columns = transpose_tile_columns;
  static constexpr int sector = sector_length(is_host_space<Space>, sizeof(Out));
  static constexpr int teams_at_once = ToSectors ? transpose_sector_teams_at_once : transpose_teams_at_once;
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<transpose_team_size, teams_at_once>>;
  using member_type = typename policy_type::member_type;

  Job job;
  std::size_t scratch_bytes;
  int pitch;
  bool out_by_rows;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    auto* scratch = reinterpret_cast<Out*>(team_scratch(team, scratch_bytes));
    const TileWalk walk = tile_walk(team, job.tiles);
    for (std::int64_t tile = walk.begin; tile < walk.end; tile += walk.step) {
      transpose_tile(team, job.place(static_cast<std::uint32_t>(tile)), scratch);
      if (tile + walk.step < walk.end) team.team_barrier();  // scratch is staged anew
    }
  }

 private:
  KOKKOS_FUNCTION void transpose_tile(const member_type& team, const TilePlace& at, Out* scratch) const {
    const StridedTile<const In> source = job.source(at);
    const StridedTile<Out> target = job.target(at);
    const std::int64_t rows_left = job.rows - at.row;
    if constexpr (!is_host_space<Space>) {
      const bool whole = tile_rows <= rows_left && at.column + tile_columns <= job.columns;
      if (whole && out_by_rows && team.team_size() == transpose_team_size) {
        if constexpr (ToSectors) {
          turn_to_sectors(team, source, target,
                          static_cast<int>(Kokkos::min<std::int64_t>(sector, rows_left - tile_rows)), scratch);
          if (at.row == 0) turn_heads(team, target, scratch);
          return;
        } else {
          return team_transpose_whole<transpose_team_size>(team, source, target, pitch, job.function, scratch);
        }
      }
    }
    const auto rows = static_cast<int>(Kokkos::min<std::int64_t>(tile_rows, rows_left));
    const auto columns = static_cast<int>(Kokkos::min<std::int64_t>(tile_columns, job.columns - at.column));
    team_transpose_part(team, source, target, rows, columns, out_by_rows, pitch, job.function, scratch);
  }

  /// As team_transpose_whole(). below: rows under the tile that are read too, as segments of the output may move there.
  KOKKOS_FUNCTION void turn_to_sectors(const member_type& team, const StridedTile<const In>& in,
                                       const StridedTile<Out>& out, int below, Out* scratch) const {
    constexpr int rows_apart = transpose_team_size / tile_columns, columns_apart = transpose_team_size / tile_rows;
    constexpr int each = tile_rows / rows_apart, more = static_cast<int>(ceil_div(sector, rows_apart));
    const int rank = team.team_rank();
    const int in_row = rank / tile_columns, in_column = rank % tile_columns;
    const auto is_there = [&](int k) { return k < each || in_row + (k - each) * rows_apart < below; };
    In values[each + more];
    const In* source = in.data + in_row * in.row_stride + in_column * in.column_stride;
    const std::int64_t source_step = rows_apart * in.row_stride;
    TESSERA_UNROLL
    for (int k = 0; k < each + more; ++k, source += source_step) {
      if (is_there(k)) values[k] = *source;
    }
    Out* stage = scratch + in_row * pitch + in_column;
    const int stage_step = rows_apart * pitch;
    TESSERA_UNROLL
    for (int k = 0; k < each + more; ++k, stage += stage_step) {
      if (is_there(k)) *stage = job.function(values[k]);
    }
    team.team_barrier();
    const int row = rank % tile_rows, column = rank / tile_rows;
    // At the matrix' end several threads write its last row: a test would keep the reads from scratch apart.
    const int head_max = tile_rows + below - 1 - row;
    Out* target = out.data + column * out.row_stride + row * out.column_stride;
    const std::int64_t target_step = columns_apart * out.row_stride;
    const Out* staged = scratch + row * pitch + column;
    TESSERA_UNROLL
    for (int k = 0; k < tile_columns / columns_apart; ++k, target += target_step) {
      const int head = Kokkos::min(head_of(target - row), head_max);
      target[head] = staged[head * pitch + k * columns_apart];
    }
  }

  /// What lies before the first segments of the output's rows.
  KOKKOS_FUNCTION void turn_heads(const member_type& team, const StridedTile<Out>& out, const Out* scratch) const {
    TESSERA_NO_UNROLL
    for (int e = team.team_rank(); e < sector * tile_columns; e += team.team_size()) {
      const int column = e / sector, row = e % sector;
      Out* target = out.data + column * out.row_stride;
      if (row < head_of(target)) target[row] = scratch[row * pitch + column];
    }
  }

  /// Elements before a boundary of a sector: as many in all tiles along a row of the output.
  KOKKOS_FORCEINLINE_FUNCTION static int head_of(const Out* target) {
    const auto address = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(target));
    return static_cast<int>((0u - address) % sector_bytes / sizeof(Out));
  }
};

template <ExecutionSpace Space, class Job>
void launch_tiled(std::string_view function, const Space& space, const TransposePlan& plan, const Job& job,
                  bool to_sectors, int asked_team_size) {
  const auto launch = [&]<bool ToSectors>() {
    const TransposeTiled<Space, Job, ToSectors> functor{job, plan.scratch_bytes, plan.tile_columns + plan.pad,
                                                        job.out.column_stride <= job.out.row_stride};
    launch_transpose(function, space, plan, functor, asked_team_size);
  };
  if constexpr (sector_length(is_host_space<Space>, sizeof(typename Job::out_type)) > 0) {
    if (to_sectors) return launch.template operator()<true>();
  }
  launch.template operator()<false>();
}

}  // namespace tessera::detail

#endif

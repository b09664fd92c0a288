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
#include <tessera/detail/tile_walk.hpp>
#include <tessera/transpose/detail/transpose_job.hpp>
#include <tessera/transpose/detail/transpose_launch.hpp>
#include <tessera/transpose/team_transpose.hpp>
#include <tessera/transpose/transpose_plan.hpp>

namespace tessera::detail {

/// Few registers a thread, so that loads of several teams are under way.
template <ExecutionSpace Space, class Job>
struct TransposeTiled {
  static constexpr int rows_max = transpose_tile_height(is_host_space<Space>, sizeof(typename Job::out_type));
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<transpose_team_size, transpose_teams_at_once>>;
  using member_type = typename policy_type::member_type;
  using In = typename Job::in_type;
  using Out = typename Job::out_type;

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

  KOKKOS_FUNCTION void transpose_tile(const member_type& team, const TilePlace& at, Out* scratch) const {
    const StridedTile<const In> source = job.source(at);
    const StridedTile<Out> target = job.target(at);
    if constexpr (!is_host_space<Space>) {
      const bool whole = at.row + rows_max <= job.rows && at.column + transpose_tile_columns <= job.columns;
      if (whole && out_by_rows && team.team_size() == transpose_team_size) {
        return team_transpose_whole<transpose_team_size>(team, source, target, pitch, job.function, scratch);
      }
    }
    const auto rows = static_cast<int>(Kokkos::min<std::int64_t>(rows_max, job.rows - at.row));
    const auto columns = static_cast<int>(Kokkos::min<std::int64_t>(transpose_tile_columns, job.columns - at.column));
    team_transpose_part(team, source, target, rows, columns, out_by_rows, pitch, job.function, scratch);
  }
};

template <ExecutionSpace Space, class Job>
void launch_tiled(std::string_view function, const Space& space, const TransposePlan& plan, const Job& job,
                  int asked_team_size) {
  using Functor = TransposeTiled<Space, Job>;
  const Functor functor{job, plan.scratch_bytes, plan.tile_columns + plan.pad,
                        job.out.column_stride <= job.out.row_stride};
  launch_transpose(function, space, plan, functor, asked_team_size);
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant swizzled on hosts, for outputs that do not stay in the caches: tiles of whole lines, which go past them.
// Where rows of the output do not begin on lines, a tile is turned in scratch and writes the lines that begin in its
// part of each row, whose ends it has read from the tile below.
#ifndef TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_STREAMED_HPP
#define TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_STREAMED_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/host_stream.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/transpose/detail/host_turn.hpp>
#include <tessera/transpose/detail/transpose_job.hpp>
#include <tessera/transpose/detail/transpose_launch.hpp>
#include <tessera/transpose/team_transpose.hpp>
#include <tessera/transpose/transpose_plan.hpp>
#include <type_traits>

namespace tessera::detail {

template <ExecutionSpace Space, class Job>
struct TransposeStreamed {
  using policy_type = Kokkos::TeamPolicy<Space>;
  using member_type = typename policy_type::member_type;
  using In = typename Job::in_type;
  using Out = typename Job::out_type;
  static constexpr int line = stream_line / static_cast<int>(sizeof(Out));

  Job job;
  std::size_t scratch_bytes;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    // Whole lines of scratch: vectors do not straddle two.
    auto* scratch = reinterpret_cast<Out*>(team_scratch(team, scratch_bytes));
    scratch += line_head(scratch);
    const IndexRange groups = items_of(job.tile_columns / turned_columns, team.team_rank(), team.team_size());
    const TileWalk walk = tile_walk(team, job.tiles);
    for (std::int64_t tile = walk.begin; tile < walk.end; tile += walk.step) {
      const TilePlace at = job.place(job.across(static_cast<std::uint32_t>(tile)));
      const std::int64_t columns = Kokkos::min<std::int64_t>(job.tile_columns, job.columns - at.column);
      const auto begin = static_cast<int>(Kokkos::min(groups.begin * turned_columns, columns));
      const auto end = static_cast<int>(Kokkos::min(groups.end * turned_columns, columns));
      if (begin < end) move_columns(job.source(at), job.target(at), at.row, begin, end, scratch);
    }
    stream_fence();
  }

 private:
  /// The columns of one thread, whose part of scratch no other one touches.
  KOKKOS_FUNCTION void move_columns(const StridedTile<const In>& in, const StridedTile<Out>& out, std::int64_t row,
                                    int begin, int end, Out* scratch) const {
    const std::int64_t left = job.rows - row;
    if constexpr (turns_lines()) {
      if (in.column_stride == 1 && begins_on_lines(out)) {
        const auto rows = static_cast<int>(Kokkos::min<std::int64_t>(job.tile_rows, left));
        return turn<true>(in, out, job.function, rows, begin, end, job.tile_columns);
      }
    }
    const int pitch = job.tile_rows + line;
    const auto rows = static_cast<int>(Kokkos::min<std::int64_t>(pitch, left));
    const StridedTile<Out> staged{scratch, pitch, 1};
    turn<false>(in, staged, job.function, rows, begin, end, job.tile_columns);
    for (int column = begin; column < end; ++column) {
      Out* target = out.data + column * out.row_stride;
      const std::int64_t first = row == 0 ? 0 : Kokkos::min<std::int64_t>(line_head(target), left);
      const std::int64_t last = Kokkos::min<std::int64_t>(job.tile_rows + line_head(target + job.tile_rows), left);
      stream_elements(scratch + column * pitch + first, target + first, last - first);
    }
  }

  KOKKOS_FUNCTION static constexpr bool turns_lines() {
#ifdef TESSERA_HOST_SHUFFLES
    return turns_vectors<In, Out, typename Job::function_type> && turned_vector_bytes<Out> == stream_line;
#else
    return false;
#endif
  }

  KOKKOS_FUNCTION static bool begins_on_lines(const StridedTile<Out>& out) {
    return line_head(out.data) == 0 && out.row_stride % line == 0;
  }
};

template <ExecutionSpace Space, class Job>
void launch_streamed(std::string_view function, const Space& space, const TransposePlan& plan, const Job& job,
                     int asked_team_size) {
  const TransposeStreamed<Space, Job> functor{job, plan.scratch_bytes};
  launch_transpose(function, space, plan, functor, asked_team_size);
}

}  // namespace tessera::detail

#endif

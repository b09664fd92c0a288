// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant swizzled: a thread reads a few rows in wide accesses, turns them in registers and stages the columns in
// scratch, where the place in a line is rotated by XOR: no bank conflicts, no padding, wide accesses on the way out.
#ifndef TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_SWIZZLED_HPP
#define TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_SWIZZLED_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/transpose/detail/host_turn.hpp>
#include <tessera/transpose/detail/transpose_job.hpp>
#include <tessera/transpose/detail/transpose_launch.hpp>
#include <tessera/transpose/team_transpose.hpp>
#include <tessera/transpose/transpose_plan.hpp>
#include <type_traits>

namespace tessera::detail {

/// Rows: of the matrix, as far as the shape of tiles depends on them.
template <ExecutionSpace Space, class Job, int Rows>
struct TransposeSwizzled {
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<transpose_team_size, 4>>;
  using member_type = typename policy_type::member_type;
  using In = typename Job::in_type;
  using Out = typename Job::out_type;
  static constexpr SwizzleShape shape = swizzle_shape(sizeof(In), sizeof(Out), Rows);
  static constexpr int width = shape.width;
  static constexpr int blocks = shape.row_words * shape.column_words;  // of width x width elements
  static constexpr int each = blocks / transpose_team_size;
  using InWord = Packed<In, width>;
  using OutWord = Packed<Out, width>;
  using Access = whole_of<OutWord>;
  static_assert(each * transpose_team_size == blocks);

  Job job;
  std::size_t scratch_bytes;
  bool wide;  // all rows of both sides begin on boundaries of words

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const TileWalk walk = tile_walk(team, job.tiles);
    for (std::int64_t tile = walk.begin; tile < walk.end; tile += walk.step) {
      const TilePlace at = job.place(static_cast<std::uint32_t>(tile));
      // What of the tile lies in the matrix ends here.
      const auto rows = static_cast<int>(Kokkos::min<std::int64_t>(shape.rows(), job.rows - at.row));
      const auto columns = static_cast<int>(Kokkos::min<std::int64_t>(shape.columns(), job.columns - at.column));
      if constexpr (is_host_space<Space>) {
        // The first cache is the tile's scratch.
        const IndexRange groups = items_of(ceil_div(columns, turned_columns), team.team_rank(), team.team_size());
        const auto begin = static_cast<int>(groups.begin) * turned_columns;
        const int end = Kokkos::min(static_cast<int>(groups.end) * turned_columns, columns);
        const StridedTile<const In> source = job.source(at);
        const TilePlace next = job.place(static_cast<std::uint32_t>(Kokkos::min(tile + walk.step, walk.end - 1)));
        const std::int64_t ahead = job.rows - next.row >= rows ? job.source(next).data - source.data : 0;
        turn<false>(source, job.target(at), job.function, rows, begin, end, ahead);
      } else {
        const TilePart part{static_cast<int>(Kokkos::max<std::int64_t>(0, -at.row)),
                            static_cast<int>(Kokkos::max<std::int64_t>(0, -at.column)), rows, columns};
        turn_tile(team, job.source(at), job.target(at), part);
        if (tile + walk.step < walk.end) team.team_barrier();  // scratch is staged anew
      }
    }
  }

 private:
  /// What of a tile lies in the matrix.
  struct TilePart {
    int row_begin, column_begin, row_end, column_end;
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_whole() const {
      return row_begin == 0 && column_begin == 0 && row_end == shape.rows() && column_end == shape.columns();
    }
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool has(int row, int column) const {
      return row >= row_begin && row < row_end && column >= column_begin && column < column_end;
    }
  };

  KOKKOS_FUNCTION void turn_tile(const member_type& team, const StridedTile<const In>& source,
                                 const StridedTile<Out>& target, const TilePart& part) const {
    auto* scratch = reinterpret_cast<Access*>(team_scratch(team, scratch_bytes));
    if (wide && part.is_whole() && team.team_size() == transpose_team_size) {
      turn_whole(team, source, target, scratch);
    } else if (wide && (part.row_end | part.column_end) % width == 0) {
      turn_blocks(team, source, target, part, scratch);
    } else {
      turn_part(team, source, target, part, reinterpret_cast<Out*>(scratch));
    }
  }

  /// In scratch: word number row_word of a column of the tile.
  KOKKOS_FORCEINLINE_FUNCTION static unsigned staged(unsigned column, unsigned row_word) {
    return column * shape.row_words + (row_word ^ (column / width % shape.row_words));
  }

  KOKKOS_FORCEINLINE_FUNCTION static InWord load(const In* source) {
    return load_whole(reinterpret_cast<const InWord*>(source));
  }
  KOKKOS_FORCEINLINE_FUNCTION static void store(Out* target, Access word) {
    store_whole(reinterpret_cast<OutWord*>(target), Kokkos::bit_cast<OutWord>(word));
  }
  KOKKOS_FORCEINLINE_FUNCTION void stage(unsigned block, const InWord (&words)[width], Access* scratch) const {
    TESSERA_UNROLL
    for (int c = 0; c < width; ++c) {
      OutWord turned;
      TESSERA_UNROLL
      for (int i = 0; i < width; ++i) turned.values[i] = job.function(words[i].values[c]);
      scratch[staged(block % shape.column_words * width + c, block / shape.column_words)] =
          Kokkos::bit_cast<Access>(turned);
    }
  }
  /// All loads of a thread before the first one is used; pointers stepped by constants keep the registers low.
  KOKKOS_FUNCTION void turn_whole(const member_type& team, const StridedTile<const In>& in, const StridedTile<Out>& out,
                                  Access* scratch) const {
    constexpr int rows_apart = transpose_team_size / shape.column_words,
                  columns_apart = transpose_team_size / shape.row_words;
    const auto rank = static_cast<unsigned>(team.team_rank());  // shifts, where signs would take more
    InWord words[each][width];
    const In* source = in.data + rank / shape.column_words * width * in.row_stride + rank % shape.column_words * width;
    const std::int64_t source_step = (rows_apart - 1) * width * in.row_stride;
    TESSERA_UNROLL
    for (int n = 0; n < each; ++n, source += source_step) {
      TESSERA_UNROLL
      for (int i = 0; i < width; ++i, source += in.row_stride) words[n][i] = load(source);
    }
    TESSERA_UNROLL
    for (int n = 0; n < each; ++n) stage(rank + n * transpose_team_size, words[n], scratch);
    team.team_barrier();
    Out* target = out.data + rank / shape.row_words * out.row_stride + rank % shape.row_words * width;
    const std::int64_t target_step = columns_apart * out.row_stride;
    TESSERA_UNROLL
    for (int k = 0; k < each * width; ++k, target += target_step) {
      store(target, scratch[staged(rank / shape.row_words + k * columns_apart, rank % shape.row_words)]);
    }
  }

  /// Any team, and any part in whole words.
  KOKKOS_FUNCTION void turn_blocks(const member_type& team, const StridedTile<const In>& in,
                                   const StridedTile<Out>& out, const TilePart& part, Access* scratch) const {
    TESSERA_NO_UNROLL
    for (int block = team.team_rank(); block < blocks; block += team.team_size()) {
      const int row = block / shape.column_words * width, column = block % shape.column_words * width;
      if (!part.has(row, column)) continue;
      const In* source = in.data + row * in.row_stride + column;
      InWord words[width];
      TESSERA_UNROLL
      for (int i = 0; i < width; ++i, source += in.row_stride) words[i] = load(source);
      stage(block, words, scratch);
    }
    team.team_barrier();
    TESSERA_NO_UNROLL
    for (int word = team.team_rank(); word < blocks * width; word += team.team_size()) {
      const int column = word / shape.row_words, row_word = word % shape.row_words;
      if (!part.has(row_word * width, column)) continue;
      store(out.data + column * out.row_stride + row_word * width, scratch[staged(column, row_word)]);
    }
  }

  /// Any part of a tile, element by element.
  KOKKOS_FUNCTION void turn_part(const member_type& team, const StridedTile<const In>& in, const StridedTile<Out>& out,
                                 const TilePart& part, Out* scratch) const {
    const int rows = part.row_end - part.row_begin, columns = part.column_end - part.column_begin;
    const In* source = in.data + part.row_begin * in.row_stride + part.column_begin * in.column_stride;
    Out* target = out.data + part.column_begin * out.row_stride + part.row_begin * out.column_stride;
    team_for_each_pair(team, rows, columns, [&](int row, int column) {
      scratch[staged(column, row / width) * width + row % width] =
          job.function(source[row * in.row_stride + column * in.column_stride]);
    });
    team.team_barrier();
    team_for_each_pair(team, columns, rows, [&](int column, int row) {
      target[column * out.row_stride + row * out.column_stride] =
          scratch[staged(column, row / width) * width + row % width];
    });
  }
};

template <ExecutionSpace Space, class Job>
void launch_swizzled(std::string_view function, const Space& space, const TransposePlan& plan, const Job& job,
                     bool wide, int asked_team_size) {
  const auto launch = [&]<int Rows>(std::integral_constant<int, Rows>) {
    const TransposeSwizzled<Space, Job, Rows> functor{job, plan.scratch_bytes, wide};
    launch_transpose(function, space, plan, functor, asked_team_size);
  };
  constexpr int few = 1, many = square_swizzle_rows;
  using In = typename Job::in_type;
  using Out = typename Job::out_type;
  if constexpr (swizzle_shape(sizeof(In), sizeof(Out), few).rows() !=
                swizzle_shape(sizeof(In), sizeof(Out), many).rows()) {
    if (job.rows < square_swizzle_rows) return launch(std::integral_constant<int, few>());
  }
  launch(std::integral_constant<int, many>());
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Few lines across memory that fill it together: a tile of all of them is a piece of memory, which goes to scratch and
// back in 16-byte pieces; a thread makes a run of outputs of a line.
#ifndef TESSERA_FILTER_DETAIL_INTERLEAVED_LINES_HPP
#define TESSERA_FILTER_DETAIL_INTERLEAVED_LINES_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/async_copy.hpp>
#include <tessera/detail/divisor.hpp>
#include <tessera/detail/lanes.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/interleaved_plan.hpp>
#include <tessera/filter/detail/line_array.hpp>

namespace tessera::detail {

/// Rows of neighbours follow each other; of several blocks, they too.
template <class Types>
class InterleavedLines {
 public:
  using In = typename Types::in_type;
  using Out = typename Types::out_type;
  static constexpr int run = Types::run;

  /// A team's, at a time.
  struct Tile {
    const In* x;  // the first block
    Out* y;       // the first output
    std::int64_t first;
    int blocks, outputs;  // these of each line
    int begin, end;       // rows of elements inside the lines, counted from the first window's first one
  };

  /// A thread's: count outputs of a line from the i-th of its tile on, step apart in slots; the first one's window
  /// begins with *elements, step apart too. x: the line's first element, also in memory step apart.
  struct Run {
    const In *x, *elements;
    Out* slots;
    int i, count, step;
  };

  /// reach_left: elements of a window before that of its output.
  InterleavedLines(const InterleavedPlan& plan, const LineArray<const In>& in, const LineArray<Out>& out,
                   std::int64_t taps, std::int64_t reach_left)
      : m_plan(plan),
        m_in(in),
        m_out(out),
        m_columns(static_cast<int>(in.columns())),
        m_runs(plan.runs),
        m_beyond(plan.blocks == 1 ? 1 : rows_beyond(in.extent, out.extent, taps, reach_left) * m_columns.value()),
        m_reach(static_cast<int>(taps) - 1),
        m_reach_left(reach_left),
        m_blocks(in.lines() / in.columns()),
        m_tiles_per_block(ceil_div(out.extent, plan.tile)),
        m_tiles(ceil_div(m_blocks, plan.blocks) * m_tiles_per_block) {}

  /// scratch: the plan's bytes. element(x, j): what stands for the j-th of a line beyond its ends. make(tile, runs)
  /// makes a tile's outputs: runs(f) calls f(run) for each of a thread's runs.
  template <TeamMember Member, class Element, class Make>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(const Member& team, std::byte* scratch, const Element& element,
                                            const Make& make) const {
    auto* const staged = reinterpret_cast<In*>(scratch);
    const TileWalk walk = tile_walk(team, m_tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      const Tile tile = tile_of(index);
      stage(team, tile, element, staged);
      team.team_barrier();
      const int count = tile.blocks * tile.outputs * m_columns.value();
      const int head = static_cast<int>(misaligned_head(tile.y, count));
      constexpr int width = packed_length<Out>;
      Out* const slots = reinterpret_cast<Out*>(scratch + m_plan.slots_at) + (width - head % width) % width;
      make(tile, [&](const auto& f) { for_each_run(team, tile, staged, slots, f); });
      team.team_barrier();
      store_slots(slots, tile.y, count, head, team.team_rank(), team.team_size());
    }
  }

 private:
  /// Of a block: rows that windows of whole lines see beyond its ends.
  static int rows_beyond(std::int64_t elements, std::int64_t outputs, std::int64_t taps, std::int64_t reach_left) {
    const std::int64_t rows = outputs + taps - 1;
    return std::max(1, static_cast<int>(rows - std::min(elements, rows - reach_left)));
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Tile tile_of(std::int64_t index) const {
    const QuotientRemainder split = divide(index, m_tiles_per_block);
    const std::int64_t block = split.quotient * m_plan.blocks, first = split.remainder * m_plan.tile;
    const std::int64_t line = block * m_columns.value(), first_row = first - m_reach_left;
    const auto outputs = static_cast<int>(Kokkos::min<std::int64_t>(m_plan.tile, m_out.extent - first));
    const int rows = outputs + m_reach;
    const int begin = Kokkos::min(Kokkos::max(near_index(-first_row), 0), rows);
    return {m_in.line(line),
            m_out.line(line) + first * m_columns.value(),
            first,
            static_cast<int>(Kokkos::min<std::int64_t>(m_plan.blocks, m_blocks - block)),
            outputs,
            begin,
            Kokkos::max(Kokkos::min(near_index(m_in.extent - first_row), rows), begin)};
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const In* block_of(const Tile& tile, int block) const {
    return tile.x + block * m_in.extent * m_columns.value();
  }

  /// Where in scratch the rows of a block begin, with that of its first window.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION In* rows_of(const Tile& tile, int block, In* staged) const {
    const std::int64_t first_row = tile.first - m_reach_left;
    return async_place(block_of(tile, block) + first_row * m_columns.value(), staged + block * m_plan.pitch);
  }

  /// f(block, thread, threads): threads take a block together, or warps take one each.
  template <TeamMember Member, class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_block(const Member& team, const Tile& tile, const F& f) const {
    const int threads = m_plan.blocks == 1 ? team.team_size() : Kokkos::min(team.team_size(), int{warp_lanes});
    const int groups = team.team_size() / threads, group = team.team_rank() / threads;
    TESSERA_NO_UNROLL
    for (int block = group < groups ? group : tile.blocks; block < tile.blocks; block += groups) {
      f(block, team.team_rank() - group * threads, threads);
    }
  }

  template <TeamMember Member, class Element>
  KOKKOS_FORCEINLINE_FUNCTION void stage(const Member& team, const Tile& tile, const Element& element,
                                         In* staged) const {
    const int width = m_columns.value();
    const std::int64_t first_row = tile.first - m_reach_left;
    for_each_block(team, tile, [&](int block, int thread, int threads) {
      begin_copy(block_of(tile, block) + (first_row + tile.begin) * width, (tile.end - tile.begin) * width,
                 staged + block * m_plan.pitch + tile.begin * width, thread, threads);
    });
    end_async_group();
    stage_beyond(team, tile, element, staged);
    wait_for_async_groups<0>();
  }

  template <TeamMember Member, class Element>
  KOKKOS_FORCEINLINE_FUNCTION void stage_beyond(const Member& team, const Tile& tile, const Element& element,
                                                In* staged) const {
    const int width = m_columns.value(), rows = tile.outputs + m_reach;
    const int inside = tile.end - tile.begin, count = (rows - inside) * width;
    TESSERA_NO_UNROLL
    for (int e = team.team_rank(); e < tile.blocks * count; e += team.team_size()) {
      const int block = m_plan.blocks == 1 ? 0 : m_beyond.quotient(e), within = e - block * count;
      const int at = within < tile.begin * width ? within : within + inside * width;
      const int row = m_columns.quotient(at);
      rows_of(tile, block, staged)[at] =
          element(block_of(tile, block) + (at - row * width), tile.first - m_reach_left + row);
    }
  }

  template <TeamMember Member, class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_run(const Member& team, const Tile& tile, In* staged, Out* slots,
                                                const F& f) const {
    const int width = m_columns.value();
    TESSERA_NO_UNROLL
    for (int task = team.team_rank(); task < tile.blocks * m_plan.runs; task += team.team_size()) {
      const int block = m_runs.quotient(task), within = task - block * m_plan.runs;
      const int group = m_columns.quotient(within), column = within - group * width, i = group * run;
      if (i >= tile.outputs) continue;
      f(Run{block_of(tile, block) + column, rows_of(tile, block, staged) + i * width + column,
            slots + (block * tile.outputs + i) * width + column, i, tile.outputs - i, width});
    }
  }

  InterleavedPlan m_plan;
  LineArray<const In> m_in;
  LineArray<Out> m_out;
  SmallDivisor m_columns, m_runs, m_beyond;  // of a block: its runs, and, of several, the elements beyond their lines
  int m_reach;                               // elements of a window but one
  std::int64_t m_reach_left, m_blocks, m_tiles_per_block, m_tiles;
};

}  // namespace tessera::detail

#endif

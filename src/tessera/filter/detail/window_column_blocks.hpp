// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant columns, of windows that registers do not hold: the blocks and parts of window_blocks.hpp, of lines across
// memory. Neighbouring threads take neighbouring lines, so that rows of elements are read whole, and a team walks along
// its lines. A block of them waits in scratch for the parts one block on, which take its place; where it does not fit,
// its rows are read again.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_COLUMN_BLOCKS_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_COLUMN_BLOCKS_HPP

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/column_tiles.hpp>
#include <tessera/filter/detail/window_blocks.hpp>
#include <tessera/filter/detail/window_lines.hpp>
#include <tessera/filter/detail/window_scan.hpp>
#include <tessera/filter/window_plan.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Op>
struct WindowColumnBlocks {
  using policy_type = WindowPolicy<Space, sizeof(typename Op::value_type) <= 4 ? 3 : 2>;
  using member_type = typename policy_type::member_type;
  using In = typename Op::in_type;
  using Out = typename Op::out_type;
  using Value = typename Op::value_type;
  using Staged = typename Op::staged_type;
  static constexpr bool is_host = is_host_space<Space>;
  /// Lines of a thread. On hosts all of its team's: compilers vectorise over them.
  static constexpr int wide = is_host ? window_column_block_lines<true> : 1;
  /// The elements of a run.
  template <class T>
  using Rows = T[window_run][wide];

  WindowLines<Op> lines;
  Op op;
  WindowBlockShape shape;
  WindowColumnScratch pieces;
  int lane_bits;  // of the team's neighbouring lines
  bool stages;
  int walk;
  ColumnTiles column_tiles;
  std::int64_t walks_per_line, tiles;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    std::byte* scratch = team_scratch(team, pieces.bytes);
    const TileWalk share = tile_walk(team, tiles);
    for (std::int64_t index = share.begin; index < share.end; index += share.step) {
      // Neighbouring teams take neighbouring columns: together they read whole rows.
      const QuotientRemainder split = divide(index, column_tiles.count);
      const QuotientRemainder place = divide(split.quotient, walks_per_line);
      const ColumnTile columns = column_tiles.tile(split.remainder);
      const std::int64_t first_line = place.quotient * column_tiles.columns + columns.first;
      const Tile tile{lines.in.line(first_line), lines.out.line(first_line), columns.skipped, columns.width, scratch};
      const std::int64_t begin = shape.part_begin + place.remainder * walk;
      const std::int64_t end = Kokkos::min(begin + walk, shape.part_end);
      take_block(team, tile, begin);
      for (std::int64_t part = begin; part < end; ++part) filter_part(team, tile, part);
    }
  }

 private:
  struct Tile {
    const In* x;
    Out* y;
    int skipped, width;  // lanes
    std::byte* scratch;
  };
  /// Elements start .. start + count - 1 of lines, and their place in scratch.
  struct Part {
    std::int64_t start;
    int count;
    Staged* staged;
  };

  [[nodiscard]] KOKKOS_FUNCTION Staged* staged_at(const Tile& tile, std::size_t at) const {
    return reinterpret_cast<Staged*>(tile.scratch + at);
  }
  /// Its place is that of all parts so many blocks away.
  [[nodiscard]] KOKKOS_FUNCTION Part part_of(const Tile& tile, std::int64_t index) const {
    const QuotientRemainder split = divide(index, shape.parts);
    const std::int64_t begin = split.remainder * shape.part_size;
    return {(shape.first + split.quotient) * shape.window + begin,
            static_cast<int>(Kokkos::min(shape.part_size, shape.window - begin)),
            staged_at(tile, pieces.block_at) + (begin << lane_bits)};
  }
  /// The totals of such parts.
  [[nodiscard]] KOKKOS_FUNCTION Value* kept(const Tile& tile, std::int64_t index) const {
    const std::int64_t part = divide(index, shape.parts).remainder;
    return reinterpret_cast<Value*>(tile.scratch + pieces.kept_at) + (part << lane_bits);
  }
  [[nodiscard]] KOKKOS_FUNCTION WindowScan<Value> scan_of(const Tile& tile) const {
    return {reinterpret_cast<Value*>(tile.scratch + pieces.forward_at[0]),
            reinterpret_cast<Value*>(tile.scratch + pieces.forward_at[1]),
            reinterpret_cast<Value*>(tile.scratch + pieces.backward_at[0]),
            reinterpret_cast<Value*>(tile.scratch + pieces.backward_at[1])};
  }

  /// Calls body(run, lane, few) for the lines lane .. lane + few - 1 of each run.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_runs(const member_type& team, const Tile& tile, int runs,
                                            const Body& body) const {
    if constexpr (is_host) {
      for (int run = team.team_rank(); run < runs; run += team.team_size()) body(run, 0, tile.width);
    } else {
      TESSERA_NO_UNROLL
      for (int at = team.team_rank(); at < runs << lane_bits; at += team.team_size()) {
        const int lane = at & ((1 << lane_bits) - 1);
        if (lane >= tile.skipped && lane < tile.skipped + tile.width) body(at >> lane_bits, lane, 1);
      }
    }
  }

  /// Puts a run's elements from memory into `rows`.
  KOKKOS_FORCEINLINE_FUNCTION void load(const Tile& tile, const Part& part, int run, int lane, int few,
                                        Rows<Staged>& rows) const {
    const int count = run_size(part.count, run);
    const std::int64_t first = part.start + run * window_run;
    const In* x = tile.x + (lane - tile.skipped);
    if (first >= 0 && first + count <= lines.in.extent) {
      const In* row = x + first * lines.in.stride;
      TESSERA_UNROLL_ON_DEVICE
      for (int s = 0; s < window_run; ++s) {
        if (s >= count) continue;
        for (int k = 0; k < few; ++k) rows[s][k] = op.staged(row[s * lines.in.stride + k]);
      }
      return;
    }
    TESSERA_UNROLL_ON_DEVICE
    for (int s = 0; s < window_run; ++s) {
      if (s >= count) continue;
      const std::int64_t j = lines.element_for(first + s);
      for (int k = 0; k < few; ++k) {
        rows[s][k] = op.staged(j < 0 ? lines.boundary.cval : x[j * lines.in.stride + k]);
      }
    }
  }

  /// The same from scratch, where they wait there.
  KOKKOS_FORCEINLINE_FUNCTION void fetch(const Tile& tile, const Part& part, int run, int lane, int few,
                                         Rows<Staged>& rows) const {
    if (!stages) return load(tile, part, run, lane, few, rows);
    const int count = run_size(part.count, run);
    const Staged* staged = part.staged + ((run * window_run) << lane_bits) + lane;
    TESSERA_UNROLL_ON_DEVICE
    for (int s = 0; s < window_run; ++s) {
      if (s >= count) continue;
      for (int k = 0; k < few; ++k) rows[s][k] = staged[(s << lane_bits) + k];
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void put(const Part& part, int run, int lane, int few, const Rows<Staged>& rows) const {
    if (!stages) return;
    const int count = run_size(part.count, run);
    Staged* staged = part.staged + ((run * window_run) << lane_bits) + lane;
    TESSERA_UNROLL_ON_DEVICE
    for (int s = 0; s < window_run; ++s) {
      if (s >= count) continue;
      for (int k = 0; k < few; ++k) staged[(s << lane_bits) + k] = rows[s][k];
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void total(const Rows<Staged>& rows, int count, int few, Value* totals) const {
    Value sums[wide];
    for (int k = 0; k < few; ++k) sums[k] = op.value(rows[0][k]);
    TESSERA_UNROLL_ON_DEVICE
    for (int s = 1; s < window_run; ++s) {
      if (s >= count) continue;
      for (int k = 0; k < few; ++k) sums[k] = op.join(sums[k], op.value(rows[s][k]));
    }
    for (int k = 0; k < few; ++k) totals[k] = sums[k];
  }

  /// Begins with the totals of runs, before a barrier; ends with one.
  KOKKOS_FORCEINLINE_FUNCTION void scan_runs(const member_type& team, const Tile& tile, int runs,
                                             WindowScan<Value>& scan) const {
    team.team_barrier();
    for (int distance = 1; distance < runs; distance *= 2) {
      for_runs(team, tile, runs, [&](int run, int lane, int few) {
        scan.pass(op, (run << lane_bits) + lane, few, distance << lane_bits, runs << lane_bits);
      });
      team.team_barrier();
      scan.end_pass();
    }
  }

  /// The block of parts from one on, and their totals.
  KOKKOS_FUNCTION void take_block(const member_type& team, const Tile& tile, std::int64_t first) const {
    if (!stages && shape.parts == 1) return;
    TESSERA_NO_UNROLL
    for (std::int64_t index = first; index < first + shape.parts; ++index) {
      const Part part = part_of(tile, index);
      const int runs = (part.count + window_run - 1) / window_run;
      WindowScan<Value> scan = scan_of(tile);
      for_runs(team, tile, runs, [&](int run, int lane, int few) {
        Rows<Staged> rows;
        load(tile, part, run, lane, few, rows);
        put(part, run, lane, few, rows);
        Value* totals = scan.forward + (run << lane_bits) + lane;
        total(rows, run_size(part.count, run), few, totals);
        for (int k = 0; k < few; ++k) scan.backward[(run << lane_bits) + lane + k] = totals[k];
      });
      scan_runs(team, tile, runs, scan);
      keep_total(team, tile, index, runs, scan);
      team.team_barrier();
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void keep_total(const member_type& team, const Tile& tile, std::int64_t index, int runs,
                                              const WindowScan<Value>& scan) const {
    const int end = tile.skipped + tile.width;
    for (int lane = tile.skipped + team.team_rank(); lane < end; lane += team.team_size()) {
      kept(tile, index)[lane] = scan.forward[((runs - 1) << lane_bits) + lane];
    }
  }

  /// The outputs whose windows start in a part.
  KOKKOS_FUNCTION void filter_part(const member_type& team, const Tile& tile, std::int64_t index) const {
    const Part left = part_of(tile, index);
    const Part right{left.start + shape.window, left.count, staged_at(tile, pieces.part_at)};
    const int runs = (left.count + window_run - 1) / window_run;
    WindowScan<Value> scan = scan_of(tile);
    for_runs(team, tile, runs, [&](int run, int lane, int few) {
      const int at = (run << lane_bits) + lane, count = run_size(left.count, run);
      Rows<Staged> rows;
      load(tile, right, run, lane, few, rows);
      put(right, run, lane, few, rows);
      total(rows, count, few, scan.forward + at);
      fetch(tile, left, run, lane, few, rows);
      total(rows, count, few, scan.backward + at);
    });
    scan_runs(team, tile, runs, scan);
    for_runs(team, tile, runs,
             [&](int run, int lane, int few) { join_ends(tile, index, left, right, scan, run, lane, few); });
    // Nobody reads this part's total in this step.
    keep_total(team, tile, index, runs, scan);
    team.team_barrier();  // scratch is written anew
  }

  /// Of the windows that start in a run: its end and what is behind it, the whole parts, what is before the run one
  /// block on and the elements of that, which take its place.
  KOKKOS_FORCEINLINE_FUNCTION void join_ends(const Tile& tile, std::int64_t index, const Part& left, const Part& right,
                                             const WindowScan<Value>& scan, int run, int lane, int few) const {
    const int count = run_size(left.count, run), runs = (left.count + window_run - 1) / window_run;
    const int at = (run << lane_bits) + lane, lanes = 1 << lane_bits;
    Value behind[wide], before[wide], beginning[wide];
    for (int k = 0; k < few; ++k) {
      behind[k] = run + 1 < runs ? scan.backward[at + lanes + k] : op.identity();
      before[k] = beginning[k] = op.identity();
    }
    TESSERA_NO_UNROLL
    for (std::int64_t part = index + 1; part < index + shape.parts; ++part) {
      const Value* total = kept(tile, part) + lane;
      for (int k = 0; k < few; ++k) before[k] = op.join(before[k], total[k]);
    }
    if (run > 0) {
      for (int k = 0; k < few; ++k) before[k] = op.join(before[k], scan.forward[at - lanes + k]);
    }
    Rows<Staged> rows;
    Rows<Value> ends;
    fetch(tile, left, run, lane, few, rows);
    TESSERA_UNROLL_ON_DEVICE
    for (int s = window_run - 1; s >= 0; --s) {
      if (s >= count) continue;
      for (int k = 0; k < few; ++k) {
        const Value value = op.value(rows[s][k]);
        ends[s][k] =
            s + 1 < window_run && s + 1 < count ? op.join(value, ends[s + 1 < window_run ? s + 1 : s][k]) : value;
      }
    }
    fetch(tile, right, run, lane, few, rows);
    put(left, run, lane, few, rows);
    const std::int64_t i = left.start + run * window_run + lines.window.reach_left;
    const bool plain = i >= 0 && i + count <= lines.out.extent && lines.is_made(i) && lines.is_made(i + count - 1);
    const In* x = tile.x + (lane - tile.skipped);
    Out* y = tile.y + i * lines.out.stride + (lane - tile.skipped);
    TESSERA_UNROLL_ON_DEVICE
    for (int s = 0; s < window_run; ++s) {
      if (s >= count) continue;
      for (int k = 0; k < few; ++k) {
        ends[s][k] = op.join(op.join(ends[s][k], behind[k]), op.join(before[k], beginning[k]));
        beginning[k] = op.join(beginning[k], op.value(rows[s][k]));
      }
      Out* row = y + s * lines.out.stride;
      if (plain) {
        for (int k = 0; k < few; ++k) row[k] = op.result(ends[s][k]);
      } else if (i + s >= 0 && i + s < lines.out.extent) {
        const bool is_made = lines.is_made(i + s);
        for (int k = 0; k < few; ++k) row[k] = is_made ? op.result(ends[s][k]) : lines.kept(x + k, i + s);
      }
    }
  }
};

template <ExecutionSpace Space, class Op>
void launch_window_column_blocks(std::string_view function, const Space& space, const WindowPlan& plan,
                                 const WindowLines<Op>& lines, const Op& op, int asked_team_size) {
  using Functor = WindowColumnBlocks<Space, Op>;
  const WindowBlockShape shape = window_block_shape(lines.in.extent, lines.window, plan.tile);
  const WindowColumnScratch staged = window_column_scratch<Op>(shape, plan.lanes, true);
  const bool stages = staged.bytes == plan.scratch_bytes;
  const ColumnTiles tiles = column_tiles(lines.in, plan.lanes, Functor::is_host);
  const std::int64_t walks_per_line = ceil_div(shape.part_end - shape.part_begin, plan.walk);
  const Functor functor{lines,
                        op,
                        shape,
                        stages ? staged : window_column_scratch<Op>(shape, plan.lanes, false),
                        std::countr_zero(static_cast<unsigned>(plan.lanes)),
                        stages,
                        plan.walk,
                        tiles,
                        walks_per_line,
                        lines.in.lines() / tiles.columns * tiles.count * walks_per_line};
  launch_windows(function, "tessera::window::columns", space, plan, functor, asked_team_size);
}

}  // namespace tessera::detail

#endif

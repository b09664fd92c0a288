// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant columns of devices, of windows whose values scratch holds for each thread: neighbouring threads take
// neighbouring lines and walk along them, by blocks as long as the window that start at multiples of it. A window is
// the end of one block, whose values wait in scratch, and the beginning of the next. Threads never wait for others, and
// nothing is ever subtracted.
//
// M. van Herk, "A fast algorithm for local minimum and maximum filters on rectangular and octagonal kernels", Pattern
// Recognition Letters 13 (1992); J. Gil, M. Werman, "Computing 2-D min, median, and max filters", IEEE Transactions on
// Pattern Analysis and Machine Intelligence 15 (1993).
#ifndef TESSERA_FILTER_DETAIL_WINDOW_COLUMN_WALKS_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_COLUMN_WALKS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/column_tiles.hpp>
#include <tessera/filter/detail/window_lines.hpp>
#include <tessera/filter/window_plan.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Op>
struct WindowColumnWalks {
  using policy_type = WindowPolicy<Space, window_column_walk_teams>;
  using member_type = typename policy_type::member_type;
  using In = typename Op::in_type;
  using Out = typename Op::out_type;
  using Value = typename Op::value_type;
  /// Neighbours of a line that are read at a time, and joined by themselves.
  static constexpr int part = window_column_walk_part;

  WindowLines<Op> lines;
  Op op;
  int walks_at_once;  // of a team
  int blocks;         // of a walk
  ColumnTiles column_tiles;
  std::int64_t walks_per_line, walks;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const int lanes = column_tiles.lanes, slots = lanes * walks_at_once;
    auto* values = reinterpret_cast<Value*>(team_scratch(team, window_column_walk_bytes<Op>(slots, lines.window.size)));
    const TileWalk share = tile_walk(team, ceil_div(walks, std::int64_t{walks_at_once}) * column_tiles.count);
    for (std::int64_t index = share.begin; index < share.end; index += share.step) {
      // Neighbouring teams take neighbouring columns: together they read whole rows.
      const QuotientRemainder split = divide(index, column_tiles.count);
      const ColumnTile columns = column_tiles.tile(split.remainder);
      for (int slot = team.team_rank(); slot < slots; slot += team.team_size()) {
        const int lane = slot % lanes - columns.skipped;
        const std::int64_t walk = split.quotient * walks_at_once + slot / lanes;
        if (lane < 0 || lane >= columns.width || walk >= walks) continue;
        const QuotientRemainder place = divide(walk, walks_per_line);
        const std::int64_t line = place.quotient * column_tiles.columns + columns.first + lane;
        make_walk(lines.in.line(line), lines.out.line(line), {values + slot, slots, size()},
                  place.remainder * blocks * size());
      }
    }
  }

 private:
  /// Of a block, in scratch.
  struct Column {
    Value* values;
    int step, size;
    KOKKOS_FORCEINLINE_FUNCTION Value& operator[](int k) const { return values[k * step]; }
  };

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int size() const { return static_cast<int>(lines.window.size); }

  /// The outputs of blocks from output first on.
  KOKKOS_FORCEINLINE_FUNCTION void make_walk(const In* x, Out* y, const Column& column, std::int64_t first) const {
    const std::int64_t begin = first - lines.window.reach_left;
    TESSERA_NO_UNROLL
    for (int q = 0; q < column.size; q += part) {
      In loaded[part];
      load(x, begin + q, loaded);
      TESSERA_UNROLL
      for (int s = 0; s < part; ++s) {
        if (q + s < column.size) column[q + s] = op.value(op.staged(loaded[s]));
      }
    }
    const std::int64_t end = Kokkos::min(first + std::int64_t{blocks} * column.size, lines.out.extent);
    TESSERA_NO_UNROLL
    for (std::int64_t i = first; i < end; i += column.size) {
      join_ends(column);
      make_block(x, y, column, i);
    }
  }

  /// The line's elements from j on. Beyond the last output's window, any.
  KOKKOS_FORCEINLINE_FUNCTION void load(const In* x, std::int64_t j, In (&loaded)[part]) const {
    if (j >= 0 && j + part <= lines.in.extent) {
      const In* source = x + j * lines.in.stride;
      TESSERA_UNROLL
      for (int s = 0; s < part; ++s) {
        loaded[s] = *source;
        source += lines.in.stride;
      }
      return;
    }
    const std::int64_t last = lines.out.extent - 1 - lines.window.reach_left + lines.window.size - 1;
    TESSERA_UNROLL
    for (int s = 0; s < part; ++s) {
      const std::int64_t k = lines.element_for(Kokkos::min(j + s, last));
      loaded[s] = k < 0 ? lines.boundary.cval : x[k * lines.in.stride];
    }
  }

  /// From each value of a block to its last.
  KOKKOS_FORCEINLINE_FUNCTION void join_ends(const Column& column) const {
    Value behind = op.identity();
    TESSERA_NO_UNROLL
    for (int q = (column.size - 1) / part * part; q >= 0; q -= part) {
      Value values[part];
      TESSERA_UNROLL
      for (int s = 0; s < part; ++s) values[s] = q + s < column.size ? column[q + s] : op.identity();
      TESSERA_UNROLL
      for (int s = part - 2; s >= 0; --s) values[s] = op.join(values[s], values[s + 1]);
      TESSERA_UNROLL
      for (int s = 0; s < part; ++s) {
        if (q + s < column.size) column[q + s] = op.join(values[s], behind);
      }
      behind = op.join(values[0], behind);
    }
  }

  /// The outputs from i on of windows that begin in a block; the next one's elements take its place.
  KOKKOS_FORCEINLINE_FUNCTION void make_block(const In* x, Out* y, const Column& column, std::int64_t i) const {
    const std::int64_t next = i - lines.window.reach_left + column.size;
    Value before = op.identity();
    In ahead[part];
    load(x, next, ahead);
    TESSERA_NO_UNROLL
    for (int q = 0; q < column.size; q += part) {
      In loaded[part];
      TESSERA_UNROLL
      for (int s = 0; s < part; ++s) loaded[s] = ahead[s];
      if (q + part < column.size) load(x, next + q + part, ahead);
      Value joined[part], beginning = op.identity();
      TESSERA_UNROLL
      for (int s = 0; s < part; ++s) {
        const bool exists = q + s < column.size;
        joined[s] = op.join(exists ? column[q + s] : op.identity(), s == 0 ? before : op.join(before, beginning));
        const Value value = op.value(op.staged(loaded[s]));
        if (exists) column[q + s] = value;
        beginning = s == 0 ? value : op.join(beginning, value);
      }
      before = op.join(before, beginning);
      Value all = joined[0];
      if constexpr (Op::is_idempotent) {
        TESSERA_UNROLL
        for (int s = 1; s < part; ++s) all = op.join(all, joined[s]);
      }
      Out results[part];
      op.template results<part>(joined, all, results);
      const int left = column.size - q;
      store(x, y, i + q, left < part ? left : part, results);
    }
  }

  /// The first results, of outputs from i on, as far as they exist.
  KOKKOS_FORCEINLINE_FUNCTION void store(const In* x, Out* y, std::int64_t i, int count,
                                         const Out (&results)[part]) const {
    const auto made = lines.made_of(i, count);
    Out* target = y + i * lines.out.stride;
    TESSERA_UNROLL
    for (int s = 0; s < part; ++s) {
      if (s >= made.begin && s < made.end && i + s < lines.out.extent) *target = results[s];
      target += lines.out.stride;
    }
    if (made.begin == 0 && made.end == count) return;
    const auto existing = static_cast<int>(Kokkos::min<std::int64_t>(count, lines.out.extent - i));
    TESSERA_NO_UNROLL
    for (int s = 0; s < existing; ++s) {
      if (s < made.begin || s >= made.end) y[(i + s) * lines.out.stride] = lines.kept(x, i + s);
    }
  }
};

template <ExecutionSpace Space, class Op>
void launch_window_column_walks(std::string_view function, const Space& space, const WindowPlan& plan,
                                const WindowLines<Op>& lines, const Op& op, int asked_team_size) {
  using Functor = WindowColumnWalks<Space, Op>;
  const ColumnTiles tiles = column_tiles(lines.in, plan.lanes, is_host_space<Space>);
  const std::int64_t blocks = ceil_div(lines.out.extent, lines.window.size);
  const std::int64_t walks_per_line = ceil_div(blocks, std::int64_t{plan.walk});
  const Functor functor{lines,
                        op,
                        window_column_walks_at_once(plan.lanes),
                        plan.walk,
                        tiles,
                        walks_per_line,
                        lines.in.lines() / tiles.columns * walks_per_line};
  launch_windows(function, "tessera::window::columns", space, plan, functor, asked_team_size);
}

}  // namespace tessera::detail

#endif

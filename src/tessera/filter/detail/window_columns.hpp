// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant columns, of windows that registers hold: neighbouring threads take neighbouring lines, so that each row of
// elements is read whole, and a thread makes several outputs in a row of what it has read.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_COLUMNS_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_COLUMNS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/column_tiles.hpp>
#include <tessera/filter/detail/window_lines.hpp>
#include <tessera/filter/detail/window_pieces.hpp>
#include <tessera/filter/detail/window_run_outputs.hpp>
#include <tessera/filter/window_plan.hpp>
#include <type_traits>

namespace tessera::detail {

template <ExecutionSpace Space, class Op>
struct WindowColumns {
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<window_chunk_team_size, window_column_teams<Op>>,
                                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;
  using In = typename Op::in_type;
  using Out = typename Op::out_type;
  static constexpr int outputs = window_column_outputs<Op>;
  static constexpr int rows = window_column_max<Op> + outputs - 1;
  static constexpr int lanes = window_column_lines<is_host_space<Space>>;

  WindowLines<Op> lines;
  Op op;
  int tile;
  ColumnTiles column_tiles;
  std::int64_t tiles_per_line, tiles;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const TileWalk walk = tile_walk(team, tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      // Neighbouring teams take neighbouring columns: together they read whole rows.
      const QuotientRemainder split = divide(index, column_tiles.count);
      const QuotientRemainder place = divide(split.quotient, tiles_per_line);
      const ColumnTile columns = column_tiles.tile(split.remainder);
      const std::int64_t first_line = place.quotient * column_tiles.columns + columns.first;
      const In* x = lines.in.line(first_line);
      Out* y = lines.out.line(first_line);
      const std::int64_t first = place.remainder * tile, end = Kokkos::min(first + tile, lines.out.extent);
      if constexpr (is_host_space<Space>) {
        for (std::int64_t i = first + team.team_rank() * outputs; i < end; i += team.team_size() * outputs) {
          if constexpr (Op::whole_windows_max == 0) {
            for (int u = 0; u < outputs && i + u < end; ++u) make_row(x, y, i + u, columns.width);
          } else {
            for (int lane = 0; lane < columns.width; ++lane) make_outputs(x + lane, y + lane, i);
          }
        }
      } else {
        const int lane = team.team_rank() % lanes - columns.skipped;
        const int group = team.team_rank() / lanes, groups = team.team_size() / lanes;
        if (lane < 0 || lane >= columns.width || group >= groups) continue;
        for (std::int64_t i = first + group * outputs; i < end; i += groups * outputs) {
          make_outputs(x + lane, y + lane, i);
        }
      }
    }
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int size() const {
    if constexpr (has_one_size<Op>) {
      return Op::whole_windows_max;
    } else {
      return static_cast<int>(lines.window.size);
    }
  }

  /// Output i of neighbouring lines: the compiler vectorises over them.
  KOKKOS_FUNCTION void make_row(const In* x, Out* y, std::int64_t i, int width) const {
    Out* row = y + i * lines.out.stride;
    if (!lines.is_made(i)) {
      for (int lane = 0; lane < width; ++lane) row[lane] = lines.kept(x + lane, i);
      return;
    }
    typename Op::value_type joined[lanes];
    for (int k = 0; k < size(); ++k) {
      const std::int64_t j = lines.element_for(i - lines.window.reach_left + k);
      const In* source = x + Kokkos::max<std::int64_t>(j, 0) * lines.in.stride;
      for (int lane = 0; lane < width; ++lane) {
        const auto value = op.value(op.staged(j < 0 ? lines.boundary.cval : source[lane]));
        joined[lane] = k == 0 ? value : op.join(joined[lane], value);
      }
    }
    for (int lane = 0; lane < width; ++lane) row[lane] = op.result(joined[lane]);
  }

  template <class Join>
  KOKKOS_FORCEINLINE_FUNCTION static void stage_rows(const Join& join, const In (&loaded)[rows], int used,
                                                     typename Join::staged_type (&elements)[rows]) {
    TESSERA_UNROLL_ON_DEVICE
    for (int row = 0; row < rows; ++row) {
      if (row < used) elements[row] = join.staged(loaded[row]);
    }
  }

  /// The windows that begin with the first elements.
  template <class Join>
  KOKKOS_FORCEINLINE_FUNCTION void join_windows(const Join& join, const In (&loaded)[rows], int used,
                                                Out (&results)[outputs]) const {
    typename Join::staged_type elements[rows];
    stage_rows(join, loaded, used, elements);
    typename Join::value_type joined[outputs];
    TESSERA_UNROLL_ON_DEVICE
    for (int u = 0; u < outputs; ++u) joined[u] = join.value(elements[u]);
    TESSERA_UNROLL_ON_DEVICE
    for (int k = 1; k < window_column_max<Op>; ++k) {
      if (k >= size()) continue;
      TESSERA_UNROLL_ON_DEVICE
      for (int u = 0; u < outputs; ++u) joined[u] = join.join(joined[u], join.value(elements[u + k]));
    }
    typename Join::value_type all = joined[0];
    if constexpr (Op::is_idempotent) {
      TESSERA_UNROLL_ON_DEVICE
      for (int u = 1; u < outputs; ++u) all = join.join(all, joined[u]);
    }
    join.template results<outputs>(joined, all, results);
  }

  /// An element of a line that windows see; beyond the last output's window, any.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION In element(const In* x, std::int64_t j) const {
    const std::int64_t last = lines.out.extent - 1 - lines.window.reach_left + lines.window.size - 1;
    const std::int64_t at = lines.element_for(Kokkos::min(j, last));
    return at < 0 ? lines.boundary.cval : x[at * lines.in.stride];
  }

  /// All that a thread's windows hold, from element `first` on, before any is used.
  KOKKOS_FORCEINLINE_FUNCTION void load(const In* x, std::int64_t first, int used, In (&loaded)[rows]) const {
    if (first >= 0 && first + used <= lines.in.extent) {
      const In* source = x + first * lines.in.stride;
      TESSERA_UNROLL_ON_DEVICE
      for (int row = 0; row < rows; ++row) {
        if (row < used) loaded[row] = *source;
        source += lines.in.stride;
      }
    } else {
      TESSERA_UNROLL_ON_DEVICE
      for (int row = 0; row < rows; ++row) {
        if (row < used) loaded[row] = element(x, first + row);
      }
    }
  }

  /// Outputs whose windows begin with the first elements.
  KOKKOS_FORCEINLINE_FUNCTION void make_results(const In* x, std::int64_t first, int used,
                                                Out (&results)[outputs]) const {
    In loaded[rows];
    if constexpr (makes_runs<Op>) {
      // Elements are read where they are, or, of the few runs that see beyond the line, as the boundary has them.
      SteppedElements<In, std::int64_t> elements{x + first * lines.in.stride, lines.in.stride};
      if (first < 0 || first + used > lines.in.extent) {
        TESSERA_NO_UNROLL
        for (int row = 0; row < used; ++row) loaded[row] = element(x, first + row);
        elements = {loaded, 1};
      }
      op.make_run(elements, size(), results);
    } else {
      load(x, first, used, loaded);
      bool all_quick = has_quick<Op>;
      if constexpr (has_quick<Op>) {
        TESSERA_UNROLL_ON_DEVICE
        for (int row = 0; row < rows; ++row) {
          if (row < used) all_quick = all_quick && Op::quick_type::takes(loaded[row]);
        }
        if (all_quick) join_windows(typename Op::quick_type(), loaded, used, results);
      }
      if (!all_quick) join_windows(op, loaded, used, results);
    }
  }

  /// Outputs i, i + 1, .. of one line.
  KOKKOS_FORCEINLINE_FUNCTION void make_outputs(const In* x, Out* y, std::int64_t i) const {
    const std::int64_t first = i - lines.window.reach_left;
    const int used = size() + outputs - 1;
    const auto made = lines.made_of(i, outputs);
    Out* const target = y + i * lines.out.stride;
    const bool makes_all = made.begin == 0 && made.end == outputs;
    const auto store = [&](int u, const Out& result) {
      if (u >= made.begin && u < made.end) target[u * lines.out.stride] = result;
    };
    if constexpr (makes_runs<Op> || Op::whole_windows_max == 0) {
      Out results[outputs];
      make_results(x, first, used, results);
      if (makes_all) {
        Out* next = target;
        TESSERA_UNROLL_ON_DEVICE
        for (int u = 0; u < outputs; ++u) {
          *next = results[u];
          next += lines.out.stride;
        }
        return;
      }
      TESSERA_UNROLL_ON_DEVICE
      for (int u = 0; u < outputs; ++u) store(u, results[u]);
    } else {
      In loaded[rows];
      load(x, first, used, loaded);
      typename Op::staged_type elements[rows];
      stage_rows(op, loaded, used, elements);
      const auto make = [&](auto last) { make_windows<decltype(last)::value + 1, outputs>(op, elements, store); };
      if constexpr (has_one_size<Op>) {
        make(std::integral_constant<int, Op::whole_windows_max - 1>{});
      } else {
        with_constant<Op::whole_windows_max>(size() - 1, make);
      }
    }
    if (makes_all) return;
    const int existing = static_cast<int>(Kokkos::min<std::int64_t>(outputs, lines.out.extent - i));
    TESSERA_NO_UNROLL
    for (int u = 0; u < existing; ++u) {
      if (u < made.begin || u >= made.end) target[u * lines.out.stride] = lines.kept(x, i + u);
    }
  }
};

template <ExecutionSpace Space, class Op>
void launch_window_columns(std::string_view function, const Space& space, const WindowPlan& plan,
                           const WindowLines<Op>& lines, const Op& op, int asked_team_size) {
  using Functor = WindowColumns<Space, Op>;
  const ColumnTiles tiles = column_tiles(lines.in, Functor::lanes, is_host_space<Space>);
  const std::int64_t tiles_per_line = ceil_div(lines.out.extent, plan.tile);
  const Functor functor{
      lines, op, plan.tile, tiles, tiles_per_line, lines.in.lines() / tiles.columns * tiles.count * tiles_per_line};
  const auto policy = typename Functor::policy_type(space, plan.league_size, plan.team_size);
  require_launchable(function, policy, functor, asked_team_size);
  Kokkos::parallel_for("tessera::window::columns", policy, functor);
}

}  // namespace tessera::detail

#endif

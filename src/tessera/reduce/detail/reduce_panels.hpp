// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A host's reductions over axes by panels of outputs: of columns, whose rows are read where they lie, and of rows,
// which are turned into columns in a tile, or summed in vectors along them.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_PANELS_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_PANELS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <tessera/detail/host_buffer.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/reduce/detail/axes_problem.hpp>
#include <tessera/reduce/detail/fold_finish.hpp>
#include <tessera/reduce/detail/host_exact_panel.hpp>
#include <tessera/reduce/detail/host_panel.hpp>
#include <tessera/reduce/detail/host_turned_rows.hpp>
#include <tessera/reduce/detail/host_value_panel.hpp>
#include <tessera/reduce/detail/reduce_groups.hpp>
#include <tessera/reduce/detail/reduce_runs.hpp>
#include <tessera/reduce/detail/thread_fold.hpp>
#include <type_traits>

namespace tessera::detail {

/// Outputs side by side along the fastest kept axis.
struct PanelOutputs {
  AxesOffsets base;
  std::int64_t first;  // number among the outputs
  int width;
};

/// Panels along the fastest kept axis, of at most `width` outputs.
struct PanelGrid {
  AxesDim inner;
  std::int64_t along, count;
  int width;

  template <class Problem>
  PanelGrid(const Problem& problem, int most)
      : inner(problem.kept > 0 ? problem.dims[problem.kept - 1] : AxesDim{}),
        along(ceil_div(inner.extent, most)),
        count(problem.kept_size / inner.extent * along),
        width(most) {}

  template <class Problem>
  PanelOutputs operator()(const Problem& problem, std::int64_t panel) const {
    const std::int64_t outer = panel / along;
    const std::int64_t begin = panel % along * width;
    AxesOffsets base = axes_offsets(problem.dims, std::max(0, problem.kept - 1), outer);
    const AxesOffsets step = axis_offsets(inner, begin);
    base = {base.in + step.in, base.out + step.out, base.position + step.position, base.input + step.input};
    return {base, outer * inner.extent + begin, static_cast<int>(std::min<std::int64_t>(width, inner.extent - begin))};
  }
};

/// Whether the fold finalizes what its panel leaves.
template <class Fold>
constexpr bool writes_totals() {
  return sums_in_pairs<Fold>() || !sums_exactly<Fold>();
}

/// Writes the results, or partials, of a panel. elements(column, thread, spill) shows one output's to the fold.
template <class Member, class Problem, class Elements>
void finish_panel(const Member& team, const Problem& problem, HostPanel<typename Problem::fold_type>& panel,
                  const PanelGrid& grid, const PanelOutputs& outputs, int part, const Elements& elements) {
  using Fold = typename Problem::fold_type;
  using Result = typename Problem::result_type;
  const Fold& fold = problem.fold;
  panel.close(fold);
  const ThreadGroup<Member> alone{team, 0, 1};
  const AxesOffsets base = outputs.base;
  const AxesDim inner = grid.inner;
  const auto status_of = [&](int c) {
    return Status(problem.status_word, static_cast<std::uint64_t>(base.position + c * inner.position));
  };
  // Whether the total tells the result, or can stand for the part.
  const auto finish = [&](int c, auto& total) {
    if (problem.parts > 1) {
      return problem.partials.leave(alone, (outputs.first + c) * problem.parts + part, total);
    }
    return write_result(alone, fold, total, problem.reduced_size, status_of(c), problem.out + base.out + c * inner.out);
  };
  const auto by_fold = [&](int c, const auto& show) {
    typename Fold::thread_type thread;
    typename Fold::spill_type spill;
    typename Fold::team_type room;
    fold.begin(thread, spill);
    show(thread, spill);
    finish(c, fold.close_alone(thread, spill, room));
  };
  const auto finish_alone = [&](int c) { by_fold(c, [&](auto& thread, auto& spill) { elements(c, thread, spill); }); };
  // The common cases in loops of their own.
  const auto write = [&](Result* out, std::int64_t step) {
    panel.totals(
        fold,
        [&](int c, auto& total) {
          if constexpr (sums_squares<Fold>()) {
            if (!write_result(alone, fold, total, problem.reduced_size, status_of(c), out + c * step)) finish_alone(c);
          } else {
            // Not by status_of(), behind which compilers make no vectors of the loop.
            const Status status(problem.status_word, static_cast<std::uint64_t>(base.position + c * inner.position));
            out[c * step] = fold.template finalize<Result>(total, problem.reduced_size, status);
          }
        },
        finish_alone);
  };
  if constexpr (sums_in_pairs<Fold>()) {
    if (problem.parts == 1 && panel.write(fold, problem.reduced_size, problem.out + base.out, inner.out)) return;
  }
  if (problem.parts == 1 && writes_totals<Fold>()) {
    inner.out == 1 ? write(problem.out + base.out, 1) : write(problem.out + base.out, inner.out);
    return;
  }
  panel.totals(
      fold,
      [&](int c, auto& total) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(total)>, ExactPair> && !sums_in_pairs<Fold>()) {
          by_fold(c, [&](auto& thread, auto& spill) { fold.absorb(thread, spill, {total.high, total.low, 0}); });
        } else {
          if (!finish(c, total)) finish_alone(c);
        }
      },
      finish_alone);
}

/// Columns: the fastest axis of memory is kept.
template <ExecutionSpace Space, class Problem>
struct ReducePanels {
  using Fold = typename Problem::fold_type;
  using Panel = HostPanel<Fold>;
  using policy_type = AxesPolicy<Space, Problem::teams_at_once>;
  using Member = typename policy_type::member_type;
  static constexpr const char* label = "tessera::reduce_axes::panels";

  Problem problem;
  int width, joined;  // rows that follow each other in memory, and are taken as one

  void operator()(const Member& team) const {
    const PanelGrid grid(problem, width);
    const IndexRange items =
        items_of(grid.count * problem.parts, std::int64_t{team.league_rank()} * team.team_size() + team.team_rank(),
                 std::int64_t{team.league_size()} * team.team_size());
    Panel panel;
    for (std::int64_t item = items.begin; item < items.end; ++item) {
      const PanelOutputs outputs = grid(problem, item / problem.parts);
      const std::int64_t next = item + 1 < items.end ? grid(problem, (item + 1) / problem.parts).base.in : 0;
      reduce_panel(team, panel, grid, outputs, static_cast<int>(item % problem.parts), next - outputs.base.in);
    }
  }

 private:
  /// next: from the panel's elements to those of the one after it.
  void reduce_panel(const Member& team, Panel& panel, const PanelGrid& grid, const PanelOutputs& outputs, int part,
                    std::int64_t next) const {
    const Fold& fold = problem.fold;
    const Status status(problem.status_word);
    const AxesOffsets& base = outputs.base;
    const IndexRange rest = rest_of(problem, part);
    const IndexRange lane = lane_of(problem, part);
    panel.begin(fold, outputs.width, joined);
    AxesOffsets at[panel_rows];
    PanelRows rows{at, 0, outputs.width * joined, base.input, grid.inner.input, 0, 0};
    const auto add_rows = [&] {
      if (rows.count == 0) return;
      // As far again where there are further rows; else the next panel.
      const int last = rows.count - 1;
      rows.next = last == panel_rows - 1 ? 2 * at[last].in - at[last - 1].in : at[0].in + next;
      panel.add(fold, problem.in + base.in, rows, status);
      rows.count = 0;
    };
    for_each_line(problem, problem.dims, rest, 0, 1, [&](const AxesOffsets& line) {
      for (std::int64_t l = lane.begin; l < lane.end; l += joined) {
        const bool fewer = l + joined > lane.end;
        if (fewer) {
          add_rows();
          rows.columns = outputs.width * static_cast<int>(lane.end - l);
        }
        const AxesOffsets step = axis_offsets(problem.lane, l);
        at[rows.count++] = {line.in + step.in, 0, line.position + step.position, line.input + step.input};
        if (rows.count == panel_rows || fewer) add_rows();
        rows.columns = outputs.width * joined;
      }
    });
    add_rows();
    finish_panel(team, problem, panel, grid, outputs, part, [&](int c, auto& thread, auto& spill) {
      for_each_line(problem, problem.dims, rest, 0, 1, [&](const AxesOffsets& line) {
        const AxesOffsets from{base.in + c * grid.inner.in + line.in, 0, line.position,
                               base.input + c * grid.inner.input + line.input};
        constexpr int some = Kokkos::min(8, Fold::lanes);
        std::int64_t l = lane.begin;
        for (; l + some <= lane.end; l += some) add_of_line<some>(problem, from, l, 1, thread, spill, status);
        for (; l < lane.end; ++l) add_of_line<1>(problem, from, l, 1, thread, spill, status);
      });
    });
  }
};

/// Rows, each one run: short ones are turned into columns of a tile, or a fold sums them along themselves.
template <ExecutionSpace Space, class Problem>
struct ReduceTurned {
  using Fold = typename Problem::fold_type;
  using T = typename Problem::element_type;
  using Panel = HostPanel<Fold>;
  using policy_type = AxesPolicy<Space, Problem::teams_at_once>;
  using Member = typename policy_type::member_type;
  static constexpr const char* label = "tessera::reduce_axes::turned";
  static constexpr int tile_size = static_cast<int>(host_tile_bytes / sizeof(T));

  Problem problem;

  void operator()(const Member& team) const {
    const auto rank = std::int64_t{team.league_rank()} * team.team_size() + team.team_rank();
    const auto threads = std::int64_t{team.league_size()} * team.team_size();
    if constexpr (sums_rows<Fold>()) {
      if (Panel::sums_row(problem.reduced_size)) return reduce_along(team, rank, threads);
    }
    reduce_turned(team, rank, threads);
  }

 private:
  void reduce_turned(const Member& team, std::int64_t rank, std::int64_t threads) const {
    const int length = static_cast<int>(problem.reduced_size);
    const PanelGrid grid(problem, std::min(Panel::columns, tile_size / length / turned_group * turned_group));
    const IndexRange items = items_of(grid.count, rank, threads);
    Panel panel;
    HostBuffer<T, tile_size> tile;
    AxesOffsets at[turned_length_max];
    for (int k = 0; k < length; ++k) {
      const AxesOffsets place = axes_offsets(problem.dims + problem.kept, problem.run, k);
      at[k] = {std::int64_t{k} * grid.width, 0, place.position, place.input};
    }
    const Status status(problem.status_word);
    for (std::int64_t item = items.begin; item < items.end; ++item) {
      const PanelOutputs outputs = grid(problem, item);
      turn_rows(problem.in + outputs.base.in, grid.inner.in, outputs.width, length, tile.elements(), grid.width);
      panel.begin(problem.fold, outputs.width, 1);
      // The tile is in the cache: while it is added, memory brings the next one.
      const std::int64_t ahead =
          item + 1 < items.end ? elements_between(tile.elements(), problem.in + grid(problem, item + 1).base.in) : 0;
      for (int first = 0; first < length; first += panel_rows) {
        const PanelRows rows{
            at + first, std::min(panel_rows, length - first), outputs.width, outputs.base.input, grid.inner.input, 0,
            ahead};
        panel.add(problem.fold, static_cast<const T*>(tile.elements()), rows, status);
      }
      finish_rows(team, panel, grid, outputs, status);
    }
  }

  /// Rows for each thread, but no more at a time than are likely to span few binades.
  void reduce_along(const Member& team, std::int64_t rank, std::int64_t threads) const {
    const int length = static_cast<int>(problem.reduced_size);
    const std::int64_t inner = problem.dims[problem.kept - 1].extent;
    const PanelGrid grid(
        problem, static_cast<int>(std::min(ceil_div(inner, threads), clamped(tile_size / length, 8, Panel::columns))));
    const IndexRange items = items_of(grid.count, rank, threads);
    Panel panel;
    const Status status(problem.status_word);
    for (std::int64_t item = items.begin; item < items.end; ++item) {
      const PanelOutputs outputs = grid(problem, item);
      panel.begin(problem.fold, outputs.width, 1);
      panel.add_rows(problem.in + outputs.base.in, grid.inner.in, length);
      finish_rows(team, panel, grid, outputs, status);
    }
  }

  void finish_rows(const Member& team, Panel& panel, const PanelGrid& grid, const PanelOutputs& outputs,
                   const Status& status) const {
    const AxesDim* const axes = problem.dims + problem.kept;
    finish_panel(team, problem, panel, grid, outputs, 0, [&](int c, auto& thread, auto& spill) {
      const RunPosition position{axes, problem.run, run_step(axes, problem.run), 0,
                                 outputs.base.input + c * grid.inner.input};
      const auto row = run_behind(problem.in + outputs.base.in + c * grid.inner.in, problem.reduced_size, position);
      thread_fold(problem.fold, row, {0, 1}, thread, spill, status);
    });
  }
};

}  // namespace tessera::detail

#endif

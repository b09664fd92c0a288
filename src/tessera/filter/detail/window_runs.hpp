// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant runs: tile and halo in team scratch, cut into runs of neighbours. A window is the end of one run, whole runs,
// and the beginning of another; spans of whole runs are joined by doubling. Runs start at multiples of their length of
// the line's index, so that sums do not depend on tiles or teams. Nothing is ever subtracted.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_RUNS_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_RUNS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/window_lines.hpp>
#include <tessera/filter/window_plan.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Op>
struct WindowRuns {
  using policy_type = WindowPolicy<Space, 4>;
  using member_type = typename policy_type::member_type;
  using In = typename Op::in_type;
  using Out = typename Op::out_type;
  using Value = typename Op::value_type;
  static constexpr int run = window_run;

  WindowLines<Op> lines;
  Op op;
  int tile;
  int span, tail;  // size - 1 = span * run + tail
  std::int64_t first_start, tiles_per_line, tiles;
  WindowRunsScratch pieces;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    std::byte* scratch = team_scratch(team, pieces.bytes);
    for (std::int64_t index = team.league_rank(); index < tiles; index += team.league_size()) {
      const QuotientRemainder split = divide(index, tiles_per_line);
      filter_tile(team, scratch, lines.in.line(split.quotient), lines.out.line(split.quotient),
                  first_start + split.remainder * tile);
    }
  }

  KOKKOS_FUNCTION void filter_tile(const member_type& team, std::byte* scratch, const In* x, Out* y,
                                   std::int64_t first) const {
    const int starts = static_cast<int>(Kokkos::min<std::int64_t>(tile, lines.end() - first));
    const int runs = (starts + run - 1) / run;
    const int count = runs * run + static_cast<int>(lines.window.size) - 1;
    const In* staged = stage_window(team, x, lines.in.stride, lines.in.extent, first, count, lines.boundary,
                                    reinterpret_cast<In*>(scratch + pieces.footprint_at));
    auto* results = reinterpret_cast<Out*>(scratch + pieces.results_at);
    auto* spans = reinterpret_cast<Value*>(scratch + pieces.spans_at);
    team.team_barrier();
    if (span > 1) join_spans(team, staged, runs, scratch, spans);
    for (int j = team.team_rank(); j < runs; j += team.team_size()) {
      if (lines.window.size <= run) {
        join_short(staged + j * run, results + j * run);
      } else {
        join_ends(staged + j * run, span > 1 ? spans[j] : op.identity(), results + j * run);
      }
    }
    team.team_barrier();  // The next tile's elements may come while others store: they lie elsewhere.
    lines.store(team, x, y, first, starts, [&](int k) { return results[k]; });
  }

  /// A window no longer than a run.
  KOKKOS_FUNCTION void join_short(const In* elements, Out* results) const {
    const int size = static_cast<int>(lines.window.size);
    Value joined[run];
    if constexpr (is_host_space<Space>) {
      Value values[2 * run - 1];
      for (int s = 0; s < run - 1 + size; ++s) values[s] = op.value(elements[s]);
      for (int s = 0; s < run; ++s) joined[s] = values[s];
      for (int k = 1; k < size; ++k) {
        for (int s = 0; s < run; ++s) joined[s] = op.join(joined[s], values[s + k]);
      }
      for (int s = 0; s < run; ++s) results[s] = op.result(joined[s]);
    } else {
      // Each element goes to the outputs that it belongs to, in the same order: this spares registers.
      TESSERA_UNROLL
      for (int e = 0; e < 2 * run - 1; ++e) {
        if (e < run - 1 + size) {
          const Value value = op.value(elements[e]);
          if (e < run) joined[e < run ? e : 0] = value;
          TESSERA_UNROLL
          for (int s = 0; s < run; ++s) {
            if (s < e && e - s < size) joined[s] = op.join(joined[s], value);
          }
        }
        if (e >= run - 1) results[e - run + 1] = op.result(joined[e - run + 1]);
      }
    }
  }

  /// Windows that start in one run: its end, the whole runs between, and the beginning of a later one.
  KOKKOS_FUNCTION void join_ends(const In* elements, Value between, Out* results) const {
    Value ends[run];
    ends[run - 1] = op.value(elements[run - 1]);
    TESSERA_UNROLL
    for (int s = run - 2; s >= 0; --s) ends[s] = op.join(op.value(elements[s]), ends[s + 1]);
    const In* last = elements + span * run;
    Value beginning = op.value(last[0]);
    for (int p = 1; p <= tail; ++p) beginning = op.join(beginning, op.value(last[p]));
    results[0] = op.result(op.join(ends[0], op.join(between, beginning)));
    TESSERA_UNROLL
    for (int s = 1; s < run; ++s) {
      const Value next = op.value(last[tail + s]);
      if (tail + s == run) {  // that run is whole now
        between = op.join(between, beginning);
        beginning = next;
      } else {
        beginning = op.join(beginning, next);
      }
      results[s] = op.result(op.join(ends[s], op.join(between, beginning)));
    }
  }

  /// spans[j]: the span - 1 runs after run j, by the binary digits of their number.
  KOKKOS_FUNCTION void join_spans(const member_type& team, const In* staged, int runs, std::byte* scratch,
                                  Value* spans) const {
    auto* level = reinterpret_cast<Value*>(scratch + pieces.levels_at[0]);
    auto* next = reinterpret_cast<Value*>(scratch + pieces.levels_at[1]);
    int count = runs + span - 1;
    for (int j = team.team_rank(); j < count; j += team.team_size()) level[j] = run_total(op, staged + j * run, run);
    team.team_barrier();
    const int width = span - 1;
    int done = 0;
    for (int size = 1;; size *= 2) {
      if ((width & size) != 0) {
        for (int j = team.team_rank(); j < runs; j += team.team_size()) {
          const Value piece = level[j + 1 + done];
          spans[j] = done == 0 ? piece : op.join(spans[j], piece);
        }
        done += size;
      }
      if (done == width) return;  // a thread reads back the spans that it wrote
      count -= size;
      for (int j = team.team_rank(); j < count; j += team.team_size()) next[j] = op.join(level[j], level[j + size]);
      team.team_barrier();
      Value* const swapped = level;
      level = next;
      next = swapped;
    }
  }
};

template <ExecutionSpace Space, class Op>
void launch_window_runs(std::string_view function, const Space& space, const WindowPlan& plan,
                        const WindowLines<Op>& lines, const Op& op, int asked_team_size) {
  const std::int64_t first_start = -ceil_div(lines.window.reach_left, window_run) * window_run;
  const std::int64_t tiles_per_line = ceil_div(lines.end() - first_start, plan.tile);
  const WindowRuns<Space, Op> functor{lines,
                                      op,
                                      plan.tile,
                                      static_cast<int>((lines.window.size - 1) / window_run),
                                      static_cast<int>((lines.window.size - 1) % window_run),
                                      first_start,
                                      tiles_per_line,
                                      lines.in.lines() * tiles_per_line,
                                      window_runs_scratch<Op>(plan.tile, lines.window.size)};
  auto policy = WindowPolicy<Space, 4>(space, plan.league_size, plan.team_size)
                    .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(plan.scratch_bytes))));
  require_launchable(function, policy, functor, asked_team_size);
  Kokkos::parallel_for("tessera::window::runs", policy, functor);
}

}  // namespace tessera::detail

#endif

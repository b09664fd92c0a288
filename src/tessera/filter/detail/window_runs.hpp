// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant runs: tile and halo in team scratch; a thread makes the outputs of a run of neighbours. Their windows are the
// ends of that run, what they have in common, and the beginnings of as many elements where the first window ends. In
// common they have whole runs and the first elements of another. Runs begin where the window of output 0 does, so that
// no sum depends on tiles or teams. Nothing is ever subtracted.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_RUNS_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_RUNS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/window_lines.hpp>
#include <tessera/filter/detail/window_totals.hpp>
#include <tessera/filter/window_plan.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Op>
struct WindowRuns {
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<window_runs_team_size, window_runs_teams>,
                                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;
  using In = typename Op::in_type;
  using Out = typename Op::out_type;
  using Value = typename Op::value_type;
  using Staged = typename Op::staged_type;
  static constexpr int length = window_runs_length<Op>;
  /// Sums: neighbours that are joined in a chain, so that the depth is that of a tree.
  static constexpr int part = Op::is_idempotent ? length : 3;
  static_assert(length % part == 0 && sizeof(Staged) == sizeof(Out));

  WindowLines<Op> lines;
  Op op;
  int tile_runs;
  int whole, rest;  // size - 1 = (whole + 1) * length + rest, whole > 0
  std::int64_t tiles_per_line, tiles;
  WindowRunsScratch pieces;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    std::byte* scratch = team_scratch(team, pieces.bytes);
    const TileWalk walk = tile_walk(team, tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      if (index != walk.begin) team.team_barrier();  // scratch has been read
      const QuotientRemainder split =
          tiles_per_line == tiles ? QuotientRemainder{0, index} : divide(index, tiles_per_line);
      filter_tile(team, scratch, lines.in.line(split.quotient), lines.out.line(split.quotient),
                  split.remainder * tile_runs * length);
    }
  }

 private:
  /// first: the output that the tile begins with.
  KOKKOS_FUNCTION void filter_tile(const member_type& team, std::byte* scratch, const In* x, Out* y,
                                   std::int64_t first) const {
    const auto outputs = static_cast<int>(Kokkos::min<std::int64_t>(tile_runs * length, lines.out.extent - first));
    const int runs = (outputs + length - 1) / length;
    const auto reach = static_cast<int>(lines.window.size) - 1;
    auto* totals = reinterpret_cast<Value*>(scratch + pieces.totals_at[0]);
    auto* beginnings = reinterpret_cast<Value*>(scratch + pieces.beginnings_at);
    const Staged* elements = stage(team, x, first - lines.window.reach_left, runs * length + reach,
                                   reinterpret_cast<Staged*>(scratch + pieces.staged_at));
    team.team_barrier();

    // Threads without a run join the last one too, and drop it: values that are sometimes there cost registers.
    const bool has_run = team.team_rank() < runs;
    const int run = has_run ? team.team_rank() : runs - 1;
    TESSERA_NO_UNROLL
    for (int r = runs + team.team_rank(); r <= runs + whole; r += team.team_size()) {
      Value values[length];
      load(elements + r * length, values);
      totals[r] = joined_first<length>(values);
      if (rest > 0) beginnings[r] = joined_first(values, rest, Between<1, length>());
    }
    Value windows[length];
    load(elements + run * length, windows);
    const Value whole_run = joined_first<length>(windows);
    if (has_run) totals[run] = whole_run;
    if (rest > 0) {
      const Value beginning = joined_first(windows, rest, Between<1, length>());
      if (has_run) beginnings[run] = beginning;
    }
    join_ends(windows);
    team.team_barrier();

    Value common = whole_runs(team, scratch, run, runs);
    if (rest > 0) common = op.join(common, beginnings[run + 1 + whole]);
    join_beginnings(elements + run * length + reach, common, windows);
    team.team_barrier();  // elements have been read

    auto* slots = reinterpret_cast<Out*>(scratch + pieces.staged_at);
    const bool is_whole = lines.makes_all(first, outputs);
    const int head = is_whole ? static_cast<int>(misaligned_head(y + first, outputs)) : 0;
    slots += (packed_length<Out> - head) % packed_length<Out>;
    if (has_run) write(windows, slots + run * length);
    team.team_barrier();
    if (is_whole) {
      store_all(team, slots, y + first, outputs, head);
    } else {
      lines.store(team, x, y, first - lines.window.reach_left, outputs, [&](int k) { return slots[k]; });
    }
  }

  /// count elements of the line from begin on. Returns where they begin.
  KOKKOS_FORCEINLINE_FUNCTION Staged* stage(const member_type& team, const In* x, std::int64_t begin, int count,
                                            Staged* scratch) const {
    constexpr int width = packed_length<In>, loads = 4;
    const int step = team.team_size();
    const bool inside = begin >= 0 && begin + count <= lines.in.extent;
    if (!inside || lines.in.stride != 1) {
      TESSERA_NO_UNROLL
      for (int e = team.team_rank(); e < count; e += step) {
        scratch[e] = op.staged(inside ? x[(begin + e) * lines.in.stride]
                                      : lines.boundary.element(x, lines.in.stride, begin + e, lines.in.extent));
      }
      return scratch;
    }
    const In* source = x + begin;
    const int head = static_cast<int>(misaligned_head(source, count));
    Staged* target = scratch + (width - head) % width;
    const int packs = (count - head) / width;
    const auto* memory = reinterpret_cast<const Packed<In>*>(source + head);
    auto* packed = reinterpret_cast<Packed<Staged>*>(target + head);
    for (int p = team.team_rank(); p < packs; p += loads * step) {
      Packed<In> loaded[loads];
      TESSERA_UNROLL
      for (int k = 0; k < loads; ++k) {
        if (p + k * step < packs) loaded[k] = load_whole(memory + p + k * step);
      }
      TESSERA_UNROLL
      for (int k = 0; k < loads; ++k) {
        Packed<Staged> values;
        TESSERA_UNROLL
        for (int e = 0; e < width; ++e) values.values[e] = op.staged(loaded[k].values[e]);
        if (p + k * step < packs) packed[p + k * step] = values;
      }
    }
    // The ends: fewer than two packs' elements.
    const int others = count - packs * width;
    for (int e = team.team_rank(); e < others; e += step) {
      const int i = e < head ? e : packs * width + e;
      target[i] = op.staged(source[i]);
    }
    return target;
  }

  KOKKOS_FORCEINLINE_FUNCTION void load(const Staged* elements, Value (&values)[length]) const {
    TESSERA_UNROLL
    for (int s = 0; s < length; ++s) values[s] = op.value(elements[s]);
  }

  /// The first values.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION Value joined_first(const Value (&values)[length]) const {
    Value joined = values[0];
    TESSERA_UNROLL
    for (int p = 0; p < Count; p += part) {
      Value of_part = values[p];
      TESSERA_UNROLL
      for (int s = p + 1; s < p + part && s < Count; ++s) of_part = op.join(of_part, values[s]);
      joined = p == 0 ? of_part : op.join(joined, of_part);
    }
    return joined;
  }

  /// Begin <= count < End, found by bisection: registers have no index.
  template <int Begin, int End>
  struct Between {};
  template <int Begin, int End>
  KOKKOS_FORCEINLINE_FUNCTION Value joined_first(const Value (&values)[length], int count, Between<Begin, End>) const {
    if constexpr (End - Begin > 1) {
      constexpr int middle = (Begin + End) / 2;
      if (count < middle) return joined_first(values, count, Between<Begin, middle>());
      return joined_first(values, count, Between<middle, End>());
    } else {
      return joined_first<Begin>(values);
    }
  }

  /// From each of the values to the last.
  KOKKOS_FORCEINLINE_FUNCTION void join_ends(Value (&values)[length]) const {
    Value behind = op.identity();
    TESSERA_UNROLL
    for (int p = length - part; p >= 0; p -= part) {
      TESSERA_UNROLL
      for (int s = p + part - 2; s >= p; --s) values[s] = op.join(values[s], values[s + 1]);
      const Value of_part = values[p];
      if (p + part < length) {
        TESSERA_UNROLL
        for (int s = p; s < p + part; ++s) values[s] = op.join(values[s], behind);
      }
      behind = p + part < length ? op.join(of_part, behind) : of_part;
    }
  }

  /// The whole runs after one.
  KOKKOS_FORCEINLINE_FUNCTION Value whole_runs(const member_type& team, std::byte* scratch, int run, int runs) const {
    WindowTotals<Op> totals{reinterpret_cast<Value*>(scratch + pieces.totals_at[0]),
                            reinterpret_cast<Value*>(scratch + pieces.totals_at[1]), runs + whole, whole + 1,
                            Op::is_idempotent ? 8 : 4};
    if constexpr (Op::is_idempotent) {
      totals.widen_all(team, op);
      return totals.joined(op, totals.count, run);
    } else {
      Value common = op.identity();
      totals.join_digits(team, op, [&](int taken, bool is_first) {
        const Value total = totals.joined(op, taken, run);
        common = is_first ? total : op.join(common, total);
      });
      return common;
    }
  }

  /// values: the ends of windows, then the windows.
  KOKKOS_FORCEINLINE_FUNCTION void join_beginnings(const Staged* elements, Value common,
                                                   Value (&values)[length]) const {
    Value before = common;  // and all parts so far
    TESSERA_UNROLL
    for (int p = 0; p < length; p += part) {
      Value joined = op.identity();
      TESSERA_UNROLL
      for (int s = p; s < p + part; ++s) {
        const Value value = op.value(elements[s]);
        if constexpr (Op::is_idempotent) {
          before = op.join(before, value);
          values[s] = op.join(values[s], before);
        } else {
          joined = s == p ? value : op.join(joined, value);
          values[s] = op.join(values[s], op.join(before, joined));
        }
      }
      if constexpr (!Op::is_idempotent) before = op.join(before, joined);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void write(const Value (&values)[length], Out* slots) const {
    if constexpr (Op::is_idempotent) {
      // One test for all of them, as a rule.
      if (op.nan_prevails() && !op.is_nan(op.join(values[0], values[length - 1]))) {
        TESSERA_UNROLL
        for (int s = 0; s < length; ++s) slots[s] = op.number(values[s]);
        return;
      }
    }
    TESSERA_UNROLL
    for (int s = 0; s < length; ++s) slots[s] = op.result(values[s]);
  }

  KOKKOS_FORCEINLINE_FUNCTION void store_all(const member_type& team, const Out* slots, Out* target, int count,
                                             int head) const {
    constexpr int width = packed_length<Out>;
    const int packs = (count - head) / width;
    const auto* packed = reinterpret_cast<const Packed<Out>*>(slots + head);
    auto* memory = reinterpret_cast<Packed<Out>*>(target + head);
    for (int p = team.team_rank(); p < packs; p += team.team_size()) store_whole(memory + p, packed[p]);
    const int others = count - packs * width;
    for (int e = team.team_rank(); e < others; e += team.team_size()) {
      const int i = e < head ? e : packs * width + e;
      target[i] = slots[i];
    }
  }
};

template <ExecutionSpace Space, class Op>
void launch_window_runs(std::string_view function, const Space& space, const WindowPlan& plan,
                        const WindowLines<Op>& lines, const Op& op, int asked_team_size) {
  using Functor = WindowRuns<Space, Op>;
  constexpr int length = Functor::length;
  const std::int64_t tiles_per_line = ceil_div(lines.out.extent, plan.tile);
  const auto common = static_cast<int>(lines.window.size - 1 - length);
  const Functor functor{lines,
                        op,
                        plan.tile / length,
                        common / length,
                        common % length,
                        tiles_per_line,
                        lines.in.lines() * tiles_per_line,
                        window_runs_scratch<Op>(plan.tile, lines.window.size)};
  auto policy = typename Functor::policy_type(space, plan.league_size, plan.team_size)
                    .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(plan.scratch_bytes))));
  require_launchable(function, policy, functor, asked_team_size);
  Kokkos::parallel_for("tessera::window::runs", policy, functor);
}

}  // namespace tessera::detail

#endif

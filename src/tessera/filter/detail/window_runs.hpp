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
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/window_lines.hpp>
#include <tessera/filter/detail/window_run_joins.hpp>
#include <tessera/filter/detail/window_run_tile.hpp>
#include <tessera/filter/detail/window_totals.hpp>
#include <tessera/filter/window_plan.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Op>
struct WindowRuns : WindowRunTile<Op> {
  using Base = WindowRunTile<Op>;
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<window_runs_team_size, window_runs_teams>,
                                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;
  using Base::lines, Base::op, Base::tiles, Base::load;
  static constexpr int length = window_runs_length<Op>;
  using typename Base::In, typename Base::Out;
  static_assert(sizeof(In) == sizeof(Out));

  int whole, rest;  // size - 1 = (whole + 1) * length + rest
  bool makes_all;   // of outputs that are neighbours in memory
  WindowRunsScratch pieces;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    std::byte* scratch = team_scratch(team, pieces.bytes);
    tiles.for_each_staged(
        team, pieces.staged_pieces > 1,
        [&](std::int64_t line, std::int64_t first, int piece) {
          const In* x = lines.in.line(line);
          const std::int64_t begin = first - lines.window.reach_left;
          if (has_quick<Op> && team.team_rank() == 0) *flag_of(scratch) = 0;
          this->begin_copy(team, x, begin, runs_of(outputs_of(first)) * length + reach(), staged_piece(scratch, piece));
        },
        [&](std::int64_t line, std::int64_t first, int piece) {
          const auto make = [&](const auto& join) {
            return make_tile(join, team, scratch, staged_piece(scratch, piece), lines.in.line(line),
                             lines.out.line(line), first);
          };
          if constexpr (has_quick<Op>) {
            if (make(typename Op::quick_type())) return;
          }
          make(op);
        });
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION In* staged_piece(std::byte* scratch, int piece) const {
    return reinterpret_cast<In*>(scratch + pieces.staged_at) + piece * pieces.staged_length;
  }
  /// Whether the tile has elements that a quick operation does not take.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int* flag_of(std::byte* scratch) const {
    return reinterpret_cast<int*>(scratch + pieces.flag_at);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int outputs_of(std::int64_t first) const {
    return static_cast<int>(Kokkos::min<std::int64_t>(tiles.length, lines.out.extent - first));
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static int runs_of(int outputs) { return (outputs + length - 1) / length; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int reach() const { return static_cast<int>(lines.window.size) - 1; }

  /// first: the output that the tile begins with. staged: its elements, whose place the outputs take. join: the
  /// operation, or a quick one. False, and nothing done, where the elements are not for that.
  template <class Join>
  KOKKOS_FORCEINLINE_FUNCTION bool make_tile(const Join& join, const member_type& team, std::byte* scratch, In* staged,
                                             const In* x, Out* y, std::int64_t first) const {
    using Value = typename Join::value_type;
    using Joins = WindowRunJoins<Join, length>;
    constexpr bool is_quick = !std::is_same_v<Join, Op>;
    const int outputs = outputs_of(first), runs = runs_of(outputs);
    auto* totals = reinterpret_cast<Value*>(scratch + pieces.totals_at[0]);
    auto* beginnings = reinterpret_cast<Value*>(scratch + pieces.totals_at[1]);  // until totals widen
    const In* elements = this->copied(x, first - lines.window.reach_left, staged);

    // Threads without a run join the last one too, and drop it: values that are sometimes there cost registers.
    const bool has_run = team.team_rank() < runs;
    const int run = has_run ? team.team_rank() : runs - 1;
    [[maybe_unused]] bool all_quick = true;
    TESSERA_NO_UNROLL
    for (int r = runs + team.team_rank(); r <= runs + whole; r += team.team_size()) {
      Value values[length];
      load(join, elements + r * length, values);
      totals[r] = Joins::template first<length>(join, values);
      if constexpr (is_quick) all_quick = all_quick && Join::takes_all(values, totals[r]);
      if (rest > 0) beginnings[r] = Joins::first(join, values, rest);
    }
    Value windows[length];
    load(join, elements + run * length, windows);
    const Value whole_run = Joins::template first<length>(join, windows);
    if constexpr (is_quick) all_quick = all_quick && Join::takes_all(windows, whole_run);
    for (int e = team.team_rank(); is_quick && e < rest; e += team.team_size()) {
      if constexpr (is_quick) {
        all_quick = all_quick && Join::takes(elements[(runs + whole + 1) * length + e]);
      }
    }
    if (is_quick && !all_quick) Kokkos::atomic_or(flag_of(scratch), 1);
    if (has_run) totals[run] = whole_run;
    if (rest > 0) {
      const Value beginning = Joins::first(join, windows, rest);
      if (has_run) beginnings[run] = beginning;
    }
    Joins::join_ends(join, windows);
    team.team_barrier();
    if (is_quick && *flag_of(scratch) != 0) return false;

    Value beginning = join.identity();
    if (rest > 0) {
      beginning = beginnings[run + 1 + whole];
      team.team_barrier();  // totals take their place
    }
    Value common = whole > 0 ? whole_runs(join, team, scratch, run, runs) : join.identity();
    if (rest > 0) common = join.join(common, beginning);
    Joins::join_beginnings(join, elements + run * length + reach(), common, windows);
    team.team_barrier();  // elements have been read

    auto* slots = reinterpret_cast<Out*>(staged);
    const bool is_whole = makes_all || lines.makes_all(first, outputs);
    const int head = is_whole ? static_cast<int>(misaligned_head(y + first, outputs)) : 0;
    slots += (packed_length<Out> - head) % packed_length<Out>;
    if (has_run) {
      const Value all = join.join(windows[0], windows[length - 1]);
      join.template results<length, true>(windows, all, slots + run * length);
    }
    team.team_barrier();
    if (is_whole) {
      store_slots(slots, y + first, outputs, head, team.team_rank(), team.team_size());
    } else {
      lines.store(team, x, y, first - lines.window.reach_left, outputs, [&](int k) { return slots[k]; });
    }
    return true;
  }

  /// The whole runs after one.
  template <class Join>
  KOKKOS_FORCEINLINE_FUNCTION typename Join::value_type whole_runs(const Join& join, const member_type& team,
                                                                   std::byte* scratch, int run, int runs) const {
    using Value = typename Join::value_type;
    WindowTotals<Join> totals{reinterpret_cast<Value*>(scratch + pieces.totals_at[0]),
                              reinterpret_cast<Value*>(scratch + pieces.totals_at[1]), runs + whole, whole + 1,
                              Op::is_idempotent ? 8 : 4};
    if constexpr (Op::is_idempotent) {
      totals.widen_all(team, join);
      return totals.joined(join, totals.count, run);
    } else {
      Value common = join.identity();
      totals.join_digits(team, join, [&](int taken, bool is_first) {
        const Value total = totals.joined(join, taken, run);
        common = is_first ? total : join.join(common, total);
      });
      return common;
    }
  }
};

template <ExecutionSpace Space, class Op>
void launch_window_runs(std::string_view function, const Space& space, const WindowPlan& plan,
                        const WindowLines<Op>& lines, const Op& op, int asked_team_size) {
  using Functor = WindowRuns<Space, Op>;
  constexpr int length = Functor::length;
  const auto common = static_cast<int>(lines.window.size - 1 - length);
  const Functor functor{{lines, op, WindowTiles(lines.in.lines(), lines.out.extent, plan.tile)},
                        common / length,
                        common % length,
                        lines.makes_all(0, lines.out.extent),
                        window_runs_scratch<Op>(plan.tile, lines.window.size)};
  launch_windows(function, "tessera::window::runs", space, plan, functor, asked_team_size);
}

}  // namespace tessera::detail

#endif

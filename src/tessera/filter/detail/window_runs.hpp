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
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/window_run_tile.hpp>
#include <tessera/filter/detail/window_totals.hpp>
#include <tessera/filter/window_plan.hpp>

namespace tessera::detail {

/// HasGap: of runs between the tile and where its windows end there are only the totals.
template <ExecutionSpace Space, class Op, bool HasGap>
struct WindowRuns : WindowRunTile<Op> {
  using Base = WindowRunTile<Op>;
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<window_runs_team_size, window_runs_teams>,
                                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;
  using Base::lines, Base::op, Base::tiles, Base::load;
  static constexpr int length = window_runs_length<Op>;
  using typename Base::In, typename Base::Out, typename Base::Value;
  /// Sums: neighbours that are joined in a chain, so that the depth is that of a tree.
  static constexpr int part = Op::is_idempotent ? length : 3;
  static_assert(length % part == 0 && sizeof(In) == sizeof(Out));

  int whole, rest;  // size - 1 = (whole + 1) * length + rest
  WindowRunsScratch pieces;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    std::byte* scratch = team_scratch(team, pieces.bytes);
    tiles.for_each_staged(
        team, pieces.staged_pieces > 1,
        [&](std::int64_t line, std::int64_t first, int piece) {
          const In* x = lines.in.line(line);
          const std::int64_t begin = first - lines.window.reach_left;
          const int own = runs_of(outputs_of(first)) * length;
          In* staged = staged_piece(scratch, piece);
          this->begin_copy(team, x, begin, own + (HasGap ? 0 : reach()), staged);
          if constexpr (HasGap) this->begin_copy(team, x, begin + end_run(), own + rest, ends_piece(staged));
        },
        [&](std::int64_t line, std::int64_t first, int piece) {
          filter_tile(team, scratch, staged_piece(scratch, piece), lines.in.line(line), lines.out.line(line), first);
        });
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION In* staged_piece(std::byte* scratch, int piece) const {
    return reinterpret_cast<In*>(scratch + pieces.staged_at) + piece * pieces.staged_length;
  }
  /// Where windows end.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION In* ends_piece(In* staged) const { return staged + pieces.staged_length; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int outputs_of(std::int64_t first) const {
    return static_cast<int>(Kokkos::min<std::int64_t>(tiles.length, lines.out.extent - first));
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static int runs_of(int outputs) { return (outputs + length - 1) / length; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int reach() const { return static_cast<int>(lines.window.size) - 1; }
  /// The run in which the first window ends: its first element.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int end_run() const { return (whole + 1) * length; }

  /// first: the output that the tile begins with. staged: its elements, whose place the outputs take.
  KOKKOS_FORCEINLINE_FUNCTION void filter_tile(const member_type& team, std::byte* scratch, In* staged, const In* x,
                                               Out* y, std::int64_t first) const {
    const int outputs = outputs_of(first), runs = runs_of(outputs);
    auto* totals = reinterpret_cast<Value*>(scratch + pieces.totals_at[0]);
    auto* beginnings = reinterpret_cast<Value*>(scratch + pieces.totals_at[1]);  // until totals widen
    const std::int64_t begin = first - lines.window.reach_left;
    const In* elements = this->copied(x, begin, runs * length + (HasGap ? 0 : reach()), staged);
    const In* ends = elements;  // from those of the runs on, where there is no gap
    if constexpr (HasGap) ends = this->copied(x, begin + end_run(), runs * length + rest, ends_piece(staged));

    // Threads without a run join the last one too, and drop it: values that are sometimes there cost registers.
    const bool has_run = team.team_rank() < runs;
    const int run = has_run ? team.team_rank() : runs - 1;
    TESSERA_NO_UNROLL
    for (int r = runs + team.team_rank(); r <= runs + whole; r += team.team_size()) {
      Value values[length];
      if (!HasGap) {
        load(elements + r * length, values);
      } else if (r > whole) {
        load(ends + (r - whole - 1) * length, values);
      } else {
        this->load_memory(x, begin + r * length, values);
      }
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

    Value beginning = op.identity();
    if (rest > 0) {
      beginning = beginnings[run + 1 + whole];
      team.team_barrier();  // totals take their place
    }
    Value common = whole > 0 ? whole_runs(team, scratch, run, runs) : op.identity();
    if (rest > 0) common = op.join(common, beginning);
    join_beginnings(ends + run * length + (HasGap ? rest : reach()), common, windows);
    team.team_barrier();  // elements have been read

    auto* slots = reinterpret_cast<Out*>(staged);
    const bool is_whole = lines.makes_all(first, outputs);
    const int head = is_whole ? static_cast<int>(misaligned_head(y + first, outputs)) : 0;
    slots += (packed_length<Out> - head) % packed_length<Out>;
    if (has_run) op.template results<length>(windows, op.join(windows[0], windows[length - 1]), slots + run * length);
    team.team_barrier();
    if (is_whole) {
      this->store_all(team, slots, y + first, outputs, head);
    } else {
      lines.store(team, x, y, first - lines.window.reach_left, outputs, [&](int k) { return slots[k]; });
    }
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
  KOKKOS_FORCEINLINE_FUNCTION void join_beginnings(const In* elements, Value common, Value (&values)[length]) const {
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
};

template <bool HasGap, ExecutionSpace Space, class Op>
void launch_window_runs(std::string_view function, const Space& space, const WindowPlan& plan,
                        const WindowLines<Op>& lines, const Op& op, const WindowRunsScratch& pieces,
                        int asked_team_size) {
  using Functor = WindowRuns<Space, Op, HasGap>;
  constexpr int length = Functor::length;
  const auto common = static_cast<int>(lines.window.size - 1 - length);
  const Functor functor{{lines, op, WindowTiles(lines.in.lines(), lines.out.extent, plan.tile)},
                        common / length,
                        common % length,
                        pieces};
  auto policy = typename Functor::policy_type(space, plan.league_size, plan.team_size)
                    .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(plan.scratch_bytes))));
  require_launchable(function, policy, functor, asked_team_size);
  Kokkos::parallel_for("tessera::window::runs", policy, functor);
}

template <ExecutionSpace Space, class Op>
void launch_window_runs(std::string_view function, const Space& space, const WindowPlan& plan,
                        const WindowLines<Op>& lines, const Op& op, int asked_team_size) {
  const WindowRunsScratch pieces = window_runs_scratch<Op>(plan.tile, lines.window.size);
  if (pieces.has_gap) {
    launch_window_runs<true>(function, space, plan, lines, op, pieces, asked_team_size);
  } else {
    launch_window_runs<false>(function, space, plan, lines, op, pieces, asked_team_size);
  }
}

}  // namespace tessera::detail

#endif

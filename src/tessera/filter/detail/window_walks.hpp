// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant walks: a team walks along a line, tile by tile; a thread makes the outputs of a run of neighbours. Their
// windows are the ends of that run, what they have in common, and the beginnings of as many elements where the first
// window ends. In common they have whole runs and the first elements of another. What a team knows of the line stays in
// scratch, in rings, so that a tile takes the elements and the totals of its own length, however long its windows are.
// Runs begin where the window of output 0 does, so that no sum depends on tiles or teams. Nothing is ever subtracted.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_WALKS_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_WALKS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/async_copy.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/window_run_joins.hpp>
#include <tessera/filter/detail/window_run_tile.hpp>
#include <tessera/filter/detail/window_run_totals.hpp>
#include <tessera/filter/detail/window_walks_plan.hpp>
#include <tessera/filter/window_plan.hpp>

namespace tessera::detail {

/// KeepsElements: those between a tile and where its windows end stay in scratch, else they are read again.
template <ExecutionSpace Space, class Op, bool KeepsElements>
struct WindowWalks : WindowRunTile<Op> {
  using Base = WindowRunTile<Op>;
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<window_walks_team_size, window_runs_teams>,
                                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;
  using Base::lines, Base::op, Base::tiles, Base::load;
  static constexpr int length = window_runs_length<Op>;
  static constexpr int sector = sector_bytes / sizeof(typename Op::in_type);
  using typename Base::In, typename Base::Out;
  static_assert(sizeof(In) == sizeof(Out));

  int whole, rest;  // size - 1 = (whole + 1) * length + rest
  int walk;         // tiles
  WindowWalksScratch pieces;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    std::byte* scratch = team_scratch(team, pieces.bytes);
    const std::int64_t per_line = (tiles.per_line + walk - 1) / walk;
    const TileWalk share = tile_walk(team, tiles.count / tiles.per_line * per_line);
    for (std::int64_t index = share.begin; index < share.end; index += share.step) {
      const QuotientRemainder split = divide(index, per_line);
      const std::int64_t first = split.remainder * walk * tiles.length;
      const auto outputs =
          static_cast<int>(Kokkos::min<std::int64_t>(std::int64_t{walk} * tiles.length, lines.out.extent - first));
      const In* x = lines.in.line(split.quotient);
      Out* y = lines.out.line(split.quotient);
      int made = 0;
      if constexpr (has_quick<Op>) {
        team.team_barrier();
        if (team.team_rank() == 0) *flag_of(scratch) = 0;
        made = make_outputs(typename Op::quick_type(), team, scratch, x, y, first, outputs);
      }
      if (made < outputs) make_outputs(op, team, scratch, x, y, first + made, outputs - made);
    }
  }

 private:
  /// Elements of a line from begin on: where the window of the first output's rest-th neighbour begins, so that runs
  /// in which windows end are whole. Those from inside to inside_end stand in memory.
  struct Walk {
    const In* x;
    std::int64_t begin;
    int inside, inside_end;
    In* ring;              // begins with a sector; element 0 is its phase-th
    int phase;             // within a sector of memory
    int staged, position;  // up to where elements are on their way to the ring, and where the next one goes
  };

  /// Whether the walk has elements that a quick operation does not take.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int* flag_of(std::byte* scratch) const {
    return reinterpret_cast<int*>(scratch + pieces.flag_at);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int ring_size() const { return pieces.runs * length; }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Walk walk_from(const In* x, std::int64_t begin, In* ring) const {
    constexpr std::int64_t far = std::int64_t{1} << 30;
    Walk w{x, begin, 0, 0, ring, 0, 0, 0};
    if (lines.in.stride == 1) {
      w.inside = static_cast<int>(Kokkos::clamp(-begin, -far, far));
      w.inside_end = static_cast<int>(Kokkos::clamp(lines.in.extent - begin, -far, far));
      w.phase = static_cast<int>(reinterpret_cast<std::uintptr_t>(x + begin) % sector_bytes / sizeof(In));
    }
    // A run before element 0, and the rest of its sector.
    const int lead = (length - w.phase + sector - 1) / sector * sector;
    w.staged = -lead - w.phase;
    w.position = ring_size() - lead;
    return w;
  }

  /// Begins to copy what comes next, up to an element and the rest of its sector.
  KOKKOS_FORCEINLINE_FUNCTION void stage(const member_type& team, int end, Walk& w) const {
    constexpr int width = packed_length<In>;
    const int rank = team.team_rank(), threads = team.team_size(), size = ring_size();
    end = (end + w.phase + sector - 1) / sector * sector - w.phase;
    TESSERA_NO_UNROLL
    while (w.staged < end) {
      const int count = Kokkos::min(end - w.staged, size - w.position);
      In* to = w.ring + w.position;
      // The first run is behind the last one once more, for those that lie across the end.
      const int again = Kokkos::min(count, window_walks_pad<Op> - w.position);
      if (w.staged >= w.inside && w.staged + count <= w.inside_end) {
        const In* from = w.x + (w.begin + w.staged);
        const int packs = count / width;
        TESSERA_NO_UNROLL
        for (int p = rank; p < packs; p += threads) {
          copy_async(reinterpret_cast<Packed<In>*>(to) + p, reinterpret_cast<const Packed<In>*>(from) + p);
        }
        TESSERA_NO_UNROLL
        for (int e = rank; e < again; e += threads) copy_async(to + size + e, from + e);
      } else {
        TESSERA_NO_UNROLL
        for (int e = rank; e < count; e += threads) {
          this->begin_copy_of(w.x, w.begin + w.staged + e, to + e);
          if (e < again) this->begin_copy_of(w.x, w.begin + w.staged + e, to + size + e);
        }
      }
      w.staged += count;
      w.position += count;
      if (w.position == size) w.position = 0;
    }
  }

  /// outputs: from the first-th on. join: the operation, or a quick one. Returns how many it made: fewer where elements
  /// are not for that.
  template <class Join>
  KOKKOS_FORCEINLINE_FUNCTION int make_outputs(const Join& join, const member_type& team, std::byte* scratch,
                                               const In* x, Out* y, std::int64_t first, int outputs) const {
    using Value = typename Join::value_type;
    using Joins = WindowRunJoins<Join, length>;
    constexpr bool is_quick = !std::is_same_v<Join, Op>;
    const int tile_runs = tiles.length / length, runs = (outputs + length - 1) / length;
    // Tiles before the first one have no outputs: totals of runs that its windows hold.
    const int before = (whole + tile_runs) / tile_runs;
    Walk w = walk_from(x, first - lines.window.reach_left + rest,
                       reinterpret_cast<In*>(scratch + pieces.elements_at) + window_walks_slack<Op>);
    RunRing new_places{pieces.runs, whole + 1 - before * tile_runs}, own_places{pieces.runs, 0};
    WindowRunTotals<Join> totals(scratch, pieces, whole, new_places.first);
    const bool is_whole = lines.makes_all(first, outputs);

    for (int tile = -before; tile * tile_runs < runs; ++tile) {
      const int own_first = tile * tile_runs, new_first = own_first + whole + 1;
      // Runs of elements that are still to be read, and one that slots may begin in.
      const int kept = Kokkos::max(0, KeepsElements ? own_first : new_first);
      const auto end_of = [&](int tiles_on) {
        return (Kokkos::min(own_first + tiles_on * tile_runs, runs) + whole + 1) * length;
      };
      In* own = w.ring + own_places.first * length + w.phase - rest;
      team.team_barrier();
      stage(team, end_of(1), w);
      if constexpr (!KeepsElements) {
        if (tile >= 0) {
          const int count = Kokkos::min(tile_runs, runs - own_first) * length;
          const std::int64_t from = w.begin - rest + own_first * length;
          In* const room = reinterpret_cast<In*>(scratch + pieces.own_at) + packed_length<In>;
          this->begin_copy(team, x, from, count, room);
          own = this->copied(x, from, room);
        }
      }
      end_async_group();
      stage(team, Kokkos::min(end_of(2), (kept + pieces.runs - 3) * length), w);
      end_async_group();
      wait_for_async_groups<1>();
      team.team_barrier();

      // Threads without a run join another one too, and drop it: values that are sometimes there cost registers.
      const int lowest = Kokkos::max(0, -new_first);
      const int highest = tile < 0 ? tile_runs - 1 : Kokkos::min(tile_runs, runs - own_first) - 1;
      const int at = Kokkos::clamp(team.team_rank(), lowest, highest);
      const bool has_run = at == team.team_rank();
      totals.take(at);
      const In* const run = w.ring + new_places.place(at) * length + w.phase;
      {
        Value values[length];
        load(join, run, values);
        const Value total = Joins::template first<length>(join, values);
        if constexpr (is_quick) {
          if (!Join::takes_all(values, total)) Kokkos::atomic_or(flag_of(scratch), 1);
          if (tile == -before) check_first(team, scratch, w);
        }
        Value end = total;
        if (rest > 0) end = Joins::last(join, values, rest);
        if (has_run) {
          if (whole > 0) totals.add(total);
          if (rest > 0) totals.add_end(end);
        }
      }
      team.team_barrier();
      if (is_quick && *flag_of(scratch) != 0) {
        wait_for_async_groups<0>();
        return Kokkos::max(0, own_first * length);
      }
      const Value common = totals.join(team, join, has_run, rest > 0);
      if (tile >= 0) {
        Value windows[length];
        // The ring's first run begins at its end.
        const bool is_across = KeepsElements && own_places.first + at == 0;
        load(join, own + at * length + (is_across ? ring_size() : 0), windows);
        Joins::join_ends(join, windows);
        Joins::join_beginnings(join, run, common, windows);
        team.team_barrier();  // elements have been read
        const int first_output = own_first * length, count = Kokkos::min(tiles.length, outputs - first_output);
        Out* const target = y + first + first_output;
        const int head = is_whole ? static_cast<int>(misaligned_head(target, count)) : 0;
        auto* slots = reinterpret_cast<Out*>(own);
        slots -= (reinterpret_cast<std::uintptr_t>(slots) % packed_bytes / sizeof(Out) + head) % packed_length<Out>;
        if (has_run) {
          const Value all = join.join(windows[0], windows[length - 1]);
          join.template results<length, true>(windows, all, slots + at * length);
        }
        team.team_barrier();
        if (is_whole) {
          store_slots(slots, target, count, head, team.team_rank(), team.team_size());
        } else {
          lines.store(team, x, y, first + first_output - lines.window.reach_left, count,
                      [&](int k) { return slots[k]; });
        }
        own_places.advance(tile_runs);
      }
      new_places.advance(tile_runs);
      totals.advance(tile_runs);
    }
    return outputs;
  }

  /// Of the elements before the first run.
  KOKKOS_FORCEINLINE_FUNCTION void check_first(const member_type& team, std::byte* scratch, const Walk& w) const {
    for (int e = team.team_rank(); e < rest; e += team.team_size()) {
      if (!Op::quick_type::takes(w.ring[ring_size() + w.phase - rest + e])) Kokkos::atomic_or(flag_of(scratch), 1);
    }
  }
};

template <bool KeepsElements, ExecutionSpace Space, class Op>
void launch_window_walks(std::string_view function, const Space& space, const WindowPlan& plan,
                         const WindowLines<Op>& lines, const Op& op, const WindowWalksScratch& pieces,
                         int asked_team_size) {
  using Functor = WindowWalks<Space, Op, KeepsElements>;
  constexpr int length = Functor::length;
  const auto common = static_cast<int>(lines.window.size - 1 - length);
  const Functor functor{{lines, op, WindowTiles(lines.in.lines(), lines.out.extent, plan.tile)},
                        common / length,
                        common % length,
                        plan.walk,
                        pieces};
  auto policy = typename Functor::policy_type(space, plan.league_size, plan.team_size)
                    .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(plan.scratch_bytes))));
  require_launchable(function, policy, functor, asked_team_size);
  Kokkos::parallel_for("tessera::window::walks", policy, functor);
}

template <ExecutionSpace Space, class Op>
void launch_window_walks(std::string_view function, const Space& space, const WindowPlan& plan,
                         const WindowLines<Op>& lines, const Op& op, int asked_team_size) {
  const WindowWalksScratch pieces =
      window_walks_scratch<Op>(plan.tile, lines.window.size, scratch_request(plan.scratch_bytes));
  if (pieces.keeps_elements) {
    launch_window_walks<true>(function, space, plan, lines, op, pieces, asked_team_size);
  } else {
    launch_window_walks<false>(function, space, plan, lines, op, pieces, asked_team_size);
  }
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant walks: a team walks along a line, tile by tile; a thread makes the outputs of a run of neighbours. Their
// windows are the ends of that run, what they have in common, and the beginnings of as many elements where the first
// window ends. In common they have whole runs and, before those, the last elements of another. What a team knows of the
// line stays in scratch, in rings, so that a tile takes the elements and the totals of its own length, however long its
// windows are. The windows of all outputs begin as far from where runs do as that of output 0, so that no sum depends
// on tiles or teams. Nothing is ever subtracted.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_WALKS_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_WALKS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/async_copy.hpp>
#include <tessera/detail/bulk_copy.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/window_lines.hpp>
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
  static constexpr int cache_line = window_walks_line<Op>;
  static constexpr int line_bytes = cache_line * sizeof(typename Op::in_type);
  using typename Base::In, typename Base::Out;
  static_assert(sizeof(In) == sizeof(Out));
  static_assert(window_walks_min<Op> > (warp_lanes + 1) * length, "totals are of more runs than a warp has");

  int whole, rest;  // size - 1 = (whole + 1) * length + rest
  int walk;         // tiles
  WindowWalksScratch pieces;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    std::byte* scratch = team_scratch(team, pieces.bytes);
    const std::int64_t per_line = (tiles.per_line + walk - 1) / walk;
    const TileWalk share = tile_walk(team, tiles.count / tiles.per_line * per_line);
    BulkGroups groups(reinterpret_cast<std::uint64_t*>(scratch + pieces.groups_at));
    if (team.team_rank() == 0) groups.init();
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
        made = make_outputs(typename Op::quick_type(), team, scratch, groups, x, y, first, outputs);
      }
      if (made < outputs) make_outputs(op, team, scratch, groups, x, y, first + made, outputs - made);
    }
    wait_for_bulk_stores();
  }

 private:
  /// Elements of a line from begin on: where the window of the first output's rest-th neighbour begins, so that runs
  /// in which windows end are whole. Those from inside to inside_end are neighbours in memory, whole lines of the
  /// cache.
  struct Walk {
    const In* x;
    std::int64_t begin;
    int inside, inside_end;
    In* ring;              // begins with a line of the cache; element 0 is its phase-th
    int phase;             // within a line of the cache
    int staged, position;  // up to where elements are on their way to the ring, and where the next one goes
    bool by_threads;       // some of them as each thread copies its share
  };

  /// Whether the walk has elements that a quick operation does not take.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int* flag_of(std::byte* scratch) const {
    return reinterpret_cast<int*>(scratch + pieces.flag_at);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int ring_size() const { return pieces.runs * length; }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Walk walk_from(const In* x, std::int64_t begin, In* ring) const {
    constexpr std::int64_t far = std::int64_t{1} << 30;
    Walk w{x, begin, 0, 0, ring, 0, 0, 0, false};
    if (lines.in.stride == 1) {
      w.phase = within_line(x + begin);
      const auto inside = static_cast<int>(Kokkos::clamp(-begin, -far, far));
      const auto inside_end = static_cast<int>(Kokkos::clamp(lines.in.extent - begin, -far, far));
      w.inside = lines_up_to(inside, w.phase);
      w.inside_end = lines_up_to(inside_end - cache_line + 1, w.phase);
    }
    // A run before element 0, and the rest of its line.
    const int lead = (length - w.phase + cache_line - 1) / cache_line * cache_line;
    w.staged = -lead - w.phase;
    w.position = lead > 0 ? ring_size() - lead : 0;
    return w;
  }
  /// From an element to the end of its line.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static int lines_up_to(int end, int phase) {
    return ((end + phase + cache_line - 1) & -cache_line) - phase;
  }

  /// Nothing of scratch is on its way to memory, and no thread reads there.
  KOKKOS_FORCEINLINE_FUNCTION static void wait_for_stores(const member_type& team) {
    wait_for_bulk_stores();
    team.team_barrier();
  }

  /// Begins to copy what comes next, up to an element and the rest of its line.
  KOKKOS_FORCEINLINE_FUNCTION void stage(const member_type& team, int end, const BulkGroups& groups, Walk& w) const {
    const int rank = team.team_rank(), size = ring_size();
    end = lines_up_to(end, w.phase);
    if (end <= w.staged) return;
    // The first lines are behind the last run once more, for those that lie across the end.
    const bool is_inside = w.staged >= w.inside && end <= w.inside_end;
    if (has_bulk_copies && is_inside) {
      if (rank == 0) {
        wait_for_bulk_stores();
        int staged = w.staged, position = w.position;
        TESSERA_NO_UNROLL
        while (staged < end) {
          const int count = Kokkos::min(end - staged, size - position);
          const int again = Kokkos::min(count, window_walks_pad<Op> - position);
          const In* from = w.x + (w.begin + staged);
          groups.begin(w.ring + position, from, count * static_cast<int>(sizeof(In)));
          if (again > 0) groups.begin(w.ring + size + position, from, again * static_cast<int>(sizeof(In)));
          staged += count;
          position = 0;
        }
      }
    } else {
      wait_for_stores(team);
      w.by_threads = true;
      if (is_inside) {
        constexpr int width = packed_length<In>;
        TESSERA_NO_UNROLL
        for (int e = rank * width; e < end - w.staged; e += team.team_size() * width) {
          const int at = w.position + e, place = at < size ? at : at - size;
          const auto* from = reinterpret_cast<const Packed<In>*>(w.x + (w.begin + w.staged + e));
          copy_async(reinterpret_cast<Packed<In>*>(w.ring + place), from);
          if (place < window_walks_pad<Op>) copy_async(reinterpret_cast<Packed<In>*>(w.ring + size + place), from);
        }
      } else {
        TESSERA_NO_UNROLL
        for (int e = rank; e < end - w.staged; e += team.team_size()) {
          const int at = w.position + e, place = at < size ? at : at - size;
          this->begin_copy_of(w.x, w.begin + w.staged + e, w.ring + place);
          if (place < window_walks_pad<Op>) this->begin_copy_of(w.x, w.begin + w.staged + e, w.ring + size + place);
        }
      }
    }
    w.position += end - w.staged;
    if (w.position >= size) w.position -= size;
    w.staged = end;
  }

  /// All that a tile takes is there.
  KOKKOS_FORCEINLINE_FUNCTION static void finish_staging(const member_type& team, BulkGroups& groups, Walk& w) {
    groups.finish(team.team_rank() == 0);
    if (!w.by_threads) return;
    end_async_group();
    wait_for_async_groups<0>();
    show_to_bulk_copies();
    team.team_barrier();
    w.by_threads = false;
  }

  /// Where lines of a cache begin.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static In* line_up(std::byte* scratch) {
    const auto past = static_cast<int>(reinterpret_cast<std::uintptr_t>(scratch) % line_bytes);
    return reinterpret_cast<In*>(scratch + (line_bytes - past) % line_bytes);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static int within_line(const void* address) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(address) % line_bytes / sizeof(In));
  }

  /// Where a tile's own elements go, from a line's begin-th on, if they are read again.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION In* own_place(std::byte* scratch, const In* x, std::int64_t begin,
                                                          int tile) const {
    In* const room = line_up(scratch + pieces.own_at) + (tile % 2 * pieces.own_length + cache_line);
    return lines.in.stride == 1 ? room + within_line(x + begin) : room;
  }
  KOKKOS_FORCEINLINE_FUNCTION void stage_own(const member_type& team, std::int64_t begin, int count, In* place,
                                             const BulkGroups& groups, Walk& w) const {
    constexpr int width = packed_length<In>;
    if (has_bulk_copies && lines.in.stride == 1 && this->is_inside(begin - width, count + 2 * width)) {
      if (team.team_rank() == 0) {
        wait_for_bulk_stores();
        const int before = within_line(w.x + begin) % width;
        groups.begin(place - before, w.x + (begin - before), (before + count + width - 1) / width * packed_bytes);
      }
    } else {
      wait_for_stores(team);
      w.by_threads = true;
      this->begin_copy(team, w.x, begin, count, place - within_line(place) % (sector_bytes / sizeof(In)));
    }
  }

  /// outputs: from the first-th on. join: the operation, or a quick one. Returns how many it made: fewer where elements
  /// are not for that.
  template <class Join>
  KOKKOS_FORCEINLINE_FUNCTION int make_outputs(const Join& join, const member_type& team, std::byte* scratch,
                                               BulkGroups& groups, const In* x, Out* y, std::int64_t first,
                                               int outputs) const {
    using Value = typename Join::value_type;
    using Joins = WindowRunJoins<Join, length>;
    constexpr bool is_quick = !std::is_same_v<Join, Op>;
    const int tile_runs = tiles.length / length, runs = (outputs + length - 1) / length;
    // Tiles before the first one have no outputs: totals of runs that its windows hold.
    const int before = (whole + tile_runs) / tile_runs;
    Walk w = walk_from(x, first - lines.window.reach_left + rest, line_up(scratch + pieces.elements_at) + cache_line);
    RunRing new_places{pieces.runs, whole + 1 - before * tile_runs};
    int own_first_place = pieces.runs;  // the run before the ring's end lies behind it as well
    WindowRunTotals<Join> totals(scratch, pieces, whole, new_places.first, team.team_rank());
    const auto end_of = [&](int tile) { return (Kokkos::min((tile + 1) * tile_runs, runs) + whole + 1) * length; };
    const auto begin_own = [&](int tile) {
      if (KeepsElements || tile < 0 || tile * tile_runs >= runs) return;
      const std::int64_t begin = w.begin - rest + tile * tiles.length;
      stage_own(team, begin, Kokkos::min(tile_runs, runs - tile * tile_runs) * length,
                own_place(scratch, x, begin, tile), groups, w);
    };
    wait_for_stores(team);

    for (int tile = -before; tile * tile_runs < runs; ++tile) {
      const int own_first = tile * tile_runs, new_first = own_first + whole + 1;
      // Threads without a run join another one too, and drop it: values that are sometimes there cost registers.
      const int lowest = Kokkos::max(0, -new_first);
      const int highest = tile < 0 ? tile_runs - 1 : Kokkos::min(tile_runs, runs - own_first) - 1;
      const int at = Kokkos::clamp(team.team_rank(), lowest, highest);
      const bool has_run = at == team.team_rank();
      stage(team, end_of(tile), groups, w);
      finish_staging(team, groups, w);
      const In* const run = w.ring + new_places.place(at) * length + w.phase;
      Value values[length];
      load(join, run, values);
      const Value total = Joins::template first<length>(join, values);
      if constexpr (is_quick) {
        if (!Join::takes_all(values, total)) Kokkos::atomic_or(flag_of(scratch), 1);
        if (tile == -before) check_first(team, scratch, w);
      }
      Value end = total;
      if (rest > 0) end = Joins::last(join, values, rest);
      totals.take(join, team.team_rank(), at, has_run, total, rest > 0, end);
      // A tile's own elements, and the first of its runs that lie at the ring's beginning once more.
      In* own;
      int wrapped = tile_runs;
      if constexpr (KeepsElements) {
        own = w.ring + own_first_place * length + w.phase - rest;
        wrapped = pieces.runs - own_first_place + 1;
      } else {
        own = own_place(scratch, x, w.begin - rest + own_first * length, tile);
      }
      const int place = at * length - (at < wrapped ? 0 : ring_size());
      In own_elements[length];
      TESSERA_UNROLL
      for (int s = 0; s < length; ++s) own_elements[s] = tile < 0 ? In() : own[place + s];
      team.team_barrier();  // a tile's own have been read: outputs take their place
      if (is_quick && *flag_of(scratch) != 0) return Kokkos::max(0, own_first * length);
      // Runs of elements that are still to be read, and one that slots may begin in.
      const int kept = Kokkos::max(0, KeepsElements ? own_first : new_first);
      stage(team, Kokkos::min(end_of(tile + 1), (kept + pieces.runs - 4) * length), groups, w);
      begin_own(tile + 1);

      if (tile >= 0) {
        const Value common = totals.joined(join);
        Value windows[length];
        load(join, own_elements, windows);
        Joins::join_ends(join, windows);
        if constexpr (sizeof(In) <= 4) {
          Joins::join_beginnings(join, values, common, windows);
        } else {
          // Read again, as registers do not hold them: none is a tile's own.
          static_assert(window_walks_min<Op> > (window_walks_team_size + 1) * length);
          Joins::join_beginnings(join, run, common, windows);
        }
        const int first_output = own_first * length, count = Kokkos::min(tiles.length, outputs - first_output);
        Out* const target = y + first + first_output;
        const bool is_whole = lines.makes_all(first + first_output, count);
        auto* slots = reinterpret_cast<Out*>(own);
        slots -= (within_line(slots) - within_line(target) + cache_line) % cache_line;
        if (has_run) {
          const Value all = join.join(windows[0], windows[length - 1]);
          join.template results<length, true>(windows, all, slots + place);
        }
        show_to_bulk_copies();
        team.team_barrier();
        const int in_order = Kokkos::min(count, wrapped * length);
        if (is_whole) {
          store(team, slots, target, in_order);
          if (in_order < count) store(team, slots + (in_order - ring_size()), target + in_order, count - in_order);
        } else {
          lines.store(team, x, y, first + first_output - lines.window.reach_left, count,
                      [&](int k) { return slots[k < in_order ? k : k - ring_size()]; });
        }
        if (!has_bulk_copies || !is_whole) team.team_barrier();
        own_first_place += tile_runs;
        if (own_first_place > pieces.runs) own_first_place -= pieces.runs;
      } else if (is_quick) {
        team.team_barrier();  // all have looked at the flag
      }
      new_places.advance(tile_runs);
      totals.advance(tile_runs);
    }
    return outputs;
  }

  /// count outputs; in bulk by one thread.
  KOKKOS_FORCEINLINE_FUNCTION static void store(const member_type& team, const Out* slots, Out* target, int count) {
    const auto head = static_cast<int>(misaligned_head(target, count));
    if (!has_bulk_copies) return store_slots(slots, target, count, head, team.team_rank(), team.team_size());
    if (team.team_rank() != 0) return;
    const int packed = (count - head) / packed_length<Out> * packed_length<Out>;
    if (packed > 0) begin_bulk_store(target + head, slots + head, packed * static_cast<int>(sizeof(Out)));
    TESSERA_NO_UNROLL
    for (int k = 0; k < count - packed; ++k) {
      const int at = k < head ? k : k + packed;
      target[at] = slots[at];
    }
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
  launch_windows(function, "tessera::window::walks", space, plan, functor, asked_team_size);
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

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant walks: what the whole runs of a window come to, from totals of 1, 4, 16, .. runs, which stay in team
// scratch. Nothing is ever subtracted.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_RUN_TOTALS_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_RUN_TOTALS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <tessera/concepts.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/window_walks_plan.hpp>

namespace tessera::detail {

/// Places of a tile's runs in a ring of size of them: that of its first one (before the ring where it is no run of the
/// walk), and from there.
struct RunRing {
  int size, first;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int place(int run) const {
    const int at = first + run;
    return at < size ? at : at - size;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int back(int place, int runs) const {
    return place < runs ? place - runs + size : place - runs;
  }
  KOKKOS_FORCEINLINE_FUNCTION void advance(int runs) { first = place(runs); }
};

/// A total is at the place of its last run.
template <class Op>
struct WindowRunTotals {
  using Value = typename Op::value_type;

  std::byte* scratch;
  const WindowWalksScratch& pieces;
  int whole;  // whole runs before one belong to its window
  RunRing small_places, large_places;
  int small_at = 0, large_at = 0;

  KOKKOS_FORCEINLINE_FUNCTION WindowRunTotals(std::byte* team_scratch, const WindowWalksScratch& layout,
                                              int window_runs, int first)
      : scratch(team_scratch),
        pieces(layout),
        whole(window_runs),
        small_places{layout.small_runs, first},
        large_places{layout.large_runs, first} {}

  KOKKOS_FORCEINLINE_FUNCTION void advance(int runs) {
    small_places.advance(runs);
    large_places.advance(runs);
  }

  /// The tile's run that a thread takes.
  KOKKOS_FORCEINLINE_FUNCTION void take(int run) {
    small_at = small_places.place(run);
    large_at = large_places.place(run);
  }
  /// Its total, before a barrier.
  KOKKOS_FORCEINLINE_FUNCTION void add(const Value& total) const {
    if (pieces.levels > 0) {
      small()[small_at] = total;
    } else {
      large()[large_at] = total;
    }
  }
  /// What it ends with.
  KOKKOS_FORCEINLINE_FUNCTION void add_end(const Value& end) const { ends()[large_at] = end; }

  /// After the barrier: totals of more runs, and those of the whole runs before the thread's one, joined, with the end
  /// of the run before those. writes: whether the run is the thread's own.
  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION Value join(const Member& team, const Op& op, bool writes, bool has_ends) const {
    Value joined = op.identity();
    Value* level = small();
    int size = 1, taken = 0, count = whole;
    TESSERA_NO_UNROLL
    for (int k = 0; k < pieces.levels; ++k) {
      if constexpr (!Op::is_idempotent) {
        joined = join_some(op, level, small_places, small_at, taken, count % 4, size, joined);
        taken += count % 4 * size;
        count /= 4;
      } else {
        count = (count + 3) / 4;
      }
      const int second = small_places.back(small_at, size), third = small_places.back(second, size);
      const Value wider = op.join(op.join(level[small_places.back(third, size)], level[third]),
                                  op.join(level[second], level[small_at]));
      level += pieces.small_runs;
      if (writes) (k + 1 < pieces.levels ? level[small_at] : large()[large_at]) = wider;
      size *= 4;
      team.team_barrier();
    }
    if constexpr (Op::is_idempotent) {
      // The last one may overlap the one before.
      joined = join_some(op, large(), large_places, large_at, 0, count - 1, size, joined);
      if (whole > 0) joined = op.join(joined, large()[large_places.back(large_at, 1 + whole - size)]);
    } else {
      joined = join_some(op, large(), large_places, large_at, taken, count, size, joined);
    }
    return has_ends ? op.join(ends()[large_places.back(large_at, whole + 1)], joined) : joined;
  }

 private:
  /// Totals of up to 4^(levels - 1) runs, a ring each, those of 4^levels, and what runs end with.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value* small() const {
    return reinterpret_cast<Value*>(scratch + pieces.small_at);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value* large() const {
    return reinterpret_cast<Value*>(scratch + pieces.large_at);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value* ends() const {
    return reinterpret_cast<Value*>(scratch + pieces.ends_at);
  }

  /// count totals of size runs, of which the last one ends before as many runs as were taken.
  KOKKOS_FORCEINLINE_FUNCTION static Value join_some(const Op& op, const Value* level, const RunRing& places, int at,
                                                     int taken, int count, int size, Value joined) {
    if (count <= 0) return joined;
    int place = places.back(at, 1 + taken);
    Value total = level[place];
    TESSERA_NO_UNROLL
    for (int k = 1; k < count; ++k) {
      place = places.back(place, size);
      total = op.join(level[place], total);
    }
    return taken > 0 ? op.join(total, joined) : total;
  }
};

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant walks: what the whole runs of a window come to. A run's thread is a lane of a warp: the runs after it in its
// warp, the warps between, and the runs before another one in its warp. What is known of them stays in team scratch, in
// rings. Nothing is ever subtracted.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_RUN_TOTALS_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_RUN_TOTALS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <tessera/detail/lanes.hpp>
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

/// For windows of more whole runs than a warp has.
template <class Op>
struct WindowRunTotals {
  using Value = typename Op::value_type;

  Value *ends, *warps;
  int whole;  // whole runs before one belong to its window
  int lane;
  RunRing end_places, warp_places;
  int end_at = 0, warp_at = 0;
  Value before;  // the runs before the lane's one in its warp

  KOKKOS_FORCEINLINE_FUNCTION WindowRunTotals(std::byte* scratch, const WindowWalksScratch& pieces, int window_runs,
                                              int first, int rank)
      : ends(reinterpret_cast<Value*>(scratch + pieces.ends_at)),
        warps(reinterpret_cast<Value*>(scratch + pieces.warps_at)),
        whole(window_runs),
        lane(rank % warp_lanes),
        end_places{pieces.end_runs, first},
        warp_places{pieces.warps, 0} {}

  KOKKOS_FORCEINLINE_FUNCTION void advance(int runs) {
    end_places.advance(runs);
    warp_places.advance(runs / warp_lanes);
  }

  /// The tile's run that a thread takes, its total and what it ends with, if anything, before a barrier. Stores:
  /// whether the run is the thread's own.
  KOKKOS_FORCEINLINE_FUNCTION void take([[maybe_unused]] const Op& op, int rank, int run, [[maybe_unused]] bool stores,
                                        [[maybe_unused]] const Value& total, [[maybe_unused]] bool has_end,
                                        [[maybe_unused]] const Value& end) {
    end_at = end_places.place(run);
    warp_at = warp_places.place(rank / warp_lanes);
#if defined(__CUDA_ARCH__)
    const Value next = lane_further(total, 1), last = lane_before(total, 1);
    Value after = lane < warp_lanes - 1 ? next : op.identity();
    before = lane > 0 ? last : op.identity();
    TESSERA_UNROLL
    for (int distance = 1; distance < warp_lanes; distance *= 2) {
      const Value further = lane_further(after, distance), former = lane_before(before, distance);
      if (Op::is_idempotent || lane + distance < warp_lanes) after = op.join(after, further);
      if (Op::is_idempotent || lane >= distance) before = op.join(former, before);
    }
    if (lane == 0 && stores) warps[warp_at] = op.join(total, after);
    if (stores) ends[end_at] = has_end ? op.join(end, after) : after;
#endif
  }

  /// After the barrier: the end of the run before the whole runs before the thread's one, and those.
  KOKKOS_FORCEINLINE_FUNCTION Value joined(const Op& op) const {
    const int between = (whole + 1) / warp_lanes - 1;
    Value all = before;
    int place = warp_at;
    const auto back = [&] {
      place = warp_places.back(place, 1);
      return warps[place];
    };
    // By fours, so that sums of doubles are no deeper than their bound says.
    TESSERA_NO_UNROLL
    for (int k = between; k >= 4; k -= 4) {
      const Value fourth = back(), third = back(), second = back();
      all = op.join(op.join(op.join(back(), second), op.join(third, fourth)), all);
    }
    TESSERA_NO_UNROLL
    for (int k = between % 4 + (lane < (whole + 1) % warp_lanes ? 1 : 0); k > 0; --k) all = op.join(back(), all);
    return op.join(ends[end_places.back(end_at, whole + 1)], all);
  }
};

}  // namespace tessera::detail

#endif

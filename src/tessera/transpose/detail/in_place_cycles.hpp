// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of elements that change places in one pass, along the cycles of their permutation.
#ifndef TESSERA_TRANSPOSE_DETAIL_IN_PLACE_CYCLES_HPP
#define TESSERA_TRANSPOSE_DETAIL_IN_PLACE_CYCLES_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/divisor.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/transpose/detail/in_place_layout.hpp>
#include <tessera/transpose/detail/in_place_move.hpp>
#include <tessera/transpose/in_place_plan.hpp>

namespace tessera::detail {

/// Runs [a][h][b] become [b][h][a].
struct RunOrder {
  Divisor a, h;
  std::uint32_t b;

  [[nodiscard]] KOKKOS_FUNCTION std::uint32_t runs() const { return a.value() * h.value() * b; }
  /// Where the run comes from that is to stand at `place`.
  [[nodiscard]] KOKKOS_FUNCTION std::uint32_t source(std::uint32_t place) const {
    const std::uint32_t group = a.quotient(place), i = place - group * a.value();
    const std::uint32_t k = h.quotient(group), j = group - k * h.value();
    return (i * h.value() + j) * b + k;
  }
};

/// Places, scattered over all, whose runs are saved before the others move: there cycles are cut into pieces that move
/// at the same time.
struct RunCuts {
  static constexpr std::uint32_t factor = 2654435769U, inverse = 340573321U;
  static_assert(factor * inverse == 1);
  std::uint32_t mask, count;

  RunCuts(std::uint32_t runs, std::uint32_t cuts)
      : mask(static_cast<std::uint32_t>(std::bit_ceil(std::uint64_t{runs}) - 1)), count(cuts) {}

  /// The slot of a place's run; those below count are cuts.
  [[nodiscard]] KOKKOS_FUNCTION std::uint32_t slot(std::uint32_t place) const { return place * factor & mask; }
  [[nodiscard]] KOKKOS_FUNCTION std::uint32_t place(std::uint32_t slot) const { return slot * inverse & mask; }
};

template <class T>
struct SaveCutRuns {
  const T* data;
  T* saved;
  std::int64_t run;
  std::uint32_t runs;
  RunCuts cuts;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const QuotientRemainder split = divide(index, run);
    const std::uint32_t place = cuts.place(static_cast<std::uint32_t>(split.quotient));
    if (place < runs) saved[index] = data[place * run + split.remainder];
  }
};

/// Each thread of a team looks whether a piece of a cycle begins at its place; then groups of lanes move the pieces, a
/// slice of each run.
template <ExecutionSpace Space, class T>
struct MoveRuns {
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<in_place_team_size, 4>>;
  using member_type = typename policy_type::member_type;
  static constexpr int ahead = is_host_space<Space> ? 1 : 4;
  static constexpr int each = sizeof(T) == 16 ? 1 : 4;  // elements of a lane

  T* data;
  const T* saved;
  std::int64_t run;
  RunOrder order;
  RunCuts cuts;
  int lanes;
  std::int64_t slices;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    ScratchLayout layout;
    const std::size_t list = layout.append<std::uint32_t>(static_cast<std::size_t>(team.team_size()));
    const std::size_t number = layout.append<int>(1);
    std::byte* scratch = team_scratch(team, layout.bytes());
    auto* begins = reinterpret_cast<std::uint32_t*>(scratch + list);
    auto* count = reinterpret_cast<int*>(scratch + number);
    const TileWalk walk = tile_walk(team, ceil_div(order.runs(), team.team_size()) * slices);
    for (std::int64_t tile = walk.begin; tile < walk.end; tile += walk.step) {
      const QuotientRemainder split = divide(tile, slices);
      if (team.team_rank() == 0) *count = 0;
      team.team_barrier();
      const std::int64_t place = split.quotient * team.team_size() + team.team_rank();
      if (place < order.runs() && is_begin(static_cast<std::uint32_t>(place))) {
        begins[Kokkos::atomic_fetch_add(count, 1)] = static_cast<std::uint32_t>(place);
      }
      team.team_barrier();
      move_pieces(team, split.remainder * lanes * each, begins, *count);
      if (tile + walk.step < walk.end) team.team_barrier();  // the list is made anew
    }
  }

  [[nodiscard]] KOKKOS_FUNCTION bool is_cut(std::uint32_t place) const { return cuts.slot(place) < cuts.count; }

  /// At cuts, and at the first place of a cycle that has none.
  [[nodiscard]] KOKKOS_FUNCTION bool is_begin(std::uint32_t place) const {
    std::uint32_t other = order.source(place);
    if (other == place) return false;
    if (is_cut(place)) return true;
    while (other > place && !is_cut(other)) other = order.source(other);
    return other == place;
  }

  /// Groups go from piece to piece without waiting for each other.
  KOKKOS_FUNCTION void move_pieces(const member_type& team, std::int64_t first_element, const std::uint32_t* begins,
                                   int count) const {
    const int groups = team.team_size() / lanes, lane = team.team_rank() % lanes;
    const std::int64_t element = first_element + lane;
    int piece = team.team_rank() / lanes;
    if (piece >= groups || element >= run) return;
    const auto elements = static_cast<int>(Kokkos::min<std::int64_t>(each, (run - element - 1) / lanes + 1));
    std::uint32_t begin = 0, to = 0;
    bool ends = true;
    T held[each];  // of the run at begin
    while (true) {
      if (ends) {
        if (piece >= count) return;
        begin = to = begins[piece];
        piece += groups;
        ends = false;
        if (!is_cut(begin)) load(held, data + begin * run + element, elements);
      }
      T values[ahead][each];
      std::uint32_t targets[ahead];
      int steps = 0;
      TESSERA_UNROLL
      for (int k = 0; k < ahead; ++k) {
        if (ends) continue;
        targets[k] = to;
        steps = k + 1;
        const std::uint32_t from = order.source(to), slot = cuts.slot(from);
        const bool is_saved = slot < cuts.count;
        ends = is_saved || from == begin;
        if (ends && !is_saved) {
          TESSERA_UNROLL
          for (int e = 0; e < each; ++e) values[k][e] = held[e];
        } else {
          load(values[k], (is_saved ? saved + slot * run : data + from * run) + element, elements);
        }
        to = from;
      }
      TESSERA_UNROLL
      for (int k = 0; k < ahead; ++k) {
        if (k < steps) store(data + targets[k] * run + element, values[k], elements);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void load(T (&values)[each], const T* memory, int elements) const {
    TESSERA_UNROLL
    for (int e = 0; e < each; ++e) {
      if (e < elements) values[e] = memory[e * lanes];
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(T* memory, const T (&values)[each], int elements) const {
    TESSERA_UNROLL
    for (int e = 0; e < each; ++e) {
      if (e < elements) memory[e * lanes] = values[e];
    }
  }
};

/// Runs of `run` elements; saved: room for `cuts` of them.
template <ExecutionSpace Space, class T>
void launch_runs(const Space& space, const InPlacePlan& plan, const RunOrder& order, std::int64_t cuts,
                 std::int64_t run, T* data, T* saved, int asked_team_size) {
  const RunCuts run_cuts(order.runs(), static_cast<std::uint32_t>(cuts));
  Kokkos::parallel_for("tessera::transpose_in_place::save_runs", Kokkos::RangePolicy<Space>(space, 0, cuts * run),
                       SaveCutRuns<T>{data, saved, run, order.runs(), run_cuts});
  using Functor = MoveRuns<Space, T>;
  const auto most = std::min(32U, std::bit_floor(static_cast<unsigned>(plan.team_size)));
  const auto wanted = static_cast<std::uint64_t>(ceil_div(run, Functor::each));
  const auto lanes = static_cast<int>(std::min<std::uint64_t>(most, std::bit_ceil(wanted)));
  const std::int64_t slices = ceil_div(run, std::int64_t{lanes} * Functor::each);
  const std::int64_t tiles = ceil_div(order.runs(), plan.team_size) * slices;
  launch_pass("tessera::transpose_in_place::runs", space, plan, plan.team_size, tiles,
              run_scratch_bytes(plan.team_size), Functor{data, saved, run, order, run_cuts, lanes, slices},
              asked_team_size);
}

}  // namespace tessera::detail

#endif

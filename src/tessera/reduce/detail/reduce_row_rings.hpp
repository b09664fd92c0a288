// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapping rings, of sums that pairs of doubles mostly settle: long rows, a warp each. Each lane copies its 16-byte
// pieces to a ring in scratch of its own, ahead of what it adds: neither registers nor barriers wait for memory.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_ROW_RINGS_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_ROW_RINGS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/async_copy.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/axes_problem.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <tessera/reduce/detail/fold_context.hpp>
#include <tessera/reduce/detail/lane_join.hpp>
#include <tessera/reduce/detail/reduce_rows.hpp>
#include <tessera/reduce/detail/row_tiles_plan.hpp>

namespace tessera::detail {

/// Rows that they do not settle are left to ReduceRowsLeft, as by ReduceRowTiles.
template <ExecutionSpace Space, class Problem>
struct ReduceRowRings : ReduceRows<Space, Problem> {
  using Base = ReduceRows<Space, Problem>;
  using Base::problem;
  using typename Base::Fold;
  using typename Base::T;
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<row_tiles_team_size, row_tiles_teams_at_once>,
                                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using Member = typename policy_type::member_type;
  static constexpr const char* label = "tessera::reduce_axes::rings";

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    std::byte* scratch = team_scratch(team, this->scratch_bytes);
    const AxesDim* axes = problem.kept > 1 ? axes_in_reach<Space>(team, problem, scratch) : nullptr;
    const std::int64_t output = std::int64_t{team.league_rank()} * team.team_size() + team.team_rank();
    if (output >= problem.kept_size) return;
    const AxesOffsets place =
        problem.kept <= 1 ? axis_offsets(problem.dims[0], output) : axes_offsets(axes, problem.kept, output);
    const int lane = lane_number(team, row_ring_lanes);
    auto* ring =
        reinterpret_cast<Packed<T>*>(scratch + after_axes()) + team.team_rank() * row_ring_pieces * row_ring_lanes;
    const bool summed =
        this->sum_row(team, place.out, true, [&](auto& few) { sum_lane(problem.in + place.in, lane, ring, few); });
    if (!summed) problem.left.leave(problem.out[place.out]);
  }

 private:
  /// Two pieces are a group: what add_group() adds at once, and what is waited for.
  static constexpr int width = packed_length<T>, group = 2, groups = row_ring_pieces / group;

  template <class Few>
  KOKKOS_FORCEINLINE_FUNCTION void sum_lane(const T* row, int lane, Packed<T>* ring, Few& few) const {
    const auto size = static_cast<int>(problem.run_size), head = async_head(row, size, ring);
    ring += lane;
    const int pieces = (size - head) / width, filling = pieces * width;
    const auto* const mine = reinterpret_cast<const Packed<T>*>(row + head) + lane;
    const int count = pieces - lane;  // and less: a lane has each 32nd
    int begun = 0;
    const auto begin = [&](int at) {
      TESSERA_UNROLL
      for (int k = 0; k < group; ++k) {
        const int piece = begun + k * row_ring_lanes;
        if (piece < count) copy_async(ring + (at * group + k) * row_ring_lanes, mine + piece);
      }
      begun += group * row_ring_lanes;
      end_async_group();
    };
    TESSERA_UNROLL
    for (int at = 0; at < groups; ++at) begin(at);
    // What fills no piece: an element a lane.
    if (lane < size - filling) few.add(Fold::term(row[lane < head ? lane : lane + filling]));
    int at = 0;
    TESSERA_NO_UNROLL
    for (int piece = 0; piece < count; piece += group * row_ring_lanes) {
      wait_for_async_groups<groups - 1>();
      term_t<Fold, T> terms[group * width];
      TESSERA_UNROLL
      for (int k = 0; k < group; ++k) {
        const bool is_there = piece + k * row_ring_lanes < count;
        const Packed<T> loaded = is_there ? ring[(at * group + k) * row_ring_lanes] : Packed<T>{};
        TESSERA_UNROLL
        for (int j = 0; j < width; ++j) terms[k * width + j] = Fold::term(loaded.values[j]);
      }
      begin(at);
      at = at + 1 == groups ? 0 : at + 1;
      add_group(few, terms);
    }
  }
};

}  // namespace tessera::detail

#endif

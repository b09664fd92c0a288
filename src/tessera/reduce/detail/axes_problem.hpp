// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernels of a reduction over axes share.
#ifndef TESSERA_REDUCE_DETAIL_AXES_PROBLEM_HPP
#define TESSERA_REDUCE_DETAIL_AXES_PROBLEM_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/axes_shape.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/fold_finish.hpp>
#include <tessera/reduce/detail/left_outputs.hpp>
#include <tessera/reduce/detail/thread_group.hpp>
#include <tessera/reduce/reduce_axes_plan.hpp>
#include <tessera/status.hpp>
#include <type_traits>
#include <utility>

namespace tessera::detail {

/// Registers for as many such teams at once: where one closes, others read. As a kernel argument even where it is
/// large: Kokkos' other ways cost microseconds.
template <ExecutionSpace Space, unsigned TeamsAtOnce = 3>
using AxesPolicy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<axes_team_size_max, TeamsAtOnce>,
                                      Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;

/// Pointer: to elements, or a PairPointer.
template <class Pointer, class Fold, class Result>
struct AxesProblem {
  using element_type = std::remove_cvref_t<decltype(std::declval<const Pointer&>()[0])>;
  using fold_type = Fold;
  using result_type = Result;
  /// Twice the elements in flight take more registers than three leave.
  static constexpr unsigned teams_at_once = std::is_pointer_v<Pointer> ? 3 : 2;

  Pointer in;
  Result* out;
  Partials<Fold> partials;
  std::uint64_t* status_word;
  LeftOutputs left;
  Fold fold;
  std::int64_t kept_size, reduced_size;
  std::int64_t rest_size, run_size;  // reduced elements = rest x run (runs), rest x fast x lane (groups)
  int kept, rest, run;               // axes, in this order in dims
  int parts;
  bool divides_rest;  // what parts divide: the rest, or the run or lane
  bool only_left;     // other outputs are there: groups, parts, of sums in pairs
  AxesDim dims[axes_max];
  AxesDim fast, lane;  // groups: threads lie along fast, 0 .. lanes of a load along lane

  /// Whether there is nothing to do.
  [[nodiscard]] KOKKOS_FUNCTION bool is_done() const { return sums_in_pairs<Fold>() && only_left && left.none(); }
  [[nodiscard]] KOKKOS_FUNCTION bool is_wanted(const AxesDim* axes, std::int64_t output) const {
    if constexpr (sums_in_pairs<Fold>()) {
      return !only_left || LeftOutputs::is_left(out[axes_offsets(axes, kept, output).out]);
    } else {
      return true;
    }
  }
  /// By every team of a kernel, at its end.
  template <TeamMember Member>
  KOKKOS_FUNCTION void end(const Member& team) const {
    if constexpr (sums_in_pairs<Fold>()) {
      if (only_left && parts == 1) left.put_back(team);
    }
  }

  /// Whether finish() takes a pair for the total.
  [[nodiscard]] KOKKOS_FUNCTION bool takes_pairs() const { return parts == 1 || sums_in_pairs<Fold>(); }

  /// For one thread, or a group: the result, or a partial of it; as write_result().
  template <TeamMember Member, class Total>
  KOKKOS_FUNCTION bool finish(const Member& group, const AxesDim* axes, std::int64_t output, int part,
                              Total& total) const {
    if (parts > 1) {
      if constexpr (std::is_same_v<Total, typename Fold::team_type> || sums_in_pairs<Fold>()) {
        return partials.leave(group, output * parts + part, total);
      }
      return false;
    }
    const AxesOffsets at = axes_offsets(axes, kept, output);
    const Status status(status_word, static_cast<std::uint64_t>(at.position));
    return write_result(group, fold, total, reduced_size, status, out + at.out);
  }
};

/// Range number part of parts.
KOKKOS_INLINE_FUNCTION IndexRange part_of(std::int64_t size, int parts, int part) {
  const std::int64_t share = ceil_div(size, parts);
  const std::int64_t begin = Kokkos::min(size, part * share);
  return {begin, Kokkos::min(size, begin + share)};
}

/// The axes, where they can be indexed at run time. A device would copy a kernel's argument to each thread's memory
/// for that, so they go to the team's scratch; ends with a barrier.
template <class Space, TeamMember Member, class Problem>
KOKKOS_FUNCTION const AxesDim* axes_in_reach(const Member& team, const Problem& problem, std::byte* scratch) {
  if constexpr (is_host_space<Space>) {
    return problem.dims;
  } else {
    auto* dims = reinterpret_cast<AxesDim*>(scratch);
    if (team.team_rank() == 0) {
      TESSERA_UNROLL
      for (int d = 0; d < axes_max; ++d) dims[d] = problem.dims[d];
    }
    team.team_barrier();
    return dims;
  }
}

}  // namespace tessera::detail

#endif

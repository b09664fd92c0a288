// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapping runs: a team on one output, or on a part of it, whose elements are one or several runs in memory. They are
// read in 16-byte pieces.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_RUNS_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_RUNS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/host_vector.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/reduce/detail/axes_problem.hpp>
#include <tessera/reduce/detail/exact_block.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/fold_finish.hpp>
#include <tessera/reduce/detail/pair_range.hpp>
#include <tessera/reduce/detail/thread_fold.hpp>
#include <type_traits>

namespace tessera::detail {

/// Of several axes: rare, and divisions are long.
TESSERA_NOINLINE KOKKOS_FUNCTION inline std::int64_t position_among(const AxesDim* axes, int count,
                                                                    std::int64_t index) {
  return axes_offsets(axes, count, index).position;
}
TESSERA_NOINLINE KOKKOS_FUNCTION inline std::int64_t input_among(const AxesDim* axes, int count, std::int64_t index) {
  return axes_offsets(axes, count, index).input;
}

/// Positions of the elements of a run, whose axes may not be in row-major order.
struct RunPosition {
  const AxesDim* axes;
  int count;
  std::int64_t step;  // of the position, where there is one axis; else 0
  std::int64_t first_position, first_input;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t index) const {
    return first_position + (step != 0 ? index * step : position_among(axes, count, index));
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t input(std::int64_t index) const {
    return first_input + input_among(axes, count, index);
  }
};

KOKKOS_INLINE_FUNCTION std::int64_t run_step(const AxesDim* axes, int count) {
  return count == 1 ? axes[0].position : 0;
}

template <ExecutionSpace Space, class Problem>
struct ReduceRuns {
  using Fold = typename Problem::fold_type;
  using policy_type = AxesPolicy<Space, Problem::teams_at_once>;
  static constexpr const char* label = "tessera::reduce_axes::runs";

  Problem problem;
  std::size_t scratch_bytes;

  KOKKOS_FUNCTION void operator()(const typename policy_type::member_type& team) const {
    if (problem.is_done()) return;
    std::byte* scratch = team_scratch(team, scratch_bytes);
    const AxesDim* axes = axes_in_reach<Space>(team, problem, scratch);
    std::byte* fold_scratch = scratch + after_axes();
    const Status status(problem.status_word);

    const IndexRange items = items_of(problem.kept_size * problem.parts, team.league_rank(), team.league_size());
    for (std::int64_t item = items.begin; item < items.end; ++item) {
      const QuotientRemainder split = divide(item, problem.parts);
      const int part = static_cast<int>(split.remainder);
      if (!problem.is_wanted(axes, split.quotient)) continue;
      if constexpr (has_block_sums) {
        if (sum_in_blocks(team, split.quotient)) continue;
      }
      typename Fold::thread_type thread;
      typename Fold::spill_type spill;
      problem.fold.begin(thread, spill);
      fold_part(team, axes, split.quotient, part, thread, spill, status);
      finish_fold(team, problem.fold, problem.takes_pairs(), thread, spill, fold_scratch,
                  [&](auto&& total) { return problem.finish(team, axes, split.quotient, part, total); });
    }
    problem.end(team);
  }

  /// A host's runs of floats: their sums are rounded in less time than those that the fold keeps.
  static constexpr bool has_block_sums = is_host_space<Space> && has_host_vectors && sums_in_pairs<Fold>() &&
                                         !sums_squares<Fold>() &&
                                         std::is_same_v<std::remove_cvref_t<decltype(problem.in)>, const float*>;
  static constexpr std::int64_t block_sum_max = 16 * host_block;

#if defined(TESSERA_HOST_VECTORS)
  /// Whether this has written the output.
  bool sum_in_blocks(const typename policy_type::member_type& team, std::int64_t output) const requires has_block_sums {
    if (problem.parts > 1 || problem.rest_size != 1 || team.team_size() > 1) return false;
    if (problem.run_size == 0 || problem.run_size > block_sum_max) return false;
    const AxesOffsets base = axes_offsets(problem.dims, problem.kept, output);
    const pair_t<Fold> sum = sum_run<Fold::sums_magnitudes>(problem.in + base.in, problem.run_size);
    return problem.finish(team, problem.dims, output, 0, sum);
  }
#endif

  KOKKOS_FUNCTION void fold_part(const typename policy_type::member_type& team, const AxesDim* axes,
                                 std::int64_t output, int part, typename Fold::thread_type& thread,
                                 typename Fold::spill_type& spill, const Status& status) const {
    const IndexRange rest =
        part_of(problem.rest_size, problem.divides_rest ? problem.parts : 1, problem.divides_rest ? part : 0);
    const int run_parts = problem.divides_rest ? 1 : problem.parts, run_part = problem.divides_rest ? 0 : part;
    const AxesOffsets base = axes_offsets(axes, problem.kept, output);
    const AxesDim* rest_axes = axes + problem.kept;
    for (std::int64_t r = rest.begin; r < rest.end; ++r) {
      const AxesOffsets at = axes_offsets(rest_axes, problem.rest, r);
      const AxesDim* run_axes = rest_axes + problem.rest;
      const RunPosition position{run_axes, problem.run, run_step(run_axes, problem.run), at.position,
                                 base.input + at.input};
      const auto run = run_behind(problem.in + base.in + at.in, problem.run_size, position);
      if constexpr (is_host_space<Space>) {
        const IndexRange mine = part_of(problem.run_size, run_parts, run_part);
        thread_fold(problem.fold, run.part(mine.begin, mine.end), {team.team_rank(), team.team_size()}, thread, spill,
                    status);
      } else {
        // Among each other, so that what teams read at once lies together.
        thread_fold(problem.fold, run, {team.team_rank(), team.team_size(), run_part, run_parts}, thread, spill,
                    status);
      }
    }
  }
};

}  // namespace tessera::detail

#endif

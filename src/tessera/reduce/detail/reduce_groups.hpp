// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapping groups: several outputs a team, each with a group of threads or with one. Neighbouring threads read
// neighbours in memory: other outputs' elements where the fastest axis is kept, else other elements of the same output.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_GROUPS_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_GROUPS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/axes_problem.hpp>
#include <tessera/reduce/detail/fold_finish.hpp>

namespace tessera::detail {

/// Positions of elements a step apart.
struct StepIndex {
  std::int64_t position, position_step, in, input_step;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t k) const { return position + k * position_step; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t input(std::int64_t k) const { return in + k * input_step; }
};

/// Calls visit(offsets) for each of the lines along the lane axis that a thread has: every fast_step-th of the fast
/// axis.
template <class Problem, class Visit>
KOKKOS_FUNCTION void for_each_line(const Problem& problem, const AxesDim* axes, const IndexRange& rest,
                                   std::int64_t fast_first, std::int64_t fast_step, const Visit& visit) {
  for (std::int64_t r = rest.begin; r < rest.end; ++r) {
    const AxesOffsets at = axes_offsets(axes + problem.kept, problem.rest, r);
    for (std::int64_t x = fast_first; x < problem.fast.extent; x += fast_step) {
      visit(AxesOffsets{at.in + x * problem.fast.in, 0, at.position + x * problem.fast.position,
                        at.input + x * problem.fast.input});
    }
  }
}

/// What parts leave of the rest and of the lane axis.
template <class Problem>
KOKKOS_FUNCTION IndexRange rest_of(const Problem& problem, int part) {
  return problem.divides_rest ? part_of(problem.rest_size, problem.parts, part) : IndexRange{0, problem.rest_size};
}
template <class Problem>
KOKKOS_FUNCTION IndexRange lane_of(const Problem& problem, int part) {
  return problem.divides_rest ? IndexRange{0, problem.lane.extent} : part_of(problem.lane.extent, problem.parts, part);
}

/// Adds `Count` elements of a line, lane_step apart from l on.
template <int Count, class Problem, class Thread, class Spill>
KOKKOS_FUNCTION void add_of_line(const Problem& problem, const AxesOffsets& line, std::int64_t l,
                                 std::int64_t lane_step, Thread& thread, Spill& spill, const Status& status) {
  typename Problem::element_type group[Count];
  const auto from = problem.in + line.in + l * problem.lane.in;
  const std::int64_t stride = lane_step * problem.lane.in;
  TESSERA_UNROLL
  for (int k = 0; k < Count; ++k) group[k] = from[k * stride];
  const StepIndex index{line.position + l * problem.lane.position, lane_step * problem.lane.position,
                        line.input + l * problem.lane.input, lane_step * problem.lane.input};
  problem.fold.add(thread, spill, group, index, status);
}

/// As many, or those before `end` and zeros, which add nothing to sums.
template <int Count, class Problem, class Thread, class Spill>
KOKKOS_FUNCTION void add_rest_of_line(const Problem& problem, const AxesOffsets& line, std::int64_t l,
                                      std::int64_t lane_step, std::int64_t end, Thread& thread, Spill& spill,
                                      const Status& status) {
  using T = typename Problem::element_type;
  T group[Count];
  const auto from = problem.in + line.in + l * problem.lane.in;
  const std::int64_t stride = lane_step * problem.lane.in;
  TESSERA_UNROLL
  for (int k = 0; k < Count; ++k) group[k] = l + k * lane_step < end ? from[k * stride] : T{};
  const StepIndex index{line.position + l * problem.lane.position, lane_step * problem.lane.position,
                        line.input + l * problem.lane.input, lane_step * problem.lane.input};
  problem.fold.add(thread, spill, group, index, status);
}

/// On a device.
template <ExecutionSpace Space, class Problem>
struct ReduceGroups {
  using Fold = typename Problem::fold_type;
  using policy_type = AxesPolicy<Space, Problem::teams_at_once>;
  static constexpr const char* label = "tessera::reduce_axes::groups";

  Problem problem;
  std::size_t scratch_bytes;
  int outputs, threads;  // of a team; of an output
  int threads_fast;      // of an output, along the fast axis
  int side;              // neighbouring outputs, which neighbouring threads have

  KOKKOS_FUNCTION void operator()(const typename policy_type::member_type& team) const {
    if (problem.is_done()) return;
    std::byte* scratch = team_scratch(team, scratch_bytes);
    const AxesDim* axes = axes_in_reach<Space>(team, problem, scratch);
    const int block = team.team_rank() / (side * threads), within = team.team_rank() % (side * threads);
    const int group = block * side + within % side;
    const int rank = within / side;
    std::byte* fold_scratch =
        scratch + after_axes() + static_cast<std::size_t>(group) * FoldScratch<Fold>(threads).bytes;
    const Status status(problem.status_word);

    const std::int64_t blocks = ceil_div(problem.kept_size, outputs);
    const IndexRange items = items_of(blocks * problem.parts, team.league_rank(), team.league_size());
    for (std::int64_t item = items.begin; item < items.end; ++item) {
      const QuotientRemainder split = divide(item, problem.parts);
      const int part = static_cast<int>(split.remainder);
      const std::int64_t output = split.quotient * outputs + group;
      const bool valid = output < problem.kept_size && problem.is_wanted(axes, output);
      typename Fold::thread_type thread;
      typename Fold::spill_type spill;
      problem.fold.begin(thread, spill);
      if (valid) fold_part(axes, output, part, rank, thread, spill, status);
      const ThreadGroup<typename policy_type::member_type> members{team, rank, threads};
      finish_fold(members, problem.fold, problem.takes_pairs(), thread, spill, fold_scratch,
                  [&](auto&& total) { return !valid || problem.finish(members, axes, output, part, total); });
    }
    problem.end(team);
  }

 private:
  KOKKOS_FUNCTION void fold_part(const AxesDim* axes, std::int64_t output, int part, int rank,
                                 typename Fold::thread_type& thread, typename Fold::spill_type& spill,
                                 const Status& status) const {
    const AxesOffsets base = axes_offsets(axes, problem.kept, output);
    const IndexRange lane = lane_of(problem, part);
    const std::int64_t step = threads / threads_fast;
    const std::int64_t first = lane.begin + rank / threads_fast;
    if (rank / threads_fast >= step) return;  // left over
    for_each_line(problem, axes, rest_of(problem, part), rank % threads_fast, threads_fast, [&](const AxesOffsets& at) {
      const AxesOffsets line{base.in + at.in, 0, at.position, base.input + at.input};
      std::int64_t l = first;
      for (; l + (Fold::lanes - 1) * step < lane.end; l += Fold::lanes * step) {
        add_of_line<Fold::lanes>(problem, line, l, step, thread, spill, status);
      }
      if constexpr (sums_in_pairs<Fold>()) {
        if (l < lane.end) add_rest_of_line<Fold::lanes>(problem, line, l, step, lane.end, thread, spill, status);
      } else {
        for (; l < lane.end; l += step) add_of_line<1>(problem, line, l, step, thread, spill, status);
      }
    });
  }
};

/// On a host: a thread carries several outputs, so that it walks memory in order where they are neighbours.
template <ExecutionSpace Space, class Problem>
struct ReduceColumns {
  using Fold = typename Problem::fold_type;
  using policy_type = AxesPolicy<Space, Problem::teams_at_once>;
  static constexpr const char* label = "tessera::reduce_axes::columns";

  Problem problem;

  KOKKOS_FUNCTION void operator()(const typename policy_type::member_type& team) const {
    const Status status(problem.status_word);
    const std::int64_t blocks = ceil_div(problem.kept_size, host_columns);
    const IndexRange items =
        items_of(blocks * problem.parts, std::int64_t{team.league_rank()} * team.team_size() + team.team_rank(),
                 std::int64_t{team.league_size()} * team.team_size());
    for (std::int64_t item = items.begin; item < items.end; ++item) {
      const std::int64_t first = item / problem.parts * host_columns;
      reduce_block(team, first, static_cast<int>(Kokkos::min<std::int64_t>(host_columns, problem.kept_size - first)),
                   static_cast<int>(item % problem.parts), status);
    }
  }

 private:
  KOKKOS_FUNCTION void reduce_block(const typename policy_type::member_type& team, std::int64_t first, int columns,
                                    int part, const Status& status) const {
    typename Fold::thread_type threads[host_columns];
    typename Fold::spill_type spills[host_columns];
    AxesOffsets base[host_columns];
    for (int c = 0; c < columns; ++c) {
      problem.fold.begin(threads[c], spills[c]);
      base[c] = axes_offsets(problem.dims, problem.kept, first + c);
    }
    const IndexRange lane = lane_of(problem, part);
    for_each_line(problem, problem.dims, rest_of(problem, part), 0, 1, [&](const AxesOffsets& at) {
      std::int64_t l = lane.begin;
      const auto add = [&]<int Count>(std::integral_constant<int, Count>) {
        for (; l + Count <= lane.end; l += Count) {
          for (int c = 0; c < columns; ++c) {
            const AxesOffsets line{base[c].in + at.in, 0, at.position, base[c].input + at.input};
            add_of_line<Count>(problem, line, l, 1, threads[c], spills[c], status);
          }
        }
      };
      add(std::integral_constant<int, Fold::lanes>{});
      add(std::integral_constant<int, 1>{});
    });
    for (int c = 0; c < columns; ++c) {
      const ThreadGroup<typename policy_type::member_type> alone{team, 0, 1};
      finish_fold(alone, problem.fold, problem.takes_pairs(), threads[c], spills[c], nullptr,
                  [&](auto&& total) { return problem.finish(alone, problem.dims, first + c, part, total); });
    }
  }
};

}  // namespace tessera::detail

#endif

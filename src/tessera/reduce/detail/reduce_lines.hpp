// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapping lines: a thread for each output, whose elements are few: it reads them one by one. Neighbouring threads then
// share cache lines or read neighbours in memory, and nothing is brought together.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_LINES_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_LINES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/axes_problem.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/fold_finish.hpp>
#include <tessera/reduce/detail/reduce_groups.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Problem>
struct ReduceLines {
  using Fold = typename Problem::fold_type;
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<axes_team_size_max, 4>,
                                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  static constexpr const char* label = "tessera::reduce_axes::lines";

  Problem problem;
  std::size_t scratch_bytes;
  bool plain;    // one kept axis at most, and one reduced one: no divisions
  AxesDim kept;  // that axis

  KOKKOS_FUNCTION void operator()(const typename policy_type::member_type& team) const {
    const AxesDim* axes = plain ? nullptr : axes_in_reach<Space>(team, problem, team_scratch(team, scratch_bytes));
    const std::int64_t rank = std::int64_t{team.league_rank()} * team.team_size() + team.team_rank();
    const std::int64_t threads = std::int64_t{team.league_size()} * team.team_size();
    // Neighbouring outputs: to neighbouring threads of a device, to one of a host.
    constexpr bool is_host = is_host_space<Space>;
    const IndexRange mine = is_host ? items_of(problem.kept_size, rank, threads) : IndexRange{rank, problem.kept_size};
    for (std::int64_t output = mine.begin; output < mine.end; output += is_host ? 1 : threads) {
      if (plain) {
        const AxesOffsets base{output * kept.in, output * kept.out, output * kept.position, output * kept.input};
        reduce_line(base, [&](const auto& visit) { visit_lane(base, AxesOffsets{0, 0, 0, 0}, visit); });
      } else {
        const AxesOffsets base = axes_offsets(axes, problem.kept, output);
        reduce_line(base, [&](const auto& visit) {
          for_each_line(problem, axes, IndexRange{0, problem.rest_size}, 0, 1,
                        [&](const AxesOffsets& at) { visit_lane(base, at, visit); });
        });
      }
    }
  }

 private:
  /// Calls visit(element, offsets) for those of a line that begins at `at`, several loads in flight.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void visit_lane(const AxesOffsets& base, const AxesOffsets& at,
                                              const Visit& visit) const {
    constexpr int loads = 4;
    const AxesDim& lane = problem.lane;
    const auto* from = problem.in + base.in + at.in;
    const auto offsets = [&](std::int64_t l) {
      return AxesOffsets{0, 0, at.position + l * lane.position, base.input + at.input + l * lane.input};
    };
    std::int64_t l = 0;
    for (; l + loads <= lane.extent; l += loads) {
      typename Problem::element_type loaded[loads];
      TESSERA_UNROLL
      for (int k = 0; k < loads; ++k) loaded[k] = from[(l + k) * lane.in];
      TESSERA_UNROLL
      for (int k = 0; k < loads; ++k) visit(loaded[k], offsets(l + k));
    }
    for (; l < lane.extent; ++l) visit(from[l * lane.in], offsets(l));
  }

  /// elements(visit) calls visit with each element and its offsets.
  template <class Elements>
  KOKKOS_FORCEINLINE_FUNCTION void reduce_line(const AxesOffsets& base, const Elements& elements) const {
    using T = typename Problem::element_type;
    auto& to = problem.out[base.out];
    const Status status(problem.status_word, static_cast<std::uint64_t>(base.position));
    const Status input_status(problem.status_word);
    using Result = typename Problem::result_type;
    if constexpr (sums_in_pairs<Fold>()) {
      ExactChain chain;
      elements([&](const T& element, const AxesOffsets&) { chain.add(Fold::term(element)); });
      const ExactPair whole = chain.pair();
      if (whole.exact()) {
        to = problem.fold.template finalize<Result>(whole, problem.reduced_size, status);
        return;
      }
      typename Fold::thread_type thread;
      typename Fold::spill_type spill;
      problem.fold.begin(thread, spill);
      elements([&](const T& element, const AxesOffsets& at) {
        const T one[1] = {element};
        problem.fold.add(thread, spill, one, StepIndex{at.position, 0, at.input, 0}, input_status);
      });
      typename Fold::team_type room;
      auto& total = problem.fold.close_alone(thread, spill, room);
      to = problem.fold.template finalize<Result>(total, problem.reduced_size, status);
    } else {
      auto total = problem.fold.identity();
      elements([&](const T& element, const AxesOffsets& at) {
        problem.fold.join(total, problem.fold.lifted(element, at.position, at.input, input_status));
      });
      to = problem.fold.template finalize<Result>(total, problem.reduced_size, status);
    }
  }
};

}  // namespace tessera::detail

#endif

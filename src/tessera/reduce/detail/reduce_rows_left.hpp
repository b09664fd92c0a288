// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second kernel of mappings tiles and rings: sums the rows that two doubles did not hold, to digits.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_ROWS_LEFT_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_ROWS_LEFT_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/reduce/detail/axes_problem.hpp>
#include <tessera/reduce/detail/reduce_rows.hpp>

namespace tessera::detail {

/// Outputs that a vector looks at together, where there are many; fewer lie on its way for every vector to get some.
inline constexpr int rows_left_at_once = 256;

/// Those whose output is NaN. Where there is none this is over at once.
template <ExecutionSpace Space, class Problem>
struct ReduceRowsLeft : ReduceRows<Space, Problem> {
  using Base = ReduceRows<Space, Problem>;
  using Base::lanes;
  using Base::problem;
  using typename Base::Member;
  using typename Base::Result;
  static constexpr const char* label = "tessera::reduce_axes::rows_left";

  std::uint32_t *left, *ticket;  // of the workspace, which the last team leaves as they were

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    if (*left == 0) return;
    std::byte* scratch = team_scratch(team, this->scratch_bytes);
    const AxesDim* axes = axes_in_reach<Space>(team, problem, scratch);
    const std::int64_t vectors = std::int64_t{team.league_size()} * team.team_size();
    const std::int64_t at_once =
        Kokkos::max<std::int64_t>(1, Kokkos::min<std::int64_t>(rows_left_at_once, problem.kept_size / (4 * vectors)));
    const auto is_left = [&](std::int64_t output) {
      const Result result = problem.out[axes_offsets(axes, problem.kept, output).out];
      return result != result;
    };
    for (std::int64_t first = (std::int64_t{team.league_rank()} * team.team_size() + team.team_rank()) * at_once;
         first < problem.kept_size; first += vectors * at_once) {
      const auto count = static_cast<int>(Kokkos::min(at_once, problem.kept_size - first));
      int found = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, count), [&](int i, int& n) { n += is_left(first + i) ? 1 : 0; }, found);
      for (int i = 0; found > 0 && i < count; ++i) {
        // All lanes go by what one of them reads: one writes it anew.
        int sums = 0;
        Kokkos::single(
            Kokkos::PerThread(team), [&](int& answer) { answer = is_left(first + i) ? 1 : 0; }, sums);
        if (sums != 0) this->sum_row_to_digits(team, axes, scratch, first + i);
      }
    }
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      if (Kokkos::atomic_fetch_add(ticket, 1U) + 1 == static_cast<std::uint32_t>(team.league_size())) {
        *left = 0;
        *ticket = 0;
      }
    });
  }
};

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second kernel of mappings tiles and rings: sums the rows that they did not settle.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_ROWS_LEFT_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_ROWS_LEFT_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/reduce/detail/axes_problem.hpp>
#include <tessera/reduce/detail/left_outputs.hpp>
#include <tessera/reduce/detail/reduce_rows.hpp>

namespace tessera::detail {

/// Outputs that a vector looks at together, where there are many; fewer lie on its way for every vector to get some.
inline constexpr int rows_left_at_once = 256;

/// Where there is none this is over at once.
template <ExecutionSpace Space, class Problem>
struct ReduceRowsLeft : ReduceRows<Space, Problem> {
  using Base = ReduceRows<Space, Problem>;
  using Base::lanes;
  using Base::problem;
  using typename Base::Member;
  static constexpr const char* label = "tessera::reduce_axes::rows_left";

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    if (problem.left.none()) return;
    std::byte* scratch = team_scratch(team, this->scratch_bytes);
    const AxesDim* axes = axes_in_reach<Space>(team, problem, scratch);
    const std::int64_t vectors = std::int64_t{team.league_size()} * team.team_size();
    const std::int64_t at_once =
        Kokkos::max<std::int64_t>(1, Kokkos::min<std::int64_t>(rows_left_at_once, problem.kept_size / (4 * vectors)));
    const auto is_left = [&](std::int64_t output) {
      return LeftOutputs::is_left(problem.out[axes_offsets(axes, problem.kept, output).out]);
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
        if (sums != 0) this->sum_row_apart(team, axes, scratch, first + i);
      }
    }
    problem.left.put_back(team);
  }
};

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapping rows: a few vector lanes for each output, whose elements are one run in memory. Lanes read 16-byte pieces
// side by side and join by shuffles, so that no row waits for another at a barrier.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_ROWS_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_ROWS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/reduce/detail/axes_problem.hpp>
#include <tessera/reduce/detail/element_range.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/fold_finish.hpp>
#include <tessera/reduce/detail/reduce_runs.hpp>
#include <tessera/reduce/detail/thread_fold.hpp>

namespace tessera::detail {

/// A reducer of ours as Kokkos wants one for the lanes of a vector.
template <class R>
struct LaneJoin {
  using reducer = LaneJoin;
  using value_type = typename R::value_type;
  using result_view_type = Kokkos::View<value_type, Kokkos::AnonymousSpace, Kokkos::MemoryUnmanaged>;

  const R& of;
  value_type* result;

  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { of.join(into, from); }
  KOKKOS_FUNCTION void init(value_type& value) const { value = of.identity(); }
  KOKKOS_FUNCTION value_type& reference() const { return *result; }
  KOKKOS_FUNCTION bool references_scalar() const { return true; }
  KOKKOS_FUNCTION result_view_type view() const { return result_view_type(result); }
};

/// A fold's join, as a reducer.
template <class Fold>
struct FoldJoin {
  using value_type = typename Fold::team_type;
  const Fold& fold;
  KOKKOS_FUNCTION value_type identity() const { return fold.identity(); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { fold.join(into, from); }
};

template <ExecutionSpace Space, class Problem>
struct ReduceRows {
  using Fold = typename Problem::fold_type;
  using T = typename Problem::element_type;
  using policy_type = AxesPolicy<Space>;
  using Member = typename policy_type::member_type;
  static constexpr const char* label = "tessera::reduce_axes::rows";

  Problem problem;
  std::size_t scratch_bytes;
  int lanes;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    std::byte* scratch = team_scratch(team, scratch_bytes);
    const AxesDim* axes = axes_in_reach<Space>(team, problem, scratch);
    const std::int64_t step = std::int64_t{team.league_size()} * team.team_size();
    for (std::int64_t output = std::int64_t{team.league_rank()} * team.team_size() + team.team_rank();
         output < problem.kept_size; output += step) {
      reduce_row(team, axes, scratch, output);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void reduce_row(const Member& team, const AxesDim* axes, std::byte* scratch,
                                              std::int64_t output) const {
    const AxesOffsets base = axes_offsets(axes, problem.kept, output);
    const AxesDim* run_axes = axes + problem.kept;
    const RunPosition position{run_axes, problem.run, run_step(run_axes, problem.run), 0, base.input};
    const ContiguousRange<T, RunPosition> row{problem.in + base.in, problem.run_size, position};
    const Status input_status(problem.status_word);
    const auto fold_lane = [&](int lane, int of, auto& thread, auto& spill) {
      problem.fold.begin(thread, spill);
      thread_fold(problem.fold, row, lane, of, thread, spill, input_status);
    };
    const auto write = [&](auto& total) {
      const Status status(problem.status_word, static_cast<std::uint64_t>(base.position));
      problem.out[base.out] =
          problem.fold.template finalize<typename Problem::result_type>(total, problem.reduced_size, status);
    };
    const auto finish = [&](auto& total) { Kokkos::single(Kokkos::PerThread(team), [&] { write(total); }); };
    const auto vector = Kokkos::ThreadVectorRange(team, lanes);
    if constexpr (sums_in_pairs<Fold>()) {
      const ExactPairSum sum;
      ExactPair whole = sum.identity();
      Kokkos::parallel_reduce(
          vector,
          [&](int lane, ExactPair& pair) {
            typename Fold::thread_type thread;
            typename Fold::spill_type spill;
            fold_lane(lane, lanes, thread, spill);
            pair = problem.fold.pair(thread, spill);
          },
          LaneJoin<ExactPairSum>{sum, &whole});
      if (whole.exact()) return finish(whole);
      // Two doubles do not hold it: once more, to digits, which lanes join in scratch where there are many of them.
      const int workers = lanes < row_lanes_joined ? 1 : lanes;
      ScratchLayout layout;
      layout.append<AxesDim>(axes_max);
      auto* total = reinterpret_cast<typename Fold::team_type*>(scratch + layout.bytes()) + team.team_rank();
      if (workers > 1) Kokkos::single(Kokkos::PerThread(team), [&] { *total = problem.fold.identity(); });
      Kokkos::parallel_for(vector, [&](int lane) {
        if (lane >= workers) return;
        typename Fold::thread_type thread;
        typename Fold::spill_type spill;
        typename Fold::team_type room;
        fold_lane(lane, workers, thread, spill);
        auto& mine = problem.fold.close_alone(thread, spill, room);
        if (workers > 1) {
          problem.fold.merge(*total, mine);
        } else {
          write(mine);
        }
      });
      if (workers > 1) finish(*total);
    } else {
      const FoldJoin<Fold> join{problem.fold};
      typename Fold::team_type total = join.identity();
      Kokkos::parallel_reduce(
          vector,
          [&](int lane, typename Fold::team_type& mine) {
            typename Fold::thread_type thread;
            typename Fold::spill_type spill;
            fold_lane(lane, lanes, thread, spill);
            mine = problem.fold.close_alone(thread, spill, mine);
          },
          LaneJoin<FoldJoin<Fold>>{join, &total});
      finish(total);
    }
  }
};

}  // namespace tessera::detail

#endif

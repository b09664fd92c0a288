// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapping rows: a few vector lanes for each output, whose elements are one run in memory. Lanes read 16-byte pieces
// side by side and join by shuffles, so that no row waits for another at a barrier.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_ROWS_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_ROWS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/float_format.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/axes_problem.hpp>
#include <tessera/reduce/detail/exact_few_squares.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/fold_finish.hpp>
#include <tessera/reduce/detail/lane_join.hpp>
#include <tessera/reduce/detail/pair_range.hpp>
#include <tessera/reduce/detail/reduce_runs.hpp>
#include <tessera/reduce/detail/thread_fold.hpp>
#include <type_traits>

namespace tessera::detail {

/// A fold's join, as a reducer.
template <class Fold>
struct FoldJoin {
  using value_type = typename Fold::team_type;
  const Fold& fold;
  KOKKOS_FUNCTION value_type identity() const { return fold.identity(); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { fold.join(into, from); }
};

/// Elements of a row that the chains of its lanes take without a spill, whatever the width of loads; 0 where the fold
/// has no chains.
template <class Fold>
KOKKOS_INLINE_FUNCTION constexpr std::int64_t chained_row_max(int lanes) {
  if constexpr (requires { Fold::chain_max; }) {
    return Kokkos::min<std::int64_t>(Fold::chain_max / 2 - 8, 1 << 14) * Fold::lanes * lanes;
  } else {
    return 0;
  }
}

/// Whether a chain takes its elements in the order of their positions, as a run of one axis has them.
template <class Fold>
KOKKOS_INLINE_FUNCTION constexpr bool chains_ascend() {
  return requires { requires Fold::chains_ascend; };
}

/// Chained: rows of at most chained_row_max() elements, none of which is left out.
template <ExecutionSpace Space, class Problem, bool Chained = false>
struct ReduceRows {
  using Fold = typename Problem::fold_type;
  using T = typename Problem::element_type;
  static constexpr bool in_pairs = sums_in_pairs<Fold>();
  /// Registers for as many such teams at once as keep enough loads in flight.
  using policy_type = AxesPolicy<Space, in_pairs || Chained ? 4 : Problem::teams_at_once>;
  using Member = typename policy_type::member_type;
  static constexpr const char* label = "tessera::reduce_axes::rows";

  /// Lanes that have an element each of what fills no piece at both ends of a row.
  static constexpr int ragged_lanes = Kokkos::max(8, 2 * packed_length<T>);

  Problem problem;
  std::size_t scratch_bytes;
  int lanes;
  bool in_packs;  // every row begins and ends on a 16-byte boundary

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    std::byte* scratch = team_scratch(team, scratch_bytes);
    const AxesDim* axes = axes_in_reach<Space>(team, problem, scratch);
    const std::int64_t step = std::int64_t{team.league_size()} * team.team_size();
    std::int64_t output = std::int64_t{team.league_rank()} * team.team_size() + team.team_rank();
    if constexpr (in_pairs || Chained) {
      // As many rounds for every vector that shuffles with others: without an output, it has the last one too.
      const int before = team.team_rank() % vectors_at_once(lanes);
      for (; output - before < problem.kept_size; output += step) {
        const bool writes = output < problem.kept_size;
        const std::int64_t of = writes ? output : problem.kept_size - 1;
        const AxesOffsets place =
            problem.kept <= 1 ? axis_offsets(problem.dims[0], of) : axes_offsets(axes, problem.kept, of);
        if constexpr (Chained) {
          in_packs ? chain_row<packed_length<T>>(team, axes, place, writes) : chain_row<1>(team, axes, place, writes);
        } else {
          const bool summed = in_packs || lanes >= ragged_lanes ? sum_row_in<packed_length<T>>(team, place, writes)
                                                                : sum_row_in<1>(team, place, writes);
          if (!summed) sum_row_apart(team, axes, scratch, output);
        }
      }
    } else {
      for (; output < problem.kept_size; output += step) {
        reduce_row(team, axes, axes_offsets(axes, problem.kept, output));
      }
    }
  }

 protected:
  using Result = typename Problem::result_type;

  /// Whether what sum_lane(few) adds in each lane settles output out, which is then written. A second look does for
  /// floats over many binades.
  template <class SumLane>
  KOKKOS_FORCEINLINE_FUNCTION bool sum_row(const Member& team, std::int64_t out, bool writes,
                                           const SumLane& sum_lane) const {
    using First = typename Fold::few_type;
    using Second = typename Fold::wide_few_type;
    if (!std::is_same_v<First, Second> && problem.run_size <= few_max) {
      if (sum_lanes<true>(team, First{}, out, writes, sum_lane) || !writes) return true;
      return sum_lanes<false>(team, Second{}, out, true, sum_lane);
    }
    return sum_lanes<true>(team, Second{}, out, writes, sum_lane) || !writes;
  }

  /// A row that looks did not settle: deviations by one more, of differences, else to digits. Lanes join in scratch
  /// where there are many of them.
  KOKKOS_FORCEINLINE_FUNCTION void sum_row_apart(const Member& team, const AxesDim* axes, std::byte* scratch,
                                                 std::int64_t output) const {
    const int workers = lanes < row_lanes_joined<Fold> ? 1 : lanes;
    auto* total = reinterpret_cast<typename Fold::team_type*>(scratch + after_axes()) + team.team_rank();
    const AxesOffsets base = axes_offsets(axes, problem.kept, output);
    if constexpr (sums_spread<Fold>()) {
      const int lane = lane_number(team, lanes);
      const auto sum = [&](auto& few) {
        lanes >= ragged_lanes ? sum_lane<packed_length<T>>(base, lane, few) : sum_lane<1>(base, lane, few);
      };
      if (problem.run_size > 0 &&
          sum_lanes<false>(team, Fold::second_few(Fold::term(problem.in[base.in])), base.out, true, sum)) {
        return;
      }
    }
    const auto finish = [&](int lane) {
      fold_apart(problem.fold, row_at(axes, base), lane, workers, total, problem.out + base.out, problem.reduced_size,
                 Status(problem.status_word), Status(problem.status_word, static_cast<std::uint64_t>(base.position)));
    };
    if (workers > 1) Kokkos::single(Kokkos::PerThread(team), [&] { *total = problem.fold.identity(); });
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, lanes), [&](int lane) {
      if (lane < workers) finish(lane);
    });
    if (workers > 1) Kokkos::single(Kokkos::PerThread(team), [&] { finish(workers); });
  }

 private:
  /// Together: as join_vector() has it.
  template <bool Together, class Few, class SumLane>
  KOKKOS_FORCEINLINE_FUNCTION bool sum_lanes(const Member& team, Few few, std::int64_t out, bool writes,
                                             const SumLane& sum_lane) const {
    sum_lane(few);
    join_vector<Together>(team, lanes, ExactFewSum<Few>{}, few);
    Result result;
    bool settled = false;
    if (!Together || lane_number(team, lanes) == 0) {
      settled = problem.fold.settle(few.total(few_span), problem.reduced_size, Status(problem.status_word), result);
    }
    if (!first_lane_says<Together>(lanes, settled)) return false;
    if (lane_number(team, lanes) == 0 && writes) problem.out[out] = result;
    return true;
  }

  KOKKOS_FORCEINLINE_FUNCTION RunPosition position_in(const AxesDim* axes, const AxesOffsets& base) const {
    const AxesDim* run_axes = axes + problem.kept;
    return {run_axes, problem.run, run_step(run_axes, problem.run), 0, base.input};
  }
  KOKKOS_FORCEINLINE_FUNCTION auto row_at(const AxesDim* axes, const AxesOffsets& base) const {
    return run_behind(problem.in + base.in, problem.run_size, position_in(axes, base));
  }

  /// Loads of Width elements, between which and a row's ends others may lie.
  template <int Width>
  KOKKOS_FORCEINLINE_FUNCTION bool sum_row_in(const Member& team, const AxesOffsets& place, bool writes) const {
    const int lane = lane_number(team, lanes);
    return sum_row(team, place.out, writes, [&](auto& few) { sum_lane<Width>(place, lane, few); });
  }

  template <int Width, class Few>
  KOKKOS_FORCEINLINE_FUNCTION void sum_lane(const AxesOffsets& place, int lane, Few& few) const {
    using Term = term_t<Fold, T>;
    using Index = std::conditional_t<std::is_same_v<Few, ExactFew<float>>, int, std::int64_t>;
    using Piece = Packed<T, Width>;
    constexpr int loads = Width == 1 ? 8 : 4;
    const T* const row = problem.in + place.in;
    const auto size = static_cast<Index>(problem.run_size);
    const auto head = Width == 1 ? Index{0} : static_cast<Index>(misaligned_head(row, problem.run_size));
    const auto* pieces = reinterpret_cast<const Piece*>(row + head);
    const Index count = (size - head) / Width;
    if constexpr (Width > 1) {
      // What fills no piece: an element a lane.
      const Index filling = count * Width;
      if (lane < size - filling) few.add(Fold::term(row[lane < head ? lane : lane + filling]));
    }
    const int stride = lanes;
    const auto add = [&](const Piece(&loaded)[loads]) {
      Term terms[loads * Width];
      TESSERA_UNROLL
      for (int k = 0; k < loads * Width; ++k) terms[k] = Fold::term(loaded[k / Width].values[k % Width]);
      add_group(few, terms);
    };
    Index i = lane;
    Piece loaded[loads];
    for (; i + (loads - 1) * stride < count; i += loads * stride) {
      TESSERA_UNROLL
      for (int load = 0; load < loads; ++load) loaded[load] = pieces[i + load * stride];
      add(loaded);
    }
    if (i >= count) return;
    // The rest at once too.
    TESSERA_UNROLL
    for (int load = 0; load < loads; ++load) {
      loaded[load] = i + load * stride < count ? pieces[i + load * stride] : neutral_piece<Piece>(few);
    }
    add(loaded);
  }

  /// Loads of Width elements.
  template <int Width>
  KOKKOS_FORCEINLINE_FUNCTION void chain_row(const Member& team, const AxesDim* axes, const AxesOffsets& place,
                                             bool writes) const {
    const int lane = lane_number(team, lanes);
    auto value = chain_lane<Width>(axes, place, lane);
    join_vector<true>(team, lanes, problem.fold.reducer(), value);
    if (lane == 0 && writes) {
      write(place, problem.fold.total_of(value));
    }
  }

  template <int Width>
  KOKKOS_FORCEINLINE_FUNCTION auto chain_lane(const AxesDim* axes, const AxesOffsets& place, int lane) const {
    using Piece = Packed<T, Width>;
    constexpr int loads = Width == 1 ? Kokkos::min(Fold::lanes, 8) : 4;
    const auto* pieces = reinterpret_cast<const Piece*>(problem.in + place.in);
    const auto count = static_cast<int>(problem.run_size / Width);
    const int stride = lanes;
    const RunPosition position = position_in(axes, place);
    typename Fold::chain_type chain;
    problem.fold.begin(chain);
    int i = lane;
    for (; i + (loads - 1) * stride < count; i += loads * stride) {
      Piece loaded[loads];
      TESSERA_UNROLL
      for (int load = 0; load < loads; ++load) loaded[load] = pieces[i + load * stride];
      T group[loads * Width];
      TESSERA_UNROLL
      for (int k = 0; k < loads * Width; ++k) group[k] = loaded[k / Width].values[k % Width];
      problem.fold.chain(chain, group,
                         GroupIndex<RunPosition>{position, std::int64_t{i} * Width, stride * Width, Width});
    }
    // The rest at once too.
    Piece rest[loads - 1];
    TESSERA_UNROLL
    for (int load = 0; load < loads - 1; ++load) {
      rest[load] = i + load * stride < count ? pieces[i + load * stride] : Piece{};
    }
    TESSERA_UNROLL
    for (int load = 0; load < loads - 1; ++load) {
      const int at = i + load * stride;
      if (at < count) {
        problem.fold.chain(chain, rest[load].values,
                           GroupIndex<RunPosition>{position, std::int64_t{at} * Width, 0, Width});
      }
    }
    return problem.fold.chained(chain);
  }

  KOKKOS_FORCEINLINE_FUNCTION void reduce_row(const Member& team, const AxesDim* axes, const AxesOffsets& base) const {
    const FoldJoin<Fold> join{problem.fold};
    typename Fold::team_type total = join.identity();
    const auto row = row_at(axes, base);
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, lanes),
        [&](int lane, typename Fold::team_type& mine) {
          typename Fold::thread_type thread;
          typename Fold::spill_type spill;
          problem.fold.begin(thread, spill);
          thread_fold(problem.fold, row, {lane, lanes}, thread, spill, Status(problem.status_word));
          mine = problem.fold.close_alone(thread, spill, mine);
        },
        LaneJoin<FoldJoin<Fold>>{join, &total});
    Kokkos::single(Kokkos::PerThread(team), [&] { write(base, total); });
  }

  KOKKOS_FORCEINLINE_FUNCTION void write(const AxesOffsets& base, const typename Fold::team_type& total) const {
    const Status status(problem.status_word, static_cast<std::uint64_t>(base.position));
    problem.out[base.out] = problem.fold.template finalize<Result>(total, problem.reduced_size, status);
  }
};

}  // namespace tessera::detail

#endif

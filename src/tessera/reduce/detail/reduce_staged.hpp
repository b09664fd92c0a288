// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapping staged: many short rows that follow each other in memory. A team reads a block of them in 16-byte pieces,
// whatever their length, into a tile in scratch; then a thread, or a few, takes each row from there.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_STAGED_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_STAGED_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/axes_problem.hpp>
#include <tessera/reduce/detail/fold_finish.hpp>
#include <tessera/reduce/detail/reduce_runs.hpp>
#include <tessera/reduce/detail/thread_fold.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Problem>
struct ReduceStaged {
  using Fold = typename Problem::fold_type;
  using T = typename Problem::element_type;
  using policy_type = AxesPolicy<Space, Problem::teams_at_once>;
  static constexpr const char* label = "tessera::reduce_axes::staged";

  Problem problem;
  std::size_t scratch_bytes;
  int outputs, threads;     // of a team; of an output
  int row, row_pitch;       // elements; of the tile
  std::uint64_t row_magic;  // ceil(2^32 / row)

  KOKKOS_FUNCTION void operator()(const typename policy_type::member_type& team) const {
    std::byte* scratch = team_scratch(team, scratch_bytes);
    const AxesDim* axes = axes_in_reach<Space>(team, problem, scratch);
    ScratchLayout layout;
    layout.append<AxesDim>(axes_max);
    const std::size_t tile_at = layout.append<T>(static_cast<std::size_t>(outputs) * row_pitch);
    const int group = team.team_rank() / threads;
    const int groups = team.team_size() / threads;
    const ThreadGroup<typename policy_type::member_type> members{team, team.team_rank() % threads, threads};
    std::byte* fold_scratch =
        scratch + layout.bytes() + static_cast<std::size_t>(group) * FoldScratch<Fold>(threads).bytes;
    const Status status(problem.status_word);

    const std::int64_t blocks = ceil_div(problem.kept_size, outputs);
    const IndexRange items = items_of(blocks, team.league_rank(), team.league_size());
    for (std::int64_t item = items.begin; item < items.end; ++item) {
      const std::int64_t first = item * outputs;
      const int rows = static_cast<int>(Kokkos::min<std::int64_t>(outputs, problem.kept_size - first));
      const auto tile = stage(team, problem.in + first * row, rows * row, scratch + tile_at);
      team.team_barrier();
      // As many turns for every group: closing needs them all.
      for (int turn = 0; turn < rows; turn += groups) {
        const int mine = turn + group;
        const bool valid = mine < rows;
        typename Fold::thread_type thread;
        typename Fold::spill_type spill;
        problem.fold.begin(thread, spill);
        if (valid) fold_row(axes, first + mine, tile + mine * row_pitch, members.rank, thread, spill, status);
        finish_fold(members, problem.fold, true, thread, spill, fold_scratch,
                    [&](auto&& total) { return !valid || problem.finish(members, axes, first + mine, 0, total); });
      }
      if (item + 1 < items.end) team.team_barrier();  // the tile has been read
    }
  }

 private:
  KOKKOS_FUNCTION int row_of(int element) const {
    return static_cast<int>(static_cast<std::uint64_t>(element) * row_magic >> 32);
  }

  /// The block to a tile in scratch; where its elements are then.
  template <class E>
  KOKKOS_FUNCTION const E* stage(const typename policy_type::member_type& team, const E* from, int count,
                                 std::byte* scratch) const {
    E* tile = reinterpret_cast<E*>(scratch);
    copy(team, from, count, tile);
    return tile;
  }
  /// Of two arrays each to a part of its own.
  template <class E>
  KOKKOS_FUNCTION PairPointer<E> stage(const typename policy_type::member_type& team, const PairPointer<E>& from,
                                       int count, std::byte* scratch) const {
    E* tile = reinterpret_cast<E*>(scratch);
    E* second = tile + static_cast<std::int64_t>(outputs) * row_pitch;
    copy(team, from.x, count, tile);
    copy(team, from.y, count, second);
    return {tile, second};
  }

  /// Element e of the block to its place, e + row_of(e) * pad.
  template <class E>
  KOKKOS_FUNCTION void copy(const typename policy_type::member_type& team, const E* from, int count, E* tile) const {
    constexpr int width = packed_length<E>;
    constexpr int loads = 4;
    const int step = team.team_size();
    const int pad = row_pitch - row;
    const int head = static_cast<int>(misaligned_head(from, count));
    const auto* packs = reinterpret_cast<const Packed<E>*>(from + head);
    const int pack_count = (count - head) / width;

    const auto place = [&](const Packed<E>& pack, int number) {
      const int first = head + number * width;
      int at_row = row_of(first);
      int next_row = (at_row + 1) * row;
      TESSERA_UNROLL
      for (int k = 0; k < width; ++k) {
        while (first + k >= next_row) {  // once, or for rows of one element
          ++at_row;
          next_row += row;
        }
        tile[first + k + at_row * pad] = pack.values[k];
      }
    };
    for (int e = team.team_rank(); e < head; e += step) tile[e + row_of(e) * pad] = from[e];
    int i = team.team_rank();
    for (; i + (loads - 1) * step < pack_count; i += loads * step) {
      Packed<E> loaded[loads];
      TESSERA_UNROLL
      for (int load = 0; load < loads; ++load) loaded[load] = packs[i + load * step];
      TESSERA_UNROLL
      for (int load = 0; load < loads; ++load) place(loaded[load], i + load * step);
    }
    for (; i < pack_count; i += step) place(packs[i], i);
    for (int e = head + pack_count * width + team.team_rank(); e < count; e += step) {
      tile[e + row_of(e) * pad] = from[e];
    }
  }

  template <class From>
  KOKKOS_FUNCTION void fold_row(const AxesDim* axes, std::int64_t output, const From& from, int rank,
                                typename Fold::thread_type& thread, typename Fold::spill_type& spill,
                                const Status& status) const {
    const AxesDim* run_axes = axes + problem.kept;
    const RunPosition position{run_axes, problem.run, run_step(run_axes, problem.run), 0,
                               axes_offsets(axes, problem.kept, output).input};
    int c = rank;
    for (; c + (Fold::lanes - 1) * threads < row; c += Fold::lanes * threads) {
      add_of_row<Fold::lanes>(position, from, c, thread, spill, status);
    }
    for (; c + 3 * threads < row; c += 4 * threads) add_of_row<4>(position, from, c, thread, spill, status);
    for (; c < row; c += threads) add_of_row<1>(position, from, c, thread, spill, status);
  }

  template <int Count, class From>
  KOKKOS_FUNCTION void add_of_row(const RunPosition& position, const From& from, int c,
                                  typename Fold::thread_type& thread, typename Fold::spill_type& spill,
                                  const Status& status) const {
    T elements[Count];
    TESSERA_UNROLL
    for (int k = 0; k < Count; ++k) elements[k] = from[c + k * threads];
    problem.fold.add(thread, spill, elements, GroupIndex<RunPosition>{position, c, threads, 1}, status);
  }
};

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant vectorized, few lines across memory that fill it together, on devices: a tile of all of them is a piece of
// memory, which goes to scratch and back in 16-byte pieces; a thread makes a run of outputs of a line.
#ifndef TESSERA_FILTER_DETAIL_FILTER_INTERLEAVED_HPP
#define TESSERA_FILTER_DETAIL_FILTER_INTERLEAVED_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tessera/concepts.hpp>
#include <tessera/detail/async_copy.hpp>
#include <tessera/detail/convert.hpp>
#include <tessera/detail/divisor.hpp>
#include <tessera/detail/lanes.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/filter_job.hpp>
#include <tessera/filter/detail/filter_sizes.hpp>
#include <tessera/filter/detail/filter_vectorized.hpp>
#include <tessera/filter/detail/interleaved_plan.hpp>
#include <tessera/filter/detail/run_sums.hpp>
#include <tessera/filter/filter_plan.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Types>
struct FilterInterleaved {
  using In = typename Types::in_type;
  using Out = typename Types::out_type;
  using Weight = typename Types::weight_type;
  using Accumulator = typename Types::accumulator_type;
  static constexpr int run = interleaved_run<sizeof(Accumulator)>;
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<vectorized_team_size, interleaved_teams_at_once>,
                                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;

  FilterJob<Types> job;
  FoldedRange<Types> folded;
  Weight weights[column_taps_max];  // part of the kernel's argument: all threads read the same one at a time
  InterleavedPlan plan;
  SmallDivisor columns, runs, beyond;  // of a block: its runs, and, of several, the elements beyond their lines
  std::int64_t blocks, tiles_per_block, tiles;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    std::byte* const scratch = team_scratch(team, plan.bytes);
    auto* const staged = reinterpret_cast<In*>(scratch);
    const TileWalk walk = tile_walk(team, tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      const Tile tile = tile_of(index);
      stage(team, tile, staged);
      team.team_barrier();
      const int count = tile.blocks * tile.outputs * columns.value();
      const int head = static_cast<int>(misaligned_head(tile.y, count));
      constexpr int width = packed_length<Out>;
      Out* const slots = reinterpret_cast<Out*>(scratch + plan.slots_at) + (width - head % width) % width;
      make(team, tile, staged, slots);
      team.team_barrier();
      store_slots(slots, tile.y, count, head, team.team_rank(), team.team_size());
    }
  }

 private:
  struct Tile {
    const In* x;  // the first block
    Out* y;       // the first output
    std::int64_t first;
    int blocks, outputs;  // these of each line
    int begin, end;       // rows of elements inside the lines, counted from the first window's first one
  };

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Tile tile_of(std::int64_t index) const {
    const QuotientRemainder split = divide(index, tiles_per_block);
    const std::int64_t block = split.quotient * plan.blocks, first = split.remainder * plan.tile;
    const std::int64_t line = block * columns.value(), first_row = first - job.rule.window.reach_left;
    const auto outputs = static_cast<int>(Kokkos::min<std::int64_t>(plan.tile, job.out.extent - first));
    const int rows = outputs + static_cast<int>(job.rule.window.taps) - 1;
    const int begin = Kokkos::min(Kokkos::max(near_index(-first_row), 0), rows);
    return {job.in.line(line),
            job.out.line(line) + first * columns.value(),
            first,
            static_cast<int>(Kokkos::min<std::int64_t>(plan.blocks, blocks - block)),
            outputs,
            begin,
            Kokkos::max(Kokkos::min(near_index(job.in.extent - first_row), rows), begin)};
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const In* block_of(const Tile& tile, int block) const {
    return tile.x + block * job.in.extent * columns.value();
  }

  /// Where in scratch the rows of a block begin, with that of its first window.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION In* rows_of(const Tile& tile, int block, In* staged) const {
    const std::int64_t first_row = tile.first - job.rule.window.reach_left;
    return async_place(block_of(tile, block) + first_row * columns.value(), staged + block * plan.pitch);
  }

  /// Threads copy a block together, or warps do one each.
  KOKKOS_FORCEINLINE_FUNCTION void stage(const member_type& team, const Tile& tile, In* staged) const {
    const int width = columns.value();
    const std::int64_t first_row = tile.first - job.rule.window.reach_left;
    const int threads = plan.blocks == 1 ? team.team_size() : Kokkos::min(team.team_size(), int{warp_lanes});
    const int groups = team.team_size() / threads, group = team.team_rank() / threads;
    TESSERA_NO_UNROLL
    for (int block = group < groups ? group : tile.blocks; block < tile.blocks; block += groups) {
      begin_copy(block_of(tile, block) + (first_row + tile.begin) * width, (tile.end - tile.begin) * width,
                 staged + block * plan.pitch + tile.begin * width, team.team_rank() - group * threads, threads);
    }
    end_async_group();
    stage_beyond(team, tile, staged);
    wait_for_async_groups<0>();
  }

  KOKKOS_FORCEINLINE_FUNCTION void stage_beyond(const member_type& team, const Tile& tile, In* staged) const {
    const int width = columns.value(), rows = tile.outputs + static_cast<int>(job.rule.window.taps) - 1;
    const int inside = tile.end - tile.begin, count = (rows - inside) * width;
    TESSERA_NO_UNROLL
    for (int e = team.team_rank(); e < tile.blocks * count; e += team.team_size()) {
      const int block = plan.blocks == 1 ? 0 : beyond.quotient(e), within = e - block * count;
      const int at = within < tile.begin * width ? within : within + inside * width;
      const int row = columns.quotient(at);
      rows_of(tile, block, staged)[at] = folded.fold.element(block_of(tile, block) + (at - row * width), width,
                                                             tile.first - job.rule.window.reach_left + row);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void make(const member_type& team, const Tile& tile, In* staged, Out* slots) const {
    const int width = columns.value();
    const int plain_begin = near_index(folded.begin - tile.first), plain_end = near_index(folded.end - tile.first);
    TESSERA_NO_UNROLL
    for (int task = team.team_rank(); task < tile.blocks * plan.runs; task += team.team_size()) {
      const int block = runs.quotient(task), within = task - block * plan.runs;
      const int group = columns.quotient(within), column = within - group * width, i = group * run;
      if (i >= tile.outputs) continue;
      Accumulator sums[run];
      run_sums(rows_of(tile, block, staged) + i * width + column, width, weights,
               static_cast<int>(job.rule.window.taps), sums);
      Out* slot = slots + (block * tile.outputs + i) * width + column;
      TESSERA_UNROLL
      for (int s = 0; s < run; ++s) {
        if (i + s < tile.outputs) slot[s * width] = convert<Out>(sums[s]);
      }
      if (i >= plain_begin && i + run <= plain_end) continue;
      TESSERA_NO_UNROLL
      for (int s = 0; s < run && i + s < tile.outputs; ++s) {
        if (i + s >= plain_begin && i + s < plain_end) continue;
        slot[s * width] = job.rule.output(block_of(tile, block) + column, tile.first + i + s);
      }
    }
  }
};

/// weights: of the filter, at most column_taps_max. Rows of neighbours follow each other; of several blocks, they too.
template <class Types, ExecutionSpace Space>
void launch_interleaved(const Space& space, const FilterPlan& plan, const InterleavedPlan& share,
                        const FilterJob<Types>& job, std::span<const double> weights, int asked_team_size) {
  using Functor = FilterInterleaved<Space, Types>;
  const auto columns = static_cast<int>(job.in.columns());
  const std::int64_t blocks = job.in.lines() / columns;
  const std::int64_t rows = job.out.extent + job.rule.window.taps - 1;  // that windows of whole lines see
  const std::int64_t inside = std::min(job.in.extent, rows - job.rule.window.reach_left);
  const std::int64_t tiles_per_block = ceil_div(job.out.extent, share.tile);
  Functor functor{job,
                  FoldedRange<Types>(job.rule),
                  {},
                  share,
                  SmallDivisor(columns),
                  SmallDivisor(share.runs),
                  SmallDivisor(share.blocks == 1 ? 1 : std::max(1, static_cast<int>(rows - inside) * columns)),
                  blocks,
                  tiles_per_block,
                  ceil_div(blocks, share.blocks) * tiles_per_block};
  put_weights(weights, job.rule.window.reversed, functor.weights);
  launch_vectorized_functor("tessera::filter::interleaved", space, plan, functor, asked_team_size);
}

}  // namespace tessera::detail

#endif

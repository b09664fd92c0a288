// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans of an in-place transpose by blocks and runs.
#ifndef TESSERA_TRANSPOSE_DETAIL_IN_PLACE_BLOCK_PLAN_HPP
#define TESSERA_TRANSPOSE_DETAIL_IN_PLACE_BLOCK_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/transpose/detail/in_place_layout.hpp>
#include <tessera/transpose/detail/in_place_line_plan.hpp>
#include <tessera/transpose/detail/in_place_square.hpp>
#include <tessera/transpose/in_place_options.hpp>
#include <tessera/transpose/in_place_plan.hpp>
#include <utility>

namespace tessera::detail {

/// Elements of the shortest runs that go at full speed.
inline std::int64_t run_least(std::size_t element_bytes) {
  return static_cast<std::int64_t>((in_place_run_least + element_bytes - 1) / element_bytes);
}

/// Rows of a block of `shorter` columns in scratch: a multiple of the shortest run. 0: none.
inline std::int64_t scratch_run(const InPlaceLimits& limits, std::int64_t shorter) {
  const std::int64_t least = run_least(limits.element_bytes);
  const auto held = static_cast<std::int64_t>((limits.device.scratch_bytes - packed_bytes) / limits.element_bytes);
  return held / (shorter + 1) / least * least;
}

/// Blocks of a matrix of which nothing is set aside: squares of the common factor where it is large, or rows of the
/// shorter extent, as many as scratch holds that divide the longer one.
inline BlockPlan whole_blocks(const InPlaceLimits& limits, std::int64_t rows, std::int64_t columns) {
  const std::int64_t least = run_least(limits.element_bytes), factor = std::gcd(rows, columns);
  const std::int64_t longer = std::max(rows, columns), shorter = std::min(rows, columns);
  const auto blocks_of = [&](std::int64_t m, std::int64_t n, std::int64_t run) {
    const std::size_t bytes = block_scratch_bytes(m, n, limits.element_bytes);
    return BlockPlan{.rows = m, .columns = n, .in_scratch = limits.fits_scratch(bytes), .run = run};
  };
  if (factor < 4 * least) {
    for (std::int64_t run = scratch_run(limits, shorter); run >= least && run > factor; run -= least) {
      const BlockPlan blocks = rows > columns ? blocks_of(run, shorter, run) : blocks_of(shorter, run, run);
      if (longer % run == 0 && blocks.in_scratch) return blocks;
    }
  }
  return blocks_of(factor, factor, factor);
}

/// About the time of as many passes at full speed.
inline double block_cost(const InPlaceLimits& limits, const BlockPlan& blocks, std::int64_t rows,
                         std::int64_t columns) {
  const std::int64_t run = blocks.run, least = run_least(limits.element_bytes);
  const bool moves_runs = rows - blocks.rows_aside != blocks.rows || columns - blocks.columns_aside != blocks.columns;
  const double spread = 1.4 * ((blocks.rows_aside != 0 ? 1 : 0) + (blocks.columns_aside != 0 ? 1 : 0));
  const double odd = blocks.in_scratch || run % 32 == 0 ? 0 : 0.3;
  const double runs = run < least ? 100 : run < 2 * least ? 2.8 : 1.4;
  return 1.3 + odd + spread + (moves_runs ? runs : 0);
}

/// The fewest of the last rows without which the extents have a common factor of `least` or more; `rows` if there are
/// none below 512.
inline std::int64_t rows_to_factor(std::int64_t rows, std::int64_t columns, std::int64_t least) {
  std::int64_t fewest = rows;
  for (std::int64_t factor = least; factor <= std::min<std::int64_t>(512, columns); ++factor) {
    if (columns % factor == 0) fewest = std::min(fewest, rows % factor);
  }
  return fewest;
}

/// The cheapest blocks, with nothing set aside, or the rows and columns above a multiple of what makes good blocks.
inline BlockPlan choose_blocks(const InPlaceLimits& limits, std::int64_t rows, std::int64_t columns) {
  const std::int64_t square = 2 * run_least(limits.element_bytes);
  const std::int64_t run = std::max<std::int64_t>(1, scratch_run(limits, std::min(rows, columns)));
  const std::pair<std::int64_t, std::int64_t> aside[] = {{0, columns % rows},
                                                         {rows % columns, 0},
                                                         {0, columns % run},
                                                         {rows % run, 0},
                                                         {0, rows_to_factor(columns, rows, square)},
                                                         {rows_to_factor(rows, columns, square), 0},
                                                         {rows % square, columns % square}};
  BlockPlan best = whole_blocks(limits, rows, columns);
  double least = block_cost(limits, best, rows, columns);
  for (const auto& [y, x] : aside) {
    if (y == rows || x == columns) continue;
    const std::size_t flags = spread_flag_bytes(limits.device.is_host, rows * columns, limits.element_bytes);
    const auto bytes = static_cast<std::size_t>(x * rows + y * columns) * limits.element_bytes;
    if (x + y != 0 && bytes + flags > limits.batch_bytes / 2) continue;
    BlockPlan blocks = whole_blocks(limits, rows - y, columns - x);
    blocks.rows_aside = y;
    blocks.columns_aside = x;
    const double cost = block_cost(limits, blocks, rows, columns);
    if (cost < least) {
      best = blocks;
      least = cost;
    }
  }
  return best;
}

inline InPlacePlan plan_blocks(const InPlaceLimits& limits, const BlockPlan& chosen, std::int64_t rows,
                               std::int64_t columns) {
  const std::size_t bytes = limits.element_bytes;
  InPlacePlan plan{.variant = InPlaceVariant::blocks, .team_size = planned_team_size(limits, in_place_team_size)};
  BlockPlan& blocks = plan.blocks = chosen;
  const std::int64_t m = rows - blocks.rows_aside, n = columns - blocks.columns_aside;
  const std::int64_t run = blocks.run;
  const bool moves_runs = m != blocks.rows || n != blocks.columns;
  if (moves_runs) {
    const auto room = static_cast<std::int64_t>(limits.batch_bytes / 2 / bytes) / run;
    blocks.cuts = std::min(m * n / run / in_place_piece_runs, room);
  }
  plan.tile_rows = plan.tile_columns = swapped_tile(limits.device.is_host, blocks.rows, bytes).rows;
  plan.scratch_bytes = std::max(blocks.in_scratch ? block_scratch_bytes(blocks.rows, blocks.columns, bytes)
                                                  : swapped_scratch_bytes(plan.tile_rows, bytes),
                                run_scratch_bytes(plan.team_size));
  const bool spreads = blocks.rows_aside != 0 || blocks.columns_aside != 0;
  plan.workspace_bytes = spread_flag_bytes(limits.device.is_host, spreads ? m * n : 0, bytes) +
                         buffer_bytes(blocks.columns_aside * rows + blocks.rows_aside * n, bytes) +
                         buffer_bytes(blocks.cuts * run, bytes);
  plan.passes = 1 + (moves_runs ? 1 : 0) + (blocks.rows_aside != 0 ? 1 : 0) + (blocks.columns_aside != 0 ? 1 : 0);
  plan.league_size = tile_league(limits.device, rows * columns);
  return plan;
}

}  // namespace tessera::detail

#endif

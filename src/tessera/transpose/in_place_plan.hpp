// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an in-place transpose is mapped to passes and teams: data, from a pure host function.
#ifndef TESSERA_TRANSPOSE_IN_PLACE_PLAN_HPP
#define TESSERA_TRANSPOSE_IN_PLACE_PLAN_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/transpose/detail/in_place_layout.hpp>
#include <tessera/transpose/detail/in_place_square.hpp>
#include <tessera/transpose/in_place_options.hpp>
#include <utility>

namespace tessera {

/// Where a pass holds its lines while their elements change places.
enum class LineMemory {
  none,       ///< no such pass
  scratch,    ///< team scratch: one kernel for all lines
  registers,  ///< rows in the registers of a team, on devices: one kernel
  workspace,  ///< batches of lines, in a kernel whose teams draw the tiles of all batches in order
};

constexpr std::string_view to_string(LineMemory memory) {
  switch (memory) {
    case LineMemory::none:
      return "none";
    case LineMemory::scratch:
      return "scratch";
    case LineMemory::registers:
      return "registers";
    case LineMemory::workspace:
      break;
  }
  return "workspace";
}

/// How the passes over one kind of lines hold them.
struct LinePlan {
  LineMemory memory = LineMemory::none;
  std::int64_t batch = 0;  ///< lines that a team holds in scratch or registers, or a buffer of the workspace
  int buffers = 0;         ///< above 1: batches are fetched while others are put back
  bool operator==(const LinePlan&) const = default;
};

/// How a matrix goes in blocks.
struct BlockPlan {
  std::int64_t rows = 0, columns = 0;  ///< of a block: a square, or all columns (rows) where these are fewer
  bool in_scratch = false;             ///< a block a team; else squares in swapped tiles
  std::int64_t cuts = 0;               ///< of cycles: runs that are saved before the others move
  std::int64_t rows_aside = 0, columns_aside = 0;  ///< the last ones, set aside meanwhile
  std::int64_t run = 0;                            ///< elements of the rows of blocks, once transposed
  bool operator==(const BlockPlan&) const = default;
};

/// Rows and columns are those of the matrix as the passes see it: with c2r its extents, with r2c these exchanged. With
/// chunks the longer extent counts the rows, and `rows` are the bands: `batch` rows, which is a chunk, in a ring.
struct InPlacePlan {
  InPlaceVariant variant = InPlaceVariant::swapped_tiles;
  int league_size = 1;  ///< most teams of a kernel
  int team_size = 1;
  int row_team_size = 1;  ///< in passes over rows
  int vector_length = 1;
  int tile_rows = 1;     ///< of swapped tiles, of passes over columns, or of bands that are turned
  int tile_columns = 1;  ///< likewise
  LinePlan rows{}, columns{};
  BlockPlan blocks{};
  int passes = 0;                   ///< each reads and writes the whole matrix once in main memory
  std::uint64_t bytes_moved = 0;    ///< by all passes, of the matrix; what batches of the workspace move comes on top
  std::size_t scratch_bytes = 0;    ///< level 0, a team, of the kernel that needs most
  std::size_t workspace_bytes = 0;  ///< device memory besides the matrix
  bool operator==(const InPlacePlan&) const = default;
};

inline std::string to_string(const LinePlan& lines) {
  return std::string(to_string(lines.memory)) + " " + std::to_string(lines.buffers) + " x " +
         std::to_string(lines.batch);
}

inline std::string to_string(const BlockPlan& blocks) {
  return std::to_string(blocks.rows) + " x " + std::to_string(blocks.columns) +
         (blocks.in_scratch ? " in scratch" : "") + " cuts " + std::to_string(blocks.cuts) + " aside " +
         std::to_string(blocks.rows_aside) + " rows " + std::to_string(blocks.columns_aside) + " columns";
}

inline std::string to_string(const InPlacePlan& plan) {
  return std::string(to_string(plan.variant)) + " league " + std::to_string(plan.league_size) + " team " +
         std::to_string(plan.team_size) + ", of rows " + std::to_string(plan.row_team_size) + " vector " +
         std::to_string(plan.vector_length) + " tile " + std::to_string(plan.tile_rows) + " x " +
         std::to_string(plan.tile_columns) + " rows " + to_string(plan.rows) + " columns " + to_string(plan.columns) +
         (plan.variant == InPlaceVariant::blocks ? " blocks " + to_string(plan.blocks) : "") + " passes " +
         std::to_string(plan.passes) + " moved " + std::to_string(plan.bytes_moved) + " B scratch " +
         std::to_string(plan.scratch_bytes) + " B workspace " + std::to_string(plan.workspace_bytes) + " B";
}

namespace detail {

struct InPlaceLimits {
  DeviceLimits device;
  std::size_t element_bytes, batch_bytes;
  int asked_team_size;

  [[nodiscard]] bool fits_scratch(std::size_t bytes) const { return scratch_request(bytes) <= device.scratch_bytes; }
  [[nodiscard]] bool is_oversize(std::int64_t line) const {
    return static_cast<std::size_t>(line) * element_bytes > batch_bytes / 2;
  }
};

/// Batches of lines in as many as eight buffers that hold `multiple` lines each, else in two; in one where all lines
/// fit it, or a single line exceeds half of the budget.
inline LinePlan workspace_lines(const InPlaceLimits& limits, std::int64_t lines, std::int64_t length, int multiple) {
  if (limits.is_oversize(length)) return {LineMemory::workspace, 1, 1};
  const std::size_t line_bytes = static_cast<std::size_t>(length) * limits.element_bytes;
  const auto held = [&](int buffers) {
    return static_cast<std::int64_t>(limits.batch_bytes / static_cast<std::size_t>(buffers) / line_bytes);
  };
  int buffers = in_place_buffers_max;
  while (buffers > 2 && held(buffers) < multiple) buffers /= 2;
  const std::int64_t batch = held(buffers);
  if (batch >= lines) return {LineMemory::workspace, lines, 1};
  return {LineMemory::workspace, batch > multiple ? batch / multiple * multiple : batch, buffers};
}

inline std::size_t workspace_bytes(const InPlaceLimits& limits, const LinePlan& lines, std::int64_t length) {
  return batch_count_bytes +
         static_cast<std::size_t>(lines.buffers) * buffer_bytes(lines.batch * length, limits.element_bytes);
}

/// The smallest team whose registers hold a row; 0: none.
inline int register_team_size(const InPlaceLimits& limits, std::int64_t n) {
  if (limits.device.is_host) return 0;
  const std::int64_t threads = ceil_div(n, row_registers(limits.element_bytes));
  if (limits.asked_team_size != 0) return threads <= limits.asked_team_size ? limits.asked_team_size : 0;
  return threads <= 1024 ? static_cast<int>(ceil_div(threads, 32) * 32) : 0;
}

inline void plan_rows(const InPlaceLimits& limits, const InPlaceShape& shape, InPlacePlan& plan) {
  plan.row_team_size = plan.team_size;
  const std::size_t bytes = limits.element_bytes;
  const int register_team = register_team_size(limits, shape.n);
  const bool is_short = static_cast<std::size_t>(shape.n) * bytes < in_place_register_row;
  if ((is_short || register_team == 0) && limits.fits_scratch(row_scratch_bytes(shape.n, bytes))) {
    const auto rows = static_cast<std::int64_t>(in_place_tile_bytes(limits.device.is_host) / bytes) / shape.n;
    plan.rows = {LineMemory::scratch, std::clamp<std::int64_t>(rows, 1, shape.m), 0};
    plan.scratch_bytes = std::max(plan.scratch_bytes, row_scratch_bytes(plan.rows.batch * shape.n, bytes));
  } else if (register_team != 0) {
    plan.rows = {LineMemory::registers, 1, 0};
    plan.row_team_size = register_team;
  } else {
    plan.rows = workspace_lines(limits, shape.m, shape.n, 1);
    plan.scratch_bytes = std::max(plan.scratch_bytes, batch_scratch_bytes(0));
    plan.workspace_bytes = std::max(plan.workspace_bytes, workspace_bytes(limits, plan.rows, shape.n));
  }
}

/// Columns of a tile, a power of two: a segment's worth of them, at most what holds all columns, and on devices a
/// thread for each.
inline int column_tile_width(const InPlaceLimits& limits, std::size_t segment_bytes, std::int64_t columns,
                             int team_size) {
  const std::uint64_t segment =
      std::bit_floor(std::max<std::size_t>(1, segment_bytes / std::bit_ceil(limits.element_bytes)));
  const std::uint64_t width = std::min(segment, std::bit_ceil(static_cast<std::uint64_t>(columns)));
  return static_cast<int>(
      limits.device.is_host ? width : std::min(width, std::bit_floor(static_cast<std::uint64_t>(team_size))));
}

inline void plan_columns(const InPlaceLimits& limits, const InPlaceShape& shape, InPlacePlan& plan) {
  const std::size_t bytes = limits.element_bytes;
  const std::size_t tile_bytes = in_place_tile_bytes(limits.device.is_host);
  const int narrowest = column_tile_width(limits, in_place_segment_least, shape.n, plan.team_size);
  const std::size_t segment = std::max(in_place_segment_bytes, tile_bytes / static_cast<std::size_t>(shape.m));
  int width = column_tile_width(limits, segment, shape.n, plan.team_size);
  while (width >= narrowest && !limits.fits_scratch(column_scratch_bytes(shape.m, width, bytes))) width /= 2;
  if (width >= narrowest) {
    plan.columns = {LineMemory::scratch, width, 0};
    plan.tile_rows = static_cast<int>(shape.m);
    plan.tile_columns = width;
    plan.scratch_bytes = std::max(plan.scratch_bytes, column_scratch_bytes(shape.m, width, bytes));
    return;
  }
  plan.columns = workspace_lines(limits, shape.n, shape.m,
                                 column_tile_width(limits, in_place_segment_bytes, shape.n, plan.team_size));
  plan.tile_columns = column_tile_width(limits, in_place_segment_bytes, plan.columns.batch, plan.team_size);
  plan.tile_rows =
      std::min(static_cast<int>(tile_bytes / std::bit_ceil(bytes)) / plan.tile_columns, in_place_tile_rows_max);
  plan.scratch_bytes = std::max(
      plan.scratch_bytes, batch_scratch_bytes(column_tile_scratch_bytes(plan.tile_rows, plan.tile_columns, bytes)));
  plan.workspace_bytes = std::max(plan.workspace_bytes, workspace_bytes(limits, plan.columns, shape.m));
}

inline double row_cost(const InPlaceLimits& limits, const InPlaceShape& shape, const InPlacePlan& plan) {
  if (plan.rows.memory == LineMemory::scratch) return 1;
  if (plan.rows.memory == LineMemory::registers) return 1.3;
  return limits.is_oversize(shape.n) ? 6 : 3;
}

inline double column_cost(const InPlaceLimits& limits, const InPlaceShape& shape, const InPlacePlan& plan) {
  const double segment = static_cast<double>(plan.columns.batch) * static_cast<double>(limits.element_bytes);
  const bool is_whole = plan.columns.batch >= shape.n;
  const double narrow = is_whole ? 1 : std::max(1.0, static_cast<double>(in_place_segment_bytes) / segment);
  if (plan.columns.memory == LineMemory::scratch) return std::min(1.5, narrow);
  return (limits.is_oversize(shape.m) ? 3 : 1.5) * narrow;
}

/// About the time of as many passes at full speed, to choose by.
inline double in_place_cost(const InPlaceLimits& limits, const InPlaceShape& shape, const InPlacePlan& plan) {
  return row_cost(limits, shape, plan) + (shape.c > 1 ? 2 : 1) * column_cost(limits, shape, plan);
}

/// Tiles of the kernel that has most.
inline std::int64_t pass_tiles(const InPlaceLimits& limits, const InPlaceShape& shape, const InPlacePlan& plan) {
  const bool by_batches = plan.rows.memory == LineMemory::workspace;
  const std::int64_t row_tiles =
      by_batches ? shape.m * row_chunks(shape.n, limits.element_bytes) : ceil_div(shape.m, plan.rows.batch);
  const std::int64_t column_tiles = ceil_div(shape.n, plan.tile_columns) * ceil_div(shape.m, plan.tile_rows);
  return std::max(row_tiles, column_tiles);
}

inline int planned_team_size(const InPlaceLimits& limits, int device_team_size) {
  if (limits.asked_team_size != 0) return limits.asked_team_size;
  return limits.device.is_host ? 1 : device_team_size;
}

inline InPlacePlan plan_passes(const InPlaceLimits& limits, InPlaceVariant variant, std::int64_t rows,
                               std::int64_t columns) {
  const InPlaceShape shape = in_place_shape(variant, rows, columns);
  InPlacePlan plan{.variant = variant, .team_size = planned_team_size(limits, in_place_team_size)};
  plan_rows(limits, shape, plan);
  plan_columns(limits, shape, plan);
  plan.passes = shape.c > 1 ? 3 : 2;
  plan.league_size = tile_league(limits.device, pass_tiles(limits, shape, plan));
  return plan;
}

/// Whether lines that need no workspace are best: other ways have more kernels.
inline bool lines_may_suffice(const InPlaceLimits& limits, std::int64_t rows, std::int64_t columns) {
  return !limits.device.is_host &&
         static_cast<std::uint64_t>(rows * columns) * limits.element_bytes < in_place_lines_most;
}

inline InPlacePlan plan_cheaper_passes(const InPlaceLimits& limits, std::int64_t rows, std::int64_t columns) {
  const InPlacePlan c2r = plan_passes(limits, InPlaceVariant::c2r, rows, columns);
  const InPlacePlan r2c = plan_passes(limits, InPlaceVariant::r2c, rows, columns);
  const auto cost = [&](const InPlacePlan& plan) {
    return in_place_cost(limits, in_place_shape(plan.variant, rows, columns), plan);
  };
  if (lines_may_suffice(limits, rows, columns) && (c2r.workspace_bytes == 0) != (r2c.workspace_bytes == 0)) {
    return c2r.workspace_bytes == 0 ? c2r : r2c;
  }
  return cost(c2r) < cost(r2c) ? c2r : r2c;
}

inline InPlacePlan plan_swapped_tiles(const InPlaceLimits& limits, std::int64_t extent, std::int64_t batches) {
  InPlacePlan plan;
  plan.team_size = planned_team_size(limits, swapped_team_size);
  plan.tile_rows = plan.tile_columns = swapped_tile(limits.device.is_host, limits.element_bytes);
  plan.passes = 1;
  plan.scratch_bytes = swapped_scratch_bytes(plan.tile_rows, limits.element_bytes);
  const std::int64_t blocks = ceil_div(extent, plan.tile_rows * swapped_block);
  plan.league_size = tile_league(limits.device, swapped_pairs(blocks) * batches);
  return plan;
}

/// Lines are the bands' rows, in a ring that also holds the band before those of a step, where chunks begin that end in
/// the first of them. Chunks are as long as a step's bytes allow, within limits, and shorter where the budget demands
/// it, down to a cache line.
inline InPlacePlan plan_chunks(const InPlaceLimits& limits, std::int64_t rows, std::int64_t columns) {
  const auto bytes = static_cast<std::int64_t>(limits.element_bytes);
  const std::int64_t longer = std::max(rows, columns), shorter = std::min(rows, columns);
  InPlacePlan plan{.variant = InPlaceVariant::chunks, .team_size = planned_team_size(limits, 1)};
  plan.row_team_size = plan.team_size;
  const std::int64_t line = std::max<std::int64_t>(1, stream_line / bytes);
  const std::int64_t most = ceil_div(chunk_bytes_most, bytes), least = ceil_div(chunk_bytes_least, bytes);
  const auto step_bytes = std::min(chunks_step_bytes, static_cast<std::int64_t>(limits.batch_bytes / 6));
  std::int64_t chunk = std::clamp(step_bytes / (shorter * bytes), least, most) / line * line;
  const auto held = [&] {
    if (chunk >= longer) return std::int64_t{1};
    return std::min(std::max<std::int64_t>(1, step_bytes / (chunk * shorter * bytes)) + 1, ceil_div(longer, chunk));
  };
  const auto sizes = [&] { return chunk_sizes(longer, shorter, chunk, held(), limits.element_bytes); };
  chunk = std::min(std::max(chunk, line), longer);
  while (sizes().total > limits.batch_bytes && chunk > line) chunk = std::max(line, chunk / 2 / line * line);
  plan.rows = {LineMemory::workspace, chunk, static_cast<int>(held())};
  plan.workspace_bytes = sizes().total;
  plan.passes = 2;
  const std::int64_t tile_columns = std::min<std::int64_t>(shorter, 256);
  plan.tile_columns = static_cast<int>(tile_columns);
  plan.tile_rows = static_cast<int>(std::min<std::int64_t>(chunk, ceil_div(16384 / tile_columns, 64) * 64));
  plan.league_size = tile_league(limits.device, ceil_div(longer, chunk) * shorter);
  return plan;
}

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
  plan.tile_rows = plan.tile_columns = swapped_tile(limits.device.is_host, bytes);
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

/// Passes over lines take about so much longer than their costs say, beside those of blocks (measured on an H200).
inline constexpr double lines_to_blocks = 1.5;

inline InPlacePlan plan_any_shape(const InPlaceLimits& limits, InPlaceVariant variant, std::int64_t rows,
                                  std::int64_t columns) {
  if (variant == InPlaceVariant::c2r || variant == InPlaceVariant::r2c) {
    return plan_passes(limits, variant, rows, columns);
  }
  const BlockPlan blocks = choose_blocks(limits, rows, columns);
  const bool can_be_blocks = rows * columns / blocks.run < std::int64_t{1} << 31;  // runs are numbered in 32 bits
  if (variant == InPlaceVariant::blocks && can_be_blocks) return plan_blocks(limits, blocks, rows, columns);
  const bool asks = variant == InPlaceVariant::chunks;
  const bool is_large = rows * columns >= in_place_matrix_least / static_cast<std::int64_t>(limits.element_bytes);
  if (limits.device.is_host && (asks || is_large)) {
    const InPlacePlan plan = plan_chunks(limits, rows, columns);
    if (asks || plan.workspace_bytes <= limits.batch_bytes) return plan;
  }
  const InPlacePlan passes = plan_cheaper_passes(limits, rows, columns);
  const bool lines_suffice = passes.workspace_bytes == 0 && lines_may_suffice(limits, rows, columns);
  if (!limits.device.is_host && is_large && can_be_blocks && !lines_suffice) {
    const double cost = in_place_cost(limits, in_place_shape(passes.variant, rows, columns), passes);
    if (block_cost(limits, blocks, rows, columns) < lines_to_blocks * cost) {
      return plan_blocks(limits, blocks, rows, columns);
    }
  }
  return passes;
}

/// Of a rows x columns matrix, or of batches of square ones.
inline InPlacePlan make_in_place_plan(const DeviceLimits& device, std::int64_t rows, std::int64_t columns,
                                      std::size_t element_bytes, const InPlaceOptions& options,
                                      std::int64_t batches = 1) {
  constexpr std::string_view function = "tessera::transpose_in_place";
  require_league_size(function, options.league_size);
  require_team_size(function, options.team_size, device.is_host ? device.concurrency : 1024);
  const bool is_automatic = options.variant == InPlaceVariant::automatic;
  const bool swaps = options.variant == InPlaceVariant::swapped_tiles;
  TESSERA_REQUIRE_ARGUMENT(!swaps || rows == columns, function, "options",
                           "variant swapped_tiles for " + std::to_string(rows) + " x " + std::to_string(columns),
                           "a square matrix, or variant c2r or r2c", "automatic takes what the shape allows");
  TESSERA_REQUIRE_ARGUMENT(device.is_host || options.variant != InPlaceVariant::chunks, function, "options",
                           "variant chunks on a device", "variant c2r or r2c",
                           "automatic takes what the machine allows");
  std::size_t batch_bytes =
      options.batch_bytes != 0 ? options.batch_bytes : in_place_batch_bytes(std::max(rows, columns));
  if (options.batch_bytes == 0 && device.is_host) {
    batch_bytes = std::max(batch_bytes, in_place_host_batch_bytes(rows * columns, element_bytes));
  }
  const InPlaceLimits limits{device, element_bytes, batch_bytes, options.team_size};
  InPlacePlan plan{.variant = is_automatic ? InPlaceVariant::c2r : options.variant};
  if (rows == columns && (is_automatic || swaps)) {
    plan = plan_swapped_tiles(limits, rows, batches);
  } else if (rows > 1 && columns > 1) {
    plan = plan_any_shape(limits, options.variant, rows, columns);
  }
  if (rows <= 1 || columns <= 1 || batches == 0) plan.passes = 0;
  if (options.league_size != 0) plan.league_size = options.league_size;
  plan.bytes_moved = 2 * static_cast<std::uint64_t>(plan.passes) * static_cast<std::uint64_t>(batches * rows) *
                     static_cast<std::uint64_t>(columns) * element_bytes;
  return plan;
}

}  // namespace detail

/// The plan that transpose_in_place() will follow for a matrix of rows x columns elements of T. Pure: it launches and
/// allocates nothing.
/// \throws InvalidArgument for sizes of league or team that cannot be, and variant swapped_tiles where rows != columns.
template <class T, ExecutionSpace Space>
InPlacePlan in_place_plan(const Space& space, std::uint64_t rows, std::uint64_t columns,
                          const InPlaceOptions& options = {}) {
  return detail::make_in_place_plan(detail::device_limits(space), static_cast<std::int64_t>(rows),
                                    static_cast<std::int64_t>(columns), sizeof(T), options);
}

}  // namespace tessera

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans of an in-place transpose by shuffled lines, by tiles that are swapped, and by chunks.
#ifndef TESSERA_TRANSPOSE_DETAIL_IN_PLACE_LINE_PLAN_HPP
#define TESSERA_TRANSPOSE_DETAIL_IN_PLACE_LINE_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/transpose/detail/in_place_layout.hpp>
#include <tessera/transpose/detail/in_place_square.hpp>
#include <tessera/transpose/in_place_options.hpp>
#include <tessera/transpose/in_place_plan.hpp>

namespace tessera::detail {

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
  const SwappedTile tile = swapped_tile(limits.device.is_host, extent, limits.element_bytes);
  plan.team_size = planned_team_size(limits, tile.team_size);
  plan.tile_rows = plan.tile_columns = tile.rows;
  plan.passes = 1;
  plan.scratch_bytes = swapped_scratch_bytes(tile.rows, limits.element_bytes);
  const int bits = swapped_block_bits(tile.rows, extent);
  const std::int64_t blocks = ceil_div(extent, tile.rows << bits);
  plan.league_size = tile_league(limits.device, swapped_pairs(blocks, bits) * batches);
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

}  // namespace tessera::detail

#endif

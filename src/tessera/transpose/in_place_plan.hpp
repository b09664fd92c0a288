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
#include <tessera/transpose/detail/in_place_square.hpp>
#include <tessera/transpose/in_place_options.hpp>

namespace tessera {

/// Where a pass holds its lines while their elements change places.
enum class LineMemory {
  none,       ///< no such pass
  scratch,    ///< team scratch: one kernel for all lines
  workspace,  ///< batches of lines: a kernel each, which also brings the next batch
};

constexpr std::string_view to_string(LineMemory memory) {
  switch (memory) {
    case LineMemory::none:
      return "none";
    case LineMemory::scratch:
      return "scratch";
    case LineMemory::workspace:
      break;
  }
  return "workspace";
}

/// How the passes over one kind of lines hold them.
struct LinePlan {
  LineMemory memory = LineMemory::none;
  std::int64_t batch = 0;  ///< lines that a team holds in scratch, or a buffer of the workspace
  int buffers = 0;         ///< 2: one batch is written back while the next is fetched
  bool operator==(const LinePlan&) const = default;
};

/// Rows and columns are those of the matrix as the passes see it: with c2r its extents, with r2c these exchanged.
struct InPlacePlan {
  InPlaceVariant variant = InPlaceVariant::swapped_tiles;
  int league_size = 1;  ///< most teams of a kernel
  int team_size = 1;
  int vector_length = 1;
  int tile_rows = 1;     ///< of swapped tiles, or of passes over columns
  int tile_columns = 1;  ///< likewise
  LinePlan rows{}, columns{};
  int passes = 0;                   ///< each reads and writes the whole matrix once in main memory
  std::uint64_t bytes_moved = 0;    ///< by all passes, in main memory
  std::size_t scratch_bytes = 0;    ///< level 0, a team, of the kernel that needs most
  std::size_t workspace_bytes = 0;  ///< device memory besides the matrix
  bool operator==(const InPlacePlan&) const = default;
};

inline std::string to_string(const LinePlan& lines) {
  return std::string(to_string(lines.memory)) + " " + std::to_string(lines.buffers) + " x " +
         std::to_string(lines.batch);
}

inline std::string to_string(const InPlacePlan& plan) {
  return std::string(to_string(plan.variant)) + " league " + std::to_string(plan.league_size) + " team " +
         std::to_string(plan.team_size) + " vector " + std::to_string(plan.vector_length) + " tile " +
         std::to_string(plan.tile_rows) + " x " + std::to_string(plan.tile_columns) + " rows " + to_string(plan.rows) +
         " columns " + to_string(plan.columns) + " passes " + std::to_string(plan.passes) + " moved " +
         std::to_string(plan.bytes_moved) + " B scratch " + std::to_string(plan.scratch_bytes) + " B workspace " +
         std::to_string(plan.workspace_bytes) + " B";
}

namespace detail {

/// It and what streams past it stay in the second-level cache of today's large GPUs.
inline constexpr std::size_t in_place_batch_bytes = std::size_t{32} << 20;
/// What a team stages at a time where it may choose.
inline constexpr std::size_t in_place_tile_bytes = std::size_t{16} << 10;
/// Of a row, in passes over columns: whole cache lines. Less than the least wastes memory traffic.
inline constexpr std::size_t in_place_segment_bytes = 128;
inline constexpr std::size_t in_place_segment_least = 32;
inline constexpr std::size_t in_place_buffer_alignment = 256;
inline constexpr std::int64_t in_place_chunk_bytes = 64 << 10;

/// The decomposition of Catanzaro, Keller and Garland: m x n, c = gcd(m, n), a = m / c, b = n / c.
struct InPlaceShape {
  std::int64_t m, n, c, a, b;
};

inline InPlaceShape in_place_shape(InPlaceVariant variant, std::int64_t rows, std::int64_t columns) {
  const std::int64_t m = variant == InPlaceVariant::c2r ? rows : columns;
  const std::int64_t n = variant == InPlaceVariant::c2r ? columns : rows;
  const std::int64_t c = std::gcd(m, n);
  return {m, n, c, m / c, n / c};
}

struct InPlaceLimits {
  DeviceLimits device;
  std::size_t element_bytes, batch_bytes;

  [[nodiscard]] bool fits_scratch(std::size_t bytes) const { return scratch_request(bytes) <= device.scratch_bytes; }
  [[nodiscard]] bool is_oversize(std::int64_t line) const {
    return static_cast<std::size_t>(line) * element_bytes > batch_bytes / 2;
  }
};

/// Rows in scratch are swizzled within groups of 32 elements.
constexpr std::size_t row_scratch_bytes(std::int64_t elements, std::size_t element_bytes) {
  return static_cast<std::size_t>(ceil_div(elements, 32) * 32) * element_bytes;
}

/// Columns in scratch: their elements, the row map, the columns' shifts.
KOKKOS_INLINE_FUNCTION std::size_t column_scratch_bytes(std::int64_t m, int width, std::size_t element_bytes) {
  ScratchLayout layout;
  layout.append<std::byte>(static_cast<std::size_t>(m * width) * element_bytes);
  layout.append<std::int32_t>(static_cast<std::size_t>(m));
  layout.append<std::int32_t>(static_cast<std::size_t>(width));
  return layout.bytes();
}

/// A tile of columns in the workspace: its elements, then the rows' map or the columns' shifts.
KOKKOS_INLINE_FUNCTION std::size_t column_tile_scratch_bytes(int tile_rows, int tile_columns,
                                                             std::size_t element_bytes) {
  ScratchLayout layout;
  layout.append<std::byte>(static_cast<std::size_t>(tile_rows * tile_columns) * element_bytes);
  layout.append<std::int64_t>(static_cast<std::size_t>(tile_rows > tile_columns ? tile_rows : tile_columns));
  return layout.bytes();
}

/// Pieces of a row in the workspace, one a team: long enough that what it reads across is read again from its cache.
KOKKOS_INLINE_FUNCTION constexpr std::int64_t row_chunks(std::int64_t n, std::size_t element_bytes) {
  return ceil_div(n * static_cast<std::int64_t>(element_bytes), in_place_chunk_bytes);
}

/// Batches of lines in two buffers; in one where all fit it, or a single line exceeds it.
inline LinePlan workspace_lines(const InPlaceLimits& limits, std::int64_t lines, std::int64_t length, int multiple) {
  if (limits.is_oversize(length)) return {LineMemory::workspace, 1, 1};
  const std::size_t line_bytes = static_cast<std::size_t>(length) * limits.element_bytes;
  const auto batch = static_cast<std::int64_t>(limits.batch_bytes / 2 / line_bytes);
  if (batch >= lines) return {LineMemory::workspace, lines, 1};
  return {LineMemory::workspace, batch > multiple ? batch / multiple * multiple : batch, 2};
}

/// Of one buffer.
KOKKOS_INLINE_FUNCTION constexpr std::size_t buffer_bytes(std::int64_t elements, std::size_t element_bytes) {
  return (static_cast<std::size_t>(elements) * element_bytes + in_place_buffer_alignment - 1) /
         in_place_buffer_alignment * in_place_buffer_alignment;
}

inline std::size_t workspace_bytes(const InPlaceLimits& limits, const LinePlan& lines, std::int64_t length) {
  return static_cast<std::size_t>(lines.buffers) * buffer_bytes(lines.batch * length, limits.element_bytes);
}

inline void plan_rows(const InPlaceLimits& limits, const InPlaceShape& shape, InPlacePlan& plan) {
  const std::size_t bytes = row_scratch_bytes(shape.n, limits.element_bytes);
  if (!limits.fits_scratch(bytes)) {
    plan.rows = workspace_lines(limits, shape.m, shape.n, 1);
    plan.workspace_bytes = std::max(plan.workspace_bytes, workspace_bytes(limits, plan.rows, shape.n));
    return;
  }
  const auto rows = static_cast<std::int64_t>(in_place_tile_bytes / limits.element_bytes) / shape.n;
  plan.rows = {LineMemory::scratch, std::clamp<std::int64_t>(rows, 1, shape.m), 0};
  plan.scratch_bytes = std::max(plan.scratch_bytes, row_scratch_bytes(plan.rows.batch * shape.n, limits.element_bytes));
}

/// Columns of a tile, a power of two: a segment's worth of them, at most what holds all columns.
inline int column_tile_width(std::size_t segment_bytes, std::int64_t columns, std::size_t element_bytes) {
  const std::uint64_t segment = std::max<std::size_t>(1, segment_bytes / std::bit_ceil(element_bytes));
  return static_cast<int>(std::min(segment, std::bit_ceil(static_cast<std::uint64_t>(columns))));
}

inline void plan_columns(const InPlaceLimits& limits, const InPlaceShape& shape, InPlacePlan& plan) {
  const std::size_t bytes = limits.element_bytes;
  const int widest = column_tile_width(in_place_segment_bytes, shape.n, bytes);
  const int narrowest = column_tile_width(in_place_segment_least, shape.n, bytes);
  int width = widest;
  while (width >= narrowest && !limits.fits_scratch(column_scratch_bytes(shape.m, width, bytes))) width /= 2;
  if (width >= narrowest) {
    plan.columns = {LineMemory::scratch, width, 0};
    plan.tile_rows = static_cast<int>(shape.m);
    plan.tile_columns = width;
    plan.scratch_bytes = std::max(plan.scratch_bytes, column_scratch_bytes(shape.m, width, bytes));
    return;
  }
  plan.columns = workspace_lines(limits, shape.n, shape.m, widest);
  plan.tile_columns = column_tile_width(in_place_segment_bytes, plan.columns.batch, bytes);
  plan.tile_rows = static_cast<int>(in_place_tile_bytes / std::bit_ceil(bytes)) / plan.tile_columns;
  plan.scratch_bytes =
      std::max(plan.scratch_bytes, column_tile_scratch_bytes(plan.tile_rows, plan.tile_columns, bytes));
  plan.workspace_bytes = std::max(plan.workspace_bytes, workspace_bytes(limits, plan.columns, shape.m));
}

/// About the time of as many passes at full speed, to choose by. The scatter of c2r writes parts of sectors to the
/// workspace, where the gather of r2c reads through caches.
inline double in_place_cost(const InPlaceLimits& limits, const InPlaceShape& shape, const InPlacePlan& plan) {
  const double scattered = plan.variant == InPlaceVariant::c2r ? 5 : 3;
  const double row = plan.rows.memory == LineMemory::scratch ? 1 : scattered * (limits.is_oversize(shape.n) ? 2 : 1);
  const double segment = static_cast<double>(plan.columns.batch) * static_cast<double>(limits.element_bytes);
  const double narrow = std::max(1.0, static_cast<double>(in_place_segment_bytes) / segment);
  const double column = plan.columns.memory == LineMemory::scratch
                            ? std::min(1.5, narrow)
                            : 1.5 * narrow * (limits.is_oversize(shape.m) ? 2 : 1);
  return row + (shape.c > 1 ? 2 : 1) * column;
}

/// Tiles of the kernel that has most.
inline std::int64_t pass_tiles(const InPlaceLimits& limits, const InPlaceShape& shape, const InPlacePlan& plan) {
  const std::int64_t row_tiles = plan.rows.memory == LineMemory::scratch
                                     ? ceil_div(shape.m, plan.rows.batch)
                                     : plan.rows.batch * row_chunks(shape.n, limits.element_bytes);
  const bool in_scratch = plan.columns.memory == LineMemory::scratch;
  const std::int64_t column_tiles =
      ceil_div(in_scratch ? shape.n : plan.columns.batch, plan.tile_columns) * ceil_div(shape.m, plan.tile_rows);
  return std::max(plan.rows.buffers == 2 ? 2 * row_tiles : row_tiles,
                  plan.columns.buffers == 2 ? 2 * column_tiles : column_tiles);
}

inline InPlacePlan plan_passes(const InPlaceLimits& limits, InPlaceVariant variant, std::int64_t rows,
                               std::int64_t columns) {
  const InPlaceShape shape = in_place_shape(variant, rows, columns);
  InPlacePlan plan{.variant = variant};
  plan_rows(limits, shape, plan);
  plan_columns(limits, shape, plan);
  plan.passes = shape.c > 1 ? 3 : 2;
  plan.league_size = tile_league(limits.device, pass_tiles(limits, shape, plan));
  return plan;
}

inline InPlacePlan plan_cheaper_passes(const InPlaceLimits& limits, std::int64_t rows, std::int64_t columns) {
  const InPlacePlan c2r = plan_passes(limits, InPlaceVariant::c2r, rows, columns);
  const InPlacePlan r2c = plan_passes(limits, InPlaceVariant::r2c, rows, columns);
  const auto cost = [&](const InPlacePlan& plan) {
    return in_place_cost(limits, in_place_shape(plan.variant, rows, columns), plan);
  };
  return cost(c2r) < cost(r2c) ? c2r : r2c;
}

inline InPlacePlan plan_swapped_tiles(const InPlaceLimits& limits, std::int64_t extent, std::int64_t batches) {
  InPlacePlan plan;
  plan.tile_rows = plan.tile_columns = swapped_tile(limits.device.is_host, limits.element_bytes);
  plan.passes = 1;
  plan.scratch_bytes = swapped_scratch_bytes(plan.tile_rows, limits.element_bytes);
  const std::int64_t tiles = ceil_div(extent, plan.tile_rows);
  plan.league_size = tile_league(limits.device, tiles * (tiles + 1) / 2 * batches);
  return plan;
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
  require_argument(!swaps || rows == columns, function, "options",
                   "variant swapped_tiles for " + std::to_string(rows) + " x " + std::to_string(columns),
                   "a square matrix, or variant c2r or r2c", "automatic takes what the shape allows");
  const InPlaceLimits limits{device, element_bytes,
                             options.batch_bytes != 0 ? options.batch_bytes : in_place_batch_bytes};
  InPlacePlan plan{.variant = is_automatic ? InPlaceVariant::c2r : options.variant};
  if (rows == columns && (is_automatic || swaps)) {
    plan = plan_swapped_tiles(limits, rows, batches);
  } else if (rows > 1 && columns > 1) {
    plan =
        is_automatic ? plan_cheaper_passes(limits, rows, columns) : plan_passes(limits, options.variant, rows, columns);
  }
  if (rows <= 1 || columns <= 1 || batches == 0) plan.passes = 0;
  plan.team_size = options.team_size != 0 ? options.team_size : device.is_host ? 1 : in_place_team_size;
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

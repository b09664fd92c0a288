// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a transpose is mapped to teams: data, from a pure host function.
#ifndef TESSERA_TRANSPOSE_TRANSPOSE_PLAN_HPP
#define TESSERA_TRANSPOSE_TRANSPOSE_PLAN_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/host_stream.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/transpose/detail/packed_tile.hpp>
#include <tessera/transpose/detail/permute_shape.hpp>
#include <tessera/transpose/detail/run_tables.hpp>
#include <tessera/transpose/detail/sector_shift.hpp>
#include <tessera/transpose/detail/tile_tables.hpp>
#include <tessera/transpose/transpose_options.hpp>

namespace tessera {

struct TransposePlan {
  TransposeVariant variant = TransposeVariant::padded;
  int league_size = 1;
  int team_size = 1;
  int vector_length = 1;
  int access_bytes = 1;           ///< of the widest access to memory
  int tile_rows = 1;              ///< of packed and naive tiles: their elements over tile_columns
  int tile_columns = 1;           ///< elements next to each other in the input
  int pad = 0;                    ///< unused columns of a tile in scratch
  std::size_t scratch_bytes = 0;  ///< level 0, a team
  bool streamed = false;          ///< a host writes past its caches
  bool operator==(const TransposePlan&) const = default;
};

inline std::string to_string(const TransposePlan& plan) {
  return std::string(to_string(plan.variant)) + " league " + std::to_string(plan.league_size) + " team " +
         std::to_string(plan.team_size) + " vector " + std::to_string(plan.vector_length) + " access " +
         std::to_string(plan.access_bytes) + " B tile " + std::to_string(plan.tile_rows) + " x " +
         std::to_string(plan.tile_columns) + " pad " + std::to_string(plan.pad) + " scratch " +
         std::to_string(plan.scratch_bytes) + " B" + (plan.streamed ? " streamed" : "");
}

namespace detail {

// Measured on an H200: taller tiles write longer segments, and 32 columns are a warp's read.
inline constexpr int transpose_tile_rows = 64;
inline constexpr int transpose_tile_columns = 32;
inline constexpr int transpose_pad = 1;
inline constexpr int transpose_team_size = 256;
/// Of tiled and padded, on a GPU multiprocessor.
inline constexpr int transpose_teams_at_once = 6;
/// Of those that move what they write to boundaries of sectors (measured: 64 rows keep too few loads under way).
inline constexpr int transpose_sector_tile_rows = 128;
inline constexpr int transpose_sector_teams_at_once = 4;
/// Axes beside the two of the tile that tiled, padded and swizzled take: those of rank 8.
inline constexpr int transpose_batch_max = 6;

KOKKOS_INLINE_FUNCTION constexpr std::size_t transpose_scratch_bytes(int tile_rows, std::size_t element_bytes) {
  return static_cast<std::size_t>(tile_rows * (transpose_tile_columns + transpose_pad)) * element_bytes;
}

/// Rows of a tile. Host teams have 32 KiB of scratch, which one of 16-byte elements exceeds.
constexpr int transpose_tile_height(bool is_host, std::size_t element_bytes) {
  return is_host && element_bytes > 8 ? transpose_tile_rows / 2 : transpose_tile_rows;
}

/// What a GPU's memory moves at once.
inline constexpr std::uintptr_t sector_bytes = 32;

/// Elements of a sector where tiled and padded may write segments that begin on its boundaries, whatever the output's
/// rows do: teams then share no sector. They read so many rows more. 0: sizes that do not gain from it.
constexpr int sector_length(bool is_host, std::size_t out_bytes) {
  return !is_host && (out_bytes == 4 || out_bytes == 8) ? static_cast<int>(sector_bytes / out_bytes) : 0;
}

/// Elements of an access on both sides. Powers of two alone: others have no wide access.
constexpr int swizzle_width(std::size_t in_bytes, std::size_t out_bytes) {
  const std::size_t larger = in_bytes > out_bytes ? in_bytes : out_bytes;
  if (!std::has_single_bit(in_bytes) || !std::has_single_bit(out_bytes) || larger > 8) return 1;
  return larger == 8 ? 2 : 4;
}

/// A tile of variant swizzled in accesses: row_words x column_words of them, 256 threads.
struct SwizzleShape {
  int width, row_words, column_words;
  [[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr int rows() const { return width * row_words; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr int columns() const { return width * column_words; }
};

/// Segments of at least 128 bytes are written, of 512 read where accesses are wide.
constexpr SwizzleShape swizzle_shape(std::size_t in_bytes, std::size_t out_bytes) {
  const int width = swizzle_width(in_bytes, out_bytes);
  const int access = width * static_cast<int>(out_bytes);
  return {width, width == 4 ? 128 / access : width == 2 ? 16 : 32, 32};
}

/// Bytes of the elements that hosts stream: of others, turning them is what takes the time.
constexpr bool is_streamed_size(std::size_t out_bytes) { return out_bytes == 4 || out_bytes == 8; }

/// A tile of variant swizzled on hosts that stream, and what of it stands in scratch.
struct StreamedTile {
  int rows, columns;
  std::size_t scratch_bytes;
};

/// Lines of the output, down the input. Measured on a Zen 5: more of them where they go through scratch, whose last
/// one is read twice; few where they do not, against conflicts in the caches of rows that are powers of two apart.
constexpr StreamedTile streamed_tile(std::size_t out_bytes, bool on_lines) {
  const int lines = on_lines ? 4 : 8, columns = on_lines ? 64 : 48;
  return {lines * stream_line / static_cast<int>(out_bytes), columns,
          static_cast<std::size_t>((lines + 1) * columns * stream_line + stream_line)};
}

/// The axes that a matrix tile lies along: the fastest of the output, and the fastest of the input or another one.
struct MatrixAxes {
  int row = -1, column = -1;  // -1: an extent of one
};

inline MatrixAxes matrix_axes(const PermuteShape& shape) {
  if (shape.rank == 0) return {};
  const MatrixAxes axes{shape.rank - 1, in_order(shape).axes[0]};
  return axes.row != axes.column ? axes : MatrixAxes{shape.rank - 2, axes.column};
}

/// What a plan is made for.
struct TransposeProblem {
  PermuteShape shape;
  std::size_t in_bytes = 1, out_bytes = 1;         // of an element that moves as a whole
  std::uintptr_t in_address = 0, out_address = 0;  // in bytes
  bool operator==(const TransposeProblem&) const = default;
};

/// Whether all rows of both sides begin on boundaries of an access.
inline bool can_swizzle(const TransposeProblem& problem) {
  const PermuteShape& shape = problem.shape;
  const MatrixAxes matrix = matrix_axes(shape);
  const auto width = static_cast<std::uintptr_t>(swizzle_width(problem.in_bytes, problem.out_bytes));
  if (matrix.row < 0 || shape.axes[matrix.row].out_stride != 1 || shape.axes[matrix.column].in_stride != 1)
    return false;
  std::uintptr_t bits = problem.in_address / problem.in_bytes | problem.out_address / problem.out_bytes;
  for (int d = 0; d < shape.rank; ++d) {
    if (d != matrix.column) bits |= static_cast<std::uintptr_t>(shape.axes[d].in_stride);
    if (d != matrix.row) bits |= static_cast<std::uintptr_t>(shape.axes[d].out_stride);
  }
  return bits % width == 0;
}

/// Whether rows of the output are longer than a tile, of elements that are turned in vectors and do not straddle lines.
inline bool can_stream(const TransposeProblem& problem) {
  const MatrixAxes matrix = matrix_axes(problem.shape);
  if (matrix.row < 0 || !is_streamed_size(problem.out_bytes)) return false;
  const PermuteAxis& row = problem.shape.axes[matrix.row];
  return row.out_stride == 1 && problem.out_address % problem.out_bytes == 0 &&
         row.extent >= streamed_tile(problem.out_bytes, false).rows;
}

/// Whether all rows of the output begin on boundaries of so many bytes.
inline bool rows_begin_on(const TransposeProblem& problem, std::uintptr_t bytes) {
  const int row = matrix_axes(problem.shape).row;
  std::uintptr_t bits = problem.out_address;
  for (int d = 0; d < problem.shape.rank; ++d) {
    if (d != row) bits |= static_cast<std::uintptr_t>(problem.shape.axes[d].out_stride) * problem.out_bytes;
  }
  return bits % bytes == 0;
}

/// Whether tiled and padded move the segments that they write to boundaries of sectors.
inline bool moves_to_sectors(const DeviceLimits& limits, const TransposeProblem& problem) {
  const int row = matrix_axes(problem.shape).row;
  return sector_length(limits.is_host, problem.out_bytes) > 0 && row >= 0 && problem.shape.axes[row].out_stride == 1 &&
         problem.shape.axes[row].extent >= 4 * transpose_sector_tile_rows && !rows_begin_on(problem, sector_bytes);
}

/// Elements of a thread, and teams at once that have the registers for them and their places.
constexpr int packed_slots(std::size_t in_bytes, std::size_t out_bytes, bool wide_offsets) {
  return wide_offsets || in_bytes > 8 || out_bytes > 8 ? 8 : 12;
}
constexpr int packed_teams_at_once(std::size_t out_bytes) { return out_bytes > 4 ? 2 : 3; }
inline constexpr int packed_team_size = 256;
/// Elements of a tile that goes through registers.
inline constexpr std::int64_t packed_volume_max = 4096;
/// Bytes of a tile in scratch, gaps apart: places there have 16 bits.
inline constexpr std::size_t packed_stage_bytes = 32768;
/// Bytes of a host's tile: it stays in the first cache beside its output.
inline constexpr std::size_t packed_host_bytes = 8192;
/// Of a matrix that a host turns in blocks.
inline constexpr std::int64_t packed_host_side = 16;

/// Of a tile that goes to scratch by asynchronous copies: teams at once, the scratch of all of them, and what such a
/// tile may be expected to cost, as a share of one that goes through registers (measured on an H100).
inline constexpr int packed_runs_teams_at_once = 4;
inline constexpr std::size_t packed_runs_teams_scratch = std::size_t{188} << 10;
inline constexpr double packed_runs_cost_max = 0.86;
/// Bytes of an output from which on caches do not help two tiles that write a sector.
inline constexpr double packed_uncached_bytes = 512 << 20;

/// A plan, and the tile of variants packed and naive.
struct TransposeChoice {
  TransposePlan plan;
  PackedTile tile;
  TileRuns runs{};  // of a tile that goes to scratch by asynchronous copies
  StagedOrder order;
  TileTables tables{};
  bool wide_offsets = false, direct = false;  // direct: elements do not go through scratch
};

/// Whether offsets within the tile, its runs moved to sectors or not, need 64 bits.
inline bool has_wide_offsets(const PermuteShape& shape, const PackedTile& tile) {
  std::int64_t in = 0, out = 0;
  for (int d = 0; d < shape.rank; ++d) {
    const std::int64_t extent = tile.extents[static_cast<std::size_t>(d)];
    constexpr std::int64_t moved_max = 7;
    const std::int64_t along = extent - 1 + (extent > 1 && extent < shape.axes[d].extent ? moved_max : 0);
    in += along * shape.axes[d].in_stride;
    out += along * shape.axes[d].out_stride;
  }
  return in >> 32 != 0 || out >> 32 != 0;
}

inline std::int64_t packed_tiles(const PermuteShape& shape, const PackedTile& tile) {
  std::int64_t tiles = 1;
  for (int d = 0; d < shape.rank; ++d)
    tiles *= ceil_div(shape.axes[d].extent, tile.extents[static_cast<std::size_t>(d)]);
  return tiles;
}

/// Tiles have 32-bit numbers: they are thousands of elements each, where the extents are not made for a slow variant.
inline void require_tiles(std::string_view function, std::int64_t tiles) {
  TESSERA_REQUIRE_ARGUMENT(tiles >> 31 == 0, function, "options", std::to_string(tiles) + " tiles", "fewer than 2^31",
                           "let automatic choose the variant");
}

/// Elements that a warp writes together where threads follow the input's runs, so many elements long: runs that begin
/// anywhere share sectors between all its accesses (measured on an H100: 0.58 of a copy, against 0.9 on boundaries).
inline std::int64_t written_directly(const TransposeProblem& problem, std::int64_t run) {
  std::size_t bits = 0;
  for (int d = 0; d < problem.shape.rank; ++d) {
    const PermuteAxis& axis = problem.shape.axes[d];
    if (axis.in_stride != 1) bits |= static_cast<std::size_t>(axis.in_stride) * problem.in_bytes;
    if (axis.out_stride != 1) bits |= static_cast<std::size_t>(axis.out_stride) * problem.out_bytes;
  }
  return bits % sector_bytes == 0 ? run : std::min<std::int64_t>(run, 32);
}

/// Takes a larger tile that goes to scratch by asynchronous copies, where there is one that costs less than the tile
/// chosen before, of whose runs so many elements are written together.
inline void plan_runs(const DeviceLimits& limits, const TransposeProblem& problem, std::int64_t written,
                      TransposeChoice& choice) {
  const PermuteShape& shape = problem.shape;
  const std::size_t bytes = problem.in_bytes;
  if ((bytes != 4 && bytes != 8 && bytes != 16) || problem.in_address % bytes != 0) return;
  const std::int64_t sector = sector_length(false, problem.out_bytes);
  const auto address = static_cast<std::int64_t>(problem.out_address / problem.out_bytes);
  const std::size_t scratch = limits.shared_scratch(packed_runs_teams_scratch, packed_runs_teams_at_once);
  const double out_bytes = static_cast<double>(shape.units()) * static_cast<double>(problem.out_bytes);
  const double shared_write = packed_tile::shared_write * (1 + std::min(1.0, out_bytes / packed_uncached_bytes));
  const auto element_bytes = static_cast<std::int64_t>(bytes);
  constexpr std::size_t tables_bytes = sizeof(TileTables) + tile_bases_ahead * sizeof(ShiftedBases) + 8 * packed_bytes;
  const auto cost_of = [&](const PackedTile& tile) {
    if (tile.in_run == 1 || tile.out_run == 1) return 0.0;
    const std::int64_t runs = tile.volume / tile.in_run + tile.volume / tile.out_run;
    const auto taken = static_cast<std::size_t>(tile.in_run + 2 * tile.out_run + tile.volume * element_bytes) +
                       static_cast<std::size_t>(runs) * sizeof(RunPlace) + tables_bytes;
    if (taken > scratch) return 0.0;
    const bool to_sectors = shift_plan(shape, tile, sector, address).axis >= 0;
    return packed_tile::cost(shape, tile, bytes, problem.out_bytes,
                             to_sectors ? packed_tile::sector_write : shared_write);
  };
  PackedTile before = choice.tile;
  before.out_run = std::min(before.out_run, written);
  const double cost_max =
      packed_runs_cost_max * packed_tile::cost(shape, before, bytes, problem.out_bytes, shared_write);
  const auto volume_max = static_cast<std::int64_t>(scratch / bytes);
  const CostedTile best = choose_packed_tile(shape, std::min(volume_max, tile_volume_max), true, cost_of);
  if (best.cost == 0 || best.cost > cost_max || has_wide_offsets(shape, best.tile)) return;
  const bool to_sectors = shift_plan(shape, best.tile, sector, address).axis >= 0;
  const TileTables tables = tile_tables(shape, best.tile, run_order(shape, best.tile, to_sectors), sector, address);
  const StagedOrder order = staged_order(tables, bytes);
  const TileRuns runs = tile_runs(best.tile, tables);
  const bool fills = tiles_of(tables) >= std::int64_t{2} * packed_runs_teams_at_once * multiprocessors(limits);
  if (!fills || run_pieces(runs, order, bytes).bytes > scratch) return;
  choice.tile = best.tile;
  choice.tables = tables;
  choice.order = order;
  choice.runs = runs;
  choice.wide_offsets = choice.direct = false;
}

inline void plan_packed(std::string_view function, const DeviceLimits& limits, const TransposeProblem& problem,
                        TransposeChoice& choice) {
  const PermuteShape& shape = problem.shape;
  TransposePlan& plan = choice.plan;
  const bool sizes_team = plan.team_size == 0;
  if (sizes_team) plan.team_size = limits.is_host ? 1 : packed_team_size;
  const std::size_t larger = std::max(problem.in_bytes, problem.out_bytes);
  const auto choose = [&](bool wide) {
    std::int64_t fits = static_cast<std::int64_t>((limits.is_host ? packed_host_bytes : packed_stage_bytes) / larger);
    if (!limits.is_host) {
      fits = std::min(fits, std::int64_t{packed_slots(problem.in_bytes, problem.out_bytes, wide)} * plan.team_size);
    }
    const std::int64_t volume_max = std::clamp<std::int64_t>(fits, 1, packed_volume_max);
    const auto cost_of = [&](const PackedTile& tile) {
      return packed_tile::cost(shape, tile, problem.in_bytes, problem.out_bytes, packed_tile::shared_write);
    };
    choice.tile = choose_packed_tile(shape, volume_max, false, cost_of).tile;
    choice.wide_offsets = wide;
  };
  choose(false);
  // Threads that follow the input's runs write whole ones too: scratch would bring nothing.
  const std::int64_t run = kept_run(shape, choice.tile);
  choice.direct = plan.variant == TransposeVariant::naive || run == choice.tile.volume ||
                  run * static_cast<std::int64_t>(problem.out_bytes) >= 128;
  if (has_wide_offsets(shape, choice.tile)) choose(true);
  choice.tables = tile_tables(shape, choice.tile, out_order(shape));
  choice.order = staged_order(choice.tables, problem.out_bytes);
  if (sizes_team && !limits.is_host && plan.variant == TransposeVariant::packed) {
    plan_runs(limits, problem, choice.direct ? written_directly(problem, run) : choice.tile.volume, choice);
  }
  if (sizes_team && !limits.is_host && choice.runs.volume == 0) {
    // No warp more than the tile fills.
    const std::int64_t slots = packed_slots(problem.in_bytes, problem.out_bytes, choice.wide_offsets);
    plan.team_size = std::min<int>(packed_team_size, static_cast<int>(ceil_div(choice.tile.volume, 32 * slots)) * 32);
  }
  plan.tile_columns = static_cast<int>(choice.tile.in_run);
  plan.tile_rows = static_cast<int>(choice.tile.volume / choice.tile.in_run);
  plan.access_bytes = static_cast<int>(problem.in_bytes);
  int teams = packed_teams_at_once(problem.out_bytes);
  if (choice.runs.volume > 0) {
    plan.scratch_bytes = run_pieces(choice.runs, choice.order, problem.in_bytes).bytes;
    teams = packed_runs_teams_at_once;
  } else if (!limits.is_host) {
    plan.scratch_bytes =
        packed_pieces(static_cast<int>(choice.tile.volume), choice.order, problem.out_bytes, choice.direct).bytes;
  }
  const std::int64_t tiles = choice.runs.volume > 0 ? tiles_of(choice.tables) : packed_tiles(shape, choice.tile);
  require_tiles(function, tiles);
  if (plan.league_size == 0) {
    // A team makes many: it finds its threads' places in the tile once.
    const std::int64_t threads = teams * std::int64_t{packed_team_size};
    const std::int64_t at_once = std::max<std::int64_t>(1, threads / plan.team_size) * multiprocessors(limits);
    plan.league_size = limits.is_host ? tile_league(limits, tiles)
                                      : static_cast<int>(std::max<std::int64_t>(1, std::min(tiles, at_once)));
  }
}

/// Whether nearly all tiles along an extent are whole: the others go element by element.
constexpr bool fills_tiles(std::int64_t extent, std::int64_t tile) { return extent % tile == 0 || extent >= 8 * tile; }

inline TransposeVariant automatic_variant(const DeviceLimits& limits, const TransposeProblem& problem) {
  const PermuteShape& shape = problem.shape;
  const MatrixAxes matrix = matrix_axes(shape);
  if (matrix.row != shape.rank - 1 || shape.rank < 2 || shape.rank - 2 > transpose_batch_max)
    return TransposeVariant::packed;
  const std::int64_t rows = shape.axes[matrix.row].extent, columns = shape.axes[matrix.column].extent;
  if (limits.is_host) {
    return rows >= packed_host_side && columns >= packed_host_side ? TransposeVariant::swizzled
                                                                   : TransposeVariant::packed;
  }
  if (can_swizzle(problem)) {
    const SwizzleShape tile = swizzle_shape(problem.in_bytes, problem.out_bytes);
    if (fills_tiles(rows, tile.rows()) && fills_tiles(columns, tile.columns())) return TransposeVariant::swizzled;
  }
  const bool fills = fills_tiles(rows, transpose_tile_rows) && fills_tiles(columns, transpose_tile_columns);
  return fills && shape.axes[matrix.column].in_stride == 1 && shape.axes[matrix.row].out_stride == 1
             ? TransposeVariant::padded
             : TransposeVariant::packed;
}

inline void plan_matrix(std::string_view function, const DeviceLimits& limits, const TransposeProblem& problem,
                        Stores stores, TransposePlan& plan) {
  const PermuteShape& shape = problem.shape;
  const MatrixAxes matrix = matrix_axes(shape);
  const std::int64_t rows = matrix.row < 0 ? 1 : shape.axes[matrix.row].extent;
  const std::int64_t columns = matrix.column < 0 ? 1 : shape.axes[matrix.column].extent;
  const std::uint64_t bytes = static_cast<std::uint64_t>(shape.units()) * problem.out_bytes;
  plan.streamed = plan.variant == TransposeVariant::swizzled && takes_streaming(stores, limits.is_host, bytes) &&
                  can_stream(problem);
  if (plan.streamed) {
    const StreamedTile tile = streamed_tile(problem.out_bytes, rows_begin_on(problem, stream_line));
    plan.tile_rows = tile.rows;
    plan.tile_columns = tile.columns;
    plan.access_bytes = static_cast<int>(problem.in_bytes);
    plan.scratch_bytes = tile.scratch_bytes;
    if (plan.team_size == 0) plan.team_size = 1;
  } else if (plan.variant == TransposeVariant::swizzled) {
    const SwizzleShape tile = swizzle_shape(problem.in_bytes, problem.out_bytes);
    plan.tile_rows = tile.rows();
    plan.tile_columns = tile.columns();
    plan.access_bytes = (!limits.is_host && can_swizzle(problem) ? tile.width : 1) * static_cast<int>(problem.in_bytes);
    if (!limits.is_host)
      plan.scratch_bytes = static_cast<std::size_t>(plan.tile_rows * plan.tile_columns) * problem.out_bytes;
    if (plan.team_size == 0) plan.team_size = limits.is_host ? 1 : transpose_team_size;
  } else {
    const bool to_sectors = moves_to_sectors(limits, problem);
    plan.tile_rows = to_sectors ? transpose_sector_tile_rows : transpose_tile_height(limits.is_host, problem.out_bytes);
    plan.tile_columns = transpose_tile_columns;
    plan.pad = plan.variant == TransposeVariant::tiled ? 0 : transpose_pad;
    plan.access_bytes = static_cast<int>(problem.in_bytes);
    const int below = to_sectors ? sector_length(limits.is_host, problem.out_bytes) : 0;
    plan.scratch_bytes = transpose_scratch_bytes(plan.tile_rows + below, problem.out_bytes);
    if (plan.team_size == 0) plan.team_size = limits.is_host ? 1 : transpose_team_size;
  }
  const std::int64_t tiles =
      shape.units() / (rows * columns) * ceil_div(rows, plan.tile_rows) * ceil_div(columns, plan.tile_columns);
  require_tiles(function, tiles);
  if (plan.league_size == 0) plan.league_size = tile_league(limits, tiles);
}

inline TransposeChoice make_transpose_plan(std::string_view function, const DeviceLimits& limits,
                                           TransposeProblem problem, const TransposeOptions& options) {
  require_league_size(function, options.league_size);
  require_team_size(function, options.team_size, limits.is_host ? limits.concurrency : 1024);
  if (problem.shape.units() == 0) problem.shape.rank = 0;
  TransposeChoice choice;
  choice.plan.variant =
      options.variant == TransposeVariant::automatic ? automatic_variant(limits, problem) : options.variant;
  choice.plan.league_size = options.league_size;
  choice.plan.team_size = options.team_size;
  switch (choice.plan.variant) {
    case TransposeVariant::tiled:
    case TransposeVariant::padded:
    case TransposeVariant::swizzled:
      TESSERA_REQUIRE_ARGUMENT(problem.shape.rank <= transpose_batch_max + 2, function, "options",
                               "variant " + std::string(to_string(choice.plan.variant)) + ", and " +
                                   std::to_string(problem.shape.rank) + " axes that cannot be merged",
                               "automatic, naive or packed", "the others take 8 axes");
      plan_matrix(function, limits, problem, options.stores, choice.plan);
      break;
    default:
      plan_packed(function, limits, problem, choice);
  }
  return choice;
}

}  // namespace detail

}  // namespace tessera

#endif

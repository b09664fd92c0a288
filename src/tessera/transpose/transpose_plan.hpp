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
  int lead_rows = 0;              ///< by which a matrix' first tile begins before it, so that all begin
  int lead_columns = 0;           ///< on boundaries of memory, on both sides
  int pad = 0;                    ///< unused columns of a tile in scratch
  int piece_rows = 0;             ///< of a strip, for a team, 0: a tile's
  std::size_t scratch_bytes = 0;  ///< level 0, a team
  bool streamed = false;          ///< a host writes past its caches
  bool copied = false;            ///< nothing changes places: by Kokkos::deep_copy, without a team
  bool operator==(const TransposePlan&) const = default;
};

inline std::string to_string(const TransposePlan& plan) {
  if (plan.copied) return "copy";
  return std::string(to_string(plan.variant)) + " league " + std::to_string(plan.league_size) + " team " +
         std::to_string(plan.team_size) + " vector " + std::to_string(plan.vector_length) + " access " +
         std::to_string(plan.access_bytes) + " B tile " + std::to_string(plan.tile_rows) + " x " +
         std::to_string(plan.tile_columns) +
         (plan.lead_rows > 0 || plan.lead_columns > 0
              ? " lead " + std::to_string(plan.lead_rows) + " x " + std::to_string(plan.lead_columns)
              : "") +
         (plan.piece_rows > 0 ? " pieces of " + std::to_string(plan.piece_rows) + " rows" : "") + " pad " +
         std::to_string(plan.pad) + " scratch " + std::to_string(plan.scratch_bytes) + " B" +
         (plan.streamed ? " streamed" : "");
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

/// Elements of 4 bytes have square tiles, of 256 bytes on either side, where the matrix has as many rows: 3 to 5 %
/// faster on an H200 than 128 bytes written and 512 read, which the others have, and matrices of fewer rows.
inline constexpr int square_swizzle_rows = 64;

constexpr SwizzleShape swizzle_shape(std::size_t in_bytes, std::size_t out_bytes, std::int64_t rows) {
  const int width = swizzle_width(in_bytes, out_bytes);
  if (width == 4 && out_bytes == 4 && rows >= square_swizzle_rows) return {width, 16, 16};
  const int access = width * static_cast<int>(out_bytes);
  return {width, width == 4 ? 128 / access : width == 2 ? 16 : 32, 32};
}

/// Of variant swizzled where rows of 1- and 2-byte elements begin anywhere: the words of a tile's columns and rows,
/// which scratch just has room for, teams at once on a GPU multiprocessor, and the rows of a piece of a strip (measured
/// on an H100, as the group is: more teams, shorter and longer pieces are slower).
inline constexpr int strip_word_bytes = 4;
inline constexpr int strip_words_down = 32;
inline constexpr int strip_words_across = 31;
inline constexpr int strip_teams_at_once = 4;
inline constexpr int strip_piece_rows = 256;
/// Pieces of a strip that follow each other before those of the next one: more, and strips that are neighbours do not
/// meet in the caches (measured on an H100: all up to 128 of them are best, else 32 to 64).
inline constexpr std::int64_t strip_group = 64;
/// Elements of a word; 0: sizes that are not moved in strips.
constexpr int strip_width(std::size_t in_bytes, std::size_t out_bytes) {
  return in_bytes == out_bytes && (in_bytes == 1 || in_bytes == 2) ? strip_word_bytes / static_cast<int>(in_bytes) : 0;
}
/// Words in scratch of a row, with what lies before and behind it in its sectors, and of a column, with what its last
/// tile left: an odd number.
inline constexpr int strip_sector_words = static_cast<int>(sector_bytes) / strip_word_bytes;
inline constexpr int strip_row_words = strip_words_across + 1 + strip_sector_words;
inline constexpr int strip_column_words = strip_words_down + 1 + strip_sector_words;

/// Pieces of a team's scratch: the rows of a tile, and its columns.
struct StripScratch {
  std::size_t rows, columns, bytes;
};
KOKKOS_INLINE_FUNCTION constexpr StripScratch strip_scratch(int width) {
  const auto bytes = static_cast<std::size_t>(width) * strip_word_bytes;
  const std::size_t rows = bytes * strip_words_down * strip_row_words;
  return {0, rows, rows + bytes * strip_words_across * strip_column_words};
}

/// Bytes of the elements that hosts stream: of longer ones, turning them is what takes the time.
constexpr bool is_streamed_size(std::size_t out_bytes) {
  return out_bytes == 1 || out_bytes == 2 || out_bytes == 4 || out_bytes == 8;
}

/// A tile of variant swizzled on hosts that stream, and what of it stands in scratch.
struct StreamedTile {
  int rows, columns;
  std::size_t scratch_bytes;
};

/// Lines of the output, down the input. Measured on a Zen 5: more of them where they go through scratch, whose last
/// one is read twice; few where they do not, against conflicts in the caches of rows that are powers of two apart.
constexpr StreamedTile streamed_tile(std::size_t out_bytes, bool on_lines) {
  const bool is_short = out_bytes < 4;
  const int lines = on_lines || is_short ? 4 : 8, columns = on_lines || is_short ? 64 : 48;
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
  if (problem.in_address % problem.in_bytes != 0 || problem.out_address % problem.out_bytes != 0) return false;
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

/// The pieces of a strip, each for a team: where sectors straddle them, two of them read the rows of a sector, so that
/// they write none together.
struct StripPieces {
  std::int64_t rows, rows_apart;
  std::uint32_t count, in_group;
};
inline StripPieces strip_pieces(const TransposeProblem& problem) {
  const std::int64_t extent = problem.shape.axes[matrix_axes(problem.shape).row].extent;
  const std::int64_t both =
      rows_begin_on(problem, sector_bytes) ? 0 : static_cast<std::int64_t>(sector_bytes / problem.out_bytes);
  const std::int64_t apart = strip_piece_rows - both,
                     count = extent <= strip_piece_rows ? 1 : ceil_div(extent - both, apart);
  return {strip_piece_rows, apart, static_cast<std::uint32_t>(count),
          static_cast<std::uint32_t>(count <= 2 * strip_group ? count : strip_group)};
}

/// Whether variant swizzled can go down strips.
inline bool can_strip(const DeviceLimits& limits, const TransposeProblem& problem) {
  const MatrixAxes matrix = matrix_axes(problem.shape);
  if (limits.is_host || strip_width(problem.in_bytes, problem.out_bytes) == 0 || matrix.row < 0) return false;
  return problem.shape.axes[matrix.row].out_stride == 1 && problem.shape.axes[matrix.column].in_stride == 1 &&
         problem.in_address % problem.in_bytes == 0 && problem.out_address % problem.out_bytes == 0;
}

/// Whether strips are faster than tiles without wide accesses (measured on an H100): where rows of the output are more
/// than ends of sectors, little of the strips lies beside the matrix, and there is work for a GPU.
inline bool gains_from_strips(const DeviceLimits& limits, const TransposeProblem& problem) {
  constexpr std::int64_t rows_min = 96;
  if (!can_strip(limits, problem)) return false;
  const PermuteShape& shape = problem.shape;
  const MatrixAxes matrix = matrix_axes(shape);
  const std::int64_t rows = shape.axes[matrix.row].extent, columns = shape.axes[matrix.column].extent;
  const int width = strip_width(problem.in_bytes, problem.out_bytes);
  const std::int64_t strips = ceil_div(columns, width * strip_words_across);
  const std::int64_t pieces = shape.units() / (rows * columns) * strips * strip_pieces(problem).count;
  return rows >= rows_min && 16 * strips * strip_words_across <= 15 * columns &&
         4 * pieces >= 5 * std::int64_t{multiprocessors(limits)};
}

/// Whether tiled and padded move the segments that they write to boundaries of sectors.
inline bool moves_to_sectors(const DeviceLimits& limits, const TransposeProblem& problem) {
  const int row = matrix_axes(problem.shape).row;
  return sector_length(limits.is_host, problem.out_bytes) > 0 && row >= 0 && problem.shape.axes[row].out_stride == 1 &&
         problem.shape.axes[row].extent >= 4 * transpose_sector_tile_rows && !rows_begin_on(problem, sector_bytes);
}

/// Tiles have 32-bit numbers: they are thousands of elements each, where the extents are not made for a slow variant.
inline void require_tiles(std::string_view function, std::int64_t tiles) {
  TESSERA_REQUIRE_ARGUMENT(tiles >> 31 == 0, function, "options", std::to_string(tiles) + " tiles", "fewer than 2^31",
                           "let automatic choose the variant");
}

}  // namespace detail

}  // namespace tessera

#endif

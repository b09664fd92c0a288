// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that the plan of an in-place transpose and its kernels share.
#ifndef TESSERA_TRANSPOSE_DETAIL_IN_PLACE_LAYOUT_HPP
#define TESSERA_TRANSPOSE_DETAIL_IN_PLACE_LAYOUT_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tessera/detail/host_stream.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/transpose/in_place_options.hpp>

namespace tessera::detail {

inline constexpr int in_place_team_size = 256;

/// What a team stages at a time where it may choose.
constexpr std::size_t in_place_tile_bytes(bool is_host) { return std::size_t{is_host ? 16U : 32U} << 10; }
/// Their map stands in scratch too.
inline constexpr int in_place_tile_rows_max = 512;
/// Of a row, in passes over columns: whole cache lines. Less than the least wastes memory traffic.
inline constexpr std::size_t in_place_segment_bytes = 128;
inline constexpr std::size_t in_place_segment_least = 32;
inline constexpr std::size_t in_place_buffer_alignment = 256;

/// Where the caller sets no budget. Swept on an H200 from 12 to 128 MiB: of more, less stays in the cache until it is
/// read again; with less, teams wait for each other. The longest lines need more for two buffers of whole sectors.
constexpr std::size_t in_place_batch_bytes(std::int64_t longest_line) {
  const std::size_t usual = std::size_t{32} << 20;
  return 2 * in_place_segment_least * static_cast<std::size_t>(longest_line) > usual ? 2 * usual : usual;
}

/// On hosts at least: chunks have marks, so that the workspace grows with the matrix.
constexpr std::size_t in_place_host_batch_bytes(std::int64_t elements, std::size_t element_bytes) {
  return static_cast<std::size_t>(elements) / 256 * element_bytes;
}

/// Of a row in the workspace, a team's share.
inline constexpr std::int64_t in_place_chunk_bytes = 64 << 10;

/// Rows that registers hold go there from this many bytes on, on an H200.
inline constexpr std::size_t in_place_register_row = 4 << 10;

/// Elements of a row that a thread of a device holds in registers, of 64 that it has.
constexpr int row_registers(std::size_t element_bytes) {
  return static_cast<int>(96 / (element_bytes < 4 ? 4 : element_bytes));
}

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

/// Rows in scratch are swizzled within groups of 32 elements.
KOKKOS_INLINE_FUNCTION constexpr std::size_t row_scratch_bytes(std::int64_t elements, std::size_t element_bytes) {
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

/// What a team needs that draws tiles of batches: what a tile needs, and the number drawn.
KOKKOS_INLINE_FUNCTION std::size_t batch_scratch_bytes(std::size_t tile_bytes) {
  ScratchLayout layout;
  layout.append<std::byte>(tile_bytes);
  layout.append<std::int64_t>(1);
  return layout.bytes();
}

/// At the workspace's begin: the next tile's number, then of each buffer the tiles fetched and those put back.
constexpr std::size_t batch_counts(int buffers) { return static_cast<std::size_t>(1 + 2 * buffers); }
inline constexpr int in_place_buffers_max = 8;
inline constexpr std::size_t batch_count_bytes = in_place_buffer_alignment;
static_assert(batch_counts(in_place_buffers_max) * sizeof(std::int64_t) <= batch_count_bytes);

/// Pieces of a row in the workspace, one a team: long enough that what it reads across is read again from its cache.
KOKKOS_INLINE_FUNCTION constexpr std::int64_t row_chunks(std::int64_t n, std::size_t element_bytes) {
  return ceil_div(n * static_cast<std::int64_t>(element_bytes), in_place_chunk_bytes);
}

/// Of one buffer.
KOKKOS_INLINE_FUNCTION constexpr std::size_t buffer_bytes(std::int64_t elements, std::size_t element_bytes) {
  return (static_cast<std::size_t>(elements) * element_bytes + in_place_buffer_alignment - 1) /
         in_place_buffer_alignment * in_place_buffer_alignment;
}

/// Of a matrix from which on automatic thinks of chunks on hosts, of blocks on devices.
inline constexpr std::int64_t in_place_matrix_least = 1 << 20;
/// Of a matrix below which devices take lines if scratch and registers hold these.
inline constexpr std::uint64_t in_place_lines_most = 16 << 20;
/// Of the bands that one step turns, with chunks.
inline constexpr std::int64_t chunks_step_bytes = 4 << 20;
/// Of a chunk: shorter ones waste memory traffic, longer ones leave threads idle.
inline constexpr std::int64_t chunk_bytes_least = 512;
inline constexpr std::int64_t chunk_bytes_most = 64 << 10;

/// The workspace of a transpose in chunks, in bytes: bands in a ring, columns of which are `pitch` elements apart, then
/// seams, pivots, marks.
struct ChunkSizes {
  std::int64_t pitch, pivot_step;
  std::size_t seams = 0, pivots = 0, marks = 0, total = 0;
};

inline ChunkSizes chunk_sizes(std::int64_t rows, std::int64_t columns, std::int64_t chunk, std::int64_t held,
                              std::size_t element_bytes) {
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  const std::int64_t slots = rows * columns / chunk;
  const std::int64_t pivots_most = std::min<std::int64_t>(held * columns, 1024);
  // A line more than a chunk: columns of a power of two would meet in few sets of the caches.
  ChunkSizes sizes{chunk + ceil_div(stream_line, bytes),
                   static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(ceil_div(slots, pivots_most))))};
  sizes.seams = buffer_bytes(held * columns * sizes.pitch, element_bytes);
  sizes.pivots = sizes.seams + buffer_bytes(columns * chunk, element_bytes);
  sizes.marks = sizes.pivots + buffer_bytes(ceil_div(slots, sizes.pivot_step) * chunk, element_bytes);
  sizes.total = sizes.marks + buffer_bytes(ceil_div(slots, 64), sizeof(std::uint64_t));
  return sizes;
}

/// Columns whose chunks a thread copies together.
constexpr int chunk_group(std::int64_t chunk, std::size_t element_bytes) {
  return static_cast<int>(ceil_div(32 << 10, chunk * static_cast<std::int64_t>(element_bytes)));
}

/// Blocks that are transposed in scratch: rows of an odd pitch, against bank conflicts.
KOKKOS_INLINE_FUNCTION constexpr std::size_t block_scratch_bytes(std::int64_t rows, std::int64_t columns,
                                                                 std::size_t element_bytes) {
  return static_cast<std::size_t>(rows * (columns | 1)) * element_bytes;
}

/// Runs that change places: shorter ones waste memory traffic.
inline constexpr std::size_t in_place_run_least = 128;
/// A piece of a cycle has about so many runs, where the workspace has room for as many cuts.
inline constexpr std::int64_t in_place_piece_runs = 16;

/// A team's list of the pieces that begin at its places, and their number.
inline std::size_t run_scratch_bytes(int team_size) {
  ScratchLayout layout;
  layout.append<std::uint32_t>(static_cast<std::size_t>(team_size));
  layout.append<int>(1);
  return layout.bytes();
}

/// Rows that move together or apart: what a thread holds of a chunk.
inline constexpr int spread_team_size = 512;
constexpr int spread_registers(bool is_host, std::size_t element_bytes) {
  if (is_host) return 1024;
  return static_cast<int>(element_bytes <= 8 ? 16 : 128 / element_bytes);
}
/// The next chunk's number, and a flag for each.
constexpr std::size_t spread_flag_bytes(bool is_host, std::int64_t elements, std::size_t element_bytes) {
  const std::int64_t chunk = std::int64_t{is_host ? 1 : spread_team_size} * spread_registers(is_host, element_bytes);
  return elements == 0 ? 0 : buffer_bytes(1 + ceil_div(elements, chunk), sizeof(std::int32_t));
}

}  // namespace tessera::detail

#endif

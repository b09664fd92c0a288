// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernels of variants packed and naive know of their tile.
#ifndef TESSERA_TRANSPOSE_DETAIL_TILE_TABLES_HPP
#define TESSERA_TRANSPOSE_DETAIL_TILE_TABLES_HPP

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/transpose/detail/packed_tile.hpp>
#include <tessera/transpose/detail/permute_shape.hpp>

namespace tessera::detail {

/// An axis of a tile: a digit of the numbers of its elements.
struct TileDigit {
  std::int64_t in_stride, out_stride;
  std::int32_t extent, staged_stride;  // staged: in the input's order
  std::uint32_t inverse;               // of the extent
};

/// An axis along which there are several tiles: a digit of their numbers.
struct TileAxis {
  std::int64_t in_step, out_step;
  std::int64_t in_last, out_last;  // where the last one begins: it ends with the axis
  std::uint32_t tiles;
  std::int32_t digit, last_extent;  // of the tile's digits, -1: none; what is left for the last tile
};

inline constexpr int tile_digits_max = 12;
/// Elements of a tile whose extents are two in all its digits.
inline constexpr std::int64_t tile_volume_max = std::int64_t{1} << tile_digits_max;

struct TileTables {
  int digits, axes;
  TileDigit in_order[tile_digits_max], out_order[tile_digits_max];  // the fastest first
  TileAxis outer[permute_rank_max];                                 // the fastest of the output first
};

/// number / extent = number * inverse / 2^32, for numbers and extents below 2^16.
inline std::uint32_t inverse_of(std::int64_t extent) {
  return static_cast<std::uint32_t>(((std::int64_t{1} << 32) + extent - 1) / extent);
}

/// The tables of a tile: its axes in either order, and those along which there are several.
inline TileTables tile_tables(const PermuteShape& shape, const PackedTile& tile) {
  TileTables tables{};
  const AxisOrder in = in_order(shape), out = out_order(shape);
  std::array<std::int32_t, permute_rank_max> staged{}, digit_of{};
  std::int32_t stride = 1;
  const auto digit = [&](std::size_t axis) {
    const auto extent = static_cast<std::int32_t>(tile.extents[axis]);
    return TileDigit{shape.axes[axis].in_stride, shape.axes[axis].out_stride, extent, staged[axis], inverse_of(extent)};
  };
  for (int d = 0; d < in.rank; ++d) {
    const auto axis = static_cast<std::size_t>(in.axes[static_cast<std::size_t>(d)]);
    if (tile.extents[axis] == 1) continue;
    staged[axis] = stride;
    stride *= static_cast<std::int32_t>(tile.extents[axis]);
    tables.in_order[tables.digits++] = digit(axis);
  }
  int digits = 0;
  for (int d = 0; d < out.rank; ++d) {
    const auto axis = static_cast<std::size_t>(out.axes[static_cast<std::size_t>(d)]);
    digit_of[axis] = tile.extents[axis] == 1 ? -1 : digits;
    if (tile.extents[axis] > 1) tables.out_order[digits++] = digit(axis);
    const PermuteAxis& of = shape.axes[axis];
    const std::int64_t extent = tile.extents[axis], tiles = ceil_div(of.extent, extent);
    if (tiles == 1) continue;
    const std::int64_t last = of.extent - extent;
    tables.outer[tables.axes++] = {extent * of.in_stride,
                                   extent * of.out_stride,
                                   last * of.in_stride,
                                   last * of.out_stride,
                                   static_cast<std::uint32_t>(tiles),
                                   digit_of[axis],
                                   static_cast<std::int32_t>(of.extent - (tiles - 1) * extent)};
  }
  return tables;
}

/// Where the elements of a tile lie in scratch: in the input's order, with a gap after each so many.
struct StagedOrder {
  std::uint32_t inverse = 0;  // of the elements between gaps; 0: none
  int gap = 0;                // elements

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int position(int e) const {
    return e + static_cast<int>((std::uint64_t{static_cast<std::uint32_t>(e)} * inverse) >> 32) * gap;
  }
};

/// Threads that write neighbours read scratch at the stride of the output's fastest axis: gaps make it an odd number of
/// 4-byte words, where it is even, against bank conflicts.
inline StagedOrder staged_order(const TileTables& tables, std::size_t element_bytes) {
  if (tables.digits == 0) return {};
  const std::int64_t stride = tables.out_order[0].staged_stride, bytes = static_cast<std::int64_t>(element_bytes);
  const std::int64_t period = bytes < 4 ? 8 : 2 * bytes, wanted = bytes < 4 ? 4 : bytes;
  const std::int64_t gap = (wanted - stride * bytes % period + period) % period / bytes;
  if (stride == 1 || gap == 0) return {};
  return {inverse_of(stride), static_cast<int>(gap)};
}

/// Where a tile begins.
struct TileBases {
  std::int64_t in, out;
};

/// Tiles whose bases a team finds at once, a thread each.
inline constexpr int tile_bases_ahead = 64;

/// Pieces of a team's scratch.
struct PackedPieces {
  std::size_t tables, bases, stage, bytes;
};

KOKKOS_INLINE_FUNCTION PackedPieces packed_pieces(int volume, const StagedOrder& order, std::size_t element_bytes,
                                                  bool direct) {
  ScratchLayout layout;
  PackedPieces pieces{};
  pieces.tables = layout.append<TileTables>(1);
  pieces.bases = layout.append<TileBases>(tile_bases_ahead);
  const int elements = direct ? 0 : order.position(volume - 1) + 1;
  pieces.stage = layout.append<std::byte>(static_cast<std::size_t>(elements) * element_bytes);
  pieces.bytes = layout.bytes();
  return pieces;
}

}  // namespace tessera::detail

#endif

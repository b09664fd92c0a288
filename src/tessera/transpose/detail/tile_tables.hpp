// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernels of variants packed and naive know of their tile.
#ifndef TESSERA_TRANSPOSE_DETAIL_TILE_TABLES_HPP
#define TESSERA_TRANSPOSE_DETAIL_TILE_TABLES_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/unroll.hpp>
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

inline constexpr int tile_digits_max = 14;
/// Elements of a tile whose extents are two in all its digits.
inline constexpr std::int64_t tile_volume_max = std::int64_t{1} << tile_digits_max;

struct TileTables {
  int digits, axes;
  TileDigit in_order[tile_digits_max], out_order[tile_digits_max];  // the fastest first
  TileAxis outer[permute_rank_max];                                 // in the order of tiles
};

/// number / extent = number * inverse / 2^32, for numbers and extents below 2^16.
inline std::uint32_t inverse_of(std::int64_t extent) {
  return static_cast<std::uint32_t>(((std::int64_t{1} << 32) + extent - 1) / extent);
}

KOKKOS_FORCEINLINE_FUNCTION std::uint32_t inverse_quotient(std::uint32_t number, std::uint32_t inverse) {
  return static_cast<std::uint32_t>((std::uint64_t{number} * inverse) >> 32);
}

/// Calls visit(digit, index along it) for the digits of a number, which begin with number begin of a tile's.
template <class Visit>
KOKKOS_FORCEINLINE_FUNCTION void for_each_digit(const TileDigit* digits, int begin, int end, int number,
                                                const Visit& visit) {
  auto rest = static_cast<std::uint32_t>(number);
  TESSERA_NO_UNROLL
  for (int d = begin; d < end; ++d) {
    const TileDigit digit = digits[d];
    const std::uint32_t above = inverse_quotient(rest, digit.inverse);
    visit(digit, rest - above * static_cast<std::uint32_t>(digit.extent));
    rest = above;
  }
}

/// Axes in the order in which tiles of runs follow each other: first that along which the output's runs go on, then
/// that along which the input's do, so that caches still have what both read.
inline AxisOrder run_order(const PermuteShape& shape, const PackedTile& tile) {
  const AxisOrder in = in_order(shape);
  AxisOrder order = out_order(shape);
  const auto is_divided = [&](int axis) {
    return tile.extents[static_cast<std::size_t>(axis)] < shape.axes[axis].extent;
  };
  const auto begin = order.axes.begin(), end = begin + order.rank;
  const auto input = std::find_if(in.axes.begin(), in.axes.begin() + in.rank, is_divided);
  if (input == in.axes.begin() + in.rank) return order;
  const auto from = std::find(begin, end, *input);
  const auto to = std::min(from, std::find_if(begin, end, is_divided) + 1);
  std::rotate(to, from, from + 1);
  return order;
}

/// The tables of a tile: its axes in either order, and those along which there are several, in the order in which tiles
/// follow each other.
inline TileTables tile_tables(const PermuteShape& shape, const PackedTile& tile, const AxisOrder& order) {
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
  }
  for (int d = 0; d < order.rank; ++d) {
    const auto axis = static_cast<std::size_t>(order.axes[static_cast<std::size_t>(d)]);
    const PermuteAxis& of = shape.axes[axis];
    const std::int64_t extent = tile.extents[axis], tiles = ceil_div(of.extent, extent), last = of.extent - extent;
    if (tiles == 1) continue;
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

inline std::int64_t tiles_of(const TileTables& tables) {
  std::int64_t tiles = 1;
  for (int d = 0; d < tables.axes; ++d) tiles *= tables.outer[d].tiles;
  return tiles;
}

/// To team scratch: a device would copy a kernel's argument to each thread's memory to index it at run time. Ends with
/// a barrier.
template <TeamMember Member>
KOKKOS_FUNCTION void copy_tables(const Member& team, const TileTables& from, TileTables& tables) {
  if (team.team_rank() == 0) {
    tables.digits = from.digits;
    tables.axes = from.axes;
    TESSERA_UNROLL
    for (int d = 0; d < tile_digits_max; ++d) {
      if (d >= from.digits) break;
      tables.in_order[d] = from.in_order[d];
      tables.out_order[d] = from.out_order[d];
    }
    TESSERA_UNROLL
    for (int d = 0; d < permute_rank_max; ++d) {
      if (d >= from.axes) break;
      tables.outer[d] = from.outer[d];
    }
  }
  team.team_barrier();
}

/// Where the elements of a tile lie in scratch: in the input's order, with a gap after each so many.
struct StagedOrder {
  std::uint32_t inverse = 0;  // of the elements between gaps; 0: none
  int gap = 0;                // elements

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int position(int e) const {
    return e + static_cast<int>((std::uint64_t{static_cast<std::uint32_t>(e)} * inverse) >> 32) * gap;
  }
};

/// Elements of a tile's first warps, in the order of the output, in which they are written, by runs but for where warps
/// begin: where they are in the input's.
struct FirstElements {
  std::array<int, 4 * 32> places;
  int count;
};

inline FirstElements first_elements(const TileTables& tables, std::int64_t volume) {
  FirstElements elements{};
  elements.count = static_cast<int>(std::min<std::int64_t>(volume, elements.places.size()));
  for (int e = 0; e < elements.count; ++e) {
    int rest = e, place = 0;
    for (int d = 0; d < tables.digits; ++d) {
      place += rest % tables.out_order[d].extent * tables.out_order[d].staged_stride;
      rest /= tables.out_order[d].extent;
    }
    elements.places[static_cast<std::size_t>(e)] = place;
  }
  return elements;
}

/// In how many steps they are read from scratch: of several words in one bank, each takes one.
inline int staged_steps(const FirstElements& elements, const StagedOrder& order, int element_bytes) {
  constexpr int banks = 32, bank_bytes = 4;
  const int word_bytes = std::max(element_bytes, bank_bytes), lanes = std::max(1, banks * bank_bytes / word_bytes);
  int steps = 0;
  for (int first = 0; first < elements.count; first += lanes) {
    std::array<std::array<int, banks>, banks> read;  // words of each bank
    std::array<int, banks> words{};
    int longest = 1;
    for (int e = first; e < std::min(first + lanes, elements.count); ++e) {
      const int word = order.position(elements.places[static_cast<std::size_t>(e)]) * element_bytes / word_bytes;
      auto& of_bank = read[static_cast<std::size_t>(word % lanes)];
      int& count = words[static_cast<std::size_t>(word % lanes)];
      if (std::find(of_bank.begin(), of_bank.begin() + count, word) != of_bank.begin() + count) continue;
      of_bank[static_cast<std::size_t>(count++)] = word;
      longest = std::max(longest, count);
    }
    steps += longest;
  }
  return steps;
}

/// Threads that write neighbours read scratch at the strides of the output's fastest axes: the gaps, after the elements
/// of one of the input's axes or of several, with the fewest bank conflicts and then the fewest gaps. most: the
/// elements that scratch has room for; whole: the first axes of the input between whose elements there is none.
inline StagedOrder staged_order(const TileTables& tables, std::size_t element_bytes, std::int64_t most, int whole = 1) {
  if (tables.digits == 0) return {};
  const auto bytes = static_cast<int>(element_bytes);
  const TileDigit& last = tables.in_order[tables.digits - 1];
  const int volume = last.staged_stride * last.extent, gap_max = bytes < 8 ? 31 : 128 / bytes - 1;
  const FirstElements elements = first_elements(tables, volume);
  const int least = static_cast<int>(ceil_div(elements.count * std::max(bytes, 4), 128));
  StagedOrder best;
  int fewest = staged_steps(elements, best, bytes);
  for (int d = tables.digits - 1; d >= whole; --d) {
    StagedOrder order{inverse_of(tables.in_order[d].staged_stride), 1};
    for (; fewest > least && order.gap <= gap_max && order.position(volume - 1) < most; ++order.gap) {
      const int steps = staged_steps(elements, order, bytes);
      if (steps < fewest) best = order;
      fewest = std::min(fewest, steps);
    }
  }
  return best;
}

/// Where a tile begins.
struct TileBases {
  std::int64_t in, out;
};

/// Calls visit(axis, index of the tile along it, whether that is the last).
template <class Visit>
KOKKOS_INLINE_FUNCTION void for_tile_indices(const TileTables& tables, std::uint32_t tile, const Visit& visit) {
  for (int d = 0; d < tables.axes; ++d) {
    const TileAxis& axis = tables.outer[d];
    const std::uint32_t quotient = tile / axis.tiles, index = tile - quotient * axis.tiles;
    visit(axis, index, index == axis.tiles - 1);
    tile = quotient;
  }
}

/// The last tile of an axis reaches back into the one before it: what both write is the same.
KOKKOS_INLINE_FUNCTION TileBases tile_bases(const TileTables& tables, std::uint32_t tile) {
  TileBases bases{0, 0};
  for_tile_indices(tables, tile, [&](const TileAxis& axis, std::uint32_t index, bool last) {
    bases.in += last ? axis.in_last : index * axis.in_step;
    bases.out += last ? axis.out_last : index * axis.out_step;
  });
  return bases;
}

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

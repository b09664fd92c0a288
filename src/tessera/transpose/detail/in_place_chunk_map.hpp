// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the chunks of an in-place transpose on a host stand, before and after, and what its kernels share.
#ifndef TESSERA_TRANSPOSE_DETAIL_IN_PLACE_CHUNK_MAP_HPP
#define TESSERA_TRANSPOSE_DETAIL_IN_PLACE_CHUNK_MAP_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tessera/concepts.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>

namespace tessera::detail {

/// Where chunks stand. Slots are the matrix' memory in pieces of a chunk, whatever it holds there. Turned, column j
/// begins at element j rows, between two slots as a rule: its first skip(j) elements and those behind its last whole
/// chunk share slots with its neighbours, so that all chunks stand on slots before and after.
struct ChunkMap {
  std::int64_t rows, columns, chunk;  // of the matrix that is taken in bands of `chunk` rows

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t slots() const { return divide(rows * columns, chunk).quotient; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t skip(std::int64_t j) const {
    const std::int64_t beyond = divide(j * rows, chunk).remainder;
    return beyond == 0 ? 0 : chunk - beyond;
  }
  /// Chunks of column j.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t whole(std::int64_t j) const {
    return divide(rows - skip(j), chunk).quotient;
  }
  /// The seam of column j: what stands behind its chunks, and before the next one's.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t seam_begin(std::int64_t j) const {
    return j * rows + skip(j) + whole(j) * chunk;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t seam_end(std::int64_t j) const {
    return (j + 1) * rows + (j + 1 < columns ? skip(j + 1) : 0);
  }

  /// The slot among the bands of the chunk that a slot of turned columns holds; -1: of a seam.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t band_slot(std::int64_t turned) const {
    const std::int64_t begin = turned * chunk;
    const QuotientRemainder column = divide(begin, rows);
    if (column.remainder + chunk > rows) return -1;
    return divide(column.remainder, chunk).quotient * columns + column.quotient;
  }
  /// The inverse; -1: of no chunk.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t turned_slot(std::int64_t banded) const {
    const QuotientRemainder split = divide(banded, columns);
    const std::int64_t j = split.remainder;
    if (split.quotient >= whole(j)) return -1;
    return divide(j * rows + chunk - 1, chunk).quotient + split.quotient;
  }
};

/// What the kernels share. T: of the elements' size and alignment.
template <class T>
struct ChunkJob {
  T* data;
  ChunkMap map;
  bool is_inverse;           // from turned columns to bands
  std::int64_t held, pitch;  // bands of the ring, elements of a column of one
  std::int64_t pivot_step;   // a power of two
  T *ring, *seams, *pivots;
  std::uint64_t* marks;  // a bit for each slot

  [[nodiscard]] KOKKOS_FUNCTION T* slot(std::int64_t index) const { return data + index * map.chunk; }
  [[nodiscard]] KOKKOS_FUNCTION T* held_band(std::int64_t band) const {
    return ring + divide(band, held).remainder * map.columns * pitch;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t bands() const { return ceil_div(map.rows, map.chunk); }

  /// The slot whose chunk moves to this one; -1: none.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t source_of(std::int64_t index) const {
    return is_inverse ? map.turned_slot(index) : map.band_slot(index);
  }
  [[nodiscard]] KOKKOS_FUNCTION bool is_hole(std::int64_t index) const {
    return (is_inverse ? map.band_slot(index) : map.turned_slot(index)) < 0;
  }
  [[nodiscard]] KOKKOS_FUNCTION bool is_pivot(std::int64_t index) const { return (index & (pivot_step - 1)) == 0; }
  [[nodiscard]] KOKKOS_FUNCTION T* saved(std::int64_t pivot) const {
    return pivots + divide(pivot, pivot_step).quotient * map.chunk;
  }
};

template <class T>
KOKKOS_FUNCTION void copy_elements(const T* from, T* to, std::int64_t count) {
  std::memcpy(static_cast<void*>(to), static_cast<const void*>(from), static_cast<std::size_t>(count) * sizeof(T));
}

/// Calls take(item) for a thread's share of the items: neighbours.
template <TeamMember Member, class Take>
KOKKOS_FUNCTION void share_items(const Member& team, std::int64_t items, const Take& take) {
  const std::int64_t threads = static_cast<std::int64_t>(team.league_size()) * team.team_size();
  const std::int64_t thread = static_cast<std::int64_t>(team.league_rank()) * team.team_size() + team.team_rank();
  const IndexRange range = items_of(items, thread, threads);
  for (std::int64_t item = range.begin; item < range.end; ++item) take(item);
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runs of a tile on either side: elements next to each other in memory, and where each run begins.
#ifndef TESSERA_TRANSPOSE_DETAIL_RUN_TABLES_HPP
#define TESSERA_TRANSPOSE_DETAIL_RUN_TABLES_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/transpose/detail/packed_tile.hpp>
#include <tessera/transpose/detail/tile_tables.hpp>

namespace tessera::detail {

/// digits: of the tile's tables, in that side's order, that are within a run. lanes: threads that take one together, as
/// a power of two.
struct TileRuns {
  int volume, in_run, out_run, in_digits, out_digits, in_lanes, out_lanes;
  [[nodiscard]] KOKKOS_FUNCTION int in_runs() const { return volume / in_run; }
  [[nodiscard]] KOKKOS_FUNCTION int out_runs() const { return volume / out_run; }
};

/// The fewest of those lanes, as a power of two.
inline constexpr int run_lanes_min = 3;
/// A warp, whose accesses are the fewest; half of one where that leaves a fifth fewer places empty, in whole accesses.
inline int run_lanes(std::int64_t run) {
  const auto places = [&](std::int64_t lanes) { return ceil_div(run, lanes) * lanes; };
  if (run <= 1 << run_lanes_min) return run_lanes_min;
  return 5 * places(16) <= 4 * places(32) ? 4 : 5;
}

/// Without digits.
inline TileRuns tile_runs(const PackedTile& tile) {
  return {static_cast<int>(tile.volume), static_cast<int>(tile.in_run), static_cast<int>(tile.out_run), 0, 0,
          run_lanes(tile.in_run),        run_lanes(tile.out_run)};
}
inline TileRuns tile_runs(const PackedTile& tile, const TileTables& tables) {
  const auto digits_of = [](const TileDigit* digits, std::int64_t run) {
    int count = 0;
    for (std::int64_t elements = 1; elements < run; ++count) elements *= digits[count].extent;
    return count;
  };
  TileRuns runs = tile_runs(tile);
  runs.in_digits = digits_of(tables.in_order, tile.in_run);
  runs.out_digits = digits_of(tables.out_order, tile.out_run);
  return runs;
}

/// Where a run begins, from where its tile does: an element of memory, and a byte of scratch.
struct RunPlace {
  std::uint32_t offset, staged;
};

/// Pieces of a team's scratch. staged: where the elements of a run that is written lie there, in bytes.
struct RunPieces {
  std::size_t tables, bases, read, written, staged, stage, bytes;
};

KOKKOS_INLINE_FUNCTION RunPieces run_pieces(const TileRuns& runs, const StagedOrder& order, std::size_t element_bytes) {
  ScratchLayout layout;
  RunPieces pieces{};
  pieces.tables = layout.append<TileTables>(1);
  pieces.bases = layout.append<TileBases>(tile_bases_ahead);
  pieces.read = layout.append<RunPlace>(static_cast<std::size_t>(runs.in_runs()));
  pieces.written = layout.append<RunPlace>(static_cast<std::size_t>(runs.out_runs()));
  pieces.staged = layout.append<std::uint16_t>(static_cast<std::size_t>(runs.out_run));
  pieces.stage =
      layout.append<std::byte>(static_cast<std::size_t>(order.position(runs.volume - 1) + 1) * element_bytes);
  pieces.bytes = layout.bytes();
  return pieces;
}

/// The runs of a tile of 1- and 2-byte elements in words: those that one of the input has, and in scratch, with what
/// lies before it in its sector, in pieces of 16 bytes; words and pieces of one of the output.
struct WordRuns {
  TileRuns runs;
  int in_words, row_words, raw_pieces, raw_pitch, out_words, out_pieces;
  std::uint32_t in_inverse, in_words_inverse, raw_pieces_inverse, out_words_inverse, out_pieces_inverse;

  /// Bytes from where the first one begins. Their distances, odd and more by one each 32, keep what is gathered from
  /// neighbouring rows in different banks.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION unsigned row_at(unsigned row) const {
    return (row * static_cast<unsigned>(row_words) + row / 32) * 4;
  }
};

inline WordRuns word_runs(const TileRuns& runs, std::size_t element_bytes) {
  constexpr int word = 4;
  const int bytes = static_cast<int>(element_bytes), in = runs.in_run * bytes, out = runs.out_run * bytes;
  WordRuns words{};
  words.runs = runs;
  words.in_words = static_cast<int>(ceil_div(in, word));
  words.row_words = words.in_words | 1;
  words.raw_pieces = static_cast<int>(ceil_div(in + packed_bytes - 1, packed_bytes));
  words.raw_pitch = static_cast<int>(ceil_div(in + static_cast<int>(sector_bytes) - 1, packed_bytes)) * packed_bytes;
  words.out_words = static_cast<int>(ceil_div(out, word));
  words.out_pieces = std::max(1, out / packed_bytes);
  words.in_inverse = inverse_of(runs.in_run);
  words.in_words_inverse = inverse_of(words.in_words);
  words.raw_pieces_inverse = inverse_of(words.raw_pieces);
  words.out_words_inverse = inverse_of(words.out_words);
  words.out_pieces_inverse = inverse_of(words.out_pieces);
  return words;
}

/// Pieces of a team's scratch. raw, aligned: the input's runs; turned: the output's. A word behind each
/// is looked at, and a piece before and behind the output's.
struct WordPieces {
  std::size_t tables, bases, read, written, raw, aligned, turned, bytes;
};

KOKKOS_INLINE_FUNCTION WordPieces word_pieces(const WordRuns& words) {
  ScratchLayout layout;
  WordPieces pieces{};
  const int in_runs = words.runs.in_runs(), out_runs = words.runs.out_runs();
  pieces.tables = layout.append<TileTables>(1);
  pieces.bases = layout.append<TileBases>(tile_bases_ahead);
  pieces.read = layout.append<std::uint32_t>(static_cast<std::size_t>(in_runs));
  pieces.written = layout.append<std::uint32_t>(static_cast<std::size_t>(out_runs));
  pieces.raw = layout.append<std::byte>(static_cast<std::size_t>(in_runs * words.raw_pitch + 4));
  pieces.aligned = layout.append<std::byte>(static_cast<std::size_t>(words.row_at(static_cast<unsigned>(in_runs)) + 4));
  pieces.turned = layout.append<std::uint32_t>(static_cast<std::size_t>(out_runs * words.out_words + 5));
  pieces.bytes = layout.bytes();
  return pieces;
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runs of a tile on either side: elements next to each other in memory, and where each run begins.
#ifndef TESSERA_TRANSPOSE_DETAIL_RUN_TABLES_HPP
#define TESSERA_TRANSPOSE_DETAIL_RUN_TABLES_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/transpose/detail/packed_tile.hpp>
#include <tessera/transpose/detail/tile_tables.hpp>

namespace tessera::detail {

/// digits: of the tile's tables, in that side's order, that are within a run.
struct TileRuns {
  int volume, in_run, out_run, in_digits, out_digits;
  bool shifted;  // runs are moved: SectorShift
  std::uint32_t in_inverse, out_inverse;
  [[nodiscard]] KOKKOS_FUNCTION int in_runs() const { return volume / in_run; }
  [[nodiscard]] KOKKOS_FUNCTION int out_runs() const { return volume / out_run; }
};

inline TileRuns tile_runs(const PackedTile& tile, const TileTables& tables) {
  const auto digits_of = [](const TileDigit* digits, std::int64_t run) {
    int count = 0;
    for (std::int64_t elements = 1; elements < run; ++count) elements *= digits[count].extent;
    return count;
  };
  return {static_cast<int>(tile.volume),
          static_cast<int>(tile.in_run),
          static_cast<int>(tile.out_run),
          digits_of(tables.in_order, tile.in_run),
          digits_of(tables.out_order, tile.out_run),
          tables.shift.axis >= 0,
          inverse_of(tile.in_run),
          inverse_of(tile.out_run)};
}

/// Where a run begins, from where its tile does. place: of one that is read its phase, of one that is written where it
/// begins in scratch and, from bit 16 on, its phase.
struct RunPlace {
  std::uint32_t offset, place;
};

/// Pieces of a team's scratch. moved, staged: phases and places in scratch within a run.
struct RunPieces {
  std::size_t tables, bases, read, written, moved, staged, stage, bytes;
};

KOKKOS_INLINE_FUNCTION RunPieces run_pieces(const TileRuns& runs, const StagedOrder& order, std::size_t element_bytes) {
  ScratchLayout layout;
  RunPieces pieces{};
  pieces.tables = layout.append<TileTables>(1);
  pieces.bases = layout.append<ShiftedBases>(tile_bases_ahead);
  pieces.read = layout.append<RunPlace>(static_cast<std::size_t>(runs.in_runs()));
  pieces.written = layout.append<RunPlace>(static_cast<std::size_t>(runs.out_runs()));
  pieces.moved = layout.append<std::uint8_t>(runs.shifted ? static_cast<std::size_t>(runs.in_run) : 0);
  pieces.staged = layout.append<std::uint16_t>(static_cast<std::size_t>(runs.out_run));
  pieces.stage =
      layout.append<std::byte>(static_cast<std::size_t>(order.position(runs.volume - 1) + 1) * element_bytes);
  pieces.bytes = layout.bytes();
  return pieces;
}

}  // namespace tessera::detail

#endif

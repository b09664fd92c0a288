// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an in-place transpose is mapped to passes and teams: data, from a pure host function.
#ifndef TESSERA_TRANSPOSE_IN_PLACE_PLAN_HPP
#define TESSERA_TRANSPOSE_IN_PLACE_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/transpose/in_place_options.hpp>

namespace tessera {

/// Where a pass holds its lines while their elements change places.
enum class LineMemory {
  none,       ///< no such pass
  scratch,    ///< team scratch: one kernel for all lines
  registers,  ///< rows in the registers of a team, on devices: one kernel
  workspace,  ///< batches of lines, in a kernel whose teams draw the tiles of all batches in order
};

constexpr std::string_view to_string(LineMemory memory) {
  switch (memory) {
    case LineMemory::none:
      return "none";
    case LineMemory::scratch:
      return "scratch";
    case LineMemory::registers:
      return "registers";
    case LineMemory::workspace:
      break;
  }
  return "workspace";
}

/// How the passes over one kind of lines hold them.
struct LinePlan {
  LineMemory memory = LineMemory::none;
  std::int64_t batch = 0;  ///< lines that a team holds in scratch or registers, or a buffer of the workspace
  int buffers = 0;         ///< above 1: batches are fetched while others are put back
  bool operator==(const LinePlan&) const = default;
};

/// How a matrix goes in blocks.
struct BlockPlan {
  std::int64_t rows = 0, columns = 0;  ///< of a block: a square, or all columns (rows) where these are fewer
  bool in_scratch = false;             ///< a block a team; else squares in swapped tiles
  std::int64_t cuts = 0;               ///< of cycles: runs that are saved before the others move
  std::int64_t rows_aside = 0, columns_aside = 0;  ///< the last ones, set aside meanwhile
  std::int64_t run = 0;                            ///< elements of the rows of blocks, once transposed
  bool operator==(const BlockPlan&) const = default;
};

/// Rows and columns are those of the matrix as the passes see it: with c2r its extents, with r2c these exchanged. With
/// chunks the longer extent counts the rows, and `rows` are the bands: `batch` rows, which is a chunk, in a ring.
struct InPlacePlan {
  InPlaceVariant variant = InPlaceVariant::swapped_tiles;
  int league_size = 1;  ///< most teams of a kernel
  int team_size = 1;
  int row_team_size = 1;  ///< in passes over rows
  int vector_length = 1;
  int tile_rows = 1;     ///< of swapped tiles, of passes over columns, or of bands that are turned
  int tile_columns = 1;  ///< likewise
  LinePlan rows{}, columns{};
  BlockPlan blocks{};
  int passes = 0;                   ///< each reads and writes the whole matrix once in main memory
  std::uint64_t bytes_moved = 0;    ///< by all passes, of the matrix; what batches of the workspace move comes on top
  std::size_t scratch_bytes = 0;    ///< level 0, a team, of the kernel that needs most
  std::size_t workspace_bytes = 0;  ///< device memory besides the matrix
  bool operator==(const InPlacePlan&) const = default;
};

inline std::string to_string(const LinePlan& lines) {
  return std::string(to_string(lines.memory)) + " " + std::to_string(lines.buffers) + " x " +
         std::to_string(lines.batch);
}

inline std::string to_string(const BlockPlan& blocks) {
  return std::to_string(blocks.rows) + " x " + std::to_string(blocks.columns) +
         (blocks.in_scratch ? " in scratch" : "") + " cuts " + std::to_string(blocks.cuts) + " aside " +
         std::to_string(blocks.rows_aside) + " rows " + std::to_string(blocks.columns_aside) + " columns";
}

inline std::string to_string(const InPlacePlan& plan) {
  return std::string(to_string(plan.variant)) + " league " + std::to_string(plan.league_size) + " team " +
         std::to_string(plan.team_size) + ", of rows " + std::to_string(plan.row_team_size) + " vector " +
         std::to_string(plan.vector_length) + " tile " + std::to_string(plan.tile_rows) + " x " +
         std::to_string(plan.tile_columns) + " rows " + to_string(plan.rows) + " columns " + to_string(plan.columns) +
         (plan.variant == InPlaceVariant::blocks ? " blocks " + to_string(plan.blocks) : "") + " passes " +
         std::to_string(plan.passes) + " moved " + std::to_string(plan.bytes_moved) + " B scratch " +
         std::to_string(plan.scratch_bytes) + " B workspace " + std::to_string(plan.workspace_bytes) + " B";
}

}  // namespace tessera

#endif

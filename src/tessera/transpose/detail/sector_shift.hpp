// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles whose runs begin where the output's sectors do.
#ifndef TESSERA_TRANSPOSE_DETAIL_SECTOR_SHIFT_HPP
#define TESSERA_TRANSPOSE_DETAIL_SECTOR_SHIFT_HPP

#include <cstddef>
#include <cstdint>
#include <tessera/transpose/detail/packed_tile.hpp>
#include <tessera/transpose/detail/permute_shape.hpp>

namespace tessera::detail {

/// How tiles along the axis that ends the output's runs are moved, each run of theirs by itself, to where it begins on
/// a boundary of a sector: a sector that two tiles write costs as much as several. A run moves by less than a sector's
/// number of places, each `step` elements of the output: an odd number, its own inverse modulo 2, 4 and 8.
struct SectorShift {
  std::int64_t in_stride, extent, part;  // of the axis
  std::int32_t axis;                     // of the tile's tables, -1: none
  std::uint32_t sector, step;            // elements
  std::uint32_t address;                 // where the output begins in a sector
};

/// The same of a shape.
struct ShiftPlan {
  int axis = -1;
  std::int64_t step = 1;               // elements of the axes before it
  bool in_run[permute_rank_max] = {};  // axes whose neighbours are a run's
};

/// sector, address: elements; a sector of 0: nothing is moved.
inline ShiftPlan shift_plan(const PermuteShape& shape, const PackedTile& tile, std::int64_t sector,
                            std::int64_t address) {
  ShiftPlan plan;
  if (sector == 0) return plan;
  const AxisOrder out = out_order(shape);
  std::int64_t bits = address;
  for (int d = 0; d < out.rank; ++d) {
    const auto axis = static_cast<std::size_t>(out.axes[static_cast<std::size_t>(d)]);
    const PermuteAxis& of = shape.axes[axis];
    if (plan.axis >= 0) {
      bits |= of.out_stride;
      continue;
    }
    if (of.out_stride != plan.step) return {};
    plan.in_run[axis] = true;
    const std::int64_t part = tile.extents[axis];
    if (part == of.extent) {
      plan.step *= of.extent;
      continue;
    }
    if (plan.step % 2 == 0 || part % sector != 0 || of.extent < 3 * part) return {};
    plan.axis = static_cast<int>(axis);
  }
  if (plan.axis < 0 || bits % sector == 0) return {};
  return plan;
}

}  // namespace tessera::detail

#endif

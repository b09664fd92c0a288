// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tile of variants packed and naive: a box of as many axes as it takes for long runs of memory on both sides.
#ifndef TESSERA_TRANSPOSE_DETAIL_PACKED_TILE_HPP
#define TESSERA_TRANSPOSE_DETAIL_PACKED_TILE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/transpose/detail/permute_shape.hpp>

namespace tessera::detail {

/// Axes of a shape, the fastest first.
struct AxisOrder {
  int rank = 0;
  std::array<int, permute_rank_max> axes{};
};

inline AxisOrder out_order(const PermuteShape& shape) {
  AxisOrder order{.rank = shape.rank};
  for (int d = 0; d < shape.rank; ++d) order.axes[static_cast<std::size_t>(d)] = shape.rank - 1 - d;
  return order;
}

/// Axes along which the input stays in place come last.
inline AxisOrder in_order(const PermuteShape& shape) {
  AxisOrder order = out_order(shape);
  std::stable_sort(order.axes.begin(), order.axes.begin() + shape.rank, [&](int a, int b) {
    const std::int64_t of_a = shape.axes[a].in_stride, of_b = shape.axes[b].in_stride;
    return of_a != 0 && (of_b == 0 || of_a < of_b);
  });
  return order;
}

struct PackedTile {
  std::array<std::int64_t, permute_rank_max> extents{};  // of the shape's axes
  std::int64_t volume = 1;
  std::int64_t in_run = 1, out_run = 1;  // elements next to each other in memory
};

namespace packed_tile {

inline std::int64_t run_of(const PermuteShape& shape, const PackedTile& tile, const AxisOrder& order,
                           std::int64_t PermuteAxis::*stride) {
  std::int64_t run = 1;
  for (int d = 0; d < order.rank; ++d) {
    const auto axis = static_cast<std::size_t>(order.axes[static_cast<std::size_t>(d)]);
    if (shape.axes[axis].*stride != run) break;
    run *= tile.extents[axis];
    if (tile.extents[axis] < shape.axes[axis].extent) break;
  }
  return run;
}

/// A box from the first axes of an order: those before the split one are whole.
struct Leading {
  int split = 0;
  std::int64_t extent = 1;
};

struct LeadingList {
  static constexpr int size_max = 48;
  int size = 0;
  std::array<Leading, size_max> list{};
  void append(const Leading& leading) {
    if (size < size_max) list[static_cast<std::size_t>(size++)] = leading;
  }
};

/// Boxes of 8 to so many elements: equal parts of a short axis, multiples of 16 of a long one. Few, as every call looks
/// at all pairs of them: 3/4 and 1/2 of the largest, then halves.
inline LeadingList leading_boxes(const PermuteShape& shape, const AxisOrder& order, std::int64_t volume_max) {
  LeadingList boxes;
  std::int64_t whole = 1, extent = 1;
  for (int d = 0; d < order.rank && whole <= volume_max / 2; ++d, whole *= extent) {
    extent = shape.axes[order.axes[static_cast<std::size_t>(d)]].extent;
    std::int64_t last = 0;
    for (std::int64_t wanted = std::min(extent, volume_max / whole); wanted > 1 && wanted * whole >= 8;) {
      const bool is_long = extent > 16 * wanted && wanted >= 16;
      const std::int64_t part = is_long ? wanted / 16 * 16 : ceil_div(extent, ceil_div(extent, wanted));
      if (part != last) boxes.append({d, part});
      last = part;
      wanted = wanted * whole > volume_max / 4 * 3 ? wanted * 3 / 4 : wanted / 2;
    }
  }
  if (boxes.size == 0) boxes.append({order.rank > 0 ? order.rank - 1 : 0, extent});
  return boxes;
}

inline void include(const PermuteShape& shape, const AxisOrder& order, const Leading& box, PackedTile& tile) {
  for (int d = 0; d < box.split; ++d) {
    const auto axis = static_cast<std::size_t>(order.axes[static_cast<std::size_t>(d)]);
    tile.extents[axis] = shape.axes[axis].extent;
  }
  if (order.rank == 0) return;
  const auto axis = static_cast<std::size_t>(order.axes[static_cast<std::size_t>(box.split)]);
  tile.extents[axis] = std::max(tile.extents[axis], box.extent);
}

/// What the ends of a run cost, in bytes: it shares sectors, or a host's lines, with other runs.
struct RunCosts {
  double read, write;
};

/// Time an element, in arbitrary units: sectors that runs touch, and elements of overlapping tiles.
inline double cost(const PermuteShape& shape, const PackedTile& tile, std::size_t in_bytes, std::size_t out_bytes,
                   const RunCosts& runs) {
  double moved = 1;
  for (int d = 0; d < shape.rank; ++d) {
    const std::int64_t extent = tile.extents[static_cast<std::size_t>(d)], whole = shape.axes[d].extent;
    if (extent > 1 && extent < whole) {
      moved *= static_cast<double>(ceil_div(whole, extent) * extent) / static_cast<double>(whole);
    }
  }
  const double reading = 1 + runs.read / static_cast<double>(tile.in_run * static_cast<std::int64_t>(in_bytes));
  const double writing = 1 + runs.write / static_cast<double>(tile.out_run * static_cast<std::int64_t>(out_bytes));
  return moved * (reading + writing);
}

}  // namespace packed_tile

/// A tile and what it is expected to cost.
struct CostedTile {
  PackedTile tile;
  double cost = 0;
};

/// The box of at most volume_max elements that costs least, by cost_of(box): 0 where it will not do.
template <class Cost>
CostedTile choose_packed_tile(const PermuteShape& shape, std::int64_t volume_max, const Cost& cost_of) {
  using namespace packed_tile;
  const AxisOrder in = in_order(shape), out = out_order(shape);
  const LeadingList in_boxes = leading_boxes(shape, in, volume_max), out_boxes = leading_boxes(shape, out, volume_max);
  CostedTile best;
  for (int i = 0; i < in_boxes.size; ++i) {
    for (int j = 0; j < out_boxes.size; ++j) {
      PackedTile tile;
      std::fill(tile.extents.begin(), tile.extents.begin() + shape.rank, 1);
      include(shape, in, in_boxes.list[static_cast<std::size_t>(i)], tile);
      include(shape, out, out_boxes.list[static_cast<std::size_t>(j)], tile);
      for (int d = 0; d < shape.rank; ++d) tile.volume *= tile.extents[static_cast<std::size_t>(d)];
      if (tile.volume > volume_max) continue;
      tile.in_run = run_of(shape, tile, in, &PermuteAxis::in_stride);
      tile.out_run = run_of(shape, tile, out, &PermuteAxis::out_stride);
      const double tile_cost = cost_of(tile);
      if (tile_cost > 0 && (best.cost == 0 || tile_cost < best.cost)) best = {tile, tile_cost};
    }
  }
  return best;
}

/// The bits of one side's strides of so many elements and more, in bytes.
inline std::size_t stride_bits(const PermuteShape& shape, std::int64_t PermuteAxis::*stride, std::int64_t least,
                               std::size_t element_bytes) {
  std::int64_t bits = 0;
  for (int d = 0; d < shape.rank; ++d) {
    if (shape.axes[d].*stride >= least) bits |= shape.axes[d].*stride;
  }
  return static_cast<std::size_t>(bits) * element_bytes;
}

/// Whether all runs of one side, of so many elements, begin and end where sectors do: but for those of an axis' last
/// tile.
inline bool runs_on_sectors(const PermuteShape& shape, std::int64_t PermuteAxis::*stride, std::int64_t run,
                            std::size_t element_bytes, std::uintptr_t address) {
  const std::size_t bits = stride_bits(shape, stride, run, element_bytes);
  return (bits | static_cast<std::size_t>(run) * element_bytes | address) % sector_bytes == 0;
}

/// Elements side by side in the output of those that are in the input's order: what threads write together without
/// scratch. All of a tile whose axes keep their order.
inline std::int64_t kept_run(const PermuteShape& shape, const PackedTile& tile) {
  const AxisOrder in = in_order(shape), out = out_order(shape);
  const auto extent = [&](const AxisOrder& order, int d) {
    return tile.extents[static_cast<std::size_t>(order.axes[static_cast<std::size_t>(d)])];
  };
  std::int64_t run = 1;
  for (int i = 0, j = 0; i < in.rank;) {
    if (extent(in, i) == 1) {
      ++i;
    } else if (extent(out, j) == 1) {
      ++j;
    } else if (in.axes[static_cast<std::size_t>(i)] != out.axes[static_cast<std::size_t>(j)]) {
      return run;
    } else {
      run *= extent(in, i);
      ++i, ++j;
    }
  }
  return run;
}

}  // namespace tessera::detail

#endif

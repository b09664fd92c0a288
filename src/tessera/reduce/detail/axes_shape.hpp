// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction over axes in one form for all ranks and layouts: kept and reduced axes apart, each in the order of
// memory, merged where they can be walked as one.
#ifndef TESSERA_REDUCE_DETAIL_AXES_SHAPE_HPP
#define TESSERA_REDUCE_DETAIL_AXES_SHAPE_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>

namespace tessera::detail {

inline constexpr int axes_max = 8;

/// An axis, or several merged ones: its extent, and what a step along it adds.
struct AxesDim {
  std::int64_t extent = 1;
  std::int64_t in = 0;        ///< elements of the input's memory
  std::int64_t out = 0;       ///< elements of the output's memory
  std::int64_t position = 0;  ///< row-major index of the output (kept axes) or among the reduced elements
  std::int64_t input = 0;     ///< row-major index of the input
};

/// Where a team's scratch goes on behind its axes.
KOKKOS_INLINE_FUNCTION std::size_t after_axes() {
  ScratchLayout layout;
  layout.append<AxesDim>(axes_max);
  return layout.bytes();
}

struct AxesOffsets {
  std::int64_t in, out, position, input;

  KOKKOS_INLINE_FUNCTION friend AxesOffsets operator+(const AxesOffsets& a, const AxesOffsets& b) {
    return {a.in + b.in, a.out + b.out, a.position + b.position, a.input + b.input};
  }
};

/// Offsets of element index of the axes dims[0 .. count), the last one fastest.
KOKKOS_INLINE_FUNCTION AxesOffsets axes_offsets(const AxesDim* dims, int count, std::int64_t index) {
  AxesOffsets sum{0, 0, 0, 0};
  for (int d = count - 1; d >= 0; --d) {
    std::int64_t i = index;
    if (d > 0) {
      const QuotientRemainder split = divide(index, dims[d].extent);
      i = split.remainder;
      index = split.quotient;
    }
    sum.in += i * dims[d].in;
    sum.out += i * dims[d].out;
    sum.position += i * dims[d].position;
    sum.input += i * dims[d].input;
  }
  return sum;
}

/// As axes_offsets() where there are fewer outputs than that: without 64-bit divisions, whose calls take registers from
/// loops.
inline constexpr std::int64_t narrow_outputs = std::int64_t{1} << 31;
KOKKOS_INLINE_FUNCTION AxesOffsets axes_offsets_narrow(const AxesDim* dims, int count, std::uint32_t index) {
  AxesOffsets sum{0, 0, 0, 0};
  for (int d = count - 1; d >= 0; --d) {
    std::uint32_t i = index;
    if (d > 0) {
      const auto extent = static_cast<std::uint32_t>(dims[d].extent);
      index = i / extent;
      i -= index * extent;
    }
    sum.in += i * dims[d].in;
    sum.out += i * dims[d].out;
    sum.position += i * dims[d].position;
    sum.input += i * dims[d].input;
  }
  return sum;
}

/// Of element i along one axis.
KOKKOS_INLINE_FUNCTION AxesOffsets axis_offsets(const AxesDim& dim, std::int64_t i) {
  return {i * dim.in, i * dim.out, i * dim.position, i * dim.input};
}

struct AxesShape {
  int kept = 0;      ///< dims[0 .. kept)
  int reduced = 0;   ///< dims[kept .. kept + reduced)
  int run_dims = 0;  ///< of the reduced ones, the last, that are one run in memory
  std::int64_t kept_size = 1;
  std::int64_t reduced_size = 1;
  std::int64_t run_size = 1;
  bool rows_adjacent = false;     ///< the outputs' elements are runs that follow each other without a gap
  std::int64_t misalignment = 0;  ///< elements between a 16-byte boundary and the first one
  AxesDim dims[axes_max];

  /// Whether the fastest axis of memory is a reduced one.
  [[nodiscard]] bool reduces_fastest() const {
    return kept == 0 || (reduced > 0 && dims[kept + reduced - 1].in <= dims[kept - 1].in);
  }
};

/// An axis of the input as the caller sees it.
struct AxesArgument {
  std::int64_t extent, in_stride;
  std::int64_t out_stride;  // 0 for reduced ones
  bool reduced;
};

/// Sorts dims by memory, the fastest last, and merges them; returns how many are left.
inline int merge_axes(AxesDim* dims, int count) {
  std::stable_sort(dims, dims + count, [](const AxesDim& a, const AxesDim& b) { return a.in > b.in; });
  int left = 0;
  for (int d = 0; d < count; ++d) {
    const AxesDim& next = dims[d];
    if (left > 0) {
      AxesDim& last = dims[left - 1];
      const std::int64_t n = next.extent;
      if (last.in == n * next.in && last.out == n * next.out && last.position == n * next.position &&
          last.input == n * next.input) {
        const std::int64_t extent = last.extent * n;
        last = next;
        last.extent = extent;
        continue;
      }
    }
    dims[left++] = next;
  }
  return left;
}

inline AxesShape make_axes_shape(const AxesArgument* axes, int rank) {
  AxesDim kept[axes_max], reduced[axes_max];
  AxesShape shape;
  std::int64_t input = 1;
  for (int d = rank - 1; d >= 0; --d) {
    const std::int64_t extent = axes[d].extent;
    std::int64_t& size = axes[d].reduced ? shape.reduced_size : shape.kept_size;
    if (extent != 1) {
      AxesDim& dim = axes[d].reduced ? reduced[shape.reduced++] : kept[shape.kept++];
      dim = {extent, axes[d].in_stride, axes[d].out_stride, size, input};
    }
    size *= extent;
    input *= extent;
  }
  // From fast to slow so far: of equal strides the row-major order is kept.
  std::reverse(kept, kept + shape.kept);
  std::reverse(reduced, reduced + shape.reduced);
  shape.kept = merge_axes(kept, shape.kept);
  shape.reduced = merge_axes(reduced, shape.reduced);
  std::copy(kept, kept + shape.kept, shape.dims);
  std::copy(reduced, reduced + shape.reduced, shape.dims + shape.kept);
  for (int d = shape.reduced - 1; d >= 0 && reduced[d].in == shape.run_size; --d) {
    shape.run_size *= reduced[d].extent;
    ++shape.run_dims;
  }
  std::int64_t next = shape.run_size;
  shape.rows_adjacent = shape.run_dims == shape.reduced;
  for (int d = shape.kept - 1; d >= 0; --d) {
    shape.rows_adjacent = shape.rows_adjacent && kept[d].in == next;
    next *= kept[d].extent;
  }
  return shape;
}

}  // namespace tessera::detail

#endif

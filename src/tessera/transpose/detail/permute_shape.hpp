// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A permutation as a list of axes with a stride on either side, in its simplest form.
#ifndef TESSERA_TRANSPOSE_DETAIL_PERMUTE_SHAPE_HPP
#define TESSERA_TRANSPOSE_DETAIL_PERMUTE_SHAPE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/packed.hpp>

namespace tessera::detail {

struct PermuteAxis {
  std::int64_t extent, in_stride, out_stride;
  bool operator==(const PermuteAxis&) const = default;
};

/// HDF5's largest rank, and an axis within elements.
inline constexpr int permute_rank_max = 33;

/// Axes in the output's order, the slowest first; strides in units of unit_bytes.
struct PermuteShape {
  int rank = 0;
  std::size_t unit_bytes = 1;
  PermuteAxis axes[permute_rank_max] = {};

  [[nodiscard]] std::int64_t units() const {
    std::int64_t count = 1;
    for (int d = 0; d < rank; ++d) count *= axes[d].extent;
    return count;
  }
  /// Of the input, with what lies between its elements.
  [[nodiscard]] std::int64_t in_span() const {
    std::int64_t last = 0;
    for (int d = 0; d < rank; ++d) last += (axes[d].extent - 1) * axes[d].in_stride;
    return last + 1;
  }
  void append(const PermuteAxis& axis) { axes[rank++] = axis; }
  bool operator==(const PermuteShape& other) const {
    return rank == other.rank && unit_bytes == other.unit_bytes && std::equal(axes, axes + rank, other.axes);
  }
};

/// Without extents of one; sorted; axes that stay neighbours on both sides are one axis.
inline PermuteShape merged(const PermuteShape& shape) {
  PermuteShape sorted{.unit_bytes = shape.unit_bytes};
  for (int d = 0; d < shape.rank; ++d) {
    if (shape.axes[d].extent != 1) sorted.append(shape.axes[d]);
  }
  std::stable_sort(sorted.axes, sorted.axes + sorted.rank,
                   [](const PermuteAxis& a, const PermuteAxis& b) { return a.out_stride > b.out_stride; });
  PermuteShape result{.unit_bytes = shape.unit_bytes};
  for (int d = 0; d < sorted.rank; ++d) {
    const PermuteAxis& inner = sorted.axes[d];
    if (result.rank > 0) {
      PermuteAxis& outer = result.axes[result.rank - 1];
      if (outer.in_stride == inner.in_stride * inner.extent && outer.out_stride == inner.out_stride * inner.extent) {
        outer = {outer.extent * inner.extent, inner.in_stride, inner.out_stride};
        continue;
      }
    }
    result.append(inner);
  }
  return result;
}

/// The shape of elements as that of their bytes, in the largest units of at most 16 bytes that everything is a multiple
/// of: elements move as bytes, and rows that stay rows in wide accesses. address_bits: both addresses, or-ed.
inline PermuteShape in_units(PermuteShape shape, std::uintptr_t address_bits) {
  const auto element_bytes = static_cast<std::int64_t>(shape.unit_bytes);
  for (int d = 0; d < shape.rank; ++d) {
    shape.axes[d].in_stride *= element_bytes;
    shape.axes[d].out_stride *= element_bytes;
  }
  shape.append({element_bytes, 1, 1});
  shape = merged(shape);
  if (shape.rank == 0) shape.append({1, 1, 1});
  PermuteAxis& run = shape.axes[shape.rank - 1];
  auto bits = address_bits | static_cast<std::uintptr_t>(packed_bytes);
  const bool has_run = run.in_stride == 1 && run.out_stride == 1;
  bits |= has_run ? static_cast<std::uintptr_t>(run.extent) : 1;
  for (int d = 0; d + (has_run ? 1 : 0) < shape.rank; ++d) {
    bits |= static_cast<std::uintptr_t>(shape.axes[d].in_stride | shape.axes[d].out_stride);
  }
  const auto unit = static_cast<std::int64_t>(bits & (~bits + 1));
  if (has_run) run = {run.extent / unit, unit, unit};
  for (int d = 0; d < shape.rank; ++d) {
    shape.axes[d].in_stride /= unit;
    shape.axes[d].out_stride /= unit;
  }
  shape.unit_bytes = static_cast<std::size_t>(unit);
  return merged(shape);
}

}  // namespace tessera::detail

#endif

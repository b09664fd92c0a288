// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A view of rank 1 to 8 as lines along one of its axes.
#ifndef TESSERA_FILTER_DETAIL_LINE_ARRAY_HPP
#define TESSERA_FILTER_DETAIL_LINE_ARRAY_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/unroll.hpp>
#include <utility>

namespace tessera::detail {

inline constexpr int line_axes_max = 7;

template <class T>
struct LineArray {
  T* data = nullptr;
  std::int64_t extent = 0, stride = 1;  // along a line
  // The other axes, merged where memory allows, from slow to fast; the first unused ones have extent 1.
  std::int64_t outer[line_axes_max] = {1, 1, 1, 1, 1, 1, 1}, outer_stride[line_axes_max] = {};

  [[nodiscard]] std::int64_t lines() const {
    std::int64_t count = 1;
    for (const std::int64_t axis : outer) count *= axis;
    return count;
  }
  /// Neighbouring lines, each its stride from the next.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t columns() const { return outer[line_axes_max - 1]; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t column_stride() const { return outer_stride[line_axes_max - 1]; }

  /// Whether elements and lines follow each other in whole steps of a boundary, but for neighbours.
  [[nodiscard]] bool keep(const TileBoundary& boundary) const {
    return boundary.keeps(stride) && std::all_of(outer_stride, outer_stride + line_axes_max - 1,
                                                 [&](std::int64_t step) { return boundary.keeps(step); });
  }

  [[nodiscard]] KOKKOS_FUNCTION T* line(std::int64_t index) const {
    T* first = data;
    TESSERA_UNROLL
    for (int axis = line_axes_max - 1; axis >= 0; --axis) {
      if (index == 0) break;  // and so of the unused axes
      const QuotientRemainder split = divide(index, outer[axis]);
      first += split.remainder * outer_stride[axis];
      index = split.quotient;
    }
    return first;
  }
};

/// Both as lines along axis (0 <= axis < rank), in the same order. The extents are alike.
template <class In, class Out, View InView, View OutView>
std::pair<LineArray<In>, LineArray<Out>> line_arrays(const InView& in, const OutView& out, int axis) {
  constexpr int rank = static_cast<int>(InView::rank());
  struct Axis {
    std::int64_t extent, in_stride, out_stride;
  };
  // Neighbours in memory are neighbouring lines, whatever the layout: sorted by falling strides.
  std::array<Axis, line_axes_max + 1> axes{};
  std::size_t count = 0;
  for (int d = 0; d < rank; ++d) {
    if (d == axis || in.extent(d) == 1) continue;
    const Axis added{static_cast<std::int64_t>(in.extent(d)), static_cast<std::int64_t>(in.stride(d)),
                     static_cast<std::int64_t>(out.stride(d))};
    std::size_t at = count++;
    for (; at > 0 && axes[at - 1].in_stride < added.in_stride; --at) axes[at] = axes[at - 1];
    axes[at] = added;
  }
  LineArray<In> in_lines{in.data(), static_cast<std::int64_t>(in.extent(axis)),
                         static_cast<std::int64_t>(in.stride(axis))};
  LineArray<Out> out_lines{out.data(), static_cast<std::int64_t>(out.extent(axis)),
                           static_cast<std::int64_t>(out.stride(axis))};
  int at = line_axes_max;
  for (std::size_t d = count; d > 0; --d) {
    const Axis& next = axes[d - 1];
    const bool merges = at < line_axes_max && next.in_stride == in_lines.outer[at] * in_lines.outer_stride[at] &&
                        next.out_stride == out_lines.outer[at] * out_lines.outer_stride[at];
    if (merges) {
      in_lines.outer[at] *= next.extent;
      out_lines.outer[at] *= next.extent;
    } else {
      --at;
      in_lines.outer[at] = out_lines.outer[at] = next.extent;
      in_lines.outer_stride[at] = next.in_stride;
      out_lines.outer_stride[at] = next.out_stride;
    }
  }
  return {in_lines, out_lines};
}

}  // namespace tessera::detail

#endif

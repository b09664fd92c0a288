// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A view of rank 1 to 3 as lines along its last axis.
#ifndef TESSERA_FILTER_DETAIL_LINE_ARRAY_HPP
#define TESSERA_FILTER_DETAIL_LINE_ARRAY_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/tile_range.hpp>

namespace tessera::detail {

template <class T>
struct LineArray {
  T* data;
  std::int64_t extent, stride;             // along a line
  std::int64_t outer[2], outer_stride[2];  // slow and fast index of a line

  [[nodiscard]] std::int64_t lines() const { return outer[0] * outer[1]; }

  [[nodiscard]] KOKKOS_FUNCTION T* line(std::int64_t index) const {
    const QuotientRemainder split = divide(index, outer[1]);
    return data + split.quotient * outer_stride[0] + split.remainder * outer_stride[1];
  }
};

template <class T, View V>
LineArray<T> line_array(const V& view) {
  constexpr std::size_t rank = V::rank();
  LineArray<T> lines{view.data(),
                     static_cast<std::int64_t>(view.extent(rank - 1)),
                     static_cast<std::int64_t>(view.stride(rank - 1)),
                     {1, 1},
                     {0, 0}};
  for (std::size_t d = 0; d + 1 < rank; ++d) {
    const std::size_t outer = 3 - rank + d;
    lines.outer[outer] = static_cast<std::int64_t>(view.extent(d));
    lines.outer_stride[outer] = static_cast<std::int64_t>(view.stride(d));
  }
  return lines;
}

}  // namespace tessera::detail

#endif

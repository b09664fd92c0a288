// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread reads: a view of any rank and layout as elements 0 .. size-1, row-major.
#ifndef TESSERA_REDUCE_DETAIL_ELEMENT_RANGE_HPP
#define TESSERA_REDUCE_DETAIL_ELEMENT_RANGE_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/tile_range.hpp>

namespace tessera::detail {

template <class T>
struct ContiguousRange {
  using element_type = T;
  const T* data;
  std::int64_t size;

  KOKKOS_FUNCTION ContiguousRange part(std::int64_t begin, std::int64_t end) const {
    return {data + begin, end - begin};
  }
};

/// Rank >= 1. The fastest axis is last.
template <class T, int Rank>
struct StridedRange {
  using element_type = T;
  const T* data;
  std::int64_t size;
  std::int64_t first;
  std::int64_t extents[Rank];
  std::int64_t strides[Rank];

  KOKKOS_FUNCTION StridedRange part(std::int64_t begin, std::int64_t end) const {
    StridedRange result = *this;
    result.first += begin;
    result.size = end - begin;
    return result;
  }

  KOKKOS_FUNCTION const T& operator[](std::int64_t index) const {
    std::int64_t rest = first + index;
    std::int64_t offset = 0;
    for (int d = Rank - 1; d > 0; --d) {
      const QuotientRemainder split = divide(rest, extents[d]);
      offset += split.remainder * strides[d];
      rest = split.quotient;
    }
    return data[offset + rest * strides[0]];
  }
};

template <View V>
inline constexpr bool always_contiguous = V::rank() == 0 ||
                                          (V::rank() == 1 &&
                                           !std::is_same_v<typename V::array_layout, Kokkos::LayoutStride>);

/// A device-callable rank-1 view as a range.
template <View V>
KOKKOS_FUNCTION auto element_range(const V& view) requires(V::rank() <= 1) {
  using T = typename V::non_const_value_type;
  if constexpr (always_contiguous<V>) {
    return ContiguousRange<T>{view.data(), static_cast<std::int64_t>(view.size())};
  } else {
    return StridedRange<T, 1>{view.data(),
                              static_cast<std::int64_t>(view.size()),
                              0,
                              {static_cast<std::int64_t>(view.extent(0))},
                              {static_cast<std::int64_t>(view.stride(0))}};
  }
}

/// The fastest axis is put last, so that neighbouring indices are neighbours in memory where anything is.
template <View V>
auto strided_range(const V& view) {
  constexpr int rank = static_cast<int>(V::rank());
  StridedRange<typename V::non_const_value_type, rank> range{
      view.data(), static_cast<std::int64_t>(view.size()), 0, {}, {}};
  for (int d = 0; d < rank; ++d) {
    const int axis = std::is_same_v<typename V::array_layout, Kokkos::LayoutLeft> ? rank - 1 - d : d;
    range.extents[d] = static_cast<std::int64_t>(view.extent(axis));
    range.strides[d] = static_cast<std::int64_t>(view.stride(axis));
  }
  return range;
}

}  // namespace tessera::detail

#endif

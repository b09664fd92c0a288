// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread reads: a view of any rank and layout as elements 0 .. size-1.
#ifndef TESSERA_REDUCE_DETAIL_ELEMENT_RANGE_HPP
#define TESSERA_REDUCE_DETAIL_ELEMENT_RANGE_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/tile_range.hpp>

namespace tessera::detail {

/// The order of the elements is row-major already.
struct RowMajorPosition {
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t index) const { return index; }
};

/// Row-major position of the element that comes at index, where axes are walked in another order.
template <int Rank>
struct PermutedPosition {
  std::int64_t extents[Rank];  // in the order of the walk, fastest last
  std::int64_t strides[Rank];  // of the row-major position

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t index) const {
    std::int64_t position = 0;
    for (int d = Rank - 1; d > 0; --d) {
      const QuotientRemainder split = divide(index, extents[d]);
      position += split.remainder * strides[d];
      index = split.quotient;
    }
    return position + index * strides[0];
  }
};

/// The same for axes whose number only the run knows, 0 for row-major order. Kernels that ask rarely need no instance
/// for each rank.
struct AnyPosition {
  int rank;
  PermutedPosition<8> permuted;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t index) const { return rank == 0 ? index : permuted(index); }
};

template <class T, class Position = RowMajorPosition>
struct ContiguousRange {
  using element_type = T;
  const T* data;
  std::int64_t size;
  Position position = {};
  std::int64_t first = 0;  // index of data[0]

  KOKKOS_FUNCTION ContiguousRange part(std::int64_t begin, std::int64_t end) const {
    return {data + begin, end - begin, position, first + begin};
  }

  KOKKOS_FUNCTION const T& operator[](std::int64_t index) const { return data[index]; }
};

/// Rank >= 1. The fastest axis is last.
template <class T, int Rank, class Position = RowMajorPosition>
struct StridedRange {
  using element_type = T;
  const T* data;
  std::int64_t size;
  Position position;
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
    return StridedRange<T, 1>{
        view.data(), static_cast<std::int64_t>(view.size()),      {},
        0,           {static_cast<std::int64_t>(view.extent(0))}, {static_cast<std::int64_t>(view.stride(0))}};
  }
}

template <View V>
inline constexpr bool walks_row_major = V::rank() <= 1 || !std::is_same_v<typename V::array_layout, Kokkos::LayoutLeft>;

/// Where the elements of a view stand that is walked with its fastest axis last.
template <View V>
auto walk_position(const V& view) {
  if constexpr (walks_row_major<V>) {
    return RowMajorPosition{};
  } else {
    constexpr int rank = static_cast<int>(V::rank());
    PermutedPosition<rank> position;
    std::int64_t stride = 1;
    for (int axis = rank - 1; axis >= 0; --axis) {
      position.extents[rank - 1 - axis] = static_cast<std::int64_t>(view.extent(axis));
      position.strides[rank - 1 - axis] = stride;
      stride *= static_cast<std::int64_t>(view.extent(axis));
    }
    return position;
  }
}

/// Whether the elements follow each other in memory in the order of walk_position. A LayoutStride view without gaps may
/// have its axes in any order.
template <View V>
bool is_contiguous(const V& view) {
  if (!view.span_is_contiguous()) return false;
  if constexpr (std::is_same_v<typename V::array_layout, Kokkos::LayoutStride>) {
    std::size_t stride = 1;
    for (int axis = static_cast<int>(V::rank()) - 1; axis >= 0; --axis) {
      if (view.extent(axis) > 1 && view.stride(axis) != stride) return false;
      stride *= view.extent(axis);
    }
  }
  return true;
}

/// All elements of a view whose memory has no gaps, in the order of memory.
template <View V>
auto contiguous_range(const V& view) {
  using T = typename V::non_const_value_type;
  const auto position = walk_position(view);
  return ContiguousRange<T, std::decay_t<decltype(position)>>{view.data(), static_cast<std::int64_t>(view.size()),
                                                              position};
}

/// The same with one type for all layouts and ranks.
template <View V>
auto textbook_range(const V& view) {
  const auto position = walk_position(view);
  AnyPosition any{0, {}};
  if constexpr (!walks_row_major<V>) {
    any.rank = static_cast<int>(V::rank());
    for (int d = 0; d < 8; ++d) {
      const int axis = d - (8 - any.rank);
      any.permuted.extents[d] = axis < 0 ? 1 : position.extents[axis];
      any.permuted.strides[d] = axis < 0 ? 0 : position.strides[axis];
    }
  }
  return ContiguousRange<typename V::non_const_value_type, AnyPosition>{view.data(),
                                                                        static_cast<std::int64_t>(view.size()), any};
}

/// The fastest axis is put last, so that neighbouring indices are neighbours in memory where anything is.
template <View V>
auto strided_range(const V& view) {
  constexpr int rank = static_cast<int>(V::rank());
  const auto position = walk_position(view);
  StridedRange<typename V::non_const_value_type, rank, std::decay_t<decltype(position)>> range{
      view.data(), static_cast<std::int64_t>(view.size()), position, 0, {}, {}};
  for (int d = 0; d < rank; ++d) {
    const int axis = walks_row_major<V> ? d : rank - 1 - d;
    range.extents[d] = static_cast<std::int64_t>(view.extent(axis));
    range.strides[d] = static_cast<std::int64_t>(view.stride(axis));
  }
  return range;
}

}  // namespace tessera::detail

#endif

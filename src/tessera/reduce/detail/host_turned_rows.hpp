// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short rows of memory turned into the columns of a tile in a host's cache.
#ifndef TESSERA_REDUCE_DETAIL_HOST_TURNED_ROWS_HPP
#define TESSERA_REDUCE_DETAIL_HOST_TURNED_ROWS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tessera/detail/host_prefetch.hpp>
#include <tessera/transpose/detail/host_turn.hpp>
#include <type_traits>
#include <utility>

namespace tessera::detail {

/// Columns of a tile are so many, or a multiple.
inline constexpr int turned_group = 16;

/// Elements from those that are turned to those that are asked for, at least.
template <class T>
inline constexpr std::int64_t turned_ahead = 2048 / static_cast<std::int64_t>(sizeof(T));

template <int Length, class T>
void turn_rows_of(const T* from, std::int64_t stride, int rows, T* tile, int width) {
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < Length; ++k) tile[k * width + row] = from[row * stride + k];
  }
}
/// Side by side, which compilers turn in vectors.
template <int Length, class T>
void turn_adjacent_rows(const T* __restrict from, int rows, T* __restrict tile, int width) {
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < Length; ++k) tile[k * width + row] = from[row * Length + k];
  }
}

#ifdef TESSERA_HOST_SHUFFLES

/// Every second element of two vectors, from `From` on.
template <int From, class Vector, int... I>
void every_second(const Vector& first, const Vector& second, Vector& to, std::integer_sequence<int, I...>) {
  to = __builtin_shufflevector(first, second, (From + 2 * I)...);
}

/// As many rows of eight side by side as a vector has lanes; returns how many are done. Each round takes the lowest bit
/// of the place in a row out of the lanes.
template <class Word, class T>
int turn_eights(const T* from, int rows, T* tile, int width) {
  using Vector = TurnedVector<Word>;
  constexpr int side = static_cast<int>(sizeof(Vector) / sizeof(Word)), length = 8;
  using Lanes = std::make_integer_sequence<int, side>;
  int row = 0;
  for (; row + side <= rows; row += side) {
    Vector block[length];
#pragma GCC unroll 16
    for (int i = 0; i < length; ++i) {
      const T* elements = from + row * length + i * side;
      prefetch_line(elements, turned_ahead<T>);
      std::memcpy(&block[i], static_cast<const void*>(elements), sizeof(Vector));
    }
#pragma GCC unroll 16
    for (int round = 1; round < length; round *= 2) {
      Vector next[length];
#pragma GCC unroll 16
      for (int i = 0; i < length / 2; ++i) {
        every_second<0>(block[2 * i], block[2 * i + 1], next[i], Lanes{});
        every_second<1>(block[2 * i], block[2 * i + 1], next[i + length / 2], Lanes{});
      }
#pragma GCC unroll 16
      for (int i = 0; i < length; ++i) block[i] = next[i];
    }
#pragma GCC unroll 16
    for (int k = 0; k < length; ++k) {
      std::memcpy(static_cast<void*>(tile + k * width + row), &block[k], sizeof(Vector));
    }
  }
  return row;
}

#endif

/// tile[k * width + row] = from[row * stride + k] for k < length.
template <class T>
void turn_rows(const T* from, std::int64_t stride, int rows, int length, T* tile, int width) {
  const auto adjacent = [&]<int Length>(std::integral_constant<int, Length>) {
    stride == Length ? turn_adjacent_rows<Length>(from, rows, tile, width)
                     : turn_rows_of<Length>(from, stride, rows, tile, width);
  };
  if (length == 2) return adjacent(std::integral_constant<int, 2>{});
  if (length == 3) return adjacent(std::integral_constant<int, 3>{});
  if (length == 4) return adjacent(std::integral_constant<int, 4>{});
  int row = 0;
#ifdef TESSERA_HOST_SHUFFLES
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  if constexpr (sizeof(T) == sizeof(Word) && has_vector_turn<Word>) {
    using Vector = TurnedVector<Word>;
    constexpr int side = static_cast<int>(sizeof(Vector) / sizeof(Word));
    // The last block of a row begins so that it ends with the row; one of a shorter row ends in those that follow.
    const int reach = length >= side ? 0 : stride <= 0 ? rows : static_cast<int>((side - length + stride - 1) / stride);
    if (length == 8 && stride == length) row = turn_eights<Word>(from, rows, tile, width);
    const std::int64_t ahead = side * stride > turned_ahead<T> ? side * stride : turned_ahead<T>;
    for (; row + side + reach <= rows; row += side) {
      for (int done = 0; done < length; done += side) {
        const int first = length < side ? 0 : done < length - side ? done : length - side;
        const int count = length < side ? length : side;
        Vector block[side];
#pragma GCC unroll 16
        for (int i = 0; i < side; ++i) {
          const T* elements = from + (row + i) * stride + first;
          prefetch_line(elements, ahead);
          std::memcpy(&block[i], reinterpret_cast<const std::byte*>(elements), sizeof(Vector));
        }
        turn_vectors(block);
#pragma GCC unroll 16
        for (int k = 0; k < side; ++k) {
          if (k < count) std::memcpy(static_cast<void*>(tile + (first + k) * width + row), &block[k], sizeof(Vector));
        }
      }
    }
  }
#endif
  for (; row < rows; ++row) {
    for (int k = 0; k < length; ++k) tile[k * width + row] = from[row * stride + k];
  }
}

}  // namespace tessera::detail

#endif

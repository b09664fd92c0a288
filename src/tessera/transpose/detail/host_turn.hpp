// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of a tile turned by one thread of a host: element by element, in blocks of 4 x 4, in vectors.
#ifndef TESSERA_TRANSPOSE_DETAIL_HOST_TURN_HPP
#define TESSERA_TRANSPOSE_DETAIL_HOST_TURN_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/host_prefetch.hpp>
#include <tessera/detail/host_stream.hpp>
#include <tessera/detail/host_vector.hpp>
#include <tessera/transpose/detail/carrier.hpp>
#include <tessera/transpose/team_transpose.hpp>
#include <type_traits>
#include <utility>

namespace tessera::detail {

/// A tile whose rows, of elements side by side, begin anywhere.
template <class T>
struct ScatteredTile {
  T* data;
  const std::int64_t* rows;  // where they begin
  std::int64_t column_stride = 1;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T* row(int i) const { return data + rows[i]; }
};

struct TileRange {
  int row_begin, row_end, column_begin, column_end;
};

template <class In, class Out, class Function>
KOKKOS_FUNCTION void turn_elements(const In& in, const Out& out, const Function& function, const TileRange& range) {
  for (int column = range.column_begin; column < range.column_end; ++column) {
    auto* const target = out.row(column);
    for (int row = range.row_begin; row < range.row_end; ++row) {
      target[row * out.column_stride] = function(in.row(row)[column * in.column_stride]);
    }
  }
}

/// Side of the blocks whose rows compilers keep in vector registers, and the columns of a tile that one thread takes
/// together.
inline constexpr int turned_side = 4;
inline constexpr int turned_columns = 16;

/// The block whose first row and column these are.
template <class In, class Out, class Function>
KOKKOS_FORCEINLINE_FUNCTION void turn_block(const In& in, const Out& out, const Function& function, int row,
                                            int column) {
  constexpr int side = turned_side;
  if (in.column_stride == 1 && out.column_stride == 1) {
    std::remove_reference_t<decltype(*out.data)> block[side][side];
    for (int i = 0; i < side; ++i) {
      const auto* const source = in.row(row + i) + column;
      for (int j = 0; j < side; ++j) block[j][i] = function(source[j]);
    }
    for (int j = 0; j < side; ++j) {
      auto* const target = out.row(column + j) + row;
      for (int i = 0; i < side; ++i) target[i] = block[j][i];
    }
    return;
  }
  for (int i = 0; i < side; ++i) {
    const auto* const source = in.row(row + i) + column * in.column_stride;
    for (int j = 0; j < side; ++j) {
      out.row(column + j)[(row + i) * out.column_stride] = function(source[j * in.column_stride]);
    }
  }
}

/// Rows 0 .. rows - 1 of the columns column_begin .. column_end - 1.
template <class In, class Out, class Function>
KOKKOS_FUNCTION void turn_columns(const In& in, const Out& out, const Function& function, int rows, int column_begin,
                                  int column_end) {
  constexpr int side = turned_side;
  const int whole_rows = rows / side * side;
  int column = column_begin;
  for (; column + side <= column_end; column += side) {
    for (int row = 0; row < whole_rows; row += side) turn_block(in, out, function, row, column);
    turn_elements(in, out, function, {whole_rows, rows, column, column + side});
  }
  turn_elements(in, out, function, {0, rows, column, column_end});
}

#ifdef TESSERA_HOST_SHUFFLES

/// Whether compilers turn blocks of T in vectors that the machine has.
template <class T>
inline constexpr bool has_vector_turn = std::is_same_v<T, word_of<sizeof(T)>> &&
                                        (sizeof(T) < 8 || host_vector_bytes > 16);

/// Of the vectors for elements of so many bytes: of short ones, a wider one's block would not stay in registers.
constexpr int turned_bytes(std::size_t element_bytes) { return element_bytes < 4 ? 16 : host_vector_bytes; }
template <class T>
inline constexpr int turned_vector_bytes = turned_bytes(sizeof(T));
/// Side of the largest blocks of elements of so many bytes.
constexpr int turned_block_side(std::size_t element_bytes) {
  return element_bytes > 8 ? turned_side : turned_bytes(element_bytes) / static_cast<int>(element_bytes);
}
template <class T, int Bytes = turned_vector_bytes<T>>
using TurnedVector = HostVector<T, Bytes / static_cast<int>(sizeof(T))>;

/// Elements of both in turn, from their halves that begin at from.
template <int From, class Vector, int... I>
void interleave(const Vector& first, const Vector& second, Vector& to, std::integer_sequence<int, I...>) {
  constexpr int size = sizeof...(I);
  to = __builtin_shufflevector(first, second, (From + I / 2 + I % 2 * size)...);
}

/// Rows of a square block to its columns: each round rotates the bits of row and lane, taken together, by one.
template <class Vector, std::size_t Side>
void turn_vectors(Vector (&rows)[Side]) {
  constexpr int side = static_cast<int>(Side), half = side / 2;
  using Lanes = std::make_integer_sequence<int, side>;
#pragma GCC unroll 8
  for (int round = 1; round < side; round *= 2) {
    Vector next[Side];
#pragma GCC unroll 16
    for (int i = 0; i < half; ++i) {
      interleave<0>(rows[i], rows[i + half], next[2 * i], Lanes{});
      interleave<half>(rows[i], rows[i + half], next[2 * i + 1], Lanes{});
    }
#pragma GCC unroll 16
    for (int i = 0; i < side; ++i) rows[i] = next[i];
  }
}

/// A block of side x side elements from this row and column on, and what stands `ahead` elements on in its rows on its
/// way to the caches. By value: what is written may be anything, so that references would be read anew each time.
template <bool Streamed, class T, int Bytes, class In, class Out>
KOKKOS_FORCEINLINE_FUNCTION void turn_square(const In in, const Out out, int row, int column, std::int64_t ahead) {
  constexpr int side = Bytes / static_cast<int>(sizeof(T));
  TurnedVector<T, Bytes> block[side];
#pragma GCC unroll 16
  for (int i = 0; i < side; ++i) {
    const T* const source = in.row(row + i) + column;
    load_vector(source, block[i]);
    prefetch_line(source, ahead);
  }
  turn_vectors(block);
#pragma GCC unroll 16
  for (int j = 0; j < side; ++j) {
    T* const target = out.row(column + j) + row;
    if constexpr (Streamed) {
      stream_vector(block[j], target);
    } else {
      store_vector(block[j], target);
    }
  }
}

#ifdef TESSERA_HOST_MASKS

inline constexpr bool has_masked_turn = true;

/// Likewise of fewer columns, or of fewer of either. A store of some lanes takes longer than one of all (on a Zen 5).
template <bool AllRows, class T, int Bytes, class In, class Out>
KOKKOS_FORCEINLINE_FUNCTION void turn_part(const In in, const Out out, int row, int column, int rows, int columns,
                                           std::int64_t ahead) {
  constexpr int side = Bytes / static_cast<int>(sizeof(T));
  const std::uint32_t loaded = (1u << columns) - 1;
  [[maybe_unused]] const std::uint32_t stored = (1u << rows) - 1;
  TurnedVector<T, Bytes> block[side];
#pragma GCC unroll 16
  for (int i = 0; i < side; ++i) {
    const T* const source = in.row(row + Kokkos::min(i, rows - 1)) + column;
    load_masked(source, loaded, block[i]);
    prefetch_line(source, ahead);
  }
  turn_vectors(block);
#pragma GCC unroll 16
  for (int j = 0; j < side; ++j) {
    if (j >= columns) break;
    T* const target = out.row(column + j) + row;
    if constexpr (AllRows) {
      store_vector(block[j], target);
    } else {
      store_masked(block[j], stored, target);
    }
  }
}

#else

inline constexpr bool has_masked_turn = false;

#endif

/// Columns begin .. end - 1 of a tile, along the rows. Elements of both tiles stand next to each other, in's in rows,
/// out's in columns. Tiles too small for a block go in narrower vectors, or in parts of them. Streamed: to boundaries
/// of vectors. ahead: as turn_square() has it.
template <bool Streamed, class T, int Bytes = turned_vector_bytes<T>, class In, class Out>
void turn_in_vectors(const In& in, const Out& out, int rows, int begin, int end, std::int64_t ahead) {
  constexpr int side = Bytes / static_cast<int>(sizeof(T));
  const int columns = end - begin;
  const bool is_short = rows < side || columns < side;
  if constexpr (Bytes > 16) {
    if (is_short && (!has_masked_turn || 2 * Kokkos::min(rows, columns) <= side))
      return turn_in_vectors<false, T, Bytes / 2>(in, out, rows, begin, end, ahead);
  }
  if (is_short) {
#ifdef TESSERA_HOST_MASKS
    const int across = Kokkos::min(columns, side);
    const auto turn_parts = [&]<bool AllRows>(int down) {
      for (int row = 0; row < rows; row += side) {
        for (int column = begin; column < end; column += side) {
          turn_part<AllRows, T, Bytes>(in, out, Kokkos::min(row, rows - down), Kokkos::min(column, end - across), down,
                                       across, ahead);
        }
      }
    };
    rows < side ? turn_parts.template operator()<false>(rows) : turn_parts.template operator()<true>(side);
    return;
#else
    return turn_elements(in, out, Unchanged(), {0, rows, begin, end});
#endif
  }
  const int whole_rows = rows / side * side;
  for (int row = 0; row < (Streamed ? whole_rows : rows); row += side) {
    // The last blocks take elements of those before once more, where they may begin anywhere.
    const int block_row = Streamed ? row : Kokkos::min(row, rows - side);
    for (int column = begin; column < end; column += side)
      turn_square<Streamed, T, Bytes>(in, out, block_row, Kokkos::min(column, end - side), ahead);
  }
  if constexpr (Streamed) turn_elements(in, out, Unchanged(), {whole_rows, rows, begin, end});
}

#else

constexpr int turned_block_side(std::size_t) { return turned_side; }
template <class T>
inline constexpr bool has_vector_turn = false;

#endif

/// Rows and columns that a matrix has which is worth turning in blocks.
#ifdef TESSERA_HOST_MASKS
inline constexpr int turned_least = 3;
#else
inline constexpr int turned_least = turned_side;
#endif

template <class In, class Out, class Function>
inline constexpr bool turns_vectors =
    std::is_same_v<Function, Unchanged>&& std::is_same_v<In, Out>&& has_vector_turn<Out>;

/// Columns begin .. end - 1 of a tile, along the rows, as quickly as the strides allow. ahead: of what comes next, in
/// elements.
template <bool Streamed, class In, class Out, class Function>
KOKKOS_FUNCTION void turn(const In& in, const Out& out, const Function& function, int rows, int begin, int end,
                          [[maybe_unused]] std::int64_t ahead) {
#ifdef TESSERA_HOST_SHUFFLES
  using Element = std::remove_reference_t<decltype(*out.data)>;
  if constexpr (turns_vectors<std::remove_cvref_t<decltype(*in.data)>, Element, Function>) {
    if (in.column_stride == 1 && out.column_stride == 1) {
      return turn_in_vectors<Streamed, Element>(in, out, rows, begin, end, ahead);
    }
  }
#endif
  turn_columns(in, out, function, rows, begin, end);
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of a tile turned by one thread of a host: element by element, in blocks of 4 x 4, in vectors.
#ifndef TESSERA_TRANSPOSE_DETAIL_HOST_TURN_HPP
#define TESSERA_TRANSPOSE_DETAIL_HOST_TURN_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/host_stream.hpp>
#include <tessera/detail/host_vector.hpp>
#include <tessera/transpose/detail/carrier.hpp>
#include <tessera/transpose/team_transpose.hpp>
#include <type_traits>
#include <utility>

namespace tessera::detail {

struct TileRange {
  int row_begin, row_end, column_begin, column_end;
};

template <class In, class Out, class Function>
KOKKOS_FUNCTION void turn_elements(const StridedTile<const In>& in, const StridedTile<Out>& out,
                                   const Function& function, const TileRange& range) {
  for (int column = range.column_begin; column < range.column_end; ++column) {
    for (int row = range.row_begin; row < range.row_end; ++row) {
      out.data[column * out.row_stride + row * out.column_stride] =
          function(in.data[row * in.row_stride + column * in.column_stride]);
    }
  }
}

/// Side of the blocks whose rows compilers keep in vector registers, and the columns of a tile that one thread takes
/// together.
inline constexpr int turned_side = 4;
inline constexpr int turned_columns = 16;

template <class In, class Out, class Function>
KOKKOS_FORCEINLINE_FUNCTION void turn_block(const In* source, const StridedTile<const In>& in, Out* target,
                                            const StridedTile<Out>& out, const Function& function) {
  constexpr int side = turned_side;
  if (in.column_stride == 1 && out.column_stride == 1) {
    Out block[side][side];
    for (int i = 0; i < side; ++i) {
      for (int j = 0; j < side; ++j) block[j][i] = function(source[i * in.row_stride + j]);
    }
    for (int j = 0; j < side; ++j) {
      for (int i = 0; i < side; ++i) target[j * out.row_stride + i] = block[j][i];
    }
    return;
  }
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      target[j * out.row_stride + i * out.column_stride] = function(source[i * in.row_stride + j * in.column_stride]);
    }
  }
}

/// Rows 0 .. rows - 1 of the columns column_begin .. column_end - 1.
template <class In, class Out, class Function>
KOKKOS_FUNCTION void turn_columns(const StridedTile<const In>& in, const StridedTile<Out>& out,
                                  const Function& function, int rows, int column_begin, int column_end) {
  constexpr int side = turned_side;
  const int whole_rows = rows / side * side;
  int column = column_begin;
  for (; column + side <= column_end; column += side) {
    for (int row = 0; row < whole_rows; row += side) {
      turn_block(in.data + row * in.row_stride + column * in.column_stride, in,
                 out.data + column * out.row_stride + row * out.column_stride, out, function);
    }
    turn_elements(in, out, function, {whole_rows, rows, column, column + side});
  }
  turn_elements(in, out, function, {0, rows, column, column_end});
}

#ifdef TESSERA_HOST_SHUFFLES

/// Whether compilers turn blocks of T in vectors that the machine has.
template <class T>
inline constexpr bool has_vector_turn = std::is_same_v<T, word_of<sizeof(T)>> &&
                                        (sizeof(T) < 8 || host_vector_bytes > 16);

/// Of short elements, a wider one's block would not stay in registers.
template <class T>
inline constexpr int turned_vector_bytes = sizeof(T) < 4 ? 16 : host_vector_bytes;
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

/// Columns begin .. end - 1 of a tile, along the rows, and what stands `ahead` elements on in these on its way to the
/// caches meanwhile. Elements of both tiles stand next to each other, in's in rows, out's in columns. Tiles too small
/// for a block go in narrower vectors. Streamed: to boundaries of vectors.
template <bool Streamed, class T, int Bytes = turned_vector_bytes<T>>
void turn_in_vectors(const StridedTile<const T>& in, const StridedTile<T>& out, int rows, int begin, int end,
                     std::int64_t ahead) {
  using Vector = TurnedVector<T, Bytes>;
  constexpr int side = Bytes / static_cast<int>(sizeof(T));
  if (rows < side || end - begin < side) {
    if constexpr (Bytes > 16) return turn_in_vectors<false, T, Bytes / 2>(in, out, rows, begin, end, ahead);
    return turn_elements(in, out, Unchanged(), {0, rows, begin, end});
  }
  const auto turn_block = [&](int row, int column) {
    Vector block[side];
    const T* source = in.data + row * in.row_stride + column;
    for (int i = 0; i < side; ++i, source += in.row_stride) {
      load_vector(source, block[i]);
      __builtin_prefetch(source + ahead);
    }
    turn_vectors(block);
    T* target = out.data + column * out.row_stride + row;
    for (int j = 0; j < side; ++j, target += out.row_stride) {
      if constexpr (Streamed) {
        stream_vector(block[j], target);
      } else {
        store_vector(block[j], target);
      }
    }
  };
  const int whole_rows = rows / side * side;
  for (int row = 0; row < (Streamed ? whole_rows : rows); row += side) {
    // The last blocks take elements of those before once more, where they may begin anywhere.
    const int block_row = Streamed ? row : Kokkos::min(row, rows - side);
    for (int column = begin; column < end; column += side) turn_block(block_row, Kokkos::min(column, end - side));
  }
  if constexpr (Streamed) turn_elements(in, out, Unchanged(), {whole_rows, rows, begin, end});
}

#else

template <class T>
inline constexpr bool has_vector_turn = false;

#endif

template <class In, class Out, class Function>
inline constexpr bool turns_vectors =
    std::is_same_v<Function, Unchanged>&& std::is_same_v<In, Out>&& has_vector_turn<Out>;

/// Whether a matrix is worth turning in blocks: shorter rows take longer to find than to move (measured on a Zen 5).
KOKKOS_INLINE_FUNCTION constexpr bool takes_blocks(std::int64_t rows, std::int64_t columns) {
  return Kokkos::min(rows, columns) >= turned_side && Kokkos::max(rows, columns) >= 4 * turned_side;
}

/// Columns begin .. end - 1 of a tile, along the rows, as quickly as the strides allow. ahead: of what comes next, in
/// elements.
template <bool Streamed, class In, class Out, class Function>
KOKKOS_FUNCTION void turn(const StridedTile<const In>& in, const StridedTile<Out>& out, const Function& function,
                          int rows, int begin, int end, [[maybe_unused]] std::int64_t ahead) {
#ifdef TESSERA_HOST_SHUFFLES
  if constexpr (turns_vectors<In, Out, Function>) {
    if (in.column_stride == 1 && out.column_stride == 1) {
      return turn_in_vectors<Streamed>(in, out, rows, begin, end, ahead);
    }
  }
#endif
  turn_columns(in, out, function, rows, begin, end);
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variants packed and naive on hosts: a tile stays in the first cache, and is a nest of loops there.
#ifndef TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_NEST_HPP
#define TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_NEST_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tessera/concepts.hpp>
#include <tessera/detail/host_prefetch.hpp>
#include <tessera/detail/host_stream.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/transpose/detail/host_turn.hpp>
#include <tessera/transpose/detail/tile_nest.hpp>
#include <tessera/transpose/detail/tile_tables.hpp>
#include <type_traits>

namespace tessera::detail {

template <class In, class Out, class Function>
struct NestJob {
  using in_type = In;
  using out_type = Out;
  const In* in;
  Out* out;
  Function function;
  std::uint32_t tiles;
  TileTables tables;
  TileNest nest;
};

/// Moves Bytes bytes at once.
template <int Bytes>
KOKKOS_FORCEINLINE_FUNCTION void move_bytes(const std::byte* in, std::byte* out) {
  struct Piece {
    std::byte bytes[Bytes];
  };
  Piece piece;
  std::memcpy(&piece, in, sizeof(piece));
  std::memcpy(out, &piece, sizeof(piece));
}

/// A row of at least Bytes bytes: of fewer than twice as many, its beginning and its end.
template <int Bytes>
KOKKOS_FORCEINLINE_FUNCTION void move_bytes_of(const std::byte* in, std::byte* out, std::int64_t count) {
  if constexpr (Bytes == 64) {
    for (std::int64_t done = 0; done < count - Bytes; done += Bytes) move_bytes<Bytes>(in + done, out + done);
  } else {
    move_bytes<Bytes>(in, out);
  }
  move_bytes<Bytes>(in + count - Bytes, out + count - Bytes);
}

/// The last tile of an axis is no longer than what is left. Threads of a team take tiles in turn.
template <ExecutionSpace Space, class Job>
struct TransposeNest {
  using policy_type = Kokkos::TeamPolicy<Space>;
  using member_type = typename policy_type::member_type;
  using In = typename Job::in_type;
  using Out = typename Job::out_type;

  Job job;
  std::size_t scratch_bytes;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    auto* const table = reinterpret_cast<std::int64_t*>(team_scratch(team, scratch_bytes));
    const Places places = find_places(team, table);
    const TileWalk walk = tile_walk(team, job.tiles);
    const std::int64_t step = walk.step * team.team_size();
    std::int64_t number = walk.begin + walk.step * team.team_rank();
    if (number >= walk.end) return;
    Tile tile = place(number);
    for (; number < walk.end; number += step) {
      const Tile next = number + step < walk.end ? place(number + step) : tile;
      tile.ahead = next.in - tile.in;
      move_tile(tile, places);
      tile = next;
    }
  }

 private:
  /// Tables of a team: of the elements of a row in the input, or of a matrix' rows; of its columns in the output; of
  /// rows on both sides.
  struct Places {
    const std::int64_t *inner, *across, *in_rows, *out_rows;
  };
  struct Tile {
    const In* in;
    Out* out;
    std::int64_t extents[tile_digits_max];  // in the output's order
    std::int64_t ahead;                     // to the next one in the input
  };

  [[nodiscard]] KOKKOS_FUNCTION const TileDigit& digit(int d) const { return job.tables.out_order[job.nest.digits[d]]; }

  /// The places of the elements of digits begin .. end - 1, the first one fastest.
  KOKKOS_FUNCTION void fill(std::int64_t* table, int begin, int end, std::int64_t TileDigit::*stride) const {
    std::int64_t* filled = table;
    *filled++ = 0;
    for (int d = begin; d < end; ++d) {
      const std::int64_t count = filled - table;
      for (std::int64_t index = 1; index < digit(d).extent; ++index) {
        for (std::int64_t e = 0; e < count; ++e) *filled++ = table[e] + index * (digit(d).*stride);
      }
    }
  }

  KOKKOS_FUNCTION Places find_places(const member_type& team, std::int64_t* table) const {
    const TileNest& nest = job.nest;
    const int across = nest.inner, looped = across + nest.across;
    std::int64_t* const across_table = table + (nest.tables_inner() ? nest.inner_extent : 0);
    std::int64_t* const in_rows = across_table + (nest.tables_across() ? nest.across_extent : 0);
    std::int64_t* const out_rows = in_rows + nest.looped_extent;
    if (team.team_rank() == 0) {
      if (nest.tables_inner()) fill(table, 0, across, &TileDigit::in_stride);
      if (nest.tables_across()) fill(across_table, across, looped, &TileDigit::out_stride);
      if (nest.tables_rows()) {
        fill(in_rows, looped, looped + nest.looped, &TileDigit::in_stride);
        fill(out_rows, looped, looped + nest.looped, &TileDigit::out_stride);
      }
    }
    team.team_barrier();
    return {table, across_table, in_rows, out_rows};
  }

  [[nodiscard]] KOKKOS_FUNCTION Tile place(std::int64_t number) const {
    const TileTables& tables = job.tables;
    Tile tile{job.in, job.out, {}, 0};
    for (int d = 0; d < tables.digits; ++d) tile.extents[d] = tables.out_order[d].extent;
    for_tile_indices(tables, static_cast<std::uint32_t>(number),
                     [&](const TileAxis& axis, std::uint32_t index, bool last) {
                       tile.in += index * axis.in_step;
                       tile.out += index * axis.out_step;
                       if (last && axis.digit >= 0) tile.extents[axis.digit] = axis.last_extent;
                     });
    return tile;
  }

  KOKKOS_FUNCTION void move_tile(const Tile& tile, const Places& places) const {
    if (job.nest.body != NestBody::matrices && job.nest.in_run * sizeof(In) >= stream_line) prefetch_next(tile);
    switch (job.nest.body) {
      case NestBody::copied:
        return move_copied(tile, places);
      case NestBody::strided:
        return move_strided(tile, places);
      case NestBody::gathered:
        return move_gathered(tile, places);
      case NestBody::matrices:
        return move_matrices(tile, places);
    }
  }

  [[nodiscard]] KOKKOS_FUNCTION int extent_of(const Tile& tile, int begin, int end) const {
    std::int64_t extent = 1;
    for (int d = begin; d < end; ++d) extent *= tile.extents[job.nest.digits[d]];
    return static_cast<int>(extent);
  }

  /// Calls visit(in, out) for the indices of all digits begin .. count - 1, which digit_of(d) and extent_of(d) tell.
  template <class DigitOf, class ExtentOf, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each_index(int begin, int count, const In* in, Out* out,
                                                         const DigitOf& digit_of, const ExtentOf& extent_of,
                                                         const Visit& visit) {
    if (begin == count) return visit(in, out);
    std::int64_t index[tile_digits_max] = {};
    const std::int64_t in_step = digit_of(begin).in_stride, out_step = digit_of(begin).out_stride;
    const std::int64_t places = extent_of(begin);
    for (;;) {
      for (std::int64_t place = 0; place < places; ++place) visit(in + place * in_step, out + place * out_step);
      int d = begin + 1;
      for (; d < count; ++d) {
        const TileDigit& digit = digit_of(d);
        in += digit.in_stride;
        out += digit.out_stride;
        if (++index[d] < extent_of(d)) break;
        in -= index[d] * digit.in_stride;
        out -= index[d] * digit.out_stride;
        index[d] = 0;
      }
      if (d == count) return;
    }
  }

  /// Of the nest's digits.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_place(const Tile& tile, int begin, const Visit& visit) const {
    for_each_index(
        begin, job.tables.digits, tile.in, tile.out, [&](int d) -> const TileDigit& { return digit(d); },
        [&](int d) { return std::int64_t{extent_of(tile, d, d + 1)}; }, visit);
  }

  /// What the next tile reads on its way to the caches, as its blocks ask for a matrix: cores do not follow short runs.
  KOKKOS_FUNCTION void prefetch_next(const Tile& tile) const {
    const TileTables& tables = job.tables;
    for_each_index(
        job.nest.in_run_digits, tables.digits, tile.in, tile.out,
        [&](int d) -> const TileDigit& { return tables.in_order[d]; },
        [&](int d) { return std::int64_t{tables.in_order[d].extent}; },
        [count = job.nest.in_run, ahead = tile.ahead](const In* run, Out*) { prefetch_run(run, ahead, count); });
  }

  /// Calls move_row(in, out) for all rows. Visits hold what they need by value: it would be read anew after each
  /// element that is written, which may be a number as well.
  template <class MoveRow>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_row(const Tile& tile, const Places& places, const MoveRow& move_row) const {
    const int begin = job.nest.inner, end = begin + job.nest.looped;
    const int rows = extent_of(tile, begin, end);
    if (job.nest.tables_rows()) {
      for_each_place(tile, end,
                     [rows, move_row, in_rows = places.in_rows, out_rows = places.out_rows](const In* in, Out* out) {
                       for (int row = 0; row < rows; ++row) move_row(in + in_rows[row], out + out_rows[row]);
                     });
      return;
    }
    const std::int64_t in_step = rows > 1 ? digit(begin).in_stride : 0,
                       out_step = rows > 1 ? digit(begin).out_stride : 0;
    for_each_place(tile, end, [rows, move_row, in_step, out_step](const In* in, Out* out) {
      for (int row = 0; row < rows; ++row) move_row(in + row * in_step, out + row * out_step);
    });
  }

  TESSERA_NOINLINE KOKKOS_FUNCTION void move_copied(const Tile& tile, const Places& places) const {
    const std::int64_t count = extent_of(tile, 0, 1);
    if constexpr (std::is_same_v<decltype(job.function), Unchanged> && std::is_same_v<In, Out>) {
      const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(In));
      const auto move = [&]<int Bytes>() {
        for_each_row(tile, places, [bytes](const In* in, Out* out) {
          move_bytes_of<Bytes>(reinterpret_cast<const std::byte*>(in), reinterpret_cast<std::byte*>(out), bytes);
        });
      };
      if (bytes >= 64) return move.template operator()<64>();
      if (bytes >= 32) return move.template operator()<32>();
      if (bytes >= 16) return move.template operator()<16>();
      if (bytes >= 8) return move.template operator()<8>();
      if (bytes >= 4) return move.template operator()<4>();
      if (bytes >= 2) return move.template operator()<2>();
    }
    for_each_row(tile, places, [count, function = job.function](const In* in, Out* out) {
      for (std::int64_t i = 0; i < count; ++i) out[i] = function(in[i]);
    });
  }

  TESSERA_NOINLINE KOKKOS_FUNCTION void move_strided(const Tile& tile, const Places& places) const {
    const std::int64_t count = extent_of(tile, 0, job.nest.inner);
    const std::int64_t in_stride = count > 1 ? digit(0).in_stride : 1, out_stride = count > 1 ? digit(0).out_stride : 1;
    if (count == 2 && interleaves(2)) return move_interleaved<2>(tile, in_stride);
    if (count == 3 && interleaves(3)) return move_interleaved<3>(tile, in_stride);
    // Of steps that they know, compilers make vectors. 0: others.
    const auto move = [&]<int InStep, int OutStep>() {
      for_each_row(tile, places, [count, in_stride, out_stride, function = job.function](const In* from, Out* to) {
        const In* KOKKOS_RESTRICT in = from;
        Out* KOKKOS_RESTRICT out = to;
        const std::int64_t in_step = InStep > 0 ? InStep : in_stride, out_step = OutStep > 0 ? OutStep : out_stride;
        for (std::int64_t i = 0; i < count; ++i) out[i * out_step] = function(in[i * in_step]);
      });
    };
    if (out_stride != 1) return move.template operator()<0, 0>();
    if (in_stride == 2) return move.template operator()<2, 1>();
    if (in_stride == 3) return move.template operator()<3, 1>();
    move.template operator()<0, 1>();
  }

  /// Whether rows of so many elements follow each other in the output, and what they are made of in the input.
  [[nodiscard]] KOKKOS_FUNCTION bool interleaves(int count) const {
    const TileNest& nest = job.nest;
    return nest.looped == 1 && digit(0).out_stride == 1 && digit(nest.inner).in_stride == 1 &&
           digit(nest.inner).out_stride == count;
  }

  /// A loop that compilers make vectors of.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void move_interleaved(const Tile& tile, std::int64_t in_stride) const {
    const int begin = job.nest.inner, rows = extent_of(tile, begin, begin + 1);
    for_each_place(tile, begin + 1, [rows, in_stride, function = job.function](const In* from, Out* to) {
      const In* KOKKOS_RESTRICT in = from;
      Out* KOKKOS_RESTRICT out = to;
      for (int row = 0; row < rows; ++row) {
        for (int i = 0; i < Count; ++i) out[row * Count + i] = function(in[row + i * in_stride]);
      }
    });
  }

  TESSERA_NOINLINE KOKKOS_FUNCTION void move_gathered(const Tile& tile, const Places& places) const {
    const int count = extent_of(tile, 0, job.nest.inner);
    for_each_row(tile, places, [count, elements = places.inner, function = job.function](const In* in, Out* out) {
      for (int i = 0; i < count; ++i) out[i] = function(in[elements[i]]);
    });
  }

  TESSERA_NOINLINE KOKKOS_FUNCTION void move_matrices(const Tile& tile, const Places& places) const {
    const int columns_begin = job.nest.inner, rest = columns_begin + job.nest.across;
    const int rows = extent_of(tile, 0, columns_begin), columns = extent_of(tile, columns_begin, rest);
    for_each_place(tile, rest, [&](const In* in, Out* out) {
      turn<false>(ScatteredTile<const In>{in, places.inner}, ScatteredTile<Out>{out, places.across}, job.function, rows,
                  0, columns, tile.ahead);
    });
  }
};

}  // namespace tessera::detail

#endif

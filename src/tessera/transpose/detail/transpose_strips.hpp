// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant swizzled on devices, of elements of 1 and 2 bytes whose rows begin anywhere. A team goes down a strip of the
// input: it copies a tile's rows to scratch as they lie in memory, shifts them into words, turns those in registers,
// and writes the whole sectors of the output's rows that are then in scratch. What is left it writes with its next
// tile.
#ifndef TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_STRIPS_HPP
#define TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_STRIPS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/async_copy.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/transpose/detail/short_words.hpp>
#include <tessera/transpose/detail/transpose_job.hpp>
#include <tessera/transpose/detail/transpose_launch.hpp>
#include <tessera/transpose/team_transpose.hpp>
#include <tessera/transpose/transpose_plan.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Job>
struct TransposeStrips {
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<transpose_team_size, strip_teams_at_once>>;
  using member_type = typename policy_type::member_type;
  using In = typename Job::in_type;
  using Out = typename Job::out_type;
  using Word = std::uint32_t;
  using Piece = Whole16;
  static_assert(sizeof(In) == sizeof(Out) && sizeof(Word) == strip_word_bytes);
  static constexpr unsigned width = strip_width(sizeof(In), sizeof(Out));
  static constexpr unsigned tile_rows = width * strip_words_down, tile_columns = width * strip_words_across;
  static constexpr unsigned tile_bytes = strip_words_down * sizeof(Word);  // of a row of the output
  static constexpr unsigned pieces = tile_bytes / sizeof(Piece);
  static constexpr unsigned row_bytes = strip_row_words * sizeof(Word),
                            column_bytes = strip_column_words * sizeof(Word);
  static constexpr unsigned team_size = transpose_team_size;
  // So far apart are the rows of a thread, those whose words it turns and the columns that it writes: all of them begin
  // at the same place in a sector, in every tile.
  static constexpr unsigned apart = team_size / pieces, words_apart = team_size / strip_words_down;
  static_assert(apart % sector_bytes == 0 && words_apart * sizeof(Word) % sector_bytes == 0 &&
                tile_bytes % sector_bytes == 0);

  Job job;
  const In* end;  // of what the input's elements span
  StripPieces down;
  std::uint32_t count;  // pieces of all strips

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    constexpr StripScratch at = strip_scratch(width);
    std::byte* scratch = team_scratch(team, at.bytes);
    for (auto number = static_cast<std::uint32_t>(team.league_rank()); number < count;
         number += static_cast<std::uint32_t>(team.league_size())) {
      const std::uint32_t of_matrix = down.count * job.tiles_across.value(), matrix = number / of_matrix;
      const std::uint32_t in_matrix = number - matrix * of_matrix,
                          group = in_matrix / (down.in_group * job.tiles_across.value());
      const std::uint32_t first = group * down.in_group, in_group = Kokkos::min(down.in_group, down.count - first);
      const std::uint32_t in_order = in_matrix - first * job.tiles_across.value(), across = in_order / in_group;
      const std::uint32_t strip = matrix * job.tiles_across.value() + across,
                          piece = first + in_order - across * in_group;
      TilePlace place = job.place(strip * job.tiles_down.value());
      place.row = std::int64_t{piece} * down.rows_apart;
      move_piece(team, place, scratch + at.rows, scratch + at.columns);
    }
  }

 private:
  /// A column in scratch, from what its last tile left on: columns of a word are apart, so that those of neighbouring
  /// words are in different banks.
  KOKKOS_FORCEINLINE_FUNCTION static unsigned column_at(unsigned column) {
    return (column % width * strip_words_across + column / width) * column_bytes;
  }

  KOKKOS_FUNCTION void move_piece(const member_type& team, const TilePlace& at, std::byte* rows,
                                  std::byte* columns) const {
    const auto rank = static_cast<unsigned>(team.team_rank());
    const auto columns_here = static_cast<unsigned>(Kokkos::min<std::int64_t>(tile_columns, job.columns - at.column));
    const StridedTile<const In> in = job.source(at);
    StridedTile<Out> target = job.target(at);
    // A strip's other pieces begin and end with whole sectors.
    const bool begins = at.row == 0, ends = job.rows - at.row <= down.rows;
    auto rows_left = static_cast<unsigned>(Kokkos::min<std::int64_t>(down.rows, job.rows - at.row));
    RowCopies copies(rank, in, rows);
    RowWords words(rank, in, rows);
    ColumnPieces written(rank, target, columns);
    Word left[left_each] = {};
    const std::byte* source = reinterpret_cast<const std::byte*>(in.data);
    begin_rows(rank, source, in.row_stride, Kokkos::min(rows_left, unsigned{tile_rows}), columns_here, copies, rows);
    for (bool first = true; rows_left > 0; first = false) {
      const unsigned row_count = Kokkos::min(rows_left, unsigned{tile_rows});
      wait_for_async_groups<0>();
      team.team_barrier();
      for_each_left(rank, [&](int k, unsigned place) { *reinterpret_cast<Word*>(columns + place) = left[k]; });
      turn(words, columns);
      team.team_barrier();
      rows_left -= row_count;
      if (rows_left > 0) {
        source += tile_rows * copies.stride;
        begin_rows(rank, source, in.row_stride, Kokkos::min(rows_left, unsigned{tile_rows}), columns_here, copies,
                   rows);
      }
      const bool last = ends && rows_left == 0;
      if (!first && !last && columns_here == tile_columns) {
        written.write_all();
      } else {
        const unsigned bytes = row_count * sizeof(Out);
        written.write_some(columns_here, first,
                           last ? (written.before + bytes) / sector_bytes * sector_bytes : tile_bytes);
        if (first && begins) write_ends(rank, target, columns_here, bytes, true, false, columns);
        if (last) write_ends(rank, target, columns_here, bytes, first && begins, true, columns);
      }
      written.to += tile_bytes;
      target.data += tile_rows;
      for_each_left(
          rank, [&](int k, unsigned place) { left[k] = *reinterpret_cast<const Word*>(columns + place + tile_bytes); });
    }
  }

  /// What a thread copies of each `apart` rows: a piece, and of other rows the one behind the others.
  struct RowCopies {
    const std::byte *from, *from_last;
    std::byte *to, *to_last;
    std::int64_t stride;
    unsigned row;
    bool has_last;

    KOKKOS_FORCEINLINE_FUNCTION RowCopies(unsigned rank, const StridedTile<const In>& in, std::byte* rows)
        : stride(in.row_stride * static_cast<std::int64_t>(sizeof(In))), row(rank / pieces) {
      const auto* source = reinterpret_cast<const std::byte*>(in.data);
      from = source + row * stride;
      to = rows + row * row_bytes + low_address(from) % sector_bytes / sizeof(Piece) * sizeof(Piece) +
           rank % pieces * sizeof(Piece);
      from += rank % pieces * sizeof(Piece) - low_address(from) % sizeof(Piece);
      from_last = source + rank * stride;
      const unsigned before = low_address(from_last) % sizeof(Piece);
      to_last =
          rows + rank * row_bytes + low_address(from_last) % sector_bytes / sizeof(Piece) * sizeof(Piece) + tile_bytes;
      from_last += tile_bytes - before;
      has_last = before + tile_columns * sizeof(In) > tile_bytes;
    }
  };

  /// To where sectors of memory are sectors in scratch. What is copied may be more than the tile's, not than the input.
  KOKKOS_FUNCTION void begin_rows(unsigned rank, const std::byte* source, std::int64_t row_stride, unsigned row_count,
                                  unsigned columns_here, RowCopies& copies, std::byte* rows) const {
    const bool inside =
        source - low_address(source) % sizeof(Piece) >= reinterpret_cast<const std::byte*>(job.in.data) &&
        source + (row_count - 1) * copies.stride + (pieces + 1) * sizeof(Piece) <=
            reinterpret_cast<const std::byte*>(end);
    if (inside) {
      TESSERA_UNROLL
      for (unsigned n = 0; n < tile_rows / apart; ++n) {
        if (copies.row + n * apart < row_count) {
          copy_async(reinterpret_cast<Piece*>(copies.to + n * apart * row_bytes),
                     reinterpret_cast<const Piece*>(copies.from));
        }
        copies.from += apart * copies.stride;
      }
      if (copies.has_last && rank < row_count) {
        copy_async(reinterpret_cast<Piece*>(copies.to_last), reinterpret_cast<const Piece*>(copies.from_last));
      }
    } else {
      copy_elements(rank, reinterpret_cast<const In*>(source), row_stride, row_count, columns_here, rows);
      copies.from += tile_rows * copies.stride;
    }
    copies.from_last += tile_rows * copies.stride;
    end_async_group();
  }

  TESSERA_NOINLINE KOKKOS_FUNCTION static void copy_elements(unsigned rank, const In* source, std::int64_t row_stride,
                                                             unsigned row_count, unsigned columns_here,
                                                             std::byte* rows) {
    for (unsigned e = rank; e < row_count * tile_columns; e += team_size) {
      const unsigned row = e / tile_columns, column = e - row * tile_columns;
      const In* from = source + row * row_stride;
      if (column >= columns_here) continue;
      reinterpret_cast<In*>(rows + row * row_bytes + low_address(from) % sector_bytes)[column] = from[column];
    }
  }

  /// The words of a thread's rows in scratch, of the first block that it turns.
  struct RowWords {
    const std::byte* from[width];
    std::uint32_t address[width];
    unsigned to, column_word;

    KOKKOS_FORCEINLINE_FUNCTION RowWords(unsigned rank, const StridedTile<const In>& in, const std::byte* rows)
        : column_word(rank % strip_words_down) {
      const unsigned row_word = rank / strip_words_down;
      to = column_at(column_word * width) + (strip_sector_words + row_word) * sizeof(Word);
      TESSERA_UNROLL
      for (unsigned i = 0; i < width; ++i) {
        const unsigned row = row_word * width + i;
        address[i] = low_address(in.data + row * in.row_stride);
        from[i] = rows + row * row_bytes + (address[i] % sector_bytes / sizeof(Word) + column_word) * sizeof(Word);
      }
    }
  };

  KOKKOS_FUNCTION void turn(const RowWords& thread, std::byte* columns) const {
    if (thread.column_word >= strip_words_across) return;
    TESSERA_UNROLL
    for (unsigned n = 0; n < strip_words_down / words_apart; ++n) {
      Word words[width];
      TESSERA_UNROLL
      for (unsigned i = 0; i < width; ++i) {
        const auto* word = reinterpret_cast<const Word*>(thread.from[i] + n * words_apart * width * row_bytes);
        words[i] = word_at(thread.address[i], word[0], word[1]);
      }
      turn_words(words);
      TESSERA_UNROLL
      for (unsigned c = 0; c < width; ++c) {
        auto* to = reinterpret_cast<Word*>(columns + thread.to + c * strip_words_across * column_bytes +
                                           n * words_apart * sizeof(Word));
        *to = word_through<In, Out>(job.function, words[c]);
      }
    }
  }

  static constexpr int left_each = static_cast<int>(ceil_div(tile_columns * strip_sector_words, team_size));
  /// Calls visit(k, where in scratch) for a thread's words of what columns begin with.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each_left(unsigned rank, const Visit& visit) {
    TESSERA_UNROLL
    for (int k = 0; k < left_each; ++k) {
      const unsigned e = rank + static_cast<unsigned>(k) * team_size;
      if (e >= tile_columns * strip_sector_words) break;
      visit(k, column_at(e / strip_sector_words) + e % strip_sector_words * sizeof(Word));
    }
  }

  /// What a strip's first tile begins with, or its last one ends with, in sectors that are not whole.
  KOKKOS_FUNCTION void write_ends(unsigned rank, const StridedTile<Out>& out, unsigned columns_here, unsigned bytes,
                                  bool first, bool last, const std::byte* columns) const {
    constexpr unsigned sector = sector_bytes / sizeof(Out);
    TESSERA_UNROLL_BY_4
    for (unsigned e = rank; e < columns_here * sector; e += team_size) {
      const unsigned column = e / sector;
      Out* const row = out.data + column * out.row_stride;
      const unsigned before = low_address(row) % sector_bytes;
      const unsigned at = e % sector * sizeof(Out) + (last ? (before + bytes) / sector_bytes * sector_bytes : 0);
      const std::byte* from = columns + column_at(column) + sector_bytes - before + at;
      if (at < before + bytes && (at >= before || !first) && (last || before > 0)) {
        *reinterpret_cast<Out*>(reinterpret_cast<std::byte*>(row) - before + at) = *reinterpret_cast<const Out*>(from);
      }
    }
  }

  /// What a thread writes of each `apart` columns: a piece of the sectors with what the last tile left.
  struct ColumnPieces {
    std::byte* to;
    std::int64_t stride;
    const std::byte* column;  // in scratch, what the tile made of it
    unsigned first, at, before;

    KOKKOS_FORCEINLINE_FUNCTION ColumnPieces(unsigned rank, const StridedTile<Out>& out, const std::byte* columns)
        : stride(out.row_stride * static_cast<std::int64_t>(sizeof(Out))),
          first(rank / pieces),
          at(rank % pieces * sizeof(Piece)) {
      to = reinterpret_cast<std::byte*>(out.data) + first * stride;
      before = low_address(to) % sector_bytes;
      column = columns + column_at(first) + sector_bytes;
      to -= before;
    }

    KOKKOS_FUNCTION void write_all() const {
      const std::byte* from = column;
      std::byte* target = to;
      TESSERA_UNROLL
      for (unsigned n = 0; n < ceil_div(tile_columns, apart);
           ++n, target += apart * stride, from += apart / width * column_bytes) {
        if (first + n * apart < tile_columns) write_piece(target, from, at);
      }
    }

    /// Whole sectors from begin to end.
    KOKKOS_FUNCTION void write_some(unsigned columns_here, bool is_first, unsigned end_of) const {
      const std::byte* from = column;
      std::byte* target = to;
      const unsigned begin = is_first && before > 0 ? sector_bytes : 0;
      TESSERA_NO_UNROLL
      for (unsigned c = first; c < columns_here;
           c += apart, target += apart * stride, from += apart / width * column_bytes) {
        TESSERA_NO_UNROLL
        for (unsigned place = at; place + sizeof(Piece) <= end_of; place += tile_bytes) {
          if (place >= begin) write_piece(target, from, place);
        }
      }
    }

    KOKKOS_FORCEINLINE_FUNCTION void write_piece(std::byte* target, const std::byte* from, unsigned place) const {
      const auto* staged = reinterpret_cast<const Word*>(from + place) - (before + sizeof(Word) - 1) / sizeof(Word);
      Packed<Word, 4> piece;
      TESSERA_UNROLL
      for (int k = 0; k < 4; ++k) piece.values[k] = word_at(0u - before, staged[k], staged[k + 1]);
      store_whole(reinterpret_cast<Packed<Word, 4>*>(target + place), piece);
    }
  };
};

template <ExecutionSpace Space, class Job>
void launch_strips(std::string_view function, const Space& space, const TransposePlan& plan, const Job& job,
                   const TransposeProblem& problem) {
  const StripPieces down = strip_pieces(problem);
  const TransposeStrips<Space, Job> functor{job, job.in.data + problem.shape.in_span(), down,
                                            job.tiles / job.tiles_down.value() * down.count};
  launch_transpose(function, space, plan, functor, 0);
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant packed on devices, of elements of 1 and 2 bytes: a tile's runs are copied to scratch in wide accesses as they
// lie in memory, shifted to where words begin, gathered in the output's order, and written in wide accesses again. Only
// between are elements moved one by one.
#ifndef TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_WORDS_HPP
#define TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_WORDS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/async_copy.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/transpose/detail/packed_plan.hpp>
#include <tessera/transpose/detail/run_tables.hpp>
#include <tessera/transpose/detail/short_words.hpp>
#include <tessera/transpose/detail/tile_tables.hpp>

namespace tessera::detail {

template <class In, class Out, class Function>
struct WordsJob {
  using in_type = In;
  using out_type = Out;
  const In* in;
  const In* end;  // of what the input's elements span
  Out* out;
  Function function;
  std::uint32_t tiles;
  WordRuns words;
  TileTables tables;
};

template <ExecutionSpace Space, class Job>
struct TransposeWords {
  using In = typename Job::in_type;
  using Out = typename Job::out_type;
  using Word = std::uint32_t;
  using Piece = Whole16;
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<packed_team_size, packed_words_teams_at_once>,
                                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;
  static constexpr unsigned width = sizeof(Word) / sizeof(In);
  static constexpr unsigned size = packed_team_size;

  Job job;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const WordPieces at = word_pieces(job.words);
    std::byte* const scratch = team_scratch(team, at.bytes);
    auto& tables = *reinterpret_cast<TileTables*>(scratch + at.tables);
    copy_tables(team, job.tables, tables);
    const auto rank = static_cast<unsigned>(team.team_rank());
    Places places;
    find_places(team, tables, at, scratch, places);
    const auto* const read = reinterpret_cast<const std::uint32_t*>(scratch + at.read);
    const auto* const written = reinterpret_cast<const std::uint32_t*>(scratch + at.written);

    auto* const ahead = reinterpret_cast<TileBases*>(scratch + at.bases);
    const auto first = static_cast<std::uint32_t>(team.league_rank()),
               step = static_cast<std::uint32_t>(team.league_size());
    if (first >= job.tiles) return;
    const std::uint32_t count = (job.tiles - first + step - 1) / step;
    const auto find_bases = [&](std::uint32_t begin) {
      const std::uint32_t n = begin + rank;
      if (rank < tile_bases_ahead && n < count) ahead[rank] = tile_bases(tables, first + n * step);
      team.team_barrier();
    };
    find_bases(0);
    TileBases bases = ahead[0];
    begin_runs(rank, job.in + bases.in, read, scratch + at.raw);
    unsigned next = 0;
    for (std::uint32_t n = 0; n < count; ++n) {
      wait_for_async_groups<0>();
      team.team_barrier();
      align(rank, job.in + bases.in, read, scratch + at.raw, scratch + at.aligned);
      team.team_barrier();
      Out* const out = job.out + bases.out;
      if (n + 1 < count) {
        if (++next == tile_bases_ahead) {
          next = 0;
          find_bases(n + 1);
        }
        bases = ahead[next];
        begin_runs(rank, job.in + bases.in, read, scratch + at.raw);
      }
      gather(rank, places, scratch + at.aligned, scratch + at.turned);
      team.team_barrier();
      write(rank, out, written, scratch + at.turned);
    }
  }

 private:
  /// Where the elements of a thread's words stand: two places of 16 bits a register.
  struct Places {
    std::uint32_t of[packed_words_slots][width / 2];
  };

  /// Calls visit(number, sum of index * stride over its digits) for the numbers of a team, from begin to end digits.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each_sum(const TileDigit* digits, int begin, int end, int count,
                                                       unsigned rank, const Visit& visit) {
    for (int number = static_cast<int>(rank); number < count; number += static_cast<int>(size)) {
      std::uint32_t in = 0, out = 0, staged = 0;
      for_each_digit(digits, begin, end, number, [&](const TileDigit& digit, std::uint32_t index) {
        in += static_cast<std::uint32_t>(digit.in_stride) * index;
        out += static_cast<std::uint32_t>(digit.out_stride) * index;
        staged += static_cast<std::uint32_t>(digit.staged_stride) * index;
      });
      visit(number, in, out, staged);
    }
  }

  /// Where runs begin in memory, and where the elements of a thread's words stand in scratch. That is made of two
  /// tables, which stand where a tile will: it has room for three of its size. Ends with a barrier.
  KOKKOS_FUNCTION void find_places(const member_type& team, const TileTables& tables, const WordPieces& at,
                                   std::byte* scratch, Places& places) const {
    const TileRuns& runs = job.words.runs;
    const auto rank = static_cast<unsigned>(team.team_rank());
    auto* const read = reinterpret_cast<std::uint32_t*>(scratch + at.read);
    auto* const written = reinterpret_cast<std::uint32_t*>(scratch + at.written);
    auto* const of_runs = reinterpret_cast<std::uint16_t*>(scratch + at.raw);
    auto* const within_runs = of_runs + runs.out_runs();
    for_each_sum(tables.in_order, runs.in_digits, tables.digits, runs.in_runs(), rank,
                 [&](int run, std::uint32_t in, std::uint32_t, std::uint32_t) { read[run] = in; });
    for_each_sum(tables.out_order, runs.out_digits, tables.digits, runs.out_runs(), rank,
                 [&](int run, std::uint32_t, std::uint32_t out, std::uint32_t staged) {
                   written[run] = out;
                   of_runs[run] = static_cast<std::uint16_t>(staged);
                 });
    for_each_sum(tables.out_order, 0, runs.out_digits, runs.out_run, rank,
                 [&](int place, std::uint32_t, std::uint32_t, std::uint32_t staged) {
                   within_runs[place] = static_cast<std::uint16_t>(staged);
                 });
    team.team_barrier();
    const auto words = static_cast<unsigned>(runs.out_runs() * job.words.out_words);
    TESSERA_UNROLL
    for (int k = 0; k < packed_words_slots; ++k) {
      TESSERA_UNROLL
      for (unsigned i = 0; i < width / 2; ++i) places.of[k][i] = 0;
      const unsigned word = rank + static_cast<unsigned>(k) * size;
      if (word >= words) continue;
      const unsigned run = inverse_quotient(word, job.words.out_words_inverse);
      const unsigned begin = (word - run * static_cast<unsigned>(job.words.out_words)) * width;
      TESSERA_UNROLL
      for (unsigned i = 0; i < width; ++i) {
        if (begin + i >= static_cast<unsigned>(runs.out_run)) break;
        const std::uint32_t number = std::uint32_t{of_runs[run]} + within_runs[begin + i];
        const unsigned row = inverse_quotient(number, job.words.in_inverse);
        const unsigned within = number - row * static_cast<unsigned>(runs.in_run);
        places.of[k][i / 2] |= (job.words.row_at(row) + within * static_cast<unsigned>(sizeof(In))) << i % 2 * 16;
      }
    }
    team.team_barrier();
  }

  /// To where sectors of memory are sectors in scratch.
  KOKKOS_FUNCTION void begin_runs(unsigned rank, const In* in, const std::uint32_t* offsets, std::byte* raw) const {
    const WordRuns& words = job.words;
    const auto run_bytes = static_cast<unsigned>(words.runs.in_run) * static_cast<unsigned>(sizeof(In));
    const auto pieces = static_cast<unsigned>(words.runs.in_runs() * words.raw_pieces);
    TESSERA_NO_UNROLL
    for (unsigned e = rank; e < pieces; e += size) {
      const unsigned run = inverse_quotient(e, words.raw_pieces_inverse);
      const unsigned number = e - run * static_cast<unsigned>(words.raw_pieces);
      const auto* from = reinterpret_cast<const std::byte*>(in + offsets[run]);
      const unsigned before = low_address(from) % sector_bytes;
      const unsigned at = (before / sizeof(Piece) + number) * static_cast<unsigned>(sizeof(Piece));
      if (at >= before + run_bytes) continue;
      from += static_cast<int>(at) - static_cast<int>(before);
      std::byte* const to = raw + run * static_cast<unsigned>(words.raw_pitch) + at;
      if (from >= reinterpret_cast<const std::byte*>(job.in) &&
          from + sizeof(Piece) <= reinterpret_cast<const std::byte*>(job.end)) {
        copy_async(reinterpret_cast<Piece*>(to), reinterpret_cast<const Piece*>(from));
      } else {
        TESSERA_NO_UNROLL
        for (unsigned k = 0; k < sizeof(Piece); k += sizeof(In)) {
          const auto* element = reinterpret_cast<const In*>(from + k);
          if (element >= job.in && element < job.end) *reinterpret_cast<In*>(to + k) = *element;
        }
      }
    }
    end_async_group();
  }

  /// Runs from boundaries of words on, each element as it will be.
  KOKKOS_FUNCTION void align(unsigned rank, const In* in, const std::uint32_t* offsets, const std::byte* raw,
                             std::byte* aligned) const {
    const WordRuns& words = job.words;
    const auto count = static_cast<unsigned>(words.runs.in_runs() * words.in_words);
    TESSERA_UNROLL_BY_4
    for (unsigned e = rank; e < count; e += size) {
      const unsigned run = inverse_quotient(e, words.in_words_inverse);
      const unsigned word = e - run * static_cast<unsigned>(words.in_words);
      const std::uint32_t address = low_address(in + offsets[run]);
      const auto* from = reinterpret_cast<const Word*>(raw + run * static_cast<unsigned>(words.raw_pitch) +
                                                       address % sector_bytes / sizeof(Word) * sizeof(Word)) +
                         word;
      *reinterpret_cast<Word*>(aligned + words.row_at(run) + word * sizeof(Word)) =
          word_through<In, Out>(job.function, word_at(address, from[0], from[1]));
    }
  }

  KOKKOS_FUNCTION void gather(unsigned rank, const Places& places, const std::byte* aligned, std::byte* turned) const {
    const auto count = static_cast<unsigned>(job.words.runs.out_runs() * job.words.out_words);
    TESSERA_UNROLL
    for (int k = 0; k < packed_words_slots; ++k) {
      const unsigned word = rank + static_cast<unsigned>(k) * size;
      if (word >= count) break;
      Packed<Out, width> elements;
      TESSERA_UNROLL
      for (unsigned i = 0; i < width; ++i) {
        const std::uint32_t place = i % 2 == 0 ? places.of[k][i / 2] & 0xffff : places.of[k][i / 2] >> 16;
        elements.values[i] = *reinterpret_cast<const Out*>(aligned + place);
      }
      *reinterpret_cast<Word*>(turned + word * sizeof(Word)) = Kokkos::bit_cast<Word>(elements);
    }
  }

  KOKKOS_FUNCTION void write(unsigned rank, Out* out, const std::uint32_t* offsets, const std::byte* turned) const {
    const WordRuns& words = job.words;
    const auto run_bytes = static_cast<unsigned>(words.runs.out_run) * static_cast<unsigned>(sizeof(Out));
    const auto runs = static_cast<unsigned>(words.runs.out_runs());
    const unsigned pitch = static_cast<unsigned>(words.out_words) * static_cast<unsigned>(sizeof(Word));
    const auto pieces = static_cast<unsigned>(words.out_pieces);
    TESSERA_NO_UNROLL
    for (unsigned e = rank; e < runs * pieces; e += size) {
      const unsigned run = inverse_quotient(e, words.out_pieces_inverse), number = e - run * pieces;
      auto* to = reinterpret_cast<std::byte*>(out + offsets[run]);
      const unsigned at = (0u - low_address(to)) % sizeof(Piece) + number * static_cast<unsigned>(sizeof(Piece));
      if (at + sizeof(Piece) > run_bytes) continue;
      const auto* from = reinterpret_cast<const Word*>(turned + run * pitch) + at / sizeof(Word);
      Packed<Word, 4> piece;
      TESSERA_UNROLL
      for (int k = 0; k < 4; ++k) piece.values[k] = word_at(at, from[k], from[k + 1]);
      store_whole(reinterpret_cast<Packed<Word, 4>*>(to + at), piece);
    }
    constexpr unsigned ends = 2 * sizeof(Piece) / sizeof(Word);
    TESSERA_NO_UNROLL
    for (unsigned e = rank; e < ends * runs; e += size) {
      write_end(out + offsets[e / ends], turned + e / ends * pitch, run_bytes, e % ends);
    }
  }

  /// Of what a run, of at least a piece's length, begins and ends with beside whole pieces, a word: those of a piece
  /// before the first whole one, and of one after the last.
  KOKKOS_FORCEINLINE_FUNCTION static void write_end(Out* out, const std::byte* turned, unsigned run_bytes,
                                                    unsigned number) {
    auto* to = reinterpret_cast<std::byte*>(out);
    const auto head = static_cast<int>((0u - low_address(to)) % sizeof(Piece));
    const auto bytes = static_cast<int>(run_bytes), piece = static_cast<int>(sizeof(Piece));
    const bool is_last = number * sizeof(Word) >= sizeof(Piece);
    const int at = static_cast<int>(number * sizeof(Word)) + (is_last ? bytes - (bytes - head) % piece : head) - piece;
    const int begin = is_last ? at : 0, end = is_last ? bytes : head;
    if (at >= end || at + static_cast<int>(sizeof(Word)) <= begin) return;
    const auto* from = reinterpret_cast<const Word*>(turned) + (at >> 2);
    const Word value = word_at(static_cast<std::uint32_t>(at), from[0], from[1]);
    if (at >= begin && at + static_cast<int>(sizeof(Word)) <= end) {
      *reinterpret_cast<Word*>(to + at) = value;
      return;
    }
    const auto elements = Kokkos::bit_cast<Packed<Out, width>>(value);
    TESSERA_UNROLL
    for (unsigned i = 0; i < width; ++i) {
      const int byte = at + static_cast<int>(i * sizeof(Out));
      if (byte >= begin && byte < end) *reinterpret_cast<Out*>(to + byte) = elements.values[i];
    }
  }
};

}  // namespace tessera::detail

#endif

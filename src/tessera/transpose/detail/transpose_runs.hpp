// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant packed on devices, where a tile that goes to scratch by asynchronous copies is expected to cost less than one
// through registers: what a team knows of its runs stands in tables there. Threads of a warp take a run together, so
// that hardly an instruction goes to where its elements are, and write whole sectors of 4-byte elements and longer ones
// wherever it begins.
#ifndef TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_RUNS_HPP
#define TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_RUNS_HPP

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
#include <tessera/transpose/detail/tile_tables.hpp>

namespace tessera::detail {

template <class In, class Out, class Function>
struct RunsJob {
  using in_type = In;
  using out_type = Out;
  const In* in;
  Out* out;
  Function function;
  std::uint32_t tiles;
  TileRuns runs;
  StagedOrder order;
  TileTables tables;
};

template <ExecutionSpace Space, class Job>
struct TransposeRuns {
  using In = typename Job::in_type;
  using Out = typename Job::out_type;
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<packed_team_size, packed_runs_teams_at_once>,
                                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;

  Job job;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const RunPieces at = run_pieces(job.runs, job.order, sizeof(In));
    std::byte* const scratch = team_scratch(team, at.bytes);
    auto& tables = *reinterpret_cast<TileTables*>(scratch + at.tables);
    copy_tables(team, job.tables, tables);
    auto* const read = reinterpret_cast<RunPlace*>(scratch + at.read);
    auto* const written = reinterpret_cast<RunPlace*>(scratch + at.written);
    auto* const staged = reinterpret_cast<std::uint16_t*>(scratch + at.staged);
    make_tables(team, tables, read, written, staged);

    auto* const ahead = reinterpret_cast<TileBases*>(scratch + at.bases);
    const auto first = static_cast<std::uint32_t>(team.league_rank()),
               step = static_cast<std::uint32_t>(team.league_size());
    const std::uint32_t count = first < job.tiles ? (job.tiles - first + step - 1) / step : 0;
    const auto rank = static_cast<std::uint32_t>(team.team_rank()), size = static_cast<std::uint32_t>(team.team_size());
    const std::uint32_t at_once = Kokkos::min<std::uint32_t>(size, tile_bases_ahead);
    std::uint32_t next = at_once;
    for (std::uint32_t n = 0; n < count; ++n, ++next) {
      if (next == at_once) {
        if (rank < at_once && n + rank < count) ahead[rank] = tile_bases(tables, first + (n + rank) * step);
        team.team_barrier();
        next = 0;
      }
      const TileBases bases = ahead[next];
      begin_runs(RunShare(rank, size, job.runs.in_lanes), job.in + bases.in, read, scratch + at.stage);
      end_async_group();
      wait_for_async_groups<0>();
      team.team_barrier();
      write_runs(RunShare(rank, size, job.runs.out_lanes), job.out + bases.out, written, staged, scratch + at.stage);
      team.team_barrier();
    }
  }

 private:
  /// Accesses of a thread that are under way at once.
  static constexpr unsigned accesses = 4;
  /// Elements of a sector, or as many as the fewest threads of a run; 1 of sizes that do not divide it.
  static constexpr unsigned aligned =
      sector_bytes % sizeof(Out) != 0 ? 1 : Kokkos::min<unsigned>(sector_bytes / sizeof(Out), 1u << run_lanes_min);
  static_assert(packed_team_size % 32 == 0, "threads of a warp, or of parts of one, take a run");
  static_assert(packed_runs_teams_scratch / packed_runs_teams_at_once <= 1 << 16, "bytes of scratch in 16 bits");

  /// Of a thread, in the threads that take a run together: its number there, theirs, and how many runs are taken at
  /// once.
  struct RunShare {
    unsigned lanes, lane, run, step;
    KOKKOS_FORCEINLINE_FUNCTION RunShare(unsigned rank, unsigned size, int of_run)
        : lanes(1u << of_run), lane(rank & (lanes - 1)), run(rank >> of_run), step(size >> of_run) {}
  };

  KOKKOS_FORCEINLINE_FUNCTION void begin_runs(const RunShare& share, const In* in, const RunPlace* read,
                                              std::byte* stage) const {
    const auto length = static_cast<unsigned>(job.runs.in_run), runs = static_cast<unsigned>(job.runs.in_runs());
    unsigned run = share.run;
    in += share.lane;
    stage += share.lane * sizeof(In);
    const auto staged_at = [&](const RunPlace& of) { return reinterpret_cast<In*>(stage + of.staged); };
    if (length <= share.lanes) {
      if (share.lane >= length) return;
      TESSERA_NO_UNROLL
      for (; run + (accesses - 1) * share.step < runs; run += accesses * share.step) {
        RunPlace of[accesses];
        TESSERA_UNROLL
        for (unsigned k = 0; k < accesses; ++k) of[k] = read[run + k * share.step];
        TESSERA_UNROLL
        for (unsigned k = 0; k < accesses; ++k) copy_async(staged_at(of[k]), in + of[k].offset);
      }
      TESSERA_NO_UNROLL
      for (; run < runs; run += share.step) copy_async(staged_at(read[run]), in + read[run].offset);
      return;
    }
    const unsigned further = accesses * share.lanes;
    TESSERA_NO_UNROLL
    for (; run < runs; run += share.step) {
      const In* from = in + read[run].offset;
      In* to = staged_at(read[run]);
      unsigned place = share.lane;
      TESSERA_NO_UNROLL
      for (; place + (accesses - 1) * share.lanes < length; place += further, from += further, to += further) {
        TESSERA_UNROLL
        for (unsigned k = 0; k < accesses; ++k) copy_async(to + k * share.lanes, from + k * share.lanes);
      }
      TESSERA_UNROLL
      for (unsigned k = 0; k < accesses - 1; ++k) {
        if (place + k * share.lanes < length) copy_async(to + k * share.lanes, from + k * share.lanes);
      }
    }
  }

  /// Threads count from where the sector begins in which a run does: those before its first element leave out their
  /// first access.
  KOKKOS_FORCEINLINE_FUNCTION void write_runs(const RunShare& share, Out* out, const RunPlace* written,
                                              const std::uint16_t* staged, const std::byte* stage) const {
    const int length = job.runs.out_run, lanes = static_cast<int>(share.lanes);
    const auto runs = static_cast<unsigned>(job.runs.out_runs());
    constexpr int loads = accesses;
    TESSERA_NO_UNROLL
    for (unsigned run = share.run; run < runs; run += share.step) {
      Out* to = out + written[run].offset;
      const std::byte* const from = stage + written[run].staged;
      int place = static_cast<int>(share.lane) - static_cast<int>(low_address(to) / sizeof(Out) % aligned);
      to += place;
      const std::uint16_t* at = staged + place;
      TESSERA_NO_UNROLL
      for (; place < length; place += loads * lanes, to += loads * lanes, at += loads * lanes) {
        const auto is_there = [&](int k) { return k == 0 ? place >= 0 : place + k * lanes < length; };
        unsigned bytes[loads];
        In values[loads];
        TESSERA_UNROLL
        for (int k = 0; k < loads; ++k) {
          if (is_there(k)) bytes[k] = at[k * lanes];
        }
        TESSERA_UNROLL
        for (int k = 0; k < loads; ++k) {
          if (is_there(k)) values[k] = *reinterpret_cast<const In*>(from + bytes[k]);
        }
        TESSERA_UNROLL
        for (int k = 0; k < loads; ++k) {
          if (is_there(k)) to[k * lanes] = job.function(values[k]);
        }
      }
    }
  }

  /// Ends with a barrier.
  KOKKOS_FUNCTION void make_tables(const member_type& team, const TileTables& tables, RunPlace* read, RunPlace* written,
                                   std::uint16_t* staged) const {
    const TileRuns& runs = job.runs;
    const int rank = team.team_rank(), size = team.team_size();
    const auto staged_at = [&](std::uint32_t element) {
      return static_cast<std::uint32_t>(job.order.position(static_cast<int>(element)) * sizeof(In));
    };
    for (int run = rank; run < runs.in_runs(); run += size) {
      RunPlace of{0, staged_at(static_cast<std::uint32_t>(run * runs.in_run))};
      for_each_digit(tables.in_order, runs.in_digits, tables.digits, run, [&](const TileDigit& digit, std::uint32_t i) {
        of.offset += static_cast<std::uint32_t>(digit.in_stride) * i;
      });
      read[run] = of;
    }
    for (int run = rank; run < runs.out_runs(); run += size) {
      std::uint32_t offset = 0, element = 0;
      for_each_digit(tables.out_order, runs.out_digits, tables.digits, run,
                     [&](const TileDigit& digit, std::uint32_t i) {
                       offset += static_cast<std::uint32_t>(digit.out_stride) * i;
                       element += static_cast<std::uint32_t>(digit.staged_stride) * i;
                     });
      written[run] = {offset, staged_at(element)};
    }
    for (int place = rank; place < runs.out_run; place += size) {
      std::uint32_t element = 0;
      for_each_digit(tables.out_order, 0, runs.out_digits, place, [&](const TileDigit& digit, std::uint32_t i) {
        element += static_cast<std::uint32_t>(digit.staged_stride) * i;
      });
      staged[place] = static_cast<std::uint16_t>(staged_at(element));
    }
    team.team_barrier();
  }
};

}  // namespace tessera::detail

#endif

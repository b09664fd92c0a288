// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant packed on devices, where a tile that goes to scratch by asynchronous copies is expected to cost less than one
// through registers: what a team knows of its runs stands in tables there.
#ifndef TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_RUNS_HPP
#define TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_RUNS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/async_copy.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/transpose/detail/packed_plan.hpp>
#include <tessera/transpose/detail/run_tables.hpp>
#include <tessera/transpose/detail/tile_tables.hpp>
#include <type_traits>

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

/// Shifted: runs are moved to sectors of the output.
template <ExecutionSpace Space, class Job, bool Shifted>
struct TransposeRuns {
  using In = typename Job::in_type;
  using Out = typename Job::out_type;
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<packed_team_size, packed_runs_teams_at_once>,
                                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;

  Job job;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const RunPieces at = run_pieces(job.runs, job.order, sizeof(In));
    std::byte* scratch = team_scratch(team, at.bytes);
    auto& tables = *reinterpret_cast<TileTables*>(scratch + at.tables);
    copy_tables(team, job.tables, tables);
    auto* const read = reinterpret_cast<RunPlace*>(scratch + at.read);
    auto* const written = reinterpret_cast<RunPlace*>(scratch + at.written);
    auto* const moved = reinterpret_cast<std::uint8_t*>(scratch + at.moved);
    auto* const staged = reinterpret_cast<std::uint16_t*>(scratch + at.staged);
    make_tables(team, tables, read, written, moved, staged);

    auto* const stage = reinterpret_cast<In*>(scratch + at.stage);
    auto* const ahead = reinterpret_cast<Bases*>(scratch + at.bases);
    const auto first = static_cast<std::uint32_t>(team.league_rank()),
               step = static_cast<std::uint32_t>(team.league_size());
    const std::uint32_t count = first < job.tiles ? (job.tiles - first + step - 1) / step : 0;
    const auto rank = static_cast<std::uint32_t>(team.team_rank()), size = static_cast<std::uint32_t>(team.team_size());
    const auto volume = static_cast<std::uint32_t>(job.runs.volume);
    const std::uint32_t at_once = Kokkos::min<std::uint32_t>(size, tile_bases_ahead);
    std::uint32_t next = at_once;
    for (std::uint32_t n = 0; n < count; ++n, ++next) {
      if (next == at_once) {
        if (rank < at_once && n + rank < count) ahead[rank] = bases_of(tables, first + (n + rank) * step);
        team.team_barrier();
        next = 0;
      }
      const Bases bases = ahead[next];
      const In* const in = job.in + bases.in;
      TESSERA_UNROLL_BY_4
      for (std::uint32_t e = rank; e < volume; e += size) {
        const std::uint32_t run = inverse_quotient(e, job.runs.in_inverse), place = e - run * job.runs.in_run;
        const RunPlace of = read[run];
        std::uint32_t from = of.offset + place;
        if constexpr (Shifted) {
          from += (~(of.place + moved[place] + bases.phase) & bases.mask) *
                  static_cast<std::uint32_t>(job.tables.shift.in_stride);
        }
        copy_async(stage + job.order.position(static_cast<int>(e)), in + from);
      }
      end_async_group();
      wait_for_async_groups<0>();
      team.team_barrier();
      Out* const out = job.out + bases.out;
      TESSERA_UNROLL_BY_4
      for (std::uint32_t e = rank; e < volume; e += size) {
        const std::uint32_t run = inverse_quotient(e, job.runs.out_inverse), place = e - run * job.runs.out_run;
        const RunPlace of = written[run];
        std::uint32_t to = of.offset + place;
        if constexpr (Shifted) to += (~((of.place >> 16) + bases.phase) & bases.mask) * job.tables.shift.step;
        out[to] = job.function(stage[(of.place & 0xffff) + staged[place]]);
      }
      team.team_barrier();
    }
  }

 private:
  using Bases = std::conditional_t<Shifted, ShiftedBases, TileBases>;

  KOKKOS_FORCEINLINE_FUNCTION Bases bases_of(const TileTables& tables, std::uint32_t tile) const {
    if constexpr (Shifted) {
      return shifted_bases(tables, job.tables.shift, tile);
    } else {
      return tile_bases(tables, tile);
    }
  }

  /// Ends with a barrier.
  KOKKOS_FUNCTION void make_tables(const member_type& team, const TileTables& tables, RunPlace* read, RunPlace* written,
                                   std::uint8_t* moved, std::uint16_t* staged) const {
    const TileRuns& runs = job.runs;
    const int rank = team.team_rank(), size = team.team_size();
    for (int run = rank; run < runs.in_runs(); run += size) {
      RunPlace of{0, 0};
      for_each_digit(tables.in_order, runs.in_digits, tables.digits, run, [&](const TileDigit& digit, std::uint32_t i) {
        of.offset += static_cast<std::uint32_t>(digit.in_stride) * i;
        of.place += digit.phase * i;
      });
      read[run] = of;
    }
    for (int place = rank; Shifted && place < runs.in_run; place += size) {
      std::uint32_t phase = 0;
      for_each_digit(tables.in_order, 0, runs.in_digits, place,
                     [&](const TileDigit& digit, std::uint32_t i) { phase += digit.phase * i; });
      moved[place] = static_cast<std::uint8_t>(phase & 7);
    }
    for (int run = rank; run < runs.out_runs(); run += size) {
      RunPlace of{0, 0};
      std::uint32_t position = 0;
      for_each_digit(tables.out_order, runs.out_digits, tables.digits, run,
                     [&](const TileDigit& digit, std::uint32_t i) {
                       of.offset += static_cast<std::uint32_t>(digit.out_stride) * i;
                       of.place += digit.phase * i;
                       position += static_cast<std::uint32_t>(digit.staged_stride) * i;
                     });
      of.place = (of.place & 7) << 16 | static_cast<std::uint32_t>(job.order.position(static_cast<int>(position)));
      written[run] = of;
    }
    for (int place = rank; place < runs.out_run; place += size) {
      std::uint32_t position = 0;
      for_each_digit(tables.out_order, 0, runs.out_digits, place, [&](const TileDigit& digit, std::uint32_t i) {
        position += static_cast<std::uint32_t>(digit.staged_stride) * i;
      });
      staged[place] = static_cast<std::uint16_t>(job.order.position(static_cast<int>(position)));
    }
    team.team_barrier();
  }
};

}  // namespace tessera::detail

#endif

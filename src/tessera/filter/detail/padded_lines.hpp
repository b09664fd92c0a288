// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short lines: a team takes several, each with its halos in scratch, so that all outputs are made alike. A thread makes
// a run of neighbours. What stands beyond the ends of one line does so for all: a table has it.
#ifndef TESSERA_FILTER_DETAIL_PADDED_LINES_HPP
#define TESSERA_FILTER_DETAIL_PADDED_LINES_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/async_copy.hpp>
#include <tessera/detail/divisor.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/filter_shape.hpp>
#include <tessera/filter/detail/line_array.hpp>
#include <tessera/filter/detail/padded_lines_plan.hpp>
#include <tessera/filter/detail/stage.hpp>
#include <type_traits>

namespace tessera::detail {

template <ExecutionSpace Space>
using PaddedLinesPolicy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<padded_lines_team_size, padded_lines_teams>,
                                             Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;

/// All elements do.
struct TakesAll {
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T&) const {
    return true;
  }
};

template <class In, class Staged, class Out, int Run = padded_lines_run>
class PaddedLines {
 public:
  static constexpr int run = Run;

  /// reach_left: elements of a window before that of its output.
  PaddedLines(const PaddedLinesPlan& plan, const LineArray<const In>& in, const LineArray<Out>& out,
              std::int64_t reach_left, const Boundary<In>& boundary)
      : m_plan(plan),
        m_in(in),
        m_out(out),
        m_lines(in.lines()),
        m_tiles(ceil_div(in.lines(), plan.lines)),
        m_boundary(boundary),
        m_even(has_even_lines(filter_shape(in, out, 1, 0))),
        m_in_stride(m_even && m_lines > 1 ? static_cast<int>(in.column_stride()) : 0),
        m_out_stride(static_cast<int>(m_even && m_lines > 1 ? out.column_stride() : out.extent)),
        m_extent(static_cast<int>(in.extent)),
        m_outputs(static_cast<int>(out.extent)),
        m_reach_left(static_cast<int>(reach_left)),
        m_runs(plan.runs),
        m_footprint(plan.footprint) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int outputs() const { return m_outputs; }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const PaddedLinesPlan& plan() const { return m_plan; }

  /// scratch: plan().bytes of it. staged(element): what stands for an element in scratch. make(elements, x, i, slots,
  /// all) makes the outputs of line x from i on, at most a run, in slots; the window of output i begins with
  /// elements[0]. all: whether the team's lines hold only elements that takes(element) holds for.
  template <TeamMember Member, class StagedOf, class Takes, class Make>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(const Member& team, std::byte* scratch, const StagedOf& staged,
                                            const Takes& takes, const Make& make) const {
    int* const beyond = reinterpret_cast<int*>(scratch + m_plan.beyond_at);
    int* const flag = beyond + (m_plan.footprint - m_extent);
    auto* const elements = reinterpret_cast<Staged*>(scratch + m_plan.elements_at);
    auto* const apart = reinterpret_cast<Place*>(scratch + m_plan.places_at);  // of lines that are not even
    constexpr bool votes = !std::is_same_v<Takes, TakesAll>;
    const int rank = team.team_rank(), threads = team.team_size();
    for (int k = rank; k < m_plan.footprint - m_extent; k += threads) {
      beyond[k] = static_cast<int>(
          m_boundary.index(k < m_reach_left ? k - m_reach_left : k - m_reach_left + m_extent, m_extent));
    }
    // Threads copy the same element of several lines, as far as they are enough for that.
    const int groups = Kokkos::max(1, m_footprint.quotient(threads)), group = m_footprint.quotient(rank);
    const int begin = group < groups ? rank - group * m_plan.footprint : m_plan.footprint;
    const int step = m_plan.footprint < threads ? m_plan.footprint : threads;
    team.team_barrier();
    const TileWalk walk = tile_walk(team, m_tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      const std::int64_t first_line = index * m_plan.lines;
      const int lines = static_cast<int>(Kokkos::min<std::int64_t>(m_plan.lines, m_lines - first_line));
      const In* const x = m_in.data + first_line * m_in_stride;
      Out* const y = m_out.data + first_line * m_out_stride;
      if (!m_even) find_lines(team, first_line, lines, apart);
      if (votes && rank == 0) *flag = 0;
      TESSERA_NO_UNROLL
      for (int p = begin; p < m_plan.footprint; p += step) {
        const int j = p - m_reach_left;
        const int source = j < 0 ? beyond[p] : j < m_extent ? j : beyond[p - m_extent];
        if (m_even) {
          copy(x, source, group, groups, lines, elements + p, staged);
        } else {
          copy_apart(apart, source, group, groups, lines, elements + p, staged);
        }
      }
      end_async_group();
      wait_for_async_groups<0>();
      team.team_barrier();
      const auto for_each_run = [&](const auto& f) {
        TESSERA_NO_UNROLL
        for (int task = rank; task < lines * m_plan.runs; task += threads) {
          const int line = m_runs.quotient(task), first = (task - line * m_plan.runs) * run;
          f(line, first, elements + line * m_plan.pitch + first);
        }
      };
      bool all = true;
      if constexpr (votes) {
        bool mine = takes(m_boundary.cval);
        for_each_run([&](int, int, const Staged* windows) {
          TESSERA_UNROLL
          for (int s = 0; s < run; ++s) mine = mine && takes(windows[m_reach_left + s]);
        });
        if (!mine) Kokkos::atomic_or(flag, 1);
        team.team_barrier();
        all = *flag == 0;
      }
      const bool follow = m_even && m_out_stride == m_outputs;
      const int count = lines * m_outputs, head = follow ? static_cast<int>(misaligned_head(y, count)) : 0;
      constexpr int width = packed_length<Out>;
      Out* const slots = reinterpret_cast<Out*>(scratch + m_plan.slots_at) + (width - head % width) % width;
      for_each_run([&](int line, int first, const Staged* windows) {
        const In* const elements_of_line = m_even ? x + line * m_in_stride : m_in.data + apart[line].in;
        make(windows, elements_of_line, first, slots + line * m_outputs + first, all);
      });
      team.team_barrier();
      if (follow) {
        store_slots(slots, y, count, head, rank, threads);
        continue;
      }
      for (int i = begin; i < m_outputs; i += step) {
        for (int l = group; l < lines; l += groups) {
          Out* const outputs_of_line = m_even ? y + l * m_out_stride : m_out.data + apart[l].out;
          outputs_of_line[i * m_out.stride] = slots[l * m_outputs + i];
        }
      }
    }
  }

 private:
  using Place = PaddedLinesPlan::Place;

  /// Ends with a barrier, and begins with one: the last lines' places have been used.
  template <TeamMember Member>
  KOKKOS_FUNCTION void find_lines(const Member& team, std::int64_t first_line, int lines, Place* places) const {
    team.team_barrier();
    for (int l = team.team_rank(); l < lines; l += team.team_size()) {
      places[l] = {m_in.line(first_line + l) - m_in.data, m_out.line(first_line + l) - m_out.data};
    }
    team.team_barrier();
  }

  /// Element source of every groups-th line, or cval.
  template <class StagedOf>
  KOKKOS_FORCEINLINE_FUNCTION void copy(const In* x, int source, int group, int groups, int lines, Staged* to,
                                        const StagedOf& staged) const {
    constexpr bool is_async =
        std::is_same_v<In, Staged> && (sizeof(In) == 4 || sizeof(In) == 8) && alignof(In) == sizeof(In);
    const In* from = x + group * m_in_stride + source;
    to += group * m_plan.pitch;
    if (source < 0) {
      const Staged value = staged(m_boundary.cval);
      TESSERA_NO_UNROLL
      for (int l = group; l < lines; l += groups, to += groups * m_plan.pitch) *to = value;
    } else if constexpr (is_async) {
      TESSERA_NO_UNROLL
      for (int l = group; l < lines; l += groups, to += groups * m_plan.pitch, from += groups * m_in_stride) {
        copy_async(reinterpret_cast<Packed<In, 1>*>(to), reinterpret_cast<const Packed<In, 1>*>(from));
      }
    } else {
      TESSERA_UNROLL_BY_4
      for (int l = group; l < lines; l += groups, to += groups * m_plan.pitch, from += groups * m_in_stride) {
        *to = staged(*from);
      }
    }
  }

  template <class StagedOf>
  KOKKOS_FORCEINLINE_FUNCTION void copy_apart(const Place* places, int source, int group, int groups, int lines,
                                              Staged* to, const StagedOf& staged) const {
    TESSERA_UNROLL_BY_4
    for (int l = group; l < lines; l += groups) {
      to[l * m_plan.pitch] = staged(source < 0 ? m_boundary.cval : m_in.data[places[l].in + source * m_in.stride]);
    }
  }

  PaddedLinesPlan m_plan;
  LineArray<const In> m_in;
  LineArray<Out> m_out;
  std::int64_t m_lines, m_tiles;
  Boundary<In> m_boundary;
  bool m_even;
  int m_in_stride, m_out_stride;  // of even lines
  int m_extent, m_outputs, m_reach_left;
  SmallDivisor m_runs, m_footprint;
};

}  // namespace tessera::detail

#endif

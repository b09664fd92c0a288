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

  /// scratch: plan().bytes of it. staged(element): what stands for an element in scratch. make(elements, x, i, slots)
  /// makes the outputs of line x() from i on, at most a run, in slots; the window of output i begins with elements[0].
  template <TeamMember Member, class StagedOf, class Make>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(const Member& team, std::byte* scratch, const StagedOf& staged,
                                            const Make& make) const {
    int* const beyond = reinterpret_cast<int*>(scratch + m_plan.beyond_at);
    auto* const places = reinterpret_cast<Place*>(scratch + m_plan.places_at);
    auto* const elements = reinterpret_cast<Staged*>(scratch + m_plan.elements_at);
    const int rank = team.team_rank(), threads = team.team_size();
    for (int k = rank; k < m_plan.footprint - m_extent; k += threads) {
      beyond[k] = static_cast<int>(
          m_boundary.index(k < m_reach_left ? k - m_reach_left : k - m_reach_left + m_extent, m_extent));
    }
    const Share share = share_of(rank, threads);
    team.team_barrier();
    const TileWalk walk = tile_walk(team, m_tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      const std::int64_t first_line = index * m_plan.lines;
      const int lines = static_cast<int>(Kokkos::min<std::int64_t>(m_plan.lines, m_lines - first_line));
      const In* const x = m_in.data + first_line * m_in_stride;
      Out* const y = m_out.data + first_line * m_out_stride;
      if (!m_even) {
        stage_apart(team, first_line, lines, share, beyond, places, elements, staged);
      } else if (m_plan.lines >= many_lines) {
        stage<true>(x, lines, share, beyond, elements, staged);
      } else {
        stage<false>(x, lines, share, beyond, elements, staged);
      }
      end_async_group();
      wait_for_async_groups<0>();
      team.team_barrier();
      const bool follow = m_even && m_out_stride == m_outputs;
      const int count = lines * m_outputs, head = follow ? static_cast<int>(misaligned_head(y, count)) : 0;
      constexpr int width = packed_length<Out>;
      Out* const slots = reinterpret_cast<Out*>(scratch + m_plan.slots_at) + (width - head % width) % width;
      TESSERA_NO_UNROLL
      for (int task = rank; task < lines * m_plan.runs; task += threads) {
        const int line = m_runs.quotient(task), first = (task - line * m_plan.runs) * run;
        const auto line_elements = [&] { return m_even ? x + line * m_in_stride : m_in.data + places[line].in; };
        make(elements + line * m_plan.pitch + first, line_elements, first, slots + line * m_outputs + first);
      }
      team.team_barrier();
      if (follow) {
        store_slots(slots, y, count, head, rank, threads);
      } else {
        store_apart(y, lines, share, places, slots);
      }
    }
  }

 private:
  using Place = PaddedLinesPlan::Place;
  static constexpr int many_lines = 16;

  /// Of a thread: which elements of a line's footprint it copies, of every groups-th line from group on.
  struct Share {
    int begin, step, group, groups;
  };
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Share share_of(int rank, int threads) const {
    const int groups = Kokkos::max(1, m_footprint.quotient(threads)), group = m_footprint.quotient(rank);
    return {group < groups ? rank - group * m_plan.footprint : m_plan.footprint, Kokkos::min(m_plan.footprint, threads),
            group, groups};
  }

  /// Which element stands for that of a footprint; negative: cval.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int source_of(int p, const int* beyond) const {
    const int j = p - m_reach_left;
    return j < 0 ? beyond[p] : j < m_extent ? j : beyond[p - m_extent];
  }

  /// IsMany: of lines, so that unrolled loops pay: ptxas puts three empty instructions before an asynchronous copy that
  /// does not follow another one.
  template <bool IsMany, class StagedOf>
  KOKKOS_FORCEINLINE_FUNCTION void stage(const In* x, int lines, const Share& share, const int* beyond,
                                         Staged* elements, const StagedOf& staged) const {
    constexpr bool is_async =
        std::is_same_v<In, Staged> && (sizeof(In) == 4 || sizeof(In) == 8) && alignof(In) == sizeof(In);
    TESSERA_NO_UNROLL
    for (int p = share.begin; p < m_plan.footprint; p += share.step) {
      const int source = source_of(p, beyond);
      const In* from = x + share.group * m_in_stride + source;
      Staged* to = elements + (p + share.group * m_plan.pitch);
      const auto next = [&] {
        to += share.groups * m_plan.pitch;
        from += share.groups * m_in_stride;
      };
      if (source < 0) {
        const Staged value = staged(m_boundary.cval);
        TESSERA_NO_UNROLL
        for (int l = share.group; l < lines; l += share.groups, next()) *to = value;
      } else if constexpr (!is_async) {
        TESSERA_UNROLL_BY_4
        for (int l = share.group; l < lines; l += share.groups, next()) *to = staged(*from);
      } else if constexpr (IsMany) {
        TESSERA_UNROLL_BY_4
        for (int l = share.group; l < lines; l += share.groups, next()) copy_element(to, from);
      } else {
        TESSERA_NO_UNROLL
        for (int l = share.group; l < lines; l += share.groups, next()) copy_element(to, from);
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static void copy_element(Staged* to, const In* from) {
    copy_async(reinterpret_cast<Packed<In, 1>*>(to), reinterpret_cast<const Packed<In, 1>*>(from));
  }

  /// Lines at any distances, whose places this finds first.
  template <TeamMember Member, class StagedOf>
  KOKKOS_FORCEINLINE_FUNCTION void stage_apart(const Member& team, std::int64_t first_line, int lines,
                                               const Share& share, const int* beyond, Place* places, Staged* elements,
                                               const StagedOf& staged) const {
    team.team_barrier();  // the last lines' places have been used
    for (int l = team.team_rank(); l < lines; l += team.team_size()) {
      places[l] = {m_in.line(first_line + l) - m_in.data, m_out.line(first_line + l) - m_out.data};
    }
    team.team_barrier();
    TESSERA_NO_UNROLL
    for (int p = share.begin; p < m_plan.footprint; p += share.step) {
      const int source = source_of(p, beyond);
      TESSERA_UNROLL_BY_4
      for (int l = share.group; l < lines; l += share.groups) {
        elements[l * m_plan.pitch + p] =
            staged(source < 0 ? m_boundary.cval : m_in.data[places[l].in + source * m_in.stride]);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void store_apart(Out* y, int lines, const Share& share, const Place* places,
                                               const Out* slots) const {
    TESSERA_NO_UNROLL
    for (int i = share.begin; i < m_outputs; i += share.step) {
      TESSERA_NO_UNROLL
      for (int l = share.group; l < lines; l += share.groups) {
        Out* const line = m_even ? y + l * m_out_stride : m_out.data + places[l].out;
        line[i * m_out.stride] = slots[l * m_outputs + i];
      }
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

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MedianMethod::network: tiles of a line through scratch.
#ifndef TESSERA_FILTER_DETAIL_MEDIAN_NETWORK_HPP
#define TESSERA_FILTER_DETAIL_MEDIAN_NETWORK_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/filter_median.hpp>
#include <tessera/filter/detail/stage.hpp>
#include <tessera/filter/detail/window_median_network.hpp>

namespace tessera::detail {

template <class T, int Window, int Outputs, bool OnDevice>
struct NetworkMedian {
  static constexpr int scratch_level = 0;
  MedianScratch pieces;

  template <TeamMember Member, class Out>
  KOKKOS_FUNCTION void filter_range(const Member& team, std::byte* scratch, const MedianLines<T, Out>& lines,
                                    const T* x, Out* y, std::int64_t first, int count) const {
    const int taps = static_cast<int>(lines.taps);
    const int groups = static_cast<int>(ceil_div(count, Outputs));
    const T* staged =
        stage_line(team, x, lines.in.stride, lines.in.extent, first - lines.reach_left, groups * Outputs + taps - 1,
                   lines.boundary, reinterpret_cast<T*>(scratch + pieces.elements_at));
    T* results = reinterpret_cast<T*>(scratch + pieces.results_at) + aligned_shift<T>(y + first, lines.out.stride);
    team.team_barrier();
    for (int group = team.team_rank(); group < groups; group += team.team_size()) {
      T medians[Outputs];
      MedianNetwork<T, T, Window, Outputs, OnDevice>().make_run(staged + group * Outputs, taps, medians);
      TESSERA_UNROLL
      for (int s = 0; s < Outputs; ++s) results[group * Outputs + s] = medians[s];
    }
    team.team_barrier();
    store_results(team, results, y + first * lines.out.stride, lines.out.stride, count);
  }
};

}  // namespace tessera::detail

#endif

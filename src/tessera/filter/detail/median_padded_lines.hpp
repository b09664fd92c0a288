// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Medians of short lines by networks: several lines in team scratch, each with its halos.
#ifndef TESSERA_FILTER_DETAIL_MEDIAN_PADDED_LINES_HPP
#define TESSERA_FILTER_DETAIL_MEDIAN_PADDED_LINES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/convert.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/filter_median.hpp>
#include <tessera/filter/detail/median_network.hpp>
#include <tessera/filter/detail/padded_lines.hpp>
#include <tessera/filter/median_plan.hpp>
#include <utility>

namespace tessera::detail {

template <ExecutionSpace Space, class T, class Out, int Window, int Outputs>
struct MedianPaddedLines {
  using policy_type = Kokkos::TeamPolicy<Space>;
  using member_type = typename policy_type::member_type;

  PaddedLines<T, T, Out, Outputs> padded;
  int taps;
  std::int64_t stride;       // of a line of the input
  int made_begin, made_end;  // outputs that mode keep leaves

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    padded.for_each(
        team, team_scratch(team, padded.plan().bytes), [](const T& element) { return element; },
        [&](const T* elements, const auto& x, int i, Out* slots) { make_run(elements, x, i, slots); });
  }

 private:
  template <class Line>
  KOKKOS_FORCEINLINE_FUNCTION void make_run(const T* elements, const Line& x, int i, Out* slots) const {
    NeighbouringMedians<T, Window, Outputs> windows{elements, taps};
    windows.run();
    TESSERA_UNROLL
    for (int s = 0; s < Outputs; ++s) {
      if (i + s < padded.outputs()) slots[s] = convert<Out>(windows.medians[s]);
    }
    if (!windows.has_nan && i >= made_begin && i + Outputs <= made_end) return;
    TESSERA_NO_UNROLL
    for (int s = 0; s < Outputs && i + s < padded.outputs(); ++s) {
      bool has_nan = false;
      for (int k = 0; k < taps; ++k) has_nan = has_nan || is_nan(elements[s + k]);
      if (i + s < made_begin || i + s >= made_end) {
        slots[s] = convert<Out>(x()[(i + s) * stride]);
      } else if (has_nan) {
        slots[s] = convert<Out>(median_of_nan<T>());
      }
    }
  }
};

/// What a team takes at a time.
template <ExecutionSpace Space, class T, class Out>
PaddedLinesPlan median_share(const Space& space, const MedianPlan& plan, const MedianLines<T, Out>& lines) {
  return median_padded_plan<T>(device_limits(space), lines.in.lines(), lines.in.extent, lines.taps, plan.team_size);
}

template <ExecutionSpace Space, class T, class Out>
void launch_median_padded_lines(const Space& space, const MedianPlan& plan, const MedianLines<T, Out>& lines,
                                int asked_team_size) {
  const auto launch = [&]<int Window, int Outputs>(std::integer_sequence<int, Window, Outputs>) {
    using Functor = MedianPaddedLines<Space, T, Out, Window, Outputs>;
    const std::int64_t extent = lines.in.extent, reach_right = lines.taps - 1 - lines.reach_left;
    const bool keeps_left = lines.boundary.left == BoundaryMode::keep;
    const bool keeps_right = lines.boundary.right == BoundaryMode::keep;
    const Functor functor{{median_share(space, plan, lines), lines.in, lines.out, lines.reach_left, lines.boundary},
                          static_cast<int>(lines.taps),
                          lines.in.stride,
                          static_cast<int>(keeps_left ? lines.reach_left : 0),
                          static_cast<int>(keeps_right ? extent - reach_right : extent)};
    auto policy = typename Functor::policy_type(space, plan.league_size, plan.team_size)
                      .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(plan.scratch_bytes))));
    require_launchable("tessera::median_filter", policy, functor, asked_team_size);
    Kokkos::parallel_for("tessera::median::padded_lines", policy, functor);
  };
  if (plan.network_window == 9) return launch(std::integer_sequence<int, 9, 5>());
  if (plan.network_window == 17) return launch(std::integer_sequence<int, 17, 9>());
  launch(std::integer_sequence<int, 33, 11>());
}

}  // namespace tessera::detail

#endif

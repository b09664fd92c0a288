// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant direct: each window from memory, for results that depend on which of its elements are NaN.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_DIRECT_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_DIRECT_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/filter/detail/window_lines.hpp>
#include <tessera/filter/window_plan.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Op>
struct WindowDirect {
  using policy_type = Kokkos::TeamPolicy<Space>;
  using member_type = typename policy_type::member_type;

  WindowLines<Op> lines;
  Op op;
  int tile;
  std::int64_t tiles_per_line, tiles;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const TileWalk walk = tile_walk(team, tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      const QuotientRemainder split = divide(index, tiles_per_line);
      const auto* x = lines.in.line(split.quotient);
      auto* y = lines.out.line(split.quotient);
      const std::int64_t end = Kokkos::min((split.remainder + 1) * tile, lines.out.extent);
      for (std::int64_t i = split.remainder * tile + team.team_rank(); i < end; i += team.team_size()) {
        const std::int64_t first = i - lines.window.reach_left;
        const auto element = [&](std::int64_t k) {
          return lines.boundary.element(x, lines.in.stride, first + k, lines.in.extent);
        };
        y[i * lines.out.stride] = lines.is_made(i) ? op.mean(element, true) : lines.kept(x, i);
      }
    }
  }
};

template <ExecutionSpace Space, class Op>
void launch_window_direct(std::string_view function, const Space& space, const WindowPlan& plan,
                          const WindowLines<Op>& lines, const Op& op, int asked_team_size) {
  const std::int64_t tiles_per_line = ceil_div(lines.out.extent, plan.tile);
  const WindowDirect<Space, Op> functor{lines, op, plan.tile, tiles_per_line, lines.in.lines() * tiles_per_line};
  const auto policy = Kokkos::TeamPolicy<Space>(space, plan.league_size, plan.team_size);
  require_launchable(function, policy, functor, asked_team_size);
  Kokkos::parallel_for("tessera::window::direct", policy, functor);
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant short_lines: short windows of short lines that follow each other in memory, for extrema and exact sums. A
// team stages several whole lines at once, so that neither its loads nor its threads depend on where they end.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_SHORT_LINES_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_SHORT_LINES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/filter/detail/stage.hpp>
#include <tessera/filter/detail/window_lines.hpp>
#include <tessera/filter/window_plan.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Op>
struct WindowShortLines {
  using policy_type = WindowPolicy<Space, 6>;
  using member_type = typename policy_type::member_type;
  using In = typename Op::in_type;
  using Out = typename Op::out_type;
  using Value = typename Op::value_type;

  WindowLines<Op> lines;
  Op op;
  BoundaryFold<In> fold;
  bool folds;          // no window reaches as far as a line is long
  int lines_per_tile;  // whole lines that a team takes at a time
  std::int64_t all_lines, tiles;
  std::size_t scratch_bytes;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    auto* scratch = reinterpret_cast<In*>(team_scratch(team, scratch_bytes));
    const auto extent = static_cast<int>(lines.in.extent);
    const TileWalk walk = tile_walk(team, tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      if (index != walk.begin) team.team_barrier();  // scratch has been read
      const std::int64_t first_line = index * lines_per_tile;
      const auto count = static_cast<int>(Kokkos::min<std::int64_t>(lines_per_tile, all_lines - first_line)) * extent;
      const In* staged = stage_elements(team, lines.in.data + first_line * extent, count, scratch);
      team.team_barrier();
      Out* y = lines.out.data + first_line * extent;
      for (int e = team.team_rank(); e < count; e += team.team_size()) {
        const auto i = static_cast<int>(static_cast<unsigned>(e) % static_cast<unsigned>(extent));
        y[e] = output(staged + (e - i), i);
      }
    }
  }

 private:
  /// Output i of the line x.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Out output(const In* x, int i) const {
    const int first = i - static_cast<int>(lines.window.reach_left);
    const auto size = static_cast<int>(lines.window.size);
    if (first >= 0 && first + size <= static_cast<int>(lines.in.extent)) {
      return joined(size, [&](int k) { return x[first + k]; });
    }
    if (!lines.is_made(i)) return lines.kept(x, i);
    if (folds) return joined(size, [&](int k) { return fold.element(x, 1, first + k); });
    return joined(size, [&](int k) { return lines.boundary.element(x, 1, first + k, lines.in.extent); });
  }

  template <class Element>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Out joined(int size, const Element& element) const {
    Value total = op.value(op.staged(element(0)));
    for (int k = 1; k < size; ++k) total = op.join(total, op.value(op.staged(element(k))));
    return op.result(total);
  }
};

template <ExecutionSpace Space, class Op>
void launch_window_short_lines(std::string_view function, const Space& space, const WindowPlan& plan,
                               const WindowLines<Op>& lines, const Op& op, int asked_team_size) {
  using Functor = WindowShortLines<Space, Op>;
  const WindowShape& window = lines.window;
  const bool folds = window.reach_left < lines.in.extent && window.size - 1 - window.reach_left < lines.in.extent;
  const std::int64_t all_lines = lines.in.lines();
  const Functor functor{lines,
                        op,
                        BoundaryFold<typename Op::in_type>(lines.boundary, lines.in.extent),
                        folds,
                        plan.lanes,
                        all_lines,
                        ceil_div(all_lines, plan.lanes),
                        plan.scratch_bytes};
  auto policy = typename Functor::policy_type(space, plan.league_size, plan.team_size)
                    .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(plan.scratch_bytes))));
  require_launchable(function, policy, functor, asked_team_size);
  Kokkos::parallel_for("tessera::window::short_lines", policy, functor);
}

}  // namespace tessera::detail

#endif

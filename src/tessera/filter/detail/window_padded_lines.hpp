// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant padded: several short lines in team scratch, each with its halos.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_PADDED_LINES_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_PADDED_LINES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/make_window_plan.hpp>
#include <tessera/filter/detail/padded_lines.hpp>
#include <tessera/filter/detail/window_lines.hpp>
#include <tessera/filter/detail/window_pieces.hpp>
#include <tessera/filter/detail/window_run_outputs.hpp>
#include <tessera/filter/window_plan.hpp>
#include <type_traits>

namespace tessera::detail {

template <ExecutionSpace Space, class Op>
struct WindowPaddedLines {
  using policy_type = std::conditional_t<makes_runs<Op>, Kokkos::TeamPolicy<Space>, PaddedLinesPolicy<Space>>;
  using member_type = typename policy_type::member_type;
  using In = typename Op::in_type;
  using Out = typename Op::out_type;
  static constexpr int run = run_of<Op>(padded_lines_run);

  PaddedLines<In, In, Out, run> padded;
  WindowLines<Op> lines;
  Op op;
  bool keeps;  // some outputs are those of mode keep

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    std::byte* const scratch = team_scratch(team, padded.plan().bytes);
    const auto staged = [](const In& element) { return element; };
    padded.for_each(team, scratch, staged,
                    [&](const In* elements, const auto& x, int i, Out* slots) { make_run(elements, x, i, slots); });
  }

 private:
  template <class Line>
  KOKKOS_FORCEINLINE_FUNCTION void make_run(const In* elements, const Line& x, int i, Out* slots) const {
    Out results[run];
    WindowRunOutputs<Op, run>::make(op, elements, static_cast<int>(lines.window.size), results);
    TESSERA_UNROLL
    for (int s = 0; s < run; ++s) {
      if (i + s < padded.outputs()) slots[s] = results[s];
    }
    if (!keeps) return;
    TESSERA_NO_UNROLL
    for (int s = 0; s < run; ++s) {
      if (i + s < padded.outputs() && !lines.is_made(i + s)) slots[s] = lines.kept(x(), i + s);
    }
  }
};

template <ExecutionSpace Space, class Op>
void launch_window_padded_lines(std::string_view function, const Space& space, const WindowPlan& plan,
                                const PaddedLinesPlan& share, const WindowLines<Op>& lines, const Op& op,
                                int asked_team_size) {
  using Functor = WindowPaddedLines<Space, Op>;
  const Functor functor{{share, lines.in, lines.out, lines.window.reach_left, lines.boundary},
                        lines,
                        op,
                        lines.boundary.left == BoundaryMode::keep || lines.boundary.right == BoundaryMode::keep};
  launch_windows(function, "tessera::window::padded_lines", space, plan, functor, asked_team_size);
}

template <ExecutionSpace Space, class Op>
void launch_window_padded_lines(std::string_view function, const Space& space, const WindowPlan& plan,
                                const WindowLines<Op>& lines, const Op& op, int asked_team_size) {
  const PaddedLinesPlan share = window_padded_lines_plan<Op>(device_limits(space), lines.in.lines(), lines.in.extent,
                                                             lines.window, plan.team_size);
  launch_window_padded_lines(function, space, plan, share, lines, op, asked_team_size);
}

}  // namespace tessera::detail

#endif

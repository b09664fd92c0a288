// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant lines: windows of few elements on short lines that follow each other in memory, a thread each.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_THREAD_LINES_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_THREAD_LINES_HPP

#include <Kokkos_Core.hpp>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/make_window_plan.hpp>
#include <tessera/filter/detail/thread_lines.hpp>
#include <tessera/filter/detail/window_lines.hpp>
#include <tessera/filter/window_plan.hpp>

namespace tessera::detail {

/// Windows of Slots elements, or of one less.
template <ExecutionSpace Space, class Op, int Slots>
struct WindowThreadLines {
  using T = typename Op::in_type;  // of output too
  using Value = typename Op::value_type;
  using policy_type = ThreadLinesPolicy<Space>;
  using member_type = typename policy_type::member_type;

  ThreadLines<T, Slots> lines;
  WindowLines<Op> each;
  Op op;
  bool is_less;
  bool keeps;  // some outputs are those of mode keep

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    lines.for_each(team, [&](T* line, T* right, const T* x) { filter_line(line, right, x); });
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void filter_line(T* line, T* right, const T* x) const {
    lines.template walk_line<Value>(
        line, right, [&](T element) { return op.value(element); },
        [&](const Value(&window)[Slots], int u) {
          Value joined = window[u];
          TESSERA_UNROLL
          for (int k = 1; k < Slots - 1; ++k) joined = op.join(joined, window[(u + k) % Slots]);
          return op.result(is_less ? joined : op.join(joined, window[(u + Slots - 1) % Slots]));
        });
    if (!keeps) return;
    TESSERA_NO_UNROLL
    for (int i = 0; i < lines.extent(); ++i) {
      if (!each.is_made(i)) line[i] = each.kept(x, i);
    }
  }
};

template <int Slots, ExecutionSpace Space, class Op>
void launch_window_thread_lines_of(std::string_view function, const Space& space, const WindowPlan& plan,
                                   const WindowLines<Op>& lines, const Op& op, int asked_team_size) {
  using Functor = WindowThreadLines<Space, Op, Slots>;
  using T = typename Op::in_type;
  const WindowShape& window = lines.window;
  const std::int64_t extent = lines.in.extent;
  const Functor functor{
      {window_thread_lines_plan<Op>(device_limits(space), extent, window, plan.team_size), lines.in.data,
       lines.out.data, lines.in.lines(), extent, window.reach_left, BoundaryFold<T>(lines.boundary, extent)},
      lines,
      op,
      window.size < Slots,
      lines.boundary.left == BoundaryMode::keep || lines.boundary.right == BoundaryMode::keep};
  launch_windows(function, "tessera::window::thread_lines", space, plan, functor, asked_team_size);
}

/// Of 3 to window_few_max elements.
template <ExecutionSpace Space, class Op>
void launch_window_thread_lines(std::string_view function, const Space& space, const WindowPlan& plan,
                                const WindowLines<Op>& lines, const Op& op, int asked_team_size) {
  static_assert(window_few_max == 9);
  switch (window_lines_slots(lines.window.size)) {
    case 3:
      return launch_window_thread_lines_of<3>(function, space, plan, lines, op, asked_team_size);
    case 5:
      return launch_window_thread_lines_of<5>(function, space, plan, lines, op, asked_team_size);
    case 7:
      return launch_window_thread_lines_of<7>(function, space, plan, lines, op, asked_team_size);
    default:
      return launch_window_thread_lines_of<9>(function, space, plan, lines, op, asked_team_size);
  }
}

}  // namespace tessera::detail

#endif

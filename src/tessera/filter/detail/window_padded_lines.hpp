// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant padded. Windows longer than that are the ends of the run, what they have in
// common, and the beginnings of as many elements where the first window ends. Nothing is ever subtracted.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_PADDED_LINES_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_PADDED_LINES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/make_window_plan.hpp>
#include <tessera/filter/detail/padded_lines.hpp>
#include <tessera/filter/detail/window_lines.hpp>
#include <tessera/filter/detail/window_run_joins.hpp>
#include <tessera/filter/window_plan.hpp>
#include <type_traits>

namespace tessera::detail {

template <ExecutionSpace Space, class Op>
struct WindowPaddedLines {
  using policy_type = PaddedLinesPolicy<Space>;
  using member_type = typename policy_type::member_type;
  using In = typename Op::in_type;
  using Out = typename Op::out_type;
  static constexpr int run = padded_lines_run;

  PaddedLines<In, In, Out> padded;
  WindowLines<Op> lines;
  Op op;
  bool keeps;  // some outputs are those of mode keep

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    std::byte* const scratch = team_scratch(team, padded.plan().bytes);
    const auto staged = [](const In& element) { return element; };
    if constexpr (has_quick<Op>) {
      using Quick = typename Op::quick_type;
      padded.for_each(team, scratch, staged, Takes<Quick>{},
                      [&](const In* elements, const auto& x, int i, Out* slots, bool quick) {
                        if (quick) {
                          make_run(Quick(), elements, x, i, slots);
                        } else {
                          make_run(op, elements, x, i, slots);
                        }
                      });
    } else {
      padded.for_each(
          team, scratch, staged, TakesAll{},
          [&](const In* elements, const auto& x, int i, Out* slots, bool) { make_run(op, elements, x, i, slots); });
    }
  }

 private:
  template <class Quick>
  struct Takes {
    KOKKOS_FUNCTION bool operator()(const In& element) const { return Quick::takes(element); }
  };

  /// Join: the operation, or a quick one.
  template <class Join, class Line>
  KOKKOS_FORCEINLINE_FUNCTION void make_run(const Join& join, const In* elements, const Line& x, int i,
                                            Out* slots) const {
    Out results[run];
    if constexpr (Op::whole_windows_max > 0) {
      make_whole(elements, results);
    } else {
      make_joined(join, elements, results);
    }
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

  template <class Join>
  KOKKOS_FORCEINLINE_FUNCTION void make_joined(const Join& join, const In* elements, Out (&results)[run]) const {
    using Value = typename Join::value_type;
    Value windows[run];
    load(join, elements, windows);
    const int reach = static_cast<int>(lines.window.size) - 1;
    if (reach >= run) {
      WindowRunJoins<Join, run>::join_ends(join, windows);
      const Value common = joined(join, elements + run, reach - run);
      WindowRunJoins<Join, run>::join_beginnings(join, elements + reach, common, windows);
    } else {
      TESSERA_NO_UNROLL
      for (int k = 1; k <= reach; ++k) {
        TESSERA_UNROLL
        for (int s = 0; s < run; ++s) windows[s] = join.join(windows[s], join.value(elements[s + k]));
      }
    }
    Value all = windows[0];
    if constexpr (Join::is_idempotent) {
      TESSERA_UNROLL
      for (int s = 1; s < run; ++s) all = join.join(all, windows[s]);
    }
    join.template results<run>(windows, all, results);
  }

  /// Windows whose elements are all taken at once.
  KOKKOS_FORCEINLINE_FUNCTION void make_whole(const In* elements, Out (&results)[run]) const {
    const auto make = [&](auto last) {
      constexpr int size = decltype(last)::value + 1;
      typename Op::value_type values[run + size - 1];
      TESSERA_UNROLL
      for (int s = 0; s < run + size - 1; ++s) values[s] = op.value(op.staged(elements[s]));
      make_windows<size, run>(op, values, [&](int s, const Out& result) { results[s] = result; });
    };
    if constexpr (has_one_size<Op>) {
      make(std::integral_constant<int, Op::whole_windows_max - 1>{});
    } else {
      with_constant<Op::whole_windows_max>(static_cast<int>(lines.window.size) - 1, make);
    }
  }

  /// count >= 0 elements, by pairs of runs, so that the depth is not much more than a tree's.
  template <class Join>
  KOKKOS_FORCEINLINE_FUNCTION static typename Join::value_type joined(const Join& join, const In* elements, int count) {
    using Value = typename Join::value_type;
    Value all = join.identity();
    TESSERA_NO_UNROLL
    for (; count >= 2 * run; count -= 2 * run, elements += 2 * run) {
      Value first[run], second[run];
      load(join, elements, first);
      load(join, elements + run, second);
      all = join.join(all, join.join(WindowRunJoins<Join, run>::template first<run>(join, first),
                                     WindowRunJoins<Join, run>::template first<run>(join, second)));
    }
    if (count >= run) {
      Value last[run];
      load(join, elements, last);
      all = join.join(all, WindowRunJoins<Join, run>::template first<run>(join, last));
      count -= run;
      elements += run;
    }
    if (count == 0) return all;
    Value rest = join.value(elements[0]);
    TESSERA_NO_UNROLL
    for (int k = 1; k < count; ++k) rest = join.join(rest, join.value(elements[k]));
    return join.join(all, rest);
  }

  template <class Join>
  KOKKOS_FORCEINLINE_FUNCTION static void load(const Join& join, const In* elements,
                                               typename Join::value_type (&values)[run]) {
    TESSERA_UNROLL
    for (int s = 0; s < run; ++s) values[s] = join.value(elements[s]);
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
  auto policy = typename Functor::policy_type(space, plan.league_size, plan.team_size)
                    .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(plan.scratch_bytes))));
  require_launchable(function, policy, functor, asked_team_size);
  Kokkos::parallel_for("tessera::window::padded_lines", policy, functor);
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

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant few: tile and halo in team scratch; a thread makes a run of neighbouring outputs of elements in registers,
// one joined after the other. Short lines that follow each other in memory are taken as one long line, and the outputs
// at their ends made anew.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_FEW_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_FEW_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/divisor.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/host_windows.hpp>
#include <tessera/filter/detail/window_lines.hpp>
#include <tessera/filter/detail/window_run_tile.hpp>
#include <tessera/filter/window_plan.hpp>
#include <type_traits>

namespace tessera::detail {

/// The base's lines are the one long line, where short ones are taken together.
template <ExecutionSpace Space, class Op>
struct WindowFew : WindowRunTile<Op> {
  using Base = WindowRunTile<Op>;
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<window_few_team_size, window_few_sizes<Op>.teams>,
                                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;
  using Base::lines, Base::op, Base::tiles;
  static constexpr int length = window_few_sizes<Op>.length, group = window_few_sizes<Op>.group;
  static_assert(length % group == 0);
  static constexpr bool copies_async = std::is_same_v<typename Base::In, typename Base::Staged> &&
                                       (sizeof(typename Base::In) == 4 || sizeof(typename Base::In) == 8);
  using typename Base::In, typename Base::Out, typename Base::Value, typename Base::Staged;

  WindowLines<Op> each;  // the lines themselves
  bool together;
  BoundaryFold<In> fold;
  bool folds;         // no window reaches as far as a line is long
  SmallDivisor ends;  // outputs of a line whose windows leave it, or 1
  WindowFewScratch pieces;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    if constexpr (is_host_space<Space>) {
      tiles.for_each(team, [&](std::int64_t line, std::int64_t first) {
        filter_on_host(team, lines.in.line(line), lines.out.line(line), first);
      });
    } else {
      std::byte* scratch = team_scratch(team, pieces.bytes);
      tiles.for_each(team, [&](std::int64_t line, std::int64_t first) {
        filter_tile(team, scratch, lines.in.line(line), lines.out.line(line), first);
      });
    }
  }

 private:
  /// first: the output that the tile begins with.
  KOKKOS_FUNCTION void filter_tile(const member_type& team, std::byte* scratch, const In* x, Out* y,
                                   std::int64_t first) const {
    auto* elements = reinterpret_cast<Staged*>(scratch + pieces.staged_at);
    const auto outputs = static_cast<int>(Kokkos::min<std::int64_t>(tiles.length, lines.out.extent - first));
    const int runs = (outputs + length - 1) / length;
    const int count = runs * length + static_cast<int>(lines.window.size) - 1;
    elements = stage(team, x, first - lines.window.reach_left, count, elements);
    team.team_barrier();

    const bool is_whole = lines.makes_all(first, outputs);
    const int head = is_whole ? static_cast<int>(misaligned_head(y + first, outputs)) : 0;
    Out* slots = reinterpret_cast<Out*>(scratch + pieces.slots_at) + (packed_length<Out> - head) % packed_length<Out>;
    for (int run = team.team_rank(); run < runs; run += team.team_size()) {
      make_run(elements + run * length, slots + run * length);
    }
    team.team_barrier();
    if (together && each.window.size > 1) {
      make_ends(team, x, first, outputs, elements, count, slots);
      team.team_barrier();
    }
    if (is_whole) {
      store_slots(slots, y + first, outputs, head, team.team_rank(), team.team_size());
    } else {
      lines.store(team, x, y, first - lines.window.reach_left, outputs, [&](int k) { return slots[k]; });
    }
  }

  /// Short lines keep threads busy at their ends, and fewer loads under way: those of elements that scratch takes as
  /// they are need no threads.
  KOKKOS_FORCEINLINE_FUNCTION Staged* stage(const member_type& team, const In* x, std::int64_t begin, int count,
                                            Staged* scratch) const {
    if constexpr (copies_async) {
      if (together) {
        this->begin_copy(team, x, begin, count, scratch);
        end_async_group();
        wait_for_async_groups<0>();
        return this->copied(x, begin, scratch);
      }
    }
    return Base::template stage<window_few_sizes<Op>.loads>(team, x, begin, count, scratch);
  }

  /// Tiles are whole lines where they are taken together.
  KOKKOS_FUNCTION void filter_on_host(const member_type& team, const In* x, Out* y, std::int64_t first) const {
    if (!together) return filter_host_tile(team, each, op, tiles, x, y, first);
    const std::int64_t extent = each.in.extent, end = Kokkos::min(first + tiles.length, lines.out.extent);
    const HostWindows<Op> windows{each, op};
    for (std::int64_t at = first + team.team_rank() * extent; at < end; at += team.team_size() * extent) {
      windows.filter(x + at, y + at, 0, static_cast<int>(extent));
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void make_run(const Staged* elements, Out* slots) const {
    // Code for each size: in place, so that registers hold the elements of a group of windows and nothing else.
    with_constant<window_few_max>(static_cast<int>(lines.window.size) - 1, [&](auto last) {
      constexpr int reach = decltype(last)::value;
      TESSERA_UNROLL
      for (int at = 0; at < length; at += group) {
        Value values[group + reach];
        TESSERA_UNROLL
        for (int s = 0; s < group + reach; ++s) values[s] = op.value(elements[at + s]);
        Value all = values[0];
        if constexpr (Op::is_idempotent) {
          TESSERA_UNROLL
          for (int s = 1; s < group + reach; ++s) all = op.join(all, values[s]);
        }
        TESSERA_UNROLL
        for (int s = 0; s < group; ++s) {
          TESSERA_UNROLL
          for (int k = 1; k <= reach; ++k) values[s] = op.join(values[s], values[s + k]);
        }
        op.template results<group>(values, all, slots + at);
      }
    });
  }

  /// elements: those of memory from the first window's on, count of them.
  KOKKOS_FORCEINLINE_FUNCTION void make_ends(const member_type& team, const In* x, std::int64_t first, int outputs,
                                             const Staged* elements, int count, Out* slots) const {
    const auto extent = static_cast<int>(each.in.extent);
    const int left = Kokkos::min(static_cast<int>(each.window.reach_left), ends.value());
    const auto begin_of_first = static_cast<int>(divide(first, extent).quotient * extent - first);
    TESSERA_NO_UNROLL
    for (int end = team.team_rank();; end += team.team_size()) {
      const int line = ends.quotient(end);
      const int begin = begin_of_first + line * extent;  // of the tile
      if (begin >= outputs) break;
      const int place = end - line * ends.value();
      const int i = place < left ? place : extent - ends.value() + place;
      if (begin + i < 0 || begin + i >= outputs) continue;
      const In* line_elements = x + (first + begin);
      slots[begin + i] = !each.is_made(i) ? each.kept(line_elements, i)
                         : folds          ? folded_output(line_elements, i, begin, elements, count)
                                          : far_output(line_elements, i);
    }
  }

  /// Output i of the line x, which begins at output begin of the tile.
  KOKKOS_FORCEINLINE_FUNCTION Out folded_output(const In* x, int i, int begin, const Staged* elements,
                                                int count) const {
    const auto extent = static_cast<int>(each.in.extent), left = static_cast<int>(each.window.reach_left);
    return joined_output([&](int k) {
      const int j = i - left + k;
      const bool before = j < 0, after = j >= extent;
      if ((before && fold.constant_left) || (after && fold.constant_right)) return op.staged(fold.cval);
      const int at = before  ? static_cast<int>(fold.first_left) + fold.sign_left * j
                     : after ? static_cast<int>(fold.first_right) + fold.sign_right * j
                             : j;
      const int staged_at = begin + at + left;
      return staged_at >= 0 && staged_at < count ? elements[staged_at] : op.staged(x[at]);
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION Out far_output(const In* x, int i) const {
    return joined_output(
        [&](int k) { return op.staged(each.boundary.element(x, 1, i - each.window.reach_left + k, each.in.extent)); });
  }

  template <class Element>
  KOKKOS_FORCEINLINE_FUNCTION Out joined_output(const Element& element) const {
    Value joined = op.value(element(0));
    TESSERA_NO_UNROLL
    for (int k = 1; k < static_cast<int>(each.window.size); ++k) joined = op.join(joined, op.value(element(k)));
    return op.result(joined);
  }
};

template <ExecutionSpace Space, class Op>
void launch_window_few(std::string_view function, const Space& space, const WindowPlan& plan,
                       const WindowLines<Op>& lines, const Op& op, int asked_team_size) {
  using Functor = WindowFew<Space, Op>;
  const WindowShape& window = lines.window;
  const std::int64_t extent = lines.in.extent, count = lines.in.lines();
  const bool together = plan.lanes > 1;
  WindowLines<Op> whole = lines;
  if (together) {
    whole.in = {lines.in.data, count * extent};
    whole.out = {lines.out.data, count * extent};
    whole.boundary = {BoundaryMode::nearest, BoundaryMode::nearest, lines.boundary.cval};
  }
  const bool folds = window.reach_left < extent && window.size - 1 - window.reach_left < extent;
  const Functor functor{{whole, op, WindowTiles(whole.in.lines(), whole.out.extent, plan.tile)},
                        lines,
                        together,
                        BoundaryFold<typename Op::in_type>(lines.boundary, extent),
                        folds,
                        SmallDivisor(static_cast<int>(std::clamp<std::int64_t>(window.size - 1, 1, extent))),
                        window_few_scratch<Op>(plan.tile, window.size)};
  launch_windows(function, "tessera::window::few", space, plan, functor, asked_team_size);
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant interleaved, on devices: few lines across memory that fill it together, through team scratch.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_INTERLEAVED_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_INTERLEAVED_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/interleaved_lines.hpp>
#include <tessera/filter/detail/interleaved_plan.hpp>
#include <tessera/filter/detail/window_interleaved_plan.hpp>
#include <tessera/filter/detail/window_lines.hpp>
#include <tessera/filter/detail/window_run_outputs.hpp>
#include <tessera/filter/window_plan.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Op>
struct WindowInterleaved {
  using Interleaved = InterleavedLines<WindowInterleavedTypes<Op>>;
  using Tile = typename Interleaved::Tile;
  using Run = typename Interleaved::Run;
  using In = typename Op::in_type;
  using Out = typename Op::out_type;
  static constexpr int run = Interleaved::run;
  using policy_type =
      Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<window_interleaved_team_size, WindowInterleavedTypes<Op>::teams>,
                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;

  Interleaved interleaved;
  WindowLines<Op> lines;
  Op op;
  bool keeps;  // some outputs are those of mode keep
  std::size_t scratch_bytes;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    std::byte* const scratch = team_scratch(team, scratch_bytes);
    const auto element = [&](const In* x, std::int64_t j) {
      const std::int64_t at = lines.element_for(j);
      return at < 0 ? lines.boundary.cval : x[at * lines.in.stride];
    };
    interleaved.for_each(team, scratch, element,
                         [&](const Tile& tile, const auto& runs) { runs([&](const Run& of) { make(tile, of); }); });
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void make(const Tile& tile, const Run& of) const {
    Out results[run];
    WindowRunOutputs<Op, run>::make(op, SteppedElements<In>{of.elements, of.step}, static_cast<int>(lines.window.size),
                                    results);
    TESSERA_UNROLL
    for (int s = 0; s < run; ++s) {
      if (s < of.count) of.slots[s * of.step] = results[s];
    }
    if (!keeps) return;
    TESSERA_NO_UNROLL
    for (int s = 0; s < run && s < of.count; ++s) {
      const std::int64_t i = tile.first + of.i + s;
      if (!lines.is_made(i)) of.slots[s * of.step] = lines.kept(of.x, i);
    }
  }
};

template <ExecutionSpace Space, class Op>
void launch_window_interleaved(std::string_view function, const Space& space, const WindowPlan& plan,
                               const InterleavedPlan& share, const WindowLines<Op>& lines, const Op& op,
                               int asked_team_size) {
  using Functor = WindowInterleaved<Space, Op>;
  const Functor functor{{share, lines.in, lines.out, lines.window.size, lines.window.reach_left},
                        lines,
                        op,
                        lines.boundary.left == BoundaryMode::keep || lines.boundary.right == BoundaryMode::keep,
                        share.bytes};
  launch_windows(function, "tessera::window::interleaved", space, plan, functor, asked_team_size);
}

template <ExecutionSpace Space, class Op>
void launch_window_interleaved(std::string_view function, const Space& space, const WindowPlan& plan,
                               const WindowLines<Op>& lines, const Op& op, int asked_team_size) {
  const FilterShape shape = filter_shape(lines.in, lines.out, lines.window.size, lines.window.reach_left);
  const auto share = interleaved_tiling<WindowInterleavedTypes<Op>>(device_limits(space), shape, plan.team_size);
  launch_window_interleaved(function, space, plan, share, lines, op, asked_team_size);
}

}  // namespace tessera::detail

#endif

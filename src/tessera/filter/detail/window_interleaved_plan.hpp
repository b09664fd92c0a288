// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant interleaved: which windows it takes, and its plan.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_INTERLEAVED_PLAN_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_INTERLEAVED_PLAN_HPP

#include <cstdint>
#include <string_view>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/filter/detail/filter_shape.hpp>
#include <tessera/filter/detail/interleaved_plan.hpp>
#include <tessera/filter/detail/window_pieces.hpp>
#include <tessera/filter/window_plan.hpp>
#include <type_traits>

namespace tessera::detail {

template <class Op>
using WindowInterleavedTypes =
    InterleavedTypes<typename Op::in_type, typename Op::out_type, window_interleaved_sizes<Op>().run,
                     window_interleaved_sizes<Op>().teams>;
template <class Op>
inline constexpr bool takes_interleaved =
    std::is_arithmetic_v<typename Op::in_type>&& std::is_arithmetic_v<typename Op::out_type> && !fills_registers<Op>;

/// Variant interleaved. Which lines it takes hangs on no team's size: sums of doubles would. Returns the number of
/// tiles, or 0 where another variant takes them.
template <class Op>
std::int64_t plan_window_interleaved(std::string_view function, const DeviceLimits& limits, const FilterShape& shape,
                                     int asked_team_size, WindowPlan& plan) {
  if constexpr (takes_interleaved<Op>) {
    using Types = WindowInterleavedTypes<Op>;
    constexpr int most = window_interleaved_team_size;
    if (shape.taps > window_interleaved_max) return 0;
    InterleavedPlan share = interleaved_plan_of<Types>(limits, shape, most);
    if (share.blocks == 0) return 0;
    require_team_size(function, asked_team_size, most);
    plan.team_size = asked_team_size != 0 ? asked_team_size : most;
    if (plan.team_size != most) share = interleaved_tiling<Types>(limits, shape, plan.team_size);
    plan.variant = WindowVariant::interleaved;
    plan.lanes = static_cast<int>(shape.columns) * share.blocks;
    plan.tile = static_cast<int>(shape.columns) * share.blocks * share.tile;
    plan.scratch_bytes = share.bytes;
    return interleaved_tiles(shape, share);
  } else {
    return 0;
  }
}

}  // namespace tessera::detail

#endif

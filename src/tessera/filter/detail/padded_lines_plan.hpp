// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short lines, each with its halos in team scratch: how many a team takes and where they lie there.
#ifndef TESSERA_FILTER_DETAIL_PADDED_LINES_PLAN_HPP
#define TESSERA_FILTER_DETAIL_PADDED_LINES_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>

namespace tessera::detail {

/// Neighbouring outputs of a thread, as a rule (odd: threads read their own from scratch without bank conflicts), the
/// threads of a team, the teams that a multiprocessor shall hold and their scratch, how often a team takes lines where
/// there are many, and the longest windows (measured on an H100).
inline constexpr int padded_lines_run = 9;
inline constexpr int padded_lines_team_size = 128;
inline constexpr int padded_lines_teams = 6;
inline constexpr std::size_t padded_lines_teams_scratch = std::size_t{padded_lines_teams * 36} << 10;
inline constexpr std::int64_t padded_lines_walk = 16;
inline constexpr std::int64_t padded_lines_window_max = 257;

struct PaddedLinesPlan {
  /// Where a line begins, from the view's first element on.
  struct Place {
    std::int64_t in, out;
  };
  std::int64_t teams = 0;
  int team_size = 0;
  int lines = 0;      // that a team takes at a time
  int runs = 0;       // of a line's outputs, a thread's each
  int footprint = 0;  // elements of a line that its runs read, and of what stands beyond its ends
  int pitch = 0;      // in scratch
  std::size_t beyond_at = 0, places_at = 0, elements_at = 0, slots_at = 0, extra_at = 0, bytes = 0;
};

/// lines of extent outputs, each of window elements, a run of them a thread; extra: bytes of scratch that a kernel
/// wants besides. None at a time where that cannot be. asked_team_size: 0 for that of the fewest idle threads.
template <class Staged, class Out>
PaddedLinesPlan padded_lines_plan(const DeviceLimits& limits, std::int64_t lines, std::int64_t extent,
                                  std::int64_t window, int asked_team_size, std::size_t extra = 0,
                                  int run = padded_lines_run) {
  constexpr int banks = std::max(1, 128 / static_cast<int>(sizeof(Staged)));
  const std::size_t most = limits.shared_scratch(padded_lines_teams_scratch, padded_lines_teams);
  const std::int64_t runs = ceil_div(extent, run);
  if (runs > padded_lines_team_size || window > padded_lines_window_max) return {};
  const auto plan_of = [&](int team_size) {
    PaddedLinesPlan plan;
    plan.team_size = team_size;
    plan.runs = static_cast<int>(runs);
    plan.footprint = plan.runs * run + static_cast<int>(window) - 1;
    // As if all runs followed each other, as far as banks go.
    plan.pitch = plan.runs * run + static_cast<int>(ceil_div(window - 1, banks)) * banks;
    for (plan.lines = std::max(1, team_size / plan.runs);; --plan.lines) {
      ScratchLayout layout;
      plan.beyond_at = layout.append<int>(static_cast<std::size_t>(plan.footprint - extent));
      plan.places_at = layout.append<PaddedLinesPlan::Place>(static_cast<std::size_t>(plan.lines));
      plan.elements_at = layout.append<Staged>(static_cast<std::size_t>(plan.lines * plan.pitch));
      plan.slots_at =
          layout.append<Packed<Out>>(static_cast<std::size_t>(ceil_div(plan.lines * extent, packed_length<Out>)) + 1);
      plan.extra_at = layout.append<Packed<int>>(ceil_div(extra, sizeof(Packed<int>)));
      plan.bytes = layout.bytes();
      if (plan.lines == 1 || scratch_request(plan.bytes) <= most) break;
    }
    return plan;
  };
  PaddedLinesPlan best = plan_of(asked_team_size != 0 ? asked_team_size : padded_lines_team_size);
  for (int size = best.team_size - 32; asked_team_size == 0 && size >= 64; size -= 32) {
    const PaddedLinesPlan plan = plan_of(size);
    if (plan.runs <= size && plan.lines * best.team_size > best.lines * size) best = plan;
  }
  if (scratch_request(best.bytes) > limits.scratch_bytes) return {};
  const std::int64_t tiles = ceil_div(lines, std::int64_t{best.lines});
  const std::int64_t at_once = std::int64_t{padded_lines_teams} * multiprocessors(limits);
  best.teams = ceil_div(tiles, std::clamp<std::int64_t>(tiles / (8 * at_once), 1, padded_lines_walk));
  return best;
}

}  // namespace tessera::detail

#endif

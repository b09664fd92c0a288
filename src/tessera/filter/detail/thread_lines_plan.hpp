// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short lines that follow each other in memory, a thread each: how many a team takes and where they lie in its scratch.
#ifndef TESSERA_FILTER_DETAIL_THREAD_LINES_PLAN_HPP
#define TESSERA_FILTER_DETAIL_THREAD_LINES_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>

namespace tessera::detail {

/// A team's threads, the teams that registers are for, and their scratch (measured on an H200).
inline constexpr int thread_lines_team_size = 128;
inline constexpr int thread_lines_teams_at_once = 5;
inline constexpr std::size_t thread_lines_teams_scratch = std::size_t{thread_lines_teams_at_once * 39} << 10;

/// In scratch the lines lie a pitch apart, and after them what stands beyond their right ends.
struct ThreadLinesPlan {
  int lines = 0, pitch = 0, halo = 0;  // halo: elements of a line
  std::size_t halo_at = 0, bytes = 0;  // scratch

  /// Whether lines are enough for that many percent of a team's threads.
  [[nodiscard]] bool fills(int percent, int team_size) const { return 100 * lines >= percent * team_size; }
};

/// right_halo: elements beyond a line's right end that its windows see.
template <class T>
ThreadLinesPlan thread_lines_plan(const DeviceLimits& limits, std::int64_t extent, std::int64_t right_halo,
                                  int team_size) {
  constexpr int width = packed_length<T>;
  const std::size_t most = limits.shared_scratch(thread_lines_teams_scratch, thread_lines_teams_at_once);
  ThreadLinesPlan plan;
  if (extent + right_halo + 2 * width + 1 > static_cast<std::int64_t>(most / sizeof(T))) return plan;
  // Threads read the same element of their lines: lines of an even number of chunks would lie in few banks.
  plan.pitch = static_cast<int>(extent % (2 * width) == 0 ? extent + width : extent);
  plan.halo = static_cast<int>(right_halo) | 1;
  const auto line_bytes = static_cast<std::size_t>(plan.pitch + plan.halo) * sizeof(T);
  plan.lines = std::min(team_size, static_cast<int>(most / line_bytes));
  ScratchLayout layout;
  layout.append<T>(static_cast<std::size_t>(plan.lines * plan.pitch) + sector_bytes / sizeof(T));
  plan.halo_at = layout.append<T>(static_cast<std::size_t>(plan.lines * plan.halo));
  plan.bytes = layout.bytes();
  return plan;
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many teams keep a device full in a reduction over axes, and how many parts of an output that takes.
#ifndef TESSERA_REDUCE_DETAIL_AXES_TEAMS_HPP
#define TESSERA_REDUCE_DETAIL_AXES_TEAMS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/reduce/detail/axes_shape.hpp>
#include <tessera/reduce/detail/fold_finish.hpp>

namespace tessera::detail {

/// Threads of a team.
inline constexpr int axes_team_size_max = 256;

inline int power_of_two_below(std::int64_t value) {
  int power = 1;
  while (2 * static_cast<std::int64_t>(power) <= value && power < (1 << 20)) power *= 2;
  return power;
}

inline std::int64_t clamped(std::int64_t value, std::int64_t low, std::int64_t high) {
  return std::max(low, std::min(value, high));
}

/// Teams of a device that run at once, where registers are planned for three of the largest a multiprocessor.
inline std::int64_t teams_at_once(const DeviceLimits& limits, int team_size) {
  return std::int64_t{multiprocessors(limits)} * std::max(1, 3 * axes_team_size_max / team_size);
}
/// Thousandths of their time that so many teams keep a device full.
inline std::int64_t filled(std::int64_t teams, std::int64_t at_once) {
  return 1000 * teams / (ceil_div(std::max<std::int64_t>(1, teams), at_once) * at_once);
}
/// Enough of it.
inline constexpr std::int64_t well_filled = 950;
/// Parts of each of so many long runs, where there are bytes of them for more teams than run at once: as many teams as
/// fill them some whole times, of which each costs as much as reading 100 kB, and those that idle in the end leave a
/// third of what they read to others (measured on an H200).
inline int parts_of_runs(std::int64_t runs, std::int64_t bytes, std::int64_t at_once, std::int64_t most) {
  const auto cost = [&](std::int64_t parts) {
    const std::int64_t teams = runs * parts;
    const std::int64_t idle = ceil_div(teams, at_once) * at_once - teams;
    return 0.35 * static_cast<double>(bytes) * static_cast<double>(idle) / static_cast<double>(teams) +
           1e5 * static_cast<double>(teams);
  };
  std::int64_t best = 1;
  for (int waves = 1; waves <= 8; ++waves) {
    const std::int64_t parts = clamped(waves * at_once / runs, 1, most);
    if (cost(parts) < cost(best)) best = parts;
  }
  return static_cast<int>(best);
}

/// Of long columns that are few: outputs of a team, a thread each, and parts.
struct WideColumns {
  int outputs = 0;  ///< 0: shorter segments of rows are better
  int parts = 1;
};

/// Segments of rows as wide as a team, and as many parts as keep a device full: 2200 to 2900 GB/s on an H100, where
/// segments of 128 bytes and several threads a column reach 1540 to 2760. Joining the parts of many takes longer.
template <class Fold>
WideColumns wide_columns(const DeviceLimits& limits, const AxesShape& shape, std::size_t element_bytes) {
  constexpr std::int64_t widest = axes_team_size_max, part_rows_min = 512;
  const std::int64_t columns = shape.kept > 0 ? shape.dims[shape.kept - 1].extent : 1;
  if (!takes_lines<Fold>() || sums_squares<Fold>() || columns < widest || shape.kept_size == 0) return {};
  const std::int64_t side = ceil_div(columns, widest), outputs = ceil_div(ceil_div(columns, side), 32) * 32;
  const std::int64_t blocks = shape.kept_size / columns * side;
  const std::int64_t at_once = teams_at_once(limits, static_cast<int>(outputs));
  // Parts leave less than an eighth of what is read.
  const std::int64_t input_bytes = shape.kept_size * shape.reduced_size * static_cast<std::int64_t>(element_bytes);
  const std::int64_t most =
      std::min(shape.reduced_size / part_rows_min,
               input_bytes / 8 / static_cast<std::int64_t>(Partials<Fold>::bytes(shape.kept_size)));
  const std::int64_t least = at_once / blocks;
  for (std::int64_t parts = least; parts >= 1 && parts <= std::min(2 * least, most); ++parts) {
    if (filled(blocks * parts, at_once) >= 850) return {static_cast<int>(outputs), static_cast<int>(parts)};
  }
  return {};
}

}  // namespace tessera::detail

#endif

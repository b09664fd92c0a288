// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a reduction over axes or segments is mapped to teams: data, from a pure host function of extents and strides.
#ifndef TESSERA_REDUCE_REDUCE_AXES_PLAN_HPP
#define TESSERA_REDUCE_REDUCE_AXES_PLAN_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/reduce/detail/axes_shape.hpp>
#include <tessera/reduce/detail/axes_teams.hpp>
#include <tessera/reduce/detail/column_packs_plan.hpp>
#include <tessera/reduce/detail/host_panels_plan.hpp>
#include <tessera/reduce/detail/lines_plan.hpp>
#include <tessera/reduce/detail/row_tiles_plan.hpp>
#include <tessera/reduce/reduce_options.hpp>
#include <tessera/reduce/team_reduce.hpp>

namespace tessera {

/// What a team does in a reduction over axes.
enum class AxesMapping {
  runs,    ///< all threads on one output, whose elements lie in long runs; several teams an output where these are few
  groups,  ///< a group of threads, or one, for each of several outputs; neighbours in memory to neighbouring threads;
           ///< a host's threads take panels of columns
  staged,  ///< short rows, many at a time, through a tile in team scratch
  lines,   ///< a thread for each output, whose elements are few; a host's take panels of rows, turned or summed along
  rows,    ///< a few vector lanes for each output, whose elements are one run
  tiles,   ///< the same for exact sums of rows that follow each other, through a tile in team scratch; a second kernel
           ///< for those that pairs of doubles do not settle
  rings,   ///< exact sums of long rows, a warp each, through rings in team scratch; the same second kernel
  packs,   ///< long columns, and runs as matrices of one: a thread takes those of a 16-byte pack; more kernels join
           ///< parts, and sum what pairs do not settle
};
inline constexpr std::array axes_mappings{AxesMapping::runs,  AxesMapping::groups, AxesMapping::staged,
                                          AxesMapping::lines, AxesMapping::rows,   AxesMapping::tiles,
                                          AxesMapping::rings, AxesMapping::packs};

constexpr std::string_view to_string(AxesMapping mapping) {
  switch (mapping) {
    case AxesMapping::runs:
      return "runs";
    case AxesMapping::groups:
      return "groups";
    case AxesMapping::staged:
      return "staged";
    case AxesMapping::lines:
      return "lines";
    case AxesMapping::rows:
      return "rows";
    case AxesMapping::tiles:
      return "tiles";
    case AxesMapping::rings:
      return "rings";
    case AxesMapping::packs:
      break;
  }
  return "packs";
}

struct ReduceAxesPlan {
  AxesMapping mapping = AxesMapping::runs;
  int league_size = 1;
  int team_size = 1;
  int outputs = 1;                  ///< that a team works on at a time
  int threads = 1;                  ///< for each of them
  int parts = 1;                    ///< teams that share an output and leave partial results for a second kernel
  std::size_t scratch_bytes = 0;    ///< level 0, a team
  std::size_t workspace_bytes = 0;  ///< partial results, or a list of outputs
  bool operator==(const ReduceAxesPlan&) const = default;
};

inline std::string to_string(const ReduceAxesPlan& plan) {
  return std::string(to_string(plan.mapping)) + " league " + std::to_string(plan.league_size) + " team " +
         std::to_string(plan.team_size) + " outputs " + std::to_string(plan.outputs) + " threads " +
         std::to_string(plan.threads) + " parts " + std::to_string(plan.parts) + " scratch " +
         std::to_string(plan.scratch_bytes) + " B workspace " + std::to_string(plan.workspace_bytes) + " B";
}

namespace detail {

/// Scratch that a team may take, so that several teams fit a multiprocessor.
inline constexpr std::size_t axes_scratch_budget = 40 << 10;
/// Of that, the tile of mapping staged.
inline constexpr std::size_t axes_tile_bytes = 16 << 10;
/// Columns that a host thread carries at a time: their elements share cache lines.
inline constexpr int host_columns = 32;

/// Elements of an output's part, from which its partial result is no matter.
inline constexpr std::int64_t part_size_min = 8192;

/// Fewer lanes leave a row that pairs of doubles do not settle to one of them: for many rows at once wide accumulators
/// would not fit scratch.
template <class Fold>
inline constexpr int row_lanes_joined = sizeof(typename Fold::team_type) <= 1024 ? 8 : 16;
/// Lanes of a row, in mapping rows: some 8 pieces of 16 bytes each; of short ones 4 (measured on an H200 and an H100).
inline int row_lanes(std::int64_t reduced, std::size_t element_bytes) {
  const std::int64_t bytes = reduced * static_cast<std::int64_t>(element_bytes);
  return power_of_two_below(clamped(bytes / 128, bytes >= 256 ? 4 : 2, 32));
}

/// Scratch of mappings runs (one group) and groups.
template <class Fold>
KOKKOS_FUNCTION std::size_t axes_scratch_bytes(int groups, int threads, std::size_t tile_bytes) {
  ScratchLayout layout;
  layout.append<AxesDim>(axes_max);
  layout.append<std::byte>(tile_bytes);
  if (threads > 1) layout.append<std::byte>(static_cast<std::size_t>(groups) * FoldScratch<Fold>(threads).bytes);
  return layout.bytes();
}

/// Scratch of mapping rows.
template <class Fold>
std::size_t rows_scratch_bytes(int outputs, int lanes) {
  ScratchLayout layout;
  layout.append<AxesDim>(axes_max);
  if (sums_in_pairs<Fold>() && lanes >= row_lanes_joined<Fold>) {
    layout.append<typename Fold::team_type>(static_cast<std::size_t>(outputs));
  }
  return layout.bytes();
}

/// Outputs next to each other in memory whose threads mapping groups mixes: all that a team has, or all that there are.
inline int plan_side(const AxesShape& shape, int outputs) {
  if (shape.reduces_fastest()) return 1;
  const std::int64_t columns = shape.dims[shape.kept - 1].extent;
  return columns < outputs && outputs % columns == 0 ? static_cast<int>(columns) : outputs;
}

/// A row of the tile takes an odd multiple of its threads: they read without bank conflicts.
KOKKOS_INLINE_FUNCTION std::int64_t staged_row_length(std::int64_t reduced_size, int threads) {
  const std::int64_t pieces = ceil_div(reduced_size, threads);
  return (pieces | 1) * threads;
}

/// Elements of the longest axis, or of the runs' rest: what parts may divide.
inline std::int64_t divisible_extent(const AxesShape& shape, AxesMapping mapping) {
  if (mapping == AxesMapping::runs) {
    return std::max(shape.run_size, shape.reduced_size / std::max<std::int64_t>(1, shape.run_size));
  }
  std::int64_t longest = 1;
  for (int d = 0; d < shape.reduced; ++d) longest = std::max(longest, shape.dims[shape.kept + d].extent);
  return longest;
}

/// Any mapping but packs.
template <class Fold>
ReduceAxesPlan general_axes_plan(const DeviceLimits& limits, const AxesShape& shape, std::size_t element_bytes,
                                 const ReduceOptions& options) {
  constexpr std::string_view function = "tessera::reduce_axes";
  require_league_size(function, options.league_size);
  require_team_size(function, options.team_size, limits.is_host ? limits.concurrency : axes_team_size_max);
  ReduceAxesPlan plan;
  const std::int64_t kept = shape.kept_size;
  const std::int64_t reduced = shape.reduced_size;
  const bool rows = shape.reduces_fastest();
  const auto asked = [&](int planned) { return options.team_size != 0 ? options.team_size : planned; };
  std::int64_t elements_min;  // of a thread, below which an output is not divided

  // Measured on an H200: columns may be longer than rows, of which too many do not fit the caches, if there are many.
  const bool many = kept >= (std::int64_t{1} << 17);
  const std::int64_t row_bytes = reduced * static_cast<std::int64_t>(element_bytes);
  // Longer rows of neighbouring threads share cache lines where these fall on different banks.
  const bool short_row = row_bytes <= 64 || (row_bytes <= 96 && row_bytes % 32 != 0);
  // Teams are quicker with the squares of such.
  const bool long_row = row_bytes > 96 << 10;
  const bool turned = limits.is_host && takes_panels<Fold>() && turns_rows<Fold>(shape, element_bytes);
  const bool few = limits.is_host ? rows && reduced <= 32 : rows ? short_row : reduced <= (many ? 256 : 32);
  const bool panels = limits.is_host && takes_panels<Fold>() && has_columns<Fold>(shape, options.nan);
  WideColumns wide;
  RowTilesPlan tiles;
  const bool many_rows = !limits.is_host && takes_row_tiles<Fold>(element_bytes) && rows &&
                         kept * row_bytes >= row_tiles_bytes_min && kept < narrow_outputs && options.league_size == 0 &&
                         options.team_size == 0;
  if (many_rows && shape.rows_adjacent) tiles = row_tiles_plan(limits, reduced, element_bytes);
  if (tiles.rows > 0) {
    plan.mapping = AxesMapping::tiles;
    plan.team_size = row_tiles_team_size;
    plan.outputs = tiles.rows;
    plan.threads = tiles.lanes;
    elements_min = std::numeric_limits<std::int64_t>::max();
  } else if (many_rows && shape.run_size == reduced && takes_row_rings(limits, kept, row_bytes)) {
    plan.mapping = AxesMapping::rings;
    plan.team_size = row_tiles_team_size;
    plan.outputs = row_ring_vectors;
    plan.threads = row_ring_lanes;
    elements_min = std::numeric_limits<std::int64_t>::max();
  } else if ((takes_lines<Fold>() && few) || turned) {
    plan.mapping = AxesMapping::lines;
    plan.team_size = asked(limits.is_host ? 1 : axes_team_size_max);
    plan.outputs = plan.team_size * (limits.is_host ? 1 : lines_at_once);
    elements_min = std::numeric_limits<std::int64_t>::max();
  } else if (limits.is_host) {
    // Each thread by itself: outputs one after the other, or columns, as many as a panel or a few at a time.
    plan.mapping = rows && shape.run_size >= 4 ? AxesMapping::runs : AxesMapping::groups;
    plan.team_size = asked(1);
    plan.threads = plan.mapping == AxesMapping::runs ? plan.team_size : 1;
    if (plan.mapping == AxesMapping::groups) plan.outputs = host_columns;
    elements_min = 4096;
    if constexpr (takes_panels<Fold>()) {
      if (panels) {
        plan.outputs =
            static_cast<int>(std::min<std::int64_t>(HostPanel<Fold>::columns, shape.dims[shape.kept - 1].extent));
        elements_min = std::max<std::int64_t>(panel_rows, elements_min / plan.outputs);
        if (!panel_leaves_parts<Fold>(element_bytes)) {  // narrower ones instead
          const std::int64_t share = std::max<std::int64_t>(panel_width_min, kept / (4 * limits.concurrency));
          plan.outputs = static_cast<int>(std::min<std::int64_t>(plan.outputs, share));
        }
      }
    }
  } else if (takes_rows<Fold>() && rows && shape.run_size == reduced && (!sums_squares<Fold>() || !long_row) &&
             kept * row_lanes(reduced, element_bytes) >= std::int64_t{512} * multiprocessors(limits)) {
    plan.mapping = AxesMapping::rows;
    const int team = asked(axes_team_size_max);
    plan.threads = std::min(row_lanes(reduced, element_bytes), power_of_two_below(team));
    plan.team_size = team / plan.threads * plan.threads;
    plan.outputs = plan.team_size / plan.threads;
    elements_min = std::numeric_limits<std::int64_t>::max();
  } else if (rows && shape.rows_adjacent && reduced < 512 &&
             static_cast<std::size_t>(reduced) * element_bytes <= axes_tile_bytes / 4) {
    plan.mapping = AxesMapping::staged;
    plan.team_size = asked(128);
    plan.threads = static_cast<int>(
        std::min<std::int64_t>(power_of_two_below(std::max<std::int64_t>(1, reduced / (reduced <= 128 ? 64 : 32))),
                               power_of_two_below(plan.team_size)));
    // Wide accumulators: fewer groups, of more threads.
    const auto groups_fit = [&] {
      return plan.threads == 1 ||
             axes_scratch_bytes<Fold>(plan.team_size / plan.threads, plan.threads, 0) + axes_tile_bytes <=
                 axes_scratch_budget;
    };
    while (!groups_fit() && 2 * plan.threads <= plan.team_size) plan.threads *= 2;
    if (!groups_fit()) plan.threads = 1;
    plan.team_size -= plan.team_size % plan.threads;
    const std::int64_t tile_row = staged_row_length(reduced, plan.threads) * static_cast<std::int64_t>(element_bytes);
    plan.outputs =
        static_cast<int>(clamped(static_cast<std::int64_t>(axes_tile_bytes) / tile_row, 1, 8 * plan.team_size));
    elements_min = std::numeric_limits<std::int64_t>::max();
  } else if (rows && shape.run_size >= 512 && shape.run_size * static_cast<std::int64_t>(element_bytes) >= 2048) {
    plan.mapping = AxesMapping::runs;
    plan.team_size = asked(static_cast<int>(clamped(power_of_two_below(shape.run_size / 256), 32, axes_team_size_max)));
    plan.threads = plan.team_size;
    elements_min = 4 * Fold::lanes;
  } else if (!rows && options.league_size == 0 && options.team_size == 0 &&
             (wide = wide_columns<Fold>(limits, shape, element_bytes)).outputs > 0) {
    plan.mapping = AxesMapping::groups;
    plan.outputs = plan.team_size = wide.outputs;
    elements_min = std::numeric_limits<std::int64_t>::max();
  } else {
    plan.mapping = AxesMapping::groups;
    const int team = asked(256);
    // Threads that have enough to do, and as many as fill the machine.
    const std::int64_t filling = std::int64_t{4} * multiprocessors(limits) * 768 / std::max<std::int64_t>(1, kept);
    const std::int64_t wanted = clamped(std::min(reduced / 64, filling), 1, team);
    std::int64_t outputs = team / power_of_two_below(wanted);
    if (!rows) {
      // At least a row of 32 neighbouring columns, or all that lie side by side.
      const std::int64_t columns = shape.dims[shape.kept - 1].extent;
      outputs = clamped(columns, 1, std::max<std::int64_t>(outputs, std::min(team, 32)));
    }
    outputs = clamped(outputs, 1, kept);
    std::int64_t each = wanted;  // threads of an output
    if (!rows && outputs < 32) {
      // Few columns: threads next to each other along them too, a warp's reads in one piece.
      each = std::max(wanted, clamped(32 / outputs, 1, reduced / 16));
      if (outputs == shape.dims[shape.kept - 1].extent) {
        outputs *= clamped(team / (outputs * each), 1, kept / outputs);
      }
    } else if (!rows && reduced < 2 * part_size_min) {
      // Fewer columns where the last teams would leave much of the machine idle: whole sectors, or warps whose reads
      // lie on boundaries.
      const auto share = [&](std::int64_t o) {
        return filled(ceil_div(kept, o), teams_at_once(limits, axes_team_size_max));
      };
      const std::int64_t step = shape.dims[shape.kept - 1].extent % 32 == 0 ? 32 : 8;
      const std::int64_t least = std::max<std::int64_t>(32, outputs / 2);
      for (std::int64_t o = outputs; o >= least && share(outputs) < well_filled; o -= step) {
        if (share(o) > share(outputs)) outputs = o;
      }
    }
    std::int64_t threads = std::min<std::int64_t>(team / outputs, std::max<std::int64_t>(1, each));
    while (threads > 1 &&
           axes_scratch_bytes<Fold>(static_cast<int>(outputs), static_cast<int>(threads), 0) > axes_scratch_budget) {
      (outputs > 1 ? outputs : threads) /= 2;
    }
    plan.outputs = static_cast<int>(outputs);
    plan.threads = static_cast<int>(threads);
    plan.team_size = static_cast<int>(outputs * threads);
    elements_min = 64;
  }

  const std::int64_t blocks = panels && kept > 0 ? kept / shape.dims[shape.kept - 1].extent *
                                                       ceil_div(shape.dims[shape.kept - 1].extent, plan.outputs)
                                                 : ceil_div(kept, plan.outputs);
  const std::int64_t wanted_teams =
      options.league_size != 0 ? options.league_size
      : limits.is_host         ? 4 * limits.concurrency
                               : std::int64_t{multiprocessors(limits)} * (multiprocessor_threads / plan.team_size);
  const std::int64_t shares = elements_min < reduced ? reduced / (elements_min * plan.threads) : 1;
  const std::int64_t parts_max = std::max<std::int64_t>(1, std::min(shares, divisible_extent(shape, plan.mapping)));
  if (blocks > 0 && 2 * blocks <= wanted_teams) {
    plan.parts = static_cast<int>(std::min(parts_max, wanted_teams / blocks));
  }
  if (!limits.is_host && plan.mapping == AxesMapping::runs && options.league_size == 0 && sums_in_pairs<Fold>()) {
    const std::int64_t at_once = teams_at_once(limits, plan.team_size);
    if (blocks > 0 && blocks * parts_max > at_once) {
      plan.parts = parts_of_runs(blocks, kept * row_bytes, at_once, parts_max);
    }
  }
  if (!limits.is_host && plan.mapping == AxesMapping::groups && options.league_size == 0 && elements_min < reduced) {
    const std::int64_t at_once = teams_at_once(limits, plan.team_size);
    const auto share = [&](std::int64_t parts) { return filled(blocks * parts, at_once); };
    const std::int64_t most = std::min(
        {divisible_extent(shape, plan.mapping), reduced / part_size_min, std::max<std::int64_t>(16, plan.parts)});
    if (blocks * plan.parts > at_once) {
      for (std::int64_t parts = plan.parts * 3 / 4; parts <= most && share(plan.parts) < well_filled; ++parts) {
        if (share(parts) > share(plan.parts)) plan.parts = static_cast<int>(parts);
      }
    }
  }
  if (wide.outputs > 0) plan.parts = wide.parts;
  const std::int64_t items = blocks * plan.parts;
  // A team goes on with further outputs, rather than that another begins, where it does not do what it has once, or
  // that takes little longer than to begin.
  const bool once = plan.mapping == AxesMapping::tiles || plan.mapping == AxesMapping::rings ||
                    (plan.mapping == AxesMapping::lines && shape.kept <= 1 && row_bytes >= line_once_bytes_min);
  const std::int64_t league_max = limits.is_host ? wanted_teams
                                  : once         ? std::numeric_limits<int>::max()
                                                 : 8 * wanted_teams;
  plan.league_size = static_cast<int>(options.league_size != 0 ? options.league_size : clamped(items, 1, league_max));
  const bool tile = plan.mapping == AxesMapping::staged;
  plan.scratch_bytes = axes_scratch_bytes<Fold>(
      tile ? plan.team_size / plan.threads : plan.team_size / std::max(1, plan.threads), plan.threads,
      tile ? static_cast<std::size_t>(plan.outputs * staged_row_length(reduced, plan.threads)) * element_bytes : 0);
  if (plan.mapping == AxesMapping::rows) plan.scratch_bytes = rows_scratch_bytes<Fold>(plan.outputs, plan.threads);
  if (plan.mapping == AxesMapping::tiles) plan.scratch_bytes = tiles.scratch_bytes;
  if (plan.mapping == AxesMapping::rings) plan.scratch_bytes = row_rings_scratch_bytes();
  if (sums_in_pairs<Fold>() && !limits.is_host && plan.mapping == AxesMapping::lines &&
      leaves_lines(shape, element_bytes)) {
    plan.workspace_bytes = left_listed_max * sizeof(std::int64_t);
  }
  if (plan.parts > 1) plan.workspace_bytes = Partials<Fold>::bytes(kept * plan.parts);
  return plan;
}

template <class Fold>
ReduceAxesPlan make_axes_plan(const DeviceLimits& limits, const AxesShape& shape, std::size_t element_bytes,
                              const ReduceOptions& options) {
  ReduceAxesPlan plan = general_axes_plan<Fold>(limits, shape, element_bytes, options);
  if constexpr (takes_column_packs<Fold>()) {
    if (plan.mapping != AxesMapping::groups && plan.mapping != AxesMapping::runs) return plan;
    const ColumnPacks packs = column_packs<Fold>(limits, shape, element_bytes, options);
    if (packs.rows == 0) return plan;
    plan.mapping = AxesMapping::packs;
    plan.team_size = column_packs_team_size;
    plan.outputs = plan.team_size * packed_bytes / static_cast<int>(element_bytes);
    plan.threads = 1;
    plan.parts = packs.parts;
    plan.league_size =
        static_cast<int>(shape.kept_size / packs.columns * packs.segments * (packs.parts / packs.rounds));
    plan.scratch_bytes = column_scratch_bytes<Fold>(packs);
    plan.workspace_bytes = std::max(plan.workspace_bytes, column_packs_bytes<Fold>(packs, shape.kept_size));
  }
  return plan;
}

}  // namespace detail
}  // namespace tessera

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a median filter is mapped to teams: data, from a pure host function.
#ifndef TESSERA_FILTER_MEDIAN_PLAN_HPP
#define TESSERA_FILTER_MEDIAN_PLAN_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/filter/detail/filter_shape.hpp>
#include <tessera/filter/detail/make_window_plan.hpp>
#include <tessera/filter/detail/padded_lines_plan.hpp>
#include <tessera/filter/detail/window_interleaved_plan.hpp>
#include <tessera/filter/detail/window_median_network.hpp>
#include <tessera/filter/detail/window_pieces.hpp>
#include <tessera/filter/window_options.hpp>
#include <tessera/filter/window_plan.hpp>
#include <type_traits>

namespace tessera {

/// How the medians of a tile are found; m is the window's width.
enum class MedianMethod {
  chunks,   ///< up to 5: 16-byte accesses, a few comparisons in registers
  network,  ///< up to 33: sorting networks in registers, neighbouring windows share their common part
  columns,  ///< the one or, on devices, the other, of lines across memory: neighbouring threads take neighbouring lines
  interleaved,  ///< devices: the same of few such lines, which fill memory together, through team scratch
  padded,       ///< devices: the same of several short lines in team scratch, each with its halos
  sorted,       ///< hosts: each thread keeps its window sorted and moves on; about m / 3 keys move for an output
  ranks,        ///< devices: tile and halo are sorted, windows move on as sets of bits
  direct,  ///< where no scratch holds what the others need: the bits of the median, each by a count over the window
};
inline constexpr std::array median_methods{MedianMethod::chunks,      MedianMethod::network, MedianMethod::columns,
                                           MedianMethod::interleaved, MedianMethod::padded,  MedianMethod::sorted,
                                           MedianMethod::ranks,       MedianMethod::direct};

constexpr std::string_view to_string(MedianMethod method) {
  switch (method) {
    case MedianMethod::chunks:
      return "chunks";
    case MedianMethod::network:
      return "network";
    case MedianMethod::columns:
      return "columns";
    case MedianMethod::interleaved:
      return "interleaved";
    case MedianMethod::padded:
      return "padded";
    case MedianMethod::sorted:
      return "sorted";
    case MedianMethod::ranks:
      return "ranks";
    case MedianMethod::direct:
      break;
  }
  return "direct";
}

struct MedianPlan {
  MedianMethod method = MedianMethod::direct;
  int network_window = 0;  ///< the width that the network is laid out for, at least m; 0 without one
  int league_size = 1;
  int team_size = 1;
  int vector_length = 1;
  int tile = 1;                   ///< outputs a team makes at a time
  int lanes = 1;                  ///< neighbouring lines that a team takes at once
  int runs = 1;                   ///< windows that a team moves on at once (`ranks`)
  std::size_t scratch_bytes = 0;  ///< level 0, a team
  bool operator==(const MedianPlan&) const = default;
};

inline std::string to_string(const MedianPlan& plan) {
  return std::string(to_string(plan.method)) + " league " + std::to_string(plan.league_size) + " team " +
         std::to_string(plan.team_size) + " vector " + std::to_string(plan.vector_length) + " tile " +
         std::to_string(plan.tile) + " lanes " + std::to_string(plan.lanes) + " runs " + std::to_string(plan.runs) +
         " network " + std::to_string(plan.network_window) + " scratch " + std::to_string(plan.scratch_bytes) + " B";
}

namespace detail {

/// An element's place in a tile with its halo, or its rank there, under the method `ranks`.
using MedianPlace = std::uint16_t;
/// Elements that its places can tell apart.
inline constexpr std::int64_t median_ranks_elements = 65535;
/// Elements that a thread sorts at once: odd, so that threads side by side read scratch without bank conflicts.
inline constexpr int median_chunk = 9;

/// Of 32 bits, one for each element.
KOKKOS_INLINE_FUNCTION int median_words(int elements) { return (elements + 31) / 32; }

/// Scratch pieces of a median filter, in this order; a method leaves out what it does not need.
struct MedianScratch {
  std::size_t elements_at, results_at, keys_at, order_at, ranks_at, words_at, bytes;
};

/// taps: with `network` the width that it is laid out for. runs: of `ranks`. Staged elements and results may be shifted
/// by up to one 16-byte piece.
template <class T>
MedianScratch median_scratch(MedianMethod method, int team_size, int tile, std::int64_t taps, int runs) {
  const auto outputs = static_cast<std::size_t>(tile), window = static_cast<std::size_t>(taps);
  const std::size_t elements = outputs + window - 1;
  ScratchLayout layout;
  MedianScratch pieces{};
  if (method == MedianMethod::network) {
    pieces.elements_at = layout.append<T>(elements + packed_length<T>);
    pieces.results_at = layout.append<T>(outputs + packed_length<T>);
  } else if (method == MedianMethod::sorted) {
    pieces.keys_at = layout.append<T>(window * static_cast<std::size_t>(team_size));
  } else if (method == MedianMethod::ranks) {
    pieces.elements_at = layout.append<T>(elements + packed_length<T>);
    pieces.order_at = layout.append<MedianPlace>(elements + 1);
    pieces.ranks_at = layout.append<MedianPlace>(elements + 1);
    pieces.results_at = layout.append<MedianPlace>(outputs);
    const auto words = static_cast<std::size_t>(median_words(static_cast<int>(elements)));
    pieces.words_at = layout.append<std::uint32_t>(words * static_cast<std::size_t>(runs));
  }
  pieces.bytes = layout.bytes();
  return pieces;
}

/// The largest of tile, tile / 2, .. >= smallest whose scratch a team can have, as a multiple of step; 0 for none.
template <class T>
int median_tile(const DeviceLimits& limits, MedianMethod method, int team_size, std::int64_t taps, int tile, int step,
                int smallest) {
  if (static_cast<std::size_t>(taps) > limits.scratch_bytes) return 0;
  for (; tile >= smallest; tile = tile / 2 / step * step) {
    const std::size_t bytes = median_scratch<T>(method, team_size, tile, taps, 1).bytes;
    if (scratch_request(bytes) <= limits.scratch_bytes) return tile;
  }
  return 0;
}

/// MedianMethod::ranks, but for its league. Leaves a tile of 0 where scratch holds none.
template <class T>
void plan_median_ranks(const DeviceLimits& limits, std::int64_t extent, std::int64_t taps, int asked_team_size,
                       MedianPlan& plan) {
  plan.team_size = asked_team_size != 0 ? asked_team_size : 256;
  plan.tile = 0;
  if (static_cast<std::size_t>(taps) > limits.scratch_bytes) return;
  // Two to four windows' elements, as each is sorted again by each tile that sees it. Measured on an H200, as are the
  // threads and runs below.
  const auto chunks =
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(256, taps)))) / 4;
  const std::int64_t whole = std::min(extent, chunks * median_chunk - (taps - 1));
  std::int64_t tile = whole;
  const auto fits = [&](std::size_t there, int runs) {
    const auto bytes = median_scratch<T>(MedianMethod::ranks, 1, static_cast<int>(tile), taps, runs).bytes;
    return scratch_request(bytes) <= there && tile + taps - 1 <= median_ranks_elements;
  };
  const auto shrink = [&](int runs, std::int64_t least) {
    for (tile = whole; tile >= least && !fits(limits.scratch_bytes, runs);) tile = tile / 4 * 3;
    return tile >= least;
  };
  const std::int64_t least = std::min<std::int64_t>(extent, 64);
  if (!shrink(16, std::max(least, taps / 8)) && !shrink(4, least)) return;
  // More runs wait for each other less, but where they take all scratch fewer teams run at once.
  plan.runs = 64;
  while (plan.runs > 16 && !fits(limits.scratch_bytes / 4 * 3, plan.runs)) plan.runs /= 2;
  while (plan.runs > 4 && !fits(limits.scratch_bytes, plan.runs)) plan.runs /= 2;
  if (asked_team_size == 0) {
    const std::int64_t sorted = ceil_div(tile + taps - 1, std::int64_t{median_chunk});
    plan.team_size =
        static_cast<int>(std::min<std::int64_t>(taps > 1024 ? 256 : 128, ceil_div(sorted, std::int64_t{32}) * 32));
  }
  plan.runs = std::min(plan.runs, plan.team_size);
  plan.tile = static_cast<int>(tile);
}

/// Methods whose kernels are those of windows. Returns the number of tiles, or 0 where none of them takes such lines.
template <class Op>
std::int64_t plan_median_windows(const DeviceLimits& limits, std::int64_t lines, std::int64_t extent, std::int64_t taps,
                                 const WindowOptions& options, const LinePlace& place, MedianPlan& plan) {
  constexpr std::string_view function = "tessera::median_filter";
  const bool is_across = fills_columns<typename Op::in_type>(place.columns);
  WindowPlan windows;
  std::int64_t tiles = 0;
  const auto take = [&](MedianMethod method) {
    plan.method = method;
    plan.lanes = windows.lanes;
    plan.team_size = windows.team_size;
    plan.tile = windows.tile;
    plan.scratch_bytes = windows.scratch_bytes;
    return tiles;
  };
  // Padded is faster for short lines (10 elements under windows of 7 and 9, on an H200).
  const bool is_short = makes_runs<Op> && extent < 2 * taps;
  if (place.full_columns && !is_short && options.team_size <= window_interleaved_team_size) {
    const FilterShape shape = full_columns_shape(place, lines, extent, taps, taps / 2 + options.origin);
    tiles = plan_window_interleaved<Op>(function, limits, shape, options.team_size, windows);
    if (tiles > 0) return take(MedianMethod::interleaved);
  }
  if (is_across && (!makes_runs<Op> || (!limits.is_host && options.team_size <= window_chunk_team_size))) {
    tiles = plan_window_columns<Op>(function, limits, place.columns, lines, extent, options.team_size, windows);
    return take(MedianMethod::columns);
  }
  if (!is_across && options.team_size <= padded_lines_team_size) {
    const WindowShape shape{taps, taps / 2 + options.origin};
    tiles = plan_window_padded_lines<Op>(function, limits, lines, extent, shape, options.team_size, windows);
    if (tiles > 0) return take(MedianMethod::padded);
  }
  if constexpr (!makes_runs<Op>) {
    plan_window_chunks<Op>(function, limits, extent, {taps, taps / 2}, options.team_size, windows);
    tiles = lines * ceil_div(extent, windows.tile);
    return take(MedianMethod::chunks);
  } else {
    return 0;
  }
}

/// Methods that take tiles of a line. network: of window 0 where there is none. Returns the number of tiles.
template <class T>
std::int64_t plan_median_tiles(const DeviceLimits& limits, std::int64_t lines, std::int64_t extent, std::int64_t taps,
                               const MedianNetworkSize& network, int asked_team_size, MedianPlan& plan) {
  const bool has_network = network.window != 0;
  const std::int64_t window = has_network ? network.window : taps;
  if (has_network) {
    plan.method = MedianMethod::network;
    plan.team_size = asked_team_size != 0 ? asked_team_size : limits.is_host ? 1 : 128;
    const int a_round = network.outputs * plan.team_size;
    const int tile = a_round * static_cast<int>(std::max<std::int64_t>(1, (limits.is_host ? 2048 : 1536) / a_round));
    plan.tile = median_tile<T>(limits, plan.method, plan.team_size, window, tile, network.outputs, network.outputs);
  } else if (limits.is_host) {
    plan.method = MedianMethod::sorted;
    plan.team_size = asked_team_size != 0 ? asked_team_size : 1;
    // To sort a host thread's first window costs as much as m / 2 outputs.
    const std::int64_t fair = ceil_div(lines * extent, limits.concurrency);
    const std::int64_t a_thread =
        std::max<std::int64_t>(256, std::min(fair, 4 * std::min(taps, std::int64_t{1} << 18)));
    plan.tile =
        median_tile<T>(limits, plan.method, plan.team_size, taps, static_cast<int>(plan.team_size * a_thread), 1, 32);
  } else {
    plan.method = MedianMethod::ranks;
    plan_median_ranks<T>(limits, extent, taps, asked_team_size, plan);
  }
  if (plan.tile == 0) {
    plan.method = MedianMethod::direct;
    plan.tile = 4 * plan.team_size;
  }
  plan.scratch_bytes = median_scratch<T>(plan.method, plan.team_size, plan.tile, window, plan.runs).bytes;
  return lines * ceil_div(extent, plan.tile);
}

/// For lines of extent elements of T, each output the median of taps of them.
template <class T, class Out = T>
MedianPlan make_median_plan(const DeviceLimits& limits, std::int64_t lines, std::int64_t extent, std::int64_t taps,
                            const WindowOptions& options, const LinePlace& place = {}) {
  constexpr std::string_view function = "tessera::median_filter";
  require_league_size(function, options.league_size);
  require_team_size(function, options.team_size, limits.is_host ? limits.concurrency : 1024);
  MedianPlan plan;
  if (lines == 0 || extent == 0) return plan;
  // What registers hold gives the same place of every window.
  const bool omits_nan = std::is_floating_point_v<T> && options.nan == NanPolicy::omit;
  const bool is_few = taps <= median_chunks_max;
  const MedianNetworkSize network = omits_nan || is_few ? MedianNetworkSize{0, 1} : median_network_size(taps);
  plan.network_window = network.window;
  std::int64_t tiles = 0;
  if (!omits_nan && (is_few || network.window != 0)) {
    tiles = with_median_windows<true, T, Out>(network.window, [&]<class Op>(const Op&) {
      return plan_median_windows<Op>(limits, lines, extent, taps, options, place, plan);
    });
  }
  if (tiles == 0) tiles = plan_median_tiles<T>(limits, lines, extent, taps, network, options.team_size, plan);
  plan.league_size = options.league_size != 0 ? options.league_size : tile_league(limits, tiles);
  return plan;
}

}  // namespace detail
}  // namespace tessera

#endif

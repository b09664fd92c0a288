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
  interleaved,   ///< devices: the same of few such lines, which fill memory together, through team scratch
  padded,        ///< devices: the same of several short lines in team scratch, each with its halos
  ranks,         ///< devices: tile and halo are sorted, windows move on as sets of bits
  memory_ranks,  ///< the same in scratch of level 1, which is memory: hosts, and windows that level 0 does not hold
  direct,  ///< where no scratch holds what the others need: the bits of the median, each by a count over the window
};
inline constexpr std::array median_methods{MedianMethod::chunks,       MedianMethod::network, MedianMethod::columns,
                                           MedianMethod::interleaved,  MedianMethod::padded,  MedianMethod::ranks,
                                           MedianMethod::memory_ranks, MedianMethod::direct};

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
    case MedianMethod::ranks:
      return "ranks";
    case MedianMethod::memory_ranks:
      return "memory ranks";
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
  int runs = 1;                   ///< windows that a team moves on at once (`ranks`, `memory_ranks`)
  std::size_t scratch_bytes = 0;  ///< a team, of level 1 with `memory_ranks`, else of level 0
  bool operator==(const MedianPlan&) const = default;
};

inline std::string to_string(const MedianPlan& plan) {
  return std::string(to_string(plan.method)) + " league " + std::to_string(plan.league_size) + " team " +
         std::to_string(plan.team_size) + " vector " + std::to_string(plan.vector_length) + " tile " +
         std::to_string(plan.tile) + " lanes " + std::to_string(plan.lanes) + " runs " + std::to_string(plan.runs) +
         " network " + std::to_string(plan.network_window) + " scratch " + std::to_string(plan.scratch_bytes) + " B";
}

namespace detail {

/// An element's place in a tile with its halo, or its rank there.
template <MedianMethod Method>
using MedianPlace = std::conditional_t<Method == MedianMethod::ranks, std::uint16_t, std::uint32_t>;
/// Elements that the places of `ranks` can tell apart.
inline constexpr std::int64_t median_ranks_elements = 65535;
/// Elements that a thread sorts at once: odd, so that threads side by side read scratch without bank conflicts.
inline constexpr int median_chunk = 9;

/// That all teams together take of a device's memory at most.
inline constexpr std::size_t median_memory_bytes = std::size_t{1} << 30;

/// Of 32 bits, one for each element.
KOKKOS_FUNCTION constexpr int median_words(int elements) { return (elements + 31) / 32; }

/// Words that `memory_ranks` counts together.
inline constexpr int median_block = 32;
KOKKOS_FUNCTION constexpr int median_blocks(int elements) {
  return (median_words(elements) + median_block - 1) / median_block;
}

/// Scratch pieces of a median filter, in this order; a method leaves out what it does not need.
struct MedianScratch {
  std::size_t elements_at, results_at, order_at, ranks_at, words_at, blocks_at, bytes;
};

/// taps: with `network` the width that it is laid out for. runs: windows that move on at once. Staged elements and
/// results may be shifted by up to one 16-byte piece.
template <class T>
MedianScratch median_scratch(MedianMethod method, int tile, std::int64_t taps, int runs) {
  const auto outputs = static_cast<std::size_t>(tile), window = static_cast<std::size_t>(taps);
  const std::size_t elements = outputs + window - 1;
  ScratchLayout layout;
  MedianScratch pieces{};
  const auto append_ranks = [&]<class Place>(Place) {
    pieces.elements_at = layout.append<T>(elements + packed_length<T>);
    pieces.order_at = layout.append<Place>(elements + 1);
    pieces.ranks_at = layout.append<Place>(elements + 1);
    pieces.results_at = layout.append<Place>(outputs);
    const auto words = static_cast<std::size_t>(median_words(static_cast<int>(elements)) * runs);
    pieces.words_at = layout.append<std::uint32_t>(words);
  };
  if (method == MedianMethod::network) {
    pieces.elements_at = layout.append<T>(elements + packed_length<T>);
    pieces.results_at = layout.append<T>(outputs + packed_length<T>);
  } else if (method == MedianMethod::ranks) {
    append_ranks(MedianPlace<MedianMethod::ranks>{});
  } else if (method == MedianMethod::memory_ranks) {
    append_ranks(MedianPlace<MedianMethod::memory_ranks>{});
    const auto blocks = static_cast<std::size_t>(median_blocks(static_cast<int>(elements)) * runs);
    pieces.blocks_at = layout.append<std::uint32_t>(blocks);
  }
  pieces.bytes = layout.bytes();
  return pieces;
}

/// The largest of tile, tile / 2, .. whose scratch a team can have, as a multiple of a thread's outputs; 0 for none.
template <class T>
int median_network_tile(const DeviceLimits& limits, const MedianNetworkSize& network, int tile) {
  for (; tile > 0; tile = tile / 2 / network.outputs * network.outputs) {
    const std::size_t bytes = median_scratch<T>(MedianMethod::network, tile, network.window, 1).bytes;
    if (scratch_request(bytes) <= limits.scratch_bytes) return tile;
  }
  return 0;
}

/// Whether a tile of `ranks` or `memory_ranks` does.
template <class T>
bool median_ranks_fit(MedianMethod method, std::size_t scratch, std::int64_t tile, std::int64_t taps, int runs) {
  const std::size_t bytes = median_scratch<T>(method, static_cast<int>(tile), taps, runs).bytes;
  return scratch_request(bytes) <= scratch &&
         (method == MedianMethod::memory_ranks || tile + taps - 1 <= median_ranks_elements);
}

/// The largest of tile, about 3/4 of it, .. >= least that fits, or 0.
template <class T>
std::int64_t median_ranks_tile(MedianMethod method, std::size_t scratch, std::int64_t tile, std::int64_t least,
                               std::int64_t taps, int runs) {
  for (; tile >= least; tile = tile / 4 * 3) {
    if (median_ranks_fit<T>(method, scratch, tile, taps, runs)) return tile;
  }
  return 0;
}

/// MedianMethod::ranks, but for its league. Leaves a tile of 0 as it is where scratch holds none that is worth its
/// halo. What numbers there are here were measured on an H200.
template <class T>
void plan_median_ranks(const DeviceLimits& limits, std::int64_t extent, std::int64_t taps, int asked_team_size,
                       MedianPlan& plan) {
  plan.method = MedianMethod::ranks;
  plan.team_size = asked_team_size != 0 ? asked_team_size : 256;
  if (static_cast<std::size_t>(taps) > limits.scratch_bytes) return;
  // Two to four windows' elements, as each is sorted again by each tile that sees it.
  const auto chunks =
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(256, taps)))) / 4;
  const std::int64_t whole = std::min(extent, chunks * median_chunk - (taps - 1));
  const std::int64_t least = std::min(extent, std::max<std::int64_t>(64, taps / 8));
  std::int64_t tile = 0;
  for (const int runs : {16, 4}) {
    if (tile == 0) tile = median_ranks_tile<T>(plan.method, limits.scratch_bytes, whole, least, taps, runs);
  }
  if (tile == 0) return;
  plan.tile = static_cast<int>(tile);
  // More runs wait for each other less, but where they take all scratch fewer teams run at once.
  const auto fit = [&](std::size_t scratch) {
    return median_ranks_fit<T>(plan.method, scratch, tile, taps, plan.runs);
  };
  plan.runs = 64;
  while (plan.runs > 16 && !fit(limits.scratch_bytes / 4 * 3)) plan.runs /= 2;
  while (plan.runs > 4 && !fit(limits.scratch_bytes)) plan.runs /= 2;
  if (asked_team_size == 0) {
    const std::int64_t sorted = ceil_div(tile + taps - 1, std::int64_t{median_chunk});
    plan.team_size =
        static_cast<int>(std::min<std::int64_t>(taps > 1024 ? 256 : 128, ceil_div(sorted, std::int64_t{32}) * 32));
  }
  const auto useful = static_cast<unsigned>(std::min(plan.team_size, plan.tile));
  plan.runs = std::min(plan.runs, static_cast<int>(std::bit_floor(useful)));
}

/// MedianMethod::memory_ranks, but for its league. Leaves a tile of 0 as it is where that scratch holds none. Measured
/// likewise.
template <class T>
void plan_median_memory_ranks(const DeviceLimits& limits, std::int64_t lines, std::int64_t extent, std::int64_t taps,
                              int asked_team_size, MedianPlan& plan) {
  plan.method = MedianMethod::memory_ranks;
  plan.network_window = 0;
  plan.team_size = asked_team_size != 0 ? asked_team_size : limits.is_host ? 1 : 512;
  if (static_cast<std::size_t>(taps) > limits.memory_scratch_bytes) return;
  // Of two windows; down to one where tiles would be fewer than threads or four times the multiprocessors.
  const std::int64_t teams = limits.is_host ? limits.concurrency : 4 * std::int64_t{multiprocessors(limits)};
  const std::int64_t whole =
      std::min({extent, std::max(ceil_div(lines * extent, teams), taps), std::max<std::int64_t>(2 * taps, 512)});
  const auto most =
      static_cast<int>(std::min<std::int64_t>(limits.is_host ? plan.team_size : std::min(64, plan.team_size), whole));
  for (const bool is_tight : {false, true}) {
    if (plan.tile != 0) return;
    plan.runs = is_tight ? std::max(1, most / 8) : most;
    const std::int64_t least = std::min(extent, ceil_div(taps, std::int64_t{is_tight ? 8 : 2}));
    plan.tile =
        static_cast<int>(median_ranks_tile<T>(plan.method, limits.memory_scratch_bytes, whole, least, taps, plan.runs));
  }
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
  plan.tile = 0;
  if (network.window != 0) {
    plan.method = MedianMethod::network;
    plan.team_size = asked_team_size != 0 ? asked_team_size : limits.is_host ? 1 : 128;
    const int a_round = network.outputs * plan.team_size;
    const int tile = a_round * static_cast<int>(std::max<std::int64_t>(1, (limits.is_host ? 2048 : 1536) / a_round));
    plan.tile = median_network_tile<T>(limits, network, tile);
  } else if (!limits.is_host) {
    plan_median_ranks<T>(limits, extent, taps, asked_team_size, plan);
  }
  if (plan.tile == 0) plan_median_memory_ranks<T>(limits, lines, extent, taps, asked_team_size, plan);
  if (plan.tile == 0) {
    plan.method = MedianMethod::direct;
    plan.runs = 1;
    plan.tile = 4 * plan.team_size;
  }
  const std::int64_t window = plan.method == MedianMethod::network ? network.window : taps;
  plan.scratch_bytes = median_scratch<T>(plan.method, plan.tile, window, plan.runs).bytes;
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
  if (plan.method == MedianMethod::memory_ranks) {
    // Each team of a league takes memory; of devices no more than two on a multiprocessor are worth it.
    std::int64_t most = tiles;
    if (!limits.is_host) {
      const auto room = static_cast<std::int64_t>(median_memory_bytes / plan.scratch_bytes);
      most = std::min({tiles, std::max<std::int64_t>(1, room), 2 * std::int64_t{multiprocessors(limits)}});
    }
    plan.league_size = static_cast<int>(std::min<std::int64_t>(plan.league_size, most));
  }
  return plan;
}

}  // namespace detail
}  // namespace tessera

#endif

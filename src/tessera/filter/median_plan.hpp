// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a median filter is mapped to teams: data, from a pure host function.
#ifndef TESSERA_FILTER_MEDIAN_PLAN_HPP
#define TESSERA_FILTER_MEDIAN_PLAN_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/filter/detail/make_window_plan.hpp>
#include <tessera/filter/detail/window_median.hpp>
#include <tessera/filter/window_options.hpp>

namespace tessera {

/// How the medians of a tile are found; m is the window's width.
enum class MedianMethod {
  chunks,   ///< up to 5: 16-byte accesses, a few comparisons in registers
  columns,  ///< the same of lines across memory: neighbouring threads take neighbouring lines
  padded,   ///< up to 33, of short lines: the one or the other, of several lines in team scratch, each with its halos
  network,  ///< up to 33: sorting networks in registers, neighbouring windows share their common part
  sorted,   ///< hosts: each thread keeps its window sorted and moves on; about m / 3 keys move for an output
  levels,   ///< devices: tile and halo are split by the keys' bits, one after the other; the cost hardly depends on m
  direct,   ///< where no scratch holds what the others need: the bits of the median, each by a count over the window
};
inline constexpr std::array median_methods{MedianMethod::chunks,  MedianMethod::columns, MedianMethod::padded,
                                           MedianMethod::network, MedianMethod::sorted,  MedianMethod::levels,
                                           MedianMethod::direct};

constexpr std::string_view to_string(MedianMethod method) {
  switch (method) {
    case MedianMethod::chunks:
      return "chunks";
    case MedianMethod::columns:
      return "columns";
    case MedianMethod::padded:
      return "padded";
    case MedianMethod::network:
      return "network";
    case MedianMethod::sorted:
      return "sorted";
    case MedianMethod::levels:
      return "levels";
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
  std::size_t scratch_bytes = 0;  ///< level 0, a team
  bool operator==(const MedianPlan&) const = default;
};

inline std::string to_string(const MedianPlan& plan) {
  return std::string(to_string(plan.method)) + " league " + std::to_string(plan.league_size) + " team " +
         std::to_string(plan.team_size) + " vector " + std::to_string(plan.vector_length) + " tile " +
         std::to_string(plan.tile) + " lanes " + std::to_string(plan.lanes) + " network " +
         std::to_string(plan.network_window) + " scratch " + std::to_string(plan.scratch_bytes) + " B";
}

namespace detail {

/// A network of that width, and the neighbouring outputs that it gives at once. Odd, so that threads side by side read
/// scratch without bank conflicts.
struct MedianNetworkSize {
  int window, outputs;
};
inline constexpr std::array<MedianNetworkSize, 3> median_network_sizes{{{9, 5}, {17, 9}, {33, 11}}};

/// Elements of the line that the method `levels` treats as one word of bits.
inline constexpr int median_chunk = 16;
/// Positions in the line that it can tell apart.
inline constexpr std::int64_t median_levels_elements = 65535;

/// What an output's window has become among the keys that are left.
struct MedianState {
  std::uint16_t begin, end, rank, has_nan;
};

/// Scratch pieces of a median filter, in this order; a method leaves out what it does not need.
struct MedianScratch {
  std::size_t elements_at, results_at, keys_at, states_at, masks_at, words_at, groups_at, bytes;
};

/// taps: with `network` the width that it is laid out for. Staged elements and results may be shifted by up to one
/// 16-byte piece.
template <class T>
MedianScratch median_scratch(MedianMethod method, int team_size, int tile, std::int64_t taps) {
  const auto outputs = static_cast<std::size_t>(tile), window = static_cast<std::size_t>(taps);
  const std::size_t elements = outputs + window - 1, chunks = elements / median_chunk + 1;
  ScratchLayout layout;
  MedianScratch pieces{};
  if (method == MedianMethod::network) {
    pieces.elements_at = layout.append<T>(elements + packed_length<T>);
    pieces.results_at = layout.append<T>(outputs + packed_length<T>);
  } else if (method == MedianMethod::sorted) {
    pieces.keys_at = layout.append<T>(window * static_cast<std::size_t>(team_size));
  } else if (method == MedianMethod::levels) {
    pieces.elements_at = layout.append<T>(elements + packed_length<T>);
    pieces.keys_at = layout.append<T>(elements);
    pieces.states_at = layout.append<MedianState>(outputs);
    pieces.masks_at = layout.append<std::uint32_t>(chunks);
    pieces.words_at = layout.append<std::uint32_t>(chunks + 1);
    pieces.groups_at = layout.append<std::uint32_t>(chunks / median_chunk + 2);
  }
  pieces.bytes = layout.bytes();
  return pieces;
}

/// The smallest network for a window of that width; none: width 0.
inline MedianNetworkSize median_network_size(std::int64_t taps) {
  const auto* size = std::find_if(median_network_sizes.begin(), median_network_sizes.end(),
                                  [&](const MedianNetworkSize& network) { return taps <= network.window; });
  return size == median_network_sizes.end() ? MedianNetworkSize{0, 1} : *size;
}

/// Method padded: outputs of any type in scratch. No lines where it is not for them.
template <class T>
PaddedLinesPlan median_padded_plan(const DeviceLimits& limits, std::int64_t lines, std::int64_t extent,
                                   std::int64_t taps, int asked_team_size) {
  using Out = std::int64_t;
  const bool has_kernel = taps <= median_chunks_max || median_network_size(taps).window != 0;
  if (limits.is_host || !has_kernel || asked_team_size > padded_lines_team_size) return {};
  const int run = taps <= median_chunks_max ? padded_lines_run : median_network_size(taps).outputs;
  return padded_lines_plan<T, Out>(limits, lines, extent, taps, asked_team_size, 0, run);
}

/// The largest of tile, tile / 2, .. >= smallest whose scratch a team can have, as a multiple of step; 0 for none.
template <class T>
int median_tile(const DeviceLimits& limits, MedianMethod method, int team_size, std::int64_t taps, int tile, int step,
                int smallest) {
  if (static_cast<std::size_t>(taps) > limits.scratch_bytes) return 0;
  for (; tile >= smallest; tile = tile / 2 / step * step) {
    if (method == MedianMethod::levels && tile + taps - 1 > median_levels_elements) continue;
    const std::size_t bytes = median_scratch<T>(method, team_size, tile, taps).bytes;
    if (scratch_request(bytes) <= limits.scratch_bytes) return tile;
  }
  return 0;
}

/// For lines of extent elements of T, each output the median of taps of them.
template <class T>
MedianPlan make_median_plan(const DeviceLimits& limits, std::int64_t lines, std::int64_t extent, std::int64_t taps,
                            const WindowOptions& options, const LinePlace& place = {}) {
  constexpr std::string_view function = "tessera::median_filter";
  require_league_size(function, options.league_size);
  require_team_size(function, options.team_size, limits.is_host ? limits.concurrency : 1024);
  MedianPlan plan;
  // Networks give the same place of every window.
  const bool omits_nan = std::is_floating_point_v<T> && options.nan == NanPolicy::omit;
  const MedianNetworkSize network = omits_nan ? MedianNetworkSize{0, 1} : median_network_size(taps);
  std::int64_t window = taps, tiles = 0;
  const PaddedLinesPlan padded = !omits_nan && !fills_columns<T>(place.columns)
                                     ? median_padded_plan<T>(limits, lines, extent, taps, options.team_size)
                                     : PaddedLinesPlan{};
  if (padded.lines > 0) {
    plan.method = MedianMethod::padded;
    plan.network_window = taps <= median_chunks_max ? 0 : network.window;
    plan.lanes = padded.lines;
    plan.team_size = padded.team_size;
    plan.tile = padded.lines * static_cast<int>(extent);
    plan.scratch_bytes = padded.bytes;
    tiles = padded.teams;
  } else if (taps <= median_chunks_max && !omits_nan) {
    using Op = WindowMedian<T, T>;
    const WindowShape shape{taps, taps / 2};
    WindowPlan windows;
    plan.method = MedianMethod::chunks;
    if (fills_columns<T>(place.columns)) {
      plan_window_columns<Op>(function, limits, place.columns, lines, extent, options.team_size, windows);
      plan.method = MedianMethod::columns;
      tiles = lines / place.columns * ceil_div(place.columns, windows.lanes) * ceil_div(extent, windows.tile);
    } else {
      plan_window_chunks<Op>(function, limits, extent, shape, options.team_size, windows);
    }
    plan.lanes = windows.lanes;
    plan.team_size = windows.team_size;
    plan.tile = windows.tile;
    plan.scratch_bytes = windows.scratch_bytes;
  } else if (network.window != 0) {
    plan.method = MedianMethod::network;
    plan.network_window = network.window;
    window = network.window;
    plan.team_size = options.team_size != 0 ? options.team_size : limits.is_host ? 1 : 128;
    const int a_round = network.outputs * plan.team_size;
    const int tile = a_round * static_cast<int>(std::max<std::int64_t>(1, (limits.is_host ? 2048 : 1536) / a_round));
    plan.tile = median_tile<T>(limits, plan.method, plan.team_size, window, tile, network.outputs, network.outputs);
  } else {
    plan.method = limits.is_host ? MedianMethod::sorted : MedianMethod::levels;
    plan.team_size = options.team_size != 0 ? options.team_size : limits.is_host ? 1 : 256;
    // To sort a host thread's first window costs as much as m / 2 outputs.
    const std::int64_t fair = ceil_div(lines * extent, limits.concurrency);
    const std::int64_t a_thread =
        std::max<std::int64_t>(256, std::min(fair, 4 * std::min(taps, std::int64_t{1} << 18)));
    const std::int64_t tile = limits.is_host ? plan.team_size * a_thread : 2048;
    plan.tile = median_tile<T>(limits, plan.method, plan.team_size, taps, static_cast<int>(tile), 1, 32);
  }
  if (plan.tile == 0) {
    plan.method = MedianMethod::direct;
    plan.tile = 4 * plan.team_size;
  }
  if (tiles == 0) tiles = lines * ceil_div(extent, plan.tile);
  plan.league_size = options.league_size != 0 ? options.league_size : tile_league(limits, tiles);
  if (plan.scratch_bytes == 0) {
    plan.scratch_bytes = median_scratch<T>(plan.method, plan.team_size, plan.tile, window).bytes;
  }
  return plan;
}

}  // namespace detail
}  // namespace tessera

#endif

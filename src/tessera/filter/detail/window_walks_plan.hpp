// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant walks: which windows it takes, and its team scratch.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_WALKS_PLAN_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_WALKS_PLAN_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tessera/detail/bulk_copy.hpp>
#include <tessera/detail/lanes.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/filter/detail/window_pieces.hpp>

namespace tessera::detail {

/// The threads of a team (measured on an H200): whole warps.
inline constexpr int window_walks_team_size = 96;

/// Lines of a cache are lines in scratch: others are read and written in more pieces. Elements before a ring, for
/// slots, and those behind it, for runs across its end, are whole lines.
template <class Op>
inline constexpr int window_walks_line = 128 / static_cast<int>(sizeof(typename Op::in_type));
template <class Op>
inline constexpr int window_walks_pad = 2 * window_walks_line<Op>;

/// A ring of elements, of so many runs, and of what runs end with and warps' runs come to. Elements between a tile and
/// those that its windows end with stay there where they fit; else there are two places for a tile's own.
struct WindowWalksScratch {
  std::size_t elements_at, own_at, ends_at, warps_at, groups_at, flag_at, bytes;
  int runs;  // whole lines
  bool keeps_elements;
  int own_length, end_runs, warps;
};

/// runs: of the elements.
template <class Op>
WindowWalksScratch window_walks_layout(int tile, std::int64_t window, int runs, bool keeps_elements) {
  using In = typename Op::in_type;
  using Value = typename Op::value_type;
  constexpr int length = window_runs_length<Op>;
  constexpr int line = window_walks_line<Op>;
  const int tile_runs = tile / length, whole = static_cast<int>((window - 1) / length) - 1;
  WindowWalksScratch pieces{};
  pieces.runs = runs;
  pieces.keeps_elements = keeps_elements;
  pieces.own_length = static_cast<int>(ceil_div(tile, line) + 2) * line;
  pieces.end_runs = tile_runs + whole + 1;
  pieces.warps = (tile_runs + whole + 1) / warp_lanes + 2;
  ScratchLayout layout;
  const auto packs = [](int elements) { return static_cast<std::size_t>(ceil_div(elements, packed_length<In>)); };
  const int ring = runs * length + 2 * line + window_walks_pad<Op>;
  pieces.elements_at = layout.append<Packed<In>>(packs(ring));
  if (!keeps_elements) pieces.own_at = layout.append<Packed<In>>(packs(2 * pieces.own_length + line));
  pieces.ends_at = layout.append<Value>(static_cast<std::size_t>(pieces.end_runs));
  pieces.warps_at = layout.append<Value>(static_cast<std::size_t>(pieces.warps));
  pieces.groups_at = layout.append<std::uint64_t>(BulkGroups::words);
  pieces.flag_at = layout.append<int>(has_quick<Op> ? 1 : 0);
  pieces.bytes = layout.bytes();
  return pieces;
}

/// Of at most so many bytes, where some fit: elements stay rather than not, the next tile's are on their way rather
/// than not.
template <class Op>
WindowWalksScratch window_walks_scratch(int tile, std::int64_t window, std::size_t most) {
  constexpr int length = window_runs_length<Op>;
  const int tile_runs = tile / length, whole = static_cast<int>((window - 1) / length) - 1;
  const auto fits = [&](const WindowWalksScratch& pieces) { return scratch_request(pieces.bytes) <= most; };
  constexpr int step = window_walks_line<Op>;  // whole lines
  const auto largest = [&](int least, bool keeps_elements) {
    const auto layout = [&](int runs) { return window_walks_layout<Op>(tile, window, runs, keeps_elements); };
    const auto steps = [&](int runs) { return static_cast<int>(ceil_div(runs, step)) * step; };
    int runs = steps(tile_runs + least);
    while (runs > steps(least) && !fits(layout(runs))) runs -= step;
    return layout(runs);
  };
  const auto kept = largest(tile_runs + whole + 5, true);
  if (fits(kept)) return kept;
  return largest(tile_runs + 6, false);
}

/// Its windows, of those that variant runs could take (measured on an H200): all that are too long for tiles with
/// halos, and long ones where each of the teams that run at once has many more tiles than its walk begins with.
template <class Op>
inline constexpr std::int64_t window_walks_min = sizeof(typename Op::in_type) > 4 ? 1792
                                                 : Op::is_idempotent              ? 2048
                                                                                  : 768;
template <class Op>
constexpr bool is_window_of_walks(std::int64_t window, std::int64_t extent, std::int64_t lines, std::int64_t teams) {
  constexpr std::int64_t tile = window_walks_team_size * window_runs_length<Op>;
  if (window * static_cast<std::int64_t>(sizeof(typename Op::in_type)) > window_runs_tile_bytes) return true;
  return window > window_walks_min<Op> && extent >= 8 * window &&
         lines * ceil_div(extent, tile) >= 8 * ceil_div(window, tile) * teams;
}

/// Walks of a line of so many tiles: those that make the time of all, which begin with tiles that have no outputs,
/// least, where so many teams run at once. A kernel counts a walk's elements in 32 bits.
inline std::int64_t window_walks_of_line(std::int64_t lines, std::int64_t tiles, int tile, std::int64_t window,
                                         std::int64_t teams) {
  const std::int64_t before = ceil_div(window, tile), longest = (1 << 29) / tile;
  std::int64_t best = 1, least = std::numeric_limits<std::int64_t>::max();
  for (int waves = 1; waves <= 16; ++waves) {
    const std::int64_t walks = std::clamp(waves * teams / lines, ceil_div(tiles, longest), tiles);
    const std::int64_t time = ceil_div(lines * walks, teams) * (ceil_div(tiles, walks) + before);
    if (time < least) {
      least = time;
      best = walks;
    }
  }
  return best;
}

}  // namespace tessera::detail

#endif

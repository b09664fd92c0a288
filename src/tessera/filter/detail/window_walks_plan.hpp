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
#include <numeric>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/filter/detail/window_pieces.hpp>

namespace tessera::detail {

/// The threads of a team (measured on an H200).
inline constexpr int window_walks_team_size = 96;

/// Elements before a ring, for slots, and those behind it, for runs across its end: whole sectors.
template <class Op>
inline constexpr int window_walks_slack = 32;
template <class Op>
inline constexpr int window_walks_pad = sizeof(typename Op::in_type) <= 4 ? 32 : 20;

/// Rings of elements and of totals, of so many runs. Elements between a tile and those that its windows end with stay
/// there where they fit.
struct WindowWalksScratch {
  std::size_t elements_at, own_at, small_at, large_at, ends_at, flag_at, bytes;
  int runs;  // a multiple of the tile's where elements stay
  bool keeps_elements;
  int levels, small_runs, large_runs;
};

/// runs: of the elements.
template <class Op>
WindowWalksScratch window_walks_layout(int tile, std::int64_t window, int runs, bool keeps_elements) {
  using In = typename Op::in_type;
  using Value = typename Op::value_type;
  constexpr int length = window_runs_length<Op>, most = Op::is_idempotent ? 8 : 4;
  constexpr int around = (packed_bytes + static_cast<int>(sector_bytes)) / static_cast<int>(sizeof(In));
  const int tile_runs = tile / length, whole = static_cast<int>((window - 1) / length) - 1;
  WindowWalksScratch pieces{};
  pieces.runs = runs;
  pieces.keeps_elements = keeps_elements;
  int count = whole, size = 1;
  while (count > most) {
    count = Op::is_idempotent ? (count + 3) / 4 : count / 4;
    pieces.small_runs = tile_runs + 3 * size + 1;
    size *= 4;
    ++pieces.levels;
  }
  pieces.large_runs = tile_runs + whole + 1;
  ScratchLayout layout;
  const auto packs = [](int elements) { return static_cast<std::size_t>(ceil_div(elements, packed_length<In>)); };
  const int ring = runs * length + window_walks_slack<Op> + window_walks_pad<Op>;
  pieces.elements_at = layout.append<Packed<In>>(packs(ring));
  if (!keeps_elements) pieces.own_at = layout.append<Packed<In>>(packs(tile + around));
  pieces.small_at = layout.append<Value>(static_cast<std::size_t>(pieces.levels * pieces.small_runs));
  pieces.large_at = layout.append<Value>(static_cast<std::size_t>(pieces.large_runs));
  pieces.ends_at = layout.append<Value>(static_cast<std::size_t>((window - 1) % length != 0 ? pieces.large_runs : 0));
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
  const auto largest = [&](int least, int step, bool keeps_elements) {
    const auto layout = [&](int runs) { return window_walks_layout<Op>(tile, window, runs, keeps_elements); };
    const auto steps = [&](int runs) { return static_cast<int>(ceil_div(runs, step)) * step; };
    int runs = steps(tile_runs + least);
    while (runs > steps(least) && !fits(layout(runs))) runs -= step;
    return layout(runs);
  };
  // Whole tiles, and whole sectors.
  const auto kept = largest(tile_runs + whole + 5, std::lcm(tile_runs, 8), true);
  if (fits(kept)) return kept;
  return largest(tile_runs + 6, 8, false);
}

/// Its windows, of those that variant runs could take (measured on an H100 and an H200): all that are too long for
/// tiles with halos; and of long lines of short elements, where each of the teams that run at once has many tiles,
/// those that leave no scratch for two such tiles.
template <class Op>
constexpr bool is_window_of_walks(std::int64_t window, std::int64_t extent, std::int64_t lines, std::int64_t teams) {
  constexpr std::int64_t tile_max = window_runs_tile_bytes / static_cast<std::int64_t>(sizeof(typename Op::in_type));
  constexpr std::int64_t ahead_max = window_runs_ahead_max<Op>;
  // Sums need no elements between; extrema are quicker with the halo where those do not stay.
  constexpr std::int64_t walk_max = Op::is_idempotent ? tile_max / 2 : tile_max;
  constexpr std::int64_t tile = window_walks_team_size * window_runs_length<Op>;
  if (window > tile_max) return true;
  const bool is_long = extent >= 8 * window && lines * ceil_div(extent, tile) >= 8 * teams;
  return is_long && ahead_max > 0 && window > ahead_max && window <= walk_max;
}

/// Tiles of a walk, if there are enough: those before its first one, which have no outputs, are to be few of them.
constexpr std::int64_t window_walks_tiles(int tile, std::int64_t window) {
  return std::max<std::int64_t>(16, 4 * ceil_div(window, tile));
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How variants packed and naive are mapped to teams: the tile, through registers or by asynchronous copies.
#ifndef TESSERA_TRANSPOSE_DETAIL_PACKED_PLAN_HPP
#define TESSERA_TRANSPOSE_DETAIL_PACKED_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/transpose/detail/packed_tile.hpp>
#include <tessera/transpose/detail/permute_shape.hpp>
#include <tessera/transpose/detail/run_tables.hpp>
#include <tessera/transpose/detail/tile_nest.hpp>
#include <tessera/transpose/detail/tile_tables.hpp>
#include <tessera/transpose/transpose_options.hpp>
#include <tessera/transpose/transpose_plan.hpp>

namespace tessera::detail {

/// Elements of a thread, and teams at once that have the registers for them and their places.
constexpr int packed_slots(std::size_t in_bytes, std::size_t out_bytes, bool wide_offsets) {
  return wide_offsets || in_bytes > 8 || out_bytes > 8 ? 8 : 12;
}
constexpr int packed_teams_at_once(std::size_t out_bytes) { return out_bytes > 4 ? 2 : 3; }
inline constexpr int packed_team_size = 256;
/// Elements of a tile that goes through registers.
inline constexpr std::int64_t packed_volume_max = 4096;
/// Bytes of a tile in scratch, and with gaps, which are no more than half as many again: places there have 16 bits.
inline constexpr std::size_t packed_stage_bytes = 32768;
inline constexpr std::size_t packed_gaps_bytes = 36864;
/// Bytes of a host's tile, of elements of so many, and its elements: most of it stays in the first cache beside its
/// output (measured on a Zen 5).
constexpr std::size_t packed_host_bytes(std::size_t element_bytes) { return element_bytes > 4 ? 16384 : 32768; }
inline constexpr std::int64_t packed_host_volume_max = 8192;
/// Bytes of the input's runs that are long for a host (measured on a Zen 5).
inline constexpr std::size_t packed_host_run_bytes = 512;
/// Of a matrix that a host turns in blocks.
inline constexpr std::int64_t packed_host_side = 16;

/// Of a tile that goes to scratch by asynchronous copies: teams at once, the scratch of all of them, and what of a
/// team's the tile may take (measured on an H100: larger ones are not faster).
inline constexpr int packed_runs_teams_at_once = 4;
inline constexpr std::size_t packed_runs_teams_scratch = std::size_t{188} << 10;
inline constexpr std::size_t packed_runs_scratch_max = std::size_t{38} << 10;
/// Scratch of a team from which on fewer run at once: tiles that are neighbours then meet in the caches (measured on an
/// H100, where some shapes are up to 5 % faster; on an H200 it is all the same).
inline constexpr std::size_t packed_runs_large_scratch = std::size_t{20} << 10;

constexpr int packed_runs_teams(std::size_t scratch_bytes) {
  return scratch_bytes < packed_runs_large_scratch ? packed_runs_teams_at_once : packed_runs_teams_at_once - 1;
}

/// Of a tile of 1- and 2-byte elements that moves in words: those of a thread, teams at once, and bytes of its shortest
/// runs (measured on an H100: of shorter ones, their ends take longer than elements one by one).
inline constexpr int packed_words_slots = 10;
inline constexpr int packed_words_teams_at_once = 4;
inline constexpr std::int64_t packed_words_in_min = 24;
inline constexpr std::int64_t packed_words_out_min = 256;
/// Elements of a run of the output that take a team as long to begin with as a tile (measured on an H100).
inline constexpr std::int64_t packed_words_run_cost = 1280;

// What tiles cost: fitted to the times of 9000 of them, of 260 permutations of 4- and 8-byte elements, on an H100, so
// that the one of least cost was on average within 1 % of the fastest. Of tiles by asynchronous copies, whose kernel
// has changed since, other factors and ends of runs brought nothing on an H200.
inline constexpr packed_tile::RunCosts host_runs{128, 128};
/// A sector that two tiles write costs more than one that two read.
inline constexpr packed_tile::RunCosts device_runs{28, 128};
inline constexpr packed_tile::RunCosts device_runs_on_sectors{12, 40};

/// Factors of a tile of so many bytes, through registers and by asynchronous copies.
constexpr double packed_tile_factor(double tile_bytes) { return 1 + 2000 / tile_bytes; }
constexpr double packed_runs_factor(double tile_bytes) { return 1.2 * (1 + 4200 / tile_bytes + tile_bytes / 1.6e6); }

/// The share of an output, of so many bytes, whose sectors caches do not keep until the next tile: of tiles through
/// registers, of which more are under way at once.
constexpr double packed_uncached(double out_bytes) { return std::min(1.0, out_bytes / (512 << 20)); }

/// What moves a tile of variants packed and naive.
enum class PackedKernel : std::uint8_t {
  staged,  // elements through registers and scratch
  direct,  // not through scratch
  runs,    // to scratch by asynchronous copies
  words,   // of 1- and 2-byte elements
  nest     // of a host
};

/// A plan, and the tile of variants packed and naive.
struct TransposeChoice {
  TransposePlan plan;
  PackedKernel kernel = PackedKernel::staged;
  PackedTile tile;
  TileRuns runs{};
  StagedOrder order;
  WordRuns words{};
  std::int64_t spans = 0;  // elements of the input, with those between
  TileTables tables{};
  TileNest nest;
  bool wide_offsets = false;
};

/// Whether offsets within the tile need 64 bits.
inline bool has_wide_offsets(const PermuteShape& shape, const PackedTile& tile) {
  std::int64_t in = 0, out = 0;
  for (int d = 0; d < shape.rank; ++d) {
    const std::int64_t along = tile.extents[static_cast<std::size_t>(d)] - 1;
    in += along * shape.axes[d].in_stride;
    out += along * shape.axes[d].out_stride;
  }
  return in >> 32 != 0 || out >> 32 != 0;
}

inline std::int64_t packed_tiles(const PermuteShape& shape, const PackedTile& tile) {
  std::int64_t tiles = 1;
  for (int d = 0; d < shape.rank; ++d)
    tiles *= ceil_div(shape.axes[d].extent, tile.extents[static_cast<std::size_t>(d)]);
  return tiles;
}

/// Whether threads that follow the input's runs write whole ones too: scratch would bring nothing.
inline bool moves_directly(const TransposeProblem& problem, const PackedTile& tile) {
  const std::int64_t run = kept_run(problem.shape, tile);
  return run == tile.volume || run * static_cast<std::int64_t>(problem.out_bytes) >= 128;
}

/// Whether all rows of both sides begin where sectors do. Else what a warp writes without scratch shares sectors
/// between all its accesses (measured on an H100: 0.58 of a copy, against 0.9).
inline bool begins_on_sectors(const TransposeProblem& problem) {
  const std::size_t bits = stride_bits(problem.shape, &PermuteAxis::in_stride, 2, problem.in_bytes) |
                           stride_bits(problem.shape, &PermuteAxis::out_stride, 2, problem.out_bytes);
  return bits % sector_bytes == 0;
}

inline packed_tile::RunCosts run_costs(const TransposeProblem& problem, const PackedTile& tile) {
  const PermuteShape& shape = problem.shape;
  const bool reads = runs_on_sectors(shape, &PermuteAxis::in_stride, tile.in_run, problem.in_bytes, problem.in_address);
  const bool writes =
      runs_on_sectors(shape, &PermuteAxis::out_stride, tile.out_run, problem.out_bytes, problem.out_address);
  return {(reads ? device_runs_on_sectors : device_runs).read, (writes ? device_runs_on_sectors : device_runs).write};
}

/// Takes a tile that goes to scratch by asynchronous copies, where there is one that costs less than cost_max. Elements
/// of 4 and 8 bytes alone: of 16 hardly any shape would.
inline void plan_runs(const DeviceLimits& limits, const TransposeProblem& problem, double cost_max,
                      TransposeChoice& choice) {
  const PermuteShape& shape = problem.shape;
  const std::size_t bytes = problem.in_bytes;
  if ((bytes != 4 && bytes != 8) || problem.in_address % bytes != 0) return;
  const std::size_t shared = limits.shared_scratch(packed_runs_teams_scratch, packed_runs_teams_at_once);
  // Of what a launch asks for, in whole pieces.
  const std::size_t scratch = shared < packed_bytes ? 0 : (shared - packed_bytes) / packed_bytes * packed_bytes;
  const auto element_bytes = static_cast<std::int64_t>(bytes);
  const auto cost_of = [&](const PackedTile& tile) {
    if (tile.in_run == 1 || tile.out_run == 1) return 0.0;
    if (run_pieces(tile_runs(tile), {}, bytes).bytes > std::min(scratch, packed_runs_scratch_max)) return 0.0;
    return packed_tile::cost(shape, tile, bytes, problem.out_bytes, run_costs(problem, tile)) *
           packed_runs_factor(static_cast<double>(tile.volume * element_bytes));
  };
  const auto volume_max = static_cast<std::int64_t>(shared / bytes);
  const CostedTile best = choose_packed_tile(shape, std::min(volume_max, tile_volume_max), cost_of);
  if (best.cost == 0 || best.cost >= cost_max || has_wide_offsets(shape, best.tile)) return;
  const TileTables tables = tile_tables(shape, best.tile, run_order(shape, best.tile));
  const bool fills = tiles_of(tables) >= std::int64_t{2} * packed_runs_teams_at_once * multiprocessors(limits);
  if (!fills) return;
  const TileRuns runs = tile_runs(best.tile, tables);
  const std::size_t least = run_pieces(runs, {}, bytes).bytes;
  const StagedOrder order = staged_order(
      tables, bytes, best.tile.volume + static_cast<std::int64_t>((scratch - least) / bytes), runs.in_digits);
  choice.tile = best.tile;
  choice.tables = tables;
  choice.order = order;
  choice.runs = runs;
  choice.kernel = PackedKernel::runs;
  choice.wide_offsets = false;
}

/// Takes a tile that moves in words, where elements are of 1 or 2 bytes and runs are not too short.
inline void plan_words(const DeviceLimits& limits, const TransposeProblem& problem, TransposeChoice& choice) {
  const PermuteShape& shape = problem.shape;
  const std::size_t bytes = problem.in_bytes;
  if (problem.out_bytes != bytes || bytes > 2 || (problem.in_address | problem.out_address) % bytes != 0) return;
  const std::size_t scratch = limits.shared_scratch(packed_runs_teams_scratch, packed_words_teams_at_once);
  const auto element_bytes = static_cast<std::int64_t>(bytes);
  const auto cost_of = [&](const PackedTile& tile) {
    if (tile.in_run * element_bytes < packed_words_in_min || tile.out_run * element_bytes < packed_words_out_min)
      return 0.0;
    const WordRuns words = word_runs(tile_runs(tile), bytes);
    if (words.runs.out_runs() * words.out_words > packed_words_slots * packed_team_size ||
        scratch_request(word_pieces(words).bytes) > scratch)
      return 0.0;
    return packed_tile::cost(shape, tile, bytes, bytes, run_costs(problem, tile)) *
           packed_tile_factor(static_cast<double>(tile.volume * element_bytes));
  };
  const std::int64_t volume_max = packed_words_slots * packed_team_size * 4 / element_bytes;
  const CostedTile best = choose_packed_tile(shape, volume_max, cost_of);
  if (best.cost == 0 || has_wide_offsets(shape, best.tile)) return;
  const TileTables tables = tile_tables(shape, best.tile, run_order(shape, best.tile));
  // A team finds what a tile's words are made of first, which takes as long as the tiles of a few runs.
  const std::int64_t teams = std::int64_t{packed_words_teams_at_once} * multiprocessors(limits);
  if (tiles_of(tables) * packed_words_run_cost < teams * (2 * packed_words_run_cost + best.tile.out_run)) return;
  choice.tile = best.tile;
  choice.tables = tables;
  choice.words = word_runs(tile_runs(best.tile, tables), bytes);
  choice.kernel = PackedKernel::words;
  choice.wide_offsets = false;
}

inline void plan_packed(std::string_view function, const DeviceLimits& limits, const TransposeProblem& problem,
                        TransposeChoice& choice) {
  const PermuteShape& shape = problem.shape;
  TransposePlan& plan = choice.plan;
  const bool sizes_team = plan.team_size == 0;
  if (sizes_team) plan.team_size = limits.is_host ? 1 : packed_team_size;
  const std::size_t larger = std::max(problem.in_bytes, problem.out_bytes);
  const double uncached = packed_uncached(static_cast<double>(shape.units()) * static_cast<double>(problem.out_bytes));
  const bool on_sectors = begins_on_sectors(problem);
  const auto cost_of = [&](const PackedTile& tile) {
    if (limits.is_host) {
      return packed_tile::cost(shape, tile, problem.in_bytes, problem.out_bytes, host_runs) *
             (1 + 300 / static_cast<double>(tile.volume));
    }
    packed_tile::RunCosts costs = run_costs(problem, tile);
    PackedTile written = tile;
    if (!on_sectors && moves_directly(problem, tile)) {
      written.out_run = std::min<std::int64_t>(tile.out_run, 32);
      costs.write = device_runs.write;
    }
    costs.read *= 1 + 2 * uncached;
    costs.write *= 1 + uncached;
    // A shorter element takes as long as a word.
    const std::int64_t bytes = tile.volume * std::max<std::int64_t>(static_cast<std::int64_t>(larger), 4);
    return packed_tile::cost(shape, written, problem.in_bytes, problem.out_bytes, costs) *
           packed_tile_factor(static_cast<double>(bytes));
  };
  const auto choose = [&](bool wide) {
    std::int64_t fits =
        static_cast<std::int64_t>((limits.is_host ? packed_host_bytes(larger) : packed_stage_bytes) / larger);
    if (!limits.is_host) {
      fits = std::min(fits, std::int64_t{packed_slots(problem.in_bytes, problem.out_bytes, wide)} * plan.team_size);
    }
    choice.wide_offsets = wide;
    return choose_packed_tile(
        shape, std::clamp<std::int64_t>(fits, 1, limits.is_host ? packed_host_volume_max : packed_volume_max), cost_of);
  };
  CostedTile best = choose(false);
  if (has_wide_offsets(shape, best.tile)) best = choose(true);
  choice.tile = best.tile;
  const bool directly = plan.variant == TransposeVariant::naive || moves_directly(problem, choice.tile);
  choice.kernel = limits.is_host ? PackedKernel::nest : directly ? PackedKernel::direct : PackedKernel::staged;
  if (sizes_team && !limits.is_host && plan.variant == TransposeVariant::packed) {
    plan_runs(limits, problem, best.cost, choice);
    plan_words(limits, problem, choice);
  }
  choice.spans = shape.in_span();
  const bool is_tabled = choice.kernel == PackedKernel::runs || choice.kernel == PackedKernel::words;
  if (!is_tabled) {
    // A core follows the output, but where that would leave lines of the input half read.
    const bool follows =
        limits.is_host && static_cast<std::size_t>(choice.tile.in_run) * problem.in_bytes >= packed_host_run_bytes;
    choice.tables = tile_tables(shape, choice.tile, follows ? out_order(shape) : run_order(shape, choice.tile));
    if (choice.kernel == PackedKernel::staged) {
      choice.order = staged_order(choice.tables, problem.out_bytes,
                                  std::min(choice.tile.volume + choice.tile.volume / 2 + 1,
                                           static_cast<std::int64_t>(packed_gaps_bytes / problem.out_bytes)));
    }
    if (sizes_team && !limits.is_host) {
      // No warp more than the tile fills.
      const std::int64_t slots = packed_slots(problem.in_bytes, problem.out_bytes, choice.wide_offsets);
      plan.team_size = std::min<int>(packed_team_size, static_cast<int>(ceil_div(choice.tile.volume, 32 * slots)) * 32);
    }
  }
  plan.tile_columns = static_cast<int>(choice.tile.in_run);
  plan.tile_rows = static_cast<int>(choice.tile.volume / choice.tile.in_run);
  plan.access_bytes = static_cast<int>(problem.in_bytes);
  int teams = packed_teams_at_once(problem.out_bytes);
  switch (choice.kernel) {
    case PackedKernel::runs:
      plan.scratch_bytes = run_pieces(choice.runs, choice.order, problem.in_bytes).bytes;
      teams = packed_runs_teams(plan.scratch_bytes);
      break;
    case PackedKernel::words:
      plan.scratch_bytes = word_pieces(choice.words).bytes;
      plan.access_bytes = packed_bytes;
      teams = packed_words_teams_at_once;
      break;
    case PackedKernel::nest:
      choice.nest = nest_of(choice.tables, turned_block_side(larger));
      plan.scratch_bytes = static_cast<std::size_t>(choice.nest.entries()) * sizeof(std::int64_t);
      break;
    case PackedKernel::staged:
    case PackedKernel::direct:
      plan.scratch_bytes = packed_pieces(static_cast<int>(choice.tile.volume), choice.order, problem.out_bytes,
                                         choice.kernel == PackedKernel::direct)
                               .bytes;
  }
  const std::int64_t tiles = is_tabled ? tiles_of(choice.tables) : packed_tiles(shape, choice.tile);
  require_tiles(function, tiles);
  if (plan.league_size == 0) {
    // A team makes many: it finds its threads' places in the tile once.
    const std::int64_t threads = teams * std::int64_t{packed_team_size};
    const std::int64_t at_once = std::max<std::int64_t>(1, threads / plan.team_size) * multiprocessors(limits);
    plan.league_size = limits.is_host ? tile_league(limits, tiles)
                                      : static_cast<int>(std::max<std::int64_t>(1, std::min(tiles, at_once)));
  }
}

}  // namespace tessera::detail

#endif

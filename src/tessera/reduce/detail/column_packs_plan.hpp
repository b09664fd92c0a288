// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapping packs: which matrices have their columns reduced by threads that take those of a 16-byte pack, and how;
// measured on an H100.
#ifndef TESSERA_REDUCE_DETAIL_COLUMN_PACKS_PLAN_HPP
#define TESSERA_REDUCE_DETAIL_COLUMN_PACKS_PLAN_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/reduce/detail/axes_shape.hpp>
#include <tessera/reduce/detail/axes_teams.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/reduce_options.hpp>
#include <type_traits>

namespace tessera::detail {

/// A team's threads, and the teams that registers are for.
inline constexpr int column_packs_team_size = 128;
inline constexpr int column_packs_teams_at_once = 4;
/// Packs that a thread has in flight.
inline constexpr int column_packs_in_flight = 8;
/// Rows, several of the array's each, of a matrix, and of a part of it.
inline constexpr std::int64_t column_packs_rows_min = 16;
inline constexpr std::int64_t column_packs_part_rows_min = 64;
/// Bytes of an array from which on a second kernel, and for exact sums two more, cost less than the first one saves.
template <class Fold>
inline constexpr std::int64_t column_packs_bytes_min = std::int64_t{sums_in_pairs<Fold>() ? 32 : 16} << 20;
/// Of exact sums of runs, and how many, below which teams that walk them to digits are as quick.
inline constexpr std::int64_t run_packs_bytes_min = std::int64_t{256} << 20;
inline constexpr std::int64_t run_packs_min = 200;

/// What teams leave of a column.
template <class Fold>
struct ColumnPartial {
  using type = typename Fold::team_type;
};
template <class Fold>
requires(sums_in_pairs<Fold>()) struct ColumnPartial<Fold> {
  using type = pair_t<Fold>;
};
template <class Fold>
using column_partial_t = typename ColumnPartial<Fold>::type;

/// Whether a fold takes columns: a sum in pairs, or one that has chains.
template <class Fold>
KOKKOS_INLINE_FUNCTION constexpr bool takes_column_packs() {
  if constexpr (requires { Fold::chains_columns; }) {
    return Fold::chains_columns;
  } else {
    return sums_in_pairs<Fold>();
  }
}

/// Of elements of which a thread carries the columns of a pack.
KOKKOS_INLINE_FUNCTION constexpr bool is_packed(std::size_t element_bytes) {
  return element_bytes == 4 || element_bytes == 8;
}

/// A matrix, whose rows may have gaps between them, or several. Rows side by side are one, so that all begin alike on
/// 16-byte boundaries, and teams have whole packs of them to take.
struct ColumnPacks {
  int rows = 0;  ///< that are one; 0: other mappings are better
  int segments = 1, parts = 1;
  int rounds = 1;                        ///< parts of a team, one after the other
  bool in_team = false;                  ///< teams join the columns of rows that are one, before they leave them
  std::int64_t columns = 0, stride = 0;  ///< of the matrix, elements
  std::int64_t height = 0;               ///< rows of the matrix

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t joined_columns() const { return (rows - 1) * stride + columns; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t joined_height() const { return ceil_div(height, std::int64_t{rows}); }
  /// What a part of a matrix leaves: so many columns, several for each output.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t left_columns() const { return in_team ? columns : joined_columns(); }
  [[nodiscard]] KOKKOS_FUNCTION int left_rows() const { return in_team ? 1 : rows; }
};

/// The columns of a shape's matrices. A run is a matrix of one.
inline AxesDim axis_across(const AxesShape& shape) {
  return shape.reduces_fastest() ? AxesDim{.extent = 1, .in = 1} : shape.dims[shape.kept - 1];
}

/// The matrices of a shape whose one reduced axis goes down: as many rows that are one as a team takes, or as leave few
/// threads without columns. width: elements of a pack.
inline ColumnPacks joined_rows(const AxesShape& shape, std::int64_t width) {
  const AxesDim across = axis_across(shape), &down = shape.dims[shape.kept];
  bool aligned = shape.misalignment % width == 0;
  for (int d = 0; d < shape.kept; ++d) aligned = aligned && (shape.dims[d].in == 1 || shape.dims[d].in % width == 0);
  const std::int64_t team_columns = column_packs_team_size * width, outside = aligned ? 0 : width - 1;
  const auto step = static_cast<int>(width / std::gcd(down.in, width));
  ColumnPacks packs{.columns = across.extent, .stride = down.in, .height = down.extent};
  double used = 0;  // of the threads
  const auto consider = [&](int rows) {
    ColumnPacks next = packs;
    next.rows = rows;
    const std::int64_t segments = ceil_div(next.joined_columns() + outside, team_columns);
    const double uses = static_cast<double>(rows * across.extent) / static_cast<double>(segments * team_columns);
    if (uses <= used) return;
    used = uses;
    next.segments = static_cast<int>(std::min<std::int64_t>(segments, std::numeric_limits<int>::max()));
    packs = next;
  };
  if (across.extent <= column_packs_team_size && down.in <= team_columns) {
    const auto fitting = static_cast<int>((team_columns - outside - across.extent) / down.in + 1);
    if (fitting >= step) consider(fitting / step * step);
    packs.in_team = used >= 0.85 && packs.rows > 1;
  }
  constexpr int rows_max = 64;
  for (int rows = step; !packs.in_team && rows <= rows_max && used < 0.95; rows += step) consider(rows);
  return used >= 0.7 ? packs : ColumnPacks{};
}

/// Teams for each of so many units, at most so many, that keep a device full some whole times.
inline std::int64_t column_teams(const DeviceLimits& limits, std::int64_t units, std::int64_t most) {
  const std::int64_t at_once = std::int64_t{multiprocessors(limits)} * column_packs_teams_at_once;
  const std::int64_t waves = ceil_div(units, at_once);
  std::int64_t teams = 1;
  for (std::int64_t wave = waves; wave < waves + 4 && filled(units * teams, at_once) < well_filled; ++wave) {
    const std::int64_t next = clamped(wave * at_once / units, 1, most);
    if (filled(units * next, at_once) > filled(units * teams, at_once)) teams = next;
  }
  return teams;
}

template <class Fold>
ColumnPacks column_packs(const DeviceLimits& limits, const AxesShape& shape, std::size_t element_bytes,
                         const ReduceOptions& options) {
  if (limits.is_host || options.league_size != 0 || options.team_size != 0 || !is_packed(element_bytes)) return {};
  if (shape.reduced != 1 || shape.kept_size >= narrow_outputs) return {};
  const AxesDim across = axis_across(shape), &down = shape.dims[shape.kept];
  const std::int64_t bytes = shape.kept_size * down.extent * static_cast<std::int64_t>(element_bytes);
  if (across.in != 1 || down.in < across.extent || bytes < column_packs_bytes_min<Fold>) return {};
  if (sums_in_pairs<Fold>() && across.extent == 1 && (shape.kept_size < run_packs_min || bytes < run_packs_bytes_min)) {
    return {};
  }
  const auto width = packed_bytes / static_cast<std::int64_t>(element_bytes);
  ColumnPacks packs = joined_rows(shape, width);
  if (packs.rows == 0 || packs.joined_height() < column_packs_rows_min) return {};
  const std::int64_t units = shape.kept_size / across.extent * packs.segments;
  const std::int64_t teams =
      column_teams(limits, units, std::max<std::int64_t>(1, packs.joined_height() / column_packs_part_rows_min));
  if (units * teams > std::numeric_limits<int>::max()) return {};
  if constexpr (!sums_in_pairs<Fold>()) {
    if (!Fold::takes_all(options.nan)) return {};
    // A chain takes no more, of which a column has several.
    const std::int64_t part_rows_max = (Fold::chain_max - column_packs_in_flight) * (Fold::lanes / width);
    packs.rounds = static_cast<int>(ceil_div(ceil_div(packs.joined_height(), teams), part_rows_max));
  }
  packs.parts = static_cast<int>(teams) * packs.rounds;
  return packs;
}

/// Partial results: of each part of each matrix one for every column of rows side by side.
template <class Fold>
std::size_t column_packs_bytes(const ColumnPacks& packs, std::int64_t kept) {
  return static_cast<std::size_t>(kept / packs.columns * packs.parts * packs.left_columns()) *
         sizeof(column_partial_t<Fold>);
}

/// Scratch of a team: the axes, and the columns of rows that are one.
template <class Fold>
std::size_t column_scratch_bytes(const ColumnPacks& packs) {
  return after_axes() +
         (packs.in_team ? static_cast<std::size_t>(packs.joined_columns()) * sizeof(column_partial_t<Fold>) : 0);
}

/// Partial results of an output.
inline int column_partials(const ColumnPacks& packs) { return packs.parts * packs.left_rows(); }

/// Threads that join them.
inline int column_join_threads(const ColumnPacks& packs) {
  return power_of_two_below(clamped(column_partials(packs) / 8, 1, axes_team_size_max));
}

}  // namespace tessera::detail

#endif

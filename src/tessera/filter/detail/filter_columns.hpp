// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant vectorized, lines that run across memory: neighbouring threads take neighbouring lines, so that each row of
// elements is read whole, and a thread makes several outputs of its line from each element that it reads.
#ifndef TESSERA_FILTER_DETAIL_FILTER_COLUMNS_HPP
#define TESSERA_FILTER_DETAIL_FILTER_COLUMNS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <span>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/convert.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/detail/weighted.hpp>
#include <tessera/filter/detail/column_tiles.hpp>
#include <tessera/filter/detail/filter_job.hpp>
#include <tessera/filter/filter_plan.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Types>
struct FilterColumns {
  using In = typename Types::in_type;
  using Out = typename Types::out_type;
  using Weight = typename Types::weight_type;
  using Accumulator = typename Types::accumulator_type;
  using policy_type =
      Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<vectorized_team_size, column_teams_at_once<sizeof(Accumulator)>>,
                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;
  static constexpr bool is_host = is_host_space<Space>;
  static constexpr int outputs = column_outputs_per_thread<sizeof(Accumulator)>;
  /// Filters of more taps take their rows in blocks.
  static constexpr int few_taps = column_few_taps;
  static constexpr int block_rows = 8;
  static constexpr int pad = outputs - 1;

  FilterJob<Types> job;
  FoldedRange<Types> folded;
  /// Part of the kernel's argument, so that multiplications need no load. Zeros stand before and after; what they make
  /// of NaN and infinities is found and mended.
  Weight weights[pad + column_taps_max + pad + block_rows];
  int tile;
  ColumnTiles column_tiles;
  std::int64_t tiles_per_line, tiles;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    constexpr int lanes = column_tile<is_host>;
    const TileWalk walk = tile_walk(team, tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      // Neighbouring teams take neighbouring columns: together they read whole rows.
      const QuotientRemainder split = divide(index, column_tiles.count);
      const QuotientRemainder rows = divide(split.quotient, tiles_per_line);
      const ColumnTile columns = column_tiles.tile(split.remainder);
      const std::int64_t first_line = rows.quotient * column_tiles.columns + columns.first;
      const In* x = job.in.line(first_line);
      Out* y = job.out.line(first_line);
      const std::int64_t first = rows.remainder * tile;
      if constexpr (is_host) {
        const std::int64_t end = Kokkos::min(first + tile, job.out.extent);
        for (std::int64_t i = first + team.team_rank(); i < end; i += team.team_size())
          filter_row(x, y, i, columns.width);
      } else {
        const int lane = team.team_rank() % lanes - columns.skipped;
        const int groups = team.team_size() / lanes;
        const int group = team.team_rank() / lanes;
        if (lane < 0 || lane >= columns.width || group >= groups) continue;
        for (int at = group * outputs; at < tile; at += groups * outputs) {
          if (first + at < job.out.extent) filter_run(x + lane, y + lane, first + at);
        }
      }
    }
  }

 private:
  /// Output i of neighbouring lines: the compiler vectorises over them.
  KOKKOS_FUNCTION void filter_row(const In* x, Out* y, std::int64_t i, int width) const {
    const std::int64_t n = job.in.extent;
    Out* row = y + i * job.out.stride;
    if (!job.rule.is_plain(i)) {
      for (int c = 0; c < width; ++c) row[c] = job.rule.output(x + c, i);
      return;
    }
    Accumulator sums[column_tile<is_host>];
    for (int c = 0; c < width; ++c) sums[c] = Accumulator(0);
    for (int k = 0; k < static_cast<int>(job.rule.window.taps); ++k) {
      const std::int64_t j = i - job.rule.window.reach_left + k;
      const Weight weight = weights[pad + k];
      if (j >= 0 && j < n) {
        const In* source = x + j * job.in.stride;
        for (int c = 0; c < width; ++c) sums[c] += weighted<Accumulator>(weight, source[c]);
      } else {
        for (int c = 0; c < width; ++c) {
          sums[c] += weighted<Accumulator>(weight, job.rule.element(x + c, j));
        }
      }
    }
    for (int c = 0; c < width; ++c) row[c] = convert<Out>(sums[c]);
  }

  /// Outputs i, i + 1, .. of one line.
  KOKKOS_FORCEINLINE_FUNCTION void filter_run(const In* x, Out* y, std::int64_t i) const {
    const std::int64_t first = i - job.rule.window.reach_left;
    Accumulator sums[outputs];
    TESSERA_UNROLL
    for (int u = 0; u < outputs; ++u) sums[u] = Accumulator(0);
    const int rows = static_cast<int>(job.rule.window.taps) + outputs - 1;
    if (rows <= few_taps + outputs - 1) {
      add_rows<few_taps + outputs - 1>(x, first, weights + pad, sums);
    } else {
      for (int row = 0; row < rows; row += block_rows) add_rows<block_rows>(x, first + row, weights + pad + row, sums);
    }
    unsigned left = 0;  // bits: outputs that need more than folded elements, or may be NaN by a zero beside the taps
    Out* target = y + i * job.out.stride;
    TESSERA_UNROLL
    for (int u = 0; u < outputs; ++u) {
      if (i + u >= folded.begin && i + u < folded.end && sums[u] == sums[u]) {
        *target = convert<Out>(sums[u]);
      } else {
        left |= 1U << u;
      }
      target += job.out.stride;
    }
    TESSERA_NO_UNROLL
    for (int u = 0; left >> u != 0; ++u) {
      if ((left >> u & 1U) != 0 && i + u < job.out.extent) y[(i + u) * job.out.stride] = job.rule.output(x, i + u);
    }
  }

  /// Adds elements j, j + 1, .. to the outputs they belong to; weight: that of the first one for the first output.
  template <int Rows>
  KOKKOS_FORCEINLINE_FUNCTION void add_rows(const In* x, std::int64_t j, const Weight* weight,
                                            Accumulator (&sums)[outputs]) const {
    In elements[Rows];
    if (j >= 0 && j + Rows <= job.in.extent) {
      const In* source = x + j * job.in.stride;
      TESSERA_UNROLL
      for (int row = 0; row < Rows; ++row) {
        elements[row] = *source;
        source += job.in.stride;
      }
    } else {
      TESSERA_UNROLL
      for (int row = 0; row < Rows; ++row) elements[row] = folded.fold.element(x, job.in.stride, j + row);
    }
    TESSERA_UNROLL
    for (int row = 0; row < Rows; ++row) {
      const auto element = static_cast<Accumulator>(elements[row]);
      TESSERA_UNROLL
      for (int u = 0; u < outputs; ++u) {
        if (Rows > block_rows && (row - u < 0 || row - u >= few_taps)) continue;
        sums[u] += weighted<Accumulator>(weight[row - u], element);
      }
    }
  }
};

/// weights: of the filter, at most column_taps_max.
template <class Types, ExecutionSpace Space>
void launch_columns(const Space& space, const FilterPlan& plan, const FilterJob<Types>& job,
                    std::span<const double> weights, int asked_team_size) {
  using Functor = FilterColumns<Space, Types>;
  const ColumnTiles tiles = column_tiles(job.in, column_tile<Functor::is_host>, Functor::is_host);
  const std::int64_t tiles_per_line = ceil_div(job.out.extent, plan.tile);
  Functor functor{job,
                  FoldedRange<Types>(job.rule),
                  {},
                  plan.tile,
                  tiles,
                  tiles_per_line,
                  job.in.lines() / tiles.columns * tiles.count * tiles_per_line};
  put_weights(weights, job.rule.window.reversed, functor.weights + Functor::pad);
  const auto policy = typename Functor::policy_type(space, plan.league_size, plan.team_size);
  require_launchable("tessera::filter", policy, functor, asked_team_size);
  Kokkos::parallel_for("tessera::filter::columns", policy, functor);
}

}  // namespace tessera::detail

#endif

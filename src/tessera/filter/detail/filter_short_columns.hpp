// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant vectorized, lines of bytes and 16-bit integers that run across memory, on devices, where neighbouring lines
// are whole words: rows of those go to scratch, and a thread makes several outputs of the lines of a word.
#ifndef TESSERA_FILTER_DETAIL_FILTER_SHORT_COLUMNS_HPP
#define TESSERA_FILTER_DETAIL_FILTER_SHORT_COLUMNS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <span>
#include <tessera/concepts.hpp>
#include <tessera/detail/async_copy.hpp>
#include <tessera/detail/divisor.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/column_tiles.hpp>
#include <tessera/filter/detail/filter_job.hpp>
#include <tessera/filter/detail/filter_sizes.hpp>
#include <tessera/filter/detail/filter_vectorized.hpp>
#include <tessera/filter/detail/short_column_sums.hpp>
#include <tessera/filter/detail/short_integers_plan.hpp>
#include <tessera/filter/detail/short_sums.hpp>
#include <tessera/filter/filter_plan.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Types>
struct FilterShortColumns {
  using T = typename Types::in_type;  // of output too
  using policy_type =
      Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<vectorized_team_size, short_columns_teams_at_once<Types>>,
                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;
  static constexpr int length = short_integers_word<T>, outputs = short_columns_outputs;
  using Word = Packed<T, length>;
  using Chunk = Packed<T, 4 * length>;

  FilterJob<Types> job;
  FoldedRange<Types> folded;
  ShortTaps<Types> taps;
  ShortColumnsPlan plan;
  SmallDivisor lanes, chunks;  // of a row
  ColumnTiles column_tiles;
  std::int64_t tiles_per_line, tiles;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    auto* staged = reinterpret_cast<Word*>(team_scratch(team, short_columns_scratch(plan)));
    const TileWalk walk = tile_walk(team, tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      if (index != walk.begin) team.team_barrier();  // scratch has been read
      const Tile tile = tile_of(index);
      if (tile.chunks) {
        stage<Chunk>(team, tile, chunks, staged);
      } else {
        stage<Word>(team, tile, lanes, staged);
      }
      team.team_barrier();
      make(team, tile, staged);
    }
  }

 private:
  /// Its rows are counted from its first output on, or the first element of that one's window; its columns from the
  /// element that its first word begins with.
  struct Tile {
    const T* x;
    T* y;
    std::int64_t first;
    int begin, end;              // columns that it has
    int in_begin, in_end;        // rows of elements inside the lines
    int plain_begin, plain_end;  // outputs that need no more than folded elements
    int out_end;
    bool chunks;  // rows of elements are chunks of memory
  };

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Tile tile_of(std::int64_t index) const {
    // Neighbouring teams take neighbouring columns: together they read whole rows.
    const QuotientRemainder split = divide(index, column_tiles.count);
    const QuotientRemainder rows = divide(split.quotient, tiles_per_line);
    const ColumnTile columns = column_tiles.tile(split.remainder);
    const std::int64_t first = rows.remainder * plan.tile, first_row = first - job.rule.window.reach_left;
    const std::int64_t line = rows.quotient * column_tiles.columns + columns.first;
    const T* x = job.in.line(line) - columns.skipped + first_row * job.in.stride;
    return {x,
            job.out.line(line) - columns.skipped + first * job.out.stride,
            first,
            columns.skipped,
            columns.skipped + columns.width,
            near_index(-first_row),
            near_index(job.in.extent - first_row),
            near_index(folded.begin - first),
            near_index(folded.end - first),
            near_index(Kokkos::min<std::int64_t>(plan.tile, job.out.extent - first)),
            low_address(x) % sizeof(Chunk) == 0 && job.in.stride % (4 * length) == 0};
  }

  /// Begins with so many pieces a row, and waits for those of this thread.
  template <class Piece>
  KOKKOS_FORCEINLINE_FUNCTION void stage(const member_type& team, const Tile& tile, const SmallDivisor& count,
                                         Word* staged) const {
    const int at_once = Kokkos::max(1, count.quotient(team.team_size()));
    const int first = count.quotient(team.team_rank());
    if (first < at_once) {
      TESSERA_NO_UNROLL
      for (int k = team.team_rank() - first * count.value(); k < count.value(); k += team.team_size()) {
        stage_column<Piece>(tile, k, first, at_once, staged);
      }
    }
    end_async_group();
    wait_for_async_groups<0>();
  }

  /// Piece k of rows first, first + step, .., but for words that there are not.
  template <class Piece>
  KOKKOS_FORCEINLINE_FUNCTION void stage_column(const Tile& tile, int k, int first, int step, Word* staged) const {
    constexpr int words = sizeof(Piece) / sizeof(Word);
    const int column = k * words * length;
    const bool all = column >= tile.begin && column + words * length <= tile.end;
    const std::int64_t source_step = step * job.in.stride, first_row = tile.first - job.rule.window.reach_left;
    const T* source = tile.x + first * job.in.stride + column;
    Word* target = staged + first * plan.lanes + k * words;
    const int target_step = step * plan.lanes;
    TESSERA_NO_UNROLL
    for (int r = first; r < plan.rows; r += step) {
      if (all && r >= tile.in_begin && r < tile.in_end) {
        copy_async(reinterpret_cast<Piece*>(target), reinterpret_cast<const Piece*>(source));
      } else {
        const std::int64_t j = first_row + r;
        const T* row = tile.x + (folded.fold.index(j) - first_row) * job.in.stride;
        TESSERA_NO_UNROLL
        for (int w = 0, c = column; w < words; ++w, c += length) {
          if (c >= tile.begin && c < tile.end) stage_word(row + c, folded.fold.is_constant(j), target + w);
        }
      }
      source += source_step;
      target += target_step;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void stage_word(const T* source, bool constant, Word* target) const {
    if (!constant) return copy_async(target, reinterpret_cast<const Word*>(source));
    TESSERA_UNROLL
    for (int c = 0; c < length; ++c) target->values[c] = folded.fold.cval;
  }

  KOKKOS_FORCEINLINE_FUNCTION void make(const member_type& team, const Tile& tile, const Word* staged) const {
    const int runs = plan.tile / outputs * lanes.value();
    TESSERA_NO_UNROLL
    for (int q = team.team_rank(); q < runs; q += team.team_size()) {
      const int group = lanes.quotient(q), lane = q - group * lanes.value();
      const int i = group * outputs, column = lane * length;
      if (i >= tile.out_end) break;
      if (column < tile.begin || column >= tile.end) continue;
      std::uint32_t results[outputs];
      make_columns({reinterpret_cast<const std::uint32_t*>(staged + i * plan.lanes + lane), plan.lanes}, taps, results);
      if (i >= tile.plain_begin && i + outputs <= tile.plain_end) {
        store<true>(tile, i, column, results);
      } else {
        store<false>(tile, i, column, results);
        store_special(tile, i, column);
      }
    }
  }

  /// All: they need no more than folded elements.
  template <bool All>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Tile& tile, int i, int column,
                                         const std::uint32_t (&results)[outputs]) const {
    T* target = tile.y + i * job.out.stride + column;
    TESSERA_UNROLL
    for (int u = 0; u < outputs; ++u) {
      if (All || (i + u >= tile.plain_begin && i + u < tile.plain_end)) {
        store_word(reinterpret_cast<std::uint32_t*>(target), results[u]);
      }
      target += job.out.stride;
    }
  }

  /// The others of outputs i, i + 1, ..
  KOKKOS_FORCEINLINE_FUNCTION void store_special(const Tile& tile, int i, int column) const {
    const T* x = tile.x - (tile.first - job.rule.window.reach_left) * job.in.stride + column;
    TESSERA_NO_UNROLL
    for (int u = i; u < i + outputs && u < tile.out_end; ++u) {
      if (u >= tile.plain_begin && u < tile.plain_end) continue;
      TESSERA_NO_UNROLL
      for (int c = 0; c < length; ++c) {
        tile.y[u * job.out.stride + column + c] = job.rule.output(x + c, tile.first + u);
      }
    }
  }
};

/// weights: of the filter, at most column_taps_max. shape.word_columns holds.
template <class Types, ExecutionSpace Space>
void launch_short_columns(const Space& space, const FilterPlan& plan, const FilterShape& shape,
                          const FilterJob<Types>& job, std::span<const double> weights, int asked_team_size) {
  using Functor = FilterShortColumns<Space, Types>;
  const ShortColumnsPlan share = short_columns_plan<Types>(device_limits(space), shape, plan.team_size);
  const ColumnTiles tiles = column_tiles(job.out, share.lanes * Functor::length, false);
  const std::int64_t tiles_per_line = ceil_div(job.out.extent, share.tile);
  const Functor functor{job,
                        FoldedRange<Types>(job.rule),
                        short_taps<Types>(weights, job.rule.window.reversed),
                        share,
                        SmallDivisor(share.lanes),
                        SmallDivisor(share.lanes / 4),
                        tiles,
                        tiles_per_line,
                        job.in.lines() / tiles.columns * tiles.count * tiles_per_line};
  launch_vectorized_functor("tessera::filter::short_columns", space, plan, functor, asked_team_size);
}

}  // namespace tessera::detail

#endif

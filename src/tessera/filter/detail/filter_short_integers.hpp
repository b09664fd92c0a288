// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant vectorized, contiguous lines of bytes and 16-bit integers: several lines, or a segment of one, go to scratch
// and back in 16-byte chunks; a thread makes a run of neighbours from the words of their window.
#ifndef TESSERA_FILTER_DETAIL_FILTER_SHORT_INTEGERS_HPP
#define TESSERA_FILTER_DETAIL_FILTER_SHORT_INTEGERS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
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
#include <tessera/filter/detail/filter_job.hpp>
#include <tessera/filter/detail/filter_sizes.hpp>
#include <tessera/filter/detail/filter_vectorized.hpp>
#include <tessera/filter/detail/short_integers_plan.hpp>
#include <tessera/filter/detail/short_sums.hpp>
#include <tessera/filter/filter_plan.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Types>
struct FilterShortIntegers {
  using T = typename Types::in_type;  // of output too
  using policy_type =
      Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<vectorized_team_size, short_integers_teams_at_once<Types>>,
                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;
  using Chunk = Packed<T>;
  static constexpr int width = packed_length<T>, sector = 2 * width;
  static constexpr int run = short_integers_run<Types>, run_words = short_integers_words<Types>;

  FilterJob<Types> job;
  FoldedRange<Types> folded;
  ShortTaps<Types> taps;
  int lines_at_once;
  std::int64_t segments;                     // of a line
  SmallDivisor runs, in_chunks, out_chunks;  // of a segment
  SmallDivisor in_ends, out_ends;            // of a line, at most: not in whole chunks of it
  std::int64_t lines, tiles;
  ShortIntegersScratch pieces;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    std::byte* scratch = team_scratch(team, pieces.bytes);
    auto* staged = reinterpret_cast<Chunk*>(scratch + pieces.staged_at);
    if (low_address(staged) % sector_bytes != 0) ++staged;
    auto* made = reinterpret_cast<Chunk*>(scratch + pieces.made_at);
    const TileWalk walk = tile_walk(team, tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      if (index != walk.begin) team.team_barrier();  // scratch has been read
      const Tile tile = tile_of(index);
      if (lines_at_once == 1) {
        filter_tile<true>(team, tile, staged, made);
      } else {
        filter_tile<false>(team, tile, staged, made);
      }
    }
  }

 private:
  /// Elements and outputs of its lines, from that on which all are counted here, in an int.
  struct Tile {
    const T* x;
    T* y;
    std::int64_t first;
    int lines, in_stride, out_stride;
    int begin, in_end, out_end, plain_begin, plain_end;
    int x_at, y_at;  // in sectors and chunks of memory

    /// Outputs of line l begin so many before, on a boundary of memory.
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int lead(int l) const { return (y_at + l * out_stride) & (width - 1); }
  };

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Tile tile_of(std::int64_t index) const {
    const QuotientRemainder split = segments == 1 ? QuotientRemainder{index, 0} : divide(index, segments);
    const std::int64_t line = split.quotient * lines_at_once;
    const std::int64_t first = split.remainder * runs.value() * run;
    const T* x = job.in.line(line) + first;
    T* y = job.out.line(line) + first;
    return {x,
            y,
            first,
            static_cast<int>(Kokkos::min<std::int64_t>(lines_at_once, lines - line)),
            static_cast<int>(job.in.column_stride()),
            static_cast<int>(job.out.column_stride()),
            near_index(-first),
            near_index(job.in.extent - first),
            near_index(job.out.extent - first),
            near_index(folded.begin - first),
            near_index(folded.end - first),
            static_cast<int>(low_address(x) % sector_bytes / sizeof(T)),
            static_cast<int>(low_address(y) % packed_bytes / sizeof(T))};
  }

  /// Of line l: the element of the first window's first tap in the first chunk, which begins a sector.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int skipped(const Tile& tile, int l) const {
    const auto reach = static_cast<int>(job.rule.window.reach_left);
    return (tile.x_at + l * tile.in_stride - tile.lead(l) - reach) & (sector - 1);
  }

  /// Of line l: the element that its first chunk begins with.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int staged_begin(const Tile& tile, int l) const {
    return -tile.lead(l) - static_cast<int>(job.rule.window.reach_left) - skipped(tile, l);
  }

  /// OneLine: segments, whose places then take no division.
  template <bool OneLine>
  KOKKOS_FORCEINLINE_FUNCTION void filter_tile(const member_type& team, const Tile& tile, Chunk* staged,
                                               Chunk* made) const {
    stage<OneLine>(team, tile, staged);
    team.team_barrier();
    make<OneLine>(team, tile, staged, made);
    team.team_barrier();
    store<OneLine>(team, tile, made);
  }

  template <bool OneLine>
  KOKKOS_FORCEINLINE_FUNCTION static int line_of(int index, const SmallDivisor& per_line) {
    return OneLine ? 0 : per_line.quotient(index);
  }

  template <bool OneLine>
  KOKKOS_FORCEINLINE_FUNCTION void stage(const member_type& team, const Tile& tile, Chunk* staged) const {
    const int count = tile.lines * in_chunks.value();
    TESSERA_NO_UNROLL
    for (int p = team.team_rank(); p < count; p += team.team_size()) {
      const int l = line_of<OneLine>(p, in_chunks);
      const int j = staged_begin(tile, l) + (p - l * in_chunks.value()) * width;
      if (j < tile.begin || j + width > tile.in_end) continue;
      copy_async(staged + p, reinterpret_cast<const Chunk*>(tile.x + (l * tile.in_stride + j)));
    }
    end_async_group();
    const int begin = staged_begin(tile, 0);
    if (!OneLine || begin < tile.begin || begin + in_chunks.value() * width > tile.in_end) {
      stage_ends<OneLine>(team, tile, reinterpret_cast<T*>(staged));
    }
    wait_for_async_groups<0>();
  }

  /// What windows take of chunks that a line's ends cut, or beyond them, an element a thread.
  template <bool OneLine>
  KOKKOS_FORCEINLINE_FUNCTION void stage_ends(const member_type& team, const Tile& tile, T* staged) const {
    const int most = in_chunks.value() * width;
    const auto reach_left = static_cast<int>(job.rule.window.reach_left);
    const auto reach_right = static_cast<int>(job.rule.window.reach_right());
    TESSERA_NO_UNROLL
    for (int e = team.team_rank(); e < tile.lines * in_ends.value(); e += team.team_size()) {
      const int l = line_of<OneLine>(e, in_ends), begin = staged_begin(tile, l);
      const Chunks whole = whole_chunks(begin, tile.begin, tile.in_end);
      const int left = reach_left + width - 1, k = e - l * in_ends.value();
      const int j = k < left ? tile.begin - reach_left + k : whole.end + k - left;
      if (j < begin || j >= begin + most || j >= (k < left ? whole.begin : tile.in_end + reach_right)) continue;
      const T* line = tile.x + l * tile.in_stride - tile.first;
      staged[l * most + j - begin] = folded.fold.element(line, 1, tile.first + j);
    }
  }

  /// Elements or outputs.
  struct Chunks {
    int begin, end;
  };

  /// Those from begin on that lie between from and to.
  KOKKOS_FORCEINLINE_FUNCTION static Chunks whole_chunks(int begin, int from, int to) {
    const int first = begin + ((from - begin + width - 1) & -width);
    return {first, Kokkos::max(first, begin + ((to - begin) & -width))};
  }

  template <bool OneLine>
  KOKKOS_FORCEINLINE_FUNCTION void make(const member_type& team, const Tile& tile, const Chunk* staged,
                                        Chunk* made) const {
    TESSERA_NO_UNROLL
    for (int q = team.team_rank(); q < tile.lines * runs.value(); q += team.team_size()) {
      const int l = line_of<OneLine>(q, runs), r = q - l * runs.value();
      std::uint32_t results[run_words];
      make_run(reinterpret_cast<const std::uint32_t*>(staged + l * in_chunks.value()), skipped(tile, l) + r * run, taps,
               results);
      auto* target = reinterpret_cast<std::uint32_t*>(made + l * out_chunks.value()) + r * run_words;
      TESSERA_UNROLL
      for (int w = 0; w < run_words; ++w) store_word(target + w, results[w]);
    }
  }

  template <bool OneLine>
  KOKKOS_FORCEINLINE_FUNCTION void store(const member_type& team, const Tile& tile, const Chunk* made) const {
    TESSERA_NO_UNROLL
    for (int p = team.team_rank(); p < tile.lines * out_chunks.value(); p += team.team_size()) {
      const int l = line_of<OneLine>(p, out_chunks);
      const int i = (p - l * out_chunks.value()) * width - tile.lead(l);
      if (i < tile.plain_begin || i + width > tile.plain_end) continue;
      copy_whole(reinterpret_cast<Chunk*>(tile.y + (l * tile.out_stride + i)), made + p);
    }
    const int begin = -tile.lead(0);
    if (!OneLine || begin < tile.plain_begin || begin + out_chunks.value() * width > tile.plain_end) {
      store_ends<OneLine>(team, tile, reinterpret_cast<const T*>(made));
    }
  }

  /// Outputs of chunks that a line's ends cut, and those that need more than folded elements, one a thread.
  template <bool OneLine>
  KOKKOS_FORCEINLINE_FUNCTION void store_ends(const member_type& team, const Tile& tile, const T* made) const {
    const int most = out_chunks.value() * width;
    TESSERA_NO_UNROLL
    for (int e = team.team_rank(); e < tile.lines * out_ends.value(); e += team.team_size()) {
      const int l = line_of<OneLine>(e, out_ends), begin = -tile.lead(l);
      const Chunks whole = whole_chunks(begin, tile.plain_begin, tile.plain_end);
      const int left = static_cast<int>(folded.begin) + width - 1, k = e - l * out_ends.value();
      const int i = k < left ? tile.begin + k : whole.end + k - left;
      if (i < begin || i >= begin + most || i >= tile.out_end || (k < left && i >= whole.begin)) continue;
      const bool plain = i >= tile.plain_begin && i < tile.plain_end;
      tile.y[l * tile.out_stride + i] = plain
                                            ? made[l * most + i - begin]
                                            : job.rule.output(tile.x + l * tile.in_stride - tile.first, tile.first + i);
    }
  }
};

/// weights: of the filter, at most column_taps_max.
template <class Types, ExecutionSpace Space>
void launch_short_integers(const Space& space, const FilterPlan& plan, const FilterShape& shape,
                           const FilterJob<Types>& job, std::span<const double> weights, int asked_team_size) {
  const ShortIntegersPlan share = short_integers_plan<Types>(device_limits(space), shape, plan.team_size);
  const FoldedRange<Types> folded(job.rule);
  const int cut = 2 * (packed_length<typename Types::in_type> - 1);  // elements of chunks at both ends
  const auto special = static_cast<int>(folded.begin + job.out.extent - folded.end);
  const FilterShortIntegers<Space, Types> functor{job,
                                                  folded,
                                                  short_taps<Types>(weights, job.rule.window.reversed),
                                                  share.lines,
                                                  share.segments,
                                                  SmallDivisor(share.runs),
                                                  SmallDivisor(share.in_chunks),
                                                  SmallDivisor(share.out_chunks),
                                                  SmallDivisor(static_cast<int>(shape.taps) - 1 + cut),
                                                  SmallDivisor(special + cut),
                                                  shape.lines,
                                                  ceil_div(shape.lines, share.lines) * share.segments,
                                                  short_integers_scratch<Types>(share)};
  launch_vectorized_functor("tessera::filter::short_integers", space, plan, functor, asked_team_size);
}

}  // namespace tessera::detail

#endif

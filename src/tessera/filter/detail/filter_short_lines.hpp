// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant vectorized, lines of a few tiles and less: a team takes many lines, or an equal part of one, each with its
// own halo in scratch, so that hardly an output needs a test.
#ifndef TESSERA_FILTER_DETAIL_FILTER_SHORT_LINES_HPP
#define TESSERA_FILTER_DETAIL_FILTER_SHORT_LINES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <span>
#include <tessera/concepts.hpp>
#include <tessera/detail/divisor.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/filter_job.hpp>
#include <tessera/filter/detail/filter_vectorized.hpp>
#include <tessera/filter/detail/narrow_taps.hpp>
#include <tessera/filter/filter_plan.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Types, int Slots>
struct FilterShortLines {
  using T = typename Types::in_type;  // of output and sums too
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<vectorized_team_size, short_lines_teams_at_once>,
                                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;
  using Chunk = Packed<T>;
  static constexpr int width = packed_length<T>;
  static constexpr int per_thread = vectorized_chunks_per_thread;

  FilterJob<Types> job;
  FoldedRange<Types> folded;
  NarrowTaps<Types, Slots> taps;
  int lines_at_once;
  std::int64_t segments;               // of a line
  SmallDivisor out_chunks, in_chunks;  // of a segment: its outputs, and these with their halo
  int chunks_left;
  std::int64_t tiles;
  std::size_t scratch_bytes;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    auto* chunks = reinterpret_cast<Chunk*>(team_scratch(team, scratch_bytes));
    const TileWalk walk = tile_walk(team, tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      if (index != walk.begin) team.team_barrier();  // scratch has been read
      // Either several lines, or one segment.
      const QuotientRemainder split = segments == 1 ? QuotientRemainder{index, 0} : divide(index, segments);
      const std::int64_t first_line = split.quotient * lines_at_once;
      const int first = static_cast<int>(split.remainder) * out_chunks.value() * width;
      const int lines = static_cast<int>(Kokkos::min<std::int64_t>(lines_at_once, job.in.columns() - first_line));
      const T* x = job.in.data + first_line * job.in.column_stride();
      const Tile tile{x,
                      job.out.data + first_line * job.out.column_stride(),
                      first,
                      lines,
                      static_cast<int>(job.in.column_stride()),
                      static_cast<int>(reinterpret_cast<std::uintptr_t>(x) / sizeof(T) % width)};
      stage(team, tile, chunks);
      team.team_barrier();
      filter_tile(team, tile, chunks);
    }
  }

 private:
  /// Offsets within it fit an int.
  struct Tile {
    const T* x;
    T* y;
    int first, lines, stride, misalignment;

    /// Elements from the begin of line l back to a 16-byte boundary, where its first chunk begins.
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int shift(int l) const { return (misalignment + l * stride) % width; }
  };
  /// Of a chunk of the tile: its line, and its first element there.
  struct Place {
    int line, at;
  };

  KOKKOS_FORCEINLINE_FUNCTION Place in_place(const Tile& tile, int p) const {
    const int l = in_chunks.quotient(p);
    return {l, tile.first + (p - l * in_chunks.value() - chunks_left) * width - tile.shift(l)};
  }

  KOKKOS_FORCEINLINE_FUNCTION void stage(const member_type& team, const Tile& tile, Chunk* chunks) const {
    constexpr int loads = per_thread + 1;
    const int count = tile.lines * in_chunks.value();
    const int step = team.team_size();
    const int inside_end = static_cast<int>(job.in.extent) - width;  // the last begin of a chunk inside
    for (int base = team.team_rank(); base < count; base += loads * step) {
      Chunk loaded[loads];
      unsigned inside = 0;  // bits
      TESSERA_UNROLL
      for (int load = 0; load < loads; ++load) {
        const int p = base + load * step;
        const Place place = in_place(tile, p);
        if (p < count && place.at >= 0 && place.at <= inside_end) {
          loaded[load] = *reinterpret_cast<const Chunk*>(tile.x + (place.line * tile.stride + place.at));
          inside |= 1U << load;
        }
      }
      TESSERA_UNROLL
      for (int load = 0; load < loads; ++load) {
        if ((inside >> load & 1U) != 0) chunks[base + load * step] = loaded[load];
      }
      TESSERA_NO_UNROLL
      for (int load = 0; load < loads; ++load) {
        const int p = base + load * step;
        if ((inside >> load & 1U) == 0 && p < count) chunks[p] = folded_chunk(tile, in_place(tile, p));
      }
    }
  }

  /// A chunk that the line's ends cut, or that lies beyond them.
  KOKKOS_FORCEINLINE_FUNCTION Chunk folded_chunk(const Tile& tile, const Place& place) const {
    Chunk chunk;
    TESSERA_UNROLL
    for (int e = 0; e < width; ++e) {
      chunk.values[e] = folded.fold.element(tile.x + place.line * tile.stride, 1, place.at + e);
    }
    return chunk;
  }

  KOKKOS_FORCEINLINE_FUNCTION void filter_tile(const member_type& team, const Tile& tile, const Chunk* chunks) const {
    const int count = tile.lines * out_chunks.value();
    const auto begin = static_cast<int>(folded.begin);
    const auto end = static_cast<int>(folded.end);
    const auto out_stride = static_cast<int>(job.out.column_stride());
    unsigned left = 0;  // bits: turns whose outputs need care
    TESSERA_UNROLL
    for (int turn = 0; turn < per_thread; ++turn) {
      const int c = team.team_rank() + turn * team.team_size();
      const int l = out_chunks.quotient(c);
      const int within = c - l * out_chunks.value();
      const int i = tile.first + within * width - tile.shift(l);
      if (c >= count || i >= static_cast<int>(job.out.extent)) continue;
      Chunk sums[1];
      correlate_narrow(chunks + l * in_chunks.value() + within, taps, sums);
      T* target = tile.y + (l * out_stride + i);
      if (i + width <= begin || i >= end || has_nan(sums[0])) {
        left |= 1U << turn;
      } else if (i >= begin && i + width <= end && is_aligned(target)) {
        *reinterpret_cast<Chunk*>(target) = sums[0];
      } else {
        TESSERA_UNROLL
        for (int v = 0; v < width; ++v) {
          if (i + v >= begin && i + v < end) target[v] = sums[0].values[v];
        }
        if (begin > 0 || end < static_cast<int>(job.out.extent)) left |= 1U << turn;
      }
    }
    TESSERA_NO_UNROLL
    for (int turn = 0; left >> turn != 0; ++turn) {
      if ((left >> turn & 1U) != 0) store_with_care(tile, team.team_rank() + turn * team.team_size(), chunks);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static bool is_aligned(const T* target) {
    return reinterpret_cast<std::uintptr_t>(target) % alignof(Chunk) == 0;
  }

  /// Outputs that need more than folded elements, or may be NaN by a zero beside the taps.
  KOKKOS_FORCEINLINE_FUNCTION void store_with_care(const Tile& tile, int c, const Chunk* chunks) const {
    const int l = out_chunks.quotient(c);
    const int within = c - l * out_chunks.value();
    const T* line = tile.x + l * tile.stride;
    const auto* window = reinterpret_cast<const T*>(chunks + l * in_chunks.value() + within);
    TESSERA_NO_UNROLL
    for (int v = 0; v < width; ++v) {
      const std::int64_t i = tile.first + within * width - tile.shift(l) + v;
      if (i < 0 || i >= job.out.extent) continue;
      const bool plain = i >= folded.begin && i < folded.end;
      tile.y[l * job.out.column_stride() + i] = plain ? correlate_exactly(window + v, taps) : job.rule.output(line, i);
    }
  }
};

template <int Slots, class Types, ExecutionSpace Space>
void launch_short_lines(const Space& space, const FilterPlan& plan, const FilterShape& shape,
                        const FilterJob<Types>& job, std::span<const double> weights, int asked_team_size) {
  using Functor = FilterShortLines<Space, Types, Slots>;
  const ShortLinesPlan share = short_lines_plan<Types>(shape, plan.team_size);
  const Functor functor{job,
                        FoldedRange<Types>(job.rule),
                        narrow_taps<Types, Slots>(job.rule.window, weights),
                        share.lines,
                        share.segments,
                        SmallDivisor(share.out_chunks),
                        SmallDivisor(share.in_chunks),
                        static_cast<int>(ceil_div(shape.reach_left, Functor::width)),
                        ceil_div(shape.lines, share.lines) * share.segments,
                        plan.scratch_bytes};
  launch_vectorized_functor("tessera::filter::short_lines", space, plan, functor, asked_team_size);
}

}  // namespace tessera::detail

#endif

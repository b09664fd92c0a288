// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant vectorized, few taps on short lines that follow each other in memory: filtered as one long line, and the
// outputs at the ends of lines made anew in scratch, before threads store it in whole chunks.
#ifndef TESSERA_FILTER_DETAIL_FILTER_ADJACENT_LINES_HPP
#define TESSERA_FILTER_DETAIL_FILTER_ADJACENT_LINES_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <span>
#include <tessera/concepts.hpp>
#include <tessera/detail/divisor.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/filter_vectorized.hpp>
#include <tessera/filter/filter_plan.hpp>

namespace tessera::detail {

/// The base's job is that of the one long line.
template <ExecutionSpace Space, class Types, int Slots>
struct FilterAdjacentLines : FilterVectorized<Space, Types, Slots, 1, runs_chunks> {
  using Base = FilterVectorized<Space, Types, Slots, 1, runs_chunks>;
  using typename Base::Chunk;
  using typename Base::T;
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<vectorized_team_size, runs_teams_at_once>,
                                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;
  using Base::width;
  static constexpr int run = runs_chunks;
  static constexpr int loads = 3;  ///< of an output at an end, at once

  FilterRule<Types> rule;  // of a line
  FoldedRange<Types> range;
  SmallDivisor ends;  // outputs of a line whose windows leave it, or 1

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    auto* chunks = reinterpret_cast<Chunk*>(team_scratch(team, this->scratch_bytes));
    Chunk* made = chunks + this->tile_chunks + this->halo_chunks;
    const TileWalk walk = tile_walk(team, this->tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      if (index != walk.begin) team.team_barrier();  // scratch has been read
      const auto place = this->place_of(index);
      this->stage(team, place.x, place.first - std::int64_t{this->chunks_left} * width, chunks);
      team.team_barrier();
      Chunk sums[run];
      correlate_narrow(chunks + team.team_rank() * run, this->taps, sums);
      TESSERA_UNROLL
      for (int r = 0; r < run; ++r) made[team.team_rank() * run + r] = sums[r];
      team.team_barrier();
      auto* outputs = reinterpret_cast<T*>(made);
      make_ends(team, place.x, place.first, reinterpret_cast<const T*>(chunks), outputs);
      team.team_barrier();
      this->store_tile(
          team, place.y, place.first, [&](int chunk) { return made[chunk]; },
          [&](int at) { store_with_care(place.x, place.y, place.first, at, outputs); });
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void make_ends(const member_type& team, const T* x, std::int64_t first, const T* staged,
                                             T* outputs) const {
    const int count = this->taps.end - this->taps.first - 1;
    const auto extent = static_cast<int>(rule.extent);
    const auto left = static_cast<int>(rule.window.reach_left);
    const int elements = this->tile_chunks * width;
    const std::int64_t line = divide(Kokkos::max<std::int64_t>(first, 0), extent).quotient;
    // Relative to the tile, as all below.
    const auto lines_begin = static_cast<int>(line * extent - first);
    const auto lines_end = static_cast<int>(Kokkos::min<std::int64_t>(this->job.in.extent - first, elements));
    if (count == 0) return;
    TESSERA_NO_UNROLL
    for (int end = team.team_rank();; end += team.team_size()) {
      const int l = ends.quotient(end);
      const int begin = lines_begin + l * extent;
      if (begin >= lines_end) break;
      const int place = end - l * count;
      const int i = place < left ? place : extent - count + place;
      const int at = begin + i;
      if (at < 0 || at >= lines_end) continue;
      outputs[at] = i >= static_cast<int>(range.begin) && i < static_cast<int>(range.end)
                        ? folded_output(x + first, begin, i - left, staged)
                        : rule.output(x + (first + begin), i);
    }
  }

  /// Of the window from element j on of the line that begins at element begin of the tile, x.
  KOKKOS_FORCEINLINE_FUNCTION T folded_output(const T* x, int begin, int j, const T* staged) const {
    const auto& fold = range.fold;
    const int staged_left = this->chunks_left * width;
    const int staged_count = (this->tile_chunks + this->halo_chunks) * width;
    T sum = 0;
    TESSERA_NO_UNROLL
    for (int slot = this->taps.first; slot < this->taps.end; slot += loads, j += loads) {
      T values[loads];
      TESSERA_UNROLL
      for (int k = 0; k < loads; ++k) {
        const int index = fold.index(j + k) + begin;
        const int here = index + staged_left;
        values[k] = here >= 0 && here < staged_count ? staged[here] : x[index];
        if (fold.is_constant(j + k)) values[k] = fold.cval;
      }
      TESSERA_UNROLL
      for (int k = 0; k < loads; ++k) {
        if (slot + k < this->taps.end) sum += weighted<T>(this->taps.weight[slot + k], values[k]);
      }
    }
    return sum;
  }

  /// Outputs that lie beyond the lines, are misaligned, or may be NaN by a zero beside the taps.
  KOKKOS_FORCEINLINE_FUNCTION void store_with_care(const T* x, T* y, std::int64_t first, int at,
                                                   const T* outputs) const {
    TESSERA_NO_UNROLL
    for (int v = 0; v < width; ++v) {
      const std::int64_t place = first + at + v;
      if (place < 0 || place >= this->job.out.extent) continue;
      T output = outputs[at + v];
      if (output != output) {
        const QuotientRemainder line = divide(place, rule.extent);
        output = rule.output(x + (place - line.remainder), line.remainder);
      }
      y[place] = output;
    }
  }
};

/// weights: of the filter, in at most Slots slots.
template <int Slots, class Types, ExecutionSpace Space>
void launch_adjacent_lines(const Space& space, const FilterPlan& plan, const FilterJob<Types>& job,
                           std::span<const double> weights, int asked_team_size) {
  using Functor = FilterAdjacentLines<Space, Types, Slots>;
  const FilterRule<Types>& rule = job.rule;
  FilterJob<Types> whole{job.in, job.out, rule};
  const std::int64_t elements = job.in.lines() * job.in.extent;
  whole.in = {job.in.data, elements};
  whole.out = {job.out.data, elements};
  whole.rule.boundary = {BoundaryMode::nearest, BoundaryMode::nearest, rule.boundary.cval};
  whole.rule.extent = whole.rule.outputs = elements;
  const Functor functor{vectorized_functor<Slots, 1, runs_chunks>(space, plan, whole, weights), rule,
                        FoldedRange<Types>(rule),
                        SmallDivisor(static_cast<int>(std::max<std::int64_t>(1, rule.window.taps - 1)))};
  launch_vectorized_functor("tessera::filter::adjacent_lines", space, plan, functor, asked_team_size);
}

}  // namespace tessera::detail

#endif

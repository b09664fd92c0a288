// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant vectorized, contiguous lines: narrow filters. Tile and halo go to scratch and back in 16-byte chunks; a
// thread makes the outputs of a chunk, whose window it walks a chunk at a time, so that it never stands in registers
// whole.
#ifndef TESSERA_FILTER_DETAIL_FILTER_VECTORIZED_HPP
#define TESSERA_FILTER_DETAIL_FILTER_VECTORIZED_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <span>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/filter_job.hpp>
#include <tessera/filter/detail/narrow_taps.hpp>
#include <tessera/filter/filter_plan.hpp>

namespace tessera::detail {

/// PerThread: chunks that a thread stages at a time.
template <ExecutionSpace Space, class Types, int Slots, int Fewest = 1, int PerThread = vectorized_chunks_per_thread>
struct FilterVectorized {
  using T = typename Types::in_type;  // of output and sums too
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<vectorized_team_size, vectorized_teams_at_once>,
                                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;
  using Chunk = Packed<T>;
  static constexpr int width = packed_length<T>;
  static constexpr int per_thread = PerThread;

  FilterJob<Types> job;
  FoldedRange<Types> folded;
  NarrowTaps<Types, Slots, Fewest> taps;
  int tile_chunks, chunks_left, halo_chunks;
  std::int64_t tiles_per_line, tiles;
  std::size_t scratch_bytes;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    auto* chunks = reinterpret_cast<Chunk*>(team_scratch(team, scratch_bytes));
    const TileWalk walk = tile_walk(team, tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      if (index != walk.begin) team.team_barrier();  // scratch has been read
      const Place place = place_of(index);
      stage(team, place.x, place.first - std::int64_t{chunks_left} * width, chunks);
      team.team_barrier();
      filter_tile(team, place.x, place.y, place.first, chunks);
    }
  }

 protected:
  struct Place {
    const T* x;
    T* y;
    std::int64_t first;  // element of the line that the tile begins with
  };

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Place place_of(std::int64_t index) const {
    const QuotientRemainder split =
        tiles_per_line == tiles ? QuotientRemainder{0, index} : divide(index, tiles_per_line);
    const T* x = job.in.line(split.quotient);
    // Chunks of a line begin on 16-byte boundaries, the first maybe before the line.
    const auto head = static_cast<int>(misaligned_head(x, width));
    return {x, job.out.line(split.quotient), split.remainder * tile_chunks * width - (head == 0 ? 0 : width - head)};
  }

  /// The tile and its halos, from element begin on.
  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION void stage(const Member& team, const T* x, std::int64_t begin, Chunk* chunks) const {
    if (begin >= 0 && begin + std::int64_t{tile_chunks + halo_chunks} * width <= job.in.extent) {
      stage_inside(team, reinterpret_cast<const Chunk*>(x + begin), chunks);
    } else {
      stage_at_end(team, x, begin, chunks);
    }
  }

  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION void stage_inside(const Member& team, const Chunk* memory, Chunk* chunks) const {
    Chunk halo;
    const int at = tile_chunks + team.team_rank();
    const bool has_halo = team.team_rank() < halo_chunks;
    for (int base = team.team_rank(); base < tile_chunks; base += per_thread * team.team_size()) {
      Chunk loaded[per_thread];
      TESSERA_UNROLL
      for (int load = 0; load < per_thread; ++load) loaded[load] = memory[base + load * team.team_size()];
      if (base == team.team_rank() && has_halo) halo = memory[at];
      TESSERA_UNROLL
      for (int load = 0; load < per_thread; ++load) chunks[base + load * team.team_size()] = loaded[load];
    }
    if (has_halo) chunks[at] = halo;
    for (int more = at + team.team_size(); more < tile_chunks + halo_chunks; more += team.team_size()) {
      chunks[more] = memory[more];
    }
  }

  /// Where the tile and its halo are not all inside the line.
  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION void stage_at_end(const Member& team, const T* x, std::int64_t begin,
                                                Chunk* chunks) const {
    TESSERA_NO_UNROLL
    for (int c = team.team_rank(); c < tile_chunks + halo_chunks; c += team.team_size()) {
      const std::int64_t j = begin + std::int64_t{c} * width;
      Chunk chunk;
      if (j >= 0 && j + width <= job.in.extent) {
        chunk = *reinterpret_cast<const Chunk*>(x + j);
      } else {
        TESSERA_UNROLL
        for (int e = 0; e < width; ++e) chunk.values[e] = folded.fold.element(x, 1, j + e);
      }
      chunks[c] = chunk;
    }
  }

  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION void filter_tile(const Member& team, const T* x, T* y, std::int64_t first,
                                               const Chunk* chunks) const {
    store_tile(
        team, y, first,
        [&](int chunk) {
          Chunk sums[1];
          correlate_narrow(chunks + chunk, taps, sums);
          return sums[0];
        },
        [&](int at) { store_with_care(x, y, first, at, chunks); });
  }

  /// sums(c): of chunk c of the tile; care(e) stores the chunk at its element e.
  template <TeamMember Member, class Sums, class Care>
  KOKKOS_FORCEINLINE_FUNCTION void store_tile(const Member& team, T* y, std::int64_t first, const Sums& sums,
                                              const Care& care) const {
    const int step = team.team_size();
    const int elements = tile_chunks * width;
    // Of the tile's outputs; none where the output is not on the boundaries of its accesses.
    const int plain_begin =
        static_cast<int>(Kokkos::min<std::int64_t>(Kokkos::max<std::int64_t>(folded.begin - first, 0), elements));
    const int plain_end =
        is_aligned(y + first) ? static_cast<int>(Kokkos::min<std::int64_t>(folded.end - first, elements)) : 0;
    for (int base = team.team_rank(); base < tile_chunks; base += per_thread * step) {
      unsigned left = 0;  // bits: turns whose outputs need care
      TESSERA_UNROLL
      for (int turn = 0; turn < per_thread; ++turn) {
        const int at = (base + turn * step) * width;
        const Chunk chunk = sums(base + turn * step);
        if (at >= plain_begin && at + width <= plain_end && !has_nan(chunk)) {
          // Compilers would take the structure apart: as many narrow accesses, each to every sector.
          store_whole(reinterpret_cast<Chunk*>(y + first + at), chunk);
        } else {
          left |= 1U << turn;
        }
      }
      TESSERA_NO_UNROLL
      for (int turn = 0; left >> turn != 0; ++turn) {
        if ((left >> turn & 1U) != 0) care((base + turn * step) * width);
      }
    }
  }

  /// Outputs that lie beyond the line, need more than folded elements, are misaligned, or may be NaN by a zero beside
  /// the taps.
  KOKKOS_FORCEINLINE_FUNCTION void store_with_care(const T* x, T* y, std::int64_t first, int at,
                                                   const Chunk* chunks) const {
    const auto* window = reinterpret_cast<const T*>(chunks) + at;
    TESSERA_NO_UNROLL
    for (int v = 0; v < width; ++v) {
      const std::int64_t i = first + at + v;
      if (i < 0 || i >= job.out.extent) continue;
      if (i < folded.begin || i >= folded.end) {
        y[i] = job.rule.output(x, i);
        continue;
      }
      y[i] = correlate_exactly(window + v, taps);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static bool is_aligned(const T* target) {
    return reinterpret_cast<std::uintptr_t>(target) % alignof(Chunk) == 0;
  }
};

/// weights: of the filter, in Fewest to Slots slots.
template <int Slots, int Fewest = 1, int PerThread = vectorized_chunks_per_thread, class Types, ExecutionSpace Space>
FilterVectorized<Space, Types, Slots, Fewest, PerThread> vectorized_functor(const Space&, const FilterPlan& plan,
                                                                            const FilterJob<Types>& job,
                                                                            std::span<const double> weights) {
  constexpr int width = packed_length<typename Types::in_type>;
  const std::int64_t tiles_per_line = ceil_div(job.out.extent + width - 1, plan.tile);
  return {job,
          FoldedRange<Types>(job.rule),
          narrow_taps<Types, Slots, Fewest>(job.rule.window, weights),
          plan.tile / width,
          static_cast<int>(ceil_div(job.rule.window.reach_left, width)),
          plan.halo / width,
          tiles_per_line,
          job.in.lines() * tiles_per_line,
          plan.scratch_bytes};
}

template <class Functor, ExecutionSpace Space>
void launch_vectorized_functor(const char* label, const Space& space, const FilterPlan& plan, const Functor& functor,
                               int asked_team_size) {
  auto policy = typename Functor::policy_type(space, plan.league_size, plan.team_size)
                    .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(plan.scratch_bytes))));
  require_launchable("tessera::filter", policy, functor, asked_team_size);
  Kokkos::parallel_for(label, policy, functor);
}

template <int Slots, int Fewest = 1, class Types, ExecutionSpace Space>
void launch_vectorized(const Space& space, const FilterPlan& plan, const FilterJob<Types>& job,
                       std::span<const double> weights, int asked_team_size) {
  launch_vectorized_functor("tessera::filter::vectorized", space, plan,
                            vectorized_functor<Slots, Fewest>(space, plan, job, weights), asked_team_size);
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant register_blocked: wide filters. A thread makes neighbouring outputs from a window in registers that rotates
// by unrolling, so that each element and each weight leaves scratch once for many products.
#ifndef TESSERA_FILTER_DETAIL_FILTER_REGISTER_BLOCKED_HPP
#define TESSERA_FILTER_DETAIL_FILTER_REGISTER_BLOCKED_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/filter_job.hpp>
#include <tessera/filter/detail/tile_choice.hpp>
#include <tessera/filter/filter_plan.hpp>
#include <type_traits>

namespace tessera::detail {

/// Outputs: of a thread, a multiple of a chunk.
template <ExecutionSpace Space, class Types, int Outputs, class Choice>
struct FilterRegisterBlocked {
  using T = typename Types::in_type;  // of output and sums too
  static constexpr bool is_wide = Outputs == blocked_outputs_wide<T>;
  static constexpr int team_size = blocked_team_size<T>;
  using policy_type = Kokkos::TeamPolicy<
      Space, Kokkos::LaunchBounds<team_size, (is_wide ? blocked_threads_wide : blocked_threads_narrow) / team_size>,
      Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;
  using Chunk = Packed<T>;
  static constexpr int width = packed_length<T>;
  static constexpr int thread_chunks = Outputs / width;
  /// Of the window: those of the outputs and the one that comes next. As many chunks of taps are unrolled.
  static constexpr int window_chunks = thread_chunks + 1;
  static constexpr int early_weights = 3;
  static constexpr int loads = is_wide ? 32 / static_cast<int>(sizeof(T)) : 4;  ///< of a thread at once

  FilterJob<Types> job;
  FoldedRange<Types> folded;
  int tile, taps_per_pass;
  std::int64_t tiles_per_line;
  IndexRange tiles;
  BlockedScratch pieces;
  Choice choice;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    std::byte* scratch = team_scratch(team, pieces.bytes);
    auto* chunks = reinterpret_cast<Chunk*>(scratch + pieces.footprint_at);
    auto* weights = reinterpret_cast<T*>(scratch + pieces.weights_at);
    const TileWalk walk = tile_walk(team, tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      const QuotientRemainder split =
          tiles_per_line == tiles.end ? QuotientRemainder{0, index} : divide(index, tiles_per_line);
      const T* x = job.in.line(split.quotient);
      // The footprint begins on a 16-byte boundary; outputs before the line are not stored.
      const auto element = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(x) / sizeof(T));
      const std::int64_t head = (element - job.rule.window.reach_left) & (width - 1);
      const std::int64_t first = split.remainder * tile - head;
      if (!choice.takes(split.quotient, Kokkos::max<std::int64_t>(first, 0),
                        Kokkos::min(first + tile, job.out.extent))) {
        continue;
      }
      T sums[Outputs];
      TESSERA_UNROLL
      for (int u = 0; u < Outputs; ++u) sums[u] = T(0);
      for (std::int64_t tap = 0; tap < job.rule.window.taps; tap += taps_per_pass) {
        const int taps = static_cast<int>(Kokkos::min<std::int64_t>(taps_per_pass, job.rule.window.taps - tap));
        // The first weights are on their way while the footprint is staged.
        T early[early_weights];
        TESSERA_UNROLL
        for (int e = 0; e < early_weights; ++e) {
          const int k = team.team_rank() + e * team.team_size();
          if (k < taps) early[e] = static_cast<T>(job.rule.window.weight(tap + k));
        }
        stage(team, x, first - job.rule.window.reach_left + tap, tile + taps - 1, chunks);
        TESSERA_UNROLL
        for (int e = 0; e < early_weights; ++e) {
          const int k = team.team_rank() + e * team.team_size();
          if (k < taps) weights[k] = early[e];
        }
        for (int k = team.team_rank() + early_weights * team.team_size(); k < taps; k += team.team_size()) {
          weights[k] = static_cast<T>(job.rule.window.weight(tap + k));
        }
        team.team_barrier();
        // Floats from an address that a warp's threads plainly have in common come late (measured on an H100): this one
        // is the same, as no team of a device has as many threads.
        const int nothing = !is_host_space<Space> && sizeof(T) < 8 ? team.team_rank() >> 10 : 0;
        correlate(chunks + team.team_rank() * window_chunks, weights + nothing, taps, sums);
        team.team_barrier();
      }
      TESSERA_UNROLL
      for (int c = 0; c < thread_chunks; ++c) {
        Chunk chunk;
        TESSERA_UNROLL
        for (int v = 0; v < width; ++v) chunk.values[v] = sums[c * width + v];
        chunks[team.team_rank() * window_chunks + c] = chunk;
      }
      team.team_barrier();
      store(team, x, job.out.line(split.quotient), first, reinterpret_cast<const T*>(chunks));
      if (index + walk.step < walk.end) team.team_barrier();  // scratch is staged anew
    }
  }

 private:
  /// Where chunk c stands in scratch: a thread's chunks are one more apart than they are many, so that those which
  /// threads read together lie in different banks.
  KOKKOS_FORCEINLINE_FUNCTION static int padded(int c) { return c + c / thread_chunks; }
  /// And element e.
  KOKKOS_FORCEINLINE_FUNCTION static int place(int e) { return e + e / Outputs * width; }

  /// count elements from element begin on, which lies on a 16-byte boundary.
  KOKKOS_FORCEINLINE_FUNCTION void stage(const member_type& team, const T* x, std::int64_t begin, int count,
                                         Chunk* chunks) const {
    const int packs = (count + width - 1) / width;
    // A loop of each kind: with a choice inside, the loads would wait for one another.
    if (begin >= 0 && begin + std::int64_t{packs} * width <= job.in.extent) {
      const auto* memory = reinterpret_cast<const Chunk*>(x + begin);
      for (int base = team.team_rank(); base < packs; base += loads * team.team_size()) {
        Chunk loaded[loads];
        TESSERA_UNROLL
        for (int load = 0; load < loads; ++load) {
          const int p = base + load * team.team_size();
          if (p < packs) loaded[load] = memory[p];
        }
        TESSERA_UNROLL
        for (int load = 0; load < loads; ++load) {
          const int p = base + load * team.team_size();
          if (p < packs) chunks[padded(p)] = loaded[load];
        }
      }
    } else {
      for (int p = team.team_rank(); p < packs; p += team.team_size()) {
        Chunk pack;
        TESSERA_UNROLL
        for (int e = 0; e < width; ++e) {
          pack.values[e] = folded.fold.element(x, 1, begin + p * width + e);
        }
        chunks[padded(p)] = pack;
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void correlate(const Chunk* footprint, const T* weights, int taps,
                                                    T (&sums)[Outputs]) {
    const auto* weight_chunks = reinterpret_cast<const Chunk*>(weights);
    Chunk window[window_chunks];
    TESSERA_UNROLL
    for (int c = 0; c < thread_chunks; ++c) window[c] = footprint[padded(c)];
    int tap = 0;
    int next = thread_chunks;
    // So many chunks of taps at a time, as long as there are as many.
    const auto correlate_chunks = [&]<int Count>(std::integral_constant<int, Count>) {
      for (; tap + Count * width <= taps; tap += Count * width) {
        TESSERA_UNROLL
        for (int c = 0; c < Count; ++c) {
          window[(c + thread_chunks) % window_chunks] = footprint[padded(next + c)];
          const Chunk weight = weight_chunks[tap / width + c];
          TESSERA_UNROLL
          for (int k = 0; k < width; ++k) {
            TESSERA_UNROLL
            for (int u = 0; u < Outputs; ++u) {
              sums[u] += weight.values[k] * window[(c + (k + u) / width) % window_chunks].values[(k + u) % width];
            }
          }
        }
        next += Count;
        if constexpr (Count < window_chunks) {
          Chunk moved[thread_chunks];
          TESSERA_UNROLL
          for (int c = 0; c < thread_chunks; ++c) moved[c] = window[(c + Count) % window_chunks];
          TESSERA_UNROLL
          for (int c = 0; c < thread_chunks; ++c) window[c] = moved[c];
        }
      }
    };
    correlate_chunks(std::integral_constant<int, window_chunks>{});
    // Where a thread has many outputs, more code takes longer than it saves (measured on an H100).
    if constexpr (!is_wide) correlate_chunks(std::integral_constant<int, 2>{});
    const auto add_tap = [&](int k) {
      const T weight = weights[tap + k];
      TESSERA_UNROLL
      for (int u = 0; u < Outputs; ++u) sums[u] += weight * window[(k + u) / width].values[(k + u) % width];
    };
    TESSERA_NO_UNROLL
    for (; tap + width <= taps; tap += width, ++next) {
      window[thread_chunks] = footprint[padded(next)];
      TESSERA_UNROLL
      for (int k = 0; k < width; ++k) add_tap(k);
      TESSERA_UNROLL
      for (int c = 0; c < thread_chunks; ++c) window[c] = window[c + 1];
    }
    if (tap == taps) return;
    // Taps that do not exist are left out: a zero would make NaN of an infinity.
    window[thread_chunks] = footprint[padded(next)];
    TESSERA_UNROLL
    for (int k = 0; k < width - 1; ++k) {
      if (tap + k < taps) add_tap(k);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const member_type& team, const T* x, T* y, std::int64_t first,
                                         const T* sums) const {
    if (first >= folded.begin && first + tile <= folded.end) {
      T* target = y + first;
      if (reinterpret_cast<std::uintptr_t>(target) % alignof(Chunk) == 0) {
        const auto* chunks = reinterpret_cast<const Chunk*>(sums);
        for (int c = team.team_rank(); c < tile / width; c += team.team_size()) {
          reinterpret_cast<Chunk*>(target)[c] = chunks[padded(c)];
        }
      } else {
        for (int e = team.team_rank(); e < tile; e += team.team_size()) target[e] = sums[place(e)];
      }
      return;
    }
    for (int e = team.team_rank(); e < tile; e += team.team_size()) {
      const std::int64_t i = first + e;
      if (i < 0 || i >= job.out.extent) continue;
      y[i] = i >= folded.begin && i < folded.end ? sums[place(e)] : job.rule.output(x, i);
    }
  }
};

template <int Outputs, class Types, ExecutionSpace Space, class Choice = EveryTile>
void launch_register_blocked(const Space& space, const FilterPlan& plan, const FilterJob<Types>& job,
                             int asked_team_size, const Choice& choice = {}) {
  using Functor = FilterRegisterBlocked<Space, Types, Outputs, Choice>;
  constexpr int head_max = packed_length<typename Types::in_type> - 1;
  const std::int64_t tiles_per_line = ceil_div(job.out.extent + head_max, plan.tile);
  const IndexRange tiles = choice.tiles(plan.tile, head_max, tiles_per_line, job.in.lines());
  const Functor functor{job,
                        FoldedRange<Types>(job.rule),
                        plan.tile,
                        plan.taps_per_pass,
                        tiles_per_line,
                        tiles,
                        blocked_scratch<Types>(plan.tile, plan.taps_per_pass, Outputs),
                        choice};
  auto policy = typename Functor::policy_type(space, choice.league(plan.league_size, tiles), plan.team_size)
                    .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(plan.scratch_bytes))));
  require_launchable("tessera::filter", policy, functor, asked_team_size);
  Kokkos::parallel_for("tessera::filter::register_blocked", policy, functor);
}

/// With the outputs a thread that the taps ask for.
template <class Types, ExecutionSpace Space, class Choice = EveryTile>
void launch_register_blocked_for(const Space& space, const FilterPlan& plan, const FilterJob<Types>& job,
                                 int asked_team_size, const Choice& choice = {}) {
  using Accumulator = typename Types::accumulator_type;
  if (blocked_outputs<Accumulator>(job.rule.window.taps) == blocked_outputs_wide<Accumulator>) {
    launch_register_blocked<blocked_outputs_wide<Accumulator>>(space, plan, job, asked_team_size, choice);
  } else {
    launch_register_blocked<blocked_outputs_narrow<Accumulator>>(space, plan, job, asked_team_size, choice);
  }
}

}  // namespace tessera::detail

#endif

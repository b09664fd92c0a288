// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several applications of a narrow filter at once: a tile is staged with the halos of all of them, and each but the
// last stores its outputs in scratch, in the place of its input, a halo less. What stands beyond a line's end is made
// anew from what each of them stored.
#ifndef TESSERA_FILTER_DETAIL_FILTER_STEPS_HPP
#define TESSERA_FILTER_DETAIL_FILTER_STEPS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <span>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/filter_vectorized.hpp>
#include <tessera/filter/filter_plan.hpp>

namespace tessera::detail {

/// The base's halos are those of all applications together.
template <ExecutionSpace Space, class Types, int Slots>
struct FilterSteps : FilterVectorized<Space, Types, Slots> {
  using Base = FilterVectorized<Space, Types, Slots>;
  using typename Base::Chunk;
  using typename Base::T;
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<vectorized_team_size, steps_teams_at_once>,
                                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;
  using Base::width;
  /// Neighbouring chunks of a thread: it reads what their windows share once.
  static constexpr int run = steps_run;

  int steps = 1;
  int step_left = 0, step_halo = 0;  // chunks of one application

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    auto* chunks = reinterpret_cast<Chunk*>(team_scratch(team, this->scratch_bytes));
    const TileWalk walk = tile_walk(team, this->tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      if (index != walk.begin) team.team_barrier();  // scratch has been read
      const auto place = this->place_of(index);
      std::int64_t begin = place.first - std::int64_t{this->chunks_left} * width;
      int count = this->tile_chunks + this->halo_chunks;
      const bool inside = begin >= 0 && begin + std::int64_t{count} * width <= this->job.in.extent;
      this->stage(team, place.x, begin, chunks);
      team.team_barrier();
      for (int step = 1; step < steps; ++step) {
        begin += step_left * width;
        count -= step_halo;
        apply(team, place.x, begin, count, inside, chunks);
        if (!inside) {
          make_ends(team, begin, count, reinterpret_cast<T*>(chunks));
          team.team_barrier();
        }
      }
      this->filter_tile(team, place.x, place.y, place.first, chunks);
    }
  }

 private:
  /// count chunks of outputs, from element begin of the line on.
  KOKKOS_FORCEINLINE_FUNCTION void apply(const member_type& team, const T* x, std::int64_t begin, int count,
                                         bool inside, Chunk* chunks) const {
    // Several rounds on hosts, whose tiles are longer: outputs take the place of what no later round reads.
    TESSERA_NO_UNROLL
    for (int base = team.team_rank() * run; base - team.team_rank() * run < count; base += run * team.team_size()) {
      Chunk sums[run];
      if (base < count) {
        correlate_narrow(chunks + base, this->taps, sums);
        TESSERA_UNROLL
        for (int r = 0; r < run; ++r) {
          if (base + r >= count || !has_nan(sums[r])) continue;
          const auto* window = reinterpret_cast<const T*>(chunks + base + r);
          TESSERA_UNROLL
          for (int v = 0; v < width; ++v) sums[r].values[v] = correlate_exactly(window + v, this->taps);
        }
      }
      team.team_barrier();
      TESSERA_UNROLL
      for (int r = 0; r < run; ++r) {
        if (base + r >= count) continue;
        chunks[base + r] = sums[r];
        if (!inside) keep_ends(x, begin + std::int64_t{base + r} * width, reinterpret_cast<T*>(chunks + base + r));
      }
      team.team_barrier();
    }
  }

  /// Mode keep: outputs at an end are elements of the line, after every application.
  KOKKOS_FORCEINLINE_FUNCTION void keep_ends(const T* x, std::int64_t begin, T* outputs) const {
    TESSERA_NO_UNROLL
    for (int v = 0; v < width; ++v) {
      const std::int64_t i = begin + v;
      const bool is_kept = i < this->folded.begin || i >= this->folded.end;
      if (is_kept && i >= 0 && i < this->job.in.extent) outputs[v] = x[i];
    }
  }

  /// Elements beyond the line from those inside. Under mode wrap they are outputs as they stand: of the same elements.
  KOKKOS_FORCEINLINE_FUNCTION void make_ends(const member_type& team, std::int64_t begin, int count,
                                             T* elements) const {
    const auto& fold = this->folded.fold;
    const std::int64_t end = begin + std::int64_t{count} * width;
    const auto before = static_cast<int>(Kokkos::min<std::int64_t>(Kokkos::max<std::int64_t>(-begin, 0), end - begin));
    const auto after = static_cast<int>(Kokkos::max<std::int64_t>(Kokkos::min(this->job.in.extent, end) - begin, 0));
    for (int e = team.team_rank(); e < count * width; e += team.team_size()) {
      const std::int64_t j = begin + e;
      const bool is_left = e < before;
      if ((!is_left && e < after) || (is_left ? fold.sign_left : fold.sign_right) > 0) continue;
      const bool is_constant = is_left ? fold.constant_left : fold.constant_right;
      const std::int64_t stands =
          is_left ? fold.first_left + fold.sign_left * j : fold.first_right + fold.sign_right * j;
      // Those that no output needs may have nothing that stands for them here.
      const std::int64_t at = Kokkos::min(Kokkos::max(stands - begin, std::int64_t{before}), std::int64_t{after} - 1);
      elements[e] = is_constant || at < 0 ? fold.cval : elements[at];
    }
  }
};

/// plan.steps applications; weights: of the filter, in at most Slots slots.
template <int Slots, class Types, ExecutionSpace Space>
void launch_steps(const Space& space, const FilterPlan& plan, const FilterJob<Types>& job,
                  std::span<const double> weights, int asked_team_size) {
  using Functor = FilterSteps<Space, Types, Slots>;
  Functor functor{vectorized_functor<Slots>(space, plan, job, weights)};
  functor.steps = plan.steps;
  functor.step_left = functor.chunks_left;
  functor.step_halo = functor.halo_chunks / plan.steps;
  functor.chunks_left *= plan.steps;
  launch_vectorized_functor("tessera::filter::steps", space, plan, functor, asked_team_size);
}

}  // namespace tessera::detail

#endif

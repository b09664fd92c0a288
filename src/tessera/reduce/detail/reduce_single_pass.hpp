// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant single_pass: each team reduces its share and leaves a partial; the team that finishes last folds the
// partials. The last one is found by a ticket, so no team waits for another.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_SINGLE_PASS_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_SINGLE_PASS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/fold_finish.hpp>
#include <tessera/reduce/reduce_plan.hpp>
#include <tessera/reduce/team_reduce.hpp>
#include <tessera/status.hpp>

namespace tessera::detail {

/// Whether the total of a team can stay with its first thread.
template <class Fold>
KOKKOS_INLINE_FUNCTION constexpr bool joins_at_first() {
  return requires { &Fold::joined_partials; };
}

template <ExecutionSpace Space, class Range, class Fold, class Result>
struct ReduceSinglePass {
  // Every team that a plan may choose must be launchable, whatever the fold keeps in registers.
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<Fold::team_size_max, Fold::teams_at_once>>;
  using team_type = typename Fold::team_type;
  using spill_type = counted_spill_t<Fold>;

  Range range;
  Fold fold;
  Result* out;
  Partials<Fold> partials;
  std::uint32_t* ticket;
  std::uint64_t* status_word;
  std::int64_t block;  // elements of a team, on a host
  std::size_t scratch_bytes;

  KOKKOS_FUNCTION void operator()(const typename policy_type::member_type& team) const {
    const FoldScratch<Fold> pieces(team.team_size());
    ScratchLayout layout;
    const std::size_t last_at = layout.append<int>(1);
    const std::size_t fold_at = layout.append<std::byte>(pieces.bytes);
    const std::size_t lent_at = layout.append<std::byte>(lent_bytes<Fold>(team.team_size()));
    std::byte* scratch = team_scratch(team, scratch_bytes);
    const Status status(status_word);

    std::byte* close_scratch = scratch + fold_at + pieces.close_at;
    auto& result = *reinterpret_cast<team_type*>(scratch + fold_at + pieces.result_at);

    typename Fold::thread_type thread;
    spill_type spill;
    fold.begin(thread, spill);
    if constexpr (lent_bytes<Fold>(2) > 0) {
      if (team.team_size() > 1) Fold::lend_scratch(team, spill, scratch + lent_at);
      team.team_barrier();
    }
    fold_share(team, thread, spill, status);
    bool leaves_pair = false;  // the same for the whole team
    if constexpr (sums_in_pairs<Fold>()) {
      const pair_t<Fold> whole = joined_pair(team, fold, thread, spill, close_scratch);
      if (team.league_size() == 1) {
        if (write_result(team, fold, whole, range.size, status, out)) return;
      } else {
        leaves_pair = partials.leave(team, team.league_rank(), whole);
      }
    }
    if constexpr (joins_at_first<Fold>()) {
      const team_type total = fold.total_at_first(team, thread, spill, close_scratch);
      if (team.league_size() == 1) {
        write_result(team, fold, total, range.size, status, out);
        return;
      }
      partials.leave(team, team.league_rank(), total);
    } else {
      if (!leaves_pair) {
        fold.close(team, thread, spill, result, close_scratch);
        if (team.league_size() == 1) return finish(team, result, close_scratch, status);
        partials.leave(team, team.league_rank(), result);
      }
      // What the team's threads wrote must be seen by whoever sees the ticket: one fence behind a barrier does for all.
      team.team_barrier();
    }
    int* last = reinterpret_cast<int*>(scratch + last_at);
    if (team.team_rank() == 0) {
      Kokkos::memory_fence();
      *last = Kokkos::atomic_fetch_add(ticket, 1u) + 1 == static_cast<std::uint32_t>(team.league_size());
      Kokkos::memory_fence();
    }
    team.team_barrier();
    if (*last == 0) return;  // the same for the whole team, and no barrier follows for those who leave
    if (team.team_rank() == 0) *ticket = 0;
    finish_partials(team, result, close_scratch, status);
  }

 private:
  KOKKOS_FUNCTION void fold_share(const typename policy_type::member_type& team, typename Fold::thread_type& thread,
                                  spill_type& spill, const Status& status) const {
    if constexpr (is_host_space<Space>) {
      // A block each: whole pages, and streams that a core can prefetch.
      const std::int64_t begin = Kokkos::min(range.size, team.league_rank() * block);
      const std::int64_t end = Kokkos::min(range.size, begin + block);
      thread_fold(fold, range.part(begin, end), {team.team_rank(), team.team_size()}, thread, spill, status);
    } else {
      // Interleaved: what runs at once reads neighbours in memory, and no team has more to do than another.
      thread_fold(fold, range, {team.team_rank(), team.team_size(), team.league_rank(), team.league_size()}, thread,
                  spill, status);
    }
  }

  KOKKOS_FUNCTION void finish_partials(const typename policy_type::member_type& team, team_type& result,
                                       std::byte* close_scratch, const Status& status) const {
    const int share = ceil_div(team.league_size(), team.team_size());
    const int first = Kokkos::min(team.league_size(), team.team_rank() * share);
    const int stop = Kokkos::min(team.league_size(), first + share);
    if constexpr (requires { fold.close_partials(team, partials.totals, 1, result, close_scratch); }) {
      fold.close_partials(team, partials.totals, team.league_size(), result, close_scratch);
      finish(team, result, close_scratch, status);
    } else if constexpr (joins_at_first<Fold>()) {
      const team_type mine = fold.joined_partials(partials.totals + first, stop - first);
      const team_type total = fold.join_at_first(team, mine, close_scratch);
      write_result(team, fold, total, range.size, status, out);
    } else {
      if constexpr (sums_in_pairs<Fold>()) {
        pair_t<Fold> mine{};
        for (int i = first; i < stop; ++i) typename pair_t<Fold>::join_type{}.join(mine, partials.pairs[i]);
        const pair_t<Fold> whole = join_pairs(team, mine, close_scratch);
        if (write_result(team, fold, whole, range.size, status, out)) return;
      }
      typename Fold::thread_type thread;
      spill_type spill;
      fold.begin(thread, spill);
      for (int i = first; i < stop; ++i) {
        if constexpr (sums_in_pairs<Fold>()) {
          if (partials.pairs[i].exact()) {
            fold.absorb(thread, spill, partials.pairs[i]);
            continue;
          }
        }
        fold.absorb(thread, spill, partials.totals[i]);
      }
      fold.close(team, thread, spill, result, close_scratch);
      finish(team, result, close_scratch, status);
    }
  }

  KOKKOS_FUNCTION void finish(const typename policy_type::member_type& team, team_type& total,
                              [[maybe_unused]] std::byte* close_scratch, const Status& status) const {
    if constexpr (requires { fold.template finalize_as_team<Result>(team, total, 1, status, close_scratch, out); }) {
      fold.template finalize_as_team<Result>(team, total, range.size, status, close_scratch, out);
    } else {
      write_result(team, fold, total, range.size, status, out);
    }
  }
};

template <ExecutionSpace Space, class Range, class Fold, class Result>
void launch_single_pass(const Space& space, const ReducePlan& plan, const Range& range, const Fold& fold, Result* out,
                        void* partials, std::uint32_t* ticket, std::uint64_t* status_word, int asked_team_size) {
  using Functor = ReduceSinglePass<Space, Range, Fold, Result>;
  // Blocks of whole packs keep every team but the first on 16-byte boundaries where the first is.
  const std::int64_t grain = packed_length<typename Range::element_type>;
  const std::int64_t block = ceil_div(ceil_div(range.size, plan.league_size), grain) * grain;
  const Functor functor{range,  fold,        out,   Partials<Fold>(partials, plan.league_size),
                        ticket, status_word, block, plan.scratch_bytes};
  typename Functor::policy_type policy(space, plan.league_size, plan.team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(plan.scratch_bytes))));
  require_launchable("tessera::reduce", policy, functor, asked_team_size);
  Kokkos::parallel_for("tessera::reduce::single_pass", policy, functor);
}

}  // namespace tessera::detail

#endif

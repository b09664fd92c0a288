// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the threads of a team, a group of them or one bring what they folded together.
#ifndef TESSERA_REDUCE_DETAIL_FOLD_FINISH_HPP
#define TESSERA_REDUCE_DETAIL_FOLD_FINISH_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <tessera/concepts.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/reduce/detail/exact_few_squares.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/joins.hpp>
#include <tessera/reduce/detail/thread_fold.hpp>
#include <tessera/reduce/detail/thread_group.hpp>

namespace tessera::detail {

/// Team scratch of a fold: its result, and what closing it needs.
template <class Fold>
struct FoldScratch {
  std::size_t result_at, close_at, bytes;

  KOKKOS_FUNCTION explicit FoldScratch(int team_size) {
    ScratchLayout layout;
    result_at = layout.append<typename Fold::team_type>(1);
    close_at = layout.append<std::byte>(Fold::scratch_bytes(team_size));
    bytes = layout.bytes();
  }
};

/// What teams leave in a workspace: a total each, and a pair where the fold sums in pairs, which says whether it stands
/// for the total.
template <class Fold>
struct Partials {
  typename Fold::team_type* totals;
  pair_t<Fold>* pairs;

  Partials(void* memory, std::int64_t count)
      : totals(static_cast<typename Fold::team_type*>(memory)),
        pairs(reinterpret_cast<pair_t<Fold>*>(totals + count)) {}

  static std::size_t bytes(std::int64_t count) {
    constexpr std::size_t each = sizeof(typename Fold::team_type) + (sums_in_pairs<Fold>() ? sizeof(pair_t<Fold>) : 0);
    return static_cast<std::size_t>(count) * each;
  }

  /// By the threads of a group: a total, or a pair where that is one; whether it is.
  template <TeamMember Member, class Total>
  KOKKOS_FUNCTION bool leave(const Member& group, std::int64_t at, const Total& total) const {
    if constexpr (std::is_same_v<Total, pair_t<Fold>>) {
      static_assert(sums_in_pairs<Fold>());
      if (total.exact() && group.team_rank() == 0) pairs[at] = total;
      return total.exact();
    } else {
      if constexpr (sums_in_pairs<Fold>()) {
        if (group.team_rank() == 0) pairs[at] = pair_t<Fold>::none();
      }
      Fold::store(group, total, totals[at]);
      return true;
    }
  }
  template <TeamMember Member>
  KOKKOS_FUNCTION bool leave(const Member& group, std::int64_t at, const ExactPair& total) const {
    return leave(group, at, pair_t<Fold>{total.high, total.low, 0});
  }
};

/// Whether a fold can take elements one by one, at little cost for each output.
template <class Fold>
KOKKOS_INLINE_FUNCTION constexpr bool takes_lines() {
  if constexpr (requires { Fold::in_pairs; }) {
    return Fold::in_pairs;
  } else {
    return requires { &Fold::lifted; };
  }
}

/// Whether lanes can join what it makes of their shares by shuffles.
template <class Fold>
KOKKOS_INLINE_FUNCTION constexpr bool takes_rows() {
  return takes_lines<Fold>() && (sums_in_pairs<Fold>() || sizeof(typename Fold::team_type) <= 32);
}

/// Whether it may finish with a pair: one that sums in pairs, or that closes in them alone.
template <class Fold>
KOKKOS_INLINE_FUNCTION constexpr bool closes_in_pairs() {
  if constexpr (requires { Fold::closes_in_pairs; }) {
    return Fold::closes_in_pairs;
  } else {
    return sums_in_pairs<Fold>();
  }
}

/// The pairs of a group's threads in one; the same in each of them. scratch: of closing.
template <TeamMember Member, class Pair>
KOKKOS_FUNCTION Pair join_pairs(const Member& group, const Pair& mine, std::byte* scratch) {
  return team_join(group, mine, typename Pair::join_type{}, reinterpret_cast<Pair*>(scratch));
}
/// The total of a group as a pair.
template <TeamMember Member, class Fold, class Spill>
KOKKOS_FUNCTION pair_t<Fold> joined_pair(const Member& group, const Fold& fold,
                                         const typename Fold::thread_type& thread, const Spill& spill,
                                         std::byte* scratch) {
  return join_pairs(group, fold.pair(thread, spill), scratch);
}

/// By the threads of a group, the first of which writes: the result of so many elements that follows from a total, or
/// from a pair; whether it does, which of a pair is not sure.
template <TeamMember Member, class Fold, class Total, class Result>
KOKKOS_FORCEINLINE_FUNCTION bool write_result(const Member& group, const Fold& fold, Total& total, std::int64_t size,
                                              const Status& status, Result* out) {
  const bool writes = group.team_rank() == 0;
  if constexpr (std::is_same_v<std::remove_const_t<Total>, pair_t<Fold>>) {
    Result result{};
    const bool settled = fold.settle(total, size, status, result);
    if (settled && writes) *out = result;
    return settled;
  } else {
    if (writes) *out = fold.template finalize<Result>(total, size, status);
    return true;
  }
}

/// Whether a group's answer is yes in every group of the team, which meet barriers together.
template <TeamMember Member>
KOKKOS_FUNCTION bool all_groups(const Member&, bool answer) {
  return answer;
}
template <TeamMember Member>
KOKKOS_FUNCTION bool all_groups(const ThreadGroup<Member>& group, bool answer) {
  int no = answer ? 0 : 1;
  group.team.team_reduce(Kokkos::Max<int>(no));
  return no == 0;
}

/// Closes what the threads of a group folded, one group or several in a team, or a thread by itself, and calls
/// finish(total): with a pair_t where that is wanted, and unless all threads answer that it did, with a team_type.
/// Scratch, of FoldScratch, is free again where the group has several threads.
template <TeamMember Member, class Fold, class Finish>
KOKKOS_FORCEINLINE_FUNCTION void finish_fold(const Member& group, const Fold& fold, bool in_pairs,
                                             typename Fold::thread_type& thread, typename Fold::spill_type& spill,
                                             std::byte* scratch, const Finish& finish) {
  if (group.team_size() == 1) {
    if constexpr (closes_in_pairs<Fold>()) {
      if (in_pairs && finish(fold.pair(thread, spill))) return;
    }
    typename Fold::team_type room;
    finish(fold.close_alone(thread, spill, room));
    return;
  }
  const FoldScratch<Fold> pieces(group.team_size());
  if constexpr (closes_in_pairs<Fold>()) {
    if (in_pairs) {
      const pair_t<Fold> whole = joined_pair(group, fold, thread, spill, scratch + pieces.close_at);
      if (all_groups(group, finish(whole))) return;
    }
  }
  auto& total = *reinterpret_cast<typename Fold::team_type*>(scratch + pieces.result_at);
  fold.close(group, thread, spill, total, scratch + pieces.close_at);
  finish(total);
  group.team_barrier();  // the total has been read
}

/// The share of worker `rank` of so many in a range: written where it works alone, else merged into total, which the
/// call of rank `workers` writes. A function of its own, all by value: rare, it takes no registers from its caller's
/// loop, and no address of a kernel's argument, which would move that to each thread's memory.
template <class Fold, class Range, class Result>
TESSERA_NOINLINE KOKKOS_FUNCTION void fold_apart(Fold fold, Range range, int rank, int workers,
                                                 typename Fold::team_type* total, Result* out, std::int64_t size,
                                                 Status input_status, Status status) {
  if (rank == workers) {
    *out = fold.template finalize<Result>(*total, size, status);
    return;
  }
  typename Fold::thread_type thread;
  typename Fold::spill_type spill;
  typename Fold::team_type room;
  fold.begin(thread, spill);
  thread_fold(fold, range, {rank, workers}, thread, spill, input_status);
  auto& mine = fold.close_alone(thread, spill, room);
  if (workers > 1) {
    fold.merge(*total, mine);
  } else {
    *out = fold.template finalize<Result>(mine, size, status);
  }
}

/// Adds all terms of a line.
template <class Fold, class Few, class Range>
KOKKOS_FORCEINLINE_FUNCTION void sum_line(const Range& range, Few& few) {
  constexpr int loads = 8;
  std::int64_t i = 0;
  for (; i + loads <= range.size; i += loads) {
    term_t<Fold, typename Range::element_type> terms[loads];
    TESSERA_UNROLL
    for (int k = 0; k < loads; ++k) terms[k] = Fold::term(range[i + k]);
    add_group(few, terms);
  }
  for (; i < range.size; ++i) few.add(Fold::term(range[i]));
}

/// A line that one look did not settle, or had none, likewise: by other sums, else to digits.
template <class Fold, class Range, class Result>
TESSERA_NOINLINE KOKKOS_FUNCTION void sum_apart(Fold fold, Range range, Result* out, Status input_status,
                                                Status status) {
  Result result{};
  typename Fold::wide_few_type wide;
  sum_line<Fold>(range, wide);
  bool settled = fold.settle(wide.total(), range.size, status, result);
  if constexpr (sums_spread<Fold>()) {
    if (!settled && range.size > 0) {
      auto few = Fold::second_few(Fold::term(range[0]));
      sum_line<Fold>(range, few);
      settled = fold.settle(few.total(), range.size, status, result);
    }
  }
  if (settled) {
    *out = result;
  } else {
    fold_apart(fold, range, 0, 1, static_cast<typename Fold::team_type*>(nullptr), out, range.size, input_status,
               status);
  }
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fold is how the kernels drive a reducer. It has
// - lanes: the most elements that add takes at once, a power of two, but for device_lanes and host_lanes, several times
//   as many of a run, where it has them; team_size_max, and teams_at_once, how many of them the registers must let a
//   multiprocessor hold;
// - thread_type, in registers, and spill_type, in slow memory that is touched rarely; begin() starts both off;
// - add(thread, spill, elements, index, status): index(k) is the position of elements[k] in what is reduced,
//   input_index(index, k) the one that messages name;
// - team_type: what a team leaves behind. close() makes it of the team's threads, in team scratch, and ends with a
//   barrier; store() copies it to the workspace; absorb() takes one back into a thread; close_alone() makes it of one
//   thread, in `room` or in its spill;
// - where takes_groups_ahead says so, add_ahead() and settle(), which devices call instead for whole groups where
//   positions ascend: thread_fold.hpp;
// - asks_ahead, where what it makes of a host's group asks for the memory a page ahead: thread_fold.hpp;
// - of pairs, where takes_pair_blocks says so, add_block(thread, spill, x, y, index, status): pair_range.hpp;
// - where a team's scratch can hold what it would keep in slow memory, lent_bytes(team_size) of it, and
//   lend_scratch(team, spill, scratch), between begin() and a barrier; counted_spill_type, where only a spill of that
//   type takes it, which then all that takes a spill takes too;
// - where registers hold a team_type, total_at_first(team, thread, spill, scratch): as close(), for the first thread
//   alone and without the barrier at the end; join_at_first(team, mine, scratch) of one of each thread, likewise; and
//   joined_partials(partials, count), what teams left joined by one thread;
// - where it has a way of its own to join what the teams of a league left, close_partials(team, partials, count,
//   result, scratch): as close(), instead of absorb();
// - finalize<Result>(team_type&, size, status): the result, by one thread;
// - where several threads are quicker, finalize_as_team<Result>(team, total, size, status, scratch, out), by all
//   threads of a team, in the scratch of closing; the total is in team scratch too;
// - where closes_in_pairs says so, pair(thread, spill) and settle() of a pair_t: fold_finish.hpp;
// - where in_pairs says so, these, pair_type, few_type, wide_few_type, second_few(term), term(element), absorb() of
//   a pair_type that is exact, and settle() of what they leave: exact_pair.hpp, exact_few_squares.hpp; where is_spread
//   does, estimate() and settle_here() too: reduce_lines.hpp;
// - where lanes may take rows without a spill, chain_max, chain_type, chain(), chained() and total_of(), if takes_all()
//   does, in ascending positions where chains_ascend says so: reduce_rows.hpp;
// - where chains_columns says so, columns_type, chain(), chain_one() and chained_columns() likewise:
//   reduce_column_packs.hpp.
#ifndef TESSERA_REDUCE_DETAIL_FOLD_CONTEXT_HPP
#define TESSERA_REDUCE_DETAIL_FOLD_CONTEXT_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/complex.hpp>
#include <tessera/detail/float_format.hpp>
#include <tessera/reduce/reduce_options.hpp>
#include <type_traits>

namespace tessera::detail {

/// What a fold must know of the call.
struct FoldContext {
  NanPolicy nan = NanPolicy::propagate;
};

/// Whether an element can be NaN, and then does not equal itself: a complex one where a part is.
template <class T>
inline constexpr bool can_be_nan = is_floating_v<T> || is_complex_v<T>;

/// What stands where the data allow no result: NaN (floating; both parts of complex ones), 0 (integer).
template <class Result>
KOKKOS_FUNCTION Result spoiled() {
  if constexpr (std::is_floating_point_v<Result>) {
    return Kokkos::Experimental::quiet_NaN_v<Result>;
  } else if constexpr (is_short_float_v<Result>) {
    constexpr auto bits = FloatFormat<Result>::quiet_nan;
    return Kokkos::bit_cast<Result>(bits);
  } else if constexpr (is_complex_v<Result>) {
    constexpr auto nan = Kokkos::Experimental::quiet_NaN_v<typename Result::value_type>;
    return {nan, nan};
  } else if constexpr (requires { Result::spoiled(); }) {
    return Result::spoiled();
  } else {
    return Result{};
  }
}

/// Position of element k in the whole input, where the index knows it: what is reduced may be a part.
template <class Index>
KOKKOS_FUNCTION std::int64_t input_index(const Index& index, int k) {
  if constexpr (requires { index.input(k); }) {
    return index.input(k);
  } else {
    return index(k);
  }
}

/// Whether a fold cuts floating terms without error, which needs arithmetic as the standard has it.
template <class Fold>
KOKKOS_INLINE_FUNCTION constexpr bool sums_exactly() {
  return requires { requires Fold::sums_exactly; };
}

/// The spill of a kernel that lends scratch.
template <class Fold>
struct CountedSpill {
  using type = typename Fold::spill_type;
};
template <class Fold>
requires requires { typename Fold::counted_spill_type; }
struct CountedSpill<Fold> {
  using type = typename Fold::counted_spill_type;
};
template <class Fold>
using counted_spill_t = typename CountedSpill<Fold>::type;

/// Scratch that a fold takes for what its threads keep; 0 where it takes none.
template <class Fold>
KOKKOS_INLINE_FUNCTION constexpr std::size_t lent_bytes([[maybe_unused]] int team_size) {
  if constexpr (requires { Fold::lent_bytes(team_size); }) {
    return team_size > 1 ? Fold::lent_bytes(team_size) : 0;
  } else {
    return 0;
  }
}

/// 16-byte loads a thread has in flight. Small elements get fewer: each element of a load has an accumulator, and more
/// than 16 do not fit the registers of a full team. A power of two: accumulators are joined by halves.
KOKKOS_INLINE_FUNCTION constexpr int reduce_loads_in_flight(std::size_t element_bytes) {
  return element_bytes >= 3 ? 4 : static_cast<int>(element_bytes);
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Team level: reductions inside a user's own TeamPolicy kernel.
#ifndef TESSERA_REDUCE_TEAM_REDUCE_HPP
#define TESSERA_REDUCE_TEAM_REDUCE_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <limits>
#include <tessera/concepts.hpp>
#include <tessera/detail/float_format.hpp>
#include <tessera/reduce/detail/element_range.hpp>
#include <tessera/reduce/detail/fold_finish.hpp>
#include <tessera/reduce/detail/thread_fold.hpp>
#include <tessera/reduce/detail/value_fold.hpp>
#include <tessera/reduce/reducers.hpp>
#include <tessera/status.hpp>
#include <type_traits>

namespace tessera {

namespace detail {

/// Whether To holds every value of T.
template <class T, class To>
constexpr bool holds_values() {
  using From = std::numeric_limits<T>;
  using Into = std::numeric_limits<To>;
  if constexpr (std::is_same_v<T, To>) {
    return true;
  } else if constexpr (std::is_integral_v<T> && std::is_arithmetic_v<To>) {
    return Into::digits >= From::digits && (Into::is_signed || !From::is_signed);
  } else {
    return is_floating_v<T> && is_floating_v<To> && sizeof(To) > sizeof(T);
  }
}

/// Whether R takes elements of T: a built-in reducer those that its own type holds, where it is driven as a user's is.
template <class R, class T>
constexpr bool takes_elements() {
  if constexpr (requires {
                  typename R::element_type;
                  typename R::fold_type;
                }) {
    return std::is_same_v<T, typename R::element_type>;
  } else if constexpr (requires { typename R::element_type; }) {
    return holds_values<T, typename R::element_type>();
  } else {
    return true;
  }
}

/// The fold of R over elements of T.
template <class R, class T>
struct FoldOf {
  using type = ValueFold<R, T>;
};
template <class R, class T>
requires requires { typename R::fold_type; }
struct FoldOf<R, T> {
  using type = typename R::fold_type;
};
template <class R, class T>
struct CheckedFoldOf : FoldOf<R, T> {
  static_assert(takes_elements<R, T>(),
                "tessera: the reducer is of another element type than the view; a view of "
                "double takes Max<double>, Sum<double>, ..");
};
template <class R, class T>
using fold_t = typename CheckedFoldOf<R, T>::type;

}  // namespace detail

/// What a reducer gives for elements of T: its result_type, finalize's type, or value_type where there is neither.
template <Reducer R>
struct ReduceResult {
  using type = decltype(detail::finalized(std::declval<const R&>(), std::declval<const typename R::value_type&>(),
                                          std::int64_t{}, std::declval<const Status&>()));
};
template <Reducer R>
requires requires { typename R::fold_type; }
struct ReduceResult<R> {
  using type = typename R::result_type;
};
template <Reducer R>
using reduce_result_t = typename ReduceResult<R>::type;

namespace detail {

/// Whether results of R may go to elements of Result: exact values round straight to any floating type.
template <class R, class Result>
inline constexpr bool holds_result = std::is_same_v<Result, reduce_result_t<R>> || (requires {
                                       typename R::fold_type;
                                     } && is_floating_v<Result> && is_floating_v<reduce_result_t<R>>);

}  // namespace detail

/// Level-0 scratch that team_reduce needs for elements of T.
template <class T, Reducer R>
KOKKOS_FUNCTION std::size_t team_reduce_scratch_bytes(int team_size) {
  static_assert(alignof(reduce_result_t<R>) <= 16, "tessera::team_reduce: results have an alignment of 16 at most");
  const detail::FoldScratch<detail::fold_t<R, T>> fold(team_size);
  return Kokkos::max(fold.bytes, fold.close_at + sizeof(reduce_result_t<R>));
}

/// Reduces a rank-1 view with all threads of a team, inside a TeamPolicy kernel.
///
/// \param[in] team     every thread of the team must call, with the same arguments; vector length 1
/// \param[in] in       n elements, any layout, global or scratch memory; written before a team_barrier
/// \param[in] reducer  concept Reducer
/// \param[in] scratch  team_reduce_scratch_bytes<T, R>(team_size) bytes of team scratch on a 16-byte boundary
/// \param[in] status   where results that only the data can spoil are reported: a workspace's status word
/// \param[in] nan      what a NaN element does
/// \return the result, the same in every thread; scratch may be used again at once
///
/// Exact sums have the same bits for every team size, others for one. Each element is read once, in 16-byte pieces
/// where the view is contiguous.
template <TeamMember Member, View InView, Reducer R>
KOKKOS_FUNCTION reduce_result_t<R> team_reduce(const Member& team, const InView& in, const R& reducer, void* scratch,
                                               const Status& status, NanPolicy nan = NanPolicy::propagate) {
  static_assert(InView::rank() == 1, "tessera::team_reduce: `in` must have rank 1");
  using T = typename InView::non_const_value_type;
  using Result = reduce_result_t<R>;
  using Fold = detail::fold_t<R, T>;
  const Fold fold(reducer, {nan});
  auto* bytes = static_cast<std::byte*>(scratch);
  typename Fold::thread_type thread;
  typename Fold::spill_type spill;
  fold.begin(thread, spill);
  detail::thread_fold(fold, detail::element_range(in), {team.team_rank(), team.team_size()}, thread, spill, status);
  // One thread takes the total apart; the result comes to the others through scratch that closing has left.
  auto* result = reinterpret_cast<Result*>(bytes + detail::FoldScratch<Fold>(team.team_size()).close_at);
  detail::finish_fold(team, fold, true, thread, spill, bytes, [&](auto&& total) {
    return detail::write_result(team, fold, total, static_cast<std::int64_t>(in.extent(0)), status, result);
  });
  team.team_barrier();
  const Result value = *result;
  team.team_barrier();
  return value;
}

}  // namespace tessera

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fold of reducers that want a position: a group of elements is held against the best so far, and the position is
// looked for where one of them is as good. fold_context.hpp says what a fold is.
#ifndef TESSERA_REDUCE_DETAIL_ARG_FOLD_HPP
#define TESSERA_REDUCE_DETAIL_ARG_FOLD_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/host_vector.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/fold_context.hpp>
#include <tessera/reduce/detail/narrow.hpp>
#include <tessera/reduce/detail/value_fold.hpp>
#include <tessera/reduce/reduce_options.hpp>
#include <tessera/status.hpp>
#include <type_traits>

namespace tessera::detail {

/// R: value_type {value, index}, identity(), join(), better(), earlier(), `last` and `lowest`.
template <class R, class T>
class ArgFold {
 public:
  static constexpr int lanes = reduce_loads_in_flight(sizeof(T)) * packed_length<T>;
#if defined(TESSERA_HOST_VECTORS)
  /// Groups that a host holds against the best at once.
  static constexpr bool has_vectors =
      !std::is_same_v<T, bool> && (std::is_floating_point_v<T> || compares_in_vectors<T>);
  static constexpr int host_lanes = (has_vectors ? 32 : 1) * lanes;
#endif
  static constexpr int team_size_max = 1024;
  static constexpr int teams_at_once = 1;
  using thread_type = typename R::value_type;
  struct spill_type {};
  using team_type = typename R::value_type;

  KOKKOS_FUNCTION ArgFold(const R& reducer, const FoldContext& context) : m_reducer(reducer), m_context(context) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(thread_type& thread, spill_type&) const { thread = m_reducer.identity(); }

  template <int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION void add(thread_type& thread, [[maybe_unused]] spill_type& spill, const T (&elements)[N],
                                       const Index& index, const Status& status) const {
#if defined(TESSERA_HOST_VECTORS)
    if constexpr (N > lanes) return add_groups(thread, spill, elements, index, status);
#endif
    T best = m_reducer.identity().value;
    bool nan = false;
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      best = R::better(elements[k], best) ? elements[k] : best;
      if constexpr (std::is_floating_point_v<T>) nan = nan || elements[k] != elements[k];
    }
    // Both are false once the best is NaN.
    if (R::better(best, thread.value) || (best == thread.value && may_be_earlier(thread, index))) {
      look_for(thread, best, elements, index);
    }
    if constexpr (std::is_floating_point_v<T>) {
      if (nan && m_context.nan != NanPolicy::omit) take_nan(thread, elements, index, status);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void absorb(thread_type& thread, spill_type&, const team_type& part) const {
    m_reducer.join(thread, part);
  }

  KOKKOS_FUNCTION static std::size_t scratch_bytes(int team_size) {
    return static_cast<std::size_t>(team_size) * sizeof(team_type);
  }

  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION void close(const Member& team, thread_type& thread, spill_type&, team_type& result,
                                         std::byte* scratch) const {
    const team_type mine = team_join(team, thread, m_reducer, reinterpret_cast<team_type*>(scratch));
    if (team.team_rank() == 0) result = mine;
    team.team_barrier();
  }

  KOKKOS_FUNCTION team_type& close_alone(thread_type& thread, spill_type&, team_type& room) const {
    room = thread;
    return room;
  }

  template <TeamMember Member>
  KOKKOS_FUNCTION static void store(const Member& team, const team_type& from, team_type& to) {
    if (team.team_rank() == 0) to = from;
  }

  template <class Result>
  KOKKOS_FUNCTION Result finalize(const team_type& total, std::int64_t, const Status& status) const {
    const bool nan = total.value != total.value;
    if (nan && m_context.nan == NanPolicy::error) return spoiled<Result>();
    if (total.index == m_reducer.identity().index) {
      status.raise(StatusKind::nothing_left);
      return spoiled<Result>();
    }
    using Value = decltype(Result::value);
    return {nan ? spoiled<Value>() : narrowed<Value>(total.value), total.index};
  }

 private:
  /// Whether an equal element of the group can stand before the best one. The last of equal ones is always looked for.
  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION static bool may_be_earlier(const thread_type& thread, const Index& index) {
    if constexpr (!R::last && requires { Index::ascending; }) {
      return !Index::ascending || index(0) < thread.index;
    } else {
      return true;
    }
  }

#if defined(TESSERA_HOST_VECTORS)
  /// Most have nothing that is as good, and no NaN.
  template <int N, class Index>
  void add_groups(thread_type& thread, spill_type& spill, const T (&elements)[N], const Index& index,
                  const Status& status) const {
    constexpr int width = host_vector_bytes / static_cast<int>(sizeof(T));
    HostVector<T, width> bests = {};
    bests += m_reducer.identity().value;
    auto nans = bests != bests;
    TESSERA_KEEP_LOOP
    for (int first = 0; first < N; first += width) {
      HostVector<T, width> loaded;
      load_vector(elements + first, loaded);
      bests = (R::lowest ? loaded < bests : loaded > bests) ? loaded : bests;
      nans |= loaded != loaded;
    }
    T best = bests[0];
    bool nan = false;
    for (int lane = 0; lane < width; ++lane) {
      best = R::better(bests[lane], best) ? bests[lane] : best;
      nan = nan || nans[lane] != 0;
    }
    if (!nan && !R::better(best, thread.value) && !(best == thread.value && may_be_earlier(thread, index))) return;
    Index of_group = index;
    for (int first = 0; first < N; first += lanes, of_group.first += lanes) {
      add(thread, spill, *reinterpret_cast<const T(*)[lanes]>(elements + first), of_group, status);
    }
  }
#endif

  template <int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION static void look_for(thread_type& thread, const T& best, const T (&elements)[N],
                                                   const Index& index) {
    // Not better, then equal.
    if (R::better(best, thread.value)) thread.index = R{}.identity().index;
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      if (elements[k] == best && R::earlier(index(k), thread.index)) thread = {elements[k], index(k)};
    }
  }

  template <int N, class Index>
  KOKKOS_FUNCTION void take_nan(thread_type& thread, const T (&elements)[N], const Index& index,
                                const Status& status) const {
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      if (elements[k] == elements[k]) continue;
      m_reducer.join(thread, {elements[k], index(k)});
      if (m_context.nan == NanPolicy::error) status.raise(StatusKind::nan_found, input_index(index, k));
    }
  }

  R m_reducer;
  FoldContext m_context;
};

}  // namespace tessera::detail

#endif

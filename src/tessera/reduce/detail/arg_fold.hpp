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

  /// The best of elements whose positions ascend, in fewer words.
  struct chain_type {
    T value;
    int at;  // -1: of none yet
  };
  static constexpr bool chains_ascend = true;
  static constexpr std::int64_t chain_max = Kokkos::Experimental::finite_max_v<int>;
  /// Whether no element is left out, whatever it is.
  [[nodiscard]] static bool takes_all(NanPolicy nan) {
    return !std::is_floating_point_v<T> || nan == NanPolicy::propagate;
  }
  KOKKOS_FORCEINLINE_FUNCTION void begin(chain_type& chain) const { chain = {m_reducer.identity().value, -1}; }
  /// add() without a branch, in which neighbouring threads would part.
  template <int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION void chain(chain_type& chain, const T (&elements)[N], const Index& index) const {
    // What is no better than the identity is as good.
    if (chain.at < 0) chain.at = static_cast<int>(index.at(0));
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      if (!succeeds(elements[k], chain.value)) continue;
      chain.value = elements[k];
      chain.at = static_cast<int>(index.at(k));
    }
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION team_type chained(const chain_type& chain) const {
    return chain.at < 0 ? identity() : team_type{chain.value, chain.at};
  }
  KOKKOS_FORCEINLINE_FUNCTION static const team_type& total_of(const team_type& chained) { return chained; }
  /// Of the columns of a pack of elements side by side one each.
  struct columns_type {
    team_type of[packed_length<T>];
  };
  static constexpr bool chains_columns = std::is_arithmetic_v<T>;
  KOKKOS_FORCEINLINE_FUNCTION void begin(columns_type& columns) const {
    TESSERA_UNROLL
    for (int column = 0; column < packed_length<T>; ++column) columns.of[column] = {m_reducer.identity().value, -1};
  }
  KOKKOS_FORCEINLINE_FUNCTION static void chain_one(columns_type& columns, int column, const T& element,
                                                    std::int64_t index) {
    team_type& best = columns.of[column];
    if (succeeds(element, best.value) || best.index < 0) best = {element, index};
  }
  template <int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION static void chain(columns_type& columns, const T (&elements)[N], const Index& index) {
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) chain_one(columns, k % packed_length<T>, elements[k], index(k));
  }
  KOKKOS_FORCEINLINE_FUNCTION void chained_columns(const columns_type& columns,
                                                   team_type (&totals)[packed_length<T>]) const {
    TESSERA_UNROLL
    for (int column = 0; column < packed_length<T>; ++column) {
      totals[column] = columns.of[column].index < 0 ? identity() : columns.of[column];
    }
  }
  [[nodiscard]] KOKKOS_FUNCTION const R& reducer() const { return m_reducer; }
  [[nodiscard]] const FoldContext& context() const { return m_context; }

  KOKKOS_FORCEINLINE_FUNCTION void absorb(thread_type& thread, spill_type&, const team_type& part) const {
    m_reducer.join(thread, part);
  }

  /// One element as a team_type, where a thread takes one at a time. input: the position that messages name.
  KOKKOS_FUNCTION team_type lifted(const T& element, std::int64_t index, std::int64_t input,
                                   const Status& status) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (m_context.nan != NanPolicy::propagate && element != element) {
        if (m_context.nan == NanPolicy::omit) return identity();
        status.raise(StatusKind::nan_found, static_cast<std::uint64_t>(input));
      }
    }
    return {element, index};
  }
  KOKKOS_FUNCTION team_type identity() const { return m_reducer.identity(); }
  KOKKOS_FUNCTION void join(team_type& into, const team_type& from) const { m_reducer.join(into, from); }

  KOKKOS_FUNCTION static std::size_t scratch_bytes(int team_size) {
    return static_cast<std::size_t>(team_size) * sizeof(team_type);
  }

  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION void close(const Member& team, thread_type& thread, spill_type& spill, team_type& result,
                                         std::byte* scratch) const {
    const team_type total = total_at_first(team, thread, spill, scratch);
    if (team.team_rank() == 0) result = total;
    team.team_barrier();
  }
  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION team_type total_at_first(const Member& team, const thread_type& thread, spill_type&,
                                                       std::byte* scratch) const {
    return join_at_first(team, thread, scratch);
  }
  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION team_type join_at_first(const Member& team, const team_type& mine,
                                                      std::byte* scratch) const {
    return team_join_at_first(team, mine, m_reducer, reinterpret_cast<team_type*>(scratch));
  }
  KOKKOS_FUNCTION team_type joined_partials(const team_type* partials, int count) const {
    team_type joined = identity();
    for (int i = 0; i < count; ++i) m_reducer.join(joined, partials[i]);
    return joined;
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
  /// Whether an element beats the best of those before it.
  KOKKOS_FORCEINLINE_FUNCTION static bool succeeds(const T& element, const T& best) {
    if constexpr (R::last) {
      const bool as_good = R::lowest ? element <= best : element >= best;
      return as_good || element != element;
    } else {
      const bool no_better = R::lowest ? element >= best : element <= best;
      return !no_better && best == best;
    }
  }

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
    // One that is left out, or behind the first one, changes nothing.
    const bool of_none =
        m_context.nan == NanPolicy::omit || (m_context.nan == NanPolicy::propagate && thread.value != thread.value &&
                                             !R::last && !may_be_earlier(thread, index));
    if ((!nan || of_none) && !R::better(best, thread.value) &&
        !(best == thread.value && may_be_earlier(thread, index))) {
      return;
    }
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

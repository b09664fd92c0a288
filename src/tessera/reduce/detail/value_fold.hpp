// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the kernels drive a reducer of the concept in concepts.hpp: chains short enough for the error bound, joined
// pairwise. fold_context.hpp says what a fold is.
#ifndef TESSERA_REDUCE_DETAIL_VALUE_FOLD_HPP
#define TESSERA_REDUCE_DETAIL_VALUE_FOLD_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/fold_context.hpp>
#include <tessera/reduce/detail/host_set_apart.hpp>
#include <tessera/reduce/detail/joins.hpp>
#include <tessera/reduce/detail/reducer_chain.hpp>
#include <tessera/reduce/reduce_options.hpp>
#include <tessera/status.hpp>
#include <type_traits>

namespace tessera::detail {

/// What is joined across threads and teams: the value, and how many elements were left out where that can matter.
template <class R, bool Counts>
struct FoldValue {
  typename R::value_type value;
};
template <class R>
struct FoldValue<R, true> {
  typename R::value_type value;
  std::int64_t omitted;
};

/// A FoldValue as a reducer, for team_join and PairwiseFold.
template <class R, bool Counts>
struct FoldValueJoin {
  using value_type = FoldValue<R, Counts>;
  const R& reducer;
  KOKKOS_FUNCTION value_type identity() const {
    const auto value = static_cast<typename R::value_type>(reducer.identity());
    if constexpr (Counts) {
      return {value, 0};
    } else {
      return {value};
    }
  }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    reducer.join(into.value, from.value);
    if constexpr (Counts) into.omitted += from.omitted;
  }
};

template <class R, class T>
class ValueFold {
 public:
  static constexpr int lanes = reduce_loads_in_flight(sizeof(T)) * packed_length<T>;
  static_assert((lanes & (lanes - 1)) == 0);
  static constexpr int team_size_max = 1024;
  static constexpr int teams_at_once = 1;
  /// Of small elements several groups, whose loads are in flight together.
  static constexpr int device_lanes = Kokkos::max(lanes, 4 * packed_length<T>);
  /// Several groups, where the reducer chains them in a host's vectors: the chains then rest in registers.
  static constexpr int host_lanes = (chains_on_host<R, T, lanes>() ? host_groups : 1) * lanes;
  static constexpr bool asks_ahead =
      chains_on_host<R, T, lanes>() && (keeps_lanes<R>() || requires { requires R::asks_ahead; });

  /// Whether an element can be NaN and be left out for it.
  static constexpr bool counts = !takes_nan<R>() && can_be_nan<T>;
  using team_type = FoldValue<R, counts>;
  struct thread_type {
    typename Chain<R>::type chains[lanes];
    std::int64_t length;
    std::int64_t omitted;
    bool spilled;  // whether the spill holds anything
  };
  struct spill_type {
    using Join = FoldValueJoin<R, counts>;
    std::conditional_t<is_order_free<R>(), PlainFold<Join>, PairwiseFold<Join>> chains;
  };

  KOKKOS_FUNCTION ValueFold(const R& reducer, const FoldContext& context) : m_reducer(reducer), m_context(context) {}

  [[nodiscard]] KOKKOS_FUNCTION const R& reducer() const { return m_reducer; }
  [[nodiscard]] const FoldContext& context() const { return m_context; }

  KOKKOS_FORCEINLINE_FUNCTION void begin(thread_type& thread, spill_type&) const { begin(thread); }
  KOKKOS_FORCEINLINE_FUNCTION void begin(thread_type& thread) const {
    TESSERA_UNROLL
    for (int lane = 0; lane < lanes; ++lane) thread.chains[lane] = Chain<R>::identity(m_reducer);
    thread.length = 0;
    thread.omitted = 0;
    thread.spilled = false;
  }

  template <int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION void add(thread_type& thread, spill_type& spill, const T (&elements)[N],
                                       const Index& index, const Status& status) const {
    KOKKOS_IF_ON_HOST((if constexpr (N > lanes) return add_groups<N / lanes>(thread, spill, elements, index, status);))
    constexpr int filled = filled_chains();
    make_room<ceil_div(N, filled)>(thread, spill);
    if constexpr (counts) {
      if (m_context.nan != NanPolicy::propagate) {
        TESSERA_UNROLL
        for (int k = 0; k < N; ++k) {
          if (elements[k] == elements[k]) {
            Chain<R>::add(m_reducer, thread.chains[k % filled], elements[k], index(k));
          } else {
            ++thread.omitted;
            if (m_context.nan == NanPolicy::error) status.raise(StatusKind::nan_found, input_index(index, k));
          }
        }
        return;
      }
    }
    if constexpr (chains_words<R, T, N>()) {
      TESSERA_UNROLL
      for (int k = 0; k < N; k += 4 / sizeof(T)) m_reducer.chain_word(thread.chains[0], elements + k);
    } else if constexpr (chains_groups<R, T, N>()) {
      m_reducer.chain_group(thread.chains[0], elements);
    } else {
      TESSERA_UNROLL
      for (int k = 0; k < N; ++k) Chain<R>::add(m_reducer, thread.chains[k % filled], elements[k], index(k));
    }
  }

  using chain_type = thread_type;
  /// Elements that a chain takes at most before it goes to the spill.
  static constexpr std::int64_t chain_max = chain_length<R>();
  /// Whether no element is left out, whatever it is.
  [[nodiscard]] static bool takes_all(NanPolicy nan) { return !counts || nan == NanPolicy::propagate; }
  /// add() where none is left out and no chain takes more than that.
  template <int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION void chain(thread_type& thread, const T (&elements)[N], const Index& index) const {
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) Chain<R>::add(m_reducer, thread.chains[k % lanes], elements[k], index(k));
  }
  using columns_type = thread_type;
  /// Whether chains that few registers hold may be of columns of elements side by side, as chain() fills them.
  static constexpr bool chains_columns = std::is_arithmetic_v<T> && sizeof(typename Chain<R>::type) <= sizeof(double);
  /// An element to such a column.
  KOKKOS_FORCEINLINE_FUNCTION void chain_one(thread_type& thread, int column, const T& element,
                                             std::int64_t index) const {
    Chain<R>::add(m_reducer, thread.chains[column], element, index);
  }
  /// What the columns hold.
  template <int Columns>
  KOKKOS_FORCEINLINE_FUNCTION void chained_columns(const thread_type& thread, team_type (&columns)[Columns]) const {
    typename R::value_type values[lanes];
    close_chains<Columns>(thread, values);
    TESSERA_UNROLL
    for (int column = 0; column < Columns; ++column) {
      columns[column] = total_of(values[column]);
    }
  }
  /// What its chains hold.
  KOKKOS_FORCEINLINE_FUNCTION typename R::value_type chained(const thread_type& thread) const {
    typename R::value_type values[lanes];
    close_chains<1>(thread, values);
    return values[0];
  }
  KOKKOS_FORCEINLINE_FUNCTION team_type total_of(const typename R::value_type& chained) const {
    team_type total = identity();
    total.value = chained;
    return total;
  }

  KOKKOS_FORCEINLINE_FUNCTION void absorb(thread_type& thread, spill_type& spill, const team_type& part) const {
    spill.chains.push(joiner(), part, !thread.spilled);
    thread.spilled = true;
  }

  /// One element as a team_type, where a thread takes one at a time. input: the position that messages name.
  KOKKOS_FUNCTION team_type lifted(const T& element, std::int64_t index, std::int64_t input,
                                   const Status& status) const {
    if constexpr (counts) {
      if (m_context.nan != NanPolicy::propagate && element != element) {
        if (m_context.nan == NanPolicy::error) status.raise(StatusKind::nan_found, static_cast<std::uint64_t>(input));
        team_type nothing = identity();
        nothing.omitted = 1;
        return nothing;
      }
    }
    team_type result = identity();
    result.value = map_element(m_reducer, element, index);
    return result;
  }
  KOKKOS_FUNCTION team_type identity() const { return joiner().identity(); }
  KOKKOS_FUNCTION void join(team_type& into, const team_type& from) const { joiner().join(into, from); }

  /// join() into a value that other teams join at the same time.
  KOKKOS_FUNCTION void merge(team_type& into, const team_type& from) const {
    atomic_joined(m_reducer, into.value, from.value);
    if constexpr (counts) {
      if (from.omitted != 0) Kokkos::atomic_add(&into.omitted, from.omitted);
    }
  }

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
  KOKKOS_FORCEINLINE_FUNCTION team_type total_at_first(const Member& team, thread_type& thread, spill_type& spill,
                                                       std::byte* scratch) const {
    team_type mine;
    close_alone(thread, spill, mine);
    return join_at_first(team, mine, scratch);
  }
  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION team_type join_at_first(const Member& team, const team_type& mine,
                                                      std::byte* scratch) const {
    return team_join_at_first(team, mine, joiner(), reinterpret_cast<team_type*>(scratch));
  }
  KOKKOS_FUNCTION team_type joined_partials(const team_type* partials, int count) const {
    if (count <= 0) return identity();
    if (count == 1) return partials[0];
    decltype(spill_type::chains) joined;
    for (int i = 0; i < count; ++i) joined.push(joiner(), partials[i], i == 0);
    return joined.total(joiner());
  }

  KOKKOS_FUNCTION team_type& close_alone(thread_type& thread, spill_type& spill, team_type& room) const {
    room = joined(thread);
    if (thread.spilled) {
      spill.chains.push(joiner(), room, false);
      room = spill.chains.total(joiner());
    }
    return room;
  }

  template <TeamMember Member>
  KOKKOS_FUNCTION static void store(const Member& team, const team_type& from, team_type& to) {
    if (team.team_rank() == 0) to = from;
  }

  template <class Result>
  KOKKOS_FUNCTION Result finalize(const team_type& total, std::int64_t size, const Status& status) const {
    std::int64_t count = size;
    if constexpr (counts) {
      if (m_context.nan == NanPolicy::error && total.omitted > 0) return spoiled<Result>();
      count -= total.omitted;
    }
    if (count < elements_min(m_reducer)) {
      status.raise(StatusKind::nothing_left);
      return spoiled<Result>();
    }
    return static_cast<Result>(finalized(m_reducer, total.value, count, status));
  }

 private:
  using Joiner = FoldValueJoin<R, counts>;
  KOKKOS_FUNCTION Joiner joiner() const { return {m_reducer}; }

  template <int Groups, class Index>
  void add_groups(thread_type& thread, spill_type& spill, const T (&elements)[Groups * lanes], const Index& index,
                  const Status& status) const {
    if constexpr (counts && replaces_nan<R, T>()) {
      if (m_context.nan != NanPolicy::propagate)
        return add_groups_of_numbers<Groups>(thread, spill, elements, index, status);
    } else if (counts && m_context.nan != NanPolicy::propagate) {
      Index of_group = index;
      for (int group = 0; group < Groups; ++group, of_group.first += lanes) {
        add(thread, spill, *reinterpret_cast<const T(*)[lanes]>(elements + group * lanes), of_group, status);
      }
      return;
    }
    make_room<Groups>(thread, spill);
    m_reducer.chain_host(thread.chains, elements, Groups);
  }

#if defined(TESSERA_HOST_VECTORS)
  /// Where NaN are left out.
  template <int Groups, class Index>
  void add_groups_of_numbers(thread_type& thread, spill_type& spill, const T (&elements)[Groups * lanes],
                             const Index& index, const Status& status) const {
    constexpr int count = Groups * lanes;
    const std::int64_t nans = count_nans(elements);
    thread.omitted += nans;
    if (nans > 0 && m_context.nan == NanPolicy::error) {
      for (int k = 0; k < count; ++k) {
        if (elements[k] != elements[k]) status.raise(StatusKind::nan_found, input_index(index, k));
      }
    }
    if (nans == count) return;
    make_room<Groups>(thread, spill);
    if (nans == 0) return m_reducer.chain_host(thread.chains, elements, Groups);
    int first = 0;
    while (elements[first] != elements[first]) ++first;
    T numbers[count];
    replace_nans(elements, m_reducer.stand_in(elements[first]), numbers);
    m_reducer.chain_host(thread.chains, numbers, Groups);
  }
#endif

  /// Chains that add() fills: where no order matters, one on devices. It takes fewer registers, and the end has nothing
  /// to join.
  KOKKOS_INLINE_FUNCTION static constexpr int filled_chains() {
    KOKKOS_IF_ON_DEVICE((return is_order_free<R>() ? 1 : lanes;))
    KOKKOS_IF_ON_HOST((return lanes;))
  }

  /// For so many more elements of each chain.
  template <int Elements>
  KOKKOS_FORCEINLINE_FUNCTION void make_room(thread_type& thread, spill_type& spill) const {
    if (thread.length + Elements > chain_length<R>()) {
      // Rare on a GPU, whose threads are many: the spill lives in slow memory.
      spill.chains.push(joiner(), joined(thread), !thread.spilled);
      begin(thread, spill);
      thread.spilled = true;
    }
    thread.length += Elements;
  }

  /// What add() left in the thread's chains, joined pairwise.
  KOKKOS_FORCEINLINE_FUNCTION team_type joined(const thread_type& thread) const {
    team_type total = identity();
    if constexpr (filled_chains() == 1) {
      total.value = Chain<R>::close(m_reducer, thread.chains[0]);
    } else {
      total.value = chained(thread);
    }
    if constexpr (counts) total.omitted = thread.omitted;
    return total;
  }

  /// Every Left-th chain joined in one of the first values.
  template <int Left>
  KOKKOS_FORCEINLINE_FUNCTION void close_chains(const thread_type& thread,
                                                typename R::value_type (&values)[lanes]) const {
    TESSERA_UNROLL
    for (int lane = 0; lane < lanes; ++lane) values[lane] = Chain<R>::close(m_reducer, thread.chains[lane]);
    join_halves<lanes / 2, Left>(values);
  }

  // Recursive, as compilers leave nested loops whole, and their index would put the values in memory.
  template <int Half, int Left>
  KOKKOS_FORCEINLINE_FUNCTION void join_halves(typename R::value_type (&values)[lanes]) const {
    if constexpr (Half >= Left) {
      TESSERA_UNROLL
      for (int lane = 0; lane < Half; ++lane) m_reducer.join(values[lane], values[lane + Half]);
      join_halves<Half / 2, Left>(values);
    }
  }

  R m_reducer;
  FoldContext m_context;
};

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stats of floating elements on devices: sums in a window of exponents, and extrema whose positions are looked for at
// the end, in the last groups that had better ones. Registers hold no more than that; what windows leave goes to
// scratch where the team lends it: a sixteenth of the data it writes would cost an eighth of the bandwidth in slow
// memory (measured on an H200), where the rest of the reducers' own fold lies, for what fits no window, and NaN.
#ifndef TESSERA_REDUCE_DETAIL_WINDOW_STATS_FOLD_HPP
#define TESSERA_REDUCE_DETAIL_WINDOW_STATS_FOLD_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/arg_extrema.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <tessera/reduce/detail/exact_window.hpp>
#include <tessera/reduce/detail/fold_context.hpp>
#include <tessera/reduce/detail/joins.hpp>
#include <tessera/reduce/detail/warp_stats.hpp>
#include <tessera/reduce/detail/zeros_fold.hpp>
#include <tessera/status.hpp>
#include <type_traits>

namespace tessera::detail {

/// Elements with one position.
struct KnownIndex {
  std::int64_t position, in_input;
  KOKKOS_FUNCTION std::int64_t operator()(int) const { return position; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t input(int) const { return in_input; }
};

/// Base: FusedFold of Sums, ArgMin, ArgMax and zeros.
template <class Base, class Sums, class T>
class WindowStatsFold : public Base {
  using Window = ExactWindow<T>;
  using SumsThread = typename Sums::thread_type;
  static constexpr int word_count = sizeof(SumsThread) / sizeof(double);
  struct Words {
    double of[word_count];
  };
  /// From here on elements go alone: not finite, or doubles whose words are no finite floats.
  static constexpr std::uint32_t unusual_word = ExactFormat<float>::unusual_word;

 public:
  static constexpr int lanes = Base::lanes;
  static constexpr bool takes_groups_ahead = true;
  // Registers for two groups, the one that is added and the next: two such teams have 128 a thread, or 168.
  static constexpr int team_size_max = std::is_same_v<T, float> ? 256 : 192;
  static constexpr int teams_at_once = 2;
  using team_type = typename Base::team_type;
  /// The best element of groups, and where the first that has it begins; -1: none.
  struct Best {
    T value;
    std::int64_t group;
  };
  struct thread_type {
    Window window;
    Best lowest, highest;
  };
  struct spill_type {
    thread_type thread;  // while a call changes it
    typename Base::thread_type totals;
    typename Base::spill_type spill;
    double* lent;  // else null: has the sums of totals, a word of each thread side by side
    int pitch;
  };

  template <class R>
  KOKKOS_FUNCTION WindowStatsFold(const R& parts, const FoldContext& context)
      : Base(parts, context), m_context(context) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(thread_type& thread, spill_type& spill) const {
    thread.window.clear();
    forget_groups(thread);
    Base::begin(spill.totals, spill.spill);
    spill.lent = nullptr;
  }

  KOKKOS_FUNCTION static constexpr std::size_t lent_bytes(int team_size) {
    return static_cast<std::size_t>(team_size) * sizeof(SumsThread);
  }
  /// On devices.
  template <TeamMember Member>
  KOKKOS_FUNCTION static void lend_scratch([[maybe_unused]] const Member& team, [[maybe_unused]] spill_type& spill,
                                           [[maybe_unused]] std::byte* scratch) {
    KOKKOS_IF_ON_DEVICE((spill.lent = reinterpret_cast<double*>(scratch) + team.team_rank();
                         spill.pitch = team.team_size(); SumsThread sums; sums.clear(); keep_sums(spill, sums);))
  }

  template <int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION void add([[maybe_unused]] thread_type& thread, spill_type& spill, const T (&elements)[N],
                                       const Index& index, const Status& status) const {
    KOKKOS_IF_ON_HOST((Base::add(spill.totals, spill.spill, elements, index, status);))
    KOKKOS_IF_ON_DEVICE(
        (const GroupWords group(elements); add_to_sums<false>(thread, spill, elements, group, index, status);
         add_position<ArgMin<T>>(m_context.nan, spill.totals.rest.first, elements, index, status);
         add_position<ArgMax<T>>(m_context.nan, spill.totals.rest.rest.first, elements, index, status);))
  }

  /// On devices, as groups of ascending positions come; settle() before others do.
  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION void add_ahead(thread_type& thread, spill_type& spill, const T (&elements)[lanes],
                                             const Index& index, const Status& status) const {
    const GroupWords group(elements);
    if (!add_to_sums<true>(thread, spill, elements, group, index, status)) return;
    keep_better<ArgMin<T>>(thread.lowest, group.lowest(), elements, index.first);
    keep_better<ArgMax<T>>(thread.highest, group.highest(), elements, index.first);
  }
  /// Finds positions. load(first, elements): a group anew; returns its index.
  template <class Load>
  KOKKOS_FORCEINLINE_FUNCTION void settle(thread_type& thread, spill_type& spill, const Load& load,
                                          const Status& status) const {
    T elements[lanes];
    if (thread.lowest.group >= 0) {
      const auto index = load(thread.lowest.group, elements);
      add_position<ArgMin<T>>(m_context.nan, spill.totals.rest.first, elements, index, status);
    }
    if (thread.highest.group >= 0) {
      const auto index = load(thread.highest.group, elements);
      add_position<ArgMax<T>>(m_context.nan, spill.totals.rest.rest.first, elements, index, status);
    }
    forget_groups(thread);
  }

  KOKKOS_FORCEINLINE_FUNCTION void absorb(thread_type&, spill_type& spill, const team_type& part) const {
    Base::absorb(spill.totals, spill.spill, part);
  }

  KOKKOS_FUNCTION static std::size_t scratch_bytes(int team_size) {
    return Kokkos::max(Base::scratch_bytes(team_size), team_size / 32 * sizeof(WarpStats<T>));
  }

  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION void close(const Member& team, thread_type& thread, spill_type& spill, team_type& result,
                                         std::byte* scratch) const {
    spill.thread = thread;
    close_apart(*this, team, spill, result, scratch);
  }
  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION void close_partials(const Member& team, const team_type* partials, int count,
                                                  team_type& result, std::byte* scratch) const {
    close_partials_apart(*this, team, partials, count, result, scratch);
  }

  KOKKOS_FUNCTION team_type& close_alone(thread_type& thread, spill_type& spill, team_type& room) const {
    finish(thread, spill);
    return Base::close_alone(spill.totals, spill.spill, room);
  }

 private:
  /// Functions of their own, all small by value: what they do takes no registers from the kernel's loop.
  template <TeamMember Member>
  TESSERA_NOINLINE KOKKOS_FUNCTION static void close_apart(WindowStatsFold fold, Member team, spill_type& spill,
                                                           team_type& result, std::byte* scratch) {
#if defined(__CUDA_ARCH__)
    if (has_whole_warps(team)) {
      const auto join_lanes = [&](WarpStats<T>& total) {
        take_back(spill);
        join_lanes_stats(spill, Sums::in_expansions(spill.spill.first), team.team_rank() % 32, total);
      };
      if (close_warps(team, join_lanes, result, scratch)) return;
    }
#endif
    finish(spill.thread, spill);
    fold.Base::close(team, spill.totals, spill.spill, result, scratch);
  }
  template <TeamMember Member>
  TESSERA_NOINLINE KOKKOS_FUNCTION static void close_partials_apart(WindowStatsFold fold, Member team,
                                                                    const team_type* partials, int count,
                                                                    team_type& result, std::byte* scratch) {
#if defined(__CUDA_ARCH__)
    if (has_whole_warps(team)) {
      const auto join_lanes = [&](WarpStats<T>& total) {
        join_lanes_partials(partials, team.team_rank(), count, team.team_size(), team.team_rank() % 32, total);
      };
      if (close_warps(team, join_lanes, result, scratch)) return;
    }
#endif
    typename Base::thread_type totals;
    typename Base::spill_type spill;
    fold.Base::begin(totals, spill);
    for (int i = team.team_rank(); i < count; i += team.team_size()) fold.Base::absorb(totals, spill, partials[i]);
    fold.Base::close(team, totals, spill, result, scratch);
  }

#if defined(__CUDA_ARCH__)
  /// join_lanes(total): the calling warp's. False, in all threads, where a warp's sums span too many digits.
  template <TeamMember Member, class JoinLanes>
  __device__ __forceinline__ static bool close_warps(const Member& team, const JoinLanes& join_lanes, team_type& result,
                                                     std::byte* scratch) {
    auto* const of_warp = reinterpret_cast<WarpStats<T>*>(scratch);
    const int warps = team.team_size() / 32;
    join_lanes(of_warp[team.team_rank() / 32]);
    team.team_barrier();
    bool complete = true;
    for (int w = 0; w < warps; ++w) complete = complete && of_warp[w].complete;
    if (complete) join_warps_stats(of_warp, warps, team.team_rank(), result);
    team.team_barrier();
    return complete;
  }
#endif

  KOKKOS_FORCEINLINE_FUNCTION static void forget_groups(thread_type& thread) {
    thread.lowest = {Kokkos::Experimental::infinity_v<T>, -1};
    thread.highest = {-Kokkos::Experimental::infinity_v<T>, -1};
  }

  /// Everything but extrema; false where not all elements are usual: then those too are done, if groups come ahead.
  /// Calls take what they change through memory: a value in a register over a call would be moved in every group.
  template <bool Ahead, int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION bool add_to_sums(thread_type& thread, spill_type& spill, const T (&elements)[N],
                                               const GroupWords& group, const Index& index,
                                               const Status& status) const {
    WordRange words = group.magnitudes();
    if (words.largest >= unusual_word) {
      spill.thread = thread;
      Kept<T, N> kept(elements);
      TESSERA_NO_UNROLL
      for (int k = 0; k < N; ++k) {
        if (magnitude_word(kept.values[k]) < unusual_word) continue;
        take_unusual<Ahead>(m_context.nan, spill, {kept.values[k], index(k)}, input_index(index, k), status);
      }
      std::int64_t group_index = 0;
      if constexpr (Ahead) group_index = index.first;
      add_others<Ahead>(spill, kept, group_index);
      thread = spill.thread;
      return false;
    }
    if (words.smallest == 0) {
      words.smallest = smallest_but_zero(elements);
      count_zeros(spill.totals.rest.rest.rest, elements);
    }
    if (thread.window.holds(words)) {
      thread.window.add(elements);
    } else {
      spill.thread = thread;
      const Kept<T, N> kept(elements);
      add_elsewhere(spill, kept, words);
      thread = spill.thread;
    }
    empty_where_full<N>(spill, thread.window);
    return true;
  }

  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION static void empty_where_full(spill_type& spill, Window& window) {
    if (!window.is_full(N, lanes) || !window.is_open()) return;
    empty(spill, window.terms());
    window.restart();
  }

  /// The sums but for the window's: from where they are, and back.
  KOKKOS_FORCEINLINE_FUNCTION static SumsThread kept_sums(const spill_type& spill) {
    if (spill.lent == nullptr) return spill.totals.first;
    Words words;
    TESSERA_UNROLL
    for (int k = 0; k < word_count; ++k) words.of[k] = spill.lent[k * spill.pitch];
    return Kokkos::bit_cast<SumsThread>(words);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void keep_sums(spill_type& spill, const SumsThread& sums) {
    if (spill.lent == nullptr) {
      spill.totals.first = sums;
      return;
    }
    const auto words = Kokkos::bit_cast<Words>(sums);
    TESSERA_UNROLL
    for (int k = 0; k < word_count; ++k) spill.lent[k * spill.pitch] = words.of[k];
  }
  KOKKOS_FORCEINLINE_FUNCTION static void take_back(spill_type& spill) {
    spill.totals.first = kept_sums(spill);
    spill.lent = nullptr;
  }

  /// In the window, which is moved where it must be, or without one.
  template <int N>
  TESSERA_NOINLINE KOKKOS_FUNCTION static void add_elsewhere(spill_type& spill, const Kept<T, N>& elements,
                                                             WordRange words) {
    Window window = spill.thread.window;
    if (!window.holds(words)) {
      if (!Window::could_hold(words)) {
        SumsThread sums = kept_sums(spill);
        Sums::add_apart(sums, spill.spill.first, elements);
        return keep_sums(spill, sums);
      }
      if (window.is_open()) empty(spill, window.terms());
      window.open(words);
    }
    window.add(elements.values);
    spill.thread.window = window;
  }

  template <class R>
  KOKKOS_FORCEINLINE_FUNCTION static void keep_better(Best& best, T element, std::int64_t first) {
    if (R::better(element, best.value)) best = {element, first};
  }
  /// word: by order_word, of the best element. Of infinite doubles it is no float, which no comparison is true of.
  template <class R>
  KOKKOS_FORCEINLINE_FUNCTION static void keep_better(Best& best, float word, const T (&elements)[lanes],
                                                      std::int64_t first) {
    if constexpr (std::is_same_v<T, float>) {
      const bool better = R::better(word, best.value);
      best.value = better ? word : best.value;
      best.group = better ? first : best.group;
    } else if (!R::better(Kokkos::bit_cast<float>(order_word(best.value)), word)) {
      T of_group = elements[0];
      TESSERA_UNROLL
      for (int k = 1; k < lanes; ++k) of_group = R::better(elements[k], of_group) ? elements[k] : of_group;
      if (R::better(of_group, best.value)) best = {of_group, first};
    }
  }
  template <class R, int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION static void add_position(NanPolicy nan, ArgResult<T>& total, const T (&elements)[N],
                                                       const Index& index, const Status& status) {
    typename ArgFold<R, T>::spill_type nothing;
    ArgFold<R, T>(R{}, {nan}).add(total, nothing, elements, index, status);
  }

  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION static void count_zeros(ZeroCounts& total, const T (&elements)[N]) {
    int zeros = 0, negative = 0;
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      const bool zero = elements[k] == T(0);
      zeros += zero ? 1 : 0;
      negative += zero && FloatParts<T>(elements[k]).negative() ? 1 : 0;
    }
    total.zeros += zeros;
    total.negative_zeros += negative;
  }

  template <bool Ahead>
  TESSERA_NOINLINE KOKKOS_FUNCTION static void take_unusual(NanPolicy nan, spill_type& spill, ArgResult<T> element,
                                                            std::int64_t input, Status status) {
    Sums::take_out(nan, spill.spill.first, element.value, input, status);
    if (!Ahead) return;
    const T one[1] = {element.value};
    const KnownIndex index{element.index, input};
    add_position<ArgMin<T>>(nan, spill.totals.rest.first, one, index, status);
    add_position<ArgMax<T>>(nan, spill.totals.rest.rest.first, one, index, status);
  }
  /// The usual elements of a group that has others too, which become zeros.
  template <bool Ahead, int N>
  TESSERA_NOINLINE KOKKOS_FUNCTION static void add_others(spill_type& spill, Kept<T, N>& group, std::int64_t first) {
    WordRange words{~0u, 0};
    bool any = false;
    TESSERA_NO_UNROLL
    for (int k = 0; k < N; ++k) {
      const T element = group.values[k];
      const std::uint32_t word = magnitude_word(element);
      if (word >= unusual_word) {
        group.values[k] = 0;
        continue;
      }
      if constexpr (Ahead) {
        keep_better<ArgMin<T>>(spill.thread.lowest, element, first);
        keep_better<ArgMax<T>>(spill.thread.highest, element, first);
      }
      const T one[1] = {element};
      if (element == 0) {
        count_zeros(spill.totals.rest.rest.rest, one);
        continue;
      }
      any = true;
      words = {Kokkos::min(words.smallest, word), Kokkos::max(words.largest, word)};
    }
    if (any) add_elsewhere(spill, group, words);
    empty_where_full<N>(spill, spill.thread.window);
  }

  TESSERA_NOINLINE KOKKOS_FUNCTION static void empty(spill_type& spill, typename Window::Terms terms) {
    SumsThread sums = kept_sums(spill);
    Sums::add_window(sums, spill.spill.first, terms);
    keep_sums(spill, sums);
  }

  KOKKOS_FUNCTION static void finish(thread_type& thread, spill_type& spill) {
    if (thread.window.is_open()) empty(spill, thread.window.terms());
    take_back(spill);
  }

  FoldContext m_context;
};

}  // namespace tessera::detail

#endif

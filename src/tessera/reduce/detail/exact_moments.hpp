// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact sums of elements, of their magnitudes and of their squares, in one read, and what follows from them with one
// rounding.
#ifndef TESSERA_REDUCE_DETAIL_EXACT_MOMENTS_HPP
#define TESSERA_REDUCE_DETAIL_EXACT_MOMENTS_HPP

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/host_vector.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/exact_block.hpp>
#include <tessera/reduce/detail/exact_digits.hpp>
#include <tessera/reduce/detail/exact_expansion.hpp>
#include <tessera/reduce/detail/exact_few_squares.hpp>
#include <tessera/reduce/detail/exact_moments_spill.hpp>
#include <tessera/reduce/detail/exact_rounding.hpp>
#include <tessera/reduce/detail/exact_squares.hpp>
#include <tessera/reduce/detail/exact_sums.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <tessera/reduce/detail/exact_window.hpp>
#include <tessera/reduce/detail/fold_context.hpp>
#include <tessera/reduce/detail/host_products.hpp>
#include <tessera/reduce/detail/host_set_apart.hpp>
#include <tessera/status.hpp>
#include <type_traits>

namespace tessera::detail {

/// Floating elements.
template <class T, Moments Wanted>
class ExactMoments {
  using Format = ExactFormat<T>;
  static constexpr bool narrow = std::is_same_v<T, float>;
  using Terms = ExactSums<T>;
  using Squares = ExactSquares<T>;

 public:
  /// Elements that add() takes at once on a host.
  static constexpr int host_lanes = has_host_vectors ? host_block : host_group;
  using thread_type = MomentsThread<T, Wanted>;
  using digits_type = MomentsDigits<T, Wanted>;
  template <bool Counted>
  using Spill = MomentsSpill<T, Wanted, Counted>;
  using spill_type = Spill<false>;
  using counted_spill_type = Spill<Wanted.can_count()>;

  template <bool Counted>
  KOKKOS_FORCEINLINE_FUNCTION static void begin(thread_type& thread, Spill<Counted>& spill) {
    thread.clear();
    thread.begin(spill);
  }

  template <bool Counted, int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION static void add(const FoldContext& context, thread_type& thread, Spill<Counted>& spill,
                                              const T (&elements)[N], const Index& index, const Status& status) {
#if defined(TESSERA_HOST_VECTORS)
    if constexpr (N == host_block) return add_block(context, thread, spill, elements, index, status);
#endif
    FieldRange fields{};
    bool usual;
    if constexpr (narrow) {
      fields = field_range(elements);
      usual = fields.highest <= 2 * FloatFormat<T>::exponent_max;
    } else {
      const WordRange words = word_range(elements);
      usual = words.largest < Format::unusual_word;
      if constexpr (N == host_group || Wanted.squares) {
        // A word tells the exponent, but zero from the smallest subnormals.
        constexpr int shift = 20;
        if (words.smallest >> shift == 0) {
          fields = field_range(elements);
        } else {
          fields = {static_cast<int>(words.smallest >> shift), static_cast<int>(words.largest >> shift)};
        }
      }
    }
    KOKKOS_IF_ON_HOST((if (usual) return add_usual(thread, spill, elements, fields);))
#if defined(TESSERA_HOST_VECTORS)
    if constexpr (N == host_group) return add_without_unusual(context, thread, spill, elements, index, status);
#endif
    // Unusual ones go alone, and the others as ever: on a device with those of the warp's other threads.
    T ordinary[N];
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) ordinary[k] = elements[k];
    if (!usual) {
      // What is called has no address of the call's arguments: that would move the kernel's to each thread's memory.
      Kept<T, N> kept(elements);
      TESSERA_NO_UNROLL
      for (int k = 0; k < N; ++k) {
        if (magnitude_word(kept.values[k]) < Format::unusual_word) continue;
        thread.set_up(spill);
        take_out(context.nan, spill, kept.values[k], input_index(index, k), status);
        kept.values[k] = 0;
      }
      TESSERA_UNROLL
      for (int k = 0; k < N; ++k) ordinary[k] = kept.values[k];
      if constexpr (narrow || N == host_group || Wanted.squares) fields = field_range(ordinary);
    }
    add_usual(thread, spill, ordinary, fields);
  }

#if defined(TESSERA_HOST_VECTORS)
  /// A host's block at once where its squares, and so all its sums, take one cut; else false. fields: those of
  /// elements.
  template <bool Counted>
  static bool add_close_block(thread_type& thread, Spill<Counted>& spill, const T (&elements)[host_block],
                              const FieldRange& fields) requires(Wanted.squares) {
    const bool finite = fields.highest <= 2 * FloatFormat<T>::exponent_max;
    if (!finite || !Squares::template can_cut<host_block>(fields)) return false;
    add_usual(thread, spill, elements, fields);
    return true;
  }
#endif

  /// What no sum of a few may hold goes alone.
  template <bool Counted>
  TESSERA_NOINLINE KOKKOS_FUNCTION static void take_out(NanPolicy nan, Spill<Counted>& spill, T element,
                                                        std::int64_t index, Status status) {
    const FloatParts<T> parts(element);
    if (parts.finite()) {
      if constexpr (Wanted.sum) spill.sum_rest.add_alone(spill.sum, element);
      if constexpr (Wanted.magnitude) spill.magnitude_rest.add_alone(spill.magnitude, Kokkos::fabs(element));
      if constexpr (Wanted.squares) spill.squares_rest.add_product(spill.squares, element, element);
      return;
    }
    Specials& specials = spill.specials;
    if (!parts.is_nan()) {
      specials.flags |= parts.negative() ? Specials::minus_infinity : Specials::plus_infinity;
      ++specials.infinities;
      return;
    }
    ++specials.nans;
    if (nan != NanPolicy::omit) specials.flags |= Specials::nan;
    if (nan == NanPolicy::error) status.raise(StatusKind::nan_found, static_cast<std::uint64_t>(index));
  }

  /// What a window has added.
  KOKKOS_FORCEINLINE_FUNCTION static void add_window(thread_type& thread, spill_type& spill,
                                                     typename ExactWindow<T>::Terms terms) {
    add_terms<!narrow>(thread.sum, spill.sum_rest, spill.sum, terms.sum);
    add_terms<!narrow>(thread.magnitude, spill.magnitude_rest, spill.magnitude, terms.magnitude);
    add_terms<!narrow>(thread.squares, spill.squares_rest, spill.squares, terms.squares);
  }

  /// Finite elements that no window holds.
  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION static void add_apart(thread_type& thread, spill_type& spill,
                                                    const Kept<T, N>& elements) {
    add_usual(thread, spill, elements.values, field_range(elements.values));
  }

  KOKKOS_FUNCTION static void absorb(digits_type& digits, const digits_type& part) {
    if constexpr (Wanted.sum) digits.sum.add(part.sum);
    if constexpr (Wanted.magnitude) digits.magnitude.add(part.magnitude);
    if constexpr (Wanted.squares) digits.squares.add(part.squares);
    digits.specials.flags |= part.specials.flags;
    digits.specials.nans += part.specials.nans;
    digits.specials.infinities += part.specials.infinities;
  }

  KOKKOS_FUNCTION static void zero(digits_type& digits) {
    if constexpr (Wanted.sum) digits.sum.zero();
    if constexpr (Wanted.magnitude) digits.magnitude.zero();
    if constexpr (Wanted.squares) digits.squares.zero();
    digits.specials = {0, 0, 0};
  }
  KOKKOS_FUNCTION static void merge(digits_type& into, const digits_type& from) {
    if constexpr (Wanted.sum) into.sum.atomic_add(from.sum);
    if constexpr (Wanted.magnitude) into.magnitude.atomic_add(from.magnitude);
    if constexpr (Wanted.squares) into.squares.atomic_add(from.squares);
    Kokkos::atomic_or(&into.specials.flags, from.specials.flags);
    Kokkos::atomic_add(&into.specials.nans, from.specials.nans);
    Kokkos::atomic_add(&into.specials.infinities, from.specials.infinities);
  }

  /// Whether a thread has met infinities or NaN that flags tell of, or counted a NaN.
  template <bool Counted>
  KOKKOS_FORCEINLINE_FUNCTION static bool has_specials(const thread_type& thread, const Spill<Counted>& spill,
                                                       bool counted) {
    return thread.is_set_up && (spill.specials.flags != 0 || (counted && spill.specials.nans != 0));
  }
  /// The sum of one thread, or of magnitudes, where its expansion has all of it and it is not to be none.
  template <bool Counted>
  KOKKOS_FORCEINLINE_FUNCTION static BoundedPair sum_pair(const thread_type& thread, const Spill<Counted>& spill,
                                                          bool none) {
    if constexpr (Wanted.sum) {
      const bool elsewhere = thread.is_set_up && (!spill.sum.empty() || spill.sum_rest.used);
      return none || elsewhere ? BoundedPair::none() : thread.sum.pair();
    } else {
      const bool elsewhere = thread.is_set_up && (!spill.magnitude.empty() || spill.magnitude_rest.used);
      return none || elsewhere ? BoundedPair::none() : thread.magnitude.pair();
    }
  }
  template <bool Counted>
  KOKKOS_FORCEINLINE_FUNCTION static BoundedPair squares_pair(const thread_type& thread, const Spill<Counted>& spill,
                                                              bool none) {
    const bool elsewhere = thread.is_set_up && (!spill.squares.empty() || spill.squares_rest.used);
    return none || elsewhere ? BoundedPair::none() : thread.squares.pair();
  }
  /// Whether the sums of one thread are in its expansions alone.
  KOKKOS_FUNCTION static bool in_expansions(const spill_type& spill) {
    bool elsewhere = false;
    if constexpr (Wanted.sum) elsewhere = elsewhere || !spill.sum.empty() || spill.sum_rest.used;
    if constexpr (Wanted.magnitude) elsewhere = elsewhere || !spill.magnitude.empty() || spill.magnitude_rest.used;
    if constexpr (Wanted.squares) elsewhere = elsewhere || !spill.squares.empty() || spill.squares_rest.used;
    return !elsewhere;
  }
  KOKKOS_FUNCTION static void absorb(digits_type& digits, const BoundedSpread& part) {
    deposit_pair(digits.sum, part.sum);
    deposit_pair(digits.squares, part.squares);
  }
  KOKKOS_FUNCTION static void absorb(digits_type& digits, const BoundedPair& part) {
    if constexpr (Wanted.sum) {
      deposit_pair(digits.sum, part);
    } else if constexpr (Wanted.squares) {
      deposit_pair(digits.squares, part);
    } else {
      deposit_pair(digits.magnitude, part);
    }
  }

  /// Leaves the sums of one thread in its digits.
  template <bool Counted>
  KOKKOS_FORCEINLINE_FUNCTION static void close_alone(thread_type& thread, Spill<Counted>& spill) {
    if constexpr (Wanted.sum) {
      thread.sum.empty(spill.sum);
      spill.sum_rest.empty(spill.sum);
    }
    if constexpr (Wanted.magnitude) {
      thread.magnitude.empty(spill.magnitude);
      spill.magnitude_rest.empty(spill.magnitude);
    }
    if constexpr (Wanted.squares) {
      thread.squares.empty(spill.squares);
      spill.squares_rest.empty(spill.squares);
    }
  }

  KOKKOS_FUNCTION static void carry(digits_type& digits) {
    if constexpr (Wanted.sum) digits.sum.carry();
    if constexpr (Wanted.magnitude) digits.magnitude.carry();
    if constexpr (Wanted.squares) digits.squares.carry();
  }

  template <TeamMember Member, bool Counted>
  KOKKOS_FORCEINLINE_FUNCTION static void close(const Member& team, thread_type& thread, Spill<Counted>& digits,
                                                digits_type& result, std::int64_t* tree) {
    constexpr bool often = Wanted.squares || Wanted.sum == Wanted.magnitude;  // others are pairs, most of them
    thread.set_up(digits);
    if (team.team_rank() == 0) result.specials = {0, 0, 0};
    if constexpr (Wanted.sum) digits.sum_rest.note_use(team);
    if constexpr (Wanted.magnitude) digits.magnitude_rest.note_use(team);
    if constexpr (Wanted.squares) digits.squares_rest.note_use(team);
    close_alone(thread, digits);
    if (digits.has_counters()) team.team_barrier();  // for all threads or none
    if constexpr (Wanted.sum) digits.sum_rest.collect(team, digits.sum);
    if constexpr (Wanted.magnitude) digits.magnitude_rest.collect(team, digits.magnitude);
    if constexpr (Wanted.squares) digits.squares_rest.collect(team, digits.squares);
    if constexpr (Wanted.sum) close_digits<often>(team, digits.sum, result.sum, tree);
    if constexpr (Wanted.magnitude) close_digits<often>(team, digits.magnitude, result.magnitude, tree);
    if constexpr (Wanted.squares) close_digits<often>(team, digits.squares, result.squares, tree);
    const Specials& specials = digits.specials;
    if (specials.flags != 0) Kokkos::atomic_or(&result.specials.flags, specials.flags);
    if (specials.nans != 0) Kokkos::atomic_add(&result.specials.nans, specials.nans);
    if (specials.infinities != 0) Kokkos::atomic_add(&result.specials.infinities, specials.infinities);
    team.team_barrier();
  }

  template <TeamMember Member>
  KOKKOS_FUNCTION static void store(const Member& team, const digits_type& from, digits_type& to) {
    if constexpr (Wanted.sum) store_digits(team, from.sum, to.sum);
    if constexpr (Wanted.magnitude) store_digits(team, from.magnitude, to.magnitude);
    if constexpr (Wanted.squares) store_digits(team, from.squares, to.squares);
    if (team.team_rank() == 0) to.specials = from.specials;
  }

 private:
#if defined(TESSERA_HOST_VECTORS)
  /// A host's block: its sum is added as a whole where its terms are close enough, else group by group.
  template <bool Counted, class Index>
  static void add_block(const FoldContext& context, thread_type& thread, Spill<Counted>& spill,
                        const T (&elements)[host_block], const Index& index, const Status& status) {
    if constexpr (Wanted.sum != Wanted.magnitude && !Wanted.squares) {
      double total[narrow ? 1 : 2];
      if (sum_block<Wanted.magnitude, Terms::block_span>(elements, total)) {
        if constexpr (Wanted.sum) {
          auto&& rest = thread.on_use(spill, spill.sum_rest);
          add_terms<!narrow>(thread.sum, rest, spill.sum, total);
        } else {
          auto&& rest = thread.on_use(spill, spill.magnitude_rest);
          add_terms<!narrow>(thread.magnitude, rest, spill.magnitude, total);
        }
        return;
      }
    }
    const FieldRange fields = block_fields(elements);
    constexpr auto unusual_field = static_cast<int>(Format::unusual_word >> (narrow ? 23 : 20));
    if (fields.highest >= unusual_field) {
      return add_without_unusual(context, thread, spill, elements, index, status);
    }
    if constexpr (Wanted.squares) {
      if (add_close_block(thread, spill, elements, fields)) return;
    } else {
      if (fields.highest - fields.lowest <= Terms::block_span) return add_usual(thread, spill, elements, fields);
    }
    Index of_group = index;
    for (int first = 0; first < host_block; first += host_group, of_group.first += host_group) {
      add(context, thread, spill, *reinterpret_cast<const T(*)[host_group]>(elements + first), of_group, status);
    }
  }

  /// Of a host's group or block: unusual elements go their way, the others as ever.
  template <bool Counted, int N, class Index>
  TESSERA_NOINLINE static void add_without_unusual(const FoldContext& context, thread_type& thread,
                                                   Spill<Counted>& spill, const T (&elements)[N], const Index& index,
                                                   const Status& status) {
    T ordinary[N];
    const SetApart apart = set_unusual_apart(elements, ordinary);
    thread.set_up(spill);
    if (apart.others > 0 || (apart.nans > 0 && context.nan == NanPolicy::error)) {
      for (int k = 0; k < N; ++k) {
        if (magnitude_word(elements[k]) < Format::unusual_word) continue;
        take_out(context.nan, spill, elements[k], input_index(index, k), status);
      }
    } else {
      Specials& specials = spill.specials;
      specials.nans += apart.nans;
      specials.infinities += apart.plus_infinities + apart.minus_infinities;
      if (apart.nans > 0 && context.nan == NanPolicy::propagate) specials.flags |= Specials::nan;
      if (apart.plus_infinities > 0) specials.flags |= Specials::plus_infinity;
      if (apart.minus_infinities > 0) specials.flags |= Specials::minus_infinity;
    }
    add(context, thread, spill, ordinary, index, status);
  }
#endif

  /// fields: of floats; of doubles where squares are wanted or N is a host's group or block.
  template <bool Counted, int N>
  TESSERA_INLINE_ON_DEVICE static void add_usual(thread_type& thread, Spill<Counted>& spill, const T (&terms)[N],
                                                 const FieldRange& fields) {
    if constexpr (Wanted.sum) {
      auto&& rest = thread.on_use(spill, spill.sum_rest);
      Terms::template add<false>(thread.sum, rest, spill.sum, terms, fields);
    }
    if constexpr (Wanted.magnitude) {
      auto&& rest = thread.on_use(spill, spill.magnitude_rest);
      Terms::template add<true>(thread.magnitude, rest, spill.magnitude, terms, fields);
    }
    if constexpr (Wanted.squares) {
      auto&& rest = thread.on_use(spill, spill.squares_rest);
      Squares::add(thread.squares, rest, spill.squares, terms, fields);
    }
  }
};

}  // namespace tessera::detail

#endif

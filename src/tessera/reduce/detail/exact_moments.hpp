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
#include <tessera/reduce/detail/exact_rounding.hpp>
#include <tessera/reduce/detail/exact_squares.hpp>
#include <tessera/reduce/detail/exact_sums.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <tessera/reduce/detail/exact_window.hpp>
#include <tessera/reduce/detail/fold_context.hpp>
#include <tessera/reduce/detail/host_products.hpp>
#include <tessera/status.hpp>
#include <type_traits>

namespace tessera::detail {

/// Which sums a reducer wants.
struct Moments {
  bool sum = false, magnitude = false, squares = false;
};

/// Floating elements.
template <class T, Moments Wanted>
class ExactMoments {
  using Format = ExactFormat<T>;
  static constexpr bool narrow = std::is_same_v<T, float>;
  using Terms = ExactSums<T>;
  using Squares = ExactSquares<T>;
  /// All three at once have registers for nothing more.
  static constexpr bool can_count = !(Wanted.sum && Wanted.magnitude && Wanted.squares);
  template <bool Counted>
  using SumRest = ExactRest<typename Format::sum_digits, Counted>;
  struct Nothing {};
  template <bool Used, class Type>
  using If = std::conditional_t<Used, Type, Nothing>;
  using SumCounters = ExactCounters<typename Format::sum_digits>;
  using SquareCounters = ExactCounters<typename Format::product_digits>;

 public:
  struct thread_type {
    If<Wanted.sum, typename Terms::Expansion> sum;
    If<Wanted.magnitude, typename Terms::Expansion> magnitude;
    If<Wanted.squares, typename Squares::Expansion> squares;
  };
  struct digits_type {
    If<Wanted.sum, typename Format::sum_digits> sum;
    If<Wanted.magnitude, typename Format::sum_digits> magnitude;
    If<Wanted.squares, typename Format::product_digits> squares;
    Specials specials;
  };
  /// Counted: whether it may have counters, whose code costs short sums registers.
  template <bool Counted>
  struct Spill : digits_type {
    If<Wanted.sum, SumRest<Counted>> sum_rest;
    If<Wanted.magnitude, SumRest<Counted>> magnitude_rest;
    If<Wanted.squares, ExactRest<typename Format::product_digits, Counted>> squares_rest;
  };
  using spill_type = Spill<false>;
  using counted_spill_type = Spill<can_count>;

  template <bool Counted>
  KOKKOS_FUNCTION static void clear(Spill<Counted>& spill) {
    if constexpr (Wanted.sum) clear(spill.sum, spill.sum_rest);
    if constexpr (Wanted.magnitude) clear(spill.magnitude, spill.magnitude_rest);
    if constexpr (Wanted.squares) clear(spill.squares, spill.squares_rest);
    spill.specials = {0, 0, 0};
  }
  KOKKOS_FORCEINLINE_FUNCTION static void clear(thread_type& thread) {
    if constexpr (Wanted.sum) thread.sum.clear();
    if constexpr (Wanted.magnitude) thread.magnitude.clear();
    if constexpr (Wanted.squares) thread.squares.clear();
  }

  /// Team scratch for counters.
  KOKKOS_FUNCTION static constexpr std::size_t lent_bytes(int team_size) {
    if constexpr (!can_count) return 0;
    constexpr int sums = (Wanted.sum ? 1 : 0) + (Wanted.magnitude ? 1 : 0);
    return sums * SumCounters::bytes(team_size) + (Wanted.squares ? SquareCounters::bytes(team_size) : 0);
  }
  /// To all threads of a team, which call; a barrier must follow.
  template <TeamMember Member>
  KOKKOS_FUNCTION static void lend_scratch(const Member& team, counted_spill_type& spill,
                                           std::byte* scratch) requires can_count {
    if constexpr (Wanted.sum) {
      spill.sum_rest.counters.lend(team, scratch);
      scratch += SumCounters::bytes(team.team_size());
    }
    if constexpr (Wanted.magnitude) {
      spill.magnitude_rest.counters.lend(team, scratch);
      scratch += SumCounters::bytes(team.team_size());
    }
    if constexpr (Wanted.squares) spill.squares_rest.counters.lend(team, scratch);
  }

  template <bool Counted, int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION static void add(const FoldContext& context, thread_type& thread, Spill<Counted>& spill,
                                              const T (&elements)[N], const Index& index, const Status& status) {
    if constexpr (N == host_block) return add_block(context, thread, spill, elements, index, status);
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

  /// The sum of one thread, or of magnitudes, where its expansion has all of it and it is not to be none.
  template <bool Counted>
  KOKKOS_FORCEINLINE_FUNCTION static BoundedPair sum_pair(const thread_type& thread, const Spill<Counted>& spill,
                                                          bool none) {
    if constexpr (Wanted.sum) {
      return none || !spill.sum.empty() || spill.sum_rest.used ? BoundedPair::none() : thread.sum.pair();
    } else {
      const bool elsewhere = !spill.magnitude.empty() || spill.magnitude_rest.used;
      return none || elsewhere ? BoundedPair::none() : thread.magnitude.pair();
    }
  }
  template <bool Counted>
  KOKKOS_FORCEINLINE_FUNCTION static BoundedPair squares_pair(const thread_type& thread, const Spill<Counted>& spill,
                                                              bool none) {
    return none || !spill.squares.empty() || spill.squares_rest.used ? BoundedPair::none() : thread.squares.pair();
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
    if (team.team_rank() == 0) result.specials = {0, 0, 0};
    if constexpr (Wanted.sum) digits.sum_rest.note_use(team);
    if constexpr (Wanted.magnitude) digits.magnitude_rest.note_use(team);
    if constexpr (Wanted.squares) digits.squares_rest.note_use(team);
    close_alone(thread, digits);
    if (are_counters_lent(digits)) team.team_barrier();  // for all threads or none
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
  template <class Digits, class Rest>
  KOKKOS_FUNCTION static void clear(Digits& digits, Rest& rest) {
    digits.clear();
    rest.clear();
  }

  /// Whether all sums have counters; none has where one has none.
  template <bool Counted>
  KOKKOS_FUNCTION static bool are_counters_lent(const Spill<Counted>& spill) {
    if constexpr (Wanted.sum) {
      return spill.sum_rest.has_counters();
    } else if constexpr (Wanted.magnitude) {
      return spill.magnitude_rest.has_counters();
    } else {
      return spill.squares_rest.has_counters();
    }
  }

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

  static constexpr int word_shift = narrow ? 23 : 20;  // to the exponent field

  static FieldRange fields_of(const T (&elements)[host_block]) {
    if constexpr (narrow) {
      return field_range(elements);
    } else {
      const WordRange words = word_range(elements);
      return {static_cast<int>(words.smallest >> word_shift), static_cast<int>(words.largest >> word_shift)};
    }
  }

  /// A host's block: its sum is added as a whole where its terms are close enough, else group by group.
  template <bool Counted, class Index>
  static void add_block(const FoldContext& context, thread_type& thread, Spill<Counted>& spill,
                        const T (&elements)[host_block], const Index& index, const Status& status) {
#if defined(TESSERA_HOST_VECTORS)
    if constexpr (Wanted.sum != Wanted.magnitude && !Wanted.squares) {
      double total[narrow ? 1 : 2];
      if (sum_block<Wanted.magnitude, Terms::block_span>(elements, total)) {
        if constexpr (Wanted.sum) {
          add_terms<!narrow>(thread.sum, spill.sum_rest, spill.sum, total);
        } else {
          add_terms<!narrow>(thread.magnitude, spill.magnitude_rest, spill.magnitude, total);
        }
        return;
      }
    }
#endif
    if constexpr (!Wanted.squares) {
      const FieldRange fields = fields_of(elements);
      constexpr auto unusual_field = static_cast<int>(Format::unusual_word >> word_shift);
      if (fields.highest < unusual_field && fields.highest - fields.lowest <= Terms::block_span) {
        return add_usual(thread, spill, elements, fields);
      }
    }
#if defined(TESSERA_HOST_VECTORS)
    if constexpr (Wanted.squares) {
      if (add_close_block(thread, spill, elements, block_fields(elements))) return;
    }
#endif
    Index of_group = index;
    for (int first = 0; first < host_block; first += host_group, of_group.first += host_group) {
      add(context, thread, spill, *reinterpret_cast<const T(*)[host_group]>(elements + first), of_group, status);
    }
  }

  /// fields: of floats; of doubles where squares are wanted or N is a host's group or block.
  template <bool Counted, int N>
  TESSERA_INLINE_ON_DEVICE static void add_usual(thread_type& thread, Spill<Counted>& spill, const T (&terms)[N],
                                                 const FieldRange& fields) {
    if constexpr (Wanted.sum) Terms::template add<false>(thread.sum, spill.sum_rest, spill.sum, terms, fields);
    if constexpr (Wanted.magnitude) {
      Terms::template add<true>(thread.magnitude, spill.magnitude_rest, spill.magnitude, terms, fields);
    }
    if constexpr (Wanted.squares) Squares::add(thread.squares, spill.squares_rest, spill.squares, terms, fields);
  }
};

}  // namespace tessera::detail

#endif

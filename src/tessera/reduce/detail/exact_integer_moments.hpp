// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exact moments of integer elements.
#ifndef TESSERA_REDUCE_DETAIL_EXACT_INTEGER_MOMENTS_HPP
#define TESSERA_REDUCE_DETAIL_EXACT_INTEGER_MOMENTS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/exact_integer.hpp>
#include <tessera/detail/host_prefetch.hpp>
#include <tessera/detail/host_vector.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/exact_digits.hpp>
#include <tessera/reduce/detail/exact_expansion.hpp>
#include <tessera/reduce/detail/exact_moments.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <tessera/reduce/detail/fold_context.hpp>
#include <tessera/reduce/detail/host_integer_block.hpp>
#include <tessera/status.hpp>
#include <type_traits>

namespace tessera::detail {

/// Integer elements: plain integer sums of halves, emptied long before they could overflow.
template <class T, Moments Wanted>
requires std::is_integral_v<T>
class ExactMoments<T, Wanted> {
  using Digits = typename ExactFormat<T>::sum_digits;
  static constexpr bool wide = sizeof(T) == 8;

  struct Squares {
    SplitSum<std::uint64_t> low, high;
  };

 public:
  /// A host's block is of half a page.
  static constexpr int host_lanes = has_host_vectors ? static_cast<int>(host_page_bytes / 2 / sizeof(T)) : 1;
  struct thread_type : SpillAtOnce {
    SplitSum<std::int64_t> sum;  // narrow elements: the high word is all
    SplitSum<std::uint64_t> magnitude;
    Squares squares;
    std::int64_t terms;
  };
  struct digits_type {
    Digits sum, magnitude, squares;
    Specials specials;
  };
  using spill_type = digits_type;
  using counted_spill_type = spill_type;

  KOKKOS_FORCEINLINE_FUNCTION static void begin(thread_type& thread, digits_type& digits) {
    thread = {};
    digits.sum.clear();
    digits.magnitude.clear();
    digits.squares.clear();
    digits.specials = {0, 0, 0};
  }

  template <int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION static void add(const FoldContext&, thread_type& thread, digits_type& digits,
                                              const T (&elements)[N], const Index&, const Status&) {
    thread.terms += N;
    if (thread.terms > terms_max) {
      empty(thread, digits);
      thread.terms = N;
    }
#if defined(TESSERA_HOST_VECTORS)
    if constexpr (N == host_lanes) return add_block(thread, elements);
#endif
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      const T x = elements[k];
      const std::uint64_t size = magnitude_of(x);
      if constexpr (Wanted.sum && wide) {
        thread.sum.low += static_cast<std::uint64_t>(x) & 0xffffffffu;
        thread.sum.high += static_cast<std::int64_t>(x >> 32);
      } else if constexpr (Wanted.sum) {
        thread.sum.high += x;
      }
      if constexpr (Wanted.magnitude) thread.magnitude.add(size);
      if constexpr (Wanted.squares) {
        if constexpr (wide) {
          const UInt128 square = static_cast<UInt128>(size) * size;
          thread.squares.low.add(static_cast<std::uint64_t>(square));
          thread.squares.high.add(static_cast<std::uint64_t>(square >> 64));
        } else {
          thread.squares.low.add(size * size);
        }
      }
    }
  }

  KOKKOS_FUNCTION static void absorb(digits_type& digits, const digits_type& part) {
    if constexpr (Wanted.sum) digits.sum.add(part.sum);
    if constexpr (Wanted.magnitude) digits.magnitude.add(part.magnitude);
    if constexpr (Wanted.squares) digits.squares.add(part.squares);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void close_alone(thread_type& thread, digits_type& digits) {
    empty(thread, digits);
  }

  KOKKOS_FUNCTION static void carry(digits_type& digits) {
    if constexpr (Wanted.sum) digits.sum.carry();
    if constexpr (Wanted.magnitude) digits.magnitude.carry();
    if constexpr (Wanted.squares) digits.squares.carry();
  }

  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION static void close(const Member& team, thread_type& thread, digits_type& digits,
                                                digits_type& result, std::int64_t* tree) {
    empty(thread, digits);
    if (team.team_rank() == 0) result.specials = {0, 0, 0};
    if constexpr (Wanted.sum) close_digits<true>(team, digits.sum, result.sum, tree);
    if constexpr (Wanted.magnitude) close_digits<true>(team, digits.magnitude, result.magnitude, tree);
    if constexpr (Wanted.squares) close_digits<true>(team, digits.squares, result.squares, tree);
    team.team_barrier();
  }

  template <TeamMember Member>
  KOKKOS_FUNCTION static void store(const Member& team, const digits_type& from, digits_type& to) {
    if constexpr (Wanted.sum) store_digits(team, from.sum, to.sum);
    if constexpr (Wanted.magnitude) store_digits(team, from.magnitude, to.magnitude);
    if constexpr (Wanted.squares) store_digits(team, from.squares, to.squares);
    if (team.team_rank() == 0) to.specials = {0, 0, 0};
  }

 private:
  static constexpr std::int64_t terms_max = std::int64_t{1} << 28;  // of three halves below 2^32 each: below 2^62

#if defined(TESSERA_HOST_VECTORS)
  static void add_block(thread_type& thread, const T (&elements)[host_lanes]) {
    if constexpr (wide) {
      const WideIntegerBlock<T, Wanted> block(elements);
      thread.sum.low += block.sum_low;
      thread.sum.high += block.sum_high;
      thread.magnitude.low += block.magnitude.low_total();
      thread.magnitude.high += block.magnitude.high_total();
      thread.squares.low.low += block.low_low.low_total();
      thread.squares.low.high += block.low_low.high_total() + 2 * block.low_high.low_total();
      thread.squares.high.low += block.high_high.low_total() + 2 * block.low_high.high_total();
      thread.squares.high.high += block.high_high.high_total();
    } else {
      const NarrowIntegerBlock<T, Wanted> block(elements);
      thread.sum.high += block.sum;
      thread.magnitude.add(block.magnitude);
      const std::uint64_t low = block.squares.low_total(), high = block.squares.high_total();
      if constexpr (sizeof(T) == 4) {
        thread.squares.low.low += low;
        thread.squares.low.high += high;
      } else {
        thread.squares.low.add(low + (high << 8 * sizeof(T)));
      }
    }
  }
#endif

  KOKKOS_FUNCTION static void deposit(Digits& digits, const SplitSum<std::uint64_t>& sum, int position) {
    digits.deposit(static_cast<std::int64_t>(sum.low), position);  // both below 2^62
    digits.deposit(static_cast<std::int64_t>(sum.high), position + 32);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void empty(thread_type& thread, digits_type& digits) {
    if constexpr (Wanted.sum) {
      digits.sum.deposit(static_cast<std::int64_t>(thread.sum.low), 0);
      digits.sum.deposit(thread.sum.high, wide ? 32 : 0);
    }
    if constexpr (Wanted.magnitude) deposit(digits.magnitude, thread.magnitude, 0);
    if constexpr (Wanted.squares) deposit(digits.squares, thread.squares.low, 0);
    if constexpr (Wanted.squares && wide) deposit(digits.squares, thread.squares.high, 64);
    thread = {};
  }
};

}  // namespace tessera::detail

#endif

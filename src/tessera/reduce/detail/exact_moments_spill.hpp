// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread keeps of exact moments: expansions in registers, and a spill in slow memory.
#ifndef TESSERA_REDUCE_DETAIL_EXACT_MOMENTS_SPILL_HPP
#define TESSERA_REDUCE_DETAIL_EXACT_MOMENTS_SPILL_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <tessera/concepts.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/reduce/detail/exact_counters.hpp>
#include <tessera/reduce/detail/exact_expansion.hpp>
#include <tessera/reduce/detail/exact_squares.hpp>
#include <tessera/reduce/detail/exact_sums.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <type_traits>

namespace tessera::detail {

/// Which sums a reducer wants.
struct Moments {
  bool sum = false, magnitude = false, squares = false;
  /// All three at once have registers for nothing more.
  [[nodiscard]] KOKKOS_FUNCTION constexpr bool can_count() const { return !(sum && magnitude && squares); }
};

struct NoMoment {};
template <bool Used, class Type>
using MomentIf = std::conditional_t<Used, Type, NoMoment>;

template <class T, Moments Wanted>
struct MomentsThread : std::conditional_t<Wanted.can_count(), SpillUse, SpillAtOnce> {
  MomentIf<Wanted.sum, typename ExactSums<T>::Expansion> sum;
  MomentIf<Wanted.magnitude, typename ExactSums<T>::Expansion> magnitude;
  MomentIf<Wanted.squares, typename ExactSquares<T>::Expansion> squares;

  KOKKOS_FORCEINLINE_FUNCTION void clear() {
    if constexpr (Wanted.sum) sum.clear();
    if constexpr (Wanted.magnitude) magnitude.clear();
    if constexpr (Wanted.squares) squares.clear();
  }
};

template <class T, Moments Wanted>
struct MomentsDigits {
  using Sum = typename ExactFormat<T>::sum_digits;
  using Product = typename ExactFormat<T>::product_digits;
  MomentIf<Wanted.sum, Sum> sum;
  MomentIf<Wanted.magnitude, Sum> magnitude;
  MomentIf<Wanted.squares, Product> squares;
  Specials specials;
};

/// Counted: whether it may have counters, whose code costs short sums registers.
template <class T, Moments Wanted, bool Counted>
struct MomentsSpill : MomentsDigits<T, Wanted> {
  static constexpr bool is_counted = Counted;
  using SumRest = ExactRest<typename ExactFormat<T>::sum_digits, Counted>;
  using ProductRest = ExactRest<typename ExactFormat<T>::product_digits, Counted>;
  MomentIf<Wanted.sum, SumRest> sum_rest;
  MomentIf<Wanted.magnitude, SumRest> magnitude_rest;
  MomentIf<Wanted.squares, ProductRest> squares_rest;

  KOKKOS_FUNCTION void clear() {
    if constexpr (Wanted.sum) clear(this->sum, sum_rest);
    if constexpr (Wanted.magnitude) clear(this->magnitude, magnitude_rest);
    if constexpr (Wanted.squares) clear(this->squares, squares_rest);
    this->specials = {0, 0, 0};
  }
  /// For threads that are rare.
  TESSERA_NOINLINE KOKKOS_FUNCTION void clear_apart() { clear(); }

  /// Team scratch for counters.
  KOKKOS_FUNCTION static constexpr std::size_t lent_bytes(int team_size) requires Counted {
    constexpr int sums = (Wanted.sum ? 1 : 0) + (Wanted.magnitude ? 1 : 0);
    return sums * SumRest::lent_bytes(team_size) + (Wanted.squares ? ProductRest::lent_bytes(team_size) : 0);
  }
  /// To all threads of a team, which call; a barrier must follow.
  template <TeamMember Member>
  KOKKOS_FUNCTION void lend_scratch(const Member& team, std::byte* scratch) requires Counted {
    if constexpr (Wanted.sum) {
      sum_rest.counters.lend(team, scratch);
      scratch += SumRest::lent_bytes(team.team_size());
    }
    if constexpr (Wanted.magnitude) {
      magnitude_rest.counters.lend(team, scratch);
      scratch += SumRest::lent_bytes(team.team_size());
    }
    if constexpr (Wanted.squares) squares_rest.counters.lend(team, scratch);
  }
  KOKKOS_FUNCTION void lend_none() requires Counted {
    if constexpr (Wanted.sum) sum_rest.counters.lend_none();
    if constexpr (Wanted.magnitude) magnitude_rest.counters.lend_none();
    if constexpr (Wanted.squares) squares_rest.counters.lend_none();
  }
  /// Whether all sums have counters; none has where one has none.
  [[nodiscard]] KOKKOS_FUNCTION bool has_counters() const {
    if constexpr (Wanted.sum) {
      return sum_rest.has_counters();
    } else if constexpr (Wanted.magnitude) {
      return magnitude_rest.has_counters();
    } else {
      return squares_rest.has_counters();
    }
  }

 private:
  template <class Digits, class Rest>
  KOKKOS_FUNCTION static void clear(Digits& digits, Rest& rest) {
    digits.clear();
    rest.clear();
  }
};

}  // namespace tessera::detail

#endif

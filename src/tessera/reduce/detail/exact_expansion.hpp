// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fast part of an exact sum: a few doubles whose sum is the exact one. A term is added to the first, the rounding
// error of that to the second, and so on (J. Shewchuk, "Adaptive precision floating-point arithmetic and fast robust
// geometric predicates", 1997, GROW-EXPANSION). Ordinary data leave nothing after the second; what they do leave goes
// to counters in team scratch, or to further doubles in slow memory, and from there to the digits.
#ifndef TESSERA_REDUCE_DETAIL_EXACT_EXPANSION_HPP
#define TESSERA_REDUCE_DETAIL_EXACT_EXPANSION_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/host_vector.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/exact_counters.hpp>
#include <tessera/reduce/detail/exact_digits.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <type_traits>

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || \
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ == 1)
#error "Tessera's exact sums need IEEE arithmetic: compile without -ffast-math, -fassociative-math, -ffinite-math-only"
#endif

namespace tessera::detail {

/// An exact pair of multiples of the digits' unit to the digits.
template <class Digits>
KOKKOS_FUNCTION void deposit_pair(Digits& digits, const BoundedPair& pair) {
  deposit_multiple(digits, pair.high);
  deposit_multiple(digits, pair.low);
}

/// Parts: two for ordinary data; each further one adds 53 bits to what is summed without a look at the digits.
template <int Parts>
class ExactExpansion {
 public:
  KOKKOS_FORCEINLINE_FUNCTION void clear() {
    TESSERA_UNROLL
    for (int part = 0; part < Parts; ++part) m_part[part] = 0;
  }

  /// Adds finite terms below 2^1013 in magnitude. What finds no place is left in them; returns whether nothing is.
  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION bool add(double (&terms)[N]) {
    return add_from<0>(terms);
  }

  /// Whether such terms cannot overflow it.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool has_room() const {
    return magnitude_word(m_part[0]) < ExactFormat<double>::unusual_word;
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION BoundedPair pair() const {
    BoundedPair whole{m_part[Parts - 1], 0, 0};
    TESSERA_UNROLL
    for (int part = Parts - 2; part >= 0; --part) BoundedPairSum{}.join(whole, {m_part[part], 0, 0});
    return whole;
  }

  /// Moves everything to the digits.
  template <int LowBit, int Count>
  KOKKOS_FORCEINLINE_FUNCTION void empty(ExactDigits<LowBit, Count>& digits) {
    deposit_all(digits, kept());
    clear();
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Kept<double, Parts> kept() const { return Kept<double, Parts>(m_part); }

 private:
  template <int First, int N>
  KOKKOS_FORCEINLINE_FUNCTION bool add_from(double (&terms)[N]) {
    constexpr int last = First + 2 < Parts ? First + 2 : Parts;
    double left = 0;
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      TESSERA_UNROLL
      for (int part = First; part < last; ++part) {
        const ExactPair sum = two_sum(m_part[part], terms[k]);
        m_part[part] = sum.high;
        terms[k] = sum.low;
      }
      left += Kokkos::fabs(terms[k]);
    }
    if (left == 0) return true;
    if constexpr (last < Parts) {
      return add_from<last>(terms);
    } else {
      return false;
    }
  }

  double m_part[Parts];
};

/// Takes what an expansion in registers leaves: counters, where the team lends them, else another expansion, in slow
/// memory. Counted: whether it can have counters.
template <class Digits, bool Counted>
struct ExactRest {
  struct Nothing {};
  ExactExpansion<4> parts;
  std::conditional_t<Counted, ExactCounters<Digits>, Nothing> counters;
  bool used;  // else parts is not even initialised

  /// But for where the counters are.
  KOKKOS_FUNCTION void clear() { used = false; }

  KOKKOS_FUNCTION static constexpr std::size_t lent_bytes(int team_size) requires Counted {
    return ExactCounters<Digits>::bytes(team_size);
  }
  /// For what goes there.
  KOKKOS_FORCEINLINE_FUNCTION ExactRest& ready() { return *this; }

  [[nodiscard]] KOKKOS_FUNCTION bool has_counters() const {
    if constexpr (Counted) {
      return counters.are_lent();
    } else {
      return false;
    }
  }

  template <int N>
  TESSERA_NOINLINE KOKKOS_FUNCTION void add(Digits& digits, Kept<double, N>& terms) {
    if (has_counters()) {
      return count<53, N>([&](int k) { return term_of_multiple<Digits::low_bit>(terms.values[k]); });
    }
    if (!used) parts.clear();
    used = true;
    if (!parts.has_room()) parts.empty(digits);
    if (!parts.add(terms.values)) deposit_all(digits, terms);
  }

  /// An expansion that has no room for more.
  template <int Parts>
  TESSERA_NOINLINE KOKKOS_FUNCTION void add_whole(Digits& digits, const Kept<double, Parts>& expansion) {
    if (!has_counters()) return deposit_all(digits, expansion);
    count<53, Parts>([&](int k) { return term_of_multiple<Digits::low_bit>(expansion.values[k]); });
  }

  /// Finite elements, or their magnitudes, to counters that are lent.
  template <bool Magnitude, class T, int N>
  TESSERA_NOINLINE KOKKOS_FUNCTION void add_elements(const Kept<T, N>& elements) {
    count<FloatFormat<T>::mantissa, N>(
        [&](int k) { return term_of_value(Magnitude ? Kokkos::fabs(elements.values[k]) : elements.values[k]); });
  }
  /// Squares of finite elements, to counters that are lent.
  template <class T, int N>
  TESSERA_NOINLINE KOKKOS_FUNCTION void add_squares(const Kept<T, N>& elements) {
    constexpr int bits = 2 * FloatFormat<T>::mantissa;
    count<Kokkos::min(bits, 58), N>(
        [&](int k) { return terms_of_product(elements.values[k], elements.values[k]).low; });
    if constexpr (bits > 58) {
      count<bits - 58, N>([&](int k) { return terms_of_product(elements.values[k], elements.values[k]).high; });
    }
  }

  /// What no expansion holds: an element, or a product.
  template <class T>
  KOKKOS_FUNCTION void add_alone(Digits& digits, T element) {
    if (!has_counters()) return deposit_value(digits, element);
    used = true;
    if constexpr (Counted) deposit_value(counters, element);
  }
  template <class T>
  KOKKOS_FUNCTION void add_product(Digits& digits, T a, T b) {
    if (!has_counters()) return deposit_product(digits, a, b);
    used = true;
    if constexpr (Counted) deposit_product(counters, a, b);
  }

  KOKKOS_FUNCTION void empty(Digits& digits) {
    if (used && !has_counters()) parts.empty(digits);
    used = false;
  }

  /// What a team's counters hold, to the digits of its threads; between the two stands a barrier. empty() comes after
  /// the first.
  template <TeamMember Member>
  KOKKOS_FUNCTION void note_use(const Member& team) const {
    if constexpr (Counted) {
      if (used && has_counters()) counters.note_use(team);
    }
  }
  template <TeamMember Member>
  KOKKOS_FUNCTION void collect(const Member& team, Digits& digits) const {
    if constexpr (Counted) {
      if (has_counters()) counters.collect(team, digits);
    }
  }

 private:
  template <int Bits, int N, class TermOf>
  KOKKOS_FORCEINLINE_FUNCTION void count(const TermOf& term_of) {
    constexpr int at_once = Kokkos::min(N, ExactCounters<Digits>::terms_max);
    static_assert(N % at_once == 0);
    used = true;
    if constexpr (Counted) {
      TESSERA_NO_UNROLL
      for (int first = 0; first < N; first += at_once) {
        counters.template add<Bits, at_once>([&](int k) { return term_of(first + k); });
      }
    }
  }
};

/// An ExactRest in a spill that is set up when something goes there.
template <class Use, class Spill, class Rest>
struct RestOnUse {
  Use& use;
  Spill& spill;
  Rest& rest;
  KOKKOS_FORCEINLINE_FUNCTION Rest& ready() const {
    use.set_up(spill);
    return rest;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool has_counters() const { return rest.has_counters(); }
};

/// What a thread knows of its spill, in a register: nothing in one that may have counters is set up before something
/// goes there, but for where counters are. Most threads of a GPU have nothing, and what they stored would reach memory.
struct SpillUse {
  bool is_set_up;

  template <class Spill>
  KOKKOS_FORCEINLINE_FUNCTION void begin(Spill& spill) {
    is_set_up = !Spill::is_counted;
    if constexpr (Spill::is_counted) {
      spill.lend_none();
    } else {
      spill.clear();
    }
  }
  template <class Spill>
  KOKKOS_FORCEINLINE_FUNCTION void set_up([[maybe_unused]] Spill& spill) {
    if constexpr (Spill::is_counted) {
      if (!is_set_up) spill.clear_apart();
      is_set_up = true;
    }
  }
  template <class Spill, class Rest>
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) on_use([[maybe_unused]] Spill& spill, Rest& rest) {
    if constexpr (Spill::is_counted) {
      return RestOnUse<SpillUse, Spill, Rest>{*this, spill, rest};
    } else {
      return (rest);
    }
  }
};

/// The same of one that is set up at once.
struct SpillAtOnce {
  static constexpr bool is_set_up = true;
  template <class Spill>
  KOKKOS_FORCEINLINE_FUNCTION static void begin(Spill& spill) {
    spill.clear();
  }
  template <class Spill>
  KOKKOS_FORCEINLINE_FUNCTION static void set_up(Spill&) {}
  template <class Spill, class Rest>
  KOKKOS_FORCEINLINE_FUNCTION static Rest& on_use(Spill&, Rest& rest) {
    return rest;
  }
};

/// Adds terms as ExactExpansion::add() takes them, to the last bit. Unbounded: they could overflow it. Rest: an
/// ExactRest, at once or on use.
template <bool Unbounded, int Parts, class Rest, class Digits, int N>
KOKKOS_FORCEINLINE_FUNCTION void add_terms(ExactExpansion<Parts>& expansion, Rest& rest, Digits& digits,
                                           double (&terms)[N]) {
  if (Unbounded && !expansion.has_room()) {
    rest.ready().add_whole(digits, expansion.kept());
    expansion.clear();
  }
  if (!expansion.add(terms)) {
    Kept<double, N> kept(terms);
    rest.ready().add(digits, kept);
  }
}

/// (x + C) - C with this C is the piece of x that is a multiple of 2^(top-44), for x below 2^top (J. Demmel, P. Ahrens,
/// H. Nguyen, "Efficient reproducible floating point summation and BLAS", 2016, cut likewise but round). Pieces of 512
/// terms add without error, and so does what they leave where that spans no more than 53 bits less those of their
/// number.
KOKKOS_INLINE_FUNCTION double cut_below(int top) {
  const int unit = top - 44 < -1074 ? -1074 : top - 44;
  return Kokkos::bit_cast<double>((static_cast<std::uint64_t>(unit + 52 + 1023) << 52) | (std::uint64_t{1} << 51));
}

#if defined(TESSERA_HOST_VECTORS)
using HostTerms = HostVector<double, host_terms>;

inline HostTerms magnitudes_of(const HostTerms& terms) {
  using Bits = HostVector<std::int64_t, host_terms>;
  return (HostTerms)((Bits)terms & Kokkos::Experimental::finite_max_v<std::int64_t>);
}

template <int Chains>
double total_of(const HostTerms (&sums)[Chains]) {
  HostTerms sum = sums[0] + sums[1];
  for (int c = 2; c < Chains; c += 2) sum += sums[c] + sums[c + 1];
  return across<double, host_terms>(sum, [](const auto& a, const auto& b) { return a + b; });
}

/// Of N terms below 2^top that load(first, vector) takes host_terms at a time: the sums of their pieces, and of the
/// rest.
template <int N, class Load>
void add_cut(int top, const Load& load, double& pieces_sum, double& rest_sum) {
  static_assert(N % (host_chains * host_terms) == 0 && N <= 512);
  const double cut = cut_below(top);
  HostTerms pieces[host_chains] = {}, rest[host_chains] = {};
  TESSERA_KEEP_LOOP
  for (int first = 0; first < N; first += host_chains * host_terms) {
    for (int c = 0; c < host_chains; ++c) {
      HostTerms term;
      load(first + c * host_terms, term);
      const HostTerms piece = (term + cut) - cut;
      pieces[c] += piece;
      rest[c] += term - piece;
    }
  }
  pieces_sum = total_of(pieces);
  rest_sum = total_of(rest);
}
#endif

}  // namespace tessera::detail

#endif

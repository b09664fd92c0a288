// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Squares of elements as terms of an exact sum: those of floats are doubles, those of doubles are taken as x x rounded
// and its error, which fma gives.
#ifndef TESSERA_REDUCE_DETAIL_EXACT_SQUARES_HPP
#define TESSERA_REDUCE_DETAIL_EXACT_SQUARES_HPP

#include <Kokkos_Core.hpp>
#include <tessera/detail/host_vector.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/exact_expansion.hpp>
#include <tessera/reduce/detail/exact_rounding.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <tessera/reduce/detail/host_products.hpp>
#include <type_traits>

namespace tessera::detail {

template <class T>
class ExactSquares {
  using Format = ExactFormat<T>;
  static constexpr bool narrow = std::is_same_v<T, float>;

 public:
  using Expansion = ExactExpansion<narrow ? 3 : 4>;

  /// Whether N squares, and their errors, are in reach of one cut each.
  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION static bool can_cut(const FieldRange& fields) {
    const bool usual = narrow || (fields.lowest >= square_field_min && fields.highest <= square_field_max);
    return usual && fields.highest - fields.lowest <= (narrow ? 21 : 18) - (N > host_group ? 1 : 0);
  }

  /// elements: usual ones; fields: theirs, where N is 8 or more.
  template <int N, class Rest>
  KOKKOS_FORCEINLINE_FUNCTION static void add(Expansion& squares, Rest& rest, typename Format::product_digits& digits,
                                              const T (&elements)[N], const FieldRange& fields) {
    if (N >= 8 && can_cut<N>(fields)) {
      const int top = 2 * (fields.highest + 1 - FloatFormat<T>::exponent_max);
      double sums[narrow ? 2 : 4] = {};
      sum_cut(elements, top, sums);
      return add_terms<!narrow>(squares, rest, digits, sums);
    }
    // The expansion would leave most of them.
    if (N >= 8 && fields.highest - fields.lowest > expansion_span && rest.has_counters()) {
      const Kept<T, N> kept(elements);
      return rest.ready().add_squares(kept);
    }
    constexpr int group = N < group_max ? N : group_max;
    TESSERA_UNROLL
    for (int first = 0; first < N; first += group) {
      T factors[group];
      double terms[narrow ? group : 2 * group];
      bool usual = true;
      TESSERA_UNROLL
      for (int k = 0; k < group; ++k) {
        factors[k] = elements[first + k];
        const auto x = static_cast<double>(factors[k]);
        terms[k] = rounded_product(x, x);
        if constexpr (!narrow) {
          terms[group + k] = Kokkos::fma(x, x, -terms[k]);
          usual = usual && is_usual(x);
        }
      }
      if (!usual) {
        const Kept<T, group> kept(factors);
        take_out(rest.ready(), digits, kept);
        TESSERA_UNROLL
        for (int k = 0; k < group; ++k) {
          if (!is_usual(factors[k])) terms[k] = terms[(narrow ? 0 : group) + k] = 0;
        }
      }
      add_terms<!narrow>(squares, rest, digits, terms);
    }
  }

 private:
  /// Elements whose squares an expansion takes at once: more would not stay in registers.
  static constexpr int group_max = 4;
  /// Binades of elements whose squares it spans in which many have been added.
  static constexpr int expansion_span = 44;

  KOKKOS_FORCEINLINE_FUNCTION static bool is_usual(double x) {
    return is_usual_product(rounded_product(x, x)) || x == 0;
  }
  template <class Rest, int N>
  TESSERA_NOINLINE KOKKOS_FUNCTION static void take_out(Rest& rest, typename Format::product_digits& digits,
                                                        const Kept<T, N>& factors) {
    TESSERA_NO_UNROLL
    for (int k = 0; k < N; ++k) {
      const T x = factors.values[k];
      if (!is_usual(x)) rest.add_product(digits, x, x);
    }
  }

  /// Of squares below 2^top the sums of their pieces and of the rest, and the same of their errors.
  template <int N, int Sums>
  KOKKOS_FORCEINLINE_FUNCTION static void sum_cut(const T (&elements)[N], int top, double (&sums)[Sums]) {
#if defined(TESSERA_HOST_VECTORS)
    if constexpr (N >= host_group) return sum_products(elements, elements, top, sums);
#endif
    const double cut = cut_below(top), error_cut = cut_below(top - 53);
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      const auto x = static_cast<double>(elements[k]);
      const double square = rounded_product(x, x);
      const double piece = (square + cut) - cut;
      sums[0] += piece;
      sums[1] += square - piece;
      if constexpr (!narrow) {
        const double error = Kokkos::fma(x, x, -square);
        const double error_piece = (error + error_cut) - error_cut;
        sums[2] += error_piece;
        sums[3] += error - error_piece;
      }
    }
  }
};

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements, or their magnitudes, as terms of an exact sum: those in a few binades are added as they are or cut at one
// place, others go to the expansion one by one.
#ifndef TESSERA_REDUCE_DETAIL_EXACT_SUMS_HPP
#define TESSERA_REDUCE_DETAIL_EXACT_SUMS_HPP

#include <Kokkos_Core.hpp>
#include <bit>
#include <tessera/detail/host_vector.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/exact_block.hpp>
#include <tessera/reduce/detail/exact_expansion.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <type_traits>

namespace tessera::detail {

template <class T>
class ExactSums {
  using Format = ExactFormat<T>;
  static constexpr bool narrow = std::is_same_v<T, float>;

  /// Binades that N terms may span for one cut to leave what adds without error: 45 + 53 bits below the highest, less
  /// those of a term and of their number.
  template <int N>
  static constexpr int cut_span = 98 - FloatFormat<T>::mantissa - (std::bit_width(static_cast<unsigned>(N)) - 1);

 public:
  using Expansion = ExactExpansion<2>;
  /// Binades that a host's block may span to be added as a whole.
  static constexpr int block_span = narrow ? float_span(host_block) : cut_span<host_block>;

  /// elements: usual ones; fields: theirs, of floats and where N is a host's group or block.
  template <bool Magnitude, int N, class Rest>
  KOKKOS_FORCEINLINE_FUNCTION static void add(Expansion& sum, Rest& rest, typename Format::sum_digits& digits,
                                              const T (&elements)[N], const FieldRange& fields) {
    if constexpr (narrow && N > 1) {
      constexpr int span = float_span(N);
      if (fields.highest - fields.lowest <= span) {
        double total[1] = {plain_sum<Magnitude>(elements)};  // in 53 bits
        return add_terms<!narrow>(sum, rest, digits, total);
      }
      // The expansion would leave most of them.
      if (fields.highest - fields.lowest > expansion_span && rest.has_counters()) {
        const Kept<T, N> kept(elements);
        return rest.ready().template add_elements<Magnitude>(kept);
      }
    }
#if defined(TESSERA_HOST_VECTORS)
    if constexpr (N >= host_group) {
      if (fields.highest - fields.lowest <= cut_span<N>) {
        double sums[2];
        add_cut<N>(fields.highest + 1 - FloatFormat<T>::exponent_max, vector_of<Magnitude>(elements), sums[0], sums[1]);
        return add_terms<!narrow>(sum, rest, digits, sums);
      }
    }
#endif
    constexpr int group = N < group_max ? N : group_max;
    TESSERA_UNROLL
    for (int first = 0; first < N; first += group) {
      double terms[group];
      TESSERA_UNROLL
      for (int k = 0; k < group; ++k) terms[k] = term<Magnitude>(elements[first + k]);
      add_terms<!narrow>(sum, rest, digits, terms);
    }
  }

 private:
  /// Terms that an expansion takes at once: more would not stay in registers.
  static constexpr int group_max = narrow ? 4 : 8;
  /// Binades of floats that two doubles span in which many have been added.
  static constexpr int expansion_span = 64;

  template <bool Magnitude>
  KOKKOS_FORCEINLINE_FUNCTION static double term(T element) {
    const auto x = static_cast<double>(element);
    return Magnitude ? Kokkos::fabs(x) : x;
  }

  /// Of finite floats in a few binades.
  template <bool Magnitude, int N>
  KOKKOS_FORCEINLINE_FUNCTION static double plain_sum(const T (&elements)[N]) {
#if defined(TESSERA_HOST_VECTORS)
    if constexpr (N >= host_group) {
      HostTerms sums[host_chains] = {};
      TESSERA_KEEP_LOOP
      for (int first = 0; first < N; first += host_chains * host_terms) {
        for (int c = 0; c < host_chains; ++c) {
          HostTerms terms;
          vector_of<Magnitude>(elements)(first + c * host_terms, terms);
          sums[c] += terms;
        }
      }
      return total_of(sums);
    }
#endif
    double sum = 0;
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) sum += term<Magnitude>(elements[k]);
    return sum;
  }

#if defined(TESSERA_HOST_VECTORS)
  /// Loads elements as terms, for add_cut().
  template <bool Magnitude, int N>
  static auto vector_of(const T (&elements)[N]) {
    return [&elements](int first, HostTerms& terms) {
      if constexpr (narrow) {
        load_widened<host_terms>(elements + first, terms);
      } else {
        load_vector(elements + first, terms);
      }
      if (Magnitude) terms = magnitudes_of(terms);
    };
  }
#endif
};

}  // namespace tessera::detail

#endif

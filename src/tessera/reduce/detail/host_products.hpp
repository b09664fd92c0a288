// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact sums of the products of two blocks of elements on a host, in vectors: products, and the rounding errors of
// those of doubles, are cut in two pieces each, which add without error.
#ifndef TESSERA_REDUCE_DETAIL_HOST_PRODUCTS_HPP
#define TESSERA_REDUCE_DETAIL_HOST_PRODUCTS_HPP

#include <tessera/detail/host_prefetch.hpp>
#include <tessera/detail/host_vector.hpp>

#if defined(TESSERA_HOST_VECTORS)

#include <Kokkos_Core.hpp>
#include <tessera/detail/float_format.hpp>
#include <tessera/reduce/detail/exact_block.hpp>
#include <tessera/reduce/detail/exact_expansion.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <type_traits>

namespace tessera::detail {

/// Exponent fields of a block, of doubles by their high words: of zeros alone the lowest is the largest there is.
template <class T>
FieldRange block_fields(const T (&elements)[host_block]) {
  constexpr int chains = 2, lanes = LaneRange<T>::lanes;
  LaneRange<T> range[chains];
  TESSERA_KEEP_LOOP
  for (int first = 0; first < host_block; first += chains * lanes) {
    prefetch_page_ahead<chains * lanes>(elements + first);
    for (int c = 0; c < chains; ++c) {
      typename LaneRange<T>::Terms terms;
      load_vector(elements + first + c * lanes, terms);
      range[c].take(terms);
    }
  }
  range[0].join(range[1]);
  return block_fields(range[0]);
}

/// Products of such elements are below 2^(this).
template <class T>
int products_top(const FieldRange& x, const FieldRange& y) {
  return x.highest + y.highest + 2 * (1 - FloatFormat<T>::exponent_max);
}

/// Whether the products of a block are finite and what a cut leaves of them adds without error. Products of floats
/// below 2^top are multiples of 2^(top - 48 - span); those of doubles, rounded, of 2^(top - 54 - span), and their
/// errors, which are below 2^(top - 53), of 2^(top - 106 - span). A cut leaves half of 2^-44 times what terms are
/// below, and the sum of 2^9 such has to fit 53 bits.
template <class T>
bool can_cut_products(const FieldRange& x, const FieldRange& y) {
  constexpr bool narrow = std::is_same_v<T, float>;
  constexpr int infinite = 2 * FloatFormat<T>::exponent_max + 1;
  if (x.highest >= infinite || y.highest >= infinite) return false;
  const int highest = x.highest + y.highest, lowest = x.lowest + y.lowest;
  if constexpr (narrow) {
    return highest - lowest <= 41;
  } else {
    // No product near overflow; its last bit, and so its error, a double's; no subnormal element, whose bits are fewer.
    return highest <= 3048 && lowest >= 1076 && x.lowest > 0 && y.lowest > 0 && highest - lowest <= 35;
  }
}

/// Sums of products, and of their errors, each as pieces that a cut takes off and the rest.
template <class T>
struct ProductSums {
  HostTerms pieces = {}, rest = {};

  void add(const float* x, const float* y, double cut, double) {
    HostTerms a, b;
    load_widened<host_terms>(x, a);
    load_widened<host_terms>(y, b);
    const HostTerms product = a * b;  // exact, fused with what follows or not
    const HostTerms piece = (product + cut) - cut;
    pieces += piece;
    rest += product - piece;
  }
};
template <>
struct ProductSums<double> {
  HostTerms pieces = {}, rest = {}, error_pieces = {}, error_rest = {};

  void add(const double* x, const double* y, double cut, double error_cut) {
    HostTerms product, error;
    for (int j = 0; j < host_terms; ++j) {
      product[j] = rounded_product(x[j], y[j]);
      error[j] = Kokkos::fma(x[j], y[j], -product[j]);
    }
    const HostTerms piece = (product + cut) - cut;
    pieces += piece;
    rest += product - piece;
    const HostTerms error_piece = (error + error_cut) - error_cut;
    error_pieces += error_piece;
    error_rest += error - error_piece;
  }
};

/// Of products below 2^top: the sums of their pieces and of the rest, and for doubles the same of their errors.
template <class T, int N, int Sums>
void sum_products(const T (&x)[N], const T (&y)[N], int top, double (&sums)[Sums]) {
  constexpr bool narrow = std::is_same_v<T, float>;
  static_assert(Sums == (narrow ? 2 : 4) && N % (2 * host_terms) == 0 && N <= host_block);
  const double cut = cut_below(top), error_cut = cut_below(top - 53);
  ProductSums<T> even, odd;  // by name: an array of them would go to the stack
  TESSERA_KEEP_LOOP
  for (int first = 0; first < N; first += 2 * host_terms) {
    even.add(x + first, y + first, cut, error_cut);
    odd.add(x + first + host_terms, y + first + host_terms, cut, error_cut);
  }
  sums[0] = total_of({even.pieces, odd.pieces});
  sums[1] = total_of({even.rest, odd.rest});
  if constexpr (!narrow) {
    sums[2] = total_of({even.error_pieces, odd.error_pieces});
    sums[3] = total_of({even.error_rest, odd.error_rest});
  }
}

}  // namespace tessera::detail

#endif

#endif

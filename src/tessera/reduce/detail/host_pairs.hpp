// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact sums in a host's vectors: in three doubles each, as ExactFew<double> has them.
#ifndef TESSERA_REDUCE_DETAIL_HOST_PAIRS_HPP
#define TESSERA_REDUCE_DETAIL_HOST_PAIRS_HPP

#include <tessera/detail/host_vector.hpp>

#if defined(TESSERA_HOST_VECTORS)

#include <algorithm>
#include <cstddef>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <tessera/reduce/detail/host_rounding.hpp>
#include <tessera/transpose/detail/host_turn.hpp>

namespace tessera::detail {

/// sum = a + b; error: what is rounded off.
inline void two_sums(const HostTerms& a, const HostTerms& b, HostTerms& sum, HostTerms& error) {
  const HostTerms whole = a + b;
  const HostTerms from_b = whole - a;
  error = (a - (whole - from_b)) + (b - from_b);
  sum = whole;
}

/// A sum a lane: high + low, which lost bounds the rest of.
struct HostPairs {
  HostTerms high = {}, low = {}, lost = {};

  void add(const HostTerms& terms) {
    HostTerms error, left;
    two_sums(high, terms, high, error);
    two_sums(low, error, low, left);
    lost += magnitudes_of(left);
  }
  void add(const HostPairs& other) {
    add(other.high);
    add(other.low);
    lost += other.lost;
  }
  /// Exact: the squares are doubles, fused with what follows or not.
  template <bool Exact>
  void add_squares(const HostTerms& terms) {
    if constexpr (Exact) {
      add(terms * terms);
    } else {
      const HostTerms none = {}, least = none + 0x1p-1022;
      HostTerms squares, rest, left;
      fused(terms, terms, -none, squares);  // as rounded_product() does
      fused(terms, terms, -squares, rest);
      add(squares);
      two_sums(low, rest, low, left);
      // More than the smallest squares, and what they are rounded off, lose.
      lost += magnitudes_of(left) + (((squares < 0x1p-917) & (terms != 0)) ? least : none);
    }
  }
  /// low becomes what is rounded off high.
  void settle() { two_sums(high, low, high, low); }
};

/// In memory, side by side.
template <int Columns>
struct HostPairColumns {
  alignas(64) double high[Columns], low[Columns], lost[Columns];

  void clear(int count) {
    std::fill(high, high + count, 0.0);
    std::fill(low, low + count, 0.0);
    std::fill(lost, lost + count, 0.0);
  }
  void load(int c, HostPairs& pairs) const {
    load_vector(high + c, pairs.high);
    load_vector(low + c, pairs.low);
    load_vector(lost + c, pairs.lost);
  }
  void store(const HostPairs& pairs, int c) {
    store_vector(pairs.high, high + c);
    store_vector(pairs.low, low + c);
    store_vector(pairs.lost, lost + c);
  }
  /// Adds `count` sums to others.
  void add(int into, int from, int count) {
    HostPairs pairs, more;
    for (; count >= host_terms; count -= host_terms, into += host_terms, from += host_terms) {
      load(into, pairs);
      load(from, more);
      pairs.add(more);
      store(pairs, into);
    }
    if (count == 0) return;
    load_first(high + into, count, pairs.high);
    load_first(low + into, count, pairs.low);
    load_first(lost + into, count, pairs.lost);
    load_first(high + from, count, more.high);
    load_first(low + from, count, more.low);
    load_first(lost + from, count, more.lost);
    pairs.add(more);
    for (int lane = 0; lane < count; ++lane) {
      high[into + lane] = pairs.high[lane];
      low[into + lane] = pairs.low[lane];
      lost[into + lane] = pairs.lost[lane];
    }
  }
  [[nodiscard]] BoundedPair bounded(int c) const {
    const ExactPair whole = two_sum(high[c], low[c]);
    return {whole.high, whole.low, 2 * lost[c]};
  }
};

/// Lane k of row r to lane r of row k.
inline void turn_lanes(HostTerms (&rows)[host_terms]) {
#if defined(TESSERA_HOST_SHUFFLES)
  turn_vectors(rows);
#else
  HostTerms turned[host_terms];
  for (int r = 0; r < host_terms; ++r) {
    for (int k = 0; k < host_terms; ++k) turned[k][r] = rows[r][k];
  }
  std::copy(turned, turned + host_terms, rows);
#endif
}

/// The sum of each one's lanes, in its lane.
inline void sum_lanes(const HostPairs (&rows)[host_terms], HostPairs& sums) {
  HostTerms high[host_terms], low[host_terms], lost[host_terms];
  for (int r = 0; r < host_terms; ++r) {
    high[r] = rows[r].high;
    low[r] = rows[r].low;
    lost[r] = rows[r].lost;
  }
  turn_lanes(high);
  turn_lanes(low);
  turn_lanes(lost);
  sums = {high[0], low[0], lost[0]};
  for (int k = 1; k < host_terms; ++k) sums.add({high[k], low[k], lost[k]});
}

}  // namespace tessera::detail

#endif

#endif

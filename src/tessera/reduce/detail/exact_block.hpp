// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A host's block of terms in one scan: they are added as if their sum were exact, and what tells whether it is stands
// when they are.
#ifndef TESSERA_REDUCE_DETAIL_EXACT_BLOCK_HPP
#define TESSERA_REDUCE_DETAIL_EXACT_BLOCK_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <tessera/detail/host_prefetch.hpp>
#include <tessera/detail/host_vector.hpp>
#include <tessera/reduce/detail/exact_expansion.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <type_traits>

#if defined(TESSERA_HOST_VECTORS)

namespace tessera::detail {

template <class T>
FieldRange block_fields(const LaneRange<T>& range) {
  constexpr int shift = FloatFormat<T>::mantissa - 1 - 8 * (static_cast<int>(sizeof(T)) - 4);
  const WordRange words = range.words();
  return {static_cast<int>(words.smallest >> shift), static_cast<int>(words.largest >> shift)};
}

/// Sums floats; whether they are finite and span no more than Span binades, so that 53 bits hold the sum.
template <bool Magnitude, int Span>
bool sum_block(const float (&elements)[host_block], double (&total)[1]) {
  constexpr int ranges = 2, chains = 2 * ranges;
  LaneRange<float> range[ranges];
  HostTerms sums[chains] = {};
  TESSERA_KEEP_LOOP
  for (int first = 0; first < host_block; first += chains * host_terms) {
    prefetch_in_steps<chains * host_terms>(elements + first);
    for (int r = 0; r < ranges; ++r) {
      typename LaneRange<float>::Terms whole;
      load_vector(elements + first + 2 * r * host_terms, whole);
      range[r].take(whole);
    }
    for (int c = 0; c < chains; ++c) {
      HostTerms terms;
      load_widened<host_terms>(elements + first + c * host_terms, terms);
      if (Magnitude) terms = magnitudes_of(terms);
      sums[c] += terms;
    }
  }
  range[0].join(range[1]);
  const FieldRange fields = block_fields(range[0]);
  total[0] = total_of(sums);
  return fields.highest <= 2 * FloatFormat<float>::exponent_max && fields.highest - fields.lowest <= Span;
}

/// Sums doubles, cut below a power of two that a few of them propose; whether none is above it and all span no more
/// than Span binades from there, so that both sums are exact.
template <bool Magnitude, int Span>
bool sum_block(const double (&elements)[host_block], double (&total)[2]) {
  constexpr int chains = 2, samples = 4, slack = 8;
  LaneRange<double> sample;
  for (int s = 0; s < samples; ++s) {
    HostTerms terms;
    load_vector(elements + s * (host_block / samples), terms);
    sample.take(terms);
  }
  constexpr int usual = static_cast<int>(ExactFormat<double>::unusual_word >> 20) - 1;
  const int highest = Kokkos::min(block_fields(sample).highest + slack, usual);
  const double cut = cut_below(highest + 1 - FloatFormat<double>::exponent_max);

  LaneRange<double> range[chains];
  HostTerms pieces[chains] = {}, rest[chains] = {};
  TESSERA_KEEP_LOOP
  for (int first = 0; first < host_block; first += chains * host_terms) {
    prefetch_in_steps<chains * host_terms>(elements + first);
    for (int c = 0; c < chains; ++c) {
      HostTerms terms;
      load_vector(elements + first + c * host_terms, terms);
      range[c].take(terms);
      if (Magnitude) terms = magnitudes_of(terms);
      const HostTerms piece = (terms + cut) - cut;
      pieces[c] += piece;
      rest[c] += terms - piece;
    }
  }
  range[0].join(range[1]);
  const FieldRange fields = block_fields(range[0]);
  total[0] = total_of(pieces);
  total[1] = total_of(rest);
  return fields.highest <= highest && highest - fields.lowest <= Span;
}

/// The sum of count neighbouring floats, or of their magnitudes, block by block; no exact pair where one does not hold
/// it.
template <bool Magnitude>
BoundedPair sum_run(const float* elements, std::int64_t count) {
  constexpr int span = float_span(host_block);
  ExactFew<double> few;
  double total[1];
  std::int64_t at = 0;
  for (; at + host_block <= count; at += host_block) {
    const auto& block = *reinterpret_cast<const float(*)[host_block]>(elements + at);
    if (!sum_block<Magnitude, span>(block, total)) return BoundedPair::none();
    few.add(total[0]);
  }
  if (at < count) {
    float rest[host_block] = {};
    std::copy(elements + at, elements + count, rest);
    if (!sum_block<Magnitude, span>(rest, total)) return BoundedPair::none();
    few.add(total[0]);
  }
  return few.total();
}

}  // namespace tessera::detail

#endif

#endif

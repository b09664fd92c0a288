// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results of exact sums in two doubles, several at a time in a host's vectors: what rounded() and rounded_quotient()
// make of one, without their branches.
#ifndef TESSERA_REDUCE_DETAIL_HOST_ROUNDING_HPP
#define TESSERA_REDUCE_DETAIL_HOST_ROUNDING_HPP

#include <tessera/detail/host_vector.hpp>

#if defined(TESSERA_HOST_VECTORS)

#include <cmath>
#include <cstdint>
#include <cstring>
#include <tessera/reduce/detail/exact_block.hpp>
#include <type_traits>

namespace tessera::detail {

using HostTermBits = HostVector<std::int64_t, host_terms>;

/// Whether there are vectors of such results.
template <class Result>
inline constexpr bool rounds_in_vectors = std::is_same_v<Result, float> || std::is_same_v<Result, double>;

inline void bits_of(const HostTerms& values, HostTermBits& bits) { std::memcpy(&bits, &values, sizeof(bits)); }
inline void from_bits(const HostTermBits& bits, HostTerms& values) { std::memcpy(&values, &bits, sizeof(values)); }

/// to = a * b + c, rounded once.
inline void fused(const HostTerms& a, const HostTerms& b, const HostTerms& c, HostTerms& to) {
#if defined(__AVX512F__)
  to = (HostTerms)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__AVX2__) && defined(__FMA__)
  to = (HostTerms)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
  for (int lane = 0; lane < host_terms; ++lane) to[lane] = std::fma(a[lane], b[lane], c[lane]);
#endif
}

template <class Result>
void round_pairs(const HostTerms& high, const HostTerms& low, HostVector<Result, host_terms>& to) {
  if constexpr (std::is_same_v<Result, double>) {
    to = high;
  } else {
    HostTermBits bits;
    bits_of(high, bits);
    const HostTermBits one = bits * 0 + 1, same_side = (low > 0) == (high > 0);
    bits += (low != 0) & ((bits & 1) == 0) & (same_side ? one : -one);
    HostTerms odd;
    from_bits(bits, odd);
    to = __builtin_convertvector(odd, HostVector<Result, host_terms>);
  }
}

/// divisor: the whole number that all are divided by.
template <class Result>
void round_quotients(const HostTerms& high, const HostTerms& low, double divisor, HostVector<Result, host_terms>& to) {
  const HostTerms zero = {}, by = zero + divisor;
  const HostTerms dividend = high < 0 ? -high : high, rest = high < 0 ? -low : low;
  HostTerms quotient = dividend * (1 / divisor), left = {};
  HostTermBits bits;
  bits_of(quotient, bits);
  if constexpr (std::is_same_v<Result, double>) {
    for (bool moves = true; moves;) {
      HostTerms above, below;
      from_bits(bits + 1, above);
      from_bits(bits - 1, below);
      fused(-quotient, by, dividend, left);
      const HostTerms over = (2 * left - (above - quotient) * by) + 2 * rest;
      const HostTerms under = (2 * left + (quotient - below) * by) + 2 * rest;
      const HostTermBits odd = (bits & 1) != 0;
      const HostTermBits rises = (over > 0) | ((over == 0) & odd);
      const HostTermBits falls = ~rises & ((under < 0) | ((under == 0) & odd));
      bits += falls - rises;
      from_bits(bits, quotient);
      moves = across<std::int64_t, host_terms>(rises | falls, [](const auto& a, const auto& b) { return a | b; }) != 0;
    }
  } else {
    bits = (bits + 8) & ~std::int64_t{15};
    from_bits(bits, quotient);
    fused(-quotient, by, dividend, left);
    left += rest;
    bits += (left < 0) - (left > 0);
    from_bits(bits, quotient);
  }
  to = __builtin_convertvector(high < 0 ? -quotient : quotient, HostVector<Result, host_terms>);
}

}  // namespace tessera::detail

#endif

#endif

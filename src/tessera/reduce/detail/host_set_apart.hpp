// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is left out of a host's group or block, or goes its own way, taken out in vectors: the others are then folded as
// if it had never been there.
#ifndef TESSERA_REDUCE_DETAIL_HOST_SET_APART_HPP
#define TESSERA_REDUCE_DETAIL_HOST_SET_APART_HPP

#include <tessera/detail/host_vector.hpp>

#if defined(TESSERA_HOST_VECTORS)

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/float_format.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <type_traits>

namespace tessera::detail {

/// How many there were of each kind. others: finite, and too large for a sum of a few.
struct SetApart {
  std::int64_t nans, plus_infinities, minus_infinities, others;
};

/// Elements without those that no sum of a few may hold, which become zeros.
template <class T, int N>
SetApart set_unusual_apart(const T (&elements)[N], T (&ordinary)[N]) {
  using Bit = std::make_signed_t<typename FloatFormat<T>::bits_type>;
  constexpr int width = host_vector_bytes / static_cast<int>(sizeof(T));
  using Bits = HostVector<Bit, width>;
  constexpr Bit no_sign = Kokkos::Experimental::finite_max_v<Bit>;
  constexpr Bit infinity = static_cast<Bit>(2 * FloatFormat<T>::exponent_max + 1) << (FloatFormat<T>::mantissa - 1);
  constexpr Bit unusual = static_cast<Bit>(ExactFormat<T>::unusual_word) << (8 * (sizeof(T) - 4));
  Bits nans = {}, infinities = {}, negative = {}, all = {};
  TESSERA_KEEP_LOOP
  for (int first = 0; first < N; first += width) {
    Bits bits;
    load_vector(elements + first, bits);
    const Bits magnitudes = bits & no_sign;
    const Bits is_unusual = magnitudes >= unusual, is_infinite = magnitudes == infinity;
    all -= is_unusual;
    nans -= magnitudes > infinity;
    infinities -= is_infinite;
    negative -= is_infinite & (bits < 0);
    store_vector((HostVector<T, width>)(bits & ~is_unusual), ordinary + first);
  }
  SetApart apart{0, 0, 0, 0};
  for (int lane = 0; lane < width; ++lane) {
    apart.nans += nans[lane];
    apart.plus_infinities += infinities[lane] - negative[lane];
    apart.minus_infinities += negative[lane];
    apart.others += all[lane] - nans[lane] - infinities[lane];
  }
  return apart;
}

template <class T, int N>
std::int64_t count_nans(const T (&elements)[N]) {
  constexpr int width = host_vector_bytes / static_cast<int>(sizeof(T));
  HostVector<std::make_signed_t<typename FloatFormat<T>::bits_type>, width> counts = {};
  TESSERA_KEEP_LOOP
  for (int first = 0; first < N; first += width) {
    HostVector<T, width> loaded;
    load_vector(elements + first, loaded);
    counts -= loaded != loaded;
  }
  std::int64_t count = 0;
  for (int lane = 0; lane < width; ++lane) count += counts[lane];
  return count;
}

/// Elements with another one in place of each NaN.
template <class T, int N>
void replace_nans(const T (&elements)[N], const T& by, T (&numbers)[N]) {
  constexpr int width = host_vector_bytes / static_cast<int>(sizeof(T));
  HostVector<T, width> others = {};
  for (int lane = 0; lane < width; ++lane) others[lane] = by;
  TESSERA_KEEP_LOOP
  for (int first = 0; first < N; first += width) {
    HostVector<T, width> loaded;
    load_vector(elements + first, loaded);
    store_vector(loaded == loaded ? loaded : others, numbers + first);
  }
}

}  // namespace tessera::detail

#endif

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extrema and zeros of a block of integers or finite elements on a host, in vectors; positions are looked for where a
// block has a better element than those before.
#ifndef TESSERA_REDUCE_DETAIL_HOST_EXTREMA_HPP
#define TESSERA_REDUCE_DETAIL_HOST_EXTREMA_HPP

#include <tessera/detail/host_vector.hpp>

#if defined(TESSERA_HOST_VECTORS)

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/float_format.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <type_traits>

namespace tessera::detail {

template <class T>
struct BlockExtrema {
  T lowest, highest;
  std::int64_t zeros;
};

/// Integers of the size of T.
template <class T>
struct CountOf {
  using type = std::make_signed_t<T>;
};
template <class T>
requires std::is_floating_point_v<T>
struct CountOf<T> {
  using type = std::make_signed_t<typename FloatFormat<T>::bits_type>;
};

/// Of integers or finite elements; where not all are, the zeros alone.
template <class T, int Block>
BlockExtrema<T> block_extrema(const T (&elements)[Block]) {
  constexpr int width = host_vector_bytes / static_cast<int>(sizeof(T)), chains = 2;
  static_assert(sizeof(T) > 1 || Block / (chains * width) < 128);  // zeros of a lane of bytes
  using Elements = HostVector<T, width>;
  using Counts = HostVector<typename CountOf<T>::type, width>;
  Elements lowest[chains], highest[chains];
  Counts zeros[chains] = {};
  for (int c = 0; c < chains; ++c) {
    load_vector(elements + c * width, lowest[c]);
    highest[c] = lowest[c];
  }
  TESSERA_KEEP_LOOP
  for (int first = 0; first < Block; first += chains * width) {
    for (int c = 0; c < chains; ++c) {
      Elements loaded;
      load_vector(elements + first + c * width, loaded);
      lowest[c] = LesserOf{}(loaded, lowest[c]);
      highest[c] = GreaterOf{}(loaded, highest[c]);
      zeros[c] -= loaded == 0;
    }
  }
  BlockExtrema<T> extrema{across<T, width>(LesserOf{}(lowest[0], lowest[1]), LesserOf{}),
                          across<T, width>(GreaterOf{}(highest[0], highest[1]), GreaterOf{}), 0};
  for (const Counts& counts : zeros) {
    for (int lane = 0; lane < width; ++lane) extrema.zeros += counts[lane];
  }
  return extrema;
}

template <class T>
TESSERA_NOINLINE std::int64_t negative_zeros(const T (&elements)[host_block]) {
  using Bits = typename FloatFormat<T>::bits_type;
  Bits count = 0;
  for (const T& element : elements) count += Kokkos::bit_cast<Bits>(element) == Kokkos::bit_cast<Bits>(-T(0));
  return static_cast<std::int64_t>(count);
}

/// R: as ArgFold has it, of first positions. value: the best of the elements.
template <class R, class T, int Block, class Index>
void take_best(typename R::value_type& best, const T& value, const T (&elements)[Block], const Index& index) {
  const bool may_be_earlier = !Index::ascending || index(0) < best.index;
  if (!R::better(value, best.value) && !(value == best.value && may_be_earlier)) return;
  constexpr int group = 64;
  static_assert(Block % group == 0);
  for (int first = 0; first < Block; first += group) {
    bool any = false;
    for (int k = first; k < first + group; ++k) any |= elements[k] == value;
    if (!any) continue;
    for (int k = first; k < first + group; ++k) {
      if (elements[k] == value) R{}.join(best, {elements[k], index(k)});
    }
    if (Index::ascending) return;
  }
}

}  // namespace tessera::detail

#endif

#endif

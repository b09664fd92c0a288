// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inner loop of linear filters on a host: a block of sums in vector registers while the taps go by.
#ifndef TESSERA_FILTER_DETAIL_HOST_CORRELATE_HPP
#define TESSERA_FILTER_DETAIL_HOST_CORRELATE_HPP

#include <tessera/detail/host_vector.hpp>

namespace tessera::detail {

#ifdef TESSERA_HOST_VECTORS

/// out[j] = sums[j] + sum_k weights[k] x[j + k] for j < Outputs, the terms in the order of k. sums may be out, or null
/// for zeros.
template <int Outputs, class T>
void host_correlate(const T* weights, int taps, const T* x, const T* sums, T* out) {
  constexpr int width = 32 / sizeof(T), held = 8;  // half of the vector registers of most machines
  using Vector = HostVector<T, width>;
  static_assert(Outputs % (held * width) == 0);
  for (int first = 0; first < Outputs; first += held * width) {
    Vector sum[held] = {};
    if (sums != nullptr) {
      for (int v = 0; v < held; ++v) load_vector(sums + first + v * width, sum[v]);
    }
    for (int k = 0; k < taps; ++k) {
      const T* elements = x + first + k;
      for (int v = 0; v < held; ++v) {
        Vector element;
        load_vector(elements + v * width, element);
        // Apart, as for single outputs: compilers that contract within a statement alone must treat both alike.
        const Vector product = weights[k] * element;
        sum[v] += product;
      }
    }
    for (int v = 0; v < held; ++v) store_vector(sum[v], out + first + v * width);
  }
}

#endif

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inner loop of linear filters on a host: a block of sums in vector registers while the taps go by.
#ifndef TESSERA_FILTER_DETAIL_HOST_CORRELATE_HPP
#define TESSERA_FILTER_DETAIL_HOST_CORRELATE_HPP

#include <tessera/detail/host_stream.hpp>
#include <tessera/detail/host_vector.hpp>

namespace tessera::detail {

#ifdef TESSERA_HOST_VECTORS

/// out[j] = sums[j] + sum_k weights[k] x[j + k] for j < Outputs, the terms in the order of k. sums may be out, or null
/// for zeros. Streamed: past the caches, out on a line.
template <int Outputs, bool Streamed = false, class T>
void host_correlate(const T* weights, int taps, const T* x, const T* sums, T* out) {
  // Half of the vector registers of most machines; fewer where stores should leave the core a few at a time.
  constexpr int width = 32 / sizeof(T), held = Streamed ? 4 : 8;
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
    for (int v = 0; v < held; ++v) {
#ifdef TESSERA_STREAMING_STORES
      if constexpr (Streamed) {
        stream_vector(sum[v], out + first + v * width);
        continue;
      }
#endif
      store_vector(sum[v], out + first + v * width);
    }
  }
}

/// host_correlate of count >= Outputs outputs, whole lines of them past the caches: the share of a thread. sums: not
/// out.
template <int Outputs, class T>
void stream_correlate(const T* weights, int taps, const T* x, const T* sums, T* out, int count, int rank, int size) {
  const auto sums_from = [&](int first) { return sums == nullptr ? nullptr : sums + first; };
  const int head = line_head(out), rest = (count - head) % Outputs;
  T run[Outputs];
  if (rank == 0 && head > 0) {
    host_correlate<Outputs>(weights, taps, x, sums, run);
    stream_elements(run, out, head);
  }
  for (int first = head + rank * Outputs; first + Outputs <= count; first += size * Outputs) {
    host_correlate<Outputs, has_streaming_stores>(weights, taps, x + first, sums_from(first), out + first);
  }
  if (rank == size - 1 && rest > 0) {
    const int first = count - Outputs;
    host_correlate<Outputs>(weights, taps, x + first, sums_from(first), run);
    stream_elements(run + (Outputs - rest), out + (count - rest), rest);
  }
}

#endif

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relaxed loads and stores of words that other threads change meanwhile. Kokkos::atomic_load and atomic_store are loops
// of compare and swap, which take the word from all that wait for it.
#ifndef TESSERA_DETAIL_RELAXED_HPP
#define TESSERA_DETAIL_RELAXED_HPP

#include <Kokkos_Core.hpp>
#include <atomic>

namespace tessera::detail {

/// Whether an aligned access is one instruction everywhere; CUDA's memory model has a volatile one as a relaxed one.
template <class T>
concept RelaxedWord = sizeof(T) == 4 || sizeof(T) == 8;

template <RelaxedWord T>
KOKKOS_FORCEINLINE_FUNCTION T load_relaxed(T* word) {
  KOKKOS_IF_ON_DEVICE((return *static_cast<volatile T*>(word);))
  KOKKOS_IF_ON_HOST((return std::atomic_ref<T>(*word).load(std::memory_order_relaxed);))
}

template <RelaxedWord T>
KOKKOS_FORCEINLINE_FUNCTION void store_relaxed(T* word, T value) {
  KOKKOS_IF_ON_DEVICE((*static_cast<volatile T*>(word) = value;))
  KOKKOS_IF_ON_HOST((std::atomic_ref<T>(*word).store(value, std::memory_order_relaxed);))
}

}  // namespace tessera::detail

#endif

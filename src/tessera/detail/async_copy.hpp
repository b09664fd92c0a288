// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies from memory to team scratch that go on while their threads do other work, where the device has them; elsewhere
// they are done at once.
#ifndef TESSERA_DETAIL_ASYNC_COPY_HPP
#define TESSERA_DETAIL_ASYNC_COPY_HPP

#include <Kokkos_Core.hpp>
#include <tessera/detail/packed.hpp>

namespace tessera::detail {

/// Begins to copy 4, 8 or 16 bytes, which are aligned to their size on both sides.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void copy_async(T* scratch, const T* memory) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(scratch));
  const std::size_t from = __cvta_generic_to_global(memory);
  if constexpr (sizeof(T) == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(sizeof(T)) : "memory");
  }
#else
  *scratch = *memory;
#endif
}

/// What a thread has begun since it last said so is a group.
KOKKOS_FORCEINLINE_FUNCTION void end_async_group() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits for a thread's own groups, but for the last Later of them. A barrier then shows them to its team.
template <int Later>
KOKKOS_FORCEINLINE_FUNCTION void wait_for_async_groups() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Later) : "memory");
#endif
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies from memory to team scratch that go on while their threads do other work, where the device has them; elsewhere
// they are done at once.
#ifndef TESSERA_DETAIL_ASYNC_COPY_HPP
#define TESSERA_DETAIL_ASYNC_COPY_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/unroll.hpp>

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

/// Where in scratch, which begins on a 16-byte boundary and has room for a sector more, elements of memory begin, so
/// that sectors of memory are sectors there: others are read twice in pieces of 16 bytes (measured on an H100).
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T* async_place(const T* memory, T* scratch) {
  const auto bytes = reinterpret_cast<std::uintptr_t>(memory) - reinterpret_cast<std::uintptr_t>(scratch);
  return scratch + static_cast<unsigned>(bytes % sector_bytes) / sizeof(T);
}

/// The elements of memory, at most count, before those that may begin where scratch does.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION int async_head(const T* memory, int count, const void* scratch) {
  const auto bytes = reinterpret_cast<std::uintptr_t>(scratch) - reinterpret_cast<std::uintptr_t>(memory);
  return Kokkos::min(count, static_cast<int>(static_cast<unsigned>(bytes % sector_bytes) / sizeof(T)));
}

/// Begins to copy a thread's share of count elements to their place in scratch, and returns that. Those beside pieces
/// of 16 bytes are copied at once where they are too short for more, or have no alignment for it.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T* begin_copy(const T* memory, int count, T* scratch, int thread, int threads) {
  constexpr int width = packed_length<T>;
  const auto head = static_cast<int>(misaligned_head(memory, count));
  const int pieces = (count - head) / width, tail = head + pieces * width;
  T* const to = async_place(memory, scratch);
  const auto* from_pieces = reinterpret_cast<const Packed<T>*>(memory + head);
  auto* to_pieces = reinterpret_cast<Packed<T>*>(to + head);
  // A warp's pieces are whole lines of the cache: 1 to 5 % in kernels of windows (measured on an H100).
  constexpr int line_pieces = 128 / sizeof(Packed<T>);
  const auto within = static_cast<int>(reinterpret_cast<std::uintptr_t>(from_pieces) / sizeof(Packed<T>) % line_pieces);
  int piece = thread - within;
  TESSERA_NO_UNROLL
  while (piece < 0) piece += threads;
  TESSERA_NO_UNROLL
  for (; piece < pieces; piece += threads) copy_async(to_pieces + piece, from_pieces + piece);
  for (int i = thread; i < head + count - tail; i += threads) {
    const int at = i < head ? i : tail + i - head;
    if constexpr (sizeof(T) >= 4 && alignof(T) == sizeof(T)) {
      copy_async(to + at, memory + at);
    } else {
      to[at] = memory[at];
    }
  }
  return to;
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

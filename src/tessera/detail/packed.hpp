// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 16-byte accesses: what a GPU thread moves best at once.
#ifndef TESSERA_DETAIL_PACKED_HPP
#define TESSERA_DETAIL_PACKED_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/unroll.hpp>
#include <type_traits>

namespace tessera::detail {

inline constexpr int packed_bytes = 16;

/// What a GPU's memory moves at once.
inline constexpr std::uintptr_t sector_bytes = 32;

/// Where tiles of matrices begin if they can: in views behind Kokkos' header of 128 bytes those that begin with their
/// matrix straddle these boundaries, which costs 5 % on an H200, 8 % off 128 bytes too.
inline constexpr std::uintptr_t tile_boundary = 256;

/// The boundaries that a tile's segments of so many elements can keep.
class TileBoundary {
 public:
  TileBoundary(int elements, std::size_t element_bytes)
      : m_bytes(element_bytes),
        m_boundary(std::min<std::uintptr_t>(tile_boundary, std::uintptr_t{1} << std::countr_zero(elements * m_bytes))) {
  }

  /// Whether a step of so many elements leads from one to another.
  [[nodiscard]] bool keeps(std::int64_t stride) const {
    return stride * static_cast<std::int64_t>(m_bytes) % static_cast<std::int64_t>(m_boundary) == 0;
  }
  /// Elements from the last one to an address; 0 where they are no whole number.
  [[nodiscard]] int lead(std::uintptr_t address) const {
    const std::uintptr_t off = address % m_boundary;
    return off % m_bytes == 0 ? static_cast<int>(off / m_bytes) : 0;
  }

 private:
  std::uintptr_t m_bytes, m_boundary;
};

/// Of an address the bits that say where in a sector it is.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t low_address(const void* memory) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(memory));
}

/// Elements of T in one 16-byte access; 1 where they do not divide it.
template <class T>
inline constexpr int packed_length = packed_bytes % sizeof(T) == 0 ? packed_bytes / static_cast<int>(sizeof(T)) : 1;

/// Length: fewer for narrower accesses.
template <class T, int Length = packed_length<T>>
struct alignas(std::has_single_bit(Length * sizeof(T)) && Length * sizeof(T) <= packed_bytes ? Length * sizeof(T)
                                                                                             : alignof(T)) Packed {
  T values[Length];
};

/// Moves values[shift .. shift + Length - 1] to the front, 0 <= shift < Length, by the shift's binary digits: registers
/// have no index.
template <int Length, class T>
KOKKOS_FORCEINLINE_FUNCTION void shift_down(T (&values)[2 * Length], int shift) {
  TESSERA_UNROLL
  for (int step = Length / 2; step > 0; step /= 2) {
    const bool moves = (shift & step) != 0;
    TESSERA_UNROLL
    for (int k = 0; k < Length + step - 1; ++k) {
      if (moves) values[k] = values[k + step];
    }
  }
}

/// Elements before the first 16-byte boundary at or after data, at most size. All where none lies on a boundary, as
/// types may whose alignment is less than their size.
template <class T>
KOKKOS_FUNCTION std::int64_t misaligned_head(const T* data, std::int64_t size) {
  const auto misalignment = reinterpret_cast<std::uintptr_t>(data) % alignof(Packed<T>);
  if (alignof(T) < sizeof(T) && misalignment % sizeof(T) != 0) return size;
  const auto head = static_cast<std::int64_t>((alignof(Packed<T>) - misalignment) % alignof(Packed<T>) / sizeof(T));
  return head < size ? head : size;
}

#if defined(KOKKOS_ENABLE_CUDA)
using Whole16 = uint4;
#else
using Whole16 = Packed<std::uint32_t, 4>;
#endif

/// What compilers move in one access, in place of a structure of that size, which they take apart.
template <class T>
using whole_of = std::conditional_t<
    sizeof(T) == 16, Whole16,
    std::conditional_t<sizeof(T) == 8, std::uint64_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t,
                                          std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                                             std::conditional_t<sizeof(T) == 1, std::uint8_t, T>>>>>;

/// What a kernel only reads, in one access: compilers would split one whose elements are not all used.
template <class T, int Length>
KOKKOS_FORCEINLINE_FUNCTION Packed<T, Length> load_whole(const Packed<T, Length>* memory) {
#if defined(__CUDA_ARCH__)
  using Whole = whole_of<Packed<T, Length>>;
  if constexpr (!std::is_same_v<Whole, Packed<T, Length>>) {
    return Kokkos::bit_cast<Packed<T, Length>>(__ldg(reinterpret_cast<const Whole*>(memory)));
  }
#endif
  return *memory;
}

/// What will not be needed again: its line leaves the cache first.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T load_once(const T* memory) {
#if defined(__CUDA_ARCH__)
  if constexpr (!std::is_same_v<whole_of<T>, T>) {
    return Kokkos::bit_cast<T>(__ldcs(reinterpret_cast<const whole_of<T>*>(memory)));
  }
#endif
  return *memory;
}

/// Likewise.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void store_once(T* memory, const T& value) {
#if defined(__CUDA_ARCH__)
  if constexpr (!std::is_same_v<whole_of<T>, T>) {
    __stcs(reinterpret_cast<whole_of<T>*>(memory), Kokkos::bit_cast<whole_of<T>>(value));
    return;
  }
#endif
  *memory = value;
}

/// Writes in one access.
template <class T, int Length>
KOKKOS_FORCEINLINE_FUNCTION void store_whole(Packed<T, Length>* memory, const Packed<T, Length>& value) {
#if defined(__CUDA_ARCH__)
  using Whole = whole_of<Packed<T, Length>>;
  if constexpr (!std::is_same_v<Whole, Packed<T, Length>>) {
    __stwb(reinterpret_cast<Whole*>(memory), Kokkos::bit_cast<Whole>(value));
    return;
  }
#endif
  *memory = value;
}

/// A piece of scratch to memory. Compilers would make a bit_cast of it, in scratch, an access for each byte.
template <class T, int Length>
KOKKOS_FORCEINLINE_FUNCTION void copy_whole(Packed<T, Length>* memory, const Packed<T, Length>* scratch) {
#if defined(__CUDA_ARCH__)
  using Whole = whole_of<Packed<T, Length>>;
  if constexpr (!std::is_same_v<Whole, Packed<T, Length>>) {
    __stwb(reinterpret_cast<Whole*>(memory), *reinterpret_cast<const Whole*>(scratch));
    return;
  }
#endif
  *memory = *scratch;
}

/// Writes a thread's share of count elements of scratch, the first 16-byte piece of memory at slots + head, to memory.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void store_slots(const T* slots, T* memory, int count, int head, int thread, int threads) {
  constexpr int length = packed_length<T>;
  const int pieces = (count - head) / length;
  const auto* from = reinterpret_cast<const Packed<T>*>(slots + head);
  auto* to = reinterpret_cast<Packed<T>*>(memory + head);
  for (int p = thread; p < pieces; p += threads) copy_whole(to + p, from + p);
  const int others = count - pieces * length;
  for (int e = thread; e < others; e += threads) {
    const int i = e < head ? e : pieces * length + e;
    memory[i] = slots[i];
  }
}

/// The elements from the one at shift on, 0 <= shift < Length, of a pack and the one after it: those of a pack that
/// does not lie on its boundary.
template <class T, int Length>
KOKKOS_FORCEINLINE_FUNCTION Packed<T, Length> funnel(const Packed<T, Length>& first, const Packed<T, Length>& second,
                                                     int shift) {
  static_assert((Length & (Length - 1)) == 0);
  T values[2 * Length];
  TESSERA_UNROLL
  for (int k = 0; k < Length; ++k) {
    values[k] = first.values[k];
    values[Length + k] = second.values[k];
  }
  shift_down<Length>(values, shift);
  Packed<T, Length> result;
  TESSERA_UNROLL
  for (int k = 0; k < Length; ++k) result.values[k] = values[k];
  return result;
}

}  // namespace tessera::detail

#endif

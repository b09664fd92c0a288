// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 16-byte accesses: what a GPU thread moves best at once.
#ifndef TESSERA_DETAIL_PACKED_HPP
#define TESSERA_DETAIL_PACKED_HPP

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>

namespace tessera::detail {

inline constexpr int packed_bytes = 16;

/// Elements of T in one 16-byte access; 1 where they do not divide it.
template <class T>
inline constexpr int packed_length = packed_bytes % sizeof(T) == 0 ? packed_bytes / static_cast<int>(sizeof(T)) : 1;

/// Length: fewer for narrower accesses.
template <class T, int Length = packed_length<T>>
struct alignas(std::has_single_bit(Length * sizeof(T)) && Length * sizeof(T) <= packed_bytes ? Length * sizeof(T)
                                                                                             : alignof(T)) Packed {
  T values[Length];
};

/// Elements before the first 16-byte boundary at or after data, at most size. All where none lies on a boundary, as
/// types may whose alignment is less than their size.
template <class T>
KOKKOS_FUNCTION std::int64_t misaligned_head(const T* data, std::int64_t size) {
  const auto misalignment = reinterpret_cast<std::uintptr_t>(data) % alignof(Packed<T>);
  if (alignof(T) < sizeof(T) && misalignment % sizeof(T) != 0) return size;
  const auto head = static_cast<std::int64_t>((alignof(Packed<T>) - misalignment) % alignof(Packed<T>) / sizeof(T));
  return head < size ? head : size;
}

}  // namespace tessera::detail

#endif

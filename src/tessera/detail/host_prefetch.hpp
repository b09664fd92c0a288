// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cache lines that a host is asked for ahead of their use.
#ifndef TESSERA_DETAIL_HOST_PREFETCH_HPP
#define TESSERA_DETAIL_HOST_PREFETCH_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/host_stream.hpp>

namespace tessera::detail {

/// Asks for the line of what lies `offset` elements further, in the array or not: a host's own prefetching ends
/// with a page. Locality: 3 for the nearest cache, 2 for the one behind it.
template <int Locality = 3, class T>
KOKKOS_FORCEINLINE_FUNCTION void prefetch_line([[maybe_unused]] const T* element,
                                               [[maybe_unused]] std::int64_t offset) {
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(element) +
                                                   static_cast<std::uintptr_t>(offset) * sizeof(T)),
                     0, Locality);
  // Else GCC takes this for a function without effects, and leaves out calls of it.
  asm volatile("");
#endif
}

/// Asks for so many elements from there on: of many for the first lines, as those behind them come as a stream.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void prefetch_run(const T* elements, std::int64_t offset, std::int64_t count) {
  constexpr std::int64_t bytes_max = 1024;
  const auto* bytes = reinterpret_cast<const std::byte*>(elements);
  const std::int64_t begin = offset * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t length = Kokkos::min(count * static_cast<std::int64_t>(sizeof(T)), bytes_max);
  for (std::int64_t at = 0; at < length; at += stream_line) prefetch_line(bytes, begin + at);
  prefetch_line(bytes, begin + length - 1);
}

/// The offset for it that leads from one array into another.
template <class T>
std::int64_t elements_between(const T* from, const T* to) {
  const auto bytes = reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
  return static_cast<std::int64_t>(bytes) / static_cast<std::int64_t>(sizeof(T));
}

inline constexpr std::size_t host_page_bytes = 4096;

/// Count elements that lie a page further. Best in the loop over a block, few at a time: all of its lines at once take
/// the buffers that its loads wait for. There the second cache will do.
template <int Count, int Locality = 2, class T>
void prefetch_page_ahead(const T* elements) {
  const auto* bytes = reinterpret_cast<const std::byte*>(elements);
  constexpr auto end = static_cast<std::int64_t>(host_page_bytes + Count * sizeof(T));
  for (std::int64_t at = host_page_bytes; at < end; at += stream_line) prefetch_line<Locality>(bytes, at);
}

/// Likewise where much is computed of each element, and few loads are under way behind so many instructions: what comes
/// soon goes on from the second cache to the nearest one.
template <int Count, class T>
void prefetch_in_steps(const T* elements) {
  constexpr std::int64_t soon = 768;
  prefetch_page_ahead<Count>(elements);
  const auto* bytes = reinterpret_cast<const std::byte*>(elements);
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(Count * sizeof(T)); at += stream_line) {
    prefetch_line(bytes, soon + at);
  }
}

}  // namespace tessera::detail

#endif

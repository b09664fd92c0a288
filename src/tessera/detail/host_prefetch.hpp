// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cache lines that a host is asked for ahead of their use.
#ifndef TESSERA_DETAIL_HOST_PREFETCH_HPP
#define TESSERA_DETAIL_HOST_PREFETCH_HPP

#include <cstddef>
#include <cstdint>
#include <tessera/detail/host_stream.hpp>

namespace tessera::detail {

/// Asks for the line of what lies `offset` elements further, in the array or not: a host's own prefetching ends
/// with a page. Locality: 3 for the nearest cache, 2 for the one behind it.
template <int Locality = 3, class T>
void prefetch_line(const T* element, std::int64_t offset) {
#if defined(__GNUC__)
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(element) +
                                                   static_cast<std::uintptr_t>(offset) * sizeof(T)),
                     0, Locality);
#endif
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

}  // namespace tessera::detail

#endif

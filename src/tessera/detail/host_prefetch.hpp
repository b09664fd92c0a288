// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cache lines that a host is asked for ahead of their use.
#ifndef TESSERA_DETAIL_HOST_PREFETCH_HPP
#define TESSERA_DETAIL_HOST_PREFETCH_HPP

#include <cstdint>

namespace tessera::detail {

/// Asks for the line of what lies `offset` elements further, in the array or not: a host's own prefetching ends
/// with a page.
template <class T>
void prefetch_line(const T* element, std::int64_t offset) {
#if defined(__GNUC__)
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(element) +
                                                   static_cast<std::uintptr_t>(offset) * sizeof(T)));
#endif
}

}  // namespace tessera::detail

#endif

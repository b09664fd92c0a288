// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one thread of a host works on, in its first cache.
#ifndef TESSERA_DETAIL_HOST_BUFFER_HPP
#define TESSERA_DETAIL_HOST_BUFFER_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>

namespace tessera::detail {

/// Room for elements of a trivially copyable type, on the stack.
template <class T, int Size>
struct HostBuffer {
  alignas(64) std::byte bytes[Size * sizeof(T)];
  KOKKOS_FUNCTION T* elements() { return reinterpret_cast<T*>(bytes); }
};

}  // namespace tessera::detail

#endif

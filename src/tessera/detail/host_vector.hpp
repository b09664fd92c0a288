// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of numbers on a host, by an extension that GCC and Clang share: neither makes them of loops whose additions
// must keep their order, or of blocks of sums. Where the machine's are narrower, the compiler takes several.
#ifndef TESSERA_DETAIL_HOST_VECTOR_HPP
#define TESSERA_DETAIL_HOST_VECTOR_HPP

#if defined(__GNUC__) && !defined(__CUDACC__) && !defined(__HIPCC__)
#define TESSERA_HOST_VECTORS

#include <cstring>

namespace tessera::detail {

inline constexpr bool has_host_vectors = true;
inline constexpr int host_vector_width = 4;

template <class T, int Width>
struct HostVectorOf {
  typedef T type __attribute__((vector_size(Width * sizeof(T))));
};
template <class T, int Width = host_vector_width>
using HostVector = typename HostVectorOf<T, Width>::type;

/// By reference: vectors that a machine may lack have no agreed way to be returned.
template <class T, class Vector>
void load_vector(const T* from, Vector& to) {
  std::memcpy(&to, from, sizeof(to));
}

/// A memcpy would go through the stack where the vector is one of an array.
template <class T, class Vector>
void store_vector(const Vector& from, T* to) {
  typedef T Unaligned __attribute__((vector_size(sizeof(Vector)), aligned(alignof(T)), may_alias));
  *reinterpret_cast<Unaligned*>(to) = from;
}

}  // namespace tessera::detail

#else

namespace tessera::detail {

inline constexpr bool has_host_vectors = false;

}  // namespace tessera::detail

#endif

#endif

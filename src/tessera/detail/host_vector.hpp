// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of four numbers on a host, by an extension that GCC and Clang share: neither makes them of loops whose
// additions must keep their order. Where the machine's are narrower, the compiler takes several.
#ifndef TESSERA_DETAIL_HOST_VECTOR_HPP
#define TESSERA_DETAIL_HOST_VECTOR_HPP

#if defined(__GNUC__) && !defined(__CUDACC__) && !defined(__HIPCC__)
#define TESSERA_HOST_VECTORS

#include <cstring>

namespace tessera::detail {

inline constexpr bool has_host_vectors = true;
inline constexpr int host_vector_width = 4;

template <class T>
struct HostVectorOf {
  typedef T type __attribute__((vector_size(host_vector_width * sizeof(T))));
};
template <class T>
using HostVector = typename HostVectorOf<T>::type;

/// By reference: vectors that a machine may lack have no agreed way to be returned.
template <class T>
void load_vector(const T* from, HostVector<T>& to) {
  std::memcpy(&to, from, sizeof(to));
}

}  // namespace tessera::detail

#else

namespace tessera::detail {

inline constexpr bool has_host_vectors = false;

}  // namespace tessera::detail

#endif

#endif

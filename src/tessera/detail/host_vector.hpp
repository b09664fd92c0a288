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

/// Before a loop over a group: laid out whole, its vectors would go to the stack.
#if defined(__clang__)
#define TESSERA_KEEP_LOOP _Pragma("unroll 1")
#else
#define TESSERA_KEEP_LOOP _Pragma("GCC unroll 1")
#endif

namespace tessera::detail {

inline constexpr bool has_host_vectors = true;

template <class T, int Width>
struct HostVectorOf {
  typedef T type __attribute__((vector_size(Width * sizeof(T))));
};
template <class T, int Width>
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

/// Calls op(chains, elements) for groups of as many elements as there are chains, one group after the other.
template <int Lanes, class Chain, class T, class Op>
void chain_groups(Chain (&chains)[Lanes], const T* elements, int groups, const Op& op) {
  HostVector<Chain, Lanes> into;
  load_vector(chains, into);
  for (int group = 0; group < groups; ++group) {
    HostVector<T, Lanes> of_group;
    load_vector(elements + group * Lanes, of_group);
    op(into, of_group);
  }
  store_vector(into, chains);
}

/// into += terms, of wider numbers.
template <class Into, class Term, int Lanes>
struct AddWidened {
  void operator()(HostVector<Into, Lanes>& into, const HostVector<Term, Lanes>& terms) const {
    into += __builtin_convertvector(terms, HostVector<Into, Lanes>);
  }
};

}  // namespace tessera::detail

#else

namespace tessera::detail {

inline constexpr bool has_host_vectors = false;

}  // namespace tessera::detail

#endif

#endif

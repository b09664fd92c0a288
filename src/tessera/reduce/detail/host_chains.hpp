// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains of a reducer in a host's vectors.
#ifndef TESSERA_REDUCE_DETAIL_HOST_CHAINS_HPP
#define TESSERA_REDUCE_DETAIL_HOST_CHAINS_HPP

#include <tessera/detail/host_vector.hpp>

#if defined(TESSERA_HOST_VECTORS)

#include <tessera/detail/host_prefetch.hpp>

namespace tessera::detail {

/// Calls op(chains, elements) for groups of as many elements as there are chains, one group after the other, in vectors
/// that the machine has. Of several groups each asks for what lies a page further, as its loads alone would wait.
template <int Lanes, class Chain, class T, class Op>
void chain_groups(Chain (&chains)[Lanes], const T* elements, int groups, const Op& op) {
  constexpr int held = host_vector_bytes / static_cast<int>(sizeof(Chain) > sizeof(T) ? sizeof(Chain) : sizeof(T));
  constexpr int width = Lanes < held ? Lanes : held, parts = Lanes / width;
  HostVector<Chain, width> into[parts];
  for (int part = 0; part < parts; ++part) load_vector(chains + part * width, into[part]);
  TESSERA_KEEP_LOOP
  for (int group = 0; group < groups; ++group) {
    if (groups > 1) prefetch_page_ahead<Lanes>(elements + group * Lanes);
    for (int part = 0; part < parts; ++part) {
      HostVector<T, width> of_group;
      load_vector(elements + group * Lanes + part * width, of_group);
      op(into[part], of_group);
    }
  }
  for (int part = 0; part < parts; ++part) store_vector(into[part], chains + part * width);
}

/// into += terms, of wider numbers.
struct AddWidened {
  template <class Into, class Terms>
  void operator()(Into& into, const Terms& terms) const {
    into += __builtin_convertvector(terms, Into);
  }
};

}  // namespace tessera::detail

#endif

#endif

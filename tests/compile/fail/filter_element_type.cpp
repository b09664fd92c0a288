// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::filter: the element types must be numbers
#include <tessera/filter/filter.hpp>

#if defined(TESSERA_CONTROL)
using Element = float;
#else
using Element = std::byte;
#endif

using Space = Kokkos::DefaultExecutionSpace;

void call(const Space& space, const Kokkos::View<Element*>& in, const tessera::FilterWeights<Space>& weights,
          const Kokkos::View<Element*>& out) {
  tessera::correlate(space, in, weights, out);
}

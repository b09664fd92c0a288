// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::filter: `in` must have rank 1 to 8
#include <tessera/filter/filter.hpp>

#if defined(TESSERA_CONTROL)
using Array = Kokkos::View<float*>;
#else
using Array = Kokkos::View<float>;
#endif

using Space = Kokkos::DefaultExecutionSpace;

void call(const Space& space, const Array& in, const tessera::FilterWeights<Space>& weights, const Array& out) {
  tessera::correlate(space, in, weights, out);
}

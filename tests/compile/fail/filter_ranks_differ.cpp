// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::filter: `in` and `out` must have the same rank
#include <tessera/filter/filter.hpp>

#if defined(TESSERA_CONTROL)
using Out = Kokkos::View<float**>;
#else
using Out = Kokkos::View<float*>;
#endif

using Space = Kokkos::DefaultExecutionSpace;

void call(const Space& space, const Kokkos::View<float**>& in, const tessera::FilterWeights<Space>& weights,
          const Out& out) {
  tessera::convolve(space, in, weights, out);
}

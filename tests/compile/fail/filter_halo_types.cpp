// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::Halo: its views must have the elements of `in`
#include <tessera/filter/filter.hpp>

#if defined(TESSERA_CONTROL)
using Element = float;
#else
using Element = double;
#endif

using Space = Kokkos::DefaultExecutionSpace;

void call(const Space& space, const Kokkos::View<float*>& in, const tessera::FilterWeights<Space>& weights,
          const Kokkos::View<float*>& out, const Kokkos::View<Element*>& halo) {
  tessera::correlate(space, in, weights, out, {}, tessera::Halo{halo, tessera::NoHalo{}});
}

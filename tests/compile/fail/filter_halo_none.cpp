// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::Halo: a halo has at least one side
#include <tessera/filter/filter.hpp>

using Space = Kokkos::DefaultExecutionSpace;

#if defined(TESSERA_CONTROL)
using Left = Kokkos::View<float*>;
#else
using Left = tessera::NoHalo;
#endif

void call(const Space& space, const Kokkos::View<float*>& in, const tessera::FilterWeights<Space>& weights,
          const Kokkos::View<float*>& out, const Left& left) {
  tessera::correlate(space, in, weights, out, {}, tessera::Halo{left, tessera::NoHalo{}});
}

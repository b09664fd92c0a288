// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::filter: `out` must be in memory that the space can access
#include <tessera/filter/filter.hpp>

#if defined(TESSERA_CONTROL)
using Memory = Kokkos::CudaSpace;
#else
using Memory = Kokkos::HostSpace;
#endif

using Space = Kokkos::Cuda;

void call(const Space& space, const Kokkos::View<const float*, Kokkos::CudaSpace>& in,
          const tessera::FilterWeights<Space>& weights, const Kokkos::View<float*, Memory>& out) {
  tessera::correlate(space, in, weights, out);
}

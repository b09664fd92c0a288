// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::reduce: `in` must be in memory that the space can access
#include <tessera/reduce/reduce.hpp>

#if defined(TESSERA_CONTROL)
using Space = Kokkos::Cuda;
#else
using Space = Kokkos::Serial;
#endif

float call(const Space& space, const Kokkos::View<const float*, Kokkos::CudaSpace>& in) {
  return tessera::reduce(space, in, tessera::Sum<float>{});
}

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::permute: `in` must be in memory that the space can access
#include <tessera/transpose/transpose.hpp>

#if defined(TESSERA_CONTROL)
using Memory = Kokkos::CudaSpace;
#else
using Memory = Kokkos::HostSpace;
#endif

void call(const Kokkos::Cuda& space, const Kokkos::View<float**, Memory>& in,
          const Kokkos::View<float**, Kokkos::CudaSpace>& out) {
  tessera::transpose(space, in, out);
}

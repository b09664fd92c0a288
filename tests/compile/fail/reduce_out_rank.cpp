// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::reduce: `out` must have rank 0
#include <tessera/reduce/reduce.hpp>

#if defined(TESSERA_CONTROL)
using Out = Kokkos::View<float>;
#else
using Out = Kokkos::View<float*>;
#endif

using Space = Kokkos::DefaultExecutionSpace;

void call(const Space& space, const Kokkos::View<const float*>& in, const Out& out) {
  tessera::reduce(space, in, tessera::Sum<float>{}, out);
}

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::transpose: both views must have the same element type
#include <tessera/transpose/transpose.hpp>

#if defined(TESSERA_CONTROL)
using Out = Kokkos::View<float**>;
#else
using Out = Kokkos::View<double**>;
#endif

using Space = Kokkos::DefaultExecutionSpace;

void call(const Space& space, const Kokkos::View<const float**>& in, const Out& out) {
  tessera::transpose(space, in, out);
}

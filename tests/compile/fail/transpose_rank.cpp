// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::transpose: views must have rank 2, or 3 for many matrices
#include <tessera/transpose/transpose.hpp>

#if defined(TESSERA_CONTROL)
using Array = Kokkos::View<float**>;
#else
using Array = Kokkos::View<float****>;
#endif

using Space = Kokkos::DefaultExecutionSpace;

void call(const Space& space, const Array& in, const Array& out) { tessera::transpose(space, in, out); }

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::transpose: both views must have rank 2
#include <tessera/transpose/transpose.hpp>

#if defined(TESSERA_CONTROL)
using Array = Kokkos::View<float**>;
#else
using Array = Kokkos::View<float***>;
#endif

using Space = Kokkos::DefaultExecutionSpace;

void call(const Space& space, const Array& in, const Array& out) { tessera::transpose(space, in, out); }

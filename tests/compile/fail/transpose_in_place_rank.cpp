// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::transpose_in_place: `view` must have rank 2 or 3
#include <tessera/transpose/transpose_in_place.hpp>

#if defined(TESSERA_CONTROL)
using Array = Kokkos::View<float***>;
#else
using Array = Kokkos::View<float****>;
#endif

using Space = Kokkos::DefaultExecutionSpace;

void call(const Space& space, const Array& array) { tessera::transpose_in_place(space, array); }

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: `out` must have the elements of `in`, of a box of integers double
#include <tessera/filter/window_filter.hpp>

#if defined(TESSERA_CONTROL)
using Means = Kokkos::View<double*>;
#else
using Means = Kokkos::View<int*>;
#endif

void call(const Kokkos::DefaultExecutionSpace& space, const Kokkos::View<int*>& in, const Means& out) {
  tessera::box_filter(space, in, 3, out);
}

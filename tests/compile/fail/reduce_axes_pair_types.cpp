// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::reduce_axes: `x` and `y` must have the same element type
#include <tessera/reduce/dot_axes.hpp>

#if defined(TESSERA_CONTROL)
using Second = double;
#else
using Second = float;
#endif

using Space = Kokkos::DefaultExecutionSpace;

void call(const Space& space, const Kokkos::View<const double**>& x, const Kokkos::View<const Second**>& y,
          const Kokkos::View<double*>& out) {
  tessera::reduce_axes(space, x, y, {0}, tessera::Dot<double>{}, out);
}

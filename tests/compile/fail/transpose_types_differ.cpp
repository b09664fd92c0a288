// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::permute: elements of `in` must be of the type of `out`, or numbers like them
#include <tessera/transpose/transpose.hpp>

struct Pair {
  float x, y;
};
#if defined(TESSERA_CONTROL)
using Out = Kokkos::View<double**>;
#else
using Out = Kokkos::View<Pair**>;
#endif

using Space = Kokkos::DefaultExecutionSpace;

void call(const Space& space, const Kokkos::View<const float**>& in, const Out& out) {
  tessera::transpose(space, in, out);
}

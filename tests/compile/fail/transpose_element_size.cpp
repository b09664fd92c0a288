// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::transpose: the element type must be trivially copyable and of 1 to 16 bytes
#include <tessera/transpose/transpose.hpp>

#if defined(TESSERA_CONTROL)
struct Element {
  double x, y;
};
#else
struct Element {
  double x, y, z;
};
#endif

using Space = Kokkos::DefaultExecutionSpace;

void call(const Space& space, const Kokkos::View<Element**>& in, const Kokkos::View<Element**>& out) {
  tessera::transpose(space, in, out);
}

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::permute: elements must be trivially copyable
#include <tessera/transpose/transpose.hpp>

struct Element {
  double x, y, z;
#if !defined(TESSERA_CONTROL)
  KOKKOS_FUNCTION Element() : x(0), y(0), z(0) {}
  KOKKOS_FUNCTION Element(const Element& other) : x(other.x), y(other.y), z(other.z) {}
#endif
};

using Space = Kokkos::DefaultExecutionSpace;

void call(const Space& space, const Kokkos::View<Element**>& in, const Kokkos::View<Element**>& out) {
  tessera::transpose(space, in, out);
}

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A second translation unit with the same headers: a definition that is not inline would collide at link time.
#include <Kokkos_Core.hpp>
#include <tessera/tessera.hpp>

void transposed(const Kokkos::View<int**>& in, const Kokkos::View<int**>& out) {
  tessera::transpose(Kokkos::DefaultExecutionSpace(), in, out);
}

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::Halo: a halo has at least one side
#include <tessera/filter/window_filter.hpp>

#if defined(TESSERA_CONTROL)
using Left = Kokkos::View<float*>;
#else
using Left = tessera::NoHalo;
#endif

void call(const Kokkos::DefaultExecutionSpace& space, const Kokkos::View<float*>& in, const Kokkos::View<float*>& out,
          const Left& left) {
  tessera::min_filter(space, in, 3, out, {}, tessera::Halo{left, tessera::NoHalo{}});
}

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::stencil: the radius must be 0 to 16
#include <tessera/filter/stencil.hpp>

#if defined(TESSERA_CONTROL)
constexpr int radius = 16;
#else
constexpr int radius = 17;
#endif

struct Centre {
  KOKKOS_INLINE_FUNCTION float operator()(const tessera::StencilWindow<float, radius>& window) const {
    return window[0];
  }
};

void call(const Kokkos::DefaultExecutionSpace& space, const Kokkos::View<float*>& in, const Kokkos::View<float*>& out) {
  tessera::stencil<radius>(space, in, out, Centre());
}

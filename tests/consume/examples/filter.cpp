// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <cstdio>
#include <tessera/tessera.hpp>

// A stencil of our own: any function of an element and its neighbours, here the steeper of its two slopes.
struct Steepness {
  template <class Window>
  KOKKOS_FUNCTION float operator()(const Window& u) const {
    return Kokkos::fmax(Kokkos::fabs(u[1] - u[0]), Kokkos::fabs(u[0] - u[-1]));
  }
};

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  const Kokkos::DefaultExecutionSpace space;
  const Kokkos::View<float**> field("field", 200, 1000), smooth("smooth", 200, 1000), steep("steep", 200, 1000);
  Kokkos::deep_copy(space, Kokkos::subview(field, 100, Kokkos::ALL), 1.0f);

  // Weights are copied to the device once, for as many calls as you like. Beyond the ends lies the nearest element.
  const tessera::FilterWeights weights(space, tessera::gaussian_weights(2.0));
  const auto nearest = tessera::BoundaryMode::nearest;
  tessera::convolve(space, field, weights, smooth, {.axis = 0, .mode_left = nearest, .mode_right = nearest});

  // Radius 1, along the same axis. Asynchronous as well: it runs behind the filter, on the same instance.
  tessera::stencil<1>(space, smooth, steep, Steepness{}, {.axis = 0});

  const float highest = tessera::reduce(space, smooth, tessera::Max<float>{});
  const float steepest = tessera::reduce(space, steep, tessera::Max<float>{});
  std::printf("highest %g, steepest %g\n", highest, steepest);
  return std::abs(highest - 0.19947f) < 1e-3f && steepest > 0.05f && steepest < highest ? 0 : 1;
}

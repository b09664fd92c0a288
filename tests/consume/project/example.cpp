// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdio>
#include <tessera/tessera.hpp>

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  const Kokkos::DefaultExecutionSpace space;
  const Kokkos::View<float**, Kokkos::LayoutRight> field("field", 200, 1000), smooth("smooth", 200, 1000);
  Kokkos::deep_copy(space, field, 1.5f);

  // Smooth every row; the ends are reflected.
  const std::array<double, 3> taps{0.25, 0.5, 0.25};
  const tessera::FilterWeights weights(space, taps);
  tessera::correlate(space, field, weights, smooth, {.mode_left = tessera::BoundaryMode::reflect});

  // Turn the matrix.
  const Kokkos::View<float**, Kokkos::LayoutRight> turned("turned", 1000, 200);
  tessera::transpose(space, smooth, turned);

  // Reduce it, twice asynchronously into views without any allocation, once into a value.
  const Kokkos::View<float> sum("sum"), max("max");
  const auto plan = tessera::reduce_plan<float>(space, tessera::Sum<float>{}, turned.size());
  const tessera::Workspace workspace(space, plan.workspace_bytes);
  tessera::reduce(space, turned, tessera::Sum<float>{}, sum, {}, workspace);
  tessera::reduce(space, turned, tessera::Max<float>{}, max, {}, workspace);
  const float min = tessera::reduce(space, turned, tessera::Min<float>{});
  std::printf("min %g, %s\n", min, tessera::to_string(plan).c_str());
  return min == 1.5f ? 0 : 1;
}

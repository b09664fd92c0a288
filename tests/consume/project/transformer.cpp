// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wide filter through tessera::transform, where that has a library for the space.
#include <Kokkos_Core.hpp>
#include <tessera/filter/filter_transform.hpp>
#include <vector>

namespace {

/// A mean of ones is one.
template <class Space>
bool is_right(const Space& space) {
  if constexpr (tessera::has_transform<Space>) {
    const Kokkos::View<float*, Space> in("in", 5000), out("out", 5000);
    Kokkos::deep_copy(space, in, 1.0f);
    const tessera::FilterWeights<Space> weights(space, std::vector<double>(1000, 0.001));
    const tessera::FilterTransform<Space, float> transform(space, weights);
    tessera::correlate(space, in, transform, out);
    const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
    for (std::size_t i = 0; i < result.extent(0); ++i) {
      if (Kokkos::abs(result(i) - 1.0f) > 1e-6f) return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return is_right(Kokkos::DefaultExecutionSpace()) ? 0 : 1;
}

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <tessera/tessera.hpp>

// A reducer of our own: what an element counts, how two values become one, and the value that changes none.
struct CountAbove {
  using value_type = std::int64_t;
  KOKKOS_FUNCTION value_type map(double x) const { return x > limit ? 1 : 0; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into += from; }
  KOKKOS_FUNCTION value_type identity() const { return 0; }
  double limit;
};

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  using Space = Kokkos::DefaultExecutionSpace;
  const Space space = Kokkos::Experimental::partition_space(Space(), 1)[0];  // an instance of our own
  const Kokkos::View<double**> field("field", 300, 500);
  Kokkos::deep_copy(space, field, 0.1);

  // Made once, for as many calls as you like.
  const tessera::Sum<double> sum;
  const CountAbove above{0.05};
  const auto bytes = std::max(tessera::reduce_plan<double>(space, sum, field.size()).workspace_bytes,
                              tessera::reduce_plan<double>(space, above, field.size()).workspace_bytes);
  const tessera::Workspace workspace(space, bytes);
  const Kokkos::View<double> total("total");
  const Kokkos::View<std::int64_t> count("count");

  // Asynchronous, and nothing is allocated.
  tessera::reduce(space, field, sum, total, {}, workspace);
  tessera::reduce(space, field, above, count, {}, workspace);

  // One read, many results; a call that returns a value waits for it, and for what was submitted before.
  const auto stats = tessera::reduce(space, field, tessera::Stats<double>{});
  std::int64_t cells = 0;
  Kokkos::deep_copy(cells, count);
  std::printf("sum %.17g, std %g, %lld above %g\n", stats.sum, stats.std, static_cast<long long>(cells), above.limit);
  return stats.sum == 15000 && cells == 150000 ? 0 : 1;
}

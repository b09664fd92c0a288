// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <tessera/tessera.hpp>

using Space = Kokkos::DefaultExecutionSpace;
using Policy = Kokkos::TeamPolicy<Space>;

// A kernel of our own, a team a row: divides each row by its exact sum, found by all threads of the team.
struct NormaliseRows {
  Kokkos::View<double**, Kokkos::LayoutRight> field;
  tessera::Status status;

  // Scratch that a team of any size needs, with room for the boundary that it begins on.
  std::size_t team_shmem_size(int team_size) const {
    return 16 + tessera::team_reduce_scratch_bytes<double, tessera::Sum<double>>(team_size);
  }

  KOKKOS_FUNCTION void operator()(const Policy::member_type& team) const {
    const auto row = Kokkos::subview(field, team.league_rank(), Kokkos::ALL);
    const auto bytes = tessera::team_reduce_scratch_bytes<double, tessera::Sum<double>>(team.team_size());
    void* scratch = team.team_scratch(0).get_shmem_aligned(bytes, 16);
    const double sum = tessera::team_reduce(team, row, tessera::Sum<double>{}, scratch, status);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, row.extent_int(0)), [&](int i) { row(i) /= sum; });
  }
};

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  const Space space;
  const Kokkos::View<double**, Kokkos::LayoutRight> field("field", 40, 128);
  Kokkos::deep_copy(space, field, 3.0);
  const tessera::Workspace workspace(space, 0);  // for its status word alone
  Kokkos::parallel_for("normalise rows", Policy(space, field.extent_int(0), Kokkos::AUTO),
                       NormaliseRows{field, tessera::Status(workspace.status_word())});
  const double sum = tessera::reduce(space, field, tessera::Sum<double>{});
  std::printf("%g\n", sum);
  return sum == 40 ? 0 : 1;
}

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant sequential: as strided, with the halves joined: neighbouring threads on neighbouring data, no bank twice.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_SEQUENTIAL_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_SEQUENTIAL_HPP

#include <Kokkos_Core.hpp>
#include <tessera/concepts.hpp>
#include <tessera/reduce/detail/reduce_passes.hpp>

namespace tessera::detail {

template <int Loads>
struct SequentialTree {
  static constexpr int loads = Loads;

  template <TeamMember Member, class Fold>
  KOKKOS_FUNCTION static void join(const Member& team, typename Fold::team_type* values, const Fold& fold) {
    const int rank = team.team_rank();
    for (int active = team.team_size(); active > 1;) {
      // Rounded up: of an odd number the middle one has no partner and stays. Printed versions lose it. They also drop
      // the barrier for the last 32 threads, which need not run in step.
      const int half = (active + 1) / 2;
      if (rank + half < active) fold.join(values[rank], values[rank + half]);
      team.team_barrier();  // outside the branch: every thread meets it
      active = half;
    }
  }
};

template <class Call>
void launch_sequential(const Call& call) {
  launch_passes<SequentialTree<1>>(call);
}

}  // namespace tessera::detail

#endif

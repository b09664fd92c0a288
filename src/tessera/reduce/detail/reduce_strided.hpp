// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant strided: as interleaved, with neighbouring threads at work, which cures the divergence. What they touch lies
// 2, 4, 8, .. apart, so that threads meet in the banks of the scratch memory.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_STRIDED_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_STRIDED_HPP

#include <Kokkos_Core.hpp>
#include <tessera/concepts.hpp>
#include <tessera/reduce/detail/reduce_passes.hpp>

namespace tessera::detail {

struct StridedTree {
  static constexpr int loads = 1;

  template <TeamMember Member, class Fold>
  KOKKOS_FUNCTION static void join(const Member& team, typename Fold::team_type* values, const Fold& fold) {
    const int size = team.team_size();
    for (int step = 1; step < size; step *= 2) {
      const int at = 2 * step * team.team_rank();
      // Printed versions test the first index alone, and read past a team that is no power of two.
      if (at + step < size) fold.join(values[at], values[at + step]);
      team.team_barrier();  // outside the branch: every thread meets it
    }
  }
};

template <class Call>
void launch_strided(const Call& call) {
  launch_passes<StridedTree>(call);
}

}  // namespace tessera::detail

#endif

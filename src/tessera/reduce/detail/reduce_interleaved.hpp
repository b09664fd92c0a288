// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant interleaved: one element a thread, and the tree in which every second, fourth, .. thread works: neighbours
// take different branches, so that all of them wait for the few, and a remainder is computed in each step.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_INTERLEAVED_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_INTERLEAVED_HPP

#include <Kokkos_Core.hpp>
#include <tessera/concepts.hpp>
#include <tessera/reduce/detail/reduce_passes.hpp>

namespace tessera::detail {

struct InterleavedTree {
  static constexpr int loads = 1;

  template <TeamMember Member, class Fold>
  KOKKOS_FUNCTION static void join(const Member& team, typename Fold::team_type* values, const Fold& fold) {
    const int rank = team.team_rank();
    const int size = team.team_size();
    for (int step = 1; step < size; step *= 2) {
      // The second test is what lets the team have any size: printed versions read past it unless it is a power of two.
      if (rank % (2 * step) == 0 && rank + step < size) fold.join(values[rank], values[rank + step]);
      team.team_barrier();  // outside the branch: every thread meets it
    }
  }
};

template <class Call>
void launch_interleaved(const Call& call) {
  launch_passes<InterleavedTree>(call);
}

}  // namespace tessera::detail

#endif

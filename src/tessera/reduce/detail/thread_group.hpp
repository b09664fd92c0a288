// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some threads of a team that close a fold together.
#ifndef TESSERA_REDUCE_DETAIL_THREAD_GROUP_HPP
#define TESSERA_REDUCE_DETAIL_THREAD_GROUP_HPP

#include <Kokkos_Core.hpp>
#include <tessera/concepts.hpp>

namespace tessera::detail {

/// What a fold wants of a team. Its barrier is the team's, so every group of the team must do the same at the same
/// time.
template <TeamMember Member>
struct ThreadGroup {
  using is_thread_group = void;
  const Member& team;
  int rank, size;

  [[nodiscard]] KOKKOS_FUNCTION int team_rank() const { return rank; }
  [[nodiscard]] KOKKOS_FUNCTION int team_size() const { return size; }
  KOKKOS_FUNCTION void team_barrier() const { team.team_barrier(); }
};

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel of exact sums says of outputs that pairs of doubles do not settle, and that it leaves to the next one.
#ifndef TESSERA_REDUCE_DETAIL_LEFT_OUTPUTS_HPP
#define TESSERA_REDUCE_DETAIL_LEFT_OUTPUTS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/reduce/detail/fold_context.hpp>

namespace tessera::detail {

/// Such outputs are NaN, which no other is, and a word of the workspace is not zero where there are any.
struct LeftOutputs {
  std::uint32_t *word, *ticket;

  template <class Result>
  KOKKOS_FORCEINLINE_FUNCTION void leave(Result& out) const {
    out = spoiled<Result>();
    if (*word == 0) Kokkos::atomic_or(word, 1U);
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool none() const { return *word == 0; }

  template <class Result>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool is_left(const Result& out) {
    return out != out;
  }

  /// By every team of the last kernel that reads them: the last one leaves the workspace as it was.
  template <TeamMember Member>
  KOKKOS_FUNCTION void put_back(const Member& team) const {
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      if (Kokkos::atomic_fetch_add(ticket, 1U) + 1 == static_cast<std::uint32_t>(team.league_size())) {
        *word = 0;
        *ticket = 0;
      }
    });
  }
};

}  // namespace tessera::detail

#endif

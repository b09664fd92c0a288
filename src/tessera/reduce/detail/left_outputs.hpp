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

/// Bytes of a reduction from which another kernel, for what is left, is little of its time (measured on an H100).
inline constexpr std::int64_t left_bytes_min = std::int64_t{96} << 20;

/// Outputs that are listed: where there are more, they are found by what is in them.
inline constexpr std::uint32_t left_listed_max = 4096;

/// Such outputs are NaN, which no other is, and a word of the workspace is not zero where there are any. With a list it
/// has their number, or more than are listed.
struct LeftOutputs {
  std::uint32_t *word, *ticket;
  std::int64_t* list;

  template <class Result>
  KOKKOS_FORCEINLINE_FUNCTION void leave(Result& out) const {
    out = spoiled<Result>();
    if (*word == 0) Kokkos::atomic_or(word, 1U);
  }

  /// Output number `output`, to the list.
  template <class Result>
  KOKKOS_FORCEINLINE_FUNCTION void leave(Result& out, std::int64_t output) const {
    out = spoiled<Result>();
    if (*word > left_listed_max) return;
    const std::uint32_t at = Kokkos::atomic_fetch_add(word, 1U);
    if (at < left_listed_max) list[at] = output;
  }

  /// Calls visit(output) for member `rank`'s share, of so many, of those that are listed; whether all are.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION bool visit_listed(std::int64_t rank, std::int64_t members, const Visit& visit) const {
    const std::uint32_t count = *word;
    if (count > left_listed_max) return false;
    for (std::int64_t i = rank; i < count; i += members) visit(list[i]);
    return true;
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

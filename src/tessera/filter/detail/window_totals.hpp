// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the whole pieces between the ends of a window come to: from totals of 1, 4, 16, .. pieces. Nothing is ever
// subtracted.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_TOTALS_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_TOTALS_HPP

#include <Kokkos_Core.hpp>
#include <tessera/concepts.hpp>
#include <tessera/detail/unroll.hpp>

namespace tessera::detail {

/// In team scratch: totals of size pieces from each piece on, and what of them makes up the span - 1 pieces after one.
template <class Op>
struct WindowTotals {
  using Value = typename Op::value_type;

  Value *level, *next;  // known pieces, and room for as many
  int known, span;
  int most;  // pieces that are joined one by one
  int size = 1, begin = 1, count = span - 1;

  /// From totals of size pieces to those of four times as many.
  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION void widen(const Member& team, const Op& op) {
    known -= 3 * size;
    for (int c = team.team_rank(); c < known; c += team.team_size()) {
      next[c] = op.join(op.join(level[c], level[c + size]), op.join(level[c + 2 * size], level[c + 3 * size]));
    }
    team.team_barrier();
    Value* const widened = next;
    next = level;
    level = widened;
    size *= 4;
  }

  /// The first taken >= 1 of what follows a piece. The last one of all may overlap the one before.
  KOKKOS_FORCEINLINE_FUNCTION Value joined(const Op& op, int taken, int piece) const {
    const Value* from = level + piece + begin;
    Value total = *from;
    TESSERA_NO_UNROLL
    for (int k = 2; k < taken; ++k) {
      from += size;
      total = op.join(total, *from);
    }
    if (taken == 1) return total;
    return op.join(total, level[piece + Kokkos::min(begin + (taken - 1) * size, span - size)]);
  }

  /// For extrema, which may take a piece twice.
  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION void widen_all(const Member& team, const Op& op) {
    while (count > most) {
      widen(team, op);
      count = (count + 3) / 4;
    }
  }

  /// For sums: the digits of span - 1 to the base 4. join(taken, is_first) shall take what joined() gives for taken.
  template <TeamMember Member, class Join>
  KOKKOS_FORCEINLINE_FUNCTION void join_digits(const Member& team, const Op& op, const Join& join) {
    for (;;) {
      const bool is_last = count <= most;
      const int taken = is_last ? count : count % 4;
      if (taken > 0) join(taken, begin == 1);
      if (is_last) return;
      begin += taken * size;
      count /= 4;
      widen(team, op);
    }
  }
};

}  // namespace tessera::detail

#endif

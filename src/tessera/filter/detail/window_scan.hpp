// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans from both ends by doubling: the depth is log2 of the count, and no bit depends on the team.
//
// W. D. Hillis and G. L. Steele, "Data parallel algorithms", Communications of the ACM 29 (1986).
#ifndef TESSERA_FILTER_DETAIL_WINDOW_SCAN_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_SCAN_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>

namespace tessera::detail {

/// Values from the first to the i-th (forward[i]) and from the i-th to the last (backward[i]), in scratch or in memory;
/// the others are room for the passes.
template <class Value>
struct WindowScan {
  Value *forward, *other_forward;
  Value *backward, *other_backward;

  /// Passes that count values take; after an odd number of them the other arrays hold the results.
  static int passes(std::int64_t count) {
    int result = 0;
    for (std::int64_t distance = 1; distance < count; distance *= 2) ++result;
    return result;
  }

  /// Both hold the values to scan, before a barrier; ends with one.
  template <TeamMember Member, class Op>
  KOKKOS_FUNCTION void scan(const Member& team, const Op& op, std::int64_t count) {
    for (std::int64_t distance = 1; distance < count; distance *= 2) {
      for (std::int64_t i = team.team_rank(); i < count; i += team.team_size()) pass(op, i, 1, distance, count);
      team.team_barrier();
      end_pass();
    }
  }

  /// Of values first .. first + few - 1, no more than the distance, which divides first: what joins with those so far
  /// away.
  template <class Op>
  KOKKOS_FORCEINLINE_FUNCTION void pass(const Op& op, std::int64_t first, int few, std::int64_t distance,
                                        std::int64_t count) const {
    for (std::int64_t i = first; i < first + few; ++i) {
      other_forward[i] = first < distance ? forward[i] : op.join(forward[i - distance], forward[i]);
      other_backward[i] = first + distance < count ? op.join(backward[i], backward[i + distance]) : backward[i];
    }
  }
  /// After a barrier.
  KOKKOS_FUNCTION void end_pass() {
    swap(forward, other_forward);
    swap(backward, other_backward);
  }

 private:
  KOKKOS_FUNCTION static void swap(Value*& a, Value*& b) {
    Value* const swapped = a;
    a = b;
    b = swapped;
  }
};

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums without rounding: integer digits over the whole range of exponents (the superaccumulator of R. Neal, "Fast exact
// summation using small and large superaccumulators", 2015), and how a team adds those of its threads.
#ifndef TESSERA_REDUCE_DETAIL_EXACT_DIGITS_HPP
#define TESSERA_REDUCE_DETAIL_EXACT_DIGITS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/detail/relaxed.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/joins.hpp>

namespace tessera::detail {

/// Count digits, 32 bits apart: digit j has the weight 2^(32 j + LowBit). Only digits [begin, end) hold anything; the
/// others are not even initialised.
template <int LowBit, int Count>
struct ExactDigits {
  static constexpr int low_bit = LowBit;
  static constexpr int count = Count;

  std::int32_t begin, end;
  std::int32_t deposits;  // since the last carry; each adds less than 2^33 to a digit
  std::int64_t digit[Count];

  KOKKOS_FUNCTION void clear() {
    begin = Count;
    end = 0;
    deposits = 0;
  }

  [[nodiscard]] KOKKOS_FUNCTION bool empty() const { return begin >= end; }

  /// Zero in every digit, so that others can add to each.
  KOKKOS_FUNCTION void zero() {
    begin = 0;
    end = Count;
    deposits = 0;
    for (int j = 0; j < Count; ++j) digit[j] = 0;
  }

  /// Adds carried digits to a zero() to which other teams add at the same time: fewer than 2^30 of them.
  KOKKOS_FUNCTION void atomic_add(const ExactDigits& other) {
    for (int j = other.begin; j < other.end; ++j) {
      Kokkos::atomic_add(reinterpret_cast<std::uint64_t*>(&digit[j]), static_cast<std::uint64_t>(other.digit[j]));
    }
  }

  KOKKOS_FUNCTION void reserve(int first, int last) {
    if (empty()) begin = end = first;
    for (; begin > first; digit[--begin] = 0) {
    }
    for (; end < last; digit[end++] = 0) {
    }
  }

  /// Adds value * 2^(position + LowBit); position >= 0, below 32 (Count - 1).
  TESSERA_NOINLINE KOKKOS_FUNCTION void deposit(std::int64_t value, int position) {
    if (value == 0) return;
    const int j = position >> 5;
    const int shift = position & 31;
    // value = high 2^32 + low with low >= 0; both shifted stay below 2^63.
    const std::int64_t low = static_cast<std::int64_t>((static_cast<std::uint64_t>(value) & 0xffffffffu) << shift);
    const std::int64_t high = (value >> 32) * (std::int64_t{1} << shift);
    const bool has_third = j + 2 < Count;  // else the second is the last, which carries the sign
    reserve(j, has_third ? j + 3 : Count);
    digit[j] += low & 0xffffffff;
    digit[j + 1] += (low >> 32) + (has_third ? high & 0xffffffff : high);
    if (has_third) digit[j + 2] += high >> 32;
    count_deposits(1);
  }

  /// Adds the digits of another.
  TESSERA_NOINLINE KOKKOS_FUNCTION void add(const ExactDigits& other) {
    const int first = other.begin;
    const int length = other.end - first;
    if (length <= 0) return;
    reserve(first, first + length);
    // A few at a time, so that their loads overlap.
    constexpr int step = 6;
    for (int i = 0; i < length; i += step) {
      std::int64_t loaded[step];
      TESSERA_UNROLL
      for (int k = 0; k < step; ++k) loaded[k] = i + k < length ? other.digit[first + i + k] : 0;
      TESSERA_UNROLL
      for (int k = 0; k < step; ++k) {
        if (i + k < length) digit[first + i + k] += loaded[k];
      }
    }
    // What a team leaves are sums of at most 1024 carried digits.
    count_deposits(1024);
  }

  /// Brings every digit but the last to 0 .. 2^32-1; the last carries the sign and is within 2^32. Drops zeros at the
  /// ends.
  TESSERA_NOINLINE KOKKOS_FUNCTION void carry() {
    deposits = 0;
    std::int64_t over = 0;
    for (int j = begin; j < end; ++j) {
      const std::int64_t value = digit[j] + over;
      digit[j] = value & 0xffffffff;
      over = value >> 32;
      if (j + 1 == end && over != 0) {
        if ((over == -1 && digit[j] != 0) || j + 1 == Count) {
          digit[j] = value;
        } else {
          digit[end++] = 0;
        }
      }
    }
    while (end > begin && digit[end - 1] == 0) --end;
    while (end > begin && digit[begin] == 0) ++begin;
  }

 private:
  KOKKOS_FUNCTION void count_deposits(int more) {
    deposits += more;
    if (deposits >= (1 << 28)) carry();
  }
};

/// Digits that a team adds in a tree; wider sums take atomics.
inline constexpr int tree_digits = 6;

/// What close_digits needs besides its result.
KOKKOS_INLINE_FUNCTION std::size_t close_digits_entries(int team_size) {
  return static_cast<std::size_t>(tree_digits * team_size + 1);
}

/// Adds the digits of all threads into result, in team scratch. tree: close_digits_entries(team_size) words. Integer
/// sums: the order does not matter. Ends with a barrier.
/// Often: in every call, so through shuffles; where it is rare, their registers would cost the kernel's loop more.
template <bool Often, TeamMember Member, int LowBit, int Count>
KOKKOS_FUNCTION void close_digits(const Member& team, ExactDigits<LowBit, Count>& mine,
                                  ExactDigits<LowBit, Count>& result, std::int64_t* tree) {
  const int rank = team.team_rank();
  const int size = team.team_size();
  mine.carry();
  if (size == 1) {
    result.clear();
    result.add(mine);
    return;
  }
  auto* range = reinterpret_cast<std::int32_t*>(tree + tree_digits * size);
  if (rank == 0) {
    range[0] = mine.begin;
    range[1] = mine.end;
  }
  team.team_barrier();
  if (mine.begin < mine.end) {
    // Most threads have the range of the first: few of them need the atomic.
    if (mine.begin < load_relaxed(&range[0])) Kokkos::atomic_min(&range[0], mine.begin);
    if (mine.end > load_relaxed(&range[1])) Kokkos::atomic_max(&range[1], mine.end);
  }
  team.team_barrier();
  const int begin = range[0];
  const int end = range[1];
  if (rank == 0) {
    result.begin = begin;
    result.end = end;
    result.deposits = 0;
  }
  // The barriers stand outside the branches: groups of a team may differ here.
  const bool in_tree = end - begin <= tree_digits;
  const int digits = in_tree ? end - begin : 0;
#if defined(__CUDA_ARCH__)
  if (Often && in_tree && has_whole_warps(team)) {
    const int warps = size / 32;
    TESSERA_UNROLL
    for (int d = 0; d < tree_digits; ++d) {
      const int j = begin + d;
      std::int64_t sum = mine.begin <= j && j < mine.end ? mine.digit[j] : 0;
      TESSERA_UNROLL
      for (int distance = 16; distance > 0; distance /= 2) sum += lane_further(sum, distance);
      if (rank % 32 == 0) tree[d * warps + rank / 32] = sum;
    }
    team.team_barrier();
    if (rank < digits) {
      std::int64_t sum = 0;
      for (int w = 0; w < warps; ++w) sum += tree[rank * warps + w];
      result.digit[begin + rank] = sum;
    }
    team.team_barrier();
    return;
  }
#endif
  for (int d = 0; d < digits; ++d) {
    const int j = begin + d;
    tree[d * size + rank] = mine.begin <= j && j < mine.end ? mine.digit[j] : 0;
  }
  if (!in_tree) {
    for (int j = begin + rank; j < end; j += size) result.digit[j] = 0;
  }
  team.team_barrier();
  for (int active = size; active > 1;) {
    const int half = (active + 1) / 2;
    if (rank + half < active) {
      for (int d = 0; d < digits; ++d) tree[d * size + rank] += tree[d * size + rank + half];
    }
    team.team_barrier();
    active = half;
  }
  for (int d = rank; d < digits; d += size) result.digit[begin + d] = tree[d * size];
  if (!in_tree) {
    const int length = mine.end - mine.begin;
    for (int i = 0; i < length; ++i) {
      const int j = mine.begin + (i + rank) % length;  // not all threads at one digit
      if (mine.digit[j] != 0) {
        Kokkos::atomic_add(reinterpret_cast<std::uint64_t*>(&result.digit[j]),
                           static_cast<std::uint64_t>(mine.digit[j]));
      }
    }
  }
  team.team_barrier();
}

/// Copies digits from team scratch to the workspace, with all threads.
template <TeamMember Member, int LowBit, int Count>
KOKKOS_FUNCTION void store_digits(const Member& team, const ExactDigits<LowBit, Count>& from,
                                  ExactDigits<LowBit, Count>& to) {
  if (team.team_rank() == 0) {
    to.begin = from.begin;
    to.end = from.end;
    to.deposits = 0;
  }
  for (int j = from.begin + team.team_rank(); j < from.end; j += team.team_size()) to.digit[j] = from.digit[j];
}

}  // namespace tessera::detail

#endif

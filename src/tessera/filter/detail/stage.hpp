// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bringing a piece of a line, and of the weights, into team scratch.
#ifndef TESSERA_FILTER_DETAIL_STAGE_HPP
#define TESSERA_FILTER_DETAIL_STAGE_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/complex.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/detail/weighted.hpp>
#include <tessera/filter/boundary.hpp>

namespace tessera::detail {

/// What stands beyond the ends of a line.
template <class T>
struct Boundary {
  BoundaryMode left, right;
  T cval;

  /// For element j of a line of n; of those inside, any that reads them as they are.
  [[nodiscard]] KOKKOS_FUNCTION BoundaryMode mode(std::int64_t j, std::int64_t n) const {
    return j < 0 ? left : j >= n ? right : BoundaryMode::nearest;
  }
  /// Of the element that stands for element j; -1 for cval, and where no other stands for it.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t index(std::int64_t j, std::int64_t n) const {
    return boundary_index(j < 0 ? left : right, j, n);
  }
  [[nodiscard]] KOKKOS_FUNCTION T element(const T* line, std::int64_t stride, std::int64_t j, std::int64_t n) const {
    const std::int64_t at = index(j, n);
    return at < 0 ? cval : line[at * stride];
  }
};

/// Element j, beyond a line of n >= 1, under mode odd: a reflection about an end's element e makes 2 e - v of v.
template <class Accumulator, class T>
KOKKOS_FUNCTION Accumulator odd_element(const T* line, std::int64_t stride, std::int64_t j, std::int64_t n) {
  if (n == 1) return static_cast<Accumulator>(line[0]);
  // Seen from the end that is crossed first: the other end's element has no part in the first reflection.
  const bool before = j < 0;
  QuotientRemainder distance = divide(before ? -j : j - (n - 1), n - 1);
  // Where the other end is met again, by the reflection that leads there.
  if (distance.remainder == 0 && distance.quotient > 0) distance = {distance.quotient - 1, n - 1};
  const bool even = distance.quotient % 2 == 0;
  const std::int64_t from_end = even ? distance.remainder : n - 1 - distance.remainder;
  const auto end = static_cast<Accumulator>(line[(before ? 0 : n - 1) * stride]);
  const auto value = static_cast<Accumulator>(line[(before ? from_end : n - 1 - from_end) * stride]);
  const Accumulator reflected = even ? end + end - value : value;
  const std::int64_t pairs = (distance.quotient + 1) / 2;  // of reflections, one about each end
  if (pairs == 0) return reflected;
  const auto other = static_cast<Accumulator>(line[(before ? n - 1 : 0) * stride]);
  return reflected + weighted<Accumulator>(static_cast<real_part_t<Accumulator>>(2 * pairs), end - other);
}

/// A boundary without divisions: right for elements less than a line away from it, and where each side's mode is
/// plain() or the outputs that need that side are made otherwise.
template <class T>
struct BoundaryFold {
  std::int64_t extent;
  std::int64_t first_left, first_right;  // element j beyond the line is first + sign j
  int sign_left, sign_right;
  bool constant_left, constant_right;
  T cval;

  BoundaryFold(const Boundary<T>& boundary, std::int64_t n)
      : extent(n),
        first_left(boundary_index(boundary.left, -1, n) + sign(boundary.left)),
        first_right(boundary_index(boundary.right, n, n) - sign(boundary.right) * n),
        sign_left(sign(boundary.left)),
        sign_right(sign(boundary.right)),
        constant_left(boundary.left == BoundaryMode::constant),
        constant_right(boundary.right == BoundaryMode::constant),
        cval(boundary.cval) {}

  /// Another element of the line stands for each beyond that outputs need, or cval.
  KOKKOS_FUNCTION static bool plain(BoundaryMode mode) {
    return mode != BoundaryMode::odd && mode != BoundaryMode::renormalise && mode != BoundaryMode::keep;
  }

  /// Of the element that stands for j, or of any where j is a line or more away. Of less than 2^30 elements in 32 bits.
  template <class Index>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index index(Index j) const {
    const auto end = static_cast<Index>(extent);
    const Index folded = j < 0      ? static_cast<Index>(first_left) + sign_left * j
                         : j >= end ? static_cast<Index>(first_right) + sign_right * j
                                    : j;
    return Kokkos::min(Kokkos::max(folded, Index{0}), end - 1);
  }
  /// Whether cval stands for element j.
  template <class Index>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_constant(Index j) const {
    return (j < 0 && constant_left) || (j >= static_cast<Index>(extent) && constant_right);
  }
  /// Element j, or any element where j is a line or more away.
  template <class Index>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T element(const T* line, std::int64_t stride, Index j) const {
    const T value = line[index(j) * stride];
    return is_constant(j) ? cval : value;
  }

 private:
  static int sign(BoundaryMode mode) {
    switch (mode) {
      case BoundaryMode::reflect:
      case BoundaryMode::mirror:
        return -1;
      case BoundaryMode::wrap:
        return 1;
      case BoundaryMode::nearest:
      case BoundaryMode::constant:
      case BoundaryMode::odd:
      case BoundaryMode::renormalise:
      case BoundaryMode::valid:
      case BoundaryMode::keep:
        break;
    }
    return 0;
  }
};

/// Copies elements source[0 .. count-1], contiguous and all inside the line, to scratch (16-byte aligned), `before` of
/// its elements behind what is returned: shifted so that 16-byte pieces of memory are 16-byte pieces of scratch too.
template <TeamMember Member, class T, class Staged>
KOKKOS_FUNCTION Staged* stage_elements(const Member& team, const T* source, int count, int before, Staged* scratch) {
  if constexpr (is_host_space<typename Member::execution_space>) {
    const int share = static_cast<int>(ceil_div(count, team.team_size()));
    const int first = Kokkos::min(count, team.team_rank() * share);
    const int last = Kokkos::min(count, first + share);
    for (int i = first; i < last; ++i) scratch[before + i] = static_cast<Staged>(source[i]);
    return scratch;
  } else {
    constexpr int width = packed_length<T>;
    const int head = static_cast<int>(misaligned_head(source, count));
    Staged* const begin = scratch + (width - (before + head) % width) % width;
    Staged* const target = begin + before;
    for (int i = team.team_rank(); i < head; i += team.team_size()) target[i] = static_cast<Staged>(source[i]);
    const int packs = (count - head) / width;
    const auto* memory = reinterpret_cast<const Packed<T>*>(source + head);
    for (int p = team.team_rank(); p < packs; p += team.team_size()) {
      const Packed<T> loaded = memory[p];
      if constexpr (std::is_same_v<T, Staged>) {
        reinterpret_cast<Packed<T>*>(target + head)[p] = loaded;
      } else {
        TESSERA_UNROLL
        for (int k = 0; k < width; ++k) target[head + p * width + k] = static_cast<Staged>(loaded.values[k]);
      }
    }
    for (int i = head + packs * width + team.team_rank(); i < count; i += team.team_size()) {
      target[i] = static_cast<Staged>(source[i]);
    }
    return begin;
  }
}

/// Elements first .. first + count - 1 of a line of n, any of them outside, to scratch. Returns where they begin.
template <TeamMember Member, class T, class Staged>
KOKKOS_FUNCTION Staged* stage_line(const Member& team, const T* line, std::int64_t stride, std::int64_t n,
                                   std::int64_t first, int count, const Boundary<T>& boundary, Staged* scratch) {
  const bool inside = first >= 0 && first + count <= n;
  if (stride == 1) {
    const auto begin = static_cast<int>(Kokkos::min<std::int64_t>(Kokkos::max<std::int64_t>(-first, 0), count));
    const auto end = static_cast<int>(Kokkos::max<std::int64_t>(Kokkos::min<std::int64_t>(n - first, count), begin));
    Staged* staged = stage_elements(team, line + (begin < end ? first + begin : 0), end - begin, begin, scratch);
    if (inside) return staged;
    for (int i = team.team_rank(); i < begin + count - end; i += team.team_size()) {
      const int at = i < begin ? i : i - begin + end;
      staged[at] = static_cast<Staged>(boundary.element(line, 1, first + at, n));
    }
    return staged;
  }
  for (int i = team.team_rank(); i < count; i += team.team_size()) {
    scratch[i] =
        static_cast<Staged>(inside ? line[(first + i) * stride] : boundary.element(line, stride, first + i, n));
  }
  return scratch;
}

}  // namespace tessera::detail

#endif

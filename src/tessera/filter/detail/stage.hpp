// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bringing a piece of a line, and of the weights, into team scratch.
#ifndef TESSERA_FILTER_DETAIL_STAGE_HPP
#define TESSERA_FILTER_DETAIL_STAGE_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/boundary.hpp>

namespace tessera::detail {

/// What stands beyond the ends of a line.
template <class T>
struct Boundary {
  BoundaryMode left, right;
  T cval;

  [[nodiscard]] KOKKOS_FUNCTION T element(const T* line, std::int64_t stride, std::int64_t j, std::int64_t n) const {
    const std::int64_t index = boundary_index(j < 0 ? left : right, j, n);
    return index < 0 ? cval : line[index * stride];
  }
};

/// Copies elements source[0 .. count-1], contiguous and all inside the line, to scratch (16-byte aligned). Returns
/// where they begin: shifted so that 16-byte pieces of memory are 16-byte pieces of scratch too.
template <TeamMember Member, class T, class Staged>
KOKKOS_FUNCTION Staged* stage_elements(const Member& team, const T* source, int count, Staged* scratch) {
  if constexpr (is_host_space<typename Member::execution_space>) {
    const int share = static_cast<int>(ceil_div(count, team.team_size()));
    const int first = Kokkos::min(count, team.team_rank() * share);
    const int last = Kokkos::min(count, first + share);
    for (int i = first; i < last; ++i) scratch[i] = static_cast<Staged>(source[i]);
    return scratch;
  } else {
    constexpr int width = packed_length<T>;
    const int head = static_cast<int>(misaligned_head(source, count));
    Staged* target = scratch + (width - head) % width;
    if (team.team_rank() < head) target[team.team_rank()] = static_cast<Staged>(source[team.team_rank()]);
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
    return target;
  }
}

/// Elements first .. first + count - 1 of a line of n, any of them outside, to scratch. Returns where they begin.
template <TeamMember Member, class T, class Staged>
KOKKOS_FUNCTION Staged* stage_line(const Member& team, const T* line, std::int64_t stride, std::int64_t n,
                                   std::int64_t first, int count, const Boundary<T>& boundary, Staged* scratch) {
  const bool inside = first >= 0 && first + count <= n;
  if (inside && stride == 1) return stage_elements(team, line + first, count, scratch);
  for (int i = team.team_rank(); i < count; i += team.team_size()) {
    scratch[i] =
        static_cast<Staged>(inside ? line[(first + i) * stride] : boundary.element(line, stride, first + i, n));
  }
  return scratch;
}

}  // namespace tessera::detail

#endif

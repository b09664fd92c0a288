// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the window kernels share whose threads make runs of neighbours: how elements get to team scratch and results
// from it to memory.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_RUN_TILE_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_RUN_TILE_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/window_lines.hpp>

namespace tessera::detail {

/// Loads: 16-byte pieces of memory that a thread reads at a time.
template <class Op, int Loads>
struct WindowRunTile {
  using In = typename Op::in_type;
  using Out = typename Op::out_type;
  using Value = typename Op::value_type;
  using Staged = typename Op::staged_type;

  WindowLines<Op> lines;
  Op op;
  WindowTiles tiles;

 protected:
  /// count elements of the line from begin on. Returns where they begin.
  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION Staged* stage(const Member& team, const In* x, std::int64_t begin, int count,
                                            Staged* scratch) const {
    constexpr int width = packed_length<In>, loads = Loads;
    const int step = team.team_size();
    const bool inside = begin >= 0 && begin + count <= lines.in.extent;
    if (!inside || lines.in.stride != 1) {
      TESSERA_NO_UNROLL
      for (int e = team.team_rank(); e < count; e += step) {
        scratch[e] = op.staged(inside ? x[(begin + e) * lines.in.stride]
                                      : lines.boundary.element(x, lines.in.stride, begin + e, lines.in.extent));
      }
      return scratch;
    }
    const In* source = x + begin;
    const int head = static_cast<int>(misaligned_head(source, count));
    Staged* target = scratch + (width - head) % width;
    const int packs = (count - head) / width;
    const auto* memory = reinterpret_cast<const Packed<In>*>(source + head);
    auto* packed = reinterpret_cast<Packed<Staged>*>(target + head);
    for (int p = team.team_rank(); p < packs; p += loads * step) {
      Packed<In> loaded[loads];
      TESSERA_UNROLL
      for (int k = 0; k < loads; ++k) {
        if (p + k * step < packs) loaded[k] = load_whole(memory + p + k * step);
      }
      TESSERA_UNROLL
      for (int k = 0; k < loads; ++k) {
        Packed<Staged> values;
        TESSERA_UNROLL
        for (int e = 0; e < width; ++e) values.values[e] = op.staged(loaded[k].values[e]);
        if (p + k * step < packs) packed[p + k * step] = values;
      }
    }
    // The ends: fewer than two packs' elements.
    const int others = count - packs * width;
    for (int e = team.team_rank(); e < others; e += step) {
      const int i = e < head ? e : packs * width + e;
      target[i] = op.staged(source[i]);
    }
    return target;
  }

  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void load(const Staged* elements, Value (&values)[Count]) const {
    TESSERA_UNROLL
    for (int s = 0; s < Count; ++s) values[s] = op.value(elements[s]);
  }

  /// Outputs that are neighbours in memory, the first 16-byte piece at slots + head.
  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION void store_all(const Member& team, const Out* slots, Out* target, int count,
                                             int head) const {
    constexpr int width = packed_length<Out>;
    const int packs = (count - head) / width;
    const auto* packed = reinterpret_cast<const Packed<Out>*>(slots + head);
    auto* memory = reinterpret_cast<Packed<Out>*>(target + head);
    for (int p = team.team_rank(); p < packs; p += team.team_size()) copy_whole(memory + p, packed + p);
    const int others = count - packs * width;
    for (int e = team.team_rank(); e < others; e += team.team_size()) {
      const int i = e < head ? e : packs * width + e;
      target[i] = slots[i];
    }
  }
};

}  // namespace tessera::detail

#endif

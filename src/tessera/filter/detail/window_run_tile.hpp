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
#include <tessera/detail/async_copy.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/window_lines.hpp>

namespace tessera::detail {

template <class Op>
struct WindowRunTile {
  using In = typename Op::in_type;
  using Out = typename Op::out_type;
  using Value = typename Op::value_type;
  using Staged = typename Op::staged_type;
  static constexpr int width = packed_length<In>;

  WindowLines<Op> lines;
  Op op;
  WindowTiles tiles;

 protected:
  /// count elements of the line from begin on are neighbours in memory: 16-byte pieces of it, and fewer elements than
  /// two of those before and behind them.
  struct Pieces {
    const In* source;
    int head, packs, count;
  };
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_inside(std::int64_t begin, int count) const {
    return begin >= 0 && begin + count <= lines.in.extent;
  }
  /// Those of count elements from begin on that are neighbours in memory.
  struct Inside {
    int first, count;
  };
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Inside inside_of(std::int64_t begin, int count) const {
    if (lines.in.stride != 1) return {0, 0};
    const auto first = static_cast<int>(Kokkos::clamp<std::int64_t>(-begin, 0, count));
    const auto end = static_cast<int>(Kokkos::clamp<std::int64_t>(lines.in.extent - begin, first, count));
    return {first, end - first};
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Pieces pieces_of(const In* source, int count) const {
    const int head = static_cast<int>(misaligned_head(source, count));
    return {source, head, (count - head) / width, count};
  }
  /// Where they go in scratch, at its first-th element or a little behind, for the pieces to be pieces there.
  template <class Element>
  KOKKOS_FORCEINLINE_FUNCTION static Element* target_of(const Pieces& pieces, int first, Element* scratch) {
    return scratch + (first + pieces.head + width - 1) / width * width - pieces.head;
  }
  /// copy(i) for the i-th element of those that are in no piece.
  template <TeamMember Member, class Copy>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each_other(const Member& team, const Pieces& pieces, const Copy& copy) {
    const int others = pieces.count - pieces.packs * width;
    for (int e = team.team_rank(); e < others; e += team.team_size()) {
      copy(e < pieces.head ? e : pieces.packs * width + e);
    }
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION In element(const In* x, std::int64_t j, bool inside) const {
    return inside ? x[j * lines.in.stride] : lines.boundary.element(x, lines.in.stride, j, lines.in.extent);
  }

  /// What stands for count elements of the line from begin on. Loads: pieces that a thread reads at a time. Returns
  /// where they begin.
  template <int Loads, TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION Staged* stage(const Member& team, const In* x, std::int64_t begin, int count,
                                            Staged* scratch) const {
    const int step = team.team_size();
    const Inside inside = inside_of(begin, count);
    const bool has_ends = !is_inside(begin, count);
    const Pieces pieces = pieces_of(x + (begin + inside.first), inside.count);
    Staged* const target = target_of(pieces, inside.first, scratch);
    const auto* memory = reinterpret_cast<const Packed<In>*>(pieces.source + pieces.head);
    auto* packed = reinterpret_cast<Packed<Staged>*>(target + pieces.head);
    for (int p = team.team_rank(); p < pieces.packs; p += Loads * step) {
      Packed<In> loaded[Loads];
      TESSERA_UNROLL
      for (int k = 0; k < Loads; ++k) {
        if (p + k * step < pieces.packs) loaded[k] = load_whole(memory + p + k * step);
      }
      TESSERA_UNROLL
      for (int k = 0; k < Loads; ++k) {
        Packed<Staged> values;
        TESSERA_UNROLL
        for (int e = 0; e < width; ++e) values.values[e] = op.staged(loaded[k].values[e]);
        if (p + k * step < pieces.packs) packed[p + k * step] = values;
      }
    }
    for_each_other(team, pieces, [&](int i) { target[i] = op.staged(pieces.source[i]); });
    TESSERA_NO_UNROLL
    for (int e = team.team_rank(); e < count - inside.count; e += step) {
      const int at = e < inside.first ? e : e + inside.count;
      target[at - inside.first] = op.staged(element(x, begin + at, !has_ends));
    }
    return target - inside.first;
  }

  /// Begins to copy count elements of the line from begin on as they are, of 4 or 8 bytes, with those that share 16
  /// bytes with them.
  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION void begin_copy(const Member& team, const In* x, std::int64_t begin, int count,
                                              In* scratch) const {
    const int step = team.team_size();
    In* const to = copied(x, begin, scratch);
    if (lines.in.stride == 1 && is_inside(begin - width, count + 2 * width)) {
      const int before = (width - static_cast<int>(misaligned_head(x + begin, width))) % width;
      tessera::detail::begin_copy(x + (begin - before), (before + count + width - 1) / width * width, to - before,
                                  team.team_rank(), step);
      return;
    }
    const Inside inside = inside_of(begin, count);
    if (inside.count > 0) {
      tessera::detail::begin_copy(x + (begin + inside.first), inside.count, to + inside.first, team.team_rank(), step);
    }
    TESSERA_NO_UNROLL
    for (int e = team.team_rank(); e < count - inside.count; e += step) {
      const int at = e < inside.first ? e : e + inside.count;
      begin_copy_of(x, begin + at, to + at);
    }
  }
  /// Begins to copy what stands for the line's j-th element.
  KOKKOS_FORCEINLINE_FUNCTION void begin_copy_of(const In* x, std::int64_t j, In* to) const {
    const std::int64_t index = lines.element_for(j);
    if (index < 0) {
      *to = lines.boundary.cval;
    } else {
      copy_async(to, x + index * lines.in.stride);
    }
  }
  /// Where they then begin.
  KOKKOS_FORCEINLINE_FUNCTION In* copied(const In* x, std::int64_t begin, In* scratch) const {
    return lines.in.stride == 1 ? async_place(x + begin, scratch) : scratch;
  }

  /// Join: an operation.
  template <class Join, class Element, int Count>
  KOKKOS_FORCEINLINE_FUNCTION static void load(const Join& join, const Element* elements,
                                               typename Join::value_type (&values)[Count]) {
    TESSERA_UNROLL
    for (int s = 0; s < Count; ++s) values[s] = join.value(elements[s]);
  }
};

}  // namespace tessera::detail

#endif

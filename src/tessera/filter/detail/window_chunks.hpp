// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant chunks: tile and halo in team scratch, in chunks of a few neighbours. One begins where the window of output 0
// does, so that no sum depends on tiles or teams, and a chunk of windows makes a chunk of outputs. A window is the end
// of one chunk, whole chunks, and the beginning of another; the whole ones between come from totals of 1, 4, 16, ..
// chunks. Nothing is ever subtracted. On hosts see host_windows.hpp.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_CHUNKS_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_CHUNKS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/host_windows.hpp>
#include <tessera/filter/detail/window_lines.hpp>
#include <tessera/filter/detail/window_totals.hpp>
#include <tessera/filter/window_plan.hpp>
#include <type_traits>

namespace tessera::detail {

template <ExecutionSpace Space, class Op>
struct WindowChunks {
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<window_chunk_team_size, window_chunk_teams<Op>>,
                                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;
  using In = typename Op::in_type;
  using Out = typename Op::out_type;
  using Value = typename Op::value_type;
  static constexpr int width = window_chunk<In>;
  static constexpr int turns = window_chunk_turns<Op>;
  using Chunk = Packed<In, width>;
  using Staged = Packed<typename Op::staged_type, width>;
  using Results = Packed<Out, width>;

  WindowLines<Op> lines;
  Op op;
  int span, tail;  // size - 1 = span * width + tail
  WindowTiles tiles;
  WindowChunksScratch pieces;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    if constexpr (is_host_space<Space>) {
      tiles.for_each(team, [&](std::int64_t line, std::int64_t first) {
        filter_host_tile(team, lines, op, tiles, lines.in.line(line), lines.out.line(line), first);
      });
    } else {
      std::byte* scratch = team_scratch(team, pieces.bytes);
      tiles.for_each(team, [&](std::int64_t line, std::int64_t first) {
        filter_tile(team, scratch, lines.in.line(line), lines.out.line(line), first);
      });
    }
  }

 private:
  /// first: the output that the tile begins with.
  KOKKOS_FUNCTION void filter_tile(const member_type& team, std::byte* scratch, const In* x, Out* y,
                                   std::int64_t first) const {
    const auto outputs = static_cast<int>(Kokkos::min<std::int64_t>(tiles.length, lines.out.extent - first));
    const int count = (outputs + width - 1) / width;
    const auto* staged = reinterpret_cast<const Staged*>(scratch + pieces.staged_at);
    stage(team, x, first - lines.window.reach_left, count + span + 1, scratch);
    team.team_barrier();
    const bool whole = lines.is_plain(y, first, count * width);
    const auto store = [&](int chunk, const Results& results) {
      const std::int64_t i = first + std::int64_t{chunk} * width;
      if (whole) {
        store_whole(reinterpret_cast<Results*>(y + i), results);
      } else {
        lines.store_few(x, y, i, results);
      }
    };
    if constexpr (Op::whole_windows_max > 0) {
      TESSERA_NO_UNROLL
      for (int chunk = team.team_rank(); chunk < count; chunk += team.team_size()) {
        store(chunk, join_windows(staged + chunk));
      }
    } else if constexpr (Op::is_idempotent) {
      WindowTotals<Op> between = totals_of(scratch, count);
      between.widen_all(team, op);
      TESSERA_NO_UNROLL
      for (int chunk = team.team_rank(); chunk < count; chunk += team.team_size()) {
        store(chunk, join_ends(staged + chunk, between.joined(op, between.count, chunk)));
      }
    } else {
      Value between[turns];
      WindowTotals<Op> totals = totals_of(scratch, count);
      totals.join_digits(team, op, [&](int taken, bool is_first) {
        TESSERA_UNROLL
        for (int turn = 0; turn < turns; ++turn) {
          const int chunk = team.team_rank() + turn * team.team_size();
          if (chunk >= count) continue;
          const Value total = totals.joined(op, taken, chunk);
          between[turn] = is_first ? total : op.join(between[turn], total);
        }
      });
      TESSERA_UNROLL
      for (int turn = 0; turn < turns; ++turn) {
        const int chunk = team.team_rank() + turn * team.team_size();
        if (chunk < count) store(chunk, join_ends(staged + chunk, between[turn]));
      }
    }
  }

  /// count chunks of the line from element begin on, and their totals.
  KOKKOS_FORCEINLINE_FUNCTION void stage(const member_type& team, const In* x, std::int64_t begin, int count,
                                         std::byte* scratch) const {
    constexpr int loads = 4;
    auto* staged = reinterpret_cast<Staged*>(scratch + pieces.staged_at);
    auto* totals = reinterpret_cast<Value*>(scratch + pieces.totals_at[0]);
    const int step = team.team_size();
    // Chunks of memory are not those of windows.
    const auto shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(x + begin) % alignof(Chunk) / sizeof(In));
    const std::int64_t first = begin - shift;
    constexpr bool loads_chunks = alignof(Chunk) == alignof(In) || alignof(In) == sizeof(In);
    // Of those whose chunks of memory, the next ones too, are the line's.
    int inside_begin = 0, inside_end = 0;
    if (loads_chunks && lines.in.stride == 1) {
      inside_begin = static_cast<int>(Kokkos::clamp<std::int64_t>((width - 1 - first) / width, 0, count));
      inside_end =
          static_cast<int>(Kokkos::clamp<std::int64_t>((lines.in.extent - first) / width - 1, inside_begin, count));
      const auto* memory = reinterpret_cast<const Chunk*>(x + first);
      const int next = shift == 0 ? 0 : 1;
      for (int base = inside_begin + team.team_rank(); base < inside_end; base += loads * step) {
        Chunk loaded[loads], after[loads];
        TESSERA_UNROLL
        for (int load = 0; load < loads; ++load) {
          const int c = base + load * step;
          if (c < inside_end) {
            loaded[load] = load_whole(memory + c);
            after[load] = load_whole(memory + c + next);
          }
        }
        TESSERA_UNROLL
        for (int load = 0; load < loads; ++load) {
          const int c = base + load * step;
          if (c < inside_end) put(funnel(loaded[load], after[load], shift), c, staged, totals);
        }
      }
    }
    const bool inside = begin >= 0 && begin + std::int64_t{count} * width <= lines.in.extent;
    TESSERA_NO_UNROLL
    for (int other = team.team_rank(); other < count - (inside_end - inside_begin); other += step) {
      const int c = other < inside_begin ? other : other + inside_end - inside_begin;
      auto* elements = reinterpret_cast<typename Op::staged_type*>(staged + c);
      const std::int64_t j = begin + std::int64_t{c} * width;
      TESSERA_NO_UNROLL
      for (int e = 0; e < width; ++e) {
        elements[e] = op.staged(inside ? x[(j + e) * lines.in.stride]
                                       : lines.boundary.element(x, lines.in.stride, j + e, lines.in.extent));
      }
      if constexpr (has_totals<Op>) totals[c] = total(staged + c);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void put(const Chunk& chunk, int at, Staged* staged, Value* totals) const {
    Staged elements;
    TESSERA_UNROLL
    for (int e = 0; e < width; ++e) elements.values[e] = op.staged(chunk.values[e]);
    staged[at] = elements;
    if constexpr (has_totals<Op>) totals[at] = total(&elements);
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value total(const Staged* chunk) const {
    Value values[width];
    load(chunk, values);
    Value sum = op.join(values[0], values[1]);
    if constexpr (width == 4) sum = op.join(sum, op.join(values[2], values[3]));
    return sum;
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION WindowTotals<Op> totals_of(std::byte* scratch, int count) const {
    return {reinterpret_cast<Value*>(scratch + pieces.totals_at[0]),
            reinterpret_cast<Value*>(scratch + pieces.totals_at[1]), count + span, span, 8};
  }

  /// Windows whose elements are all taken at once.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Results join_windows(const Staged* staged) const {
    constexpr int chunks = static_cast<int>(ceil_div(Op::whole_windows_max + width - 1, width));
    Value values[chunks * width] = {};
    TESSERA_UNROLL
    for (int c = 0; c < chunks; ++c) {
      if (c <= span + 1) load(staged + c, values + c * width);
    }
    Results all;
    const auto join = [&](auto last) {
      constexpr int size = decltype(last)::value + 1;
      make_windows<size, width>(op, values, [&](int s, const Out& result) { all.values[s] = result; });
    };
    if constexpr (Op::has_one_size) {
      join(std::integral_constant<int, Op::whole_windows_max - 1>{});
    } else {
      with_constant<Op::whole_windows_max>(static_cast<int>(lines.window.size) - 1, join);
    }
    return all;
  }

  /// Windows that start in one chunk: its end, the whole chunks between, and the beginning of a later one.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Results join_ends(const Staged* staged, Value between) const {
    Value joined[width], beginnings[2 * width];
    load(staged, joined);
    TESSERA_UNROLL
    for (int s = width - 2; s >= 0; --s) joined[s] = op.join(joined[s], joined[s + 1]);
    load(staged + span, beginnings);
    load(staged + span + 1, beginnings + width);
    TESSERA_UNROLL
    for (int s = 1; s < width; ++s) {
      beginnings[s] = op.join(beginnings[s - 1], beginnings[s]);
      beginnings[width + s] = op.join(beginnings[width + s - 1], beginnings[width + s]);
    }
    // The first chunk of them is whole where windows reach its end.
    const Value with_first = op.join(between, beginnings[width - 1]);
    with_constant<width>(tail, [&](auto constant) {
      constexpr int last = decltype(constant)::value;
      TESSERA_UNROLL
      for (int s = 0; s < width; ++s) {
        if (last + s >= width - 1) {
          joined[s] = op.join(joined[s], with_first);
        } else {
          joined[s] = op.join(joined[s], between);
        }
        if (last + s != width - 1) joined[s] = op.join(joined[s], beginnings[last + s]);
      }
    });
    return results(joined);
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Results results(const Value (&joined)[width]) const {
    Results all;
    TESSERA_UNROLL
    for (int s = 0; s < width; ++s) all.values[s] = op.result(joined[s]);
    return all;
  }

  KOKKOS_FORCEINLINE_FUNCTION void load(const Staged* chunk, Value* values) const {
    const Staged loaded = *chunk;  // one access
    TESSERA_UNROLL
    for (int e = 0; e < width; ++e) values[e] = op.value(loaded.values[e]);
  }
};

template <ExecutionSpace Space, class Op>
void launch_window_chunks(std::string_view function, const Space& space, const WindowPlan& plan,
                          const WindowLines<Op>& lines, const Op& op, int asked_team_size) {
  using Functor = WindowChunks<Space, Op>;
  constexpr int width = Functor::width;
  const Functor functor{lines,
                        op,
                        static_cast<int>((lines.window.size - 1) / width),
                        static_cast<int>((lines.window.size - 1) % width),
                        WindowTiles(lines.in.lines(), lines.out.extent, plan.tile),
                        window_chunks_scratch<Op>(plan.tile, lines.window.size)};
  launch_windows(function, "tessera::window::chunks", space, plan, functor, asked_team_size);
}

}  // namespace tessera::detail

#endif

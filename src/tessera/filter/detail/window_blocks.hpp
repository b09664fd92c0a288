// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant blocks: blocks as long as the window, starting at multiples of its size, so that a window is the end of one
// and the beginning of the next. Blocks too long for a team's scratch are cut into parts; the window is then the end of
// a part, parts - 1 whole ones, and the beginning of the part one block on. Of a few whole parts, teams that walk along
// the line keep the totals; more are joined by kernels before.
//
// M. van Herk, "A fast algorithm for local minimum and maximum filters on rectangular and octagonal kernels", Pattern
// Recognition Letters 13 (1992); J. Gil and M. Werman, "Computing 2-D min, median, and max filters", IEEE PAMI 15
// (1993).
#ifndef TESSERA_FILTER_DETAIL_WINDOW_BLOCKS_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_BLOCKS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/window_lines.hpp>
#include <tessera/filter/detail/window_scan.hpp>
#include <tessera/filter/window_plan.hpp>

namespace tessera::detail {

/// Elements of the j-th run of count elements.
KOKKOS_INLINE_FUNCTION int run_size(int count, int j) {
  const int rest = count - j * window_run;
  return rest < window_run ? rest : window_run;
}

/// What the three kernels share.
template <ExecutionSpace Space, class Op>
struct WindowParts {
  using In = typename Op::in_type;
  using Value = typename Op::value_type;
  using Slot = window_slot_t<Op>;

  WindowLines<Op> lines;
  Op op;
  WindowBlockShape shape;
  WindowBlocksScratch pieces;
  std::int64_t line_count;
  WindowScan<Value> totals;  // of the parts of each line, then what they come to within their blocks

  /// The part-th one of a block, as a range of the line's index.
  struct Part {
    std::int64_t block, part, start;
    int count;
  };
  [[nodiscard]] KOKKOS_FUNCTION Part part_of_line(std::int64_t index) const {
    const QuotientRemainder split = divide(index, shape.parts);
    const std::int64_t begin = split.remainder * shape.part_size;
    return {split.quotient, split.remainder, (shape.first + split.quotient) * shape.window + begin,
            static_cast<int>(Kokkos::min(shape.part_size, shape.window - begin))};
  }

  template <TeamMember Member>
  KOKKOS_FUNCTION Slot* stage(const Member& team, const In* x, std::int64_t first, int count,
                              std::byte* scratch) const {
    return stage_window(team, x, lines.in.stride, lines.in.extent, first, count, lines.boundary,
                        reinterpret_cast<Slot*>(scratch));
  }
};

/// The total of each part, in a tree of its runs.
template <ExecutionSpace Space, class Op>
struct WindowPartTotals : WindowParts<Space, Op> {
  using policy_type = WindowPolicy<Space, 3>;
  using member_type = typename policy_type::member_type;
  using typename WindowParts<Space, Op>::Value;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    std::byte* scratch = team_scratch(team, this->pieces.bytes);
    const std::int64_t per_line = this->shape.part_count();
    const std::int64_t all = per_line * this->line_count;
    const TileWalk share = tile_walk(team, all);
    for (std::int64_t index = share.begin; index < share.end; index += share.step) {
      const QuotientRemainder split = divide(index, per_line);
      const auto part = this->part_of_line(split.remainder);
      // Parts before all windows, or behind them, are read by none.
      const bool is_read =
          part.start + part.count > this->lines.begin() && part.start < this->lines.end() + this->lines.window.size - 1;
      const Value total =
          is_read ? part_total(team, scratch, this->lines.in.line(split.quotient), part) : this->op.identity();
      if (team.team_rank() == 0) {
        this->totals.forward[index] = total;
        this->totals.backward[index] = total;
      }
    }
  }

  KOKKOS_FUNCTION Value part_total(const member_type& team, std::byte* scratch, const typename Op::in_type* x,
                                   const typename WindowParts<Space, Op>::Part& part) const {
    const auto* staged = this->stage(team, x, part.start, part.count, scratch + this->pieces.left_at);
    auto* runs = reinterpret_cast<Value*>(scratch + this->pieces.forward_at[0]);
    team.team_barrier();
    int active = (part.count + window_run - 1) / window_run;
    for (int j = team.team_rank(); j < active; j += team.team_size()) {
      runs[j] = run_total(this->op, staged + j * window_run, run_size(part.count, j));
    }
    team.team_barrier();
    while (active > 1) {
      const int half = (active + 1) / 2;
      for (int j = team.team_rank(); j + half < active; j += team.team_size()) {
        runs[j] = this->op.join(runs[j], runs[j + half]);
      }
      team.team_barrier();
      active = half;
    }
    return runs[0];
  }
};

/// The totals of each block's parts, scanned from both ends.
template <ExecutionSpace Space, class Op>
struct WindowPartScans : WindowParts<Space, Op> {
  using policy_type = WindowPolicy<Space, 3>;
  using member_type = typename policy_type::member_type;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const std::int64_t all = this->shape.count * this->line_count;
    const TileWalk share = tile_walk(team, all);
    for (std::int64_t block = share.begin; block < share.end; block += share.step) {
      const std::int64_t at = block * this->shape.parts;
      auto scan = this->totals;
      scan.forward += at;
      scan.other_forward += at;
      scan.backward += at;
      scan.other_backward += at;
      scan.scan(team, this->op, this->shape.parts);
    }
  }
};

/// The outputs.
template <ExecutionSpace Space, class Op>
struct WindowBlocks : WindowParts<Space, Op> {
  using policy_type = WindowPolicy<Space, 3>;
  using member_type = typename policy_type::member_type;
  using In = typename Op::in_type;
  using Out = typename Op::out_type;
  using typename WindowParts<Space, Op>::Value;
  using typename WindowParts<Space, Op>::Slot;

  using Part = typename WindowParts<Space, Op>::Part;

  int walk;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    std::byte* scratch = team_scratch(team, this->pieces.bytes);
    const std::int64_t per_line = ceil_div(this->shape.part_end - this->shape.part_begin, walk);
    const std::int64_t all = per_line * this->line_count;
    const TileWalk share = tile_walk(team, all);
    for (std::int64_t index = share.begin; index < share.end; index += share.step) {
      const QuotientRemainder split = divide(index, per_line);
      const std::int64_t begin = this->shape.part_begin + split.remainder * walk;
      const std::int64_t end = Kokkos::min(begin + walk, this->shape.part_end);
      if (keeps_totals()) keep_totals(team, scratch, this->lines.in.line(split.quotient), begin);
      for (std::int64_t part = begin; part < end; ++part) filter_part(team, scratch, split.quotient, part);
    }
  }

  [[nodiscard]] KOKKOS_FUNCTION bool keeps_totals() const {
    return this->shape.parts > 1 && this->shape.parts <= window_kept_parts;
  }
  /// Where the total of a part is kept, until the part one block on takes its place.
  [[nodiscard]] KOKKOS_FUNCTION Value& kept(std::byte* scratch, std::int64_t part) const {
    return reinterpret_cast<Value*>(scratch + this->pieces.kept_at)[part % this->shape.parts];
  }
  [[nodiscard]] KOKKOS_FUNCTION WindowScan<Value> scan_of(std::byte* scratch) const {
    return {reinterpret_cast<Value*>(scratch + this->pieces.forward_at[0]),
            reinterpret_cast<Value*>(scratch + this->pieces.forward_at[1]),
            reinterpret_cast<Value*>(scratch + this->pieces.backward_at[0]),
            reinterpret_cast<Value*>(scratch + this->pieces.backward_at[1])};
  }

  /// Totals of the parts after one, up to a block on.
  KOKKOS_FUNCTION void keep_totals(const member_type& team, std::byte* scratch, const In* x, std::int64_t first) const {
    for (std::int64_t index = first + 1; index < first + this->shape.parts; ++index) {
      const Part part = this->part_of_line(index);
      const Slot* staged = this->stage(team, x, part.start, part.count, scratch + this->pieces.left_at);
      const int runs = (part.count + window_run - 1) / window_run;
      team.team_barrier();
      const WindowScan<Value> scan = scan_runs(team, scratch, staged, staged, part.count);
      if (team.team_rank() == 0) kept(scratch, index) = scan.forward[runs - 1];
      team.team_barrier();
    }
  }

  /// The totals of both parts' runs, scanned.
  KOKKOS_FUNCTION WindowScan<Value> scan_runs(const member_type& team, std::byte* scratch, const Slot* left,
                                              const Slot* right, int elements) const {
    const int runs = (elements + window_run - 1) / window_run;
    WindowScan<Value> scan = scan_of(scratch);
    for (int j = team.team_rank(); j < runs; j += team.team_size()) {
      scan.forward[j] = run_total(this->op, right + j * window_run, run_size(elements, j));
      scan.backward[j] = run_total(this->op, left + j * window_run, run_size(elements, j));
    }
    team.team_barrier();
    scan.scan(team, this->op, runs);
    return scan;
  }

  KOKKOS_FUNCTION void filter_part(const member_type& team, std::byte* scratch, std::int64_t line,
                                   std::int64_t index) const {
    const In* x = this->lines.in.line(line);
    const Part part = this->part_of_line(index);
    Slot* left = this->stage(team, x, part.start, part.count, scratch + this->pieces.left_at);
    const Slot* right =
        this->stage(team, x, part.start + this->shape.window, part.count, scratch + this->pieces.right_at);
    const int runs = (part.count + window_run - 1) / window_run;
    team.team_barrier();
    const WindowScan<Value> scan = scan_runs(team, scratch, left, right, part.count);
    const Value between = whole_parts(scratch, line, index, part.part);
    for (int j = team.team_rank(); j < runs; j += team.team_size()) {
      const Value behind = j + 1 < runs ? scan.backward[j + 1] : this->op.identity();
      const Value before = j > 0 ? scan.forward[j - 1] : this->op.identity();
      join_ends(left + j * window_run, right + j * window_run, run_size(part.count, j), behind,
                this->op.join(between, before));
    }
    team.team_barrier();
    if (keeps_totals() && team.team_rank() == 0) kept(scratch, index) = scan.forward[runs - 1];
    this->lines.store(team, x, this->lines.out.line(line), part.start, part.count, [&](int k) {
      const Slot slot = left[k];  // not a byte at a time
      return Kokkos::bit_cast<Out>(slot);
    });
    team.team_barrier();  // scratch is staged anew
  }

  /// The parts between one and that one block on.
  [[nodiscard]] KOKKOS_FUNCTION Value whole_parts(std::byte* scratch, std::int64_t line, std::int64_t index,
                                                  std::int64_t part_of_block) const {
    const std::int64_t parts = this->shape.parts;
    Value between = this->op.identity();
    if (keeps_totals()) {
      for (std::int64_t k = 1; k < parts; ++k) between = this->op.join(between, kept(scratch, index + k));
    } else if (parts > 1) {
      const std::int64_t at = line * this->shape.part_count() + index;
      if (part_of_block + 1 < parts) between = this->totals.backward[at + 1];
      if (part_of_block > 0) between = this->op.join(between, this->totals.forward[at + parts - 1]);
    }
    return between;
  }

  /// Results of the windows that start in a run, in the place of its elements: its end and what is behind it, what is
  /// before the run one block on and the elements of that.
  KOKKOS_FUNCTION void join_ends(Slot* elements, const Slot* next, int count, Value behind, Value before) const {
    Value ends[window_run];
    Value end = this->op.identity();
    TESSERA_UNROLL
    for (int s = window_run - 1; s >= 0; --s) {
      if (s < count)
        end = s + 1 == count ? this->op.value(elements[s]) : this->op.join(this->op.value(elements[s]), end);
      ends[s] = end;
    }
    Value beginning = this->op.identity();
    TESSERA_UNROLL
    for (int s = 0; s < window_run; ++s) {
      if (s < count) {
        const Value joined = this->op.join(this->op.join(ends[s], behind), this->op.join(before, beginning));
        beginning = this->op.join(beginning, this->op.value(next[s]));
        elements[s] = Kokkos::bit_cast<Slot>(this->op.result(joined));
      }
    }
  }
};

template <class Functor, ExecutionSpace Space>
void launch_window_kernel(std::string_view function, const char* label, const Space& space, const Functor& functor,
                          const WindowPlan& plan, std::int64_t tiles, std::size_t scratch_bytes, int asked_team_size) {
  const auto league = static_cast<int>(std::max<std::int64_t>(1, std::min<std::int64_t>(plan.league_size, tiles)));
  auto policy = WindowPolicy<Space, 3>(space, league, plan.team_size)
                    .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(scratch_bytes))));
  require_launchable(function, policy, functor, asked_team_size);
  Kokkos::parallel_for(label, policy, functor);
}

/// workspace: plan.workspace_bytes.
template <class Op, ExecutionSpace Space>
void launch_window_blocks(std::string_view function, const Space& space, const WindowPlan& plan,
                          const WindowLines<Op>& lines, const Op& op, void* workspace, int asked_team_size) {
  using Value = typename Op::value_type;
  const WindowBlockShape shape = window_block_shape(lines.in.extent, lines.window, plan.tile);
  const std::int64_t blocks = lines.in.lines() * shape.count;
  auto* values = static_cast<Value*>(workspace);
  const std::int64_t size = blocks * shape.parts;
  WindowParts<Space, Op> parts{lines, op, shape, window_blocks_scratch<Op>(plan.tile), lines.in.lines(), {}};
  if (shape.parts > window_kept_parts) {
    parts.totals = {values, values + size, values + 2 * size, values + 3 * size};
    launch_window_kernel(function, "tessera::window::totals", space, WindowPartTotals<Space, Op>{parts}, plan, size,
                         plan.scratch_bytes, asked_team_size);
    launch_window_kernel(function, "tessera::window::scans", space, WindowPartScans<Space, Op>{parts}, plan, blocks, 0,
                         asked_team_size);
    if (WindowScan<Value>::passes(shape.parts) % 2 == 1) {
      std::swap(parts.totals.forward, parts.totals.other_forward);
      std::swap(parts.totals.backward, parts.totals.other_backward);
    }
  }
  launch_window_kernel(function, "tessera::window::blocks", space, WindowBlocks<Space, Op>{parts, plan.walk}, plan,
                       plan.league_size, plan.scratch_bytes, asked_team_size);
}

}  // namespace tessera::detail

#endif

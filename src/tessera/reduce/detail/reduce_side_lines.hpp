// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapping lines where outputs are columns side by side in memory, of any alignment: a thread has several, whose
// loads are all in flight.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_SIDE_LINES_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_SIDE_LINES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/axes_problem.hpp>
#include <tessera/reduce/detail/reduce_lines.hpp>
#include <type_traits>
#include <utility>

namespace tessera::detail {

/// Threads whose columns lie among each other: as many as read at once, and a constant, by which a thread's loads
/// differ.
inline constexpr int side_threads = 32;
/// Elements of a line, at most.
inline constexpr int side_length_max = 7;
/// A thread's lines: some 16 loads, or 24 where values take fewer registers than sums (measured on an H100).
template <class Fold, int Length>
inline constexpr int side_columns = ((sums_in_pairs<Fold>() || Length < 4 ? 16 : 24) + Length / 2) / Length;

/// Whether lines are such, of which neighbours begin so many elements apart.
inline bool has_side_lines(const AxesShape& shape, int team_size, std::int64_t step) {
  return shape.reduced == 1 && shape.kept > 0 && shape.dims[shape.kept - 1].in == step &&
         (step == 1 || shape.run_size == step) && shape.reduced_size >= 2 && shape.reduced_size <= side_length_max &&
         shape.kept_size < narrow_outputs && team_size % side_threads == 0;
}
/// What a line carries, of which registers hold so many.
inline constexpr std::size_t side_line_bytes_max = 16;

/// Calls body(std::integral_constant<int, length>{}), Length <= length <= side_length_max.
template <int Length, class Body>
void with_side_length(int length, const Body& body) {
  if constexpr (Length < side_length_max) {
    if (length != Length) return with_side_length<Length + 1>(length, body);
  }
  body(std::integral_constant<int, Length>{});
}

/// A thread's.
template <class Line, int Count>
struct SideLines {
  Line of[Count];

  template <class Fold>
  KOKKOS_FORCEINLINE_FUNCTION explicit SideLines(const Fold& fold)
      : SideLines(fold, std::make_integer_sequence<int, Count>{}) {}

 private:
  template <class Fold, int... Each>
  KOKKOS_FORCEINLINE_FUNCTION SideLines(const Fold& fold, std::integer_sequence<int, Each...>)
      : of{((void)Each, Line(fold))...} {}
};

/// Length: of each line, so that nothing stands between the loads. Rows: that follow each other, else columns.
template <ExecutionSpace Space, class Problem, int Length, bool Rows>
struct ReduceSideLines : ReduceLines<Space, Problem, 1, sums_in_pairs<typename Problem::fold_type>()> {
  using Lines = ReduceLines<Space, Problem, 1, sums_in_pairs<typename Problem::fold_type>()>;
  using T = typename Problem::element_type;
  using typename Lines::Member;
  using Line = typename Lines::Line;
  using Lines::batches;
  using Lines::batches_inner;
  using Lines::inner;
  using Lines::problem;
  static constexpr int columns = side_columns<typename Lines::Fold, Length>, step = Rows ? Length : 1;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const AxesDim* axes = problem.kept <= 1
                              ? nullptr
                              : detail::axes_in_reach<Space>(team, problem, team_scratch(team, Lines::scratch_bytes));
    const int batch = columns * team.team_size();
    const int rank = team.team_rank() / side_threads * (columns * side_threads) + team.team_rank() % side_threads;
    for (std::int64_t item = team.league_rank(); item < batches; item += team.league_size()) {
      AxesOffsets outer{0, 0, 0, 0};
      std::int64_t begin = item, before = 0;  // outputs
      if (problem.kept > 1) {
        const std::uint32_t quotient = static_cast<std::uint32_t>(item) / static_cast<std::uint32_t>(batches_inner);
        outer = axes_offsets_narrow(axes, problem.kept - 1, quotient);
        begin -= quotient * batches_inner;
        before = quotient * inner.extent;
      }
      begin *= batch;
      const bool whole = begin + batch <= inner.extent;
      begin += rank;
      const auto base = [&](int u) { return outer + axis_offsets(inner, begin + u * side_threads); };
      // Those of the last batch go alone, and those that one look did not do for.
      unsigned alone = 0;
      if (whole) {
        alone = reduce_columns(base);
      } else {
        for (int u = 0; u < columns; ++u) alone |= begin + u * side_threads < inner.extent ? 1u << u : 0u;
      }
      Lines::reduce_alone(alone, base(0), before + begin, side_threads);
    }
  }

 private:
  /// Returns the outputs that are still to be done, as bits.
  template <class Base>
  KOKKOS_FORCEINLINE_FUNCTION unsigned reduce_columns(const Base& base) const {
    const AxesDim& lane = problem.lane;
    const AxesOffsets first = base(0);
    const T* from = problem.in + first.in;
    const Status input_status(problem.status_word);
    SideLines<Line, columns> lines(problem.fold);
    T loaded[Length][columns];
    TESSERA_UNROLL
    for (int k = 0; k < Length; ++k) {
      TESSERA_UNROLL
      for (int u = 0; u < columns; ++u) loaded[k][u] = from[u * side_threads * step];
      from += Rows ? 1 : lane.in;
    }
    TESSERA_UNROLL
    for (int k = 0; k < Length; ++k) {
      TESSERA_UNROLL
      for (int u = 0; u < columns; ++u) {
        const std::int64_t input = first.input + u * side_threads * inner.input + k * lane.input;
        lines.of[u].add(problem.fold, loaded[k][u], AxesOffsets{0, 0, k * lane.position, input}, input_status);
      }
    }
    unsigned left = 0;
    TESSERA_UNROLL
    for (int u = 0; u < columns; ++u) left |= Lines::finish_line(base(u), lines.of[u]) ? 0u : 1u << u;
    return left;
  }
};

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapping packs: columns, of which a thread reduces those of a 16-byte pack down part of the rows; a run is a column of
// which many rows lie side by side. A second kernel joins the parts.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_COLUMN_PACKS_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_COLUMN_PACKS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/float_format.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/axes_problem.hpp>
#include <tessera/reduce/detail/column_packs_plan.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/joins.hpp>
#include <tessera/reduce/detail/reduce_rows.hpp>
#include <tessera/reduce/detail/thread_group.hpp>
#include <type_traits>

namespace tessera::detail {

/// Positions of a thread's elements: Width columns of rows a step apart.
template <int Width>
struct ColumnIndex {
  std::int64_t first[Width], step;
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(int k) const { return first[k % Width] + (k / Width) * step; }
};

/// The columns of a pack, of a sum in pairs.
template <class Fold, class T>
class PairColumns {
  static constexpr int width = packed_length<T>;

 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit PairColumns(const Fold&) {}

  template <int Loads, class Index>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Packed<T> (&loaded)[Loads], const Index&) {
    TESSERA_UNROLL
    for (int column = 0; column < width; ++column) {
      term_t<Fold, T> terms[Loads];
      TESSERA_UNROLL
      for (int k = 0; k < Loads; ++k) terms[k] = Fold::term(loaded[k].values[column]);
      add_group(m_few[column], terms);
    }
  }
  /// So many, behind which there are zeros: they add nothing.
  template <int Loads, class Index>
  KOKKOS_FORCEINLINE_FUNCTION void add_first(int, const Packed<T> (&loaded)[Loads], const Index& index) {
    add(loaded, index);
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_one(int column, T element, std::int64_t) {
    m_few[column].add(Fold::term(element));
  }
  KOKKOS_FORCEINLINE_FUNCTION void totals(pair_t<Fold> (&columns)[width]) const {
    TESSERA_UNROLL
    for (int column = 0; column < width; ++column) columns[column] = m_few[column].total(0);
  }

 private:
  typename Fold::wide_few_type m_few[width];
};

/// Those of a fold that has chains: each takes elements of one column.
template <class Fold, class T>
class ChainColumns {
  static constexpr int width = packed_length<T>;

 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit ChainColumns(const Fold& fold) : m_fold(fold) { fold.begin(m_columns); }

  template <int Loads, class Index>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Packed<T> (&loaded)[Loads], const Index& index) {
    T elements[Loads * width];
    TESSERA_UNROLL
    for (int k = 0; k < Loads * width; ++k) elements[k] = loaded[k / width].values[k % width];
    m_fold.chain(m_columns, elements, index);
  }
  template <int Loads, class Index>
  KOKKOS_FORCEINLINE_FUNCTION void add_first(int count, const Packed<T> (&loaded)[Loads], const Index& index) {
    TESSERA_UNROLL
    for (int k = 0; k < Loads; ++k) {
      if (k >= count) continue;
      TESSERA_UNROLL
      for (int column = 0; column < width; ++column) {
        add_one(column, loaded[k].values[column], index(k * width + column));
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_one(int column, T element, std::int64_t index) {
    m_fold.chain_one(m_columns, column, element, index);
  }
  KOKKOS_FORCEINLINE_FUNCTION void totals(typename Fold::team_type (&columns)[width]) const {
    m_fold.chained_columns(m_columns, columns);
  }

 private:
  const Fold& m_fold;
  typename Fold::columns_type m_columns;
};

/// Of column_partial_t, as a reducer.
template <class Fold>
KOKKOS_FORCEINLINE_FUNCTION auto partial_join([[maybe_unused]] const Fold& fold) {
  if constexpr (sums_in_pairs<Fold>()) {
    return typename pair_t<Fold>::join_type{};
  } else {
    return FoldJoin<Fold>{fold};
  }
}

template <ExecutionSpace Space, class Problem>
struct ReduceColumnPacks {
  using Fold = typename Problem::fold_type;
  using T = typename Problem::element_type;
  using Partial = column_partial_t<Fold>;
  using policy_type =
      Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<column_packs_team_size, column_packs_teams_at_once>,
                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using Member = typename policy_type::member_type;
  static constexpr const char* label = "tessera::reduce_axes::packs";
  static constexpr int width = packed_length<T>, loads = column_packs_in_flight;

  Problem problem;
  std::size_t scratch_bytes;
  ColumnPacks packs;
  Partial* partials;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    // Of all teams of a segment, and of those of one matrix.
    const int worker = team.league_rank() / packs.segments, workers = packs.parts / packs.rounds;
    const int segment = team.league_rank() - worker * packs.segments, matrix = worker / workers;
    std::byte* scratch = team_scratch(team, scratch_bytes);
    const T* elements = problem.in;
    if (problem.kept_size > packs.columns) {
      const AxesDim* axes = axes_in_reach<Space>(team, problem, scratch);
      elements += axes_offsets(axes, problem.kept, matrix * packs.columns).in;
    }
    const auto phase = static_cast<int>(reinterpret_cast<std::uintptr_t>(elements) % packed_bytes / sizeof(T));
    const std::int64_t columns = packs.joined_columns();
    const std::int64_t first = (std::int64_t{segment} * team.team_size() + team.team_rank()) * width - phase;
    const std::int64_t part_size = packs.left_columns();
    Partial* mine = partials + std::int64_t{worker} * packs.rounds * part_size;
    int part = (worker - matrix * workers) * packs.rounds;
    TESSERA_NO_UNROLL
    for (int round = 0; round < packs.rounds; ++round, ++part, mine += part_size) {
      Partial* const to = packs.in_team ? reinterpret_cast<Partial*>(scratch + after_axes()) : mine;
      if (first < columns) {
        using Columns = std::conditional_t<sums_in_pairs<Fold>(), PairColumns<Fold, T>, ChainColumns<Fold, T>>;
        Columns of_pack(problem.fold);
        fold_pack(elements, first, part_of(packs.joined_height(), packs.parts, part), of_pack);
        Partial totals[width];
        of_pack.totals(totals);
        TESSERA_UNROLL
        for (int column = 0; column < width; ++column) {
          if (first + column >= 0 && first + column < columns) to[first + column] = totals[column];
        }
      }
      if (packs.in_team) join_in_team(team, to, mine);
    }
  }

 private:
  /// Of columns in scratch those of one output, by neighbouring threads.
  KOKKOS_FUNCTION void join_in_team(const Member& team, Partial* columns, Partial* mine) const {
    team.team_barrier();
    const auto outputs = static_cast<int>(packs.columns), stride = static_cast<int>(packs.stride);
    const int threads = team.team_size() / outputs;
    const int output = team.team_rank() / threads, rank = team.team_rank() - output * threads;
    const auto join = partial_join(problem.fold);
    Partial total = join.identity();
    for (int row = rank; output < outputs && row < packs.rows; row += threads) {
      join.join(total, columns[row * stride + output]);
    }
    team.team_barrier();
    const ThreadGroup<Member> members{team, rank, threads};
    total = team_join(members, total, join, columns + output * threads);
    if (output < outputs && rank == 0) mine[output] = total;
  }

  /// Rows of joined ones, from whose element number first on the pack has them.
  template <class Columns>
  KOKKOS_FORCEINLINE_FUNCTION void fold_pack(const T* elements, std::int64_t first, const IndexRange& rows,
                                             Columns& of_pack) const {
    const std::int64_t step = packs.rows * packs.stride, row_step = packs.rows * problem.lane.position;
    const std::int64_t end = (packs.height - 1) * packs.stride + packs.columns;
    // Packs that reach beyond the matrix, of which some of its memory's first and last elements are one.
    const auto edge = [&](std::int64_t row) {
      TESSERA_UNROLL
      for (int column = 0; column < width; ++column) {
        const std::int64_t at = row * step + first + column;
        if (at >= 0 && at < end) of_pack.add_one(column, elements[at], row * row_step + position(first + column));
      }
    };
    std::int64_t row = rows.begin, whole_end = rows.end;
    if (row == 0 && first < 0) edge(row++);
    if (row < whole_end && (whole_end - 1) * step + first + width > end) --whole_end;

    ColumnIndex<width> index;
    TESSERA_UNROLL
    for (int column = 0; column < width; ++column) index.first[column] = row * row_step + position(first + column);
    index.step = row_step;
    const auto* pack = reinterpret_cast<const Packed<T>*>(elements + (row * step + first));
    const std::int64_t pack_step = step / width;
    Packed<T> loaded[loads];
    for (; row + loads <= whole_end; row += loads) {
      TESSERA_UNROLL
      for (int k = 0; k < loads; ++k) loaded[k] = pack[k * pack_step];
      of_pack.add(loaded, index);
      pack += loads * pack_step;
      TESSERA_UNROLL
      for (int column = 0; column < width; ++column) index.first[column] += loads * row_step;
    }
    const auto rest = static_cast<int>(whole_end - row);
    if (rest > 0) {
      TESSERA_UNROLL
      for (int k = 0; k < loads; ++k) loaded[k] = k < rest ? pack[k * pack_step] : Packed<T>{};
      of_pack.add_first(rest, loaded, index);
    }
    if (whole_end < rows.end) edge(whole_end);
  }

  /// Among the reduced elements, of an element of the first of the joined rows.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t position(std::int64_t column) const {
    return column < 0 ? 0 : column / packs.stride * problem.lane.position;
  }
};

/// problem.parts: 1, so that finish() writes results. Of exact sums those that are not settled are left.
template <ExecutionSpace Space, class Problem>
struct ReduceColumnParts {
  using Fold = typename Problem::fold_type;
  using Partial = column_partial_t<Fold>;
  using policy_type = AxesPolicy<Space>;
  using Member = typename policy_type::member_type;
  static constexpr const char* label = "tessera::reduce_axes::column_parts";

  Problem problem;
  std::size_t scratch_bytes;
  ColumnPacks packs;
  const Partial* partials;
  int outputs, threads;  // of a team; of an output

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    std::byte* scratch = team_scratch(team, scratch_bytes);
    const AxesDim* axes = axes_in_reach<Space>(team, problem, scratch);
    const int rank = team.team_rank() / outputs, group = team.team_rank() - rank * outputs;
    const std::int64_t output = std::int64_t{team.league_rank()} * outputs + group;
    const bool valid = output < problem.kept_size;
    const ThreadGroup<Member> members{team, rank, threads};
    const auto join = partial_join(problem.fold);
    Partial total = join.identity();
    if (valid) add_share(output, rank, join, total);
    total = team_join(members, total, join, reinterpret_cast<Partial*>(scratch + after_axes()) + group * threads);
    if (!valid || rank != 0) return;
    if constexpr (sums_in_pairs<Fold>()) {
      const AxesOffsets at = axes_offsets(axes, problem.kept, output);
      typename Problem::result_type result;
      const Status status(problem.status_word, static_cast<std::uint64_t>(at.position));
      if (!problem.fold.settle(total, problem.reduced_size, status, result))
        return problem.left.leave(problem.out[at.out]);
      problem.out[at.out] = result;
    } else {
      problem.finish(members, axes, output, 0, total);
    }
  }

 private:
  template <class Join>
  KOKKOS_FORCEINLINE_FUNCTION void add_share(std::int64_t output, int rank, const Join& join, Partial& total) const {
    const auto columns = static_cast<std::uint32_t>(packs.columns), of = static_cast<std::uint32_t>(output);
    const std::uint32_t matrix = of / columns, column = of - matrix * columns;
    const std::int64_t part_size = packs.left_columns();
    const int rows = packs.left_rows(), count = packs.parts * rows;
    const Partial* const first = partials + matrix * packs.parts * part_size + column;
    constexpr int loads = 4;
    for (int i = rank; i < count; i += loads * threads) {
      Partial loaded[loads];
      TESSERA_UNROLL
      for (int k = 0; k < loads; ++k) {
        const int at = i + k * threads, part = at / rows, row = at - part * rows;
        loaded[k] = at < count ? first[part * part_size + row * packs.stride] : join.identity();
      }
      TESSERA_UNROLL
      for (int k = 0; k < loads; ++k) join.join(total, loaded[k]);
    }
  }
};

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapping lines where the outputs' elements are one, two or three that follow each other without a gap: a thread takes
// as many outputs as whole 16-byte accesses hold, and writes them in such accesses too.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_SHORT_ROWS_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_SHORT_ROWS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/axes_problem.hpp>
#include <tessera/reduce/detail/reduce_lines.hpp>
#include <type_traits>

namespace tessera::detail {

inline constexpr int short_row_max = 3;

/// Outputs of a thread: of some four loads in flight.
template <class T>
KOKKOS_INLINE_FUNCTION constexpr int short_rows_at_once(std::int64_t length) {
  return packed_length<T> * (length == 1 ? 4 : length == 2 ? 2 : 1);
}

/// Whether elements and results are of sizes for it.
template <class Pointer, class Result>
KOKKOS_INLINE_FUNCTION constexpr bool has_short_rows() {
  if constexpr (std::is_pointer_v<Pointer>) {
    constexpr std::size_t bytes = sizeof(std::remove_pointer_t<Pointer>);
    return bytes >= 4 && packed_bytes % bytes == 0 && packed_bytes % sizeof(Result) == 0;
  } else {
    return false;
  }
}

/// Whether rows and outputs lie so.
template <class T, class Result>
bool has_short_rows(const AxesShape& shape, const T* in, const Result* out) {
  const std::int64_t length = shape.reduced_size;
  if (shape.kept != 1 || length < 1 || length > short_row_max || shape.run_size != length) return false;
  const AxesDim& rows = shape.dims[0];
  return rows.in == length && rows.out == 1 && misaligned_head(in, packed_length<T>) == 0 &&
         misaligned_head(out, packed_length<Result>) == 0;
}

template <ExecutionSpace Space, class Problem, bool Leaves>
struct ReduceShortRows : ReduceLines<Space, Problem, 1, Leaves> {
  using Lines = ReduceLines<Space, Problem, 1, Leaves>;
  using T = typename Problem::element_type;
  using Result = typename Problem::result_type;
  /// Exact sums take more registers (measured on an H200).
  using policy_type = AxesPolicy<Space, sums_in_pairs<typename Lines::Fold>() ? 3 : 4>;
  using Member = typename policy_type::member_type;
  using Lines::batches;
  using Lines::inner;
  using Lines::problem;
  static constexpr int width = packed_length<T>;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int rows = short_rows_at_once<T>(problem.reduced_size);
    const std::int64_t batch = std::int64_t{team.team_size()} * rows;
    const int step = team.team_size() * width;
    for (std::int64_t item = team.league_rank(); item < batches; item += team.league_size()) {
      const std::int64_t begin = item * batch + std::int64_t{team.team_rank()} * width;
      const auto row = [&](int r) { return begin + r / width * step + r % width; };
      unsigned alone = 0;
      if ((item + 1) * batch <= inner.extent) {
        alone = problem.reduced_size == 1   ? reduce_packs<1>(begin, step)
                : problem.reduced_size == 2 ? reduce_packs<2>(begin, step)
                                            : reduce_packs<3>(begin, step);
      } else {
        for (int r = 0; r < rows; ++r) alone |= row(r) < inner.extent ? 1u << r : 0u;
      }
      TESSERA_NO_UNROLL
      for (int unit = 0; alone != 0; alone >>= width, ++unit) {
        Lines::reduce_alone(alone & ((1u << width) - 1), axis_offsets(inner, row(unit * width)), row(unit * width), 1);
      }
    }
  }

 private:
  /// Returns the rows that are still to be done, as bits.
  template <int Length>
  KOKKOS_FORCEINLINE_FUNCTION unsigned reduce_packs(std::int64_t begin, int step) const {
    constexpr int units = short_rows_at_once<T>(Length) / width;
    constexpr int stored = Kokkos::min(width, packed_length<Result>);
    const auto* packs = reinterpret_cast<const Packed<T>*>(problem.in + begin * Length);
    Packed<T> loaded[units][Length];
    TESSERA_UNROLL
    for (int u = 0; u < units; ++u) {
      TESSERA_UNROLL
      for (int k = 0; k < Length; ++k) loaded[u][k] = load_whole(packs + u * step / width * Length + k);
    }
    unsigned left = 0;
    TESSERA_UNROLL
    for (int u = 0; u < units; ++u) {
      Packed<Result, stored> results[width / stored] = {};
      unsigned left_of_unit = 0;
      TESSERA_UNROLL
      for (int r = 0; r < width; ++r) {
        const std::int64_t row = begin + u * step + r;
        typename Lines::Line line(problem.fold);
        T elements[Length];
        TESSERA_UNROLL
        for (int k = 0; k < Length; ++k) {
          const int at = r * Length + k;
          elements[k] = loaded[u][at / width].values[at % width];
        }
        const auto offsets = [&](int k) {
          return AxesOffsets{0, 0, k * problem.lane.position, row * inner.input + k * problem.lane.input};
        };
        line.template add_group<true>(problem.fold, elements, offsets, Status(problem.status_word));
        const bool done = Lines::finish_line(row * inner.position, line, results[r / stored].values[r % stored]);
        left_of_unit |= done ? 0u : 1u << r;
      }
      auto* out = reinterpret_cast<Packed<Result, stored>*>(problem.out + begin + u * step);
      if (left_of_unit == 0) {
        TESSERA_UNROLL
        for (int k = 0; k < width / stored; ++k) store_whole(out + k, results[k]);
      }
      left |= left_of_unit != 0 ? ((1u << width) - 1) << u * width : 0u;
    }
    return left;
  }
};

}  // namespace tessera::detail

#endif

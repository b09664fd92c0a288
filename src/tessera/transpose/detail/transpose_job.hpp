// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernels of tiled, padded and swizzled are given: matrices, and axes along which there are many of them.
#ifndef TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_JOB_HPP
#define TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_JOB_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/divisor.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/transpose/team_transpose.hpp>
#include <tessera/transpose/transpose_plan.hpp>

namespace tessera::detail {

/// The tile at a place of a matrix.
struct TilePlace {
  std::int64_t row, column;        // of its first element in its matrix, less than 0 where it leads
  std::int64_t in_base, out_base;  // of its matrix
};

template <class In, class Out, class Function>
struct MatrixJob {
  using in_type = In;
  using out_type = Out;
  using function_type = Function;

  StridedTile<const In> in;  // rows x columns
  StridedTile<Out> out;      // columns x rows
  Function function;
  std::int64_t rows, columns;
  Divisor tiles_down, tiles_across;
  std::uint32_t tiles;
  int tile_rows, tile_columns, lead_rows, lead_columns;
  int batch_axes;
  // The fastest of the output first.
  Divisor batch_extents[transpose_batch_max];
  std::int64_t batch_in[transpose_batch_max], batch_out[transpose_batch_max];

  /// Down the columns of tiles first: neighbouring teams write neighbouring segments.
  [[nodiscard]] KOKKOS_FUNCTION TilePlace place(std::uint32_t tile) const {
    std::uint32_t rest = tiles_down.quotient(tile);
    TilePlace place{std::int64_t{tile - rest * tiles_down.value()} * tile_rows - lead_rows,
                    std::int64_t{rest} * tile_columns - lead_columns, 0, 0};
    if (batch_axes == 0) return place;
    const std::uint32_t matrices = tiles_across.quotient(rest);
    place.column = std::int64_t{rest - matrices * tiles_across.value()} * tile_columns - lead_columns;
    rest = matrices;
    TESSERA_UNROLL
    for (int d = 0; d < transpose_batch_max; ++d) {
      if (d >= batch_axes) break;
      const std::uint32_t quotient = batch_extents[d].quotient(rest);
      const std::uint32_t index = rest - quotient * batch_extents[d].value();
      place.in_base += index * batch_in[d];
      place.out_base += index * batch_out[d];
      rest = quotient;
    }
    return place;
  }
  /// The number of the tile that is number count along the rows of tiles.
  [[nodiscard]] KOKKOS_FUNCTION std::uint32_t across(std::uint32_t count) const {
    const std::uint32_t row_of_tiles = tiles_across.quotient(count),
                        rows_before = tiles_down.quotient(row_of_tiles) * tiles_down.value();
    return rows_before * tiles_across.value() + (count - row_of_tiles * tiles_across.value()) * tiles_down.value() +
           (row_of_tiles - rows_before);
  }
  [[nodiscard]] KOKKOS_FUNCTION StridedTile<const In> source(const TilePlace& at) const {
    return {in.data + at.in_base + at.row * in.row_stride + at.column * in.column_stride, in.row_stride,
            in.column_stride};
  }
  [[nodiscard]] KOKKOS_FUNCTION StridedTile<Out> target(const TilePlace& at) const {
    return {out.data + at.out_base + at.column * out.row_stride + at.row * out.column_stride, out.row_stride,
            out.column_stride};
  }
};

template <class In, class Out, class Function>
MatrixJob<In, Out, Function> matrix_job(const In* in, Out* out, const Function& function, const PermuteShape& shape,
                                        const TransposePlan& plan) {
  const MatrixAxes matrix = matrix_axes(shape);
  const PermuteAxis row = matrix.row < 0 ? PermuteAxis{1, 0, 0} : shape.axes[matrix.row];
  const PermuteAxis column = matrix.column < 0 ? PermuteAxis{1, 0, 0} : shape.axes[matrix.column];
  MatrixJob<In, Out, Function> job{
      {in, row.in_stride, column.in_stride},
      {out, column.out_stride, row.out_stride},
      function,
      row.extent,
      column.extent,
      Divisor(static_cast<std::uint32_t>(ceil_div(row.extent + plan.lead_rows, plan.tile_rows))),
      Divisor(static_cast<std::uint32_t>(ceil_div(column.extent + plan.lead_columns, plan.tile_columns))),
      0,
      plan.tile_rows,
      plan.tile_columns,
      plan.lead_rows,
      plan.lead_columns,
      0,
      {},
      {},
      {}};
  job.tiles = job.tiles_down.value() * job.tiles_across.value();
  for (int d = shape.rank; d-- > 0;) {
    if (d == matrix.row || d == matrix.column) continue;
    job.batch_extents[job.batch_axes] = Divisor(static_cast<std::uint32_t>(shape.axes[d].extent));
    job.batch_in[job.batch_axes] = shape.axes[d].in_stride;
    job.batch_out[job.batch_axes++] = shape.axes[d].out_stride;
    job.tiles *= static_cast<std::uint32_t>(shape.axes[d].extent);
  }
  return job;
}

}  // namespace tessera::detail

#endif

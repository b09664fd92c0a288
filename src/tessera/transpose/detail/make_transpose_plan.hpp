// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a problem to a plan, a pure host function.
#ifndef TESSERA_TRANSPOSE_DETAIL_MAKE_TRANSPOSE_PLAN_HPP
#define TESSERA_TRANSPOSE_DETAIL_MAKE_TRANSPOSE_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/host_stream.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/transpose/detail/packed_plan.hpp>
#include <tessera/transpose/detail/permute_shape.hpp>
#include <tessera/transpose/transpose_options.hpp>
#include <tessera/transpose/transpose_plan.hpp>

namespace tessera::detail {

/// Whether nearly all tiles along an extent are whole: the others go element by element.
constexpr bool fills_tiles(std::int64_t extent, std::int64_t tile) { return extent % tile == 0 || extent >= 8 * tile; }

/// Of square tiles half a one will do, but where a thread has several blocks of it, as of bytes.
constexpr bool fills_square(std::int64_t extent, int tile) { return extent >= tile && fills_tiles(extent, tile / 2); }

/// Whether variant swizzled has wide accesses for nearly all of a matrix.
inline bool fills_swizzled(const TransposeProblem& problem) {
  if (!can_swizzle(problem)) return false;
  const MatrixAxes matrix = matrix_axes(problem.shape);
  const std::int64_t rows = problem.shape.axes[matrix.row].extent, columns = problem.shape.axes[matrix.column].extent;
  const SwizzleShape tile = swizzle_shape(problem.in_bytes, problem.out_bytes, rows);
  const bool is_square = tile.rows() == tile.columns() && problem.out_bytes >= 4;
  if (is_square) return fills_square(rows, tile.rows()) && fills_square(columns, tile.columns());
  return fills_tiles(rows, tile.rows()) && fills_tiles(columns, tile.columns());
}

/// The elements along an axis from the last boundary before a matrix to its begin; 0 where another stride leaves the
/// boundaries, or the axis has few tiles, of which one more would cost more.
template <class Stride>
int tile_lead(const PermuteShape& shape, int along, int tile, std::uintptr_t address, std::size_t bytes,
              const Stride& stride) {
  if (shape.axes[along].extent < 8 * std::int64_t{tile}) return 0;
  const TileBoundary boundary(tile, bytes);
  for (int d = 0; d < shape.rank; ++d) {
    if (d != along && !boundary.keeps(stride(shape.axes[d]))) return 0;
  }
  return boundary.lead(address);
}

/// Whether variant swizzled goes down strips.
inline bool goes_down_strips(const DeviceLimits& limits, const TransposeProblem& problem) {
  return can_swizzle(problem) ? !fills_swizzled(problem) && gains_from_strips(limits, problem)
                              : can_strip(limits, problem);
}

inline TransposeVariant automatic_variant(const DeviceLimits& limits, const TransposeProblem& problem) {
  const PermuteShape& shape = problem.shape;
  const MatrixAxes matrix = matrix_axes(shape);
  if (matrix.row != shape.rank - 1 || shape.rank < 2 || shape.rank - 2 > transpose_batch_max)
    return TransposeVariant::packed;
  const std::int64_t rows = shape.axes[matrix.row].extent, columns = shape.axes[matrix.column].extent;
  if (limits.is_host) {
    return rows >= packed_host_side && columns >= packed_host_side ? TransposeVariant::swizzled
                                                                   : TransposeVariant::packed;
  }
  if (fills_swizzled(problem) || gains_from_strips(limits, problem)) return TransposeVariant::swizzled;
  const bool fills = fills_tiles(rows, transpose_tile_rows) && fills_tiles(columns, transpose_tile_columns);
  return fills && shape.axes[matrix.column].in_stride == 1 && shape.axes[matrix.row].out_stride == 1
             ? TransposeVariant::padded
             : TransposeVariant::packed;
}

inline void plan_matrix(std::string_view function, const DeviceLimits& limits, const TransposeProblem& problem,
                        Stores stores, TransposePlan& plan) {
  const PermuteShape& shape = problem.shape;
  const MatrixAxes matrix = matrix_axes(shape);
  const std::int64_t rows = matrix.row < 0 ? 1 : shape.axes[matrix.row].extent;
  const std::int64_t columns = matrix.column < 0 ? 1 : shape.axes[matrix.column].extent;
  const std::uint64_t bytes = static_cast<std::uint64_t>(shape.units()) * problem.out_bytes;
  plan.streamed = plan.variant == TransposeVariant::swizzled && takes_streaming(stores, limits.is_host, bytes) &&
                  can_stream(problem);
  if (plan.streamed) {
    const StreamedTile tile = streamed_tile(problem.out_bytes, rows_begin_on(problem, stream_line));
    plan.tile_rows = tile.rows;
    plan.tile_columns = tile.columns;
    plan.access_bytes = static_cast<int>(problem.in_bytes);
    plan.scratch_bytes = tile.scratch_bytes;
    if (plan.team_size == 0) plan.team_size = 1;
  } else if (plan.variant == TransposeVariant::swizzled && plan.team_size == 0 && goes_down_strips(limits, problem)) {
    const int width = strip_width(problem.in_bytes, problem.out_bytes);
    plan.tile_rows = width * strip_words_down;
    plan.tile_columns = width * strip_words_across;
    plan.access_bytes = strip_word_bytes;
    plan.scratch_bytes = strip_scratch(width).bytes;
    plan.team_size = transpose_team_size;
    plan.piece_rows = strip_piece_rows;
  } else if (plan.variant == TransposeVariant::swizzled) {
    const SwizzleShape tile = swizzle_shape(problem.in_bytes, problem.out_bytes, rows);
    plan.tile_rows = tile.rows();
    plan.tile_columns = tile.columns();
    plan.access_bytes = (!limits.is_host && can_swizzle(problem) ? tile.width : 1) * static_cast<int>(problem.in_bytes);
    if (!limits.is_host)
      plan.scratch_bytes = static_cast<std::size_t>(plan.tile_rows * plan.tile_columns) * problem.out_bytes;
    if (plan.team_size == 0) plan.team_size = limits.is_host ? 1 : transpose_team_size;
    if (!limits.is_host && can_swizzle(problem)) {
      plan.lead_rows = tile_lead(shape, matrix.row, plan.tile_rows, problem.out_address, problem.out_bytes,
                                 [](const PermuteAxis& axis) { return axis.out_stride; });
      plan.lead_columns = tile_lead(shape, matrix.column, plan.tile_columns, problem.in_address, problem.in_bytes,
                                    [](const PermuteAxis& axis) { return axis.in_stride; });
    }
  } else {
    const bool to_sectors = moves_to_sectors(limits, problem);
    plan.tile_rows = to_sectors ? transpose_sector_tile_rows : transpose_tile_height(limits.is_host, problem.out_bytes);
    plan.tile_columns = transpose_tile_columns;
    plan.pad = plan.variant == TransposeVariant::tiled ? 0 : transpose_pad;
    plan.access_bytes = static_cast<int>(problem.in_bytes);
    const int below = to_sectors ? sector_length(limits.is_host, problem.out_bytes) : 0;
    plan.scratch_bytes = transpose_scratch_bytes(plan.tile_rows + below, problem.out_bytes);
    if (plan.team_size == 0) plan.team_size = limits.is_host ? 1 : transpose_team_size;
  }
  const std::int64_t down = ceil_div(rows + plan.lead_rows, plan.tile_rows);
  const std::int64_t strips =
      shape.units() / (rows * columns) * ceil_div(columns + plan.lead_columns, plan.tile_columns);
  const std::int64_t tiles = strips * down;
  require_tiles(function, tiles);
  if (plan.league_size == 0) {
    plan.league_size = tile_league(limits, plan.piece_rows > 0 ? strips * strip_pieces(problem).count : tiles);
  }
}

inline TransposePlan copy_plan() {
  return {.variant = TransposeVariant::packed,
          .league_size = 0,
          .team_size = 0,
          .vector_length = 0,
          .tile_rows = 0,
          .tile_columns = 0,
          .copied = true};
}

inline TransposeChoice make_transpose_plan(std::string_view function, const DeviceLimits& limits,
                                           TransposeProblem problem, const TransposeOptions& options) {
  require_league_size(function, options.league_size);
  require_team_size(function, options.team_size, limits.is_host ? limits.concurrency : 1024);
  if (problem.shape.units() == 0) problem.shape.rank = 0;
  TransposeChoice choice;
  choice.plan.variant =
      options.variant == TransposeVariant::automatic ? automatic_variant(limits, problem) : options.variant;
  choice.plan.league_size = options.league_size;
  choice.plan.team_size = options.team_size;
  switch (choice.plan.variant) {
    case TransposeVariant::tiled:
    case TransposeVariant::padded:
    case TransposeVariant::swizzled:
      TESSERA_REQUIRE_ARGUMENT(problem.shape.rank <= transpose_batch_max + 2, function, "options",
                               "variant " + std::string(to_string(choice.plan.variant)) + ", and " +
                                   std::to_string(problem.shape.rank) + " axes that cannot be merged",
                               "automatic, naive or packed", "the others take 8 axes");
      plan_matrix(function, limits, problem, options.stores, choice.plan);
      break;
    default:
      plan_packed(function, limits, problem, choice);
  }
  return choice;
}

}  // namespace tessera::detail

#endif

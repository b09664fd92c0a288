// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a transpose is mapped to teams: data, from a pure host function.
#ifndef TESSERA_TRANSPOSE_TRANSPOSE_PLAN_HPP
#define TESSERA_TRANSPOSE_TRANSPOSE_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/transpose/transpose_options.hpp>

namespace tessera {

struct TransposePlan {
  TransposeVariant variant = TransposeVariant::padded;
  int league_size = 1;
  int team_size = 1;
  int vector_length = 1;
  int tile_rows = 1;              ///< of the input
  int tile_columns = 1;           ///< of the input
  int pad = 0;                    ///< unused columns of the tile in scratch
  std::size_t scratch_bytes = 0;  ///< level 0, a team
  bool operator==(const TransposePlan&) const = default;
};

inline std::string to_string(const TransposePlan& plan) {
  return std::string(to_string(plan.variant)) + " league " + std::to_string(plan.league_size) + " team " +
         std::to_string(plan.team_size) + " vector " + std::to_string(plan.vector_length) + " tile " +
         std::to_string(plan.tile_rows) + " x " + std::to_string(plan.tile_columns) + " pad " +
         std::to_string(plan.pad) + " scratch " + std::to_string(plan.scratch_bytes) + " B";
}

namespace detail {

/// Measured on an H200: taller tiles write longer segments, and 32 columns are a warp's read.
inline constexpr int transpose_tile_rows = 64;
inline constexpr int transpose_tile_columns = 32;
inline constexpr int transpose_pad = 1;
inline constexpr int transpose_team_size = 256;

/// Rows of a tile. Host teams have 32 KiB of scratch, which a tall tile of 16-byte elements exceeds.
constexpr int transpose_tile_height(bool is_host, std::size_t element_bytes) {
  return is_host && element_bytes > 8 ? transpose_tile_rows / 2 : transpose_tile_rows;
}

KOKKOS_INLINE_FUNCTION constexpr std::size_t transpose_scratch_bytes(int tile_rows, std::size_t element_bytes) {
  return static_cast<std::size_t>(tile_rows * (transpose_tile_columns + transpose_pad)) * element_bytes;
}

/// rows x columns of the input as the kernel sees it.
inline TransposePlan make_transpose_plan(const DeviceLimits& limits, std::int64_t rows, std::int64_t columns,
                                         std::size_t element_bytes, const TransposeOptions& options) {
  require_league_size("tessera::transpose", options.league_size);
  require_team_size("tessera::transpose", options.team_size, limits.is_host ? limits.concurrency : 1024);
  TransposePlan plan;
  plan.tile_rows = transpose_tile_height(limits.is_host, element_bytes);
  plan.tile_columns = transpose_tile_columns;
  plan.pad = transpose_pad;
  plan.team_size = options.team_size != 0 ? options.team_size : (limits.is_host ? 1 : transpose_team_size);
  const std::int64_t tiles = ceil_div(rows, plan.tile_rows) * ceil_div(columns, plan.tile_columns);
  plan.league_size = options.league_size != 0 ? options.league_size : tile_league(limits, tiles);
  plan.scratch_bytes = transpose_scratch_bytes(plan.tile_rows, element_bytes);
  return plan;
}

}  // namespace detail

/// The plan that transpose() will follow for n0 x n1 elements of T. Pure: it launches and allocates nothing.
/// \throws InvalidArgument for sizes of league or team that cannot be.
template <class T, ExecutionSpace Space>
TransposePlan transpose_plan(const Space& space, std::uint64_t n0, std::uint64_t n1,
                             const TransposeOptions& options = {}) {
  return detail::make_transpose_plan(detail::device_limits(space), static_cast<std::int64_t>(n0),
                                     static_cast<std::int64_t>(n1), sizeof(T), options);
}

}  // namespace tessera

#endif

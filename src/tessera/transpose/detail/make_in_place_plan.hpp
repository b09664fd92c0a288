// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a matrix to a plan, a pure host function.
#ifndef TESSERA_TRANSPOSE_DETAIL_MAKE_IN_PLACE_PLAN_HPP
#define TESSERA_TRANSPOSE_DETAIL_MAKE_IN_PLACE_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/transpose/detail/in_place_block_plan.hpp>
#include <tessera/transpose/detail/in_place_layout.hpp>
#include <tessera/transpose/detail/in_place_line_plan.hpp>
#include <tessera/transpose/in_place_options.hpp>
#include <tessera/transpose/in_place_plan.hpp>

namespace tessera::detail {

/// Passes over lines take about so much longer than their costs say, beside those of blocks (measured on an H200).
inline constexpr double lines_to_blocks = 1.5;

inline InPlacePlan plan_any_shape(const InPlaceLimits& limits, InPlaceVariant variant, std::int64_t rows,
                                  std::int64_t columns) {
  if (variant == InPlaceVariant::c2r || variant == InPlaceVariant::r2c) {
    return plan_passes(limits, variant, rows, columns);
  }
  const BlockPlan blocks = choose_blocks(limits, rows, columns);
  const bool can_be_blocks = rows * columns / blocks.run < std::int64_t{1} << 31;  // runs are numbered in 32 bits
  if (variant == InPlaceVariant::blocks && can_be_blocks) return plan_blocks(limits, blocks, rows, columns);
  const bool asks = variant == InPlaceVariant::chunks;
  const bool is_large = rows * columns >= in_place_matrix_least / static_cast<std::int64_t>(limits.element_bytes);
  if (limits.device.is_host && (asks || is_large)) {
    const InPlacePlan plan = plan_chunks(limits, rows, columns);
    if (asks || plan.workspace_bytes <= limits.batch_bytes) return plan;
  }
  const InPlacePlan passes = plan_cheaper_passes(limits, rows, columns);
  const bool lines_suffice = passes.workspace_bytes == 0 && lines_may_suffice(limits, rows, columns);
  if (!limits.device.is_host && is_large && can_be_blocks && !lines_suffice) {
    const double cost = in_place_cost(limits, in_place_shape(passes.variant, rows, columns), passes);
    if (block_cost(limits, blocks, rows, columns) < lines_to_blocks * cost) {
      return plan_blocks(limits, blocks, rows, columns);
    }
  }
  return passes;
}

/// Of a rows x columns matrix, or of batches of square ones.
inline InPlacePlan make_in_place_plan(const DeviceLimits& device, std::int64_t rows, std::int64_t columns,
                                      std::size_t element_bytes, const InPlaceOptions& options,
                                      std::int64_t batches = 1) {
  constexpr std::string_view function = "tessera::transpose_in_place";
  require_league_size(function, options.league_size);
  require_team_size(function, options.team_size, device.is_host ? device.concurrency : 1024);
  const bool is_automatic = options.variant == InPlaceVariant::automatic;
  const bool swaps = options.variant == InPlaceVariant::swapped_tiles;
  TESSERA_REQUIRE_ARGUMENT(!swaps || rows == columns, function, "options",
                           "variant swapped_tiles for " + std::to_string(rows) + " x " + std::to_string(columns),
                           device.is_host ? "a square matrix, or variant c2r, r2c, blocks or chunks"
                                          : "a square matrix, or variant c2r, r2c or blocks",
                           "automatic takes what the shape allows");
  TESSERA_REQUIRE_ARGUMENT(device.is_host || options.variant != InPlaceVariant::chunks, function, "options",
                           "variant chunks on a device", "variant c2r or r2c",
                           "automatic takes what the machine allows");
  std::size_t batch_bytes =
      options.batch_bytes != 0 ? options.batch_bytes : in_place_batch_bytes(std::max(rows, columns));
  if (options.batch_bytes == 0 && device.is_host) {
    batch_bytes = std::max(batch_bytes, in_place_host_batch_bytes(rows * columns, element_bytes));
  }
  const InPlaceLimits limits{device, element_bytes, batch_bytes, options.team_size};
  InPlacePlan plan{.variant = is_automatic ? InPlaceVariant::c2r : options.variant};
  if (rows == columns && (is_automatic || swaps)) {
    plan = plan_swapped_tiles(limits, rows, batches);
  } else if (rows > 1 && columns > 1) {
    plan = plan_any_shape(limits, options.variant, rows, columns);
  }
  if (rows <= 1 || columns <= 1 || batches == 0) plan.passes = 0;
  if (options.league_size != 0) plan.league_size = options.league_size;
  plan.bytes_moved = 2 * static_cast<std::uint64_t>(plan.passes) * static_cast<std::uint64_t>(batches * rows) *
                     static_cast<std::uint64_t>(columns) * element_bytes;
  return plan;
}

}  // namespace tessera::detail

#endif

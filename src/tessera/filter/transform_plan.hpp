// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks and batches of filters by Fourier transforms: data, from a pure host function; and the errors they make.
#ifndef TESSERA_FILTER_TRANSFORM_PLAN_HPP
#define TESSERA_FILTER_TRANSFORM_PLAN_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/error.hpp>
#include <tessera/filter/filter_plan.hpp>

namespace tessera {

struct FilterTransformOptions {
  std::int64_t extent = 0;  ///< of the lines that will be filtered, for which blocks need not be longer; 0: not known
  std::int64_t lines = 0;   ///< how many, for which batches need not be larger; 0: not known
  std::int64_t block = 0;   ///< elements of a transform: a power of two, no less than the taps; 0: from the taps
  std::size_t memory_bytes = std::size_t{512} << 20;  ///< of the blocks of a batch and the transforms' own work
};

namespace detail {

/// Elements of a transform: more would not be counted in an int by the libraries.
inline constexpr std::int64_t transform_block_max = std::int64_t{1} << 30;

inline std::int64_t power_of_two_from(std::int64_t count) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(count)));
}

/// Variant transform: `block` elements give block - taps + 1 outputs.
inline FilterPlan make_transform_plan(const DeviceLimits& limits, std::int64_t taps,
                                      const FilterTransformOptions& options) {
  constexpr std::string_view function = "tessera::FilterTransform";
  TESSERA_REQUIRE_ARGUMENT(options.extent >= 0 && options.lines >= 0, function, "options",
                           "extent " + std::to_string(options.extent) + ", lines " + std::to_string(options.lines),
                           "0 or more", "0 stands for any");
  const bool fine =
      options.block == 0 || (options.block >= 4 && std::has_single_bit(static_cast<std::uint64_t>(options.block)) &&
                             options.block >= taps && options.block <= transform_block_max);
  TESSERA_REQUIRE_ARGUMENT(fine, function, "options",
                           "block " + std::to_string(options.block) + " with " + std::to_string(taps) + " taps",
                           "a power of two from 4 to 2^30 that is no less than the taps", "0 lets the plan decide");
  // A device's transforms need as much again to work in.
  const std::size_t element_bytes = (limits.is_host ? 1 : 2) * 2 * sizeof(double);
  const auto room =
      static_cast<std::int64_t>(std::min<std::size_t>(options.memory_bytes / element_bytes, std::size_t{1} << 62));
  const std::int64_t least =
      options.block != 0 ? options.block : power_of_two_from(std::max<std::int64_t>(2 * taps, 4));
  TESSERA_REQUIRE_RESOURCE(
      least <= std::min(room, transform_block_max), function, "options",
      "memory_bytes " + std::to_string(options.memory_bytes) + " with " + std::to_string(taps) + " taps",
      std::to_string(static_cast<std::size_t>(least) * element_bytes) + " or more, for blocks of " +
          std::to_string(least) + " elements, of which 2^30 are the most",
      "raise it, or filter with another variant");
  std::int64_t block = least;
  if (options.block == 0) {
    constexpr std::int64_t short_block = 8192;  // below it transforms no longer get cheaper an element
    block = std::max(power_of_two_from(4 * taps), short_block);
    if (options.extent > 0) block = std::min(block, std::max(least, power_of_two_from(options.extent + taps - 1)));
    while (block > std::min(room, transform_block_max)) block /= 2;
  }
  FilterPlan plan;
  plan.variant = FilterVariant::transform;
  plan.block = block;
  plan.tile = static_cast<int>(block - taps + 1);
  plan.halo = static_cast<int>(taps - 1);
  plan.taps_per_pass = static_cast<int>(taps);
  // Enough for every thread of a host, and no more: blocks stay in its caches.
  std::int64_t batch = std::min({room / block, transform_block_max / block,
                                 limits.is_host ? 4 * std::int64_t{limits.concurrency} : transform_block_max});
  if (options.extent > 0 && options.lines > 0) {
    // Batches of like size.
    const std::int64_t blocks = options.lines * ceil_div(options.extent, plan.tile);
    batch = ceil_div(blocks, ceil_div(blocks, batch));
  }
  plan.batch = static_cast<int>(batch);
  plan.league_size = plan.batch;
  return plan;
}

/// Estimated error of each output of a block: this times the 2-norm of its elements (as complex numbers: twice their
/// squares). The transforms of data and weights are off by some c u log2(N) of their 2-norm (N. Higham, Accuracy and
/// Stability of Numerical Algorithms, 2nd edition, chapter 24), by which every output is off at most, the norm of the
/// other factor given; that of the result is taken to be spread over all outputs. An estimate: c and the spread are our
/// choice, several times what tests see. Weights whose products could over- or underflow have no estimate.
struct TransformError {
  static constexpr double norm_min = 1e-140, norm_max = 1e140;
  double factor;

  TransformError(std::int64_t block, double weights_norm_1, double weights_norm_2) {
    const auto length = static_cast<double>(block);
    factor = 3 * 0x1p-53 * std::log2(length) * (2 * weights_norm_2 + weights_norm_1 / std::sqrt(length));
    const auto fine = [](double norm) { return norm == 0 || (norm >= norm_min && norm <= norm_max); };
    if (!fine(weights_norm_1) || !fine(weights_norm_2)) factor = Kokkos::Experimental::infinity_v<double>;
  }

  /// Whether transforms do for a block with that sum of squares, whose least sum of magnitudes of an output they gave.
  /// bound: the error of direct sums in units of the sum of magnitudes.
  [[nodiscard]] KOKKOS_FUNCTION bool is_below(double bound, double squares, double magnitudes) const {
    const double norm = Kokkos::sqrt(squares);
    if (!(norm == 0 || (norm >= norm_min && norm <= norm_max))) return false;
    const double error = factor * norm;
    return error <= bound * (magnitudes - error);  // the sums of magnitudes are off as the outputs are
  }
};

}  // namespace detail
}  // namespace tessera

#endif

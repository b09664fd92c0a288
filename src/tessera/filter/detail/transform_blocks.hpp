// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant transform: overlap-save. Blocks z = x + i|x| of a line and its halo are transformed, multiplied by spectra
// and transformed back: the real part is the filter's sum, the imaginary part that of its terms' magnitudes, by which
// the error of each output is judged. Where it does not pass, direct sums replace the block's.
#ifndef TESSERA_FILTER_DETAIL_TRANSFORM_BLOCKS_HPP
#define TESSERA_FILTER_DETAIL_TRANSFORM_BLOCKS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/filter/detail/filter_job.hpp>
#include <tessera/filter/detail/fourier_plan.hpp>
#include <tessera/filter/detail/tile_choice.hpp>
#include <tessera/filter/transform_plan.hpp>

namespace tessera::detail {

/// Elements of a block that a team takes at a time.
inline constexpr std::int64_t transform_tile = 2048;

/// The blocks of one batch: each makes the next `outputs` outputs of its line.
struct TransformBatch {
  std::int64_t length, outputs;  // elements of a block, and what it makes of them
  std::int64_t blocks_per_line;
  std::int64_t first, count;  // blocks

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t tiles() const { return ceil_div(length, transform_tile); }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t line(std::int64_t block) const {
    return divide(first + block, blocks_per_line).quotient;
  }
  /// The first output of a block of the batch.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t begin(std::int64_t block) const {
    return divide(first + block, blocks_per_line).remainder * outputs;
  }
};

/// What a batch is kept in: blocks, and by blocks and tiles the sums of squares and the least sums of magnitudes.
struct TransformMemory {
  Complex* blocks;
  const Complex* spectra;  // those of the weights, then of their magnitudes, with both scales of the transforms
  double *squares, *magnitudes;
  int* good;             // by block
  std::int64_t* direct;  // blocks of the call that are not
};

template <ExecutionSpace Space, class Types>
struct StageBlocks {
  using member_type = typename Kokkos::TeamPolicy<Space>::member_type;
  FilterJob<Types> job;
  TransformBatch batch;
  TransformMemory memory;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const std::int64_t tiles = batch.tiles();
    const TileWalk walk = tile_walk(team, batch.count * tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      const QuotientRemainder split = divide(index, tiles);
      const std::int64_t begin = batch.begin(split.quotient), first = split.remainder * transform_tile;
      const std::int64_t needed =
          Kokkos::min(batch.outputs, job.out.extent - begin) + job.rule.window.taps - 1;  // others are 0
      const auto* x = job.in.line(batch.line(split.quotient));
      Complex* block = memory.blocks + split.quotient * batch.length;
      double squares = 0;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, first, Kokkos::min(first + transform_tile, batch.length)),
          [&](std::int64_t j, double& sum) {
            double value = 0;
            if (j < needed) {
              value = static_cast<double>(job.rule.element(x, begin - job.rule.window.reach_left + j));
            }
            block[j] = Complex(value, Kokkos::abs(value));
            // A square that vanishes would make a block of zeros of one that is none.
            constexpr double least = 1e-150;
            sum += value == 0 ? 0 : 2 * (Kokkos::abs(value) < least ? least * least : value * value);
          },
          squares);
      Kokkos::single(Kokkos::PerTeam(team), [&] {
        memory.squares[index] = squares;
        if (index == 0 && batch.first == 0) *memory.direct = 0;
      });
    }
  }
};

/// Z = X + iA of real x and a becomes WX + iVA: elements k and length - k hold X(k) and A(k) between them.
struct MultiplyBlocks {
  TransformBatch batch;
  TransformMemory memory;
  bool reversed;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const QuotientRemainder split = divide(index, batch.length / 2);
    Complex* block = memory.blocks + split.quotient * batch.length;
    multiply(block, split.remainder, split.remainder == 0 ? 0 : batch.length - split.remainder);
    if (split.remainder == 0) multiply(block, batch.length / 2, batch.length / 2);
  }

 private:
  KOKKOS_FUNCTION void multiply(Complex* block, std::int64_t k, std::int64_t mirrored) const {
    Complex weights = memory.spectra[k], magnitudes = memory.spectra[batch.length / 2 + 1 + k];
    // A correlation is the convolution with the weights reversed.
    if (!reversed) {
      weights = Kokkos::conj(weights);
      magnitudes = Kokkos::conj(magnitudes);
    }
    const Complex a = block[k], b = Kokkos::conj(block[mirrored]);
    const Complex sum = weights * (a + b), difference = magnitudes * (a - b);
    block[k] = sum + difference;
    if (mirrored != k) block[mirrored] = Kokkos::conj(sum - difference);
  }
};

/// Of the weights' own block w + i|w|, which is transformed: both spectra, with the scale of the way back and forth and
/// the half of MultiplyBlocks.
struct SplitSpectra {
  const Complex* block;
  Complex* spectra;
  std::int64_t length;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const double scale = 0.25 / static_cast<double>(length);
    const Complex a = block[k], b = Kokkos::conj(block[k == 0 ? 0 : length - k]);
    const Complex sum = a + b, difference = a - b;
    spectra[k] = Complex(scale * sum.real(), scale * sum.imag());
    spectra[length / 2 + 1 + k] = Complex(scale * difference.imag(), -scale * difference.real());
  }
};

template <ExecutionSpace Space, class Types>
struct StoreBlocks {
  using member_type = typename Kokkos::TeamPolicy<Space>::member_type;
  FilterJob<Types> job;
  TransformBatch batch;
  TransformMemory memory;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    using T = typename Types::out_type;
    const std::int64_t tiles = batch.tiles();
    const std::int64_t offset = job.rule.window.reversed ? job.rule.window.taps - 1 : 0;
    const TileWalk walk = tile_walk(team, batch.count * tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      const QuotientRemainder split = divide(index, tiles);
      const std::int64_t block_begin = batch.begin(split.quotient), first = split.remainder * transform_tile;
      const Complex* sums = memory.blocks + split.quotient * batch.length + offset;
      T* y = job.out.line(batch.line(split.quotient));
      const std::int64_t end =
          Kokkos::min(Kokkos::min(first + transform_tile, batch.outputs), job.rule.plain_end() - block_begin);
      const std::int64_t begin = Kokkos::min(Kokkos::max(first, job.rule.plain_begin() - block_begin), end);
      double least = 0;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, begin, end),
          [&](std::int64_t e, double& smallest) {
            const Complex sum = sums[e];
            y[(block_begin + e) * job.out.stride] = static_cast<T>(sum.real() + 0.0);  // never -0.0, as direct sums
            smallest = Kokkos::min(smallest, sum.imag());
          },
          Kokkos::Min<double>(least));
      Kokkos::single(Kokkos::PerTeam(team), [&] { memory.magnitudes[index] = least; });
    }
  }
};

/// bound: of direct sums, in units of the sum of magnitudes.
template <ExecutionSpace Space>
struct JudgeBlocks {
  using member_type = typename Kokkos::TeamPolicy<Space>::member_type;
  TransformBatch batch;
  TransformMemory memory;
  TransformError error;
  double bound;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const std::int64_t tiles = batch.tiles();
    const TileWalk walk = tile_walk(team, batch.count);
    for (std::int64_t block = walk.begin; block < walk.end; block += walk.step) {
      double squares = 0, least = 0;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, tiles),
          [&](std::int64_t tile, double& sum) { sum += memory.squares[block * tiles + tile]; }, squares);
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, tiles),
          [&](std::int64_t tile, double& smallest) {
            smallest = Kokkos::min(smallest, memory.magnitudes[block * tiles + tile]);
          },
          Kokkos::Min<double>(least));
      Kokkos::single(Kokkos::PerTeam(team), [&] {
        const bool good = error.is_below(bound, squares, least);
        memory.good[block] = good;
        if (!good) Kokkos::atomic_inc(memory.direct);
      });
    }
  }
};

/// The tiles of direct sums that hold an output of a bad block, or one that only the rule makes. Some outputs of good
/// blocks beside them are replaced too, by sums as good.
struct BadTiles {
  TransformBatch batch;
  const int* good;
  std::int64_t plain_begin, plain_end, outputs;  // of a line

  [[nodiscard]] IndexRange tiles(int tile, int head_max, std::int64_t tiles_per_line, std::int64_t /*lines*/) const {
    const std::int64_t last = batch.count - 1;
    const std::int64_t last_output = std::min(batch.begin(last) + batch.outputs, outputs) - 1;
    return {batch.line(0) * tiles_per_line + batch.begin(0) / tile,
            batch.line(last) * tiles_per_line + std::min(tiles_per_line, (last_output + head_max) / tile + 1)};
  }
  [[nodiscard]] int league(int planned, IndexRange tiles) const {
    return static_cast<int>(std::min<std::int64_t>(planned, tiles.end - tiles.begin));
  }
  [[nodiscard]] KOKKOS_FUNCTION bool takes(std::int64_t line, std::int64_t begin, std::int64_t end) const {
    if (begin >= end) return false;
    if (begin < plain_begin || end > plain_end) return true;
    const std::int64_t line_first = line * batch.blocks_per_line - batch.first;
    const std::int64_t first = Kokkos::max<std::int64_t>(0, line_first + divide(begin, batch.outputs).quotient);
    const std::int64_t last = Kokkos::min(batch.count - 1, line_first + divide(end - 1, batch.outputs).quotient);
    for (std::int64_t block = first; block <= last; ++block) {
      if (good[block] == 0) return true;
    }
    return false;
  }
};

template <ExecutionSpace Space, class Functor>
void launch_blocks(const char* label, const Space& space, std::int64_t tiles, const Functor& functor) {
  const DeviceLimits limits = device_limits(space);
  Kokkos::parallel_for(label, Kokkos::TeamPolicy<Space>(space, tile_league(limits, tiles), limits.is_host ? 1 : 256),
                       functor);
}

}  // namespace tessera::detail

#endif

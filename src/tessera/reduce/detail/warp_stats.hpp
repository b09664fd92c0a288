// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the warps of a team bring their stats together where the sums of each stay in registers: two barriers, where the
// reducers one after the other have two dozen.
#ifndef TESSERA_REDUCE_DETAIL_WARP_STATS_HPP
#define TESSERA_REDUCE_DETAIL_WARP_STATS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/noinline.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/arg_extrema.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <tessera/reduce/detail/exact_window.hpp>
#include <tessera/reduce/detail/joins.hpp>
#include <tessera/reduce/detail/warp_digits.hpp>
#include <tessera/reduce/detail/zeros_fold.hpp>
#include <type_traits>

namespace tessera::detail {

/// What a warp leaves.
template <class T>
struct WarpStats {
  // Squares of doubles have 106 bits, and twice the binades that elements span.
  static constexpr int words = std::is_same_v<T, float> ? 6 : 8;
  WarpDigits<words> sums[3];  // of squares, elements, magnitudes
  ArgResult<T> lowest, highest;
  ZeroCounts zeros;
  Specials specials;
  bool complete;  // else its sums span more digits
};

#if defined(__CUDA_ARCH__)
/// Of one lane, all but the sums.
template <class T>
struct LaneStats {
  ArgResult<T> lowest = ArgMin<T>{}.identity(), highest = ArgMax<T>{}.identity();
  ZeroCounts zeros = {0, 0};
  Specials specials = {0, 0, 0};

  template <class Totals>
  __device__ __forceinline__ void join(const Totals& totals) {
    ArgMin<T>{}.join(lowest, totals.rest.first);
    ArgMax<T>{}.join(highest, totals.rest.rest.first);
    zeros.zeros += totals.rest.rest.rest.zeros;
    zeros.negative_zeros += totals.rest.rest.rest.negative_zeros;
  }
  __device__ __forceinline__ void join(const Specials& other) {
    specials.flags |= other.flags;
    specials.nans += other.nans;
    specials.infinities += other.infinities;
  }

  __device__ __forceinline__ void leave(int lane, WarpStats<T>& total) {
    TESSERA_NO_UNROLL
    for (int distance = 16; distance > 0; distance /= 2) {
      const auto low = lane_further(lowest, distance), high = lane_further(highest, distance);
      ArgMin<T>{}.join(lowest, low);
      ArgMax<T>{}.join(highest, high);
    }
    if (__any_sync(~0u, zeros.zeros != 0)) zeros = {warp_add(zeros.zeros), warp_add(zeros.negative_zeros)};
    const bool special = specials.flags != 0 || specials.nans != 0 || specials.infinities != 0;
    if (__any_sync(~0u, special)) {
      std::uint32_t flags = 0;
      TESSERA_UNROLL
      for (std::uint32_t flag = Specials::nan; flag <= Specials::minus_infinity; flag *= 2) {
        flags |= __any_sync(~0u, (specials.flags & flag) != 0) ? flag : 0;
      }
      specials = {flags, warp_add(specials.nans), warp_add(specials.infinities)};
    }
    if (lane != 0) return;
    total.lowest = lowest;
    total.highest = highest;
    total.zeros = zeros;
    total.specials = specials;
  }
};

/// Adds terms of one sum: of a window, and of an expansion.
template <class Digits, int N, int M, int Words>
__device__ __forceinline__ bool add_lanes_doubles(const double (&window)[N], const Kept<double, M>& expansion, int lane,
                                                  WarpDigits<Words>& total) {
  static_assert(N + M <= 8);
  const auto for_terms = [&](const auto& f) {
    TESSERA_UNROLL
    for (int k = 0; k < N + M; ++k) {
      const double term = k < N ? window[k < N ? k : 0] : expansion.values[k < N ? 0 : k - N];
      if (term != 0) f(term_of_multiple<Digits::low_bit>(term));
    }
  };
  return add_lanes_terms(for_terms, lane, total);
}

/// Joins what the lanes of a warp have: windows, and totals whose sums, but for them, are expansions.
template <class T, class Spill>
TESSERA_NOINLINE __device__ void join_lanes_stats(const Spill& spill, bool in_expansions, int lane,
                                                  WarpStats<T>& total) {
  using SumDigits = typename ExactFormat<T>::sum_digits;
  using SquareDigits = typename ExactFormat<T>::product_digits;
  typename ExactWindow<T>::Terms window = {};
  if (spill.thread.window.is_open()) window = spill.thread.window.terms();
  const auto& sums = spill.totals.first;
  const bool complete = __all_sync(~0u, in_expansions) &&
                        add_lanes_doubles<SquareDigits>(window.squares, sums.squares.kept(), lane, total.sums[0]) &&
                        add_lanes_doubles<SumDigits>(window.sum, sums.sum.kept(), lane, total.sums[1]) &&
                        add_lanes_doubles<SumDigits>(window.magnitude, sums.magnitude.kept(), lane, total.sums[2]);
  if (lane == 0) total.complete = complete;
  LaneStats<T> mine;
  mine.join(spill.totals);
  mine.join(spill.spill.first.specials);
  mine.leave(lane, total);
}

/// The same of what the teams of a league left: those from first on, in steps.
template <class T, class Totals>
TESSERA_NOINLINE __device__ void join_lanes_partials(const Totals* partials, int first, int count, int step, int lane,
                                                     WarpStats<T>& total) {
  bool complete = count <= 256 * step;
  TESSERA_NO_UNROLL
  for (int sum = 0; complete && sum < 3; ++sum) {
    const auto part_at = [&](int i) {
      const auto& sums = partials[i].first;
      return sum == 0 ? DigitsPart(sums.squares) : sum == 1 ? DigitsPart(sums.sum) : DigitsPart(sums.magnitude);
    };
    complete = add_lanes_digits(part_at, first, count, step, lane, total.sums[sum]);
  }
  if (lane == 0) total.complete = complete;
  LaneStats<T> mine;
  TESSERA_NO_UNROLL
  for (int i = first; i < count; i += step) {
    mine.join(partials[i]);
    mine.join(partials[i].first.specials);
  }
  mine.leave(lane, total);
}

/// Joins the warps of a team, each some of the parts; a barrier before and behind.
template <class T, class Totals>
TESSERA_NOINLINE __device__ void join_warps_stats(const WarpStats<T>* of_warp, int warps, int rank, Totals& result) {
  const int lane = rank % 32;
  TESSERA_NO_UNROLL
  for (int part = rank / 32; part < 4; part += warps) {
    if (part < 3) {
      auto& sums = result.first;
      const DigitsView sum = part == 0   ? DigitsView(sums.squares)
                             : part == 1 ? DigitsView(sums.sum)
                                         : DigitsView(sums.magnitude);
      add_warps(
          [&](int w) -> const auto& { return of_warp[w].sums[part]; }, warps, lane, sum);
    } else if (lane == 0) {
      LaneStats<T> all;
      TESSERA_NO_UNROLL
      for (int w = 0; w < warps; ++w) {
        ArgMin<T>{}.join(all.lowest, of_warp[w].lowest);
        ArgMax<T>{}.join(all.highest, of_warp[w].highest);
        all.zeros.zeros += of_warp[w].zeros.zeros;
        all.zeros.negative_zeros += of_warp[w].zeros.negative_zeros;
        all.join(of_warp[w].specials);
      }
      result.rest.first = all.lowest;
      result.rest.rest.first = all.highest;
      result.rest.rest.rest = all.zeros;
      result.first.specials = all.specials;
    }
  }
}
#endif

}  // namespace tessera::detail

#endif

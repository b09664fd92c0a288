// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything usual about an array in one read.
#ifndef TESSERA_REDUCE_STATS_HPP
#define TESSERA_REDUCE_STATS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/exact_integer.hpp>
#include <tessera/detail/float_format.hpp>
#include <tessera/detail/host_vector.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/arg_extrema.hpp>
#include <tessera/reduce/detail/complex_stats_fold.hpp>
#include <tessera/reduce/detail/exact_moments.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <tessera/reduce/detail/fused_fold.hpp>
#include <tessera/reduce/detail/host_extrema.hpp>
#include <tessera/reduce/detail/host_products.hpp>
#include <tessera/reduce/detail/moments_fold.hpp>
#include <tessera/reduce/detail/narrow.hpp>
#include <tessera/reduce/detail/widened_fold.hpp>
#include <tessera/reduce/detail/window_stats_fold.hpp>
#include <tessera/reduce/detail/zeros_fold.hpp>
#include <tessera/reduce/fitting_total.hpp>
#include <tessera/reduce/sums.hpp>
#include <type_traits>

namespace tessera {

namespace detail {

template <class T>
using stats_sum_t =
    std::conditional_t<is_floating_v<T>, double, std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
template <class T>
using stats_magnitude_t = std::conditional_t<is_floating_v<T>, double, std::uint64_t>;

}  // namespace detail

/// What Stats gives. Floating results are double, each rounded once from the exact value; what has no value is NaN
/// (floating), 0 (integer) or -1 (positions).
template <class T, class Sum = detail::stats_sum_t<T>, class Magnitude = detail::stats_magnitude_t<T>>
struct StatsResult {
  std::uint64_t count;  ///< elements; under NanPolicy::omit those that are not NaN
  std::uint64_t count_nan, count_inf, count_zero;
  T min, max;
  std::int64_t argmin, argmax;  ///< row-major positions, the lowest among equals
  Sum sum;
  double mean, var, std;
  Magnitude l1;
  double l2;
  detail::stats_magnitude_t<T> linf;
};

/// Of complex elements, which have no order. Those that are NaN or infinite are so in a part, zeros in both.
template <class Real, class Sum, class Magnitude>
struct StatsResult<Kokkos::complex<Real>, Sum, Magnitude> {
  std::uint64_t count;  ///< elements; under NanPolicy::omit those that are not NaN
  std::uint64_t count_nan, count_inf, count_zero;
  Kokkos::complex<double> sum, mean;
  double l1, l2;  ///< l1: of |re| + |im|
};

namespace detail {

template <class T>
struct StatsMoments {
  static constexpr Moments wanted{.sum = true, .magnitude = true, .squares = true};
};

/// The reducers behind Stats, as FusedFold takes them.
template <class T>
struct StatsHighest {
  ArgMax<T> first;
  ZeroCounts rest;
};
template <class T>
struct StatsExtrema {
  ArgMin<T> first;
  StatsHighest<T> rest;
};
template <class T>
struct StatsParts {
  StatsMoments<T> first;
  StatsExtrema<T> rest;
};

template <class T>
using StatsFolds = FusedFold<MomentsFold<StatsMoments<T>, T>,
                             FusedFold<ArgFold<ArgMin<T>, T>, FusedFold<ArgFold<ArgMax<T>, T>, ZerosFold<T>>>>;
#if defined(TESSERA_HOST_VECTORS)
template <class T>
using StatsBase = StatsFolds<T>;
#else
template <class T>
struct StatsBaseOf {
  using type = StatsFolds<T>;
};
template <class T>
requires std::is_floating_point_v<T>
struct StatsBaseOf<T> {
  using type = WindowStatsFold<StatsFolds<T>, ExactMoments<T, StatsMoments<T>::wanted>, T>;
};
template <class T>
using StatsBase = typename StatsBaseOf<T>::type;
#endif

template <class T>
class StatsFold : public StatsBase<T> {
  using Base = StatsBase<T>;

 public:
  using thread_type = typename Base::thread_type;
  using spill_type = typename Base::spill_type;
  using team_type = typename Base::team_type;

  template <class R>
  KOKKOS_FUNCTION StatsFold(const R& stats, const FoldContext& context)
      : Base(StatsParts<T>{}, context), m_context(context), m_ddof(stats.ddof) {}

#if defined(TESSERA_HOST_VECTORS)
  static constexpr int host_lanes = ExactMoments<T, StatsMoments<T>::wanted>::host_lanes;
  template <int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION void add(thread_type& thread, spill_type& spill, const T (&elements)[N],
                                       const Index& index, const Status& status) const {
    if constexpr (N == host_lanes) {
      add_block(thread, spill, elements, index, status);
    } else {
      Base::add(thread, spill, elements, index, status);
    }
  }
#endif

  template <class Result>
  KOKKOS_FUNCTION Result finalize(team_type& total, std::int64_t size, const Status& status) const {
    const std::int64_t n = count_of(total, size);
    Results sums(total.first, n, status);
    Result result;
    TESSERA_UNROLL
    for (int part = 0; part < var_part; ++part) finalize_part(part, total, sums, n, m_ddof, result);
    result.var = result.std = spoiled<double>();
    if (n > m_ddof) sums.variance_and_deviation(m_ddof, result.var, result.std);
    return result;
  }

  /// Threads as far apart as can be, so in different warps, have a part of the result each.
  template <class Result, TeamMember Member>
  KOKKOS_FUNCTION void finalize_as_team(const Member& team, team_type& total, std::int64_t size, const Status& status,
                                        std::byte* scratch, Result* out) const {
    if (team.team_size() == 1) {
      *out = finalize<Result>(total, size, status);
    } else {
      finalize_as_team(*this, team, total, size, status, scratch, out);
    }
  }

 private:
  using Results = MomentResults<T, StatsMoments<T>::wanted>;
  /// Parts of the result. The first two are short: in a small team they share a warp.
  static constexpr int var_part = 5, parts = 7;

  KOKKOS_FUNCTION std::int64_t count_of(const team_type& total, std::int64_t size) const {
    return m_context.nan == NanPolicy::omit ? size - total.first.specials.nans : size;
  }

  template <class Result>
  KOKKOS_FUNCTION static void finalize_part(int part, const team_type& total, Results& sums, std::int64_t n,
                                            std::int64_t ddof, Result& result) {
    switch (part) {
      case 0:
        return finalize_counts_and_extrema(total, n, result);
      case 1:
        result.sum = sums.template sum<decltype(result.sum)>();
        return;
      case 2:
        result.l1 = sums.template l1<decltype(result.l1)>();
        return;
      case 3:
        result.l2 = sums.template l2<double>();
        return;
      case 4:
        result.mean = n > 0 ? sums.template mean<double>() : spoiled<double>();
        return;
      case var_part:
        result.var = n > ddof ? sums.template variance<double>(ddof) : spoiled<double>();
        return;
      default:
        result.std = n > ddof ? sums.template deviation<double>(ddof) : spoiled<double>();
    }
  }

  /// By value, as are all arguments of functions that are not inlined: no address of the kernel's.
  template <class Result, TeamMember Member>
  TESSERA_NOINLINE KOKKOS_FUNCTION static void finalize_as_team(StatsFold fold, Member team, team_type& total,
                                                                std::int64_t size, Status status, std::byte* scratch,
                                                                Result* out) {
    const std::int64_t n = fold.count_of(total, size);
    auto* const magnitudes = reinterpret_cast<Magnitude*>(scratch);
    const int apart = Kokkos::max(1, team.team_size() / parts);
    const int first = team.team_rank() % apart == 0 ? team.team_rank() / apart : parts;
    const int step = (team.team_size() + apart - 1) / apart;
    for (int k = first; k < 3; k += step) {
      auto& sums = total.first;
      magnitudes[k] = k == 2 ? magnitude(sums.squares) : magnitude(k == 0 ? sums.sum : sums.magnitude);
    }
    team.team_barrier();
    for (int part = first; part < parts; part += step) {
      finalize_apart(part, magnitudes, total, n, fold.m_ddof, status, *out);
    }
  }
  template <class Result>
  TESSERA_NOINLINE KOKKOS_FUNCTION static void finalize_apart(int part, const Magnitude* magnitudes,
                                                              const team_type& total, std::int64_t n, std::int64_t ddof,
                                                              Status status, Result& result) {
    Results sums(magnitudes[0], magnitudes[1], magnitudes[2], total.first.specials.flags, n, status);
    finalize_part(part, total, sums, n, ddof, result);
  }

  template <class Result>
  KOKKOS_FUNCTION static void finalize_counts_and_extrema(const team_type& total, std::int64_t n, Result& result) {
    using Element = decltype(Result::min);
    const ZeroCounts zeros = total.rest.rest.rest;
    result.count = static_cast<std::uint64_t>(n);
    result.count_nan = static_cast<std::uint64_t>(total.first.specials.nans);
    result.count_inf = static_cast<std::uint64_t>(total.first.specials.infinities);
    result.count_zero = static_cast<std::uint64_t>(zeros.zeros);
    if (n <= 0) {
      result.min = result.max = spoiled<Element>();
      result.argmin = result.argmax = -1;
      result.linf = 0;
      return;
    }
    const ArgResult<T>& lowest = total.rest.first;
    const ArgResult<T>& highest = total.rest.rest.first;
    result.argmin = lowest.index;
    result.argmax = highest.index;
    result.min = narrowed<Element>(lowest.value);
    result.max = narrowed<Element>(highest.value);
    if constexpr (std::is_floating_point_v<T>) {
      // Positions take zeros of both signs for equal, extrema do not.
      if (lowest.value == 0 && zeros.negative_zeros > 0) result.min = -T(0);
      if (highest.value == 0) result.max = zeros.negative_zeros == zeros.zeros ? -T(0) : T(0);
      if (lowest.value == 0 && zeros.negative_zeros == 0) result.min = T(0);
      const bool nan = lowest.value != lowest.value;
      if (nan) result.min = result.max = spoiled<Element>();
      result.linf = nan ? spoiled<double>()
                        : Kokkos::fmax(Kokkos::fabs(static_cast<double>(result.min)),
                                       Kokkos::fabs(static_cast<double>(result.max)));
    } else {
      result.linf = Kokkos::max<std::uint64_t>(magnitude_of(result.min), magnitude_of(result.max));
    }
  }

#if defined(TESSERA_HOST_VECTORS)
  /// A host's block, part by part while it is in cache.
  template <class Index>
  TESSERA_NOINLINE void add_block(thread_type& thread, spill_type& spill, const T (&elements)[host_lanes],
                                  const Index& index, const Status& status) const requires(std::is_integral_v<T>) {
    ExactMoments<T, StatsMoments<T>::wanted>::add(m_context, thread.first, spill.first, elements, index, status);
    add_extrema(thread, elements, index);
  }
  template <class Index>
  TESSERA_NOINLINE void add_block(thread_type& thread, spill_type& spill, const T (&elements)[host_block],
                                  const Index& index, const Status& status) const {
    const FieldRange fields = block_fields(elements);
    using Sums = ExactMoments<T, StatsMoments<T>::wanted>;
    if (!Sums::add_close_block(thread.first, spill.first, elements, fields)) {
      Sums::add(m_context, thread.first, spill.first, elements, index, status);
    }
    if (fields.highest <= 2 * FloatFormat<T>::exponent_max) return add_extrema(thread, elements, index);
    add_position<ArgMin<T>>(thread.rest.first, elements, index, status);
    add_position<ArgMax<T>>(thread.rest.rest.first, elements, index, status);
    add_zeros(thread, elements, block_extrema(elements).zeros);
  }
  template <class R, class Index>
  void add_position(ArgResult<T>& best, const T (&elements)[host_block], const Index& index,
                    const Status& status) const {
    typename ArgFold<R, T>::spill_type nothing;
    ArgFold<R, T>(R{}, m_context).add(best, nothing, elements, index, status);
  }

  template <class Index>
  static void add_extrema(thread_type& thread, const T (&elements)[host_lanes], const Index& index) {
    const BlockExtrema<T> extrema = block_extrema(elements);
    take_best<ArgMin<T>>(thread.rest.first, extrema.lowest, elements, index);
    take_best<ArgMax<T>>(thread.rest.rest.first, extrema.highest, elements, index);
    add_zeros(thread, elements, extrema.zeros);
  }
  static void add_zeros(thread_type& thread, const T (&elements)[host_lanes], std::int64_t count) {
    if (count == 0) return;
    ZeroCounts& zeros = thread.rest.rest.rest;
    zeros.zeros += count;
    if constexpr (std::is_floating_point_v<T>) zeros.negative_zeros += negative_zeros(elements);
  }
#endif

  FoldContext m_context;
  std::int64_t m_ddof;
};

}  // namespace detail

/// Count, NaN, infinities, zeros, min, max and their first positions, exact sum, mean, var, std, l1, l2, linf in one
/// read. An empty input is legal; integer sums that do not fit raise StatusKind::integer_overflow.
template <class T>
struct Stats {
  using element_type = T;
  using result_type = StatsResult<T>;
  using fold_type = detail::widened_fold_t<detail::StatsFold<detail::wide_t<T>>, T>;
  std::int64_t ddof = 0;
  static constexpr std::string_view name() { return "stats"; }
};

/// Stats of integers whose sum and l1 say whether they fit 64 bits, and raise no status: for whoever wants the others
/// whatever these are.
template <class T>
requires std::is_integral_v<T>
struct FittingStats : Stats<T> {
  using result_type = StatsResult<T, FittingTotal<detail::stats_sum_t<T>>, FittingTotal<detail::stats_magnitude_t<T>>>;
};

/// Of complex elements: count, NaN, infinities, zeros, exact sum, mean, l1, l2.
template <class Real>
struct Stats<Kokkos::complex<Real>> {
  using result_type = StatsResult<Kokkos::complex<Real>>;
  using fold_type = detail::ComplexStatsFold<Real>;
  static constexpr std::string_view name() { return "stats"; }
};

}  // namespace tessera

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the operations of a pass to the library's reducer, and from its results back to values. Kernels take long to
// compile, so that few reducers have kernels of their own: what they do not serve, and every list, is read off Stats.
#ifndef TESSERA_APPS_REDUCE_REDUCE_DISPATCH_HPP
#define TESSERA_APPS_REDUCE_REDUCE_DISPATCH_HPP

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tessera/reduce/fused.hpp>
#include <tessera/reduce/reducers.hpp>
#include <tessera/reduce/stats.hpp>
#include <type_traits>

#include "reduce_calls.hpp"

namespace tessera::apps {

/// A reducer whose kernels are compiled for automatic and single_pass alone.
template <class R>
struct OneVariant : R {
  static constexpr bool all_variants = false;
};

/// A product of floating elements in double, whatever their type.
template <class T>
struct WideProd : Prod<T> {
  using result_type = double;
  KOKKOS_FUNCTION double finalize(const typename Prod<T>::value_type& value) const {
    return value.template value<double>();
  }
};
template <class T>
requires std::is_integral_v<T>
struct WideProd<T> : Prod<T> {
};

/// What serves every list: of integers what other results do not fail with where a sum does not fit.
template <class T>
struct ListedStats : Stats<T> {};
template <class T>
requires std::is_integral_v<T>
struct ListedStats<T> : FittingStats<T> {
};

/// The last positions of both extremes.
template <class T>
using LastPositions = Fused<T, ArgMinLast<T>, ArgMaxLast<T>>;

template <class T>
struct BitsResult {
  T all, any, odd;
};

/// All three operations on bits.
template <class T>
struct Bits {
  using value_type = BitsResult<T>;
  using result_type = BitsResult<T>;
  KOKKOS_FUNCTION value_type identity() const { return {static_cast<T>(~T(0)), T(0), T(0)}; }
  KOKKOS_FUNCTION value_type map(T element) const { return {element, element, element}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    into.all &= from.all;
    into.any |= from.any;
    into.odd ^= from.odd;
  }
  static constexpr std::string_view name() { return "bits"; }
};

/// No array has more elements than the largest.
inline std::int64_t signed_ddof(const ReducePass& pass) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min<std::uint64_t>(pass.ddof, most));
}

template <class T>
auto listed_stats(const ReducePass& pass) {
  ListedStats<T> stats;
  stats.ddof = signed_ddof(pass);
  return stats;
}

/// Calls f with the reducer of a pass over whole arrays.
template <class T, class F>
auto with_reducer(const ReducePass& pass, F&& f) {
  const std::string op = pass.operations.size() == 1 ? pass.operations[0] : "";
  const std::int64_t ddof = signed_ddof(pass);
  if (op == "min") return f(Min<T>{});
  if (op == "max") return f(Max<T>{});
  if (op == "argmin") return f(ArgMin<T>{});
  if (op == "argmax") return f(ArgMax<T>{});
  if (op.ends_with("_last")) return f(LastPositions<T>{});
  if (op == "prod") return f(WideProd<T>{});
  if constexpr (std::is_integral_v<T>) {
    if (op.starts_with("bit_")) return f(Bits<T>{});
  } else if (!pass.exact) {
    constexpr Summation fast = Summation::fast;
    if (op == "sum") return f(Sum<T, fast>{});
    if (op == "mean") return f(OneVariant<Mean<T, fast>>{});
    if (op == "l1") return f(OneVariant<L1<T, fast>>{});
    if (op == "l2") return f(OneVariant<L2<T, fast>>{});
    if (op == "var") return f(Var<T, fast>{ddof});
    if (op == "std") return f(Std<T, fast>{ddof});
  }
  if (op == "sum") return f(Sum<T>{});
  return f(listed_stats<T>(pass));
}

/// Of a pass along axes, whose kernels are many.
template <class T, class F>
auto with_axes_reducer(const ReducePass& pass, F&& f) {
  const std::string op = pass.operations.size() == 1 ? pass.operations[0] : "";
  if (op.ends_with("_last")) return f(LastPositions<T>{});
  if (op == "prod") return f(WideProd<T>{});
  if constexpr (std::is_integral_v<T>) {
    if (op.starts_with("bit_")) return f(Bits<T>{});
  } else {
    if (op == "sum" && !pass.exact) return f(Sum<T, Summation::fast>{});
  }
  if (op == "sum") return f(Sum<T>{});
  return f(listed_stats<T>(pass));
}

template <class T>
void append_result(OpValues& values, const BitsResult<T>& result, const ReducePass&) {
  append(values, values.op == "bit_and" ? result.all : values.op == "bit_or" ? result.any : result.odd);
}

template <class T>
void append_result(OpValues& values, const ArgResult<T>& result, const ReducePass&) {
  values.index.push_back(result.index);
}

template <class T>
void append_result(OpValues& values, const FusedResult<ArgResult<T>, ArgResult<T>>& results, const ReducePass&) {
  values.index.push_back(values.op == "argmin_last" ? get<0>(results).index : get<1>(results).index);
}

/// Counts and truth, which elements of all types have. Returns whether the operation is one of these.
template <class Result>
bool append_count(OpValues& values, const Result& stats) {
  const std::string& op = values.op;
  if (op == "count") {
    append(values, stats.count);
  } else if (op == "count_nan") {
    append(values, stats.count_nan);
  } else if (op == "count_inf") {
    append(values, stats.count_inf);
  } else if (op == "count_zero") {
    append(values, stats.count_zero);
  } else if (op == "any") {
    append(values, std::uint64_t{stats.count > stats.count_zero});
  } else if (op == "all") {
    append(values, std::uint64_t{stats.count_zero == 0});
  } else {
    return false;
  }
  return true;
}

template <class Value>
void append_total(OpValues& values, const Value& total) {
  append(values, total);
}
template <class Integer>
void append_total(OpValues& values, const FittingTotal<Integer>& total) {
  if (!total.fits) {
    refuse(values.op + ": the exact integer result does not fit 64 bits (output " +
           std::to_string(values.undefined.size()) + "); reduce in floating point, or fewer elements");
  }
  append(values, total.value);
}

template <class T, class Sum, class Magnitude>
void append_result(OpValues& values, const StatsResult<T, Sum, Magnitude>& stats, const ReducePass& pass) {
  if (append_count(values, stats)) return;
  const std::string& op = values.op;
  const bool empty = stats.count == 0;
  bool undefined = false;
  if (op == "sum") {
    append_total(values, stats.sum);
  } else if (op == "l1") {
    append_total(values, stats.l1);
  } else if (op == "l2") {
    append(values, stats.l2);
  } else if (op == "linf") {
    append(values, stats.linf);
  } else if (is_arg(op)) {
    undefined = empty;
    values.index.push_back(op == "argmin" ? stats.argmin : stats.argmax);
  } else if (op == "mean") {
    undefined = empty;
    append(values, stats.mean);
  } else if (op == "var" || op == "std") {
    undefined = stats.count <= pass.ddof;
    append(values, op == "var" ? stats.var : stats.std);
  } else {
    undefined = empty;
    if (op != "max") append(values, stats.min);
    if (op != "min") append(values, stats.max);
  }
  values.undefined.push_back(undefined ? 1 : 0);
}

}  // namespace tessera::apps

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same as reduce_dispatch.hpp of complex elements: sums and products have kernels of their own, the rest and every
// list is read off Stats.
#ifndef TESSERA_APPS_REDUCE_COMPLEX_DISPATCH_HPP
#define TESSERA_APPS_REDUCE_COMPLEX_DISPATCH_HPP

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/reduce/reducers.hpp>
#include <tessera/reduce/stats.hpp>

#include "reduce_calls.hpp"
#include "reduce_dispatch.hpp"

namespace tessera::apps {

template <class T>
concept ComplexElement = std::same_as<T, Kokkos::complex<typename T::value_type>>;

/// A fold of another reducer, made to drive R.
template <class Fold, class R>
struct FoldFor;
template <template <class, class> class Fold, class Other, class T, class R>
struct FoldFor<Fold<Other, T>, R> {
  using type = Fold<R, T>;
};

/// A product in double, whatever the type of its elements; driven as Prod is, for what the registers hold.
template <class T>
struct WideComplexProd {
  using value_type = typename Prod<T>::value_type;
  using result_type = Kokkos::complex<double>;
  using fold_type = typename FoldFor<typename Prod<T>::fold_type, WideComplexProd>::type;
  KOKKOS_FUNCTION value_type identity() const { return prod.identity(); }
  KOKKOS_FUNCTION value_type map(const T& element) const { return prod.map(element); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { prod.join(into, from); }
  KOKKOS_FUNCTION result_type finalize(const value_type& value) const { return {part(value.re), part(value.im)}; }
  static constexpr std::string_view name() { return "prod"; }

  Prod<T> prod;

 private:
  // An exact zero is +0.0.
  template <class Scaled>
  KOKKOS_FUNCTION static double part(const Scaled& value) {
    return value.mantissa == 0 ? 0.0 : value.template value<double>();
  }
};

/// Calls f with the reducer of a pass over a whole array.
template <ComplexElement T, class F>
auto with_reducer(const ReducePass& pass, F&& f) {
  const std::string op = pass.operations.size() == 1 ? pass.operations[0] : "";
  if (op == "prod") return f(WideComplexProd<T>{});
  if (op == "sum") return f(WideComplex<Sum<T>>{});
  return f(Stats<T>{});
}

/// The same of a pass along axes.
template <ComplexElement T, class F>
auto with_axes_reducer(const ReducePass& pass, F&& f) {
  return with_reducer<T>(pass, f);
}

template <class Real>
void append_result(OpValues& values, const StatsResult<Kokkos::complex<Real>>& stats, const ReducePass& pass) {
  if (append_count(values, stats)) return;
  const std::string& op = values.op;
  if (op == "l1") {
    append(values, stats.l1);
  } else if (op == "l2") {
    append(values, stats.l2);
  } else {
    append_result(values, op == "sum" ? stats.sum : stats.mean, pass);
  }
  values.undefined.push_back(op == "mean" && stats.count == 0 ? 1 : 0);
}

}  // namespace tessera::apps

#endif

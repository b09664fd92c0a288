// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The built-in reducers, written as a user would write one (concept Reducer in concepts.hpp).
#ifndef TESSERA_REDUCE_REDUCERS_HPP
#define TESSERA_REDUCE_REDUCERS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/detail/exact_integer.hpp>
#include <tessera/reduce/detail/moments_fold.hpp>
#include <tessera/reduce/reduce_options.hpp>
#include <tessera/status.hpp>
#include <type_traits>

namespace tessera {

/// Sum of floating elements: rounded once from the exact value, to nearest, ties to even; the same bits for any order,
/// plan, team and machine. Infinities and NaN as by addition; an exact zero is +0.0. Empty: 0.
/// Correctly rounded sums: R. Neal (2015); S. Collange, D. Defour, S. Graillat, R. Iakymchuk, "Numerical
/// reproducibility for the parallel reduction on multi- and many-core architectures" (2015); P. Ahrens, J. Demmel,
/// H. Nguyen, "Algorithms for efficient reproducible floating point summation" (2020).
template <class T, Summation S = Summation::exact>
struct Sum {
  static_assert(std::is_floating_point_v<T>, "tessera::Sum: the element type must be an integer or a floating type");
  using result_type = T;
  using fold_type = detail::MomentsFold<Sum, T>;
  static constexpr detail::Moments wanted{.sum = true};
  KOKKOS_FUNCTION static constexpr std::int64_t elements_min() { return 0; }
  template <class Result, class Results>
  KOKKOS_FUNCTION Result result(Results& results) const {
    return results.template sum<Result>();
  }
  static constexpr std::string_view name() { return "sum"; }
};

/// Sum of floating elements, in the element type. Error at most 1.01 (512 + ceil(log2 P) + 2) u sum |x| with P
/// accumulators, whatever the plan; the same bits on every run with one plan. Empty: 0.
template <class T>
requires std::is_floating_point_v<T>
struct Sum<T, Summation::fast> {
  using value_type = T;
  using result_type = T;
  static constexpr bool all_variants = true;
  KOKKOS_FUNCTION value_type identity() const { return T(0); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into += from; }
  KOKKOS_FUNCTION void atomic_join(value_type& into, const value_type& from) const { Kokkos::atomic_add(&into, from); }
  static constexpr std::string_view name() { return "sum"; }
};

/// Sum of integers: the exact integer, as int64 (uint64 for unsigned elements). That the final value does not fit is
/// the only overflow there is; it raises StatusKind::integer_overflow and gives 0. Empty: 0.
template <class T, Summation S>
requires std::is_integral_v<T>
struct Sum<T, S> {
  using value_type = detail::ExactInteger;
  using result_type = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  using chain_type = std::conditional_t<sizeof(T) < 8, result_type, detail::SplitSum<result_type>>;
  static constexpr std::int64_t chain_length = std::int64_t{1} << 30;
  static constexpr bool all_variants = true;
  static constexpr bool order_free = true;

  KOKKOS_FUNCTION value_type identity() const { return {}; }
  KOKKOS_FUNCTION value_type map(T element) const { return value_type::from(element); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into.add(from); }
  KOKKOS_FUNCTION void atomic_join(value_type& into, const value_type& from) const { into.atomic_add(from); }

  KOKKOS_FUNCTION chain_type chain_identity() const { return {}; }
  KOKKOS_FUNCTION void chain(chain_type& into, T element) const {
    if constexpr (sizeof(T) < 8) {
      into += element;
    } else {
      into.add(element);
    }
  }
  KOKKOS_FUNCTION value_type unchain(const chain_type& chain) const {
    if constexpr (sizeof(T) < 8) {
      return value_type::from(chain);
    } else {
      return chain.total();
    }
  }

  KOKKOS_FUNCTION result_type finalize(const value_type& value, const Status& status) const {
    if (value.template fits<result_type>()) return static_cast<result_type>(value.low);
    status.raise(StatusKind::integer_overflow);
    return 0;
  }
  static constexpr std::string_view name() { return "sum"; }
};

namespace detail {

/// Minimum (Sign = 1) or maximum (Sign = -1). A NaN stays, whatever comes after it; -0.0 is less than 0.0.
template <class T, int Sign>
struct Extremum {
  static_assert(std::is_arithmetic_v<T>, "tessera::Min, tessera::Max: the element type must be a number");
  using value_type = T;
  using result_type = T;
  static constexpr bool needs_elements = true;
  static constexpr bool all_variants = true;
  static constexpr bool order_free = true;

  KOKKOS_FUNCTION value_type identity() const {
    if constexpr (std::is_floating_point_v<T>) {
      return Sign * Kokkos::Experimental::infinity_v<T>;
    } else {
      return Sign > 0 ? Kokkos::Experimental::finite_max_v<T> : Kokkos::Experimental::finite_min_v<T>;
    }
  }

  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    const bool better = Sign > 0 ? from < into : from > into;
    if constexpr (std::is_floating_point_v<T>) {
      // Equal values of different sign are the two zeros.
      const bool better_zero = from == into && Kokkos::signbit(from) == (Sign > 0);
      into = better || better_zero || from != from ? from : into;
    } else {
      into = better ? from : into;
    }
  }

  KOKKOS_FUNCTION result_type finalize(const value_type& value) const {
    if constexpr (std::is_floating_point_v<T>) {
      return value != value ? Kokkos::Experimental::quiet_NaN_v<T> : value;
    } else {
      return value;
    }
  }
};

}  // namespace detail

/// Smallest element. NaN where there is one (the quiet NaN), min(0.0, -0.0) = -0.0. Empty input is an error.
template <class T>
struct Min : detail::Extremum<T, 1> {
  static constexpr std::string_view name() { return "min"; }
};

/// Largest element. NaN where there is one (the quiet NaN), max(0.0, -0.0) = 0.0. Empty input is an error.
template <class T>
struct Max : detail::Extremum<T, -1> {
  static constexpr std::string_view name() { return "max"; }
};

namespace detail {

/// The type of mean, l2, var and std: that of floating elements, double of integers.
template <class T>
using moment_result_t = std::conditional_t<std::is_floating_point_v<T>, T, double>;

}  // namespace detail

/// Arithmetic mean, rounded once from the exact quotient. Empty input is an error.
template <class T>
struct Mean {
  using result_type = detail::moment_result_t<T>;
  using fold_type = detail::MomentsFold<Mean, T>;
  static constexpr bool needs_elements = true;
  static constexpr detail::Moments wanted{.sum = true};
  KOKKOS_FUNCTION static constexpr std::int64_t elements_min() { return 1; }
  template <class Result, class Results>
  KOKKOS_FUNCTION Result result(Results& results) const {
    return results.template mean<Result>();
  }
  static constexpr std::string_view name() { return "mean"; }
};

/// Variance (n S2 - S^2) / (n (n - ddof)) with the exact sums of elements and squares, rounded once. n <= ddof is an
/// error; an infinite element gives NaN.
template <class T>
struct Var {
  using result_type = detail::moment_result_t<T>;
  using fold_type = detail::MomentsFold<Var, T>;
  static constexpr bool needs_elements = true;
  static constexpr detail::Moments wanted{.sum = true, .squares = true};
  std::int64_t ddof = 0;
  KOKKOS_FUNCTION std::int64_t elements_min() const { return ddof + 1; }
  template <class Result, class Results>
  KOKKOS_FUNCTION Result result(Results& results) const {
    return results.template variance<Result>(ddof);
  }
  static constexpr std::string_view name() { return "var"; }
};

/// Standard deviation: the root of the exact variance, rounded once. Otherwise as Var.
template <class T>
struct Std {
  using result_type = detail::moment_result_t<T>;
  using fold_type = detail::MomentsFold<Std, T>;
  static constexpr bool needs_elements = true;
  static constexpr detail::Moments wanted{.sum = true, .squares = true};
  std::int64_t ddof = 0;
  KOKKOS_FUNCTION std::int64_t elements_min() const { return ddof + 1; }
  template <class Result, class Results>
  KOKKOS_FUNCTION Result result(Results& results) const {
    return results.template deviation<Result>(ddof);
  }
  static constexpr std::string_view name() { return "std"; }
};

/// Sum of magnitudes, rounded once; of integers the exact integer, as uint64. Empty: 0.
template <class T>
struct L1 {
  using result_type = std::conditional_t<std::is_floating_point_v<T>, T, std::uint64_t>;
  using fold_type = detail::MomentsFold<L1, T>;
  static constexpr detail::Moments wanted{.magnitude = true};
  KOKKOS_FUNCTION static constexpr std::int64_t elements_min() { return 0; }
  template <class Result, class Results>
  KOKKOS_FUNCTION Result result(Results& results) const {
    return results.template l1<Result>();
  }
  static constexpr std::string_view name() { return "l1"; }
};

/// Euclidean norm: the root of the exact sum of squares, rounded once, without spurious overflow or underflow. Empty: 0.
template <class T>
struct L2 {
  using result_type = detail::moment_result_t<T>;
  using fold_type = detail::MomentsFold<L2, T>;
  static constexpr detail::Moments wanted{.squares = true};
  KOKKOS_FUNCTION static constexpr std::int64_t elements_min() { return 0; }
  template <class Result, class Results>
  KOKKOS_FUNCTION Result result(Results& results) const {
    return results.template l2<Result>();
  }
  static constexpr std::string_view name() { return "l2"; }
};

/// The built-in reducers of an element type, in the order of the documentation. Tests and drivers walk this list.
template <template <class> class... R>
struct ReducerList {
  /// Calls visitor(R<T>{}) for each.
  template <class T, class Visitor>
  static void for_each(Visitor&& visitor) {
    (visitor(R<T>{}), ...);
  }
};
template <class T>
using ExactSum = Sum<T, Summation::exact>;
using BuiltInReducers = ReducerList<ExactSum, Min, Max, Mean, Var, Std, L1, L2>;

}  // namespace tessera

#endif

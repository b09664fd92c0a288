// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reducers of complex elements: sum, mean, l1, l2, prod. Those of two views are in dot.hpp.
#ifndef TESSERA_REDUCE_COMPLEX_SUMS_HPP
#define TESSERA_REDUCE_COMPLEX_SUMS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/detail/float_format.hpp>
#include <tessera/reduce/detail/complex_fold.hpp>
#include <tessera/reduce/product.hpp>
#include <tessera/reduce/reduce_options.hpp>
#include <tessera/reduce/sums.hpp>

namespace tessera {

/// Sum of complex elements: real and imaginary part each rounded once from the exact value, as Sum of floating elements
/// does; infinities and NaN by part. An element is NaN if a part is: NanPolicy::omit leaves both parts out. Empty: 0.
template <class Real>
struct Sum<Kokkos::complex<Real>, Summation::exact> {
  using result_type = Kokkos::complex<Real>;
  using fold_type = detail::ComplexMomentsFold<Sum, Real>;
  static constexpr detail::Moments wanted{.sum = true};
  KOKKOS_FUNCTION static constexpr std::int64_t elements_min() { return 0; }
  /// Of one part.
  template <class Result, class Results>
  KOKKOS_FUNCTION Result result(Results& results) const {
    return results.template sum<Result>();
  }
  static constexpr std::string_view name() { return "sum"; }
};

/// Arithmetic mean of complex elements, each part rounded once from the exact quotient. Empty input is an error.
template <class Real>
struct Mean<Kokkos::complex<Real>, Summation::exact> {
  using result_type = Kokkos::complex<Real>;
  using fold_type = detail::ComplexMomentsFold<Mean, Real>;
  static constexpr bool needs_elements = true;
  static constexpr detail::Moments wanted{.sum = true};
  KOKKOS_FUNCTION static constexpr std::int64_t elements_min() { return 1; }
  /// Of one part.
  template <class Result, class Results>
  KOKKOS_FUNCTION Result result(Results& results) const {
    return results.template mean<Result>();
  }
  static constexpr std::string_view name() { return "mean"; }
};

/// Sum of |re| + |im| of complex elements, rounded once from the exact value. Empty: 0.
template <class Real>
struct L1<Kokkos::complex<Real>, Summation::exact> {
  using result_type = Real;
  using fold_type = detail::ComplexNormFold<L1, Real>;
  static constexpr detail::Moments wanted{.magnitude = true};
  KOKKOS_FUNCTION static constexpr std::int64_t elements_min() { return 0; }
  template <class Result, class Results>
  KOKKOS_FUNCTION Result result(Results& results) const {
    return results.template l1<Result>();
  }
  static constexpr std::string_view name() { return "l1"; }
};

/// Euclidean norm of complex elements: the root of the exact sum of re^2 + im^2, rounded once. Empty: 0.
template <class Real>
struct L2<Kokkos::complex<Real>, Summation::exact> {
  using result_type = Real;
  using fold_type = detail::ComplexNormFold<L2, Real>;
  static constexpr detail::Moments wanted{.squares = true};
  KOKKOS_FUNCTION static constexpr std::int64_t elements_min() { return 0; }
  template <class Result, class Results>
  KOKKOS_FUNCTION Result result(Results& results) const {
    return results.template l2<Result>();
  }
  static constexpr std::string_view name() { return "l2"; }
};

namespace detail {

/// Parts of a fast sum. Kokkos::complex would be set to 0 wherever room is left for one.
template <class Real>
struct ComplexParts {
  Real re, im;
};

}  // namespace detail

/// Sum of complex elements in their type: each part with the error bound of Sum<Real, Summation::fast>. Empty: 0.
template <class Real>
struct Sum<Kokkos::complex<Real>, Summation::fast> {
  using value_type = detail::ComplexParts<Real>;
  using result_type = Kokkos::complex<Real>;
  KOKKOS_FUNCTION value_type identity() const { return {Real(0), Real(0)}; }
  KOKKOS_FUNCTION value_type map(const result_type& element) const { return {element.real(), element.imag()}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    into.re += from.re;
    into.im += from.im;
  }
  KOKKOS_FUNCTION result_type finalize(const value_type& sum) const { return {sum.re, sum.im}; }
  static constexpr std::string_view name() { return "sum"; }
};

/// Mean of complex elements by a fast sum.
template <class Real>
struct Mean<Kokkos::complex<Real>, Summation::fast> : Sum<Kokkos::complex<Real>, Summation::fast> {
  using value_type = detail::ComplexParts<Real>;
  static constexpr bool needs_elements = true;
  KOKKOS_FUNCTION Kokkos::complex<Real> finalize(const value_type& sum, std::int64_t count) const {
    const auto n = static_cast<Real>(count);
    return {sum.re / n, sum.im / n};
  }
  static constexpr std::string_view name() { return "mean"; }
};

/// Sum of |re| + |im| of complex elements, as a fast sum.
template <class Real>
struct L1<Kokkos::complex<Real>, Summation::fast> : Sum<Real, Summation::fast> {
  using element_type = Kokkos::complex<Real>;
  static constexpr bool all_variants = false;
  KOKKOS_FUNCTION Real map(const Kokkos::complex<Real>& element) const {
    return Kokkos::fabs(element.real()) + Kokkos::fabs(element.imag());
  }
  static constexpr std::string_view name() { return "l1"; }
};

/// The root of a fast sum of re^2 + im^2, which may overflow and underflow.
template <class Real>
struct L2<Kokkos::complex<Real>, Summation::fast> : Sum<Real, Summation::fast> {
  using element_type = Kokkos::complex<Real>;
  static constexpr bool all_variants = false;
  KOKKOS_FUNCTION Real map(const Kokkos::complex<Real>& element) const {
    return element.real() * element.real() + element.imag() * element.imag();
  }
  KOKKOS_FUNCTION Real finalize(const Real& squares) const { return Kokkos::sqrt(squares); }
  static constexpr std::string_view name() { return "l2"; }
};

namespace detail {

/// a b + sign c d, sign being 1 or -1, without overflow or underflow.
KOKKOS_INLINE_FUNCTION ScaledDouble scaled_cross(const ScaledDouble& a, const ScaledDouble& b, double sign,
                                                 const ScaledDouble& c, const ScaledDouble& d) {
  const double first = a.mantissa * b.mantissa;
  const double second = sign * (c.mantissa * d.mantissa);
  const std::int64_t first_exponent = a.exponent + b.exponent;
  const std::int64_t second_exponent = c.exponent + d.exponent;
  const bool turned = first == 0 || (second != 0 && first_exponent < second_exponent);
  const double large = turned ? second : first;
  const double small = turned ? first : second;
  const std::int64_t exponent = turned ? second_exponent : first_exponent;
  const std::int64_t apart = exponent - (turned ? first_exponent : second_exponent);
  // Further below, it would not be seen beside the larger one.
  constexpr std::int64_t seen = 120;
  const bool counts = small != 0 && apart <= seen;
  const double scale = power_of_two(counts ? -static_cast<int>(apart) : 0);
  ScaledDouble result = ScaledDouble::from(large + (counts ? small * scale : 0.0));
  if (result.mantissa != 0) result.exponent += exponent;
  return result;
}

}  // namespace detail

/// Product of complex elements. Each part is a mantissa in double with an exponent of its own, so nothing overflows or
/// underflows on the way: the error is at most 2.3 n u times the product's absolute value, u that of double, and one
/// rounding of each part to the element type (R. Brent, C. Percival, P. Zimmermann, "Error bounds on complex
/// floating-point multiplication", 2007). The same bits on every run with one plan; a part that is exactly 0 is +0.0.
/// An infinite or NaN element gives NaN in both parts: a part of the product is 0 * Inf or Inf - Inf in some order, and
/// the result must not depend on that. Empty: 1.
template <class Real>
struct Prod<Kokkos::complex<Real>> {
  struct value_type {
    detail::ScaledDouble re, im;
  };
  using result_type = Kokkos::complex<Real>;
  using fold_type = detail::ComplexProductFold<Prod, result_type>;

  KOKKOS_FUNCTION value_type identity() const { return {{1, 0}, {0, 0}}; }
  KOKKOS_FUNCTION value_type map(const result_type& element) const {
    using detail::ScaledDouble;
    const auto re = static_cast<double>(element.real()), im = static_cast<double>(element.imag());
    // 0 where both are finite.
    const double spoil = re * 0.0 + im * 0.0;
    if (spoil == 0) return {ScaledDouble::from(re), ScaledDouble::from(im)};
    const ScaledDouble nan{Kokkos::Experimental::quiet_NaN_v<double>, 0};
    return {nan, nan};
  }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    const detail::ScaledDouble re = detail::scaled_cross(into.re, from.re, -1, into.im, from.im);
    into.im = detail::scaled_cross(into.re, from.im, 1, into.im, from.re);
    into.re = re;
  }
  KOKKOS_FUNCTION result_type finalize(const value_type& value) const { return {part(value.re), part(value.im)}; }
  static constexpr std::string_view name() { return "prod"; }

 private:
  KOKKOS_FUNCTION static Real part(const detail::ScaledDouble& value) {
    return value.mantissa == 0 ? Real(0) : value.template value<Real>();
  }
};

}  // namespace tessera

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows from the exact sums of elements, magnitudes and squares: sum, mean, l1, l2, var, std, each rounded once.
#ifndef TESSERA_TESTS_REFERENCE_EXACT_REFERENCE_HPP
#define TESSERA_TESTS_REFERENCE_EXACT_REFERENCE_HPP

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "big_integer.hpp"

namespace tessera::reference {

class ExactSums {
 public:
  template <class T>
  explicit ExactSums(const std::vector<T>& values)
      : m_count(values.size()),
        m_sum(std::is_integral_v<T> ? 0 : -1074),
        m_magnitude(m_sum.lowest()),
        m_squares(2 * m_sum.lowest()) {
    for (const T value : values) {
      if constexpr (std::is_integral_v<T>) {
        const bool negative = std::is_signed_v<T> && static_cast<std::int64_t>(value) < 0;
        add(negative, negative ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value), 0);
      } else {
        add(static_cast<double>(value));
      }
    }
  }

  /// The sums of n integers as they are; false in `fits` where Result cannot hold one.
  template <class Result>
  Result integer_sum(bool& fits) const {
    return integer<Result>(m_sum, fits);
  }
  template <class Result>
  Result integer_l1(bool& fits) const {
    return integer<Result>(m_magnitude, fits);
  }

  template <class Result>
  Result sum() const {
    return mean_over<Result>(1);
  }
  template <class Result>
  Result mean() const {
    return mean_over<Result>(m_count);
  }
  template <class Result>
  Result l1() const {
    if (m_nan) return std::numeric_limits<Result>::quiet_NaN();
    if (m_above || m_below) return std::numeric_limits<Result>::infinity();
    return rounded_quotient<Result>(m_magnitude.magnitude(), Natural(1), m_magnitude.lowest());
  }
  template <class Result>
  Result l2() const {
    if (m_nan) return std::numeric_limits<Result>::quiet_NaN();
    if (m_above || m_below) return std::numeric_limits<Result>::infinity();
    return rounded_root<Result>(m_squares.magnitude(), Natural(1), m_squares.lowest());
  }
  template <class Result>
  Result variance(std::uint64_t ddof) const {
    if (m_nan || m_above || m_below) return std::numeric_limits<Result>::quiet_NaN();
    return rounded_quotient<Result>(spread(), weight(ddof), m_squares.lowest());
  }
  template <class Result>
  Result deviation(std::uint64_t ddof) const {
    if (m_nan || m_above || m_below) return std::numeric_limits<Result>::quiet_NaN();
    return rounded_root<Result>(spread(), weight(ddof), m_squares.lowest());
  }

 private:
  void add(bool negative, std::uint64_t mantissa, std::int64_t exponent);
  void add(double value);

  template <class Result>
  static Result integer(const ExactTotal& total, bool& fits) {
    const Natural magnitude = total.magnitude();
    const bool negative = total.negative();
    Natural limit(static_cast<std::uint64_t>(std::numeric_limits<Result>::max()));
    if (negative) limit = std::is_signed_v<Result> ? limit.plus(Natural(1)) : Natural();
    fits = magnitude.compare(limit) <= 0;
    return static_cast<Result>(negative ? ~magnitude.value() + 1 : magnitude.value());
  }

  template <class Result>
  Result mean_over(std::uint64_t count) const {
    if (m_nan || (m_above && m_below)) return std::numeric_limits<Result>::quiet_NaN();
    if (m_above || m_below) return (m_above ? 1 : -1) * std::numeric_limits<Result>::infinity();
    const Result result = rounded_quotient<Result>(m_sum.magnitude(), Natural(count), m_sum.lowest());
    return m_sum.negative() ? -result : result;
  }

  /// n S2 - S^2 and n (n - ddof).
  [[nodiscard]] Natural spread() const {
    const Natural sum = m_sum.magnitude();
    return m_squares.magnitude().times(Natural(m_count)).minus(sum.times(sum));
  }
  [[nodiscard]] Natural weight(std::uint64_t ddof) const { return Natural(m_count).times(Natural(m_count - ddof)); }

  std::uint64_t m_count;
  bool m_nan = false, m_above = false, m_below = false;  // a NaN, +Inf, -Inf among the elements
  ExactTotal m_sum, m_magnitude, m_squares;
};

}  // namespace tessera::reference

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "line_expectation.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

namespace tessera::apps {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Expectation undefined() { return {}; }

/// The exact integer, where its 64-bit type holds it.
Expectation fitting(const BigNatural& magnitude, bool negative, bool is_unsigned) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  std::uint64_t value = 0;
  Expectation overflow;
  overflow.kind = Expectation::Kind::overflow;
  if (!magnitude.to_uint64(value)) return overflow;
  if (is_unsigned ? negative && value != 0 : value > most + (negative ? 1 : 0)) return overflow;
  return integer_expectation(negative ? -Int128{value} : Int128{value});
}

double with_sign(double magnitude, bool negative) { return negative ? -magnitude : magnitude; }

/// The result of NaN and infinities among the terms; nothing where all are finite.
std::optional<double> special(const TermSum& sum) {
  if (sum.nan || (sum.plus_infinity && sum.minus_infinity)) return nan;
  if (sum.plus_infinity || sum.minus_infinity) return sum.plus_infinity ? infinity : -infinity;
  return std::nullopt;
}

const BigNatural one(1);

template <class T>
class Expecting {
 public:
  Expecting(const LineReference<T>& line, const ReducePass& pass, std::uint64_t accumulators, RoundedTo format)
      : m_line(line), m_sums(line.sums()), m_pass(pass), m_format(format) {
    const std::uint64_t partials = std::max(accumulators, (m_line.count() + 511) / 512);
    m_factor = 512 + (partials > 1 ? std::bit_width(partials - 1) : 0) + 2;
  }

  Expectation of(const std::string& op, std::size_t part) const {
    if (op.starts_with("count")) return counted(op);
    if (op == "any" || op == "all") return truth(op == "any");
    if (op.starts_with("bit_")) return bits(op);
    if (m_pass.nan == "error" && m_sums.nans > 0) return undefined();
    if (op.starts_with("arg")) return located(op);
    if (op == "min" || op == "max" || op == "minmax") return extremum(op == "max" || part == 1);
    if (m_line.spoiled()) {
      const bool no_elements_needed = op != "var" && op != "std";
      return no_elements_needed || m_line.count() > m_pass.ddof ? floating_expectation(nan) : undefined();
    }
    if (op == "prod") return product();
    if (op == "linf") return largest_magnitude();
    if (op == "sum") return total(m_sums.plain, m_sums.magnitudes);
    if (op == "l1") return total(m_sums.magnitudes, m_sums.magnitudes);
    if (op == "dot") return total(m_sums.products, m_sums.product_magnitudes);
    if (op == "mean") return mean();
    if (op == "l2") return norm();
    return spread(op == "std");
  }

 private:
  static constexpr bool floating = std::is_floating_point_v<T>;
  static constexpr long double u = floating ? std::numeric_limits<T>::epsilon() / 2 : 0;

  Expectation counted(const std::string& op) const {
    if (op == "count_nan") return integer_expectation(m_sums.nans);
    if (op == "count_inf") return integer_expectation(m_sums.infinities);
    if (op == "count_zero") return integer_expectation(m_sums.zeros);
    return integer_expectation(m_line.count());
  }

  Expectation truth(bool any) const {
    return integer_expectation(any ? m_line.count() > m_sums.zeros : m_sums.zeros == 0);
  }

  Expectation bits(const std::string& op) const {
    return integer_expectation(op == "bit_and" ? m_sums.bit_and : op == "bit_or" ? m_sums.bit_or : m_sums.bit_xor);
  }

  static Expectation element(T value) {
    if constexpr (floating) return floating_expectation(value);
    return integer_expectation(static_cast<Int128>(value));
  }

  Expectation located(const std::string& op) const {
    const bool last = op.ends_with("_last"), largest = op.starts_with("argmax");
    Expectation result;
    if (m_line.spoiled()) {
      result = floating_expectation(nan);
      result.index = last ? m_sums.last_nan : m_sums.first_nan;
    } else if (m_sums.argmin >= 0) {
      result = element(largest ? last ? m_sums.max_element_last : m_sums.max_element
                       : last  ? m_sums.min_element_last
                               : m_sums.min_element);
      result.index = largest ? last ? m_sums.argmax_last : m_sums.argmax : last ? m_sums.argmin_last : m_sums.argmin;
    }
    return result;
  }

  Expectation extremum(bool largest) const {
    if (m_line.spoiled()) return floating_expectation(nan);
    if (m_sums.argmin < 0) return undefined();
    return element(largest ? m_sums.max : m_sums.min);
  }

  Expectation largest_magnitude() const {
    if (m_sums.argmin < 0) return floating ? floating_expectation(0) : integer_expectation(0);
    if constexpr (floating) {
      return floating_expectation(std::max(std::abs(double{m_sums.min}), std::abs(double{m_sums.max})));
    } else {
      const auto low = static_cast<Int128>(m_sums.min), high = static_cast<Int128>(m_sums.max);
      return integer_expectation(std::max({low, -low, high, -high}));
    }
  }

  Expectation product() const {
    if constexpr (!floating) {
      if (m_sums.zero_factor) return integer_expectation(0);
      return fitting(BigNatural(m_sums.integer_product), m_sums.negative_product, std::is_unsigned_v<T>);
    } else {
      if (m_sums.zero_factor && m_sums.infinite_factor) return floating_expectation(nan);
      const bool negative = m_sums.negative_product;
      if (m_sums.infinite_factor) return floating_expectation(with_sign(infinity, negative));
      if (m_sums.zero_factor) return floating_expectation(with_sign(0, negative));
      const auto n = static_cast<long double>(m_line.count());
      const auto exponent = static_cast<int>(std::clamp<std::int64_t>(m_sums.exponent, -30000, 30000));
      Expectation result = floating_expectation(0);
      result.wide = std::ldexp(negative ? -m_sums.mantissa : m_sums.mantissa, exponent);
      result.floating = static_cast<double>(result.wide);
      result.bound = 1.01L * (n + 1) * u * std::abs(result.wide) + std::numeric_limits<double>::denorm_min();
      result.may_overflow = std::abs(result.wide) + result.bound > std::numeric_limits<double>::max();
      return result;
    }
  }

  Expectation quotient_of(const BigNatural& numerator, const BigNatural& denominator, bool negative) const {
    if (m_format == RoundedTo::integer) {
      const Int128 whole = whole_quotient(numerator, denominator);
      return integer_expectation(negative ? -whole : whole);
    }
    return floating_expectation(with_sign(rounded_quotient(numerator, denominator, m_format), negative));
  }

  Expectation root_of(const BigNatural& numerator, const BigNatural& denominator) const {
    if (m_format == RoundedTo::integer) return integer_expectation(whole_root(numerator, denominator));
    return floating_expectation(rounded_root(numerator, denominator, m_format));
  }

  /// RN(S), or S within the bound of fast summation.
  Expectation total(const TermSum& sum, const TermSum& magnitudes) const {
    const BigSum::Value value = sum.finite.value();
    if constexpr (!floating) {
      return fitting(value.magnitude, value.negative, std::is_unsigned_v<T> || &sum == &m_sums.magnitudes);
    } else {
      if (const auto known = special(sum)) return spoilt(*known, magnitudes);
      const Expectation result = quotient_of(value.magnitude, one, value.negative);
      return m_pass.exact ? result : loosened(result, value, 1, magnitudes, 1);
    }
  }

  Expectation mean() const {
    if (m_line.count() == 0) return undefined();
    const BigNatural n(m_line.count());
    if (const auto known = special(m_sums.plain)) return spoilt(*known, m_sums.magnitudes);
    const BigSum::Value value = m_sums.plain.finite.value();
    const Expectation result = quotient_of(value.magnitude, n, value.negative);
    return m_pass.exact || !floating ? result
                                     : loosened(result, value, n.approximate(), m_sums.magnitudes, n.approximate());
  }

  Expectation norm() const {
    if (m_sums.infinities > 0) return floating_expectation(infinity);
    const BigNatural squares = m_sums.squares.finite.value().magnitude;
    Expectation result = root_of(squares, one);
    if (m_pass.exact || !floating) return result;
    const long double root = std::sqrt(squares.approximate());
    result.wide = root;
    result.bound = 1.01L * m_factor * u * root + underflow();
    result.may_overflow = squares.approximate() * 2 >= static_cast<long double>(std::numeric_limits<T>::max());
    // Squares below the element type's range are lost.
    result.bound += std::sqrt(static_cast<long double>(m_line.count()) * std::numeric_limits<T>::min());
    return result;
  }

  /// var = (n S2 - S^2) / (n (n - ddof)), std its root.
  Expectation spread(bool root) const {
    const std::uint64_t n = m_line.count();
    if (n <= m_pass.ddof) return undefined();
    if (m_sums.infinities > 0) return floating_expectation(nan);
    const BigNatural sum = m_sums.plain.finite.value().magnitude, squares = m_sums.squares.finite.value().magnitude;
    const BigNatural numerator = squares.times(BigNatural(n)).minus(sum.times(sum));
    const BigNatural denominator = BigNatural(n).times(BigNatural(n - m_pass.ddof));
    Expectation result = root ? root_of(numerator, denominator) : quotient_of(numerator, denominator, false);
    if (m_pass.exact || !floating) return result;
    const long double mean_square = squares.approximate() / static_cast<long double>(n - m_pass.ddof);
    const long double var = numerator.approximate() / denominator.approximate();
    const long double var_bound =
        4 * (m_factor + 4) * u * mean_square + 4 * static_cast<long double>(std::numeric_limits<T>::min());
    result.wide = root ? std::sqrt(var) : var;
    result.bound = root ? std::min(std::sqrt(var_bound), var > 0 ? var_bound / result.wide : std::sqrt(var_bound)) +
                              u * result.wide
                        : var_bound;
    result.may_overflow = 2 * squares.approximate() >= static_cast<long double>(std::numeric_limits<T>::max());
    return result;
  }

  static constexpr long double underflow() { return std::numeric_limits<T>::denorm_min(); }

  /// What products of a fast dot may lose below the least number.
  long double lost_products() const {
    return m_pass.operations.front() == "dot" ? static_cast<long double>(m_line.count()) * underflow() / 2 : 0;
  }

  /// The bound of fast summation, divided as the sum is.
  Expectation loosened(Expectation result, const BigSum::Value& value, long double divisor, const TermSum& magnitudes,
                       long double count_divisor) const {
    const long double magnitude = magnitudes.finite.value().magnitude.approximate();
    const long double wide = value.magnitude.approximate() / divisor;
    result.wide = value.negative ? -wide : wide;
    result.bound = 1.01L * (m_factor + 1) * u * magnitude / count_divisor + lost_products() + underflow();
    result.may_overflow = magnitude >= static_cast<long double>(std::numeric_limits<T>::max());
    return result;
  }

  /// NaN or an infinity; a fast sum that overflows on the way to an infinity may become NaN.
  Expectation spoilt(double value, const TermSum& magnitudes) const {
    Expectation result = floating_expectation(value);
    result.may_overflow =
        !m_pass.exact && !std::isnan(value) &&
        magnitudes.finite.value().magnitude.approximate() >= static_cast<long double>(std::numeric_limits<T>::max());
    return result;
  }

  const LineReference<T>& m_line;
  const LineSums<T>& m_sums;
  const ReducePass& m_pass;
  RoundedTo m_format;
  long double m_factor = 0;
};

}  // namespace

WantedSums wanted_sums(const ReducePass& pass) {
  WantedSums wanted;
  for (const auto& op : pass.operations) {
    const auto is = [&](std::initializer_list<const char*> names) {
      return std::find(names.begin(), names.end(), op) != names.end();
    };
    wanted.order |= is({"min", "max", "minmax", "linf"}) || is_arg(op);
    wanted.plain |= is({"sum", "mean", "var", "std"});
    wanted.magnitudes |= is({"l1"}) || (!pass.exact && is({"sum", "mean", "dot"}));
    wanted.squares |= is({"l2", "var", "std"});
    wanted.product |= is({"prod"});
    wanted.bits |= op.starts_with("bit_");
  }
  return wanted;
}

template <class T>
Expectation expectation(const LineReference<T>& line, const ReducePass& pass, const std::string& op,
                        std::uint64_t accumulators, std::size_t part, RoundedTo format) {
  return Expecting<T>(line, pass, accumulators, format).of(op, part);
}

template Expectation expectation(const LineReference<std::int32_t>&, const ReducePass&, const std::string&,
                                 std::uint64_t, std::size_t, RoundedTo);
template Expectation expectation(const LineReference<std::int64_t>&, const ReducePass&, const std::string&,
                                 std::uint64_t, std::size_t, RoundedTo);
template Expectation expectation(const LineReference<std::uint64_t>&, const ReducePass&, const std::string&,
                                 std::uint64_t, std::size_t, RoundedTo);
template Expectation expectation(const LineReference<float>&, const ReducePass&, const std::string&, std::uint64_t,
                                 std::size_t, RoundedTo);
template Expectation expectation(const LineReference<double>&, const ReducePass&, const std::string&, std::uint64_t,
                                 std::size_t, RoundedTo);

}  // namespace tessera::apps

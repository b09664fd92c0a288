// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "complex_line.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace tessera::apps {
namespace {

template <class Real>
bool is_nan(const std::complex<Real>& element) {
  return std::isnan(element.real()) || std::isnan(element.imag());
}
template <class Real>
bool is_infinite(const std::complex<Real>& element) {
  return std::isinf(element.real()) || std::isinf(element.imag());
}

/// The pass as one of real numbers, with those of its operations that are named.
ReducePass real_pass(const ReducePass& pass, std::initializer_list<const char*> named) {
  ReducePass real = pass;
  real.is_complex = false;
  std::erase_if(real.operations,
                [&](const std::string& op) { return std::find(named.begin(), named.end(), op) == named.end(); });
  return real;
}
ReducePass parts_pass(const ReducePass& pass) { return real_pass(pass, {"sum", "mean", "dot"}); }
ReducePass norms_pass(const ReducePass& pass) { return real_pass(pass, {"l1", "l2"}); }

/// A part of a product of count elements; the bound is that of Prod in double.
Expectation product_part(const ScaledProduct& product, std::uint64_t count, std::size_t part) {
  using Double = std::numeric_limits<double>;
  if (product.spoiled) return floating_expectation(Double::quiet_NaN());
  if (product.zero) return floating_expectation(0);
  const auto exponent = static_cast<int>(std::clamp<std::int64_t>(product.exponent, -30000, 30000));
  const long double size = std::ldexp(std::hypot(product.re, product.im), exponent);
  Expectation result = floating_expectation(0);
  result.wide = std::ldexp(part == 0 ? product.re : product.im, exponent);
  result.floating = static_cast<double>(result.wide);
  result.bound =
      1.01L * 2.3L * static_cast<long double>(count + 1) * (Double::epsilon() / 2) * size + Double::denorm_min();
  result.may_overflow = std::abs(result.wide) + result.bound > Double::max();
  return result;
}

}  // namespace

template <class Real>
ComplexLine<Real>::ComplexLine(const ReducePass& pass)
    : m_omit(pass.nan == "omit"),
      m_wants_parts(!parts_pass(pass).operations.empty()),
      m_wants_norms(!norms_pass(pass).operations.empty()),
      m_wants_product(!real_pass(pass, {"prod"}).operations.empty()),
      m_re(parts_pass(pass)),
      m_im(parts_pass(pass)),
      m_both(norms_pass(pass)) {}

template <class Real>
void ComplexLine<Real>::clear() {
  for (auto* line : {&m_re, &m_im, &m_both}) line->clear();
  m_elements = m_nans = m_infinities = m_zeros = 0;
  m_product = {};
}

template <class Real>
void ComplexLine<Real>::add(const std::complex<Real>& element) {
  ++m_elements;
  const bool nan = is_nan(element);
  m_nans += nan;
  m_infinities += is_infinite(element);
  m_zeros += element.real() == 0 && element.imag() == 0;
  if (nan && m_omit) return;
  if (m_wants_parts) {
    m_re.add(element.real());
    m_im.add(element.imag());
  }
  if (m_wants_norms) {
    m_both.add(element.real());
    m_both.add(element.imag());
  }
  if (m_wants_product) multiply(element);
}

template <class Real>
void ComplexLine<Real>::add(const std::complex<Real>& left, const std::complex<Real>& right) {
  ++m_elements;
  const bool nan = is_nan(left) || is_nan(right);
  m_nans += nan;
  if (nan && m_omit) return;
  m_re.add(left.real(), right.real());
  m_re.add(-left.imag(), right.imag());
  m_im.add(left.real(), right.imag());
  m_im.add(left.imag(), right.real());
}

template <class Real>
void ComplexLine<Real>::multiply(const std::complex<Real>& factor) {
  ScaledProduct& p = m_product;
  p.spoiled |= is_nan(factor) || is_infinite(factor);
  p.zero |= factor.real() == 0 && factor.imag() == 0;
  if (p.spoiled || p.zero) return;
  const long double re = factor.real(), im = factor.imag();
  const long double product_re = p.re * re - p.im * im, product_im = p.re * im + p.im * re;
  int shift = 0;
  (void)std::frexp(std::max(std::abs(product_re), std::abs(product_im)), &shift);
  p.re = std::ldexp(product_re, -shift);
  p.im = std::ldexp(product_im, -shift);
  p.exponent += shift;
}

template <class Real>
Expectation expectation(const ComplexLine<Real>& line, const ReducePass& pass, const std::string& op,
                        std::uint64_t accumulators, std::size_t part, RoundedTo format) {
  if (op == "count") return integer_expectation(line.count());
  if (op == "count_nan") return integer_expectation(line.nans());
  if (op == "count_inf") return integer_expectation(line.infinities());
  if (op == "count_zero") return integer_expectation(line.zeros());
  if (op == "any") return integer_expectation(line.count() > line.zeros() ? 1 : 0);
  if (op == "all") return integer_expectation(line.zeros() == 0 ? 1 : 0);
  if (op == "prod") return product_part(line.product(), line.count(), part);
  const LineReference<Real>& real = keeps_complex(op) ? line.part(part) : line.both();
  return expectation(real, pass, op, accumulators, 0, format);
}

template class ComplexLine<float>;
template class ComplexLine<double>;
template Expectation expectation(const ComplexLine<float>&, const ReducePass&, const std::string&, std::uint64_t,
                                 std::size_t, RoundedTo);
template Expectation expectation(const ComplexLine<double>&, const ReducePass&, const std::string&, std::uint64_t,
                                 std::size_t, RoundedTo);

}  // namespace tessera::apps

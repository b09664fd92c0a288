// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plain definition of every operation on one sequence of complex elements, by those on their parts.
#ifndef TESSERA_APPS_REDUCE_COMPLEX_LINE_HPP
#define TESSERA_APPS_REDUCE_COMPLEX_LINE_HPP

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>

#include "line_expectation.hpp"
#include "line_reference.hpp"

namespace tessera::apps {

/// (re + i im) * 2^exponent
struct ScaledProduct {
  long double re = 1, im = 0;
  std::int64_t exponent = 0;
  bool zero = false, spoiled = false;  // a factor was 0; one was NaN or infinite, which spoils both parts
};

/// The sums of one sequence after another. An element is NaN if a part is: left out, it is so with both.
template <class Real>
class ComplexLine {
 public:
  explicit ComplexLine(const ReducePass& pass);

  void clear();
  void add(const std::complex<Real>& element);
  /// A pair of a dot product, which does not conjugate.
  void add(const std::complex<Real>& left, const std::complex<Real>& right);

  /// Of the real and the imaginary parts, and of both as one sequence.
  [[nodiscard]] const LineReference<Real>& part(std::size_t which) const { return which == 0 ? m_re : m_im; }
  [[nodiscard]] const LineReference<Real>& both() const { return m_both; }
  /// Elements that count.
  [[nodiscard]] std::uint64_t count() const { return m_elements - (m_omit ? m_nans : 0); }
  [[nodiscard]] std::uint64_t nans() const { return m_nans; }
  [[nodiscard]] std::uint64_t infinities() const { return m_infinities; }
  [[nodiscard]] std::uint64_t zeros() const { return m_zeros; }
  [[nodiscard]] const ScaledProduct& product() const { return m_product; }

 private:
  void multiply(const std::complex<Real>& factor);

  bool m_omit, m_wants_parts, m_wants_norms, m_wants_product;
  LineReference<Real> m_re, m_im, m_both;
  std::uint64_t m_elements = 0, m_nans = 0, m_infinities = 0, m_zeros = 0;
  ScaledProduct m_product;
};

extern template class ComplexLine<float>;
extern template class ComplexLine<double>;

/// What each operation must give, as of real elements. part: of complex results, 1 the imaginary one.
template <class Real>
[[nodiscard]] Expectation expectation(const ComplexLine<Real>& line, const ReducePass& pass, const std::string& op,
                                      std::uint64_t accumulators, std::size_t part = 0,
                                      RoundedTo format = RoundedTo::float64);

extern template Expectation expectation(const ComplexLine<float>&, const ReducePass&, const std::string&, std::uint64_t,
                                        std::size_t, RoundedTo);
extern template Expectation expectation(const ComplexLine<double>&, const ReducePass&, const std::string&,
                                        std::uint64_t, std::size_t, RoundedTo);

/// The reference for elements of T, as visit_elements() names them.
template <class T>
struct LineReferenceOf {
  using type = LineReference<T>;
};
template <class Real>
struct LineReferenceOf<std::complex<Real>> {
  using type = ComplexLine<Real>;
};
template <class T>
using line_reference_t = typename LineReferenceOf<T>::type;

}  // namespace tessera::apps

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Least squares on equidistant points: the polynomials that are orthonormal there.
#ifndef TESSERA_FILTER_DETAIL_GRAM_POLYNOMIALS_HPP
#define TESSERA_FILTER_DETAIL_GRAM_POLYNOMIALS_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tessera::detail {

/// The polynomials p_k, k = 0, 1, .. n - 1, with sum p_j(x) p_k(x) = (j == k) over the n = 2h + 1 points x = -h .. h
/// (J. P. Gram, 1883), one after the other. p_k is even or odd as k is.
class GramPolynomials {
 public:
  /// Starts with p_0. points: odd. derivatives: how many of them are wanted at 0.
  GramPolynomials(std::int64_t points, std::int64_t derivatives)
      : m_points(points),
        m_values(static_cast<std::size_t>(points / 2) + 1, 1 / std::sqrt(static_cast<long double>(points))),
        m_values_before(m_values.size()),
        m_at_0(static_cast<std::size_t>(derivatives) + 1),
        m_at_0_before(m_at_0.size()) {
    m_at_0[0] = m_values[0];
  }

  /// p_k(x) at x = 0 .. h.
  [[nodiscard]] const std::vector<long double>& values() const { return m_values; }
  /// The last of the derivatives of p_k at 0.
  [[nodiscard]] long double derivative_at_0() const { return m_at_0.back(); }

  /// From p_k to p_{k+1}; k + 1 < n.
  void advance() {
    const long double step = m_step;
    ++m_degree;
    const auto n = static_cast<long double>(m_points), k = static_cast<long double>(m_degree);
    m_step = std::sqrt(k * k * (n - k) * (n + k) / (4 * (4 * k * k - 1)));
    // Of x p_k = step_{k+1} p_{k+1} + step_k p_{k-1}, at 0. Both terms have one sign: nothing cancels.
    for (std::size_t j = 0; j < m_at_0.size(); ++j) {
      const long double raised = j == 0 ? 0 : static_cast<long double>(j) * m_at_0[j - 1];
      m_at_0_before[j] = (raised - step * m_at_0_before[j]) / m_step;
    }
    std::swap(m_at_0, m_at_0_before);
    // The same at other points is unstable once p_k falls towards the ends, beyond degree 2 sqrt(n).
    if (m_degree <= m_points / m_degree) {
      for (std::size_t x = 0; x < m_values.size(); ++x) {
        m_values_before[x] = (static_cast<long double>(x) * m_values[x] - step * m_values_before[x]) / m_step;
      }
      std::swap(m_values, m_values_before);
    } else {
      evaluate_from_the_end();
    }
  }

 private:
  /// By the difference equation in x, from the end inwards, as p_k grows there (R. Mukundan, "Some computational
  /// aspects of discrete orthonormal moments", IEEE Transactions on Image Processing 13, 2004). Of low degrees it loses
  /// digits.
  void evaluate_from_the_end() {
    const std::int64_t n = m_points, k = m_degree, h = n / 2;
    m_values[static_cast<std::size_t>(h)] = 1;
    m_values[static_cast<std::size_t>(h - 1)] =
        1 - static_cast<long double>(k * (k + 1)) / static_cast<long double>(n - 1);
    for (std::int64_t t = 2; t <= h; ++t) {  // the distance from the end
      const auto one = static_cast<long double>((2 * t - 1) * (n + 1 - t) - k * (k + 1) - t);
      const auto two = static_cast<long double>((t - 1) * (n + 1 - t));
      const auto x = static_cast<std::size_t>(h - t);
      m_values[x] = (one * m_values[x + 1] - two * m_values[x + 2]) / static_cast<long double>(t * (n - t));
    }
    if (k % 2 != 0) m_values[0] = 0;
    long double square = 0;
    for (std::size_t x = m_values.size(); x-- > 1;) square += 2 * m_values[x] * m_values[x];
    const long double norm = std::sqrt(square + m_values[0] * m_values[0]);
    for (auto& value : m_values) value /= norm;
  }

  std::int64_t m_points, m_degree = 0;
  long double m_step = 0;
  std::vector<long double> m_values, m_values_before, m_at_0, m_at_0_before;
};

}  // namespace tessera::detail

#endif

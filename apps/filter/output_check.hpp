// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every check of a filter's outputs has in common: lines, the elements beyond their ends, and comparisons.
#ifndef TESSERA_APPS_FILTER_OUTPUT_CHECK_HPP
#define TESSERA_APPS_FILTER_OUTPUT_CHECK_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "common/comparison.hpp"
#include "common/host_array.hpp"
#include "filter_engine.hpp"

namespace tessera::apps {

[[nodiscard]] inline std::int64_t euclidean(std::int64_t a, std::int64_t period) {
  return ((a % period) + period) % period;
}

/// The element that stands for element j of a line of n, as the definitions of the modes say; -1: no single one does.
[[nodiscard]] inline std::int64_t source_of(const std::string& mode, std::int64_t j, std::int64_t n) {
  if (j >= 0 && j < n) return j;
  if (mode == "nearest") return std::clamp<std::int64_t>(j, 0, n - 1);
  if (mode == "wrap") return euclidean(j, n);
  if (mode == "reflect") {
    const std::int64_t r = euclidean(j, 2 * n);
    return r < n ? r : 2 * n - 1 - r;
  }
  if (mode == "mirror") {
    if (n == 1) return 0;
    const std::int64_t r = euclidean(j, 2 * (n - 1));
    return r < n ? r : 2 * (n - 1) - r;
  }
  return -1;
}

/// After how many elements beyond an end the same ones stand for them again.
[[nodiscard]] inline std::int64_t source_period(const std::string& mode, std::int64_t n) {
  if (mode == "wrap") return n;
  if (mode == "reflect") return 2 * n;
  if (mode == "mirror") return std::max<std::int64_t>(1, 2 * (n - 1));
  return 1;
}

template <class In, class Out>
class OutputCheck {
 public:
  OutputCheck(const FilterRequest& request, const HostArray& input, const HostArray& output, Comparison& comparison)
      : m_request(request),
        m_in(input.buffer.as<In>()),
        m_out(output.buffer.as<Out>()),
        m_shape(lines_shape(input, request.axis)),
        m_parts(input.is_complex ? 2 : 1),
        m_joins_nan(input.is_complex && request.nan == "omit"),
        m_extent(static_cast<std::int64_t>(m_shape.extent)),
        m_outputs(request.outputs(m_extent)),
        m_stride(static_cast<std::int64_t>(m_shape.inner)),
        m_left(request.reach_left()),
        m_right(request.reach_right()),
        m_comparison(comparison) {
    std::visit([&](const auto value) { m_cval = static_cast<In>(value); }, request.cval);
  }

  [[nodiscard]] std::int64_t outputs() const { return m_outputs; }
  /// Outputs of a line whose window leaves it: those before the first and from the second on.
  [[nodiscard]] std::int64_t edge_end() const {
    return std::clamp<std::int64_t>(m_left - m_request.first_output(), 0, m_outputs);
  }
  [[nodiscard]] std::int64_t edge_begin() const {
    return std::max(edge_end(), std::clamp<std::int64_t>(m_extent - m_right - m_request.first_output(), 0, m_outputs));
  }

 protected:
  // What exact results are compared in: integers as such, floating values as they are, rounded once.
  using Exact = std::conditional_t<std::is_integral_v<In> && std::is_integral_v<Out>, Int128, Out>;

  struct Checked {
    std::uint64_t index;   // in the output, of the element
    std::int64_t element;  // of the line: the one that the window lies around
    Out got;
  };

  /// Turns to a line, counted as the lines begin in memory, and one of its outputs.
  Checked turn_to(std::uint64_t line, std::int64_t output) {
    const std::uint64_t slab = line / m_shape.inner, within = line % m_shape.inner;
    m_line = m_in + slab * m_shape.extent * m_shape.inner + within;
    const std::uint64_t index =
        (slab * static_cast<std::uint64_t>(m_outputs) + static_cast<std::uint64_t>(output)) * m_shape.inner + within;
    m_other = m_parts == 1 ? 0 : index % 2 == 0 ? 1 : -1;
    return {index / m_parts, output + m_request.first_output(), m_out[index]};
  }

  /// An element as it is stored, as the filter takes it, and cval. What is said of a complex element is said of a part.
  [[nodiscard]] In at(std::int64_t i) const { return m_line[i * m_stride]; }
  [[nodiscard]] In taken(std::int64_t i) const {
    const In other = m_line[i * m_stride + m_other];
    return m_joins_nan && other != other ? other : at(i);
  }
  [[nodiscard]] In beyond() const {
    const bool is_real = m_other >= 0;  // cval has no imaginary part, but is NaN as a whole
    return is_real || (m_joins_nan && m_cval != m_cval) ? m_cval : In(0);
  }
  [[nodiscard]] const std::string& mode_at(std::int64_t j) const {
    return j < 0 ? m_request.mode_left : m_request.mode_right;
  }

  /// Whether mode keep copies the element.
  [[nodiscard]] bool is_kept(std::int64_t i) const {
    return (m_request.mode_left == "keep" && i < m_left) || (m_request.mode_right == "keep" && i + m_right >= m_extent);
  }

  void check_exact(const Checked& output, Exact expected) {
    const Out got = output.got;
    if constexpr (std::is_integral_v<Out>) {
      expected = std::clamp<Int128>(expected, std::numeric_limits<Out>::min(), std::numeric_limits<Out>::max());
      m_comparison.add(output.index, static_cast<double>(got), static_cast<double>(expected), expected != got, [&] {
        return std::pair{std::to_string(got), to_text(expected)};
      });
    } else {
      const bool same = std::isnan(expected) ? std::isnan(got) : got == expected;
      m_comparison.add(output.index, static_cast<double>(got), static_cast<double>(expected), !same);
    }
  }

  /// may_overflow: partial sums may leave the range of the type that adds.
  void check_bound(const Checked& output, long double expected, long double bound, bool may_overflow) {
    const Out got = output.got;
    if constexpr (std::is_integral_v<Out>) {
      const auto clamped = std::isnan(expected)
                               ? 0.0L
                               : std::clamp<long double>(expected, std::numeric_limits<Out>::min(),
                                                         static_cast<long double>(std::numeric_limits<Out>::max()));
      const long double off = std::abs(static_cast<long double>(got) - clamped);
      const bool wrong = std::isnan(expected) ? off != 0 : !(off <= bound + 0.5L);
      m_comparison.add(output.index, static_cast<double>(got), static_cast<double>(clamped), wrong);
    } else {
      const bool wrong = breaks_bound(got, expected, bound, may_overflow);
      m_comparison.add(output.index, static_cast<double>(got), static_cast<double>(expected), wrong);
    }
  }

  const FilterRequest& m_request;
  const In* m_in;
  const Out* m_out;
  LinesShape m_shape;
  std::uint64_t m_parts;
  bool m_joins_nan;
  std::int64_t m_extent, m_outputs, m_stride, m_left, m_right;
  Comparison& m_comparison;
  const In* m_line = nullptr;
  std::int64_t m_other = 0;  // where the other part of an element is
  In m_cval = 0;

 private:
  static bool breaks_bound(Out got, long double expected, long double bound, bool may_overflow) {
    if (std::isnan(expected)) return !std::isnan(got);
    if (std::isinf(expected)) return got != static_cast<Out>(expected) && !(may_overflow && std::isnan(got));
    if (std::isfinite(got)) return !(std::abs(static_cast<long double>(got) - expected) <= bound);
    return !may_overflow && !(std::abs(expected) + bound >= static_cast<long double>(std::numeric_limits<Out>::max()));
  }
};

}  // namespace tessera::apps

#endif

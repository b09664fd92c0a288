// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "filter_verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "common/sampled_indices.hpp"

namespace tessera::apps {
namespace {

std::int64_t euclidean(std::int64_t a, std::int64_t period) { return ((a % period) + period) % period; }

// The element that stands for element j of a line of n, as the definitions of the modes say; -1: the constant.
std::int64_t source_of(const std::string& mode, std::int64_t j, std::int64_t n) {
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

template <class In, class Out>
class FilterReference {
 public:
  FilterReference(const FilterRequest& request, const HostArray& input, const HostArray& output, Comparison& comparison)
      : m_request(request),
        m_in(input.buffer.as<In>()),
        m_out(output.buffer.as<Out>()),
        m_shape(lines_shape(input.shape, request.axis)),
        m_extent(static_cast<std::int64_t>(m_shape.extent)),
        m_stride(static_cast<std::int64_t>(m_shape.inner)),
        m_comparison(comparison) {
    const auto taps = static_cast<std::int64_t>(request.weights.size());
    m_left = request.convolve ? taps - 1 - taps / 2 - request.origin : taps / 2 + request.origin;
    m_right = taps - 1 - m_left;
    std::visit([&](const auto value) { m_cval = static_cast<In>(value); }, request.cval);
    m_float_weights = std::is_same_v<In, float> && !request.accumulate_double;
    m_exact = std::is_integral_v<In> && all_whole(request.weights);
  }

  [[nodiscard]] bool is_exact() const { return m_exact; }

  /// Outputs of a line whose window leaves it: those before the first and from the second on.
  [[nodiscard]] std::int64_t edge_end() const { return std::clamp<std::int64_t>(m_left, 0, m_extent); }
  [[nodiscard]] std::int64_t edge_begin() const {
    return std::max(edge_end(), m_extent - std::clamp<std::int64_t>(m_right, 0, m_extent));
  }

  /// Output i of the line-th line, counted as the lines begin in memory.
  void check(std::uint64_t line, std::int64_t i) {
    const std::uint64_t begin = line / m_shape.inner * m_shape.extent * m_shape.inner + line % m_shape.inner;
    m_line = m_in + begin;
    const std::uint64_t index = begin + static_cast<std::uint64_t>(i) * m_shape.inner;
    const Out got = m_out[index];
    const bool kept_left = m_request.mode_left == "keep" && i < m_left;
    const bool kept_right = m_request.mode_right == "keep" && i + m_right >= m_extent;
    if (kept_left || kept_right) {
      check_exact(index, got, static_cast<Exact>(m_line[i * m_stride]));
    } else if (m_exact) {
      check_exact(index, got, static_cast<Exact>(exact_sum(i)));
    } else {
      check_rounded(index, got, i);
    }
  }

 private:
  // What exact results are compared in: integers as such, floating values as they are, rounded once.
  using Exact = std::conditional_t<std::is_integral_v<In> && std::is_integral_v<Out>, Int128, Out>;

  [[nodiscard]] In element(std::int64_t i, std::size_t k) const {
    const auto taps = static_cast<std::int64_t>(m_request.weights.size());
    const auto tap = static_cast<std::int64_t>(k);
    const std::int64_t j = m_request.convolve ? i + m_request.origin - tap + taps / 2 : i - m_left + tap;
    const std::int64_t source = source_of(j < 0 ? m_request.mode_left : m_request.mode_right, j, m_extent);
    return source < 0 ? m_cval : m_line[source * m_stride];
  }

  [[nodiscard]] Int128 exact_sum(std::int64_t i) const {
    Int128 sum = 0;
    for (std::size_t k = 0; k < m_request.weights.size(); ++k) {
      sum += static_cast<Int128>(m_request.weights[k]) * static_cast<Int128>(element(i, k));
    }
    return sum;
  }

  void check_exact(std::uint64_t index, Out got, Exact expected) {
    if constexpr (std::is_integral_v<Out>) {
      expected = std::clamp<Int128>(expected, std::numeric_limits<Out>::min(), std::numeric_limits<Out>::max());
      m_comparison.add(index, static_cast<double>(got), static_cast<double>(expected), expected != got, [&] {
        return std::pair{std::to_string(got), to_text(expected)};
      });
    } else {
      const bool same = std::isnan(expected) ? std::isnan(got) : got == expected;
      m_comparison.add(index, static_cast<double>(got), static_cast<double>(expected), !same);
    }
  }

  void check_rounded(std::uint64_t index, Out got, std::int64_t i) {
    long double sum = 0, magnitude = 0;  // magnitude: of the finite terms
    for (std::size_t k = 0; k < m_request.weights.size(); ++k) {
      const double weight = m_request.weights[k];
      const long double term = static_cast<long double>(m_float_weights ? static_cast<float>(weight) : weight) *
                               static_cast<long double>(element(i, k));
      sum += term;
      if (std::isfinite(term)) magnitude += std::abs(term);
    }
    const auto taps = static_cast<long double>(m_request.weights.size());
    using Double = std::numeric_limits<double>;
    using Single = std::numeric_limits<float>;
    const bool in_float = m_float_weights;
    const long double u = (in_float ? static_cast<long double>(Single::epsilon()) : Double::epsilon()) / 2;
    const long double smallest = in_float ? static_cast<long double>(Single::denorm_min()) : Double::denorm_min();
    const long double largest = in_float ? static_cast<long double>(Single::max()) : Double::max();
    long double bound = (taps + 2) * u * magnitude + taps * smallest;
    if (std::is_same_v<Out, float> && !in_float) {
      bound += (std::abs(sum) + bound) * (Single::epsilon() / 2) + Single::denorm_min();
    }
    if constexpr (std::is_integral_v<Out>) {
      const auto clamped =
          std::clamp<long double>(sum, std::numeric_limits<Out>::min(), std::numeric_limits<Out>::max());
      const bool wrong = !(std::abs(static_cast<long double>(got) - clamped) <= bound + 0.5L);
      m_comparison.add(index, static_cast<double>(got), static_cast<double>(clamped), wrong);
    } else {
      const bool wrong = breaks_bound(got, sum, bound, magnitude >= largest);
      m_comparison.add(index, static_cast<double>(got), static_cast<double>(sum), wrong);
    }
  }

  static bool breaks_bound(Out got, long double sum, long double bound, bool may_overflow) {
    if (std::isnan(sum)) return !std::isnan(got);
    if (std::isinf(sum)) return got != static_cast<Out>(sum) && !(may_overflow && std::isnan(got));
    if (std::isfinite(got)) return !(std::abs(static_cast<long double>(got) - sum) <= bound);
    return !may_overflow && !(std::abs(sum) + bound >= static_cast<long double>(std::numeric_limits<Out>::max()));
  }

  const FilterRequest& m_request;
  const In* m_in;
  const Out* m_out;
  LinesShape m_shape;
  std::int64_t m_extent, m_stride, m_left = 0, m_right = 0;
  Comparison& m_comparison;
  const In* m_line = nullptr;
  In m_cval = 0;
  bool m_float_weights = false;  // the weights are rounded to the accumulator's type
  bool m_exact = false;
};

template <class In, class Out>
Verification verify(const FilterRequest& request, const HostArray& input, const HostArray& output, bool full,
                    const NormFunction& norms, const ProgressCallback& progress, std::uint64_t samples) {
  Comparison comparison(input.shape, norms);
  FilterReference<In, Out> reference(request, input, output, comparison);
  const std::uint64_t size = element_count(input.shape);
  const LinesShape shape = lines_shape(input.shape, request.axis);
  const auto extent = static_cast<std::int64_t>(shape.extent);
  const std::uint64_t lines = size > 0 ? shape.lines() : 0;
  const std::int64_t edge_end = reference.edge_end();
  const std::int64_t edge_begin = reference.edge_begin();
  const std::uint64_t edges = lines * static_cast<std::uint64_t>(edge_end + extent - edge_begin);
  const bool all = full || edges + samples >= size;
  const std::int64_t skip_from = all ? extent : edge_end;
  for (std::uint64_t line = 0; line < lines; ++line) {
    for (std::int64_t i = 0; i < skip_from; ++i) reference.check(line, i);
    for (std::int64_t i = all ? extent : edge_begin; i < extent; ++i) reference.check(line, i);
    progress(line + 1, lines);
  }
  const std::string how = reference.is_exact() ? "128-bit integers" : "long double";
  if (all) return comparison.finish("direct evaluation in " + how + " of all outputs");
  for_sampled_indices(size, samples, [&](std::uint64_t index) {
    const std::uint64_t slab = shape.extent * shape.inner;
    reference.check(index / slab * shape.inner + index % shape.inner,
                    static_cast<std::int64_t>(index / shape.inner % shape.extent));
  });
  return comparison.finish(fmt::format("direct evaluation in {} of {} sampled outputs and all edges", how, samples));
}

}  // namespace

Verification verify_filter(const FilterRequest& request, const HostArray& input, const HostArray& output, bool full,
                           const NormFunction& norms, const ProgressCallback& progress, std::uint64_t samples) {
  return visit_type(input.type, [&](const auto in) {
    return visit_type(output.type, [&](const auto out) -> Verification {
      using In = std::decay_t<decltype(in)>;
      using Out = std::decay_t<decltype(out)>;
      if constexpr (can_filter<In, Out>) {
        return verify<In, Out>(request, input, output, full, norms, progress, samples);
      }
      throw std::logic_error("no filter from " + to_string(input.type) + " to " + to_string(output.type));
    });
  });
}

}  // namespace tessera::apps

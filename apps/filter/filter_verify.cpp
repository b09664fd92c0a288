// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "filter_verify.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "common/sampled_indices.hpp"
#include "output_check.hpp"
#include "window_check.hpp"

namespace tessera::apps {
namespace {

/// A sum to about twice the digits of long double: weights that cancel leave nothing behind.
class CarefulSum {
 public:
  void add(long double x) {
    const long double sum = m_high + x, part = sum - m_high;
    m_low += (m_high - (sum - part)) + (x - part);
    m_high = sum;
  }
  [[nodiscard]] long double value() const { return m_high + m_low; }

 private:
  long double m_high = 0, m_low = 0;
};

/// Sums of weighted elements by their definition.
template <class In, class Out>
class SumCheck : public OutputCheck<In, Out> {
  using Base = OutputCheck<In, Out>;

 public:
  SumCheck(const FilterRequest& request, const HostArray& input, const HostArray& output, Comparison& comparison)
      : Base(request, input, output, comparison),
        m_float_weights(std::is_same_v<In, float> && !request.accumulate_double),
        m_exact(std::is_integral_v<In> && request.is_whole()),
        m_omits(std::is_floating_point_v<In> && request.nan == "omit") {
    CarefulSum sum;
    for (const double weight : request.weights) sum.add(weight);
    m_weight_sum = sum.value();
  }

  [[nodiscard]] std::string method() const {
    return std::string("direct evaluation in ") + (m_exact ? "128-bit integers" : "long double");
  }

  void check(std::uint64_t line, std::int64_t index) {
    const typename Base::Checked output = Base::turn_to(line, index);
    if (Base::is_kept(output.element)) {
      Base::check_exact(output, static_cast<typename Base::Exact>(Base::at(output.element)));
    } else if (m_exact) {
      Base::check_exact(output, static_cast<typename Base::Exact>(exact_sum(output.element)));
    } else {
      check_rounded(output);
    }
  }

 private:
  using Base::m_request;

  /// What stands for an element: its value, the magnitudes that it is made of, and whether its tap counts.
  template <class Wide>
  struct Term {
    Wide value = 0, magnitude = 0;
    bool counts = true, is_derived = false;
  };

  template <class Wide>
  [[nodiscard]] static Wide magnitude_of(Wide x) {
    return x < 0 ? -x : x;
  }

  /// The straight continuation of mode odd, of more than one element, of which the other end's may cancel: it is not
  /// read then.
  template <class Wide>
  [[nodiscard]] Term<Wide> odd_term(std::int64_t j) const {
    const std::int64_t last = Base::m_extent - 1, period = 2 * last;
    const std::int64_t r = euclidean(j, period), turns = (j - r) / period;
    const auto wide = [&](std::int64_t i) { return static_cast<Wide>(Base::taken(i)); };
    Term<Wide> term{.is_derived = true};
    const auto add = [&](std::int64_t factor, std::int64_t i) {
      if (factor == 0) return;
      term.value += static_cast<Wide>(factor) * wide(i);
      term.magnitude += magnitude_of(static_cast<Wide>(factor) * wide(i));
    };
    const std::int64_t of_first = -2 * turns, of_last = 2 * turns + (r > last ? 2 : 0);
    const std::int64_t other = r > last ? period - r : r, of_other = r > last ? -1 : 1;
    add(of_first + (other == 0 ? of_other : 0), 0);
    add(of_last + (other == last ? of_other : 0), last);
    if (other != 0 && other != last) add(of_other, other);
    return term;
  }

  template <class Wide>
  [[nodiscard]] Term<Wide> term_at(std::int64_t j) const {
    const bool is_inside = j >= 0 && j < Base::m_extent;
    Term<Wide> term;
    if (!is_inside && Base::mode_at(j) == "odd" && Base::m_extent > 1) {
      term = odd_term<Wide>(j);
    } else {
      const bool is_odd = !is_inside && Base::mode_at(j) == "odd";  // of one element: that one
      const std::int64_t source = is_odd ? 0 : source_of(Base::mode_at(j), j, Base::m_extent);
      term.value = static_cast<Wide>(source < 0 ? Base::beyond() : Base::taken(source));
      term.magnitude = magnitude_of(term.value);
      term.counts = source >= 0 || Base::mode_at(j) == "constant";
    }
    if (m_omits && term.value != term.value) term.counts = false;
    return term;
  }

  /// Calls visit(weight, term) in the order of the weights.
  template <class Wide, class Visit>
  void for_window(std::int64_t i, const Visit& visit) const {
    const std::int64_t taps = m_request.taps();
    for (std::int64_t k = 0; k < taps; ++k) {
      const std::int64_t j = m_request.convolve ? i + Base::m_right - k : i - Base::m_left + k;
      visit(m_request.weights[static_cast<std::size_t>(k)], term_at<Wide>(j));
    }
  }

  [[nodiscard]] Int128 exact_sum(std::int64_t i) const {
    Int128 sum = 0;
    for_window<Int128>(
        i, [&](double weight, const Term<Int128>& term) { sum += static_cast<Int128>(weight) * term.value; });
    return sum;
  }

  void check_rounded(const typename Base::Checked& output) {
    using Double = std::numeric_limits<double>;
    using Single = std::numeric_limits<float>;
    long double sum = 0, magnitude = 0;  // magnitude: of the finite terms
    CarefulSum counted;
    bool is_derived = false, all_count = true, may_overflow = false;
    const long double largest = m_float_weights ? static_cast<long double>(Single::max()) : Double::max();
    for_window<long double>(output.element, [&](double weight, const Term<long double>& term) {
      is_derived = is_derived || term.is_derived;
      may_overflow = may_overflow || (term.is_derived && 2 * term.magnitude >= largest);
      all_count = all_count && term.counts;
      if (!term.counts) return;
      counted.add(weight);
      const long double factor = m_float_weights ? static_cast<float>(weight) : weight;
      sum += factor * term.value;
      if (std::isfinite(term.value)) magnitude += std::abs(factor * term.magnitude);
    });
    const long double u = (m_float_weights ? static_cast<long double>(Single::epsilon()) : Double::epsilon()) / 2;
    const long double smallest =
        m_float_weights ? static_cast<long double>(Single::denorm_min()) : Double::denorm_min();
    may_overflow = may_overflow || magnitude >= largest;
    if (!all_count) {
      const long double scale =
          counted.value() == 0 ? std::numeric_limits<long double>::quiet_NaN() : m_weight_sum / counted.value();
      is_derived = true;
      sum *= scale;
      magnitude *= std::abs(scale);
      may_overflow = may_overflow || magnitude >= largest;
    }
    const long double terms = static_cast<long double>(m_request.taps()) + (is_derived ? 6 : 2);
    long double bound = terms * u * magnitude + terms * smallest;
    if (std::is_same_v<Out, float> && !m_float_weights) {
      bound += (std::abs(sum) + bound) * (Single::epsilon() / 2) + Single::denorm_min();
    }
    Base::check_bound(output, sum, bound, may_overflow);
  }

  bool m_float_weights;  // the weights are rounded to the accumulator's type
  bool m_exact, m_omits;
  long double m_weight_sum = 0;
};

template <class Check>
Verification verify(const FilterRequest& request, const HostArray& input, const HostArray& output, bool full,
                    const NormFunction& norms, const ProgressCallback& progress, std::uint64_t samples) {
  Comparison comparison(output.shape, norms);
  Check check(request, input, output, comparison);
  const LinesShape shape = lines_shape(output, request.axis);
  const std::uint64_t size = shape.lines() * shape.extent;
  const std::int64_t outputs = check.outputs(), edge_end = check.edge_end(), edge_begin = check.edge_begin();
  const std::uint64_t lines = size > 0 ? shape.lines() : 0;
  const std::uint64_t edges = lines * static_cast<std::uint64_t>(edge_end + outputs - edge_begin);
  const bool all = full || edges + samples >= size;
  const std::int64_t skip_from = all ? outputs : edge_end;
  for (std::uint64_t line = 0; line < lines; ++line) {
    for (std::int64_t i = 0; i < skip_from; ++i) check.check(line, i);
    for (std::int64_t i = all ? outputs : edge_begin; i < outputs; ++i) check.check(line, i);
    progress(line + 1, lines);
  }
  if (all) return comparison.finish(check.method() + " of all outputs");
  for_sampled_indices(size, samples, [&](std::uint64_t index) {
    const std::uint64_t slab = shape.extent * shape.inner;
    check.check(index / slab * shape.inner + index % shape.inner,
                static_cast<std::int64_t>(index / shape.inner % shape.extent));
  });
  return comparison.finish(fmt::format("{} of {} sampled outputs and all edges", check.method(), samples));
}

}  // namespace

Verification verify_filter(const FilterRequest& request, const HostArray& input, const HostArray& output, bool full,
                           const NormFunction& norms, const ProgressCallback& progress, std::uint64_t samples) {
  return visit_type(input.type, [&](const auto in) {
    return visit_type(output.type, [&](const auto out) -> Verification {
      using In = std::decay_t<decltype(in)>;
      using Out = std::decay_t<decltype(out)>;
      if constexpr (can_window<In, Out>) {
        if (!request.has_weights()) {
          return verify<WindowCheck<In, Out>>(request, input, output, full, norms, progress, samples);
        }
      }
      if constexpr (can_filter<In, Out>) {
        if (request.has_weights()) {
          return verify<SumCheck<In, Out>>(request, input, output, full, norms, progress, samples);
        }
      }
      throw std::logic_error("no filter from " + to_string(input.type) + " to " + to_string(output.type));
    });
  });
}

}  // namespace tessera::apps

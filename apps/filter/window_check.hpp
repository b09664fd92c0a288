// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Minimum, maximum, mean and median by gathering each window.
#ifndef TESSERA_APPS_FILTER_WINDOW_CHECK_HPP
#define TESSERA_APPS_FILTER_WINDOW_CHECK_HPP

#include <vector>

#include "output_check.hpp"

namespace tessera::apps {

template <class In, class Out>
class WindowCheck : public OutputCheck<In, Out> {
  using Base = OutputCheck<In, Out>;

 public:
  using Base::Base;

  [[nodiscard]] std::string method() const { return "gathering the windows"; }

  void check(std::uint64_t line, std::int64_t index) {
    const typename Base::Checked output = Base::turn_to(line, index);
    if (Base::is_kept(output.element)) {
      Base::check_exact(output, static_cast<typename Base::Exact>(Base::at(output.element)));
      return;
    }
    gather(output.element - Base::m_left);
    if (m_request.operation == "box") {
      check_mean(output);
    } else {
      check_element(output);
    }
  }

 private:
  using Base::m_request;

  struct Elements {
    In value;
    std::uint64_t count;
  };

  /// Those beyond an end repeat: however wide the window is, there are few kinds.
  void gather(std::int64_t first) {
    m_window.clear();
    m_size = 0;
    const std::int64_t end = first + m_request.window, n = Base::m_extent;
    gather_beyond(first, std::min<std::int64_t>(end, 0));
    for (std::int64_t j = std::max<std::int64_t>(first, 0); j < std::min(end, n); ++j) add(Base::taken(j), 1);
    gather_beyond(std::max(first, n), end);
  }
  void gather_beyond(std::int64_t first, std::int64_t end) {
    if (first >= end) return;
    const std::string& mode = Base::mode_at(first);
    const std::int64_t period = source_period(mode, Base::m_extent), count = end - first;
    for (std::int64_t k = 0; k < std::min(count, period); ++k) {
      const std::int64_t source = source_of(mode, first + k, Base::m_extent);
      const std::int64_t times = (count - k + period - 1) / period;
      add(source < 0 ? Base::beyond() : Base::taken(source), static_cast<std::uint64_t>(times));
    }
  }
  void add(In value, std::uint64_t count) {
    if (omits(value)) return;
    m_window.push_back({value, count});
    m_size += count;
  }

  [[nodiscard]] bool omits(In element) const {
    if constexpr (std::is_floating_point_v<In>) return m_request.nan == "omit" && std::isnan(element);
    return false;
  }

  /// -0.0 before +0.0
  static bool is_less(const Elements& a, const Elements& b) {
    if constexpr (std::is_floating_point_v<In>) {
      if (a.value == b.value) return std::signbit(a.value) && !std::signbit(b.value);
    }
    return a.value < b.value;
  }

  [[nodiscard]] In expected_element() {
    if constexpr (std::is_floating_point_v<In>) {
      const auto is_nan = [](const Elements& elements) { return std::isnan(elements.value); };
      if (m_window.empty() || std::any_of(m_window.begin(), m_window.end(), is_nan)) {
        return std::numeric_limits<In>::quiet_NaN();
      }
    }
    if (m_request.operation == "min") return std::min_element(m_window.begin(), m_window.end(), is_less)->value;
    if (m_request.operation == "max") return std::max_element(m_window.begin(), m_window.end(), is_less)->value;
    if (m_size == m_window.size()) {
      const auto middle = m_window.begin() + static_cast<std::ptrdiff_t>(m_size / 2);
      std::nth_element(m_window.begin(), middle, m_window.end(), is_less);
      return middle->value;
    }
    std::sort(m_window.begin(), m_window.end(), is_less);
    std::uint64_t before = 0;
    for (const Elements& elements : m_window) {
      before += elements.count;
      if (before > m_size / 2) return elements.value;
    }
    return In(0);
  }

  void check_element(const typename Base::Checked& output) {
    if constexpr (std::is_same_v<In, Out>) {
      const In expected = expected_element();
      if constexpr (std::is_floating_point_v<In>) {
        if (expected == 0 && output.got == 0 && std::signbit(expected) != std::signbit(output.got)) {
          Base::m_comparison.add(output.index, 0, 0, true, [&] {
            return std::pair<std::string, std::string>{std::signbit(output.got) ? "-0" : "0",
                                                       std::signbit(expected) ? "-0" : "0"};
          });
          return;
        }
      }
      Base::check_exact(output, expected);
    }
  }

  /// Integers: the exact sum, divided and rounded once. Floating data: as the library bounds its trees in double.
  void check_mean(const typename Base::Checked& output) {
    const auto size = static_cast<long double>(m_size);
    if constexpr (std::is_integral_v<In>) {
      Int128 sum = 0;
      for (const auto& [x, count] : m_window) sum += static_cast<Int128>(count) * x;
      const long double mean = static_cast<long double>(sum) / size;
      const auto nearest = std::abs(static_cast<double>(mean));
      const long double half = (std::nextafter(nearest, std::numeric_limits<double>::infinity()) - nearest) / 2;
      Base::check_bound(output, mean, half * (1 + 0x1p-8L), false);  // mean has a rounding of its own
    } else {
      constexpr long double u = std::numeric_limits<double>::epsilon() / 2;
      long double sum = 0, magnitude = 0;  // magnitude: of what is finite
      for (const auto& [x, count] : m_window) {
        const long double terms = static_cast<long double>(count) * x;
        sum += terms;
        if (std::isfinite(x)) magnitude += std::abs(terms);
      }
      if (m_window.empty()) return Base::check_bound(output, std::numeric_limits<long double>::quiet_NaN(), 0, false);
      const long double mean = sum / size;
      long double bound = (2 * std::ceil(std::log2(size)) + 3) * u * magnitude / size;
      using Limits = std::numeric_limits<Out>;
      bound += std::abs(mean) * (Limits::epsilon() / 2) + Limits::denorm_min();
      Base::check_bound(output, mean, bound, magnitude >= std::numeric_limits<double>::max());
    }
  }

  std::vector<Elements> m_window;
  std::uint64_t m_size = 0;  // elements of the window
};

}  // namespace tessera::apps

#endif

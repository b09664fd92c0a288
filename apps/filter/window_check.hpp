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

  void gather(std::int64_t first) {
    std::int64_t end = first + m_request.window;
    if (m_request.operation == "min" || m_request.operation == "max") {
      // Two line lengths beyond an end hold every element that modes put there.
      first = std::max(first, -2 * Base::m_extent);
      end = std::min(end, 3 * Base::m_extent);
    }
    m_window.clear();
    for (std::int64_t j = first; j < end; ++j) {
      const std::int64_t source = source_of(Base::mode_at(j), j, Base::m_extent);
      const In element = source < 0 ? Base::beyond() : Base::taken(source);
      if (!omits(element)) m_window.push_back(element);
    }
  }

  [[nodiscard]] bool omits(In element) const {
    if constexpr (std::is_floating_point_v<In>) return m_request.nan == "omit" && std::isnan(element);
    return false;
  }

  /// -0.0 before +0.0
  static bool is_less(In a, In b) {
    if constexpr (std::is_floating_point_v<In>) {
      if (a == b) return std::signbit(a) && !std::signbit(b);
    }
    return a < b;
  }

  [[nodiscard]] In expected_element() {
    if constexpr (std::is_floating_point_v<In>) {
      if (m_window.empty() || std::any_of(m_window.begin(), m_window.end(), [](In x) { return std::isnan(x); })) {
        return std::numeric_limits<In>::quiet_NaN();
      }
    }
    if (m_request.operation == "min") return *std::min_element(m_window.begin(), m_window.end(), is_less);
    if (m_request.operation == "max") return *std::max_element(m_window.begin(), m_window.end(), is_less);
    const auto middle = m_window.begin() + static_cast<std::ptrdiff_t>(m_window.size() / 2);
    std::nth_element(m_window.begin(), middle, m_window.end(), is_less);
    return *middle;
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
    const auto size = static_cast<long double>(m_window.size());
    if constexpr (std::is_integral_v<In>) {
      Int128 sum = 0;
      for (const In x : m_window) sum += x;
      const long double mean = static_cast<long double>(sum) / size;
      const auto nearest = std::abs(static_cast<double>(mean));
      const long double half = (std::nextafter(nearest, std::numeric_limits<double>::infinity()) - nearest) / 2;
      Base::check_bound(output, mean, half * (1 + 0x1p-8L), false);  // mean has a rounding of its own
    } else {
      constexpr long double u = std::numeric_limits<double>::epsilon() / 2;
      long double sum = 0, magnitude = 0;  // magnitude: of what is finite
      for (const In x : m_window) {
        sum += x;
        if (std::isfinite(x)) magnitude += std::abs(static_cast<long double>(x));
      }
      if (m_window.empty()) return Base::check_bound(output, std::numeric_limits<long double>::quiet_NaN(), 0, false);
      const long double mean = sum / size;
      long double bound = (2 * std::ceil(std::log2(size)) + 3) * u * magnitude / size;
      using Limits = std::numeric_limits<Out>;
      bound += std::abs(mean) * (Limits::epsilon() / 2) + Limits::denorm_min();
      Base::check_bound(output, mean, bound, magnitude >= std::numeric_limits<double>::max());
    }
  }

  std::vector<In> m_window;
};

}  // namespace tessera::apps

#endif

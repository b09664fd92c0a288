// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Median filters through the public interface, compared with sorted windows bit for bit.
#ifndef TESSERA_TESTS_UNIT_FILTER_MEDIAN_CHECK_HPP
#define TESSERA_TESTS_UNIT_FILTER_MEDIAN_CHECK_HPP

#include <cstdint>
#include <limits>
#include <tessera/filter/median_filter.hpp>
#include <variant>
#include <vector>

#include "filter_check.hpp"
#include "reference/median_reference.hpp"

namespace tessera::test {

template <class T>
std::vector<T> expected_medians(const std::vector<T>& line, std::int64_t window, const WindowOptions& options) {
  const T cval = std::visit([](auto value) { return static_cast<T>(value); }, options.cval);
  return reference::median_line<T>(
      line, {window, options.origin, edge_of(options.mode_left), edge_of(options.mode_right), cval},
      options.nan == NanPolicy::omit);
}

/// One line through the public function, into outputs that were NaN or the like before.
template <class Out, class T, class Space>
void check_median_as(const Space& space, const std::vector<T>& line, std::int64_t window,
                     const WindowOptions& options) {
  INFO(described(options, window) << ", line of " << line.size());
  const GuardedView<T, Right, Space, 1> in({line.size()}, line);
  const GuardedView<Out, Right, Space, 1> out({line.size()});
  tessera::median_filter(space, in.const_view(), window, out.view(), options);
  space.fence();
  const std::vector<T> medians = expected_medians(line, window, options);
  check_values(out.read(), std::vector<Out>(medians.begin(), medians.end()));
  out.check_guards();
}

template <class T, class Space>
void check_median(const Space& space, const std::vector<T>& line, std::int64_t window, const WindowOptions& options) {
  check_median_as<T>(space, line, window, options);
}

/// Of both signs, with ties, infinities and zeros of both signs.
inline std::vector<float> special_values(std::size_t size) {
  std::vector<float> line = values<float>(size, 5);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> some{0.0F, -0.0F, infinity, -infinity, 1e-45F, -1e-45F, 0.5F, -0.0F, 0.0F, 3e38F};
  for (std::size_t i = 0; i < size; ++i) {
    if (mixed(i, 6) % 3 != 0) line[i] = some[mixed(i, 7) % some.size()];
  }
  return line;
}

}  // namespace tessera::test

#endif

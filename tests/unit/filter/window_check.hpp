// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Window filters through the public interface, compared with the reference output by output.
#ifndef TESSERA_TESTS_UNIT_FILTER_WINDOW_CHECK_HPP
#define TESSERA_TESTS_UNIT_FILTER_WINDOW_CHECK_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <tessera/filter/window_filter.hpp>
#include <type_traits>
#include <vector>

#include "filter_check.hpp"
#include "reference/reduce_reference.hpp"
#include "reference/window_reference.hpp"
#include "support/data.hpp"
#include "support/guarded_view.hpp"
#include "support/limits.hpp"

namespace tessera::test {

/// Another pair of modes and another origin for each `which`.
inline WindowOptions varied_options(int which, std::int64_t window, int axis = -1) {
  const std::int64_t origins[] = {0, -(window / 2), (window - 1) / 2};
  return {.axis = axis,
          .mode_left = element_modes[static_cast<std::size_t>(which % 6)],
          .mode_right = element_modes[static_cast<std::size_t>((which / 2 + 3) % 6)],
          .cval = 3.0,
          .origin = origins[which % 3]};
}

/// Calls the operation's function.
template <WindowOperation Operation, class Space, class InView, class OutView, class... More>
void filter_window(const Space& space, const InView& in, std::int64_t window, const OutView& out,
                   const WindowOptions& options, const More&... more) {
  if constexpr (Operation == WindowOperation::min) {
    min_filter(space, in, window, out, options, more...);
  } else if constexpr (Operation == WindowOperation::max) {
    max_filter(space, in, window, out, options, more...);
  } else {
    box_filter(space, in, window, out, options, more...);
  }
}

/// Lines through a window filter; fences.
template <WindowOperation Operation, class InLayout = Right, class OutLayout = Right, class Space, std::size_t Rank,
          class T>
std::vector<window_result_t<T, Operation>> windowed(const Space& space, const Extents<Rank>& extents,
                                                    const std::vector<T>& data, std::int64_t window,
                                                    const WindowOptions& options = {}) {
  const GuardedView<T, InLayout, Space, Rank> in(extents, data);
  const GuardedView<window_result_t<T, Operation>, OutLayout, Space, Rank> out(extents);
  filter_window<Operation>(space, in.const_view(), window, out.view(), options);
  space.fence();
  out.check_guards();
  return out.read();
}
template <WindowOperation Operation, class Space, class T>
std::vector<window_result_t<T, Operation>> windowed(const Space& space, const std::vector<T>& line, std::int64_t window,
                                                    const WindowOptions& options = {}) {
  return windowed<Operation>(space, Extents<1>{line.size()}, line, window, options);
}

/// Outputs of one line against the reference: all of them, or where that would take too long both ends and some
/// between.
template <WindowOperation Operation, class T>
void check_windows(const std::vector<window_result_t<T, Operation>>& got, const std::vector<T>& line,
                   std::int64_t window, const WindowOptions& options) {
  using Result = window_result_t<T, Operation>;
  const T cval = std::visit([](auto value) { return static_cast<T>(value); }, options.cval);
  const reference::Window<T> shape{window, options.origin, edge_of(options.mode_left), edge_of(options.mode_right),
                                   cval};
  const auto n = static_cast<std::int64_t>(line.size());
  // Integer means are divided in integers of any length.
  const bool is_dear = Operation == WindowOperation::box && std::is_integral_v<T>;
  const std::int64_t step = 1 + std::max(n * window / 300000, is_dear ? n / 50 : 0);
  std::vector<Result> outputs;
  std::vector<long double> expected, bounds;
  for (std::int64_t i = 0; i < n; i = i < 3 || i + 3 >= n ? i + 1 : std::min(i + step, n - 3)) {
    const std::vector<T> elements = reference::window_elements(line, i, shape);
    outputs.push_back(got[static_cast<std::size_t>(i)]);
    reference::WindowMean mean{static_cast<long double>(line[static_cast<std::size_t>(i)]), 0};
    if (elements.empty()) {
      mean.value = static_cast<Result>(line[static_cast<std::size_t>(i)]);
    } else if (Operation == WindowOperation::min) {
      mean.value = static_cast<long double>(reference::minimum(elements));
    } else if (Operation == WindowOperation::max) {
      mean.value = static_cast<long double>(reference::maximum(elements));
    } else if constexpr (std::is_integral_v<T>) {
      mean.value = reference::integer_window_mean(elements);
    } else {
      mean = reference::window_mean(elements);
    }
    expected.push_back(mean.value);
    bounds.push_back(mean.bound);
  }
  check_within(outputs, expected, bounds);
}

/// A line of n elements, filtered and compared.
template <WindowOperation Operation, class T, class Space>
void check_line(const Space& space, const std::vector<T>& line, std::int64_t window, const WindowOptions& options) {
  INFO(described(options, window) << ", line of " << line.size());
  check_windows<Operation>(windowed<Operation>(space, line, window, options), line, window, options);
}

/// Values; of floats, behind the first usual ones, many are NaN, infinities and zeros of either sign.
template <class T>
std::vector<T> unusual_values(std::size_t size, std::size_t usual = 0) {
  std::vector<T> data = values<T>(size, 3);
  if constexpr (std::is_floating_point_v<T>) {
    const std::vector<T> some{T(0.0), T(-0.0), T(infinity), T(-infinity), T(nan), T(-nan), poison<T>(), T(0.5)};
    for (std::size_t i = usual; i < size; ++i) {
      if (mixed(i, 6) % 9 == 0) data[i] = some[mixed(i, 7) % some.size()];
    }
  }
  return data;
}

/// A line along an axis of row-major data: its elements are `stride` apart.
template <class T>
std::vector<T> line_of(const std::vector<T>& data, std::size_t first, std::size_t extent, std::size_t stride) {
  std::vector<T> line;
  for (std::size_t i = 0; i < extent; ++i) line.push_back(data[first + i * stride]);
  return line;
}

/// Every line along an axis, which options name by its number.
template <WindowOperation Operation, class T, class InLayout = Right, class OutLayout = Right, class Space,
          std::size_t Rank>
void check_across(const Space& space, const Extents<Rank>& extents, std::int64_t window, const WindowOptions& options) {
  const auto axis = static_cast<std::size_t>(options.axis);
  std::size_t stride = 1, outer = 1;
  for (std::size_t d = axis + 1; d < Rank; ++d) stride *= extents[d];
  for (std::size_t d = 0; d < axis; ++d) outer *= extents[d];
  const std::vector<T> data = values<T>(outer * extents[axis] * stride, stride);
  INFO(described(options, window) << ", axis " << axis << ", " << outer << " times " << extents[axis] << " rows of "
                                  << stride);
  const auto got = windowed<Operation, InLayout, OutLayout>(space, extents, data, window, options);
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t c = 0; c < stride; ++c) {
      const std::size_t first = o * extents[axis] * stride + c;
      check_windows<Operation>(line_of(got, first, extents[axis], stride), line_of(data, first, extents[axis], stride),
                               window, options);
    }
  }
}

/// Outputs that a team makes at a time under the automatic plan.
template <class T, class Space>
std::size_t window_tile(const Space& space, WindowOperation operation, std::int64_t window) {
  const Kokkos::View<T*, Space> in("in", 100000);
  return static_cast<std::size_t>(tessera::window_plan(space, in, operation, window).tile);
}

}  // namespace tessera::test

#endif

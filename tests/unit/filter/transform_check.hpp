// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters by transforms through the public interface, compared with the reference under the bound of direct sums.
#ifndef TESSERA_TESTS_UNIT_FILTER_TRANSFORM_CHECK_HPP
#define TESSERA_TESTS_UNIT_FILTER_TRANSFORM_CHECK_HPP

#include <algorithm>
#include <cmath>
#include <tessera/filter/filter_transform.hpp>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "filter_check.hpp"

namespace tessera::test {

template <class Space>
using OneIfTransforms = std::conditional_t<has_transform<Space>, std::tuple<Space>, std::tuple<>>;
template <class... S>
auto transform_spaces(const std::tuple<S...>&) -> decltype(std::tuple_cat(std::declval<OneIfTransforms<S>>()...));
/// Those of the tested spaces that have a library of transforms.
using TransformSpaces = decltype(transform_spaces(std::declval<Spaces>()));

/// got: the filtered lines of data, each of line_size elements.
template <class T>
void check_transformed(const std::vector<T>& data, std::size_t line_size, const std::vector<double>& weights,
                       const FilterOptions& options, bool convolve, const std::vector<T>& got) {
  reference::LinearFilter<long double> filter;
  for (const double weight : weights) filter.weights.push_back(static_cast<long double>(weight));
  filter.left = edge_of(options.mode_left);
  filter.right = edge_of(options.mode_right);
  filter.cval = std::visit([](auto cval) { return static_cast<long double>(static_cast<T>(cval)); }, options.cval);
  filter.origin = options.origin;
  filter.convolve = convolve;
  std::vector<long double> results, bounds;
  if (line_size > 0) {
    for (const auto& output : reference::filter_lines(data, line_size, filter)) {
      results.push_back(output.value);
      bounds.push_back(reference::linear_filter_bound<T, T>(output, weights.size()));
    }
  }
  check_within(got, results, bounds);
}

/// One line; fences.
template <class T, class Space>
std::vector<T> transformed(const Space& space, const std::vector<T>& line, const std::vector<double>& weights,
                           const FilterOptions& options, const FilterTransformOptions& transform_options,
                           bool convolve = false, std::int64_t* direct_blocks = nullptr) {
  const GuardedView<T, Right, Space, 1> in({line.size()}, line);
  const std::size_t dropped = dropped_outputs(options, convolve, weights.size());
  const GuardedView<T, Right, Space, 1> out({line.size() - std::min(line.size(), dropped)});
  const FilterTransform<Space, T> transform(space, FilterWeights<Space>(space, weights), transform_options);
  if (convolve) {
    tessera::convolve(space, in.const_view(), transform, out.view(), options);
  } else {
    tessera::correlate(space, in.const_view(), transform, out.view(), options);
  }
  space.fence();
  out.check_guards();
  if (direct_blocks != nullptr) *direct_blocks = transform.direct_blocks(space);
  return out.read();
}

/// Of one block, mode constant: the largest error of an output.
template <class Space>
double worst_error(const Space& space, const std::vector<double>& line, const std::vector<double>& weights,
                   std::int64_t block) {
  const FilterOptions options{.mode_left = BoundaryMode::constant, .mode_right = BoundaryMode::constant};
  const auto got = transformed(space, line, weights, options, {.block = block});
  reference::LinearFilter<long double> filter;
  for (const double weight : weights) filter.weights.push_back(static_cast<long double>(weight));
  filter.left = filter.right = reference::Edge::constant;
  const auto expected = reference::filter_line(line, filter);
  long double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<long double>(got[i]) - expected[i].value));
  }
  return static_cast<double>(worst);
}

/// One array and one set of weights under any options, with one object for all.
template <class T, class Space>
class TransformCheck {
 public:
  TransformCheck(const Space& space, std::size_t lines, std::size_t size, std::vector<double> weights,
                 const FilterTransformOptions& options)
      : m_space(space),
        m_size(size),
        m_data(values<T>(lines * size, size)),
        m_weights(std::move(weights)),
        m_in({lines, size}, m_data),
        m_transform(space, FilterWeights<Space>(space, m_weights), options) {}

  [[nodiscard]] const FilterPlan& plan() const { return m_transform.plan(); }

  void check_both(const FilterOptions& options) const {
    check(options, false);
    check(options, true);
  }

 private:
  void check(const FilterOptions& options, bool convolve) const {
    INFO(described(options, convolve, m_weights.size()) << ", line of " << m_size << ", " << to_string(plan()));
    const std::size_t dropped = dropped_outputs(options, convolve, m_weights.size());
    const std::size_t lines = m_in.extents()[0];
    const GuardedView<T, Right, Space, 2> out({lines, m_size - std::min(m_size, dropped)});
    const auto filter = [&] {
      if (convolve) return tessera::convolve(m_space, m_in.const_view(), m_transform, out.view(), options);
      tessera::correlate(m_space, m_in.const_view(), m_transform, out.view(), options);
    };
    filter();
    m_space.fence();
    out.check_guards();
    const auto got = out.read();
    check_transformed(m_data, m_size, m_weights, options, convolve, got);
    filter();
    m_space.fence();
    check_bits(out.read(), got);
  }

  Space m_space;
  std::size_t m_size;
  std::vector<T> m_data;
  std::vector<double> m_weights;
  GuardedView<T, Right, Space, 2> m_in;
  FilterTransform<Space, T> m_transform;
};

}  // namespace tessera::test

#endif

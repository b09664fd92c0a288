// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters through the public interface, compared with the reference output by output.
#ifndef TESSERA_TESTS_UNIT_FILTER_FILTER_CHECK_HPP
#define TESSERA_TESTS_UNIT_FILTER_FILTER_CHECK_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <tessera/filter/filter.hpp>
#include <tessera/filter/window_options.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "reference/filter_reference.hpp"
#include "support/compare.hpp"
#include "support/data.hpp"
#include "support/guarded_view.hpp"
#include "support/spaces.hpp"

namespace tessera::test {

inline reference::Edge edge_of(BoundaryMode mode) {
  switch (mode) {
    case BoundaryMode::reflect:
      return reference::Edge::reflect;
    case BoundaryMode::mirror:
      return reference::Edge::mirror;
    case BoundaryMode::nearest:
      return reference::Edge::nearest;
    case BoundaryMode::wrap:
      return reference::Edge::wrap;
    case BoundaryMode::constant:
      return reference::Edge::constant;
    case BoundaryMode::odd:
      return reference::Edge::odd;
    case BoundaryMode::renormalise:
      return reference::Edge::renormalise;
    case BoundaryMode::valid:
      return reference::Edge::valid;
    case BoundaryMode::keep:
      break;
  }
  return reference::Edge::keep;
}

inline std::string described(const FilterOptions& options, bool convolve, std::size_t taps) {
  return std::string(convolve ? "convolve" : "correlate") + ", " + std::to_string(taps) + " taps, origin " +
         std::to_string(options.origin) + ", left " + std::string(to_string(options.mode_left)) + ", right " +
         std::string(to_string(options.mode_right)) + ", accumulate " + std::string(to_string(options.accumulate)) +
         ", nan " + std::string(to_string(options.nan)) + ", team " + std::to_string(options.team_size) + ", league " +
         std::to_string(options.league_size);
}

inline std::string described(const WindowOptions& options, std::int64_t window) {
  return "window " + std::to_string(window) + ", origin " + std::to_string(options.origin) + ", left " +
         std::string(to_string(options.mode_left)) + ", right " + std::string(to_string(options.mode_right)) +
         ", team " + std::to_string(options.team_size) + ", league " + std::to_string(options.league_size);
}

/// Weights of both signs, whole or not, different at each tap.
inline std::vector<double> fractional_weights(std::size_t taps) { return values<double>(taps, 77); }
inline std::vector<double> whole_weights(std::size_t taps) {
  std::vector<double> weights;
  for (std::size_t k = 0; k < taps; ++k) weights.push_back(static_cast<double>(mixed(k, 78) % 19) - 9);
  return weights;
}

/// Elements of a line for which mode valid has no output.
inline std::size_t dropped_outputs(const FilterOptions& options, bool convolve, std::size_t taps) {
  const auto m = static_cast<std::int64_t>(taps);
  const std::int64_t left = convolve ? (m - 1) - m / 2 - options.origin : m / 2 + options.origin;
  return static_cast<std::size_t>((options.mode_left == BoundaryMode::valid ? left : 0) +
                                  (options.mode_right == BoundaryMode::valid ? m - 1 - left : 0));
}

/// One input and one set of weights, filtered under any options.
template <class In, class Out, class InLayout, class OutLayout, class Space, std::size_t Rank>
class FilterCheck {
 public:
  FilterCheck(const Space& space, const Extents<Rank>& extents, std::vector<In> data, std::vector<double> weights)
      : m_space(space),
        m_data(std::move(data)),
        m_weights(std::move(weights)),
        m_in(extents, m_data),
        m_out(extents),
        m_device_weights(space, m_weights) {}

  /// Under each variant that can do it, where the options leave the choice.
  void check(FilterOptions options, bool convolve) {
    INFO(described(options, convolve, m_weights.size()) << ", line of " << line_size());
    if (std::is_integral_v<In> && m_device_weights.is_integer() && options.mode_left != BoundaryMode::renormalise &&
        options.mode_right != BoundaryMode::renormalise) {
      check_variants(options, convolve, exact_results(options, convolve));
    } else {
      check_variants(options, convolve, rounded_results(options, convolve));
    }
  }

  void check_both(const FilterOptions& options) {
    check(options, false);
    check(options, true);
  }

  /// Which variants can do what, test_filter_plan.cpp checks.
  [[nodiscard]] bool can_do(const FilterOptions& options) const {
    if (options.variant == FilterVariant::automatic || options.variant == FilterVariant::direct) return true;
    try {
      static_cast<void>(filter_plan(m_space, m_in.const_view(), m_device_weights, m_out.view(), options));
    } catch (const InvalidArgument&) {
      return false;
    }
    return true;
  }

 private:
  using out_type = GuardedView<Out, OutLayout, Space, Rank>;
  struct Rounded {
    std::vector<long double> results, bounds;
  };

  template <class Expected>
  void check_variants(FilterOptions options, bool convolve, const Expected& expected) {
    if (options.variant != FilterVariant::automatic) return check_variant(options, convolve, expected);
    for (const FilterVariant variant : filter_variants) {
      options.variant = variant;
      if (can_do(options)) check_variant(options, convolve, expected);
    }
  }

  template <class Expected>
  void check_variant(const FilterOptions& options, bool convolve, const Expected& expected) {
    const std::size_t dropped = dropped_outputs(options, convolve, m_weights.size());
    if (dropped == 0) return check_output(options, convolve, expected, m_out);
    Extents<Rank> extents = m_in.extents();
    extents[Rank - 1] -= std::min(extents[Rank - 1], dropped);
    out_type fewer(extents);
    check_output(options, convolve, expected, fewer);
  }

  template <class Expected>
  void check_output(const FilterOptions& options, bool convolve, const Expected& expected, out_type& out) {
    INFO("variant " << to_string(options.variant));
    out.write(std::vector<Out>(out.size(), poison<Out>()));
    if (convolve) {
      tessera::convolve(m_space, m_in.const_view(), m_device_weights, out.view(), options);
    } else {
      tessera::correlate(m_space, m_in.const_view(), m_device_weights, out.view(), options);
    }
    m_space.fence();
    if constexpr (std::is_same_v<Expected, Rounded>) {
      check_within(out.read(), expected.results, expected.bounds);
    } else {
      check_values(out.read(), expected);
    }
    out.check_guards();
  }

  [[nodiscard]] std::size_t line_size() const { return m_in.extents()[Rank - 1]; }

  template <class Wide>
  [[nodiscard]] std::vector<reference::FilterOutput<Wide>> expected(const FilterOptions& options, bool convolve) const {
    reference::LinearFilter<Wide> filter;
    for (const double weight : m_weights) filter.weights.push_back(static_cast<Wide>(weight));
    filter.left = edge_of(options.mode_left);
    filter.right = edge_of(options.mode_right);
    filter.cval = std::visit([](auto cval) { return static_cast<Wide>(static_cast<In>(cval)); }, options.cval);
    filter.origin = options.origin;
    filter.convolve = convolve;
    filter.omit_nan = options.nan == NanPolicy::omit;
    return reference::filter_lines(m_data, line_size(), filter);
  }

  [[nodiscard]] std::vector<Out> exact_results(const FilterOptions& options, bool convolve) const {
    std::vector<Out> results;
    for (const auto& output : expected<reference::wide_int>(options, convolve)) {
      if constexpr (std::is_integral_v<Out>) {
        results.push_back(reference::clamped<Out>(output.value));
      } else {
        results.push_back(static_cast<Out>(output.value));
      }
    }
    return results;
  }

  [[nodiscard]] Rounded rounded_results(const FilterOptions& options, bool convolve) const {
    const bool in_double = std::is_integral_v<In> || options.accumulate == FilterAccumulate::float64;
    Rounded rounded;
    for (const auto& output : expected<long double>(options, convolve)) {
      rounded.results.push_back(clamped(output.value));
      rounded.bounds.push_back(in_double ? reference::linear_filter_bound<double, Out>(output, m_weights.size())
                                         : reference::linear_filter_bound<float_or<In>, Out>(output, m_weights.size()));
      if (std::is_integral_v<Out> && !output.copied) rounded.bounds.back() += 0.5L;  // rounded to an integer
    }
    return rounded;
  }

  static long double clamped(long double value) {
    if constexpr (!std::is_integral_v<Out>) return value;
    return std::clamp(value, static_cast<long double>(std::numeric_limits<Out>::min()),
                      static_cast<long double>(std::numeric_limits<Out>::max()));
  }

  template <class T>
  using float_or = std::conditional_t<std::is_floating_point_v<T>, T, double>;

  Space m_space;
  std::vector<In> m_data;
  std::vector<double> m_weights;
  GuardedView<In, InLayout, Space, Rank> m_in;
  out_type m_out;
  FilterWeights<Space> m_device_weights;
};

/// What variant vectorized, or each where it cannot do it, makes of modes of every kind, of teams of one thread and few
/// teams.
template <class Check>
void check_vectorized(Check& check) {
  const auto run = [&](FilterOptions options, bool convolve) {
    options.variant = FilterVariant::vectorized;
    if (!check.can_do(options)) options.variant = FilterVariant::automatic;
    check.check(options, convolve);
  };
  run({.mode_left = BoundaryMode::reflect, .mode_right = BoundaryMode::constant, .cval = 5.0}, true);
  run({.mode_left = BoundaryMode::wrap, .mode_right = BoundaryMode::mirror, .league_size = 2}, false);
  run({.mode_left = BoundaryMode::keep, .mode_right = BoundaryMode::odd}, false);
  run({.mode_left = BoundaryMode::odd, .mode_right = BoundaryMode::nearest, .team_size = 1}, false);
  run({.mode_left = BoundaryMode::valid, .mode_right = BoundaryMode::wrap}, false);
  run({.mode_left = BoundaryMode::nearest, .mode_right = BoundaryMode::valid}, true);
}

/// A kernel, also where the library takes another one, against variant direct. launch(shape, job, weights) starts it.
template <class T, class Layout, class Space, std::size_t Rank, class Launch>
void check_kernel(const Space& space, const Extents<Rank>& extents, const std::vector<T>& data,
                  const std::vector<double>& values, const FilterOptions& options, const Launch& launch) {
  Extents<Rank> out_extents = extents;
  out_extents[options.axis < 0 ? Rank - 1 : static_cast<std::size_t>(options.axis)] -=
      dropped_outputs(options, false, values.size());
  const GuardedView<T, Layout, Space, Rank> in(extents, data), out(out_extents), expected(out_extents);
  const FilterWeights<Space> weights(space, values);
  tessera::detail::with_filter_job("test", false, in.const_view(), weights, out.view(), options, false,
                                   [&](const auto& shape, const auto& job, bool) { launch(shape, job, weights); });
  FilterOptions direct = options;
  direct.variant = FilterVariant::direct;
  correlate(space, in.const_view(), weights, expected.view(), direct);
  check_values(out.read(), expected.read());
  out.check_guards();
}

/// The check on contiguous lines.
template <class In, class Out, class Space>
FilterCheck<In, Out, Right, Right, Space, 2> filter_check(const Space& space, std::size_t lines, std::size_t size,
                                                          const std::vector<double>& weights) {
  return {space, {lines, size}, values<In>(lines * size, size), weights};
}

/// One line through correlate or convolve; fences.
template <class Out, class In, class Space>
std::vector<Out> filtered(const Space& space, const std::vector<In>& line, const std::vector<double>& weights,
                          const FilterOptions& options = {}, bool convolve = false) {
  const GuardedView<In, Right, Space, 1> in({line.size()}, line);
  const std::size_t dropped = dropped_outputs(options, convolve, weights.size());
  const GuardedView<Out, Right, Space, 1> out({line.size() - std::min(line.size(), dropped)});
  const FilterWeights<Space> device_weights(space, weights);
  if (convolve) {
    tessera::convolve(space, in.view(), device_weights, out.view(), options);
  } else {
    tessera::correlate(space, in.view(), device_weights, out.view(), options);
  }
  space.fence();
  out.check_guards();
  return out.read();
}

/// Outputs that a team makes at a time under the automatic plan.
template <class T, class Space>
std::size_t filter_tile(const Space& space) {
  const Kokkos::View<T*, Space> in("in", 100000);
  const FilterWeights<Space> weights(space, std::vector<double>{1, 1, 1});
  return static_cast<std::size_t>(filter_plan(space, in, weights, in).tile);
}

}  // namespace tessera::test

#endif

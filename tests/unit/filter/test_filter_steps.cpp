// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several applications of a filter in one call: the bits of as many calls through stored outputs.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>

#include "filter_check.hpp"
#include "support/limits.hpp"
#include "support/message.hpp"
#include "support/tools_recorder.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::FilterOptions;
using tessera::FilterVariant;
using test::Extents;

template <class T, class Layout, class Space, std::size_t Rank>
class StepsCheck {
 public:
  StepsCheck(const Space& space, const Extents<Rank>& extents, const std::vector<T>& data,
             const std::vector<double>& weights)
      : m_space(space), m_in(extents, data), m_weights(space, weights) {}

  /// Of the plan that those options, with one step, give.
  [[nodiscard]] int most(const FilterOptions& options) const {
    return tessera::filter_plan(m_space, m_in.const_view(), m_weights, m_in.view(), options).most_steps;
  }

  [[nodiscard]] std::vector<T> at_once(FilterOptions options, int steps) const {
    options.steps = steps;
    const test::GuardedView<T, Layout, Space, Rank> out(m_in.extents());
    tessera::correlate(m_space, m_in.const_view(), m_weights, out.view(), options);
    m_space.fence();
    out.check_guards();
    return out.read();
  }

  [[nodiscard]] std::vector<T> one_by_one(const FilterOptions& options, int steps) const {
    std::vector<T> data = m_in.read();
    for (int step = 0; step < steps; ++step) {
      const test::GuardedView<T, Layout, Space, Rank> in(m_in.extents(), data), out(m_in.extents());
      tessera::correlate(m_space, in.const_view(), m_weights, out.view(), options);
      m_space.fence();
      data = out.read();
    }
    return data;
  }

  void check(const FilterOptions& options) const {
    INFO(test::described(options, false, static_cast<std::size_t>(m_weights.size())));
    const int steps = most(options);
    CHECK(steps > 1);
    for (const int count : {2, steps}) {
      INFO(count << " steps");
      test::check_bits(at_once(options, count), one_by_one(options, count));
    }
  }

 private:
  Space m_space;
  test::GuardedView<T, Layout, Space, Rank> m_in;
  tessera::FilterWeights<Space> m_weights;
};

constexpr BoundaryMode fusible[] = {BoundaryMode::reflect, BoundaryMode::mirror,   BoundaryMode::nearest,
                                    BoundaryMode::wrap,    BoundaryMode::constant, BoundaryMode::keep};

/// Weights whose repeated sums stay within range, different at each tap.
std::vector<double> damped(std::size_t taps) {
  std::vector<double> weights = test::fractional_weights(taps);
  double sum = 0;
  for (const double weight : weights) sum += std::abs(weight);
  for (double& weight : weights) weight /= sum;
  return weights;
}

/// Lines of many tiles, ends at every place of a chunk.
template <class T>
void check_modes() {
  using Space = Kokkos::DefaultExecutionSpace;
  const Space space;
  std::size_t size = 9 * 2048 + 1;
  for (const std::size_t taps : {1, 2, 3, 5, 9}) {
    for (const BoundaryMode mode : fusible) {
      const StepsCheck<T, test::Right, Space, 1> check(space, Extents<1>{size}, test::values<T>(size, taps),
                                                       damped(taps));
      check.check({.mode_left = mode, .mode_right = mode, .cval = 0.25, .variant = FilterVariant::vectorized});
      ++size;
    }
  }
}

TEST_CASE("steps at once have the bits of calls one by one, under each mode", "[filter][steps]") {
  check_modes<float>();
  if constexpr (!test::is_sanitized) check_modes<double>();
}

TEST_CASE("steps with two modes, an origin, misaligned lines, odd plans", "[filter][steps]") {
  using Space = Kokkos::DefaultExecutionSpace;
  const Space space;
  const Extents<2> extents{3, 16389};
  const std::vector<float> data = test::values<float>(3 * 16389);
  const StepsCheck<float, test::Misaligned, Space, 2> check(space, extents, data, damped(5));
  FilterOptions options{.mode_left = BoundaryMode::keep,
                        .mode_right = BoundaryMode::constant,
                        .cval = -1.5,
                        .variant = FilterVariant::vectorized};
  check.check(options);
  options.mode_left = BoundaryMode::nearest;
  options.mode_right = BoundaryMode::mirror;
  for (const int team_size : test::odd_team_sizes(space)) {
    if (team_size > 128) continue;
    options.team_size = team_size;
    options.league_size = 3;
    check.check(options);
  }
  options = {.mode_left = BoundaryMode::wrap,
             .mode_right = BoundaryMode::wrap,
             .origin = 2,
             .variant = FilterVariant::vectorized};
  check.check(options);
  check.check({.origin = 2, .variant = FilterVariant::vectorized});
  check.check({.mode_right = BoundaryMode::nearest, .origin = -2, .variant = FilterVariant::vectorized});
}

TEST_CASE("steps carry NaN and infinities as calls do", "[filter][steps]") {
  using Space = Kokkos::DefaultExecutionSpace;
  const Space space;
  const std::size_t size = 20000;
  std::vector<double> data = test::values<double>(size);
  data[0] = data[9001] = test::nan;
  data[1030] = test::infinity;
  data[size - 1] = -test::infinity;
  const StepsCheck<double, test::Right, Space, 1> check(space, Extents<1>{size}, data, damped(3));
  FilterOptions options{.variant = FilterVariant::vectorized};
  check.check(options);
  options.steps = 1;
  const int steps = check.most(options);
  const std::vector<double> got = check.at_once(options, steps);
  for (std::size_t i = 8900; i < 9100; ++i) {
    INFO(i);
    const bool reached = i + static_cast<std::size_t>(steps) >= 9001 && i <= 9001 + static_cast<std::size_t>(steps);
    CHECK(std::isnan(got[i]) == reached);
  }
}

TEST_CASE("which filters take several steps", "[filter][plan][steps]") {
  using Space = Kokkos::DefaultExecutionSpace;
  const Space space;
  const std::vector<float> data = test::values<float>(20000);
  const auto most = [&](std::size_t taps, FilterOptions options) {
    if (options.nan == tessera::NanPolicy::propagate) options.variant = FilterVariant::vectorized;
    return StepsCheck<float, test::Right, Space, 1>(space, Extents<1>{20000}, data, damped(taps)).most(options);
  };
  CHECK(most(3, {}) > 4);
  CHECK(most(3, {}) >= most(7, {}));
  CHECK(most(25, {}) == 1);
  CHECK(most(3, {.mode_left = BoundaryMode::wrap}) == 1);
  CHECK(most(3, {.mode_left = BoundaryMode::odd}) == 1);
  CHECK(most(3, {.mode_right = BoundaryMode::renormalise}) == 1);
  CHECK(most(3, {.mode_left = BoundaryMode::valid}) == 1);
  CHECK(most(3, {.nan = tessera::NanPolicy::omit}) == 1);
  CHECK(most(9, {.origin = -4}) == 1);  // a reflection there takes more than the halo holds
  CHECK(most(9, {.mode_left = BoundaryMode::constant, .mode_right = BoundaryMode::nearest, .origin = -4}) > 1);
}

TEST_CASE("more steps than a call makes are refused", "[filter][steps][errors]") {
  using Space = Kokkos::DefaultExecutionSpace;
  const Space space;
  const StepsCheck<float, test::Right, Space, 1> check(space, Extents<1>{50}, test::values<float>(50), damped(3));
  for (const int steps : {0, 2}) {
    test::check_message(
        test::message_of<tessera::InvalidArgument>([&] { (void)check.at_once({}, steps); }),
        {"tessera::filter", "`options`", "steps " + std::to_string(steps), "expected", "1 to 1", ";", "another call"});
  }
}

}  // namespace

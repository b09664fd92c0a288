// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters of complex data: each part by itself is what the reference makes of it.
#include <Kokkos_Core.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <limits>

#include "filter_check.hpp"
#include "support/message.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::FilterOptions;
using tessera::FilterVariant;
using test::Extents;

template <class Real>
struct ComplexLines {
  std::vector<Real> real, imag;

  [[nodiscard]] std::vector<Kokkos::complex<Real>> values() const {
    std::vector<Kokkos::complex<Real>> all;
    for (std::size_t i = 0; i < real.size(); ++i) all.emplace_back(real[i], imag[i]);
    return all;
  }
};

/// Lines along the last axis, under each variant that can do it.
template <class Real, class InLayout, class OutLayout, class Space, std::size_t Rank>
void check_lines(const Space& space, const Extents<Rank>& extents, const ComplexLines<Real>& data,
                 const std::vector<double>& weights, FilterOptions options, bool convolve = false) {
  using Complex = Kokkos::complex<Real>;
  INFO(test::described(options, convolve, weights.size()) << ", lines of " << extents[Rank - 1]);
  tessera::reference::LinearFilter<long double> filter;
  filter.weights.assign(weights.begin(), weights.end());
  filter.left = test::edge_of(options.mode_left);
  filter.right = test::edge_of(options.mode_right);
  filter.origin = options.origin;
  filter.convolve = convolve;
  filter.omit_nan = options.nan == tessera::NanPolicy::omit;
  const bool in_double = options.accumulate == tessera::FilterAccumulate::float64;
  std::vector<long double> expected[2], bounds[2];
  for (const int part : {0, 1}) {
    filter.cval = part == 0 ? std::get<double>(options.cval) : 0;
    const auto& line = part == 0 ? data.real : data.imag;
    for (const auto& output : tessera::reference::filter_lines(line, extents[Rank - 1], filter)) {
      expected[part].push_back(output.value);
      bounds[part].push_back(in_double ? tessera::reference::linear_filter_bound<double, Real>(output, weights.size())
                                       : tessera::reference::linear_filter_bound<Real, Real>(output, weights.size()));
    }
  }
  Extents<Rank> out_extents = extents;
  out_extents[Rank - 1] -= std::min(extents[Rank - 1], test::dropped_outputs(options, convolve, weights.size()));
  const test::GuardedView<Complex, InLayout, Space, Rank> in(extents, data.values());
  const tessera::FilterWeights<Space> device_weights(space, weights);
  for (const FilterVariant variant : tessera::filter_variants) {
    if (variant == tessera::FilterVariant::transform) continue;  // takes a FilterTransform
    options.variant = variant;
    const test::GuardedView<Complex, OutLayout, Space, Rank> out(out_extents);
    try {
      if (convolve) {
        tessera::convolve(space, in.const_view(), device_weights, out.view(), options);
      } else {
        tessera::correlate(space, in.const_view(), device_weights, out.view(), options);
      }
    } catch (const tessera::InvalidArgument&) {
      // Which variants can do what, test_filter_plan.cpp checks.
      REQUIRE((variant == FilterVariant::vectorized || variant == FilterVariant::register_blocked ||
               options.nan == tessera::NanPolicy::omit));
      continue;
    }
    space.fence();
    INFO("variant " << to_string(variant));
    out.check_guards();
    std::vector<Real> real, imag;
    for (const Complex& value : out.read()) {
      real.push_back(value.real());
      imag.push_back(value.imag());
    }
    test::check_within(real, expected[0], bounds[0]);
    test::check_within(imag, expected[1], bounds[1]);
  }
}

template <class Real>
ComplexLines<Real> lines_of(std::size_t size) {
  return {test::values<Real>(size, 11), test::values<Real>(size, 12)};
}

template <class Real, class InLayout = test::Right, class OutLayout = test::Right, class Space, std::size_t Rank>
void check(const Space& space, const Extents<Rank>& extents, std::size_t taps, const FilterOptions& options,
           bool convolve = false) {
  check_lines<Real, InLayout, OutLayout>(space, extents, lines_of<Real>(test::detail::product(extents)),
                                         test::fractional_weights(taps), options, convolve);
}

template <class Real, class Space>
void check_all(const Space& space) {
  for (const BoundaryMode mode : tessera::boundary_modes) {
    const FilterOptions options{.mode_left = mode, .mode_right = BoundaryMode::mirror, .cval = 2.5};
    for (const std::size_t size : {1, 6, 200}) check<Real>(space, Extents<2>{3, size}, 5, options);
    check<Real>(space, Extents<1>{9001}, 4, {.mode_left = BoundaryMode::wrap, .mode_right = mode}, true);
  }
  for (const std::size_t taps : {1, 3, 17, 31, 200}) check<Real>(space, Extents<1>{6007}, taps, {.origin = 0});
  check<Real, test::Misaligned, test::Misaligned>(space, Extents<2>{5, 1031}, 9, {.origin = 2});
  check<Real, test::Right, test::Misaligned>(space, Extents<2>{301, 16}, 4, {.mode_right = BoundaryMode::constant});
  check<Real>(space, Extents<2>{301, 17}, 9, {});
  check<Real, test::Strided, test::Block>(space, Extents<2>{5, 1031}, 3, {});
  check<Real, test::Left, test::Left>(space, Extents<2>{67, 300}, 9, {});
  check<Real, test::Left, test::BlockLeft>(space, Extents<2>{67, 300}, 40, {.origin = -3}, true);
}

TEMPLATE_LIST_TEST_CASE("filters of complex data", "[filter][complex]", test::OneSpace) {
  check_all<float>(TestType());
  check_all<double>(TestType());
  check<float>(TestType(), Extents<2>{3, 700}, 12, {.accumulate = tessera::FilterAccumulate::float64});
}

TEMPLATE_LIST_TEST_CASE("NaN and infinities of complex data", "[filter][complex]", test::OneSpace) {
  const TestType space;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  ComplexLines<double> data = lines_of<double>(3 * 400);
  // An infinite part must not reach the other one.
  data.real[30] = infinity;
  data.imag[100] = -infinity;
  data.imag[399] = infinity;
  for (const BoundaryMode mode : {BoundaryMode::reflect, BoundaryMode::odd, BoundaryMode::renormalise}) {
    check_lines<double, test::Right, test::Right>(space, Extents<2>{3, 400}, data, test::fractional_weights(5),
                                                  {.mode_left = mode, .mode_right = mode});
  }
  // An element is NaN if a part is.
  ComplexLines<double> both = lines_of<double>(400);
  for (const std::size_t at : {0, 7, 200}) both.real[at] = both.imag[at] = std::numeric_limits<double>::quiet_NaN();
  check_lines<double, test::Right, test::Right>(space, Extents<1>{400}, both, test::fractional_weights(5), {});
  ComplexLines<double> one = both;
  const FilterOptions omit{.nan = tessera::NanPolicy::omit};
  check_lines<double, test::Right, test::Right>(space, Extents<1>{400}, both, test::fractional_weights(5), omit);

  one.imag[7] = 1;
  one.real[200] = 1;
  const tessera::FilterWeights<TestType> weights(space, test::fractional_weights(5));
  const test::GuardedView<Kokkos::complex<double>, test::Right, TestType, 1> in({400}, one.values()), out({400}),
      same_in({400}, both.values()), same({400});
  tessera::correlate(space, in.const_view(), weights, out.view(), omit);
  tessera::correlate(space, same_in.const_view(), weights, same.view(), omit);
  space.fence();
  test::check_bits(out.read(), same.read());

  const tessera::Workspace<TestType> workspace(space, 64);
  tessera::correlate(space, in.const_view(), weights, out.view(), {.nan = tessera::NanPolicy::error}, workspace);
  test::check_message(test::message_of<tessera::InvalidArgument>([&] { tessera::check(space, workspace); }),
                      {"`in`", "element 0 is NaN"});
}

TEST_CASE("a complex filter in several steps is refused, with register blocks too", "[filter][complex][errors]") {
  using Space = Kokkos::DefaultExecutionSpace;
  const Kokkos::View<Kokkos::complex<float>*, Space> in("in", 50000), out("out", 50000);
  const tessera::FilterWeights<Space> weights(Space(), std::vector<double>{1, 2, 1});
  const auto refused = [&](const FilterOptions& options) {
    return test::message_of<tessera::InvalidArgument>([&] { tessera::correlate(Space(), in, weights, out, options); });
  };
  test::check_message(refused({.variant = FilterVariant::vectorized, .steps = 2}), {"steps 2", "expected", "1 to 1"});
  test::check_message(refused({.variant = FilterVariant::register_blocked}), {"variant register_blocked", "real", ";"});
}

}  // namespace

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters that throw leave everything usable.
#include <catch2/catch_template_test_macros.hpp>
#include <limits>
#include <tessera/filter/filter.hpp>
#include <tessera/filter/median_filter.hpp>
#include <tessera/filter/stencil.hpp>
#include <tessera/filter/window_filter.hpp>
#include <vector>

#include "failure_check.hpp"
#include "support/limits.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
using tessera::InvalidArgument;

struct Slope {
  template <class Window>
  KOKKOS_FUNCTION float operator()(const Window& u) const {
    return u[1] - u[-1];
  }
};

template <class Space>
struct Fields {
  Space space = test::another_instance<Space>();
  Kokkos::View<float**, Space> in{"in", 71, 153}, out{"out", 71, 153}, small{"small", 71, 3};
  Fields() { test::fill(in); }

  template <class Good, class Bad>
  void check(const Good& good, const Bad& bad) const {
    test::check_survived<InvalidArgument>(space, in, out, good, bad);
  }
};

TEMPLATE_LIST_TEST_CASE("filters survive their refusals", "[failures]", test::OneSpace) {
  const Fields<TestType> at;
  const tessera::FilterWeights<TestType> weights(at.space, std::vector<double>{0.25, 0.5, 0.25});
  const auto good = [&] { tessera::correlate(at.space, at.in, weights, at.out); };
  at.check(good, [&] { tessera::correlate(at.space, at.in, weights, at.out, {.axis = 2}); });
  at.check(good, [&] { tessera::correlate(at.space, at.in, weights, at.out, {.origin = 2}); });
  at.check(good, [&] { tessera::correlate(at.space, at.in, weights, at.small); });
  at.check(good, [&] { tessera::correlate(at.space, at.in, weights, at.in); });
  at.check(good, [&] { const tessera::FilterWeights<TestType> none(at.space, std::vector<double>{}); });
  at.check(good, [&] { const tessera::FilterWeights<TestType> bad(at.space, std::vector<double>{1, test::nan}); });
}

TEMPLATE_LIST_TEST_CASE("stencils and moving windows survive their refusals", "[failures]", test::OneSpace) {
  const Fields<TestType> at;
  at.check([&] { tessera::stencil<1>(at.space, at.in, at.out, Slope{}); },
           [&] { tessera::stencil<1>(at.space, at.in, at.small, Slope{}); });
  at.check([&] { tessera::min_filter(at.space, at.in, 5, at.out); },
           [&] { tessera::min_filter(at.space, at.in, 0, at.out); });
  at.check([&] { tessera::median_filter(at.space, at.in, 3, at.out); },
           [&] { tessera::median_filter(at.space, at.in, 3, at.in); });
}

TEMPLATE_LIST_TEST_CASE("a NaN that is refused leaves workspace and instance usable", "[failures]", test::OneSpace) {
  const Fields<TestType> at;
  const tessera::FilterWeights<TestType> weights(at.space, std::vector<double>{0.25, 0.5, 0.25});
  const tessera::Workspace<TestType> workspace(at.space, 0);
  const tessera::FilterOptions strict{.nan = tessera::NanPolicy::error};
  tessera::correlate(at.space, at.in, weights, at.out, strict, workspace);
  CHECK_NOTHROW(tessera::check(at.space, workspace));
  const auto expected = test::elements_of(at.out);
  Kokkos::deep_copy(Kokkos::subview(at.in, 3, 4), std::numeric_limits<float>::quiet_NaN());
  tessera::correlate(at.space, at.in, weights, at.out, strict, workspace);
  CHECK_THROWS_AS(tessera::check(at.space, workspace), InvalidArgument);
  test::fill(at.in);
  tessera::correlate(at.space, at.in, weights, at.out, strict, workspace);
  CHECK_NOTHROW(tessera::check(at.space, workspace));
  test::check_bits(test::elements_of(at.out), expected);
}

}  // namespace

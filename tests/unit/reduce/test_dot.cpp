// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dot products against schoolbook integers.
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tessera/reduce/dot.hpp>

#include "reduce_check.hpp"
#include "reference/dot_reference.hpp"
#include "support/message.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
using tessera::Dot;
using tessera::NanPolicy;
using tessera::ReduceOptions;
using tessera::Summation;
using tessera::reference::exact_dot;

template <class T, class Space>
void check_dot(const Space& space, const std::vector<T>& x, const std::vector<T>& y) {
  const auto dx = test::device_copy<Space>(x);
  const auto dy = test::device_copy<Space>(y);
  const T expected = exact_dot(x, y);
  INFO("n = " << x.size());
  CHECK(test::same_bits(tessera::reduce(space, dx, dy, Dot<T>{}), expected));
  for (const int league : test::odd_league_sizes()) {
    for (const int team : test::odd_team_sizes(space)) {
      const ReduceOptions options{.league_size = league, .team_size = team};
      CHECK(test::same_bits(tessera::reduce(space, dx, dy, Dot<T>{}, options), expected));
    }
  }
}

/// Exponents spread over [low, high).
template <class T>
std::vector<T> spread_factors(std::size_t size, std::uint64_t seed, int low, int high) {
  auto values = test::values<T>(size, seed);
  for (std::size_t i = 0; i < size; ++i) {
    const int exponent = low + static_cast<int>(test::mixed(i, seed + 7) % static_cast<std::uint64_t>(high - low));
    values[i] = static_cast<T>(std::ldexp(values[i], exponent));
  }
  return values;
}

TEMPLATE_LIST_TEST_CASE("dot products are rounded once", "[reduce][dot]", test::OneSpace) {
  const TestType space;
  for (const std::size_t size : {0, 1, 5, 1009, 20011}) {
    check_dot(space, test::values<float>(size, 1), test::values<float>(size, 2));
    check_dot(space, test::values<double>(size, 3), test::values<double>(size, 4));
  }
}

TEMPLATE_LIST_TEST_CASE("dot products over the range of exponents", "[reduce][dot]", test::OneSpace) {
  const TestType space;
  check_dot(space, spread_factors<float>(3001, 1, -140, 60), spread_factors<float>(3001, 2, -140, 60));
  check_dot(space, spread_factors<double>(3001, 3, -1000, 500), spread_factors<double>(3001, 4, -1000, 500));
  check_dot(space, spread_factors<double>(3001, 5, -560, -520), spread_factors<double>(3001, 6, -560, -520));
  check_dot(space, spread_factors<double>(1009, 5, -1070, -1020), spread_factors<double>(1009, 6, 0, 30));
}

/// Factors whose product leaves much behind a cut: nearly half a unit 44 bits below it, of the product as rounded or of
/// the error of that.
template <class T>
std::pair<T, T> far_from_cut(bool of_error) {
  std::pair<T, T> best;
  double most = -1;
  for (std::size_t i = 0; i < 4000; ++i) {
    const T x = 2 - std::abs(test::value_at<T>(i, 21)) / 8, y = 2 - std::abs(test::value_at<T>(i, 22)) / 8;
    const double product = static_cast<double>(x) * static_cast<double>(y);
    const double term = of_error ? std::ldexp(std::fma(x, y, -product), 53) : product;
    const double rest = std::ldexp(term, 42) - std::rint(std::ldexp(term, 42));
    if (rest <= most) continue;
    most = rest;
    best = {x, y};
  }
  return best;
}

/// Two blocks of a host that cancel, all but the last bit of one small product: as far away as a block's sums can hold,
/// and farther.
template <class T, class Space>
void check_far_product(const Space& space) {
  constexpr std::size_t block = 512;
  constexpr T u = std::numeric_limits<T>::epsilon();
  for (const bool of_error : {false, true}) {
    const auto [large_x, large_y] = far_from_cut<T>(of_error);
    for (int span = 30; span < 50; ++span) {
      std::vector<T> x(2 * block, large_x), y(2 * block, large_y);
      std::fill(x.begin() + block, x.end(), -large_x);
      const std::size_t at = test::mixed(static_cast<std::size_t>(span), 5) % block;
      x[at] = std::ldexp(1 + u, -(span / 2));
      y[at] = std::ldexp(1 + u, -(span - span / 2));
      x[block + at] = std::ldexp(T(-1), -(span / 2));
      y[block + at] = std::ldexp(1 + 2 * u, -(span - span / 2));
      INFO("span " << span << ", elements of " << sizeof(T) << " bytes");
      check_dot(space, x, y);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("dot: a small product among large ones", "[reduce][dot]", test::OneSpace) {
  const TestType space;
  check_far_product<float>(space);
  check_far_product<double>(space);
}

TEMPLATE_LIST_TEST_CASE("dot: what a block of a host does not take", "[reduce][dot]", test::OneSpace) {
  const TestType space;
  constexpr double infinity = std::numeric_limits<double>::infinity(), huge = std::numeric_limits<double>::max();
  for (const std::size_t at : {0, 511, 512, 1023, 1030}) {
    std::vector<double> x = test::values<double>(1031, 3), y = test::values<double>(1031, 4);
    const auto with = [&](double of_x, double of_y) {
      x[at] = of_x;
      y[at] = of_y;
      check_dot(space, x, y);
    };
    INFO("at " << at);
    with(0, 0);
    with(0x1.8p-1070, 1.5);
    with(0x1.8p-537, 0x1.8p-537);
    with(0x1.8p-1022, 0x1.8p60);
    with(0x1.8p510, 0x1.8p510);
    with(huge, 0x1p-3);
    const auto result = [&](double of_x, double of_y) {
      x[at] = of_x;
      y[at] = of_y;
      return tessera::reduce(space, test::device_copy<TestType>(x), test::device_copy<TestType>(y), Dot<double>{});
    };
    CHECK(result(infinity, -1) == -infinity);
    CHECK(result(0x1p-1000, infinity) == infinity);
    CHECK(std::isnan(result(0, infinity)));
    CHECK(std::isnan(result(std::nan(""), 0x1p-1000)));
    x[at] = std::nan("");
    const auto refused = [&] {
      tessera::reduce(space, test::device_copy<TestType>(x), test::device_copy<TestType>(y), Dot<double>{},
                      {.nan = NanPolicy::error});
    };
    test::check_message(test::message_of<tessera::InvalidArgument>(refused),
                        {"element " + std::to_string(at) + " is NaN"});
  }
}

TEMPLATE_LIST_TEST_CASE("a dot product that cancels", "[reduce][dot]", test::OneSpace) {
  const TestType space;
  std::vector<double> x = test::values<double>(4001, 9), y = test::values<double>(4001, 10);
  for (std::size_t i = 0; i < 2000; ++i) {
    x[2000 + i] = x[i];
    y[2000 + i] = -y[i];
  }
  x[4000] = 0x1p-300;
  y[4000] = 0x1.8p-300;
  check_dot(space, x, y);
}

TEMPLATE_LIST_TEST_CASE("dot: infinities, NaN and zero times infinity", "[reduce][dot]", test::OneSpace) {
  const TestType space;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto dot = [&](std::vector<double> x, std::vector<double> y) {
    return tessera::reduce(space, test::device_copy<TestType>(x), test::device_copy<TestType>(y), Dot<double>{});
  };
  CHECK(dot({1, infinity}, {1, 2}) == infinity);
  CHECK(dot({1, infinity}, {1, -2}) == -infinity);
  CHECK(std::isnan(dot({infinity, infinity}, {1, -2})));
  CHECK(std::isnan(dot({1, infinity}, {1, 0})));
  CHECK(std::isnan(dot({std::nan(""), 1}, {0, 1})));
  CHECK(dot({0x1p1000, 0x1p1000, -0x1p1000}, {0x1p500, 1, 0x1p500}) == 0x1p1000);
}

TEMPLATE_LIST_TEST_CASE("dot products with NaN in either view, under each policy", "[reduce][dot]", test::OneSpace) {
  const TestType space;
  const double nan = std::nan("");
  const auto x = test::device_copy<TestType>(std::vector<double>{1, 2, nan, 4, nan});
  const auto y = test::device_copy<TestType>(std::vector<double>{5, nan, 7, 8, nan});
  const auto check = [&](const auto& dot) {
    CHECK(std::isnan(tessera::reduce(space, x, y, dot)));
    CHECK(tessera::reduce(space, x, y, dot, {.nan = NanPolicy::omit}) == 37);
    const auto refused = [&] { tessera::reduce(space, x, y, dot, {.nan = NanPolicy::error}); };
    test::check_message(test::message_of<tessera::InvalidArgument>(refused), {"`in`", "element 1 is NaN"});
  };
  check(Dot<double>{});
  check(Dot<double, Summation::fast>{});
}

TEMPLATE_LIST_TEST_CASE("dot products of integers are exact", "[reduce][dot]", test::OneSpace) {
  const TestType space;
  const auto dot = [&](auto x, auto y) {
    using T = typename decltype(x)::value_type;
    return tessera::reduce(space, test::device_copy<TestType>(x), test::device_copy<TestType>(y), Dot<T>{});
  };
  const auto x = test::values<std::int32_t>(10007, 1), y = test::values<std::int32_t>(10007, 2);
  std::int64_t expected = 0;
  for (std::size_t i = 0; i < x.size(); ++i) expected += std::int64_t{x[i]} * y[i];
  CHECK(dot(x, y) == expected);
  constexpr std::int64_t big = std::int64_t{1} << 62;
  CHECK(dot(std::vector<std::int64_t>{big, big, 7}, std::vector<std::int64_t>{big, -big, 6}) == 42);
  CHECK_THROWS_AS(dot(std::vector<std::int64_t>{big, 1}, std::vector<std::int64_t>{2, 1}), tessera::InvalidArgument);
}

TEMPLATE_LIST_TEST_CASE("dot of views apart in memory, and begun unlike", "[reduce][dot]", test::OneSpace) {
  const TestType space;
  const auto x = test::values<float>(3000, 1), y = test::values<float>(3000, 2);
  const test::GuardedView<float, test::Right, TestType, 1> all_x({3000}, x), all_y({3000}, y);
  const auto window = [](const auto& view, std::size_t begin) {
    return Kokkos::subview(view, std::pair<std::size_t, std::size_t>(begin, begin + 2900));
  };
  const std::vector<float> from_x(x.begin() + 1, x.begin() + 2901), from_y(y.begin() + 2, y.begin() + 2902);
  CHECK(test::same_bits(
      tessera::reduce(space, window(all_x.const_view(), 1), window(all_y.const_view(), 2), Dot<float>{}),
      exact_dot(from_x, from_y)));
  const float fast = tessera::reduce(space, all_x.const_view(), all_y.const_view(), Dot<float, Summation::fast>{});
  CHECK(std::abs(fast - exact_dot(x, y)) < 1e-3f);
}

TEMPLATE_LIST_TEST_CASE("views without gaps whose axes lie in another order", "[reduce][dot][argmin]", test::OneSpace) {
  const TestType space;
  const auto x = test::values<double>(35, 3), y = test::values<double>(35, 4);
  const auto on_device = [](const std::vector<double>& values) { return test::device_copy<TestType>(values); };
  const auto dx = on_device(x), dy = on_device(y);
  using Strided = Kokkos::View<const double**, Kokkos::LayoutStride, TestType, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const Strided rows(dx.data(), Kokkos::LayoutStride(5, 7, 7, 1)), columns(dy.data(), Kokkos::LayoutStride(5, 1, 7, 5));
  std::vector<double> in_order(35);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 7; ++j) in_order[i * 7 + j] = y[i + 5 * j];
  }
  CHECK(test::same_bits(tessera::reduce(space, rows, columns, Dot<double>{}), exact_dot(x, in_order)));
  const auto least = std::min_element(in_order.begin(), in_order.end());
  CHECK(tessera::reduce(space, columns, tessera::ArgMin<double>{}).index == least - in_order.begin());
}

TEMPLATE_LIST_TEST_CASE("dot of different extents is an error", "[reduce][dot][errors]", test::OneSpace) {
  const Kokkos::View<float*, TestType> x("x", 3), y("y", 4);
  const auto call = [&] { tessera::reduce(TestType(), x, y, Dot<float>{}); };
  test::check_message(test::message_of<tessera::InvalidArgument>(call),
                      {"tessera::reduce", "`y`", "(4)", "expected", "(3)", ";"});
}

}  // namespace

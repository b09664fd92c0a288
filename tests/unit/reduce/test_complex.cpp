// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of complex elements against schoolbook integers, part by part.
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <tessera/reduce/dot.hpp>
#include <tessera/reduce/fused.hpp>
#include <tessera/reduce/reduce_axes.hpp>
#include <tessera/reduce/reduce_segments.hpp>
#include <tessera/reduce/stats.hpp>

#include "reduce_check.hpp"
#include "reference/axes_reference.hpp"
#include "reference/dot_reference.hpp"
#include "reference/exact_reference.hpp"
#include "support/limits.hpp"
#include "support/message.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
using Space = Kokkos::DefaultExecutionSpace;
using tessera::Dot;
using tessera::InvalidArgument;
using tessera::L1;
using tessera::L2;
using tessera::Mean;
using tessera::NanPolicy;
using tessera::Prod;
using tessera::ReduceOptions;
using tessera::Sum;
using tessera::Summation;
using tessera::Vdot;
using tessera::reference::ExactSums;
template <class Real>
using Complex = Kokkos::complex<Real>;

template <class Real>
struct Parts {
  std::vector<Real> re, im;
  [[nodiscard]] std::vector<Complex<Real>> joined() const {
    std::vector<Complex<Real>> result;
    for (std::size_t i = 0; i < re.size(); ++i) result.emplace_back(re[i], im[i]);
    return result;
  }
};

template <class Real>
Parts<Real> parts_of(const std::vector<Complex<Real>>& values) {
  Parts<Real> parts;
  for (const Complex<Real>& value : values) {
    parts.re.push_back(value.real());
    parts.im.push_back(value.imag());
  }
  return parts;
}

template <class Real>
std::vector<Real> appended(std::vector<Real> values, const std::vector<Real>& more, Real factor = 1) {
  for (const Real value : more) values.push_back(factor * value);
  return values;
}

/// Exponents spread over [low, high), the imaginary parts' as much higher as `apart` says.
template <class Real>
std::vector<Complex<Real>> spread_complex(std::size_t size, std::uint64_t seed, int low = 0, int high = 1,
                                          int apart = 0) {
  std::vector<Complex<Real>> values;
  for (std::size_t i = 0; i < size; ++i) {
    const auto part = [&](std::uint64_t which, int up) {
      const int exponent =
          low + static_cast<int>(test::mixed(i, seed + which) % static_cast<std::uint64_t>(high - low));
      return static_cast<Real>(std::ldexp(test::value_at<Real>(i, seed + which + 2), exponent + up));
    };
    const Real re = part(0, 0);
    values.emplace_back(re, part(1, apart));
  }
  return values;
}

/// A result as bits, in front of what is expected.
template <class Real>
void check_same(const Complex<Real>& got, const Complex<Real>& expected) {
  INFO("got " << test::printed(got.real()) << ", " << test::printed(got.imag()) << ", expected "
              << test::printed(expected.real()) << ", " << test::printed(expected.imag()));
  CHECK(test::same_bits(got, expected));
}
/// Any NaN equals any NaN.
template <class Real>
void check_parts(const Complex<Real>& got, Real re, Real im) {
  INFO("got " << test::printed(got.real()) << ", " << test::printed(got.imag()));
  CHECK(test::same_value(got.real(), re));
  CHECK(test::same_value(got.imag(), im));
}

template <class R, class T>
auto reduced_complex(const std::vector<T>& values, const ReduceOptions& options = {}) {
  return tessera::reduce(Space(), test::device_copy<Space>(values), R{}, options);
}
template <class R, class T>
auto reduced_both(const std::vector<T>& x, const std::vector<T>& y, const ReduceOptions& options = {}) {
  return tessera::reduce(Space(), test::device_copy<Space>(x), test::device_copy<Space>(y), R{}, options);
}

template <class Real>
struct Expected {
  Complex<Real> sum, mean;
  Real l1, l2;
  explicit Expected(const std::vector<Complex<Real>>& values) {
    const Parts<Real> parts = parts_of(values);
    const ExactSums re(parts.re), im(parts.im), both(appended(parts.re, parts.im));
    sum = Complex<Real>(re.template sum<Real>(), im.template sum<Real>());
    if (!values.empty()) mean = Complex<Real>(re.template mean<Real>(), im.template mean<Real>());
    l1 = both.template l1<Real>();
    l2 = both.template l2<Real>();
  }
};

template <class Real>
void check_sums(const std::vector<Complex<Real>>& values, const ReduceOptions& options = {}) {
  INFO(values.size() << " elements, league " << options.league_size << ", team " << options.team_size);
  using T = Complex<Real>;
  const Expected<Real> expected(values);
  check_same(reduced_complex<Sum<T>>(values, options), expected.sum);
  CHECK(test::same_bits(reduced_complex<L2<T>>(values, options), expected.l2));
  // Of float in one read, below.
  if constexpr (std::is_same_v<Real, double>) {
    if (!values.empty()) check_same(reduced_complex<Mean<T>>(values, options), expected.mean);
    CHECK(test::same_bits(reduced_complex<L1<T>>(values, options), expected.l1));
  }
}

template <class Real>
void check_under_all_plans(const std::vector<Complex<Real>>& values) {
  check_sums(values);
  for (const int league : test::odd_league_sizes()) {
    for (const int team : test::odd_team_sizes(Space())) {
      check_sums(values, {.league_size = league, .team_size = team});
    }
  }
}

TEMPLATE_TEST_CASE("complex sums, means and norms are rounded once, part by part", "[reduce][complex][exact]", float,
                   double) {
  using Limits = std::numeric_limits<TestType>;
  for (const std::size_t size : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 17, 1009})
    check_sums(spread_complex<TestType>(size, 1));
  check_under_all_plans(spread_complex<TestType>(10007, 2));
  // The whole range of exponents, but for sums that overflow; parts far from each other.
  const int lowest = Limits::min_exponent - Limits::digits, highest = Limits::max_exponent - 16;
  check_under_all_plans(spread_complex<TestType>(1009, 3, lowest, highest));
  check_sums(spread_complex<TestType>(1009, 4, lowest, lowest + Limits::digits));
  check_sums(spread_complex<TestType>(1009, 5, lowest / 2, lowest / 2 + 30, -lowest / 2));
  // Zeros of both signs give +0.0.
  check_sums(std::vector<Complex<TestType>>(5, {TestType(-0.0), TestType(0)}));
}

TEMPLATE_TEST_CASE("complex sums that cancel", "[reduce][complex][exact]", float, double) {
  using Limits = std::numeric_limits<TestType>;
  auto values = spread_complex<TestType>(4001, 6, -60, 60);
  for (std::size_t i = 0; i < 2000; ++i) {
    // The real parts among themselves, the imaginary ones with other elements'.
    values[2000 + i] = Complex<TestType>(-values[i].real(), -values[1999 - i].imag());
  }
  values[4000] = Complex<TestType>(Limits::denorm_min(), 3 * Limits::epsilon());
  check_same(reduced_complex<Sum<Complex<TestType>>>(values, {.league_size = 3}),
             {Limits::denorm_min(), 3 * Limits::epsilon()});
  check_under_all_plans(values);
  // On the way beyond what the type holds, and back.
  const std::vector<Complex<TestType>> large{{Limits::max(), -Limits::max()},
                                             {Limits::max(), -Limits::max()},
                                             {-Limits::max(), Limits::max()},
                                             {TestType(3), -Limits::max()}};
  check_same(reduced_complex<Sum<Complex<TestType>>>(large), {Limits::max(), -Limits::infinity()});
}

TEST_CASE("complex norms and means neither overflow nor underflow", "[reduce][complex]") {
  using T = Complex<double>;
  CHECK(reduced_complex<L2<T>>(std::vector<T>{{3e300, -4e300}}) == 5e300);
  CHECK(reduced_complex<L2<T>>(std::vector<T>{{0x1.8p-1060, 0x1p-1059}}) == 0x1.4p-1059);
  CHECK(reduced_complex<L1<T>>(std::vector<T>{{-1, 2}, {0x1p-80, -4}}) == 7);
  constexpr double max = std::numeric_limits<double>::max();
  check_same(reduced_complex<Mean<T>>(std::vector<T>{{max, -max}, {max, max}, {max, -max}, {max, -max}}),
             {max, -max / 2});
}

TEST_CASE("infinities and NaN of complex elements count by part", "[reduce][complex]") {
  using T = Complex<double>;
  const std::vector<T> values{{1, test::infinity}, {test::infinity, 2}, {-test::infinity, 1}};
  check_parts(reduced_complex<Sum<T>>(values), test::nan, test::infinity);
  check_parts(reduced_complex<Mean<T>>(values), test::nan, test::infinity);
  CHECK(reduced_complex<L1<T>>(values) == test::infinity);
  CHECK(reduced_complex<L2<T>>(values) == test::infinity);
  const std::vector<T> with_nan{{1, test::nan}, {test::infinity, 2}, {3, 1}};
  check_parts(reduced_complex<Sum<T>>(with_nan), test::infinity, test::nan);
  CHECK(std::isnan(reduced_complex<L1<T>>(with_nan)));
  CHECK(std::isnan(reduced_complex<L2<T>>(with_nan)));
}

template <class R, class T>
void check_nan_policies(const std::vector<T>& values, const std::vector<T>& kept, std::size_t first) {
  INFO(R::name());
  for (const int league : test::odd_league_sizes()) {
    const auto got = reduced_complex<R>(values, {.nan = NanPolicy::omit, .league_size = league});
    const auto expected = reduced_complex<R>(kept, {.league_size = league});
    if constexpr (std::is_same_v<R, Prod<T>>) {
      // What is left out changes the order.
      CHECK(Kokkos::abs(got - expected) <= 1e-9 * Kokkos::abs(expected));
    } else {
      CHECK(test::same_bits(got, expected));
    }
    test::check_message(test::message_of<InvalidArgument>(
                            [&] { reduced_complex<R>(values, {.nan = NanPolicy::error, .league_size = league}); }),
                        {"element " + std::to_string(first) + " is NaN"});
  }
}

TEST_CASE("a complex element is NaN if a part is", "[reduce][complex]") {
  using T = Complex<double>;
  auto values = spread_complex<double>(1013, 7);
  std::vector<T> kept;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i >= 300 && i % 7 == 0) {
      values[i] = i % 2 == 0 ? T{test::nan, test::infinity} : T{1, test::nan};
    } else {
      kept.push_back(values[i]);
    }
  }
  tessera::BuiltInReducers::for_each<T>(
      [&](const auto& reducer) { check_nan_policies<std::decay_t<decltype(reducer)>>(values, kept, 301); });
  CHECK_THROWS_AS(reduced_complex<Mean<T>>(std::vector<T>{{1, test::nan}}, {.nan = NanPolicy::omit}), InvalidArgument);
  CHECK_THROWS_AS(reduced_complex<Mean<T>>(std::vector<T>{}), InvalidArgument);
}

TEST_CASE("where NaN is refused, both parts of a complex sum are spoiled", "[reduce][complex]") {
  using T = Complex<float>;
  const auto in = test::device_copy<Space>(std::vector<T>{{1, 2}, {static_cast<float>(test::nan), 3}});
  const Kokkos::View<T, Space> out("out");
  const ReduceOptions refusing{.nan = NanPolicy::error};
  const tessera::Workspace<Space> workspace(
      Space(), tessera::reduce_plan<T>(Space(), Sum<T>{}, in.size(), refusing).workspace_bytes);
  const auto spoiled = [&](const auto& reducer) {
    tessera::reduce(Space(), in, reducer, out, refusing, workspace);
    CHECK_THROWS_AS(tessera::check(Space(), workspace), InvalidArgument);
    T result;
    Kokkos::deep_copy(result, out);
    CHECK(std::isnan(result.real()));
    CHECK(std::isnan(result.imag()));
  };
  spoiled(Sum<T>{});
  spoiled(Sum<T, Summation::fast>{});
}

TEST_CASE("complex views of other layouts", "[reduce][complex]") {
  const auto values = spread_complex<float>(37 * 53, 8, -20, 20);
  const Expected<float> expected(values);
  const auto check = [&]<class Layout>(Layout) {
    const test::GuardedView<Complex<float>, Layout, Space, 2> in({37, 53}, values);
    check_same(tessera::reduce(Space(), in.view(), Sum<Complex<float>>{}), expected.sum);
  };
  check(test::Left{});
  check(test::Misaligned{});
  check(test::Strided{});
  // Every place to begin and end in a 16-byte piece.
  const test::GuardedView<Complex<float>, test::Right, Space, 1> all({64}, {values.begin(), values.begin() + 64});
  for (std::size_t begin = 0; begin < 3; ++begin) {
    for (std::size_t size = 1; size < 21; ++size) {
      const std::vector<Complex<float>> part(values.begin() + begin, values.begin() + begin + size);
      const auto window = Kokkos::subview(all.const_view(), std::pair(begin, begin + size));
      check_same(tessera::reduce(Space(), window, Sum<Complex<float>>{}), Expected<float>(part).sum);
    }
  }
}

TEST_CASE("complex elements over axes and segments", "[reduce][complex][axes]") {
  using T = Complex<double>;
  for (const test::Extents<2> extents : {test::Extents<2>{41, 67}, test::Extents<2>{1500, 3}}) {
    const auto values = spread_complex<double>(extents[0] * extents[1], 9, -300, 300);
    const test::GuardedView<T, test::Right, Space, 2> in(extents, values);
    for (int axis = 0; axis < 2; ++axis) {
      const auto lines = tessera::reference::lines({extents[0], extents[1]}, {axis == 0, axis == 1});
      const Kokkos::View<T*, Space> out("out", lines.size());
      tessera::reduce_axes(Space(), in.view(), {axis}, Sum<T>{}, out);
      std::vector<T> expected;
      for (const auto& line : lines) {
        expected.push_back(Expected<double>(tessera::reference::gathered(values, line)).sum);
      }
      test::check_bits(test::host_copy(out), expected);
    }
  }
  const auto values = spread_complex<double>(1000, 10);
  const std::vector<std::int64_t> offsets{0, 1, 1, 18, 700, 1000};
  const Kokkos::View<double*, Space> norms("norms", 5);
  tessera::reduce_segments(Space(), test::device_copy<Space>(values), test::device_copy<Space>(offsets), L2<T>{},
                           norms);
  std::vector<double> expected;
  for (std::size_t s = 0; s < 5; ++s) {
    expected.push_back(Expected<double>({values.begin() + offsets[s], values.begin() + offsets[s + 1]}).l2);
  }
  test::check_bits(test::host_copy(norms), expected);
}

TEST_CASE("complex reducers fused into one read", "[reduce][complex]") {
  using T = Complex<float>;
  const auto values = spread_complex<float>(5003, 11, -30, 30);
  const Expected<float> expected(values);
  const auto results =
      tessera::reduce(Space(), test::device_copy<Space>(values), tessera::fuse<T>(Mean<T>{}, Prod<T>{}, L1<T>{}));
  check_same(tessera::get<0>(results), expected.mean);
  CHECK(test::same_bits(tessera::get<1>(results), reduced_complex<Prod<T>>(values)));
  CHECK(test::same_bits(tessera::get<2>(results), expected.l1));
  const auto last = tessera::reduce(Space(), test::device_copy<Space>(values), tessera::fuse<T>(L1<T>{}, Mean<T>{}));
  check_same(tessera::get<1>(last), expected.mean);
}

void check_stats(const std::vector<Complex<float>>& values, const std::vector<Complex<float>>& kept,
                 const ReduceOptions& options) {
  INFO(values.size() << " elements, league " << options.league_size);
  const auto got = reduced_complex<tessera::Stats<Complex<float>>>(values, options);
  const Parts<float> parts = parts_of(kept);
  const ExactSums re(parts.re), im(parts.im), both(appended(parts.re, parts.im));
  CHECK(got.count == kept.size());
  check_same(got.sum, {re.sum<double>(), im.sum<double>()});
  if (kept.empty()) {
    check_parts(got.mean, test::nan, test::nan);
  } else {
    check_same(got.mean, {re.mean<double>(), im.mean<double>()});
  }
  CHECK(test::same_value(got.l1, both.l1<double>()));
  CHECK(test::same_value(got.l2, both.l2<double>()));
}

TEST_CASE("stats of complex elements", "[reduce][complex][stats]") {
  for (const std::size_t size : {0, 1, 2, 3, 17, 1009}) {
    const auto values = spread_complex<float>(size, 21, -40, 40);
    check_stats(values, values, {});
  }
  auto values = spread_complex<float>(10007, 22, -100, 100);
  for (const int league : test::odd_league_sizes()) {
    for (const int team : test::odd_team_sizes(Space())) {
      check_stats(values, values, {.league_size = league, .team_size = team});
    }
  }
  // NaN and infinite by a part, zero by both.
  const auto nan = static_cast<float>(test::nan), inf = static_cast<float>(test::infinity);
  values[3] = Complex<float>(nan, 1);
  values[500] = Complex<float>(0, -0.0f);
  values[501] = Complex<float>(0, 1);
  values[9000] = Complex<float>(-inf, nan);
  std::vector<Complex<float>> kept = values;
  kept.erase(kept.begin() + 9000);
  kept.erase(kept.begin() + 3);
  check_stats(values, kept, {.nan = NanPolicy::omit});
  values[7] = Complex<float>(1, inf);
  for (const NanPolicy nan_policy : {NanPolicy::propagate, NanPolicy::omit}) {
    const auto got = reduced_complex<tessera::Stats<Complex<float>>>(values, {.nan = nan_policy, .league_size = 3});
    const bool omits = nan_policy == NanPolicy::omit;
    CHECK(got.count == values.size() - (omits ? 2 : 0));
    CHECK(got.count_nan == 2);
    CHECK(got.count_inf == 2);
    CHECK(got.count_zero == 1);
    CHECK(std::isnan(got.sum.real()) != omits);
    CHECK(std::isnan(got.mean.imag()) != omits);
    CHECK(test::same_value(got.l1, omits ? test::infinity : test::nan));
    CHECK(test::same_value(got.l2, omits ? test::infinity : test::nan));
  }
  test::check_message(test::message_of<InvalidArgument>(
                          [&] { reduced_complex<tessera::Stats<Complex<float>>>(values, {.nan = NanPolicy::error}); }),
                      {"element 3 is NaN"});
  // Each by itself.
  const tessera::CountInf<Complex<float>> count_inf;
  CHECK(count_inf.predicate(Complex<float>(1, -inf)));
  CHECK(count_inf.predicate(Complex<float>(inf, nan)));
  CHECK_FALSE(count_inf.predicate(Complex<float>(nan, 1)));
}

template <class Real>
void check_dots(const std::vector<Complex<Real>>& x, const std::vector<Complex<Real>>& y) {
  using tessera::reference::exact_dot;
  INFO(x.size() << " elements");
  const Parts<Real> a = parts_of(x), b = parts_of(y);
  const auto dot = [&](Real conjugate) {
    return Complex<Real>(exact_dot(appended(a.re, a.im, -conjugate), appended(b.re, b.im)),
                         exact_dot(appended(a.re, a.im, conjugate), appended(b.im, b.re)));
  };
  const auto check = [&](const ReduceOptions& options) {
    check_same(reduced_both<Dot<Complex<Real>>>(x, y, options), dot(1));
    check_same(reduced_both<Vdot<Complex<Real>>>(x, y, options), dot(-1));
  };
  check({});
  for (const int league : test::odd_league_sizes()) {
    for (const int team : test::odd_team_sizes(Space())) check({.league_size = league, .team_size = team});
  }
}

TEMPLATE_TEST_CASE("complex dot products are rounded once, part by part", "[reduce][complex][exact][dot]", float,
                   double) {
  for (const std::size_t size : {0, 1, 2, 3, 5, 9, 1009}) {
    check_dots(spread_complex<TestType>(size, 1), spread_complex<TestType>(size, 2));
  }
  const int range = std::numeric_limits<TestType>::max_exponent / 2 - 8;
  check_dots(spread_complex<TestType>(1009, 3, -range, range), spread_complex<TestType>(1009, 4, -range, range));
  check_dots(spread_complex<TestType>(1009, 3, -2 * range, -range),
             spread_complex<TestType>(1009, 4, -range, range, range / 2));
  // x conj(x) has no imaginary part.
  const auto x = spread_complex<TestType>(1009, 5, -30, 30);
  const Complex<TestType> norm = reduced_both<Vdot<Complex<TestType>>>(x, x);
  CHECK(test::same_bits(norm.imag(), TestType(0)));
  CHECK(norm.real() > 0);
}

TEST_CASE("complex dot products: infinities and NaN by term", "[reduce][complex][dot]") {
  using T = Complex<double>;
  const auto dot = [](const std::vector<T>& x, const std::vector<T>& y, NanPolicy nan = NanPolicy::propagate) {
    return reduced_both<Dot<T>>(x, y, {.nan = nan});
  };
  const auto vdot = [](const std::vector<T>& x, const std::vector<T>& y) { return reduced_both<Vdot<T>>(x, y); };
  check_parts(dot({{1, 2}}, {{3, 4}}), -5.0, 10.0);
  check_parts(vdot({{1, 2}}, {{3, 4}}), 11.0, -2.0);
  check_parts(dot({{test::infinity, 1}}, {{2, 3}}), test::infinity, test::infinity);
  check_parts(vdot({{1, test::infinity}}, {{2, 3}}), test::infinity, -test::infinity);
  check_parts(dot({{test::infinity, 1}}, {{2, 0}}), test::infinity, test::nan);
  check_parts(dot({{1, 2}, {test::infinity, test::infinity}}, {{3, 4}, {1, 1}}), test::nan, test::infinity);
  check_parts(dot({{1, test::nan}}, {{1, 1}}), test::nan, test::nan);
  const std::vector<T> x{{1, 2}, {test::nan, 1}, {2, 0}, {1, 1}}, y{{3, 4}, {1, 1}, {1, test::nan}, {1, 0}};
  check_parts(dot(x, y, NanPolicy::omit), -4.0, 11.0);
  test::check_message(test::message_of<InvalidArgument>([&] { dot(x, y, NanPolicy::error); }), {"element 1 is NaN"});
}

TEST_CASE("complex dot products of views apart in memory, and begun unlike", "[reduce][complex][dot]") {
  using T = Complex<float>;
  const auto x = spread_complex<float>(500, 1), y = spread_complex<float>(500, 2);
  const auto expected = reduced_both<Vdot<T>>(x, y);
  const test::GuardedView<T, test::Right, Space, 1> right({500}, x);
  const test::GuardedView<T, test::Misaligned, Space, 1> misaligned({500}, y);
  check_same(tessera::reduce(Space(), right.const_view(), misaligned.const_view(), Vdot<T>{}), expected);
  const test::GuardedView<T, test::Strided, Space, 1> strided_x({500}, x), strided_y({500}, y);
  check_same(tessera::reduce(Space(), strided_x.const_view(), strided_y.const_view(), Vdot<T>{}), expected);
}

TEST_CASE("vdot of real elements is dot", "[reduce][dot]") {
  const auto x = test::values<double>(1009, 1), y = test::values<double>(1009, 2);
  CHECK(test::same_bits(reduced_both<Vdot<double>>(x, y), tessera::reference::exact_dot(x, y)));
}

/// In long double, with the exponents apart.
template <class Real>
void check_product(const std::vector<Complex<Real>>& values) {
  std::complex<long double> product = 1;
  long exponent = 0;
  for (const Complex<Real>& value : values) {
    const int up = std::ilogb(std::max(std::abs(value.real()), std::abs(value.imag())));
    product *= std::complex<long double>(std::ldexp(static_cast<long double>(value.real()), -up),
                                         std::ldexp(static_cast<long double>(value.imag()), -up));
    const int more = std::ilogb(std::abs(product));
    product = {std::ldexp(product.real(), -more), std::ldexp(product.imag(), -more)};
    exponent += up + more;
  }
  product = {std::ldexp(product.real(), static_cast<int>(exponent)),
             std::ldexp(product.imag(), static_cast<int>(exponent))};
  const long double bound =
      std::abs(product) * (2.3L * static_cast<long double>(values.size()) * 0x1p-53L +
                           (std::is_same_v<Real, float> ? 0x1p-24L : 0.0L) + 0x1p-50L * values.size() * 0x1p-13L);
  for (const int league : {0, 1, 7}) {
    INFO(values.size() << " elements, league " << league);
    const Complex<Real> got = reduced_complex<Prod<Complex<Real>>>(values, {.league_size = league});
    CHECK(std::abs(std::complex<long double>(got.real(), got.imag()) - product) <= bound);
  }
}

TEST_CASE("complex products overflow and underflow only at the end", "[reduce][complex][prod]") {
  using T = Complex<double>;
  using Limits = std::numeric_limits<double>;
  const auto prod = [](const std::vector<T>& values) { return reduced_complex<Prod<T>>(values); };
  check_parts(prod({}), 1.0, 0.0);
  check_parts(prod({{1, 2}, {3, 4}, {-5, 6}}), -35.0, -80.0);
  check_parts(prod({{0x1p1023, 0x1p1023}, {0x1p1023, -0x1p1023}, {0, 0x1p-1024}, {0x1p-1022, 0}}), 0.0, 2.0);
  // Parts further apart than one exponent reaches.
  check_parts(prod({{0x1p1000, Limits::denorm_min()}}), 0x1p1000, Limits::denorm_min());
  check_parts(prod({{0x1p1000, 0x1p-1000}, {0x1p-1000, 0x1p1000}}), 0.0, Limits::infinity());
  check_parts(prod({{0x1p1000, 0x1p-1000}, {0x1p-1000, 0}}), 1.0, 0.0);
  check_parts(prod({{0, 0x1p-600}, {0x1p-600, 0}, {0, 0x1p600}, {0x1p620, 0}}), -0x1p20, 0.0);
  check_parts(prod({{3, -4}, {0, 0}, {1e300, 1e300}}), 0.0, 0.0);
  for (const T& spoiling : {T{test::infinity, 2}, T{1, -test::infinity}, T{test::nan, 0}, T{0, test::nan}}) {
    check_parts(prod({{3, -4}, spoiling, {0, 0}}), test::nan, test::nan);
    check_parts(prod({spoiling}), test::nan, test::nan);
  }

  // As many of each exponent's opposite.
  std::vector<T> wide = spread_complex<double>(3000, 12, -1000, 1000);
  std::vector<Complex<float>> narrow = spread_complex<float>(3000, 13, -60, 60);
  const auto balance = [](auto& values) {
    using Real = typename std::decay_t<decltype(values[0])>::value_type;
    for (std::size_t i = 0; i < 3000; ++i) {
      const std::complex<double> one(values[i].real(), values[i].imag());
      const int exponent = std::ilogb(std::max(std::abs(one.real()), std::abs(one.imag())));
      const std::complex<double> near(std::ldexp(one.real(), -exponent), std::ldexp(one.imag(), -exponent));
      const std::complex<double> inverse = 1.0 / near;
      values.emplace_back(static_cast<Real>(std::ldexp(inverse.real(), -exponent)),
                          static_cast<Real>(std::ldexp(inverse.imag(), -exponent)));
    }
  };
  balance(wide);
  balance(narrow);
  check_product(wide);
  check_product(narrow);
}

TEST_CASE("fast complex sums are near the exact ones", "[reduce][complex][fast]") {
  using T = Complex<float>;
  constexpr auto fast = Summation::fast;
  auto x = spread_complex<float>(30011, 14), y = spread_complex<float>(30011, 15);
  for (auto* values : {&x, &y}) {
    for (T& value : *values) value += T(2, 3);
  }
  const auto near = [](const T& got, const T& expected) {
    return Kokkos::abs(got - expected) <= 1e-5f * Kokkos::abs(expected);
  };
  const Expected<float> expected(x);
  CHECK(near(reduced_complex<Sum<T, fast>>(x), expected.sum));
  CHECK(near(reduced_complex<Mean<T, fast>>(x), expected.mean));
  CHECK(near(reduced_complex<L1<T, fast>>(x), expected.l1));
  CHECK(near(reduced_complex<L2<T, fast>>(x), expected.l2));
  CHECK(near(reduced_both<Dot<T, fast>>(x, y), reduced_both<Dot<T>>(x, y)));
  CHECK(near(reduced_both<Vdot<T, fast>>(x, y), reduced_both<Vdot<T>>(x, y)));
  // An element that is left out for a part does not count in the mean.
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<T> with_nan{{1, 2}, {nan, 100}, {3, 4}};
  check_parts(reduced_complex<Mean<T, fast>>(with_nan, {.nan = NanPolicy::omit}), 2.0f, 3.0f);
  check_parts(reduced_complex<Sum<T, fast>>(with_nan), nan, 106.0f);
}

}  // namespace

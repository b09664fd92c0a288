// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stats and fused reducers: every field against references, and the same bits as the reducers alone.
#include <algorithm>
#include <array>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tessera/reduce/fused.hpp>
#include <tessera/reduce/stats.hpp>

#include "reduce_check.hpp"
#include "reference/exact_reference.hpp"
#include "support/message.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
using tessera::NanPolicy;
using tessera::ReduceOptions;
using tessera::Stats;
using tessera::StatsResult;

bool same_double(double a, double b) { return (std::isnan(a) && std::isnan(b)) || test::same_bits(a, b); }

template <class T>
void check_floating(const StatsResult<T>& got, const std::vector<T>& values, std::uint64_t ddof) {
  const tessera::reference::ExactSums sums(values);
  const double n = static_cast<double>(values.size());
  INFO("n = " << values.size());
  CHECK(got.count == values.size());
  CHECK(same_double(got.sum, sums.sum<double>()));
  CHECK(same_double(got.l1, sums.l1<double>()));
  CHECK(same_double(got.l2, sums.l2<double>()));
  CHECK(same_double(got.mean, n > 0 ? sums.mean<double>() : NAN));
  CHECK(same_double(got.var, values.size() > ddof ? sums.variance<double>(ddof) : NAN));
  CHECK(same_double(got.std, values.size() > ddof ? sums.deviation<double>(ddof) : NAN));
  std::uint64_t zeros = 0, nans = 0, infinities = 0;
  for (const T value : values) {
    zeros += value == 0;
    nans += std::isnan(value);
    infinities += std::isinf(value);
  }
  CHECK(got.count_zero == zeros);
  CHECK(got.count_nan == nans);
  CHECK(got.count_inf == infinities);
}

/// The extrema, of elements without NaN, and where they are first.
template <class Result, class T>
void check_places(const Result& got, const std::vector<T>& values) {
  const auto lowest = std::min_element(values.begin(), values.end());
  const auto highest = std::max_element(values.begin(), values.end());
  CHECK(got.argmin == lowest - values.begin());
  CHECK(got.argmax == highest - values.begin());
  CHECK(got.min == *lowest);
  CHECK(got.max == *highest);
}

template <class T, class Space>
StatsResult<T> stats_of(const Space& space, const std::vector<T>& values, std::int64_t ddof = 0,
                        const ReduceOptions& options = {}) {
  return tessera::reduce(space, test::device_copy<Space>(values), Stats<T>{ddof}, options);
}

TEMPLATE_LIST_TEST_CASE("stats of floats, at sizes around a team's share", "[reduce][stats]", test::OneSpace) {
  const TestType space;
  for (const std::size_t size : {1, 2, 3, 17, 1009, 8191, 100003}) {
    const auto values = test::values<float>(size, size);
    const auto got = stats_of(space, values);
    check_floating(got, values, 0);
    check_places(got, values);
    CHECK(got.linf == std::max(std::abs(double{got.min}), std::abs(double{got.max})));
  }
}

template <class Space>
void check_plans(const Space& space, const std::vector<double>& values) {
  const auto got = stats_of(space, values, 1);
  check_floating(got, values, 1);
  auto teams = test::odd_team_sizes(space);
  // 100 are no whole warps, and more than 192 would have too few registers.
  if constexpr (!test::runs_on_host<Space>) teams = {1, 32, 64, 100, 192};
  for (const int league : test::odd_league_sizes()) {
    for (const int team : teams) {
      const auto again = stats_of(space, values, 1, {.league_size = league, .team_size = team});
      INFO("league " << league << ", team " << team);
      CHECK(again.count_zero == got.count_zero);
      CHECK(test::same_bits(again.sum, got.sum));
      CHECK(test::same_bits(again.mean, got.mean));
      CHECK(test::same_bits(again.var, got.var));
      CHECK(test::same_bits(again.std, got.std));
      CHECK(test::same_bits(again.l1, got.l1));
      CHECK(test::same_bits(again.l2, got.l2));
      CHECK(again.argmin == got.argmin);
      CHECK(again.argmax == got.argmax);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("stats of doubles keep their bits under every plan", "[reduce][stats]", test::Spaces) {
  const TestType space;
  auto values = test::values<double>(20011);
  check_plans(space, values);  // few digits
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::ldexp(values[i], static_cast<int>(i % 1800) - 900);
  check_plans(space, values);
}

TEMPLATE_LIST_TEST_CASE("stats of sums that are zero, and of teams whose sums lie far apart", "[reduce][stats]",
                        test::Spaces) {
  const TestType space;
  check_plans(space, std::vector<double>(20011, -0.0));
  auto values = test::values<double>(20012);
  for (std::size_t i = 0; i < values.size(); i += 2) values[i + 1] = -values[i];
  check_plans(space, values);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::ldexp(values[i], i / 2048 % 2 == 0 ? -300 : 300);
  check_plans(space, values);
  for (std::size_t i = 3000; i < values.size(); ++i) values[i] = 0;
  check_plans(space, values);
}

TEMPLATE_LIST_TEST_CASE("stats of nothing, of one element, and with too few for ddof", "[reduce][stats]",
                        test::OneSpace) {
  const TestType space;
  const auto nothing = stats_of(space, std::vector<double>{});
  check_floating(nothing, std::vector<double>{}, 0);
  CHECK(std::isnan(nothing.min));
  CHECK(std::isnan(nothing.max));
  CHECK(nothing.argmin == -1);
  CHECK(nothing.argmax == -1);
  CHECK(nothing.linf == 0);
  const auto one = stats_of(space, std::vector<double>{-2.5}, 1);
  check_floating(one, std::vector<double>{-2.5}, 1);
  CHECK(one.min == -2.5);
  CHECK(one.linf == 2.5);
}

TEMPLATE_LIST_TEST_CASE("stats: zeros of both signs", "[reduce][stats]", test::OneSpace) {
  const TestType space;
  const auto both = stats_of(space, std::vector<float>{0.0f, -0.0f, 0.0f});
  CHECK(both.count_zero == 3);
  CHECK(std::signbit(both.min));
  CHECK_FALSE(std::signbit(both.max));
  CHECK(both.argmin == 0);
  CHECK(both.argmax == 0);
  const auto negative = stats_of(space, std::vector<float>{-0.0f, -0.0f});
  CHECK(std::signbit(negative.max));
  const auto positive = stats_of(space, std::vector<float>{0.0f, 3.0f});
  CHECK_FALSE(std::signbit(positive.min));
}

TEMPLATE_LIST_TEST_CASE("stats: NaN and infinities under each policy", "[reduce][stats]", test::OneSpace) {
  const TestType space;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto values = test::values<double>(5003);
  values[4000] = infinity;
  const auto infinite = stats_of(space, values);
  check_floating(infinite, values, 0);
  CHECK(infinite.max == infinity);
  CHECK(infinite.linf == infinity);

  values[4000] = 1.0;
  values[77] = values[4999] = std::nan("");
  const auto propagated = stats_of(space, values);
  CHECK(propagated.count == 5003);
  CHECK(propagated.count_nan == 2);
  CHECK(propagated.argmin == 77);
  CHECK(propagated.argmax == 77);
  const std::array<double, 9> spoiled{propagated.min, propagated.max, propagated.sum, propagated.mean, propagated.var,
                                      propagated.std, propagated.l1,  propagated.l2,  propagated.linf};
  for (const double value : spoiled) {
    CHECK(std::isnan(value));
  }

  const auto omitted = stats_of(space, values, 0, {.nan = NanPolicy::omit});
  auto rest = values;
  std::erase_if(rest, [](double value) { return std::isnan(value); });
  const tessera::reference::ExactSums sums(rest);
  CHECK(omitted.count == 5001);
  CHECK(omitted.count_nan == 2);
  CHECK(same_double(omitted.mean, sums.mean<double>()));
  CHECK(same_double(omitted.var, sums.variance<double>(0)));
  CHECK(values[static_cast<std::size_t>(omitted.argmin)] == *std::min_element(rest.begin(), rest.end()));
  CHECK_THROWS_AS(stats_of(space, values, 0, {.nan = NanPolicy::error}), tessera::InvalidArgument);
}

template <class T, class Space>
void check_spoiled(const Space& space, const std::vector<T>& values) {
  std::vector<T> rest;
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    rest.push_back(values[i]);
    places.push_back(static_cast<std::int64_t>(i));
  }
  const std::uint64_t nans = values.size() - rest.size();
  for (const ReduceOptions& plan : {ReduceOptions{}, ReduceOptions{.league_size = 1, .team_size = 1}}) {
    ReduceOptions options = plan;
    options.nan = NanPolicy::omit;
    auto omitted = stats_of(space, values, 0, options);
    CHECK(omitted.count_nan == nans);
    omitted.count_nan = 0;
    check_floating(omitted, rest, 0);
    const auto lowest = std::min_element(rest.begin(), rest.end()),
               highest = std::max_element(rest.begin(), rest.end());
    CHECK(omitted.argmin == places[static_cast<std::size_t>(lowest - rest.begin())]);
    CHECK(omitted.argmax == places[static_cast<std::size_t>(highest - rest.begin())]);
    CHECK(omitted.min == *lowest);
    CHECK(omitted.max == *highest);
    const auto propagated = stats_of(space, values, 0, plan);
    CHECK(propagated.count == values.size());
    CHECK(propagated.count_nan == nans);
    CHECK(propagated.count_inf == omitted.count_inf);
    CHECK(propagated.count_zero == omitted.count_zero);
    const auto first = std::find_if(values.begin(), values.end(), [](T value) { return std::isnan(value); });
    CHECK(propagated.argmin == first - values.begin());
    CHECK(propagated.argmax == first - values.begin());
    CHECK(std::isnan(propagated.min));
    CHECK(std::isnan(propagated.sum));
    options.nan = NanPolicy::error;
    test::check_message(test::message_of<tessera::InvalidArgument>([&] { stats_of(space, values, 0, options); }),
                        {"element " + std::to_string(first - values.begin()) + " is NaN"});
  }
}

TEMPLATE_LIST_TEST_CASE("many NaN and infinities, under each policy", "[reduce][stats]", test::OneSpace) {
  const TestType space;
  for (const std::uint64_t one_in : {3, 100}) {
    for (const bool infinities : {false, true}) {
      INFO("one in " << one_in << " is NaN, " << (infinities ? "some infinite" : "none infinite"));
      check_spoiled(space, test::spoiled_values<float>(20011, one_in, infinities));
      check_spoiled(space, test::spoiled_values<double>(20011, one_in, infinities));
    }
  }
}

/// Against the elements one by one; no NaN.
template <class T, class Space>
void check_extrema(const Space& space, const std::vector<T>& values) {
  for (const ReduceOptions& options : {ReduceOptions{}, ReduceOptions{.league_size = 1, .team_size = 1}}) {
    const auto got = stats_of(space, values, 0, options);
    check_floating(got, values, 0);
    check_places(got, values);
  }
}

template <class T, class Space>
void check_blocks(const Space& space) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const auto values = test::values<T>(3 * 512 + 37, 8);
  check_extrema(space, values);
  check_extrema(space, std::vector<T>(1100, T(0)));
  check_extrema(space, std::vector<T>(1100, T(-3)));
  auto ascending = values;
  std::sort(ascending.begin(), ascending.end());
  check_extrema(space, ascending);
  for (const std::size_t at : {0, 63, 64, 511, 512, 1000, 1023, 1535, 1570}) {
    INFO("at " << at);
    // The same extremum before and after, in its block and in others.
    for (const std::size_t apart : {1, 60, 500, 512}) {
      for (const T extreme : {T(-7), T(7)}) {
        auto planted = values;
        planted[at] = extreme;
        if (at + apart < planted.size()) planted[at + apart] = extreme;
        check_extrema(space, planted);
      }
    }
    for (const T special :
         {T(0), T(-0.0), std::numeric_limits<T>::denorm_min(), -std::numeric_limits<T>::max(), infinity, -infinity}) {
      auto planted = values;
      planted[at] = special;
      check_extrema(space, planted);
    }
    // Zeros of both signs as extrema.
    for (const T sign : {T(1), T(-1)}) {
      std::vector<T> planted = values;
      for (T& value : planted) value = sign * (1 + std::abs(value));
      planted[at] = T(-0.0);
      check_extrema(space, planted);
      CHECK(std::signbit(sign > 0 ? stats_of(space, planted).min : stats_of(space, planted).max));
      planted[(at + 700) % planted.size()] = T(0);
      check_extrema(space, planted);
      CHECK(std::signbit(stats_of(space, planted).min));
      CHECK_FALSE(std::signbit(stats_of(space, planted).max));
    }
    auto planted = values;
    planted[at] = planted[1572] = std::nan("");
    const auto propagated = stats_of(space, planted);
    CHECK(propagated.count_nan == 2);
    CHECK(propagated.argmin == static_cast<std::int64_t>(at));
    CHECK(propagated.argmax == static_cast<std::int64_t>(at));
    const auto omitted = stats_of(space, planted, 0, {.nan = NanPolicy::omit});
    std::erase_if(planted, [](T value) { return std::isnan(value); });
    const tessera::reference::ExactSums sums(planted);
    CHECK(same_double(omitted.l2, sums.template l2<double>()));
    CHECK(omitted.min == *std::min_element(planted.begin(), planted.end()));
    CHECK(omitted.max == *std::max_element(planted.begin(), planted.end()));
  }
}

TEMPLATE_LIST_TEST_CASE("stats: where blocks of a host begin and end", "[reduce][stats]", test::OneSpace) {
  check_blocks<float>(TestType{});
  check_blocks<double>(TestType{});
}

/// Windows of a device's threads that open, fill up, move and do not hold a group.
template <class T, class Space>
void check_windows(const Space& space) {
  const auto values = test::values<T>(70001, 12);
  const int range = sizeof(T) == 4 ? 100 : 900;
  std::vector<std::vector<T>> inputs(6, values);
  const std::size_t size = values.size();
  for (std::size_t i = 0; i < size; ++i) {
    const auto word = static_cast<int>(test::mixed(i, 13) % 1024);
    inputs[0][i] = std::ldexp(values[i], static_cast<int>(2 * range * i / size) - range);      // upwards
    inputs[1][i] = std::ldexp(values[i], range - static_cast<int>(2 * range * i / size));      // downwards
    inputs[2][i] = std::ldexp(values[i], word % 40 - 20);                                      // no window
    inputs[3][i] = word % 8 == 0 ? T(word % 16 == 0 ? -0.0 : 0.0) : values[i];                 // zeros
    inputs[4][i] = std::ldexp(values[i], i % 3000 < 16 ? -range : i % 5000 < 16 ? range : 0);  // now and then
    inputs[5][i] = T(1) + T(word % 7) * std::numeric_limits<T>::epsilon();                     // ties of high words
  }
  for (const auto& input : inputs) {
    const auto lowest = std::min_element(input.begin(), input.end());
    const auto highest = std::max_element(input.begin(), input.end());
    for (const ReduceOptions& options : {ReduceOptions{}, ReduceOptions{.league_size = 1}}) {
      const auto got = stats_of(space, input, 0, options);
      check_floating(got, input, 0);
      CHECK(got.argmin == lowest - input.begin());
      CHECK(got.argmax == highest - input.begin());
    }
  }
}

TEMPLATE_LIST_TEST_CASE("stats: elements from many binades", "[reduce][stats]", test::OneSpace) {
  check_windows<float>(TestType{});
  check_windows<double>(TestType{});
}

TEMPLATE_LIST_TEST_CASE("stats: positions are row-major where memory is not", "[reduce][stats]", test::OneSpace) {
  const TestType space;
  constexpr std::size_t rows = 301, columns = 203;
  const Kokkos::View<float**, Kokkos::LayoutLeft, TestType> in("in", rows, columns);
  const auto host = Kokkos::create_mirror_view(in);
  std::vector<float> values(rows * columns);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = host(i / columns, i % columns) = static_cast<float>(test::mixed(i, 3) % 500);
  }
  Kokkos::deep_copy(in, host);
  const auto got = tessera::reduce(space, in, Stats<float>{});
  check_floating(got, values, 0);
  CHECK(got.argmin == std::min_element(values.begin(), values.end()) - values.begin());
  CHECK(got.argmax == std::max_element(values.begin(), values.end()) - values.begin());
}

TEMPLATE_LIST_TEST_CASE("stats of integers come from exact integers", "[reduce][stats]", test::OneSpace) {
  const TestType space;
  auto values = test::values<std::int64_t>(30011);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= std::int64_t{1} << (i % 37);
  const auto got = stats_of(space, values, 1);
  const tessera::reference::ExactSums sums(values);
  bool fits = false;
  CHECK(got.sum == sums.integer_sum<std::int64_t>(fits));
  CHECK(fits);
  CHECK(got.l1 == sums.integer_l1<std::uint64_t>(fits));
  CHECK(fits);
  CHECK(same_double(got.mean, sums.mean<double>()));
  CHECK(same_double(got.var, sums.variance<double>(1)));
  CHECK(same_double(got.std, sums.deviation<double>(1)));
  CHECK(same_double(got.l2, sums.l2<double>()));
  CHECK(got.min == *std::min_element(values.begin(), values.end()));
  CHECK(got.linf == static_cast<std::uint64_t>(std::max(-got.min, got.max)));
  CHECK(got.count_nan == 0);
}

/// All but sums: those are checked above and in test_integer_moments.cpp.
template <class T, class Space>
void check_integer_blocks(const Space& space) {
  constexpr std::size_t block = 2048 / sizeof(T);
  for (const std::size_t size : {block - 1, block, block + 1, 2 * block, 5 * block + 37}) {
    std::vector<std::vector<T>> inputs(4, std::vector<T>(size));
    for (std::size_t i = 0; i < size; ++i) inputs[0][i] = static_cast<T>(test::mixed(i, size));
    for (std::size_t i = 0; i < size; ++i) inputs[1][i] = static_cast<T>(i < size / 2 ? size / 2 - i : i - size / 2);
    inputs[2].assign(size, std::numeric_limits<T>::max());  // what no minimum is better than
    inputs[3].assign(size, std::numeric_limits<T>::lowest());
    inputs[3][size / 3] = 0;
    for (const auto& values : inputs) {
      INFO("size " << size);
      const auto got = tessera::reduce(space, test::device_copy<Space>(values), tessera::FittingStats<T>{});
      check_places(got, values);
      CHECK(got.count_zero == static_cast<std::uint64_t>(std::count(values.begin(), values.end(), T(0))));
      CHECK(same_double(got.var, tessera::reference::ExactSums(values).template variance<double>(0)));
    }
  }
}

TEMPLATE_LIST_TEST_CASE("stats of integers: where blocks of a host begin and end", "[reduce][stats]", test::OneSpace) {
  check_integer_blocks<std::int8_t>(TestType{});
  check_integer_blocks<std::uint32_t>(TestType{});
  check_integer_blocks<std::int64_t>(TestType{});
}

TEMPLATE_LIST_TEST_CASE("fused reducers give what each gives alone", "[reduce][fused]", test::OneSpace) {
  const TestType space;
  const auto in = test::device_copy<TestType>(test::values<float>(12347));
  const auto fused = tessera::fuse<float>(tessera::Sum<float>{}, tessera::Min<float>{}, tessera::Var<float>{1},
                                          tessera::ArgMax<float>{});
  const auto results = tessera::reduce(space, in, fused);
  CHECK(test::same_bits(tessera::get<0>(results), tessera::reduce(space, in, tessera::Sum<float>{})));
  CHECK(tessera::get<1>(results) == tessera::reduce(space, in, tessera::Min<float>{}));
  CHECK(test::same_bits(tessera::get<2>(results), tessera::reduce(space, in, tessera::Var<float>{1})));
  CHECK(tessera::get<3>(results).index == tessera::reduce(space, in, tessera::ArgMax<float>{}).index);
  const Kokkos::View<float*, TestType> empty("empty", 0);
  CHECK_THROWS_AS(tessera::reduce(space, empty, fused), tessera::InvalidArgument);
}

TEMPLATE_LIST_TEST_CASE("stats whose totals do not fit say so, and have all others", "[reduce][stats]",
                        test::OneSpace) {
  using Limits = std::numeric_limits<std::int64_t>;
  const TestType space;
  const auto fitting = [&](const std::vector<std::int64_t>& values) {
    return tessera::reduce(space, test::device_copy<TestType>(values), tessera::FittingStats<std::int64_t>{});
  };
  const auto low = fitting({Limits::min(), Limits::min() + 1});
  CHECK(!low.sum.fits);
  CHECK(low.sum.value == 0);
  CHECK(low.l1.fits);
  CHECK(low.l1.value == std::numeric_limits<std::uint64_t>::max());
  CHECK(low.min == Limits::min());
  CHECK(low.argmax == 1);
  CHECK(low.mean == -0x1p63);
  const auto cancelling = fitting({Limits::min(), Limits::max(), Limits::min(), Limits::max(), 4});
  CHECK(cancelling.sum.fits);
  CHECK(cancelling.sum.value == 2);
  CHECK(!cancelling.l1.fits);
  CHECK(cancelling.l1.value == 0);
  CHECK(cancelling.count == 5);
  CHECK_THROWS_AS(stats_of(space, std::vector<std::int64_t>{Limits::min(), -1}), tessera::InvalidArgument);
}

}  // namespace

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact sums and what follows from them, to the last bit, on data made to break them: order, plan, team, space and
// number of threads (CMakeLists.txt runs this with several) change nothing.
#include <algorithm>
#include <bit>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "reduce_check.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;

template <class T>
void shuffle(std::vector<T>& values) {
  for (std::size_t i = values.size(); i-- > 1;) std::swap(values[i], values[test::mixed(i, 77) % (i + 1)]);
}

/// Values of both signs with exponents in [lowest, highest].
template <class T>
std::vector<T> spread(std::size_t size, int lowest, int highest, std::uint64_t seed) {
  std::vector<T> values;
  for (std::size_t i = 0; i < size; ++i) {
    const auto span = static_cast<std::uint64_t>(highest - lowest + 1);
    const int exponent = lowest + static_cast<int>(test::mixed(i, seed + 1) % span);
    const T mantissa = 1 + std::abs(test::value_at<T>(i, seed)) / 2;
    values.push_back(std::ldexp(test::mixed(i, seed + 2) % 2 == 0 ? mantissa : -mantissa, exponent));
  }
  return values;
}

/// The values, each taken back by its negative, and the rest.
template <class T>
std::vector<T> cancelling(std::vector<T> values, const std::vector<T>& rest) {
  const std::size_t size = values.size();
  for (std::size_t i = 0; i < size; ++i) values.push_back(-values[i]);
  values.insert(values.end(), rest.begin(), rest.end());
  shuffle(values);
  return values;
}

template <class T>
std::vector<std::vector<T>> adversarial_data() {
  using Limits = std::numeric_limits<T>;
  constexpr T tiny = Limits::denorm_min(), huge = Limits::max(), small = Limits::min(), u = Limits::epsilon() / 2;
  constexpr int top = Limits::max_exponent - 1, bottom = Limits::min_exponent - Limits::digits;
  std::vector<std::vector<T>> data;

  // At the rounding point and beside it.
  for (const T sign : {T(1), T(-1)}) {
    for (const T first : {T(1), 1 + 2 * u}) {
      data.push_back({sign * first, sign * u});
      for (const T more : {tiny, u * u, -tiny, -u * u}) data.push_back({sign * first, sign * u, sign * more});
      data.push_back({sign * first, sign * u, tiny, -tiny});
    }
    data.push_back({sign * small, -sign * tiny});                // the largest subnormal
    data.push_back({sign * small / 2, sign * small / 2, tiny});  // normal again
  }
  // Sums, and squares, that overflow on the way or for good, and the last value that does not.
  data.push_back({huge, huge, -huge, T(1), -huge});
  data.push_back({huge, huge});
  data.push_back({-huge, -huge, -huge, huge});
  data.push_back({huge, huge * (u / 2)});
  data.push_back({huge, huge * (u / 2), tiny});
  data.push_back(std::vector<T>(1000, huge));
  data.push_back(cancelling(std::vector<T>(2000, huge), {tiny, tiny, -3 * tiny}));
  // Zeros.
  data.push_back({T(0)});
  data.push_back({-T(0)});
  data.push_back({-T(0), -T(0), -T(0)});
  data.push_back({T(1), T(-1)});
  data.push_back(cancelling(spread<T>(3001, bottom, top, 1), {}));
  // Condition numbers of 1e30 and more: what is left is far below every rounding error of plain sums.
  const int wide = std::is_same_v<T, float> ? 100 : 110;
  data.push_back(cancelling(spread<T>(2503, 0, 60, 2), {std::ldexp(T(1.25), 60 - wide), -std::ldexp(T(1), -wide)}));
  data.push_back(cancelling(spread<T>(20011, -20, 20, 3), spread<T>(13, -wide, 20 - wide, 4)));
  // Exponents: few, more than a window takes, all of the type, subnormal only.
  data.push_back(spread<T>(10007, -3, 5, 5));
  data.push_back(spread<T>(10007, -20, 20, 6));
  data.push_back(spread<T>(10007, -60, 60, 7));
  data.push_back(spread<T>(10007, bottom, top, 8));
  data.push_back(spread<T>(5003, bottom, Limits::min_exponent - 2, 9));
  data.push_back(std::vector<T>(4099, -tiny));
  // One far from the others, at the end and at the start of a long line.
  data.push_back(std::vector<T>(70001, T(0.1)));
  data.back().back() = huge / 4;
  data.push_back(data.back());
  data.back()[0] = -huge / 4;
  data.push_back(std::vector<T>(70001, -huge / 1000));
  data.back()[35000] = tiny;
  data.back()[123] = -0.0;
  // What hosts add at once, as far apart as their sums can hold, and farther. All but one small element is taken back.
  constexpr int digits = Limits::digits;
  for (const int span : {17, 18, 19, 20, 21, 22, 23, 27, 28, 29, 30, 34, 35, 36, 37, 38, 39, 40}) {
    // The largest; and what leaves most behind a cut: nearly half a unit, all of one sign.
    for (const T large : {2 - 2 * u, 1 + std::ldexp(T(1), -44) - (digits > 24 ? 2 * u : T(0))}) {
      constexpr std::size_t size = 1536;
      data.emplace_back(size, large);
      auto& values = data.back();
      for (std::size_t i = 0; i < size; i += 3) values[i] = std::ldexp(1 + 2 * u * static_cast<T>(i | 1), -span);
      for (std::size_t i = 700; i < size; i += 5) values[i] = i % 2 == 0 ? T(0) : -T(0);
      for (std::size_t i = size; i-- > 1;) values.push_back(-values[i]);
    }
  }
  // A few small ones, which hosts ask how large the others may be.
  for (const int span : {0, 7, 8, 9, 10, 15, 16, 17, 40}) {
    data.emplace_back();
    for (std::size_t i = 0; i < 2048; ++i) {
      data.back().push_back(i % 128 < 8 ? T(1) : std::ldexp(2 - 2 * u * static_cast<T>(1 + i % 4), span));
    }
  }
  // Nearly equal values far from 0: the variance is their last bits.
  data.push_back(std::vector<T>(10007, 1 + 2 * u));
  data.back()[5000] = 1;
  data.push_back(std::vector<T>(10007, huge));
  data.back()[17] = huge * (1 - 2 * u);
  return data;
}

template <class R, class T, class Space, class InView>
void check_plans(const Space& space, const std::vector<T>& values, const InView& in) {
  const auto expected = tessera::reference::reduced<T>(R::name(), values);
  for (const auto variant : tessera::supported_reduce_variants<T>(R{})) {
    for (const auto& [league_size, team_size] : {std::pair{0, 0}, std::pair{1, 0}, std::pair{5, 0}, std::pair{7, 2}}) {
      const int team = team_size == 0 ? 0 : test::odd_team_sizes(space).back();
      const T got =
          tessera::reduce(space, in, R{}, {.variant = variant, .league_size = league_size, .team_size = team});
      INFO("size " << values.size() << ", " << to_string(variant) << ", league " << league_size);
      test::check_expected<T>(got, R::name(), expected);
    }
  }
}

template <class... R, class T, class Space>
void check_reducers(const Space& space, const std::vector<T>& values) {
  const test::GuardedView<T, test::Right, Space, 1> in({values.size()}, values);
  (check_plans<R>(space, values, in.const_view()), ...);
}

template <class T, class Space>
void check_all(const Space& space, const std::vector<T>& values) {
  if constexpr (std::is_same_v<T, double>) {
    check_reducers<tessera::Sum<T>, tessera::Mean<T>, tessera::Var<T>, tessera::Std<T>, tessera::L1<T>, tessera::L2<T>>(
        space, values);
  } else {
    check_reducers<tessera::Sum<T>, tessera::Std<T>>(space, values);
  }
}

TEMPLATE_LIST_TEST_CASE("exact sums of doubles are never a bit off", "[reduce][exact]", test::Spaces) {
  for (const auto& values : adversarial_data<double>()) check_all(TestType(), values);
}

TEMPLATE_LIST_TEST_CASE("exact sums of floats are never a bit off", "[reduce][exact]", test::Spaces) {
  for (const auto& values : adversarial_data<float>()) check_all(TestType(), values);
}

TEMPLATE_LIST_TEST_CASE("an exact sum has the same bits in any order", "[reduce][exact]", test::Spaces) {
  std::vector<double> values = spread<double>(30011, -300, 300, 21);
  const double sum = tessera::reduce(TestType(), test::device_copy<TestType>(values), tessera::Sum<double>{});
  const double deviation = tessera::reduce(TestType(), test::device_copy<TestType>(values), tessera::Std<double>{});
  for (int run = 0; run < 5; ++run) {
    if (run == 0) std::sort(values.begin(), values.end());
    if (run == 1) std::reverse(values.begin(), values.end());
    if (run >= 2) shuffle(values);
    const auto in = test::device_copy<TestType>(values);
    CHECK(test::same_bits(tessera::reduce(TestType(), in, tessera::Sum<double>{}, {.league_size = run}), sum));
    CHECK(test::same_bits(tessera::reduce(TestType(), in, tessera::Std<double>{}, {.league_size = run}), deviation));
  }
}

template <class Reducer, class T, class Space>
auto bits_of(const Space& space, const std::vector<T>& values) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<Bits>(tessera::reduce(space, test::device_copy<Space>(values), Reducer{}));
}

// Computed with rational numbers by another program. A later version may not drift from them.
TEMPLATE_LIST_TEST_CASE("golden bits", "[reduce][exact]", test::Spaces) {
  const TestType space;
  const std::vector<double> doubles = spread<double>(10007, -60, 60, 7);
  CHECK(bits_of<tessera::Sum<double>>(space, doubles) == 0x43f510f082b2c296u);
  CHECK(bits_of<tessera::Mean<double>>(space, doubles) == 0x43213ece405f953du);
  CHECK(bits_of<tessera::L1<double>>(space, doubles) == 0x44275e03e5ad2330u);
  CHECK(bits_of<tessera::L2<double>>(space, doubles) == 0x43e8d058de6c486eu);
  CHECK(bits_of<tessera::Var<double>>(space, doubles) == 0x470f7e7e78723064u);
  CHECK(bits_of<tessera::Std<double>>(space, doubles) == 0x437fbefd32879c3cu);
  const std::vector<float> floats = spread<float>(10007, -20, 20, 6);
  CHECK(bits_of<tessera::Sum<float>>(space, floats) == 0x49e9ef7cu);
  CHECK(bits_of<tessera::Std<float>>(space, floats) == 0x4862eda8u);
}

TEMPLATE_LIST_TEST_CASE("an exact result rounds once to the type of its view", "[reduce][exact]", test::Spaces) {
  // As a double the sum is at the middle between two floats; the exact one is above.
  const std::vector<double> values{1, 0x1p-24, 0x1p-80};
  const auto in = test::device_copy<TestType>(values);
  const Kokkos::View<float, TestType> out("out");
  tessera::reduce(TestType(), in, tessera::Sum<double>{}, out);
  float got = 0;
  Kokkos::deep_copy(got, out);
  CHECK(got == 1 + 0x1p-23f);
  CHECK(static_cast<float>(tessera::reduce(TestType(), in, tessera::Sum<double>{})) == 1.0f);
}

}  // namespace

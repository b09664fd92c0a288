// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights of named filters: against values of 60 decimal digits, exact fractions, the literature and their definitions.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <tessera/filter/named_weights.hpp>
#include <tessera/filter/weights.hpp>
#include <utility>
#include <vector>

#include "support/guarded_view.hpp"
#include "support/limits.hpp"
#include "support/message.hpp"

namespace {

namespace test = tessera::test;
using tessera::binomial_weights;
using tessera::gaussian_radius;
using tessera::gaussian_weights;
using tessera::InvalidArgument;
using tessera::savgol_weights;
using Weights = std::vector<double>;

/// Each within one unit of the last place.
void check_last_place(const Weights& got, const Weights& expected) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    INFO("weight " << k << ": " << got[k] << ", expected " << expected[k]);
    CHECK((got[k] == expected[k] || got[k] == std::nextafter(expected[k], got[k])));
  }
}

double largest_of(const Weights& weights) {
  double largest = 0;
  for (const double weight : weights) largest = std::max(largest, std::abs(weight));
  return largest;
}

/// The right half of an odd or even filter, mirrored.
Weights mirrored(const Weights& half, double left_sign) {
  Weights weights;
  for (std::size_t d = half.size() - 1; d > 0; --d) weights.push_back(left_sign * half[d]);
  weights.insert(weights.end(), half.begin(), half.end());
  return weights;
}

Weights over(const Weights& numerators, long double denominator) {
  Weights weights;
  for (const double numerator : numerators) weights.push_back(static_cast<double>(numerator / denominator));
  return weights;
}

/// q_k of the definition, by its coefficients.
std::vector<long double> gaussian_polynomial(int order, long double sigma) {
  std::vector<long double> q{1};
  for (int k = 0; k < order; ++k) {
    std::vector<long double> next(q.size() + 1);
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (i > 0) next[i - 1] += static_cast<long double>(i) * q[i];
      next[i + 1] -= q[i] / (sigma * sigma);
    }
    q = next;
  }
  return q;
}

/// What a convolution with the weights gives at the middle of the window for x^power, and the largest weight times
/// sum |x|^power.
std::pair<long double, long double> response_to_power(const Weights& weights, int power) {
  const auto radius = static_cast<std::int64_t>(weights.size() / 2);
  long double sum = 0, magnitude = 0;
  for (std::int64_t k = 0; k <= 2 * radius; ++k) {
    const long double x_to_power = std::pow(static_cast<long double>(radius - k), power);
    sum += weights[static_cast<std::size_t>(k)] * x_to_power;
    magnitude += std::abs(x_to_power);
  }
  return {sum, magnitude * largest_of(weights)};
}

TEST_CASE("gaussian weights have every digit right", "[filter][weights]") {
  check_last_place(gaussian_weights(0.7),
                   mirrored({0.569845783857946, 0.20539965263338855, 0.009618930814198502, 5.852462343990877e-05}, 1));
  check_last_place(gaussian_weights(0.7, 1),
                   mirrored({0, -0.41918296455793586, -0.039260942098769396, -0.000358314021060666}, -1));
  check_last_place(gaussian_weights(0.7, 2),
                   mirrored({-1.162950579301931, 0.4362924733154027, 0.1406182722108986, 0.0020743213055961006}, 1));
  check_last_place(gaussian_weights(0.7, 5),
                   mirrored({0, 2.170519241176652, -0.001021568882398818, -0.25173905090546184}, -1));
  check_last_place(gaussian_weights(1.5, 3, 2.0),
                   mirrored({0, 0.10941327609953974, 0.05373227295551094, -0.021708352811374242}, -1));
}

TEST_CASE("gaussian weights follow their recurrence", "[filter][weights]") {
  for (const double sigma : {3.0, 10.25}) {
    const std::int64_t radius = gaussian_radius(sigma);
    long double sum = 0;
    for (std::int64_t x = -radius; x <= radius; ++x) {
      sum += std::exp(-static_cast<long double>(x * x) / (2 * static_cast<long double>(sigma) * sigma));
    }
    for (int order = 0; order <= 6; ++order) {
      const Weights weights = gaussian_weights(sigma, order);
      const auto q = gaussian_polynomial(order, sigma);
      const double bound = 0x1p-52 * largest_of(weights);
      REQUIRE(weights.size() == static_cast<std::size_t>(2 * radius + 1));
      for (std::int64_t x = -radius; x <= radius; ++x) {
        long double value = 0;
        for (std::size_t i = q.size(); i-- > 0;) value = value * static_cast<long double>(x) + q[i];
        value *= std::exp(-static_cast<long double>(x * x) / (2 * static_cast<long double>(sigma) * sigma)) / sum;
        INFO("sigma " << sigma << ", order " << order << ", x " << x);
        CHECK(std::abs(weights[static_cast<std::size_t>(x + radius)] - value) <= bound);
      }
    }
  }
}

TEST_CASE("gaussian weights smooth and differentiate", "[filter][weights]") {
  const auto is_near = [](long double value, double expected) { return std::abs(value - expected) < 1e-12; };
  const double sigma = 2.5;
  CHECK(is_near(response_to_power(gaussian_weights(sigma), 0).first, 1));
  CHECK(is_near(response_to_power(gaussian_weights(sigma, 0, 20), 2).first, sigma * sigma));
  CHECK(is_near(response_to_power(gaussian_weights(sigma, 1, 20), 1).first, 1));
  CHECK(is_near(response_to_power(gaussian_weights(sigma, 2, 20), 2).first, 2));
  CHECK(is_near(response_to_power(gaussian_weights(sigma, 3, 20), 3).first, 6));
  CHECK(gaussian_weights(2, 2)[8 + 2] == 0);  // x = sigma
  CHECK(gaussian_weights(40, 0, 60)[0] == 0);
}

TEST_CASE("a gaussian's radius is SciPy's", "[filter][weights]") {
  CHECK(gaussian_radius(2) == 8);
  CHECK(gaussian_radius(0.125) == 1);
  CHECK(gaussian_radius(0.1249) == 0);
  CHECK(gaussian_radius(1, 2.49) == 2);
  CHECK(gaussian_radius(49.99999999999999, 0.01) == 1);  // 0 with one rounding
  CHECK(gaussian_weights(0) == Weights{1});
  CHECK(gaussian_weights(0.1) == Weights{1});
  CHECK(gaussian_weights(1e-300) == Weights{1});
  CHECK(gaussian_weights(3, 0, 0) == Weights{1});
}

TEST_CASE("binomial weights are exact where float64 can hold them", "[filter][weights]") {
  CHECK(binomial_weights(1) == Weights{1});
  CHECK(binomial_weights(2) == Weights{0.5, 0.5});
  CHECK(binomial_weights(3) == Weights{0.25, 0.5, 0.25});
  std::vector<std::uint64_t> pascal{1};
  for (int taps = 1; taps <= 54; ++taps) {
    INFO(taps);
    Weights expected;
    for (const std::uint64_t number : pascal) expected.push_back(std::ldexp(static_cast<double>(number), 1 - taps));
    CHECK(binomial_weights(taps) == expected);
    pascal.push_back(0);
    for (std::size_t k = pascal.size(); k-- > 1;) pascal[k] += pascal[k - 1];
  }
}

TEST_CASE("binomial weights beyond the range of float64 are 0", "[filter][weights]") {
  CHECK(binomial_weights(1075).front() == 0x1p-1074);
  CHECK(binomial_weights(1076).front() <= 0x1p-1074);  // a tie
  CHECK(binomial_weights(1077).front() == 0);
  CHECK(binomial_weights(1077)[1] > 0);
  const Weights weights = binomial_weights(1101);
  check_last_place({weights[50], weights[100], weights[550], weights[600]},
                   {9.172665976566179e-245, 0x1.d2c376f7d4d50p-622, 0x1.8a0ff6e1dd6dfp-6, 0x1.0b25e3d638566p-12});
  check_last_place({weights.begin(), weights.begin() + 7},
                   {0, 0, 0, 1.5e-323, 4.466e-321, 9.79115e-319, 1.7868837e-316});
  CHECK(Weights(weights.rbegin(), weights.rend()) == weights);
}

TEST_CASE("very many binomial weights", "[filter][weights]") {
  const std::int64_t m = 500000;
  const Weights weights = binomial_weights(2 * m + 1);
  // Stirling's series of C(2m, m) / 4^m.
  const long double r = 1.0L / m;
  const long double middle = std::sqrt(r / std::acos(-1.0L)) * (1 - r / 8 + r * r / 128 + 5 * r * r * r / 1024);
  check_last_place({weights[m]}, {static_cast<double>(middle)});
  long double sum = 0;
  for (const double weight : weights) sum += weight;
  CHECK(std::abs(sum - 1) < 1e-15L);
  CHECK(weights.front() == 0);
}

TEST_CASE("savgol weights of the literature", "[filter][weights]") {
  check_last_place(savgol_weights(5, 2), over({-3, 12, 17, 12, -3}, 35));
  check_last_place(savgol_weights(5, 3), over({-3, 12, 17, 12, -3}, 35));
  check_last_place(savgol_weights(7, 4), over({5, -30, 75, 131, 75, -30, 5}, 231));
  check_last_place(savgol_weights(9, 4), over({15, -55, 30, 135, 179, 135, 30, -55, 15}, 429));
  check_last_place(savgol_weights(5, 2, 1), over({2, 1, 0, -1, -2}, 10));
  check_last_place(savgol_weights(7, 3, 1), over({-22, 67, 58, 0, -58, -67, 22}, 252));
  check_last_place(savgol_weights(7, 3, 1, 0.5), over({-22, 67, 58, 0, -58, -67, 22}, 126));
  check_last_place(savgol_weights(5, 2, 2), over({2, -1, -2, -1, 2}, 7));
  check_last_place(savgol_weights(5, 2, 2, 0.5), over({8, -4, -8, -4, 8}, 7));
  check_last_place(savgol_weights(3, 0), over({1, 1, 1}, 3));
  CHECK(savgol_weights(1, 0) == Weights{1});
  CHECK(savgol_weights(5, 2, 3) == Weights(5));
  CHECK(savgol_weights(5, 2, 1000) == Weights(5));
}

TEST_CASE("savgol weights differentiate every polynomial up to theirs", "[filter][weights]") {
  const auto check = [](std::int64_t window, std::int64_t polynomial, std::int64_t derivative, int powers) {
    const Weights weights = savgol_weights(window, polynomial, derivative);
    for (int power = 0; power <= powers; ++power) {
      INFO(window << ", " << polynomial << ", " << derivative << ": x^" << power);
      const auto [sum, magnitude] = response_to_power(weights, power);
      const long double expected = power == derivative ? std::tgamma(static_cast<long double>(power + 1)) : 0;
      CHECK(std::abs(sum - expected) <= 0x1p-53L * magnitude);
    }
  };
  check(21, 4, 0, 4);
  check(21, 4, 3, 4);
  check(21, 20, 1, 20);
  check(101, 20, 4, 20);
  check(1001, 3, 1, 3);
  check(10001, 2, 0, 3);
}

TEST_CASE("savgol weights are least squares: themselves a polynomial of that degree", "[filter][weights]") {
  for (const int polynomial : {2, 3, 6}) {
    for (const int derivative : {0, 1, 2}) {
      Weights differences = savgol_weights(101, polynomial, derivative);
      const double bound = std::ldexp(largest_of(differences), polynomial + 1 - 53);
      for (int k = 0; k <= polynomial; ++k) {
        for (std::size_t i = 0; i + 1 < differences.size(); ++i) differences[i] = differences[i + 1] - differences[i];
        differences.pop_back();
      }
      CHECK(largest_of(differences) <= bound);
    }
  }
}

TEST_CASE("savgol weights of high degree keep their digits", "[filter][weights]") {
  const auto check = [](const Weights& weights, const std::vector<std::pair<std::size_t, double>>& expected) {
    const double bound = 0x1p-52 * largest_of(weights);
    for (const auto& [distance, weight] : expected) {
      INFO(weights.size() << " at " << distance);
      CHECK(std::abs(weights[weights.size() / 2 - distance] - weight) <= bound);
    }
  };
  // From exact fractions.
  check(savgol_weights(101, 40),
        {{0, 0.2695723823821164}, {1, 0.23852531320662504}, {7, -0.015019925562974875}, {50, 7.529228121030029e-06}});
  check(savgol_weights(301, 100, 3), {{0, 0},
                                      {1, -0.008802874807828613},
                                      {2, -0.014792950286632066},
                                      {7, 0.008805440386328892},
                                      {150, 3.0783024284541543e-10}});
  for (const std::int64_t window : {21, 101, 301}) {
    std::vector<std::pair<std::size_t, double>> unit{{0, 1}};
    for (std::size_t distance = 1; distance <= static_cast<std::size_t>(window / 2); ++distance) {
      unit.emplace_back(distance, 0);
    }
    check(savgol_weights(window, window - 1), unit);
  }
}

TEST_CASE("named weights that cannot be are errors", "[filter][errors]") {
  const auto refused = [](const auto& call, std::initializer_list<std::string_view> parts) {
    test::check_message(test::message_of<InvalidArgument>(call), parts);
  };
  for (const auto& [sigma, text] : {std::pair{-1e-9, "-1e-09"}, {test::nan, "nan"}, {test::infinity, "inf"}}) {
    refused([sigma = sigma] { (void)gaussian_weights(sigma); },
            {"tessera::gaussian_weights", "`sigma`", text, "expected", "0 or more", ";", "standard deviation"});
  }
  for (const auto& [truncate, text] : {std::pair{-0.5, "-0.5"}, {test::nan, "nan"}, {test::infinity, "inf"}}) {
    refused([truncate = truncate] { (void)gaussian_weights(1, 0, truncate); },
            {"tessera::gaussian_weights", "`truncate`", text, "expected", "0 or more", ";", "radius"});
  }
  for (const auto& [sigma, truncate] : {std::pair{0x1p28, 4.0}, {1e300, 1e300}}) {
    refused([sigma = sigma, truncate = truncate] { (void)gaussian_weights(sigma, 0, truncate); },
            {"tessera::gaussian_weights", "`sigma`", "with truncate", "expected", "below 2^30", ";", "lower"});
  }
  CHECK(gaussian_radius(0x1p28 - 1) == (std::int64_t{1} << 30) - 4);
  for (const std::int64_t order : {-1, 1001}) {
    refused([&] { (void)gaussian_weights(1, order); },
            {"tessera::gaussian_weights", "`order`", std::to_string(order), "expected", "0 to 1000", ";"});
  }
  refused([] { (void)gaussian_weights(0, 1); },
          {"tessera::gaussian_weights", "`order`", "1 with sigma 0", "expected", "order 0", ";", "above 0"});
  refused([] { (void)gaussian_weights(1e-300, 2); },
          {"tessera::gaussian_weights", "`order`", "2 with sigma 1e-300", "expected", "float64", ";"});
  for (const std::int64_t taps : {std::int64_t{0}, std::int64_t{-3}, std::int64_t{1} << 31}) {
    refused([&] { (void)binomial_weights(taps); },
            {"tessera::binomial_weights", "`taps`", std::to_string(taps), "expected", "1 to 2^31 - 1", ";"});
  }
  for (const std::int64_t window : {std::int64_t{4}, std::int64_t{0}, std::int64_t{-1}, (std::int64_t{1} << 31) + 1}) {
    refused([&] { (void)savgol_weights(window, 2); },
            {"tessera::savgol_weights", "`window`", std::to_string(window), "expected", "odd", ";", "middle"});
  }
  for (const std::int64_t polynomial : {-1, 5}) {
    refused([&] { (void)savgol_weights(5, polynomial); },
            {"tessera::savgol_weights", "`polynomial`", std::to_string(polynomial), "expected", "0 to 4", ";"});
  }
  refused([] { (void)savgol_weights(5, 2, -1); },
          {"tessera::savgol_weights", "`derivative`", "-1", "expected", "0 or more", ";", "smooths"});
  for (const auto& [delta, text] : {std::pair{0.0, "0"}, {-1.0, "-1"}, {test::nan, "nan"}, {test::infinity, "inf"}}) {
    refused([delta = delta] { (void)savgol_weights(5, 2, 1, delta); },
            {"tessera::savgol_weights", "`delta`", text, "expected", "more than 0", ";", "distance"});
  }
  refused([] { (void)savgol_weights(5, 2, 2, 1e-200); },
          {"tessera::savgol_weights", "`derivative`", "2 with delta 1e-200", "expected", "float64", ";"});
}

TEST_CASE("weights from a braced list", "[filter]") {
  const Kokkos::DefaultExecutionSpace space;
  const tessera::FilterWeights weights(space, {0.25, 0.5, -1.25});
  CHECK(test::host_copy(weights.values()) == Weights{0.25, 0.5, -1.25});
  CHECK(weights.sum() == -0.5);
  CHECK_THROWS_AS(tessera::FilterWeights(space, {}), InvalidArgument);
}

}  // namespace

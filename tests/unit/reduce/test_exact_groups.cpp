// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of groups of doubles and of their squares, what they are off, and doubles that are rounded within that.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tessera/reduce/detail/exact_few_squares.hpp>
#include <tessera/reduce/detail/exact_pair_rounding.hpp>
#include <vector>

#include "reference/exact_reference.hpp"
#include "support/data.hpp"

namespace {

namespace test = tessera::test;
namespace detail = tessera::detail;

/// Groups of doubles of N: of any exponents, with zeros, below and above what squares of doubles are.
template <int N>
void check_groups() {
  std::size_t wrong = 0, exact = 0, loose = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    double group[N];
    std::vector<double> elements;
    const int middle = static_cast<int>(i % 7) * 80 - 480, span = i % 3 == 0 ? 1 : i % 3 == 1 ? 20 : 900;
    for (std::uint64_t k = 0; k < N; ++k) {
      const std::uint64_t random = test::mixed(i * N + k, N);
      const auto any = static_cast<double>(static_cast<std::int64_t>(random >> (i % 5 == 0 ? 44 : 0)));
      const int exponent = static_cast<int>(random % static_cast<unsigned>(span)) - span + middle;
      group[k] = i % 4 == 0 && random % 3 == 0 ? 0 : std::ldexp(any, exponent);
      elements.push_back(group[k]);
    }
    const detail::FieldRange fields = detail::field_range(group);
    if (!detail::takes_group<double, N>(fields)) continue;
    const detail::BoundedPair sum = detail::group_sum(fields, group), squares = detail::group_squares(fields, group);
    // The sums less what they are said to be.
    std::vector<double> sum_terms = elements, squares_terms{-squares.high, -squares.low};
    sum_terms.insert(sum_terms.end(), {-sum.high, -sum.low});
    double largest = 0;
    bool tiny = false;
    for (const double x : elements) {
      squares_terms.insert(squares_terms.end(), {x * x, std::fma(x, x, -(x * x))});
      largest = std::max(largest, std::fabs(x));
      tiny = tiny || (x != 0 && std::fabs(x) < 0x1p-480);
    }
    const double sum_off = std::fabs(tessera::reference::ExactSums(sum_terms).sum<double>());
    const double squares_off = std::fabs(tessera::reference::ExactSums(squares_terms).sum<double>());
    wrong += sum_off <= sum.bound && squares_off <= squares.bound ? 0 : 1;
    wrong += tiny && squares.bound == 0 ? 1 : 0;
    exact += sum.bound == 0 && squares.bound == 0 ? 1 : 0;
    if (largest > 0x1p-400) {
      loose += sum.bound <= 0x1p-88 * largest && squares.bound <= 0x1p-80 * largest * largest ? 0 : 1;
    }
  }
  INFO("groups of " << N);
  CHECK(wrong == 0);
  CHECK(loose == 0);
  CHECK(exact > 20);
}

TEST_CASE("private: groups of doubles are off by no more than their bounds", "[reduce][exact]") {
  check_groups<1>();
  check_groups<3>();
  check_groups<4>();
  check_groups<8>();
  check_groups<16>();
}

TEST_CASE("private: zeros of both signs leave nothing of a group", "[reduce][exact]") {
  const double group[4] = {-0.0, 3, 0.0, -0.0};
  const detail::FieldRange fields = detail::field_range(group);
  CHECK(detail::group_sum(fields, group).bound == 0);
  CHECK(detail::group_squares(fields, group).bound == 0);
}

TEST_CASE("private: single squares of doubles tell what they lose", "[reduce][exact]") {
  for (const double x : {0x1p-600, -0x1.8p-537, 0x1p-1074, 0x1.fffffffffffffp-500, 0x1.0000001p-470}) {
    detail::SquaresFew<double> few;
    few.add(x);
    CHECK(few.total().bound > 0);
    CHECK(few.total().bound < 0x1p-1000);
  }
  detail::SquaresFew<double> whole, large;
  for (const double x : {0.0, -0.0, 3.0, 1.0 + 0x1p-52, 0x1p-300}) whole.add(x);
  CHECK(whole.total().bound <= 0x1p-100);
  large.add(0x1p520);
  large.add(0x1p600);
  CHECK(!large.total().holds());
}

/// Whether differences from the first of `elements` are said to be sums that they are, or not.
template <class T>
bool holds_differences(const std::vector<T>& elements, bool known) {
  detail::ShiftedFew<T> few(elements[0]), joined;
  for (std::size_t i = 0; i + 4 <= elements.size(); i += 4) {
    detail::ShiftedFew<T> part(few.neutral());
    const T group[4] = {elements[i], elements[i + 1], elements[i + 2], elements[i + 3]};
    detail::add_group(part, group);
    part.add(few.neutral());
    few.join(part);
  }
  joined.join(few);
  const detail::BoundedSpread total = joined.total();
  if (!known || !total.holds()) return total.holds() == known;
  std::vector<double> sum_terms{-total.sum.high, -total.sum.low},
      squares_terms{-total.squares.high, -total.squares.low};
  for (const T element : elements) {
    const double x = static_cast<double>(element) - static_cast<double>(elements[0]);
    sum_terms.push_back(x);
    squares_terms.insert(squares_terms.end(), {x * x, std::fma(x, x, -(x * x))});
  }
  return std::fabs(tessera::reference::ExactSums(sum_terms).sum<double>()) <= total.sum.bound &&
         std::fabs(tessera::reference::ExactSums(squares_terms).sum<double>()) <= total.squares.bound;
}

TEST_CASE("private: differences from an element are sums within their bounds, or known to be none", "[reduce][exact]") {
  for (std::uint64_t i = 0; i < 200; ++i) {
    std::vector<double> far;
    std::vector<float> floats;
    for (std::uint64_t k = 0; k < 16; ++k) {
      const auto random = static_cast<double>(static_cast<std::int64_t>(test::mixed(i, k)));
      far.push_back(std::ldexp(1.5, 30) + std::ldexp(random, -63));
      floats.push_back(static_cast<float>(std::ldexp(random, -63)));
    }
    CHECK(holds_differences(far, true));
    CHECK(holds_differences(floats, true));
  }
  CHECK(holds_differences<double>({3, 3, 3, 3}, true));
  CHECK(holds_differences<double>({0, 0x1p-1000, -0x1p-1000, 0}, true));
  // A difference that is no double; elements that are not finite.
  CHECK(holds_differences<double>({1, 0x1p-60, 1, 1}, false));
  CHECK(holds_differences<double>({1, std::numeric_limits<double>::infinity(), 1, 1}, false));
  CHECK(holds_differences<float>({1, std::numeric_limits<float>::quiet_NaN(), 1, 1}, false));
  CHECK(holds_differences<float>({0x1p100F, 0x1p-100F, 1, 1}, false));
}

TEST_CASE("private: a double near the middle between two results, or between bounds, is not settled",
          "[reduce][exact]") {
  double result = -1;
  CHECK(!detail::round_within(1, 0x1p-53, 0, result));
  CHECK(!detail::round_within(1, std::nextafter(0x1p-53, 1.0), 0, result));
  CHECK(!detail::round_within(1, 0x1p-53 - 0x1p-80, 0x1p-80, result));
  CHECK(detail::round_within(1, 0x1p-53 - 0x1p-80, 0x1p-82, result));
  CHECK(result == 1);
  CHECK(detail::round_within(1, 0x1p-53 + 0x1p-80, 0x1p-82, result));
  CHECK(result == 1 + 0x1p-52);
  CHECK(detail::estimate_root({25, 0}, 0, result));
  CHECK(result == 5);
  CHECK(!detail::estimate_root({25, 0}, 0x1p-45, result));
  CHECK(!detail::estimate_root({-1, 0}, 0, result));
  CHECK(!detail::estimate_root({0, 0}, 0, result));
  CHECK(!detail::estimate_root({std::numeric_limits<double>::infinity(), 0}, 0, result));
  std::size_t wrong = 0, decided = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    // The square of a middle between two doubles, and beside it: of 54 bits, a sum of three doubles.
    const double root = 1 + static_cast<double>(test::mixed(i, 1) >> 12) * 0x1p-52, square = root * root;
    const detail::ExactPair pair =
        detail::two_sum(square, std::fma(root, root, -square) + root * 0x1p-52 * (i % 2 == 0 ? 1 : 1 + 0x1p-30));
    if (!detail::estimate_root(pair, 0, result)) continue;
    ++decided;
    wrong += result == root + 0x1p-52 ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(decided > 9000);
  CHECK(decided < 11000);
}

}  // namespace

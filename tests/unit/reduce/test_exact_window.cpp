// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private parts of exact sums: windows, which only devices use, and the division and the square root that round.
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tessera/reduce/detail/exact_rounding.hpp>
#include <tessera/reduce/detail/exact_window.hpp>
#include <vector>

#include "reduce_check.hpp"
#include "reference/exact_reference.hpp"

namespace {

namespace test = tessera::test;
namespace detail = tessera::detail;
using detail::UInt128;
using detail::WideValue;

constexpr int group = 8;

template <int N>
double sum_of(const double (&terms)[N]) {
  return tessera::reference::ExactSums(std::vector<double>(terms, terms + N)).sum<double>();
}

/// Random mantissas and signs in so many binades below 2^top.
template <class T>
void check_window(int top, int binades, std::size_t size, std::uint64_t seed) {
  INFO("below 2^" << top << ", " << binades << " binades, " << size << " elements");
  std::vector<T> values(size);
  for (std::size_t i = 0; i < size; ++i) {
    const double x = test::value_at<double>(i, seed);
    const auto down = static_cast<int>(test::mixed(i, seed + 1) % static_cast<std::uint64_t>(binades));
    const double mantissa = i % 5 == 0 ? 1.0 - std::numeric_limits<T>::epsilon() / 2 : 0.5 + std::fabs(x) / 2;
    values[i] = std::ldexp(static_cast<T>(std::copysign(std::min(mantissa, 1.0 - 0x1p-24), x)), top - down);
    if (i % 11 == 3) values[i] = 0;
  }
  detail::ExactWindow<T> window;
  window.clear();
  REQUIRE_FALSE(window.is_open());
  for (std::size_t i = 0; i < size; i += group) {
    T elements[group];
    for (int k = 0; k < group; ++k) elements[k] = i + k < size ? values[i + k] : T(0);
    detail::WordRange words = detail::GroupWords(elements).magnitudes();
    CHECK((words.smallest == 0) == (std::find(elements, elements + group, T(0)) != elements + group));
    words.smallest = detail::smallest_but_zero(elements);
    if (!window.holds(words)) {
      REQUIRE_FALSE(window.is_open());
      T largest[1] = {std::ldexp(T(1) - std::numeric_limits<T>::epsilon() / 2, top)};
      const std::uint32_t word = detail::magnitude_word(largest[0]);
      window.open({word, word});
    }
    REQUIRE(window.holds(words));
    window.add(elements);
    CHECK(window.is_full(group, group) == (i + group == (sizeof(T) == 4 ? 256 : 128)));
  }
  const auto terms = window.terms();
  const tessera::reference::ExactSums sums(values);
  CHECK(sum_of(terms.sum) == sums.sum<double>());
  CHECK(sum_of(terms.magnitude) == sums.l1<double>());
  std::vector<double> squares;
  for (const T value : values) {
    const double x = value, square = x * x;
    squares.insert(squares.end(), {square, std::fma(x, x, -square)});
  }
  CHECK(sum_of(terms.squares) == tessera::reference::ExactSums(squares).sum<double>());
}

TEST_CASE("windows add without error", "[reduce][exact]") {
  for (const std::size_t size : {1, 8, 100, 128}) {
    for (std::uint64_t seed = 1; seed < 40; ++seed) {
      for (const int top : {-60, 0, 3, 60}) {
        check_window<float>(top, 19, size, seed);
        check_window<double>(6 * top, 17, size, seed);
      }
    }
    check_window<float>(126, 19, 2 * size, 7);
    check_window<float>(-100, 19, 2 * size, 7);
    check_window<double>(490, 17, size, 7);
    check_window<double>(-430, 17, size, 7);
  }
}

TEST_CASE("windows take no more than they hold", "[reduce][exact]") {
  detail::ExactWindow<float> window;
  window.clear();
  const auto word = [](float x) { return detail::magnitude_word(x); };
  CHECK_FALSE(window.holds({~0u, 0}));  // zeros, before it is open
  window.open({word(1), word(1)});      // ceiling 8
  CHECK(window.holds({~0u, 0}));
  CHECK(window.holds({word(0x1p-18f), word(7.9f)}));
  CHECK_FALSE(window.holds({word(1), word(8)}));
  CHECK_FALSE(window.holds({word(0x1.fp-19f), word(1)}));
  CHECK(detail::ExactWindow<float>::could_hold({word(0x1p-126f), word(0x1p-110f)}));
  CHECK_FALSE(detail::ExactWindow<float>::could_hold({word(0x1p-149f), word(0x1p-140f)}));
  CHECK_FALSE(detail::ExactWindow<float>::could_hold({word(1e-20f), word(1)}));
  CHECK_FALSE(
      detail::ExactWindow<double>::could_hold({detail::magnitude_word(0x1p500), detail::magnitude_word(0x1p501)}));
  for (int added = 0; added < 240; added += 16) CHECK_FALSE(window.is_full(16, 16));
  CHECK(window.is_full(16, 16));
}

template <class T>
void check_order(const std::vector<T>& values) {
  for (std::size_t i = 0; i + group <= values.size(); ++i) {
    T elements[group];
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i), group, elements);
    const detail::GroupWords words(elements);
    const auto as_float = [](T x) { return Kokkos::bit_cast<float>(detail::order_word(x)); };
    CHECK(words.lowest() == as_float(*std::min_element(elements, elements + group)));
    CHECK(words.highest() == as_float(*std::max_element(elements, elements + group)));
  }
}

TEST_CASE("words of a group give its extremes", "[reduce][exact]") {
  for (const double shift : {-3.0, -0.5, 0.0, 0.5, 3.0}) {
    auto floats = test::values<float>(200);
    auto doubles = test::values<double>(200);
    for (float& x : floats) x += static_cast<float>(shift);
    for (double& x : doubles) x += shift;
    floats[50] = floats[51] = 0;
    floats[90] = -0.0f;
    floats[130] = std::numeric_limits<float>::denorm_min();
    doubles[60] = -0.0;
    doubles[110] = std::numeric_limits<double>::denorm_min();
    check_order(floats);
    check_order(doubles);
  }
}

UInt128 random_bits(std::uint64_t i, int bits) {
  const UInt128 value = static_cast<UInt128>(test::mixed(i, 5)) << 64 | test::mixed(i, 6);
  const UInt128 kinds[] = {value, ~UInt128{0}, UInt128{1} << 127, ~UInt128{0} << (i % 128)};
  return Kokkos::max(kinds[i / 7 % 4] >> (128 - bits), UInt128{1});
}

TEST_CASE("128 bits of quotients, bit by bit", "[reduce][exact]") {
  for (std::uint64_t i = 0; i < 40000; ++i) {
    std::int64_t digit[8];
    const int begin = static_cast<int>(i % 3), end = begin + 1 + static_cast<int>(i % 5);
    for (int j = 0; j < 8; ++j) {
      const auto word = static_cast<std::int64_t>(test::mixed(i, static_cast<std::uint64_t>(j)) & 0xffffffff);
      digit[j] = word % 5 == 0 ? 0 : word % 5 == 1 ? 0xffffffff : word;
    }
    digit[end - 1] |= 1;
    const UInt128 divisor = random_bits(i, 1 + static_cast<int>(i % 127));
    UInt128 remainder = 0, head = 0;
    int position = 32 * end;
    while (head >> 127 == 0) {
      --position;
      const int j = position >> 5;
      const auto bit = j >= begin ? static_cast<std::uint64_t>(digit[j]) >> (position & 31) & 1 : 0;
      remainder = remainder << 1 | bit;
      head = head << 1 | (remainder >= divisor ? 1 : 0);
      if (remainder >= divisor) remainder -= divisor;
    }
    bool more = remainder != 0;
    for (int bit = 32 * begin; bit < position; ++bit) more = more || (digit[bit >> 5] >> (bit & 31) & 1) != 0;
    const WideValue quotient = detail::divided(digit, begin, end, -9, divisor);
    REQUIRE(quotient.head == head);
    CHECK(quotient.exponent == position - 9);
    CHECK(quotient.more == more);
  }
}

TEST_CASE("64 bits of square roots", "[reduce][exact]") {
  for (std::uint64_t i = 0; i < 40000; ++i) {
    const UInt128 root = random_bits(i, 64) | UInt128{1} << 63;
    for (const int off : {-1, 0, 1}) {
      WideValue value;
      value.head = root * root;
      if (off > 0 && value.head != ~UInt128{0}) ++value.head;
      if (off < 0) --value.head;
      value.exponent = 2 * static_cast<int>(i % 5);
      value = detail::normalised(value);
      const WideValue result = detail::square_root(value);
      CHECK(((result.head >> 64) == root || off < 0));
      CHECK(result.more == (off != 0));
    }
  }
}

}  // namespace

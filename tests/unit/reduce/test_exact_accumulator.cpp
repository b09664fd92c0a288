// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact accumulators as values: any order, any grouping, any space, the same bytes.
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tessera/reduce/exact_accumulator.hpp>

#include "reduce_check.hpp"
#include "reference/exact_reference.hpp"
#include "support/message.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
using tessera::AccumulatedTerm;
using tessera::AccumulateExactly;
using tessera::ExactAccumulator;

/// Values over the whole range, subnormals and both zeros among them, in pairs that nearly cancel.
std::vector<double> hard_values(std::size_t size) {
  auto values = test::values<double>(size, 5);
  for (std::size_t i = 0; i < size; ++i) values[i] = std::ldexp(values[i], static_cast<int>(i * 37 % 2090) - 1070);
  for (std::size_t i = 3; i + 1 < size; i += 7) values[i] = -values[i + 1];
  if (size > 2) values[1] = -0.0;
  return values;
}

template <class T, AccumulatedTerm Term = AccumulatedTerm::value>
ExactAccumulator<T, Term> accumulated(const std::vector<T>& values, std::size_t begin, std::size_t end) {
  ExactAccumulator<T, Term> result;
  for (std::size_t i = begin; i < end; ++i) result.add(values[i]);
  return result;
}

TEST_CASE("an accumulator rounds to the exact sum", "[reduce][accumulator]") {
  const auto values = hard_values(5003);
  const tessera::reference::ExactSums sums(values);
  CHECK(test::same_bits(accumulated(values, 0, values.size()).round<double>(), sums.sum<double>()));
  const auto magnitudes = accumulated<double, AccumulatedTerm::magnitude>(values, 0, values.size());
  CHECK(test::same_bits(magnitudes.round<double>(), sums.l1<double>()));
  const auto squares = accumulated<double, AccumulatedTerm::square>(values, 0, 400);
  CHECK(squares.count() == 400);
  CHECK(ExactAccumulator<double>().round<double>() == 0);
}

TEST_CASE("merging in any order and grouping gives the same bytes", "[reduce][accumulator]") {
  const auto values = hard_values(4001);
  const auto whole = accumulated(values, 0, values.size()).to_bytes();
  for (const std::size_t parts : {2, 3, 7, 64}) {
    ExactAccumulator<double> forwards, backwards;
    const auto bounds = [&](std::size_t p) { return p * values.size() / parts; };
    for (std::size_t p = 0; p < parts; ++p) {
      forwards.merge(accumulated(values, bounds(p), bounds(p + 1)));
      backwards.merge(accumulated(values, bounds(parts - 1 - p), bounds(parts - p)));
    }
    CHECK(forwards.to_bytes() == whole);
    CHECK(backwards.to_bytes() == whole);
  }
}

TEST_CASE("bytes bring the accumulator back", "[reduce][accumulator]") {
  const auto values = hard_values(999);
  for (const std::size_t size : {0, 1, 2, 999}) {
    const auto accumulator = accumulated(values, 0, size);
    const auto bytes = accumulator.to_bytes();
    auto copy = ExactAccumulator<double>::from_bytes(bytes);
    CHECK(copy.to_bytes() == bytes);
    CHECK(copy.count() == size);
    CHECK(test::same_bits(copy.round<double>(), accumulator.round<double>()));
    copy.merge(accumulated(values, size, values.size()));
    CHECK(copy.to_bytes() == accumulated(values, 0, values.size()).to_bytes());
  }
}

TEST_CASE("the bytes are those of the first version", "[reduce][accumulator]") {
  ExactAccumulator<float> accumulator;
  accumulator.add(1.0f);
  accumulator.add(-1.5f);
  const auto bytes = accumulator.to_bytes();
  // -0.5 = -2^148 units of 2^-149: digit 4 is -2^20, and the sign goes up.
  std::vector<std::uint32_t> words;
  for (std::size_t w = 0; w < bytes.size() / 4; ++w) {
    std::uint32_t word = 0;
    for (std::size_t b = 0; b < 4; ++b) word |= static_cast<std::uint32_t>(bytes[4 * w + b]) << (8 * b);
    words.push_back(word);
  }
  CHECK(words == std::vector<std::uint32_t>{0x41525354, 1,          1,          0x30004,    2,
                                            0,          0,          0,          0,          0,
                                            0,          0,          0xfff00000, 0xffffffff, 0xffffffff,
                                            0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff});
}

TEST_CASE("what is no accumulator's bytes is refused", "[reduce][accumulator][errors]") {
  const auto bytes = ExactAccumulator<float>().to_bytes();
  const auto message = [](auto changed) {
    return test::message_of<tessera::InvalidArgument>([&] { (void)ExactAccumulator<float>::from_bytes(changed); });
  };
  const auto with = [&](std::size_t at, unsigned char value) {
    auto changed = bytes;
    changed[at] = std::byte{value};
    return changed;
  };
  test::check_message(message(std::vector<std::byte>(7)), {"from_bytes", "`bytes`", "7 bytes", "expected", "80 bytes"});
  test::check_message(message(with(0, 'X')), {"no accumulator", "TSRA"});
  test::check_message(message(with(4, 2)), {"version 2", "version 1"});
  test::check_message(message(with(8, 2)), {"term 2", "term 1"});
  test::check_message(message(with(12, 8)), {"element type", "196612"});
  test::check_message(message(with(24, 9)), {"flags that are none"});
}

TEST_CASE("accumulators of integers and of what is not finite", "[reduce][accumulator]") {
  ExactAccumulator<std::int64_t> integers;
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  for (int i = 0; i < 3; ++i) integers.add(least);
  CHECK(integers.round<double>() == -3 * 0x1p63);
  ExactAccumulator<double> infinite;
  infinite.add(std::numeric_limits<double>::infinity());
  CHECK(infinite.round<double>() == std::numeric_limits<double>::infinity());
  infinite.add(-std::numeric_limits<double>::infinity());
  CHECK(std::isnan(infinite.round<double>()));
}

TEMPLATE_LIST_TEST_CASE("a reduction gives the accumulator of its elements", "[reduce][accumulator]", test::Spaces) {
  const TestType space;
  const auto values = hard_values(9001);
  const auto in = test::device_copy<TestType>(values);
  const auto expected = accumulated(values, 0, values.size()).to_bytes();
  CHECK(tessera::reduce(space, in, AccumulateExactly<double>{}).to_bytes() == expected);
  for (const int league : test::odd_league_sizes()) {
    for (const int team : test::odd_team_sizes(space)) {
      const auto got =
          tessera::reduce(space, in, AccumulateExactly<double>{}, {.league_size = league, .team_size = team});
      CHECK(got.to_bytes() == expected);
    }
  }
}

/// One small element among equal ones whose squares leave much behind a cut 44 bits below their top: as far away as a
/// host's groups and blocks can hold, and farther. of_error: the errors of the squares do.
template <class T, class Space>
void check_far_square(const Space& space, bool of_error) {
  T large = 0;
  double most = -1;
  for (std::size_t i = 0; i < 4000; ++i) {
    const T x = 2 - std::abs(test::value_at<T>(i, 21)) / 8;
    const double square = static_cast<double>(x) * static_cast<double>(x);
    const double term = of_error ? std::ldexp(std::fma(x, x, -square), 53) : square;
    const double rest = std::ldexp(term, 42) - std::rint(std::ldexp(term, 42));
    if (rest > most) large = x;
    most = std::max(most, rest);
  }
  for (const std::size_t size : {128, 512, 1024}) {
    for (int span = 13; span < 27; ++span) {
      std::vector<T> values(size, large);
      values[test::mixed(static_cast<std::size_t>(span), 5) % size] =
          std::ldexp(1 + std::numeric_limits<T>::epsilon(), -span);
      const auto expected = accumulated<T, AccumulatedTerm::square>(values, 0, size).to_bytes();
      const auto got = tessera::reduce(space, test::device_copy<Space>(values),
                                       AccumulateExactly<T, AccumulatedTerm::square>{}, {.league_size = 1});
      INFO("span " << span << ", elements of " << sizeof(T) << " bytes");
      CHECK(got.to_bytes() == expected);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("squares of a small element among large ones", "[reduce][accumulator]", test::OneSpace) {
  const TestType space;
  check_far_square<float>(space, false);
  check_far_square<double>(space, false);
  check_far_square<double>(space, true);
}

}  // namespace

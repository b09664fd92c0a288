// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of a host's blocks of integers, of their magnitudes and squares, against integers of any size.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <tessera/reduce/detail/moments_fold.hpp>
#include <tuple>
#include <vector>

#include "reference/exact_reference.hpp"
#include "support/data.hpp"

namespace {

namespace detail = tessera::detail;
namespace test = tessera::test;

using Integers = std::tuple<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                            std::int64_t, std::uint64_t>;

/// What blocks, and single elements behind them, come to.
template <class T>
void check_blocks(const std::vector<T>& values) {
  constexpr detail::Moments wanted{.sum = true, .magnitude = true, .squares = true};
  using Sums = detail::ExactMoments<T, wanted>;
  constexpr std::size_t block = Sums::host_lanes;
  typename Sums::thread_type thread;
  typename Sums::digits_type digits;
  Sums::begin(thread, digits);
  std::uint64_t word = 0;
  const tessera::Status status(&word);
  const auto no_index = [](int) { return std::int64_t{0}; };
  std::size_t at = 0;
  for (; at + block <= values.size(); at += block) {
    Sums::add({}, thread, digits, *reinterpret_cast<const T(*)[block]>(&values[at]), no_index, status);
  }
  for (; at < values.size(); ++at) {
    const T one[1] = {values[at]};
    Sums::add({}, thread, digits, one, no_index, status);
  }
  Sums::close_alone(thread, digits);
  Sums::carry(digits);
  detail::MomentResults<T, wanted> results(digits, static_cast<std::int64_t>(values.size()), status);
  const tessera::reference::ExactSums exact(values);
  CHECK(test::same_bits(results.template sum<double>(), exact.template sum<double>()));
  CHECK(test::same_bits(results.template mean<double>(), exact.template mean<double>()));
  CHECK(test::same_bits(results.template l1<double>(), exact.template l1<double>()));
  CHECK(test::same_bits(results.template l2<double>(), exact.template l2<double>()));
  CHECK(test::same_bits(results.template variance<double>(0), exact.template variance<double>(0)));
}

TEMPLATE_LIST_TEST_CASE("private: blocks of integers", "[reduce][exact]", Integers) {
  constexpr std::size_t block = 2048 / sizeof(TestType);
  for (const std::size_t size : {std::size_t{1}, block - 1, block, block + 1, 2 * block, 5 * block + 3}) {
    INFO("size " << size);
    std::vector<TestType> values(size);
    for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<TestType>(test::mixed(i, size));
    check_blocks(values);
    check_blocks(std::vector<TestType>(size, std::numeric_limits<TestType>::lowest()));
    check_blocks(std::vector<TestType>(size, std::numeric_limits<TestType>::max()));
  }
}

}  // namespace

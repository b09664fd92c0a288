// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reducers of the other element types: every one of int64, of the rest those whose code differs.
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <limits>

#include "reduce_check.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
using Space = Kokkos::DefaultExecutionSpace;

/// Small values, all values, and one that is both ends of the type.
template <class T>
std::vector<std::vector<T>> data() {
  std::vector<std::vector<T>> data{{}, {T(1)}, {T(2), T(3), T(5), T(7)}, {std::numeric_limits<T>::lowest()}};
  for (const std::size_t size : {15, 16, 17, 1009, 4095, 4097, 20011}) {
    data.push_back(test::values<T>(size, size));
    data.emplace_back(size, T(7));
    data.back()[size / 2] = std::numeric_limits<T>::max();
    data.back()[size / 3] = std::numeric_limits<T>::lowest();
  }
  return data;
}

template <class... R, class T>
void check_reducers(const std::vector<std::vector<T>>& data) {
  for (const auto& values : data) {
    const test::GuardedView<T, test::Misaligned, Space, 1> in({values.size()}, values);
    for (const int league_size : {0, 3}) {
      INFO("size " << values.size() << ", league " << league_size);
      (test::check_reducer(Space(), in.const_view(), R{}, values, {.league_size = league_size}), ...);
    }
  }
}

TEST_CASE("reduce int64", "[reduce]") {
  for (const auto& values : data<std::int64_t>()) {
    const test::GuardedView<std::int64_t, test::Right, Space, 1> in({values.size()}, values);
    INFO("size " << values.size());
    test::check_built_in_reducers(Space(), in.const_view(), values);
    test::check_built_in_reducers(Space(), in.const_view(), values, {.league_size = 3});
  }
}

TEST_CASE("reduce int8", "[reduce]") {
  using T = std::int8_t;
  check_reducers<tessera::Sum<T>, tessera::Prod<T>, tessera::L1<T>, tessera::LInf<T>, tessera::MinMax<T>,
                 tessera::ArgMaxLast<T>, tessera::CountZero<T>, tessera::BitXor<T>>(data<T>());
}

/// By one thread, whose chains of 32 bits are emptied several times; and by many, off 16-byte boundaries.
template <class T>
void check_small_integer_sums() {
  using Sum = tessera::reduce_result_t<tessera::Sum<T>>;
  for (const T value : {std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest(), T(1)}) {
    if (test::is_sanitized && value == T(1)) continue;
    const std::size_t size = (std::size_t{1} << (test::is_sanitized ? 20 : 21)) + 7;
    const Kokkos::View<T*, Space> in("in", size);
    Kokkos::deep_copy(in, value);
    const Sum sum = static_cast<Sum>(size) * static_cast<Sum>(value);
    CHECK(tessera::reduce(Space(), in, tessera::Sum<T>{}, {.league_size = 1, .team_size = 1}) == sum);
    CHECK(tessera::reduce(Space(), in, tessera::Sum<T>{}) == sum);
  }
  const std::vector<T> values = test::values<T>(test::is_sanitized ? 100003 : 1000003);
  const test::GuardedView<T, test::Misaligned, Space, 1> in({values.size()}, values);
  for (const int league_size : {0, 1, 5}) {
    INFO("league " << league_size);
    test::check_reducer(Space(), in.const_view(), tessera::Sum<T>{}, values, {.league_size = league_size});
  }
}

TEST_CASE("sums of integers of 8 and 16 bits", "[reduce]") {
  check_small_integer_sums<std::int8_t>();
  check_small_integer_sums<std::uint8_t>();
  check_small_integer_sums<std::int16_t>();
  check_small_integer_sums<std::uint16_t>();
}

TEST_CASE("reduce uint64", "[reduce]") {
  using T = std::uint64_t;
  check_reducers<tessera::Prod<T>, tessera::Mean<T>, tessera::L2<T>, tessera::LInf<T>, tessera::ArgMin<T>>(data<T>());
}

TEST_CASE("reduce bool", "[reduce]") {
  const Space space;
  const Kokkos::View<bool*, Space> in("in", 1543);
  Kokkos::deep_copy(Kokkos::subview(in, Kokkos::pair(700, 1500)), true);
  CHECK(tessera::reduce(space, in, tessera::Sum<bool>{}) == 800);
}

TEST_CASE("reduce double", "[reduce]") {
  using T = double;
  check_reducers<tessera::Prod<T>, tessera::MinMax<T>, tessera::ArgMax<T>, tessera::LInf<T>, tessera::Any<T>>(
      data<T>());
}

}  // namespace

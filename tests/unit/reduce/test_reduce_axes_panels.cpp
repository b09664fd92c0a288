// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes around what a host's panels of outputs take: their widths, blocks and levels of rows, short rows that are
// turned; rows that are summed in blocks; by sums of positions, exact sums against accumulators, fast sums within their
// bound, and NaN policies.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tessera/reduce/counts.hpp>
#include <tessera/reduce/exact_accumulator.hpp>
#include <tessera/reduce/extrema.hpp>
#include <tessera/reduce/sums.hpp>
#include <utility>
#include <vector>

#include "axes_check.hpp"
#include "support/message.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
using tessera::NanPolicy;
using tessera::ReduceOptions;
using tessera::Summation;
using test::Extents;

/// Sums of positions over either axis of n0 x n1.
template <class Layout, class Space>
void check_positions(const Space& space, const Extents<2>& n, const ReduceOptions& options = {}) {
  const std::vector<std::int32_t> values = test::values<std::int32_t>(n[0] * n[1], 7);
  const test::GuardedView<std::int32_t, Layout, Space, 2> in(n, values);
  for (const unsigned mask : {1u, 2u}) {
    const auto view = test::strided(in.const_view());
    test::check_axes<test::Right>(space, test::PositionSum{}, view, values, mask, options);
    test::check_axes<test::Strided>(space, tessera::Sum<std::int32_t>{}, view, values, mask, options);
  }
}

TEMPLATE_LIST_TEST_CASE("panels of all widths and depths", "[reduce][axes]", test::OneSpace) {
  std::size_t pairs = 0;
  for (const std::size_t rows : {1, 2, 3, 4, 5, 8, 15, 16, 17, 63, 64, 65, 129, 256, 257}) {
    for (const std::size_t columns : {8, 9, 31, 64, 77, 1023, 1024, 1025, 1026}) {
      if (test::is_sanitized && pairs++ % 8 != 0) continue;  // each extent stays: 8 has no factor of nine
      check_positions<test::Right>(TestType(), {rows, columns});
      check_positions<test::Block>(TestType(), {columns, rows});
    }
  }
  // Several levels of joins.
  for (const std::size_t rows : {64 * 64 - 1, 64 * 64, 64 * 64 + 1, 64 * 65, 64 * 64 * 64 + 64 * 5 + 3}) {
    if (test::is_sanitized && rows > 64 * 65) continue;
    check_positions<test::Misaligned>(TestType(), {rows, 9});
    check_positions<test::Right>(TestType(), {rows, 8}, {.league_size = 1});
    check_positions<test::Right>(TestType(), {rows, 11}, {.league_size = 50});
  }
}

TEMPLATE_LIST_TEST_CASE("narrow columns whose rows follow each other", "[reduce][axes]", test::OneSpace) {
  const TestType space;
  for (const std::size_t columns : {1, 2, 3, 5, 7, 9, 17, 64, 255, 256}) {
    for (const std::size_t rows : {15, 31, 32, 33, 47, 500, 2753}) {
      if (test::is_sanitized && rows * columns > 20000) continue;
      check_positions<test::Right>(space, {rows, columns});
      check_positions<test::Misaligned>(space, {rows, columns}, {.league_size = 3});
      check_positions<test::Block>(space, {rows, columns});
    }
  }
  // Between other axes; over two, one of which has more rows.
  for (const std::size_t rows : {5, 40, 1043}) {
    const std::vector<std::int32_t> values = test::values<std::int32_t>(3 * rows * 5, 7);
    const test::GuardedView<std::int32_t, test::Right, TestType, 3> in({3, rows, 5}, values);
    for (const unsigned mask : {2u, 3u, 1u}) {
      const auto view = test::strided(in.const_view());
      test::check_axes<test::Right>(space, tessera::Sum<std::int32_t>{}, view, values, mask);
      test::check_axes<test::Left>(space, test::PositionSum{}, view, values, mask);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("short columns between other axes", "[reduce][axes]", test::OneSpace) {
  const TestType space;
  for (const std::size_t length : {2, 3, 5, 8, 33, 64, 65}) {
    for (const std::size_t columns : {2, 3, 4, 5, 17, 32, 33}) {
      for (const std::size_t places : {7, 8, 50}) {
        if (test::is_sanitized && length * columns * places > 6000) continue;
        const Extents<4> n{2, places, length, columns};
        const std::vector<std::int32_t> values = test::values<std::int32_t>(2 * places * length * columns, 7);
        const test::GuardedView<std::int32_t, test::Right, TestType, 4> in(n, values);
        const auto view = test::strided(in.const_view());
        test::check_axes<test::Right>(space, tessera::Sum<std::int32_t>{}, view, values, 4);
        test::check_axes<test::Left>(space, tessera::Max<std::int32_t>{}, view, values, 4);
        test::check_axes<test::Right>(space, test::PositionSum{}, view, values, 4);
        const test::GuardedView<std::int32_t, test::Block, TestType, 4> apart(n, values);
        test::check_axes<test::Right>(space, tessera::Sum<std::int32_t>{}, test::strided(apart.const_view()), values,
                                      4);
      }
    }
  }
}

enum class Data { near, apart, far };

/// Data::near: in a few binades. apart: two doubles hold most sums. far: some need more, or are of all magnitudes.
template <class T>
std::vector<T> floats(std::size_t count, Data data) {
  std::vector<T> values = test::values<T>(count, 3);
  for (std::size_t i = 0; i < count; ++i) {
    if (data == Data::apart) values[i] = std::ldexp(values[i], static_cast<int>(test::mixed(i, 9) % 20));
    if (data == Data::far && i % 37 == 0) {
      values[i] = std::ldexp(values[i], static_cast<int>(test::mixed(i, 9) % 160) - 80);
    }
    if (i % 11 == 0) values[i] = T(i % 2 == 0 ? 0.0 : -0.0);
  }
  return values;
}

/// Each sum of an n0 x n1 array over `axis`, exact and fast.
template <class T, class Layout, class Space>
void check_sums(const Space& space, const Extents<2>& n, int axis, Data data, const ReduceOptions& options = {}) {
  const std::vector<T> values = floats<T>(n[0] * n[1], data);
  const test::GuardedView<T, Layout, Space, 2> in(n, values);
  const std::size_t kept = axis == 0 ? n[1] : n[0], reduced = axis == 0 ? n[0] : n[1];
  const test::GuardedView<T, test::Right, Space, 1> sums({kept}), means({kept}), norms({kept}), fast({kept});
  tessera::reduce_axes(space, in.const_view(), {axis}, tessera::Sum<T>{}, sums.view(), options);
  tessera::reduce_axes(space, in.const_view(), {axis}, tessera::Mean<T>{}, means.view(), options);
  tessera::reduce_axes(space, in.const_view(), {axis}, tessera::L1<T>{}, norms.view(), options);
  tessera::reduce_axes(space, in.const_view(), {axis}, tessera::Sum<T, Summation::fast>{}, fast.view(), options);
  const std::vector<T> sum = sums.read(), mean = means.read(), norm = norms.read(), quick = fast.read();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < kept; ++i) {
    tessera::ExactAccumulator<T> line, magnitudes;
    for (std::size_t k = 0; k < reduced; ++k) {
      const T value = values[axis == 0 ? k * n[1] + i : i * n[1] + k];
      line.add(value);
      magnitudes.add(std::abs(value));
    }
    const T exact = line.template round<T>(), magnitude = magnitudes.template round<T>();
    if (!test::same_bits(sum[i], exact) || !test::same_bits(norm[i], magnitude)) ++wrong;
    const double bound = 1.02 * 530 * std::numeric_limits<T>::epsilon() / 2 * static_cast<double>(magnitude);
    if (!(std::abs(static_cast<double>(quick[i]) - static_cast<double>(exact)) <= bound)) ++wrong;
    const auto quotient = static_cast<long double>(line.template round<double>()) / static_cast<long double>(reduced);
    if (!(std::abs(static_cast<long double>(mean[i]) - quotient) <=
          static_cast<long double>(std::numeric_limits<T>::epsilon()) * std::abs(quotient))) {
      ++wrong;
    }
  }
  INFO(n[0] << " x " << n[1] << " over " << axis << ", data " << static_cast<int>(data));
  CHECK(wrong == 0);
  test::check_bits(sums.read(), sum);
}

/// Each exact sum, mean and norm over the middle axis.
template <class T, class Space>
void check_middle_sums(const Space& space, const Extents<3>& n, Data data) {
  std::vector<T> values = floats<T>(n[0] * n[1] * n[2], data);
  values[3] = std::numeric_limits<T>::infinity();
  values[n[2] + 1] = std::numeric_limits<T>::quiet_NaN();
  const test::GuardedView<T, test::Right, Space, 3> in(n, values);
  const test::GuardedView<T, test::Right, Space, 2> sums({n[0], n[2]}), left({n[0], n[2]});
  tessera::reduce_axes(space, in.const_view(), {1}, tessera::Sum<T>{}, sums.view());
  tessera::reduce_axes(space, in.const_view(), {1}, tessera::Sum<T>{}, left.view(), {.nan = NanPolicy::omit});
  const std::vector<T> sum = sums.read(), some = left.read();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n[0] * n[2]; ++i) {
    tessera::ExactAccumulator<T> all, numbers;
    for (std::size_t k = 0; k < n[1]; ++k) {
      const T value = values[(i / n[2] * n[1] + k) * n[2] + i % n[2]];
      all.add(value);
      if (value == value) numbers.add(value);
    }
    const T expected = all.template round<T>();
    wrong += expected == expected ? !test::same_bits(sum[i], expected) : sum[i] == sum[i];
    wrong += !test::same_bits(some[i], numbers.template round<T>());
  }
  INFO(n[0] << " x " << n[1] << " x " << n[2] << ", data " << static_cast<int>(data));
  CHECK(wrong == 0);
  const auto call = [&] {
    tessera::reduce_axes(space, in.const_view(), {1}, tessera::Sum<T>{}, sums.view(), {.nan = NanPolicy::error});
  };
  const std::string message = "element " + std::to_string(n[2] + 1) + " is NaN";
  test::check_message(test::message_of<tessera::InvalidArgument>(call), {message});
}

TEMPLATE_LIST_TEST_CASE("exact sums of short columns between other axes", "[reduce][axes]", test::OneSpace) {
  for (const Data data : {Data::near, Data::apart, Data::far}) {
    for (const auto& n : {Extents<3>{9, 2, 4}, Extents<3>{40, 5, 3}, Extents<3>{700, 20, 3}, Extents<3>{11, 64, 30}}) {
      check_middle_sums<float>(TestType(), n, data);
      check_middle_sums<double>(TestType(), n, data);
    }
  }
}

template <class T, class Space>
void check_sums_of_all(const Space& space) {
  for (const Data data : {Data::near, Data::apart, Data::far}) {
    if (test::is_sanitized && data == Data::apart) continue;
    for (const std::size_t length : {1, 2, 3, 4, 7, 16, 33, 64, 65, 200, 256, 257}) {
      check_sums<T, test::Right>(space, {length, 1043}, 0, data);
      check_sums<T, test::Misaligned>(space, {length, 21}, 0, data);
      check_sums<T, test::Right>(space, {283, length}, 1, data);
      check_sums<T, test::Block>(space, {13, length}, 1, data);
    }
    for (const std::size_t columns : {1, 3, 7, 20}) {
      for (const std::size_t length : {16, 32, 33, 100, 700, 4001}) {
        check_sums<T, test::Right>(space, {length, columns}, 0, data);
        check_sums<T, test::Misaligned>(space, {length, columns}, 0, data, {.league_size = 7});
      }
    }
    for (const std::size_t length : {11, 12, 15, 17, 23, 24, 25, 31, 32, 40}) {
      check_sums<T, test::Right>(space, {283, length}, 1, data);
      check_sums<T, test::Block>(space, {9, length}, 1, data);
    }
    // Rows that hosts sum in blocks, and longer ones.
    for (const std::size_t length : {511, 512, 513, 1000, 1024, 1025, 8191, 8192, 8193}) {
      check_sums<T, test::Right>(space, {23, length}, 1, data);
      check_sums<T, test::Misaligned>(space, {23, length}, 1, data);
    }
    check_sums<T, test::Right>(space, {5003, 30}, 0, data, {.league_size = 40});
    check_sums<T, test::Right>(space, {9001, 8}, 0, data, {.league_size = 1});
  }
}

TEMPLATE_LIST_TEST_CASE("sums of floats by panels", "[reduce][axes]", test::OneSpace) {
  check_sums_of_all<float>(TestType());
}
TEMPLATE_LIST_TEST_CASE("sums of doubles by panels", "[reduce][axes]", test::OneSpace) {
  check_sums_of_all<double>(TestType());
}

/// Over `axis` of n0 x n1: extrema, zeros, whether any or all differ from zero.
template <class Space>
void check_kinds(const Space& space, const Extents<2>& n, int axis, const ReduceOptions& options = {}) {
  std::vector<float> values = test::values<float>(n[0] * n[1], 5);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (test::mixed(i, 4) % 3 == 0 || i % n[1] == 2) values[i] = 0;
  }
  const test::GuardedView<float, test::Right, Space, 2> in(n, values);
  const std::size_t kept = n[axis == 0 ? 1 : 0], reduced = n[axis == 0 ? 0 : 1];
  using Ends = Kokkos::View<tessera::MinMaxResult<float>*, Space>;
  const Ends ends("ends", kept);
  const test::GuardedView<std::uint64_t, test::Right, Space, 1> zeros({kept});
  const Kokkos::View<bool*, Space> any("any", kept), all("all", kept);
  tessera::reduce_axes(space, in.const_view(), {axis}, tessera::MinMax<float>{}, ends, options);
  tessera::reduce_axes(space, in.const_view(), {axis}, tessera::CountZero<float>{}, zeros.view(), options);
  tessera::reduce_axes(space, in.const_view(), {axis}, tessera::Any<float>{}, any, options);
  tessera::reduce_axes(space, in.const_view(), {axis}, tessera::All<float>{}, all, options);
  const auto found_ends = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), ends);
  const auto found_any = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), any);
  const auto found_all = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all);
  const auto found_zeros = zeros.read();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < kept; ++i) {
    float least = std::numeric_limits<float>::infinity(), most = -least;
    std::uint64_t count = 0;
    for (std::size_t k = 0; k < reduced; ++k) {
      const float value = values[axis == 0 ? k * n[1] + i : i * n[1] + k];
      least = std::min(least, value);
      most = std::max(most, value);
      count += value == 0;
    }
    if (found_ends(i).min != least || found_ends(i).max != most || found_zeros[i] != count) ++wrong;
    if (found_any(i) != (count < reduced) || found_all(i) != (count == 0)) ++wrong;
  }
  INFO(n[0] << " x " << n[1] << " over " << axis);
  CHECK(wrong == 0);
}

TEMPLATE_LIST_TEST_CASE("extrema, counts, any and all by panels", "[reduce][axes]", test::OneSpace) {
  const TestType space;
  for (const std::size_t length : {1, 3, 8, 30, 65, 130, 700}) {
    for (const std::size_t kept : {7, 8, 15, 16, 17, 33, 1030}) {
      check_kinds(space, {length, kept}, 0);
      check_kinds(space, {kept, length}, 1);
    }
  }
  check_kinds(space, {9001, 20}, 0, {.league_size = 30});
}

TEMPLATE_LIST_TEST_CASE("short rows into outputs whose axes are not one", "[reduce][axes]", test::OneSpace) {
  const TestType space;
  const std::vector<double> values = test::values<double>(4 * 5 * 10, 2);
  const test::GuardedView<double, test::Right, TestType, 3> in({4, 5, 10}, values);
  const test::GuardedView<double, test::Left, TestType, 2> means({4, 5}), sums({4, 5});
  tessera::reduce_axes(space, in.const_view(), {2}, tessera::Mean<double>{}, means.view());
  tessera::reduce_axes(space, in.const_view(), {2}, tessera::Sum<double>{}, sums.view());
  const std::vector<double> mean = means.read(), sum = sums.read();
  for (std::size_t i = 0; i < 20; ++i) {
    tessera::ExactAccumulator<double> line;
    for (std::size_t k = 0; k < 10; ++k) line.add(values[10 * i + k]);
    CHECK(test::same_bits(sum[i], line.round<double>()));
    CHECK(std::abs(10 * mean[i] - sum[i]) <= 1e-15 * std::abs(sum[i]));
  }
}

TEMPLATE_LIST_TEST_CASE("fast variances along short and longer rows", "[reduce][axes]", test::OneSpace) {
  const TestType space;
  for (const std::size_t length : {2, 3, 8, 40, 600}) {
    for (const std::size_t kept : {1, 5, 50}) {
      const std::vector<double> values = test::values<double>(kept * length, 6);
      const test::GuardedView<double, test::Right, TestType, 2> in({kept, length}, values);
      const test::GuardedView<double, test::Right, TestType, 1> fast({kept}), exact({kept});
      tessera::reduce_axes(space, in.const_view(), {1}, tessera::Var<double, Summation::fast>{}, fast.view());
      tessera::reduce_axes(space, in.const_view(), {1}, tessera::Var<double>{}, exact.view());
      const std::vector<double> quick = fast.read(), right = exact.read();
      INFO(kept << " x " << length);
      for (std::size_t i = 0; i < kept; ++i) CHECK(std::abs(quick[i] - right[i]) <= 1e-12 * right[i]);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("columns whose sums overflow where their means do not", "[reduce][axes]", test::OneSpace) {
  const TestType space;
  constexpr double most = std::numeric_limits<double>::max();
  for (const std::size_t columns : {16, 1}) {
    std::vector<double> values(3 * columns, most);
    for (std::size_t i = columns; i < values.size(); ++i) values[i] = 0x1p969;
    const test::GuardedView<double, test::Right, TestType, 2> in({3, columns}, values);
    const test::GuardedView<double, test::Right, TestType, 1> means({columns});
    tessera::reduce_axes(space, in.const_view(), {0}, tessera::Mean<double>{}, means.view());
    test::check_bits(means.read(), std::vector<double>(columns, static_cast<double>(0x1p1024L / 3)));
  }
}

TEMPLATE_LIST_TEST_CASE("infinities, NaN and their policies in panels", "[reduce][axes]", test::OneSpace) {
  const TestType space;
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const auto& [length, kept] :
       {std::pair<std::size_t, std::size_t>{5, 40}, {70, 40}, {600, 40}, {70, 12}, {600, 12}}) {
    for (const int axis : {0, 1}) {
      std::vector<float> values(length * kept, 1.0f);
      const auto at = [&, outputs = kept, elements = length](std::size_t line, std::size_t k) -> float& {
        return values[axis == 0 ? k * outputs + line : line * elements + k];
      };
      at(3, 2) = at(3, 4) = nan;
      at(7, 1) = infinity;
      at(9, 0) = infinity;
      at(9, 4) = -infinity;
      for (std::size_t k = 0; k < length; ++k) at(11, k) = -0.0f;
      const Extents<2> n = axis == 0 ? Extents<2>{length, kept} : Extents<2>{kept, length};
      const test::GuardedView<float, test::Right, TestType, 2> in(n, values);
      const test::GuardedView<float, test::Right, TestType, 1> out({kept});
      const auto line_of = [&](const auto& reducer, const ReduceOptions& options) {
        tessera::reduce_axes(space, in.const_view(), {axis}, reducer, out.view(), options);
        return out.read();
      };
      const auto whole = static_cast<float>(length);
      for (const NanPolicy policy : {NanPolicy::propagate, NanPolicy::omit}) {
        std::vector<float> expected(kept, whole);
        expected[3] = policy == NanPolicy::omit ? whole - 2 : nan;
        expected[7] = infinity;
        expected[9] = nan;
        expected[11] = 0.0f;
        test::check_values(line_of(tessera::Sum<float>{}, {.nan = policy}), expected);
        test::check_values(line_of(tessera::Sum<float, Summation::fast>{}, {.nan = policy}), expected);
        std::vector<float> largest(kept, 1.0f);
        if (policy == NanPolicy::propagate) largest[3] = nan;
        largest[7] = largest[9] = infinity;
        largest[11] = -0.0f;
        test::check_values(line_of(tessera::Max<float>{}, {.nan = policy}), largest);
      }
      const auto index = std::to_string(axis == 0 ? 2 * kept + 3 : 3 * length + 2);
      const auto check_error = [&](const auto& reducer) {
        const auto call = [&] { line_of(reducer, {.nan = NanPolicy::error}); };
        test::check_message(test::message_of<tessera::InvalidArgument>(call), {"element " + index + " is NaN"});
      };
      check_error(tessera::Sum<float>{});
      check_error(tessera::Min<float>{});
    }
  }
}

}  // namespace

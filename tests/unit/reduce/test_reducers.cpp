// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reducers that users write: the documented concept is all that reduce needs.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <limits>

#include <tessera/reduce/reduce_axes.hpp>
#include <tessera/reduce/reduce_segments.hpp>

#include "reduce_check.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;

/// The least there can be: value_type, identity, join.
struct Product {
  using value_type = double;
  KOKKOS_FUNCTION value_type identity() const { return 1; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into *= from; }
};

/// All of it: a map to a wider value, a result of another type, and a state.
struct ScaledMean {
  struct value_type {
    double sum;
    std::int64_t count;
  };
  double scale;
  KOKKOS_FUNCTION value_type identity() const { return {0, 0}; }
  KOKKOS_FUNCTION value_type map(float element) const { return {scale * element, 1}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    into.sum += from.sum;
    into.count += from.count;
  }
  KOKKOS_FUNCTION float finalize(const value_type& value) const {
    return static_cast<float>(value.sum / static_cast<double>(value.count));
  }
};

/// A value of 24 bytes that shows a lost, doubled or foreign element: count, sum and xor of mixed elements.
struct Fingerprint {
  struct value_type {
    std::uint64_t count, sum, mix;
    bool operator==(const value_type&) const = default;
  };
  KOKKOS_FUNCTION value_type identity() const { return {0, 0, 0}; }
  KOKKOS_FUNCTION value_type map(std::uint64_t element) const {
    return {1, element * element, element * 0x9e3779b97f4a7c15u};
  }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    into.count += from.count;
    into.sum += from.sum;
    into.mix ^= from.mix;
  }
};

struct NoIdentity {
  using value_type = double;
  void join(value_type& into, const value_type& from) const { into += from; }
};
struct NoJoin {
  using value_type = double;
  double identity() const { return 0; }
};

static_assert(tessera::Reducer<Product> && tessera::Reducer<ScaledMean> && tessera::Reducer<Fingerprint>);
static_assert(tessera::Reducer<tessera::Sum<int>> && tessera::Reducer<tessera::Min<double>>);
static_assert(!tessera::Reducer<NoIdentity> && !tessera::Reducer<NoJoin>);
static_assert(std::is_same_v<tessera::reduce_result_t<Product>, double>);
static_assert(std::is_same_v<tessera::reduce_result_t<ScaledMean>, float>);
static_assert(std::is_same_v<tessera::reduce_result_t<tessera::Sum<float>>, float>);
static_assert(std::is_same_v<tessera::reduce_result_t<tessera::Sum<std::int32_t>>, std::int64_t>);
static_assert(std::is_same_v<tessera::reduce_result_t<tessera::Sum<std::uint64_t>>, std::uint64_t>);
static_assert(std::is_same_v<tessera::reduce_result_t<tessera::Max<std::int32_t>>, std::int32_t>);

TEMPLATE_LIST_TEST_CASE("a reducer of three members", "[reduce]", test::OneSpace) {
  std::vector<double> values(1009, 1.0);
  values[17] = 3;
  values[1008] = -0.5;
  CHECK(tessera::reduce(TestType(), test::device_copy<TestType>(values), Product{}) == -1.5);
  CHECK(tessera::reduce(TestType(), test::device_copy<TestType>(std::vector<double>{}), Product{}) == 1);
}

/// A pixel: three bytes, and no operator==.
struct Pixel {
  std::uint8_t red, green, blue;
};
struct PixelSum {
  using value_type = std::int64_t;
  KOKKOS_FUNCTION int identity() const { return 0; }  // of another type that becomes the value's
  KOKKOS_FUNCTION value_type map(const Pixel& pixel) const { return pixel.red + 2 * pixel.green + 3 * pixel.blue; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into += from; }
};

TEMPLATE_LIST_TEST_CASE("elements of three bytes", "[reduce]", test::OneSpace) {
  const TestType space;
  for (const std::size_t size : {1, 2, 3, 4, 5, 100, 3000}) {
    INFO(size << " pixels");
    std::vector<Pixel> pixels;
    std::int64_t expected = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t bits = test::mixed(i);
      pixels.push_back({static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8),
                        static_cast<std::uint8_t>(bits >> 16)});
      expected += PixelSum{}.map(pixels.back());
    }
    const auto in = test::device_copy<TestType>(pixels);
    CHECK(tessera::reduce(space, in, PixelSum{}) == expected);
    const auto offsets = test::device_copy<TestType>(std::vector<std::int64_t>{0, static_cast<std::int64_t>(size)});
    const Kokkos::View<std::int64_t*, TestType> of_segment("segment", 1);
    tessera::reduce_segments(space, in, offsets, PixelSum{}, of_segment);
    CHECK(test::host_copy(of_segment) == std::vector<std::int64_t>{expected});
    const Kokkos::View<const Pixel**, Kokkos::LayoutRight, TestType, Kokkos::MemoryTraits<Kokkos::Unmanaged>> row(
        in.data(), 1, size);
    const Kokkos::View<std::int64_t*, TestType> of_row("row", 1);
    tessera::reduce_axes(space, row, tessera::Axes{1}, PixelSum{}, of_row);
    CHECK(test::host_copy(of_row) == std::vector<std::int64_t>{expected});
  }
}

/// Of 24 bytes, elements and value alike: no map is needed.
struct Vector {
  double x, y, z;
};
struct VectorSum {
  using value_type = Vector;
  static constexpr bool all_variants = true;  // but the one that joins in memory, which such values cannot
  KOKKOS_FUNCTION value_type identity() const { return {0, 0, 0}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    into = {into.x + from.x, into.y + from.y, into.z + from.z};
  }
};

TEMPLATE_LIST_TEST_CASE("elements and values of one type of 24 bytes, whole and along axes", "[reduce]",
                        test::OneSpace) {
  const TestType space;
  constexpr std::size_t rows = 37, columns = 53;
  std::vector<Vector> values;
  for (std::size_t i = 0; i < rows * columns; ++i) values.push_back({static_cast<double>(i), 1, -2});
  const auto in = test::device_copy<TestType>(values);
  for (const auto variant : {tessera::ReduceVariant::automatic, tessera::ReduceVariant::sequential}) {
    const Vector sum = tessera::reduce(space, in, VectorSum{}, {.variant = variant});
    CHECK(sum.x == 1960.0 * 1961 / 2);
    CHECK(sum.z == -2.0 * 1961);
  }
  const Kokkos::View<const Vector**, Kokkos::LayoutRight, TestType, Kokkos::MemoryTraits<Kokkos::Unmanaged>> matrix(
      in.data(), rows, columns);
  for (const int axis : {0, 1}) {
    const Kokkos::View<Vector*, TestType> out("out", axis == 0 ? columns : rows);
    tessera::reduce_axes(space, matrix, tessera::Axes{axis}, VectorSum{}, out);
    const std::vector<Vector> sums = test::host_copy(out);
    double x = 0;
    for (std::size_t k = 0; k < (axis == 0 ? rows : columns); ++k)
      x += values[axis == 0 ? 3 + k * columns : 3 * columns + k].x;
    CHECK(sums[3].x == x);
  }
}

TEMPLATE_LIST_TEST_CASE("integers by another name of their type", "[reduce]", test::OneSpace) {
  std::vector<long long> values(3001, 1LL << 40);
  CHECK(tessera::reduce(TestType(), test::device_copy<TestType>(values), tessera::Sum<long long>{}) == 3001LL << 40);
}

TEMPLATE_LIST_TEST_CASE("a reducer with state, map and finalize", "[reduce]", test::OneSpace) {
  std::vector<float> values;
  for (int i = 0; i < 10001; ++i) values.push_back(static_cast<float>(i));
  CHECK(tessera::reduce(TestType(), test::device_copy<TestType>(values), ScaledMean{2}) == 10000.0f);
}

template <class Space>
void check_fingerprint(std::size_t size, const tessera::ReduceOptions& options) {
  INFO("size " << size << ", team " << options.team_size << ", league " << options.league_size);
  const Fingerprint reducer;
  const std::vector<std::uint64_t> values = test::values<std::uint64_t>(size);
  auto expected = reducer.identity();
  for (const std::uint64_t x : values) reducer.join(expected, reducer.map(x));
  CHECK((tessera::reduce(Space(), test::device_copy<Space>(values), reducer, options) == expected));
}

TEMPLATE_LIST_TEST_CASE("each element counts exactly once", "[reduce]", test::OneSpace) {
  for (const std::size_t size : {0, 1, 31, 8191, 8192, 8193, 100003}) {
    check_fingerprint<TestType>(size, {});
    for (const int team_size : test::odd_team_sizes(TestType())) {
      check_fingerprint<TestType>(size, {.league_size = 7, .team_size = team_size});
    }
  }
}

}  // namespace

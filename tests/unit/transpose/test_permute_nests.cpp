// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that a host takes apart: into which rows and matrices, and what comes of them, in arrays of short axes.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <tessera/transpose/detail/tile_nest.hpp>
#include <vector>

#include "permute_check.hpp"
#include "support/guard_pages.hpp"

namespace {

namespace test = tessera::test;
using tessera::detail::NestBody;
using tessera::detail::TileNest;
using test::Extents;

constexpr tessera::detail::DeviceLimits nest_host{.is_host = true, .concurrency = 8, .scratch_bytes = 32000};

tessera::detail::TransposeChoice host_choice_of(const std::vector<std::int64_t>& extents, const std::vector<int>& axes,
                                                std::size_t bytes) {
  const auto shape = tessera::detail::in_units(
      tessera::detail::array_shape("test", {.extents = extents, .element_bytes = bytes}, axes), 0);
  return tessera::detail::make_transpose_plan("test", nest_host, {shape, bytes, bytes, 0, 0},
                                              {.variant = tessera::TransposeVariant::packed});
}

TEST_CASE("a host's tiles are copied, gathered or turned", "[permute][plan]") {
  const TileNest copied = host_choice_of({7, 100019, 7}, {1, 0, 2}, 4).nest;
  CHECK(copied.body == NestBody::copied);
  CHECK(copied.inner_extent == 7);
  CHECK(copied.looped == 1);  // the other short axis, and the divided one around it
  const TileNest strided = host_choice_of({100019, 2}, {1, 0}, 4).nest;
  CHECK(strided.body == NestBody::strided);
  CHECK(strided.inner_extent > 1000);
  CHECK(strided.entries() == 0);
  const TileNest gathered = host_choice_of({100019, 2, 5, 2}, {0, 3, 2, 1}, 4).nest;
  CHECK(gathered.body == NestBody::gathered);
  CHECK(gathered.inner_extent == 20);
  const TileNest turned = host_choice_of({9, 9, 9, 9, 9, 9}, {5, 3, 0, 2, 1, 4}, 4).nest;
  CHECK(turned.body == NestBody::matrices);
  CHECK(turned.inner_extent >= 9);
  CHECK(turned.across_extent >= 9);
  CHECK(turned.entries() == turned.inner_extent + turned.across_extent);
  const TileNest three_axes = host_choice_of({5, 1000, 7}, {2, 1, 0}, 4).nest;
  CHECK(three_axes.body == NestBody::matrices);
  CHECK(three_axes.inner_extent % 5 == 0);
  CHECK(three_axes.across_extent % 7 == 0);
  const auto nothing = host_choice_of({0, 3}, {1, 0}, 4);
  CHECK(nothing.nest.entries() == 0);
}

/// Extents that multiply to at most so many elements.
std::vector<std::int64_t> random_extents(std::mt19937& random, std::int64_t most) {
  constexpr std::int64_t choices[] = {1, 2, 2, 3, 3, 4, 5, 7, 8, 9, 13, 16, 17, 33, 65, 300};
  std::vector<std::int64_t> extents(2 + random() % 6);
  std::int64_t elements = 1;
  for (std::int64_t& extent : extents) {
    extent = choices[random() % std::size(choices)];
    if (extent * elements > most) extent = 1;
    elements *= extent;
  }
  std::shuffle(extents.begin(), extents.end(), random);
  return extents;
}

std::vector<int> random_axes(std::mt19937& random, std::size_t rank) {
  std::vector<int> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  std::shuffle(axes.begin(), axes.end(), random);
  return axes;
}

TEST_CASE("a host's nest has every axis of its tile once, and its tables fit", "[permute][plan]") {
  std::mt19937 random(5);
  for (int n = 0; n < 2000; ++n) {
    const std::vector<std::int64_t> extents = random_extents(random, std::int64_t{1} << (4 + random() % 24));
    const std::vector<int> axes = random_axes(random, extents.size());
    const std::size_t bytes = std::size_t{1} << random() % 5;
    const auto choice = host_choice_of(extents, axes, bytes);
    const TileNest& nest = choice.nest;
    const auto& tables = choice.tables;
    INFO("extents " << ::Catch::StringMaker<std::vector<std::int64_t>>::convert(extents) << " axes "
                    << ::Catch::StringMaker<std::vector<int>>::convert(axes) << " bytes " << bytes);
    std::vector<int> times(static_cast<std::size_t>(tables.digits));
    for (std::size_t d = 0; d < times.size(); ++d) ++times[static_cast<std::size_t>(nest.digits[d])];
    CHECK(times == std::vector<int>(times.size(), 1));
    CHECK(nest.inner + nest.across + nest.looped <= tables.digits);
    CHECK(choice.plan.scratch_bytes == static_cast<std::size_t>(nest.entries()) * 8);
    CHECK(choice.plan.scratch_bytes <= nest_host.scratch_bytes);
  }
}

TEMPLATE_LIST_TEST_CASE("permute_array: short axes of every order", "[permute][nests]", test::OneSpace) {
  const TestType space;
  const int team_size = test::odd_team_sizes(space).back();
  std::mt19937 random(11);
  for (int n = 0; n < 400; ++n) {
    const std::vector<std::int64_t> extents = random_extents(random, test::is_sanitized ? 4000 : 40000);
    const std::size_t bytes = std::size_t{1} << n % 5;
    const tessera::TransposeOptions options{.variant = tessera::TransposeVariant::packed,
                                            .team_size = n % 3 == 0 ? team_size : 0};
    test::check_array(space, extents, bytes, random_axes(random, extents.size()), options);
  }
}

/// Rows that stay together, around the sizes of what moves at once, in rows of other rows and in tiles cut short.
TEMPLATE_LIST_TEST_CASE("permute_array: rows that stay together", "[permute][nests]", test::OneSpace) {
  for (const std::size_t bytes : {1, 2, 4, 8, 16}) {
    for (const std::int64_t length : {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 129, 1025}) {
      test::check_array(TestType(), {3, 5, length}, bytes, {1, 0, 2});
      test::check_array(TestType(), {37, 2, 5, length}, bytes, {2, 1, 0, 3});
    }
    test::check_array(TestType(), {7, 1009, 7}, bytes, {1, 0, 2});
  }
}

struct NestFunction {
  KOKKOS_FUNCTION double operator()(float x) const { return 2.0 * static_cast<double>(x) + 1; }
};

template <class Space, std::size_t Rank>
void check_nest_function(const Space& space, const Extents<Rank>& extents, const std::array<int, Rank>& axes) {
  const std::vector<float> values = test::values<float>(test::detail::product(extents));
  const test::GuardedView<float, test::Right, Space, Rank> in(extents, values);
  const test::GuardedView<double, test::Right, Space, Rank> out(test::permuted_extents(extents, axes));
  tessera::permute(space, in.const_view(), out.view(), axes, NestFunction{});
  space.fence();
  std::vector<double> expected;
  for (const float value : test::expected_of(values, extents, axes)) expected.push_back(NestFunction{}(value));
  test::check_bits(out.read(), expected);
  out.check_guards();
}

TEMPLATE_LIST_TEST_CASE("permute: short axes, each element through a function", "[permute][nests]", test::OneSpace) {
  test::for_each_order<4>([&](const std::array<int, 4>& axes) {
    check_nest_function(TestType(), Extents<4>{7, 3, 101, 9}, axes);
    check_nest_function(TestType(), Extents<4>{2, 37, 5, 2}, axes);
  });
}

template <class T>
void check_ends_of_memory(const std::vector<std::int64_t>& extents, const std::vector<int>& axes) {
  const std::int64_t count = std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
  const auto size = static_cast<std::size_t>(count);
  const test::GuardPages<T> in(size), out(size);
  const std::vector<T> values = test::values<T>(size);
  std::copy(values.begin(), values.end(), in.data());
  tessera::permute_array(Kokkos::DefaultHostExecutionSpace(), in.data(), out.data(), {extents, sizeof(T)}, axes);
  Kokkos::DefaultHostExecutionSpace().fence();
  test::check_bits(std::vector<T>(out.data(), out.data() + size),
                   tessera::reference::permuted(values, {extents.begin(), extents.end()}, {axes.begin(), axes.end()}));
}

TEST_CASE("nothing beside a host's elements is touched", "[permute][nests]") {
  for (const std::int64_t rows : {3, 4, 5, 7, 9, 15, 17, 23}) {
    for (const std::int64_t columns : {3, 5, 8, 11, 16, 31}) {
      for (const std::vector<int>& axes : {std::vector{2, 1, 0}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}}) {
        check_ends_of_memory<std::uint8_t>({rows, 13, columns}, axes);
        check_ends_of_memory<std::uint16_t>({rows, 13, columns}, axes);
        check_ends_of_memory<float>({rows, 13, columns}, axes);
        check_ends_of_memory<double>({rows, 13, columns}, axes);
      }
    }
  }
}

}  // namespace

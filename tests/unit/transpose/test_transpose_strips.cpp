// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of 1 and 2 bytes whose rows begin anywhere, in strips; permutations that are copies.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <vector>

#include "permute_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::TransposeVariant;
using tessera::detail::DeviceLimits;
using test::Extents;

constexpr DeviceLimits strips_gpu{false, 132 * 2048, 48 << 10};
constexpr tessera::TransposeOptions in_strips{.variant = TransposeVariant::swizzled};

tessera::TransposePlan strips_plan_of(const std::vector<std::int64_t>& extents, const std::vector<int>& axes,
                                      std::size_t bytes, const tessera::TransposeOptions& options = {},
                                      const DeviceLimits& limits = strips_gpu, std::uintptr_t address = 0) {
  const auto shape = tessera::detail::array_shape("test", {.extents = extents, .element_bytes = bytes}, axes);
  const void* const memory = reinterpret_cast<const void*>(address);
  return tessera::detail::plan_transpose_of_bytes("test", limits, memory, memory, shape, options);
}

TEST_CASE("rows of short elements that begin anywhere are moved in strips", "[transpose][plan]") {
  const auto plan = strips_plan_of({16383, 16385}, {1, 0}, 1);
  CHECK(plan.variant == TransposeVariant::swizzled);
  CHECK(plan.piece_rows == 256);
  CHECK(plan.tile_rows == 128);
  CHECK(plan.tile_columns == 124);
  CHECK(plan.access_bytes == 4);
  CHECK(plan.scratch_bytes + 16 <= 40936);  // what Kokkos gives a team on a GPU
  // Of 256 rows a piece shares 32 with the next one, but where all rows of the output begin with a sector.
  CHECK(plan.league_size == 133 * 73);
  CHECK(strips_plan_of({16384, 16385}, {1, 0}, 1).league_size == 133 * 64);
  CHECK(strips_plan_of({16383, 16385}, {1, 0}, 2).tile_columns == 62);
  CHECK(strips_plan_of({16383, 16385}, {1, 0}, 2).league_size == 265 * 69);
  CHECK(strips_plan_of({70, 1000, 517}, {0, 2, 1}, 1).league_size == 70 * 5 * 5);
  CHECK(to_string(plan).find(" pieces of 256 rows ") != std::string::npos);
  CHECK(strips_plan_of({300000, 200}, {1, 0}, 1).piece_rows > 0);  // wide accesses, but extents that few tiles fill
  const auto is_in_strips = [](const std::vector<std::int64_t>& extents, const std::vector<int>& axes,
                               std::size_t bytes, const tessera::TransposeOptions& options, const DeviceLimits& limits,
                               std::uintptr_t address) {
    return strips_plan_of(extents, axes, bytes, options, limits, address).piece_rows > 0;
  };
  // Rows on boundaries of words, unless memory is not; other sizes; few rows, columns or pieces; a team asked for;
  // hosts.
  CHECK_FALSE(is_in_strips({16384, 16384}, {1, 0}, 1, {}, strips_gpu, 0));
  CHECK(is_in_strips({16384, 16384}, {1, 0}, 1, in_strips, strips_gpu, 1));
  CHECK_FALSE(is_in_strips({16383, 16385}, {1, 0}, 4, in_strips, strips_gpu, 0));
  CHECK_FALSE(is_in_strips({95, 1000001}, {1, 0}, 1, {}, strips_gpu, 0));
  CHECK(is_in_strips({97, 1000001}, {1, 0}, 1, {}, strips_gpu, 0));
  CHECK_FALSE(is_in_strips({1000001, 33}, {1, 0}, 1, {}, strips_gpu, 0));
  CHECK(is_in_strips({1000001, 35}, {1, 0}, 1, {}, strips_gpu, 0));
  CHECK_FALSE(is_in_strips({1000001, 65}, {1, 0}, 2, {}, strips_gpu, 0));
  CHECK_FALSE(is_in_strips({2001, 2001}, {1, 0}, 1, {}, strips_gpu, 0));
  CHECK(is_in_strips({2001, 2001}, {1, 0}, 1, in_strips, strips_gpu, 0));
  CHECK_FALSE(is_in_strips({16383, 16385}, {1, 0}, 1, {.team_size = 128}, strips_gpu, 0));
  CHECK_FALSE(is_in_strips({16383, 16385}, {1, 0}, 1, in_strips, {true, 2, 1 << 20}, 0));
}

template <class T, class InLayout, class OutLayout, class Space>
void check_strips(const Space& space, std::size_t rows, std::size_t columns, int league_size = 0) {
  test::check_transpose<T, InLayout, OutLayout>(space, rows, columns,
                                                {.variant = TransposeVariant::swizzled, .league_size = league_size});
}

TEMPLATE_LIST_TEST_CASE("strips: extents around tiles, sectors and pieces", "[transpose][strips]", test::OneSpace) {
  const TestType space;
  for (const std::size_t rows : {1, 3, 31, 33, 63, 65, 95, 127, 129, 161, 255, 257, 289, 449, 481, 513, 705}) {
    for (const std::size_t columns : {1, 3, 5, 61, 63, 123, 125, 249}) {
      check_strips<std::uint8_t, test::Right, test::Right>(space, rows, columns);
      check_strips<std::int16_t, test::Right, test::Right>(space, rows, columns);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("strips: rows that begin at every place of a sector", "[transpose][strips]", test::OneSpace) {
  const TestType space;
  for (std::size_t more = 0; more < 32; ++more) {
    check_strips<std::uint8_t, test::Right, test::Misaligned>(space, 512 + more, 127);
    check_strips<std::uint8_t, test::Misaligned, test::Right>(space, 301, 256 + more);
    check_strips<std::int16_t, test::Misaligned, test::Misaligned>(space, 320 + more, 64 + more);
  }
}

TEMPLATE_LIST_TEST_CASE("strips: parts of larger arrays, few teams, many pieces", "[transpose][strips]",
                        test::OneSpace) {
  const TestType space;
  check_strips<std::uint8_t, test::Block, test::Block>(space, 517, 301);
  check_strips<std::uint16_t, test::Block, test::Right>(space, 517, 301);
  check_strips<std::uint16_t, test::BlockLeft, test::Block>(space, 301, 517);
  for (const int league_size : test::odd_league_sizes()) {
    check_strips<std::uint8_t, test::Right, test::Right>(space, 1001, 259, league_size);
  }
  // More than a group of pieces in a strip.
  check_strips<std::uint8_t, test::Right, test::Right>(space, 30011, 131);
  check_strips<std::int16_t, test::Right, test::Right>(space, 31001, 65, 7);
}

struct LessInStrips {
  KOKKOS_FUNCTION std::int8_t operator()(const std::uint8_t& x) const { return static_cast<std::int8_t>(x / 2 - 3); }
};

TEMPLATE_LIST_TEST_CASE("strips: the matrices of a batch, and what is done on the way", "[permute][strips]",
                        test::OneSpace) {
  const TestType space;
  test::check_permute<std::uint8_t, test::Right, test::Right>(space, Extents<3>{5, 301, 129}, {0, 2, 1}, in_strips);
  test::check_permute<std::uint8_t, test::Right, test::Right>(space, Extents<3>{301, 5, 129}, {2, 1, 0}, in_strips);
  test::check_permute<std::uint16_t, test::Right, test::Right>(space, Extents<4>{3, 131, 2, 67}, {3, 2, 0, 1},
                                                               in_strips);
  const std::vector<std::uint8_t> values = test::values<std::uint8_t>(301 * 517);
  const test::GuardedView<std::uint8_t, test::Right, TestType, 2> in({301, 517}, values);
  const test::GuardedView<std::int8_t, test::Right, TestType, 2> out({517, 301});
  tessera::permute(space, in.const_view(), out.view(), {1, 0}, LessInStrips{}, in_strips);
  space.fence();
  std::vector<std::int8_t> expected;
  for (const std::uint8_t value : values) expected.push_back(LessInStrips{}(value));
  test::check_bits(out.read(), tessera::reference::transposed(expected, 301, 517));
  out.check_guards();
}

/// Memory of just the elements: what reads or writes beside them is seen by a checker of memory.
TEMPLATE_LIST_TEST_CASE("strips: nothing beside the elements is read", "[transpose][strips]", test::OneSpace) {
  const TestType space;
  for (const std::size_t columns : {125, 131, 250}) {
    const std::vector<std::uint8_t> values = test::values<std::uint8_t>(517 * columns);
    const auto memory = test::device_copy<TestType>(values);
    const Kokkos::View<const std::uint8_t**, Kokkos::LayoutRight, TestType, Kokkos::MemoryTraits<Kokkos::Unmanaged>> in(
        memory.data(), 517, columns);
    const Kokkos::View<std::uint8_t**, Kokkos::LayoutRight, TestType> out("out", columns, 517);
    tessera::transpose(space, in, out, in_strips);
    space.fence();
    const Kokkos::View<const std::uint8_t*, TestType, Kokkos::MemoryTraits<Kokkos::Unmanaged>> flat(out.data(),
                                                                                                    values.size());
    test::check_bits(test::host_copy(flat), tessera::reference::transposed(values, 517, columns));
  }
}

TEMPLATE_LIST_TEST_CASE("a permutation that moves nothing is a copy", "[permute]", test::OneSpace) {
  const TestType space;
  const auto plan = strips_plan_of({10001, 101, 3}, {0, 1, 2}, 1);
  CHECK(plan.copied);
  CHECK(to_string(plan) == "copy");
  CHECK(plan.league_size == 0);
  CHECK(strips_plan_of({7}, {0}, 3, {}, {true, 2, 1 << 20}).copied);
  CHECK(strips_plan_of({}, {}, 16).copied);
  CHECK(strips_plan_of({1, 5, 1}, {2, 1, 0}, 8).copied);
  CHECK_FALSE(strips_plan_of({10, 101, 3}, {1, 0, 2}, 1).copied);
  CHECK(strips_plan_of({0, 101}, {0, 1}, 1).copied);
  CHECK_FALSE(strips_plan_of({10001, 101}, {0, 1}, 1, {.variant = TransposeVariant::packed}).copied);
  CHECK_FALSE(strips_plan_of({10001, 101}, {0, 1}, 1, {.league_size = 3}).copied);
  test::check_permute<std::uint8_t, test::Right, test::Right>(space, Extents<3>{101, 103, 3}, {0, 1, 2});
  test::check_permute<test::Bytes<3>, test::Misaligned, test::Right>(space, Extents<2>{101, 67}, {0, 1});
  test::check_permute<double, test::Left, test::Left>(space, Extents<3>{5, 101, 67}, {0, 1, 2});
  test::check_permute<float, test::Block, test::Right>(space, Extents<2>{101, 67}, {0, 1});
}

}  // namespace

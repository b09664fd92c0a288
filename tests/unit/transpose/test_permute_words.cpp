// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of 1- and 2-byte elements that move in words: when they are taken, and what they give on a GPU.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <vector>

#include "permute_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::TransposeVariant;
using tessera::detail::DeviceLimits;
using test::Extents;

constexpr DeviceLimits gpu{false, 132 * 2048, 40936};

tessera::detail::TransposeChoice choice_of(const std::vector<std::int64_t>& extents, const std::vector<int>& axes,
                                           std::size_t bytes, std::uintptr_t address = 0,
                                           const tessera::TransposeOptions& options = {},
                                           const DeviceLimits& limits = gpu) {
  const auto shape = tessera::detail::in_units(
      tessera::detail::array_shape("test", {.extents = extents, .element_bytes = bytes}, axes), address);
  return tessera::detail::make_transpose_plan("test", limits, {shape, bytes, bytes, address, address}, options);
}

TEST_CASE("large arrays of short elements take tiles of long runs", "[permute][plan]") {
  const auto choice = choice_of({178956970, 3}, {1, 0}, 1);
  CHECK(choice.plan.variant == TransposeVariant::packed);
  CHECK(choice.plan.access_bytes == 16);
  CHECK(choice.plan.league_size == 4 * 132);
  CHECK(tessera::detail::scratch_request(choice.plan.scratch_bytes) <= gpu.scratch_bytes);
  const auto& words = choice.words;
  CHECK(words.runs.in_run == choice.tile.volume);
  CHECK(words.runs.out_run == choice.tile.volume / 3);
  CHECK(words.runs.out_runs() * words.out_words <= 10 * 256);
  CHECK(choice.spans == std::int64_t{3} * 178956970);
  // Equal parts of a short axis.
  CHECK(choice_of({10001, 10001, 3}, {0, 2, 1}, 1).words.runs.out_run == 3334);
  CHECK(choice_of({255, 103, 55, 255}, {2, 1, 0, 3}, 1).words.runs.in_run == 255);
  CHECK(choice_of({89478485, 3}, {1, 0}, 2).words.runs.volume > 0);
  const auto takes = [](const tessera::detail::TransposeChoice& of) { return of.words.runs.volume > 0; };
  // Short runs, few tiles, other sizes, elements between boundaries, sizes asked, a host.
  CHECK_FALSE(takes(choice_of({10001, 10001, 3}, {2, 1, 0}, 1)));
  CHECK_FALSE(takes(choice_of({3000001, 3}, {1, 0}, 1)));
  CHECK(takes(choice_of({4000001, 3}, {1, 0}, 1)));
  CHECK_FALSE(takes(choice_of({178956970, 3}, {1, 0}, 4)));
  CHECK_FALSE(takes(choice_of({178956970, 3}, {1, 0}, 1, 0, {.team_size = 256})));
  CHECK_FALSE(takes(choice_of({178956970, 3}, {1, 0}, 1, 0, {.variant = TransposeVariant::naive})));
  CHECK_FALSE(takes(choice_of({178956970, 3}, {1, 0}, 1, 0, {}, {true, 2, 1 << 20})));
  const auto shape = tessera::detail::array_shape(
      "test", {.extents = std::vector<std::int64_t>{89478485, 3}, .element_bytes = 2}, std::vector<int>{1, 0});
  CHECK(takes(tessera::detail::make_transpose_plan("test", gpu, {shape, 2, 2, 2, 6}, {})));
  CHECK_FALSE(takes(tessera::detail::make_transpose_plan("test", gpu, {shape, 2, 2, 1, 0}, {})));
}

TEST_CASE("rows of words in scratch are in different banks", "[permute][plan]") {
  tessera::detail::TileRuns runs{};
  runs.volume = 48 * 144, runs.in_run = 48, runs.out_run = 432;
  const auto words = tessera::detail::word_runs(runs, 1);
  CHECK(words.in_words == 12);
  CHECK(words.row_words == 13);
  CHECK(words.raw_pieces == 4);  // from any place of a sector
  CHECK(words.raw_pitch == 80);
  CHECK(words.out_words == 108);
  CHECK(words.out_pieces == 27);
  // Each fourth row, as threads that make words down the rows read them.
  std::vector<bool> taken(32, false);
  for (unsigned thread = 0; thread < 32; ++thread) {
    const unsigned bank = words.row_at(4 * thread) / 4 % 32;
    CHECK_FALSE(taken[bank]);
    taken[bank] = true;
  }
}

/// Extents of which a GPU takes tiles in words, or fewer where each element takes long.
constexpr std::size_t of_size(std::size_t extent) { return test::is_sanitized ? extent / 64 + 1 : extent; }

TEMPLATE_LIST_TEST_CASE("words: arrays of structs to structs of arrays and back", "[permute][words]", test::OneSpace) {
  const TestType space;
  const std::size_t n = of_size(4000037);
  test::check_permute<std::uint8_t, test::Right, test::Right>(space, Extents<2>{n, 3}, {1, 0});
  test::check_permute<std::uint8_t, test::Misaligned, test::Misaligned>(space, Extents<2>{3, n}, {1, 0});
  test::check_permute<std::int16_t, test::Misaligned, test::Right>(space, Extents<2>{n / 2, 5}, {1, 0});
  test::check_permute<std::int16_t, test::Right, test::Misaligned>(space, Extents<2>{7, n / 2}, {1, 0});
}

TEMPLATE_LIST_TEST_CASE("words: several axes", "[permute][words]", test::OneSpace) {
  const TestType space;
  const std::size_t n = of_size(1201);
  test::check_permute<std::uint8_t, test::Right, test::Right>(space, Extents<3>{n, 3301, 3}, {0, 2, 1});
  test::check_permute<std::uint8_t, test::Right, test::Misaligned>(space, Extents<3>{n, 3301, 3}, {1, 0, 2});
  test::check_permute<std::uint8_t, test::Right, test::Right>(space, Extents<4>{n / 4, 41, 5, 255}, {2, 1, 0, 3});
  test::check_permute<std::uint8_t, test::Block, test::Right>(space, Extents<4>{n / 4, 41, 5, 255}, {1, 0, 2, 3});
  test::check_permute<std::int16_t, test::Right, test::Block>(space, Extents<3>{n, 1901, 3}, {2, 0, 1});
  test::check_permute<std::uint8_t, test::Right, test::Right>(space, Extents<7>{of_size(7), 11, 11, 11, 11, 11, 11},
                                                              {0, 3, 1, 6, 4, 2, 5});
  test::check_permute<std::uint8_t, test::Right, test::Right>(space, Extents<5>{n, 401, 3, 3, 3}, {3, 0, 4, 1, 2});
}

struct Less {
  KOKKOS_FUNCTION std::int8_t operator()(const std::uint8_t& x) const { return static_cast<std::int8_t>(x / 2 - 3); }
};

/// Memory of just the elements: what reads or writes beside them is seen by a checker of memory.
TEMPLATE_LIST_TEST_CASE("words: nothing beside the elements is read, each goes through a function", "[permute][words]",
                        test::OneSpace) {
  const TestType space;
  const std::size_t n = of_size(4000037);
  const std::vector<std::uint8_t> values = test::values<std::uint8_t>(3 * n);
  const auto memory = test::device_copy<TestType>(values);
  const Kokkos::View<const std::uint8_t**, Kokkos::LayoutRight, TestType, Kokkos::MemoryTraits<Kokkos::Unmanaged>> in(
      memory.data(), n, 3);
  const Kokkos::View<std::int8_t**, Kokkos::LayoutRight, TestType> out("out", 3, n);
  tessera::permute(space, in, out, {1, 0}, Less{});
  space.fence();
  std::vector<std::int8_t> expected;
  for (const std::uint8_t value : values) expected.push_back(Less{}(value));
  const Kokkos::View<const std::int8_t*, TestType, Kokkos::MemoryTraits<Kokkos::Unmanaged>> flat(out.data(), 3 * n);
  test::check_bits(test::host_copy(flat), tessera::reference::transposed(expected, n, 3));
}

}  // namespace

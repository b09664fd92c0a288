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
using tessera::detail::PackedKernel;
using test::Extents;

constexpr DeviceLimits words_gpu{false, 132 * 2048, 40936};

tessera::detail::TransposeChoice words_choice_of(const std::vector<std::int64_t>& extents, const std::vector<int>& axes,
                                                 std::size_t bytes, std::uintptr_t address = 0,
                                                 const tessera::TransposeOptions& options = {},
                                                 const DeviceLimits& limits = words_gpu) {
  const auto shape = tessera::detail::in_units(
      tessera::detail::array_shape("test", {.extents = extents, .element_bytes = bytes}, axes), address);
  return tessera::detail::make_transpose_plan("test", limits, {shape, bytes, bytes, address, address}, options);
}

TEST_CASE("large arrays of short elements take tiles of long runs", "[permute][plan]") {
  const auto choice = words_choice_of({178956970, 3}, {1, 0}, 1);
  CHECK(choice.plan.variant == TransposeVariant::packed);
  CHECK(choice.plan.access_bytes == 16);
  CHECK(choice.plan.league_size == 4 * 132);
  CHECK(tessera::detail::scratch_request(choice.plan.scratch_bytes) <= words_gpu.scratch_bytes);
  const auto& words = choice.words;
  CHECK(words.runs.in_run == choice.tile.volume);
  CHECK(words.runs.out_run == choice.tile.volume / 3);
  CHECK(words.runs.out_runs() * words.out_words <= 10 * 256);
  CHECK(choice.spans == std::int64_t{3} * 178956970);
  // Equal parts of a short axis.
  CHECK(words_choice_of({10001, 10001, 3}, {0, 2, 1}, 1).words.runs.out_run == 3334);
  CHECK(words_choice_of({255, 103, 55, 255}, {2, 1, 0, 3}, 1).words.runs.in_run == 255);
  CHECK(words_choice_of({89478485, 3}, {1, 0}, 2).kernel == PackedKernel::words);
  const auto takes = [](const tessera::detail::TransposeChoice& of) { return of.kernel == PackedKernel::words; };
  // Short runs, few tiles, other sizes, elements between boundaries, sizes asked, a host.
  CHECK_FALSE(takes(words_choice_of({10001, 10001, 3}, {2, 1, 0}, 1)));
  CHECK_FALSE(takes(words_choice_of({8300001, 3}, {1, 0}, 1)));
  CHECK(takes(words_choice_of({8500001, 3}, {1, 0}, 1)));
  CHECK_FALSE(takes(words_choice_of({3, 17000001}, {1, 0}, 1)));
  CHECK(takes(words_choice_of({3, 19000001}, {1, 0}, 1)));
  CHECK_FALSE(takes(words_choice_of({178956970, 3}, {1, 0}, 4)));
  CHECK_FALSE(takes(words_choice_of({178956970, 3}, {1, 0}, 1, 0, {.team_size = 256})));
  CHECK_FALSE(takes(words_choice_of({178956970, 3}, {1, 0}, 1, 0, {.variant = TransposeVariant::naive})));
  CHECK_FALSE(takes(words_choice_of({178956970, 3}, {1, 0}, 1, 0, {}, {true, 2, 1 << 20})));
  const auto shape = tessera::detail::array_shape(
      "test", {.extents = std::vector<std::int64_t>{89478485, 3}, .element_bytes = 2}, std::vector<int>{1, 0});
  CHECK(takes(tessera::detail::make_transpose_plan("test", words_gpu, {shape, 2, 2, 2, 6}, {})));
  CHECK_FALSE(takes(tessera::detail::make_transpose_plan("test", words_gpu, {shape, 2, 2, 1, 0}, {})));
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

/// As a device with one multiprocessor would do it, which takes tiles in words of smaller arrays.
template <class T, class InLayout, class OutLayout, std::size_t Rank, class Space>
void check_words(const Space& space, const Extents<Rank>& extents, const std::array<int, Rank>& axes) {
  if constexpr (tessera::detail::is_host_space<Space>) {
    test::check_permute<T, InLayout, OutLayout>(space, extents, axes);
  } else {
    const std::vector<T> values = test::values<T>(test::detail::product(extents), Rank);
    const test::GuardedView<T, InLayout, Space, Rank> in(extents, values);
    const test::GuardedView<T, OutLayout, Space, Rank> out(test::permuted_extents(extents, axes));
    const T* const from = in.const_view().data();
    T* const to = out.view().data();
    const auto in_address = tessera::detail::address_of(from), out_address = tessera::detail::address_of(to);
    const auto shape = tessera::detail::in_units(
        tessera::detail::permute_shape("test", in.const_view(), out.view(), axes), in_address | out_address);
    REQUIRE(shape.unit_bytes == sizeof(T));
    const DeviceLimits limits{false, 2048, words_gpu.scratch_bytes};
    const auto choice = tessera::detail::make_transpose_plan(
        "test", limits, {shape, sizeof(T), sizeof(T), in_address, out_address}, {});
    INFO("extents " << tessera::detail::extents_text(extents) << " axes " << tessera::detail::axes_text(axes)
                    << ", plan " << to_string(choice.plan));
    REQUIRE(choice.kernel == PackedKernel::words);
    tessera::detail::launch_packed("test", space, choice, from, to, tessera::detail::Unchanged{}, 0);
    space.fence();
    test::check_bits(out.read(), test::expected_of(values, extents, axes));
    out.check_guards();
  }
}

TEMPLATE_LIST_TEST_CASE("words: arrays of structs to structs of arrays and back", "[permute][words]", test::OneSpace) {
  const TestType space;
  check_words<std::uint8_t, test::Right, test::Right>(space, Extents<2>{90001, 3}, {1, 0});
  check_words<std::uint8_t, test::Misaligned, test::Misaligned>(space, Extents<2>{3, 150001}, {1, 0});
  check_words<std::uint8_t, test::Right, test::Misaligned>(space, Extents<2>{60007, 17}, {1, 0});
  check_words<std::int16_t, test::Misaligned, test::Right>(space, Extents<2>{70001, 5}, {1, 0});
  check_words<std::int16_t, test::Right, test::Misaligned>(space, Extents<2>{7, 60001}, {1, 0});
}

TEMPLATE_LIST_TEST_CASE("words: several axes", "[permute][words]", test::OneSpace) {
  const TestType space;
  check_words<std::uint8_t, test::Right, test::Right>(space, Extents<3>{61, 3301, 3}, {0, 2, 1});
  check_words<std::uint8_t, test::Right, test::Misaligned>(space, Extents<3>{501, 501, 3}, {1, 0, 2});
  check_words<std::uint8_t, test::Right, test::Right>(space, Extents<4>{31, 41, 5, 255}, {2, 1, 0, 3});
  check_words<std::uint8_t, test::Block, test::Right>(space, Extents<4>{31, 41, 5, 255}, {1, 0, 2, 3});
  check_words<std::int16_t, test::Right, test::Block>(space, Extents<3>{101, 1901, 3}, {2, 0, 1});
  check_words<std::uint8_t, test::Right, test::Right>(space, Extents<6>{11, 11, 11, 11, 11, 11}, {2, 0, 5, 3, 1, 4});
  check_words<std::uint8_t, test::Right, test::Right>(space, Extents<5>{31, 1001, 3, 3, 3}, {3, 0, 4, 1, 2});
}

struct LessInWords {
  KOKKOS_FUNCTION std::int8_t operator()(const std::uint8_t& x) const { return static_cast<std::int8_t>(x / 2 - 3); }
};

/// Memory of just the elements: what reads or writes beside them is seen by a checker of memory.
TEMPLATE_LIST_TEST_CASE("words: nothing beside the elements is read, each goes through a function", "[permute][words]",
                        test::OneSpace) {
  const TestType space;
  const std::size_t n = test::is_sanitized ? 5003 : 8800037;
  if constexpr (!tessera::detail::is_host_space<TestType>) {
    CHECK(words_choice_of({static_cast<std::int64_t>(n), 3}, {1, 0}, 1).kernel == PackedKernel::words);
  }
  const std::vector<std::uint8_t> values = test::values<std::uint8_t>(3 * n);
  const auto memory = test::device_copy<TestType>(values);
  const Kokkos::View<const std::uint8_t**, Kokkos::LayoutRight, TestType, Kokkos::MemoryTraits<Kokkos::Unmanaged>> in(
      memory.data(), n, 3);
  const Kokkos::View<std::int8_t**, Kokkos::LayoutRight, TestType> out("out", 3, n);
  tessera::permute(space, in, out, {1, 0}, LessInWords{});
  space.fence();
  std::vector<std::int8_t> expected;
  for (const std::uint8_t value : values) expected.push_back(LessInWords{}(value));
  const Kokkos::View<const std::int8_t*, TestType, Kokkos::MemoryTraits<Kokkos::Unmanaged>> flat(out.data(), 3 * n);
  test::check_bits(test::host_copy(flat), tessera::reference::transposed(expected, n, 3));
}

}  // namespace

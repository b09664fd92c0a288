// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that go to scratch by asynchronous copies: when they are taken, that their tables lead every element to its
// place, and what they give on a GPU. Plans that are kept.
#include <algorithm>
#include <array>
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <tessera/transpose/detail/run_tables.hpp>
#include <vector>

#include "permute_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::TransposeVariant;
using tessera::detail::DeviceLimits;
using tessera::detail::PackedKernel;
using tessera::detail::PackedTile;
using tessera::detail::PermuteShape;
using test::Extents;

/// What Kokkos leaves a team of 48 KiB.
constexpr std::size_t gpu_scratch = 40936;
constexpr DeviceLimits gpu{false, 132 * 2048, gpu_scratch};

PermuteShape shape_of(const std::vector<std::int64_t>& extents, const std::vector<int>& axes, std::size_t bytes) {
  return tessera::detail::in_units(
      tessera::detail::array_shape("test", {.extents = extents, .element_bytes = bytes}, axes), 0);
}

tessera::detail::TransposeChoice choice_of(const DeviceLimits& limits, const std::vector<std::int64_t>& extents,
                                           const std::vector<int>& axes, std::size_t bytes,
                                           const tessera::TransposeOptions& options = {}, std::size_t out_bytes = 0) {
  return tessera::detail::make_transpose_plan(
      "test", limits, {shape_of(extents, axes, bytes), bytes, out_bytes == 0 ? bytes : out_bytes, 0, 0}, options);
}

TEST_CASE("large arrays of awkward extents take tiles of long runs", "[permute][plan]") {
  const auto choice = choice_of(gpu, {149, 55, 55, 55}, {0, 2, 1, 3}, 4);
  CHECK(choice.plan.variant == TransposeVariant::packed);
  CHECK(choice.kernel == PackedKernel::runs);
  CHECK(choice.runs.volume == choice.tile.volume);
  CHECK(choice.tile.in_run > 500);
  CHECK(choice.tile.out_run > 500);
  CHECK(tessera::detail::scratch_request(choice.plan.scratch_bytes) <= gpu.scratch_bytes);
  CHECK(choice.plan.scratch_bytes >= tessera::detail::packed_runs_large_scratch);
  CHECK(choice.plan.league_size == 3 * 132);
  CHECK(tessera::detail::packed_runs_teams(tessera::detail::packed_runs_large_scratch - 1) == 4);
  CHECK(choice_of(gpu, {10001, 10001, 3}, {1, 0, 2}, 4).kernel == PackedKernel::runs);
  CHECK(choice_of(gpu, {101, 257, 9, 101}, {1, 0, 2, 3}, 8).kernel == PackedKernel::runs);
  // Too few tiles, runs that are long anyway or begin on sectors, elements of other sizes, sizes asked, a host.
  CHECK(choice_of(gpu, {11, 55, 55, 55}, {0, 2, 1, 3}, 4).kernel != PackedKernel::runs);
  CHECK(choice_of(gpu, {149, 55, 55, 55}, {0, 1, 3, 2}, 4).kernel != PackedKernel::runs);
  CHECK(choice_of(gpu, {256, 512, 1024}, {1, 0, 2}, 4).kernel != PackedKernel::runs);
  CHECK(choice_of(gpu, {149, 55, 55, 55}, {0, 2, 1, 3}, 2).kernel != PackedKernel::runs);
  CHECK(choice_of(gpu, {101, 257, 9, 101}, {1, 0, 2, 3}, 16).kernel != PackedKernel::runs);
  CHECK(choice_of(gpu, {149, 55, 55, 55}, {0, 2, 1, 3}, 4, {.team_size = 256}).kernel != PackedKernel::runs);
  CHECK(choice_of(gpu, {149, 55, 55, 55}, {0, 2, 1, 3}, 4, {.variant = TransposeVariant::naive}).kernel !=
        PackedKernel::runs);
  CHECK(choice_of({true, 2, 1 << 20}, {149, 55, 55, 55}, {0, 2, 1, 3}, 4).kernel != PackedKernel::runs);
  const PermuteShape shape = shape_of({149, 55, 55, 55}, {0, 2, 1, 3}, 4);
  CHECK(tessera::detail::make_transpose_plan("test", gpu, {shape, 4, 4, 2, 0}, {}).kernel != PackedKernel::runs);
}

TEST_CASE("tiles whose runs begin and end where sectors do are known", "[permute][plan]") {
  using tessera::detail::PermuteAxis, tessera::detail::runs_on_sectors;
  // The axes 100, 1000 and 1000, of strides 1, 100 and 10^5 in the input, 10^6, 1000 and 1 in the output.
  const PermuteShape shape = shape_of({1000, 1000, 100}, {2, 1, 0}, 4);
  REQUIRE(shape.rank == 3);
  const auto reads = [&](std::int64_t run) { return runs_on_sectors(shape, &PermuteAxis::in_stride, run, 4, 0); };
  const auto writes = [&](std::int64_t run, std::uintptr_t address) {
    return runs_on_sectors(shape, &PermuteAxis::out_stride, run, 4, address);
  };
  CHECK(writes(8, 0));
  CHECK(writes(1000, 0));
  CHECK_FALSE(writes(8, 16));
  CHECK_FALSE(writes(12, 0));
  CHECK_FALSE(reads(100));  // rows of 400 bytes
  CHECK(reads(200));
  CHECK_FALSE(reads(96));
  const auto choice = choice_of(gpu, {1000, 1000, 100}, {2, 0, 1}, 4);
  CHECK(choice.tile.out_run % 8 == 0);
}

TEST_CASE("tiles through registers follow each other along the runs of both sides too", "[permute][plan]") {
  const std::vector<std::int64_t> extents(8, 9);
  const std::vector<int> axes{5, 2, 4, 6, 0, 3, 7, 1};
  const PermuteShape shape = shape_of(extents, axes, 4);
  const auto choice = choice_of(gpu, extents, axes, 4);
  REQUIRE(choice.kernel == PackedKernel::staged);
  const auto steps = [](const tessera::detail::TileTables& tables) {
    std::vector<std::int64_t> of;
    for (int d = 0; d < tables.axes; ++d) of.push_back(tables.outer[d].in_step);
    return of;
  };
  CHECK(steps(choice.tables) == steps(tile_tables(shape, choice.tile, run_order(shape, choice.tile))));
  CHECK(steps(choice.tables) != steps(tile_tables(shape, choice.tile, out_order(shape))));
}

TEST_CASE("what is read from one bank of scratch is counted", "[permute][plan]") {
  using tessera::detail::FirstElements, tessera::detail::StagedOrder, tessera::detail::staged_steps;
  const auto every = [](int stride) {
    FirstElements elements{{}, 32};
    for (int e = 0; e < 32; ++e) elements.places[static_cast<std::size_t>(e)] = e * stride;
    return elements;
  };
  CHECK(staged_steps(every(1), {}, 4) == 1);
  CHECK(staged_steps(every(2), {}, 4) == 2);
  CHECK(staged_steps(every(32), {}, 4) == 32);
  CHECK(staged_steps(every(32), StagedOrder{tessera::detail::inverse_of(32), 1}, 4) == 1);
  // Half a warp at once of 8 bytes, a quarter of 16; of shorter elements a word is read once.
  CHECK(staged_steps(every(1), {}, 8) == 2);
  CHECK(staged_steps(every(16), {}, 8) == 32);
  CHECK(staged_steps(every(8), {}, 16) == 32);
  CHECK(staged_steps(every(1), {}, 1) == 1);
  CHECK(staged_steps(every(2), {}, 2) == 1);
  CHECK(staged_steps(every(64), {}, 2) == 32);
}

TEST_CASE("gaps in scratch keep what is written together in different banks", "[permute][plan]") {
  struct Case {
    std::vector<std::int64_t> extents;
    std::vector<int> axes;
    std::size_t bytes;
    int most;  // steps of 128 elements
  };
  for (const Case& c :
       {Case{{10001, 10001, 3}, {1, 0, 2}, 4, 8}, Case{{10001, 10001, 3}, {2, 1, 0}, 8, 10},
        Case{{1024, 2, 1024, 16}, {3, 1, 2, 0}, 4, 5}, Case{{9, 9, 9, 9, 9, 9, 9, 9}, {2, 5, 6, 4, 7, 3, 1, 0}, 4, 8},
        Case{{1001, 1001, 3, 3, 3}, {2, 1, 4, 0, 3}, 2, 8}}) {
    const auto choice = choice_of(gpu, c.extents, c.axes, c.bytes);
    REQUIRE(choice.plan.variant == TransposeVariant::packed);
    REQUIRE(choice.kernel != PackedKernel::direct);
    const auto elements = tessera::detail::first_elements(choice.tables, choice.tile.volume);
    REQUIRE(elements.count == 128);
    const int steps = tessera::detail::staged_steps(elements, choice.order, static_cast<int>(c.bytes));
    INFO(c.extents.size() << " axes, " << c.bytes << " bytes: gaps of " << choice.order.gap);
    CHECK(steps <= c.most);
    CHECK(steps <= tessera::detail::staged_steps(elements, {}, static_cast<int>(c.bytes)));
    CHECK(tessera::detail::scratch_request(choice.plan.scratch_bytes) <= gpu.scratch_bytes);
  }
}

TEST_CASE("tiles and their gaps fit the scratch that a launch asks for", "[permute][plan]") {
  const auto check = [](const std::vector<std::int64_t>& extents, const std::vector<int>& axes) {
    const auto choice = choice_of(gpu, extents, axes, 4);
    INFO(tessera::detail::axes_text(axes) << ", plan " << to_string(choice.plan));
    CHECK(choice.kernel == PackedKernel::runs);
    CHECK(tessera::detail::scratch_request(choice.plan.scratch_bytes) <= gpu_scratch);
  };
  // Gaps would take all that a team has, and the request some bytes more.
  check({29, 328, 31, 3, 34}, {2, 3, 4, 1, 0});
  check({19, 264, 5, 38, 33}, {4, 1, 3, 0, 2});
}

TEST_CASE("threads of a warp take a run together", "[permute][plan]") {
  using tessera::detail::run_lanes;
  for (const int run : {1, 2, 7, 8}) CHECK(1 << run_lanes(run) == 8);
  for (const int run : {9, 16, 33, 36, 48}) CHECK(1 << run_lanes(run) == 16);
  for (const int run : {17, 27, 32, 49, 64, 81, 243, 5000}) CHECK(1 << run_lanes(run) == 32);
}

TEST_CASE("gaps in scratch are between runs that are read", "[permute][plan]") {
  std::vector<int> axes{0, 1, 2, 3, 4, 5, 6, 7};
  int with_gaps = 0;
  for (int n = 0; n < 400; ++n) {
    std::next_permutation(axes.begin() + 2, axes.end());
    std::rotate(axes.begin(), axes.begin() + 1 + n % 7, axes.end());
    const auto choice = choice_of(gpu, std::vector<std::int64_t>(8, 9), axes, 4);
    if (choice.kernel != PackedKernel::runs) continue;
    with_gaps += choice.order.gap > 0 && choice.order.inverse > 0 ? 1 : 0;
    bool together = true;
    for (int run = 0; run < choice.runs.in_runs(); ++run) {
      const int first = run * choice.runs.in_run, last = first + choice.runs.in_run - 1;
      together &= choice.order.position(last) == choice.order.position(first) + last - first;
    }
    CHECK(together);
  }
  CHECK(with_gaps > 10);
}

/// What the kernel does: the input's index of each element of the output, -1 where none is written; none at all where
/// two tiles disagree, or places in scratch do not add up.
std::vector<std::int64_t> written_by_tables(const PermuteShape& shape, const PackedTile& tile) {
  using namespace tessera::detail;
  const TileTables tables = tile_tables(shape, tile, run_order(shape, tile));
  const TileRuns runs = tile_runs(tile, tables);
  const StagedOrder order = staged_order(tables, 4, tile.volume * 2, runs.in_digits);
  const auto position = [&](std::int64_t e) { return static_cast<std::size_t>(order.position(static_cast<int>(e))); };
  struct Place {
    std::int64_t offset, staged;
  };
  const auto place_of = [](const TileDigit* digits, int begin, int end, std::int64_t number,
                           std::int64_t TileDigit::*stride) {
    Place place{0, 0};
    for (int d = begin; d < end; ++d) {
      const std::int64_t index = number % digits[d].extent;
      number /= digits[d].extent;
      place.offset += index * digits[d].*stride;
      place.staged += index * digits[d].staged_stride;
    }
    return place;
  };
  std::vector<std::int64_t> out(static_cast<std::size_t>(shape.units()), -1);
  for (std::int64_t number = 0; number < tiles_of(tables); ++number) {
    const TileBases bases = tile_bases(tables, static_cast<std::uint32_t>(number));
    std::vector<std::int64_t> stage(position(tile.volume - 1) + 1, -1);
    for (std::int64_t e = 0; e < tile.volume; ++e) {
      const Place run =
          place_of(tables.in_order, runs.in_digits, tables.digits, e / runs.in_run, &TileDigit::in_stride);
      const Place within = place_of(tables.in_order, 0, runs.in_digits, e % runs.in_run, &TileDigit::in_stride);
      if (!(within.offset == e % runs.in_run && run.staged + within.staged == e)) return {};
      stage[position(run.staged) + static_cast<std::size_t>(e % runs.in_run)] = bases.in + run.offset + within.offset;
    }
    for (std::int64_t e = 0; e < tile.volume; ++e) {
      const Place run =
          place_of(tables.out_order, runs.out_digits, tables.digits, e / runs.out_run, &TileDigit::out_stride);
      const Place within = place_of(tables.out_order, 0, runs.out_digits, e % runs.out_run, &TileDigit::out_stride);
      const std::int64_t to = bases.out + run.offset + within.offset;
      if (!(within.offset == e % runs.out_run && to >= 0 && to < shape.units())) return {};
      std::int64_t& place = out[static_cast<std::size_t>(to)];
      const std::size_t at = position(run.staged) + position(within.staged);
      if (!(at < stage.size() && at == position(run.staged + within.staged))) return {};
      const std::int64_t from = stage[at];
      if (!(place == -1 || place == from)) return {};
      place = from;
    }
  }
  return out;
}

TEST_CASE("tables of runs lead every element to its place", "[permute]") {
  const auto check = [](const std::vector<std::int64_t>& extents, const std::vector<int>& axes,
                        const std::vector<std::int64_t>& tile_extents) {
    const PermuteShape shape = shape_of(extents, axes, 4);
    REQUIRE(static_cast<std::size_t>(shape.rank) == tile_extents.size());
    PackedTile tile;
    for (int d = 0; d < shape.rank; ++d) {
      tile.extents[static_cast<std::size_t>(d)] = tile_extents[static_cast<std::size_t>(d)];
      tile.volume *= tile_extents[static_cast<std::size_t>(d)];
    }
    using tessera::detail::PermuteAxis;
    tile.in_run = tessera::detail::packed_tile::run_of(shape, tile, in_order(shape), &PermuteAxis::in_stride);
    tile.out_run = tessera::detail::packed_tile::run_of(shape, tile, out_order(shape), &PermuteAxis::out_stride);
    INFO(tessera::detail::axes_text(axes));
    const std::vector<std::int64_t> out = written_by_tables(shape, tile);
    std::int64_t wrong = 0;
    for (std::int64_t to = 0; to < shape.units(); ++to) {
      std::int64_t rest = to, from = 0;
      for (int d = shape.rank - 1; d >= 0; --d) {
        from += rest % shape.axes[d].extent * shape.axes[d].in_stride;
        rest /= shape.axes[d].extent;
      }
      wrong +=
          out.size() == static_cast<std::size_t>(shape.units()) && out[static_cast<std::size_t>(to)] == from ? 0 : 1;
    }
    CHECK(wrong == 0);
  };
  check({61, 11, 13}, {2, 1, 0}, {13, 1, 16});
  check({61, 11, 13}, {2, 1, 0}, {5, 3, 20});
  check({61, 11, 13}, {1, 0, 2}, {1, 8, 13});
  check({31, 7, 35, 3}, {0, 3, 2, 1}, {2, 3, 8, 7});
  check({5, 10, 61}, {0, 2, 1}, {2, 8, 10});
  check({64, 11, 13}, {2, 1, 0}, {13, 11, 16});
}

TEST_CASE("tiles of runs follow each other along the runs of both sides", "[permute][plan]") {
  const PermuteShape shape = shape_of({61, 11, 13}, {2, 1, 0}, 4);  // the axes 13, 11 and 61
  const auto order_of = [&](const std::array<std::int64_t, 3>& extents) {
    PackedTile tile;
    std::copy(extents.begin(), extents.end(), tile.extents.begin());
    const auto order = tessera::detail::run_order(shape, tile);
    return std::vector<int>(order.axes.begin(), order.axes.begin() + 3);
  };
  CHECK(order_of({13, 1, 16}) == std::vector<int>{2, 1, 0});
  CHECK(order_of({5, 1, 16}) == std::vector<int>{2, 0, 1});
  CHECK(order_of({13, 11, 61}) == std::vector<int>{2, 1, 0});
}

TEMPLATE_LIST_TEST_CASE("permute: many elements in awkward extents", "[permute]", test::OneSpace) {
  constexpr bool is_host = tessera::detail::is_host_space<TestType>;
  const Extents<4> extents{is_host ? 19 : 149, is_host ? 11 : 55, 55, is_host ? 11 : 55};
  for (const std::array<int, 4>& axes :
       {std::array{0, 2, 1, 3}, {0, 3, 1, 2}, {0, 3, 2, 1}, {2, 0, 1, 3}, {3, 0, 1, 2}, {3, 2, 0, 1}, {1, 3, 2, 0}}) {
    test::check_permute<float, test::Right, test::Right>(TestType(), extents, axes);
    test::check_permute<float, test::Misaligned, test::Misaligned>(TestType(), extents, axes);
  }
  test::check_permute<double, test::Right, test::Misaligned>(TestType(), extents, {2, 0, 1, 3});
  const Extents<4> others{is_host ? 11 : 101, is_host ? 25 : 257, 9, 101};
  for (const std::array<int, 4>& axes : {std::array{1, 0, 2, 3}, {0, 2, 1, 3}}) {
    test::check_permute<double, test::Right, test::Right>(TestType(), others, axes);
  }
  test::check_permute<Kokkos::complex<double>, test::Right, test::Right>(
      TestType(), Extents<4>{is_host ? 11 : 101, is_host ? 11 : 55, 55, 19}, std::array{0, 2, 1, 3});
}

template <class Out>
struct Converted {
  template <class In>
  KOKKOS_FUNCTION Out operator()(const In& x) const {
    return static_cast<Out>(x);
  }
};

/// As a device with one multiprocessor would do it, which takes tiles of runs of smaller arrays. lanes: threads of a
/// run that is read, and of one that is written.
template <class In, class Out, std::size_t Rank, class Space>
void check_runs(const Space& space, const Extents<Rank>& extents, const std::array<int, Rank>& axes, int in_lanes,
                int out_lanes) {
  const auto choice = choice_of({false, 2048, gpu_scratch}, {extents.begin(), extents.end()},
                                {axes.begin(), axes.end()}, sizeof(In), {}, sizeof(Out));
  INFO("extents " << tessera::detail::extents_text(extents) << " axes " << tessera::detail::axes_text(axes)
                  << " elements of " << sizeof(In) << " and " << sizeof(Out) << " bytes");
  REQUIRE(choice.kernel == PackedKernel::runs);
  CHECK(1 << choice.runs.in_lanes == in_lanes);
  CHECK(1 << choice.runs.out_lanes == out_lanes);
  std::vector<In> values(test::detail::product(extents));
  std::vector<Out> converted;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<In>(i % 251) - 125;
    converted.push_back(Converted<Out>{}(values[i]));
  }
  const test::GuardedView<In, test::Right, Space, Rank> in(extents, values);
  const test::GuardedView<Out, test::Right, Space, Rank> out(test::permuted_extents(extents, axes));
  if constexpr (tessera::detail::is_host_space<Space>) {
    tessera::permute(space, in.const_view(), out.view(), axes, Converted<Out>{});
  } else {
    tessera::detail::launch_packed("test", space, choice, in.const_view().data(), out.view().data(), Converted<Out>{},
                                   0);
  }
  space.fence();
  test::check_bits(out.read(), test::expected_of(converted, extents, axes));
  out.check_guards();
}

TEMPLATE_LIST_TEST_CASE("permute: runs of a warp and of parts of one", "[permute][function]", test::OneSpace) {
  const TestType space;
  check_runs<float, float>(space, Extents<3>{101, 14, 35}, {2, 1, 0}, 16, 32);
  check_runs<float, float>(space, Extents<5>{11, 17, 5, 6, 8}, {4, 2, 3, 1, 0}, 32, 32);
  check_runs<float, float>(space, Extents<4>{27, 5, 13, 27}, {3, 2, 0, 1}, 32, 32);
  check_runs<float, float>(space, Extents<5>{41, 6, 4, 14, 11}, {4, 3, 0, 2, 1}, 32, 16);
  check_runs<float, float>(space, Extents<3>{301, 55, 8}, {1, 2, 0}, 16, 32);
  check_runs<double, double>(space, Extents<4>{8, 8, 41, 11}, {1, 0, 2, 3}, 32, 32);
}

TEMPLATE_LIST_TEST_CASE("permute: runs of elements that become longer or shorter", "[permute][function]",
                        test::OneSpace) {
  const TestType space;
  using Complex = Kokkos::complex<double>;
  check_runs<float, std::int8_t>(space, Extents<4>{41, 13, 8, 8}, {3, 2, 1, 0}, 8, 32);
  check_runs<double, std::int8_t>(space, Extents<4>{41, 11, 13, 8}, {3, 2, 0, 1}, 8, 32);
  check_runs<float, std::int16_t>(space, Extents<4>{35, 7, 13, 9}, {2, 3, 1, 0}, 16, 32);
  check_runs<double, float>(space, Extents<4>{35, 4, 5, 41}, {2, 1, 0, 3}, 16, 32);
  check_runs<float, double>(space, Extents<5>{5, 13, 5, 6, 27}, {3, 2, 1, 0, 4}, 32, 32);
  check_runs<float, Complex>(space, Extents<5>{35, 7, 6, 5, 14}, {2, 4, 3, 1, 0}, 32, 16);
  check_runs<double, Complex>(space, Extents<4>{41, 11, 7, 11}, {1, 3, 2, 0}, 32, 32);
}

TEMPLATE_LIST_TEST_CASE("permute: more shapes and options than plans are kept", "[permute]", test::OneSpace) {
  for (int time = 0; time < 3; ++time) {
    for (std::size_t n = 1; n < 12; ++n) {
      test::check_permute<float, test::Right, test::Right>(TestType(), Extents<2>{n + 40, n}, {1, 0});
      test::check_permute<float, test::Right, test::Right>(TestType(), Extents<2>{n + 40, n}, {1, 0},
                                                           {.variant = TransposeVariant::naive});
      test::check_permute<float, test::Right, test::Left>(TestType(), Extents<2>{n + 40, n}, {1, 0});
    }
  }
}

}  // namespace

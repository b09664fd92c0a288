// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans of reductions over axes and segments are data: pure, printable, and fit the machine for every shape.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <tessera/reduce/reduce_axes.hpp>
#include <tessera/reduce/reduce_segments.hpp>
#include <tessera/reduce/stats.hpp>

namespace {

using tessera::AxesMapping;
using tessera::ReduceAxesPlan;
using tessera::ReduceOptions;
using tessera::detail::AxesArgument;
using tessera::detail::DeviceLimits;

constexpr DeviceLimits gpu{false, 132 * 2048, 48 << 10};
constexpr DeviceLimits host{true, 2, 1 << 20};

/// Of a row-major array; axis d is reduced where mask has bit d.
std::vector<AxesArgument> arguments(const std::vector<std::int64_t>& extents, unsigned mask) {
  std::vector<AxesArgument> axes(extents.size());
  std::int64_t stride = 1;
  for (std::size_t d = extents.size(); d-- > 0; stride *= extents[d])
    axes[d] = {extents[d], stride, 0, (mask >> d & 1) != 0};
  return axes;
}

template <class R, class T>
ReduceAxesPlan plan_of(const DeviceLimits& limits, const std::vector<std::int64_t>& extents, unsigned mask,
                       const ReduceOptions& options = {}) {
  const std::vector<AxesArgument> axes = arguments(extents, mask);
  return tessera::detail::make_axes_plan<tessera::detail::fold_t<R, T>>(
      limits, tessera::detail::make_axes_shape(axes.data(), static_cast<int>(axes.size())), sizeof(T), options);
}

ReduceAxesPlan gpu_plan(const std::vector<std::int64_t>& extents, unsigned mask, const ReduceOptions& options = {}) {
  return plan_of<tessera::Sum<float>, float>(gpu, extents, mask, options);
}

/// Of what packs take too: arrays that are smaller, and sums that two doubles do not hold.
template <class R = tessera::Sum<float>>
ReduceAxesPlan general_plan(const std::vector<std::int64_t>& extents, unsigned mask,
                            const ReduceOptions& options = {}) {
  const std::vector<AxesArgument> axes = arguments(extents, mask);
  return tessera::detail::general_axes_plan<tessera::detail::fold_t<R, float>>(
      gpu, tessera::detail::make_axes_shape(axes.data(), static_cast<int>(axes.size())), sizeof(float), options);
}

TEST_CASE("shapes choose the mapping on a GPU", "[reduce][axes][plan]") {
  CHECK(general_plan({1 << 9, 1 << 20}, 2).mapping == AxesMapping::runs);
  CHECK(gpu_plan({1 << 15, 1 << 15}, 2).mapping == AxesMapping::rows);
  CHECK(gpu_plan({1 << 15, 64}, 2).mapping == AxesMapping::rows);
  CHECK(gpu_plan({1 << 15, 64}, 2).threads == 4);
  CHECK(gpu_plan({1 << 16, 33}, 2).threads == 2);
  CHECK(plan_of<tessera::Max<float>, float>(gpu, {1 << 23, 64}, 2).threads == 4);
  CHECK(plan_of<tessera::Max<float>, float>(gpu, {1 << 23, 63}, 2).threads == 2);
  CHECK(gpu_plan({1 << 16, 16}, 2).mapping == AxesMapping::lines);
  CHECK(gpu_plan({std::int64_t{1} << 28, 3}, 2).mapping == AxesMapping::lines);
  using ArgMin = tessera::ArgMin<float>;
  CHECK(plan_of<ArgMin, float>(gpu, {1 << 24, 16}, 2).mapping == AxesMapping::lines);
  CHECK(plan_of<ArgMin, float>(gpu, {1 << 22, 33}, 2).mapping == AxesMapping::rows);
  CHECK(plan_of<ArgMin, float>(gpu, {10007, 10009}, 1).mapping == AxesMapping::packs);
  CHECK(plan_of<ArgMin, float>(gpu, {10007, 10009}, 1, {.nan = tessera::NanPolicy::omit}).mapping ==
        AxesMapping::groups);
  CHECK(gpu_plan({3, std::int64_t{1} << 28}, 1).mapping == AxesMapping::lines);
  CHECK(gpu_plan({256, 1 << 21}, 1).mapping == AxesMapping::lines);
  CHECK(general_plan({256, 1 << 16}, 1).mapping == AxesMapping::groups);
  // A fold that cannot take elements at little cost.
  CHECK(plan_of<tessera::Std<float>, float>(gpu, {std::int64_t{1} << 28, 3}, 2).mapping == AxesMapping::lines);
  CHECK(plan_of<tessera::Stats<double>, double>(gpu, {1 << 26, 3}, 2).mapping == AxesMapping::staged);
  CHECK(gpu_plan({1 << 14, 1 << 15}, 1).mapping == AxesMapping::packs);
  CHECK(general_plan({1 << 14, 1 << 15}, 1).mapping == AxesMapping::groups);
  CHECK(gpu_plan({3, std::int64_t{1} << 28}, 1).threads == 1);
  CHECK(gpu_plan({1, std::int64_t{1} << 29}, 2).parts > 132);
  CHECK(gpu_plan({std::int64_t{1} << 28, 3}, 1).parts > 132);
  CHECK(gpu_plan({10007, 10009}, 1).parts > 1);
}

TEST_CASE("many rows of exact sums go through tiles", "[reduce][axes][plan]") {
  CHECK(gpu_plan({1 << 23, 64}, 2).mapping == AxesMapping::tiles);
  CHECK(gpu_plan({1 << 10, 1 << 13, 64}, 4).mapping == AxesMapping::tiles);
  CHECK(gpu_plan({1 << 23, 60}, 2).threads == 1);
  CHECK(gpu_plan({1 << 23, 64}, 2).threads == 2);
  CHECK(gpu_plan({1 << 22, 128}, 2).threads == 4);
  CHECK(gpu_plan({1 << 22, 200}, 2).threads == 4);
  CHECK(gpu_plan({1 << 21, 256}, 2).threads == 8);
  CHECK(gpu_plan({1 << 20, 512}, 2).threads == 16);
  CHECK(gpu_plan({1 << 21, 257}, 2).threads == 4);  // off 16-byte boundaries
  CHECK(gpu_plan({1 << 25, 8}, 2).mapping == AxesMapping::tiles);
  CHECK(plan_of<tessera::Sum<double>, double>(gpu, {1 << 25, 9}, 2).mapping == AxesMapping::tiles);
  // Means, norms and deviations are sums too.
  CHECK(plan_of<tessera::Mean<double>, double>(gpu, {1 << 22, 64}, 2).mapping == AxesMapping::tiles);
  CHECK(plan_of<tessera::L2<float>, float>(gpu, {1 << 23, 64}, 2).mapping == AxesMapping::tiles);
  CHECK(plan_of<tessera::L2<double>, double>(gpu, {1 << 22, 64}, 2).mapping == AxesMapping::tiles);
  CHECK(plan_of<tessera::Stats<double>, double>(gpu, {1 << 22, 64}, 2).mapping != AxesMapping::tiles);
  // Rows that are too short or too long, too few of them, with gaps, of another fold or type, on a host; sizes asked.
  CHECK(gpu_plan({1 << 25, 7}, 2).mapping == AxesMapping::lines);
  CHECK(plan_of<tessera::Sum<double>, double>(gpu, {1 << 25, 8}, 2).mapping == AxesMapping::lines);
  CHECK(gpu_plan({1 << 16, 3000}, 2).mapping == AxesMapping::rings);
  CHECK(gpu_plan({1 << 14, 1023}, 2).mapping == AxesMapping::rows);
  CHECK(gpu_plan({1 << 14, 1024}, 2).mapping == AxesMapping::tiles);
  const AxesArgument gaps[2] = {{1 << 23, 65, 0, false}, {64, 1, 0, true}};
  using Fold = tessera::detail::fold_t<tessera::Sum<float>, float>;
  CHECK(tessera::detail::make_axes_plan<Fold>(gpu, tessera::detail::make_axes_shape(gaps, 2), 4, {}).mapping ==
        AxesMapping::rows);
  CHECK(plan_of<tessera::Std<float>, float>(gpu, {1 << 23, 64}, 2).mapping == AxesMapping::tiles);
  CHECK(plan_of<tessera::Std<double>, double>(gpu, {1 << 22, 64}, 2).mapping == AxesMapping::tiles);
  CHECK(plan_of<tessera::Sum<int>, int>(gpu, {1 << 23, 64}, 2).mapping != AxesMapping::tiles);
  CHECK(plan_of<tessera::Sum<float>, float>(host, {1 << 23, 64}, 2).mapping != AxesMapping::tiles);
  for (const ReduceOptions& options : {ReduceOptions{.league_size = 500}, ReduceOptions{.team_size = 64}}) {
    CHECK(plan_of<tessera::Sum<float>, float>(gpu, {1 << 23, 64}, 2, options).mapping == AxesMapping::rows);
  }
}

TEST_CASE("exact sums of many lines leave those that they do not settle to a list", "[reduce][axes][plan]") {
  constexpr std::size_t list = tessera::detail::left_listed_max * sizeof(std::int64_t);
  constexpr std::int64_t floats = tessera::detail::left_bytes_min / sizeof(float);
  for (const unsigned mask : {1u, 2u}) {
    const std::vector<std::int64_t> extents{mask == 1 ? 5 : floats / 5 + 1, mask == 1 ? floats / 5 + 1 : 5};
    CHECK(gpu_plan(extents, mask).mapping == AxesMapping::lines);
    CHECK(gpu_plan(extents, mask).workspace_bytes == list);
    CHECK(plan_of<tessera::Std<float>, float>(gpu, extents, mask).workspace_bytes == list);
    CHECK(plan_of<tessera::Max<float>, float>(gpu, extents, mask).workspace_bytes == 0);
    CHECK(plan_of<tessera::Sum<float>, float>(host, extents, mask).workspace_bytes == 0);
    const std::vector<std::int64_t> fewer{mask == 1 ? 5 : floats / 5 - 1, mask == 1 ? floats / 5 - 1 : 5};
    CHECK(gpu_plan(fewer, mask).workspace_bytes == 0);
  }
  // Not in batches.
  CHECK(gpu_plan({1 << 16, 5, 1000}, 2).workspace_bytes == 0);
}

TEST_CASE("teams take lines once where they have much to do", "[reduce][axes][plan]") {
  const auto teams = [](std::int64_t lines, std::int64_t length, unsigned mask) {
    return gpu_plan(mask == 1 ? std::vector{length, lines} : std::vector{lines, length}, mask).league_size;
  };
  constexpr std::int64_t lines = 100000000;
  for (const unsigned mask : {1u, 2u}) {
    CHECK(teams(lines, 4, mask) == tessera::detail::ceil_div(lines, std::int64_t{1024}));
    CHECK(teams(lines, 3, mask) == 8 * 132 * 8);
  }
  CHECK(gpu_plan({100, 5, lines / 10}, 2).league_size == 8 * 132 * 8);
  CHECK(gpu_plan({lines, 5}, 2, {.league_size = 500}).league_size == 500);
}

TEST_CASE("long rows of exact sums go through rings", "[reduce][axes][plan]") {
  const ReduceAxesPlan plan = gpu_plan({1 << 16, 3000}, 2);
  CHECK(plan.mapping == AxesMapping::rings);
  CHECK(plan.league_size == 1 << 14);
  CHECK(plan.scratch_bytes <=
        gpu.shared_scratch(tessera::detail::row_tiles_teams_scratch, tessera::detail::row_tiles_teams_at_once));
  CHECK(gpu_plan({5000, 24 << 10}, 2).mapping == AxesMapping::rings);
  CHECK(plan_of<tessera::Sum<double>, double>(gpu, {1 << 15, 2000}, 2).mapping == AxesMapping::rings);
  // Rows that are longer, too few, of tiles, of another fold or type; sizes asked.
  CHECK(gpu_plan({5000, (24 << 10) + 1}, 2).mapping == AxesMapping::rows);
  CHECK(gpu_plan({4223, 24 << 10}, 2).mapping == AxesMapping::rows);
  CHECK(gpu_plan({5000, 3000}, 2).mapping == AxesMapping::rows);
  CHECK(gpu_plan({1 << 16, 2000}, 2).mapping == AxesMapping::tiles);
  CHECK(plan_of<tessera::Std<float>, float>(gpu, {1 << 16, 3000}, 2).mapping == AxesMapping::rings);
  CHECK(plan_of<tessera::Std<double>, double>(gpu, {1 << 16, 3000}, 2).mapping == AxesMapping::rings);
  CHECK(plan_of<tessera::Sum<int>, int>(gpu, {1 << 16, 3000}, 2).mapping != AxesMapping::rings);
  CHECK(gpu_plan({1 << 16, 3000}, 2, {.league_size = 500}).mapping == AxesMapping::rows);
  // With gaps between them.
  using Fold = tessera::detail::fold_t<tessera::Sum<float>, float>;
  const auto with_gaps = [](std::int64_t length) {
    const AxesArgument axes[2] = {{1 << 16, length + 1, 0, false}, {length, 1, 0, true}};
    return tessera::detail::make_axes_plan<Fold>(gpu, tessera::detail::make_axes_shape(axes, 2), 4, {}).mapping;
  };
  CHECK(with_gaps(1024) == AxesMapping::rings);
  CHECK(with_gaps(1023) == AxesMapping::rows);
}

TEST_CASE("long columns that are few are read in wide segments", "[reduce][axes][plan]") {
  const auto check = [](const std::vector<std::int64_t>& extents, unsigned mask, int outputs, int parts) {
    const ReduceAxesPlan plan = general_plan(extents, mask);
    INFO(to_string(plan));
    CHECK(plan.mapping == AxesMapping::groups);
    CHECK(plan.outputs == outputs);
    CHECK(plan.team_size == outputs);
    CHECK(plan.threads == 1);
    CHECK(plan.parts == parts);
  };
  check({1 << 20, 512}, 1, 256, 198);
  check({10007, 10009}, 1, 256, 9);
  check({23167, 23169}, 1, 256, 4);
  check({1 << 20, 300}, 1, 160, 264);
  check({2, 1 << 16, 8192}, 2, 256, 6);
  // Columns that are too narrow together, too many, too short; sizes asked; a fold that takes elements at some cost.
  CHECK(general_plan({1 << 20, 255}, 1).outputs == 32);
  CHECK(general_plan({1 << 12, 1 << 17}, 1).parts == 1);
  CHECK(general_plan({4000, 10009}, 1).outputs == 32);
  CHECK(general_plan({10007, 10009}, 1, {.team_size = 256}).outputs == 32);
  CHECK(general_plan({10007, 10009}, 1, {.league_size = 500}).outputs == 32);
  CHECK(plan_of<tessera::Stats<float>, float>(gpu, {10007, 10009}, 1).outputs == 32);
  CHECK(general_plan({1 << 15, 0, 300}, 1).parts == 1);
}

TEST_CASE("columns of large arrays are taken by packs", "[reduce][axes][plan]") {
  CHECK(gpu_plan({10007, 10009}, 1).mapping == AxesMapping::packs);
  CHECK(gpu_plan({std::int64_t{1} << 28, 3}, 1).mapping == AxesMapping::packs);
  CHECK(gpu_plan({7, 10007, 501, 9}, 2).mapping == AxesMapping::packs);
  CHECK(plan_of<tessera::Sum<double>, double>(gpu, {10007, 10009}, 1).mapping == AxesMapping::packs);
  CHECK(plan_of<tessera::Max<std::int64_t>, std::int64_t>(gpu, {10007, 10009}, 1).mapping == AxesMapping::packs);
  CHECK(plan_of<tessera::Mean<float>, float>(gpu, {10007, 10009}, 1).mapping == AxesMapping::packs);
  CHECK(plan_of<tessera::L2<float>, float>(gpu, {10007, 10009}, 1).mapping == AxesMapping::packs);
  CHECK(plan_of<tessera::Std<double>, double>(gpu, {10007, 10009}, 1).mapping == AxesMapping::packs);
  // What is smaller, has shorter columns, elements of another size, a fold that has no chains; sizes asked; a host.
  CHECK(gpu_plan({2000, 4000}, 1).mapping == AxesMapping::groups);
  CHECK(gpu_plan({100, 1 << 20}, 1).mapping == AxesMapping::lines);
  CHECK(plan_of<tessera::Max<std::int16_t>, std::int16_t>(gpu, {10007, 10009}, 1).mapping == AxesMapping::groups);
  CHECK(plan_of<tessera::Stats<float>, float>(gpu, {10007, 10009}, 1).mapping == AxesMapping::groups);
  CHECK(gpu_plan({10007, 10009}, 1, {.team_size = 256}).mapping == AxesMapping::groups);
  CHECK(gpu_plan({10007, 10009}, 1, {.league_size = 500}).mapping == AxesMapping::groups);
  CHECK(plan_of<tessera::Sum<float>, float>(host, {10007, 10009}, 1).mapping != AxesMapping::packs);
  // Runs are columns too: of exact sums large ones of which there are many.
  CHECK(gpu_plan({500, 1 << 20}, 2).mapping == AxesMapping::packs);
  CHECK(gpu_plan({199, 1 << 20}, 2).mapping == AxesMapping::runs);
  CHECK(gpu_plan({500, 1 << 16}, 2).mapping == AxesMapping::runs);
  // Fast sums leave NaN out by another mapping; smaller arrays are worth one kernel more.
  using FastSum = tessera::Sum<float, tessera::Summation::fast>;
  CHECK(plan_of<FastSum, float>(gpu, {2000, 4000}, 1).mapping == AxesMapping::packs);
  CHECK(plan_of<FastSum, float>(gpu, {3, 1 << 22}, 2).mapping == AxesMapping::packs);
  CHECK(plan_of<FastSum, float>(gpu, {10007, 10009}, 1, {.nan = tessera::NanPolicy::omit}).mapping ==
        AxesMapping::groups);
}

/// Whether teams have all columns of the joined rows, and parts all rows, of a matrix with so large a gap behind rows.
template <class R, class T>
bool packs_fit(std::int64_t rows, std::int64_t columns, std::int64_t gap, std::int64_t misalignment) {
  using Fold = tessera::detail::fold_t<R, T>;
  const AxesArgument axes[2] = {{rows, columns + gap, 0, true}, {columns, 1, 0, false}};
  tessera::detail::AxesShape shape = tessera::detail::make_axes_shape(axes, 2);
  shape.misalignment = misalignment;
  const auto packs = tessera::detail::column_packs<Fold>(gpu, shape, sizeof(T), {});
  if (packs.rows == 0) return true;
  constexpr auto width = static_cast<std::int64_t>(16 / sizeof(T));
  const std::int64_t step = packs.rows * (columns + gap), joined = (packs.rows - 1) * (columns + gap) + columns;
  const bool all_columns = packs.segments * 128 * width >= joined + misalignment && packs.columns == columns;
  const bool aligned = step % width == 0, whole = packs.parts % packs.rounds == 0;
  const bool in_team = !packs.in_team || (packs.segments == 1 && columns <= 128);
  const bool work = packs.height == rows && packs.joined_height() * packs.rows >= rows && packs.joined_height() >= 16;
  return all_columns && aligned && whole && in_team && work;
}

TEST_CASE("packs have all columns and rows", "[reduce][axes][plan]") {
  std::size_t wrong = 0;
  for (std::int64_t columns = 2; columns < 3000; columns += columns < 600 ? 1 : 37) {
    const std::int64_t rows = (std::int64_t{1} << 27) / columns;
    for (const std::int64_t gap : {0, 1, 4, 100}) {
      wrong += packs_fit<tessera::Sum<float>, float>(rows, columns, gap, columns % 4) ? 0 : 1;
      wrong += packs_fit<tessera::Sum<float, tessera::Summation::fast>, float>(rows, columns, gap, 0) ? 0 : 1;
      wrong += packs_fit<tessera::Sum<double>, double>(rows, columns, gap, columns % 2) ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
}

template <class T>
void check_tiles_fit(const DeviceLimits& limits) {
  const std::size_t most =
      limits.shared_scratch(tessera::detail::row_tiles_teams_scratch, tessera::detail::row_tiles_teams_at_once);
  std::size_t wrong = 0, tiles = 0;
  for (std::int64_t length = 1; length < 4000; ++length) {
    const std::int64_t rows = (std::int64_t{1} << 29) / length;
    const ReduceAxesPlan plan = plan_of<tessera::Sum<T>, T>(limits, {rows, length}, 2);
    if (plan.mapping != AxesMapping::tiles) continue;
    ++tiles;
    const std::int64_t bytes = plan.outputs * length * static_cast<std::int64_t>(sizeof(T));
    const int part = tessera::detail::row_tile_part(length, plan.threads);
    const bool fits = plan.outputs > 0 && static_cast<std::size_t>(bytes) + 2 * 16 < plan.scratch_bytes &&
                      plan.scratch_bytes <= most && plan.team_size == 128 && 128 % plan.threads == 0 &&
                      plan.threads <= 32 && std::int64_t{part} * plan.threads >= length &&
                      std::int64_t{plan.league_size} * plan.outputs >= rows &&
                      std::int64_t{plan.league_size - 1} * plan.outputs < rows;
    wrong += fits ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(tiles >= 500);
}

TEST_CASE("tiles of rows fit what a multiprocessor has", "[reduce][axes][plan]") {
  for (const std::size_t there : {228, 164, 100}) {
    const DeviceLimits limits{false, 132 * 2048, 40 << 10, there << 10};
    check_tiles_fit<float>(limits);
    check_tiles_fit<double>(limits);
  }
  CHECK(tessera::detail::row_tile_part(1000, 16) == 63);
  CHECK(tessera::detail::row_tile_part(500, 16) == 33);
  CHECK(tessera::detail::row_tile_part(512, 16) == 32);
}

TEST_CASE("few columns share a team, and a warp's reads", "[reduce][axes][plan]") {
  const ReduceAxesPlan three = general_plan({5, 5981, 5981, 3}, 4);
  CHECK(three.mapping == AxesMapping::groups);
  CHECK(three.threads == 10);
  CHECK(three.outputs == 24);
  CHECK(three.team_size == 240);
  // Few outputs: as many threads as a team has, and parts.
  CHECK(general_plan({10000019, 3}, 1).threads == 85);
  CHECK(general_plan({10000019, 3}, 1).parts > 132);
  // No more threads than have something to do.
  CHECK(general_plan({30011, 40, 3}, 2).threads == 2);
}

TEST_CASE("teams of columns fill a GPU to the end", "[reduce][axes][plan]") {
  const auto share = [](const ReduceAxesPlan& plan, std::int64_t outputs) {
    const std::int64_t blocks = (outputs + plan.outputs - 1) / plan.outputs;
    return tessera::detail::filled(blocks * plan.parts, tessera::detail::teams_at_once(gpu, 256));
  };
  CHECK(share(general_plan({1 << 16, 1 << 13}, 1), 1 << 13) >= 950);
  CHECK(share(general_plan({1000, 536870}, 1), 536870) >= 950);
  // Whole warps where these read on boundaries.
  CHECK(general_plan({1 << 13, 1 << 16}, 1).outputs % 32 == 0);
}

TEST_CASE("teams that share long rows fill a GPU some whole times", "[reduce][axes][plan]") {
  const auto parts = [](std::int64_t rows, std::int64_t row) { return general_plan({rows, row}, 2).parts; };
  // Three on each of 132 multiprocessors; of many rows more, where fewer would leave some idle.
  CHECK(parts(1, std::int64_t{1} << 29) == 396);
  CHECK(parts(3, 178956970) == 132);
  CHECK(parts(100, 5368709) == 7);
  CHECK(parts(200, 2684354) == 7);
  CHECK(parts(1 << 9, 1 << 20) == 3);
  CHECK(parts(1000, 536870) == 1);
  CHECK(parts(1500, 357913) == 1);
  // Too few elements for that: what a team of less is worth.
  CHECK(parts(1, 1 << 20) == 64);
  CHECK(parts(64, 1 << 16) == 4);
  // Fast sums are not known to need so many registers.
  using FastSum = tessera::Sum<float, tessera::Summation::fast>;
  CHECK(general_plan<FastSum>({1, std::int64_t{1} << 29}, 2).parts == 1056);
}

TEST_CASE("axes merge where memory allows it", "[reduce][axes][plan]") {
  const auto shape = [](const std::vector<std::int64_t>& extents, unsigned mask) {
    const std::vector<AxesArgument> axes = arguments(extents, mask);
    return tessera::detail::make_axes_shape(axes.data(), static_cast<int>(axes.size()));
  };
  CHECK(shape({2, 3, 4, 5}, 12).reduced == 1);
  CHECK(shape({2, 3, 4, 5}, 12).run_size == 20);
  CHECK(shape({2, 3, 4, 5}, 12).rows_adjacent);
  CHECK(shape({2, 3, 4, 5}, 5).reduced == 2);
  CHECK(shape({2, 1, 4, 5}, 5).reduced == 1);
  CHECK(shape({7, 1, 1, 1, 9, 1, 1, 5}, 0x12).kept == 2);
  CHECK(shape({2, 3}, 0).kept == 1);
}

template <class R, class T>
void check_plans_fit() {
  constexpr std::int64_t huge = std::int64_t{1} << 28;
  const std::vector<std::vector<std::int64_t>> shapes{{3, huge},
                                                      {huge, 3},
                                                      {17, 10000000},
                                                      {10000000, 17},
                                                      {10007, 10009},
                                                      {1, 2 * huge},
                                                      {2 * huge, 1},
                                                      {101, 103, 10007},
                                                      {7, 100019, 7},
                                                      {5, 1001, 1001, 3},
                                                      {3, 3, 3, 1001, 1001},
                                                      {16 * huge, 2, 3},
                                                      {5, 0},
                                                      {0, 5},
                                                      {1},
                                                      {1024, 1024, 1024},
                                                      {100000, 63},
                                                      {100000, 64},
                                                      {100000, 127},
                                                      {100000, 333},
                                                      {100000, 512},
                                                      {100000, 1024}};
  for (const auto& extents : shapes) {
    for (unsigned mask = 0; mask < (1u << extents.size()); ++mask) {
      for (const DeviceLimits& limits : {gpu, host}) {
        const ReduceAxesPlan plan = plan_of<R, T>(limits, extents, mask);
        INFO(to_string(plan));
        CHECK(plan.scratch_bytes <= (44 << 10));
        CHECK(plan.league_size >= 1);
        CHECK((plan.team_size >= 1 && plan.team_size <= (limits.is_host ? 2 : 256)));
        CHECK(plan.parts >= 1);
        CHECK(plan.workspace_bytes < (256 << 20));
      }
    }
  }
}

TEST_CASE("plans fit for every shape", "[reduce][axes][plan]") {
  check_plans_fit<tessera::Sum<float>, float>();
  check_plans_fit<tessera::Var<double>, double>();
  check_plans_fit<tessera::Max<std::int8_t>, std::int8_t>();
}

/// A value of many bytes.
struct BulkySum {
  struct value_type {
    int sum;
    char rest[1000];
  };
  KOKKOS_FUNCTION value_type identity() const { return {}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into.sum += from.sum; }
};

TEST_CASE("wide values get fewer threads an output", "[reduce][axes][plan]") {
  CHECK(plan_of<BulkySum, int>(gpu, {10007, 10009}, 1).scratch_bytes <= (44 << 10));
  CHECK(plan_of<BulkySum, int>(gpu, {100000, 500}, 2).threads == 1);
}

TEST_CASE("plans of axes and segments print and obey", "[reduce][axes][segments][plan]") {
  const ReduceAxesPlan plan =
      plan_of<tessera::Sum<float>, float>(host, {5, 1000000}, 2, {.league_size = 64, .team_size = 2});
  CHECK(plan.league_size == 64);
  CHECK(plan.team_size == 2);
  CHECK(to_string(plan).find("runs league 64 team 2 outputs 1 threads 2 parts 12 scratch ") == 0);
  CHECK(plan == plan_of<tessera::Sum<float>, float>(host, {5, 1000000}, 2, {.league_size = 64, .team_size = 2}));

  using Fold = tessera::detail::fold_t<tessera::Sum<float>, float>;
  const tessera::ReduceSegmentsPlan segments = tessera::detail::make_segments_plan<Fold>(gpu, 1 << 28, 1 << 20, {});
  CHECK(segments.chunk == 1 << 14);
  CHECK(segments.chunks == ((1 << 28) + (1 << 20)) >> 14);
  CHECK(segments.scratch_bytes <= (44 << 10));
  CHECK(to_string(segments).find("segments league 16448 team 128 chunk 16384 chunks 16448 scratch ") == 0);
  for (const AxesMapping mapping : tessera::axes_mappings) CHECK(!to_string(mapping).empty());
}

}  // namespace

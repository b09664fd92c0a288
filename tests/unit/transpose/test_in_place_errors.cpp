// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each error of transpose_in_place, with its text; its plan; its instance.
#include <catch2/catch_template_test_macros.hpp>
#include <string>

#include "in_place_check.hpp"
#include "support/message.hpp"
#include "support/tools_recorder.hpp"

namespace {

namespace test = tessera::test;
using tessera::InPlaceOptions;
using tessera::InPlacePlan;
using tessera::InPlaceVariant;
using tessera::InvalidArgument;
using tessera::LineMemory;

template <class Space>
using FlatMemory = test::GuardedView<float, test::Right, Space, 1>;

TEMPLATE_LIST_TEST_CASE("a view that is not square is an error", "[transpose][in_place][errors]", test::OneSpace) {
  const test::GuardedView<float, test::Right, TestType, 2> wide({3, 4}, test::values<float>(12));
  const auto message = test::message_of<InvalidArgument>([&] { tessera::transpose_in_place(TestType(), wide.view()); });
  test::check_message(message, {"tessera::transpose_in_place", "`view`", "extents (3, 4)", "expected", "square", ";",
                                "contiguous memory"});
  const test::GuardedView<float, test::Right, TestType, 3> batches({4, 4, 3}, test::values<float>(48));
  test::check_message(
      test::message_of<InvalidArgument>([&] { tessera::transpose_in_place(TestType(), batches.view()); }),
      {"tessera::transpose_in_place", "`view`", "extents (4, 4, 3)", "expected", "square", ";"});
  const Kokkos::View<float**, Kokkos::LayoutStride, TestType, Kokkos::MemoryTraits<Kokkos::Unmanaged>> row(
      wide.view().data(), Kokkos::LayoutStride(3, 0, 3, 1));
  test::check_message(test::message_of<InvalidArgument>([&] { tessera::transpose_in_place(TestType(), row); }),
                      {"tessera::transpose_in_place", "`view`", "stride 0 on axis 0 of extents (3, 3)", "expected",
                       "memory of its own", ";"});
  test::check_bits(wide.read(), test::values<float>(12));
}

TEMPLATE_LIST_TEST_CASE("memory of another size, or with gaps, is an error", "[transpose][in_place][errors]",
                        test::OneSpace) {
  const FlatMemory<TestType> memory({12}, test::values<float>(12));
  const auto message = [&](std::size_t rows, std::size_t columns) {
    return test::message_of<InvalidArgument>(
        [&] { tessera::transpose_in_place(TestType(), memory.view(), rows, columns); });
  };
  test::check_message(message(3, 5), {"tessera::transpose_in_place", "`memory`", "12 elements", "expected", "3 x 5",
                                      ";", "the whole matrix"});
  test::check_message(message(2, 5), {"`memory`", "12 elements", "expected", "2 x 5", ";"});
  const std::size_t half_range = std::size_t{1} << 63;
  test::check_message(message(half_range, 2), {"`memory`", "12 elements", "expected", "9223372036854775808 x 2", ";"});
  const test::GuardedView<float, test::Strided, TestType, 1> strided({12}, test::values<float>(12));
  test::check_message(
      test::message_of<InvalidArgument>([&] { tessera::transpose_in_place(TestType(), strided.view(), 3, 4); }),
      {"tessera::transpose_in_place", "`memory`", "stride 2", "expected", "contiguous", ";"});
  test::check_bits(memory.read(), test::values<float>(12));
}

TEMPLATE_LIST_TEST_CASE("a workspace that is too small for an in-place transpose is an error",
                        "[transpose][in_place][errors]", test::OneSpace) {
  const TestType space;
  const FlatMemory<TestType> memory({130000}, test::values<float>(130000));
  const InPlacePlan plan = tessera::in_place_plan<float>(space, 26000, 5);
  REQUIRE(plan.workspace_bytes > 16);
  const tessera::Workspace<TestType> workspace(space, 16);
  const auto message = test::message_of<InvalidArgument>(
      [&] { tessera::transpose_in_place(space, memory.view(), 26000, 5, {}, workspace); });
  test::check_message(message, {"tessera::transpose_in_place", "`workspace`", "16 bytes", "expected", "at least",
                                std::to_string(plan.workspace_bytes), ";", "in_place_plan"});
  test::check_bits(memory.read(), test::values<float>(130000));
}

TEMPLATE_LIST_TEST_CASE("sizes and variants that an in-place transpose cannot have are errors",
                        "[transpose][in_place][errors]", test::OneSpace) {
  const FlatMemory<TestType> memory({12}, test::values<float>(12));
  const test::GuardedView<float, test::Right, TestType, 2> square({3, 3}, test::values<float>(9));
  const auto both = [&](const InPlaceOptions& options, std::initializer_list<std::string_view> parts) {
    const auto of_memory = [&] { tessera::transpose_in_place(TestType(), memory.view(), 3, 4, options); };
    const auto of_view = [&] { tessera::transpose_in_place(TestType(), square.view(), options); };
    test::check_message(test::message_of<InvalidArgument>(of_memory), parts);
    test::check_message(test::message_of<InvalidArgument>(of_view), parts);
  };
  both({.league_size = -1},
       {"tessera::transpose_in_place", "`options`", "league_size -1", "expected", "0 or more", ";"});
  both({.team_size = -1}, {"tessera::transpose_in_place", "`options`", "team_size -1", "expected", "0 to", ";"});
  both({.team_size = 1000000},
       {"tessera::transpose_in_place", "`options`", "team_size 1000000", "expected", "0 to", ";"});
  const auto swapped = [&] {
    tessera::transpose_in_place(TestType(), memory.view(), 3, 4, {.variant = InPlaceVariant::swapped_tiles});
  };
  test::check_message(test::message_of<InvalidArgument>(swapped),
                      {"tessera::transpose_in_place", "`options`", "variant swapped_tiles for 3 x 4", "expected",
                       "square", "c2r, r2c", "blocks", ";"});
  const auto passes = [&] { tessera::transpose_in_place(TestType(), square.view(), {.variant = InPlaceVariant::r2c}); };
  test::check_message(test::message_of<InvalidArgument>(passes),
                      {"tessera::transpose_in_place", "`options`", "variant r2c for a view", "expected", "automatic or",
                       ";", "contiguous memory"});
}

TEMPLATE_LIST_TEST_CASE("an in-place plan is a pure function and takes overrides", "[transpose][in_place][plan]",
                        test::OneSpace) {
  const TestType space;
  InPlacePlan plan;
  const test::ToolsRecord record = test::recorded([&] { plan = tessera::in_place_plan<double>(space, 30000, 20000); });
  CHECK(record.kernels.empty());
  test::check_asynchronous(record);
  CHECK(plan == tessera::in_place_plan<double>(space, 30000, 20000));
  constexpr bool host = test::runs_on_host<TestType>;
  CHECK(plan.variant == (host ? InPlaceVariant::chunks : InPlaceVariant::blocks));
  CHECK(plan.passes == 2);
  CHECK(plan.bytes_moved == std::uint64_t{2} * static_cast<unsigned>(plan.passes) * 30000 * 20000 * 8);
  CHECK(plan.workspace_bytes > 0);
  CHECK(plan.workspace_bytes <= (std::size_t{32} << 20) + 3072);
  CHECK(plan.scratch_bytes <= static_cast<std::size_t>(Kokkos::TeamPolicy<TestType>::scratch_size_max(0)));
  CHECK(tessera::in_place_plan<double>(space, 30000, 20000, {.variant = InPlaceVariant::c2r}).passes == 3);
  CHECK(tessera::in_place_plan<double>(space, 30001, 20000, {.variant = InPlaceVariant::c2r}).passes == 2);
  CHECK(tessera::in_place_plan<double>(space, 1, 20000).passes == 0);
  CHECK(tessera::in_place_plan<double>(space, 0, 0).passes == 0);
  const InPlacePlan square = tessera::in_place_plan<double>(space, 3000, 3000);
  CHECK(square.variant == InPlaceVariant::swapped_tiles);
  CHECK(square.passes == 1);
  CHECK(square.workspace_bytes == 0);
  for (const int team_size : test::odd_team_sizes(space)) {
    const InPlacePlan odd = tessera::in_place_plan<float>(
        space, 100, 201, {.variant = InPlaceVariant::r2c, .league_size = 7, .team_size = team_size});
    CHECK(odd.variant == InPlaceVariant::r2c);
    CHECK(odd.team_size == team_size);
    CHECK(odd.league_size == 7);
  }
}

TEMPLATE_LIST_TEST_CASE("the workspace of an in-place plan follows the budget and the longest line",
                        "[transpose][in_place][plan]", test::OneSpace) {
  const TestType space;
  const auto bytes = [&](std::size_t rows, std::size_t columns, std::size_t budget) {
    return tessera::in_place_plan<float>(space, rows, columns, {.batch_bytes = budget}).workspace_bytes;
  };
  CHECK(bytes(200, 100, 0) == 0);  // all in scratch
  CHECK(bytes(200000, 30001, 1 << 20) <= (1 << 20) + 3072);
  CHECK(bytes(200000, 30001, 1000) <= 200000 * sizeof(float) + 512);
  CHECK(bytes(1000000, 999, 0) <= (std::size_t{64} << 20) + 3072);
  CHECK(bytes(1000000000, 3, 0) <= 1000000000 * sizeof(float) + 512);
}

TEST_CASE("in-place plans of a host, by private functions", "[transpose][in_place][plan]") {
  const tessera::detail::DeviceLimits host{.is_host = true, .concurrency = 64, .scratch_bytes = 32000};
  const auto plan = [&](std::int64_t rows, std::int64_t columns, std::size_t bytes,
                        const InPlaceOptions& options = {}) {
    return tessera::detail::make_in_place_plan(host, rows, columns, bytes, options);
  };
  for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{10007, 10009},
                                      {2, 500000000},
                                      {500000000, 3},
                                      {1000000, 64},
                                      {60000, 40000},
                                      {400000, 40001}}) {
    for (const std::size_t bytes : {1, 2, 4, 8, 12, 16}) {
      const InPlacePlan chunks = plan(rows, columns, bytes);
      INFO(rows << " x " << columns << " of " << bytes << " bytes: " << to_string(chunks));
      CHECK(chunks.variant == InPlaceVariant::chunks);
      CHECK(chunks.passes == 2);
      const auto matrix_bytes = static_cast<std::size_t>(rows * columns) * bytes;
      CHECK(chunks.workspace_bytes <= std::max(std::size_t{64} << 20, matrix_bytes / 256));
      CHECK(static_cast<std::size_t>(chunks.rows.batch) * bytes >= 48);
    }
  }
  // Small matrices need no workspace; what the budget cannot hold goes by other ways, unless it is asked for.
  CHECK(plan(100, 200, 4).workspace_bytes == 0);
  CHECK(plan(30000, 20000, 4, {.batch_bytes = 1 << 20}).variant != InPlaceVariant::chunks);
  CHECK(plan(30000, 20000, 4, {.variant = InPlaceVariant::chunks, .batch_bytes = 1 << 20}).rows.batch == 16);
  CHECK(plan(10, 20, 4, {.variant = InPlaceVariant::chunks}).rows == tessera::LinePlan{LineMemory::workspace, 20, 1});
}

TEST_CASE("in-place plans of a device, by private functions", "[transpose][in_place][plan]") {
  const tessera::detail::DeviceLimits device{.is_host = false, .concurrency = 132 * 2048, .scratch_bytes = 40936};
  const auto plan = [&](std::int64_t rows, std::int64_t columns, std::size_t bytes,
                        const InPlaceOptions& options = {}) {
    return tessera::detail::make_in_place_plan(device, rows, columns, bytes, options);
  };
  for (const std::size_t bytes : {1, 2, 3, 4, 8, 12, 16}) {
    const InPlacePlan square = plan(16384, 16384, bytes);
    INFO(bytes << " bytes: " << to_string(square));
    CHECK(square.variant == InPlaceVariant::swapped_tiles);
    CHECK(square.tile_rows * square.tile_rows % square.team_size == 0);
    CHECK(square.scratch_bytes + 16 <= device.scratch_bytes);
  }
  for (const std::int64_t rows : {2, 3, 1000, 20000, 2000000, 500000000}) {
    for (const std::int64_t columns : {2, 5, 999, 20001, 1500000}) {
      for (const InPlaceVariant variant : {InPlaceVariant::c2r, InPlaceVariant::r2c}) {
        for (const std::size_t bytes : {1, 3, 4, 16}) {
          const InPlacePlan odd = plan(rows, columns, bytes, {.variant = variant});
          INFO(rows << " x " << columns << " of " << bytes << " bytes: " << to_string(odd));
          CHECK(odd.scratch_bytes + 16 <= device.scratch_bytes);
          CHECK(odd.league_size >= 1);
        }
      }
    }
  }
  test::check_message(
      test::message_of<InvalidArgument>([&] { plan(100000, 1000, 4, {.variant = InPlaceVariant::chunks}); }),
      {"tessera::transpose_in_place", "`options`", "variant chunks on a device", "expected", "c2r or r2c", ";"});
  const auto lines = [&](std::int64_t rows, std::int64_t columns, std::size_t bytes, int team_size = 0) {
    return tessera::detail::plan_cheaper_passes({device, bytes, std::size_t{32} << 20, team_size}, rows, columns);
  };
  // The shorter extent is the row where scratch holds it.
  CHECK(lines(100000, 1000, 4).variant == InPlaceVariant::c2r);
  CHECK(lines(1000, 100000, 4).variant == InPlaceVariant::r2c);
  CHECK(lines(100000, 1000, 4).rows.memory == LineMemory::scratch);
  // The longer the columns, the fewer buffers hold enough of them.
  CHECK(plan(20000, 1000, 4, {.variant = InPlaceVariant::c2r}).columns.buffers == 8);
  CHECK(plan(50000, 1000, 4, {.variant = InPlaceVariant::c2r}).columns.buffers == 4);
  CHECK(plan(1000000, 1000, 4, {.variant = InPlaceVariant::c2r}).columns.buffers == 2);
  // Rows of a few elements: columns in scratch, and rows of the longer extent.
  CHECK(lines(100000000, 3, 4).columns.memory == LineMemory::scratch);
  CHECK(lines(20000, 20001, 4).rows.memory == LineMemory::registers);
  CHECK(lines(20000, 20001, 4).row_team_size == 864);
  CHECK(lines(20000, 1000, 4).rows.memory == LineMemory::scratch);
  CHECK(lines(20000, 1100, 4).rows.memory == LineMemory::registers);
  CHECK(plan(1000000, 64, 4, {.variant = InPlaceVariant::r2c}).tile_columns ==
        128);  // more of a row than of long columns
  CHECK(plan(1000000, 64, 1, {.variant = InPlaceVariant::r2c, .team_size = 32}).tile_columns == 32);
  CHECK(lines(20000, 20001, 4, 256).rows.memory == LineMemory::workspace);
  CHECK(lines(20000, 20001, 8).rows.memory == LineMemory::workspace);
}

TEST_CASE("in-place plans in blocks, by private functions", "[transpose][in_place][plan]") {
  const tessera::detail::DeviceLimits device{.is_host = false, .concurrency = 132 * 2048, .scratch_bytes = 40936};
  const auto plan = [&](std::int64_t rows, std::int64_t columns, std::size_t bytes,
                        const InPlaceOptions& options = {}) {
    return tessera::detail::make_in_place_plan(device, rows, columns, bytes, options);
  };
  const auto blocks = [&](std::int64_t rows, std::int64_t columns, std::size_t bytes) {
    const InPlacePlan chosen = plan(rows, columns, bytes);
    return chosen.variant == InPlaceVariant::blocks ? to_string(chosen.blocks) : std::string(to_string(chosen.variant));
  };
  CHECK(blocks(8192, 24576, 4) == "8192 x 8192 cuts 512 aside 0 rows 0 columns");
  CHECK(blocks(30000, 20000, 4) == "10000 x 10000 cuts 419 aside 0 rows 0 columns");
  CHECK(blocks(10007, 10009, 4) == "10007 x 10007 cuts 0 aside 0 rows 2 columns");
  CHECK(blocks(1000000, 64, 4) == "64 x 64 in scratch cuts 62500 aside 0 rows 0 columns");
  CHECK(blocks(3, 50000000, 8) == "3 x 800 in scratch cuts 5242 aside 0 rows 0 columns");
  CHECK(blocks(12345, 23488, 4) == "64 x 64 in scratch cuts 65536 aside 57 rows 0 columns");
  CHECK(blocks(12345, 23456, 4) == "r2c");  // runs of one line, and rows set aside
  CHECK(blocks(1000, 1500, 4) == "c2r");    // scratch and registers hold lines
  CHECK(blocks(100000, 30, 4) == "160 x 30 in scratch cuts 1171 aside 0 rows 0 columns");
  CHECK(blocks(200, 300, 4) == "r2c");
  // All of it within the budget; no more runs than have numbers.
  for (const std::int64_t rows : {2, 3, 1000, 20000, 2000000, 500000000}) {
    for (const std::int64_t columns : {2, 5, 999, 20001, 1500000}) {
      for (const std::size_t bytes : {1, 3, 4, 16}) {
        for (const std::size_t batch_bytes : {0, 1, 1 << 20}) {
          const InPlacePlan odd =
              plan(rows, columns, bytes, {.variant = InPlaceVariant::blocks, .batch_bytes = batch_bytes});
          INFO(rows << " x " << columns << " of " << bytes << " bytes: " << to_string(odd));
          CHECK(odd.scratch_bytes + 16 <= device.scratch_bytes);
          if (odd.variant != InPlaceVariant::blocks) continue;
          CHECK(odd.workspace_bytes <= (batch_bytes == 0 ? std::size_t{64} << 20 : batch_bytes) + 3072);
          CHECK(rows * columns / odd.blocks.run < std::int64_t{1} << 31);
        }
      }
    }
  }
  CHECK(plan(1500001, 500000003, 4, {.variant = InPlaceVariant::blocks, .batch_bytes = 1}).variant !=
        InPlaceVariant::blocks);
}

TEST_CASE("an in-place plan prints itself", "[transpose][in_place][plan]") {
  const InPlacePlan plan{.variant = InPlaceVariant::r2c,
                         .league_size = 12,
                         .team_size = 34,
                         .row_team_size = 35,
                         .tile_rows = 56,
                         .tile_columns = 78,
                         .rows = {LineMemory::scratch, 9, 0},
                         .columns = {LineMemory::workspace, 256, 2},
                         .passes = 3,
                         .bytes_moved = 4321,
                         .scratch_bytes = 90,
                         .workspace_bytes = 1234};
  const std::string text = to_string(plan);
  INFO(text);
  for (const char* part :
       {"r2c", "league 12", "team 34, of rows 35", "vector 1", "tile 56 x 78", "rows scratch 0 x 9",
        "columns workspace 2 x 256", "passes 3", "moved 4321 B", "scratch 90 B", "workspace 1234 B"}) {
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK_FALSE(plan == InPlacePlan{});
  CHECK(to_string(InPlaceVariant::automatic) == "automatic");
  CHECK(to_string(InPlaceVariant::swapped_tiles) == "swapped_tiles");
  CHECK(to_string(InPlaceVariant::c2r) == "c2r");
  CHECK(to_string(InPlaceVariant::blocks) == "blocks");
  CHECK(to_string(LineMemory::none) == "none");
  CHECK(to_string(LineMemory::registers) == "registers");
  CHECK(to_string(InPlaceVariant::r2c) == "r2c");
  CHECK(to_string(InPlaceVariant::chunks) == "chunks");
  CHECK(tessera::in_place_variants.size() == 6);
}

TEMPLATE_LIST_TEST_CASE("an in-place transpose is asynchronous and on its instance", "[transpose][in_place]",
                        test::OneSpace) {
  const auto space = test::another_instance<TestType>();
  const std::vector<float> values = test::values<float>(300 * 300);
  const test::GuardedView<float, test::Right, TestType, 2> square({300, 300}, values);
  tessera::transpose_in_place(space, square.view());  // Kokkos' own scratch memory grows
  const test::ToolsRecord one = test::recorded([&] { tessera::transpose_in_place(space, square.view()); });
  test::check_kernels(one, space);
  CHECK(one.kernels.size() == 1);
  test::check_asynchronous(one);
  CHECK(one.regions == std::vector<std::string>{"tessera::transpose_in_place"});
  space.fence();
  test::check_bits(square.read(), values);

  const InPlaceOptions options{.batch_bytes = 1 << 18};
  const tessera::Workspace<TestType> workspace(
      space, tessera::in_place_plan<float>(space, 26000, 15, options).workspace_bytes);
  const FlatMemory<TestType> memory({390000}, test::values<float>(390000));
  const auto call = [&](std::size_t rows, std::size_t columns) {
    tessera::transpose_in_place(space, memory.view(), rows, columns, options, workspace);
  };
  call(26000, 15);
  const test::ToolsRecord many = test::recorded([&] { call(15, 26000); });
  test::check_kernels(many, space);
  CHECK(many.kernels.size() >= 3);
  test::check_asynchronous(many);
  CHECK(many.regions == std::vector<std::string>{"tessera::transpose_in_place"});
  space.fence();
  test::check_bits(memory.read(), test::values<float>(390000));
  CHECK(test::recorded([&] { call(1, 390000); }).kernels.empty());
}

}  // namespace

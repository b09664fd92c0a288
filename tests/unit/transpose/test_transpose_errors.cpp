// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each error of transpose, with its text; its plan; its instance.
#include <catch2/catch_template_test_macros.hpp>
#include <string>

#include "support/message.hpp"
#include "support/tools_recorder.hpp"
#include "transpose_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::InvalidArgument;
using tessera::TransposePlan;

template <class Space>
using Matrix = test::GuardedView<float, test::Right, Space, 2>;

TEMPLATE_LIST_TEST_CASE("extents that do not match are an error", "[transpose][errors]", test::OneSpace) {
  const Matrix<TestType> in({3, 4}, test::values<float>(12)), same({3, 4}), longer({4, 5});
  const auto refused = [&](const Matrix<TestType>& out, std::string_view extents) {
    const auto call = [&] { tessera::transpose(TestType(), in.view(), out.view()); };
    test::check_message(test::message_of<InvalidArgument>(call),
                        {"tessera::transpose", "`out`", extents, "expected", "(4, 3)", "`in`", "(3, 4)", "(1, 0)", ";",
                         "these extents"});
    test::check_bits(out.read(), std::vector<float>(out.size(), test::poison<float>()));
  };
  refused(same, "(3, 4)");
  refused(longer, "(4, 5)");
}

TEMPLATE_LIST_TEST_CASE("a transpose onto its input is an error", "[transpose][errors]", test::OneSpace) {
  const Matrix<TestType> memory({8, 4}, test::values<float>(32));
  const auto block = [&](int begin) {
    return Kokkos::subview(memory.view(), Kokkos::pair<int, int>(begin, begin + 4), Kokkos::ALL);
  };
  for (const int begin : {0, 1, 3}) {
    const auto call = [&] { tessera::transpose(TestType(), block(begin), block(0)); };
    test::check_message(test::message_of<InvalidArgument>(call),
                        {"tessera::transpose", "`out`", "overlap", "`in`", "expected", "separate", ";"});
  }
  test::check_bits(memory.read(), test::values<float>(32));
  CHECK_NOTHROW(tessera::transpose(TestType(), block(4), block(0)));
  TestType().fence();
}

TEMPLATE_LIST_TEST_CASE("team and league sizes that a transpose cannot have are errors", "[transpose][errors]",
                        test::OneSpace) {
  const Matrix<TestType> in({3, 4}, test::values<float>(12)), out({4, 3});
  const auto message = [&](const tessera::TransposeOptions& options) {
    return test::message_of<InvalidArgument>([&] { tessera::transpose(TestType(), in.view(), out.view(), options); });
  };
  test::check_message(message({.league_size = -1}),
                      {"tessera::transpose", "`options`", "league_size -1", "expected", "0 or more", ";"});
  test::check_message(message({.team_size = -1}),
                      {"tessera::transpose", "`options`", "team_size -1", "expected", "0 to", ";"});
  test::check_message(message({.team_size = 1000000}),
                      {"tessera::transpose", "`options`", "team_size 1000000", "expected", "0 to", ";"});
}

TEMPLATE_LIST_TEST_CASE("a transpose plan is a pure function and takes overrides", "[transpose][plan]",
                        test::OneSpace) {
  const TestType space;
  const auto limit = static_cast<std::size_t>(Kokkos::TeamPolicy<TestType>::scratch_size_max(0));
  TransposePlan plan;
  const test::ToolsRecord record =
      test::recorded([&] { plan = tessera::transpose_plan<Kokkos::complex<double>>(space, 1000, 2000); });
  CHECK(record.kernels.empty());
  test::check_asynchronous(record);
  CHECK(plan == tessera::transpose_plan<Kokkos::complex<double>>(space, 1000, 2000));
  CHECK(plan.variant != tessera::TransposeVariant::automatic);
  CHECK(plan.scratch_bytes <= limit);
  CHECK(plan.league_size >= 1);
  for (const int team_size : test::odd_team_sizes(space)) {
    const TransposePlan odd =
        tessera::transpose_plan<float>(space, 100, 200, {.league_size = 7, .team_size = team_size});
    CHECK(odd.team_size == team_size);
    CHECK(odd.league_size == 7);
  }
  CHECK(tessera::transpose_plan<float>(space, 0, 5).league_size >= 1);
}

TEMPLATE_LIST_TEST_CASE("a transpose of more tiles than 32 bits count is an error", "[transpose][errors]",
                        test::OneSpace) {
  const auto call = [&](std::uint64_t rows, std::uint64_t columns) {
    return tessera::transpose_plan<char>(TestType(), rows, columns, {.variant = tessera::TransposeVariant::tiled});
  };
  const std::uint64_t huge = std::uint64_t{1} << 30;
  test::check_message(test::message_of<InvalidArgument>([&] { call(huge, huge); }),
                      {"tessera::transpose", "`options`", "tiles", "expected", "fewer than 2^31", ";", "automatic"});
  CHECK(call(huge, 1).league_size >= 1);
}

TEST_CASE("a transpose plan prints itself", "[transpose][plan]") {
  const TransposePlan plan{.league_size = 12,
                           .team_size = 34,
                           .access_bytes = 4,
                           .tile_rows = 56,
                           .tile_columns = 78,
                           .pad = 1,
                           .scratch_bytes = 90};
  const std::string text = to_string(plan);
  INFO(text);
  for (const char* part :
       {"padded", "league 12", "team 34", "vector 1", "access 4 B", "tile 56 x 78", "pad 1", "scratch 90"}) {
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK_FALSE(plan == TransposePlan{});
  std::string names;
  for (const auto variant : tessera::transpose_variants) names += std::string(to_string(variant)) + " ";
  CHECK(names == "automatic naive tiled padded swizzled packed ");
}

TEMPLATE_LIST_TEST_CASE("a transpose launches one kernel on its instance and nothing else", "[transpose]",
                        test::OneSpace) {
  const auto space = test::another_instance<TestType>();
  const std::vector<float> values = test::values<float>(300 * 200);
  const Matrix<TestType> in({300, 200}, values), out({200, 300});
  tessera::transpose(space, in.view(), out.view());  // Kokkos' own scratch memory grows
  const test::ToolsRecord record = test::recorded([&] { tessera::transpose(space, in.view(), out.view()); });
  test::check_kernels(record, space);
  CHECK(record.kernels.size() == 1);
  test::check_asynchronous(record);
  CHECK(record.regions == std::vector<std::string>{"tessera::transpose"});
  space.fence();
  test::check_bits(out.read(), tessera::reference::transposed(values, 300, 200));
}

}  // namespace

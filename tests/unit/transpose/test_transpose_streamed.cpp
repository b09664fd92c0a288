// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes that write past a host's caches: which do by themselves, and that all of them are right when asked to.
#include <Kokkos_Core.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>
#include <tessera/detail/host_stream.hpp>
#include <tessera/transpose/transpose.hpp>

#include "permute_check.hpp"
#include "transpose_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::Stores;
using tessera::TransposePlan;
using test::Extents;

constexpr tessera::TransposeOptions streamed_options() {
  tessera::TransposeOptions options;
  options.stores = Stores::streamed;
  return options;
}

template <class T, class Space>
TransposePlan plan_of(const Space& space, std::uint64_t rows, std::uint64_t columns, Stores stores) {
  tessera::TransposeOptions options;
  options.stores = stores;
  return tessera::transpose_plan<T>(space, rows, columns, options);
}

TEST_CASE("the ways of writing have names", "[transpose][streamed]") {
  std::string names;
  for (const Stores stores : tessera::all_stores) names += std::string(to_string(stores)) + " ";
  CHECK(names == "automatic cached streamed ");
}

TEMPLATE_LIST_TEST_CASE("large transposes of a host are streamed", "[transpose][streamed]", test::OneSpace) {
  const TestType space;
  constexpr bool is_host = tessera::detail::is_host_space<TestType>;
  constexpr bool streams = is_host && tessera::detail::has_streaming_stores;
  CHECK_FALSE(plan_of<float>(space, 4096, 2047, Stores::automatic).streamed);
  CHECK(plan_of<float>(space, 4096, 2048, Stores::automatic).streamed == streams);
  CHECK(plan_of<float>(space, 2049, 4096, Stores::automatic).streamed == streams);
  CHECK(plan_of<double>(space, 4096, 1024, Stores::automatic).streamed == streams);
  CHECK_FALSE(plan_of<double>(space, 4096, 4096, Stores::cached).streamed);
  CHECK(plan_of<double>(space, 64, 17, Stores::streamed).streamed == streams);
  CHECK_FALSE(plan_of<double>(space, 63, 17, Stores::streamed).streamed);  // rows shorter than a tile
  CHECK(plan_of<std::uint16_t>(space, 4096, 4096, Stores::automatic).streamed == streams);
  CHECK(plan_of<std::uint8_t>(space, 256, 17, Stores::streamed).streamed == streams);
  CHECK_FALSE(plan_of<std::uint8_t>(space, 255, 17, Stores::streamed).streamed);
  CHECK_FALSE(plan_of<Kokkos::complex<double>>(space, 4096, 4096, Stores::streamed).streamed);
  const bool says = to_string(plan_of<float>(space, 4096, 4096, Stores::streamed)).ends_with(" B streamed");
  CHECK(says == streams);
}

template <class T, class InLayout, class OutLayout, class Space>
void check_streamed(const Space& space) {
  const auto tile = plan_of<T>(space, 999, 999, Stores::streamed);
  const auto r = static_cast<std::size_t>(tile.tile_rows), c = static_cast<std::size_t>(tile.tile_columns);
  for (const auto& [rows, columns] : {std::pair{r, c},
                                      {2 * r, 2 * c},
                                      {r + 1, c - 1},
                                      {3 * r - 1, c + 1},
                                      {2 * r + 3, 2 * c + 17},
                                      {5 * r + 7, 19}}) {
    test::check_transpose<T, InLayout, OutLayout>(space, rows, columns, streamed_options());
  }
}

TEMPLATE_LIST_TEST_CASE("streamed transposes from and to every layout", "[transpose][streamed]", test::Layouts) {
  const Kokkos::DefaultExecutionSpace space;
  check_streamed<float, TestType, test::Right>(space);
  check_streamed<float, TestType, test::Misaligned>(space);
  check_streamed<double, TestType, test::Right>(space);
  check_streamed<double, TestType, test::Block>(space);
  check_streamed<Kokkos::complex<float>, TestType, test::Misaligned>(space);
  check_streamed<test::Bytes<4>, TestType, test::Block>(space);
  check_streamed<std::uint16_t, TestType, test::Right>(space);
  check_streamed<test::Bytes<2>, TestType, test::Misaligned>(space);
  check_streamed<std::uint8_t, TestType, test::Right>(space);
  check_streamed<std::uint8_t, test::Misaligned, TestType>(space);
  check_streamed<float, test::Right, TestType>(space);
}

TEMPLATE_LIST_TEST_CASE("streamed transposes under plans that no tuning would choose", "[transpose][streamed]",
                        test::OneSpace) {
  const TestType space;
  for (const int team_size : test::odd_team_sizes(space)) {
    for (const int league_size : test::odd_league_sizes()) {
      tessera::TransposeOptions options = streamed_options();
      options.team_size = team_size;
      options.league_size = league_size;
      test::check_transpose<float, test::Right, test::Right>(space, 256, 192, options);
      test::check_transpose<float, test::Right, test::Misaligned>(space, 301, 203, options);
      test::check_transpose<std::uint8_t, test::Right, test::Right>(space, 512, 192, options);
      test::check_permute<double, test::Right, test::Right>(space, Extents<4>{3, 67, 2, 131}, {2, 3, 0, 1}, options);
      test::check_permute<double, test::Right, test::Right>(space, Extents<3>{3, 128, 96}, {0, 2, 1}, options);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("streamed transposes with a function", "[transpose][streamed]", test::OneSpace) {
  const TestType space;
  const std::size_t rows = 300, columns = 101;
  const std::vector<float> values = test::values<float>(rows * columns);
  const test::GuardedView<float, test::Right, TestType, 2> in({rows, columns}, values);
  const test::GuardedView<double, test::Misaligned, TestType, 2> out({columns, rows});
  tessera::transpose(space, in.const_view(), out.view(), streamed_options());
  space.fence();
  std::vector<double> expected;
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < rows; ++i) expected.push_back(static_cast<double>(values[i * columns + j]));
  }
  test::check_bits(out.read(), expected);
  out.check_guards();
}

}  // namespace

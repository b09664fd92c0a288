// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes of elements of every size from 1 to 16 bytes, over shapes around the plan's tile.
#include <bit>
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>

#include "transpose_check.hpp"

namespace {

namespace test = tessera::test;
using test::Bytes;

template <class T, class Space>
void check_shapes(const Space& space) {
  for (const auto& [rows, columns] : test::transpose_shapes(tessera::transpose_plan<T>(space, 1000, 1000))) {
    test::check_transpose<T, test::Right, test::Right>(space, rows, columns);
  }
}

TEMPLATE_LIST_TEST_CASE("transpose elements of 1 byte", "[transpose]", test::OneSpace) {
  check_shapes<std::uint8_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("transpose elements of 2 bytes", "[transpose]", test::OneSpace) {
  check_shapes<std::int16_t>(TestType());
}
TEMPLATE_LIST_TEST_CASE("transpose float", "[transpose]", test::Spaces) { check_shapes<float>(TestType()); }
TEMPLATE_LIST_TEST_CASE("transpose double", "[transpose]", test::OneSpace) { check_shapes<double>(TestType()); }
TEMPLATE_LIST_TEST_CASE("transpose complex double", "[transpose]", test::Spaces) {
  check_shapes<Kokkos::complex<double>>(TestType());
}

template <class Space, std::size_t... Sizes>
void check_sizes(const Space& space, std::index_sequence<Sizes...>) {
  (test::check_transpose<Bytes<Sizes + 1>, test::Right, test::Right>(space, 67, 131), ...);
  (test::check_transpose<Bytes<Sizes + 1>, test::Right, test::Right>(space, 1, 3), ...);
}

TEMPLATE_LIST_TEST_CASE("transpose elements of 1 to 16 bytes with no alignment", "[transpose]", test::OneSpace) {
  check_sizes(TestType(), std::make_index_sequence<16>());
}

TEMPLATE_LIST_TEST_CASE("transpose records of 12 bytes", "[transpose]", test::OneSpace) {
  check_shapes<test::Record>(TestType());
}

TEMPLATE_LIST_TEST_CASE("transpose under plans that no tuning would choose", "[transpose]", test::OneSpace) {
  const TestType space;
  for (const int team_size : test::odd_team_sizes(space)) {
    for (const int league_size : test::odd_league_sizes()) {
      const tessera::TransposeOptions options{.league_size = league_size, .team_size = team_size};
      test::check_transpose<float, test::Right, test::Right>(space, 509, 263, options);
      test::check_transpose<float, test::Right, test::Right>(space, 128, 256, options);
      test::check_transpose<float, test::Right, test::Right>(space, 3, 2, options);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("each transpose variant gives the answer", "[transpose]", test::OneSpace) {
  for (const tessera::TransposeVariant variant : tessera::transpose_variants) {
    INFO("variant " << to_string(variant));
    test::check_transpose<double, test::Right, test::Right>(TestType(), 261, 519, {.variant = variant});
  }
}

TEMPLATE_LIST_TEST_CASE("NaN payloads and signs of zero survive a transpose", "[transpose]", test::OneSpace) {
  std::vector<float> values;
  for (std::uint32_t i = 0; i < 70 * 35; ++i) {
    // Quiet and signalling NaNs of both signs, each with a payload of its own, and zeros between.
    const std::uint32_t sign = i % 2 << 31;
    values.push_back(
        std::bit_cast<float>(i % 5 == 0 ? sign : (i % 3 == 0 ? 0x7fc00000u : 0x7f800000u) | sign | (i + 1)));
  }
  const test::GuardedView<float, test::Right, TestType, 2> in({70, 35}, values), out({35, 70});
  tessera::transpose(TestType(), in.view(), out.view());
  TestType().fence();
  test::check_bits(out.read(), tessera::reference::transposed(values, 70, 35));
}

}  // namespace

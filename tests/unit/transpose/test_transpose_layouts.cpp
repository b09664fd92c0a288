// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every pair of layouts. All elements around the views are poison and must stay so.
#include <catch2/catch_template_test_macros.hpp>

#include "transpose_check.hpp"

namespace {

namespace test = tessera::test;

template <class T, class InLayout, class OutLayout, class Space>
void check_pair(const Space& space) {
  test::check_transpose<T, InLayout, OutLayout>(space, 1, 1);
  test::check_transpose<T, InLayout, OutLayout>(space, 1, 67);
  test::check_transpose<T, InLayout, OutLayout>(space, 101, 1);
  test::check_transpose<T, InLayout, OutLayout>(space, 64, 32);
  test::check_transpose<T, InLayout, OutLayout>(space, 129, 195);
}

template <class T, class InLayout, class Space, class... OutLayouts>
void check_pairs(const Space& space, std::tuple<OutLayouts...>) {
  (check_pair<T, InLayout, OutLayouts>(space), ...);
}

TEMPLATE_LIST_TEST_CASE("transpose to every layout", "[transpose]", test::Layouts) {
  check_pairs<float, TestType>(Kokkos::DefaultExecutionSpace(), test::Layouts());
}

TEMPLATE_LIST_TEST_CASE("transpose elements of 12 bytes to every layout", "[transpose]", test::Layouts) {
  check_pairs<test::Record, TestType>(Kokkos::DefaultExecutionSpace(), std::tuple<test::Left, test::Block>());
}

TEMPLATE_LIST_TEST_CASE("transpose elements of 16 bytes that are aligned to 8", "[transpose]", test::OneSpace) {
  // One more double in front makes every 16-byte access illegal on a device.
  using test::Pair;
  const std::vector<double> memory(2 * 40 * 70 + 1, 0.0);
  const auto in_memory = test::device_copy<TestType>(test::values<double>(memory.size()));
  const auto out_memory = test::device_copy<TestType>(memory);
  const auto unmanaged = [](const Kokkos::View<double*, TestType>& view, int rows, int columns) {
    return Kokkos::View<Pair**, Kokkos::LayoutRight, TestType, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
        reinterpret_cast<Pair*>(view.data() + 1), rows, columns);
  };
  tessera::transpose(TestType(), unmanaged(in_memory, 40, 70), unmanaged(out_memory, 70, 40));
  TestType().fence();
  const std::vector<double> in = test::host_copy(in_memory), out = test::host_copy(out_memory);
  std::vector<double> expected(memory.size(), 0.0);
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t j = 0; j < 70; ++j) {
      for (std::size_t part = 0; part < 2; ++part) {
        expected[1 + 2 * (j * 40 + i) + part] = in[1 + 2 * (i * 70 + j) + part];
      }
    }
  }
  test::check_bits(out, expected);
}

TEMPLATE_LIST_TEST_CASE("transpose to rows that begin anywhere in a sector", "[transpose]", test::OneSpace) {
  for (const auto variant : {tessera::TransposeVariant::tiled, tessera::TransposeVariant::padded}) {
    INFO("variant " << to_string(variant));
    for (const std::size_t rows : {511, 513, 514, 517, 519, 520, 521, 639, 641, 643, 647, 649}) {
      test::check_transpose<float, test::Right, test::Misaligned>(TestType(), rows, 67, {.variant = variant});
      test::check_transpose<double, test::Block, test::Block>(TestType(), rows, 33, {.variant = variant});
    }
    test::check_transpose<float, test::Right, test::Misaligned>(TestType(), 519, 320,
                                                                {.variant = variant, .league_size = 3});
  }
}

TEMPLATE_LIST_TEST_CASE("transpose managed and const views", "[transpose]", test::OneSpace) {
  const std::vector<double> values = test::values<double>(91 * 45);
  const test::GuardedView<double, test::Right, TestType, 2> source({91, 45}, values);
  const Kokkos::View<double**, Kokkos::LayoutRight, TestType> in("in", 91, 45);
  Kokkos::deep_copy(in, source.view());
  const Kokkos::View<const double**, Kokkos::LayoutRight, TestType> constant = in;
  const Kokkos::View<double**, Kokkos::LayoutRight, TestType> turned("turned", 45, 91), back("back", 91, 45);
  tessera::transpose(TestType(), constant, turned);
  tessera::transpose(TestType(), turned, back);
  TestType().fence();
  const test::GuardedView<double, test::Right, TestType, 2> result({91, 45});
  Kokkos::deep_copy(result.view(), back);
  test::check_bits(result.read(), values);
}

}  // namespace

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Permutations of axes: every order, rank, variant and layout, changes of layout, arrays of run-time rank.
#include <catch2/catch_template_test_macros.hpp>
#include <cstring>
#include <random>

#include "permute_check.hpp"
#include "support/message.hpp"
#include "support/tools_recorder.hpp"

namespace {

namespace test = tessera::test;
using tessera::TransposeVariant;
using test::Extents;

TEMPLATE_LIST_TEST_CASE("permute: every order of up to four axes", "[permute]", test::Spaces) {
  const TestType space;
  const auto check = [&]<std::size_t Rank>(const Extents<Rank>& extents) {
    test::for_each_order<Rank>([&](const std::array<int, Rank>& axes) {
      test::check_permute<float, test::Right, test::Right>(space, extents, axes);
    });
  };
  check(Extents<1>{1009});
  check(Extents<2>{37, 129});
  check(Extents<2>{3, 5003});
  check(Extents<3>{7, 211, 7});
  check(Extents<3>{33, 65, 129});
  check(Extents<3>{64, 128, 32});
  check(Extents<3>{101, 103, 3});
  check(Extents<4>{13, 5, 17, 11});
  check(Extents<4>{2, 1, 70, 66});
  check(Extents<4>{3, 0, 4, 5});
}

TEMPLATE_LIST_TEST_CASE("permute: every order of five axes", "[permute]", test::OneSpace) {
  test::for_each_order<5>([&](const std::array<int, 5>& axes) {
    test::check_permute<double, test::Right, test::Right>(TestType(), Extents<5>{31, 29, 3, 3, 3}, axes);
  });
}

TEMPLATE_LIST_TEST_CASE("permute: eight axes", "[permute]", test::OneSpace) {
  std::mt19937 random(8);
  std::array<int, 8> axes = tessera::detail::identity_axes<8>();
  for (int n = 0; n < 20; ++n) {
    std::shuffle(axes.begin(), axes.end(), random);
    test::check_permute<float, test::Right, test::Right>(TestType(), Extents<8>{3, 5, 3, 2, 4, 3, 5, 3}, axes);
    test::check_permute<float, test::Right, test::Right>(TestType(), Extents<8>{2, 2, 9, 1, 9, 2, 3, 9}, axes);
  }
}

/// Tiles of which a host turns matrices in blocks, whole and overlapping ones, in vectors of every width.
TEMPLATE_LIST_TEST_CASE("permute: short matrices across other axes", "[permute]", test::OneSpace) {
  const TestType space;
  const int team_size = test::odd_team_sizes(space).back();
  for (const std::size_t rows : {3, 4, 5, 8, 9, 15, 16, 17}) {
    for (const std::size_t columns : {15, 16, 17, 33}) {
      const Extents<4> extents{rows, 3, 2, columns}, turned{columns, 2, 3, rows};
      for (const std::array<int, 4>& axes : {std::array{3, 1, 2, 0}, {1, 3, 2, 0}, {2, 3, 1, 0}, {3, 2, 1, 0}}) {
        test::check_permute<std::uint8_t, test::Right, test::Right>(space, extents, axes);
        test::check_permute<std::int16_t, test::Right, test::Misaligned>(space, extents, axes);
        test::check_permute<float, test::Right, test::Right>(space, extents, axes);
        test::check_permute<float, test::Misaligned, test::Right>(space, turned, axes);
        test::check_permute<double, test::Right, test::Right>(space, extents, axes);
        test::check_permute<double, test::Right, test::Misaligned>(space, turned, axes, {.team_size = team_size});
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("permute: every variant gives the answer", "[permute]", test::OneSpace) {
  const TestType space;
  for (const TransposeVariant variant : tessera::transpose_variants) {
    const tessera::TransposeOptions options{.variant = variant};
    test::for_each_order<3>([&](const std::array<int, 3>& axes) {
      test::check_permute<float, test::Right, test::Right>(space, Extents<3>{64, test::is_sanitized ? 64 : 256, 32},
                                                           axes, options);
      test::check_permute<double, test::Right, test::Right>(space, Extents<3>{67, 5, 131}, axes, options);
      test::check_permute<std::uint8_t, test::Right, test::Right>(space, Extents<3>{3, 132, 260}, axes, options);
      test::check_permute<test::Bytes<2>, test::Right, test::Left>(space, Extents<3>{129, 3, 136}, axes, options);
    });
    test::check_permute<Kokkos::complex<double>, test::Right, test::Right>(space, Extents<2>{65, 33}, {1, 0}, options);
    test::check_permute<float, test::Right, test::Right>(space, Extents<1>{77}, {0}, options);
  }
}

template <class InLayout, class OutLayout, class Space>
void check_layouts(const Space& space) {
  test::check_permute<float, InLayout, OutLayout>(space, Extents<3>{9, 70, 66}, {2, 1, 0});
  test::check_permute<float, InLayout, OutLayout>(space, Extents<3>{70, 9, 67}, {1, 0, 2});
  test::check_permute<test::Record, InLayout, OutLayout>(space, Extents<4>{5, 6, 7, 8}, {3, 0, 2, 1});
}

template <class InLayout, class Space, class... OutLayouts>
void check_all_layouts(const Space& space, std::tuple<OutLayouts...>) {
  (check_layouts<InLayout, OutLayouts>(space), ...);
}

TEMPLATE_LIST_TEST_CASE("permute from and to every layout", "[permute]", test::Layouts) {
  check_all_layouts<TestType>(Kokkos::DefaultExecutionSpace(), test::Layouts());
}

TEMPLATE_LIST_TEST_CASE("permute under plans that no tuning would choose", "[permute]", test::OneSpace) {
  const TestType space;
  for (const int team_size : test::odd_team_sizes(space)) {
    for (const int league_size : test::odd_league_sizes()) {
      for (const TransposeVariant variant :
           {TransposeVariant::naive, TransposeVariant::swizzled, TransposeVariant::packed}) {
        const tessera::TransposeOptions options{variant, league_size, team_size};
        test::check_permute<float, test::Right, test::Right>(space, Extents<3>{11, 64, 130}, {2, 1, 0}, options);
        test::check_permute<double, test::Right, test::Right>(space, Extents<3>{11, 12, 13}, {1, 0, 2}, options);
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("permute takes broadcast input and negative axes", "[permute]", test::OneSpace) {
  const std::vector<float> values = test::values<float>(70);
  const test::GuardedView<float, test::Right, TestType, 1> line({70}, values);
  const Kokkos::LayoutStride rows(5, 0, 70, 1);
  const Kokkos::View<const float**, Kokkos::LayoutStride, TestType, Kokkos::MemoryTraits<Kokkos::Unmanaged>> in(
      line.view().data(), rows);
  const test::GuardedView<float, test::Right, TestType, 2> out({70, 5});
  tessera::permute(TestType(), in, out.view(), {-1, -2});
  TestType().fence();
  std::vector<float> expected;
  for (const float value : values) expected.insert(expected.end(), 5, value);
  test::check_bits(out.read(), expected);
}

TEMPLATE_LIST_TEST_CASE("transpose of the matrices of a batch", "[permute]", test::OneSpace) {
  const std::vector<double> values = test::values<double>(3 * 70 * 65);
  const test::GuardedView<double, test::Block, TestType, 3> in({3, 70, 65}, values);
  const test::GuardedView<double, test::Left, TestType, 3> out({3, 65, 70});
  tessera::transpose(TestType(), in.const_view(), out.view());
  TestType().fence();
  test::check_bits(out.read(), tessera::reference::permuted(values, {3, 70, 65}, {0, 2, 1}));
  out.check_guards();
}

TEMPLATE_LIST_TEST_CASE("copy_layout keeps the logical array", "[permute]", test::OneSpace) {
  const std::vector<float> values = test::values<float>(5 * 66 * 130);
  const test::GuardedView<float, test::Right, TestType, 3> in({5, 66, 130}, values), back({5, 66, 130});
  const test::GuardedView<float, test::Left, TestType, 3> out({5, 66, 130});
  tessera::copy_layout(TestType(), in.const_view(), out.view());
  tessera::copy_layout(TestType(), out.const_view(), back.view());
  TestType().fence();
  test::check_bits(out.read(), values);
  test::check_bits(back.read(), values);
  out.check_guards();
}

TEMPLATE_LIST_TEST_CASE("permute_array: elements of any size", "[permute]", test::OneSpace) {
  for (const std::size_t bytes : {1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 31, 40, 100, 1000}) {
    test::check_array(TestType(), {67, 35}, bytes, {1, 0});
    test::check_array(TestType(), {5, 12, 7}, bytes, {1, 2, 0});
    test::check_array(TestType(), {5, 8, 6}, bytes, {1, 0, 2});
  }
}

TEMPLATE_LIST_TEST_CASE("permute_array: ranks up to 32", "[permute]", test::OneSpace) {
  const std::vector<std::int64_t> extents{2, 3, 1, 2, 2, 3, 2, 2, 1, 3, 2, 2, 2, 2};
  std::vector<int> axes(extents.size());
  for (std::size_t d = 0; d < axes.size(); ++d) axes[d] = static_cast<int>(axes.size() - 1 - d);
  for (const TransposeVariant variant :
       {TransposeVariant::automatic, TransposeVariant::naive, TransposeVariant::packed}) {
    test::check_array(TestType(), extents, 4, axes, {.variant = variant});
  }
  std::mt19937 random(32);
  for (int n = 0; n < 10; ++n) {
    std::shuffle(axes.begin(), axes.end(), random);
    test::check_array(TestType(), extents, 6, axes);
  }
  std::vector<std::int64_t> most(32, 1);
  std::vector<int> reversed(32);
  for (std::size_t d = 0; d < 32; ++d) {
    most[d] = d % 2 == 0 ? 2 : 1;
    reversed[d] = 31 - static_cast<int>(d);
  }
  test::check_array(TestType(), most, 2, reversed);
  test::check_array(TestType(), most, 1, reversed);
  test::check_array(TestType(), {}, 8, {});
}

TEMPLATE_LIST_TEST_CASE("a permutation launches one kernel on its instance and nothing else", "[permute]",
                        test::OneSpace) {
  const auto space = test::another_instance<TestType>();
  const test::GuardedView<float, test::Right, TestType, 3> in({9, 70, 66}, test::values<float>(9 * 70 * 66)),
      out({66, 70, 9});
  for (const TransposeVariant variant : tessera::transpose_variants) {
    const tessera::TransposeOptions options{.variant = variant};
    const auto call = [&] { tessera::permute(space, in.view(), out.view(), {2, 1, 0}, options); };
    call();  // Kokkos' own scratch memory grows
    const test::ToolsRecord record = test::recorded(call);
    INFO("variant " << to_string(variant));
    test::check_kernels(record, space);
    CHECK(record.kernels.size() == 1);
    test::check_asynchronous(record);
    CHECK(record.regions == std::vector<std::string>{"tessera::permute"});
  }
}

}  // namespace

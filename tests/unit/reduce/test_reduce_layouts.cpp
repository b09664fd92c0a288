// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views of every layout, rank, alignment and kind of memory. The elements around each view are NaN or far off.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <tuple>
#include <utility>

#include "reduce_check.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
using test::Extents;

template <class T, class Reducer, class Layout, class Space, std::size_t Rank>
void check_view(const Extents<Rank>& extents) {
  const std::size_t size = test::detail::product(extents);
  INFO("rank " << Rank << ", size " << size);
  const std::vector<T> values = test::values<T>(size, size + Rank);
  const test::GuardedView<T, Layout, Space, Rank> in(extents, values);
  test::check_reduced(tessera::reduce(Space(), in.view(), Reducer{}), Reducer::name(), values);
  in.check_guards();
}

template <class Layout, class Space>
void check_ranks() {
  using Sum = tessera::Sum<float>;
  using Max = tessera::Max<std::int32_t>;
  for (const std::size_t size : {1, 2, 17, 1009, 40009}) check_view<float, Sum, Layout, Space, 1>({size});
  check_view<float, Sum, Layout, Space, 2>({37, 53});
  check_view<float, Sum, Layout, Space, 2>({1, 4099});
  check_view<float, Sum, Layout, Space, 2>({0, 7});
  check_view<std::int32_t, Max, Layout, Space, 3>({7, 11, 130});
  check_view<std::int32_t, Max, Layout, Space, 3>({1031, 1, 3});
  check_view<float, Sum, Layout, Space, 8>({2, 3, 1, 2, 5, 2, 3, 4});
}

TEMPLATE_LIST_TEST_CASE("reduce LayoutRight", "[reduce]", test::OneSpace) { check_ranks<test::Right, TestType>(); }
TEMPLATE_LIST_TEST_CASE("reduce LayoutLeft", "[reduce]", test::OneSpace) { check_ranks<test::Left, TestType>(); }
TEMPLATE_LIST_TEST_CASE("reduce strided views", "[reduce]", test::OneSpace) { check_ranks<test::Strided, TestType>(); }
TEMPLATE_LIST_TEST_CASE("reduce blocks", "[reduce]", test::OneSpace) { check_ranks<test::Block, TestType>(); }
TEMPLATE_LIST_TEST_CASE("reduce blocks of LayoutLeft arrays", "[reduce]", test::OneSpace) {
  check_ranks<test::BlockLeft, TestType>();
}

TEMPLATE_LIST_TEST_CASE("reduce reads nothing beyond a view, wherever it begins and ends", "[reduce]", test::OneSpace) {
  const std::vector<float> values = test::values<float>(64);
  const test::GuardedView<float, test::Right, TestType, 1> in({64}, values);
  const std::vector<float> poisoned(64, test::poison<float>());
  const test::GuardedView<float, test::Right, TestType, 1> window({64}, poisoned);
  for (std::size_t begin = 0; begin < 8; ++begin) {
    for (std::size_t size = 1; size < 41; ++size) {
      INFO("begin " << begin << ", size " << size);
      const std::vector<float> part(values.begin() + begin, values.begin() + begin + size);
      const auto target = Kokkos::subview(window.view(), std::pair(begin, begin + size));
      Kokkos::deep_copy(window.view(), test::poison<float>());
      Kokkos::deep_copy(target, Kokkos::subview(in.view(), std::pair(begin, begin + size)));
      test::check_reduced(tessera::reduce(TestType(), target, tessera::Sum<float>{}), "sum", part);
      test::check_reduced(tessera::reduce(TestType(), target, tessera::Min<float>{}), "min", part);
    }
  }
}

/// As large as half a 16-byte piece, but aligned as a float is.
struct TwoFloats {
  float first, second;
};
struct SumOfTwo {
  using value_type = double;
  KOKKOS_FUNCTION value_type identity() const { return 0; }
  KOKKOS_FUNCTION value_type map(const TwoFloats& element) const { return element.first + 3.0 * element.second; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into += from; }
};

TEMPLATE_LIST_TEST_CASE("reduce elements of which none begins on a 16-byte boundary", "[reduce]", test::OneSpace) {
  std::vector<float> values(131);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const auto floats = test::device_copy<TestType>(values);
  for (std::size_t begin = 0; begin < 4; ++begin) {
    const Kokkos::View<const TwoFloats*, TestType, Kokkos::MemoryTraits<Kokkos::Unmanaged>> in(
        reinterpret_cast<const TwoFloats*>(floats.data() + begin), 63);
    double expected = 0;
    for (std::size_t i = 0; i < 63; ++i) expected += values[begin + 2 * i] + 3.0 * values[begin + 2 * i + 1];
    CHECK(tessera::reduce(TestType(), in, SumOfTwo{}) == expected);
  }
}

TEMPLATE_LIST_TEST_CASE("reduce managed, const and rank-0 views", "[reduce]", test::OneSpace) {
  const std::vector<double> values = test::values<double>(5003);
  const auto managed = test::device_copy<TestType>(values);
  const Kokkos::View<const double*, TestType> constant = managed;
  test::check_reduced(tessera::reduce(TestType(), managed, tessera::Sum<double>{}), "sum", values);
  test::check_reduced(tessera::reduce(TestType(), constant, tessera::Sum<double>{}), "sum", values);
  const auto element = Kokkos::subview(constant, 4711);
  CHECK(tessera::reduce(TestType(), element, tessera::Sum<double>{}) == values[4711]);
}

TEMPLATE_LIST_TEST_CASE("reduce a view whose slices are far apart", "[reduce]", test::OneSpace) {
  // A column of a matrix.
  const std::vector<double> values = test::values<double>(101 * 211);
  const test::GuardedView<double, test::Right, TestType, 2> in({101, 211}, values);
  std::vector<double> column;
  for (std::size_t i = 0; i < 101; ++i) column.push_back(values[i * 211 + 17]);
  test::check_reduced(tessera::reduce(TestType(), Kokkos::subview(in.view(), Kokkos::ALL, 17), tessera::Sum<double>{}),
                      "sum", column);
}

}  // namespace

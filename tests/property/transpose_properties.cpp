// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What holds for every transpose.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <tessera/reduce/reduce.hpp>
#include <tessera/transpose/permute.hpp>
#include <tessera/transpose/transpose.hpp>
#include <tessera/transpose/transpose_in_place.hpp>

#include "device/random_word.hpp"
#include "random_sizes.hpp"
#include "support/compare.hpp"
#include "support/guarded_view.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;

template <class T, class Layout, class Space>
void check_twice(const Space& space, std::uint64_t seed) {
  test::RandomSizes sizes(seed);
  for (std::uint64_t run = 0; run < 15; ++run) {
    const std::size_t rows = sizes.between(1, 300), columns = sizes.between(1, 300);
    INFO(rows << " x " << columns);
    const std::vector<T> values = test::values<T>(rows * columns, run);
    const test::GuardedView<T, test::Right, Space, 2> in({rows, columns}, values), back({rows, columns});
    const test::GuardedView<T, Layout, Space, 2> turned({columns, rows});
    const tessera::TransposeOptions options{.league_size = static_cast<int>(sizes.between(0, 9))};
    tessera::transpose(space, in.const_view(), turned.view(), options);
    tessera::transpose(space, turned.const_view(), back.view());
    space.fence();
    test::check_bits(back.read(), values);
    turned.check_guards();
    back.check_guards();
  }
}

TEMPLATE_LIST_TEST_CASE("transposed twice is the original", "[transpose]", test::Spaces) {
  check_twice<float, test::Right>(TestType(), 31);
  check_twice<std::uint8_t, test::Block>(TestType(), 32);
  check_twice<Kokkos::complex<double>, test::Left>(TestType(), 33);
}

/// Of the elements' bits, whatever their order: a lost, doubled or changed one changes it.
struct ContentHash {
  using value_type = std::uint64_t;
  static constexpr bool takes_nan = true, order_free = true;

  KOKKOS_FUNCTION static value_type identity() { return 0; }
  KOKKOS_FUNCTION static void join(value_type& into, const value_type& from) { into += from; }  // modulo 2^64
  KOKKOS_FUNCTION static value_type map(double x) {
    return tessera::apps::random_word(Kokkos::bit_cast<std::uint64_t>(x));
  }
};

TEMPLATE_LIST_TEST_CASE("a permutation keeps the content", "[transpose]", test::Spaces) {
  const TestType space;
  test::RandomSizes sizes(34);
  for (std::uint64_t run = 0; run < 10; ++run) {
    const std::size_t a = sizes.between(1, 40), b = sizes.between(1, 40), c = sizes.between(1, 40);
    INFO(a << " x " << b << " x " << c);
    const std::vector<double> values = test::values<double>(a * b * c, run);
    const test::GuardedView<double, test::Right, TestType, 3> in({a, b, c}, values), memory({a * b, c, 1}, values);
    const test::GuardedView<double, test::Block, TestType, 3> out({c, a, b});
    tessera::permute(space, in.const_view(), out.view(), {2, 0, 1});
    const std::uint64_t before = tessera::reduce(space, in.const_view(), ContentHash());
    CHECK(tessera::reduce(space, out.view(), ContentHash()) == before);
    const Kokkos::View<double*, TestType, Kokkos::MemoryTraits<Kokkos::Unmanaged>> flat(memory.view().data(),
                                                                                        a * b * c);
    tessera::transpose_in_place(space, flat, a * b, c);
    CHECK(tessera::reduce(space, flat, ContentHash()) == before);
  }
}

template <class T, class Space>
void check_twice_in_place(const Space& space, std::uint64_t seed) {
  test::RandomSizes sizes(seed);
  for (std::uint64_t run = 0; run < 40; ++run) {
    const std::size_t factor = sizes.between(1, 40);
    const std::size_t rows = factor * sizes.between(1, 1 + 600 / factor), columns = factor * sizes.between(1, 9);
    INFO(rows << " x " << columns);
    const std::vector<T> values = test::values<T>(rows * columns, run);
    const test::GuardedView<T, test::Right, Space, 1> memory({rows * columns}, values);
    const test::GuardedView<T, test::Right, Space, 2> in({rows, columns}, values), out({columns, rows});
    const tessera::InPlaceOptions options{.batch_bytes = sizes.between(1, 20000)};
    tessera::transpose_in_place(space, memory.view(), rows, columns, options);
    tessera::transpose(space, in.const_view(), out.view());
    space.fence();
    test::check_bits(memory.read(), out.read());
    tessera::transpose_in_place(space, memory.view(), columns, rows, options);
    space.fence();
    test::check_bits(memory.read(), values);
    memory.check_guards();
  }
}

TEMPLATE_LIST_TEST_CASE("in place is out of place, and twice is the original", "[transpose]", test::Spaces) {
  check_twice_in_place<float>(TestType(), 35);
  check_twice_in_place<Kokkos::complex<double>>(TestType(), 36);
}

}  // namespace

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes that throw leave everything usable.
#include <catch2/catch_template_test_macros.hpp>
#include <tessera/transpose/permute.hpp>
#include <tessera/transpose/transpose.hpp>
#include <tessera/transpose/transpose_in_place.hpp>

#include "failure_check.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
using tessera::InvalidArgument;

TEMPLATE_LIST_TEST_CASE("transposes survive their refusals", "[failures]", test::OneSpace) {
  const auto space = test::another_instance<TestType>();
  const Kokkos::View<float**, TestType> in("in", 71, 53), out("out", 53, 71);
  const Kokkos::View<float**, Kokkos::LayoutRight, TestType> same("same", 71, 53);
  test::fill(in);
  const auto good = [&] { tessera::transpose(space, in, out); };
  const auto check = [&](const auto& bad) { test::check_survived<InvalidArgument>(space, in, out, good, bad); };
  check([&] { tessera::transpose(space, in, same); });
  check([&] { tessera::transpose(space, in, in); });
  check([&] { tessera::permute(space, in, out, {1, 1}); });
  check([&] { tessera::permute(space, in, out, {1, 0}, {.team_size = -1}); });
  check([&] { tessera::copy_layout(space, in, out); });
  check([&] { tessera::transpose_in_place(space, in); });
}

TEMPLATE_LIST_TEST_CASE("a transpose in place that is refused has moved nothing", "[failures]", test::OneSpace) {
  const auto space = test::another_instance<TestType>();
  const Kokkos::View<float*, TestType> memory("memory", 3000);
  test::fill(memory);
  const auto before = test::host_copy(memory);
  test::check_refused<InvalidArgument>([&] { tessera::transpose_in_place(space, memory, 50, 61); });
  test::check_refused<InvalidArgument>(
      [&] { tessera::transpose_in_place(space, memory, 50, 60, {.variant = tessera::InPlaceVariant::swapped_tiles}); });
  space.fence();
  test::check_bits(test::host_copy(memory), before);
  tessera::transpose_in_place(space, memory, 50, 60);
  tessera::transpose_in_place(space, memory, 60, 50);
  space.fence();
  test::check_bits(test::host_copy(memory), before);
}

}  // namespace

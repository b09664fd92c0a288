// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The closed boundary formulas against the reference's walk along the extended line.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <tessera/filter/boundary.hpp>

#include "filter_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;

TEST_CASE("boundary indices are those of the extended line", "[filter]") {
  for (const BoundaryMode mode : tessera::boundary_modes) {
    const tessera::reference::Edge edge = test::edge_of(mode);
    for (std::int64_t n = 1; n < 10; ++n) {
      for (std::int64_t j = -45; j < 45; ++j) {
        INFO(to_string(mode) << ", n " << n << ", j " << j);
        CHECK(tessera::boundary_index(mode, j, n) == tessera::reference::element_for(edge, edge, j, n));
      }
    }
  }
}

TEST_CASE("boundary indices far beyond 32 bits", "[filter]") {
  constexpr std::int64_t n = std::int64_t{1} << 40;
  CHECK(tessera::boundary_index(BoundaryMode::reflect, -1, n) == 0);
  CHECK(tessera::boundary_index(BoundaryMode::reflect, n, n) == n - 1);
  CHECK(tessera::boundary_index(BoundaryMode::mirror, n, n) == n - 2);
  CHECK(tessera::boundary_index(BoundaryMode::nearest, 5 * n, n) == n - 1);
  CHECK(tessera::boundary_index(BoundaryMode::wrap, -1, n) == n - 1);
  CHECK(tessera::boundary_index(BoundaryMode::wrap, n + 7, n) == 7);
  CHECK(tessera::boundary_index(BoundaryMode::reflect, -(std::int64_t{1} << 50), 3) ==
        tessera::boundary_index(BoundaryMode::reflect, -(std::int64_t{1} << 50) + 6, 3));
}

TEST_CASE("boundary modes print their names", "[filter]") {
  CHECK(tessera::boundary_modes.size() == 9);
  CHECK(to_string(BoundaryMode::reflect) == "reflect");
  CHECK(to_string(BoundaryMode::mirror) == "mirror");
  CHECK(to_string(BoundaryMode::nearest) == "nearest");
  CHECK(to_string(BoundaryMode::wrap) == "wrap");
  CHECK(to_string(BoundaryMode::constant) == "constant");
  CHECK(to_string(BoundaryMode::odd) == "odd");
  CHECK(to_string(BoundaryMode::renormalise) == "renormalise");
  CHECK(to_string(BoundaryMode::valid) == "valid");
  CHECK(to_string(BoundaryMode::keep) == "keep");
}

}  // namespace

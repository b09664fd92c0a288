// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch2/catch_test_macros.hpp>

#include "reference/axes_reference.hpp"

namespace {

namespace reference = tessera::reference;
using Lines = std::vector<std::vector<std::size_t>>;

TEST_CASE("lines of a 2 x 3 array", "[reference]") {
  CHECK(reference::lines({2, 3}, {false, true}) == Lines{{0, 1, 2}, {3, 4, 5}});
  CHECK(reference::lines({2, 3}, {true, false}) == Lines{{0, 3}, {1, 4}, {2, 5}});
  CHECK(reference::lines({2, 3}, {true, true}) == Lines{{0, 1, 2, 3, 4, 5}});
  CHECK(reference::lines({2, 3}, {false, false}) == Lines{{0}, {1}, {2}, {3}, {4}, {5}});
}

TEST_CASE("lines over the outer axes of a 2 x 2 x 3 array", "[reference]") {
  CHECK(reference::lines({2, 2, 3}, {true, false, true}) == Lines{{0, 1, 2, 6, 7, 8}, {3, 4, 5, 9, 10, 11}});
}

TEST_CASE("lines without elements", "[reference]") {
  CHECK(reference::lines({2, 0}, {false, true}) == Lines{{}, {}});
  CHECK(reference::lines({2, 0}, {true, false}).empty());
}

}  // namespace

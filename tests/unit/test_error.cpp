// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exception types and the form of their text.
#include <catch2/catch_test_macros.hpp>
#include <stdexcept>
#include <string>
#include <tessera/error.hpp>
#include <type_traits>

#include "support/message.hpp"

namespace {

namespace test = tessera::test;

static_assert(std::is_base_of_v<std::runtime_error, tessera::Error>);
static_assert(std::is_base_of_v<tessera::Error, tessera::InvalidArgument>);
static_assert(std::is_base_of_v<tessera::Error, tessera::ResourceError>);

TEST_CASE("an error names function, argument, actual, expected and remedy", "[errors]") {
  const auto argument = [] { TESSERA_REQUIRE_ARGUMENT(false, "tessera::f", "out", "3", "4", "resize it"); };
  CHECK(test::message_of<tessera::InvalidArgument>(argument) == "tessera::f: argument `out`: 3; expected 4; resize it");
  const auto resource = [] { TESSERA_REQUIRE_RESOURCE(false, "tessera::f", "out", "3", "4", "resize it"); };
  CHECK(test::message_of<tessera::ResourceError>(resource) == "tessera::f: argument `out`: 3; expected 4; resize it");
}

TEST_CASE("true means fine, and makes no text", "[errors]") {
  int texts = 0;
  const auto text = [&] { return std::to_string(++texts); };
  CHECK_NOTHROW(TESSERA_REQUIRE_ARGUMENT(true, "tessera::f", "out", text(), text(), text()));
  CHECK_NOTHROW(TESSERA_REQUIRE_RESOURCE(true, "tessera::f", "out", text(), text(), text()));
  CHECK(texts == 0);
}

}  // namespace

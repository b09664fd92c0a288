// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

#include "apps/io_support.hpp"
#include "common/text.hpp"

namespace tessera::apps::test {

TEST_CASE("a number is taken whole or not at all") {
  CHECK(parse_double("0.1") == 0.1);
  CHECK(parse_double("-1e-3") == -1e-3);
  CHECK(parse_double("-inf") == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(parse_double("nan").value()));
  CHECK(parse_double("5e-324") == 5e-324);
  for (const auto* text : {"", " 1", "1 ", "1x", "1,5", "--1", "1e999", "one"}) {
    INFO(text);
    CHECK_FALSE(parse_double(text));
  }
  CHECK(parse_float("0.1") == 0.1F);
  CHECK_FALSE(parse_float("1e39"));
}

TEST_CASE("integers keep all their digits") {
  CHECK(parse_int64("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  CHECK(parse_int64("+7") == 7);
  CHECK(parse_int64("9007199254740993") == 9007199254740993);
  CHECK(parse_uint64("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  for (const auto* text : {"", "1.0", "9223372036854775808", "0x10", "+-1", "1 ", " 1"}) {
    INFO(text);
    CHECK_FALSE(parse_int64(text));
  }
  CHECK_FALSE(parse_uint64("-1"));
  CHECK_FALSE(parse_uint64("18446744073709551616"));
}

TEST_CASE("lists keep their empty parts") {
  CHECK(split("1,,2") == std::vector<std::string>{"1", "", "2"});
  CHECK(split("") == std::vector<std::string>{""});
  CHECK(join({"a", "b"}) == "a, b");
}

TEST_CASE("the nearest name has the fewest edits") {
  CHECK(nearest_name("refelct", {"nearest", "reflect", "wrap"}) == "reflect");
  CHECK(nearest_name("x", {}).empty());
  CHECK(bad_input([] {
          require_one_of("--mode", "warp", {"reflect", "wrap"});
        }) == "--mode: unknown name `warp`; did you mean `wrap`? The names are reflect, wrap");
  CHECK(require_one_of("--mode", "wrap", {"reflect", "wrap"}) == "wrap");
}

TEST_CASE("sizes and times have fitting units") {
  CHECK(format_bytes(999) == "999 B");
  CHECK(format_bytes(8'000'000) == "8.00 MB");
  CHECK(format_bytes(std::numeric_limits<std::uint64_t>::max()) == "18.45 EB");
  CHECK(format_seconds(2e-6) == "2.0 us");
  CHECK(format_seconds(0.0125) == "12.500 ms");
  CHECK(format_seconds(12) == "12.000 s");
}

}  // namespace tessera::apps::test

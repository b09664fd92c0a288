// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tessera-filter --output-type: every result rounded, or clamped, once.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

#include "apps/driver_support.hpp"
#include "support/limits.hpp"

namespace tessera::apps::test {
namespace {

using tessera::test::infinity;
constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;  // float64 does not hold it

using Arguments = std::vector<std::string>;
using Ints = std::vector<std::int32_t>;
using Longs = std::vector<std::int64_t>;
using Unsigneds = std::vector<std::uint64_t>;

struct Filtered {
  Folder folder;
  std::string file = folder / "in.h5", out = folder / "out.h5";

  template <class In>
  [[nodiscard]] ProgramEnd run(const std::vector<In>& values, Arguments arguments, const std::string& type) const {
    add_values(create_file(file).get(), "x", values);
    arguments.insert(arguments.begin(), file);
    arguments.insert(arguments.end(),
                     {"--output-type", type, "--output", out + ":/r", "--force", "--quiet", "--verify=full"});
    return run_quickly(TESSERA_FILTER, arguments);
  }
  /// The result, which must be stored as type; Out: what it is read as.
  template <class Out, class In>
  [[nodiscard]] std::vector<Out> as(const std::string& type, const std::vector<In>& values,
                                    const Arguments& arguments) const {
    const ProgramEnd end = run(values, arguments, type);
    INFO(type << ": " << end.err);
    REQUIRE(end.status == 0);
    CHECK(Dataset(out + ":/r").info().stored_type.starts_with(type));
    return read_values<Out>(out + ":/r");
  }
  template <class In>
  [[nodiscard]] std::string refused(const std::string& type, const std::vector<In>& values,
                                    const Arguments& arguments) const {
    return refusal_line(run(values, arguments, type), 2, "tessera-filter");
  }
};

}  // namespace

TEST_CASE("tessera-filter --output-type: of floats") {
  const Filtered filtered;
  const std::vector<double> x{0.5, 1.5, 2.5, -0.5, -1.5, 200, -200, std::nan(""), infinity, -infinity};
  CHECK(filtered.as<std::int32_t>("int8", x, {"--weights=1"}) == Ints{0, 2, 2, 0, -2, 127, -128, 0, 127, -128});
  CHECK(filtered.as<std::int32_t>("uint16", x, {"--weights=1"}) == Ints{0, 2, 2, 0, 0, 200, 0, 0, 65535, 0});
  CHECK(filtered.as<std::uint64_t>("uint64", std::vector<double>{1e19, -1, 0x1p64}, {"--weights=1"}) ==
        Unsigneds{10000000000000000000U, 0, ~std::uint64_t{0}});
  CHECK(filtered.as<float>("float32", std::vector<double>{1 + 0x1p-24, 1 + 0x1p-24 + 0x1p-50, 1e39}, {"--weights=1"}) ==
        std::vector<float>{1, 1 + 0x1p-23F, HUGE_VALF});
  const std::vector<float> f{2.5, 1};
  CHECK(filtered.as<double>("float64", f, {"--weights=0.1"}) ==
        std::vector<double>{static_cast<double>(0.1F * 2.5F), static_cast<double>(0.1F)});
  CHECK(filtered.as<double>("float64", f, {"--weights=0.1", "--accumulate=double"}) ==
        std::vector<double>{0.1 * 2.5, 0.1});
  // 2.500000001: with a rounding to float32 between, 2.
  CHECK(filtered.as<std::int32_t>("int8", f, {"--weights=1,1e-9", "--accumulate=double"}) == Ints{3, 3});
}

TEST_CASE("tessera-filter --output-type: of integers with whole weights") {
  const Filtered filtered;
  const Longs x{odd, odd + 2, -odd, 5};
  const std::vector<double> doubles{0x1p53, 0x1p53 + 4, -0x1p53, 5};
  CHECK(filtered.as<double>("float64", x, {"--weights=1"}) == doubles);
  CHECK(filtered.as<double>("float64", x, {"--weights=0,1,0", "--mode=keep"}) == doubles);
  // Beyond int64: rounded or clamped from the exact sums alone.
  const Longs large{int64_max, int64_max, -int64_max};
  CHECK(filtered.as<double>("float64", large, {"--weights=1,1"}) == std::vector<double>{0x1p64, 0x1p64, 0});
  CHECK(filtered.as<std::uint64_t>("uint64", large, {"--weights=2"}) ==
        Unsigneds{~std::uint64_t{1}, ~std::uint64_t{1}, 0});
  CHECK(filtered.as<std::int32_t>("int16", large, {"--weights=2"}) == Ints{32767, 32767, -32768});
  CHECK(filtered.as<std::int64_t>("int64", Unsigneds{~std::uint64_t{0}, 7}, {"--weights=1"}) == Longs{int64_max, 7});
  CHECK(filtered.as<std::uint64_t>("uint64", Unsigneds{~std::uint64_t{0}, 7}, {"--weights=0,2,-1"}) ==
        Unsigneds{~std::uint64_t{0}, 7});
  const Ints i{16777217, 16777219, -5, 300};
  CHECK(filtered.as<float>("float32", i, {"--weights=1"}) == std::vector<float>{16777216, 16777220, -5, 300});
  CHECK(filtered.as<std::uint64_t>("uint64", i, {"--weights=1000000000"}) ==
        Unsigneds{16777217000000000, 16777219000000000, 0, 300000000000});
  CHECK(filtered.as<std::int32_t>("uint8", i, {"--weights=1"}) == Ints{255, 255, 0, 255});
}

TEST_CASE("tessera-filter --output-type: of integers with other weights") {
  const Filtered filtered;
  CHECK(filtered.as<std::int64_t>("int64", Longs{1, 3, 5, -1, -3}, {"--weights=0.5"}) == Longs{0, 2, 2, 0, -2});
  CHECK(filtered.as<std::int64_t>("int64", Longs{odd, 2, 4, -odd}, {"--binomial=3", "--mode=keep"}) ==
        Longs{odd, 2251799813685250, 2 - 2251799813685248, -odd});
  CHECK(filtered.as<std::int64_t>("int64", Longs{int64_max, 1}, {"--weights=2.5"}) == Longs{int64_max, 2});
  CHECK(filtered.as<std::uint64_t>("uint64", Longs{int64_max, -1}, {"--weights=1.5"}) ==
        Unsigneds{0xC000000000000000, 0});
  CHECK(filtered.as<float>("float32", Ints{3, 16777217}, {"--weights=0.5"}) == std::vector<float>{1.5, 8388608.5});
  CHECK(filtered.as<float>("float32", Ints{16777219, 2, 3}, {"--weights=0.5,0.5,0.5", "--mode=keep"})[0] == 16777220);
}

TEST_CASE("tessera-filter --output-type: what is refused") {
  const Filtered filtered;
  const std::string in = filtered.file + ":/x: --output-type: ";
  CHECK(filtered.refused("float16", Ints{1}, {"--weights=1"}).starts_with("--output-type: unknown name `float16`"));
  const std::string twice = " data would be rounded twice to float32; give float64";
  CHECK(filtered.refused("float32", Longs{1}, {"--weights=1"}) == in + "int64" + twice);
  CHECK(filtered.refused("float32", Unsigneds{1}, {"--weights=1"}) == in + "uint64" + twice);
  CHECK(filtered.refused("float32", Longs{1}, {"--weights=0.5", "--mode-right=keep"}) == in + "int64" + twice);
  CHECK(filtered.refused("float32", Ints{1}, {"--weights=1e10"}) == in + "int32" + twice);
  CHECK(filtered.refused("uint64", Ints{1}, {"--weights=1e10"}) ==
        in + "int32 data and weights of 2^31 and more would be clamped twice; give int64 or float64");
  CHECK(filtered.refused("float64", Ints{1}, {"--weights=1", "--iterate=2"}) ==
        in + "with --iterate every application stores its own type, int64");
  CHECK(filtered.as<std::int64_t>("int64", Ints{1, 2}, {"--weights=3", "--iterate=2"}) == Longs{9, 18});
  CHECK(filtered.as<std::int32_t>("int8", std::vector<std::int8_t>{5, 3, -9, 7}, {"--min=2", "--iterate=2"}) ==
        Ints{5, 3, -9, -9});
}

}  // namespace tessera::apps::test

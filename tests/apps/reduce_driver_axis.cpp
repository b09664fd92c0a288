// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions along axes, and what the driver writes.
#include "apps/reduce_driver_support.hpp"
#include "common/number_type.hpp"

namespace tessera::apps::test {
namespace {

/// Element (i, j, k) of a 2 x 3 x 4 array.
std::vector<float> cube() {
  std::vector<float> values;
  for (int i = 0; i < 24; ++i) values.push_back(static_cast<float>((i * 7) % 24) - 10);
  return values;
}

struct Cube : Inputs {
  std::vector<float> values = cube();
  std::string out = folder / "out.h5";
  Cube() {
    const auto in = edit_file(file);
    add_values(in.get(), "c", values, {2, 3, 4});
    std::vector<std::int32_t> whole(values.begin(), values.end());
    add_values(in.get(), "n", whole, {2, 3, 4});
    add_values<float>(in.get(), "ones", {1, 1, 1});
  }
  [[nodiscard]] float at(int i, int j, int k) const { return values[static_cast<std::size_t>((i * 3 + j) * 4 + k)]; }
};

}  // namespace

TEST_CASE("tessera-reduce: sums along each set of axes") {
  const Cube cube;
  const auto sum = [&](const std::string& axes) { return results_of({cube("c"), "--op=sum", "--axis", axes})[0]; };
  const auto middle = sum("1");
  CHECK(middle["shape"] == std::vector<int>{2, 4});
  CHECK(middle["type"] == "float64");
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < 4; ++k) {
      const double expected = cube.at(i, 0, k) + cube.at(i, 1, k) + cube.at(i, 2, k);
      CHECK(middle["value"][static_cast<std::size_t>(i)][static_cast<std::size_t>(k)] == expected);
    }
  }
  const auto outer = sum("-1,0");
  CHECK(outer["shape"] == std::vector<int>{3});
  for (int j = 0; j < 3; ++j) {
    double expected = 0;
    for (int i = 0; i < 2; ++i) {
      for (int k = 0; k < 4; ++k) expected += cube.at(i, j, k);
    }
    CHECK(outer["value"][static_cast<std::size_t>(j)] == expected);
  }
  const auto all = sum("0,1,2");
  CHECK(all["shape"].empty());
  CHECK(all["value"] == 36.0);
  CHECK(all["bits"] == "4042000000000000");
  CHECK_FALSE(sum("all").contains("shape"));
}

TEST_CASE("tessera-reduce: --keepdims keeps reduced axes with extent 1") {
  const Cube cube;
  const auto kept = results_of({cube("c"), "--op=max", "--axis=0,2", "--keepdims"})[0];
  CHECK(kept["shape"] == std::vector<int>{1, 3, 1});
  CHECK(kept["value"][0].size() == 3);
  CHECK(results_of({cube("c"), "--op=max", "--keepdims"})[0]["shape"] == std::vector<int>{1, 1, 1});
}

TEST_CASE("tessera-reduce: every operation along an axis") {
  const Cube cube;
  const auto results =
      results_of({cube("n"), "--axis=2", "--op",
                  "sum,prod,min,minmax,argmin,argmax_last,count,count_zero,mean,var,std,l1,l2,linf,any,"
                  "all,bit_and,bit_or,bit_xor"});
  for (const auto& entry : results) {
    INFO(entry.dump());
    const bool pair = entry["op"] == "minmax";
    CHECK(entry["shape"] == (pair ? std::vector<int>{2, 3, 2} : std::vector<int>{2, 3}));
    CHECK(entry["value"].size() == 2);
    CHECK(entry.contains("index") == entry["op"].get<std::string>().starts_with("arg"));
  }
  // The first line: -10, -3, 4, 11.
  const auto first = [&](std::size_t entry) { return results[entry]["value"][0][0]; };
  CHECK(first(0) == 2);
  CHECK(first(1) == 1320);
  CHECK(first(3) == std::vector<int>{-10, 11});
  CHECK(first(4) == -10);
  CHECK(results[5]["index"][0][0] == 3);
  CHECK(first(6) == 4);
  CHECK(first(8) == 0.5);
  CHECK(first(9) == 61.25);
  CHECK(first(11) == 28);
  CHECK(first(13) == 11);
  CHECK(first(14) == true);
  CHECK(results[10]["bits"][0][0].get<std::string>().size() == 16);
}

TEST_CASE("tessera-reduce: dot along each set of axes") {
  const Cube cube;
  const auto dot = [&](const std::string& axes, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {cube("c"), "--op=dot", "--with", cube("c[:,::-1]"), "--axis", axes, "--json=-"});
    more.emplace_back("--quiet");
    const auto record = record_of(reduce(more));
    CHECK(record["runs"][0]["verification"]["passed"] == true);
    CHECK(record["runs"][0]["summation"] == "exact");
    CHECK(record["runs"][0]["plan"].contains("outputs"));
    return record["results"][0];
  };
  const auto product = [&](int i, int j, int k) { return cube.at(i, j, k) * cube.at(i, 2 - j, k); };
  const auto middle = dot("1", {"--summation=fast"});  // exact all the same
  CHECK(middle["op"] == "dot");
  CHECK(middle["type"] == "float64");
  CHECK(middle["shape"] == std::vector<int>{2, 4});
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < 4; ++k) {
      const double expected = product(i, 0, k) + product(i, 1, k) + product(i, 2, k);
      CHECK(middle["value"][static_cast<std::size_t>(i)][static_cast<std::size_t>(k)] == expected);
    }
  }
  const auto outer = dot("-1,0", {"--keepdims"});
  CHECK(outer["shape"] == std::vector<int>{1, 3, 1});
  for (int j = 0; j < 3; ++j) {
    double expected = 0;
    for (int i = 0; i < 2; ++i) {
      for (int k = 0; k < 4; ++k) expected += product(i, j, k);
    }
    CHECK(outer["value"][0][static_cast<std::size_t>(j)][0] == expected);
  }
  const auto integers = results_of({cube("n"), "--op=dot,sum", "--with", cube("n"), "--axis=2"});
  CHECK(integers[0]["type"] == "int64");
  CHECK(integers[0]["value"][0][0] == 100 + 9 + 16 + 121);
  CHECK(integers[1]["value"][0][0] == 2);
  CHECK(results_of({cube("x"), "--op=dot", "--with", cube("x"), "--keepdims"})[0]["shape"] == std::vector<int>{1, 1});
  const auto omitted = results_of({cube("gaps"), "--op=dot", "--with", cube("gaps"), "--axis=1", "--nan=omit"})[0];
  CHECK(omitted["value"] == std::vector<double>{20, 0});
}

TEST_CASE("tessera-reduce: stats along an axis, with what has no value") {
  const Inputs inputs;
  const auto results = results_of({inputs("gaps"), "--axis=1", "--nan=omit"});
  REQUIRE(results.size() == 13);
  CHECK(results[0]["value"] == std::vector<int>{2, 0});
  CHECK(results[3]["value"] == nlohmann::json::parse("[2.0, null]"));
  CHECK(results[4]["index"] == nlohmann::json::parse("[1, null]"));
  CHECK(results[8]["value"] == nlohmann::json::parse("[3.0, null]"));
  CHECK(results[10]["value"] == std::vector<double>{6, 0});
  const auto spoiled = results_of({inputs("gaps"), "--axis=0", "--op=sum,argmin"});
  CHECK(spoiled[0]["value"] == nlohmann::json::parse(R"(["nan", "nan", "nan"])"));
  CHECK(spoiled[1]["index"] == std::vector<int>{0, 1, 1});
}

TEST_CASE("tessera-reduce: results along axes are written in types of their own") {
  const Cube cube;
  const std::string& out = cube.out;
  REQUIRE(
      reduce({cube("c"), "--axis=1", "--op=sum,min,argmin,count,any,minmax,mean", "--output", out + ":/f"}).status ==
      0);
  CHECK(stored(out + ":/f/sum") == "float32 (2, 4)");
  CHECK(stored(out + ":/f/min") == "float32 (2, 4)");
  CHECK(stored(out + ":/f/argmin") == "int64 (2, 4)");
  CHECK(stored(out + ":/f/count") == "uint64 (2, 4)");
  CHECK(stored(out + ":/f/any") == "uint8 (2, 4)");
  CHECK(stored(out + ":/f/minmax") == "float32 (2, 4, 2)");
  CHECK(stored(out + ":/f/mean") == "float32 (2, 4)");
  REQUIRE(
      reduce({cube("n"), "--axis=0,2", "--op=sum,prod,min,mean,l2,l1", "--keepdims", "--output", out + ":/i"}).status ==
      0);
  CHECK(stored(out + ":/i/sum") == "int64 (1, 3, 1)");
  CHECK(stored(out + ":/i/prod") == "int64 (1, 3, 1)");
  CHECK(stored(out + ":/i/min") == "int32 (1, 3, 1)");
  CHECK(stored(out + ":/i/mean") == "float64 (1, 3, 1)");
  CHECK(stored(out + ":/i/l2") == "float64 (1, 3, 1)");
  CHECK(stored(out + ":/i/l1") == "uint64 (1, 3, 1)");
  REQUIRE(reduce({cube("b"), "--axis=0", "--op=sum,max", "--output", out + ":/u"}).status == 0);
  CHECK(stored(out + ":/u/sum") == "uint64 (4,)");
  CHECK(stored(out + ":/u/max") == "uint8 (4,)");
  REQUIRE(reduce({cube("c"), "--axis=0", "--op=sum", "--output-type=float64", "--output", out + ":/d"}).status == 0);
  CHECK(stored(out + ":/d") == "float64 (3, 4)");
  REQUIRE(reduce({cube("c"), "--axis=0", "--op=dot", "--with", cube("n"), "--output", out + ":/dot"}).status == 0);
  CHECK(stored(out + ":/dot") == "float64 (3, 4)");  // of float32 and int32
  REQUIRE(
      reduce({cube("c"), "--axis=0", "--op=sum,dot,min", "--with", cube("n"), "--output", out + ":/beside"}).status ==
      0);
  CHECK(stored(out + ":/beside/dot") == "float64 (3, 4)");
  CHECK(stored(out + ":/beside/sum") == "float32 (3, 4)");
  CHECK(stored(out + ":/beside/min") == "float32 (3, 4)");
}

TEST_CASE("tessera-reduce: scalars are written as they are reported, or as asked") {
  const Cube cube;
  const std::string& out = cube.out;
  REQUIRE(reduce({cube("f"), "--output", out + ":/stats"}).status == 0);
  CHECK(stored(out + ":/stats/min") == "float64 ()");
  CHECK(stored(out + ":/stats/argmin") == "int64 ()");
  CHECK(stored(out + ":/stats/count") == "uint64 ()");
  CHECK(read_values<std::int64_t>(out + ":/stats/argmin") == std::vector<std::int64_t>{2});
  CHECK(read_values<double>(out + ":/stats/sum") == std::vector<double>{-7.25});
  REQUIRE(reduce({cube("f"), "--op=stats,sum,std", "--output", out + ":/more"}).status == 0);
  CHECK(read_values<double>(out + ":/more/sum") == std::vector<double>{-7.25});
  CHECK(stored(out + ":/more/std") == "float64 ()");
  REQUIRE(reduce({cube("f"), "--op=sum,argmin", "--output-type=int16", "--output", out + ":/s"}).status == 0);
  CHECK(stored(out + ":/s/sum") == "int16 ()");
  CHECK(stored(out + ":/s/argmin") == "int64 ()");
  CHECK(read_values<std::int32_t>(out + ":/s/sum") == std::vector<std::int32_t>{-7});  // -7.25, to the nearest
  REQUIRE(reduce({cube("i"), "--op=minmax", "--output", out + ":/pair"}).status == 0);
  CHECK(read_values<std::int32_t>(out + ":/pair") == std::vector<std::int32_t>{-5, 2147483647});
}

TEST_CASE("tessera-reduce: float32 results are rounded once, from the exact value") {
  const Cube cube;
  // 1 + 2^-24 + 2^-60: in float64 the last part is lost, and what is left is half way between two float32.
  REQUIRE(reduce({cube("near_tie"), "--op=sum", "--axis=0", "--output", cube.out + ":/axis"}).status == 0);
  CHECK(read_values<float>(cube.out + ":/axis") == std::vector<float>{1 + 0x1p-23F});
  REQUIRE(reduce({cube("near_tie"), "--op=dot", "--with", cube("ones"), "--axis=0", "--output", cube.out + ":/dot"})
              .status == 0);
  CHECK(read_values<float>(cube.out + ":/dot") == std::vector<float>{1 + 0x1p-23F});
  // Asked for fast, an operation that is summed exactly all the same is rounded once too.
  const std::string rows = cube.folder / "rows.h5";
  add_values<float>(create_file(rows).get(), "x", {1, 0x1p-24F, 0x1p-60F, 1, 0, 0}, {2, 3});
  REQUIRE(reduce({rows + ":/x", "--op=l1", "--axis=1", "--summation=fast", "--output", cube.out + ":/fast"}).status ==
          0);
  CHECK(read_values<float>(cube.out + ":/fast") == std::vector<float>{1 + 0x1p-23F, 1});
  REQUIRE(reduce({cube("near_tie"), "--op=l1", "--output-type=float32", "--output", cube.out + ":/all"}).status == 0);
  CHECK(read_values<float>(cube.out + ":/all") == std::vector<float>{1 + 0x1p-23F});
}

TEST_CASE("tessera-reduce: integer results of floats are rounded once, from the exact value") {
  const Folder folder;
  const std::string in = folder / "in.h5", out = folder / "out.h5";
  {
    const Handle file = create_file(in);
    add_values<float>(file.get(), "ties", {2.5F, 0x1p-60F, 3.5F, -0x1p-60F, -2.5F, -0x1p-60F, 2.5F, 0}, {4, 2});
    add_values<float>(file.get(), "large", {0x1p53F, 1, -0x1p53F, -1, 0x1p63F, -1, 0x1p63F, 0x1p63F}, {4, 2});
    add_values<float>(file.get(), "ones", std::vector<float>(8, 1.0F), {4, 2});
    add_values<std::int32_t>(file.get(), "whole", {2, 3});
    add_values<double>(file.get(), "nan", {std::numeric_limits<double>::quiet_NaN()});
  }
  int runs = 0;
  const auto values = [&](const std::string& name, const std::string& op, const std::string& type, const auto zero,
                          const std::vector<std::string>& more = {"--axis=1"}) {
    const std::string result = out + ":/r" + std::to_string(++runs);
    std::vector<std::string> arguments{in + ":/" + name, "--op=" + op, "--output-type=" + type, "--output=" + result};
    arguments.insert(arguments.end(), more.begin(), more.end());
    REQUIRE(reduce(arguments).status == 0);
    CHECK(stored(result).starts_with(type + ' '));
    return read_values<std::decay_t<decltype(zero)>>(result);
  };
  using Ints = std::vector<std::int32_t>;
  using Longs = std::vector<std::int64_t>;
  // 2.5 + 2^-60 is 2.5 as a float64.
  CHECK(values("ties", "sum", "int32", std::int32_t{}) == Ints{3, 3, -3, 2});
  CHECK(values("ties", "l1", "int8", std::int32_t{}) == Ints{3, 4, 3, 2});
  CHECK(values("ties", "sum", "uint16", std::int32_t{}) == Ints{3, 3, 0, 2});
  CHECK(values("ties", "dot", "int32", std::int32_t{}, {"--axis=1", "--with=" + in + ":/ones"}) == Ints{3, 3, -3, 2});
  // What a float64 does not hold, 64 bits may.
  constexpr std::int64_t large = std::int64_t{1} << 53, most = std::numeric_limits<std::int64_t>::max();
  CHECK(values("large", "sum", "int64", std::int64_t{}) == Longs{large + 1, -large - 1, most, most});
  CHECK(values("large", "sum", "uint64", std::uint64_t{}) ==
        std::vector<std::uint64_t>{(std::uint64_t{1} << 53) + 1, 0, most, ~std::uint64_t{0}});
  CHECK(values("whole", "mean", "int32", std::int32_t{}, {}) == Ints{2});
  CHECK(values("nan", "sum", "int32", std::int32_t{}, {}) == Ints{0});
}

TEST_CASE("tessera-reduce: arrays without elements along or across") {
  const Inputs inputs;
  const auto edge = [&](const std::string& selection, const std::string& axis, const std::string& op) {
    return results_of({inputs("x") + selection, "--op", op, "--axis", axis})[0];
  };
  CHECK(edge("[:0]", "1", "min")["shape"] == std::vector<int>{0});
  CHECK(edge("[:0]", "1", "min")["value"].empty());
  CHECK(edge("[:0]", "0", "sum")["value"] == std::vector<double>(100, 0.0));
}

}  // namespace tessera::apps::test

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operation of the driver on whole arrays, against values worked out by hand.
#include <numeric>

#include "apps/reduce_driver_support.hpp"
#include "device/session.hpp"

namespace tessera::apps::test {
namespace {

void check_number(const nlohmann::json& entry, double value) {
  INFO(entry.dump());
  CHECK(entry["type"] == "float64");
  CHECK(entry["value"] == value);
  CHECK(entry["bits"] == bits_of(value));
}

}  // namespace

TEST_CASE("tessera-reduce: stats is the default and has its entries in order") {
  const Inputs inputs;
  const auto results = results_of({inputs("f")});
  std::vector<std::string> names;
  for (const auto& entry : results) names.push_back(entry["op"]);
  CHECK(names == std::vector<std::string>{"count", "count_nan", "count_inf", "min", "argmin", "max", "argmax", "sum",
                                          "mean", "var", "l1", "l2", "linf"});
  CHECK(results[0] == nlohmann::json::parse(R"({"op": "count", "type": "uint64", "value": 3})"));
  CHECK(results[1]["value"] == 0);
  CHECK(results[2]["value"] == 0);
  check_number(results[3], -8);
  check_number(results[4], -8);
  CHECK(results[4]["index"] == 2);
  check_number(results[5], 0.5);
  CHECK(results[6]["index"] == 0);
  check_number(results[7], -7.25);
  check_number(results[8], -7.25 / 3);
  check_number(results[9], (3 * 64.3125 - 7.25 * 7.25) / 9);
  check_number(results[10], 8.75);
  check_number(results[11], std::sqrt(64.3125));
  check_number(results[12], 8);
}

TEST_CASE("tessera-reduce: stats has null where there is nothing") {
  const Inputs inputs;
  const auto none = results_of({inputs("none")});
  for (const int entry : {0, 1, 2, 7, 10, 11, 12}) CHECK(none[static_cast<std::size_t>(entry)]["value"] == 0);
  for (const int entry : {3, 4, 5, 6, 8, 9}) CHECK(none[static_cast<std::size_t>(entry)]["value"].is_null());
  CHECK(none[4]["index"].is_null());
  CHECK_FALSE(none[3].contains("bits"));
  const auto left_out = results_of({inputs("odd[1:2]"), "--nan=omit"});
  CHECK(left_out[0]["value"] == 0);
  CHECK(left_out[3]["value"].is_null());
  CHECK(results_of({inputs("f[:1]"), "--ddof=1"})[9]["value"].is_null());
  check_number(results_of({inputs("f"), "--ddof=1"})[9], (3 * 64.3125 - 7.25 * 7.25) / 6);
}

TEST_CASE("tessera-reduce: sums are correctly rounded") {
  const Inputs inputs;
  check_number(results_of({inputs("cancel"), "--op=sum"})[0], 0.1);
  check_number(results_of({inputs("cancel[::-1]"), "--op=sum,mean"})[1], 0.1 / 5);
  check_number(results_of({inputs("near_tie"), "--op=sum"})[0], 1 + 0x1p-24);
  check_number(results_of({inputs("x"), "--op=sum"})[0], std::accumulate(inputs.x.begin(), inputs.x.end(), 0.0));
  check_number(results_of({inputs("one"), "--op=sum"})[0], 0);
  const auto fast = record_of(reduce({inputs("x"), "--op=sum", "--summation=fast", "--json=-", "--quiet"}));
  CHECK(fast["runs"][0]["summation"] == "fast");
  CHECK(fast["runs"][0]["verification"]["passed"] == true);
  check_number(fast["results"][0], std::accumulate(inputs.x.begin(), inputs.x.end(), 0.0));
}

TEST_CASE("tessera-reduce: what depends on order") {
  const Inputs inputs;
  const auto results = results_of({inputs("i"), "--op=argmin,argmax,argmax_last,minmax,linf,max"});
  CHECK(results[0] == nlohmann::json::parse(R"({"op": "argmin", "type": "int32", "value": -5, "index": 2})"));
  CHECK(results[1]["index"] == 0);
  CHECK(results[2]["index"] == 1);
  CHECK(results[3] == nlohmann::json::parse(R"({"op": "minmax", "type": "int32", "value": [-5, 2147483647]})"));
  CHECK(results[4] == nlohmann::json::parse(R"({"op": "linf", "type": "uint64", "value": 2147483647})"));
  CHECK(results[5]["type"] == "int32");
  const auto narrow = results_of({inputs("s"), "--op=argmin_last,linf,min,sum"});
  CHECK(narrow[0] == nlohmann::json::parse(R"({"op": "argmin_last", "type": "int8", "value": -128, "index": 0})"));
  CHECK(narrow[1]["value"] == 128);
  CHECK(narrow[2]["type"] == "int8");
  CHECK(narrow[3]["type"] == "int64");
  for (const auto* op : {"argmin", "argmax", "min", "max"}) {  // alone, through kernels of their own
    const auto alone = results_of({inputs("i"), "--op", op})[0];
    CHECK(alone["value"] == (std::string(op).ends_with("min") ? -5 : 2147483647));
  }
  const auto zero = results_of({inputs("one"), "--op=minmax,argmin"});
  CHECK(zero[0]["bits"] == std::vector<std::string>{"8000000000000000", "8000000000000000"});
  CHECK(zero[1]["bits"] == "8000000000000000");
}

TEST_CASE("tessera-reduce: counts and truth") {
  const Inputs inputs;
  const auto results = results_of({inputs("odd"), "--op=count,count_nan,count_inf,count_zero,any,all"});
  CHECK(results[0]["value"] == 3);
  CHECK(results[1]["value"] == 1);
  CHECK(results[2]["value"] == 1);
  CHECK(results[3]["value"] == 0);
  CHECK(results[4] == nlohmann::json::parse(R"({"op": "any", "type": "bool", "value": true})"));
  CHECK(results[5]["value"] == true);
  CHECK(results_of({inputs("l"), "--op=all"})[0]["value"] == false);
  CHECK(results_of({inputs("none"), "--op=any,all"})[0]["value"] == false);
  CHECK(results_of({inputs("none"), "--op=any,all"})[1]["value"] == true);
  CHECK(results_of({inputs("odd"), "--op=count", "--nan=omit"})[0]["value"] == 2);
  CHECK(results_of({inputs("odd"), "--op=count_nan,any", "--nan=error"})[0]["value"] == 1);
}

TEST_CASE("tessera-reduce: products and bits") {
  const Inputs inputs;
  check_number(results_of({inputs("f"), "--op=prod"})[0], -1);
  const auto product = results_of({inputs("s"), "--op=prod"})[0];
  CHECK(product == nlohmann::json::parse(R"({"op": "prod", "type": "int64", "value": -5760})"));
  const auto unsigned_product = results_of({inputs("b"), "--op=prod"})[0];  // beyond int64
  CHECK(unsigned_product["value"] == std::uint64_t{255} * 255 * 255 * 255 * 255 * 255 * 255 * 254);
  CHECK(unsigned_product["type"] == "uint64");
  CHECK(results_of({inputs("none"), "--op=prod"})[0]["value"] == 1);
  const auto bits = results_of({inputs("b"), "--op=bit_and,bit_or,bit_xor"});
  CHECK(bits[0] == nlohmann::json::parse(R"({"op": "bit_and", "type": "uint8", "value": 254})"));
  CHECK(bits[1]["value"] == 255);
  CHECK(bits[2]["value"] == 1);
  CHECK(results_of({inputs("b[:0]"), "--op=bit_and"})[0]["value"] == 255);
  CHECK(results_of({inputs("s"), "--op=bit_and"})[0]["value"] == 0);
}

TEST_CASE("tessera-reduce: moments of integers come from exact integers") {
  const Inputs inputs;
  const auto results = results_of({inputs("l"), "--op=mean,l2,l1,std,var"});
  check_number(results[0], 9007199254740992.0 / 3);
  check_number(results[1], 9007199254740994.0);  // a little more than 2^53 + 1
  CHECK(results[2]["value"] == 9007199254740994);
  CHECK(results[2]["type"] == "uint64");
  const auto w = results_of({inputs("w"), "--op=sum,max"});
  CHECK(w[0] == nlohmann::json::parse(R"({"op": "sum", "type": "uint64", "value": 4294967296})"));
  CHECK(w[1]["type"] == "uint32");
}

TEST_CASE("tessera-reduce: dot") {
  const Inputs inputs;
  const auto dot = [&](const std::string& a, const std::string& b) {
    return results_of({inputs(a), "--op=dot", "--with", inputs(b)})[0];
  };
  check_number(dot("f", "f"), 64.3125);
  CHECK(dot("cancel", "cancel[::-1]")["value"] == "-inf");
  check_number(dot("f", "near_tie"), 0.5 + 0x1p-26 - 0x1p-57);
  const auto integer = dot("i", "i");
  CHECK(integer == nlohmann::json::parse(R"({"op": "dot", "type": "int64", "value": 9223372028264841243})"));
  CHECK(dot("b", "b")["type"] == "uint64");
  CHECK(dot("b", "b")["value"] == 7 * 255 * 255 + 254 * 254);
  check_number(dot("i", "f"), 2147483647 * 0.75 + 40);
  const auto record = record_of(
      reduce({inputs("f"), "--op=dot,max", "--with", inputs("f"), "--json=-", "--quiet", "--summation=fast"}));
  CHECK(record["runs"].size() == 2);
  CHECK(record["results"][0]["value"] == 64.3125);
  CHECK(record["results"][1]["value"] == 0.5);
  const auto left_out = record_of(reduce(
      {inputs("gaps"), "--op=dot", "--with", inputs("gaps"), "--json=-", "--quiet", "--summation=fast", "--nan=omit"}));
  CHECK(left_out["runs"][0]["verification"]["passed"] == true);
  CHECK(left_out["results"][0]["value"] == 20);
}

TEST_CASE("tessera-reduce: a fast dot whose products are below the least number") {
  const Folder folder;
  const std::string x = folder / "in.h5:/x";
  add_values(create_file(folder / "in.h5").get(), "x", std::vector<float>(10000, 1e-23F));
  const auto record =
      record_of(reduce({x, "--op=dot", "--with", x, "--json=-", "--quiet", "--summation=fast", "--verify=full"}));
  CHECK(record["runs"][0]["verification"]["passed"] == true);
}

TEST_CASE("tessera-reduce: dot changes nothing of the operations beside it") {
  const Inputs inputs;
  const auto types = [](const nlohmann::json& results) {
    std::vector<std::string> list;
    for (const auto& result : results) list.push_back(result["type"]);
    return list;
  };
  const auto of_words = results_of({inputs("w"), "--op=prod,dot,sum,min", "--with", inputs("l[1:]")});
  CHECK(types(of_words) == std::vector<std::string>{"uint64", "int64", "uint64", "uint32"});
  CHECK(results_of({inputs("l[1:]"), "--op=sum,dot", "--with", inputs("w")})[1]["value"] == -4294967295);
  CHECK(of_words[0]["value"] == 4294967295U);
  const auto of_bytes = results_of({inputs("b[0,:3]"), "--op=bit_or,dot,argmax,var", "--with", inputs("f")});
  CHECK(types(of_bytes) == std::vector<std::string>{"uint8", "float64", "uint8", "float64"});
  CHECK(of_bytes[0]["value"] == 255);
  CHECK(of_bytes[1]["value"] == 255 * -7.25);
  CHECK(of_bytes[2]["value"] == 255);
}

TEST_CASE("tessera-reduce: all bits of nothing are those of the element type") {
  const Inputs inputs;
  CHECK(results_of({inputs("b[:0]"), "--op=bit_and"})[0]["value"] == 255);
  CHECK(results_of({inputs("b[:0]"), "--op=prod,bit_and"})[1]["value"] == 255);
  CHECK(results_of({inputs("b[:0]"), "--op=bit_and,prod", "--axis=0"})[0]["value"] ==
        std::vector<int>{255, 255, 255, 255});
  CHECK(results_of({inputs("w[:0]"), "--op=bit_and,prod"})[0]["value"] == 4294967295U);
}

TEST_CASE("tessera-reduce: policies for NaN") {
  const Inputs inputs;
  CHECK(results_of({inputs("odd"), "--op=sum"})[0]["bits"] == "7ff8000000000000");
  CHECK(results_of({inputs("odd"), "--op=sum,min", "--nan=omit"})[0]["value"] == "inf");
  CHECK(results_of({inputs("odd"), "--op=min", "--nan=omit"})[0]["value"] == 1.0);
  const auto place = results_of({inputs("odd"), "--op=argmax,argmin_last"});
  CHECK(place[0]["value"] == "nan");
  CHECK(place[0]["index"] == 1);
  CHECK(place[1]["index"] == 1);
  CHECK(results_of({inputs("odd[::2]"), "--op=max", "--nan=error"})[0]["value"] == "inf");
  CHECK(results_of({inputs("gaps"), "--op=argmax,mean", "--nan=omit"})[0]["index"] == 2);
  CHECK(results_of({inputs("gaps"), "--op=argmax,mean", "--nan=omit"})[1]["value"] == 3.0);
}

TEST_CASE("tessera-reduce: every operation verifies, on every type and host space") {
  const Inputs inputs;
  std::string list;
  for (const auto* op : {"sum",         "prod",        "min",   "max",       "minmax",    "argmin",     "argmax",
                         "argmin_last", "argmax_last", "count", "count_nan", "count_inf", "count_zero", "mean",
                         "var",         "std",         "l1",    "l2",        "linf",      "any",        "all"}) {
    if (!list.empty()) list += ',';
    list += op;
  }
  for (const auto& space : built_in_spaces()) {
    if (space == "cuda") continue;  // there may be no GPU where this runs; the GPU's own tests have the kernels
    for (const auto* name : {"x", "f", "i", "u", "s", "one", "cancel", "odd"}) {
      const bool may_multiply = name != std::string("i");  // the product exceeds 64 bits
      const std::string ops = may_multiply ? list : list.substr(0, 3) + list.substr(8);
      for (const auto* summation : {"exact", "fast"}) {
        INFO(space << ' ' << name << ' ' << summation);
        const auto record = record_of(reduce({inputs(name), "--op", ops, "--summation", summation, "--verify=full",
                                              "--json=-", "--quiet", "--space", space}));
        for (const auto& run : record["runs"]) CHECK(run["verification"]["passed"] == true);
      }
    }
  }
}

}  // namespace tessera::apps::test

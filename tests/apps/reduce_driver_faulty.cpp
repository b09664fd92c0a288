// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver over an engine whose sums are wrong and which has variants of its own.
#include "apps/reduce_driver_support.hpp"

namespace tessera::apps::test {
namespace {

ProgramEnd reduce_faultily(const Inputs& inputs, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), inputs.file + ":/odd[:1]");
  return run_quickly(TESSERA_FAULTY_REDUCE, arguments);
}

}  // namespace

TEST_CASE("tessera-reduce: a wrong result is exit status 1, with its record") {
  const Inputs inputs;
  const std::string out = inputs.folder / "out.h5";
  const ProgramEnd end =
      reduce_faultily(inputs, {"--op=sum,max", "--json", "-", "--quiet", "--verify=full", "--output", out + ":/r"});
  CHECK(end.status == 1);
  CHECK(end.err == "tessera-reduce: error: " + inputs.file +
                       ":/odd[:1]: sum,max (second) did not verify: index 0: got sum 2, expected 1; 1 of 1 checked are "
                       "wrong; the output was not written\n");
  const auto record = record_of(end);
  CHECK(record["runs"].size() == 1);
  CHECK(record["runs"][0]["verification"]["passed"] == false);
  CHECK(record["runs"][0]["verification"]["max_abs_error"] == 1.0);
  CHECK(record["results"][0]["value"] == 2.0);
  CHECK(inputs.folder.names() == std::vector<std::string>{"in.h5"});

  const ProgramEnd unchecked = reduce_faultily(inputs, {"--op=sum", "--quiet", "--verify=none"});
  CHECK(unchecked.status == 0);
  CHECK(unchecked.err.empty());
}

TEST_CASE("tessera-reduce: --variant all measures every variant that can, automatic's last") {
  const Inputs inputs;
  const auto runs = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--verify=none", "--json=-", "--variant=all"});
    const ProgramEnd end = reduce_faultily(inputs, arguments);
    std::vector<std::string> names;
    const auto record = record_of(end);
    for (const auto& run : record["runs"]) {
      names.push_back(run["variant"].get<std::string>() + " " + run["summation"].get<std::string>());
    }
    CHECK(record["results"].size() == 1);
    return std::pair{names, end.err};
  };
  CHECK(runs({"--op=min"}).first == std::vector<std::string>{"first exact", "third exact", "second exact"});
  CHECK(runs({"--op=sum"}).first == std::vector<std::string>{"first fast", "third exact", "second exact"});
  const auto [names, report] = runs({"--op=sum", "--summation=exact"});
  CHECK(names == std::vector<std::string>{"third exact", "second exact"});
  CHECK(report.find("left out   first: cannot do sum exactly") != std::string::npos);
}

TEST_CASE("tessera-reduce: a variant that sums only fast") {
  const Inputs inputs;
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--verify=none", "--json=-", "--quiet", "--variant=first"});
    return reduce_faultily(inputs, arguments);
  };
  CHECK(record_of(run({"--op=sum"}))["runs"][0]["summation"] == "fast");
  CHECK(record_of(run({"--op=sum", "--summation=fast"}))["runs"][0]["summation"] == "fast");
  CHECK(refusal_line(run({"--op=sum", "--summation=exact"}), 2, "tessera-reduce") ==
        inputs.file + ":/odd[:1]: --variant: first adds the floating terms of sum only fast; with --summation exact " +
            "there are second, third");
  CHECK(record_of(run({"--op=min,max"}))["runs"].size() == 2);  // not in one pass: each by itself
}

TEST_CASE("tessera-reduce: operations that one pass serves share it") {
  const Inputs inputs;
  const auto record = record_of(reduce_faultily(inputs, {"--op=max,prod,min", "--verify=none", "--json=-", "--quiet"}));
  REQUIRE(record["runs"].size() == 2);
  CHECK(record["runs"][0]["operation"] == "max,min");
  CHECK(record["runs"][1]["operation"] == "prod");
  CHECK(record["results"][1]["op"] == "prod");
}

}  // namespace tessera::apps::test

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tessera-filter --variant transform: what it gives, what it refuses, and when automatic takes it.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "apps/driver_support.hpp"

namespace tessera::apps::test {
namespace {

struct WideInputs {
  Folder folder;
  std::string file = folder / "in.h5";

  WideInputs() {
    std::vector<double> x;
    for (std::size_t k = 0; k < 6000; ++k) x.push_back(std::sin(static_cast<double>(k * k)) + 2);
    const auto in = create_file(file);
    add_values(in.get(), "x", x);
    add_values(in.get(), "f", std::vector<float>(x.begin(), x.end()), {2, 3000});
    add_values<std::int32_t>(in.get(), "i", {1, 2, 3});
    x[4000] = std::nan("");
    add_values(in.get(), "nan", x);
  }

  [[nodiscard]] ProgramEnd filter(const std::string& name, std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), file + ":/" + name);
    arguments.insert(arguments.end(), {"--verify=full"});
    return run_quickly(TESSERA_FILTER, arguments);
  }
  /// The record of one run that must be good.
  [[nodiscard]] nlohmann::json run(const std::string& name, std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--json", "-"});
    const ProgramEnd end = filter(name, arguments);
    INFO(end.err);
    REQUIRE(end.status == 0);
    const auto record = record_of(end);
    REQUIRE(record["runs"].size() == 1);
    return record["runs"][0];
  }
  [[nodiscard]] std::string refused(const std::string& name, const std::vector<std::string>& arguments) const {
    return refusal_line(filter(name, arguments), 2, "tessera-filter");
  }
};

}  // namespace

#ifdef TESSERA_TESTS_HAVE_FFTW
TEST_CASE("tessera-filter --variant transform: verified, with its blocks in the record") {
  const WideInputs inputs;
  const auto wide = inputs.run("x", {"--gaussian=200", "--variant=transform"});
  CHECK(wide["variant"] == "transform");
  CHECK(wide["plan"]["block"] == 8192);
  CHECK(wide["plan"]["batch"] == 1);
  CHECK(wide["plan"]["outputs"] == 8192 - 1600);
  CHECK(wide["plan"]["direct_blocks"] == 0);
  CHECK(wide["verification"]["passed"] == true);
  // A NaN leaves its block to direct sums.
  CHECK(inputs.run("nan", {"--gaussian=200", "--variant=transform"})["plan"]["direct_blocks"] == 1);
  for (const std::string mode : {"wrap", "odd", "valid", "renormalise"}) {
    CHECK(inputs.run("f", {"--gaussian=40", "--variant=transform", "--mode", mode})["variant"] == "transform");
  }
  CHECK(inputs.run("f", {"--gaussian=40", "--variant=transform", "--axis=0"})["plan"]["block"] == 1024);
  CHECK(inputs.run("f", {"--gaussian=40", "--variant=transform", "--iterate=3"})["plan"]["calls"] == 3);
}

TEST_CASE("tessera-filter: automatic takes transforms where they pay") {
  const WideInputs inputs;
  CHECK(inputs.run("x", {"--gaussian=200"})["variant"] == "transform");
  CHECK(inputs.run("x", {"--gaussian=20"})["variant"] != "transform");
  CHECK(inputs.run("x", {"--gaussian=200", "--nan=omit", "--mode=wrap"})["variant"] == "direct");
  CHECK(inputs.run("x", {"--gaussian=200", "--team-size=1"})["variant"] != "transform");
  const ProgramEnd all = inputs.filter("x", {"--gaussian=200", "--variant=all", "--json", "-"});
  REQUIRE(all.status == 0);
  CHECK(record_of(all)["runs"].back()["variant"] == "transform");
}

TEST_CASE("tessera-filter --variant transform: what is refused") {
  const WideInputs inputs;
  const auto refused = [&](const std::string& name, std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--weights=1,2", "--variant=transform"});
    return inputs.refused(name, arguments);
  };
  const std::string of_x = inputs.file + ":/x: --variant: transform ",
                    of_f = inputs.file + ":/f: --variant: transform ",
                    others = "; choose automatic, direct, juxtaposed or overlapping";
  CHECK(refused("i", {}) ==
        inputs.file + ":/i: --variant: transform is for floating data that keeps its type" + others);
  CHECK(refused("x", {"--nan=error"}) == of_x + "is for --nan propagate" + others);
  CHECK(refused("x", {"--nan=omit"}) == of_x + "is for --nan propagate; choose automatic or direct");
  CHECK(refused("x", {"--team-size=1"}) ==
        of_x + "plans its own teams; leave out --team-size and --league-size" + others);
  CHECK(refused("f", {"--accumulate=double"}) ==
        of_f + "has the error bound of sums in the data's own type; leave out --accumulate double" + others);
}
#else
TEST_CASE("tessera-filter --variant transform: not in this build") {
  const WideInputs inputs;
  CHECK(inputs.refused("x", {"--weights=1,2", "--variant=transform"}) ==
        inputs.file +
            ":/x: --variant: transform needs a library of Fourier transforms, and this program was built "
            "without FFTW 3 (TESSERA_ENABLE_TRANSFORM); choose automatic, direct, juxtaposed or overlapping");
  CHECK(inputs.run("x", {"--gaussian=200"})["variant"] != "transform");
}
#endif

}  // namespace tessera::apps::test

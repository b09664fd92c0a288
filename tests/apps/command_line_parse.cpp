// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/command_line.hpp"

#include <catch2/catch_test_macros.hpp>

#include "apps/io_support.hpp"

namespace tessera::apps::test {
namespace {

struct Parsed {
  CommandLine line{"tessera-test", "A program", {"automatic", "fast"}};
  std::string list = "1";
  bool flag = false;

  Parsed() {
    line.add_option("--list-of", list, "LIST", "A list");
    line.add_option("--output", m_output, "OUT", "An output");
    line.add_flag("--flag", flag, "A flag");
  }
  bool parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "tessera-test");
    return line.parse(static_cast<int>(arguments.size()), arguments.data());
  }

 private:
  std::string m_output;
};

std::string refused(const std::vector<const char*>& arguments) {
  return bad_input([&] {
    Parsed parsed;
    (void)parsed.parse(arguments);
  });
}

}  // namespace

TEST_CASE("the common options have their documented defaults") {
  Parsed parsed;
  REQUIRE(parsed.parse({"in.h5:/x[0:3,::2]"}));
  const CommonOptions& common = parsed.line.common();
  CHECK(common.input == "in.h5:/x[0:3,::2]");
  CHECK(common.run.space.empty());
  CHECK(common.run.variant == "automatic");
  CHECK(common.run.repeat == 10);
  CHECK(common.run.warmup == 2);
  CHECK(common.run.time_limit_seconds == 10);
  CHECK(common.run.verify == "sample");
  CHECK(common.run.team_size == 0);
  CHECK(common.run.league_size == 0);
  CHECK_FALSE((common.force || common.list || common.quiet || common.no_progress));
}

TEST_CASE("values are taken after a space as after an equals sign, also those that begin with a dash") {
  for (const char* value : {"-1,-2", "nan", "-inf", "-0.5", "--", "--3", "a=b"}) {
    INFO(value);
    Parsed apart;
    REQUIRE(apart.parse({"in.h5", "--list-of", value}));
    CHECK(apart.list == value);
    Parsed joined;
    REQUIRE(joined.parse({(std::string("--list-of=") + value).c_str(), "in.h5"}));
    CHECK(joined.list == value);
  }
}

TEST_CASE("every common option arrives") {
  Parsed parsed;
  REQUIRE(parsed.parse({"--space", "serial", "--variant=all", "--team-size=4", "--league-size", "8", "--repeat=3",
                        "--warmup=0", "--verify=full", "--force", "--json=-", "--csv", "c.csv", "--plot=p.svg",
                        "--quiet", "--no-progress", "--flag", "--", "-odd.h5"}));
  const CommonOptions& common = parsed.line.common();
  CHECK(common.input == "-odd.h5");
  CHECK(common.run.space == "serial");
  CHECK(common.run.variant == "all");
  CHECK(common.run.team_size == 4);
  CHECK(common.run.league_size == 8);
  CHECK(common.run.repeat == 3);
  CHECK(common.run.warmup == 0);
  CHECK(common.run.verify == "full");
  CHECK(common.json_file == "-");
  CHECK(common.csv_file == "c.csv");
  CHECK(common.plot_file == "p.svg");
  CHECK((common.force && common.quiet && common.no_progress && parsed.flag));
  CHECK(parsed.line.given("--csv"));
  CHECK_FALSE(parsed.line.given("--output"));
}

TEST_CASE("Kokkos' arguments are told from INPUT and passed on") {
  Parsed parsed;
  REQUIRE(parsed.parse({"--kokkos-num-threads", "2", "in.h5", "--kokkos-disable-warnings", "--kokkos-device-id=0"}));
  CHECK(parsed.line.common().input == "in.h5");
  CHECK(parsed.line.common().kokkos_arguments ==
        std::vector<std::string>{"--kokkos-num-threads=2", "--kokkos-disable-warnings", "--kokkos-device-id=0"});
  CHECK(refused({"in.h5", "--kokkos-num-thread=2"}) ==
        "unknown option `--kokkos-num-thread`; did you mean `--kokkos-num-threads`? See --help");
  CHECK(refused({"in.h5", "--kokkos-device-id"}) == "--kokkos-device-id needs a value");
  CHECK(refused({"in.h5", "--kokkos-device-id=1", "--kokkos-device-id=1"}) == "--kokkos-device-id is given twice");
}

TEST_CASE("what is not a complete and legal command line is refused") {
  CHECK(refused({}) == "INPUT is missing; see --help");
  CHECK(refused({""}) == "INPUT is empty; see --help");
  CHECK(refused({"a", "b"}) == "one INPUT is expected, got `a` and `b`");
  CHECK(refused({"a", "--verfiy", "full"}) == "unknown option `--verfiy`; did you mean `--verify`? See --help");
  CHECK(refused({"a", "--verfiy=full"}) == "unknown option `--verfiy`; did you mean `--verify`? See --help");
  CHECK(refused({"a", "-q"}).starts_with("unknown option `-q`"));
  CHECK(refused({"a", "--flag", "--flag"}) == "--flag is given twice");
  CHECK(refused({"a", "--repeat=1", "--repeat", "2"}) == "--repeat is given twice");
  CHECK(refused({"a", "--flag=1"}) == "--flag takes no value, got `1`");
  CHECK(refused({"a", "--list-of"}) == "--list-of needs a value");
  CHECK(refused({"a", "--list-of="}) == "--list-of needs a value");
  CHECK(refused({"a", "--list-of", "--flag"}) == "--list-of needs a value");
  CHECK(refused({"a", "--repeat=0"}) == "--repeat: `0` is not a whole number of at least 1");
  CHECK(refused({"a", "--warmup=-1"}) == "--warmup: `-1` is not a whole number of at least 0");
  CHECK(refused({"a", "--team-size=2x"}) == "--team-size: `2x` is not a whole number of at least 1");
  CHECK(refused({"a", "--league-size=4294967296"}) ==
        "--league-size: `4294967296` is not a whole number of at least 1");
  CHECK(refused({"a", "--verify=al"}) ==
        "--verify: unknown name `al`; did you mean `full`? The names are none, sample, full");
  CHECK(refused({"a", "--space=opnmp"}) ==
        "--space: unknown name `opnmp`; did you mean `openmp`? The names are cuda, openmp, serial");
  CHECK(refused({"a", "--variant=fats"}) ==
        "--variant: unknown name `fats`; did you mean `fast`? The names are automatic, fast, all, list");
  for (const auto* option : {"--json=-", "--plot=p.svg"}) {
    CHECK(refused({"a", "--list", option}) ==
          "--list only lists: --json, --csv, --plot and --output cannot go with it");
  }
  CHECK(refused({"a", "--plot=p.png"}) == "--plot: `p.png` is not FILE.svg; pictures are SVG");
  CHECK(refused({"a", "--list", "--output=o.h5:/x"}).starts_with("--list only lists"));
}

}  // namespace tessera::apps::test

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times by turns, and what is said of them; the machine's state beside them.
#include "bench/bench_timing.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "apps/driver_support.hpp"
#include "common/machine_state.hpp"

namespace tessera::apps::test {
namespace {

/// Contenders that only say their names, with a clock that says what it is told to.
struct Spoken {
  std::string order;
  std::vector<double> clock;  // the last time again and again
  std::size_t stops = 0;
  bench::Case bench_case;

  explicit Spoken(const std::string& names) {
    for (const char name : names) {
      bench_case.contenders.push_back({std::string(1, name), bench::Role::peer, {}, {}, {}, {}, {}});
      bench_case.contenders.back().run = [this, name] { order += name; };
    }
    bench_case.start = [] {};
    bench_case.stop = [this] { return clock[std::min(stops++, clock.size() - 1)]; };
  }
  std::vector<bench::Samples> time(const bench::Measuring& measuring) {
    std::vector<const bench::Contender*> contenders;
    for (const auto& contender : bench_case.contenders) contenders.push_back(&contender);
    return bench::time_contenders(bench_case, contenders, measuring);
  }
};

void make_executable(const std::string& file, const std::string& text) {
  std::ofstream(file) << text;
  REQUIRE(chmod(file.c_str(), 0755) == 0);
}

}  // namespace

TEST_CASE("bench timing: every round has each contender once, in an order of its own, the same in every run") {
  Spoken first("abcdef"), second("abcdef");
  first.clock = second.clock = {1};
  const auto samples = first.time({.repeat = 20, .warmup = 0, .cold = 0});
  (void)second.time({.repeat = 20, .warmup = 0, .cold = 0});
  CHECK(first.order == second.order);
  REQUIRE(first.order.size() == 120);
  std::set<std::string> rounds;
  for (std::size_t round = 0; round < 20; ++round) {
    std::string names = first.order.substr(6 * round, 6);
    rounds.insert(names);
    std::sort(names.begin(), names.end());
    CHECK(names == "abcdef");
  }
  CHECK(rounds.size() > 10);
  for (const auto& sample : samples) {
    CHECK(sample.warm.size() == 20);
    CHECK(sample.cold.empty());
  }
}

TEST_CASE("bench timing: times belong to who took them") {
  Spoken spoken("ab");
  spoken.clock = {0};
  spoken.bench_case.stop = [&] { return spoken.order.back() == 'a' ? 1.0 : 2.0; };
  const auto samples = spoken.time({.repeat = 9, .warmup = 1, .cold = 0});
  CHECK(samples[0].warm == std::vector<double>(9, 1.0));
  CHECK(samples[1].warm == std::vector<double>(9, 2.0));
}

TEST_CASE("bench timing: warm-up goes on while rounds become faster, and none means none") {
  const auto runs_for = [](std::vector<double> clock, int warmup) {
    Spoken spoken("a");
    spoken.clock = std::move(clock);
    (void)spoken.time({.repeat = 1, .warmup = warmup, .cold = 0});
    return spoken.order.size();
  };
  CHECK(runs_for({9}, 0) == 1);
  CHECK(runs_for({9, 5, 4.9}, 2) == 4);
  CHECK(runs_for({9, 8, 7, 6, 5.9}, 2) == 6);
  CHECK(runs_for({9, 9.5, 9}, 2) == 3);
  std::vector<double> ever_faster{1};
  for (int i = 0; i < 100; ++i) ever_faster.push_back(ever_faster.back() / 2);
  CHECK(runs_for(ever_faster, 2) == 23);
}

TEST_CASE("bench timing: caches are flushed before each cold run, which come last") {
  Spoken spoken("ab");
  spoken.clock = {1};
  spoken.bench_case.flush = [&] { spoken.order += '.'; };
  const auto samples = spoken.time({.repeat = 2, .warmup = 0, .cold = 3});
  REQUIRE(spoken.order.size() == 4 + 12);
  CHECK(spoken.order.find('.') == 4);
  for (std::size_t i = 4; i < 16; i += 2) CHECK(spoken.order[i] == '.');
  CHECK(samples[0].cold.size() == 3);
  CHECK(samples[1].cold.size() == 3);
}

TEST_CASE("bench timing: where time is up, one timed round is left") {
  Spoken spoken("ab");
  spoken.clock = {1};
  spoken.bench_case.flush = [] {};
  const auto samples = spoken.time({.repeat = 5, .warmup = 3, .cold = 3, .time_limit_seconds = 1e-9});
  CHECK(spoken.order.size() == 2);
  CHECK(samples[0].warm.size() == 1);
  CHECK(samples[0].cold.empty());
}

TEST_CASE("bench timing: quartiles, and an interval around the median that repeats itself") {
  const auto one = bench::spread_of({3});
  CHECK(one.first_quartile == 3);
  CHECK(one.third_quartile == 3);
  CHECK(one.median_low == 3);
  CHECK(one.median_high == 3);
  const auto five = bench::spread_of({5, 1, 4, 2, 3});
  CHECK(five.first_quartile == 2);
  CHECK(five.third_quartile == 4);
  CHECK(bench::spread_of({1, 2}).first_quartile == 1.25);
  std::vector<double> samples;
  for (int i = 0; i <= 100; ++i) samples.push_back(i);
  const auto spread = bench::spread_of(samples), again = bench::spread_of(samples);
  CHECK(spread.median_low == again.median_low);
  CHECK(spread.median_high == again.median_high);
  // By the binomial distribution the interval of 101 samples reaches about 10 ranks to either side.
  CHECK_THAT(spread.median_low, Catch::Matchers::WithinAbs(40, 4));
  CHECK_THAT(spread.median_high, Catch::Matchers::WithinAbs(60, 4));
}

TEST_CASE("machine state: clocks and governor of the processors, nothing where there are none") {
  const Folder folder;
  namespace fs = std::filesystem;
  for (const char* cpu : {"cpu0", "cpu1"}) fs::create_directories(fs::path(folder.path()) / cpu / "cpufreq");
  std::ofstream(folder / "cpu0/cpufreq/scaling_cur_freq") << "2000000\n";
  std::ofstream(folder / "cpu1/cpufreq/scaling_cur_freq") << "3000000\n";
  std::ofstream(folder / "cpu0/cpufreq/scaling_max_freq") << "3500000\n";
  std::ofstream(folder / "cpu0/cpufreq/scaling_governor") << "performance\n";
  CHECK(nlohmann::json(to_json(machine_state("", folder.path()))) ==
        nlohmann::json({{"gpu", nullptr}, {"cpu", {{"mhz", 2500}, {"max_mhz", 3500}, {"governor", "performance"}}}}));
  CHECK(nlohmann::json(to_json(machine_state("", folder / "none"))) ==
        nlohmann::json({{"gpu", nullptr}, {"cpu", nullptr}}));
}

TEST_CASE("machine state: what nvidia-smi says of the GPU, nothing where it is not there or says something else") {
  const Folder folder;
  const std::string path = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
  const auto gpu_by = [&](const std::string& script) {
    if (!script.empty()) make_executable(folder / "nvidia-smi", "#!/bin/sh\n" + script);
    setenv("PATH", (folder.path() + ":/usr/bin:/bin").c_str(), 1);
    const nlohmann::json state = to_json(machine_state("0000:1B:00.0", folder / "none"));
    setenv("PATH", path.c_str(), 1);
    return state["gpu"];
  };
  CHECK(gpu_by("test \"$1\" = --id=0000:1B:00.0 && echo '1980, 3201, 700.00, 121.57, [N/A], 580.95.05'\n") ==
        nlohmann::json({{"sm_mhz", 1980},
                        {"memory_mhz", 3201},
                        {"power_limit_w", 700},
                        {"power_w", 121.57},
                        {"temperature_c", nullptr},
                        {"driver", "580.95.05"}}));
  CHECK(gpu_by("echo No devices were found; exit 6\n").is_null());
  CHECK(gpu_by("exit 9\n").is_null());
  CHECK(nlohmann::json(to_json(machine_state("0; touch x", folder / "none")))["gpu"].is_null());
}

TEST_CASE("tessera-bench: a row has the spread of its times, cold ones, the machine's state and the job") {
  const Folder folder;
  ProgramSetting job;
  job.environment = {"SLURM_JOB_ID=42", "SLURM_ARRAY_TASK_ID=3", "SLURM_RESTART_COUNT=1"};
  const std::string file = folder / "rows.jsonl";
  const auto end = run_program(TESSERA_BENCH,
                               {"run", "--op=squares", "--sizes=1000", "--types=float", "--space=serial", "--repeat=5",
                                "--cold=2", "--out=" + file},
                               job);
  INFO(end.out << end.err);
  REQUIRE(end.status == 0);
  CHECK(end.out.find(", cold ") != std::string::npos);
  std::ifstream lines(file);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto row = nlohmann::json::parse(line);
    const auto& seconds = row["seconds"];
    CHECK(seconds["min"] <= seconds["q1"]);
    CHECK(seconds["q1"] <= seconds["median"]);
    CHECK(seconds["median"] <= seconds["q3"]);
    CHECK(seconds["q3"] <= seconds["max"]);
    CHECK(seconds["min"] <= seconds["median_ci95"][0]);
    CHECK(seconds["median_ci95"][0] <= seconds["median"]);
    CHECK(seconds["median"] <= seconds["median_ci95"][1]);
    CHECK(row["cold"]["repeats"] == 2);
    CHECK(row["cold"]["seconds"]["median"] > 0);
    CHECK(row["machine"].contains("gpu"));
    CHECK(row["slurm"]["job_id"] == 42);
    CHECK(row["slurm"]["array_task_id"] == 3);
    CHECK(row["slurm"]["restart_count"] == 1);
    CHECK(row["machine"].contains("cpu"));
  }
  CHECK(count == 2);
}

}  // namespace tessera::apps::test

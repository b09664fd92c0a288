// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/bench_compare.hpp"

#include <fstream>

#include "apps/driver_support.hpp"

namespace tessera::apps::test {
namespace {

/// A measured row whose median lies between low and high, in microseconds.
nlohmann::json row(const std::string& implementation, double low, double median, double high) {
  return {{"schema", "tessera-bench/1"},
          {"op", "reduce"},
          {"type", "float32"},
          {"size", 1000},
          {"shape", {1000}},
          {"taps", nullptr},
          {"implementation", implementation},
          {"role", "tessera"},
          {"status", "measured"},
          {"seconds",
           {{"min", 1e-6 * low},
            {"median", 1e-6 * median},
            {"max", 1e-6 * high},
            {"median_ci95", {1e-6 * low, 1e-6 * high}}}},
          {"gb_per_s", {{"median", 4e-3 / median}}},
          {"fraction_of_ceiling", nullptr},
          {"ceiling", nullptr},
          {"kokkos", {{"version", "4.5.1"}, {"backend", "OpenMP"}, {"device", "a host"}, {"concurrency", 2}}}};
}

struct Pair {
  Folder folder;
  std::string before = folder / "old.jsonl", after = folder / "new.jsonl";

  Pair(const std::vector<nlohmann::json>& old_rows, const std::vector<nlohmann::json>& new_rows) {
    std::ofstream out(before), more(after);
    for (const auto& record : old_rows) out << record << '\n';
    for (const auto& record : new_rows) more << record << '\n';
  }
  [[nodiscard]] ProgramEnd compare(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"compare", before, after};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(TESSERA_BENCH, arguments);
  }
};

}  // namespace

TEST_CASE("tessera-bench compare: what is beyond both intervals is said, and slower by more than the tolerance is 1") {
  auto newer_kokkos = row("same", 11, 11.5, 12);
  newer_kokkos["kokkos"]["version"] = "4.7.1";
  const Pair files({row("same", 10, 10.5, 11), row("slow", 10, 10, 10), row("fast", 10, 10, 10)},
                   {newer_kokkos, row("slow", 11, 12, 13), row("fast", 4, 5, 6)});
  const auto end = files.compare();
  CHECK(end.status == 1);
  CHECK(end.err.empty());
  CHECK(end.out ==
        "faster    reduce float32 1000  fast: 10.0 us -> 5.0 us, -50.0 % time\n"
        "slower    reduce float32 1000  slow: 10.0 us -> 12.0 us, +20.0 % time, beyond the tolerance\n"
        "3 rows in both: 1 slower, 1 faster, the others as before within their intervals\n");
  const auto tolerant = files.compare({"--tolerance=25"});
  CHECK(tolerant.status == 0);
  CHECK(tolerant.out.find("+20.0 % time\n") != std::string::npos);
}

TEST_CASE("tessera-bench compare: rows of one file, of other machines, and those that became wrong are said") {
  auto wrong = row("a", 1, 1, 1), other = row("b", 1, 1, 1);
  wrong["status"] = "wrong";
  wrong["seconds"] = nullptr;
  other["kokkos"]["concurrency"] = 4;
  const Pair files({row("a", 1, 1, 1), row("b", 1, 1, 1)}, {wrong, other});
  const auto end = files.compare();
  CHECK(end.status == 1);
  CHECK(end.out ==
        "WRONG     reduce float32 1000  a: was measured\n"
        "only in " +
            files.before +
            ": reduce float32 1000  b\n"
            "only in " +
            files.after +
            ": reduce float32 1000  b\n"
            "1 rows in both: 0 slower, 0 faster, the others as before within their intervals; 2 in one file alone\n");
  ProgramSetting full;
  full.out_file = "/dev/full";
  CHECK(refusal_line(run_program(TESSERA_BENCH, {"compare", files.before, files.after}, full), 3, "tessera-bench") ==
        "standard output: cannot be written: No space left on device");
  const auto still = Pair({wrong}, {wrong}).compare();
  CHECK(still.status == 1);
  CHECK(still.out.starts_with("WRONG     reduce float32 1000  a: as before\n"));
}

TEST_CASE("tessera-bench compare: a row that the new file lacks, or has skipped, makes the status 1") {
  const auto a = row("a", 1, 1, 1), b = row("b", 1, 1, 1);
  auto skipped = b;
  skipped["status"] = "skipped";
  skipped["seconds"] = nullptr;
  const std::string others = " rows in both: 0 slower, 0 faster, the others as before within their intervals";
  const Pair lacking({a, b}, {a}), more({a}, {a, b});
  auto end = lacking.compare();
  CHECK(end.status == 1);
  CHECK(end.out == "only in " + lacking.before + ": reduce float32 1000  b\n1" + others + "; 1 in one file alone\n");
  end = more.compare();
  CHECK(end.status == 0);
  CHECK(end.out == "only in " + more.after + ": reduce float32 1000  b\n1" + others + "; 1 in one file alone\n");
  end = Pair({a, b}, {a, skipped}).compare();
  CHECK(end.status == 1);
  CHECK(end.out == "skipped   reduce float32 1000  b: was measured\n2" + others + '\n');
  CHECK(Pair({a, skipped}, {a, b}).compare().status == 0);
  CHECK(Pair({a, skipped}, {a, skipped}).compare().status == 0);
}

TEST_CASE("tessera-bench compare: records of earlier files have no interval but all their times") {
  auto before = row("a", 9, 10, 11), after = row("a", 10.5, 12, 13);
  before["seconds"].erase("median_ci95");
  CHECK(Pair({before}, {after}).compare().out.starts_with("1 rows in both: 0 slower"));
  after["seconds"]["median_ci95"][0] = 11.5e-6;
  CHECK(Pair({before}, {after}).compare().status == 1);
}

TEST_CASE("tessera-bench compare: bad files are refused by name") {
  auto timeless = row("a", 1, 1, 1);
  timeless.erase("seconds");
  const Pair files({row("a", 1, 1, 1)}, {timeless});
  CHECK(refusal_line(files.compare(), 2, "tessera-bench") ==
        files.after + ": the record of reduce float32 1000  a has no times");
  CHECK(refusal_line(run_program(TESSERA_BENCH, {"compare", files.before, files.folder / "none"}), 2,
                     "tessera-bench") == files.folder / "none" + ": cannot be read: No such file or directory");
  const Pair empty({row("a", 1, 1, 1)}, {});
  CHECK(refusal_line(empty.compare(), 2, "tessera-bench") == empty.after + ": holds no records");
}

TEST_CASE("tessera-bench compare: a file beside itself has no changes") {
  const Folder folder;
  const std::string file = folder / "rows.jsonl";
  REQUIRE(run_program(TESSERA_BENCH, {"run", "--op=reduce,transpose", "--sizes=1000", "--types=float", "--repeat=2",
                                      "--cold=0", "--space=serial", "--out=" + file})
              .status == 0);
  const auto end = run_program(TESSERA_BENCH, {"compare", file, file});
  CHECK(end.status == 0);
  CHECK(end.out.find(" 0 slower, 0 faster") != std::string::npos);
}

}  // namespace tessera::apps::test

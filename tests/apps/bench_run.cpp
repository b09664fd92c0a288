// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/bench_run.hpp"

#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include "apps/driver_support.hpp"

namespace tessera::apps::test {
namespace {

using nlohmann::json;

std::uint64_t element_bytes(const json& row) { return row["type"] == "int32" || row["type"] == "float32" ? 4 : 8; }

/// Whether a ceiling moved about as many bytes as an array has.
bool is_about(std::uint64_t bytes, std::uint64_t expected) {
  const std::uint64_t slack = 16 + expected / 50;
  return bytes + slack >= expected && bytes <= expected + slack;
}

/// Whether this machine's Python has what the implementation needs; true of those that need none.
bool can_run(const std::string& implementation) {
#ifndef TESSERA_TESTS_HAVE_NUMPY
  if (implementation.starts_with("numpy")) return false;
#endif
#ifndef TESSERA_TESTS_HAVE_SCIPY
  if (implementation.starts_with("scipy")) return false;
#endif
  return !implementation.empty();
}

/// The text without the lines that say what Python cannot.
std::string without_python(const std::string& text) {
  std::istringstream lines(text);
  std::string rest;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" skipped: /usr/bin/python3 ") == std::string::npos) rest += line + '\n';
  }
  return rest;
}

/// A transpose with a file on Python's path, and the row of its peer there.
std::pair<ProgramEnd, json> numpy_row(const std::string& file, const std::string& text) {
  const Folder folder;
  std::ofstream(folder / file) << text;
  const auto end = run_program(TESSERA_BENCH,
                               {"run", "--op=transpose", "--sizes=60x35", "--types=float", "--repeat=1", "--warmup=0",
                                "--space=serial", "--cold=0", "--out=" + folder / "rows.jsonl"},
                               {{}, {"PYTHONPATH=" + folder.path()}, {}});
  INFO(end.out << end.err);
  const auto rows = rows_of(folder / "rows.jsonl");
  REQUIRE(rows.size() == 4);
  CHECK(rows[3]["implementation"] == "numpy transposed copy");
  return {end, rows[3]};
}

}  // namespace

TEST_CASE("tessera-bench: runs every operation with its peers and records each row") {
  const Folder folder;
  const std::string file = folder / "rows.jsonl";
  const std::vector<std::string> arguments = {"run",           "--sizes=1000,60x35", "--types=int32,int64,float,double",
                                              "--taps=1,4,33", "--variant=all",      "--repeat=2",
                                              "--warmup=0",    "--space=openmp",     "--cold=0",
                                              "--out=" + file};
  const auto end = run_program(TESSERA_BENCH, arguments);
  INFO(end.out << end.err);
  CHECK(end.status == 0);
  CHECK(without_python(end.err) ==
        "tessera-bench: note: integer is measured in int8, int32, int64, not in float32\n"
        "tessera-bench: note: integer is measured in int8, int32, int64, not in float64\n"
        "tessera-bench: note: min is measured in int32, float32, float64, not in int64\n"
        "tessera-bench: note: argmin is measured in int32, float32, float64, not in int64\n"
        "tessera-bench: note: stats is measured in float32, float64, not in int32\n"
        "tessera-bench: note: stats is measured in float32, float64, not in int64\n"
        "tessera-bench: note: dot is measured in float32, float64, not in int32\n"
        "tessera-bench: note: dot is measured in float32, float64, not in int64\n"
        "tessera-bench: note: spread is measured in float32, float64, not in int32\n"
        "tessera-bench: note: spread is measured in float32, float64, not in int64\n"
        "tessera-bench: note: axes is measured in float32, not in int32\n"
        "tessera-bench: note: axes is measured in float32, not in int64\n"
        "tessera-bench: note: axes is measured in float32, not in float64\n"
        "tessera-bench: note: dispatch is measured in float64, not in int32\n"
        "tessera-bench: note: dispatch is measured in float64, not in int64\n"
        "tessera-bench: note: dispatch is measured in float64, not in float32\n"
        "tessera-bench: note: filter is measured in float32, float64, not in int32\n"
        "tessera-bench: note: filter is measured in float32, float64, not in int64\n"
        "tessera-bench: note: window is measured in float32, float64, not in int32\n"
        "tessera-bench: note: window is measured in float32, float64, not in int64\n"
        "tessera-bench: note: lines is measured in float32, float64, not in int32\n"
        "tessera-bench: note: lines is measured in float32, float64, not in int64\n"
        "tessera-bench: note: short_integers is measured in int16, uint8, not in int32\n"
        "tessera-bench: note: short_integers is measured in int16, uint8, not in int64\n"
        "tessera-bench: note: short_integers is measured in int16, uint8, not in float32\n"
        "tessera-bench: note: short_integers is measured in int16, uint8, not in float64\n"
        "tessera-bench: note: steps is measured in float32, float64, not in int32\n"
        "tessera-bench: note: steps is measured in float32, float64, not in int64\n"
        "tessera-bench: note: squares is measured in float32, float64, not in int32\n"
        "tessera-bench: note: squares is measured in float32, float64, not in int64\n"
        "tessera-bench: note: transpose is measured in float32, float64, not in int32\n"
        "tessera-bench: note: transpose is measured in float32, float64, not in int64\n"
        "tessera-bench: note: permute is measured in int8, float32, float64, not in int32\n"
        "tessera-bench: note: permute is measured in int8, float32, float64, not in int64\n");
  std::map<std::string, int> counts;
  for (const auto& row : rows_of(file)) {
    CAPTURE(row.dump());
    CHECK(row["schema"] == "tessera-bench/1");
    ++counts[row["op"].get<std::string>() + ": " + row["implementation"].get<std::string>()];
    if (!can_run(row["implementation"])) {
      CHECK(row["status"] == "skipped");
      continue;
    }
    CHECK(row["status"] == "measured");
    CHECK(row["repeats"] >= 1);
    CHECK(row["seconds"]["min"] <= row["seconds"]["median"]);
    CHECK(row["seconds"]["median"] <= row["seconds"]["max"]);
    CHECK(row["gb_per_s"]["median"].get<double>() ==
          1e-9 * row["bytes"].get<double>() / row["seconds"]["median"].get<double>());
    CHECK(row["fraction_of_ceiling"] > 0);
    CHECK(row["result_bits"].is_null() == (row["op"] == "ceiling"));
    CHECK(row["ceiling"]["copy_gb_per_s"] > 0);
    CHECK(is_about(row["ceiling"]["bytes"], row["size"].get<std::uint64_t>() * element_bytes(row)));
    CHECK(row["kokkos"]["backend"] == "OpenMP");
    CHECK(row["command"].size() == arguments.size() + 1);
    CHECK(row["version"].is_string());
    CHECK(row["git"].is_string());
    CHECK(row["host"].is_string());
    CHECK(row["time"].get<std::string>().size() == 20);
    const std::uint64_t element = element_bytes(row);
    const std::string op = row["op"];
    const bool has_two = op == "filter" || op == "window" || op == "lines" || op == "squares" || op == "transpose" ||
                         op == "permute" || op == "dot";
    const std::uint64_t sides = op == "steps" ? 20 : has_two ? 2 : 1;
    if (row["op"] != "ceiling" && row["op"] != "axes") {
      CHECK(row["axis"].is_null() == (row["op"] != "lines"));
      CHECK(row["bytes"] == sides * element * row["size"].get<std::uint64_t>());
    }
    if (row["role"] == "tessera") CHECK(row["plan"]["team_size"] >= 1);
    CHECK(row["task"].is_null() == (op != "window" && op != "lines"));
  }
  const std::map<std::string, int> expected = {{"ceiling: copy", 8},
                                               {"ceiling: read", 8},
                                               {"reduce: tessera automatic", 8},
                                               {"reduce: tessera interleaved", 8},
                                               {"reduce: tessera strided", 8},
                                               {"reduce: tessera sequential", 8},
                                               {"reduce: tessera two_stage", 8},
                                               {"reduce: tessera grid_stride", 8},
                                               {"reduce: tessera single_pass", 8},
                                               {"reduce: tessera exact", 4},
                                               {"reduce: Kokkos::parallel_reduce", 8},
                                               {"reduce: KokkosBlas::nrm1", 4},
                                               {"reduce: numpy.sum", 4},
                                               {"reduce: OpenMP loop", 8},
                                               {"reduce: std::transform_reduce, one thread", 8},
                                               {"spread: tessera exact, 19 binades", 4},
                                               {"spread: tessera exact, 40 binades", 4},
                                               {"spread: tessera exact, 200 binades", 4},
                                               {"spread: tessera exact, all exponents", 4},
                                               {"spread: tessera fast", 4},
                                               {"integer: tessera automatic", 4},
                                               {"integer: Kokkos::parallel_reduce", 4},
                                               {"min: tessera automatic", 6},
                                               {"min: tessera interleaved", 6},
                                               {"min: tessera strided", 6},
                                               {"min: tessera sequential", 6},
                                               {"min: tessera two_stage", 6},
                                               {"min: tessera grid_stride", 6},
                                               {"min: tessera single_pass", 6},
                                               {"min: Kokkos::parallel_reduce", 6},
                                               {"argmin: tessera automatic", 6},
                                               {"argmin: tessera single_pass", 6},
                                               {"argmin: Kokkos::parallel_reduce", 6},
                                               {"stats: tessera automatic", 4},
                                               {"stats: tessera single_pass", 4},
                                               {"stats: fast sum", 4},
                                               {"dot: tessera exact", 4},
                                               {"dot: tessera fast", 4},
                                               {"dot: Kokkos::parallel_reduce", 4},
                                               {"dot: KokkosBlas::dot", 4},
                                               {"axes: tessera exact", 86},
                                               {"axes: tessera fast", 86},
                                               {"axes: Kokkos by hand", 86},
                                               {"dispatch: by hand", 2},
                                               {"dispatch: built-in sum", 2},
                                               {"dispatch: user's struct", 2},
                                               {"dispatch: lambda", 2},
                                               {"dispatch: function pointer", 2},
                                               {"dispatch: virtual call", 2},
                                               {"filter: tessera automatic", 12},
                                               {"filter: tessera direct", 12},
                                               {"filter: tessera juxtaposed", 12},
                                               {"filter: tessera overlapping", 12},
                                               {"filter: tessera vectorized", 12},
                                               {"filter: tessera register_blocked", 12},
                                               {"filter: Kokkos::parallel_for, direct", 12},
                                               {"filter: scipy.ndimage.correlate1d", 12},
                                               {"filter: multiply-adds in registers", 12},
                                               {"filter: Kokkos::deep_copy", 12},
                                               {"window: tessera min", 12},
                                               {"window: tessera box", 12},
                                               {"window: tessera median", 12},
                                               {"window: Kokkos::parallel_for min, direct", 12},
                                               {"window: Kokkos::parallel_for box, direct", 12},
                                               {"window: Kokkos::deep_copy", 12},
                                               {"lines: tessera filter", 48},
                                               {"lines: Kokkos::parallel_for filter, direct", 48},
                                               {"lines: tessera min", 48},
                                               {"lines: tessera box", 48},
                                               {"lines: tessera median", 48},
                                               {"lines: Kokkos::deep_copy", 48},
                                               {"steps: tessera one by one", 12},
                                               {"squares: through scratch", 4},
                                               {"squares: in registers", 4},
                                               {"transpose: tessera automatic", 4},
                                               {"transpose: tessera naive", 4},
                                               {"transpose: tessera tiled", 4},
                                               {"transpose: tessera padded", 4},
                                               {"transpose: tessera swizzled", 4},
                                               {"transpose: tessera packed", 4},
                                               {"transpose: tessera in place", 4},
                                               {"transpose: Kokkos::deep_copy to LayoutLeft", 4},
                                               {"transpose: numpy transposed copy", 4},
                                               {"permute: tessera automatic", 12},
                                               {"permute: tessera naive", 12},
                                               {"permute: tessera tiled", 12},
                                               {"permute: tessera padded", 12},
                                               {"permute: tessera swizzled", 12},
                                               {"permute: tessera packed", 12},
                                               {"permute: parallel_for", 12}};
  CHECK(counts == expected);
}

TEST_CASE(
    "tessera-bench: filters of short integers, of one line and of rows of 1000 either way, each weights of their own") {
  const Folder folder;
  const std::string file = folder / "rows.jsonl";
  const auto end =
      run_program(TESSERA_BENCH, {"run", "--op=short_integers", "--sizes=2500", "--types=uint8,int16", "--taps=1,33",
                                  "--repeat=1", "--warmup=0", "--space=openmp", "--cold=0", "--out=" + file});
  INFO(end.out << end.err);
  CHECK(end.status == 0);
  CHECK(end.err.empty());
  std::map<std::string, int> counts;
  for (const auto& row : rows_of(file)) {
    if (row["op"] == "ceiling") continue;
    CAPTURE(row.dump());
    CHECK(row["status"] == "measured");
    CHECK(row["bytes"] == (row["type"] == "int16" ? 4 : 2) * row["size"].get<std::uint64_t>());
    ++counts[row["type"].get<std::string>() + ' ' + row["shape"].dump() + ' ' + row["axis"].dump() + ' ' +
             row["implementation"].get<std::string>() + ", " + row["task"].get<std::string>()];
  }
  std::map<std::string, int> expected;
  for (const std::string type : {"int16", "uint8"}) {
    for (const std::string shape : {" [1,2500] 1 ", " [2,1000] 0 ", " [2,1000] 1 "}) {
      for (const std::string task : {"whole weights", "other weights"}) {
        for (const std::string name : {"tessera automatic", "Kokkos::parallel_for, direct"}) {
          expected[type + shape + name + ", " + task] = 2;
        }
      }
      expected[type + shape + "Kokkos::deep_copy, copy"] = 2;
    }
  }
  CHECK(counts == expected);
}

TEST_CASE("tessera-bench: transposes take the matrix, or the square of a count") {
  const Folder folder;
  const std::string file = folder / "rows.jsonl";
  const auto end = run_program(TESSERA_BENCH, {"run", "--op=transpose", "--sizes=60x35,1000", "--types=double",
                                               "--repeat=1", "--space=serial", "--cold=0", "--out=" + file});
  CHECK(end.status == 0);
  const auto rows = rows_of(file);
  REQUIRE(rows.size() == 8);
  CHECK(rows[0]["shape"] == json({60, 35}));
  CHECK(rows[0]["size"] == 2100);
  CHECK(rows[4]["shape"] == json({31, 31}));
}

TEST_CASE("tessera-bench: several applications at once are measured where automatic makes them") {
  const Folder folder;
  const std::string file = folder / "rows.jsonl";
  const auto end = run_program(TESSERA_BENCH, {"run", "--op=steps", "--sizes=2^16", "--taps=3", "--types=float",
                                               "--repeat=1", "--space=serial", "--cold=0", "--out=" + file});
  CHECK(end.status == 0);
  const auto rows = rows_of(file);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["implementation"] == "tessera one by one");
}

TEST_CASE("tessera-bench: transposes beside a Python without NumPy") {
  const auto [end, row] = numpy_row("numpy.py", "raise ImportError\n");
  CHECK(end.status == 0);
  CHECK(row["status"] == "skipped");
  const std::string reason = row["reason"];
  CHECK(reason.starts_with("/usr/bin/python3 "));
  CHECK(end.err == "tessera-bench: note: transpose float32 60x35  numpy transposed copy skipped: " + reason + '\n');
#ifdef TESSERA_TESTS_HAVE_NUMPY
  CHECK(reason == "/usr/bin/python3 cannot import numpy");
#endif
}

#ifdef TESSERA_TESTS_HAVE_NUMPY
TEST_CASE("tessera-bench: transposes beside a NumPy that is wrong") {
  const auto [end, row] = numpy_row("sitecustomize.py",
                                    "import numpy\n"
                                    "copy = numpy.copyto\n"
                                    "numpy.copyto = lambda y, x: copy(y[:-1], x[:-1])\n");
  CHECK(end.status == 1);
  CHECK(row["status"] == "wrong");
  CHECK(row["reason"] == "60 of 2100 outputs are wrong");
}
#endif

TEST_CASE("tessera-bench: filters of lines across memory and of short ones") {
  const Folder folder;
  const std::string file = folder / "rows.jsonl";
  const auto end =
      run_program(TESSERA_BENCH, {"run", "--op=lines", "--sizes=100000", "--types=double", "--taps=3,40", "--repeat=1",
                                  "--warmup=0", "--space=openmp", "--cold=0", "--out=" + file});
  INFO(end.out << end.err);
  CHECK(end.status == 0);
  CHECK(end.err.empty());
  std::map<std::vector<std::uint64_t>, int> found;
  for (const auto& row : rows_of(file)) {
    CAPTURE(row.dump());
    CHECK(row["status"] == "measured");
    CHECK(row["axis"] == 1);
    ++found[row["shape"].get<std::vector<std::uint64_t>>()];
  }
  CHECK(found == std::map<std::vector<std::uint64_t>, int>{{{8, 12, 1024}, 12},
                                                           {{5882, 17, 1}, 12},
                                                           {{2000, 50, 1}, 12},
                                                           {{1000, 100, 1}, 12},
                                                           {{500, 200, 1}, 12},
                                                           {{33, 1000, 3}, 12}});
}

// 60000 elements: lines longer than one thread of a check sums, and shapes of every rank.
TEST_CASE("tessera-bench: sums over axes, of rows and columns of every length and of odd shapes") {
  const Folder folder;
  const std::string file = folder / "rows.jsonl";
  const auto end = run_program(TESSERA_BENCH, {"run", "--op=axes", "--sizes=60000", "--types=float", "--repeat=1",
                                               "--warmup=0", "--space=openmp", "--cold=0", "--out=" + file});
  INFO(end.out << end.err);
  CHECK(end.status == 0);
  CHECK(end.err.empty());
  std::map<std::pair<std::vector<std::uint64_t>, int>, std::set<std::string>> found;
  for (const auto& row : rows_of(file)) {
    CAPTURE(row.dump());
    CHECK(row["status"] == "measured");
    const auto shape = row["shape"].get<std::vector<std::uint64_t>>();
    const int axis = row["axis"];
    std::uint64_t size = 1;
    for (const auto extent : shape) size *= extent;
    CHECK(row["size"] == size);
    CHECK(size <= 60000);
    CHECK(size >= 50000);
    REQUIRE(axis < static_cast<int>(shape.size()));
    const auto length = shape[static_cast<std::size_t>(axis)];
    CHECK(row["bytes"] == 4 * (size + size / length));
    CHECK(is_about(row["ceiling"]["bytes"], size * element_bytes(row)));
    const double ceiling = row["ceiling"][length < 16 ? "copy_gb_per_s" : "read_gb_per_s"];
    CHECK_THAT(row["fraction_of_ceiling"].get<double>(),
               Catch::Matchers::WithinRel(row["gb_per_s"]["median"].get<double>() / ceiling, 1e-12));
    if (row["role"] == "tessera") CHECK(row["plan"]["league_size"] >= 1);
    found[{shape, axis}].insert(row["implementation"].get<std::string>());
  }
  for (const auto& [placement, implementations] : found) {
    CHECK(implementations == std::set<std::string>{"tessera exact", "tessera fast", "Kokkos by hand"});
  }
  using Shape = std::vector<std::uint64_t>;
  for (const std::uint64_t length : {1, 2, 3, 5, 7, 8, 15, 16, 64, 256, 1000, 4096}) {
    CAPTURE(length);
    CHECK(found.contains({Shape{60000 / length, length}, 1}));
    CHECK(found.contains({Shape{length, 60000 / length}, 0}));
  }
  const std::vector<Shape> odd_shapes{{3, 20000},   {20000, 3},     {17, 3529},       {3529, 17},
                                      {241, 243},   {1, 60000},     {60000, 1},       {101, 103, 5},
                                      {7, 1223, 7}, {5, 63, 63, 3}, {3, 3, 3, 47, 47}};
  for (const Shape& shape : odd_shapes) {
    for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
      CAPTURE(shape, axis);
      CHECK(found.contains({shape, axis}));
    }
  }
}

TEST_CASE("tessera-bench: sums int8 into 64 bits, and leaves out types without a word where none are named") {
  const Folder folder;
  const std::string file = folder / "rows.jsonl";
  const auto end = run_program(TESSERA_BENCH, {"run", "--op=integer,dot", "--sizes=100000", "--repeat=1",
                                               "--space=serial", "--cold=0", "--out=" + file});
  INFO(end.out << end.err);
  CHECK(end.status == 0);
  CHECK(end.err.empty());
  std::map<std::string, int> counts;
  for (const auto& row : rows_of(file)) {
    CHECK(row["status"] == "measured");
    ++counts[row["op"].get<std::string>() + " " + row["type"].get<std::string>()];
    if (row["type"] == "int8") CHECK(row["bytes"] == 100000);
  }
  CHECK(counts ==
        std::map<std::string, int>{
            {"integer int8", 2}, {"integer int32", 2}, {"integer int64", 2}, {"dot float32", 4}, {"dot float64", 4}});
}

TEST_CASE("tessera-bench: windows have widths of their own, and are right in every kernel") {
  const Folder folder;
  const std::string file = folder / "rows.jsonl";
  const auto end = run_program(TESSERA_BENCH, {"run", "--op=window", "--sizes=5003", "--types=double", "--repeat=1",
                                               "--warmup=0", "--space=serial", "--cold=0", "--out=" + file});
  INFO(end.out << end.err);
  CHECK(end.status == 0);
  std::map<std::int64_t, int> rows_of_width;
  for (const auto& row : rows_of(file)) {
    CHECK(row["status"] == "measured");
    ++rows_of_width[row["taps"].get<std::int64_t>()];
  }
  CHECK(rows_of_width == std::map<std::int64_t, int>{{3, 7}, {31, 6}, {301, 6}, {3001, 6}});
}

TEST_CASE("tessera-bench: a later run extends the file") {
  const Folder folder;
  const std::string file = folder / "rows.jsonl";
  const std::vector<std::string> arguments = {"run",        "--op=reduce",    "--sizes=100", "--types=int32",
                                              "--repeat=1", "--space=serial", "--cold=0",    "--out=" + file};
  CHECK(run_program(TESSERA_BENCH, arguments).status == 0);
  CHECK(run_program(TESSERA_BENCH, arguments).status == 0);
  CHECK(rows_of(file).size() == 6);
}

TEST_CASE("tessera-bench: what does not fit into memory is skipped and said") {
  const Folder folder;
  const std::string file = folder / "rows.jsonl";
  const auto end = run_program(TESSERA_BENCH, {"run", "--op=transpose", "--sizes=2^20x2^20", "--types=double",
                                               "--space=serial", "--cold=0", "--out=" + file});
  CHECK(end.status == 0);
  CHECK(end.err.starts_with("tessera-bench: note: transpose float64 1048576x1048576  all skipped: needs 17.59 TB, "));
  CHECK(end.err.ends_with(" are free\n"));
  const auto rows = rows_of(file);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["status"] == "skipped");
  CHECK(rows[0]["reason"].get<std::string>().starts_with("needs 17.59 TB"));
  CHECK(rows[0]["seconds"].is_null());
}

TEST_CASE("tessera-bench: a plan that cannot be is skipped with the library's reason, the peers run") {
  const Folder folder;
  const std::string file = folder / "rows.jsonl";
  const auto end = run_program(TESSERA_BENCH, {"run", "--op=reduce", "--sizes=100", "--types=int32", "--repeat=1",
                                               "--team-size=1000000", "--space=serial", "--cold=0", "--out=" + file});
  CHECK(end.status == 0);
  CHECK(end.err.starts_with(
      "tessera-bench: note: reduce int32 100  tessera automatic, team 1000000 skipped: tessera::reduce"));
  const auto rows = rows_of(file);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0]["status"] == "skipped");
  CHECK(rows[1]["status"] == "measured");
  CHECK(rows[2]["status"] == "measured");
}

// In this process, on contenders that lie, refuse and break: one session, so one case.
TEST_CASE("run_bench: checks before it times, interleaves, and gives status 1 for a wrong row") {
  const Folder folder;
  const std::string name = folder / "rows.jsonl";
  std::string order;
  bench::Operation operation{"filter", {NumberType::float32}, {"automatic"}, 2, {}, {3}};
  operation.make = [&order](const bench::Request& request) {
    CHECK(request.taps == 5);
    CHECK(request.size() == 10);
    CHECK(request.variants == std::vector<std::string>{"automatic"});
    bench::Case result;
    result.bytes = 80;
    result.bounded_by_copy = true;
    result.start = [] {};
    result.stop = [] { return 2e-9; };
    const auto add = [&](const std::string& who, const std::string& trouble) {
      result.contenders.push_back({who,
                                   bench::Role::peer,
                                   {},
                                   {},
                                   [&order, who] { order += who; },
                                   [&order, who, trouble] {
                                     order += "check " + who + " ";
                                     return trouble;
                                   },
                                   {}});
    };
    add("a", "");
    add("b", "3 of 10 outputs are wrong");
    add("c", "");
    result.contenders.push_back({"d", bench::Role::tessera, "automatic", {}, {}, {}, "cannot\ndo it"});
    result.contenders.push_back(
        {"e", bench::Role::peer, {}, {}, {}, []() -> std::string { throw std::runtime_error("broken"); }, {}});
    return result;
  };
  bench::BenchOptions options;
  bench::Part part;
  part.operations = {"filter"};
  part.types = {{NumberType::float32}};
  part.taps = {5};
  part.sizes = {{1, 10, false}};
  options.parts = {part};
  options.measuring.repeat = 2;
  options.measuring.warmup = 1;
  const Session session({}, "serial");
  {
    bench::RowFile file(name);
    CHECK_FALSE(std::filesystem::exists(name));
    CHECK(bench::run_bench(options, {operation}, session, &file) == ExitStatus::not_verified);
  }
  REQUIRE(order.starts_with("check a check b check c "));
  const std::string runs = order.substr(24);
  CHECK(runs.size() == 6);
  for (std::size_t round = 0; round < runs.size(); round += 2) {
    CHECK((runs.substr(round, 2) == "ac" || runs.substr(round, 2) == "ca"));
  }
  auto rows = rows_of(name);
  REQUIRE(rows.size() == 5);
  CHECK(rows[0]["status"] == "measured");
  CHECK(rows[0]["repeats"] == 2);
  CHECK(rows[0]["gb_per_s"]["median"] == 40.0);
  CHECK(rows[1]["status"] == "wrong");
  CHECK(rows[1]["reason"] == "3 of 10 outputs are wrong");
  CHECK(rows[1]["seconds"].is_null());
  CHECK(rows[3]["status"] == "skipped");
  CHECK(rows[3]["reason"] == "cannot do it");
  CHECK(rows[4]["status"] == "skipped");
  CHECK(rows[4]["reason"] == "broken");

  operation.make = [](const bench::Request&) -> bench::Case { throw std::runtime_error("no memory after all"); };
  {
    bench::RowFile file(name);
    CHECK(bench::run_bench(options, {operation}, session, &file) == ExitStatus::good);
  }
  rows = rows_of(name);
  REQUIRE(rows.size() == 6);
  CHECK(rows[5]["implementation"] == "all");
  CHECK(rows[5]["reason"] == "no memory after all");

  // The first case is measured, the second has one that fails when it is timed.
  operation.make = [](const bench::Request& request) {
    bench::Case good;
    good.bytes = 80;
    good.start = [] {};
    good.stop = [] { return 2e-9; };
    good.contenders.push_back({"a", bench::Role::peer, {}, {}, [] {}, [] { return std::string{}; }, {}});
    bench::Case bad = good;
    bad.contenders.push_back({"f",
                              bench::Role::peer,
                              {},
                              {},
                              [] { throw std::runtime_error("device lost"); },
                              good.contenders[0].check,
                              {}});
    CHECK(request.taps == 5);
    return std::vector<bench::Case>{good, bad, good};
  };
  {
    bench::RowFile file(name);
    CHECK_THROWS_MATCHES(bench::run_bench(options, {operation}, session, &file), Failure,
                         Catch::Matchers::Message("filter float32 10 5 taps  f failed: device lost"));
  }
  rows = rows_of(name);
  REQUIRE(rows.size() == 7);
  CHECK(rows[6]["implementation"] == "a");
  CHECK(rows[6]["status"] == "measured");
}

}  // namespace tessera::apps::test

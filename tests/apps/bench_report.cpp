// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/bench_report.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>

#include "apps/driver_support.hpp"

namespace tessera::apps::test {
namespace {

nlohmann::json row(std::uint64_t size, const std::string& implementation, const std::string& role, double rate,
                   const std::string& status = "measured") {
  nlohmann::json record = {{"schema", "tessera-bench/1"},
                           {"op", "reduce"},
                           {"type", "float32"},
                           {"size", size},
                           {"shape", {size}},
                           {"taps", nullptr},
                           {"implementation", implementation},
                           {"role", role},
                           {"status", status},
                           {"gb_per_s", {{"median", rate}, {"best", rate}}},
                           {"fraction_of_ceiling", rate / 1000},
                           {"ceiling", nullptr},
                           {"kokkos", {{"version", "4.5.1"}, {"backend", "Cuda"}, {"device", "a card"}}}};
  if (status != "measured") record["gb_per_s"] = nullptr;
  return record;
}

void write_rows(const std::string& file, const std::vector<nlohmann::json>& rows) {
  std::ofstream out(file);
  for (const auto& record : rows) out << record << '\n';
}

}  // namespace

TEST_CASE("tessera-bench report: a line for each size, a group for each implementation, the last row counts") {
  const Folder folder;
  write_rows(folder / "a.jsonl",
             {row(4096, "tessera", "tessera", 100), row(4096, "one", "peer", 200), row(4096, "two", "peer", 400),
              row(512, "tessera", "tessera", 30), row(512, "one", "peer", 0, "wrong"),
              row(512, "two", "peer", 0, "skipped"), row(512, "all", "peer", 0, "skipped")});
  write_rows(folder / "b.jsonl", {row(4096, "tessera", "tessera", 800)});
  const auto end = run_program(TESSERA_BENCH, {"report", folder / "a.jsonl", folder / "b.jsonl"});
  CHECK(end.status == 0);
  CHECK(end.err.empty());
  CHECK(end.out ==
        "reduce float32 on a card (Cuda, Kokkos 4.5.1)\n"
        "                      tessera                      one                      two\n"
        "size       GB/s   ceil   peer       GB/s   ceil   peer       GB/s   ceil   peer\n"
        " 512       30.0   0.03      -      WRONG      -      -          -      -      -\n"
        "4096      800.0   0.80   2.00      200.0   0.20   0.50      400.0   0.40   2.00\n"
        "tessera: worst 0.03 of the ceiling at 512, best 0.80 at 4096\n"
        "\n"
        "GB/s: median, compulsory bytes. ceil: share of the copy or read ceiling of the same size in the same run. "
        "peer: ratio to the best other peer.\n");
}

TEST_CASE("tessera-bench report: many implementations go down, sizes across; the worst and the best shape are named") {
  const Folder folder;
  std::vector<nlohmann::json> rows;
  for (int team = 1; team <= 9; ++team) {
    const std::string name = "tessera, team " + std::to_string(team);
    rows.push_back(row(512, name, "tessera", 10 * team));
    rows.push_back(row(4096, name, "tessera", 100 * team));
  }
  write_rows(folder / "rows.jsonl", rows);
  const auto end = run_program(TESSERA_BENCH, {"report", folder / "rows.jsonl"});
  CHECK(end.status == 0);
  CHECK(
      end.out.starts_with("reduce float32 on a card (Cuda, Kokkos 4.5.1)\n"
                          "                                     512                     4096\n"
                          "                      GB/s   ceil   peer       GB/s   ceil   peer\n"
                          "tessera, team 1       10.0   0.01      -      100.0   0.10      -\n"));
  CHECK(end.out.find("\ntessera, team 9: worst 0.09 of the ceiling at 512, best 0.90 at 4096\n") != std::string::npos);
}

TEST_CASE("tessera-bench report: runs with other numbers of threads have tables of their own") {
  const Folder folder;
  auto two = row(512, "tessera", "tessera", 10), four = row(512, "tessera", "tessera", 20);
  two["kokkos"] = {{"version", "4.5.1"}, {"backend", "OpenMP"}, {"device", "a host"}, {"concurrency", 2}};
  four["kokkos"] = two["kokkos"];
  four["kokkos"]["concurrency"] = 4;
  write_rows(folder / "rows.jsonl", {two, four});
  const auto end = run_program(TESSERA_BENCH, {"report", folder / "rows.jsonl"});
  CHECK(end.out.find("reduce float32 on a host (OpenMP 2 threads, Kokkos 4.5.1)\n") != std::string::npos);
  CHECK(end.out.find("reduce float32 on a host (OpenMP 4 threads, Kokkos 4.5.1)\n") != std::string::npos);
}

TEST_CASE("tessera-bench report: a CSV file has a line for each row, quoted where it must be") {
  const Folder folder;
  auto first = row(512, "tessera, team 2", "tessera", 30);
  first["plan"] = {{"team_size", 2}};
  first["cold"] = {{"gb_per_s", {{"median", 7}}}};
  write_rows(folder / "rows.jsonl", {first, row(512, "one", "peer", 60), row(512, "two", "peer", 0, "wrong")});
  CHECK(run_program(TESSERA_BENCH, {"report", folder / "rows.jsonl", "--csv", folder / "rows.csv"}).status == 0);
  std::ifstream lines(folder / "rows.csv");
  std::vector<std::string> texts;
  for (std::string line; std::getline(lines, line);) texts.push_back(line);
  REQUIRE(texts.size() == 4);
  CHECK(texts[0].starts_with("device,backend,concurrency,"));
  CHECK(texts[1] ==
        "a card,Cuda,,4.5.1,,,,reduce,float32,,512,\"tessera, team 2\",tessera,,,,2,measured,,,,,,,,,30.0,7,0.03,,512,"
        "0.5");
  CHECK(texts[3].ends_with(",512,"));
  CHECK(texts[3].find(",wrong,") != std::string::npos);
  CHECK(refusal_line(run_program(TESSERA_BENCH, {"report", folder / "rows.jsonl", "--csv", folder / "no/rows.csv"}), 2,
                     "tessera-bench") ==
        "--csv " + folder / "no/rows.csv" + ": folder " + folder / "no" + ": No such file or directory");
  CHECK(refusal_line(run_program(TESSERA_BENCH, {"report", folder / "rows.jsonl", "--plot", folder.path()}), 2,
                     "tessera-bench") == "--plot " + folder.path() + ": is a folder");
}

TEST_CASE("tessera-bench report: peers that do something else are not compared") {
  const Folder folder;
  std::vector<nlohmann::json> rows{row(512, "tessera min", "tessera", 100), row(512, "tessera mean", "tessera", 100),
                                   row(512, "by hand, min", "peer", 50), row(512, "by hand, mean", "peer", 400)};
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i]["task"] = i % 2 == 0 ? "min" : "mean";
  rows.push_back(row(512, "tessera median", "tessera", 10));
  rows.back()["task"] = "median";
  write_rows(folder / "rows.jsonl", rows);
  const auto end = run_program(TESSERA_BENCH, {"report", folder / "rows.jsonl", "--markdown=-", "--ratios"});
  CHECK(end.status == 0);
  CHECK(end.out.find("| tessera min | 512 | 0.10 | by hand, min | 2.00 |\n") != std::string::npos);
  CHECK(end.out.find("| tessera mean | 512 | 0.10 | by hand, mean | 0.25 |\n") != std::string::npos);
  CHECK(end.out.find("| tessera median | 512 | 0.01 | - | - |\n") != std::string::npos);
}

TEST_CASE("tessera-bench report: tasks of one implementation stand apart") {
  const Folder folder;
  std::vector<nlohmann::json> rows{row(512, "tessera", "tessera", 100), row(512, "by hand", "peer", 50),
                                   row(512, "tessera", "tessera", 300), row(512, "by hand", "peer", 100)};
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i]["task"] = i < 2 ? "sum" : "mean";
  write_rows(folder / "rows.jsonl", rows);
  const auto end = run_program(TESSERA_BENCH, {"report", folder / "rows.jsonl", "--markdown=-", "--ratios"});
  CHECK(end.status == 0);
  CHECK(end.out.find("| tessera, sum | 512 | 0.10 | by hand, sum | 2.00 |\n") != std::string::npos);
  CHECK(end.out.find("| tessera, mean | 512 | 0.30 | by hand, mean | 3.00 |\n") != std::string::npos);
}

TEST_CASE("tessera-bench report: Markdown says what ran where, and has Tessera's rows beside their best peers") {
  const Folder folder;
  auto first = row(std::uint64_t{1} << 24, "tessera exact", "tessera", 800);
  first["time"] = "2026-11-23T12:00:00Z";
  first["git"] = "0123abc";
  first["machine"] = {{"gpu", {{"driver", "580.95.05"}}}};
  first["command"] = {"/some/bin/tessera-bench", "run", "a.json"};
  auto second = first;
  second["implementation"] = "tessera fast";
  second["gb_per_s"]["median"] = 87.654;
  second["time"] = "2026-11-24T00:00:00Z";
  second["command"][2] = "b.json";
  write_rows(folder / "rows.jsonl",
             {first, row(std::uint64_t{1} << 24, "one", "peer", 400), row(std::uint64_t{1} << 24, "two", "peer", 500),
              second, row(3000, "tessera exact", "tessera", 0, "wrong"), row(3000, "one", "peer", 100),
              row(4000, "tessera exact", "tessera", 0, "skipped"), row(5000, "tessera fast", "tessera", 50)});
  const std::string provenance =
      "a card (Cuda, Kokkos 4.5.1), driver 580.95.05, 2026-11-23, 2026-11-24, at 0123abc: `tessera-bench run a.json`, "
      "`tessera-bench run b.json`\n\n";
  const std::string whole = provenance +
                            "| operation | by | size | GB/s | of ceiling | best peer | GB/s | ratio |\n"
                            "|---|---|---|---:|---:|---|---:|---:|\n"
                            "| reduce float32 | tessera exact | 3000 | WRONG | - | one | 100 | - |\n"
                            "| reduce float32 | tessera exact | 2^24 | 800 | 0.80 | two | 500 | 1.60 |\n"
                            "| reduce float32 | tessera fast | 5000 | 50 | 0.05 | - | - | - |\n"
                            "| reduce float32 | tessera fast | 2^24 | 87.7 | 0.80 | two | 500 | 0.18 |\n";
  const std::string rows = folder / "rows.jsonl", target = folder / "rows.md";
  const auto alone = run_program(TESSERA_BENCH, {"report", rows, "--markdown=-"});
  CHECK(alone.status == 0);
  CHECK(alone.out == whole);
  CHECK(run_program(TESSERA_BENCH, {"report", rows, "--markdown", target}).out.starts_with("reduce float32 on a card"));
  std::ifstream stream(target);
  CHECK(std::string(std::istreambuf_iterator<char>(stream), {}) == whole);
  CHECK(run_program(TESSERA_BENCH, {"report", rows, "--markdown=-", "--ratios"}).out ==
        provenance +
            "| operation | by | size | of ceiling | best peer | ratio |\n"
            "|---|---|---|---:|---|---:|\n"
            "| reduce float32 | tessera exact | 3000 | WRONG | one | - |\n"
            "| reduce float32 | tessera exact | 2^24 | 0.80 | two | 1.60 |\n"
            "| reduce float32 | tessera fast | 5000 | 0.05 | - | - |\n"
            "| reduce float32 | tessera fast | 2^24 | 0.80 | two | 0.18 |\n");
  CHECK(refusal_line(run_program(TESSERA_BENCH, {"report", rows, "--ratios"}), 2, "tessera-bench") ==
        "--ratios is about --markdown, which is not given");
  CHECK(refusal_line(run_program(TESSERA_BENCH, {"report", rows, "--markdown", folder / "no/rows.md"}), 2,
                     "tessera-bench") ==
        "--markdown " + folder / "no/rows.md" + ": folder " + folder / "no" + ": No such file or directory");
}

TEST_CASE("tessera-bench report: of many shapes Markdown names the worst, the median and the best") {
  const Folder folder;
  std::vector<nlohmann::json> rows;
  for (const int columns : {4, 9, 1, 7, 3, 8, 2, 6, 5}) {
    auto record = row(12 * columns, "tessera", "tessera", 100 * columns);
    record["shape"] = {12, columns};
    record["axis"] = 1;
    rows.push_back(record);
  }
  const auto lines_of = [&] {
    write_rows(folder / "rows.jsonl", rows);
    const auto out = run_program(TESSERA_BENCH, {"report", folder / "rows.jsonl", "--markdown=-"}).out;
    return out.substr(out.find("| reduce"));
  };
  CHECK(lines_of() ==
        "| reduce float32 | tessera | worst of 9 shapes: 12 x 1 axis 1 | 100 | 0.10 | - | - | - |\n"
        "| reduce float32 | tessera | median of 9 shapes: 12 x 5 axis 1 | 500 | 0.50 | - | - | - |\n"
        "| reduce float32 | tessera | best of 9 shapes: 12 x 9 axis 1 | 900 | 0.90 | - | - | - |\n");
  rows[1] = row(108, "tessera", "tessera", 0, "wrong");
  rows[1]["shape"] = {12, 9};
  CHECK(lines_of().find("worst of 9 shapes: 12 x 9 | WRONG | - |") != std::string::npos);
  rows.pop_back();
  CHECK(lines_of().starts_with("| reduce float32 | tessera | 12 x 1 axis 1 | 100 | 0.10 | - | - | - |\n"));
}

TEST_CASE("tessera-bench report: curves over sizes with the ceiling, bars for shapes, all inside the picture") {
  const Folder folder;
  std::vector<nlohmann::json> rows;
  for (const std::uint64_t size : {512, 4096, 32768, 262144}) {
    rows.push_back(row(size, "tessera <fast>", "tessera", 100));
    rows.push_back(row(size, "one", "peer", 50));
  }
  for (const char* implementation : {"naive", "wrong one"}) {
    auto bar = row(2100, implementation, "tessera", 40, implementation[0] == 'w' ? "wrong" : "measured");
    bar["op"] = "transpose";
    bar["shape"] = {60, 35};
    rows.push_back(bar);
  }
  write_rows(folder / "rows.jsonl", rows);
  CHECK(run_program(TESSERA_BENCH, {"report", folder / "rows.jsonl", "--plot", folder / "rows.svg"}).status == 0);
  std::ifstream stream(folder / "rows.svg");
  const std::string svg{std::istreambuf_iterator<char>(stream), {}};
  for (const char* part : {">reduce float32<", ">a card (Cuda, Kokkos 4.5.1)<", ">tessera &lt;fast&gt;<", ">elements<",
                           ">GB/s<", ">ceiling<", ">2^12<", ">transpose float32<", ">60x35<", ">40 (4 %)<", ">WRONG<",
                           "fill=\"white\"", "stroke-dasharray", "<path d=\"M"}) {
    CAPTURE(part);
    CHECK(svg.find(part) != std::string::npos);
  }
  double height = 0;
  REQUIRE(std::sscanf(svg.c_str() + svg.find("height=\""), "height=\"%lf", &height) == 1);
  for (auto at = svg.find(" y=\""); at != std::string::npos; at = svg.find(" y=\"", at + 1)) {
    const double y = std::stod(svg.substr(at + 4));
    CHECK(y > 0);
    CHECK(y < height);
  }
}

TEST_CASE("tessera-bench report: a line for each axis of a shape") {
  const Folder folder;
  auto rows = row(12, "tessera", "tessera", 100), columns = rows;
  rows["shape"] = columns["shape"] = {4, 3};
  rows["axis"] = 1;
  columns["axis"] = 0;
  columns["gb_per_s"]["median"] = 50;
  write_rows(folder / "rows.jsonl", {rows, columns});
  const auto end = run_program(TESSERA_BENCH, {"report", folder / "rows.jsonl"});
  CHECK(end.out.find("4x3 axis 0       50.0") != std::string::npos);
  CHECK(end.out.find("4x3 axis 1      100.0") != std::string::npos);
}

TEST_CASE("tessera-bench report: says where an H200's ceilings are too low for claims") {
  const Folder folder;
  const std::string file = folder / "rows.jsonl";
  const auto is_said = [&](const std::string& device, std::uint64_t bytes, double copy, double read) {
    auto record = row(1, "a", "peer", 1);
    record["kokkos"]["device"] = device;
    record["ceiling"] = {{"copy_gb_per_s", copy}, {"read_gb_per_s", read}, {"bytes", bytes}};
    write_rows(file, {record, row(2, "a", "peer", 1)});
    return run_program(TESSERA_BENCH, {"report", file}).out.find("no claim rests on these figures") !=
           std::string::npos;
  };
  const std::uint64_t gib = std::uint64_t{1} << 30;
  CHECK(is_said("NVIDIA H200", gib, 4199, 4600));
  CHECK(is_said("NVIDIA H200", gib, 4300, 4499));
  CHECK_FALSE(is_said("NVIDIA H200", gib, 4200, 4500));
  CHECK_FALSE(is_said("NVIDIA H200", gib / 2, 4000, 4000));
  CHECK_FALSE(is_said("NVIDIA A100", gib, 1400, 1500));
}

TEST_CASE("tessera-bench report: reads what run wrote") {
  const Folder folder;
  const std::string file = folder / "rows.jsonl";
  CHECK(run_program(TESSERA_BENCH, {"run", "--sizes=100", "--types=float", "--taps=3", "--repeat=1", "--space=serial",
                                    "--cold=0", "--out=" + file})
            .status == 0);
  const auto end = run_program(TESSERA_BENCH, {"report", file});
  CHECK(end.status == 0);
  for (const char* title :
       {"ceiling float32 on ", "reduce float32 on ", "filter float32, 3 taps on ", "transpose float32 on "}) {
    CAPTURE(title);
    CHECK(end.out.find(title) != std::string::npos);
  }
}

TEST_CASE("tessera-bench report: goes over none of its files, and sees a full disk") {
  const Folder folder;
  const std::string file = folder / "rows.jsonl", same = folder.path() + "/./rows.jsonl", other = folder / "rows.csv";
  write_rows(file, {row(1, "a", "peer", 1)});
  const std::string before = bytes_of_file(file);
  for (const char* option : {"--csv", "--markdown", "--plot"}) {
    CHECK(refusal_line(run_program(TESSERA_BENCH, {"report", file, option, same}), 2, "tessera-bench") ==
          std::string(option) + " " + same + ": is a file to report");
  }
  CHECK(refusal_line(run_program(TESSERA_BENCH, {"report", file, "--csv", other, "--markdown", other}), 2,
                     "tessera-bench") == "--markdown " + other + ": is the file of --csv");
  CHECK(bytes_of_file(file) == before);
  ProgramSetting setting;
  setting.out_file = "/dev/full";
  for (const auto& arguments :
       {std::vector<std::string>{"report", file}, {"report", file, "--markdown=-"}, {"--help"}}) {
    CHECK(refusal_line(run_program(TESSERA_BENCH, arguments, setting), 3, "tessera-bench") ==
          "standard output: cannot be written: No space left on device");
  }
}

TEST_CASE("tessera-bench report: names file and line of what is no record") {
  const Folder folder;
  const std::string file = folder / "rows.jsonl";
  const auto refused = [&] { return refusal_line(run_program(TESSERA_BENCH, {"report", file}), 2, "tessera-bench"); };
  CHECK(refused() == file + ": cannot be read: No such file or directory");
  write_rows(file, {row(1, "a", "peer", 1), row(2, "a", "peer", 1)});
  std::ofstream(file, std::ios::app) << "{\"schema\": \"tessera-bench/1\", \n";
  CHECK(refused() == file + ": line 3 is not a record of tessera-bench");
  auto other = row(1, "a", "peer", 1);
  other["schema"] = "tessera/1";
  write_rows(file, {other});
  CHECK(refused() == file + ": line 1 is not a record of tessera-bench");
  auto incomplete = row(1, "a", "peer", 1);
  incomplete.erase("role");
  write_rows(file, {row(1, "a", "peer", 1), incomplete});
  CHECK(refused() == file + ": line 2 is not a record of tessera-bench");
  write_rows(file, {});
  CHECK(refused() == file + ": holds no records");
  auto nameless = row(1, "a", "peer", 1);
  nameless["git"] = nullptr;
  write_rows(file, {nameless});
  CHECK(run_program(TESSERA_BENCH, {"report", file, "--markdown=-"}).status == 0);
  const auto folder_end = run_program(TESSERA_BENCH, {"report", folder.path()});
  CHECK(refusal_line(folder_end, 2, "tessera-bench") == folder.path() + ": cannot be read: Is a directory");
}

}  // namespace tessera::apps::test

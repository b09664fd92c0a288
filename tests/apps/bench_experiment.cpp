// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Experiments and shards.
#include "bench/experiment.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>

#include "apps/driver_support.hpp"
#include "bench/bench_list.hpp"

namespace tessera::apps::test {
namespace {

using nlohmann::json;

const json smallest = {{"schema", "tessera-experiment/1"},
                       {"parts", {{{"operations", {"reduce"}}, {"sizes", {1000}}, {"types", {"int32"}}}}}};

std::string written(const Folder& folder, const json& experiment) {
  const std::string file = folder / "experiment.json";
  std::ofstream(file) << experiment;
  return file;
}

std::vector<std::string> quick_run(const std::string& experiment, std::vector<std::string> more) {
  std::vector<std::string> arguments{"run", experiment, "--space=serial", "--repeat=1", "--warmup=0", "--cold=0"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// What must be the same wherever and in however many shards an experiment runs.
std::string identity_of(const json& row) {
  return json({row["op"], row["shape"], row["axis"], row["taps"], row["type"], row["implementation"], row["variant"],
               row["summation"], row["plan"], row["status"], row["result_bits"]})
      .dump();
}

const std::vector<bench::Operation>& some_operations() {
  static const std::vector<bench::Operation> operations{
      {"reduce", {NumberType::int32, NumberType::float32}, {"automatic", "two_stage"}, 1, {}, {}, true},
      {"filter", {NumberType::float32}, {"automatic", "direct"}, 2, {}, {3, 9}},
      {"axes", {NumberType::float32}, {"automatic"}, 2, {}, {}, true, 80},
      {"transpose", {NumberType::float32}, {"automatic"}, 2, {}}};
  return operations;
}

}  // namespace

TEST_CASE("tessera-bench: an experiment says what is measured and how, the command line how instead") {
  const Folder folder;
  json experiment = smallest;
  experiment["description"] = "sums";
  experiment["repeat"] = 3;
  experiment["parts"][0]["sizes"] = {1000, "2^4", "10x20"};
  experiment["parts"][0]["variants"] = {"two_stage", "single_pass"};
  experiment["parts"].push_back({{"operations", {"filter", "ceiling"}},
                                 {"sizes", {"500"}},
                                 {"types", {"double"}},
                                 {"taps", {5}},
                                 {"variants", {"all"}}});
  const std::string file = written(folder, experiment), out = folder / "rows.jsonl";
  const auto end =
      run_program(TESSERA_BENCH, {"run", file, "--space=serial", "--warmup=0", "--cold=0", "--out=" + out});
  INFO(end.out << end.err);
  CHECK(end.status == 0);
  std::map<std::string, int> counts;
  for (const auto& row : rows_of(out)) {
    if (row["role"] != "tessera") continue;
    if (row["status"] == "measured") CHECK(row["repeats"] == 3);
    ++counts[row["op"].get<std::string>() + ' ' + row["variant"].get<std::string>()];
  }
  CHECK(counts == std::map<std::string, int>{{"reduce two_stage", 3},
                                             {"reduce single_pass", 3},
                                             {"filter automatic", 1},
                                             {"filter direct", 1},
                                             {"filter juxtaposed", 1},
                                             {"filter overlapping", 1},
                                             {"filter vectorized", 1},
                                             {"filter register_blocked", 1}});
  const std::string again = folder / "again.jsonl";
  CHECK(run_program(TESSERA_BENCH, quick_run(file, {"--out=" + again})).status == 0);
  for (const auto& row : rows_of(again)) {
    if (row["op"] != "ceiling" && row["status"] == "measured") CHECK(row["repeats"] == 1);
  }
}

TEST_CASE("tessera-bench: team sizes and summations of an experiment are rows of one case, peers stand once") {
  const Folder folder;
  json experiment = smallest;
  experiment["parts"][0] = {{"operations", {"reduce"}},
                            {"sizes", {1000}},
                            {"types", {"float"}},
                            {"team_sizes", {1, 1000000}},
                            {"summations", {"fast"}}};
  const std::string out = folder / "rows.jsonl";
  const auto end = run_program(TESSERA_BENCH, quick_run(written(folder, experiment), {"--out=" + out}));
  INFO(end.out << end.err);
  CHECK(end.status == 0);
  const auto rows = rows_of(out);
  REQUIRE(rows.size() == 6);
  CHECK(rows[0]["implementation"] == "tessera automatic, team 1");
  CHECK(rows[0]["summation"] == "fast");
  CHECK(rows[0]["plan"]["team_size"] == 1);
  CHECK(rows[1]["implementation"] == "tessera automatic, team 1000000");
  CHECK(rows[1]["status"] == "skipped");
  for (std::size_t i = 2; i < 6; ++i) CHECK(rows[i]["role"] == "peer");
}

TEST_CASE("tessera-bench: an experiment that is none is refused by file and field") {
  const Folder folder;
  const auto refused = [&](const json& experiment) {
    const std::string file = written(folder, experiment);
    const auto line = refusal_line(run_program(TESSERA_BENCH, {"run", file}), 2, "tessera-bench");
    INFO(line);
    REQUIRE(line.starts_with(file + ": "));
    return line.substr(file.size() + 2);
  };
  const auto with = [](const json::json_pointer& where, const json& value) {
    json experiment = smallest;
    experiment[where] = value;
    return experiment;
  };
  CHECK(refused({1}) == "expected an object, not [1]");
  CHECK(refused(json::object()) == "schema is missing");
  CHECK(refused(with("/schema"_json_pointer, "tessera/1")) ==
        "schema: expected \"tessera-experiment/1\", not \"tessera/1\"");
  CHECK(refused(with("/repeats"_json_pointer, 3)) ==
        "unknown field `repeats`; did you mean `repeat`? The fields are schema, description, repeat, warmup, cold, "
        "time_limit_seconds, parts");
  CHECK(refused(with("/description"_json_pointer, 3)) == "description: expected a text, not 3");
  CHECK(refused(with("/repeat"_json_pointer, 0)) == "repeat: expected a whole number of at least 1, not 0");
  CHECK(refused(with("/repeat"_json_pointer, "3")) == "repeat: expected a whole number of at least 1, not \"3\"");
  CHECK(refused(with("/warmup"_json_pointer, 18446744073709551615u)) ==
        "warmup: expected a whole number of at least 0, not 18446744073709551615");
  CHECK(refused(with("/time_limit_seconds"_json_pointer, 0)) == "time_limit_seconds: expected a number above 0, not 0");
  CHECK(refused(with("/parts"_json_pointer, json::array())) == "parts: expected a list of parts, not []");
  CHECK(refused({{"schema", "tessera-experiment/1"}}) == "parts is missing");
  CHECK(refused(with("/parts/0"_json_pointer, "reduce")) == "parts[0]: expected an object, not \"reduce\"");
  CHECK(refused(with("/parts/0/type"_json_pointer, "float")) ==
        "parts[0]: unknown field `type`; did you mean `types`? The fields are operations, sizes, types, variants, "
        "summations, taps, team_sizes, league_size");
  CHECK(refused(with("/parts/0/operations"_json_pointer, "reduce")) ==
        "parts[0].operations: expected a list of operations, not \"reduce\"");
  CHECK(refused(with("/parts/0/operations/0"_json_pointer, 7)) ==
        "parts[0].operations[0]: expected one of operations, not 7");
  CHECK(refused(with("/parts/0/operations/0"_json_pointer, "redcue"))
            .starts_with("parts[0].operations: unknown name `redcue`; did you mean `reduce`?"));
  CHECK(refused(with("/parts/0/operations/1"_json_pointer, "reduce")) == "parts[0].operations: reduce is given twice");
  CHECK(refused({{"schema", "tessera-experiment/1"}, {"parts", {{{"operations", {"reduce"}}}}}}) ==
        "parts[0].sizes is missing");
  CHECK(refused(with("/parts/0/sizes/0"_json_pointer, -5)) ==
        "parts[0].sizes[0]: expected a count of elements, or a text such as \"2^24\" or \"4096x4096\", not -5");
  CHECK(refused(with("/parts/0/sizes/0"_json_pointer, "big")) ==
        "parts[0].sizes[0]: `big` is no size; write 1000000, 32e6, 2^24 or 4096x4096, up to 2^40 elements");
  CHECK(refused(with("/parts/0/types/0"_json_pointer, "uint16")).starts_with("parts[0].types: unknown name `uint16`"));
  CHECK(refused(with("/parts/0/types/1"_json_pointer, "int8")) == "parts[0].types: reduce is not measured in int8");
  CHECK(refused(with("/parts/0/variants"_json_pointer, {"padded"}))
            .starts_with("parts[0].variants: unknown name `padded`"));
  CHECK(refused(with("/parts/0/summations"_json_pointer, {"slow"})) ==
        "parts[0].summations: unknown name `slow`; did you mean `fast`? The names are exact, fast");
  CHECK(refused(with("/parts/0/taps"_json_pointer, {3})) == "parts[0].taps: none of reduce has taps");
  CHECK(refused(with("/parts/0/team_sizes"_json_pointer, {32, 1.5})) ==
        "parts[0].team_sizes[1]: expected a whole number of at least 1, not 1.5");
  CHECK(refused(with("/parts/0/team_sizes"_json_pointer, {32, 32})) == "parts[0].team_sizes: 32 is given twice");
  CHECK(refused(with("/parts/0/league_size"_json_pointer, nullptr)) ==
        "parts[0].league_size: expected a whole number of at least 1, not null");
  CHECK(refused(with("/parts/1"_json_pointer, smallest["parts"][0])) ==
        "parts[1] measures reduce int32 of 1000 elements again; merge the parts");
  auto squares = with("/parts/0/operations/0"_json_pointer, "squares");
  squares["parts"][0]["types"] = {"float"};
  squares["parts"][0]["summations"] = {"fast"};
  CHECK(refused(squares) == "parts[0].summations: none of squares has a summation");
}

TEST_CASE("tessera-bench: an experiment that cannot be read, or stands beside what it says, is refused") {
  const Folder folder;
  const std::string file = written(folder, smallest);
  const auto refused = [&](const std::vector<std::string>& arguments) {
    return refusal_line(run_program(TESSERA_BENCH, arguments), 2, "tessera-bench");
  };
  CHECK(refused({"run", folder / "none.json"}) == folder / "none.json" + ": cannot be read: No such file or directory");
  CHECK(refused({"run", folder.path()}) == folder.path() + ": cannot be read: Is a directory");
  for (const char* option : {"--op=reduce", "--sizes=3", "--types=float", "--variant=all", "--summation=fast",
                             "--taps=3", "--team-size=32", "--league-size=2"}) {
    const std::string name = std::string(option).substr(0, std::string(option).find('='));
    CHECK(refused({"run", file, option}) ==
          name + " stands beside the experiment " + file + ", which says what is measured; leave one of them out");
  }
  CHECK(refused({"run", file, "--out", file}) == "--out " + file + ": is the experiment");
  std::ofstream(file) << R"({"schema": "tessera-experiment/1", "time_limit_seconds": 1e999})";
  CHECK(refused({"run", file}).starts_with(file + ": number overflow"));
  std::ofstream(file) << "{\"schema\": ";
  CHECK(refused({"run", file}).starts_with(file + ": is not JSON: parse error at line 1, column 12"));
  std::ofstream(file) << R"({"schema": "tessera-experiment/1", "repeat": 1, "repeat": 2})";
  CHECK(refused({"run", file}) == file + ": the field `repeat` is given twice");
}

TEST_CASE("tessera-bench: the experiments of inputs/experiments are good, and their README names each") {
  const std::filesystem::path folder = std::filesystem::path(TESSERA_INPUTS) / "experiments";
  std::ifstream stream(folder / "README.md");
  const std::string readme{std::istreambuf_iterator<char>(stream), {}};
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    CAPTURE(entry.path());
    ++count;
    CHECK(readme.find("| " + entry.path().filename().string() + " |") != std::string::npos);
    // The last of so many shards has no cases.
    const auto end = run_program(TESSERA_BENCH, {"run", entry.path(), "--shard=99999/100000", "--space=serial"});
    CHECK(end.status == 0);
    CHECK(end.err == "tessera-bench: note: shard 99999/100000 has no cases\n");
  }
  CHECK(count == 12);
}

TEST_CASE("bench: shards share the list, each task once, in about equal parts") {
  bench::Part part;
  part.operations = {"reduce", "filter", "axes", "transpose", "ceiling"};
  part.sizes = {bench::parse_size("", "2^20"), bench::parse_size("", "2^24"), bench::parse_size("", "60x35")};
  const auto list = bench::bench_list({part}, some_operations());
  // Two types and three sizes of sums; two widths of filters; five types of ceilings.
  CHECK(list.size() == 2 * 3 + 2 * 3 + 3 + 3 + 5 * 3);
  const auto keys_of = [](const std::vector<bench::Task>& tasks) {
    std::vector<std::string> keys;
    for (const auto& task : tasks) {
      const auto& request = task.request;
      keys.push_back((task.operation == nullptr ? "ceiling" : task.operation->name) + ' ' + to_string(request.type) +
                     ' ' + std::to_string(request.rows) + 'x' + std::to_string(request.columns) + ' ' +
                     std::to_string(request.taps));
    }
    return keys;
  };
  auto expected = keys_of(list);
  std::sort(expected.begin(), expected.end());
  for (const int count : {1, 2, 3, 7, 100}) {
    CAPTURE(count);
    std::vector<std::string> found;
    for (int index = 0; index < count; ++index) {
      const auto keys = keys_of(bench::shard_of(list, {index, count}));
      if (count == 3) CHECK(keys.size() >= 1);
      found.insert(found.end(), keys.begin(), keys.end());
    }
    std::sort(found.begin(), found.end());
    CHECK(found == expected);
  }
  // The 80 cases of the long axes outweigh all else.
  CHECK(keys_of(bench::shard_of(list, {0, 3})) == std::vector<std::string>{"axes float32 1x16777216 0"});
  CHECK(keys_of(bench::shard_of(list, {0, 1})) == keys_of(list));
}

TEST_CASE("tessera-bench: the shards' rows are those of the whole run, with the same bits") {
  const Folder folder;
  json experiment = smallest;
  experiment["parts"] = {
      {{"operations", {"reduce", "dot", "spread", "min", "argmin", "stats"}}, {"sizes", {1000, 4097}}},
      {{"operations", {"filter", "window"}}, {"sizes", {1000}}, {"variants", {"all"}}},
      {{"operations", {"axes", "lines", "short_integers", "steps", "squares", "dispatch", "integer"}},
       {"sizes", {2000}}},
      {{"operations", {"transpose", "permute"}}, {"sizes", {"33x65"}}, {"team_sizes", {1, 2}}}};
  const std::string file = written(folder, experiment), whole = folder / "whole.jsonl";
  const auto end = run_program(TESSERA_BENCH, quick_run(file, {"--out=" + whole}));
  INFO(end.out << end.err);
  REQUIRE(end.status == 0);
  std::vector<std::string> expected, found;
  for (const auto& row : rows_of(whole)) expected.push_back(identity_of(row));
  for (int index = 0; index < 3; ++index) {
    const std::string share = std::to_string(index) + "/3", out = folder / ("rows" + std::to_string(index) + ".jsonl");
    REQUIRE(run_program(TESSERA_BENCH, quick_run(file, {"--shard=" + share, "--out=" + out})).status == 0);
    const auto rows = rows_of(out);
    CHECK(rows.size() > 20);
    for (const auto& row : rows) {
      CHECK(row["shard"] == json({{"index", index}, {"count", 3}}));
      found.push_back(identity_of(row));
    }
  }
  std::sort(expected.begin(), expected.end());
  CHECK(std::adjacent_find(expected.begin(), expected.end()) == expected.end());
  std::sort(found.begin(), found.end());
  CHECK(found == expected);
}

TEST_CASE("tessera-bench: a run that is ended leaves the file as it was") {
  const Folder folder;
  const std::string out = folder / "rows.jsonl";
  ProgramSetting soon;
  soon.terminate_after = std::chrono::milliseconds(700);
  const std::vector<std::string> arguments{"run",           "--op=axes,permute", "--sizes=2^22", "--space=serial",
                                           "--repeat=1000", "--out=" + out};
  CHECK(run_program(TESSERA_BENCH, arguments, soon).signal == 15);
  CHECK(std::filesystem::is_empty(folder.path()));
  std::ofstream(out) << "{}\n";
  CHECK(run_program(TESSERA_BENCH, arguments, soon).signal == 15);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  CHECK(rows_of(out) == std::vector<json>{json::object()});
}

TEST_CASE("tessera-bench: a shard without cases writes an empty file, which a report takes beside others") {
  const Folder folder;
  const std::string file = written(folder, smallest), out = folder / "rows.jsonl", none = folder / "none.jsonl";
  REQUIRE(run_program(TESSERA_BENCH, quick_run(file, {"--shard=0/2", "--out=" + out})).status == 0);
  const auto end = run_program(TESSERA_BENCH, quick_run(file, {"--shard=1/2", "--out=" + none}));
  CHECK(end.status == 0);
  CHECK(end.err == "tessera-bench: note: shard 1/2 has no cases\n");
  CHECK(rows_of(none).empty());
  CHECK(std::filesystem::exists(none));
  CHECK(run_program(TESSERA_BENCH, {"report", none, out}).status == 0);
}

}  // namespace tessera::apps::test

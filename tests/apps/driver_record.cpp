// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/record.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "apps/io_support.hpp"
#include "common/report.hpp"
#include "common/slurm.hpp"
#include "common/temporary_file.hpp"

namespace tessera::apps::test {
namespace {

Result floating(const std::string& op, double value) {
  return {op, NumberType::float64, std::vector<double>{value}, {}, {}, false, {}};
}

Result whole(const std::string& op, std::int64_t value) {
  return {op, NumberType::int64, std::vector<std::int64_t>{value}, {}, {}, false, {}};
}

Record example() {
  Record record;
  record.app = "tessera-reduce";
  record.command = {"tessera-reduce", "in.h5:/x"};
  record.time = std::chrono::system_clock::time_point(std::chrono::seconds(1700000000));
  record.kokkos = {"4.5.1", "Serial", "a processor", 1, {}};
  record.input = {"in.h5", "/x", "[0:4]", {4}, {9}, "float64", "chunked", {3}, {"shuffle", "deflate"}, 8};
  record.input_bytes = 32;
  Measurement run;
  run.operation = "sum";
  run.variant = "single_pass";
  run.summation = "fast";
  run.plan = {{"league_size", 2}, {"team_size", 3}};
  run.seconds = {4e-6, 1e-6, 2e-6, 1e-6};
  run.bytes = 3000;
  run.verification = {"serial sum", true, 0.5, 0.25, 4, 0, ""};
  record.runs = {run};
  record.ceiling = Ceiling{8.0, 4.0, 4096};
  record.read = {2e-3, 32};
  record.results = {floating("sum", -0.1), whole("min", -9007199254740993)};
  record.seconds_total = 1.5;
  return record;
}

template <class T>
T parsed(const nlohmann::ordered_json& json) {
  return nlohmann::json::parse(json.dump()).get<T>();
}

/// A variable of the environment for as long as the object lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : m_name(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(m_name); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* m_name;
};

}  // namespace

TEST_CASE("statistics of times") {
  const TimeStatistics four = statistics_of({4, 1, 2, 1});
  CHECK(four.min == 1);
  CHECK(four.median == 1.5);
  CHECK(four.mean == 2);
  CHECK(four.max == 4);
  CHECK(std::abs(four.stddev - std::sqrt(2.0)) < 1e-15);  // squares 4 + 1 + 0 + 1, over n - 1
  const TimeStatistics one = statistics_of({3});
  CHECK(one.median == 3);
  CHECK(one.stddev == 0);
}

TEST_CASE("the record has every field, in its place") {
  const auto json = to_json(example());
  std::vector<std::string> fields;
  for (const auto& [name, value] : json.items()) fields.push_back(name);
  CHECK(fields == std::vector<std::string>{"schema", "app", "version", "git", "command", "host", "time", "slurm",
                                           "kokkos", "input", "runs", "ceiling", "io", "seconds_total", "results"});
  CHECK(json["schema"] == "tessera/1");
  CHECK(json["time"] == "2023-11-14T22:13:20Z");
  CHECK(json["command"].size() == 2);
  CHECK(json["kokkos"] ==
        nlohmann::ordered_json::parse(
            R"({"version": "4.5.1", "backend": "Serial", "device": "a processor", "concurrency": 1})"));
  CHECK(json["input"] ==
        nlohmann::ordered_json::parse(R"({"file": "in.h5", "dataset": "/x", "selection": "[0:4]", "shape": [4],
          "dtype": "float64", "layout": "chunked", "chunks": [3], "filters": ["shuffle", "deflate"], "bytes": 32})"));
  const auto& run = json["runs"][0];
  CHECK(run["repeats"] == 4);
  CHECK(run["plan"] == nlohmann::ordered_json::parse(R"({"league_size": 2, "team_size": 3})"));
  CHECK(run["seconds"]["median"] == 1.5e-6);
  CHECK(run["bytes"] == 3000);
  CHECK(std::abs(run["gb_per_s"]["median"].get<double>() - 2.0) < 1e-12);
  CHECK(std::abs(run["gb_per_s"]["best"].get<double>() - 3.0) < 1e-12);
  CHECK(std::abs(run["fraction_of_ceiling"].get<double>() - 0.5) < 1e-12);  // 2 of 4 GB/s: reductions only read
  CHECK(run["verification"] ==
        nlohmann::ordered_json::parse(
            R"({"method": "serial sum", "passed": true, "max_abs_error": 0.5, "max_rel_error": 0.25})"));
  CHECK(json["ceiling"]["bytes"] == 4096);
  CHECK(json["io"]["read_seconds"] == 2e-3);
  CHECK(json["io"]["decode_seconds"].is_null());
  CHECK(json["io"]["write_seconds"].is_null());
}

TEST_CASE("what does not apply is null") {
  Record record = example();
  record.ceiling.reset();
  record.input.selection.clear();
  record.input.chunks.clear();
  record.runs[0].summation = "none";
  record.runs[0].verification = {};
  const auto json = to_json(record);
  CHECK(json["ceiling"].is_null());
  CHECK(json["input"]["selection"].is_null());
  CHECK(json["input"]["chunks"].is_null());
  CHECK(json["runs"][0]["summation"].is_null());
  CHECK(json["runs"][0]["fraction_of_ceiling"].is_null());
  CHECK(json["runs"][0]["verification"]["method"] == "none");
  CHECK(json["runs"][0]["verification"]["passed"].is_null());
  record.runs[0].bounded_by_copy = true;
  record.ceiling = Ceiling{8.0, 4.0, 4096};
  CHECK(std::abs(to_json(record)["runs"][0]["fraction_of_ceiling"].get<double>() - 0.25) < 1e-12);
}

TEST_CASE("results read back to the same bits") {
  Record record = example();
  for (const double value : {-0.1, 1.0 / 3.0, -0.0, 5e-324, 1.7976931348623157e308, 9007199254740993.0}) {
    record.results = {floating("sum", value)};
    const auto json = to_json(record)["results"][0];
    INFO(json.dump());
    const double read = parsed<double>(json["value"]);
    CHECK(std::bit_cast<std::uint64_t>(read) == std::bit_cast<std::uint64_t>(value));
    const auto bits = std::stoull(json["bits"].get<std::string>(), nullptr, 16);
    CHECK(bits == std::bit_cast<std::uint64_t>(value));
    CHECK(json["bits"].get<std::string>().size() == 16);
  }
  record.results = {floating("sum", std::numeric_limits<double>::quiet_NaN()),
                    floating("min", -std::numeric_limits<double>::infinity()),
                    {"max", NumberType::uint64, std::vector<std::uint64_t>{~std::uint64_t{0}}, {}, {}, false, {}},
                    whole("min", -9007199254740993)};
  const auto json = to_json(record)["results"];
  CHECK(json[0]["value"] == "nan");
  CHECK(json[0]["bits"] == "7ff8000000000000");
  CHECK(json[1]["value"] == "-inf");
  CHECK(json[1]["bits"] == "fff0000000000000");
  CHECK(parsed<std::uint64_t>(json[2]["value"]) == std::numeric_limits<std::uint64_t>::max());
  CHECK(parsed<std::int64_t>(json[3]["value"]) == -9007199254740993);
  CHECK_FALSE(json[2].contains("bits"));
  CHECK(json[3]["type"] == "int64");
}

TEST_CASE("results have indices, pairs, truth, shapes and gaps") {
  const auto parsed_json = [](const char* text) { return nlohmann::ordered_json::parse(text); };
  Result last{"argmax_last", NumberType::int16, std::vector<std::int64_t>{-3}, {7}, {}, false, {}};
  CHECK(to_json(last) == parsed_json(R"({"op": "argmax_last", "type": "int16", "value": -3, "index": 7})"));
  CHECK(to_text(last) == "-3 at 7 (int16)");
  last.undefined = {1};
  CHECK(to_json(last) == parsed_json(R"({"op": "argmax_last", "type": "int16", "value": null, "index": null})"));
  CHECK(to_text(last) == "undefined (int16)");

  Result pair{"minmax", NumberType::float64, std::vector<double>{-0.0, 2}, {}, {}, true, {}};
  CHECK(to_json(pair) == parsed_json(R"({"op": "minmax", "type": "float64", "value": [-0.0, 2.0],
                                         "bits": ["8000000000000000", "4000000000000000"]})"));
  CHECK(to_text(pair) == "[-0, 2] (float64)");
  pair.values = std::vector<double>{1, 2, 3, std::numeric_limits<double>::infinity()};
  pair.shape = Shape{2, 1, 2};
  CHECK(to_json(pair) ==
        parsed_json(R"({"op": "minmax", "type": "float64", "shape": [2, 1, 2], "value": [[[1.0, 2.0]], [[3.0, "inf"]]],
          "bits": [[["3ff0000000000000", "4000000000000000"]], [["4008000000000000", "7ff0000000000000"]]]})"));
  CHECK(to_text(pair) == "[1, 2, 3, inf] (float64 (2, 1, 2))");
  pair.undefined = {0, 1};
  CHECK(to_json(pair)["value"] == parsed_json("[[[1.0, 2.0]], [[null, null]]]"));

  const Result any{"any", NumberType::boolean, std::vector<std::uint64_t>{1, 0}, {}, {}, false, Shape{2}};
  CHECK(to_json(any) == parsed_json(R"({"op": "any", "type": "bool", "shape": [2], "value": [true, false]})"));
  CHECK(to_text(any) == "[true, false] (bool (2,))");

  Result sums{"sum", NumberType::complex128, std::vector<double>{1.5, -INFINITY}, {}, {}, false, {}};
  CHECK(to_json(sums) == nlohmann::ordered_json::parse(R"({"op": "sum", "type": "complex128", "value": [1.5, "-inf"],
                                                   "bits": ["3ff8000000000000", "fff0000000000000"]})"));
  CHECK(to_text(sums) == "(1.5, -inf) (complex128)");
  sums.values = std::vector<double>{1, 2, 3, -0.0};
  sums.shape = Shape{2};
  sums.undefined = {0, 1};
  CHECK(to_json(sums)["value"] == nlohmann::ordered_json::parse("[[1.0, 2.0], null]"));
  CHECK(to_json(sums)["shape"] == Shape{2});
  CHECK(to_text(sums) == "[(1, 2), undefined] (complex128 (2,))");

  Result scalar = floating("sum", 1.5);
  scalar.undefined = {1};
  CHECK(to_json(scalar) == parsed_json(R"({"op": "sum", "type": "float64", "value": null})"));
  scalar.undefined.clear();
  scalar.shape = Shape{};  // all axes were named
  CHECK(to_json(scalar) == parsed_json(R"({"op": "sum", "type": "float64", "shape": [], "value": 1.5,
                                           "bits": "3ff8000000000000"})"));
}

TEST_CASE("arrays of more than 65536 results are not in the record") {
  Result many{"max", NumberType::int32, std::vector<std::int64_t>(65536, 1), {}, {}, false, Shape{256, 256}};
  CHECK(to_json(many)["value"].size() == 256);
  CHECK(to_json(many)["value"][255].size() == 256);
  many.values = std::vector<std::int64_t>(65537, 1);
  many.shape = Shape{65537};
  CHECK(to_json(many)["value"].is_null());
  CHECK(to_json(many)["shape"][0] == 65537);
  CHECK(to_text(many) == "[1, 1, 1, 1, 1, 1, ..] (int32 (65537,))");
}

TEST_CASE("results are encoded in the type they are written in") {
  const auto encode = [](const Numbers& values, NumberType type, auto zero) {
    const std::vector<std::byte> bytes = encoded(values, type);
    std::vector<decltype(zero)> elements(bytes.size() / sizeof(zero));
    std::memcpy(elements.data(), bytes.data(), bytes.size());
    return elements;
  };
  const Numbers floats = std::vector<double>{2.5, 3.5, -1e300, 1e300, std::nan("")};
  CHECK(encode(floats, NumberType::int16, std::int16_t{}) == std::vector<std::int16_t>{2, 4, -32768, 32767, 0});
  CHECK(encode(floats, NumberType::uint64, std::uint64_t{}) ==
        std::vector<std::uint64_t>{2, 4, 0, ~std::uint64_t{0}, 0});
  CHECK(encode(std::vector<double>{1 + 0x1p-24 + 0x1p-50}, NumberType::float32, float{}) ==
        std::vector<float>{1 + 0x1p-23F});
  CHECK(encode(std::vector<std::int64_t>{-1, 300}, NumberType::uint8, std::uint8_t{}) ==
        std::vector<std::uint8_t>{0, 255});
  CHECK(encode(std::vector<std::uint64_t>{~std::uint64_t{0}}, NumberType::int64, std::int64_t{}) ==
        std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max()});
  CHECK(encode(std::vector<std::int64_t>{(std::int64_t{1} << 53) + 1}, NumberType::float64, double{}) ==
        std::vector<double>{0x1p53});
  CHECK(output_type_names().size() == 10);
  CHECK(number_type_named("uint16") == NumberType::uint16);
  CHECK_FALSE(number_type_named("float16"));
}

TEST_CASE("complex results are encoded by part") {
  const std::vector<double> parts{1 + 0x1p-40, -2.5};
  const std::vector<std::byte> wide = encoded(parts, NumberType::complex128);
  REQUIRE(wide.size() == 16);
  CHECK(std::memcmp(wide.data(), parts.data(), 16) == 0);
  const std::vector<std::byte> narrow = encoded(parts, NumberType::complex64);
  const float rounded[2] = {1, -2.5F};
  REQUIRE(narrow.size() == 8);
  CHECK(std::memcmp(narrow.data(), rounded, 8) == 0);
  CHECK(size_of(NumberType::complex64) == 8);
  CHECK(to_string(NumberType::complex128) == "complex128");
  CHECK(output_type_names().back() == "float64");
}

TEST_CASE("the Slurm job is in the record") {
  CHECK(slurm_record().is_null());
  const Variable job("SLURM_JOB_ID", "4711");
  CHECK(slurm_record() == nlohmann::ordered_json::parse(R"({"job_id": 4711, "array_job_id": null, "array_task_id": null,
          "restart_count": 0, "nodelist": null, "partition": null, "ntasks": null, "cpus_per_task": null, "gpus": null,
          "cluster": null})"));
  const Variable array("SLURM_ARRAY_JOB_ID", "4704");
  const Variable task("SLURM_ARRAY_TASK_ID", "7");
  const Variable restarts("SLURM_RESTART_COUNT", "2");
  const Variable nodes("SLURM_JOB_NODELIST", "node[03-04]");
  const Variable partition("SLURM_JOB_PARTITION", "2024");
  const Variable tasks("SLURM_NTASKS", "1");
  const Variable cpus("SLURM_CPUS_PER_TASK", "16");
  const Variable gpus("SLURM_GPUS_ON_NODE", "h200:2");
  const Variable cluster("SLURM_CLUSTER_NAME", "north");
  CHECK(slurm_record() == nlohmann::ordered_json::parse(R"({"job_id": 4711, "array_job_id": 4704, "array_task_id": 7,
          "restart_count": 2, "nodelist": "node[03-04]", "partition": "2024", "ntasks": 1, "cpus_per_task": 16,
          "gpus": "h200:2", "cluster": "north"})"));
}

TEST_CASE("a JSON file is replaced as a whole and keeps its mode") {
  const Folder folder;
  const std::string file = folder / "record.json";
  write_whole(file, json_text(to_json(example())));
  CHECK(nlohmann::json::parse(bytes_of_file(file))["app"] == "tessera-reduce");
  REQUIRE(chmod(file.c_str(), 0640) == 0);
  Record other = example();
  other.app = "tessera-filter";
  other.input.dataset = "/caf\xe9";  // a name that is no UTF-8
  write_whole(file, json_text(to_json(other)));
  CHECK(nlohmann::json::parse(bytes_of_file(file))["app"] == "tessera-filter");
  struct stat status {};
  REQUIRE(stat(file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
  CHECK(folder.names() == std::vector<std::string>{"record.json"});

  REQUIRE(symlink((folder / "later.json").c_str(), (folder / "link.json").c_str()) == 0);
  write_whole(folder / "link.json", json_text(to_json(other)));
  CHECK(folder.names() == std::vector<std::string>{"later.json", "link.json", "record.json"});
  CHECK(bytes_of_file(folder / "link.json") == bytes_of_file(folder / "later.json"));
}

TEST_CASE("while a record is written no other file is touched") {
  const Folder folder;
  const std::string file = folder / "record.json", other = file + "." + std::to_string(getpid());
  write_file(other, "precious");
  write_whole(file, json_text(to_json(example())));
  CHECK(bytes_of_file(other) == "precious");
  const std::string name = temporary_name(file);
  CHECK(name.starts_with(folder / ".record.json.tessera-tmp-"));
  CHECK(name != temporary_name(file));
}

TEST_CASE("a row does not go on in another's line") {
  const Folder folder;
  const std::string file = folder / "rows.csv";
  write_file(file, "a,b");
  append_csv(file, example());
  CHECK(bytes_of_file(file).starts_with("a,b\n20"));
}

TEST_CASE("a record that would be replaced needs a folder that can be written to") {
  const Folder folder;
  const std::string file = folder / "locked/r.json", link = folder / "link.json";
  REQUIRE(mkdir((folder / "locked").c_str(), 0755) == 0);
  write_file(file, "{}");
  REQUIRE(symlink(file.c_str(), link.c_str()) == 0);
  REQUIRE(chmod(file.c_str(), 0666) == 0);
  REQUIRE(chmod((folder / "locked").c_str(), 0555) == 0);
  const std::string why = ": folder " + folder / "locked" + ": Permission denied";
  CHECK(refusal_of_ordinary_user([&] { check_writable("--json", file); }) == "2 --json " + file + why);
  CHECK(refusal_of_ordinary_user([&] { check_writable("--json", link); }) == "2 --json " + link + why);
  CHECK(refusal_of_ordinary_user([&] { check_writable("--csv", file, Rewriting::appends); }).empty());
}

TEST_CASE("a file that cannot be written is refused before the work and after it") {
  const Folder folder;
  const std::string missing = folder / "missing";
  CHECK(bad_input([&] { check_writable("--json", missing + "/r.json"); }) ==
        "--json " + missing + "/r.json: folder " + missing + ": No such file or directory");
  CHECK(bad_input([&] { check_writable("--csv", folder.path()); }) == "--csv " + folder.path() + ": is a folder");
  CHECK(bad_input([&] { write_whole(missing + "/r.json", json_text(to_json(example()))); }) ==
        missing + "/r.json: cannot be written: No such file or directory");
  CHECK(bad_input([&] { append_csv(missing + "/r.csv", example()); }) ==
        missing + "/r.csv: cannot be written: No such file or directory");
  CHECK(no_resource([&] { write_whole("/dev/full", json_text(to_json(example()))); }) ==
        "/dev/full: cannot be written: No space left on device");
  CHECK(no_resource([&] { write_whole("/dev/full", "<svg/>"); }) ==
        "/dev/full: cannot be written: No space left on device");
  CHECK(no_resource([&] { append_csv("/dev/full", example()); }) ==
        "/dev/full: cannot be written: No space left on device");
}

TEST_CASE("CSV rows are appended behind one header") {
  const Folder folder;
  const std::string file = folder / "runs.csv";
  Record record = example();
  record.input.dataset = "/a \"quoted\", name";
  append_csv(file, record);
  append_csv(file, record);
  const std::string text = bytes_of_file(file);
  CHECK(text.starts_with("time,app,git,host,backend,file,dataset,dtype,shape,operation,"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
  CHECK(text.find("time,app", 1) == std::string::npos);
  CHECK(text.find(",\"/a \"\"quoted\"\", name\",float64,[4],sum,single_pass,fast,4,") != std::string::npos);
}

TEST_CASE("the report says what matters") {
  Record record = example();
  const std::string text = report_text(record);
  for (const auto* part :
       {"in.h5:/x[0:4]  float64 (4,)  32 B  chunked, shuffle, deflate", "Serial, a processor",
        "sum        -0.1 (float64)", "-9007199254740993 (int64)", "median of 4, 2.0 GB/s (best 3.0), 50 % of the read",
        "min 1.0 us, mean 2.0 us, max 4.0 us", "league_size=2", "verified: serial sum; 4 checked",
        "copy 8.0 GB/s, read 4.0 GB/s", "read 32 B in 2.000 ms"}) {
    INFO(text);
    INFO(part);
    CHECK(text.find(part) != std::string::npos);
  }
  record.runs[0].verification.passed = false;
  CHECK(report_text(record).find("WRONG: serial sum") != std::string::npos);
  record.runs[0].verification = {};
  CHECK(report_text(record).find("not verified") != std::string::npos);
}

}  // namespace tessera::apps::test

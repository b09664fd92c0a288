// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <csignal>
#include <limits>
#include <numeric>

#include "apps/reduce_driver_support.hpp"
#include "common/hdf5_storage.hpp"
#include "device/session.hpp"

namespace tessera::apps::test {
TEST_CASE("tessera-reduce: sum, min and max of every type") {
  const Inputs inputs;
  const auto results = [&](const std::string& name, const std::string& op = "sum,min,max") {
    return record_of(reduce({inputs.file + ":/" + name, "--op", op, "--json", "-", "--quiet"}))["results"];
  };
  const auto x = results("x");
  REQUIRE(x.size() == 3);
  CHECK(x[0]["op"] == "sum");
  CHECK(x[0]["type"] == "float64");
  CHECK(x[0]["value"] == std::accumulate(inputs.x.begin(), inputs.x.end(), 0.0));
  CHECK(x[1]["value"] == *std::min_element(inputs.x.begin(), inputs.x.end()));
  CHECK(x[2]["value"] == *std::max_element(inputs.x.begin(), inputs.x.end()));
  CHECK(results("f")[0]["value"] == -7.25);
  CHECK(results("f")[0]["bits"] == "c01d000000000000");
  const auto i = results("i");
  CHECK(i[0]["value"] == 4294967289);
  CHECK(i[0]["type"] == "int64");
  CHECK(i[1]["value"] == -5);
  CHECK(i[1]["type"] == "int32");
  CHECK(results("l")[0]["value"] == 9007199254740992);
  CHECK(results("l")[2]["value"] == 9007199254740993);
  CHECK(results("u")[0]["value"] == 18446744073709551615U);
  CHECK(results("u")[0]["type"] == "uint64");
  CHECK(results("odd")[0]["value"] == "nan");
  CHECK(results("odd")[1]["value"] == "nan");
  CHECK(results("none", "sum")[0]["value"] == 0.0);
  CHECK(results("one", "max,min")[0]["bits"] == "8000000000000000");
  CHECK(results("one", "max,min")[1]["op"] == "min");
  CHECK(results("x[0:2,1]", "sum")[0]["value"] == inputs.x[1] + inputs.x[101]);
}

TEST_CASE("tessera-reduce: the record of a run") {
  const Inputs inputs;
  ProgramSetting job;
  job.environment = {"SLURM_JOB_ID=17", "SLURM_CLUSTER_NAME=probe"};
  const auto record = record_of(reduce({inputs.file + ":/x[:, ::2]", "--op=sum", "--json=-", "--repeat=4", "--warmup=1",
                                        "--verify=full", "--league-size=3"},
                                       job));
  CHECK(record["schema"] == "tessera/1");
  CHECK(record["app"] == "tessera-reduce");
  CHECK(record["command"][1] == inputs.file + ":/x[:, ::2]");
  CHECK(record["slurm"]["job_id"] == 17);
  CHECK(record["slurm"]["cluster"] == "probe");
  CHECK(record["kokkos"]["backend"] == (built_in_spaces().back() == "serial" ? "Serial" : "OpenMP"));
  CHECK(record["input"]["dataset"] == "/x");
  CHECK(record["input"]["selection"] == "[:, ::2]");
  CHECK(record["input"]["shape"] == std::vector<int>{50, 50});
  CHECK(record["input"]["bytes"] == 20000);
  REQUIRE(record["runs"].size() == 1);
  const auto& run = record["runs"][0];
  CHECK(run["operation"] == "sum");
  CHECK(run["variant"] == "single_pass");
  CHECK(run["summation"] == "exact");
  CHECK(run["deterministic"] == true);
  CHECK(run["plan"]["league_size"] == 3);
  CHECK(run["repeats"] == 4);
  CHECK(run["bytes"] == 20000);
  const auto& seconds = run["seconds"];
  CHECK(seconds["min"] <= seconds["median"]);
  CHECK(seconds["median"] <= seconds["max"]);
  CHECK(run["verification"]["passed"] == true);
  CHECK(run["verification"]["max_abs_error"] == 0.0);
  CHECK(record["ceiling"]["read_gb_per_s"] > 0);
  CHECK(run["fraction_of_ceiling"] > 0);
  CHECK(record["io"]["read_seconds"] > 0);
  CHECK(record["seconds_total"] > 0);
}

TEST_CASE("tessera-reduce: report, record and rows go where they are asked to") {
  const Inputs inputs;
  const std::string json = inputs.folder / "r.json", csv = inputs.folder / "r.csv", plot = inputs.folder / "r.svg";
  const ProgramEnd plain = reduce({inputs.file + ":/f", "--json", json, "--csv", csv, "--plot", plot});
  CHECK(plain.status == 0);
  CHECK(plain.err.empty());
  CHECK(plain.out.find("sum        -7.25 (float64)") != std::string::npos);
  CHECK(nlohmann::json::parse(bytes_of_file(json))["results"].size() == 13);
  const std::string rows = bytes_of_file(csv);
  CHECK(std::count(rows.begin(), rows.end(), '\n') == 2);
  const std::string picture = bytes_of_file(plot);
  CHECK(picture.find(">stats single_pass</text>") != std::string::npos);
  CHECK(picture.find(">read ceiling ") != std::string::npos);

  const ProgramEnd on_output = reduce({inputs.file + ":/f", "--json", "-", "--csv", csv});
  CHECK(nlohmann::json::parse(on_output.out)["app"] == "tessera-reduce");
  CHECK(on_output.err.find("sum        -7.25 (float64)") != std::string::npos);
  const std::string more_rows = bytes_of_file(csv);
  CHECK(std::count(more_rows.begin(), more_rows.end(), '\n') == 3);

  const ProgramEnd quiet = reduce({inputs.file + ":/f", "--quiet"});
  CHECK(quiet.status == 0);
  CHECK(quiet.out.empty());
  CHECK(quiet.err.empty());
}

TEST_CASE("tessera-reduce: output datasets") {
  const Inputs inputs;
  const std::string out = inputs.folder / "out.h5";
  CHECK(reduce({inputs.file + ":/x", "--op=min,max", "--output", out + ":/a/b"}).status == 0);
  CHECK(read_values<double>(out + ":/a/b/min") ==
        std::vector<double>{*std::min_element(inputs.x.begin(), inputs.x.end())});
  CHECK(reduce({inputs.file + ":/i", "--op=max", "--output", out + ":/i"}).status == 0);
  CHECK(read_values<std::int32_t>(out + ":/i") == std::vector<std::int32_t>{2147483647});
  CHECK(reduce({inputs.file + ":/i", "--op=sum", "--output", out + ":/s"}).status == 0);
  CHECK(read_values<std::int64_t>(out + ":/s") == std::vector<std::int64_t>{4294967289});
  CHECK(reduce({inputs.file + ":/u", "--op=sum", "--output", out + ":/u"}).status == 0);
  CHECK(read_values<std::uint64_t>(out + ":/u") == std::vector<std::uint64_t>{18446744073709551615U});
  CHECK(Dataset(out + ":/u").info().shape.empty());

  CHECK(refused({inputs.file + ":/f", "--op=sum", "--output", out + ":/s"}) ==
        out + ":/s: exists already; give --force to replace it");
  CHECK(read_values<std::int64_t>(out + ":/s") == std::vector<std::int64_t>{4294967289});
  CHECK(reduce({inputs.file + ":/f", "--op=sum", "--force", "--output", out + ":/s"}).status == 0);
  CHECK(read_values<double>(out + ":/s") == std::vector<double>{-7.25});
  CHECK(read_values<std::int32_t>(out + ":/i") == std::vector<std::int32_t>{2147483647});
}

TEST_CASE("tessera-reduce: every space and variant gives the same exact sum") {
  const Inputs inputs;
  const double sum = std::accumulate(inputs.x.begin(), inputs.x.end(), 0.0);
  for (const auto& space : built_in_spaces()) {
    if (space == "cuda") continue;  // there may be no GPU where this runs; the GPU's own tests have the kernels
    const auto record =
        record_of(reduce({inputs.file + ":/x", "--op=sum", "--json=-", "--quiet", "--variant=all", "--space", space}));
    INFO(space);
    CHECK(record["runs"].back()["variant"] == "single_pass");
    CHECK(record["results"][0]["value"] == sum);
  }
}

TEST_CASE("tessera-reduce: answers that need no input") {
  const ProgramEnd help = run_program(program, {"--help"});
  CHECK(help.status == 0);
  CHECK(help.err.empty());
  for (const auto* option : {"--op",          "--axis",
                             "--keepdims",    "--with",
                             "--summation",   "--nan",
                             "--ddof",        "--output-type",
                             "--output",      "--space",
                             "--variant",     "--team-size",
                             "--league-size", "--repeat",
                             "--warmup",      "--verify",
                             "--force",       "--list",
                             "--json",        "--csv",
                             "--plot",        "--quiet",
                             "--no-progress", "--help",
                             "--version",     "--kokkos-num-threads",
                             "Exit status"}) {
    INFO(option);
    CHECK(help.out.find(option) != std::string::npos);
  }
  const ProgramEnd version = run_program(program, {"--version"});
  CHECK(version.status == 0);
  CHECK(version.out.starts_with("tessera-reduce 0.1.0 ("));
  const ProgramEnd variants = run_program(program, {"--variant", "list"});
  CHECK(variants.status == 0);
  CHECK(variants.out == "automatic\ninterleaved\nstrided\nsequential\ntwo_stage\ngrid_stride\nsingle_pass\n");
}

TEST_CASE("tessera-reduce: --list") {
  const Inputs inputs;
  const ProgramEnd list = run_program(program, {inputs.file, "--list"});
  CHECK(list.status == 0);
  CHECK(list.err.empty());
  CHECK(list.out.find("/x  float64  (50, 100)  contiguous\n") != std::string::npos);
  CHECK(list.out.find("/i  int32  (3,)  contiguous\n") != std::string::npos);
  CHECK(refusal_line(run_program(program, {inputs.file + ".none", "--list"}), 2, "tessera-reduce") ==
        inputs.file + ".none: no such file");
}

TEST_CASE("tessera-reduce: bad usage and bad input") {
  const Inputs inputs;
  const std::string x = inputs.file + ":/x";
  CHECK(refused({}) == "INPUT is missing; see --help");
  CHECK(refused({x, "--outptu"}) == "unknown option `--outptu`; did you mean `--output`? See --help");
  CHECK(refused({x, "--variant=single_psas"}) ==
        "--variant: unknown name `single_psas`; did you mean `single_pass`? The names are automatic, interleaved, "
        "strided, sequential, two_stage, grid_stride, single_pass, all, list");
  CHECK(refused({x, "--json", inputs.folder / "no/r.json"}).starts_with("--json " + inputs.folder.path()));
  CHECK(refused({x, "--csv", inputs.folder / "no/r.csv"}).starts_with("--csv " + inputs.folder.path()));
  CHECK(refused({inputs.file}).starts_with(inputs.file + ": holds several numeric datasets; name one of "));
  CHECK(refused({inputs.file + ":/y"}).starts_with(inputs.file + ":/y: "));
  CHECK(refused({x, "--op=sum", "--team-size=100000"})
            .starts_with(x + ": sum: tessera::reduce: argument `options`: team_size 100000"));
  CHECK(refused({x, "--kokkos-num-threads=0"}) ==
        "--kokkos-num-threads=0: expected an integer of at least 1 and at most 512");
  CHECK(refused({x, "--output", inputs.folder / "no/o.h5:/x"}).find("no/o.h5") != std::string::npos);
}

TEST_CASE("tessera-reduce: what does not fit into memory is refused before it is read") {
  const Folder folder;
  const std::string file = folder / "huge.h5";
  {
    const auto in = create_file(file);
    // Never written, so the file stays small.
    add_dataset(in.get(), "terabytes", H5T_NATIVE_DOUBLE, {std::uint64_t{1} << 42}, H5T_NATIVE_DOUBLE, nullptr,
                chunked_list({1024}).get());
    add_dataset(in.get(), "beyond", H5T_NATIVE_DOUBLE, {std::uint64_t{1} << 30, std::uint64_t{1} << 32},
                H5T_NATIVE_DOUBLE, nullptr, chunked_list({32, 32}).get());
  }
  const std::string huge = refused({file + ":/terabytes"}, 3);
  CHECK(huge.starts_with(file + ":/terabytes: needs 35.18 TB of host memory, "));
  CHECK(huge.find(" are available") != std::string::npos);
  CHECK(refused({file + ":/beyond"}, 3).find("64 bits") != std::string::npos);
}

TEST_CASE("tessera-reduce: a space that is not there") {
  const Inputs inputs;
  const ProgramEnd end = reduce({inputs.file + ":/f", "--space=cuda"});
  const auto spaces = built_in_spaces();
  if (std::find(spaces.begin(), spaces.end(), "cuda") == spaces.end()) {
    CHECK(refusal_line(end, 2, "tessera-reduce").starts_with("--space cuda: not built in; this build has "));
  } else if (end.status != 0) {
    CHECK(refusal_line(end, 3, "tessera-reduce").find("there is no usable GPU") != std::string::npos);
  }
}

TEST_CASE("tessera-reduce: a full disk under standard output") {
  const Inputs inputs;
  ProgramSetting setting;
  setting.out_file = "/dev/full";
  CHECK(refusal_line(reduce({inputs.file + ":/f"}, setting), 3, "tessera-reduce") ==
        "standard output: cannot be written: No space left on device");
}

TEST_CASE("tessera-reduce: where a record finds no room, no file is changed") {
  const Inputs inputs;
  const std::string out = inputs.folder / "out.h5", json = inputs.folder / "r.json", old = inputs.folder / "old.h5",
                    full = inputs.folder / "full.svg";
  REQUIRE(symlink("/dev/full", full.c_str()) == 0);
  REQUIRE(reduce({inputs.file + ":/i", "--op=sum", "--output", old + ":/s"}).status == 0);
  const std::string before = bytes_of_file(old);
  const std::vector<std::string> names = inputs.folder.names();
  for (const std::string option : {"--json", "--csv", "--plot"}) {
    CAPTURE(option);
    for (const std::string& file : {out, old}) {
      std::vector<std::string> arguments{inputs.file + ":/f", "--op=sum", "--output", file + ":/s", "--force"};
      if (option != "--json") arguments.insert(arguments.end(), {"--json", json});
      arguments.insert(arguments.end(), {option, full});
      CHECK(refusal_line(reduce(arguments), 3, "tessera-reduce") ==
            full + ": cannot be written: No space left on device");
    }
  }
  CHECK(inputs.folder.names() == names);
  CHECK(bytes_of_file(old) == before);
}

TEST_CASE("tessera-reduce: more threads than Kokkos has places for") {
  const Inputs inputs;
  CHECK(refused({inputs("f"), "--kokkos-num-threads=513"}) ==
        "--kokkos-num-threads=513: expected an integer of at least 1 and at most 512");
  ProgramSetting setting;
  setting.environment = {"OMP_NUM_THREADS=600"};
  CHECK(reduce({inputs("f"), "--quiet"}, setting).status == 0);
}

TEST_CASE("tessera-reduce: more threads than the limits allow") {
  // Sanitizers, which leave one space, reserve more memory than such limits allow.
  if (built_in_spaces() != std::vector<std::string>{"openmp", "serial"}) return;
  const Inputs inputs;
  ProgramSetting setting;
  setting.environment = {"OMP_NUM_THREADS=400", "OMP_STACKSIZE=8M"};
  const ProgramEnd end = run_program(
      "/bin/sh", {"-c", "ulimit -s 8192; ulimit -v 1000000; exec \"$0\" \"$@\"", TESSERA_REDUCE, inputs("f")}, setting);
  const std::string line = refusal_line(end, 3, "tessera-reduce");
  CHECK(line.starts_with("400 host threads cannot be started, "));
  CHECK(
      line.ends_with(" can; set OMP_NUM_THREADS to fewer, or raise the limits of processes and memory (ulimit -u and "
                     "-v, the job's)"));
}

TEST_CASE("tessera-reduce: an output file whose groups are damaged") {
  const Inputs inputs;
  const std::string out = inputs.folder / "out.h5";
  add_numbers(create_file(out).get(), "x", {4});
  std::string bytes = bytes_of_file(out);
  const auto at = bytes.find("SNOD");
  REQUIRE(at != std::string::npos);
  write_file(out, bytes.replace(at, 1, "?"));
  CHECK(refused({inputs("f"), "--output", out + ":/y"}).starts_with(out + ":/y: the dataset cannot be made: "));
  CHECK(bytes_of_file(out) == bytes);
}

TEST_CASE("tessera-reduce: the record and the rows do not go over the data") {
  const Inputs inputs;
  const std::string x = inputs.file + ":/x", out = inputs.folder / "out.h5";
  const std::string before = bytes_of_file(inputs.file);
  CHECK(refused({x, "--json", inputs.file}) == "--json " + inputs.file + ": is the file of the data");
  const std::string same = inputs.folder.path() + "/./in.h5";
  CHECK(refused({x, "--csv", same}) == "--csv " + same + ": is the file of the data");
  CHECK(refused({x, "--json", out, "--output", out + ":/r"}) == "--json " + out + ": is the file of the data");
  const std::string unlike = inputs.folder.path() + "/./out.h5";  // neither is there yet
  CHECK(refused({x, "--json", unlike, "--output", out + ":/r"}) == "--json " + unlike + ": is the file of the data");
  CHECK(refused({x, "--csv", out, "--output", out + ":/r:/s"}) == "--csv " + out + ": is the file of the data");
  const std::string rows = inputs.folder / "rows", again = inputs.folder.path() + "/./rows";
  CHECK(refused({x, "--json", rows, "--csv", again}) == "--csv " + again + ": is the file of --json");
  CHECK(reduce({x, "--json", "/dev/null", "--csv", "/dev/null", "--quiet"}).status == 0);
  CHECK(bytes_of_file(inputs.file) == before);
}

TEST_CASE("tessera-reduce: nor over other files that hold the data") {
  const Folder folder;
  const std::string raw = folder / "raw.bin", source = folder / "source.h5", file = folder / "in.h5";
  write_file(raw, std::string(12, 'x'));
  add_values<float>(create_file(source).get(), "x", {1, 2, 3});
  {
    const auto in = create_file(file);
    const hsize_t extent = 3;
    const Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
    const Handle external(H5Pcreate(H5P_DATASET_CREATE), H5Pclose),
        virtual_list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_external(external.get(), raw.c_str(), 0, 12);
    H5Pset_virtual(virtual_list.get(), space.get(), "source.h5", "/x", space.get());
    for (const auto& [name, list] : {std::pair("raw", external.get()), std::pair("virtual", virtual_list.get())}) {
      const Handle made(H5Dcreate2(in.get(), name, H5T_NATIVE_FLOAT, space.get(), H5P_DEFAULT, list, H5P_DEFAULT),
                        H5Dclose);
      REQUIRE(made);
    }
  }
  CHECK(refused({file + ":/raw", "--json", raw}) == "--json " + raw + ": is the file of the data");
  CHECK(refused({file + ":/virtual", "--csv", source}) == "--csv " + source + ": is the file of the data");
  CHECK(reduce({file + ":/virtual", "--quiet"}).status == 0);
}

TEST_CASE("tessera-reduce: nor over those of the second array, behind links, or behind several virtual datasets") {
  const Folder folder;
  const std::string source = folder / "source.h5", linking = folder / "link.h5", out = folder / "out.h5";
  add_values<float>(create_file(source).get(), "x", {1, 2, 3});
  REQUIRE(H5Lcreate_external("source.h5", "/x", create_file(linking).get(), "x", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  const Handle space = make_space({3});
  const auto make_virtual = [&](const std::string& name, const std::string& of) {
    const Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    REQUIRE(H5Pset_virtual(list.get(), space.get(), of.c_str(), "/x", space.get()) >= 0);
    add_dataset(create_file(folder / name).get(), "x", H5T_IEEE_F32LE, {3}, H5T_NATIVE_FLOAT, nullptr, list.get());
  };
  make_virtual("near.h5", "source.h5");
  make_virtual("far.h5", "near.h5");
  const std::string before = bytes_of_file(source);
  const auto over = [&](const std::string& option) { return option + " " + source + ": is the file of the data"; };
  CHECK(refused({folder / "near.h5:/x", "--op", "dot", "--with", source + ":/x", "--json", source}) == over("--json"));
  CHECK(refused({linking + ":/x", "--csv", source}) == over("--csv"));
  CHECK(refused({folder / "far.h5:/x", "--json", source}) == over("--json"));
  REQUIRE(symlink(out.c_str(), (folder / "later.json").c_str()) == 0);
  CHECK(refused({source + ":/x", "--output", out + ":/r", "--json", folder / "later.json"}) ==
        "--json " + (folder / "later.json") + ": is the file of the data");
  CHECK(bytes_of_file(source) == before);
}

TEST_CASE("tessera-reduce: a signal ends it as such and leaves no file") {
  const Inputs inputs;
  ProgramSetting setting;
  setting.terminate_after = std::chrono::milliseconds(500);
  const ProgramEnd end = reduce({inputs.file + ":/x", "--repeat=1000000000", "--json", inputs.folder / "r.json",
                                 "--output", inputs.folder / "out.h5:/r"},
                                setting);
  CHECK(end.status == -1);
  CHECK(end.signal == SIGTERM);
  CHECK(end.out.empty());
  CHECK(inputs.folder.names() == std::vector<std::string>{"in.h5"});
}

TEST_CASE("tessera-reduce: rounding on reading is a note") {
  const Folder folder;
  const std::string file = folder / "in.h5";
  const long double value = 1.0L / 3;
  {
    const auto in = create_file(file);
    add_dataset(in.get(), "wide", H5T_NATIVE_LDOUBLE, {1}, H5T_NATIVE_LDOUBLE, &value);
  }
  const ProgramEnd end = reduce({file, "--op=max", "--json=-", "--quiet"});
  CHECK(record_of(end)["results"][0]["value"] == 1.0 / 3);
  CHECK(end.err.starts_with("tessera-reduce: note: "));
  CHECK(std::count(end.err.begin(), end.err.end(), '\n') == 1);
}

}  // namespace tessera::apps::test

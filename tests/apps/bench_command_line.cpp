// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fstream>

#include "apps/driver_support.hpp"
#include "bench/bench_options.hpp"

namespace tessera::apps::test {
namespace {

std::string refused(const std::vector<std::string>& arguments, int status = 2) {
  return refusal_line(run_program(TESSERA_BENCH, arguments), status, "tessera-bench");
}
std::string run_refused(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "run");
  return refused(arguments);
}

}  // namespace

TEST_CASE("tessera-bench: help and version need no device") {
  const auto help = run_program(TESSERA_BENCH, {"--help"});
  CHECK(help.status == 0);
  CHECK(help.out.find("report") != std::string::npos);
  const auto run_help = run_program(TESSERA_BENCH, {"run", "--help"});
  CHECK(run_help.status == 0);
  for (const char* option : {"EXPERIMENT.json", "--op", "--sizes", "--types", "--variant", "--taps", "--team-size",
                             "--repeat", "--time-limit", "--shard", "--out"}) {
    CAPTURE(option);
    CHECK(run_help.out.find(option) != std::string::npos);
  }
  const auto version = run_program(TESSERA_BENCH, {"--version"});
  CHECK(version.status == 0);
  CHECK(version.out.starts_with("tessera-bench 0."));
}

TEST_CASE("tessera-bench: sizes are counts, powers and matrices") {
  const auto parse_size = [](const char* text) { return bench::parse_size("--sizes", text); };
  CHECK(parse_size("1000000").columns == 1000000);
  CHECK(parse_size("32e6").columns == 32000000);
  CHECK(parse_size("2^24").columns == 16777216);
  CHECK(parse_size("10^3").columns == 1000);
  CHECK_FALSE(parse_size("2^24").is_matrix);
  const auto matrix = parse_size("2^4x1e2");
  CHECK(matrix.is_matrix);
  CHECK(matrix.rows == 16);
  CHECK(matrix.columns == 100);
}

TEST_CASE("tessera-bench: bad usage is refused in one line") {
  CHECK(refused({}) == "expected one of the commands run, report and compare; see --help");
  CHECK(refused({"ran"}) == "unexpected argument `ran`; see tessera-bench --help");
  CHECK(refused({"--versoin"}) == "unknown option `--versoin`; did you mean `--version`? See --help");
  CHECK(run_refused({"--size=3"}) == "unknown option `--size`; did you mean `--sizes`? See --help");
  CHECK(run_refused({"a.json", "stray"}) == "unexpected argument `stray`; see run --help");
  CHECK(refused({"report", "--plto=x.svg", "a"}) == "unknown option `--plto`; did you mean `--plot`? See --help");
  CHECK(refused({"report"}) == "report needs at least one FILE; see report --help");
  for (const auto& files : {std::vector<std::string>{}, {"a"}, {"a", "b", "c"}}) {
    std::vector<std::string> arguments{"compare"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    CHECK(refused(arguments) == "compare needs OLD and NEW; see compare --help");
  }
  CHECK(refused({"compare", "a", "b", "--tolerance=-1"}) == "--tolerance: `-1` is not a percentage of at least 0");
  CHECK(run_refused({"--op=redcue"}).find("did you mean `reduce`") != std::string::npos);
  CHECK(run_refused({"--types=uint16"}).find("--types") != std::string::npos);
  CHECK(run_refused({"--types=float,float32"}) == "--types: float32 is given twice");
  CHECK(run_refused({"--op=reduce,reduce"}) == "--op: reduce is given twice");
  CHECK(run_refused({"--op=reduce", "--variant=padded"}).find("single_pass") != std::string::npos);
  CHECK(run_refused({"--space=gpu"}).find("--space") != std::string::npos);
  CHECK(run_refused({"--repeat=0"}) == "--repeat: `0` is not a whole number of at least 1");
  CHECK(run_refused({"--warmup=-1"}) == "--warmup: `-1` is not a whole number of at least 0");
  CHECK(run_refused({"--team-size=two"}) == "--team-size: `two` is not a whole number of at least 1");
  CHECK(run_refused({"--league-size=0"}) == "--league-size: `0` is not a whole number of at least 1");
  CHECK(run_refused({"--team-size=64,0"}) == "--team-size: `0` is not a whole number of at least 1");
  CHECK(run_refused({"--team-size=64,32,64"}) == "--team-size: 64 is given twice");
  CHECK(run_refused({"--summation=exactly"}) ==
        "--summation: unknown name `exactly`; did you mean `exact`? The names are exact, fast");
  for (const char* limit : {"0", "-1", "inf", "nan", "soon"}) {
    CHECK(run_refused({std::string("--time-limit=") + limit}) ==
          std::string("--time-limit: `") + limit + "` is not a number of seconds above 0");
  }
  for (const char* shard : {"1", "/", "2/2", "-1/2", "0/0", "1/2/3", "a/b", "0/100001"}) {
    CHECK(run_refused({std::string("--shard=") + shard}) ==
          std::string("--shard: `") + shard + "` is no share; write I/N with 0 <= I < N <= 100000");
  }
  CHECK(run_refused({"--taps=3,0"}) == "--taps: `0` is not a whole number of at least 1");
  CHECK(run_refused({"--kokkos-num-threads=none"}) ==
        "--kokkos-num-threads=none: expected an integer of at least 1 and at most 512");
}

TEST_CASE("tessera-bench: sizes that are none are refused") {
  for (const char* size : {"", "0", "-1", "1.5", "2^", "2^41", "many", "4x", "x4", "1e400", "nan"}) {
    CAPTURE(size);
    const std::string expected =
        std::string("--sizes: `") + size + "` is no size; write 1000000, 32e6, 2^24 or 4096x4096, up to 2^40 elements";
    CHECK(bad_input([&] { (void)bench::parse_size("--sizes", size); }) == expected);
  }
  CHECK(run_refused({"--sizes=2^20,big"}) ==
        "--sizes: `big` is no size; write 1000000, 32e6, 2^24 or 4096x4096, up to 2^40 elements");
  CHECK(run_refused({"--sizes=2^30x2^30"}) == "--sizes: `2^30x2^30` exceeds 2^40 elements");
}

TEST_CASE("tessera-bench: the output file is checked before anything runs") {
  const Folder folder;
  CHECK(run_refused({"--out=" + folder / "no/rows.jsonl"}) ==
        "--out " + folder / "no/rows.jsonl" + ": folder " + folder / "no" + ": No such file or directory");
  std::ofstream(folder / "cut.jsonl") << "{\"schema\"";
  CHECK(run_refused({"--out=" + folder / "cut.jsonl"}) ==
        "--out " + folder / "cut.jsonl" + ": its last line is incomplete; remove that line or name another file");
}

TEST_CASE("tessera-bench: a full disk ends the run with status 3") {
  const auto end = run_program(TESSERA_BENCH, {"run", "--op=ceiling", "--sizes=64", "--types=float", "--space=serial",
                                               "--cold=0", "--out=/dev/full"});
  CHECK(end.status == 3);
  CHECK(end.err == "tessera-bench: error: --out /dev/full: cannot be written: No space left on device\n");
}

TEST_CASE("tessera-bench: a CUDA build without a GPU says so and still runs on the host") {
  ProgramSetting no_gpu;
  no_gpu.environment = {"CUDA_VISIBLE_DEVICES="};
  const std::vector<std::string> arguments = {"run", "--op=ceiling", "--sizes=64", "--types=float"};
  auto on_host = arguments;
  on_host.emplace_back("--space=openmp");
  CHECK(run_program(TESSERA_BENCH, on_host, no_gpu).status == 0);
  auto on_cuda = arguments;
  on_cuda.emplace_back("--space=cuda");
  const auto end = run_program(TESSERA_BENCH, on_cuda, no_gpu);
#if TESSERA_HAS_CUDA
  const auto line = refusal_line(end, 3, "tessera-bench");
  CHECK(line.starts_with("built for CUDA, but there is no usable GPU ("));
  CHECK(line.ends_with("); --space openmp runs without one"));
#else
  CHECK(refusal_line(end, 2, "tessera-bench") == "--space cuda: not built in; this build has openmp, serial");
#endif
}

}  // namespace tessera::apps::test

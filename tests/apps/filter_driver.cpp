// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

#include "apps/driver_support.hpp"
#include "device/session.hpp"

namespace tessera::apps::test {
namespace {

const std::string program = TESSERA_FILTER;

struct Inputs {
  Folder folder;
  std::string file = folder / "in.h5", out = folder / "out.h5";

  Inputs() {
    const auto in = create_file(file);
    add_values<double>(in.get(), "x", {1, 2, 4, 8});
    add_values<float>(in.get(), "f", {1, 2, 4, 8});
    add_values<std::int32_t>(in.get(), "i", {1, 2, 4, 8, 16, 32}, {2, 3});
    add_values<std::int64_t>(in.get(), "l", {9007199254740993, 1, -5});
    add_values<std::uint64_t>(in.get(), "u", {18446744073709551615U, 3});
    add_values<double>(in.get(), "weights", {1, 10, 100});
    add_values<std::int32_t>(in.get(), "whole_weights", {1, 2});
    add_values<double>(in.get(), "bad_weights", {1, std::nan("")});
    add_values<double>(in.get(), "no_weights", {}, {0});
    add_values<double>(in.get(), "none", {}, {3, 0});
    add_complex<float>(in.get(), "complex", {{1, 2}});
    add_values<double>(in.get(), "single", {5}, {1});
    const double value = 5;
    add_dataset(in.get(), "scalar", H5T_NATIVE_DOUBLE, {}, H5T_NATIVE_DOUBLE, &value);
    std::vector<std::int64_t> deep(2 * 3 * 2 * 2 * 4);
    for (std::size_t k = 0; k < deep.size(); ++k) deep[k] = static_cast<std::int64_t>(k * k);
    add_values(in.get(), "deep", deep, {2, 3, 2, 2, 4});
  }

  [[nodiscard]] ProgramEnd filter(const std::string& name, std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), file + ":/" + name);
    arguments.insert(arguments.end(), {"--verify=full"});
    return run_quickly(program, arguments);
  }
  /// The result of a filter that must be good.
  template <class T>
  [[nodiscard]] std::vector<T> filtered(const std::string& name, std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--output", out + ":/r", "--force", "--quiet"});
    const ProgramEnd end = filter(name, arguments);
    INFO(end.err);
    REQUIRE(end.status == 0);
    return read_values<T>(out + ":/r");
  }
  [[nodiscard]] std::string refused(const std::string& name, const std::vector<std::string>& arguments,
                                    int status = 2) const {
    return refusal_line(filter(name, arguments), status, "tessera-filter");
  }
};

using Doubles = std::vector<double>;
using Integers = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("tessera-filter: modes, convolution and origin") {
  const Inputs inputs;
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), "--weights=1,10,100");
    return inputs.filtered<double>("x", more);
  };
  CHECK(run({}) == Doubles{211, 421, 842, 884});
  CHECK(run({"--mode=reflect"}) == Doubles{211, 421, 842, 884});
  CHECK(run({"--mode", "mirror"}) == Doubles{212, 421, 842, 484});
  CHECK(run({"--mode=nearest"}) == Doubles{211, 421, 842, 884});
  CHECK(run({"--mode=wrap"}) == Doubles{218, 421, 842, 184});
  CHECK(run({"--mode=constant"}) == Doubles{210, 421, 842, 84});
  CHECK(run({"--mode=constant", "--cval", "-7"}) == Doubles{203, 421, 842, -616});
  CHECK(run({"--mode=keep"}) == Doubles{1, 421, 842, 8});
  CHECK(run({"--mode=constant", "--convolve"}) == Doubles{12, 124, 248, 480});
  CHECK(run({"--mode=constant", "--origin=1"}) == Doubles{100, 210, 421, 842});
  CHECK(run({"--mode=constant", "--origin", "-1"}) == Doubles{421, 842, 84, 8});
  const auto with_nan = run({"--mode=constant", "--cval=nan"});
  CHECK(std::isnan(with_nan[0]));
  CHECK(with_nan[1] == 421);
  CHECK(std::isnan(with_nan[3]));
  CHECK(run({"--mode=constant", "--cval", "-inf"})[0] == -std::numeric_limits<double>::infinity());
  CHECK(inputs.filtered<double>("x", {"--weights", "-1,1"}) == Doubles{0, 1, 2, 4});
}

TEST_CASE("tessera-filter: weights from a dataset") {
  const Inputs inputs;
  CHECK(inputs.filtered<double>("x", {"--weights-from", inputs.file + ":/weights"}) == Doubles{211, 421, 842, 884});
  CHECK(inputs.filtered<std::int64_t>("i", {"--weights-from", inputs.file + ":/whole_weights"}) ==
        Integers{3, 5, 10, 24, 40, 80});
}

TEST_CASE("tessera-filter: output types") {
  const Inputs inputs;
  CHECK(inputs.filtered<float>("f", {"--weights=0.5,0.5"}) == std::vector<float>{1, 1.5, 3, 6});
  CHECK(inputs.filtered<float>("f", {"--weights=0.5,0.5", "--accumulate=double"}) == std::vector<float>{1, 1.5, 3, 6});
  CHECK(inputs.filtered<float>("f", {"--weights=0.5,0.5", "--accumulate=float"}) == std::vector<float>{1, 1.5, 3, 6});
  CHECK(inputs.filtered<std::int64_t>("i", {"--weights=1,2"}) == Integers{3, 5, 10, 24, 40, 80});
  CHECK(inputs.filtered<double>("i", {"--weights=0.5"}) == Doubles{0.5, 1, 2, 4, 8, 16});
  CHECK(inputs.filtered<double>("i", {"--weights=0.5", "--accumulate=double"}) == Doubles{0.5, 1, 2, 4, 8, 16});
  CHECK(inputs.filtered<std::int64_t>("l", {"--weights=1.0"}) == Integers{9007199254740993, 1, -5});
  CHECK(inputs.filtered<std::uint64_t>("u", {"--weights=1"}) == std::vector<std::uint64_t>{18446744073709551615U, 3});
  CHECK(inputs.filtered<std::int64_t>("u", {"--weights=-1"}) == Integers{std::numeric_limits<std::int64_t>::min(), -3});
  CHECK(inputs.filtered<std::int64_t>("l", {"--weights=0,0,1", "--mode=constant", "--cval=9007199254740993"}) ==
        Integers{1, -5, 9007199254740993});
}

TEST_CASE("tessera-filter: ranks and empty arrays") {
  const Inputs inputs;
  const auto deep = inputs.filtered<std::int64_t>("deep", {"--weights=0,1,1", "--mode=constant", "--axis=4"});
  REQUIRE(deep.size() == 96);
  CHECK(deep[5] == 25 + 36);
  CHECK(deep[7] == 49);
  CHECK(Dataset(inputs.out + ":/r").info().shape == Shape{2, 3, 2, 2, 4});
  const auto across = inputs.filtered<std::int64_t>("deep", {"--weights=0,1,1", "--mode=constant", "--axis=1"});
  CHECK(across[5] == 5 * 5 + 21 * 21);
  CHECK(across[47] == 47 * 47);
  CHECK(across[48] == 48 * 48 + 64 * 64);
  const auto first = inputs.filtered<std::int64_t>("deep", {"--weights=0,1,1", "--mode=wrap", "--axis=-5"});
  CHECK(first[1] == 1 + 49 * 49);
  CHECK(first[95] == 95 * 95 + 47 * 47);
  CHECK(inputs.filtered<double>("none", {"--weights=1,2,1"}).empty());
  CHECK(inputs.filtered<double>("single", {"--weights=1,2,1"}) == Doubles{20});
  CHECK(inputs.filtered<double>("single[:0]", {"--weights=1"}).empty());
}

TEST_CASE("tessera-filter: --variant all measures those that can and names the others") {
  const Inputs inputs;
  const auto end = inputs.filter("i", {"--weights=1,2", "--variant=all", "--json=-"});
  INFO(end.err);
  REQUIRE(end.status == 0);
  std::vector<std::string> measured;
  const auto record = record_of(end);
  for (const auto& run : record["runs"]) measured.push_back(run["variant"]);
  CHECK(measured == std::vector<std::string>{"direct", "juxtaposed", "overlapping"});
  CHECK(end.err.find("register_blocked: cannot do this correlate") != std::string::npos);
  CHECK(inputs.refused("i", {"--weights=1,2", "--variant=all", "--team-size=1000"}).find("team_size 1000") !=
        std::string::npos);
}

TEST_CASE("tessera-filter: every host space, team and league gives the same") {
  const Inputs inputs;
  for (const auto& space : built_in_spaces()) {
    if (space == "cuda") continue;  // there may be no GPU where this runs
    INFO(space);
    CHECK(inputs.filtered<std::int64_t>("i", {"--weights=1,2", "--space", space}) == Integers{3, 5, 10, 24, 40, 80});
    CHECK(inputs.filtered<std::int64_t>("i", {"--weights=1,2", "--space", space, "--variant=overlapping",
                                              "--team-size=1", "--league-size=7"}) == Integers{3, 5, 10, 24, 40, 80});
  }
}

TEST_CASE("tessera-filter: the record of a run") {
  const Inputs inputs;
  const auto record = record_of(
      inputs.filter("i", {"--weights=1,2", "--json=-", "--quiet", "--convolve", "--output", inputs.out + ":/r"}));
  REQUIRE(record["runs"].size() == 1);
  const auto& run = record["runs"][0];
  CHECK(run["operation"] == "convolve");
  CHECK(run["variant"] == "overlapping");
  CHECK(run["summation"].is_null());
  CHECK(run["bytes"] == 6 * (4 + 8));
  CHECK(run["plan"]["halo"] == 1);
  CHECK(run["verification"]["method"] == "direct evaluation in 128-bit integers of all outputs");
  CHECK(run["verification"]["passed"] == true);
  CHECK(record["results"].empty());
  CHECK(record["results"].is_array());
  CHECK(record["io"]["write_seconds"] > 0);
}

TEST_CASE("tessera-filter: a picture of the signal before and after") {
  const Inputs inputs;
  const std::string plot = inputs.folder / "p.svg";
  const ProgramEnd end = inputs.filter("i", {"--weights=1,2", "--plot", plot, "--quiet"});
  CHECK(end.err.empty());
  CHECK(end.status == 0);
  const std::string svg = bytes_of_file(plot);
  CHECK(svg.find(">in.h5:/i, int32 (2, 3): correlate, first line</text>") != std::string::npos);
  CHECK(svg.find("<path d=\"M90.0 ") != svg.rfind("<path d=\"M90.0 "));
  CHECK(inputs.folder.names() == std::vector<std::string>{"in.h5", "p.svg"});
  CHECK(inputs.refused("x", {"--weights=1", "--plot", inputs.folder / "no/p.svg"}) ==
        "--plot " + (inputs.folder / "no/p.svg") + ": folder " + (inputs.folder / "no") +
            ": No such file or directory");
  CHECK(inputs.refused("x", {"--weights=1", "--plot", plot, "--output", plot + ":/r"}) ==
        "--plot " + plot + ": is the file of the data");
  const std::string input = inputs.folder / "in.svg";
  write_file(input, bytes_of_file(inputs.file));
  CHECK(refusal_line(run_quickly(program, {input + ":/x", "--weights=1", "--plot", input}), 2, "tessera-filter") ==
        "--plot " + input + ": is the file of the data");
  const std::string weights = inputs.folder / "weights.h5";
  add_values<double>(create_file(weights).get(), "w", {1, 2});
  CHECK(inputs.refused("x", {"--weights-from", weights + ":/w", "--json", weights}) ==
        "--json " + weights + ": is the file of the data");
}

TEST_CASE("tessera-filter: answers that need no input") {
  CHECK(run_program(program, {"--variant=list"}).out ==
        "automatic\ndirect\njuxtaposed\noverlapping\nvectorized\nregister_blocked\ntransform\n");
  const std::string help = run_program(program, {"--help"}).out;
  for (const auto* option :
       {"--weights",     "--weights-from", "--gaussian",
        "--order",       "--truncate",     "--binomial",
        "--savgol",      "--box",          "--min",
        "--max",         "--median",       "--nan",
        "--convolve",    "--axis",         "--mode",
        "--mode-left",   "--mode-right",   "--cval",
        "--origin",      "--iterate",      "--accumulate",
        "--output-type", "--output",       "reflect, mirror, nearest, wrap, constant, odd, renormalise, valid, keep"}) {
    INFO(option);
    CHECK(help.find(option) != std::string::npos);
  }
  CHECK(run_program(program, {"--version"}).out.starts_with("tessera-filter "));
}

TEST_CASE("tessera-filter: bad usage and bad input") {
  const Inputs inputs;
  const auto x = [&](const std::vector<std::string>& arguments) { return inputs.refused("x", arguments); };
  CHECK(x({}) ==
        "one of --weights, --weights-from, --gaussian, --binomial, --savgol, --box, --min, --max, --median is "
        "missing; see --help");
  CHECK(x({"--weights=1", "--weights-from=a.h5"}) == "--weights and --weights-from cannot both be given");
  CHECK(x({"--weights=1,,2"}) == "--weights: weight 1, ``, is not a number");
  CHECK(x({"--weights=1,2x"}) == "--weights: weight 1, `2x`, is not a number");
  CHECK(x({"--weights", "1,nan"}) == "--weights: weight 1 is nan; weights must be finite");
  const auto from = [&](const std::string& name) { return x({"--weights-from", inputs.file + ":/" + name}); };
  CHECK(from("bad_weights") ==
        "--weights-from " + inputs.file + ":/bad_weights: weight 1 is nan; weights must be finite");
  CHECK(from("no_weights") == "--weights-from " + inputs.file + ":/no_weights: there are no weights");
  CHECK(from("i") == "--weights-from " + inputs.file + ":/i: weights must have rank 1, these have 2");
  CHECK(from("nowhere").starts_with(inputs.file + ":/nowhere: "));
  CHECK(x({"--weights=1", "--mode=refelct"}) ==
        "--mode: unknown name `refelct`; did you mean `reflect`? The names are reflect, mirror, nearest, wrap, "
        "constant, odd, renormalise, valid, keep");
  CHECK(x({"--weights=1", "--origin=1.5"}) == "--origin: `1.5` is not a whole number");
  CHECK(x({"--weights=1,2,3", "--origin=2"}) == "--origin: 2 is not within -1 to 1, as 3 weights need");
  CHECK(x({"--weights=1,2", "--origin=1"}) == "--origin: 1 is not within -1 to 0, as 2 weights need");
  CHECK(x({"--weights=1", "--accumulate=single"}) ==
        "--accumulate: unknown name `single`; did you mean `double`? The names are float, double");
  CHECK(x({"--weights=1", "--accumulate=float"}) ==
        inputs.file + ":/x: --accumulate: float is for float32 data, this is float64");
  CHECK(inputs.refused("i", {"--weights=1", "--accumulate=double"}) ==
        inputs.file + ":/i: --accumulate: int32 data with whole weights is filtered exactly, in integers");
  CHECK(x({"--weights=1", "--axis=1"}) == inputs.file + ":/x: --axis: 1 is not within -1 to 0, the axes of (4,)");
  CHECK(x({"--weights=1", "--axis=last"}) == inputs.file + ":/x: --axis: `last` is not a whole number");
  CHECK(inputs.refused("scalar", {"--weights=1"}) ==
        inputs.file + ":/scalar: a single value has no axis to filter along");
  CHECK(from("complex") == "--weights-from " + inputs.file + ":/complex: holds complex64; weights are real numbers");
  CHECK(x({"--weights=1", "--boxes=1"}).starts_with("unknown option `--boxes`; did you mean `--box`?"));
  CHECK(x({"--weights=1", "--variant=blocked"}).starts_with("--variant: unknown name `blocked`; did you mean"));
  const std::string refused = inputs.refused("i", {"--weights=1", "--variant=register_blocked"});
  CHECK(refused.find("variant register_blocked; expected") != std::string::npos);
}

TEST_CASE("tessera-filter: cval must be a value of the input's type") {
  const Inputs inputs;
  const auto refused = [&](const std::string& name, const std::string& cval) {
    return inputs.refused(name, {"--weights=1", "--mode=constant", "--cval=" + cval});
  };
  const auto not_whole = [](const std::string& type) {
    return "` is not a whole number that " + type + ", the input's type, can hold";
  };
  CHECK(refused("x", "one") ==
        inputs.file + ":/x: --cval: `one` is not a number that float64, the input's type, can hold");
  CHECK(refused("x", "1e999") ==
        inputs.file + ":/x: --cval: `1e999` is not a number that float64, the input's type, can hold");
  CHECK(refused("f", "1e39") ==
        inputs.file + ":/f: --cval: `1e39` is not a number that float32, the input's type, can hold");
  for (const std::string cval : {"0.5", "nan", "inf", "2147483648", "-2147483649", "1e10"}) {
    CHECK(refused("i", cval) == inputs.file + ":/i: --cval: `" + cval + not_whole("int32"));
  }
  for (const std::string cval : {"9223372036854775808", "9.3e18", "-1e19"}) {
    CHECK(refused("l", cval) == inputs.file + ":/l: --cval: `" + cval + not_whole("int64"));
  }
  for (const std::string cval : {"-1", "18446744073709551616", "1.9e19", "-0.5"}) {
    CHECK(refused("u", cval) == inputs.file + ":/u: --cval: `" + cval + not_whole("uint64"));
  }
  const auto edge = [&](const std::string& cval) {
    return inputs.filtered<std::int64_t>("i", {"--weights=0,0,1", "--mode=constant", "--cval", cval}).back();
  };
  CHECK(edge("-2147483648") == -2147483648);
  CHECK(edge("2e3") == 2000);
  CHECK(edge("-3.0") == -3);
  const std::string largest = "18446744073709551615";
  CHECK(inputs.filtered<std::uint64_t>("u", {"--weights=0,0,1", "--mode=constant", "--cval", "-0"}).back() == 0);
  CHECK(inputs.filtered<std::uint64_t>("u", {"--weights=0,0,1", "--mode=constant", "--cval", largest}).back() ==
        18446744073709551615U);
}

TEST_CASE("tessera-filter: cval must be a value of the stored type, where the computed one has more") {
  const Inputs inputs;
  const std::string file = inputs.folder / "narrow.h5";
  const auto float_type = [](std::size_t exponent_bits, std::size_t mantissa_bits, std::size_t bias) {
    Handle type(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
    REQUIRE(H5Tset_fields(type.get(), 15, mantissa_bits, exponent_bits, 0, mantissa_bits) >= 0);
    REQUIRE(H5Tset_precision(type.get(), 16) >= 0);
    REQUIRE(H5Tset_size(type.get(), 2) >= 0);
    REQUIRE(H5Tset_ebias(type.get(), bias) >= 0);
    return type;
  };
  const Handle half = float_type(5, 10, 15), brain = float_type(8, 7, 127);
  const Handle boolean(H5Tenum_create(H5T_STD_I8LE), H5Tclose), odd(H5Tcopy(H5T_STD_I16LE), H5Tclose);
  REQUIRE(H5Tset_precision(odd.get(), 12) >= 0);
  for (std::int8_t value : {0, 1}) {
    REQUIRE(H5Tenum_insert(boolean.get(), value == 0 ? "FALSE" : "TRUE", &value) >= 0);
  }
  {
    const auto in = create_file(file);
    const std::array<std::uint16_t, 2> zeros{};
    add_dataset(in.get(), "half", half.get(), {2}, half.get(), zeros.data());
    add_dataset(in.get(), "brain", brain.get(), {2}, brain.get(), zeros.data());
    add_dataset(in.get(), "bool", boolean.get(), {2}, boolean.get(), zeros.data());
    add_dataset(in.get(), "odd", odd.get(), {2}, odd.get(), zeros.data());
  }
  const auto run = [&](const std::string& name, const std::string& cval) {
    return run_quickly(program, {file + ":/" + name, "--weights=0,0,1", "--mode=constant", "--cval", cval, "--output",
                                 inputs.out + ":/r", "--force", "--quiet"});
  };
  const auto refused = [&](const std::string& name, const std::string& cval, const std::string& why) {
    CAPTURE(name, cval);
    CHECK(refusal_line(run(name, cval), 2, "tessera-filter") ==
          file + ":/" + name + ": --cval: `" + cval + "` is not a " + why + ", the input's type, can hold");
  };
  const auto edge = [&](const std::string& name, const std::string& cval, const auto zero) {
    CAPTURE(name, cval);
    REQUIRE(run(name, cval).status == 0);
    return read_values<std::decay_t<decltype(zero)>>(inputs.out + ":/r").back();
  };
  for (const std::string cval : {"65520", "-65520", "1e39", "one"}) refused("half", cval, "number that float16");
  CHECK(edge("half", "65519.99", 0.0F) == 65504);  // to the nearest
  CHECK(edge("half", "0.1", 0.0F) == 0.0999755859375F);
  CHECK(edge("half", "1.0004882812500005", 0.0F) == 1 + 0x1p-10F);  // a tie as float32
  CHECK(edge("half", "-1e-7", 0.0F) == -0x1p-23F);
  CHECK(edge("half", "1e-9", 0.0F) == 0);
  CHECK(edge("half", "-inf", 0.0F) == -std::numeric_limits<float>::infinity());
  CHECK(std::isnan(edge("half", "nan", 0.0F)));
  for (const std::string cval : {"3.4e38", "-1e39"}) refused("brain", cval, "number that bfloat16");
  CHECK(edge("brain", "257", 0.0F) == 256);
  CHECK(edge("brain", "3.38e38", 0.0F) == 0x1.fcp127F);
  for (const std::string cval : {"2", "-1", "0.5"}) refused("bool", cval, "whole number that bool");
  CHECK(edge("bool", "1", std::int64_t{}) == 1);
  for (const std::string cval : {"2048", "-2049"}) refused("odd", cval, "whole number that int12 in 2 bytes");
  CHECK(edge("odd", "-2048", std::int64_t{}) == -2048);
}

TEST_CASE("tessera-filter: what does not fit into memory is refused before it is read") {
  const Folder folder;
  const std::string file = folder / "huge.h5";
  {
    const auto in = create_file(file);
    add_dataset(in.get(), "terabytes", H5T_NATIVE_INT32, {std::uint64_t{1} << 42}, H5T_NATIVE_INT32, nullptr,
                chunked_list({1024}).get());
  }
  const ProgramEnd end = run_quickly(program, {file, "--weights=1"});
  CHECK(refusal_line(end, 3, "tessera-filter").starts_with(file + ":/terabytes: needs 52.78 TB of host memory, "));
}

TEST_CASE("tessera-filter: a wrong result is exit status 1, with its record, and is not written") {
  const Inputs inputs;
  const ProgramEnd end =
      run_quickly(TESSERA_FAULTY_FILTER, {inputs.file + ":/x", "--weights=1", "--json", "-", "--quiet", "--output",
                                          inputs.out + ":/r", "--plot", inputs.folder / "p.svg"});
  CHECK(end.status == 1);
  CHECK(end.err == "tessera-filter: error: " + inputs.file +
                       ":/x: correlate (overlapping) did not verify: index 3: got 8.5, expected 8; 1 of 4 checked are "
                       "wrong; the output was not written\n");
  const auto record = record_of(end);
  CHECK(record["runs"][0]["verification"]["passed"] == false);
  CHECK(record["runs"][0]["verification"]["max_abs_error"] == 0.5);
  CHECK(record["io"]["write_seconds"].is_null());
  CHECK(inputs.folder.names() == std::vector<std::string>{"in.h5", "p.svg"});
}

}  // namespace tessera::apps::test

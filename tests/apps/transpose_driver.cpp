// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch2/catch_test_macros.hpp>
#include <numeric>

#include "apps/driver_support.hpp"
#include "device/session.hpp"

namespace tessera::apps::test {
namespace {

const std::string program = TESSERA_TRANSPOSE;

ProgramEnd transpose(const std::vector<std::string>& arguments) { return run_quickly(program, arguments); }

std::string refused(const std::vector<std::string>& arguments, int status = 2) {
  return refusal_line(transpose(arguments), status, "tessera-transpose");
}

struct Inputs {
  Folder folder;
  std::string file = folder / "in.h5", out = folder / "out.h5";

  Inputs() {
    const auto in = create_file(file);
    add_numbers(in.get(), "m", {3, 5});
    add_numbers(in.get(), "v", {7});
    add_numbers(in.get(), "s", {});
    add_numbers(in.get(), "cube", {2, 3, 4});
    add_values<double>(in.get(), "none", {}, {0, 4});
  }
};

}  // namespace

TEST_CASE("tessera-transpose: rows become columns") {
  const Inputs inputs;
  for (const auto& axes :
       {std::vector<std::string>{}, {"--axes=1,0"}, {"--axes", "-1,-2"}, {"--team-size=1", "--league-size=5"}}) {
    std::vector<std::string> arguments{inputs.file + ":/m", "--quiet", "--force", "--output", inputs.out + ":/t"};
    arguments.insert(arguments.end(), axes.begin(), axes.end());
    REQUIRE(transpose(arguments).status == 0);
    CHECK(Dataset(inputs.out + ":/t").info().shape == Shape{5, 3});
    CHECK(read_values<std::int32_t>(inputs.out + ":/t") ==
          std::vector<std::int32_t>{0, 5, 10, 1, 6, 11, 2, 7, 12, 3, 8, 13, 4, 9, 14});
  }
}

TEST_CASE("tessera-transpose: every host space gives the same") {
  const Inputs inputs;
  for (const auto& space : built_in_spaces()) {
    if (space == "cuda") continue;  // there may be no GPU where this runs
    INFO(space);
    REQUIRE(transpose({inputs.file + ":/m", "--quiet", "--force", "--output", inputs.out + ":/t", "--space", space})
                .status == 0);
    CHECK(read_values<std::int32_t>(inputs.out + ":/t") ==
          std::vector<std::int32_t>{0, 5, 10, 1, 6, 11, 2, 7, 12, 3, 8, 13, 4, 9, 14});
  }
}

TEST_CASE("tessera-transpose: what leaves the order of elements is a copy") {
  const Inputs inputs;
  const auto copied = [&](const std::string& name, const std::vector<std::string>& axes) {
    std::vector<std::string> arguments{inputs.file + ":/" + name, "--quiet", "--force", "--output", inputs.out + ":/t"};
    arguments.insert(arguments.end(), axes.begin(), axes.end());
    REQUIRE(transpose(arguments).status == 0);
    return read_values<std::int32_t>(inputs.out + ":/t");
  };
  CHECK(copied("m", {"--axes=0,1"}) == numbers(15));
  CHECK(Dataset(inputs.out + ":/t").info().shape == Shape{3, 5});
  CHECK(copied("v", {}) == numbers(7));
  CHECK(copied("v", {"--axes=0"}) == numbers(7));
  CHECK(copied("s", {}) == numbers(1));
  CHECK(Dataset(inputs.out + ":/t").info().shape.empty());
  REQUIRE(transpose({inputs.file + ":/none", "--quiet", "--output", inputs.out + ":/e"}).status == 0);
  CHECK(Dataset(inputs.out + ":/e").info().shape == Shape{4, 0});
}

TEST_CASE("tessera-transpose: elements of 1 to 16 bytes keep their type and every bit") {
  const Folder folder;
  const std::string file = folder / "in.h5", out = folder / "out.h5";
  constexpr std::uint64_t rows = 37, columns = 41;
  std::vector<unsigned char> bytes(rows * columns * 16);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 97 + i / 251);
  {
    const auto in = create_file(file);
    for (std::uint64_t size = 1; size <= 16; ++size) {
      const Handle type(H5Tcreate(H5T_OPAQUE, size), H5Tclose);
      REQUIRE(H5Tset_tag(type.get(), "bytes") >= 0);
      add_dataset(in.get(), "opaque" + std::to_string(size), type.get(), {rows, columns}, type.get(), bytes.data());
    }
    add_dataset(in.get(), "big_endian", H5T_IEEE_F64BE, {rows, columns}, H5T_IEEE_F64BE, bytes.data());
    const Handle complex = complex_type(H5T_IEEE_F64BE);
    add_dataset(in.get(), "complex", complex.get(), {rows, columns}, complex.get(), bytes.data());
  }
  const auto check = [&](const std::string& name, std::uint64_t size) {
    INFO(name);
    const ProgramEnd end = transpose({file + ":/" + name, "--verify=full", "--quiet", "--output", out + ":/" + name});
    INFO(end.err);
    REQUIRE(end.status == 0);
    const Dataset turned(out + ":/" + name);
    CHECK(turned.info().stored_type == Dataset(file + ":/" + name).info().stored_type);
    const HostBuffer raw = turned.read_raw();
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < rows; ++i) {
      for (std::uint64_t j = 0; j < columns; ++j) {
        for (std::uint64_t byte = 0; byte < size; ++byte) {
          wrong += raw.as<unsigned char>()[(j * rows + i) * size + byte] != bytes[(i * columns + j) * size + byte];
        }
      }
    }
    CHECK(wrong == 0);
  };
  for (std::uint64_t size = 1; size <= 16; ++size) check("opaque" + std::to_string(size), size);
  check("big_endian", 8);
  check("complex", 16);
}

TEST_CASE("tessera-transpose: the record of a run") {
  const Inputs inputs;
  const std::string plot = inputs.folder / "t.svg";
  const auto record =
      record_of(transpose({inputs.file + ":/m[:2]", "--json=-", "--quiet", "--variant=all", "--plot", plot}));
  REQUIRE(record["runs"].size() == 1);
  const auto& run = record["runs"][0];
  CHECK(record["app"] == "tessera-transpose");
  CHECK(run["operation"] == "transpose");
  CHECK(run["variant"] == "padded");
  CHECK(run["bytes"] == 2 * 10 * 4);
  CHECK(run["plan"]["pad"] == 1);
  CHECK(run["verification"]["method"] == "bytes of all outputs");
  CHECK(run["verification"]["passed"] == true);
  CHECK(record["results"].empty());
  const std::string picture = bytes_of_file(plot);
  for (const auto* text : {">tessera-transpose: in.h5:/m[:2], int32 ", ">transpose padded</text>", ">copy ceiling "}) {
    INFO(text);
    CHECK(picture.find(text) != std::string::npos);
  }
}

TEST_CASE("tessera-transpose: answers that need no input") {
  CHECK(run_program(program, {"--variant", "list"}).out == "automatic\npadded\n");
  CHECK(run_program(program, {"--help"}).out.find("--axes") != std::string::npos);
  CHECK(run_program(program, {"--version"}).out.starts_with("tessera-transpose "));
}

TEST_CASE("tessera-transpose: bad usage and bad input") {
  const Inputs inputs;
  const std::string m = inputs.file + ":/m";
  CHECK(refused({m, "--axes=1"}) == m + ": --axes: 1 axes are given for rank 2; name each once");
  CHECK(refused({m, "--axes=1,1"}) == m + ": --axes: axis 1 is given twice");
  CHECK(refused({m, "--axes=1,-1"}) == m + ": --axes: axis 1 is given twice");
  CHECK(refused({m, "--axes=2,0"}) == m + ": --axes: 2 is out of range for rank 2");
  CHECK(refused({m, "--axes", "-3,0"}) == m + ": --axes: -3 is out of range for rank 2");
  CHECK(refused({m, "--axes=1,x"}) == m + ": --axes: `x` is not a whole number");
  CHECK(refused({m, "--axes=1,0,"}) == m + ": --axes: `` is not a whole number");
  CHECK(refused({inputs.file + ":/cube"}) ==
        inputs.file + ":/cube: rank 3 of (2, 3, 4) is not supported: arrays of rank 0 to 2 can be transposed");
  CHECK(refused({m, "--in-place"}).starts_with("unknown option `--in-place`; did you mean"));
  CHECK(refused({m, "--output", inputs.file + ":/v"}) ==
        inputs.file + ":/v: exists already; give --force to replace it");
  CHECK(refused({inputs.folder / "nothing.h5"}) == inputs.folder / "nothing.h5: no such file");
}

TEST_CASE("tessera-transpose: the output may lie in the input's file") {
  const Inputs inputs;
  REQUIRE(transpose({inputs.file + ":/m", "--quiet", "--output", inputs.file + ":/t"}).status == 0);
  REQUIRE(transpose({inputs.file + ":/t", "--quiet", "--force", "--output", inputs.file + ":/m"}).status == 0);
  CHECK(read_values<std::int32_t>(inputs.file + ":/m") == numbers(15));
  CHECK(read_values<std::int32_t>(inputs.file + ":/v") == numbers(7));
}

TEST_CASE("tessera-transpose: elements too large, and arrays too large") {
  const Folder folder;
  const std::string file = folder / "in.h5";
  {
    const auto in = create_file(file);
    const Handle type(H5Tcreate(H5T_OPAQUE, 17), H5Tclose);
    REQUIRE(H5Tset_tag(type.get(), "bytes") >= 0);
    const std::vector<char> bytes(34);
    add_dataset(in.get(), "large", type.get(), {1, 2}, type.get(), bytes.data());
    add_dataset(in.get(), "huge", H5T_NATIVE_INT32, {1 << 21, 1 << 21}, H5T_NATIVE_INT32, nullptr,
                chunked_list({32, 32}).get());
  }
  CHECK(refused({file + ":/large"}).starts_with(file + ":/large: "));
  CHECK(refused({file + ":/huge"}, 3).starts_with(file + ":/huge: needs 35.18 TB of host memory, "));
}

TEST_CASE("tessera-transpose: a wrong result is exit status 1, with its record, and is not written") {
  const Inputs inputs;
  const ProgramEnd end = run_quickly(TESSERA_FAULTY_TRANSPOSE, {inputs.file + ":/m", "--json", "-", "--quiet"});
  CHECK(end.status == 1);
  CHECK(end.err == "tessera-transpose: error: " + inputs.file +
                       ":/m: transpose (padded) did not verify: index (0, 1): got 0x01000000, expected 0x05000000; 12 "
                       "of 15 checked are wrong\n");
  CHECK(record_of(end)["runs"][0]["verification"]["passed"] == false);
}

}  // namespace tessera::apps::test

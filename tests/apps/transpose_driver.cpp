// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "apps/transpose_driver_support.hpp"
#include "device/session.hpp"

namespace tessera::apps::test {
namespace {

struct Inputs {
  Folder folder;
  std::string file = folder / "in.h5", out = folder / "out.h5";

  Inputs() {
    const auto in = create_file(file);
    add_numbers(in.get(), "m", {3, 5});
    add_numbers(in.get(), "v", {7});
    add_numbers(in.get(), "s", {});
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

TEST_CASE("tessera-transpose: the record of a run") {
  const Inputs inputs;
  const std::string plot = inputs.folder / "t.svg";
  const auto record =
      record_of(transpose({inputs.file + ":/m[:2]", "--json=-", "--quiet", "--variant=all", "--plot", plot}));
  REQUIRE(record["runs"].size() == 5);
  std::vector<std::string> variants;
  for (const auto& run : record["runs"]) {
    variants.push_back(run["variant"]);
    CHECK(run["verification"]["passed"] == true);
    for (const auto* field : {"league_size", "team_size", "vector_length", "access_bytes", "tile_rows", "tile_columns",
                              "pad", "scratch_bytes"}) {
      INFO(field);
      CHECK(run["plan"][field].is_number_integer());
    }
    CHECK(run["plan"]["access_bytes"] >= 4);
  }
  CHECK(variants == std::vector<std::string>{"naive", "tiled", "padded", "swizzled", "packed"});
  CHECK(record["runs"][2]["plan"]["pad"] == 1);
  const auto& run = record["runs"][4];
  CHECK(record["app"] == "tessera-transpose");
  CHECK(run["operation"] == "transpose");
  CHECK(run["bytes"] == 2 * 10 * 4);
  CHECK(run["verification"]["method"] == "bytes of all outputs");
  CHECK(record["results"].empty());
  const std::string picture = bytes_of_file(plot);
  for (const auto* text : {">tessera-transpose: in.h5:/m[:2], int32 ", ">transpose packed</text>", ">copy ceiling "}) {
    INFO(text);
    CHECK(picture.find(text) != std::string::npos);
  }
}

TEST_CASE("tessera-transpose: answers that need no input") {
  CHECK(run_program(TESSERA_TRANSPOSE, {"--variant", "list"}).out ==
        "automatic\nnaive\ntiled\npadded\nswizzled\npacked\nswapped_tiles\nc2r\nr2c\nchunks\nblocks\n");
  CHECK(run_program(TESSERA_TRANSPOSE, {"--help"}).out.find("--axes") != std::string::npos);
  CHECK(run_program(TESSERA_TRANSPOSE, {"--version"}).out.starts_with("tessera-transpose "));
}

TEST_CASE("tessera-transpose: bad usage and bad input") {
  const Inputs inputs;
  const std::string m = inputs.file + ":/m";
  CHECK(transpose_refused({m, "--inplace"}).starts_with("unknown option `--inplace`; did you mean `--in-place`?"));
  CHECK(transpose_refused({m, "--variant=wide"}).starts_with("--variant: "));
  CHECK(transpose_refused({m, "--output", inputs.file + ":/v"}) ==
        inputs.file + ":/v: exists already; give --force to replace it");
  CHECK(transpose_refused({inputs.folder / "nothing.h5"}) == inputs.folder / "nothing.h5: no such file");
}

TEST_CASE("tessera-transpose: the output may lie in the input's file") {
  const Inputs inputs;
  REQUIRE(transpose({inputs.file + ":/m", "--quiet", "--output", inputs.file + ":/t"}).status == 0);
  REQUIRE(transpose({inputs.file + ":/t", "--quiet", "--force", "--output", inputs.file + ":/m"}).status == 0);
  CHECK(read_values<std::int32_t>(inputs.file + ":/m") == numbers(15));
  CHECK(read_values<std::int32_t>(inputs.file + ":/v") == numbers(7));
}

TEST_CASE("tessera-transpose: arrays too large") {
  const Folder folder;
  const std::string file = folder / "in.h5";
  add_dataset(create_file(file).get(), "huge", H5T_NATIVE_INT32, {1 << 21, 1 << 21}, H5T_NATIVE_INT32, nullptr,
              chunked_list({32, 32}).get());
  CHECK(transpose_refused({file + ":/huge"}, 3).starts_with(file + ":/huge: needs 35.18 TB of host memory, "));
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

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "apps/transpose_driver_support.hpp"

namespace tessera::apps::test {
namespace {

/// A file with one dataset x of opaque elements.
struct OpaqueInput {
  Folder folder;
  std::string file = folder / "in.h5";

  OpaqueInput(const Shape& shape, std::size_t element_bytes) {
    const Handle type(H5Tcreate(H5T_OPAQUE, element_bytes), H5Tclose);
    REQUIRE(H5Tset_tag(type.get(), "bytes") >= 0);
    const Bytes bytes = mixed_bytes(element_count(shape) * element_bytes);
    add_dataset(create_file(file).get(), "x", type.get(), shape, type.get(), bytes.data());
  }
  void check(const std::vector<std::size_t>& axes, std::vector<std::string> arguments = {}) const {
    arguments.emplace_back("--in-place");
    check_transpose(file, "x", axes, arguments);
  }
};

std::string refused_in_place(const OpaqueInput& input, std::vector<std::string> arguments) {
  const std::string name = input.file + ":/x";
  arguments.insert(arguments.begin(), {name, "--in-place"});
  const std::string line = transpose_refused(arguments);
  REQUIRE(line.starts_with(name + ": "));
  return line.substr(name.size() + 2);
}

}  // namespace

TEST_CASE("tessera-transpose --in-place: square and rectangular matrices of every element size") {
  for (std::size_t bytes = 1; bytes <= 16; ++bytes) {
    INFO(bytes);
    OpaqueInput({65, 65}, bytes).check({1, 0}, {"--variant=all"});
    OpaqueInput({36, 70}, bytes).check({1, 0}, {"--variant=all"});
    OpaqueInput({71, 5}, bytes).check({1, 0});
  }
}

TEST_CASE("tessera-transpose --in-place: however often it is repeated") {
  for (const auto* repeat : {"--repeat=1", "--repeat=2", "--repeat=3"}) {
    for (const auto* warmup : {"--warmup=0", "--warmup=1"}) {
      OpaqueInput({33, 33}, 4).check({1, 0}, {repeat, warmup, "--space=openmp"});
      OpaqueInput({33, 44}, 4).check({1, 0}, {repeat, warmup});
    }
  }
}

TEST_CASE("tessera-transpose --in-place: square matrices each by itself, and axes that act as one") {
  const OpaqueInput stack({5, 34, 34}, 8);
  stack.check({0, 2, 1}, {"--variant=all"});
  OpaqueInput({2, 3, 34, 34}, 2).check({0, 1, 3, 2});
  OpaqueInput({4, 6, 24}, 4).check({2, 0, 1});              // 24 x 24
  OpaqueInput({4, 5, 6}, 4).check({1, 2, 0});               // 4 x 30
  OpaqueInput({1, 9, 1, 20, 1}, 4).check({3, 4, 2, 1, 0});  // 9 x 20
  OpaqueInput({40, 50, 3}, 1).check({1, 0, 2});             // elements of three bytes
  OpaqueInput({3, 20, 20, 2}, 8).check({0, 2, 1, 3});       // of sixteen
}

TEST_CASE("tessera-transpose --in-place: nothing to do") {
  OpaqueInput({6, 7}, 4).check({0, 1});
  OpaqueInput({6, 7, 8}, 16).check({0, 1, 2});
  OpaqueInput({}, 4).check({});
  OpaqueInput({11}, 4).check({0});
  OpaqueInput({1, 11}, 4).check({1, 0});
  OpaqueInput({0, 7}, 4).check({1, 0}, {"--variant=all"});
  OpaqueInput({0, 5, 5}, 4).check({0, 2, 1});
  OpaqueInput({3, 4, 0}, 4).check({1, 0, 2});
  OpaqueInput({3, 3, 0}, 40).check({1, 0, 2});
  OpaqueInput({0, 3, 4}, 4).check({0, 2, 1});
}

TEST_CASE("tessera-transpose --in-place: the record of a run") {
  const OpaqueInput input({36, 70}, 4), stack({5, 34, 34}, 8);
  const auto runs_of = [](const OpaqueInput& of, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{of.file + ":/x", "--in-place", "--json=-", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return record_of(transpose(arguments))["runs"];
  };
  const auto runs = runs_of(input, {"--variant=all"});
  REQUIRE((runs.size() == 3 || runs.size() == 4));  // chunks are for hosts
  for (const auto& run : runs) {
    const bool in_two = run["variant"] == "chunks" || run["variant"] == "blocks";
    CHECK((run["variant"] == "c2r" || run["variant"] == "r2c" || in_two));
    const int passes = in_two ? 2 : 3;
    CHECK(run["operation"] == "transpose");
    CHECK(run["bytes"] == 2 * 36 * 70 * 4);
    CHECK(run["plan"]["passes"] == passes);
    CHECK(run["plan"]["bytes_moved"] == passes * 2 * 36 * 70 * 4);
    for (const auto* field :
         {"league_size", "team_size", "row_team_size", "vector_length", "tile_rows", "tile_columns", "block_rows",
          "block_columns", "rows_aside", "columns_aside", "scratch_bytes", "workspace_bytes"}) {
      INFO(field);
      CHECK(run["plan"][field].is_number_integer());
    }
    CHECK(run["verification"]["passed"] == true);
  }
  CHECK(runs[0]["variant"] != runs[1]["variant"]);
  const auto run = runs_of(stack, {"--axes=0,2,1"})[0];
  CHECK(run["variant"] == "swapped_tiles");
  CHECK(run["plan"]["passes"] == 1);
  CHECK(run["plan"]["bytes_moved"] == 2 * 5 * 34 * 34 * 8);
}

TEST_CASE("tessera-transpose --in-place: what cannot be done is refused") {
  CHECK(refused_in_place({{4, 5, 6}, 4}, {}) ==
        "--in-place: axes (2, 1, 0) of shape (4, 5, 6) are not the transpose of one matrix, nor of square ones each by "
        "itself; leave it out");
  CHECK(refused_in_place({{4, 5, 6}, 4}, {"--axes=0,2,1"}) ==
        "--in-place: axes (0, 2, 1) of shape (4, 5, 6) are not the transpose of one matrix, nor of square ones each by "
        "itself; leave it out");
  CHECK(refused_in_place({{4, 5}, 17}, {}) ==
        "--in-place: elements of 17 bytes; those of 1 to 16 can be moved in place; leave it out");
  CHECK(refused_in_place({{4, 5, 6}, 4}, {"--axes=1,0,2"}) ==
        "--in-place: elements of 24 bytes; those of 1 to 16 can be moved in place; leave it out");
  CHECK(refused_in_place({{4, 5}, 4}, {"--axes=1,1"}) == "--axes: axis 1 is given twice");
  CHECK(
      refused_in_place({{4, 5}, 4}, {"--variant=swapped_tiles"}) ==
      "tessera::transpose_in_place: argument `options`: variant swapped_tiles for 4 x 5; expected a square matrix, or "
      "variant c2r, r2c, blocks or chunks; automatic takes what the shape allows");
  const OpaqueInput input({4, 5}, 4);
  const std::string x = input.file + ":/x";
  CHECK(transpose_refused({x, "--in-place", "--variant=naive"}) ==
        "--variant: naive does not work in place; with --in-place there are automatic, swapped_tiles, c2r, r2c, "
        "chunks, blocks, all");
  CHECK(transpose_refused({x, "--variant=c2r"}) ==
        "--variant: c2r works in place alone; without --in-place there are automatic, naive, tiled, padded, swizzled, "
        "packed, all");
  const ProgramEnd all = transpose({x, "--in-place", "--variant=all"});
  CHECK(all.status == 0);
  CHECK(all.out.find("\n  left out   swapped_tiles: cannot do this transpose\n") != std::string::npos);
}

TEST_CASE("tessera-transpose --in-place: a wrong result is found") {
  const OpaqueInput input({4, 5}, 4);
  const ProgramEnd end = run_quickly(TESSERA_FAULTY_TRANSPOSE, {input.file + ":/x", "--in-place", "--quiet"});
  CHECK(end.status == 1);
  CHECK(end.err.find("did not verify: index (0, 1): got 0x") != std::string::npos);
}

}  // namespace tessera::apps::test

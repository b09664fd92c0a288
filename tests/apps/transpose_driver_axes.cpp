// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <numeric>

#include "apps/transpose_driver_support.hpp"

namespace tessera::apps::test {
namespace {

std::vector<std::size_t> axes_in_order(std::size_t rank) {
  std::vector<std::size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  return axes;
}

std::vector<std::size_t> reversed_axes(std::size_t rank) {
  std::vector<std::size_t> axes = axes_in_order(rank);
  std::reverse(axes.begin(), axes.end());
  return axes;
}

/// Of rank 32; twelve axes have two elements.
Shape deepest_shape() {
  Shape shape(32, 1);
  for (std::size_t axis = 0; axis < 32; axis += axis < 8 ? 1 : 6) shape[axis] = 2;
  return shape;
}

}  // namespace

TEST_CASE("tessera-transpose: every permutation of three axes") {
  const Folder folder;
  const std::string file = folder / "in.h5";
  add_numbers(create_file(file).get(), "cube", {7, 33, 65});
  std::vector<std::size_t> axes = axes_in_order(3);
  do check_transpose(file, "cube", axes, {"--variant=all"});
  while (std::next_permutation(axes.begin(), axes.end()));
}

TEST_CASE("tessera-transpose: every variant by its name") {
  const Folder folder;
  const std::string file = folder / "in.h5";
  add_numbers(create_file(file).get(), "cube", {3, 70, 66});
  for (const auto* variant : {"automatic", "naive", "tiled", "padded", "swizzled", "packed"}) {
    INFO(variant);
    const std::string option = std::string("--variant=") + variant;
    check_transpose(file, "cube", {2, 0, 1}, {option});
    const auto record = record_of(transpose({file + ":/cube", option, "--json=-", "--quiet"}));
    if (option != "--variant=automatic") CHECK(record["runs"][0]["variant"] == variant);
    CHECK(record["runs"][0]["verification"]["passed"] == true);
  }
}

TEST_CASE("tessera-transpose: ranks from 0 to 32") {
  const Folder folder;
  const std::string file = folder / "in.h5";
  const Shape ten{2, 3, 1, 2, 3, 2, 1, 2, 3, 2}, twenty{2, 1, 2, 3, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 3};
  {
    const auto in = create_file(file);
    for (const auto& shape : {Shape{}, {11}, {5, 9}, {4, 5, 6}, {3, 4, 5, 6, 7}, ten, twenty, deepest_shape()}) {
      add_numbers(in.get(), "rank" + std::to_string(shape.size()), shape);
    }
    add_numbers(in.get(), "chunks", ten, chunked_list({1, 2, 1, 2, 2, 1, 1, 2, 3, 1}).get());
    add_numbers(in.get(), "deep_chunks", deepest_shape(), chunked_list(Shape(32, 1)).get());
  }
  for (const std::size_t rank : {0U, 1U, 2U, 3U, 5U, 10U, 20U, 32U}) {
    const std::string name = "rank" + std::to_string(rank);
    check_transpose(file, name, reversed_axes(rank));
    check_transpose(file, name, axes_in_order(rank));
    std::vector<std::size_t> rotated = axes_in_order(rank);
    if (rank > 1) std::rotate(rotated.begin(), rotated.begin() + 1, rotated.end());
    check_transpose(file, name, rotated, {"--variant=all"});
  }
  check_transpose(file, "rank5", {3, 1, 4, 0, 2});
  check_transpose(file, "rank10", {7, 2, 9, 0, 5, 4, 1, 8, 3, 6});
  check_transpose(file, "chunks", {7, 2, 9, 0, 5, 4, 1, 8, 3, 6});
  check_transpose(file, "deep_chunks", reversed_axes(32));
}

TEST_CASE("tessera-transpose: selections of any rank are permuted") {
  const Folder folder;
  const std::string file = folder / "in.h5", out = folder / "out.h5";
  add_numbers(create_file(file).get(), "x", {2, 1, 3, 1, 1, 2, 1, 1, 1, 4, 2});
  REQUIRE(transpose({file + ":/x[1,...,::-2,1]", "--quiet", "--output", out + ":/t"}).status == 0);
  const Dataset turned(out + ":/t", moved_rank_max);
  CHECK(turned.info().shape == Shape{2, 1, 1, 1, 2, 1, 1, 3, 1});
  std::vector<std::int32_t> expected;
  for (const std::int32_t last : {3, 1}) {
    for (std::int32_t middle = 0; middle < 2; ++middle) {
      for (std::int32_t first = 0; first < 3; ++first) {
        expected.push_back((((3 + first) * 2 + middle) * 4 + last) * 2 + 1);
      }
    }
  }
  CHECK(values_of<std::int32_t>(turned.read()) == expected);
}

TEST_CASE("tessera-transpose: negative axes count from the end") {
  const Folder folder;
  const std::string file = folder / "in.h5", out = folder / "out.h5";
  add_numbers(create_file(file).get(), "cube", {2, 3, 4});
  for (const auto* axes : {"-1,-3,-2", "2,-3,1", "-1,0,1"}) {
    INFO(axes);
    REQUIRE(transpose({file + ":/cube", "--axes", axes, "--quiet", "--force", "--output", out + ":/t"}).status == 0);
    CHECK(Dataset(out + ":/t").info().shape == Shape{4, 2, 3});
    CHECK(read_values<std::int32_t>(out + ":/t") == std::vector<std::int32_t>{0,  4,  8,  12, 16, 20, 1,  5,
                                                                              9,  13, 17, 21, 2,  6,  10, 14,
                                                                              18, 22, 3,  7,  11, 15, 19, 23});
  }
}

TEST_CASE("tessera-transpose: axes of one element, and of none") {
  const Folder folder;
  const std::string file = folder / "in.h5";
  {
    const auto in = create_file(file);
    for (const auto& [name, shape] : {std::pair<std::string, Shape>{"row", {1, 9}},
                                      {"column", {9, 1}},
                                      {"thin", {1, 40, 1, 50, 1}},
                                      {"one", {1, 1, 1}},
                                      {"empty", {3, 0, 4}},
                                      {"emptier", {0, 0}},
                                      {"none", {0}}}) {
      add_numbers(in.get(), name, shape);
    }
  }
  check_transpose(file, "row", {1, 0}, {"--variant=all"});
  check_transpose(file, "column", {1, 0});
  check_transpose(file, "thin", {3, 2, 1, 0, 4}, {"--variant=all"});
  check_transpose(file, "thin", {4, 0, 2, 1, 3});
  check_transpose(file, "one", {2, 0, 1});
  check_transpose(file, "empty", {2, 1, 0}, {"--variant=all"});
  check_transpose(file, "emptier", {1, 0});
  check_transpose(file, "none", {0});
  const auto record = record_of(transpose({file + ":/empty", "--json=-", "--quiet"}));
  CHECK(record["runs"][0]["bytes"] == 0);
  CHECK(record["runs"][0]["verification"]["passed"] == true);
}

TEST_CASE("tessera-transpose: axes that are no permutation are refused") {
  const Folder folder;
  const std::string file = folder / "in.h5", cube = file + ":/cube";
  add_numbers(create_file(file).get(), "cube", {2, 3, 4});
  const auto refused = [&](const std::string& axes) {
    const std::string line = transpose_refused({cube, "--axes", axes});
    REQUIRE(line.starts_with(cube + ": --axes: "));
    return line.substr(cube.size() + std::string(": --axes: ").size());
  };
  CHECK(refused("1") == "1 axes are given for rank 3; name each once");
  CHECK(refused("2,1") == "2 axes are given for rank 3; name each once");
  CHECK(refused("0,1,2,0") == "axis 0 is given twice");
  CHECK(refused("1,1,0") == "axis 1 is given twice");
  CHECK(refused("2,0,-1") == "axis 2 is given twice");
  CHECK(refused("3,0,1") == "3 is out of range for rank 3");
  CHECK(refused("0,1,-4") == "-4 is out of range for rank 3");
  CHECK(refused("1,x,0") == "`x` is not a whole number");
  CHECK(refused("2,1,0,") == "`` is not a whole number");
}

TEST_CASE("tessera-transpose: variants that cannot are listed, and refused by name") {
  const Folder folder;
  const std::string file = folder / "in.h5", deep = file + ":/deep";
  add_numbers(create_file(file).get(), "deep", deepest_shape());
  const ProgramEnd all = transpose({deep, "--variant=all"});
  INFO(all.out);
  CHECK(all.status == 0);
  for (const auto* variant : {"tiled", "padded", "swizzled"}) {
    CHECK(all.out.find("\n  left out   " + std::string(variant) + ": cannot do this transpose\n") != std::string::npos);
    CHECK(transpose_refused({deep, std::string("--variant=") + variant}) ==
          deep + ": tessera::permute_array: argument `options`: variant " + variant +
              ", and 12 axes that cannot be merged; expected automatic, naive or packed; the others take 8 axes");
  }
  CHECK(all.out.find("\n  transpose  naive ") < all.out.find("\n  transpose  packed "));
  CHECK(all.out.find("\n  transpose  packed ") != std::string::npos);
  CHECK(all.out.find("WRONG") == std::string::npos);
  // What no variant can do is refused.
  CHECK(
      transpose_refused({deep, "--variant=all", "--team-size=5000"}).starts_with(deep + ": tessera::permute_array: "));
}

}  // namespace tessera::apps::test

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/selection.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "io_support.hpp"

namespace tessera::apps::test {
namespace {

/// The indices that a one-dimensional selection names, in its order.
std::vector<std::uint64_t> chosen(const std::string& text, std::uint64_t extent) {
  const ResolvedSelection resolved = Selection(text).resolve({extent});
  const SelectedAxis& axis = resolved.axes.at(0);
  std::vector<std::uint64_t> indices;
  for (std::uint64_t i = 0; i < axis.count; ++i) {
    const std::uint64_t rank = axis.reversed ? axis.count - 1 - i : i;
    indices.push_back(axis.start + rank * axis.stride);
  }
  return indices;
}

using Indices = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("slices choose what NumPy's choose") {
  // Each right-hand side is what numpy.arange(5)[..] gives.
  CHECK(chosen("", 5) == Indices{0, 1, 2, 3, 4});
  CHECK(chosen("[:]", 5) == Indices{0, 1, 2, 3, 4});
  CHECK(chosen("[...]", 5) == Indices{0, 1, 2, 3, 4});
  CHECK(chosen("[1:4]", 5) == Indices{1, 2, 3});
  CHECK(chosen("[ 1 : 4 ]", 5) == Indices{1, 2, 3});
  CHECK(chosen("[:-1]", 5) == Indices{0, 1, 2, 3});
  CHECK(chosen("[-2:]", 5) == Indices{3, 4});
  CHECK(chosen("[::2]", 5) == Indices{0, 2, 4});
  CHECK(chosen("[1::3]", 5) == Indices{1, 4});
  CHECK(chosen("[::-1]", 5) == Indices{4, 3, 2, 1, 0});
  CHECK(chosen("[::-2]", 5) == Indices{4, 2, 0});
  CHECK(chosen("[3:0:-1]", 5) == Indices{3, 2, 1});
  CHECK(chosen("[3::-2]", 5) == Indices{3, 1});
  CHECK(chosen("[:1:-1]", 5) == Indices{4, 3, 2});
  CHECK(chosen("[4:1:-5]", 5) == Indices{4});
}

TEST_CASE("slices out of range clamp, and may be empty") {
  CHECK(chosen("[2:100]", 5) == Indices{2, 3, 4});
  CHECK(chosen("[-100:2]", 5) == Indices{0, 1});
  CHECK(chosen("[100::-1]", 5) == Indices{4, 3, 2, 1, 0});
  CHECK(chosen("[:-100:-1]", 5) == Indices{4, 3, 2, 1, 0});
  CHECK(chosen("[5:]", 5).empty());
  CHECK(chosen("[3:3]", 5).empty());
  CHECK(chosen("[3:1]", 5).empty());
  CHECK(chosen("[1:3:-1]", 5).empty());
  CHECK(chosen("[:]", 0).empty());
  CHECK(chosen("[::-1]", 0).empty());
  CHECK(chosen("[0:99999999999999999999999]", 5) == Indices{0, 1, 2, 3, 4});
  CHECK(chosen("[::-99999999999999999999999]", 5) == Indices{4});
}

TEST_CASE("an index drops its axis, an ellipsis stands for the axes not named") {
  const Shape extents{4, 5, 6};
  CHECK(Selection("[1]").resolve(extents).shape() == Shape{5, 6});
  CHECK(Selection("[-1,...]").resolve(extents).axes[0].start == 3);
  CHECK(Selection("[...,-1]").resolve(extents).axes[2].start == 5);
  CHECK(Selection("[...,3]").resolve(extents).shape() == Shape{4, 5});
  CHECK(Selection("[1,...,2]").resolve(extents).shape() == Shape{5});
  CHECK(Selection("[1,2,3]").resolve(extents).shape().empty());
  CHECK(Selection("[1,2,3,...]").resolve(extents).shape().empty());
  CHECK(Selection("[0:2,::2]").resolve(extents).shape() == Shape{2, 3, 6});
  CHECK(Selection("[0:2,...,1:3]").resolve(extents).shape() == Shape{2, 5, 2});
  CHECK(Selection("[1:1]").resolve(extents).shape() == Shape{0, 5, 6});
  CHECK(Selection("[...]").resolve({}).shape().empty());
}

TEST_CASE("a selection that means nothing is refused with its reason") {
  const auto message = [](const std::string& text) {
    return bad_input([&] { static_cast<void>(Selection(text).resolve({4, 5})); });
  };
  CHECK(message("[]") == "the selection '[]' is empty; write [...] for all or leave it out");
  CHECK(message("[a]") == "'a' in the selection '[a]' is not an index, a slice start:stop:step or '...'");
  CHECK(message("[1,]") == "'' in the selection '[1,]' is not an index, a slice start:stop:step or '...'");
  CHECK(message("[1:2:3:4]") ==
        "'1:2:3:4' in the selection '[1:2:3:4]' is not an index, a slice start:stop:step or '...'");
  CHECK(message("[1:x]") == "'1:x' in the selection '[1:x]' is not an index, a slice start:stop:step or '...'");
  CHECK(message("[1.5]") == "'1.5' in the selection '[1.5]' is not an index, a slice start:stop:step or '...'");
  CHECK(message("[...,...]") == "the selection '[...,...]' has more than one '...'");
  CHECK(message("[::0]") == "the slice '::0' in the selection '[::0]' has step 0");
  CHECK(message("[1,2,3]") == "the selection has 3 indices, the dataset 2 axes");
  CHECK(message("[4]") == "index 4 is out of range for axis 0 of extent 4");
  CHECK(message("[0,-6]") == "index -6 is out of range for axis 1 of extent 5");
  CHECK(bad_input([] { static_cast<void>(Selection("[0,0]").resolve({4})); }) ==
        "the selection has 2 indices, the dataset 1 axis");
  CHECK(bad_input([] { static_cast<void>(Selection("[0]").resolve({0})); }) ==
        "index 0 is out of range for axis 0 of extent 0");
  CHECK(no_resource([] { static_cast<void>(Selection("").resolve({~std::uint64_t{0}})); }) ==
        "axis 0 has 18446744073709551615 elements, more than 63 bits can count");
}

}  // namespace tessera::apps::test

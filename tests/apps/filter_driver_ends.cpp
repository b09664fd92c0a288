// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tessera-filter's modes that change sums and extents, and its NaN policies.
#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "apps/filter_inputs.hpp"
#include "reference/filter_reference.hpp"
#include "support/limits.hpp"

namespace tessera::apps::test {
namespace {

using reference::Edge;
using tessera::test::infinity;
using tessera::test::nan;
using Arguments = std::vector<std::string>;
using Doubles = std::vector<double>;

const std::string odd_weights = "--weights=0.5,-0.25,1,0.125,0.375";

template <class Wide>
reference::LinearFilter<Wide> filter_of(Edge left, Edge right, std::int64_t origin) {
  if constexpr (std::is_floating_point_v<Wide>) {
    return {.weights = {0.5L, -0.25L, 1, 0.125L, 0.375L}, .left = left, .right = right, .origin = origin};
  } else {
    return {.weights = {1, -10, 100, 1000, 10000}, .left = left, .right = right, .origin = origin};
  }
}

void check_sums(const FilterInputs& inputs, Edge left, Edge right, const Arguments& modes, std::int64_t origin) {
  Arguments arguments{odd_weights, "--origin=" + std::to_string(origin)};
  arguments.insert(arguments.end(), modes.begin(), modes.end());
  const auto expected = reference::filter_lines(inputs.x, extent, filter_of<long double>(left, right, origin));
  const auto got = inputs.filtered<double>("x", arguments);
  REQUIRE(got.size() == expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    INFO(modes[0] << ", output " << k);
    CHECK(std::abs(got[k] - expected[k].value) <= reference::linear_filter_bound<double, double>(expected[k], 5));
  }
}

}  // namespace

TEST_CASE("tessera-filter: modes odd, renormalise and valid") {
  const FilterInputs inputs;
  check_sums(inputs, Edge::odd, Edge::odd, {"--mode=odd"}, 1);
  check_sums(inputs, Edge::renormalise, Edge::renormalise, {"--mode=renormalise"}, -2);
  check_sums(inputs, Edge::valid, Edge::valid, {"--mode=valid"}, 0);
  check_sums(inputs, Edge::odd, Edge::renormalise, {"--mode=odd", "--mode-right=renormalise"}, 0);
  check_sums(inputs, Edge::valid, Edge::wrap, {"--mode=wrap", "--mode-left=valid"}, 1);
  check_sums(inputs, Edge::keep, Edge::valid, {"--mode=keep", "--mode-right=valid"}, 1);
  // Integers: exact, but scaled ones are computed in double.
  const auto exact = reference::filter_lines(inputs.i, extent, filter_of<reference::wide_int>(Edge::odd, Edge::odd, 0));
  const auto got = inputs.filtered<std::int64_t>("i", {"--weights=1,-10,100,1000,10000", "--mode=odd"});
  for (std::size_t k = 0; k < got.size(); ++k) CHECK(got[k] == exact[k].value);
  CHECK(inputs.filtered<double>("impulse", {"--weights=1,1,2", "--mode=renormalise"}) ==
        Doubles{0, 0, 0, 2, 1, 1, 0, 0, 0});
  CHECK(std::abs(inputs.filtered<double>("u", {"--weights=1,1,2", "--mode=renormalise"})[0] - 20 / 3.0) < 1e-14);
}

TEST_CASE("tessera-filter: odd ends that the other end's NaN or infinity does not reach") {
  const FilterInputs inputs;
  const auto check = [](const auto& got, const Doubles& expected) {
    REQUIRE(got.size() == expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      INFO("output " << k << ": " << got[k]);
      CHECK((std::isnan(expected[k]) ? std::isnan(got[k]) : got[k] == static_cast<float>(expected[k])));
    }
  };
  check(inputs.filtered<double>("nan_last", {"--weights=1,10,100", "--mode=odd"}), {210, 421, nan, nan});
  check(inputs.filtered<float>("inf_last", {"--weights=1,10,100", "--mode=odd"}),
        {210, 421, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()});
  (void)inputs.filtered<double>("nan_last", {"--weights=1,10,100", "--mode=odd", "--nan=omit"});
  // Further beyond the first element than the line is long, the last one stands for some.
  check(inputs.filtered<double>("nan_last", {"--weights=1,0,0,0,0,0,0,0,1", "--mode=odd"}), {nan, nan, nan, nan});
}

TEST_CASE("tessera-filter: odd ends that overflow, or meet an infinity at the other end") {
  const Folder folder;
  const std::string file = folder / "in.h5", out = folder / "out.h5";
  {
    const auto in = create_file(file);
    add_values<double>(in.get(), "huge", {1.5e308, 1, 1, -1.5e308});
    add_values<float>(in.get(), "inf", {1, 2, 3, std::numeric_limits<float>::infinity()});
  }
  const auto filter = [&](const std::string& name, const std::vector<std::string>& options) {
    std::vector<std::string> arguments{file + ":/" + name, "--mode=odd", "--verify=full", "--quiet",
                                       "--force",          "--output",   out + ":/r"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProgramEnd end = run_quickly(TESSERA_FILTER, arguments);
    INFO(end.err);
    REQUIRE(end.status == 0);
  };
  filter("huge", {"--weights=0.01,0.01,0.01"});
  filter("inf", {"--weights=1,1,1,1", "--origin=1"});
  // Element -3 is 2 x(0) - x(3).
  CHECK(read_values<float>(out + ":/r")[0] == static_cast<float>(-infinity));
}

TEST_CASE("tessera-filter: nothing that is left of the weights is 0 in integers") {
  const FilterInputs inputs;
  CHECK(inputs.filtered<std::int32_t>("bytes", {"--weights=2,-1,1", "--mode=renormalise", "--output-type=int32"}) ==
        std::vector<std::int32_t>{0, -132, -116, 243, 32});
}

TEST_CASE("tessera-filter: the shape of valid outputs") {
  const FilterInputs inputs;
  const std::string plot = inputs.folder / "p.svg";
  inputs.store(inputs.file + ":/x", {"--weights=1,2,3,4", "--mode=valid", "--convolve", "--plot", plot}, "r");
  CHECK(Dataset(inputs.out + ":/r").info().shape == Shape{lines, extent - 3});
  CHECK(bytes_of_file(plot).find("</svg>") != std::string::npos);
  inputs.store(inputs.file + ":/x", {"--weights=1,2,3,4", "--mode-left=valid", "--axis=0"}, "r");
  CHECK(Dataset(inputs.out + ":/r").info().shape == Shape{lines - 2, extent});
  const double sum = inputs.x[5] + 2 * inputs.x[extent + 5] + 7 * inputs.x[2 * extent + 5];
  CHECK(std::abs(read_values<double>(inputs.out + ":/r")[5] - sum) < 1e-12);
  inputs.store(inputs.file + ":/x", {"--weights=1,2,3,4", "--mode=valid", "--axis=0"}, "r");
  CHECK(Dataset(inputs.out + ":/r").info().shape == Shape{0, extent});
}

TEST_CASE("tessera-filter: NaN are omitted or refused where that is asked for") {
  const FilterInputs inputs;
  std::vector<double> x = inputs.x;
  for (const std::size_t k : {std::size_t{0}, std::size_t{40}, std::size_t{41}, std::size_t{100}}) x[k] = std::nan("");
  const std::string file = inputs.folder / "nan.h5";
  add_values(create_file(file).get(), "x", x, {lines, extent});
  auto filter = filter_of<long double>(Edge::reflect, Edge::keep, 0);
  filter.omit_nan = true;
  const auto expected = reference::filter_lines(x, extent, filter);
  inputs.store(file, {odd_weights, "--nan=omit", "--mode-right=keep"}, "r");
  const auto got = read_values<double>(inputs.out + ":/r");
  for (std::size_t k = 0; k < got.size(); ++k) {
    INFO("output " << k);
    CHECK(std::abs(got[k] - expected[k].value) <= reference::linear_filter_bound<double, double>(expected[k], 5));
  }
  CHECK(refusal_line(inputs.filter(file, {odd_weights, "--nan=error"}), 2, "tessera-filter") ==
        file +
            ":/x: tessera::filter: argument `in`: element 0 is NaN; expected no NaN, as NanPolicy::error asks; omit or "
            "propagate NaN");
  CHECK(inputs.filtered<double>("x", {odd_weights, "--nan=error", "--iterate=2"}) ==
        inputs.filtered<double>("x", {odd_weights, "--iterate=2"}));
  CHECK(inputs.filtered<std::int64_t>("i", {"--weights=1,2", "--nan=omit"}) ==
        inputs.filtered<std::int64_t>("i", {"--weights=1,2"}));
}

TEST_CASE("tessera-filter --nan error --iterate: refused as the run that reads the first NaN would be") {
  const FilterInputs inputs;
  const double inf = std::numeric_limits<double>::infinity();
  const std::string file = inputs.folder / "nan.h5";
  {
    const auto in = create_file(file);
    // The first application makes a NaN at 6 of two infinities side by side, each later one the next to its left.
    add_values<double>(in.get(), "nan", {0, 0, 0, 0, 0, std::nan(""), 0, 0});
    add_values<double>(in.get(), "inf", {0, 0, 0, 0, 0, inf, inf, 0});
    add_complex<double>(in.get(), "complex", {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, inf}, {0, inf}, {0, 0}});
  }
  const auto refused = [&](const std::string& name, const std::string& iterate) {
    return refusal_line(inputs.filter(file + ":/" + name, {"--weights=-1,1,1", "--nan=error", "--iterate", iterate}), 2,
                        "tessera-filter");
  };
  const auto says = [&](const std::string& name, const std::string& who, const std::string& index) {
    return file + ":/" + name + ": " + who + "tessera::filter: argument `in`: element " + index +
           " is NaN; expected no NaN, as NanPolicy::error asks; omit or propagate NaN";
  };
  for (const std::string iterate : {"1", "2", "5"}) CHECK(refused("nan", iterate) == says("nan", "", "5"));
  for (const std::string iterate : {"2", "3", "6"}) {
    CHECK(refused("inf", iterate) == says("inf", "application 2: ", "6"));
    CHECK(refused("complex", iterate) == says("complex", "application 2: ", "6"));
  }
}

TEST_CASE("tessera-filter: modes and policies that cannot be") {
  const FilterInputs inputs;
  const auto x = [&](const Arguments& arguments) { return inputs.refused(arguments); };
  CHECK(x({"--weights=1", "--nan=skip"}).starts_with("--nan: unknown name `skip`"));
  CHECK(x({"--weights=1,2", "--mode=valid", "--iterate=2"}) ==
        "--iterate: an application with mode valid leaves shorter lines; give one at a time");
  CHECK(x({"--weights=1,-1", "--mode=renormalise"}).find("weights with sum 0 under mode renormalise") !=
        std::string::npos);
  CHECK(inputs.refused({"--weights=1,1", "--mode=odd", "--output-type=float32"}, "i") ==
        inputs.file + ":/i: --output-type: int32 data would be rounded twice to float32; give float64");
}

}  // namespace tessera::apps::test

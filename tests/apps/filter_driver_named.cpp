// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tessera-filter's filters with a name, modes of one side, and repeated applications: whole outputs against direct
// evaluation and against runs through stored outputs.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

#include "apps/filter_inputs.hpp"
#include "reference/filter_reference.hpp"

namespace tessera::apps::test {
namespace {

using reference::Edge;
using Weights = std::vector<long double>;

/// The whole output of a convolution of x; the weights are one rounding away from the driver's.
void check_convolved(const FilterInputs& inputs, const Weights& weights, const std::vector<std::string>& arguments,
                     std::int64_t origin = 0) {
  const reference::LinearFilter<long double> filter{.weights = weights, .origin = origin, .convolve = true};
  const auto expected = reference::filter_lines(inputs.x, extent, filter);
  const auto got = inputs.filtered<double>("x", arguments);
  REQUIRE(got.size() == expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    INFO(arguments[0] << ", output " << k << ": got " << got[k] << ", expected " << expected[k].value);
    CHECK(std::abs(got[k] - expected[k].value) <=
          reference::linear_filter_bound<double, double>(expected[k], weights.size() + 1));
  }
}

/// exp(-x^2 / (2 sigma^2)) over its sum, times factor(x).
template <class Factor>
Weights gaussian(long double sigma, int radius, const Factor& factor) {
  Weights weights;
  long double sum = 0;
  for (int x = -radius; x <= radius; ++x) {
    weights.push_back(std::exp(-x * x / (2 * sigma * sigma)));
    sum += weights.back();
  }
  for (int x = -radius; x <= radius; ++x) {
    weights[static_cast<std::size_t>(x + radius)] *= factor(static_cast<long double>(x)) / sum;
  }
  return weights;
}

}  // namespace

TEST_CASE("tessera-filter: filters with a name convolve") {
  const FilterInputs inputs;
  const long double s = 1.7;
  check_convolved(inputs, gaussian(s, 7, [](long double) { return 1; }), {"--gaussian=1.7"});
  check_convolved(inputs, gaussian(s, 7, [&](long double x) { return -x / (s * s); }),
                  {"--gaussian=1.7", "--order=1", "--convolve"});
  check_convolved(inputs, gaussian(s, 5, [&](long double x) { return x * x / (s * s * s * s) - 1 / (s * s); }),
                  {"--gaussian", "1.7", "--order", "2", "--truncate", "3", "--origin=-2"}, -2);
  check_convolved(inputs, {0.03125, 0.15625, 0.3125, 0.3125, 0.15625, 0.03125}, {"--binomial=6"});
  Weights derivative{-22, 67, 58, 0, -58, -67, 22};  // A. Savitzky and M. J. E. Golay, 1964
  for (auto& weight : derivative) weight /= 252 * 0.5L;
  check_convolved(inputs, derivative, {"--savgol=7,3,1,0.5"});
  check_convolved(inputs, Weights{-3.0L / 35, 12.0L / 35, 17.0L / 35, 12.0L / 35, -3.0L / 35}, {"--savgol", "5,2"});
  // Whole weights: integers stay exact.
  CHECK(inputs.filtered<std::int64_t>("i", {"--gaussian=0"}) ==
        std::vector<std::int64_t>(inputs.i.begin(), inputs.i.end()));
  CHECK(inputs.filtered<std::int64_t>("u", {"--savgol=5,1,2"}) == std::vector<std::int64_t>(8));
}

TEST_CASE("tessera-filter: a mode for each side") {
  const FilterInputs inputs;
  const std::vector<reference::wide_int> weights{1, 10, 100, 1000, 10000};
  const auto check = [&](const std::vector<std::string>& modes, Edge left, Edge right) {
    const reference::LinearFilter<reference::wide_int> filter{
        .weights = weights, .left = left, .right = right, .cval = -7, .origin = 1};
    const auto expected = reference::filter_lines(inputs.i, extent, filter);
    std::vector<std::string> arguments{"--weights=1,10,100,1000,10000", "--cval=-7", "--origin=1"};
    arguments.insert(arguments.end(), modes.begin(), modes.end());
    const auto got = inputs.filtered<std::int64_t>("i", arguments);
    REQUIRE(got.size() == expected.size());
    for (std::size_t k = 0; k < got.size(); ++k) {
      INFO(modes[0] << ", output " << k);
      CHECK(got[k] == expected[k].value);
    }
  };
  check({"--mode-left=constant"}, Edge::constant, Edge::reflect);
  check({"--mode-right=constant"}, Edge::reflect, Edge::constant);
  check({"--mode=wrap", "--mode-left=keep"}, Edge::keep, Edge::wrap);
  check({"--mode-left=mirror", "--mode-right=keep"}, Edge::mirror, Edge::keep);
  check({"--mode=constant", "--mode-left=nearest", "--mode-right=mirror"}, Edge::nearest, Edge::mirror);
}

namespace {

/// N applications in one run give the bits of N runs through stored outputs, for N = 2 up to most.
template <class Out>
void check_iterated(const FilterInputs& inputs, int most, const std::string& name,
                    const std::vector<std::string>& arguments) {
  inputs.store(inputs.file + ":/" + name, arguments, "1");
  for (int n = 2; n <= most; ++n) {
    INFO(name << ", " << arguments[0] << ", " << n << " applications");
    const std::string number = std::to_string(n);
    inputs.store(inputs.out + ":/" + std::to_string(n - 1), arguments, number);
    std::vector<std::string> iterated = arguments;
    // Repeats begin with the input again.
    iterated.insert(iterated.end(), {"--iterate", number, "--repeat=2", "--warmup=1"});
    CHECK(inputs.filtered<Out>(name, iterated) == read_values<Out>(inputs.out + ":/" + number));
  }
}

}  // namespace

TEST_CASE("tessera-filter: --iterate gives the bits of runs through stored outputs") {
  const FilterInputs inputs;
  check_iterated<double>(inputs, 3, "x", {"--gaussian=1.1", "--mode=mirror"});
  check_iterated<float>(inputs, 2, "f",
                        {"--weights=0.3,0.2,0.6", "--mode=constant", "--cval=0.1", "--accumulate=double"});
  check_iterated<std::int64_t>(inputs, 3, "i", {"--weights=3,-1,2", "--mode-left=keep", "--mode-right=wrap"});
  check_iterated<double>(inputs, 2, "i", {"--binomial=3", "--mode=constant", "--cval=3"});
  check_iterated<std::int64_t>(inputs, 2, "u", {"--weights=1,-2", "--convolve"});
  CHECK(inputs.filtered<std::int64_t>("impulse", {"--weights=1,1,1", "--mode=constant", "--iterate=4"}) ==
        std::vector<std::int64_t>{1, 4, 10, 16, 19, 16, 10, 4, 1});
}

TEST_CASE("tessera-filter: applications that one call makes") {
  const FilterInputs inputs;
  const std::size_t size = 20011;
  std::vector<float> line;
  for (std::size_t k = 0; k < size; ++k) line.push_back(static_cast<float>(k * k % 1013) - 400);
  const std::string file = inputs.folder / "long.h5";
  add_values(create_file(file).get(), "f", line, {size});
  const std::vector<std::string> weights{"--weights=0.3,0.2,0.4", "--mode=mirror", "--variant=vectorized"};
  std::string read = file + ":/f";
  for (int n = 1; n <= 40; ++n) {
    inputs.store(read, weights, std::to_string(n));
    read = inputs.out + ":/" + std::to_string(n);
    if (n != 2 && n != 3 && n != 19 && n != 40) continue;
    std::vector<std::string> iterated = weights;
    iterated.insert(iterated.end(), {"--iterate", std::to_string(n), "--json=-", "--quiet", "--repeat=2", "--output",
                                     inputs.out + ":/r", "--force"});
    const auto run = record_of(inputs.filter(file + ":/f", iterated))["runs"][0];
    INFO(run.dump());
    CHECK(read_values<float>(inputs.out + ":/r") == read_values<float>(read));
    CHECK(run["plan"]["calls"] == (n == 2 ? 2 : n == 3 ? 2 : n == 19 ? 3 : 4));
    const std::string method = run["verification"]["method"];
    CHECK((method.find("; one by one, all applications left the same bits") != std::string::npos) == (n > 2));
  }
}

TEST_CASE("tessera-filter: the record of several applications") {
  const FilterInputs inputs;
  const auto run_of = [&](const std::string& name, std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--json=-", "--quiet"});
    return record_of(inputs.filter(inputs.file + ":/" + name, arguments))["runs"][0];
  };
  const auto run = run_of("i", {"--binomial=4", "--iterate=5"});
  CHECK(run["operation"] == "binomial");
  CHECK(run["plan"]["iterate"] == 5);
  CHECK(run["plan"]["halo"] == 3);
  CHECK(run["bytes"] == lines * extent * (4 + 8 + 4 * (8 + 8)));
  CHECK(run["verification"]["method"] ==
        "direct evaluation in long double of all outputs, of application 5 to what the one before it stored");
  CHECK(run["verification"]["passed"] == true);
  const auto single = run_of("x", {"--gaussian=2"});
  CHECK(single["operation"] == "gaussian");
  CHECK_FALSE(single["plan"].contains("iterate"));
  CHECK(single["bytes"] == lines * extent * 16);
  CHECK(run_of("x", {"--savgol=5,2", "--convolve"})["operation"] == "savgol");
  CHECK(run_of("x", {"--weights=1"})["operation"] == "correlate");
}

TEST_CASE("tessera-filter: a wrong last application is exit status 1") {
  const FilterInputs inputs;
  const ProgramEnd end = run_quickly(TESSERA_FAULTY_FILTER, {inputs.file + ":/x", "--gaussian=0", "--iterate=3",
                                                             "--quiet", "--output", inputs.out + ":/r"});
  CHECK(end.status == 1);
  CHECK(end.err.find(":/x: gaussian (overlapping) did not verify: index (2, 36): got ") != std::string::npos);
  const ProgramEnd joined = run_quickly(TESSERA_FAULTY_FILTER, {inputs.file + ":/x", "--gaussian=0", "--iterate=4",
                                                                "--quiet", "--output", inputs.out + ":/r"});
  CHECK(joined.status == 1);
  CHECK(joined.err.find(": gaussian (overlapping) did not verify: one by one, the applications left other bits") !=
        std::string::npos);
  CHECK(inputs.folder.names() == std::vector<std::string>{"in.h5"});
}

TEST_CASE("tessera-filter: bad filters with a name") {
  const FilterInputs inputs;
  const auto x = [&](const std::vector<std::string>& arguments) { return inputs.refused(arguments); };
  CHECK(x({"--gaussian=1", "--weights=1"}) == "--weights and --gaussian cannot both be given");
  CHECK(x({"--savgol=5,2", "--binomial=3"}) == "--binomial and --savgol cannot both be given");
  CHECK(x({"--binomial=3", "--order=1"}) == "--order goes with --gaussian alone");
  CHECK(x({"--weights=1", "--truncate=4"}) == "--truncate goes with --gaussian alone");
  CHECK(x({"--gaussian=wide"}) == "--gaussian: `wide` is not a number");
  CHECK(
      x({"--gaussian=-1"}) ==
      "--gaussian: tessera::gaussian_weights: argument `sigma`: -1; expected 0 or more, and finite; pass the standard "
      "deviation in elements");
  CHECK(x({"--gaussian=1e9"}).starts_with("--gaussian: tessera::gaussian_weights: argument `sigma`: 1e+09 with trunc"));
  CHECK(
      x({"--gaussian=0", "--order=1"}).starts_with("--gaussian: tessera::gaussian_weights: argument `order`: 1 with"));
  CHECK(x({"--gaussian=1", "--order=1.5"}) == "--order: `1.5` is not a whole number");
  CHECK(x({"--gaussian=1", "--truncate=x"}) == "--truncate: `x` is not a number");
  CHECK(x({"--binomial=3.5"}) == "--binomial: `3.5` is not a whole number");
  CHECK(x({"--binomial=0"}) ==
        "--binomial: tessera::binomial_weights: argument `taps`: 0; expected 1 to 2^31 - 1; pass the width of the "
        "window");
  CHECK(x({"--binomial=9000000000000000000"}).starts_with("--binomial: tessera::binomial_weights: argument `taps`: 9"));
  CHECK(x({"--savgol=5"}) == "--savgol: `5` is not WINDOW,POLYNOMIAL[,DERIVATIVE[,DELTA]]");
  CHECK(x({"--savgol=5,2,1,1,1"}) == "--savgol: `5,2,1,1,1` is not WINDOW,POLYNOMIAL[,DERIVATIVE[,DELTA]]");
  CHECK(x({"--savgol=5.0,2"}) == "--savgol: window: `5.0` is not a whole number");
  CHECK(x({"--savgol=5,"}) == "--savgol: polynomial: `` is not a whole number");
  CHECK(x({"--savgol=5,2,one"}) == "--savgol: derivative: `one` is not a whole number");
  CHECK(x({"--savgol=5,2,1,x"}) == "--savgol: delta: `x` is not a number");
  CHECK(x({"--savgol=4,2"}).starts_with("--savgol: tessera::savgol_weights: argument `window`: 4; expected an odd"));
  CHECK(
      x({"--savgol=5,5"}).starts_with("--savgol: tessera::savgol_weights: argument `polynomial`: 5; expected 0 to 4"));
}

TEST_CASE("tessera-filter: bad modes of one side, bad numbers of applications") {
  const FilterInputs inputs;
  const auto refused = [&](const std::string& option) { return inputs.refused({"--weights=1", option}); };
  CHECK(refused("--mode-left=wrpa").starts_with("--mode-left: unknown name `wrpa`; did you mean `wrap`?"));
  CHECK(refused("--mode-right=keeep").starts_with("--mode-right: unknown name `keeep`; did you mean `keep`?"));
  CHECK(refused("--iterate=0") == "--iterate: 0 is not within 1 to 2^31 - 1");
  CHECK(refused("--iterate=2147483648") == "--iterate: 2147483648 is not within 1 to 2^31 - 1");
  CHECK(refused("--iterate=2.5") == "--iterate: `2.5` is not a whole number");
  CHECK(inputs.refused({"--weights=-1", "--cval=18446744073709551615", "--iterate=2"}, "u") ==
        inputs.file +
            ":/u: --cval: `18446744073709551615` is not a whole number that int64, which the second application reads, "
            "can hold");
}

}  // namespace tessera::apps::test

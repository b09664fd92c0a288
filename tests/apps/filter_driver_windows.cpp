// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tessera-filter's moving minima, maxima, means and medians: whole outputs against each window gathered.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "apps/filter_inputs.hpp"
#include "reference/median_reference.hpp"
#include "reference/reduce_reference.hpp"
#include "reference/window_reference.hpp"

namespace tessera::apps::test {
namespace {

using reference::Edge;
using Arguments = std::vector<std::string>;

struct Case {
  std::int64_t size, origin;
  std::string left, right;
  Edge left_edge, right_edge;
};
const std::vector<Case> cases{{1, 0, "reflect", "reflect", Edge::reflect, Edge::reflect},
                              {4, -2, "mirror", "constant", Edge::mirror, Edge::constant},
                              {7, 3, "keep", "nearest", Edge::keep, Edge::nearest},
                              {90, 0, "wrap", "reflect", Edge::wrap, Edge::reflect}};

/// visit(line, i, window's elements): none where the element is kept.
template <class T, class Visit>
void for_windows(const std::vector<T>& array, const Case& c, T cval, const Visit& visit) {
  const reference::Window<T> window{c.size, c.origin, c.left_edge, c.right_edge, cval};
  for (std::size_t begin = 0; begin < array.size(); begin += extent) {
    const auto first = array.begin() + static_cast<std::ptrdiff_t>(begin);
    const std::vector<T> line(first, first + static_cast<std::ptrdiff_t>(extent));
    for (std::size_t i = 0; i < extent; ++i) {
      visit(begin + i, reference::window_elements(line, static_cast<std::int64_t>(i), window));
    }
  }
}

Arguments arguments_of(const std::string& operation, const Case& c, const std::string& cval) {
  return {operation + "=" + std::to_string(c.size), "--origin=" + std::to_string(c.origin), "--mode-left=" + c.left,
          "--mode-right=" + c.right, "--cval=" + cval};
}

template <class T>
void check_elements(const FilterInputs& inputs, const std::string& name, const std::vector<T>& array, T cval,
                    const std::string& cval_text) {
  for (const Case& c : cases) {
    const auto min = inputs.filtered<T>(name, arguments_of("--min", c, cval_text));
    const auto max = inputs.filtered<T>(name, arguments_of("--max", c, cval_text));
    const auto median = inputs.filtered<T>(name, arguments_of("--median", c, cval_text));
    REQUIRE(min.size() == array.size());
    for_windows(array, c, cval, [&](std::size_t k, const std::vector<T>& window) {
      INFO(name << ", window " << c.size << ", output " << k);
      const bool kept = window.empty();
      CHECK(min[k] == (kept ? array[k] : *std::min_element(window.begin(), window.end())));
      CHECK(max[k] == (kept ? array[k] : *std::max_element(window.begin(), window.end())));
      CHECK(median[k] == (kept ? array[k] : reference::median_of(window)));
    });
  }
}

}  // namespace

TEST_CASE("tessera-filter: moving minima, maxima and medians keep their type") {
  const FilterInputs inputs;
  check_elements<double>(inputs, "x", inputs.x, -0.25, "-0.25");
  check_elements<std::int32_t>(inputs, "i", inputs.i, 1000, "1000");
  check_elements<float>(inputs, "f", {inputs.x.begin(), inputs.x.end()}, 2.5F, "2.5");
  CHECK(inputs.filtered<std::uint64_t>("u", {"--max=3"}) == std::vector<std::uint64_t>{3, 4, 4, 5, 9, 9, 9, 6});
  const auto least = inputs.filtered<double>("x", {"--min=9223372036854775807", "--mode=mirror"});
  for (std::size_t k = 0; k < least.size(); ++k) {
    const auto line = inputs.x.begin() + static_cast<std::ptrdiff_t>(k / extent * extent);
    CHECK(least[k] == *std::min_element(line, line + extent));
  }
  CHECK(inputs.filtered<std::int64_t>("impulse", {"--max=3", "--iterate=3"}) ==
        std::vector<std::int64_t>{0, 1, 1, 1, 1, 1, 1, 1, 0});
}

TEST_CASE("tessera-filter: elements of narrow integers are stored as what they are") {
  const FilterInputs inputs;
  const auto stored = [&](const std::string& name, const std::vector<std::string>& arguments) {
    inputs.store(inputs.file + ":/" + name, arguments, "r");
    return Dataset(inputs.out + ":/r").info().stored_type;
  };
  CHECK(stored("bytes", {"--min=2"}).starts_with("int8"));
  CHECK(read_values<std::int32_t>(inputs.out + ":/r") == std::vector<std::int32_t>{-128, -128, 3, 5, -6});
  CHECK(stored("words", {"--median=3", "--mode=constant", "--cval=4294967295"}).starts_with("uint32"));
  CHECK(read_values<std::int64_t>(inputs.out + ":/r") == std::vector<std::int64_t>{4294967295, 7, 3, 7});
  CHECK(stored("bytes", {"--max=3", "--iterate=2"}).starts_with("int8"));
  CHECK(stored("bytes", {"--max=3", "--output-type=int32"}).starts_with("int32"));
  CHECK(stored("bytes", {"--box=3"}).starts_with("float64"));
  CHECK(inputs.refused({"--max=3", "--mode=constant", "--cval=128"}, "bytes") ==
        inputs.file + ":/bytes: --cval: `128` is not a whole number that int8, the input's type, can hold");
  CHECK(inputs.refused({"--weights=1,1", "--cval=-1"}, "words") ==
        inputs.file + ":/words: --cval: `-1` is not a whole number that uint32, the input's type, can hold");
  CHECK(stored("bytes", {"--weights=1,1", "--mode=constant", "--cval=-128"}).starts_with("int64"));
}

TEST_CASE("tessera-filter: windows far wider than the line") {
  const FilterInputs inputs;
  for (const char* mode : {"reflect", "mirror", "nearest", "wrap", "constant"}) {
    INFO(mode);
    const auto option = std::string("--mode=") + mode;
    (void)inputs.filtered<double>("impulse", {"--box=100001", option});
    (void)inputs.filtered<double>("nan_last", {"--box=100001", option, "--nan=omit", "--cval=3"});
    (void)inputs.filtered<std::int64_t>("impulse", {"--median=10001", option, "--cval=3"});
    (void)inputs.filtered<std::int64_t>("impulse", {"--min=100000", option, "--cval=-3"});
  }
  CHECK(inputs.filtered<double>("impulse", {"--box=900000", "--mode=wrap"}) == std::vector<double>(9, 1.0 / 9));
}

TEST_CASE("tessera-filter: moving means") {
  const FilterInputs inputs;
  const std::vector<float> f(inputs.x.begin(), inputs.x.end());
  for (const Case& c : cases) {
    const auto of_double = inputs.filtered<double>("x", arguments_of("--box", c, "-0.25"));
    const auto of_float = inputs.filtered<float>("f", arguments_of("--box", c, "-0.25"));
    const auto of_int = inputs.filtered<double>("i", arguments_of("--box", c, "1000"));
    const auto check = [&]<class T>(const std::vector<T>& array, const std::vector<T>& means) {
      for_windows<T>(array, c, T(-0.25), [&](std::size_t k, const std::vector<T>& window) {
        INFO("window " << c.size << ", output " << k);
        if (window.empty()) {
          CHECK(means[k] == array[k]);
          return;
        }
        const reference::WindowMean mean = reference::window_mean(window);
        CHECK(std::abs(static_cast<long double>(means[k]) - mean.value) <= mean.bound);
      });
    };
    check(inputs.x, of_double);
    check(f, of_float);
    for_windows<std::int32_t>(inputs.i, c, 1000, [&](std::size_t k, const std::vector<std::int32_t>& window) {
      INFO("window " << c.size << ", output " << k);
      CHECK(of_int[k] == (window.empty() ? inputs.i[k] : reference::integer_window_mean(window)));
    });
  }
  CHECK(inputs.filtered<double>("i", {"--box=3", "--iterate=2"}) ==
        inputs.filtered<double>("i", {"--box=3", "--iterate=2", "--output-type=float64"}));
}

TEST_CASE("tessera-filter: windows omit or refuse NaN") {
  const FilterInputs inputs;
  std::vector<double> x = inputs.x;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (k % 3 == 0 || k / 10 == 4) x[k] = std::nan("");
  }
  const std::string file = inputs.folder / "nan.h5";
  add_values(create_file(file).get(), "x", x, {lines, extent});
  const auto output = [&](const std::string& window, const Case& c) {
    Arguments arguments = arguments_of(window, c, "-0.25");
    arguments.push_back("--nan=omit");
    inputs.store(file + ":/x", arguments, "r");
    return read_values<double>(inputs.out + ":/r");
  };
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  for (const Case& c : cases) {
    const auto min = output("--min", c), max = output("--max", c), median = output("--median", c);
    const auto box = output("--box", c);
    for_windows<double>(x, c, -0.25, [&](std::size_t k, std::vector<double> window) {
      INFO("window " << c.size << ", output " << k);
      double least = x[k], most = x[k], middle = x[k];
      reference::WindowMean mean{static_cast<long double>(x[k]), 0};
      if (!window.empty()) {
        std::erase_if(window, [](double value) { return std::isnan(value); });
        std::sort(window.begin(), window.end());
        least = window.empty() ? std::nan("") : window.front();
        most = window.empty() ? std::nan("") : window.back();
        middle = window.empty() ? std::nan("") : window[window.size() / 2];
        if (!window.empty()) mean = reference::window_mean(window);
        if (window.empty()) mean.value = static_cast<long double>(std::nan(""));
      }
      CHECK(same(min[k], least));
      CHECK(same(max[k], most));
      CHECK(same(median[k], middle));
      CHECK((std::isnan(mean.value) ? std::isnan(box[k])
                                    : std::abs(static_cast<long double>(box[k]) - mean.value) <= mean.bound));
    });
  }
  for (const std::string window : {"--min=3", "--box=50", "--median=4"}) {
    CHECK(refusal_line(inputs.filter(file, {window, "--nan=error"}), 2, "tessera-filter") ==
          file +
              ":/x: tessera::filter: argument `in`: element 0 is NaN; expected no NaN, as NanPolicy::error asks; omit "
              "or propagate NaN");
    CHECK(inputs.filtered<double>("x", {window, "--nan=error"}) == inputs.filtered<double>("x", {window}));
  }
}

TEST_CASE("tessera-filter: windows in other output types are converted once") {
  const FilterInputs inputs;
  const auto median = inputs.filtered<double>("x", {"--median=5"});
  const auto narrow = inputs.filtered<float>("x", {"--median=5", "--output-type=float32"});
  const auto whole = inputs.filtered<std::int32_t>("x", {"--median=5", "--output-type=int32"});
  for (std::size_t k = 0; k < median.size(); ++k) {
    CHECK(narrow[k] == static_cast<float>(median[k]));
    CHECK(whole[k] == static_cast<std::int32_t>(std::nearbyint(median[k])));
  }
  CHECK(inputs.refused({"--box=3", "--output-type=int32"}, "i") ==
        inputs.file + ":/i: --output-type: means of int32 data would be rounded twice to int32; give float64");
}

TEST_CASE("tessera-filter: the record of a moving window") {
  const FilterInputs inputs;
  const auto run_of = [&](const std::string& name, Arguments arguments) {
    arguments.insert(arguments.end(), {"--json=-", "--quiet"});
    return record_of(inputs.filter(inputs.file + ":/" + name, arguments))["runs"][0];
  };
  const auto box = run_of("i", {"--box=5", "--variant=all"});
  CHECK(box["operation"] == "box");
  CHECK(box["variant"] == "few");
  CHECK(box["bytes"] == lines * extent * (4 + 8));
  CHECK(box["plan"]["parts"] == 1);
  CHECK(box["verification"]["method"] == "gathering the windows of all outputs");
  const auto median = run_of("x", {"--median=7", "--team-size=1", "--league-size=5"});
  CHECK(median["operation"] == "median");
  CHECK(median["variant"] == "network");
  CHECK(median["plan"]["network_window"] == 9);
  CHECK(median["plan"]["league_size"] == 5);
}

TEST_CASE("tessera-filter: bad windows") {
  const FilterInputs inputs;
  const auto x = [&](const Arguments& arguments) { return inputs.refused(arguments); };
  CHECK(x({"--min=3", "--median=3"}) == "--min and --median cannot both be given");
  CHECK(x({"--box=0"}) == "--box: a window of 0 elements; it holds 1 or more");
  CHECK(x({"--median=-3"}) == "--median: a window of -3 elements; it holds 1 or more");
  CHECK(x({"--max=3.5"}) == "--max: `3.5` is not a whole number");
  CHECK(x({"--min=4", "--origin=2"}) == "--origin: 2 is not within -2 to 1, as 4 elements need");
  const std::string has_none = ": it is for filters with weights; --min has none";
  CHECK(x({"--min=3", "--convolve"}) == "--convolve" + has_none);
  CHECK(x({"--min=3", "--accumulate=double"}) == "--accumulate" + has_none);
  CHECK(x({"--min=3", "--mode-right=odd"}) == "--mode odd" + has_none);
  CHECK(x({"--min=3", "--variant=direct"}) ==
        "--variant: direct is for filters with weights; that of --min follows from its window");
  CHECK(x({"--box=9223372036854775807"}).find("tessera::box_filter: argument `window`: ") != std::string::npos);
}

}  // namespace tessera::apps::test

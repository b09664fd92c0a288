// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/plot.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

#include "apps/io_support.hpp"
#include "common/svg.hpp"
#include "support/limits.hpp"

namespace tessera::apps::test {
namespace {

using tessera::test::infinity;
using tessera::test::nan;

template <class T>
HostArray array_of(ElementType type, const std::vector<T>& values, Shape shape = {}) {
  if (shape.empty()) shape = {values.size()};
  HostArray array{type, shape, HostBuffer(values.size() * sizeof(T))};
  std::copy(values.begin(), values.end(), array.buffer.as<T>());
  return array;
}

PlotSeries curve_of(const std::vector<double>& values) {
  return series_of("curve", array_of(ElementType::float64, values), 0);
}

/// The paths of a plot, in the order they are drawn.
std::vector<std::string> paths_of(const std::string& svg) {
  std::vector<std::string> paths;
  for (std::size_t at = svg.find("<path d=\""); at != std::string::npos; at = svg.find("<path d=\"", at)) {
    at += 9;
    paths.push_back(svg.substr(at, svg.find('"', at) - at));
  }
  return paths;
}

std::vector<std::string> labels_of(double lowest, double highest) {
  std::vector<std::string> labels;
  for (const auto& tick : round_ticks(axis_around(lowest, highest), 6)) labels.push_back(tick.label);
  return labels;
}

std::ptrdiff_t count_of(const std::string& text, char c) { return std::count(text.begin(), text.end(), c); }

}  // namespace

TEST_CASE("no peak is lost to thinning, and the picture stays small") {
  std::vector<float> values(1'000'003);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 2 == 0 ? 1.0F : -1.0F;
  values[700'001] = 100;
  values[700'002] = -50;
  const PlotSeries curve = series_of("noise", array_of(ElementType::float32, values), 0);
  REQUIRE(curve.columns.size() == 790);
  CHECK(curve.samples == values.size());
  const auto peak = std::find_if(curve.columns.begin(), curve.columns.end(),
                                 [](const PlotColumn& column) { return column.first == 100; });
  REQUIRE(peak != curve.columns.end());
  CHECK(peak - curve.columns.begin() == 700'001 * 790LL / 1'000'003);
  CHECK(peak->second == -50);
  const auto is_noise = [](const PlotColumn& column) {
    return std::abs(column.first) == 1 && column.second == -column.first;
  };
  CHECK(std::count_if(curve.columns.begin(), curve.columns.end(), is_noise) == 789);
  const std::string svg = line_plot("noise", {curve});
  CHECK(svg.size() < 40'000);
  const std::vector<std::string> paths = paths_of(svg);
  REQUIRE(paths.size() == 1);
  CHECK(paths[0].starts_with("M90.5 "));
  CHECK(paths[0].find("V355.9") != std::string::npos);  // -50 of an axis from -57.5 to 107.5, over 370 .. 60
}

TEST_CASE("a few samples are drawn one by one, from edge to edge") {
  CHECK(paths_of(line_plot("", {curve_of({0, 10, 5})})) ==
        std::vector<std::string>{"M90.0 355.9h0L485.0 74.1L880.0 215.0"});
  CHECK(paths_of(line_plot("", {curve_of({3})})) == std::vector<std::string>{"M90.0 215.0h0"});
  CHECK(paths_of(line_plot("", {curve_of({})})) == std::vector<std::string>{""});
  const HostArray matrix = array_of<std::int32_t>(ElementType::int32, {1, 2, 3, -9, -8, -7}, {2, 3});
  const PlotSeries row = series_of("row", matrix, 1);
  REQUIRE(row.columns.size() == 3);
  CHECK(row.columns[2].first == 3);
  const PlotSeries column = series_of("column", matrix, 0);
  REQUIRE(column.columns.size() == 2);
  CHECK(column.columns[1].first == -9);
  CHECK(series_of("none", array_of<double>(ElementType::float64, {}, {0, 5}), 1).columns.empty());
}

TEST_CASE("what is not finite leaves gaps") {
  CHECK(paths_of(line_plot("", {curve_of({nan, 1, 1, infinity, 2, -infinity, 0})}))[0] ==
        "M221.7 215.0h0L353.3 215.0M616.7 74.1h0M880.0 355.9h0");
  CHECK(paths_of(line_plot("", {curve_of({nan, infinity})}))[0].empty());
  std::vector<double> thinned(15'800, 1.0);
  thinned[410] = nan;  // of column 20
  CHECK(count_of(paths_of(line_plot("", {curve_of(thinned)}))[0], 'M') == 2);
  std::fill_n(thinned.begin() + 400, 20, infinity);
  const PlotSeries curve = curve_of(thinned);
  CHECK_FALSE(curve.columns[20].is_drawn);
  CHECK(count_of(paths_of(line_plot("", {curve}))[0], 'L') == 789 - 2);
}

TEST_CASE("constant, huge and tiny data have axes") {
  CHECK(labels_of(0, 0) == std::vector<std::string>{"-1", "-0.5", "0", "0.5", "1"});
  CHECK(labels_of(0, 5e-324) == labels_of(0, 0));
  CHECK(labels_of(-0.31, 0.72) == std::vector<std::string>{"-0.2", "0", "0.2", "0.4", "0.6"});
  CHECK(labels_of(0, 4e9) == std::vector<std::string>{"0", "1e+09", "2e+09", "3e+09", "4e+09"});
  CHECK(labels_of(0, 50'000) == std::vector<std::string>{"0", "10000", "20000", "30000", "40000", "50000"});
  for (const double value : {3.0, -1e300, 1.7976931348623157e308, 9007199254740993.0}) {
    std::vector<std::string> labels = labels_of(value, value);
    CHECK(labels.size() >= 3);
    CHECK(std::unique(labels.begin(), labels.end()) == labels.end());
  }
  const double largest = std::numeric_limits<double>::max();
  CHECK(labels_of(-largest, largest) == std::vector<std::string>{"-1e+308", "0", "1e+308"});
  for (const auto& values : {std::vector<double>{-largest, largest}, {1e-320, 0}, {7, 7}, {1e16, 1e16 + 2}}) {
    const std::string svg = line_plot("", {curve_of(values)});
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
  }
}

TEST_CASE("names are escaped: pictures are valid XML") {
  CHECK(xml_text("a<b>&\"c\"") == "a&lt;b&gt;&amp;\"c\"");
  CHECK(xml_text("\x01\t\x7f|") == "???|");
  CHECK(xml_text("K\xc3\xa4se \xe2\x82\xac \xf0\x9f\x98\x80") == "K\xc3\xa4se \xe2\x82\xac \xf0\x9f\x98\x80");
  // Latin-1, cut short, overlong, a surrogate, beyond Unicode, a non-character, a stray continuation.
  CHECK(xml_text("caf\xe9!") == "caf?!");
  CHECK(xml_text("\xe2\x82") == "??");
  CHECK(xml_text("\xc0\xbc") == "??");
  CHECK(xml_text("\xed\xa0\x80") == "???");
  CHECK(xml_text("\xf4\x90\x80\x80") == "????");
  CHECK(xml_text("\xef\xbf\xbf") == "???");
  CHECK(xml_text("\x80") == "?");
  const std::string svg = line_plot("<&>", {curve_of({1, 2})});
  CHECK(svg.find(">&lt;&amp;&gt;</text>") != std::string::npos);
  CHECK(svg.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(svg.find("fill=\"white\"") != std::string::npos);
}

TEST_CASE("a bar for each run stands beside the ceiling") {
  Record record;
  record.app = "tessera-transpose";
  record.input = {"/data/a&b.h5", "/x", "[0]", {4}, {1, 4}, "float32", "contiguous", {}, {}, 4};
  Measurement run;
  run.operation = "transpose";
  run.bounded_by_copy = true;
  run.bytes = 3'000'000'000;
  for (const auto& [variant, seconds] : {std::pair{"naive", 2.0}, std::pair{"padded", 1.0}}) {
    run.variant = variant;
    run.seconds = {seconds};
    record.runs.push_back(run);
  }
  record.runs[1].verification.passed = false;
  const std::string bare = bandwidth_chart(record);
  CHECK(bare.find("ceiling") == std::string::npos);
  CHECK(bare.find(">3 GB/s, WRONG</text>") != std::string::npos);
  record.ceiling = Ceiling{4.0, 8.0, 4096};
  const std::string svg = bandwidth_chart(record);
  for (const auto* text : {">tessera-transpose: a&amp;b.h5:/x[0], float32 (4,)</text>", ">transpose naive</text>",
                           ">1.5 GB/s, 38 %</text>", ">3 GB/s, 75 %, WRONG</text>", ">copy ceiling 4 GB/s</text>",
                           "width=\"255.0\"", "width=\"510.0\"", "x1=\"700.0\""}) {
    INFO(text);
    CHECK(svg.find(text) != std::string::npos);
  }
  record.ceiling->copy_gb_per_s = 4312.3;
  CHECK(bandwidth_chart(record).find(">copy ceiling 4312 GB/s</text>") != std::string::npos);
  record.runs = {run};
  record.runs[0].bytes = 0;  // an empty array
  record.ceiling.reset();
  CHECK(bandwidth_chart(record).find(">0 GB/s") != std::string::npos);
}

}  // namespace tessera::apps::test

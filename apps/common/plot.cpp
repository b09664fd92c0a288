// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

#include "svg.hpp"

namespace tessera::apps {
namespace {

// Of the palette of Okabe and Ito, which colour-blind people can tell apart; light and dark in grey, too.
constexpr std::array curve_colours{"#56B4E9", "#D55E00"};
constexpr auto bar_colour = "#0072B2", grid_colour = "#DDDDDD", frame_colour = "#444444";

constexpr double width = 900, left = 90, right = 880, title_line = 26;
constexpr std::uint64_t plot_columns = 790;

template <class T>
PlotColumn column_of(const T* values, std::uint64_t count, std::uint64_t stride) {
  PlotColumn column;
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  std::uint64_t lowest_at = 0, highest_at = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto value = static_cast<double>(values[i * stride]);
    if (!std::isfinite(value)) {
      column.is_broken = true;
      continue;
    }
    column.is_drawn = true;
    if (value < lowest) {
      lowest = value;
      lowest_at = i;
    }
    if (value > highest) {
      highest = value;
      highest_at = i;
    }
  }
  column.first = lowest_at < highest_at ? lowest : highest;
  column.second = lowest_at < highest_at ? highest : lowest;
  return column;
}

std::uint64_t column_begin(std::uint64_t column, std::uint64_t columns, std::uint64_t samples) {
  return samples / columns * column + std::min(column, samples % columns);
}

struct Frame {
  double top, bottom;
  PlotAxis x, y;
  [[nodiscard]] double at_x(double value) const { return left + (right - left) * x.share(value); }
  [[nodiscard]] double at_y(double value) const { return bottom - (bottom - top) * y.share(value); }
};

Frame frame_of(const std::vector<PlotSeries>& curves) {
  double lowest = std::numeric_limits<double>::max(), highest = -lowest;
  std::uint64_t samples = 2;
  for (const auto& curve : curves) {
    samples = std::max(samples, curve.first + curve.samples);
    for (const auto& column : curve.columns) {
      if (!column.is_drawn) continue;
      lowest = std::min({lowest, column.first, column.second});
      highest = std::max({highest, column.first, column.second});
    }
  }
  const PlotAxis y = lowest <= highest ? axis_around(lowest, highest) : PlotAxis{};
  return {60, 370, {0, static_cast<double>(samples - 1)}, y};
}

/// A path that is lifted where samples are not finite; a single one among those is a dot.
std::string path_of(const PlotSeries& curve, const Frame& frame) {
  const std::uint64_t columns = curve.columns.size();
  std::string path;
  bool joined = false;
  for (std::uint64_t c = 0; c < columns; ++c) {
    const PlotColumn& column = curve.columns[c];
    if (column.is_drawn) {
      const std::uint64_t begin = column_begin(c, columns, curve.samples);
      const std::uint64_t last = column_begin(c + 1, columns, curve.samples) - 1;
      const double x =
          frame.at_x(static_cast<double>(curve.first) + static_cast<double>(begin) / 2 + static_cast<double>(last) / 2);
      path += fmt::format("{}{:.1f} {:.1f}", joined ? 'L' : 'M', x, frame.at_y(column.first));
      if (column.second != column.first) {
        path += fmt::format("V{:.1f}", frame.at_y(column.second));
      } else if (!joined) {
        path += "h0";
      }
    }
    joined = !column.is_broken;
  }
  return path;
}

void draw_axes(SvgPicture& picture, const Frame& frame) {
  for (const auto& [value, label] : round_ticks(frame.y, 6)) {
    picture.line(left, frame.at_y(value), right, frame.at_y(value), grid_colour);
    picture.text(left - 8, frame.at_y(value) + 4, label, TextAnchor::end);
  }
  for (const auto& [value, label] : round_ticks(frame.x, 8)) {
    if (value != std::floor(value)) continue;  // of short lines
    picture.line(frame.at_x(value), frame.bottom, frame.at_x(value), frame.bottom + 5, frame_colour);
    picture.text(frame.at_x(value), frame.bottom + 20, label, TextAnchor::middle);
  }
  picture.line(left, frame.bottom, right, frame.bottom, frame_colour);
  picture.line(left, frame.top, left, frame.bottom, frame_colour);
  picture.text((left + right) / 2, frame.bottom + 40, "index", TextAnchor::middle);
}

std::string rate_text(double rate) {
  return rate < 100 ? fmt::format("{:.3g} GB/s", rate) : fmt::format("{:.0f} GB/s", rate);
}

std::string title_of(const Record& record) {
  if (record.input.file.empty()) {
    return fmt::format("{} {}", record.input.stored_type, to_string(record.input.shape));
  }
  return fmt::format("{}:{}{}, {} {}", std::filesystem::path(record.input.file).filename().string(),
                     record.input.dataset, record.input.selection, record.input.stored_type,
                     to_string(record.input.shape));
}

}  // namespace

PlotSeries series_of(const std::string& name, const HostArray& array, std::size_t axis) {
  PlotSeries curve{name, element_count(array.shape) == 0 ? 0 : array.shape[axis], {}, 0};
  std::uint64_t stride = 1;
  for (std::size_t d = axis + 1; d < array.shape.size(); ++d) stride *= array.shape[d];
  const std::uint64_t columns = curve.samples <= 2 * plot_columns ? curve.samples : plot_columns;
  visit_type(array.type, [&](const auto zero) {
    const auto* values = array.buffer.as<std::decay_t<decltype(zero)>>();
    for (std::uint64_t c = 0; c < columns; ++c) {
      const std::uint64_t begin = column_begin(c, columns, curve.samples);
      curve.columns.push_back(
          column_of(values + begin * stride, column_begin(c + 1, columns, curve.samples) - begin, stride));
    }
  });
  return curve;
}

std::string line_plot(const std::string& title, const std::vector<PlotSeries>& curves) {
  SvgPicture picture(width, 430);
  picture.text(left, title_line, title, TextAnchor::start, 15);
  const Frame frame = frame_of(curves);
  draw_axes(picture, frame);
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const char* colour = curve_colours[c % curve_colours.size()];
    picture.curve(path_of(curves[c], frame), colour, 1.5);
    const double x = left + 130 * static_cast<double>(c);
    picture.line(x, 44, x + 24, 44, colour, R"(stroke-width="3")");
    picture.text(x + 30, 48, curves[c].name);
  }
  return std::move(picture).finish();
}

std::string signal_plot(const Record& record, const HostArray& input, const HostArray& output, std::size_t axis,
                        std::uint64_t first_output) {
  const std::string title = fmt::format("{}: {}{}", title_of(record), record.runs.back().operation,
                                        input.shape.size() > 1 ? ", first line" : "");
  PlotSeries filtered = series_of("output", output, axis);
  filtered.first = first_output;
  return line_plot(title, {series_of("input", input, axis), std::move(filtered)});
}

std::string bandwidth_chart(const Record& record) {
  constexpr double top = 70, row = 44, longest = 700;
  const double bottom = top + row * static_cast<double>(record.runs.size());
  SvgPicture picture(width, bottom + 50);
  picture.text(20, title_line, fmt::format("{}: {}", record.app, title_of(record)), TextAnchor::start, 15);

  const bool by_copy = record.runs.front().bounded_by_copy;
  const double bound = !record.ceiling ? 0 : by_copy ? record.ceiling->copy_gb_per_s : record.ceiling->read_gb_per_s;
  std::vector<double> rates;
  for (const auto& run : record.runs) rates.push_back(gb_per_s(run.bytes, statistics_of(run.seconds).median));
  const double highest = std::max(bound, *std::max_element(rates.begin(), rates.end()));
  const PlotAxis axis{0, highest > 0 ? highest : 1};
  const auto at = [&](double rate) { return 20 + (longest - 20) * axis.share(rate); };

  for (const auto& [value, label] : round_ticks(axis, 6)) {
    picture.line(at(value), top, at(value), bottom, grid_colour);
    picture.text(at(value), bottom + 18, label, TextAnchor::middle);
  }
  picture.text(at(axis.highest / 2), bottom + 38, "GB/s", TextAnchor::middle);
  for (std::size_t r = 0; r < rates.size(); ++r) {
    const Measurement& run = record.runs[r];
    const double y = top + row * static_cast<double>(r);
    picture.text(22, y + 14, fmt::format("{} {}", run.operation, run.variant));
    picture.rectangle(20, y + 19, at(rates[r]) - 20, 18, bar_colour);
    const auto fraction = fraction_of_ceiling(run, record.ceiling);
    picture.text(at(rates[r]) + 6, y + 33,
                 fmt::format("{}{}{}", rate_text(rates[r]), fraction ? fmt::format(", {:.0f} %", 100 * *fraction) : "",
                             run.verification.passed ? "" : ", WRONG"));
  }
  if (bound > 0) {
    picture.line(at(bound), top - 6, at(bound), bottom, "black", R"(stroke-width="1.5" stroke-dasharray="6 3")");
    picture.text(at(bound), top - 12, fmt::format("{} ceiling {}", by_copy ? "copy" : "read", rate_text(bound)),
                 at(bound) < width / 2 ? TextAnchor::start : TextAnchor::end);
  }
  return std::move(picture).finish();
}

}  // namespace tessera::apps

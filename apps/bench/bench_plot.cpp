// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "common/svg.hpp"

namespace tessera::apps::bench {
namespace {

// The palette of Okabe and Ito, which colour-blind people can tell apart, without what is faint on white.
constexpr std::array curve_colours{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#444444"};
constexpr auto grid_colour = "#DDDDDD", frame_colour = "#444444", ceiling_colour = "black";
constexpr auto dashes = R"(stroke-dasharray="6 3")";

constexpr double width = 960, left = 80, head = 64;
constexpr std::size_t fewest_sizes = 4, most_curves = 10;

/// Names that would leave the picture end in dots.
std::string shortened(const std::string& text, std::size_t characters) {
  return text.size() <= characters ? text : text.substr(0, characters - 2) + "..";
}

void draw_title(SvgPicture& picture, double top, const Table& table) {
  picture.text(20, top + 24, shortened(table.title, 90), TextAnchor::start, 16);
  picture.text(20, top + 42, shortened(table.device, 130));
}

/// The highest ceiling of the cells; 0 where none is known.
double ceiling_of(const Line& line) {
  double highest = 0;
  for (const auto& [name, cell] : line) highest = std::max(highest, cell.ceiling());
  return highest;
}

double highest_rate(const Table& table) {
  double highest = 0;
  for (const auto& [key, line] : table.lines) {
    highest = std::max(highest, ceiling_of(line));
    for (const auto& [name, cell] : line) highest = std::max(highest, cell.gb_per_s);
  }
  return highest > 0 ? highest : 1;
}

/// Bandwidth over the logarithm of the size.
class CurvePanel {
 public:
  static bool suits(const Table& table) {
    std::set<std::uint64_t> sizes;
    for (const auto& [key, line] : table.lines) sizes.insert(key.first);
    return sizes.size() == table.lines.size() && sizes.size() >= fewest_sizes &&
           table.implementations.size() <= most_curves;
  }
  static constexpr double height = 450;

  CurvePanel(SvgPicture& picture, const Table& table, double top)
      : m_picture(picture),
        m_table(table),
        m_top(top + head + 20),
        m_bottom(top + height - 60),
        m_x{std::log2(static_cast<double>(table.lines.begin()->first.first)),
            std::log2(static_cast<double>(table.lines.rbegin()->first.first))},
        m_y{0, 1.05 * highest_rate(table)} {
    draw_title(picture, top, table);
    draw_axes();
    draw_curve("ceiling", 0, ceiling_colour, dashes,
               [](const Line& line, const std::string&) { return ceiling_of(line); });
    for (std::size_t i = 0; i < table.implementations.size(); ++i) {
      const bool is_again = i >= curve_colours.size();
      draw_curve(table.implementations[i], i + 1, curve_colours[i % curve_colours.size()],
                 is_again ? R"(stroke-dasharray="2 3")" : "", [](const Line& line, const std::string& name) {
                   const auto found = line.find(name);
                   return found == line.end() ? 0 : found->second.gb_per_s;
                 });
    }
  }

 private:
  static constexpr double right = 650, legend = 675;

  [[nodiscard]] double at_x(double size) const { return left + (right - left) * m_x.share(std::log2(size)); }
  [[nodiscard]] double at_y(double rate) const { return m_bottom - (m_bottom - m_top) * m_y.share(rate); }

  void draw_axes() {
    for (const auto& [value, label] : round_ticks(m_y, 6)) {
      m_picture.line(left, at_y(value), right, at_y(value), grid_colour);
      m_picture.text(left - 8, at_y(value) + 4, label, TextAnchor::end);
    }
    const int first = static_cast<int>(std::ceil(m_x.lowest)), last = static_cast<int>(std::floor(m_x.highest));
    const int step = std::max(1, (last - first + 9) / 10);
    for (int power = first; power <= last; power += step) {
      const double x = at_x(std::exp2(power));
      m_picture.line(x, m_bottom, x, m_bottom + 5, frame_colour);
      m_picture.text(x, m_bottom + 20, fmt::format("2^{}", power), TextAnchor::middle);
    }
    m_picture.line(left, m_bottom, right, m_bottom, frame_colour);
    m_picture.line(left, m_top, left, m_bottom, frame_colour);
    m_picture.text((left + right) / 2, m_bottom + 40, "elements", TextAnchor::middle);
    m_picture.text(left - 8, m_top - 10, "GB/s", TextAnchor::end);
  }

  template <class RateOf>
  void draw_curve(const std::string& name, std::size_t place, const char* colour, const char* more,
                  const RateOf& rate_of) {
    std::string path;
    for (const auto& [key, line] : m_table.lines) {
      const double rate = rate_of(line, name);
      if (!(rate > 0)) continue;
      const double x = at_x(static_cast<double>(key.first)), y = at_y(rate);
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', x, y);
      if (place > 0) m_picture.rectangle(x - 2.5, y - 2.5, 5, 5, colour);
    }
    if (path.empty()) return;
    m_picture.curve(path, colour, 2, more);
    const double y = m_top + 18 * static_cast<double>(m_entries++);
    m_picture.line(legend, y, legend + 26, y, colour, fmt::format(R"(stroke-width="3" {})", more));
    m_picture.text(legend + 34, y + 4, shortened(name, 38));
  }

  SvgPicture& m_picture;
  const Table& m_table;
  double m_top, m_bottom;
  PlotAxis m_x, m_y;
  std::size_t m_entries = 0;  // of the legend
};

/// A bar for each implementation, a group for each shape.
class BarPanel {
 public:
  explicit BarPanel(const Table& table) : m_table(table), m_axis{0, highest_rate(table)} {
    for (const auto& [key, line] : table.lines) {
      if (!line.empty()) m_groups.push_back({key.second, &line});
    }
    if (m_groups.size() <= most_groups) return;
    m_note = fmt::format("the {} worst and best of {} shapes", most_groups, m_groups.size());
    std::stable_sort(m_groups.begin(), m_groups.end(),
                     [](const Group& a, const Group& b) { return fraction_of(a) < fraction_of(b); });
    m_groups.erase(m_groups.begin() + most_groups / 2, m_groups.end() - most_groups / 2);
  }

  [[nodiscard]] double height() const {
    double rows = 0;
    for (const auto& group : m_groups) rows += static_cast<double>(group.line->size());
    return head + 20 + rows * row + static_cast<double>(m_groups.size()) * group_head + 60;
  }

  void draw(SvgPicture& picture, double top) const {
    draw_title(picture, top, m_table);
    draw_legend(picture, top + head);
    const double first = top + head + 20, bottom = top + height() - 60;
    for (const auto& [value, label] : round_ticks(m_axis, 6)) {
      picture.line(at(value), first, at(value), bottom, grid_colour);
      picture.text(at(value), bottom + 18, label, TextAnchor::middle);
    }
    picture.text((bars + longest) / 2, bottom + 38, "GB/s", TextAnchor::middle);
    double y = first;
    for (const auto& group : m_groups) y = draw_group(picture, group, y);
  }

 private:
  struct Group {
    std::string shape;
    const Line* line;
  };
  static constexpr std::size_t most_groups = 12;
  static constexpr double bars = 290, longest = 790, row = 20, group_head = 26;

  /// By which shapes are ordered: the least share of the ceiling that Tessera reaches.
  static double fraction_of(const Group& group) {
    double least = 2;
    for (const auto& [name, cell] : *group.line) {
      if (cell.role == "tessera" && cell.fraction) least = std::min(least, *cell.fraction);
    }
    return least;
  }
  static const char* colour_of(const std::string& role) {
    return role == "tessera" ? "#0072B2" : role == "peer" ? "#E69F00" : "#999999";
  }
  [[nodiscard]] double at(double rate) const { return bars + (longest - bars) * m_axis.share(rate); }

  void draw_legend(SvgPicture& picture, double y) const {
    double x = bars;
    for (const auto& [role, name] :
         {std::pair{"tessera", "Tessera"}, std::pair{"peer", "peer"}, std::pair{"context", "same traffic"}}) {
      picture.rectangle(x, y - 9, 12, 12, colour_of(role));
      picture.text(x + 18, y + 2, name);
      x += 100;
    }
    picture.line(x + 20, y - 3, x + 46, y - 3, ceiling_colour, fmt::format(R"(stroke-width="1.5" {})", dashes));
    picture.text(x + 52, y + 2, "ceiling");
    picture.text(20, y + 2, m_note);
  }

  double draw_group(SvgPicture& picture, const Group& group, double y) const {
    picture.text(20, y + 19, shortened(group.shape, 40), TextAnchor::start, 13);
    y += group_head;
    const double begin = y;
    for (const auto& name : m_table.implementations) {
      const auto found = group.line->find(name);
      if (found == group.line->end()) continue;
      const Cell& cell = found->second;
      picture.text(bars - 8, y + 14, shortened(name, 38), TextAnchor::end);
      std::string label = cell.status == "wrong" ? "WRONG" : cell.status;
      if (cell.is_measured()) {
        picture.rectangle(bars, y + 3, at(cell.gb_per_s) - bars, row - 6, colour_of(cell.role));
        label = rate_text(cell.gb_per_s) + (cell.fraction ? fmt::format(" ({:.0f} %)", 100 * *cell.fraction) : "");
      }
      // Behind the ceiling's line, which would cross it.
      const double ceiling = at(ceiling_of(*group.line)), end = at(cell.gb_per_s) + 6;
      picture.text(end < ceiling && end + 90 > ceiling ? ceiling + 6 : end, y + 14, label);
      y += row;
    }
    if (const double ceiling = ceiling_of(*group.line); ceiling > 0) {
      picture.line(at(ceiling), begin - 2, at(ceiling), y, ceiling_colour,
                   fmt::format(R"(stroke-width="1.5" {})", dashes));
    }
    return y;
  }

  const Table& m_table;
  PlotAxis m_axis;
  std::vector<Group> m_groups;
  std::string m_note;
};

}  // namespace

std::string report_plot(const Tables& tables) {
  double height = 10;
  for (const auto& table : tables.get())
    height += CurvePanel::suits(table) ? CurvePanel::height : BarPanel(table).height();
  SvgPicture picture(width, height);
  double top = 0;
  for (const auto& table : tables.get()) {
    if (CurvePanel::suits(table)) {
      CurvePanel(picture, table, top);
      top += CurvePanel::height;
    } else {
      const BarPanel panel(table);
      panel.draw(picture, top);
      top += panel.height();
    }
  }
  return std::move(picture).finish();
}

}  // namespace tessera::apps::bench

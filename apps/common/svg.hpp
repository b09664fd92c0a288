// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What pictures are made of: a writer of SVG elements, and axes with round labels.
#ifndef TESSERA_APPS_COMMON_SVG_HPP
#define TESSERA_APPS_COMMON_SVG_HPP

#include <string>
#include <string_view>
#include <vector>

namespace tessera::apps {

/// Text as XML can hold it: markup escaped, '?' for each byte that is a control character or no UTF-8.
[[nodiscard]] std::string xml_text(std::string_view text);

/// A range of finite values that is wide enough to divide by.
struct PlotAxis {
  double lowest = -1, highest = 1;
  /// 0 at lowest, 1 at highest; halves, as the whole width may overflow.
  [[nodiscard]] double share(double value) const { return (value / 2 - lowest / 2) / (highest / 2 - lowest / 2); }
};

/// The values from lowest to highest with some room around them, also where they are equal.
[[nodiscard]] PlotAxis axis_around(double lowest, double highest);

struct PlotTick {
  double value;
  std::string label;
};
/// Multiples of 1, 2 or 5 times a power of ten: up to count + 1 of them.
[[nodiscard]] std::vector<PlotTick> round_ticks(const PlotAxis& axis, int count);

enum class TextAnchor { start, middle, end };

/// A picture in the making, on white ground: dark viewers show it as light ones do. Lengths are in pixels.
class SvgPicture {
 public:
  SvgPicture(double width, double height);
  void text(double x, double y, std::string_view text, TextAnchor anchor = TextAnchor::start, int size = 12);
  void line(double x0, double y0, double x1, double y1, std::string_view colour, std::string_view more = "");
  void rectangle(double x, double y, double width, double height, std::string_view colour);
  /// path: SVG's path language.
  void curve(std::string_view path, std::string_view colour, double stroke, std::string_view more = "");
  [[nodiscard]] std::string finish() &&;

 private:
  std::string m_svg;
};

}  // namespace tessera::apps

#endif

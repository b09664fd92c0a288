// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tessera::apps {
namespace {

/// Bytes of the UTF-8 character of more than one byte that text begins with; 0 where it is none that XML allows.
std::size_t wide_character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto length = static_cast<std::size_t>(std::countl_one(byte(0)));
  if (length < 2 || length > 4 || text.size() < length) return 0;
  unsigned code = byte(0) & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
    code = code << 6 | (byte(i) & 0x3FU);
  }
  const bool too_long = code < (length == 2 ? 0x80U : length == 3 ? 0x800U : 0x10000U);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return too_long || surrogate || code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF ? 0 : length;
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const char c = text.front();
    std::size_t length = 1;
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c >= 0x20 && c < 0x7f) {
      out += c;
    } else if (const std::size_t wide = wide_character_length(text); wide > 0) {
      out += text.substr(0, wide);
      length = wide;
    } else {
      out += '?';
    }
    text.remove_prefix(length);
  }
  return out;
}

PlotAxis axis_around(double lowest, double highest) {
  constexpr double largest = std::numeric_limits<double>::max(), smallest = 1e-290;
  const double magnitude = std::max(std::abs(lowest), std::abs(highest));
  if (magnitude < smallest) return {};
  // What differs by little more than rounding is drawn as a constant.
  const double room = std::max((highest / 2 - lowest / 2) * 0.1, magnitude * 1e-10);
  return {std::max(lowest - room, -largest), std::min(highest + room, largest)};
}

std::vector<PlotTick> round_ticks(const PlotAxis& axis, int count) {
  const double rough = (axis.highest / 2 - axis.lowest / 2) / count * 2;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const int factor : {5, 2, 1}) {
    if (factor * power >= rough) step = factor * power;
  }
  // Enough digits to tell neighbours apart.
  const double magnitude = std::max(std::abs(axis.lowest), std::abs(axis.highest));
  const int digits = std::max(6, static_cast<int>(std::log10(magnitude / power)) + 2);
  std::vector<PlotTick> ticks;
  for (double k = std::ceil(axis.lowest / step); k * step <= axis.highest; ++k) {
    const double value = k * step + 0.0;  // no -0
    ticks.push_back({value, fmt::format("{:.{}g}", value, digits)});
  }
  return ticks;
}

SvgPicture::SvgPicture(double width, double height)
    : m_svg(fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                        "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\">\n"
                        "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
                        width, height)) {}

void SvgPicture::text(double x, double y, std::string_view text, TextAnchor anchor, int size) {
  const char* name = anchor == TextAnchor::start ? "start" : anchor == TextAnchor::middle ? "middle" : "end";
  m_svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\">{}</text>\n", x, y, name,
                       size, xml_text(text));
}

void SvgPicture::line(double x0, double y0, double x1, double y1, std::string_view colour, std::string_view more) {
  m_svg += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"{}{}/>\n", x0, y0,
                       x1, y1, colour, more.empty() ? "" : " ", more);
}

void SvgPicture::rectangle(double x, double y, double width, double height, std::string_view colour) {
  m_svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x, y,
                       width, height, colour);
}

void SvgPicture::curve(std::string_view path, std::string_view colour, double stroke, std::string_view more) {
  m_svg += fmt::format(
      "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linecap=\"round\" "
      "stroke-linejoin=\"round\"{}{}/>\n",
      path, colour, stroke, more.empty() ? "" : " ", more);
}

std::string SvgPicture::finish() && { return std::move(m_svg) + "</svg>\n"; }

}  // namespace tessera::apps

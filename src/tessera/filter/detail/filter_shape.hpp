// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the lines that a filter runs along lie in memory.
#ifndef TESSERA_FILTER_DETAIL_FILTER_SHAPE_HPP
#define TESSERA_FILTER_DETAIL_FILTER_SHAPE_HPP

#include <algorithm>
#include <cstdint>
#include <tessera/filter/detail/line_array.hpp>

namespace tessera::detail {

/// How neighbours in memory stand to the lines, of input and output alike.
enum class LineDirection {
  along,   ///< neighbours of one line
  across,  ///< the same element of neighbouring lines
  neither,
};

/// What the plan of a filter depends on.
struct FilterShape {
  std::int64_t lines, extent;  // lines of extent elements each
  std::int64_t columns;        // neighbouring lines
  std::int64_t column_stride;  // the larger one of input and output
  LineDirection direction;
  std::int64_t taps, reach_left;
  // Of input and output alike:
  bool adjacent = false;      ///< each line follows the one before it
  bool word_columns = false;  ///< neighbours of lines across memory are whole words of 4 bytes
  bool full_columns = false;  ///< rows of neighbours follow each other
  bool full_blocks = false;   ///< as do the blocks of such lines
};

/// Whether each line begins where the one before it ends, of both. One line does.
template <class In, class Out>
bool are_adjacent(const LineArray<In>& in, const LineArray<Out>& out) {
  const bool follow = in.column_stride() == in.extent && out.column_stride() == out.extent;
  return in.stride == 1 && out.stride == 1 && in.columns() == in.lines() && (follow || in.lines() == 1);
}

/// Whether memory holds neighbours as words of 4 bytes.
template <class T>
bool has_words(const LineArray<T>& lines) {
  const TileBoundary boundary(std::max(1, 4 / static_cast<int>(sizeof(T))), sizeof(T));
  return lines.keep(boundary) && boundary.keeps(lines.columns()) &&
         boundary.lead(reinterpret_cast<std::uintptr_t>(lines.data)) == 0;
}

/// Whether rows of neighbours follow each other, and their blocks.
template <class T>
bool has_full_columns(const LineArray<T>& lines) {
  return lines.column_stride() == 1 && lines.stride == lines.columns();
}
template <class T>
bool has_full_blocks(const LineArray<T>& lines) {
  const std::int64_t blocks = lines.lines() / std::max<std::int64_t>(1, lines.columns());
  return has_full_columns(lines) && lines.outer[line_axes_max - 2] == blocks &&
         (blocks == 1 || lines.outer_stride[line_axes_max - 2] == lines.extent * lines.columns());
}

template <class In, class Out>
FilterShape filter_shape(const LineArray<In>& in, const LineArray<Out>& out, std::int64_t taps,
                         std::int64_t reach_left) {
  LineDirection direction = LineDirection::neither;
  if (in.stride == 1 && out.stride == 1) {
    direction = LineDirection::along;
  } else if (in.column_stride() == 1 && out.column_stride() == 1) {
    direction = LineDirection::across;
  }
  return {in.lines(),
          in.extent,
          in.columns(),
          std::max(in.column_stride(), out.column_stride()),
          direction,
          taps,
          reach_left,
          are_adjacent(in, out) && in.extent == out.extent,
          direction == LineDirection::across && has_words(in) && has_words(out),
          direction == LineDirection::across && has_full_columns(in) && has_full_columns(out),
          direction == LineDirection::across && has_full_blocks(in) && has_full_blocks(out)};
}

/// Whether lines of neighbours begin at equal distances, which an int holds for many of them.
inline bool has_even_lines(const FilterShape& shape) {
  return shape.direction == LineDirection::along && shape.lines == shape.columns &&
         shape.column_stride < std::int64_t{1} << 20;
}

/// So many neighbours across memory at a time.
inline std::int64_t column_tile_count(const FilterShape& shape, int at_once) {
  return shape.lines / shape.columns * ceil_div(shape.columns, at_once);
}

/// The same for filters that do not look at weights.
struct LinePlace {
  std::int64_t columns = 0;  // so many lines lie side by side, each beside the next, across memory; or 0
  bool adjacent = false;     // each follows the one before it
  bool full_columns = false, full_blocks = false;  // as FilterShape has them
};

/// Of lines of extent elements, across memory where rows of neighbours follow each other.
inline FilterShape full_columns_shape(const LinePlace& place, std::int64_t lines, std::int64_t extent,
                                      std::int64_t taps, std::int64_t reach_left) {
  return {.lines = lines,
          .extent = extent,
          .columns = place.columns,
          .column_stride = 1,
          .direction = LineDirection::across,
          .taps = taps,
          .reach_left = reach_left,
          .full_columns = place.full_columns,
          .full_blocks = place.full_blocks};
}

/// Whether kernels of lines across memory make anything of that many neighbouring lines: a sector of
/// memory.
template <class T>
constexpr bool fills_columns(std::int64_t columns) {
  return columns * static_cast<std::int64_t>(sizeof(T)) >= 32;
}

template <class In, class Out>
LinePlace line_place(const LineArray<In>& in, const LineArray<Out>& out) {
  const FilterShape shape = filter_shape(in, out, 1, 0);
  return {shape.direction == LineDirection::across ? shape.columns : 0, shape.adjacent, shape.full_columns,
          shape.full_blocks};
}

}  // namespace tessera::detail

#endif

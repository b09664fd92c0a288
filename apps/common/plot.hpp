// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pictures that --plot writes, as SVG documents.
#ifndef TESSERA_APPS_COMMON_PLOT_HPP
#define TESSERA_APPS_COMMON_PLOT_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "host_array.hpp"
#include "record.hpp"

namespace tessera::apps {

/// Neighbouring samples that share a column of pixels: their smallest and largest value, in the order they come in.
struct PlotColumn {
  double first = 0, second = 0;
  bool is_drawn = false;   // one of them is finite
  bool is_broken = false;  // one of them is not
};

/// A curve over the index, thinned to what a picture can show without losing a peak.
struct PlotSeries {
  std::string name;
  std::uint64_t samples = 0;
  std::vector<PlotColumn> columns;  // an equal share of the samples each
  std::uint64_t first = 0;          // the index of the first sample
};

/// The first line along an axis of an array; complex ones are refused before.
[[nodiscard]] PlotSeries series_of(const std::string& name, const HostArray& array, std::size_t axis);

/// The curves over one pair of axes, with a legend. What is not finite leaves gaps.
[[nodiscard]] std::string line_plot(const std::string& title, const std::vector<PlotSeries>& curves);

/// A filter's run: the first lines of input and output along its axis; the output's begins at the index first_output.
[[nodiscard]] std::string signal_plot(const Record& record, const HostArray& input, const HostArray& output,
                                      std::size_t axis, std::uint64_t first_output);

/// A bar for each run, in GB/s by the median, beside the ceiling that bounds it.
[[nodiscard]] std::string bandwidth_chart(const Record& record);

}  // namespace tessera::apps

#endif

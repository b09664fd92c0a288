// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of tessera-filter: as typed, and as what they mean for an input.
#ifndef TESSERA_APPS_FILTER_FILTER_ARGUMENTS_HPP
#define TESSERA_APPS_FILTER_FILTER_ARGUMENTS_HPP

#include <string>

#include "common/command_line.hpp"
#include "common/dataset.hpp"
#include "common/host_array.hpp"
#include "filter_engine.hpp"
#include "filter_weights.hpp"

namespace tessera::apps {

struct FilterArguments {
  FilterSource source;
  bool convolve = false;
  std::string axis = "-1", mode = "reflect", mode_left, mode_right, cval = "0", origin = "0", iterate = "1";
  std::string nan = "propagate", accumulate, output_type, output;
};

/// Checks what needs no input: names, numbers, one filter. \throws Failure (bad_input)
[[nodiscard]] FilterRequest filter_request(const FilterArguments& arguments);

/// Checks and adds what depends on the input: axis, cval, accumulation. \throws Failure (bad_input)
void complete_request(FilterRequest& request, const FilterArguments& arguments, const Dataset& dataset);

/// The type of the engine's result, of complex elements from that of their parts to that of the result's. Floating
/// input keeps its own, integers give integers for whole weights, else float64; for an output type one that becomes it
/// by the one rounding, where complete_request() has not refused it.
[[nodiscard]] ElementType filter_output_type(const FilterRequest& request, ElementType input);

}  // namespace tessera::apps

#endif

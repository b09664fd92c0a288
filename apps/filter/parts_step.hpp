// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters of complex elements as two filters of reals. Where splits_parts() does not ask for it, parts are filtered
// where they lie.
#ifndef TESSERA_APPS_FILTER_PARTS_STEP_HPP
#define TESSERA_APPS_FILTER_PARTS_STEP_HPP

#include <functional>
#include <memory>
#include <string>

#include "filter_step.hpp"

namespace tessera::apps {

/// Whether complex elements of an array of that shape are: sums of weighted elements are far slower along lines that
/// hold their parts in turns than along contiguous ones.
[[nodiscard]] inline bool splits_parts(const FilterRequest& request, const Shape& shape) {
  return request.joins_parts() || (request.has_weights() && lines_shape(shape, request.axis).inner == 1);
}

/// Makes the filter of an array with one part of each element.
using MakePartStep = std::function<std::unique_ptr<FilterStep>(const FilterRequest&)>;

/// in, out: types of parts. shape: in elements.
[[nodiscard]] std::unique_ptr<FilterStep> make_parts_step(ElementType in, ElementType out, const FilterRequest& request,
                                                          const LinesShape& shape, const std::string& space,
                                                          const MakePartStep& make);

}  // namespace tessera::apps

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of tessera-filter that say which filter: a list, a dataset, or a filter with a name.
#ifndef TESSERA_APPS_FILTER_FILTER_WEIGHTS_HPP
#define TESSERA_APPS_FILTER_FILTER_WEIGHTS_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::apps {

/// As typed; "" where not given.
struct FilterSource {
  std::string weights, weights_from, gaussian, order, truncate, binomial, savgol, box, min, max, median;
};

struct ChosenFilter {
  std::string name;             // "" for a list and a dataset
  std::vector<double> weights;  // of a filter with a name: to be convolved with
  std::int64_t window = 0;      // elements, of box, min, max and median, which have no weights
};

/// The one filter asked for. \throws Failure (bad_input) where it is none, several or not a filter; (no_resource) where
/// its weights do not fit into memory.
[[nodiscard]] ChosenFilter chosen_filter(const FilterSource& source);

/// The text as a whole number. \throws Failure (bad_input) that begins with what
[[nodiscard]] std::int64_t whole_number(std::string_view what, const std::string& text);

}  // namespace tessera::apps

#endif

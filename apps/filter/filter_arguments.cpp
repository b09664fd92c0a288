// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "filter_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/failure.hpp"
#include "common/memory_limit.hpp"
#include "common/text.hpp"

namespace tessera::apps {
namespace {

void require_finite(const std::string& source, const std::vector<double>& weights) {
  if (weights.empty()) refuse(source + ": there are no weights");
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (!std::isfinite(weights[k])) {
      refuse(fmt::format("{}: weight {} is {}; weights must be finite", source, k, format_number(weights[k])));
    }
  }
}

std::vector<double> listed_weights(const std::string& list) {
  std::vector<double> weights;
  for (const auto& text : split(list)) {
    const auto weight = parse_double(text);
    if (!weight) refuse(fmt::format("--weights: weight {}, `{}`, is not a number", weights.size(), text));
    weights.push_back(*weight);
  }
  require_finite("--weights", weights);
  return weights;
}

std::vector<double> stored_weights(const std::string& spec) {
  const Dataset dataset(spec);
  const std::string name = "--weights-from " + spec;
  (void)dataset.compute_type();  // no complex ones
  const Shape& shape = dataset.info().shape;
  if (shape.size() != 1) refuse(fmt::format("{}: weights must have rank 1, these have {}", name, shape.size()));
  require_host_memory(name, dataset.read_bytes() + shape[0] * sizeof(double));
  const HostArray array = dataset.read();
  std::vector<double> weights(shape[0]);
  visit_type(array.type, [&](const auto zero) {
    std::copy_n(array.buffer.as<std::decay_t<decltype(zero)>>(), weights.size(), weights.begin());
  });
  require_finite(name, weights);
  return weights;
}

std::int64_t whole_number(const std::string& option, const std::string& text) {
  const auto number = parse_int64(text);
  if (!number) refuse(fmt::format("{}: `{}` is not a whole number", option, text));
  return *number;
}

/// cval as an element of type T: floating types round to nearest, integers must hold it exactly.
template <class T>
Number boundary_value(const std::string& text) {
  const auto refuse_value = [&](const char* why) { refuse(fmt::format("--cval: `{}` {}", text, why)); };
  const auto value = parse_double(text);
  if constexpr (std::is_same_v<T, double>) {
    if (!value) refuse_value("is not a number that float64 can hold");
    return *value;
  } else if constexpr (std::is_same_v<T, float>) {
    const auto rounded = parse_float(text);  // one rounding, not two
    if (!rounded) refuse_value("is not a number that float32, the input's type, can hold");
    return static_cast<double>(*rounded);
  } else {
    // Digits are read as such: above 2^53 a double would lose some. "1e3" and "2.0" are whole numbers as well.
    std::optional<T> whole;
    if constexpr (std::is_unsigned_v<T>) {
      whole = parse_uint64(text);
    } else if (const auto number = parse_int64(text);
               number && *number >= std::numeric_limits<T>::min() && *number <= std::numeric_limits<T>::max()) {
      whole = static_cast<T>(*number);
    }
    constexpr double beyond = 2.0 * static_cast<double>(std::numeric_limits<T>::max() / 2 + 1);  // a power of two
    const bool digits_only = text.find_first_not_of("+-0123456789") == std::string::npos;
    if (!whole && !digits_only && value && *value == std::trunc(*value) && *value < beyond &&
        *value >= static_cast<double>(std::numeric_limits<T>::min())) {
      whole = static_cast<T>(*value);
    }
    if (!whole) refuse_value("is not a whole number that the input's type can hold");
    if constexpr (std::is_unsigned_v<T>) {
      return static_cast<std::uint64_t>(*whole);
    } else {
      return static_cast<std::int64_t>(*whole);
    }
  }
}

bool all_whole(const std::vector<double>& weights) {
  return std::all_of(weights.begin(), weights.end(), [](double weight) { return weight == std::trunc(weight); });
}

}  // namespace

FilterRequest filter_request(const FilterArguments& arguments) {
  if (arguments.weights.empty() == arguments.weights_from.empty()) {
    refuse(arguments.weights.empty() ? "--weights or --weights-from is missing; see --help"
                                     : "--weights and --weights-from cannot both be given");
  }
  FilterRequest request;
  request.convolve = arguments.convolve;
  request.mode = require_one_of("--mode", arguments.mode, boundary_mode_names());
  request.origin = whole_number("--origin", arguments.origin);
  if (!arguments.accumulate.empty()) require_one_of("--accumulate", arguments.accumulate, {"float", "double"});
  request.accumulate_double = arguments.accumulate == "double";
  request.weights =
      arguments.weights.empty() ? stored_weights(arguments.weights_from) : listed_weights(arguments.weights);
  const auto taps = static_cast<std::int64_t>(request.weights.size());
  if (request.origin < -(taps / 2) || request.origin > (taps - 1) / 2) {
    refuse(fmt::format("--origin: {} is not within {} to {}, as {} weights need", request.origin, -(taps / 2),
                       (taps - 1) / 2, taps));
  }
  return request;
}

void complete_request(FilterRequest& request, const FilterArguments& arguments, ElementType type, const Shape& shape) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (rank == 0) refuse("a single value has no axis to filter along");
  const std::int64_t axis = whole_number("--axis", arguments.axis);
  if (axis < -rank || axis >= rank) {
    refuse(fmt::format("--axis: {} is not within {} to {}, the axes of {}", axis, -rank, rank - 1, to_string(shape)));
  }
  if (axis != -1 && axis != rank - 1) {
    refuse(fmt::format("--axis: {} cannot be filtered along, only the last axis, {} or -1", axis, rank - 1));
  }
  request.cval =
      visit_type(type, [&](const auto zero) { return boundary_value<std::decay_t<decltype(zero)>>(arguments.cval); });
  if (arguments.accumulate == "float" && type != ElementType::float32) {
    refuse(fmt::format("--accumulate: float is for float32 data, this is {}", to_string(type)));
  }
  if (request.accumulate_double && !is_floating(type) && all_whole(request.weights)) {
    refuse(fmt::format("--accumulate: {} data with whole weights is filtered exactly, in integers", to_string(type)));
  }
}

ElementType filter_output_type(const FilterRequest& request, ElementType input) {
  if (is_floating(input)) return input;
  if (!all_whole(request.weights)) return ElementType::float64;
  const bool negative =
      std::any_of(request.weights.begin(), request.weights.end(), [](double weight) { return weight < 0; });
  return input == ElementType::uint64 && !negative ? ElementType::uint64 : ElementType::int64;
}

}  // namespace tessera::apps

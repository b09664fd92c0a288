// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "filter_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/failure.hpp"
#include "common/text.hpp"

namespace tessera::apps {
namespace {

[[noreturn]] void refuse_cval(const std::string& text, ElementType type, const std::string& reader) {
  refuse(
      fmt::format("--cval: `{}` is not a {}number that {} can hold", text, is_floating(type) ? "" : "whole ", reader));
}

/// cval as an element of type T; nothing where it has none: floating types round to nearest, integers must hold it
/// exactly.
template <class T>
std::optional<Number> boundary_value(const std::string& text) {
  const auto value = parse_double(text);
  if constexpr (std::is_same_v<T, double>) {
    return value;
  } else if constexpr (std::is_same_v<T, float>) {
    const auto rounded = parse_float(text);  // one rounding, not two
    if (!rounded) return std::nullopt;
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
    if constexpr (std::is_unsigned_v<T>) {
      if (!whole && value && *value == 0) whole = 0;  // "-0"
    }
    constexpr double beyond = 2.0 * static_cast<double>(std::numeric_limits<T>::max() / 2 + 1);  // a power of two
    const bool digits_only = text.find_first_not_of("+-0123456789") == std::string::npos;
    if (!whole && !digits_only && value && *value == std::trunc(*value) && *value < beyond &&
        *value >= static_cast<double>(std::numeric_limits<T>::min())) {
      whole = static_cast<T>(*value);
    }
    if (!whole) return std::nullopt;
    if constexpr (std::is_unsigned_v<T>) {
      return static_cast<std::uint64_t>(*whole);
    } else {
      return static_cast<std::int64_t>(*whole);
    }
  }
}

/// The type of results that no output type is asked for.
ElementType own_output_type(const FilterRequest& request, ElementType input) {
  if (!request.has_weights()) return request.operation == "box" && !is_floating(input) ? ElementType::float64 : input;
  if (is_floating(input)) return input;
  if (!request.is_whole()) return ElementType::float64;
  const bool negative =
      std::any_of(request.weights.begin(), request.weights.end(), [](double weight) { return weight < 0; });
  return input == ElementType::uint64 && !negative ? ElementType::uint64 : ElementType::int64;
}

/// Results of every bit are rounded, or clamped, once: what would be twice is refused.
void check_output_type(const FilterRequest& request, ElementType input) {
  if (!request.output_type) return;
  const NumberType type = *request.output_type;
  const ElementType own = own_output_type(request, input);
  if (request.iterate > 1 && type != number_type_of(own)) {
    refuse(fmt::format("--output-type: with --iterate every application stores its own type, {}", to_string(own)));
  }
  if (is_floating(input)) return;
  if (!request.has_weights()) {
    if (own == ElementType::float64 && type != NumberType::float64) {
      refuse(fmt::format("--output-type: means of {} data would be rounded twice to {}; give float64", to_string(input),
                         to_string(type)));
    }
    return;
  }
  long double magnitude_sum = 0;
  for (const double weight : request.weights) magnitude_sum += std::abs(weight);
  // What int64 holds, without a clamp.
  const bool fits = input == ElementType::int32 && magnitude_sum < 0x1p31L && !request.has_mode("odd");
  const bool keeps = request.has_mode("keep");
  if (type == NumberType::float32) {
    if (request.is_whole() ? fits : input == ElementType::int32 || !keeps) return;
    refuse(fmt::format("--output-type: {} data would be rounded twice to float32; give float64", to_string(input)));
  }
  if (type == NumberType::uint64 && input == ElementType::int32 && !fits) {
    refuse("--output-type: int32 data and weights of 2^31 and more would be clamped twice; give int64 or float64");
  }
}

/// What complex elements cannot have.
void check_complex_request(const FilterRequest& request, NumberType element) {
  if (!request.has_weights() && request.operation != "box") {
    refuse(fmt::format("--{}: {} elements have no order; filter them with weights or --box", request.operation,
                       to_string(element)));
  }
  if (request.output_type && !is_floating(*request.output_type)) {
    refuse(fmt::format("--output-type: {} holds no {} elements; give float32 or float64 for their parts",
                       to_string(*request.output_type), to_string(element)));
  }
}

/// What only sums of weighted elements can have.
void check_window_request(const FilterRequest& request, const FilterArguments& arguments) {
  const auto only_weights = [&](const std::string& option) {
    refuse(fmt::format("{}: it is for filters with weights; --{} has none", option, request.operation));
  };
  if (arguments.convolve) only_weights("--convolve");
  if (!arguments.accumulate.empty()) only_weights("--accumulate");
  const auto modes = window_mode_names();
  for (const auto& mode : {request.mode_left, request.mode_right}) {
    if (std::find(modes.begin(), modes.end(), mode) == modes.end()) only_weights("--mode " + mode);
  }
}

std::string mode_of(const std::string& option, const std::string& mode, const std::string& of_both_sides) {
  return mode.empty() ? of_both_sides : require_one_of(option, mode, boundary_mode_names());
}

std::optional<Number> boundary_value_of(ElementType type, const std::string& text) {
  return visit_type(type, [&](const auto zero) { return boundary_value<std::decay_t<decltype(zero)>>(text); });
}

/// cval as an element of the input: a value of part_type() that the stored type has.
Number input_value_of(const Dataset& dataset, const std::string& text) {
  const ElementType type = dataset.part_type();
  const std::optional<Number> computed = boundary_value_of(type, text);
  std::optional<Number> stored = computed ? dataset.nearest_element(*computed) : std::nullopt;
  // For a narrower float all digits are rounded once.
  if (stored && *stored != *computed) stored = dataset.nearest_element(*parse_double(text));
  if (!stored) refuse_cval(text, type, dataset.info().stored_type + ", the input's type,");
  return *stored;
}

}  // namespace

FilterRequest filter_request(const FilterArguments& arguments) {
  FilterRequest request;
  ChosenFilter chosen = chosen_filter(arguments.source);
  request.weights = std::move(chosen.weights);
  request.window = chosen.window;
  request.convolve = request.has_weights() && (arguments.convolve || !chosen.name.empty());
  request.operation = !chosen.name.empty() ? chosen.name : arguments.convolve ? "convolve" : "correlate";
  require_one_of("--mode", arguments.mode, boundary_mode_names());
  request.mode_left = mode_of("--mode-left", arguments.mode_left, arguments.mode);
  request.mode_right = mode_of("--mode-right", arguments.mode_right, arguments.mode);
  request.nan = require_one_of("--nan", arguments.nan, {"propagate", "omit", "error"});
  if (!request.has_weights()) check_window_request(request, arguments);
  request.origin = whole_number("--origin", arguments.origin);
  if (!arguments.accumulate.empty()) require_one_of("--accumulate", arguments.accumulate, {"float", "double"});
  request.accumulate_double = arguments.accumulate == "double";
  if (!arguments.output_type.empty()) {
    request.output_type =
        number_type_named(require_one_of("--output-type", arguments.output_type, output_type_names()));
  }
  request.iterate = whole_number("--iterate", arguments.iterate);
  if (request.iterate < 1 || request.iterate > std::numeric_limits<std::int32_t>::max()) {
    refuse(fmt::format("--iterate: {} is not within 1 to 2^31 - 1", request.iterate));
  }
  if (request.iterate > 1 && request.has_mode("valid")) {
    refuse("--iterate: an application with mode valid leaves shorter lines; give one at a time");
  }
  const std::int64_t taps = request.taps();
  if (request.origin < -(taps / 2) || request.origin > (taps - 1) / 2) {
    refuse(fmt::format("--origin: {} is not within {} to {}, as {} {} need", request.origin, -(taps / 2),
                       (taps - 1) / 2, taps, request.has_weights() ? "weights" : "elements"));
  }
  return request;
}

void complete_request(FilterRequest& request, const FilterArguments& arguments, const Dataset& dataset) {
  const ElementType type = dataset.part_type();
  const Shape& shape = dataset.info().shape;
  if (dataset.is_complex()) check_complex_request(request, dataset.element_type());
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (rank == 0) refuse("a single value has no axis to filter along");
  const std::int64_t axis = whole_number("--axis", arguments.axis);
  if (axis < -rank || axis >= rank) {
    refuse(fmt::format("--axis: {} is not within {} to {}, the axes of {}", axis, -rank, rank - 1, to_string(shape)));
  }
  request.axis = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  const bool keeps = request.keeps_elements() && !is_floating(dataset.element_type());
  if (request.iterate > 1 && keeps && request.output_type == dataset.element_type()) request.output_type.reset();
  check_output_type(request, type);
  request.cval = request.following_cval = input_value_of(dataset, arguments.cval);
  if (request.iterate > 1) {
    const ElementType stored = filter_output_type(request, type);
    const std::optional<Number> following = boundary_value_of(stored, arguments.cval);
    if (!following) refuse_cval(arguments.cval, stored, to_string(stored) + ", which the second application reads,");
    request.following_cval = *following;
  }
  if (arguments.accumulate == "float" && type != ElementType::float32) {
    refuse(fmt::format("--accumulate: float is for float32 data, this is {}",
                       to_string(dataset.is_complex() ? dataset.element_type() : number_type_of(type))));
  }
  if (request.accumulate_double && !is_floating(type) && request.is_whole()) {
    refuse(fmt::format("--accumulate: {} data with whole weights is filtered exactly, in integers", to_string(type)));
  }
}

ElementType filter_output_type(const FilterRequest& request, ElementType input) {
  if (!request.output_type || !request.has_weights()) return own_output_type(request, input);
  const NumberType type = *request.output_type;
  if (is_floating(input)) {
    return request.accumulate_double && type != NumberType::float32 ? ElementType::float64 : input;
  }
  if (type == NumberType::float32) return request.is_whole() ? ElementType::int64 : ElementType::float64;
  if (type == NumberType::float64) return ElementType::float64;
  return type == NumberType::uint64 && input != ElementType::int32 ? ElementType::uint64 : ElementType::int64;
}

}  // namespace tessera::apps

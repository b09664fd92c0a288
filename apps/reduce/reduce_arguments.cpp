// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce_arguments.hpp"

#include <fmt/format.h>

#include "common/failure.hpp"
#include "common/text.hpp"
#include "reduce_pass.hpp"

namespace tessera::apps {
namespace {

std::vector<std::string> operations_of(const std::string& list) {
  std::vector<std::string> operations;
  for (const auto& operation : split(list)) {
    require_one_of("--op", operation, reduce_operation_names());
    if (contains(operations, operation)) refuse(fmt::format("--op: `{}` is given twice", operation));
    operations.push_back(operation);
  }
  return operations;
}

bool is_truth(const std::string& operation) { return operation == "any" || operation == "all"; }

}  // namespace

void add_reduce_options(CommandLine& command_line, ReduceArguments& arguments) {
  command_line.add_option("--op", arguments.operations, "LIST",
                          fmt::format("{} (default {})", join(reduce_operation_names()), arguments.operations));
  command_line.add_option("--axis", arguments.axis, "LIST", "Axes to reduce, negative from the end (default all)");
  command_line.add_flag("--keepdims", arguments.keepdims, "Keep reduced axes, with extent 1");
  command_line.add_option("--with", arguments.with, "INPUT2", "The second array of dot");
  command_line.add_option("--summation", arguments.summation, "KIND",
                          "exact (default): floating sums correctly rounded; fast: in the element type");
  command_line.add_option("--nan", arguments.nan, "POLICY", "propagate (default), omit or error");
  command_line.add_option("--ddof", arguments.ddof, "N", "var and std divide by n - N (default 0)");
  command_line.add_option("--output-type", arguments.output_type, "TYPE",
                          "Write results as TYPE: " + join(output_type_names()) + " (indices, counts, truth: as ever)");
  command_line.add_option("--output", arguments.output, "FILE:/DATASET",
                          "Write the result there; several to DATASET/OP each");
}

const std::vector<std::string>& reduce_operation_names() {
  static const std::vector<std::string> names{
      "sum",   "prod",      "min",       "max",        "minmax", "argmin",  "argmax", "argmin_last", "argmax_last",
      "count", "count_nan", "count_inf", "count_zero", "mean",   "var",     "std",    "l1",          "l2",
      "linf",  "any",       "all",       "bit_and",    "bit_or", "bit_xor", "dot",    "stats"};
  return names;
}

const std::vector<std::string>& complex_operation_names() {
  static const std::vector<std::string> names{"sum", "prod", "count", "count_nan", "count_inf", "count_zero", "mean",
                                              "l1",  "l2",   "any",   "all",       "dot",       "stats"};
  return names;
}

const std::vector<std::string>& stats_operation_names(bool of_complex) {
  static const std::vector<std::string> names{"count", "count_nan", "count_inf", "min", "argmin", "max", "argmax",
                                              "sum",   "mean",      "var",       "l1",  "l2",     "linf"};
  static const std::vector<std::string> complex_names{"count", "count_nan", "count_inf", "sum", "mean", "l1", "l2"};
  return of_complex ? complex_names : names;
}

ReduceRequest reduce_request(const CommandLine& command_line, const ReduceArguments& arguments) {
  ReduceRequest request;
  request.operations = operations_of(arguments.operations);
  request.exact = require_one_of("--summation", arguments.summation, {"exact", "fast"}) == "exact";
  request.summation_given = command_line.given("--summation");
  request.nan = require_one_of("--nan", arguments.nan, {"propagate", "omit", "error"});
  const auto ddof = parse_uint64(arguments.ddof);
  if (!ddof) refuse(fmt::format("--ddof: `{}` is not a whole number of at least 0", arguments.ddof));
  request.ddof = *ddof;
  request.axis = arguments.axis;
  request.keepdims = arguments.keepdims;
  request.by_axis = arguments.axis != "all" || arguments.keepdims;
  request.with = arguments.with;
  const bool dot = contains(request.operations, std::string("dot"));
  if (dot && request.with.empty()) refuse("--op: dot needs a second array; give it as --with INPUT2");
  if (!dot && !request.with.empty()) refuse("--with: only dot takes a second array, and --op does not name it");
  if (!arguments.output_type.empty()) {
    request.output_type =
        number_type_named(require_one_of("--output-type", arguments.output_type, output_type_names()));
  }
  return request;
}

std::vector<bool> reduced_axes(const ReduceRequest& request, const Shape& shape) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (request.axis == "all") return std::vector<bool>(shape.size(), true);
  std::vector<bool> reduced(shape.size(), false);
  for (const auto& text : split(request.axis)) {
    const auto axis = parse_int64(text);
    if (!axis) refuse(fmt::format("--axis: `{}` is not a whole number; give axes as 0,-1 or all", text));
    if (rank == 0) refuse(fmt::format("--axis: {} is out of range: a single value has no axes", *axis));
    if (*axis < -rank || *axis >= rank) {
      refuse(
          fmt::format("--axis: {} is not within {} to {}, the axes of {}", *axis, -rank, rank - 1, to_string(shape)));
    }
    const auto position = static_cast<std::size_t>(*axis < 0 ? *axis + rank : *axis);
    if (reduced[position]) refuse(fmt::format("--axis: axis {} of {} is given twice", position, to_string(shape)));
    reduced[position] = true;
  }
  return reduced;
}

void check_element_type(const ReduceRequest& request, const std::string& operation, NumberType element) {
  if (!is_floating(element)) return;
  if (is_complex(element) && !contains(complex_operation_names(), operation)) {
    refuse(fmt::format("--op: {} takes real numbers, the elements are {}; of these there are {}", operation,
                       to_string(element), join(complex_operation_names())));
  }
  if (operation.starts_with("bit_")) {
    refuse(fmt::format("--op: {} takes integers, the elements are {}", operation, to_string(element)));
  }
  const bool gives_complex = is_complex(element) && (keeps_complex(operation) || operation == "stats");
  if (gives_complex && request.output_type && !is_floating(*request.output_type)) {
    refuse(fmt::format("--output-type: {} holds no complex {}; give float32 or float64 for its parts",
                       to_string(*request.output_type), operation == "stats" ? "sum" : operation));
  }
}

NumberType reported_type(const std::string& operation, NumberType element) {
  if (operation.starts_with("count")) return NumberType::uint64;
  if (is_truth(operation)) return NumberType::boolean;
  if (is_complex(element) && keeps_complex(operation)) return NumberType::complex128;
  if (is_floating(element) || contains({"mean", "var", "std", "l2"}, operation)) return NumberType::float64;
  if (operation == "l1" || operation == "linf") return NumberType::uint64;
  if (contains({"sum", "prod", "dot"}, operation)) return is_unsigned(element) ? NumberType::uint64 : NumberType::int64;
  return element;
}

NumberType written_type(const ReduceRequest& request, const std::string& operation, NumberType element) {
  if (is_arg(operation)) return NumberType::int64;
  const NumberType reported = reported_type(operation, element);
  if (operation.starts_with("count") || is_truth(operation)) return reported;
  if (is_complex(reported)) {
    if (request.output_type) return complex_of(*request.output_type);
    return request.by_axis ? element : reported;
  }
  if (request.output_type) return *request.output_type;
  if (!request.by_axis || !is_floating(element)) return reported;
  return is_complex(element) ? part_of(element) : element;
}

}  // namespace tessera::apps

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the options of tessera-reduce to a checked request.
#ifndef TESSERA_APPS_REDUCE_REDUCE_ARGUMENTS_HPP
#define TESSERA_APPS_REDUCE_REDUCE_ARGUMENTS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/command_line.hpp"
#include "common/number_type.hpp"

namespace tessera::apps {

/// The options as text.
struct ReduceArguments {
  std::string operations = "stats", axis = "all", with, summation = "exact", nan = "propagate", ddof = "0", output_type,
              output;
  bool keepdims = false;
};

void add_reduce_options(CommandLine& command_line, ReduceArguments& arguments);

/// Names as --op takes them, those that complex elements have, and what `stats` stands for.
[[nodiscard]] const std::vector<std::string>& reduce_operation_names();
[[nodiscard]] const std::vector<std::string>& complex_operation_names();
[[nodiscard]] const std::vector<std::string>& stats_operation_names(bool of_complex);

struct ReduceRequest {
  std::vector<std::string> operations;  // as given: stats is one of them
  bool exact = true, summation_given = false;
  std::string nan;
  std::uint64_t ddof = 0;
  std::string axis;      // "all", or a list
  bool by_axis = false;  // results have a shape
  bool keepdims = false;
  std::string with;         // "" for none
  bool of_complex = false;  // the elements, once they are known
  std::optional<NumberType> output_type;
};

/// What can be checked without the input. \throws Failure (bad_input)
[[nodiscard]] ReduceRequest reduce_request(const CommandLine& command_line, const ReduceArguments& arguments);

/// The axes to reduce, an entry each. \throws Failure (bad_input) for axes that are out of range or given twice.
[[nodiscard]] std::vector<bool> reduced_axes(const ReduceRequest& request, const Shape& shape);

/// \throws Failure (bad_input) where elements of this type do not have the operation, or results of the type asked for.
void check_element_type(const ReduceRequest& request, const std::string& operation, NumberType element);

/// The type that results of an operation are reported in, and the one that they are written in.
[[nodiscard]] NumberType reported_type(const std::string& operation, NumberType element);
[[nodiscard]] NumberType written_type(const ReduceRequest& request, const std::string& operation, NumberType element);

}  // namespace tessera::apps

#endif

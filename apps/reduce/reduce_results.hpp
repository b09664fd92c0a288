// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the values of passes to the record's results and the datasets of the output.
#ifndef TESSERA_APPS_REDUCE_REDUCE_RESULTS_HPP
#define TESSERA_APPS_REDUCE_REDUCE_RESULTS_HPP

#include <map>
#include <string>
#include <vector>

#include "common/output_file.hpp"
#include "common/result.hpp"
#include "reduce_arguments.hpp"
#include "reduce_inputs.hpp"
#include "reduce_pass.hpp"

namespace tessera::apps {

/// The operations asked for, each once, with those that stats stands for in its place.
[[nodiscard]] std::vector<std::string> expanded_operations(const ReduceRequest& request);

/// \throws Failure (bad_input) where too few elements stand behind the values of an operation that was asked for by
/// its name.
void require_elements(const ReduceRequest& request, const ReducePass& axes, const Shape& shape);
/// \throws Failure (bad_input) where such an operation found none left.
void require_defined(const ReduceRequest& request, const ReducePass& axes, const OpValues& values, const Shape& shape);

/// Gives arg* the elements that their indices stand for.
void fill_elements(const ReducePass& axes, const HostArray& input, OpValues& values);

/// The extents of what an operation gives.
[[nodiscard]] Shape result_shape(const ReduceRequest& request, const ReducePass& axes, const std::string& operation,
                                 const Shape& shape);

/// The record's entry.
[[nodiscard]] Result result_of(const ReduceRequest& request, const ReducePass& axes, const OpValues& values,
                               NumberType element, const Shape& shape);

/// DATASET itself for one operation, DATASET/OP for several and for stats.
[[nodiscard]] std::string suffix_of(const ReduceRequest& request, const std::string& operation);
[[nodiscard]] std::uint64_t written_bytes(const ReduceRequest& request, const ReducePass& axes,
                                          const ReduceInputs& inputs);
/// inputs: what float64 sums that lie half way between two float32 are summed again from, so that they are rounded
/// once.
void write_result(OutputFile& file, const ReduceRequest& request, const ReducePass& axes, const Result& result,
                  const ReduceInputs& inputs, const Provenance& provenance);

}  // namespace tessera::apps

#endif

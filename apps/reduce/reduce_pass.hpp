// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one pass over an array is asked for, and what it gives: plain data.
#ifndef TESSERA_APPS_REDUCE_REDUCE_PASS_HPP
#define TESSERA_APPS_REDUCE_REDUCE_PASS_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "common/host_array.hpp"
#include "common/measurement.hpp"

namespace tessera::apps {

struct ReducePass {
  std::string name;                     // of the operations, as the user knows them
  std::vector<std::string> operations;  // one, or several that one pass serves
  bool exact = true;                    // sums of floating elements; else fast
  std::string nan = "propagate";
  std::uint64_t ddof = 0;
  std::vector<bool> reduced;  // an entry an axis; empty: the whole array, whatever its rank
  bool is_complex = false;    // its elements
};

/// The values of one operation, in the order of the kept positions: one for the whole array; of minmax, and of complex
/// results, two a position.
struct OpValues {
  std::string op;
  Numbers values;
  std::vector<std::int64_t> index;      // of arg*: position among the reduced elements
  std::vector<std::uint8_t> undefined;  // 1 where there is no value; empty: nowhere
  bool exact = true;                    // whether terms were summed exactly
};

/// Whether one pass can serve it beside others.
[[nodiscard]] inline bool shares_a_pass(const std::string& op) {
  return op != "prod" && op != "dot" && !op.starts_with("bit_") && !op.ends_with("_last");
}
/// Whether floating terms are added for it, so that the kind of summation matters.
[[nodiscard]] inline bool is_summed(const std::string& op) {
  return op == "sum" || op == "mean" || op == "var" || op == "std" || op == "l1" || op == "l2" || op == "dot";
}
/// Whether it has a value whatever the NaN and their policy.
[[nodiscard]] inline bool always_has_value(const std::string& op) {
  return op.starts_with("count") || op == "any" || op == "all";
}
/// Whether there is a kernel that adds its floating terms fast; else they are summed exactly, which no bound forbids.
[[nodiscard]] inline bool has_fast_kernel(const ReducePass& pass) {
  if (pass.is_complex || pass.operations.size() != 1 || !is_summed(pass.operations[0])) return false;
  return pass.reduced.empty() || pass.operations[0] == "sum";
}
/// Whether complex elements give a complex value.
[[nodiscard]] inline bool keeps_complex(const std::string& op) {
  return op == "sum" || op == "prod" || op == "mean" || op == "dot";
}
[[nodiscard]] inline std::size_t values_at(const ReducePass& pass, const std::string& op) {
  return op == "minmax" || (pass.is_complex && keeps_complex(op)) ? 2 : 1;
}
[[nodiscard]] inline bool is_arg(const std::string& op) { return op.starts_with("arg"); }

/// Extents without the reduced axes; none for the whole array.
[[nodiscard]] inline Shape kept_shape(const ReducePass& pass, const Shape& shape) {
  Shape kept;
  for (std::size_t axis = 0; axis < pass.reduced.size(); ++axis) {
    if (!pass.reduced[axis]) kept.push_back(shape[axis]);
  }
  return kept;
}

/// Elements behind each value.
[[nodiscard]] inline std::uint64_t reduced_count(const ReducePass& pass, const Shape& shape) {
  if (pass.reduced.empty()) return element_count(shape);
  Shape reduced;
  for (std::size_t axis = 0; axis < pass.reduced.size(); ++axis) {
    if (pass.reduced[axis]) reduced.push_back(shape[axis]);
  }
  return element_count(reduced);
}

}  // namespace tessera::apps

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the sums of a sequence to what each operation must give.
#ifndef TESSERA_APPS_REDUCE_LINE_EXPECTATION_HPP
#define TESSERA_APPS_REDUCE_LINE_EXPECTATION_HPP

#include <string>

#include "common/comparison.hpp"
#include "exact_rounding.hpp"
#include "line_reference.hpp"

namespace tessera::apps {

struct Expectation {
  enum class Kind { undefined, overflow, integer, floating } kind = Kind::undefined;
  Int128 integer = 0;
  double floating = 0;        // rounded once
  long double wide = 0;       // of more digits, where a bound is given
  long double bound = 0;      // 0: the very bits
  bool may_overflow = false;  // what is summed in the element type may exceed it on the way
  std::int64_t index = -1;    // of arg*
};

[[nodiscard]] inline Expectation floating_expectation(double value) {
  Expectation result;
  result.kind = Expectation::Kind::floating;
  result.floating = value;
  result.wide = value;
  return result;
}

[[nodiscard]] inline Expectation integer_expectation(Int128 value) {
  Expectation result;
  result.kind = Expectation::Kind::integer;
  result.integer = value;
  return result;
}

/// accumulators: partial sums of the plan, at least: they enter the bound of fast sums. part: of minmax, 1 the maximum.
/// format: what exact sums, and what follows from them, are rounded to (finite ones, where these are integers).
template <class T>
[[nodiscard]] Expectation expectation(const LineReference<T>& line, const ReducePass& pass, const std::string& op,
                                      std::uint64_t accumulators, std::size_t part = 0,
                                      RoundedTo format = RoundedTo::float64);

extern template Expectation expectation(const LineReference<std::int32_t>&, const ReducePass&, const std::string&,
                                        std::uint64_t, std::size_t, RoundedTo);
extern template Expectation expectation(const LineReference<std::int64_t>&, const ReducePass&, const std::string&,
                                        std::uint64_t, std::size_t, RoundedTo);
extern template Expectation expectation(const LineReference<std::uint64_t>&, const ReducePass&, const std::string&,
                                        std::uint64_t, std::size_t, RoundedTo);
extern template Expectation expectation(const LineReference<float>&, const ReducePass&, const std::string&,
                                        std::uint64_t, std::size_t, RoundedTo);
extern template Expectation expectation(const LineReference<double>&, const ReducePass&, const std::string&,
                                        std::uint64_t, std::size_t, RoundedTo);

}  // namespace tessera::apps

#endif

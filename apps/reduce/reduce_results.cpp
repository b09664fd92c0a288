// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "common/failure.hpp"
#include "common/text.hpp"
#include "complex_line.hpp"
#include "line_expectation.hpp"
#include "line_walk.hpp"

namespace tessera::apps {
namespace {

bool needs_elements(const std::string& operation) {
  return contains({"min", "max", "minmax", "mean"}, operation) || is_arg(operation);
}

bool divides_by_less(const std::string& operation) { return operation == "var" || operation == "std"; }

std::string position_text(const Shape& kept, std::uint64_t position) {
  if (kept.empty()) return "";
  Shape index(kept.size());
  for (std::size_t axis = kept.size(); axis-- > 0; position /= kept[axis]) index[axis] = position % kept[axis];
  return " at " + to_string(index) + " of the result";
}

/// Integers of a type that is unsigned, perhaps narrower than what was computed in.
Numbers as_unsigned(const Numbers& values, NumberType type) {
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * size_of(type));
  return std::visit(
      [&](const auto& list) -> Numbers {
        using Value = typename std::decay_t<decltype(list)>::value_type;
        if constexpr (std::is_integral_v<Value>) {
          std::vector<std::uint64_t> result;
          result.reserve(list.size());
          for (const Value value : list) result.push_back(static_cast<std::uint64_t>(value) & mask);
          return result;
        } else {
          return list;
        }
      },
      values);
}

/// Whether a float64 lies half way between two float32: only there a second rounding can go wrong.
bool is_tie(double value) {
  const double size = std::abs(value);
  constexpr auto most = std::numeric_limits<float>::max();
  if (size >= most) return size == double{most} + 0x1p103;
  const auto below =
      static_cast<float>(size) <= size ? static_cast<float>(size) : std::nextafter(static_cast<float>(size), 0.0F);
  return double{below} < size && size - below == std::nextafter(below, most) - size;
}

/// Whether the integer nearest to an exact value that is nearest to this float64 needs more than the float64 to be
/// known.
bool may_hide_integer(double value) {
  const double size = std::abs(value);
  return size < 0x1p53 ? size - std::trunc(size) == 0.5 : size <= 0x1p64;
}

/// Rounds exact values anew where their float64 does not tell. values: as OpValues has them. store(i, expectation).
template <class Hides, class Store>
void round_again(const ReducePass& axes, const std::string& operation, const ReduceInputs& inputs, RoundedTo format,
                 const std::vector<double>& values, const Hides& hides, const Store& store) {
  ReducePass pass = axes;
  pass.operations = {operation};
  const std::size_t parts = values_at(pass, operation);
  visit_elements(inputs.array(operation), [&](const auto zero) {
    using T = std::decay_t<decltype(zero)>;
    const LineWalk walk(pass, inputs.shape());
    line_reference_t<T> line(pass);
    const T* first = inputs.array(operation).buffer.as<T>();
    const T* second = inputs.second ? inputs.second->buffer.as<T>() : nullptr;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!hides(values[i])) continue;
      line.clear();
      const std::uint64_t begin = walk.begin(i / parts);
      walk.for_each([&](std::uint64_t offset) {
        offset += begin;
        if (operation == "dot") {
          line.add(first[offset], second[offset]);
        } else {
          line.add(first[offset]);
        }
      });
      store(i, expectation(line, pass, operation, 1, i % parts, format));
    }
  });
}

/// Results of exact summation as integers of type Wide, ties to even, clamped.
template <class Wide>
std::vector<Wide> whole_values(const ReducePass& axes, const std::string& operation, const ReduceInputs& inputs,
                               const std::vector<double>& values) {
  std::vector<Wide> whole(values.size());
  const auto bytes = encoded(values, std::is_signed_v<Wide> ? NumberType::int64 : NumberType::uint64);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(whole.data()));
  using Limits = std::numeric_limits<Wide>;
  round_again(axes, operation, inputs, RoundedTo::integer, values, may_hide_integer,
              [&](std::size_t i, const Expectation& exact) {
                whole[i] = static_cast<Wide>(std::clamp<Int128>(exact.integer, Limits::min(), Limits::max()));
              });
  return whole;
}

/// values, rounded once from the exact values to what the type holds.
Numbers rounded_once(const ReducePass& axes, const std::string& operation, const ReduceInputs& inputs,
                     std::vector<double> values, NumberType type) {
  if (type == NumberType::float64 || type == NumberType::complex128) return values;
  if (is_unsigned(type)) return whole_values<std::uint64_t>(axes, operation, inputs, values);
  if (!is_floating(type)) return whole_values<std::int64_t>(axes, operation, inputs, values);
  round_again(axes, operation, inputs, RoundedTo::float32, values, is_tie,
              [&](std::size_t i, const Expectation& exact) { values[i] = exact.floating; });
  return values;
}

}  // namespace

std::vector<std::string> expanded_operations(const ReduceRequest& request) {
  std::vector<std::string> operations;
  const auto add = [&](const std::string& operation) {
    if (!contains(operations, operation)) operations.push_back(operation);
  };
  for (const auto& operation : request.operations) {
    if (operation == "stats") {
      for (const auto& part : stats_operation_names(request.of_complex)) add(part);
    } else {
      add(operation);
    }
  }
  return operations;
}

void require_elements(const ReduceRequest& request, const ReducePass& axes, const Shape& shape) {
  if (element_count(kept_shape(axes, shape)) == 0) return;
  const std::uint64_t count = reduced_count(axes, shape);
  for (const auto& operation : request.operations) {
    if (count == 0 && needs_elements(operation)) {
      refuse(fmt::format("{} needs at least one element; of shape {} there is none to reduce", operation,
                         to_string(shape)));
    }
    if (divides_by_less(operation) && count <= request.ddof) {
      refuse(
          fmt::format("{} needs more elements than --ddof {}; there are {} to reduce", operation, request.ddof, count));
    }
  }
}

void require_defined(const ReduceRequest& request, const ReducePass& axes, const OpValues& values, const Shape& shape) {
  if (!contains(request.operations, values.op)) return;
  const auto missing = std::find(values.undefined.begin(), values.undefined.end(), 1);
  if (missing == values.undefined.end()) return;
  const std::string where =
      position_text(kept_shape(axes, shape), static_cast<std::uint64_t>(missing - values.undefined.begin()));
  refuse(fmt::format("{} needs {}{}; without the NaN there are {}{}", values.op,
                     divides_by_less(values.op) ? "more elements than --ddof " : "at least one element",
                     divides_by_less(values.op) ? std::to_string(request.ddof) : "",
                     divides_by_less(values.op) ? "too few" : "none", where));
}

void fill_elements(const ReducePass& axes, const HostArray& input, OpValues& values) {
  const LineWalk walk(axes, input.shape);
  visit_type(input.type, [&](const auto zero) {
    using T = std::decay_t<decltype(zero)>;
    using Wide = std::conditional_t<std::is_floating_point_v<T>, double,
                                    std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
    const T* elements = input.buffer.as<T>();
    std::vector<Wide> found(values.index.size(), 0);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (values.index[i] < 0) continue;
      const T element = elements[walk.begin(i) + walk.element(static_cast<std::uint64_t>(values.index[i]))];
      found[i] = element;
      if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(element)) found[i] = std::numeric_limits<double>::quiet_NaN();
      }
    }
    values.values = std::move(found);
  });
}

Shape result_shape(const ReduceRequest& request, const ReducePass& axes, const std::string& operation,
                   const Shape& shape) {
  Shape result;
  if (request.by_axis) {
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const bool reduced = axes.reduced.empty() || axes.reduced[axis];
      if (!reduced) result.push_back(shape[axis]);
      if (reduced && request.keepdims) result.push_back(1);
    }
  }
  if (operation == "minmax") result.push_back(2);
  return result;
}

Result result_of(const ReduceRequest& request, const ReducePass& axes, const OpValues& values, NumberType element,
                 const Shape& shape) {
  Result result;
  result.op = values.op;
  result.type = reported_type(values.op, element);
  result.values = is_unsigned(result.type) ? as_unsigned(values.values, result.type) : values.values;
  result.index = values.index;
  result.undefined = values.undefined;
  result.exact = values.exact;
  result.is_pair = values.op == "minmax";
  if (request.by_axis) result.shape = result_shape(request, axes, values.op, shape);
  return result;
}

std::string suffix_of(const ReduceRequest& request, const std::string& operation) {
  return request.operations.size() == 1 && request.operations[0] != "stats" ? "" : operation;
}

std::uint64_t written_bytes(const ReduceRequest& request, const ReducePass& axes, const ReduceInputs& inputs) {
  std::uint64_t bytes = 0;
  for (const auto& operation : expanded_operations(request)) {
    bytes += element_count(result_shape(request, axes, operation, inputs.shape())) *
             size_of(written_type(request, operation, inputs.element(operation)));
  }
  return bytes;
}

void write_result(OutputFile& file, const ReduceRequest& request, const ReducePass& axes, const Result& result,
                  const ReduceInputs& inputs, const Provenance& provenance) {
  const NumberType type = written_type(request, result.op, inputs.element(result.op));
  const Shape shape = result.shape.value_or(result.is_pair ? Shape{2} : Shape{});
  Numbers values = is_arg(result.op) ? Numbers(result.index) : result.values;
  const auto* floating = std::get_if<std::vector<double>>(&values);
  if (result.exact && is_summed(result.op) && floating != nullptr) {
    values = rounded_once(axes, result.op, inputs, *floating, type);
  }
  const std::vector<std::byte> bytes = encoded(values, type);
  file.write(suffix_of(request, result.op), type, shape, bytes.data(), provenance);
}

}  // namespace tessera::apps

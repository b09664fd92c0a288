// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tessera::apps {
namespace {

bool is_integer(NumberType type) { return !is_floating(type); }

std::string name_of(const Dataset& dataset) {
  const DatasetInfo& info = dataset.info();
  return info.file + ':' + info.dataset + info.selection;
}

/// The smallest type that holds the elements of both exactly; nothing where none does.
std::optional<NumberType> common_type(NumberType a, NumberType b) {
  if (a == b) return a;
  if (is_complex(a) != is_complex(b)) return std::nullopt;
  if (is_integer(a) != is_integer(b)) {  // float64 holds integers of 32 bits
    return size_of(is_integer(a) ? a : b) <= 4 ? std::optional(NumberType::float64) : std::nullopt;
  }
  if (!is_integer(a)) return is_complex(a) ? NumberType::complex128 : NumberType::float64;
  if (is_unsigned(a) == is_unsigned(b)) return size_of(a) > size_of(b) ? a : b;
  const NumberType unsigned_one = is_unsigned(a) ? a : b;
  return size_of(unsigned_one) <= 4 ? std::optional(NumberType::int64) : std::nullopt;
}

ElementType element_type_for(NumberType type) {
  if (is_complex(type)) return element_type_for(part_of(type));
  if (is_floating(type)) return type == NumberType::float32 ? ElementType::float32 : ElementType::float64;
  if (type == NumberType::uint64) return ElementType::uint64;
  return size_of(type) < 4 || type == NumberType::int32 ? ElementType::int32 : ElementType::int64;
}

HostArray converted(const HostArray& array, ElementType type) {
  const std::uint64_t size = element_count(array.shape) * (array.is_complex ? 2 : 1);
  HostArray result{type, array.shape, HostBuffer(size * size_of(type)), array.is_complex};
  visit_type(array.type, [&](const auto from) {
    visit_type(type, [&](const auto to) {
      using To = std::decay_t<decltype(to)>;
      const auto* elements = array.buffer.as<std::decay_t<decltype(from)>>();
      std::transform(elements, elements + size, result.buffer.as<To>(),
                     [](const auto element) { return static_cast<To>(element); });
    });
  });
  return result;
}
HostArray in_type(HostArray array, ElementType type) {
  return array.type == type ? std::move(array) : converted(array, type);
}

}  // namespace

ReduceInputs::ReduceInputs(const ReduceRequest& request, const Dataset& input)
    : m_input(input),
      m_first{input.element_type(), input.part_type(), {}},
      m_others(std::any_of(request.operations.begin(), request.operations.end(),
                           [](const std::string& operation) { return operation != "dot"; })) {
  const NumberType own = m_first.element;
  if (!request.with.empty()) {
    m_with.emplace(request.with);
    if (m_with->info().shape != shape()) {
      refuse(fmt::format("--with {}: has shape {}, {} has {}; dot takes two arrays of one shape", name_of(*m_with),
                         to_string(m_with->info().shape), name_of(input), to_string(shape())));
    }
    const auto common = common_type(own, m_with->element_type());
    if (!common) {
      const bool mixed = is_complex(own) != m_with->is_complex();
      refuse(fmt::format("--with {}: holds {}, {} holds {}; {}", name_of(*m_with), to_string(m_with->element_type()),
                         name_of(input), to_string(own),
                         mixed ? "dot takes two real or two complex arrays" : "no type holds both exactly"));
    }
    Operand of_dot{*common, element_type_for(*common), {}};
    if (is_unsigned(*common)) of_dot.computed = ElementType::uint64;
    if (m_others && *common != own) {
      m_of_dot = std::move(of_dot);
    } else {
      m_first = std::move(of_dot);
      return;
    }
  }
  // Sums of 2^31 elements of 32 bits fit int64; products may not.
  const bool product =
      std::find(request.operations.begin(), request.operations.end(), "prod") != request.operations.end();
  if (is_unsigned(own) && (element_count(shape()) >> 31 != 0 || product)) m_first.computed = ElementType::uint64;
}

std::uint64_t ReduceInputs::computed_bytes(const Operand& operand) const {
  return (is_complex(operand.element) ? 2 : 1) * element_count(shape()) * size_of(operand.computed);
}

std::uint64_t ReduceInputs::host_bytes() const {
  const Operand& of_dot = first("dot");
  std::uint64_t bytes = std::max(m_input.read_bytes(), computed_bytes(m_first));
  if (m_input.part_type() != m_first.computed) bytes += m_input.read_bytes();
  if (m_of_dot) bytes += computed_bytes(of_dot);
  if (m_with) bytes += computed_bytes(of_dot);
  if (m_with && m_with->part_type() != of_dot.computed) bytes += m_with->read_bytes();
  return bytes;
}

std::uint64_t ReduceInputs::device_bytes() const {
  return (m_others ? computed_bytes(m_first) : 0) + (m_with ? 2 * computed_bytes(first("dot")) : 0);
}

void ReduceInputs::read(DriverRun& run) {
  HostArray input = run.read_input();
  if (m_of_dot) m_of_dot->array = converted(input, m_of_dot->computed);
  m_first.array = in_type(std::move(input), m_first.computed);
  if (m_with) second = in_type(m_with->read(run.progress().callback()), first("dot").computed);
}

}  // namespace tessera::apps

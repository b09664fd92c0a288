// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arrays that a reduction reads, in the types that it computes in.
#ifndef TESSERA_APPS_REDUCE_REDUCE_INPUTS_HPP
#define TESSERA_APPS_REDUCE_REDUCE_INPUTS_HPP

#include <optional>
#include <string>

#include "common/driver.hpp"
#include "reduce_arguments.hpp"

namespace tessera::apps {

class ReduceInputs {
 public:
  /// Metadata only. \throws Failure (bad_input) where the second array does not go with the first.
  ReduceInputs(const ReduceRequest& request, const Dataset& input);

  [[nodiscard]] const Shape& shape() const { return m_input.info().shape; }
  /// What the elements are to an operation: to dot of the type that holds those of both arrays.
  [[nodiscard]] NumberType element(const std::string& operation) const { return first(operation).element; }
  /// What they, or the parts of complex ones, are computed in: unsigned ones in uint64 where int64 might not hold a
  /// result.
  [[nodiscard]] ElementType computed(const std::string& operation) const { return first(operation).computed; }
  /// The arrays in host memory at once, with what conversion takes.
  [[nodiscard]] std::uint64_t host_bytes() const;
  /// The arrays as computed.
  [[nodiscard]] std::uint64_t device_bytes() const;

  /// The second dataset, null where there is none.
  [[nodiscard]] const Dataset* with() const { return m_with ? &*m_with : nullptr; }
  void read(DriverRun& run);
  [[nodiscard]] HostArray& array(const std::string& operation) { return first(operation).array; }
  [[nodiscard]] const HostArray& array(const std::string& operation) const { return first(operation).array; }
  std::optional<HostArray> second;

 private:
  struct Operand {
    NumberType element;
    ElementType computed;
    HostArray array;
  };
  [[nodiscard]] std::uint64_t computed_bytes(const Operand& operand) const;
  [[nodiscard]] const Operand& first(const std::string& operation) const {
    return m_of_dot && operation == "dot" ? *m_of_dot : m_first;
  }
  [[nodiscard]] Operand& first(const std::string& operation) {
    return m_of_dot && operation == "dot" ? *m_of_dot : m_first;
  }

  const Dataset& m_input;
  std::optional<Dataset> m_with;
  Operand m_first;
  std::optional<Operand> m_of_dot;  // where other operations are asked for that take the elements as they are
  bool m_others;                    // whether there are any
};

}  // namespace tessera::apps

#endif

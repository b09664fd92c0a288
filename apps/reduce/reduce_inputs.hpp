// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arrays that a reduction reads, in the type that it computes in.
#ifndef TESSERA_APPS_REDUCE_REDUCE_INPUTS_HPP
#define TESSERA_APPS_REDUCE_REDUCE_INPUTS_HPP

#include <optional>

#include "common/driver.hpp"
#include "reduce_arguments.hpp"

namespace tessera::apps {

class ReduceInputs {
 public:
  /// Metadata only. \throws Failure (bad_input) where the second array does not go with the first.
  ReduceInputs(const ReduceRequest& request, const Dataset& input);

  [[nodiscard]] const Shape& shape() const { return m_input.info().shape; }
  /// What the elements are, and what they, or the parts of complex ones, are computed in: unsigned ones in uint64 where
  /// int64 might not hold a result.
  [[nodiscard]] NumberType element() const { return m_element; }
  [[nodiscard]] ElementType computed() const { return m_computed; }
  /// Of both arrays in host memory at once, with what conversion takes.
  [[nodiscard]] std::uint64_t host_bytes() const;
  /// Of both arrays as computed.
  [[nodiscard]] std::uint64_t device_bytes() const;

  void read(DriverRun& run);
  HostArray first;
  std::optional<HostArray> second;

 private:
  const Dataset& m_input;
  std::optional<Dataset> m_with;
  NumberType m_element;
  ElementType m_computed;
};

}  // namespace tessera::apps

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's reductions behind a header without Kokkos. Kokkos must have started.
#ifndef TESSERA_APPS_REDUCE_REDUCE_ENGINE_HPP
#define TESSERA_APPS_REDUCE_REDUCE_ENGINE_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/host_array.hpp"
#include "common/measurement.hpp"

namespace tessera::apps {

/// Names as --op, --variant and --summation take them.
[[nodiscard]] std::vector<std::string> reduce_operation_names();
[[nodiscard]] std::vector<std::string> reduce_variant_names();
[[nodiscard]] std::vector<std::string> summation_names();

struct ReduceRun {
  Measurement measurement;  // not yet verified
  Number value = 0.0;
};

/// One array on the space that computes.
class ReduceEngine {
 public:
  virtual ~ReduceEngine() = default;
  /// The variant that automatic stands for.
  [[nodiscard]] virtual std::string automatic_variant(const std::string& operation) const = 0;
  /// Times the operation on the whole array; the value is that of the last repeat.
  [[nodiscard]] virtual ReduceRun measure(const std::string& operation, const RunOptions& options) const = 0;
  /// The operation on count elements from offset, with the same options.
  [[nodiscard]] virtual Number reduce_range(const std::string& operation, const RunOptions& options,
                                            std::uint64_t offset, std::uint64_t count) const = 0;
  [[nodiscard]] virtual Transfer to_device() const = 0;
};

/// input must outlive the engine. \throws Failure (no_resource) where the device has no room.
[[nodiscard]] std::unique_ptr<ReduceEngine> make_reduce_engine(HostArray& input, const std::string& space);

}  // namespace tessera::apps

#endif

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
#include "reduce_pass.hpp"

namespace tessera::apps {

/// Names as --variant takes them.
[[nodiscard]] std::vector<std::string> reduce_variant_names();

struct ReduceRun {
  Measurement measurement;       // not yet verified
  std::vector<OpValues> values;  // of the pass's operations, in their order
};

/// What is reduced, on the space that computes.
class ReduceEngine {
 public:
  virtual ~ReduceEngine() = default;
  /// The variants that can do the pass, without automatic; first the one that automatic stands for.
  [[nodiscard]] virtual std::vector<std::string> variants(const ReducePass& pass) const = 0;
  /// Times the pass; the values are those of the last repeat. options.variant can do it, or is automatic.
  [[nodiscard]] virtual ReduceRun measure(const ReducePass& pass, const RunOptions& options) const = 0;
  /// The pass, of whole arrays, on count elements from offset, with the same options.
  [[nodiscard]] virtual std::vector<OpValues> reduce_range(const ReducePass& pass, const RunOptions& options,
                                                           std::uint64_t offset, std::uint64_t count) const = 0;
  [[nodiscard]] virtual Transfer to_device() const = 0;
};

/// For all operations of one array, which must outlive the engine. \throws Failure (no_resource) where the device has
/// no room.
[[nodiscard]] std::unique_ptr<ReduceEngine> make_reduce_engine(HostArray& input, const std::string& space);
/// For dot products of two arrays of one type and shape.
[[nodiscard]] std::unique_ptr<ReduceEngine> make_dot_engine(HostArray& x, HostArray& y, const std::string& space);

}  // namespace tessera::apps

#endif

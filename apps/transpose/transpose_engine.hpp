// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's transposes behind a header without Kokkos. Kokkos must have started.
#ifndef TESSERA_APPS_TRANSPOSE_TRANSPOSE_ENGINE_HPP
#define TESSERA_APPS_TRANSPOSE_TRANSPOSE_ENGINE_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/host_array.hpp"
#include "common/measurement.hpp"

namespace tessera::apps {

/// Names as --variant takes them.
[[nodiscard]] std::vector<std::string> transpose_variant_names();

/// A matrix of elements that are moved as bytes.
struct TransposeRequest {
  std::uint64_t rows = 0, columns = 0;  // of the input
  std::uint64_t element_bytes = 1;      // 1 to 16
};

/// One input and its output on the space that computes.
class TransposeEngine {
 public:
  virtual ~TransposeEngine() = default;
  /// The variant that automatic stands for.
  [[nodiscard]] virtual std::string automatic_variant() const = 0;
  /// Times the transpose; the output is then that of the last repeat. The measurement is not yet verified.
  [[nodiscard]] virtual Measurement measure(const RunOptions& options) const = 0;
  [[nodiscard]] virtual Transfer to_device() const = 0;
  /// Brings the output to the host.
  [[nodiscard]] virtual Transfer fetch_output() const = 0;
};

/// input and output: rows * columns elements each; both must outlive the engine.
/// \throws Failure (no_resource) where the device has no room.
[[nodiscard]] std::unique_ptr<TransposeEngine> make_transpose_engine(HostBuffer& input, HostBuffer& output,
                                                                     const TransposeRequest& request,
                                                                     const std::string& space);

}  // namespace tessera::apps

#endif

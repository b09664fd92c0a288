// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's permutations of axes, and transposes in place, behind a header without Kokkos. Kokkos must have
// started.
#ifndef TESSERA_APPS_TRANSPOSE_TRANSPOSE_ENGINE_HPP
#define TESSERA_APPS_TRANSPOSE_TRANSPOSE_ENGINE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/host_array.hpp"
#include "common/measurement.hpp"

namespace tessera::apps {

/// Names as --variant takes them; those in place are others but for automatic.
[[nodiscard]] std::vector<std::string> transpose_variant_names(bool in_place);

/// What is done in place: the transpose of a matrix, or of square ones one behind the other.
struct InPlaceMatrices {
  std::uint64_t batches = 1, rows = 1, columns = 1;
  std::uint64_t element_bytes = 1;  // 1 to 16
};

/// A permutation of the axes of a row-major array of elements that are moved as bytes.
struct TransposeRequest {
  Shape shape;                    // of the input
  std::vector<std::size_t> axes;  // the input's in the output's order
  std::uint64_t element_bytes = 1;
  std::optional<InPlaceMatrices> in_place = {};  // the same, where it is to be done in place

  [[nodiscard]] Shape output_shape() const {
    Shape permuted;
    for (const std::size_t axis : axes) permuted.push_back(shape[axis]);
    return permuted;
  }
  [[nodiscard]] std::uint64_t array_bytes() const { return element_count(shape) * element_bytes; }
};

/// One input and its output on the space that computes.
class TransposeEngine {
 public:
  virtual ~TransposeEngine() = default;
  /// The variant that automatic stands for.
  [[nodiscard]] virtual std::string automatic_variant() const = 0;
  /// Times the transpose; the output is then that of the last repeat. The measurement is not yet verified.
  /// \throws Failure (bad_input) where the variant cannot do the request
  [[nodiscard]] virtual Measurement measure(const RunOptions& options) const = 0;
  [[nodiscard]] virtual Transfer to_device() const = 0;
  /// Brings the output to the host.
  [[nodiscard]] virtual Transfer fetch_output() const = 0;
};

/// input and output: request.array_bytes() each; both must outlive the engine.
/// \throws Failure (no_resource) where the device has no room.
[[nodiscard]] std::unique_ptr<TransposeEngine> make_transpose_engine(HostBuffer& input, HostBuffer& output,
                                                                     const TransposeRequest& request,
                                                                     const std::string& space);

}  // namespace tessera::apps

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's filters behind a header without Kokkos. Kokkos must have started.
#ifndef TESSERA_APPS_FILTER_FILTER_ENGINE_HPP
#define TESSERA_APPS_FILTER_FILTER_ENGINE_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/host_array.hpp"
#include "common/measurement.hpp"

namespace tessera::apps {

/// Names as --mode and --variant take them.
[[nodiscard]] std::vector<std::string> boundary_mode_names();
[[nodiscard]] std::vector<std::string> filter_variant_names();

/// What is asked of a filter along the last axis.
struct FilterRequest {
  std::vector<double> weights;  // not empty, finite
  bool convolve = false;        // else correlate
  std::string mode = "reflect";
  Number cval = 0.0;  // of the input's type
  std::int64_t origin = 0;
  bool accumulate_double = false;
};

/// One input and its output on the space that computes.
class FilterEngine {
 public:
  virtual ~FilterEngine() = default;
  /// The variant that automatic stands for.
  [[nodiscard]] virtual std::string automatic_variant() const = 0;
  /// Times the filter; the output is then that of the last repeat. The measurement is not yet verified.
  [[nodiscard]] virtual Measurement measure(const RunOptions& options) const = 0;
  [[nodiscard]] virtual Transfer to_device() const = 0;
  /// Brings the output to the host.
  [[nodiscard]] virtual Transfer fetch_output() const = 0;
};

/// input: rank 1 or more; output: of the same shape and the type of the result. Both must outlive the engine.
/// \throws Failure (no_resource) where the device has no room.
[[nodiscard]] std::unique_ptr<FilterEngine> make_filter_engine(HostArray& input, HostArray& output,
                                                               const FilterRequest& request, const std::string& space);

}  // namespace tessera::apps

#endif

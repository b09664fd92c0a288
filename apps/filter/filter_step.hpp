// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_FILTER_FILTER_STEP_HPP
#define TESSERA_APPS_FILTER_FILTER_STEP_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "filter_engine.hpp"

namespace tessera::apps {

/// Applications of a filter to lines of one extent.
class FilterStep {
 public:
  virtual ~FilterStep() = default;
  /// The variant that automatic stands for.
  [[nodiscard]] virtual std::string automatic_variant() const = 0;
  /// Applications that one call can make.
  [[nodiscard]] virtual int most_steps(const RunOptions&) const { return 1; }
  /// A call that submits that many to the space's default instance, from in to out: arrays in memory of the space.
  [[nodiscard]] virtual std::function<void()> prepared(const void* in, void* out, const RunOptions& options,
                                                       int steps) const = 0;
  /// Waits for what was submitted. \throws InvalidArgument where its data is not as the request wants it
  virtual void check() const {}
  /// Sets the variant and the plan.
  virtual void describe(const RunOptions& options, Measurement& measurement) const = 0;
};

/// Instantiated in files of their own, because the kernels of a pair of types take long to compile.
template <class In, class Out>
[[nodiscard]] std::unique_ptr<FilterStep> make_filter_step(const FilterRequest& request, const LinesShape& shape,
                                                           const std::string& space);
template <class In, class Out>
[[nodiscard]] std::unique_ptr<FilterStep> make_window_step(const FilterRequest& request, const LinesShape& shape,
                                                           const std::string& space);

}  // namespace tessera::apps

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_FILTER_WINDOW_STEP_IMPL_HPP
#define TESSERA_APPS_FILTER_WINDOW_STEP_IMPL_HPP

#include <Kokkos_Core.hpp>
#include <stdexcept>
#include <tessera/filter/median_filter.hpp>
#include <tessera/filter/window_filter.hpp>

#include "device/enumerator.hpp"
#include "device/spaces.hpp"
#include "filter_step.hpp"
#include "step_array.hpp"

namespace tessera::apps {

inline WindowOptions window_options(const FilterRequest& request) {
  WindowOptions options;
  options.mode_left = enumerator_named(boundary_modes, request.mode_left);
  options.mode_right = enumerator_named(boundary_modes, request.mode_right);
  options.origin = request.origin;
  options.axis = step_axis;
  options.nan = enumerator_named(nan_policies, request.nan);
  std::visit([&](const auto value) { options.cval = value; }, request.cval);
  return options;
}

inline WindowOptions with_sizes(WindowOptions options, const RunOptions& run_options) {
  options.league_size = run_options.league_size;
  options.team_size = run_options.team_size;
  return options;
}

template <class Space, class In, class Out, WindowOperation Operation>
class WindowStep final : public FilterStep {
 public:
  WindowStep(const Space& space, const FilterRequest& request, const LinesShape& shape)
      : m_space(space),
        m_shape(shape),
        m_window(request.window),
        m_options(window_options(request)),
        m_workspace(space, plan(m_options).workspace_bytes) {}

  std::string automatic_variant() const override { return std::string(to_string(plan(m_options).variant)); }

  std::function<void()> prepared(const void* in, void* out, const RunOptions& run_options, int) const override {
    const auto source = step_array<Space>(static_cast<const In*>(in), m_shape);
    const auto target = step_array<Space>(static_cast<Out*>(out), m_shape);
    return [this, source, target, options = with_sizes(m_options, run_options)] {
      if constexpr (Operation == WindowOperation::min) {
        min_filter(m_space, source, m_window, target, options, m_workspace);
      } else if constexpr (Operation == WindowOperation::max) {
        max_filter(m_space, source, m_window, target, options, m_workspace);
      } else {
        box_filter(m_space, source, m_window, target, options, m_workspace);
      }
    };
  }

  void check() const override { tessera::check(m_space, m_workspace); }

  void describe(const RunOptions& run_options, Measurement& measurement) const override {
    const WindowPlan followed = plan(with_sizes(m_options, run_options));
    measurement.variant = std::string(to_string(followed.variant));
    measurement.plan = {{"league_size", followed.league_size},
                        {"team_size", followed.team_size},
                        {"vector_length", followed.vector_length},
                        {"tile", followed.tile},
                        {"parts", followed.parts},
                        {"walk", followed.walk},
                        {"lanes", followed.lanes},
                        {"scratch_bytes", static_cast<std::int64_t>(followed.scratch_bytes)},
                        {"workspace_bytes", static_cast<std::int64_t>(followed.workspace_bytes)}};
  }

 private:
  WindowPlan plan(const WindowOptions& options) const {
    return window_plan(m_space, step_array<Space>(static_cast<const In*>(nullptr), m_shape), Operation, m_window,
                       options);
  }

  Space m_space;
  LinesShape m_shape;
  std::int64_t m_window;
  WindowOptions m_options;
  Workspace<Space> m_workspace;
};

template <class Space, class In>
class MedianStep final : public FilterStep {
 public:
  MedianStep(const Space& space, const FilterRequest& request, const LinesShape& shape)
      : m_space(space),
        m_shape(shape),
        m_window(request.window),
        m_options(window_options(request)),
        m_workspace(space, 0) {}

  std::string automatic_variant() const override { return std::string(to_string(plan(m_options).method)); }

  std::function<void()> prepared(const void* in, void* out, const RunOptions& run_options, int) const override {
    const auto source = step_array<Space>(static_cast<const In*>(in), m_shape);
    const auto target = step_array<Space>(static_cast<In*>(out), m_shape);
    return [this, source, target, options = with_sizes(m_options, run_options)] {
      median_filter(m_space, source, m_window, target, options, m_workspace);
    };
  }

  void check() const override { tessera::check(m_space, m_workspace); }

  void describe(const RunOptions& run_options, Measurement& measurement) const override {
    const MedianPlan followed = plan(with_sizes(m_options, run_options));
    measurement.variant = std::string(to_string(followed.method));
    measurement.plan = {{"league_size", followed.league_size},
                        {"team_size", followed.team_size},
                        {"vector_length", followed.vector_length},
                        {"tile", followed.tile},
                        {"network_window", followed.network_window},
                        {"scratch_bytes", static_cast<std::int64_t>(followed.scratch_bytes)}};
  }

 private:
  MedianPlan plan(const WindowOptions& options) const {
    return median_plan(m_space, step_array<Space>(static_cast<const In*>(nullptr), m_shape), m_window, options);
  }

  Space m_space;
  LinesShape m_shape;
  std::int64_t m_window;
  WindowOptions m_options;
  Workspace<Space> m_workspace;
};

template <class In, class Out>
std::unique_ptr<FilterStep> make_window_step(const FilterRequest& request, const LinesShape& shape,
                                             const std::string& space) {
  return visit_space(space, [&](const auto& instance) -> std::unique_ptr<FilterStep> {
    using Space = std::decay_t<decltype(instance)>;
    if constexpr (std::is_same_v<Out, window_result_t<In, WindowOperation::box>>) {
      using Box = WindowStep<Space, In, Out, WindowOperation::box>;
      if (request.operation == "box") return std::make_unique<Box>(instance, request, shape);
    }
    if constexpr (std::is_same_v<In, Out>) {
      using Min = WindowStep<Space, In, Out, WindowOperation::min>;
      using Max = WindowStep<Space, In, Out, WindowOperation::max>;
      if (request.operation == "min") return std::make_unique<Min>(instance, request, shape);
      if (request.operation == "max") return std::make_unique<Max>(instance, request, shape);
      if (request.operation == "median") return std::make_unique<MedianStep<Space, In>>(instance, request, shape);
    }
    throw std::logic_error("no " + request.operation + " between these types");
  });
}

}  // namespace tessera::apps

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_FILTER_FILTER_STEP_IMPL_HPP
#define TESSERA_APPS_FILTER_FILTER_STEP_IMPL_HPP

#include <Kokkos_Core.hpp>
#include <tessera/filter/filter.hpp>

#include <cstddef>
#include <optional>

#include "device/enumerator.hpp"
#include "device/spaces.hpp"
#include "filter_step.hpp"
#include "step_array.hpp"
#include "step_transform.hpp"

namespace tessera::apps {

template <class Space, class In, class Out>
class TypedFilterStep final : public FilterStep {
 public:
  TypedFilterStep(const Space& space, const FilterRequest& request, const LinesShape& shape)
      : m_space(space),
        m_shape(shape),
        m_out_shape{shape.outer, static_cast<std::uint64_t>(request.outputs(static_cast<std::int64_t>(shape.extent))),
                    shape.inner},
        m_weights(space, request.weights),
        m_convolve(request.convolve) {
    m_options.mode_left = enumerator_named(boundary_modes, request.mode_left);
    m_options.mode_right = enumerator_named(boundary_modes, request.mode_right);
    m_options.origin = request.origin;
    m_options.axis = step_axis;
    m_options.nan = enumerator_named(nan_policies, request.nan);
    if (m_options.nan == NanPolicy::error) m_found.emplace(space, 0);
    if (request.accumulate_double) m_options.accumulate = FilterAccumulate::float64;
    std::visit([&](const auto value) { m_options.cval = value; }, request.cval);
    m_transform.emplace(space, m_weights, m_options, shape);
  }

  std::string automatic_variant() const override { return std::string(to_string(plan(RunOptions{}).variant)); }

  int most_steps(const RunOptions& run_options) const override { return plan(run_options).most_steps; }

  std::function<void()> prepared(const void* in, void* out, const RunOptions& run_options, int steps) const override {
    const auto source = step_array<Space>(static_cast<const In*>(in), m_shape);
    const auto target = step_array<Space>(static_cast<Out*>(out), m_out_shape);
    FilterOptions followed = options(run_options);
    followed.steps = steps;
    if (is_transformed(run_options)) {
      if constexpr (Transform::exists) {
        return [this, source, target, options = followed] { run(source, m_transform->get(), target, options); };
      }
    }
    return [this, source, target, options = followed] {
      if (m_found) return run(source, m_weights, target, options, *m_found);
      run(source, m_weights, target, options);
    };
  }

  void check() const override {
    if (m_found) tessera::check(m_space, *m_found);
  }

  void describe(const RunOptions& run_options, Measurement& measurement) const override {
    const FilterPlan followed = plan(run_options);
    measurement.variant = std::string(to_string(followed.variant));
    if constexpr (Transform::exists) {
      if (followed.variant == FilterVariant::transform) {
        measurement.plan = {{"block", followed.block},
                            {"batch", followed.batch},
                            {"outputs", followed.tile},
                            {"direct_blocks", m_transform->get().direct_blocks(m_space)}};
        return;
      }
    }
    measurement.plan = {{"league_size", followed.league_size},
                        {"team_size", followed.team_size},
                        {"vector_length", followed.vector_length},
                        {"tile", followed.tile},
                        {"halo", followed.halo},
                        {"taps_per_pass", followed.taps_per_pass},
                        {"scratch_bytes", static_cast<std::int64_t>(followed.scratch_bytes)}};
  }

 private:
  using Transform = StepTransform<Space, In, Out>;

  /// weights: those, or a FilterTransform of them.
  template <class Source, class Weights, class Target, class... Found>
  void run(const Source& source, const Weights& weights, const Target& target, const FilterOptions& options,
           const Found&... found) const {
    if (m_convolve) {
      convolve(m_space, source, weights, target, options, found...);
    } else {
      correlate(m_space, source, weights, target, options, found...);
    }
  }

  bool is_transformed(const RunOptions& run_options) const {
    return m_transform->is_taken(run_options.variant, run_options.team_size, run_options.league_size);
  }

  FilterOptions options(const RunOptions& run_options) const {
    FilterOptions options = m_options;
    options.variant = enumerator_named(filter_variants, run_options.variant);
    options.league_size = run_options.league_size;
    options.team_size = run_options.team_size;
    return options;
  }

  FilterPlan plan(const RunOptions& run_options) const {
    if (is_transformed(run_options)) {
      if constexpr (Transform::exists) return m_transform->get().plan();
    }
    const auto in = step_array<Space>(static_cast<const In*>(nullptr), m_shape);
    return filter_plan(m_space, in, m_weights, step_array<Space>(static_cast<Out*>(nullptr), m_out_shape),
                       options(run_options));
  }

  Space m_space;
  LinesShape m_shape, m_out_shape;
  FilterWeights<Space> m_weights;
  bool m_convolve;
  FilterOptions m_options;
  std::optional<Transform> m_transform;
  std::optional<Workspace<Space>> m_found;  // where NaN is an error
};

template <class In, class Out>
std::unique_ptr<FilterStep> make_filter_step(const FilterRequest& request, const LinesShape& shape,
                                             const std::string& space) {
  return visit_space(space, [&](const auto& instance) -> std::unique_ptr<FilterStep> {
    using Step = TypedFilterStep<std::decay_t<decltype(instance)>, In, Out>;
    return std::make_unique<Step>(instance, request, shape);
  });
}

}  // namespace tessera::apps

#endif

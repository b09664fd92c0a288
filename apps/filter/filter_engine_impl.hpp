// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_FILTER_FILTER_ENGINE_IMPL_HPP
#define TESSERA_APPS_FILTER_FILTER_ENGINE_IMPL_HPP

#include <Kokkos_Core.hpp>
#include <string>
#include <tessera/filter/filter.hpp>

#include "common/engine_errors.hpp"
#include "device/device_array.hpp"
#include "device/enumerator.hpp"
#include "device/timing.hpp"
#include "typed_filter_engine.hpp"

namespace tessera::apps {

template <class Space, class In, class Out>
class TypedFilterEngine final : public FilterEngine {
 public:
  TypedFilterEngine(const Space& space, HostArray& input, HostArray& output, const FilterRequest& request)
      : m_space(space),
        m_extent(input.shape.back()),
        m_size(element_count(input.shape)),
        m_input(space, input.buffer.as<In>(), m_size),
        m_output(space, output.buffer.as<Out>(), m_size),
        m_weights(space, request.weights),
        m_convolve(request.convolve) {
    m_options.mode_left = m_options.mode_right = enumerator_named(boundary_modes, request.mode);
    m_options.origin = request.origin;
    if (request.accumulate_double) m_options.accumulate = FilterAccumulate::float64;
    std::visit([&](const auto value) { m_options.cval = value; }, request.cval);
    m_to_device = m_input.to_device();
  }

  std::string automatic_variant() const override {
    return with_library_errors(
        [&] { return std::string(to_string(filter_plan<Out>(m_space, input(), m_weights, m_options).variant)); });
  }

  Measurement measure(const RunOptions& run_options) const override {
    return with_library_errors([&] {
      FilterOptions options = m_options;
      options.variant = enumerator_named(filter_variants, run_options.variant);
      options.league_size = run_options.league_size;
      options.team_size = run_options.team_size;
      const Array<const In> in = input();
      const Array<Out> out(m_output.data(), in.extent(0), m_extent);

      Measurement measurement;
      measurement.seconds = time_repeats(m_space, run_options, [&] {
        if (m_convolve) {
          convolve(m_space, in, m_weights, out, options);
        } else {
          correlate(m_space, in, m_weights, out, options);
        }
      });
      const FilterPlan plan = filter_plan<Out>(m_space, in, m_weights, options);
      measurement.operation = m_convolve ? "convolve" : "correlate";
      measurement.variant = std::string(to_string(plan.variant));
      measurement.bytes = m_size * (sizeof(In) + sizeof(Out));
      measurement.bounded_by_copy = true;
      measurement.plan = {{"league_size", plan.league_size},
                          {"team_size", plan.team_size},
                          {"vector_length", plan.vector_length},
                          {"tile", plan.tile},
                          {"halo", plan.halo},
                          {"taps_per_pass", plan.taps_per_pass},
                          {"scratch_bytes", static_cast<std::int64_t>(plan.scratch_bytes)}};
      return measurement;
    });
  }

  Transfer to_device() const override { return m_to_device; }
  Transfer fetch_output() const override { return m_output.to_host(); }

 private:
  template <class T>
  using Array =
      Kokkos::View<T**, Kokkos::LayoutRight, typename Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  // All axes but the last are lines, whatever their number.
  Array<const In> input() const {
    return Array<const In>(m_input.data(), m_extent > 0 ? m_size / m_extent : 0, m_extent);
  }

  Space m_space;
  std::uint64_t m_extent, m_size;
  DeviceArray<Space, In> m_input;
  DeviceArray<Space, Out> m_output;
  FilterWeights<Space> m_weights;
  bool m_convolve;
  FilterOptions m_options;
  Transfer m_to_device;
};

template <class In, class Out>
std::unique_ptr<FilterEngine> make_typed_filter_engine(HostArray& input, HostArray& output,
                                                       const FilterRequest& request, const std::string& space) {
  return with_library_errors([&] {
    return visit_space(space, [&](const auto& instance) -> std::unique_ptr<FilterEngine> {
      using Engine = TypedFilterEngine<std::decay_t<decltype(instance)>, In, Out>;
      return std::make_unique<Engine>(instance, input, output, request);
    });
  });
}

}  // namespace tessera::apps

#endif

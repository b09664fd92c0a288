// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transpose_engine.hpp"

#include <Kokkos_Core.hpp>
#include <tessera/transpose/in_place_options.hpp>
#include <tessera/transpose/permute_array.hpp>
#include <type_traits>

#include "common/engine_errors.hpp"
#include "device/device_array.hpp"
#include "device/enumerator.hpp"
#include "device/spaces.hpp"
#include "device/timing.hpp"
#include "device/transpose_fields.hpp"
#include "in_place_engine.hpp"

namespace tessera::apps {
namespace {

template <class Space>
class PermuteEngine final : public TransposeEngine {
 public:
  PermuteEngine(const Space& space, HostBuffer& input, HostBuffer& output, const TransposeRequest& request)
      : m_space(space),
        m_extents(request.shape.begin(), request.shape.end()),
        m_axes(request.axes.begin(), request.axes.end()),
        m_element_bytes(request.element_bytes),
        m_bytes(request.array_bytes()),
        m_input(space, input.as<unsigned char>(), m_bytes),
        m_output(space, output.as<unsigned char>(), m_bytes),
        m_to_device(m_input.to_device()) {}

  std::string automatic_variant() const override { return std::string(to_string(plan({}).variant)); }

  Measurement measure(const RunOptions& run_options) const override {
    return with_library_errors([&] {
      TransposeOptions options;
      options.variant = enumerator_named(transpose_variants, run_options.variant);
      options.league_size = run_options.league_size;
      options.team_size = run_options.team_size;
      Measurement measurement = measurement_of(plan(options));
      forget_output();
      measurement.seconds = time_repeats(m_space, run_options, [&] {
        permute_array(m_space, m_input.data(), m_output.data(), array(), m_axes, options);
      });
      return measurement;
    });
  }

  Transfer to_device() const override { return m_to_device; }
  Transfer fetch_output() const override { return m_output.to_host(); }

 private:
  ArrayShape array() const { return {m_extents, m_element_bytes}; }
  TransposePlan plan(const TransposeOptions& options) const {
    return permute_array_plan(m_space, array(), m_axes, options);
  }

  // What a variant leaves out must not be what the one before it wrote.
  void forget_output() const {
    using Memory = Kokkos::View<unsigned char*, typename Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(m_space, Memory(m_output.data(), m_bytes), static_cast<unsigned char>(0xa5));
  }

  Measurement measurement_of(const TransposePlan& plan) const {
    Measurement measurement;
    measurement.operation = "transpose";
    measurement.variant = std::string(to_string(plan.variant));
    measurement.bytes = 2 * m_bytes;
    measurement.bounded_by_copy = true;
    measurement.plan = plan_fields(plan);
    return measurement;
  }

  Space m_space;
  std::vector<std::int64_t> m_extents;
  std::vector<int> m_axes;
  std::size_t m_element_bytes;
  std::uint64_t m_bytes;
  DeviceArray<Space, unsigned char> m_input, m_output;
  Transfer m_to_device;
};

}  // namespace

std::vector<std::string> transpose_variant_names(bool in_place) {
  return in_place ? names_of(in_place_variants) : names_of(transpose_variants);
}

std::unique_ptr<TransposeEngine> make_transpose_engine(HostBuffer& input, HostBuffer& output,
                                                       const TransposeRequest& request, const std::string& space) {
  if (request.in_place) return make_in_place_engine(input, output, *request.in_place, space);
  return visit_space(space, [&](const auto& instance) -> std::unique_ptr<TransposeEngine> {
    using Engine = PermuteEngine<std::decay_t<decltype(instance)>>;
    return std::make_unique<Engine>(instance, input, output, request);
  });
}

}  // namespace tessera::apps

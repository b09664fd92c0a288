// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_TRANSPOSE_TRANSPOSE_ENGINE_IMPL_HPP
#define TESSERA_APPS_TRANSPOSE_TRANSPOSE_ENGINE_IMPL_HPP

#include <Kokkos_Core.hpp>
#include <string>
#include <tessera/transpose/transpose.hpp>

#include "common/engine_errors.hpp"
#include "device/device_array.hpp"
#include "device/enumerator.hpp"
#include "device/timing.hpp"
#include "typed_transpose_engine.hpp"

namespace tessera::apps {

/// An element of so many bytes, aligned as the buffers allow.
template <std::size_t Bytes>
struct alignas((Bytes & (Bytes - 1)) == 0 ? Bytes : 1) RawElement {
  unsigned char bytes[Bytes];
};

template <class Space, class Element>
class SizedTransposeEngine final : public TransposeEngine {
 public:
  SizedTransposeEngine(const Space& space, HostBuffer& input, HostBuffer& output, const TransposeRequest& request)
      : m_space(space),
        m_request(request),
        m_input(space, input.as<Element>(), request.rows * request.columns),
        m_output(space, output.as<Element>(), request.rows * request.columns),
        m_to_device(m_input.to_device()) {}

  std::string automatic_variant() const override {
    return std::string(to_string(transpose_plan<Element>(m_space, m_request.rows, m_request.columns).variant));
  }

  Measurement measure(const RunOptions& run_options) const override {
    return with_library_errors([&] {
      TransposeOptions options;
      options.variant = enumerator_named(transpose_variants, run_options.variant);
      options.league_size = run_options.league_size;
      options.team_size = run_options.team_size;
      const Array<const Element> in(m_input.data(), m_request.rows, m_request.columns);
      const Array<Element> out(m_output.data(), m_request.columns, m_request.rows);

      Measurement measurement;
      measurement.seconds = time_repeats(m_space, run_options, [&] { transpose(m_space, in, out, options); });
      const TransposePlan plan = transpose_plan<Element>(m_space, m_request.rows, m_request.columns, options);
      measurement.operation = "transpose";
      measurement.variant = std::string(to_string(plan.variant));
      measurement.bytes = 2 * m_request.rows * m_request.columns * sizeof(Element);
      measurement.bounded_by_copy = true;
      measurement.plan = {{"league_size", plan.league_size},
                          {"team_size", plan.team_size},
                          {"vector_length", plan.vector_length},
                          {"tile_rows", plan.tile_rows},
                          {"tile_columns", plan.tile_columns},
                          {"pad", plan.pad},
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

  Space m_space;
  TransposeRequest m_request;
  DeviceArray<Space, Element> m_input, m_output;
  Transfer m_to_device;
};

template <std::size_t Bytes>
std::unique_ptr<TransposeEngine> make_sized_transpose_engine(HostBuffer& input, HostBuffer& output,
                                                             const TransposeRequest& request,
                                                             const std::string& space) {
  return visit_space(space, [&](const auto& instance) -> std::unique_ptr<TransposeEngine> {
    using Engine = SizedTransposeEngine<std::decay_t<decltype(instance)>, RawElement<Bytes>>;
    return std::make_unique<Engine>(instance, input, output, request);
  });
}

}  // namespace tessera::apps

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_TRANSPOSE_IN_PLACE_ENGINE_IMPL_HPP
#define TESSERA_APPS_TRANSPOSE_IN_PLACE_ENGINE_IMPL_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <tessera/transpose/transpose_in_place.hpp>
#include <tessera/workspace.hpp>
#include <type_traits>

#include "common/engine_errors.hpp"
#include "device/device_array.hpp"
#include "device/enumerator.hpp"
#include "device/spaces.hpp"
#include "device/timing.hpp"
#include "in_place_engine.hpp"

namespace tessera::apps {

/// An element of so many bytes, on the boundaries that arrays of it keep.
template <std::size_t Bytes>
struct alignas(Bytes&(~Bytes + 1)) RawElement {
  unsigned char bytes[Bytes];
};

template <class Space, class Element>
class InPlaceEngine final : public TransposeEngine {
 public:
  InPlaceEngine(const Space& space, const HostBuffer& input, HostBuffer& output, const InPlaceMatrices& matrices)
      : m_space(space),
        m_matrices(matrices),
        m_input(input),
        m_array(space, copied(input, output).as<Element>(), matrices.batches * matrices.rows * matrices.columns),
        m_to_device(m_array.to_device()) {}

  std::string automatic_variant() const override { return std::string(to_string(plan({}).variant)); }

  Measurement measure(const RunOptions& run_options) const override {
    return with_library_errors([&] {
      InPlaceOptions options;
      options.variant = enumerator_named(in_place_variants, run_options.variant);
      options.league_size = run_options.league_size;
      options.team_size = run_options.team_size;
      const InPlacePlan plan = this->plan(options);
      const Workspace<Space> workspace(m_space, plan.workspace_bytes);
      Measurement measurement = measurement_of(plan);
      measurement.seconds = time_repeats(
          m_space, run_options, [&] { transpose(options, workspace); }, [&] { load(); });
      return measurement;
    });
  }

  Transfer to_device() const override { return m_to_device; }
  Transfer fetch_output() const override { return m_array.to_host(); }

 private:
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  template <class Data>
  using Array = Kokkos::View<Data, Kokkos::LayoutRight, typename Space::memory_space, Unmanaged>;

  static HostBuffer& copied(const HostBuffer& input, HostBuffer& output) {
    std::copy_n(input.as<unsigned char>(), input.bytes(), output.as<unsigned char>());
    return output;
  }

  // The library plans matrices; of several the first stands for all.
  InPlacePlan plan(const InPlaceOptions& options) const {
    return in_place_plan<Element>(m_space, m_matrices.rows, m_matrices.columns, options);
  }

  void load() const {
    const Array<unsigned char*> array(reinterpret_cast<unsigned char*>(m_array.data()), m_input.bytes());
    Kokkos::deep_copy(
        m_space, array,
        Kokkos::View<const unsigned char*, Kokkos::HostSpace, Unmanaged>(m_input.as<unsigned char>(), m_input.bytes()));
  }

  void transpose(const InPlaceOptions& options, const Workspace<Space>& workspace) const {
    const auto& [batches, rows, columns, bytes] = m_matrices;
    if (batches == 1) {
      transpose_in_place(m_space, Array<Element*>(m_array.data(), rows * columns), rows, columns, options, workspace);
    } else {
      transpose_in_place(m_space, Array<Element***>(m_array.data(), batches, rows, columns), options);
    }
  }

  Measurement measurement_of(const InPlacePlan& plan) const {
    Measurement measurement;
    measurement.operation = "transpose";
    measurement.variant = std::string(to_string(plan.variant));
    measurement.bytes = 2 * m_input.bytes();
    measurement.bounded_by_copy = true;
    if (m_matrices.batches == 1) measurement.plan = {{"league_size", plan.league_size}};
    const std::pair<std::string, std::int64_t> fields[] = {
        {"team_size", plan.team_size},
        {"row_team_size", plan.row_team_size},
        {"vector_length", plan.vector_length},
        {"tile_rows", plan.tile_rows},
        {"tile_columns", plan.tile_columns},
        {"block_rows", plan.blocks.rows},
        {"block_columns", plan.blocks.columns},
        {"rows_aside", plan.blocks.rows_aside},
        {"columns_aside", plan.blocks.columns_aside},
        {"passes", plan.passes},
        {"bytes_moved", static_cast<std::int64_t>(plan.bytes_moved * m_matrices.batches)},
        {"scratch_bytes", static_cast<std::int64_t>(plan.scratch_bytes)},
        {"workspace_bytes", static_cast<std::int64_t>(plan.workspace_bytes)}};
    measurement.plan.insert(measurement.plan.end(), std::begin(fields), std::end(fields));
    return measurement;
  }

  Space m_space;
  InPlaceMatrices m_matrices;
  const HostBuffer& m_input;
  DeviceArray<Space, Element> m_array;
  Transfer m_to_device;
};

template <std::size_t Bytes>
std::unique_ptr<TransposeEngine> make_sized_in_place_engine(const HostBuffer& input, HostBuffer& output,
                                                            const InPlaceMatrices& matrices, const std::string& space) {
  return visit_space(space, [&](const auto& instance) -> std::unique_ptr<TransposeEngine> {
    using Engine = InPlaceEngine<std::decay_t<decltype(instance)>, RawElement<Bytes>>;
    return std::make_unique<Engine>(instance, input, output, matrices);
  });
}

}  // namespace tessera::apps

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_REDUCE_REDUCE_ENGINE_IMPL_HPP
#define TESSERA_APPS_REDUCE_REDUCE_ENGINE_IMPL_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <tessera/reduce/reduce_axes.hpp>
#include <type_traits>

#include "complex_dispatch.hpp"
#include "device/device_array.hpp"
#include "reduce_dispatch.hpp"
#include "typed_reduce_engine.hpp"

namespace tessera::apps {

template <class Space, class T>
class TypedReduceEngine final : public ReduceEngine {
 public:
  TypedReduceEngine(const Space& space, HostArray& input)
      : m_space(space),
        m_shape(input.shape),
        m_size(element_count(input.shape)),
        m_array(space, input.buffer.as<T>(), m_size) {
    m_to_device = m_array.to_device();
  }

  std::vector<std::string> variants(const ReducePass& pass) const override {
    if (!pass.reduced.empty()) return {std::string(to_string(ReduceVariant::automatic))};  // the extents decide
    return with_named_errors(pass, [&] {
      return with_reducer<T>(pass, [&](const auto& reducer) {
        const std::string first(to_string(reduce_plan<T>(m_space, reducer, m_size).variant));
        std::vector<std::string> names{first};
        for (const auto variant : supported_reduce_variants<T>(reducer)) {
          const std::string name(to_string(variant));
          if (variant != ReduceVariant::automatic && name != first) names.push_back(name);
        }
        return names;
      });
    });
  }

  ReduceRun measure(const ReducePass& pass, const RunOptions& options) const override {
    return with_named_errors(pass, [&] {
      if (pass.reduced.empty()) {
        return with_reducer<T>(pass, [&](const auto& reducer) { return measure_whole(pass, reducer, options); });
      }
      return with_axes_reducer<T>(pass, [&](const auto& reducer) { return measure_axes(pass, reducer, options); });
    });
  }

  std::vector<OpValues> reduce_range(const ReducePass& pass, const RunOptions& run_options, std::uint64_t offset,
                                     std::uint64_t count) const override {
    return with_named_errors(pass, [&] {
      return with_reducer<T>(pass, [&](const auto& reducer) {
        const ReduceOptions options = reduce_options(pass, run_options);
        const Result<decltype(reducer)> out("tessera::apps::reduce::out");
        const Workspace<Space> workspace(m_space, reduce_plan<T>(m_space, reducer, count, options).workspace_bytes);
        reduce(m_space, Input(m_array.data() + offset, count), reducer, out, options, workspace);
        check(m_space, workspace);
        return values_of(m_space, pass, out);
      });
    });
  }

  Transfer to_device() const override { return m_to_device; }

 private:
  using Input = Kokkos::View<const T*, typename Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  template <class R>
  using Result = Kokkos::View<driver_result_t<std::decay_t<R>>, typename Space::memory_space>;
  // Arrays of any rank, with leading axes of extent 1: one instance for all.
  using Array8 = Kokkos::View<const T********, Kokkos::LayoutRight, typename Space::memory_space,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  template <class R>
  ReduceRun measure_whole(const ReducePass& pass, const R& reducer, const RunOptions& run_options) const {
    const ReduceOptions options = reduce_options(pass, run_options);
    const ReducePlan plan = reduce_plan<T>(m_space, reducer, m_size, options);
    const Workspace<Space> workspace(m_space, plan.workspace_bytes);
    const Result<R> out("tessera::apps::reduce::out");
    const Input in(m_array.data(), m_size);
    ReduceRun run = started<T>(pass, plan);
    run.measurement.seconds =
        time_repeats(m_space, run_options, [&] { reduce(m_space, in, reducer, out, options, workspace); });
    check(m_space, workspace);
    run.values = values_of(m_space, pass, out);
    run.measurement.bytes = m_size * sizeof(T);
    return run;
  }

  template <class R>
  ReduceRun measure_axes(const ReducePass& pass, const R& reducer, const RunOptions& run_options) const {
    const ReduceOptions options = reduce_options(pass, run_options);
    std::array<std::size_t, 8> extents, kept;
    extents.fill(1);
    kept.fill(1);
    std::vector<int> reduced;
    const std::size_t first = 8 - m_shape.size();
    for (std::size_t axis = 0; axis < m_shape.size(); ++axis) {
      extents[first + axis] = m_shape[axis];
      if (!pass.reduced[axis]) kept[first + axis] = m_shape[axis];
      if (pass.reduced[axis]) reduced.push_back(static_cast<int>(first + axis));
    }
    const Axes axes{std::span<const int>(reduced)};
    using Value = driver_result_t<R>;
    const Array8 in(m_array.data(), extents[0], extents[1], extents[2], extents[3], extents[4], extents[5], extents[6],
                    extents[7]);
    const Kokkos::View<Value********, Kokkos::LayoutRight, typename Space::memory_space> out(
        Kokkos::view_alloc(m_space, "tessera::apps::reduce::out", Kokkos::WithoutInitializing), kept[0], kept[1],
        kept[2], kept[3], kept[4], kept[5], kept[6], kept[7]);
    const ReduceAxesPlan plan = reduce_axes_plan(m_space, in, axes, reducer, options);
    const Workspace<Space> workspace(m_space, plan.workspace_bytes);
    ReduceRun run = started<T>(pass, to_string(plan.mapping));
    run.measurement.seconds =
        time_repeats(m_space, run_options, [&] { reduce_axes(m_space, in, axes, reducer, out, options, workspace); });
    check(m_space, workspace);
    run.values = values_of(m_space, pass, out);
    run.measurement.bytes = m_size * sizeof(T) + out.size() * sizeof(Value);
    run.measurement.plan = {{"league_size", plan.league_size},
                            {"team_size", plan.team_size},
                            {"outputs", plan.outputs},
                            {"threads", plan.threads},
                            {"parts", plan.parts},
                            {"scratch_bytes", static_cast<std::int64_t>(plan.scratch_bytes)},
                            {"workspace_bytes", static_cast<std::int64_t>(plan.workspace_bytes)}};
    return run;
  }

  Space m_space;
  Shape m_shape;
  std::uint64_t m_size;
  DeviceArray<Space, T> m_array;
  Transfer m_to_device;
};

template <class T>
std::unique_ptr<ReduceEngine> make_typed_reduce_engine(HostArray& input, const std::string& space) {
  return visit_space(space, [&](const auto& instance) -> std::unique_ptr<ReduceEngine> {
    return std::make_unique<TypedReduceEngine<std::decay_t<decltype(instance)>, T>>(instance, input);
  });
}

}  // namespace tessera::apps

#endif

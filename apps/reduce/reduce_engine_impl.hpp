// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_REDUCE_REDUCE_ENGINE_IMPL_HPP
#define TESSERA_APPS_REDUCE_REDUCE_ENGINE_IMPL_HPP

#include <Kokkos_Core.hpp>
#include <string>
#include <type_traits>

#include "axes_calls.hpp"
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
      return with_axes_reducer<T>(pass, [&](const auto& reducer) {
        return measured_axes(m_space, pass, reducer, options, m_shape, m_array.data());
      });
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

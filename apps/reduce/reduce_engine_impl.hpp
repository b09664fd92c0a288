// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_REDUCE_REDUCE_ENGINE_IMPL_HPP
#define TESSERA_APPS_REDUCE_REDUCE_ENGINE_IMPL_HPP

#include <Kokkos_Core.hpp>
#include <limits>
#include <optional>
#include <string>
#include <tessera/reduce/reduce.hpp>
#include <type_traits>

#include "common/engine_errors.hpp"
#include "device/device_array.hpp"
#include "device/enumerator.hpp"
#include "device/timing.hpp"
#include "typed_reduce_engine.hpp"

namespace tessera::apps {

template <class Space, class T>
class TypedReduceEngine final : public ReduceEngine {
 public:
  TypedReduceEngine(const Space& space, HostArray& input)
      : m_space(space), m_size(element_count(input.shape)), m_array(space, input.buffer.as<T>(), m_size) {
    m_to_device = m_array.to_device();
  }

  std::string automatic_variant(const std::string& operation) const override {
    return with_reducer(operation, [&](const auto reducer) {
      return std::string(to_string(reduce_plan<T>(m_space, reducer, m_size).variant));
    });
  }

  ReduceRun measure(const std::string& operation, const RunOptions& options) const override {
    return with_reducer(operation, [&](const auto reducer) { return measure_reducer(reducer, options); });
  }

  Number reduce_range(const std::string& operation, const RunOptions& options, std::uint64_t offset,
                      std::uint64_t count) const override {
    return with_reducer(operation, [&](const auto reducer) {
      return to_number(reduce(m_space, range(offset, count), reducer, reduce_options(options)));
    });
  }

  Transfer to_device() const override { return m_to_device; }

 private:
  using Input = Kokkos::View<const T*, typename Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Input range(std::uint64_t offset, std::uint64_t count) const { return Input(m_array.data() + offset, count); }

  static ReduceOptions reduce_options(const RunOptions& options) {
    ReduceOptions result;
    result.variant = enumerator_named(tessera::reduce_variants, options.variant);
    result.league_size = options.league_size;
    result.team_size = options.team_size;
    return result;
  }

  // Integers keep their 64 bits; floating values are widened, every NaN to the quiet one.
  template <class Value>
  static Number to_number(Value value) {
    if constexpr (std::is_floating_point_v<Value>) {
      return value != value ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(value);
    } else if constexpr (std::is_unsigned_v<Value>) {
      return static_cast<std::uint64_t>(value);
    } else {
      return static_cast<std::int64_t>(value);
    }
  }

  template <class F>
  static auto with_reducer(const std::string& operation, F&& f) {
    return with_library_errors([&] {
      std::optional<decltype(f(FastSum<T>{}))> result;
      DriverReducers::for_each<T>([&](const auto reducer) {
        if (reducer.name() == operation) result = f(reducer);
      });
      return result.value();
    });
  }

  template <class R>
  ReduceRun measure_reducer(const R& reducer, const RunOptions& run_options) const {
    const ReduceOptions options = reduce_options(run_options);
    const ReducePlan plan = reduce_plan<T>(m_space, reducer, m_size, options);
    const Workspace<Space> workspace(m_space, plan.workspace_bytes);
    using Value = reduce_result_t<R>;
    const Kokkos::View<Value, typename Space::memory_space> out("tessera::apps::reduce::out");
    const Input in = range(0, m_size);

    ReduceRun run;
    run.measurement.seconds =
        time_repeats(m_space, run_options, [&] { reduce(m_space, in, reducer, out, options, workspace); });
    check(m_space, workspace);
    Value value;
    Kokkos::deep_copy(m_space, value, out);
    m_space.fence("tessera::apps::reduce::value");
    run.value = to_number(value);

    run.measurement.operation = std::string(reducer.name());
    run.measurement.variant = std::string(to_string(plan.variant));
    if (run.measurement.operation == "sum" && std::is_floating_point_v<T>) {
      run.measurement.summation = std::string(to_string(Summation::fast));
    }
    run.measurement.bytes = m_size * sizeof(T);
    run.measurement.plan = {{"league_size", plan.league_size},
                            {"team_size", plan.team_size},
                            {"vector_length", plan.vector_length},
                            {"loads_in_flight", plan.loads_in_flight},
                            {"scratch_bytes", static_cast<std::int64_t>(plan.scratch_bytes)},
                            {"workspace_bytes", static_cast<std::int64_t>(plan.workspace_bytes)}};
    return run;
  }

  Space m_space;
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

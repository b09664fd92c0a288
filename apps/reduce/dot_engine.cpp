// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <string>
#include <tessera/reduce/dot.hpp>
#include <type_traits>

#include "axes_calls.hpp"
#include "device/device_array.hpp"
#include "reduce_calls.hpp"
#include "reduce_engine.hpp"

namespace tessera::apps {
namespace {

template <class Space, class T>
class DotEngine final : public ReduceEngine {
 public:
  DotEngine(const Space& space, HostArray& x, HostArray& y)
      : m_space(space),
        m_shape(x.shape),
        m_size(element_count(x.shape)),
        m_x(space, x.buffer.as<T>(), m_size),
        m_y(space, y.buffer.as<T>(), m_size) {
    m_to_device = m_x.to_device();
    const Transfer second = m_y.to_device();
    m_to_device.seconds += second.seconds;
    m_to_device.bytes += second.bytes;
  }

  std::vector<std::string> variants(const ReducePass& pass) const override {
    // Along axes the extents decide.
    return {std::string(to_string(pass.reduced.empty() ? ReduceVariant::single_pass : ReduceVariant::automatic))};
  }

  ReduceRun measure(const ReducePass& pass, const RunOptions& options) const override {
    if (pass.reduced.empty()) return measured(pass, options, 0, m_size, true);
    return with_named_errors(
        pass, [&] { return measured_axes(m_space, pass, Exact{}, options, m_shape, m_x.data(), m_y.data()); });
  }

  std::vector<OpValues> reduce_range(const ReducePass& pass, const RunOptions& options, std::uint64_t offset,
                                     std::uint64_t count) const override {
    return measured(pass, options, offset, count, false).values;
  }

  Transfer to_device() const override { return m_to_device; }

 private:
  using Exact = std::conditional_t<std::is_arithmetic_v<T>, Dot<T>, WideComplex<Dot<T>>>;
  using Input = Kokkos::View<const T*, typename Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  ReduceRun measured(const ReducePass& pass, const RunOptions& options, std::uint64_t offset, std::uint64_t count,
                     bool timed) const {
    return with_named_errors(pass, [&] {
      if constexpr (std::is_floating_point_v<T>) {
        if (!pass.exact) return measured(Dot<T, Summation::fast>{}, pass, options, offset, count, timed);
      }
      return measured(Exact{}, pass, options, offset, count, timed);
    });
  }

  template <class R>
  ReduceRun measured(const R& dot, const ReducePass& pass, const RunOptions& run_options, std::uint64_t offset,
                     std::uint64_t count, bool timed) const {
    const ReduceOptions options = reduce_options(pass, run_options);
    const ReducePlan plan = reduce_plan<ElementPair<T>>(m_space, dot, count, options);
    const Workspace<Space> workspace(m_space, plan.workspace_bytes);
    const Kokkos::View<driver_result_t<R>, typename Space::memory_space> out("tessera::apps::reduce::out");
    const Input x(m_x.data() + offset, count), y(m_y.data() + offset, count);
    ReduceRun run = started<T>(pass, plan);
    const auto call = [&] { reduce(m_space, x, y, dot, out, options, workspace); };
    if (timed) {
      run.measurement.seconds = time_repeats(m_space, run_options, call);
    } else {
      call();
    }
    check(m_space, workspace);
    run.values = values_of(m_space, pass, out);
    run.measurement.bytes = 2 * count * sizeof(T);
    return run;
  }

  Space m_space;
  Shape m_shape;
  std::uint64_t m_size;
  DeviceArray<Space, T> m_x, m_y;
  Transfer m_to_device;
};

}  // namespace

std::unique_ptr<ReduceEngine> make_dot_engine(HostArray& x, HostArray& y, const std::string& space) {
  return visit_space(space, [&](const auto& instance) {
    return visit_elements(x, [&](const auto value) -> std::unique_ptr<ReduceEngine> {
      using T = kernel_element_t<std::decay_t<decltype(value)>>;
      return std::make_unique<DotEngine<std::decay_t<decltype(instance)>, T>>(instance, x, y);
    });
  });
}

}  // namespace tessera::apps

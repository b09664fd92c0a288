// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of one array, or of two, along axes.
#ifndef TESSERA_APPS_REDUCE_AXES_CALLS_HPP
#define TESSERA_APPS_REDUCE_AXES_CALLS_HPP

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <span>
#include <tessera/reduce/dot_axes.hpp>
#include <vector>

#include "device/axes_fields.hpp"
#include "reduce_calls.hpp"

namespace tessera::apps {

/// Arrays of any rank, with leading axes of extent 1: one instance for all.
template <class Space, class T>
auto array8(T* data, const std::array<std::size_t, 8>& n) {
  using Array = Kokkos::View<T********, Kokkos::LayoutRight, typename Space::memory_space,
                             Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  return Array(data, n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]);
}

/// Times reduce_axes() of the row-major arrays behind the pointers, which have this shape.
template <class Space, class R, class T, class... More>
ReduceRun measured_axes(const Space& space, const ReducePass& pass, const R& reducer, const RunOptions& run_options,
                        const Shape& shape, const T* first, const More*... more) {
  const ReduceOptions options = reduce_options(pass, run_options);
  std::array<std::size_t, 8> extents, kept;
  extents.fill(1);
  kept.fill(1);
  std::vector<int> reduced;
  const std::size_t leading = 8 - shape.size();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    extents[leading + axis] = shape[axis];
    if (!pass.reduced[axis]) kept[leading + axis] = shape[axis];
    if (pass.reduced[axis]) reduced.push_back(static_cast<int>(leading + axis));
  }
  const Axes axes{std::span<const int>(reduced)};
  using Value = driver_result_t<R>;
  const Kokkos::View<Value*, typename Space::memory_space> results(
      Kokkos::view_alloc(space, "tessera::apps::reduce::out", Kokkos::WithoutInitializing),
      element_count(kept_shape(pass, shape)));
  const auto out = array8<Space>(results.data(), kept);
  const auto with_arrays = [&](const auto& f) {
    return f(array8<Space>(first, extents), array8<Space>(more, extents)...);
  };
  const ReduceAxesPlan plan =
      with_arrays([&](const auto&... in) { return reduce_axes_plan(space, in..., axes, reducer, options); });
  const Workspace<Space> workspace(space, plan.workspace_bytes);
  ReduceRun run = started<T>(pass, to_string(plan.mapping));
  with_arrays([&](const auto&... in) {
    run.measurement.seconds =
        time_repeats(space, run_options, [&] { reduce_axes(space, in..., axes, reducer, out, options, workspace); });
  });
  check(space, workspace);
  run.values = values_of(space, pass, out);
  run.measurement.bytes = (1 + sizeof...(more)) * element_count(shape) * sizeof(T) + out.size() * sizeof(Value);
  run.measurement.plan = plan_fields(plan);
  return run;
}

}  // namespace tessera::apps

#endif

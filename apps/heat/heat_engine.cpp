// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heat_engine.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>

#include "common/engine_errors.hpp"
#include "common/text.hpp"
#include "device/spaces.hpp"
#include "heat_solver.hpp"
#include "in_situ.hpp"

namespace tessera::apps {
namespace {

template <class Function>
double seconds_of(const Function& function) {
  const auto begin = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <class Space>
struct DiffersAt {
  Kokkos::View<const double*, Space> a, b;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& count) const {
    count += Kokkos::bit_cast<std::uint64_t>(a(i)) != Kokkos::bit_cast<std::uint64_t>(b(i));
  }
};

template <class Space>
std::uint64_t differing_cells(const Space& space, const HeatField<Space>& a, const HeatField<Space>& b) {
  const Kokkos::View<const double*, Space> flat_a(a.data(), a.size()), flat_b(b.data(), b.size());
  std::uint64_t count = 0;
  Kokkos::parallel_reduce(
      "heat::compare",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, static_cast<std::int64_t>(a.size())),
      DiffersAt<Space>{flat_a, flat_b}, count);
  return count;
}

template <class View, class Space>
HostBuffer host_copy(const Space& space, const View& view) {
  HostBuffer buffer(view.size() * sizeof(double));
  Kokkos::deep_copy(
      space,
      Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(buffer.as<double>(),
                                                                                        view.size()),
      Kokkos::View<const double*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(view.data(), view.size()));
  space.fence("heat::host_copy");
  return buffer;
}

HeatLook look_of(std::int64_t step, const StatsResult<double>& stats) {
  return {step, stats.sum, stats.min, stats.max, stats.std};
}

/// All that a run allocates.
template <class Space>
struct Simulation {
  HeatSolver<Space> alone, solver;
  InSitu<Space> in_situ;
};

template <class Space>
Simulation<Space> make_simulation(const Space& space, const HeatRequest& request) {
  try {
    const HeatSolver<Space> alone(space, request.extents(), request.diffusion);
    const HeatSolver<Space> solver(space, request.extents(), request.diffusion);
    return {alone, solver, InSitu<Space>(solver.field(), request.smooth_taps, request.smooth_axis)};
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {
    out_of_resource("no room for " + std::to_string(heat_space_arrays) + " arrays of " +
                    format_bytes(request.field_bytes()));
  }
}

template <class Space>
HeatOutcome solve(const Space& space, const HeatRequest& request, const ProgressCallback& progress) {
  Simulation<Space> run = make_simulation(space, request);
  HeatOutcome outcome;
  for (std::int64_t step = 0; step < request.steps;) {
    const std::int64_t stretch = std::min(request.every, request.steps - step);
    const double alone_seconds = seconds_of([&] {
      run.alone.advance(stretch);
      run.alone.wait();
    });
    const double with_seconds = seconds_of([&] {
      run.in_situ.begin(run.solver.lend());
      run.solver.advance(stretch);
      outcome.looks.push_back(look_of(step, run.in_situ.wait()));
      run.solver.wait();
    });
    outcome.alone_seconds.push_back(alone_seconds / static_cast<double>(stretch));
    outcome.with_seconds.push_back(with_seconds / static_cast<double>(stretch));
    step += stretch;
    progress(static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(request.steps));
  }

  run.in_situ.begin(run.solver.lend());
  outcome.looks.push_back(look_of(request.steps, run.in_situ.wait()));
  outcome.smooth = host_copy(space, run.in_situ.output());
  copy_layout(space, run.solver.field(), run.in_situ.output());
  outcome.field = host_copy(space, run.in_situ.output());
  outcome.fingerprint = reduce(space, run.in_situ.output(), Fingerprint{});
  outcome.differing_cells = differing_cells(space, run.alone.field(), run.solver.field());
  return outcome;
}

}  // namespace

HeatOutcome run_heat(const HeatRequest& request, const std::string& space, const ProgressCallback& progress) {
  return visit_space(space, [&](const auto& instance) {
    return with_library_errors([&] { return solve(instance, request, progress); });
  });
}

}  // namespace tessera::apps

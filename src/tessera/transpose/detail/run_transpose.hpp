// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a shape to a plan and a kernel.
#ifndef TESSERA_TRANSPOSE_DETAIL_RUN_TRANSPOSE_HPP
#define TESSERA_TRANSPOSE_DETAIL_RUN_TRANSPOSE_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/transpose/detail/carrier.hpp>
#include <tessera/transpose/detail/make_transpose_plan.hpp>
#include <tessera/transpose/detail/transpose_job.hpp>
#include <tessera/transpose/detail/transpose_packed.hpp>
#include <tessera/transpose/detail/transpose_streamed.hpp>
#include <tessera/transpose/detail/transpose_strips.hpp>
#include <tessera/transpose/detail/transpose_swizzled.hpp>
#include <tessera/transpose/detail/transpose_tiled.hpp>
#include <tessera/transpose/transpose_options.hpp>
#include <tessera/transpose/transpose_plan.hpp>
#include <vector>

namespace tessera::detail {

inline std::uintptr_t address_of(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

/// make_transpose_plan(), which takes longer than moving some megabytes: a thread's last plans are kept.
inline TransposeChoice kept_transpose_plan(std::string_view function, const DeviceLimits& limits,
                                           const TransposeProblem& problem, const TransposeOptions& options) {
  struct Kept {
    DeviceLimits limits;
    TransposeProblem problem;
    TransposeOptions options;
    TransposeChoice choice;
  };
  constexpr std::size_t kept_max = 8;
  thread_local std::vector<Kept> kept;
  thread_local std::size_t oldest = 0;
  for (const Kept& of : kept) {
    if (of.limits == limits && of.problem == problem && of.options == options) return of.choice;
  }
  Kept made{limits, problem, options, make_transpose_plan(function, limits, problem, options)};
  if (kept.size() < kept_max) {
    kept.push_back(made);
  } else {
    kept[oldest] = made;
    oldest = (oldest + 1) % kept_max;
  }
  return made.choice;
}

/// Elements that a function makes. shape: merged, strides in elements of either side.
template <ExecutionSpace Space, class In, class Out, class Function>
void run_transpose(std::string_view name, const Space& space, const In* in, Out* out, const Function& function,
                   const PermuteShape& shape, const TransposeOptions& options) {
  const DeviceLimits limits = device_limits(space);
  const TransposeProblem problem{shape, sizeof(In), sizeof(Out), address_of(in), address_of(out)};
  const TransposeChoice choice = kept_transpose_plan(name, limits, problem, options);
  const TransposePlan& plan = choice.plan;
  require_scratch(name, plan.scratch_bytes, limits);
  if (shape.units() == 0) return;
  switch (plan.variant) {
    case TransposeVariant::tiled:
    case TransposeVariant::padded:
      return launch_tiled(name, space, plan, matrix_job(in, out, function, shape, plan),
                          moves_to_sectors(limits, problem), options.team_size);
    case TransposeVariant::swizzled:
      if constexpr (is_host_space<Space> && is_streamed_size(sizeof(Out))) {
        if (plan.streamed) {
          return launch_streamed(name, space, plan, matrix_job(in, out, function, shape, plan), options.team_size);
        }
      }
      if constexpr (!is_host_space<Space> && strip_width(sizeof(In), sizeof(Out)) > 0) {
        if (plan.piece_rows > 0) {
          return launch_strips(name, space, plan, matrix_job(in, out, function, shape, plan), problem);
        }
      }
      return launch_swizzled(name, space, plan, matrix_job(in, out, function, shape, plan), can_swizzle(problem),
                             options.team_size);
    default:
      return launch_packed(name, space, choice, in, out, function, options.team_size);
  }
}

/// Calls visit with a value of so many bytes, one access.
template <class Visit>
decltype(auto) with_unit(std::size_t unit_bytes, const Visit& visit) {
  switch (unit_bytes) {
    case 1:
      return visit(std::uint8_t{});
    case 2:
      return visit(std::uint16_t{});
    case 4:
      return visit(std::uint32_t{});
    case 8:
      return visit(std::uint64_t{});
    default:
      return visit(carrier_of<16, 16>{});
  }
}

/// Whether units move as one, and no mapping is asked for.
inline bool is_copy(const PermuteShape& units, const TransposeOptions& options) {
  if (options != TransposeOptions{}) return false;
  return units.rank == 0 || (units.rank == 1 && units.axes[0].in_stride == 1 && units.axes[0].out_stride == 1);
}

/// Elements that move as bytes. shape: strides in elements of unit_bytes.
template <ExecutionSpace Space>
void run_transpose_of_bytes(std::string_view name, const Space& space, const void* in, void* out,
                            const PermuteShape& shape, const TransposeOptions& options) {
  const PermuteShape units = in_units(shape, address_of(in) | address_of(out));
  if (is_copy(units, options)) {
    using Memory = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    const auto bytes = static_cast<std::size_t>(units.units()) * units.unit_bytes;
    return Kokkos::deep_copy(
        space, Kokkos::View<std::byte*, typename Space::memory_space, Memory>(static_cast<std::byte*>(out), bytes),
        Kokkos::View<const std::byte*, typename Space::memory_space, Memory>(static_cast<const std::byte*>(in), bytes));
  }
  with_unit(units.unit_bytes, [&](auto unit) {
    using Unit = decltype(unit);
    run_transpose(name, space, static_cast<const Unit*>(in), static_cast<Unit*>(out), Unchanged{}, units, options);
  });
}

/// The plan of run_transpose_of_bytes.
inline TransposePlan plan_transpose_of_bytes(std::string_view name, const DeviceLimits& limits, const void* in,
                                             const void* out, const PermuteShape& shape,
                                             const TransposeOptions& options) {
  const PermuteShape units = in_units(shape, address_of(in) | address_of(out));
  if (is_copy(units, options)) return copy_plan();
  const TransposeProblem problem{units, units.unit_bytes, units.unit_bytes, address_of(in), address_of(out)};
  return make_transpose_plan(name, limits, problem, options).plan;
}

}  // namespace tessera::detail

#endif

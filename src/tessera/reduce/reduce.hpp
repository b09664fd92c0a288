// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device level: reductions of whole views to one value.
//
// The kernels follow the steps of M. Harris, "Optimizing Parallel Reduction in CUDA" (2007), and the last-team finish
// of the CUDA sample threadFenceReduction; the error bound is that of blocked pairwise summation (N. J. Higham, "The
// accuracy of floating point summation", 1993).
#ifndef TESSERA_REDUCE_REDUCE_HPP
#define TESSERA_REDUCE_REDUCE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <string>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/reduce/detail/exact_arithmetic.hpp>
#include <tessera/reduce/detail/reduce_grid_stride.hpp>
#include <tessera/reduce/detail/reduce_interleaved.hpp>
#include <tessera/reduce/detail/reduce_sequential.hpp>
#include <tessera/reduce/detail/reduce_single_pass.hpp>
#include <tessera/reduce/detail/reduce_strided.hpp>
#include <tessera/reduce/detail/reduce_two_stage.hpp>
#include <tessera/reduce/detail/require_elements.hpp>
#include <tessera/reduce/reduce_options.hpp>
#include <tessera/reduce/reduce_plan.hpp>
#include <tessera/reduce/reducers.hpp>
#include <tessera/workspace.hpp>

namespace tessera {

namespace detail {

/// Launches one of the variants that textbooks show.
template <class R, ExecutionSpace Space, View InView, class Fold, class Result>
void launch_textbook_variant(const Space& space, const ReducePlan& plan, const InView& in, const Fold& fold,
                             Result* out, const Workspace<Space>& workspace, int asked_team_size) {
  const std::string name(to_string(plan.variant));
  TESSERA_REQUIRE_ARGUMENT(is_contiguous(in), "tessera::reduce", "in",
                           "elements apart in memory, or in an order of their own",
                           "contiguous memory for variant " + name, "use automatic or single_pass");
  const auto range = textbook_range(in);
  const PassCall call{space, plan, range, fold, out, workspace, asked_team_size};
  if constexpr (sums_exactly<Fold>()) {
    launch_grid_stride(call);
  } else {
    switch (plan.variant) {
      case ReduceVariant::interleaved:
        return launch_interleaved(call);
      case ReduceVariant::strided:
        return launch_strided(call);
      case ReduceVariant::sequential:
        return launch_sequential(call);
      case ReduceVariant::two_stage:
        return launch_two_stage(call);
      default:
        if constexpr (joins_atomically<R>()) launch_grid_stride(call);
    }
  }
}

}  // namespace detail

/// Reduces all elements of a view to one value: asynchronous on the instance, one kernel (variants interleaved,
/// strided, sequential and two_stage: a few), no allocation, no fence.
///
/// \param[in] space      the instance that runs it
/// \param[in] in         any rank up to 8, any extents (64-bit sizes), any layout; contiguous views are read in 16-byte
///                       pieces wherever they begin
/// \param[in] reducer    concept Reducer: one of reducers.hpp, Stats, fused ones or a user's own
/// \param[out] out       rank 0, the type reduce_result_t<R>, memory that the space can write; not inside `in`
/// \param[in] options    variant, what NaN does, sizes of league and team
/// \param[in] workspace  at least reduce_plan(..).workspace_bytes; shared only by calls that are ordered
///
/// Exact sums have the same bits under every plan, other results under one, unless ReducePlan::deterministic says no.
/// Compulsory bytes: size * sizeof(element) read. Scratch: ReducePlan::scratch_bytes a team.
/// What only the data can show (an integer sum that does not fit) goes to the workspace's status word, with out = 0;
/// check(space, workspace) throws it.
/// \throws InvalidArgument  for an empty input of a reducer that needs elements, a workspace that is too small, sizes
///                          of league or team that the space cannot have
/// \throws ResourceError    where the plan's scratch exceeds what a team can have
template <ExecutionSpace Space, View InView, Reducer R, View OutView>
void reduce(const Space& space, const InView& in, const R& reducer, const OutView& out, const ReduceOptions& options,
            const Workspace<Space>& workspace) {
  static_assert(AccessibleFrom<InView, Space>, "tessera::reduce: `in` must be in memory that the space can access");
  static_assert(AccessibleFrom<OutView, Space>, "tessera::reduce: `out` must be in memory that the space can access");
  static_assert(OutView::rank() == 0, "tessera::reduce: `out` must have rank 0");
  using T = typename InView::non_const_value_type;
  using Result = typename OutView::value_type;
  static_assert(detail::holds_result<R, Result>, "tessera::reduce: `out` must hold the reducer's result type");
  const Kokkos::Profiling::ScopedRegion region("tessera::reduce");

  if constexpr (detail::sums_exactly<detail::fold_t<R, T>>()) detail::require_exact_arithmetic("tessera::reduce");
  detail::require_elements("tessera::reduce", in, in.size(), reducer);
  const ReducePlan plan = reduce_plan<T>(space, reducer, in.size(), options);
  detail::require_scratch("tessera::reduce", plan.scratch_bytes, detail::device_limits(space));
  TESSERA_REQUIRE_ARGUMENT(workspace.bytes() >= plan.workspace_bytes, "tessera::reduce", "workspace",
                           std::to_string(workspace.bytes()) + " bytes",
                           "at least " + std::to_string(plan.workspace_bytes) + " bytes",
                           "make it with reduce_plan(..).workspace_bytes");

  const detail::fold_t<R, T> fold(reducer, {options.nan});
  if constexpr (detail::has_all_variants<R>() || detail::merges_digits<R>()) {
    if (plan.variant != ReduceVariant::single_pass) {
      detail::launch_textbook_variant<R>(space, plan, in, fold, out.data(), workspace, options.team_size);
      return;
    }
  }
  const auto launch = [&](const auto& range) {
    detail::launch_single_pass(space, plan, range, fold, out.data(), workspace.partials(), workspace.ticket(),
                               workspace.status_word(), options.team_size);
  };
  if constexpr (detail::always_contiguous<InView>) {
    launch(detail::contiguous_range(in));
  } else {
    if (detail::is_contiguous(in)) {
      launch(detail::contiguous_range(in));
    } else {
      launch(detail::strided_range(in));
    }
  }
}

/// The same with a workspace of its own: allocates, and fences when that is freed. What only the data can show is
/// thrown. \throws InvalidArgument, ResourceError
template <ExecutionSpace Space, View InView, Reducer R, View OutView>
void reduce(const Space& space, const InView& in, const R& reducer, const OutView& out,
            const ReduceOptions& options = {}) {
  const ReducePlan plan = reduce_plan<typename InView::non_const_value_type>(space, reducer, in.size(), options);
  const Workspace<Space> workspace(space, plan.workspace_bytes);
  reduce(space, in, reducer, out, options, workspace);
  check(space, workspace);
}

/// The same, returned: allocates and fences the instance. \throws InvalidArgument, ResourceError
template <ExecutionSpace Space, View InView, Reducer R>
reduce_result_t<R> reduce(const Space& space, const InView& in, const R& reducer, const ReduceOptions& options = {}) {
  const Kokkos::View<reduce_result_t<R>, typename Space::memory_space> out(
      Kokkos::view_alloc(space, "tessera::reduce::out", Kokkos::WithoutInitializing));
  reduce(space, in, reducer, out, options);
  reduce_result_t<R> result;
  Kokkos::deep_copy(space, result, out);
  space.fence("tessera::reduce::result");
  return result;
}

}  // namespace tessera

#endif

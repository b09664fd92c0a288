// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launch that all kernels of transposes share.
#ifndef TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_LAUNCH_HPP
#define TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_LAUNCH_HPP

#include <Kokkos_Core.hpp>
#include <string>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/transpose/transpose_plan.hpp>

namespace tessera::detail {

/// function: of the caller, for messages. \throws InvalidArgument for a team size that this kernel cannot have.
template <ExecutionSpace Space, class Functor>
void launch_transpose(std::string_view function, const Space& space, const TransposePlan& plan, const Functor& functor,
                      int asked_team_size) {
  typename Functor::policy_type policy(space, plan.league_size, plan.team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(plan.scratch_bytes))));
  require_launchable(function, policy, functor, asked_team_size);
  Kokkos::parallel_for("tessera::transpose::" + std::string(to_string(plan.variant)), policy, functor);
}

}  // namespace tessera::detail

#endif

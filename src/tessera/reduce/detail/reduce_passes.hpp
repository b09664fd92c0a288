// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the variants interleaved, strided, sequential and two_stage have in common: a team takes a block of elements
// into its scratch, joins them in a tree and leaves one partial; further launches do the same with the partials until
// one is left. The variants differ in their tree and in what a thread loads.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_PASSES_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_PASSES_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/reduce_plan.hpp>
#include <tessera/status.hpp>
#include <tessera/workspace.hpp>

namespace tessera::detail {

/// Arguments of a launch.
template <ExecutionSpace Space, class Range, class Fold, class Result>
struct PassCall {
  const Space& space;
  const ReducePlan& plan;
  const Range& range;
  const Fold& fold;
  Result* out;
  const Workspace<Space>& workspace;
  int asked_team_size;
};
template <ExecutionSpace Space, class Range, class Fold, class Result>
PassCall(const Space&, const ReducePlan&, const Range&, const Fold&, Result*, const Workspace<Space>&, int)
    -> PassCall<Space, Range, Fold, Result>;

/// Tree: loads, what a thread loads before it joins, and join(team, values, fold), which leaves the whole in values[0]
/// and ends with a barrier.
template <ExecutionSpace Space, class Range, class Fold, class Tree, class Result>
struct ReducePass {
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<Fold::team_size_max, 1>>;
  using value_type = typename Fold::team_type;

  Range range;
  Fold fold;
  const value_type* from;  // null: the elements of range
  std::int64_t count;
  std::int64_t block, blocks;
  value_type* to;
  Result* out;  // where one block is all
  std::uint64_t* status_word;
  std::size_t scratch_bytes;

  KOKKOS_FUNCTION void operator()(const typename policy_type::member_type& team) const {
    auto* values = reinterpret_cast<value_type*>(team_scratch(team, scratch_bytes));
    const Status status(status_word);
    // The same for the whole team, so that all of it meets each barrier.
    for (std::int64_t b = team.league_rank(); b < blocks; b += team.league_size()) {
      // Textbooks let threads beyond the end return here, before barriers that the others wait at. Ours stay, with the
      // identity, which also makes any team size and any count right. It is the reducer's own: 0 is no identity of max.
      values[team.team_rank()] = share(team, b, status);
      team.team_barrier();
      Tree::join(team, values, fold);
      if (team.team_rank() == 0) {
        if (blocks == 1) {
          value_type total = values[0];
          *out = fold.template finalize<Result>(total, range.size, status);
        } else {
          to[b] = values[0];
        }
      }
      team.team_barrier();  // values[0] is read before the next block overwrites it
    }
  }

 private:
  KOKKOS_FUNCTION value_type share(const typename policy_type::member_type& team, std::int64_t b,
                                   const Status& status) const {
    const std::int64_t end = Kokkos::min(count, (b + 1) * block);
    const std::int64_t step = team.team_size();
    value_type mine = fold.identity();
    for (std::int64_t i = b * block + team.team_rank(); i < end; i += Tree::loads * step) {
      value_type loaded[Tree::loads];
      TESSERA_UNROLL
      for (int k = 0; k < Tree::loads; ++k) {
        const std::int64_t at = i + k * step;
        loaded[k] = at < end ? value(at, status) : fold.identity();
      }
      TESSERA_UNROLL
      for (int k = 0; k < Tree::loads; ++k) fold.join(mine, loaded[k]);
    }
    return mine;
  }

  KOKKOS_FUNCTION value_type value(std::int64_t at, const Status& status) const {
    if (from != nullptr) return from[at];
    const std::int64_t position = range.position(at);
    return fold.lifted(range.data[at], position, position, status);
  }
};

template <class Tree, ExecutionSpace Space, class Range, class Fold, class Result>
void launch_passes(const PassCall<Space, Range, Fold, Result>& call) {
  using Functor = ReducePass<Space, Range, Fold, Tree, Result>;
  using Value = typename Functor::value_type;
  const ReducePlan& plan = call.plan;
  auto* const partials = static_cast<Value*>(call.workspace.partials());
  const std::int64_t first_blocks =
      pass_blocks(plan.variant, is_host_space<Space>, plan.team_size, call.range.size, true);
  const Value* from = nullptr;
  Value* to = partials;
  std::int64_t count = call.range.size;
  // Partials are read by the next launch, which waits for the whole of this one: within a launch they would need a
  // fence, and nobody could say when all of them are there.
  for (bool is_first = true;; is_first = false) {
    const std::int64_t block = pass_block(plan.variant, is_host_space<Space>, plan.team_size, is_first);
    const std::int64_t blocks = pass_blocks(plan.variant, is_host_space<Space>, plan.team_size, count, is_first);
    const Functor functor{
        call.range,        call.fold, from, count, block, blocks, to, call.out, call.workspace.status_word(),
        plan.scratch_bytes};
    const auto league =
        static_cast<int>(is_first ? plan.league_size : std::min<std::int64_t>(plan.league_size, blocks));
    typename Functor::policy_type policy(call.space, league, plan.team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(plan.scratch_bytes))));
    if (is_first) require_launchable("tessera::reduce", policy, functor, call.asked_team_size);
    Kokkos::parallel_for("tessera::reduce::" + std::string(to_string(plan.variant)), policy, functor);
    if (blocks == 1) return;
    from = to;
    to = to == partials ? partials + first_blocks : partials;
    count = blocks;
  }
}

}  // namespace tessera::detail

#endif

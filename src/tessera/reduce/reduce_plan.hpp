// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a reduction is mapped to teams: data, from a pure host function.
#ifndef TESSERA_REDUCE_REDUCE_PLAN_HPP
#define TESSERA_REDUCE_REDUCE_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/reduce/reduce_options.hpp>
#include <tessera/reduce/team_reduce.hpp>

namespace tessera {

struct ReducePlan {
  ReduceVariant variant = ReduceVariant::single_pass;
  int league_size = 1;
  int team_size = 1;
  int vector_length = 1;
  int loads_in_flight = 1;          ///< 16-byte loads a thread issues before it adds
  std::size_t scratch_bytes = 0;    ///< level 0, a team
  std::size_t workspace_bytes = 0;  ///< partial results
  bool operator==(const ReducePlan&) const = default;
};

inline std::string to_string(const ReducePlan& plan) {
  return std::string(to_string(plan.variant)) + " league " + std::to_string(plan.league_size) + " team " +
         std::to_string(plan.team_size) + " vector " + std::to_string(plan.vector_length) + " loads " +
         std::to_string(plan.loads_in_flight) + " scratch " + std::to_string(plan.scratch_bytes) + " B workspace " +
         std::to_string(plan.workspace_bytes) + " B";
}

namespace detail {

/// Scratch of a team: what says which team is last, and the fold's.
template <class Fold>
std::size_t reduce_scratch_bytes(int team_size) {
  ScratchLayout layout;
  layout.append<int>(1);
  layout.append<std::byte>(FoldScratch<Fold>(team_size).bytes);
  return layout.bytes();
}

/// element_bytes: of the input.
template <class Fold>
ReducePlan make_reduce_plan(const DeviceLimits& limits, std::uint64_t size, std::size_t element_bytes,
                            const ReduceOptions& options) {
  require_league_size("tessera::reduce", options.league_size);
  require_team_size("tessera::reduce", options.team_size, limits.is_host ? limits.concurrency : Fold::team_size_max);
  ReducePlan plan;
  const auto packed = static_cast<std::int64_t>(std::max<std::size_t>(1, packed_bytes / element_bytes));
  plan.loads_in_flight = static_cast<int>(Fold::lanes / packed);
  // Measured on an H200: each wave of teams costs microseconds, so leagues stay near what runs at once.
  const bool large = size > (std::uint64_t{1} << 26);
  std::int64_t league = 0;
  if (limits.is_host) {
    plan.team_size = 1;
    league = 4 * limits.concurrency;
  } else {
    plan.team_size = std::min(Fold::team_size_max, large ? 1024 : 512);
    league = (large ? std::max(4, 2 * Fold::teams_at_once) : 2) * multiprocessors(limits);
  }
  if (options.team_size != 0) plan.team_size = options.team_size;
  league = std::min(league, ceil_div(static_cast<std::int64_t>(size), plan.team_size * Fold::lanes));
  plan.league_size =
      options.league_size != 0 ? options.league_size : static_cast<int>(std::max<std::int64_t>(1, league));
  plan.scratch_bytes = reduce_scratch_bytes<Fold>(plan.team_size);
  plan.workspace_bytes = static_cast<std::size_t>(plan.league_size) * sizeof(typename Fold::team_type);
  return plan;
}

}  // namespace detail

/// The plan that reduce() will follow for size elements of T. Pure: it launches and allocates nothing.
/// \throws InvalidArgument for sizes of league or team that cannot be.
template <class T, ExecutionSpace Space, Reducer R>
ReducePlan reduce_plan(const Space& space, const R&, std::uint64_t size, const ReduceOptions& options = {}) {
  return detail::make_reduce_plan<detail::fold_t<R, T>>(detail::device_limits(space), size, sizeof(T), options);
}

}  // namespace tessera

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a reduction is mapped to teams: data, from a pure host function.
#ifndef TESSERA_REDUCE_REDUCE_PLAN_HPP
#define TESSERA_REDUCE_REDUCE_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/reduce/reduce_options.hpp>
#include <tessera/reduce/team_reduce.hpp>
#include <vector>

namespace tessera {

namespace detail {

template <class R>
constexpr bool has_all_variants() {
  return requires { requires R::all_variants; };
}

/// Whether its sums end in integer digits that one atomic a team can join.
template <class R>
constexpr bool merges_digits() {
  return requires { requires R::merges_digits; };
}

/// Elements that a thread of variant grid_stride loads before it joins them.
inline constexpr int grid_stride_loads = 4;

}  // namespace detail

/// Whether a variant can reduce elements of T with a reducer. Every one can automatic and single_pass; the others are
/// for reducers that ask for them (`all_variants`), of views in contiguous memory; grid_stride for exact sums too.
template <class T, Reducer R>
constexpr bool reduce_supports(const R&, ReduceVariant variant) {
  if (variant == ReduceVariant::automatic || variant == ReduceVariant::single_pass) return true;
  if constexpr (detail::has_all_variants<R>()) {
    return variant != ReduceVariant::grid_stride || detail::joins_atomically<R>();
  } else {
    return variant == ReduceVariant::grid_stride && detail::merges_digits<R>();
  }
}

/// The variants that can, in the order of reduce_variants.
template <class T, Reducer R>
std::vector<ReduceVariant> supported_reduce_variants(const R& reducer) {
  std::vector<ReduceVariant> variants;
  for (const ReduceVariant variant : reduce_variants) {
    if (reduce_supports<T>(reducer, variant)) variants.push_back(variant);
  }
  return variants;
}

struct ReducePlan {
  ReduceVariant variant = ReduceVariant::single_pass;
  int league_size = 1;
  int team_size = 1;
  int vector_length = 1;
  int loads_in_flight = 1;          ///< 16-byte loads a thread issues before it adds
  std::size_t scratch_bytes = 0;    ///< level 0, a team
  std::size_t workspace_bytes = 0;  ///< partial results
  bool deterministic = true;        ///< the same bits on every run with this plan
  bool operator==(const ReducePlan&) const = default;
};

inline std::string to_string(const ReducePlan& plan) {
  return std::string(to_string(plan.variant)) + " league " + std::to_string(plan.league_size) + " team " +
         std::to_string(plan.team_size) + " vector " + std::to_string(plan.vector_length) + " loads " +
         std::to_string(plan.loads_in_flight) + " scratch " + std::to_string(plan.scratch_bytes) + " B workspace " +
         std::to_string(plan.workspace_bytes) + " B" + (plan.deterministic ? "" : " not deterministic");
}

namespace detail {

/// Scratch of a team: what says which team is last, the fold's, and its counters.
template <class Fold>
std::size_t reduce_scratch_bytes(int team_size) {
  ScratchLayout layout;
  layout.append<int>(1);
  layout.append<std::byte>(FoldScratch<Fold>(team_size).bytes);
  layout.append<std::byte>(lent_bytes<Fold>(team_size));
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
  plan.loads_in_flight = static_cast<int>((limits.is_host ? Fold::lanes : device_group<Fold>()) / packed);
  // Measured on an H200: each wave of teams costs microseconds, and a part of one as much, so leagues are what runs at
  // once; folds that name no number run two or more teams a multiprocessor.
  const bool large = size > (std::uint64_t{1} << 28);
  std::int64_t league = 0;
  if (limits.is_host) {
    plan.team_size = 1;
    league = 4 * limits.concurrency;
  } else {
    plan.team_size = std::min(Fold::team_size_max, 512);
    league = (Fold::teams_at_once > 1 ? Fold::teams_at_once : large ? 4 : 2) * multiprocessors(limits);
  }
  while (plan.team_size > 32 && scratch_request(reduce_scratch_bytes<Fold>(plan.team_size)) > limits.scratch_bytes) {
    plan.team_size -= 32;
  }
  if (options.team_size != 0) plan.team_size = options.team_size;
  league = std::min(league, ceil_div(static_cast<std::int64_t>(size), plan.team_size * Fold::lanes));
  plan.league_size =
      options.league_size != 0 ? options.league_size : static_cast<int>(std::max<std::int64_t>(1, league));
  plan.scratch_bytes = reduce_scratch_bytes<Fold>(plan.team_size);
  plan.workspace_bytes = Partials<Fold>::bytes(plan.league_size);
  return plan;
}

/// Elements of a block: what a team of the variants that work in passes takes at once.
/// Textbooks give a thread one. A team of one thread would then leave as many partials as it found elements, and on a
/// host a barrier costs more than many elements; so does a launch for the partials of two_stage. There a thread takes a
/// chain, as long as the bound of fast sums lets it be.
inline std::int64_t pass_block(ReduceVariant variant, bool is_host, int team_size, bool is_first) {
  const bool two_stage = variant == ReduceVariant::two_stage;
  if (is_host || team_size == 1 || (two_stage && !is_first)) return std::int64_t{256} * team_size;
  return std::int64_t{two_stage ? 2 : 1} * team_size;
}

/// Blocks of a pass, at least one: an empty array has a result too.
inline std::int64_t pass_blocks(ReduceVariant variant, bool is_host, int team_size, std::int64_t count, bool is_first) {
  return std::max<std::int64_t>(1, ceil_div(count, pass_block(variant, is_host, team_size, is_first)));
}

/// The plan of a variant that is there to be compared: as textbooks have it.
template <class Fold>
ReducePlan make_textbook_plan(const DeviceLimits& limits, std::uint64_t elements, const ReduceOptions& options) {
  require_league_size("tessera::reduce", options.league_size);
  require_team_size("tessera::reduce", options.team_size, limits.is_host ? limits.concurrency : Fold::team_size_max);
  const auto size = static_cast<std::int64_t>(elements);
  ReducePlan plan;
  plan.variant = options.variant;
  const bool loops = plan.variant == ReduceVariant::grid_stride;
  const int planned = limits.is_host ? 1 : std::min(Fold::team_size_max, loops ? 1024 : 256);
  plan.team_size = options.team_size != 0 ? options.team_size : planned;
  std::int64_t league = 0, partials = 1;
  if (loops) {
    plan.loads_in_flight = grid_stride_loads;
    // As many threads as run at once. The atomics are a chain of additions too: 256 keep fast sums within their bound.
    league = limits.is_host ? limits.concurrency : std::max(1, limits.concurrency / plan.team_size);
    league = std::min({league, std::int64_t{256}, std::max<std::int64_t>(1, ceil_div(size, plan.team_size))});
    plan.scratch_bytes = FoldScratch<Fold>(plan.team_size).bytes;
  } else {
    plan.loads_in_flight = plan.variant == ReduceVariant::two_stage ? 2 : 1;
    const std::int64_t blocks = pass_blocks(plan.variant, limits.is_host, plan.team_size, size, true);
    // One block a team, where each has threads of its own and their number is one.
    league = std::min<std::int64_t>(blocks, limits.is_host ? 4 * limits.concurrency : std::numeric_limits<int>::max());
    // Passes read what one buffer has, and write the other.
    partials = blocks == 1 ? 0 : blocks + pass_blocks(plan.variant, limits.is_host, plan.team_size, blocks, false);
    plan.scratch_bytes = static_cast<std::size_t>(plan.team_size) * sizeof(typename Fold::team_type);
  }
  plan.league_size = options.league_size != 0 ? options.league_size : static_cast<int>(league);
  plan.workspace_bytes = static_cast<std::size_t>(partials) * sizeof(typename Fold::team_type);
  return plan;
}

template <class R>
constexpr std::string_view reducer_name() {
  if constexpr (requires { R::name(); }) {
    return R::name();
  } else {
    return "this reducer";
  }
}

}  // namespace detail

/// The plan that reduce() will follow for size elements of T. Pure: it launches and allocates nothing.
/// \throws InvalidArgument for sizes of league or team that cannot be, and for a variant that cannot do it.
template <class T, ExecutionSpace Space, Reducer R>
ReducePlan reduce_plan(const Space& space, const R& reducer, std::uint64_t size, const ReduceOptions& options = {}) {
  TESSERA_REQUIRE_ARGUMENT(reduce_supports<T>(reducer, options.variant), "tessera::reduce", "options",
                           "variant " + std::string(to_string(options.variant)) + " cannot do " +
                               std::string(detail::reducer_name<R>()) + (ValueReducer<R> ? "" : ", which is exact"),
                           detail::names_of(supported_reduce_variants<T>(reducer)),
                           "name one of these, or a reducer with `all_variants`, such as Sum<.., Summation::fast>");
  if constexpr (detail::has_all_variants<R>() || detail::merges_digits<R>()) {
    if (options.variant != ReduceVariant::automatic && options.variant != ReduceVariant::single_pass) {
      ReducePlan plan = detail::make_textbook_plan<detail::fold_t<R, T>>(detail::device_limits(space), size, options);
      plan.deterministic =
          plan.variant != ReduceVariant::grid_stride || detail::is_order_free<R>() || detail::merges_digits<R>();
      return plan;
    }
  }
  return detail::make_reduce_plan<detail::fold_t<R, T>>(detail::device_limits(space), size, sizeof(T), options);
}

}  // namespace tessera

#endif

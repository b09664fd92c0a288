// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device level: reductions of consecutive segments of a rank-1 view.
#ifndef TESSERA_REDUCE_REDUCE_SEGMENTS_HPP
#define TESSERA_REDUCE_REDUCE_SEGMENTS_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <string>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/reduce/detail/axes_launch.hpp>
#include <tessera/reduce/detail/exact_arithmetic.hpp>
#include <tessera/reduce/detail/reduce_segments.hpp>
#include <tessera/reduce/detail/require_elements.hpp>
#include <tessera/reduce/reduce_options.hpp>
#include <tessera/reduce/reducers.hpp>
#include <tessera/workspace.hpp>

namespace tessera {

/// How a reduction of segments is mapped to teams.
struct ReduceSegmentsPlan {
  int league_size = 1;
  int team_size = 1;
  std::int64_t chunk = 1;  ///< elements and segments that a team takes at a time
  std::int64_t chunks = 1;
  std::size_t scratch_bytes = 0;    ///< level 0, a team
  std::size_t workspace_bytes = 0;  ///< partial results of segments that reach over chunks
  bool operator==(const ReduceSegmentsPlan&) const = default;
};

inline std::string to_string(const ReduceSegmentsPlan& plan) {
  return "segments league " + std::to_string(plan.league_size) + " team " + std::to_string(plan.team_size) + " chunk " +
         std::to_string(plan.chunk) + " chunks " + std::to_string(plan.chunks) + " scratch " +
         std::to_string(plan.scratch_bytes) + " B workspace " + std::to_string(plan.workspace_bytes) + " B";
}

namespace detail {

template <class Fold>
ReduceSegmentsPlan make_segments_plan(const DeviceLimits& limits, std::int64_t size, std::int64_t segments,
                                      const ReduceOptions& options) {
  constexpr std::string_view function = "tessera::reduce_segments";
  require_league_size(function, options.league_size);
  require_team_size(function, options.team_size, limits.is_host ? limits.concurrency : axes_team_size_max);
  ReduceSegmentsPlan plan;
  plan.team_size = options.team_size != 0 ? options.team_size : limits.is_host ? 1 : 128;
  const std::int64_t teams = options.league_size != 0 ? options.league_size
                             : limits.is_host
                                 ? 4 * limits.concurrency
                                 : std::int64_t{multiprocessors(limits)} * (multiprocessor_threads / plan.team_size);
  // Chunks of a few thousand keep the list of longer segments, and the partials, small.
  const std::int64_t length = size + segments;
  plan.chunk = clamped(ceil_div(length, teams), limits.is_host ? 1024 : 2048,
                       plan.team_size == 1 ? std::int64_t{1} << 40 : std::int64_t{1} << 14);
  plan.chunks = std::max<std::int64_t>(1, ceil_div(length, plan.chunk));
  plan.league_size = static_cast<int>(
      std::min<std::int64_t>(plan.chunks, options.league_size != 0 || limits.is_host ? teams : std::int64_t{1} << 30));
  plan.scratch_bytes = segment_scratch_bytes<Fold>(plan.team_size, plan.chunk);
  if (plan.chunks > 1) {
    plan.workspace_bytes = 2 * static_cast<std::size_t>(plan.chunks) * sizeof(typename Fold::team_type);
  }
  return plan;
}

}  // namespace detail

/// The plan that reduce_segments() will follow for `segments` segments of `size` elements of T together. Pure.
/// \throws InvalidArgument for sizes of league or team that cannot be.
template <class T, ExecutionSpace Space, Reducer R>
ReduceSegmentsPlan reduce_segments_plan(const Space& space, const R&, std::uint64_t size, std::uint64_t segments,
                                        const ReduceOptions& options = {}) {
  return detail::make_segments_plan<detail::fold_t<R, T>>(detail::device_limits(space), static_cast<std::int64_t>(size),
                                                          static_cast<std::int64_t>(segments), options);
}

/// Reduces each segment of a view to one value: asynchronous on the instance, one kernel, or two where the plan has
/// several chunks; no allocation, no fence. Lengths may differ as they like: one segment may be everything.
///
/// \param[in] space      the instance that runs it
/// \param[in] in         n elements, rank 1, any layout
/// \param[in] offsets    m + 1 of int64, rank 1, any layout, ascending, from 0 to n: segment s is elements offsets(s)
/// to
///                       offsets(s+1). Equal offsets: an empty segment. Elements before the first offset or from the
///                       last on belong to none; what is out of order or range is cut, and the result unspecified
/// \param[in] reducer    concept Reducer; positions (arg*) count from the segment's first element
/// \param[out] out       m results, rank 1, any stride but 0, the type reduce_result_t<R>; shares no memory with `in`
/// \param[in] options    nan, league_size, team_size; variant: automatic
/// \param[in] workspace  at least reduce_segments_plan(..).workspace_bytes; shared only by calls that are ordered
///
/// Deterministic: the same bits on every run with one plan; exact reducers have the same bits whatever the plan.
/// Compulsory bytes: each element and offset read once, each result written once. Scratch: the plan's scratch_bytes.
/// An empty segment of a reducer that needs elements, a NaN under NanPolicy::error and an integer that does not fit go
/// to the workspace's status word, with the segment's number (NaN: the element's), and a spoiled result (NaN, 0);
/// check(space, workspace) throws it.
/// \throws InvalidArgument  for an offsets view without elements, an output of another extent, overlapping memory, a
///                          negative ddof, a workspace that is too small, sizes of league or team that the space cannot
///                          have, another variant than automatic
/// \throws ResourceError    where the plan's scratch exceeds what a team can have
template <ExecutionSpace Space, View InView, View OffsetsView, Reducer R, View OutView>
void reduce_segments(const Space& space, const InView& in, const OffsetsView& offsets, const R& reducer,
                     const OutView& out, const ReduceOptions& options, const Workspace<Space>& workspace) {
  static_assert(AccessibleFrom<InView, Space> && AccessibleFrom<OffsetsView, Space> && AccessibleFrom<OutView, Space>,
                "tessera::reduce_segments: the views must be in memory that the space can access");
  static_assert(InView::rank() == 1 && OffsetsView::rank() == 1 && OutView::rank() == 1,
                "tessera::reduce_segments: the views must have rank 1");
  static_assert(std::is_same_v<typename OffsetsView::non_const_value_type, std::int64_t>,
                "tessera::reduce_segments: `offsets` must hold std::int64_t");
  using T = typename InView::non_const_value_type;
  using Result = typename OutView::value_type;
  static_assert(detail::holds_result<R, Result>, "tessera::reduce_segments: `out` must hold the reducer's result type");
  constexpr std::string_view function = "tessera::reduce_segments";
  const Kokkos::Profiling::ScopedRegion region("tessera::reduce_segments");

  TESSERA_REQUIRE_ARGUMENT(offsets.extent(0) > 0, function, "offsets", "no elements", "one more than segments",
                           "give 0 for no segments");
  const auto size = static_cast<std::int64_t>(in.extent(0));
  const auto segments = static_cast<std::int64_t>(offsets.extent(0)) - 1;
  TESSERA_REQUIRE_ARGUMENT(out.extent(0) + 1 == offsets.extent(0), function, "out",
                           "extents " + detail::extents_text(out), "(" + std::to_string(segments) + ")",
                           "pass an output element for each segment");
  detail::require_ddof(function, reducer);
  detail::require_automatic(function, options);
  detail::require_disjoint(function, in, out);
  detail::require_disjoint(function, offsets, out);
  const ReduceSegmentsPlan plan =
      reduce_segments_plan<T>(space, reducer, in.extent(0), static_cast<std::uint64_t>(segments), options);
  detail::require_axes_resources(function, space, plan, workspace);
  if (segments == 0) return;

  using Fold = detail::fold_t<R, T>;
  if constexpr (detail::sums_exactly<Fold>()) detail::require_exact_arithmetic("tessera::reduce_segments");
  using Problem = detail::SegmentsProblem<T, Fold, Result>;
  const Problem problem{in.data(),
                        offsets.data(),
                        out.data(),
                        static_cast<typename Fold::team_type*>(workspace.partials()),
                        workspace.status_word(),
                        Fold(reducer, {options.nan}),
                        size,
                        segments,
                        plan.chunk,
                        plan.chunks,
                        static_cast<std::int64_t>(in.stride(0)),
                        static_cast<std::int64_t>(offsets.stride(0)),
                        static_cast<std::int64_t>(out.stride(0))};
  detail::launch_teams(space, plan.league_size, plan.team_size, plan.scratch_bytes,
                       detail::ReduceSegments<Space, Problem>{problem, plan.scratch_bytes}, options.team_size);
  if (plan.chunks > 1) {
    const int team_size = detail::is_host_space<Space> ? 1 : 32;
    const std::size_t scratch_bytes = detail::FoldScratch<Fold>(team_size).bytes;
    detail::launch_teams(space, plan.league_size, team_size, scratch_bytes,
                         detail::JoinSegments<Space, Problem>{problem, scratch_bytes}, 0);
  }
}

/// The same with a workspace of its own: allocates, and fences when that is freed. What only the data can show is
/// thrown. \throws InvalidArgument, ResourceError
template <ExecutionSpace Space, View InView, View OffsetsView, Reducer R, View OutView>
void reduce_segments(const Space& space, const InView& in, const OffsetsView& offsets, const R& reducer,
                     const OutView& out, const ReduceOptions& options = {}) {
  const std::size_t segments = offsets.extent(0) == 0 ? 0 : offsets.extent(0) - 1;
  const Workspace<Space> workspace(space, reduce_segments_plan<typename InView::non_const_value_type>(
                                              space, reducer, in.extent(0), segments, options)
                                              .workspace_bytes);
  reduce_segments(space, in, offsets, reducer, out, options, workspace);
  check(space, workspace);
}

}  // namespace tessera

#endif

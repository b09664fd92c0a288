// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a shape and a plan to kernels.
#ifndef TESSERA_REDUCE_DETAIL_AXES_LAUNCH_HPP
#define TESSERA_REDUCE_DETAIL_AXES_LAUNCH_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/reduce/detail/axes_problem.hpp>
#include <tessera/reduce/detail/column_packs_plan.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/reduce_column_packs.hpp>
#include <tessera/reduce/detail/reduce_groups.hpp>
#include <tessera/reduce/detail/reduce_lines.hpp>
#include <tessera/reduce/detail/reduce_panels.hpp>
#include <tessera/reduce/detail/reduce_parts.hpp>
#include <tessera/reduce/detail/reduce_row_rings.hpp>
#include <tessera/reduce/detail/reduce_row_tiles.hpp>
#include <tessera/reduce/detail/reduce_rows.hpp>
#include <tessera/reduce/detail/reduce_rows_left.hpp>
#include <tessera/reduce/detail/reduce_runs.hpp>
#include <tessera/reduce/detail/reduce_short_rows.hpp>
#include <tessera/reduce/detail/reduce_side_lines.hpp>
#include <tessera/reduce/detail/reduce_staged.hpp>
#include <tessera/reduce/detail/reduce_turned_columns.hpp>
#include <tessera/workspace.hpp>
#include <type_traits>

namespace tessera::detail {

inline void require_automatic(std::string_view function, const ReduceOptions& options) {
  TESSERA_REQUIRE_ARGUMENT(options.variant == ReduceVariant::automatic, function, "options",
                           "variant " + std::string(to_string(options.variant)),
                           std::string(to_string(ReduceVariant::automatic)), "the mapping follows from the extents");
}

template <class Space, class Plan>
void require_axes_resources(std::string_view function, const Space& space, const Plan& plan,
                            const Workspace<Space>& workspace) {
  require_scratch(function, plan.scratch_bytes, device_limits(space));
  TESSERA_REQUIRE_ARGUMENT(
      workspace.bytes() >= plan.workspace_bytes, function, "workspace", std::to_string(workspace.bytes()) + " bytes",
      "at least " + std::to_string(plan.workspace_bytes) + " bytes", "make it with the plan's workspace_bytes");
}

template <class Functor, class Space>
void launch_teams(const Space& space, int league_size, int team_size, std::size_t scratch_bytes, const Functor& functor,
                  int asked_team_size, int vector_length = 1) {
  typename Functor::policy_type policy(space, league_size, team_size, vector_length);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(scratch_bytes))));
  if (asked_team_size != 0) require_launchable("tessera::reduce_axes", policy, functor, team_size);
  Kokkos::parallel_for(Functor::label, policy, functor);
}

/// Whether the elements of outputs are rows that begin and end on 16-byte boundaries; of pairs none are.
template <class Pointer>
bool rows_in_packs(const AxesShape& shape, const Pointer& in) {
  if constexpr (std::is_pointer_v<Pointer>) {
    constexpr int width = packed_length<std::remove_cvref_t<decltype(*in)>>;
    bool packs = shape.run_size == shape.reduced_size && shape.run_size % width == 0 && misaligned_head(in, width) == 0;
    for (int d = 0; d < shape.kept; ++d) packs = packs && shape.dims[d].in % width == 0;
    return packs;
  } else {
    return false;
  }
}

/// Gives the axes of a problem their parts in mapping groups.
template <class Problem>
void place_group_axes(const AxesShape& shape, int threads, Problem& problem) {
  const AxesDim* reduced = shape.dims + shape.kept;
  int lane = shape.reduced - 1;
  int fast = -1;
  const bool rows = shape.reduces_fastest();
  const bool long_row = shape.reduced <= 1 || reduced[shape.reduced - 1].extent >= std::int64_t{16} * threads;
  if (!rows || !long_row) {
    if (rows) fast = shape.reduced - 1;
    lane = -1;
    for (int d = 0; d < shape.reduced; ++d) {
      if (d != fast && (lane < 0 || reduced[d].extent > reduced[lane].extent)) lane = d;
    }
  }
  problem.rest = 0;
  problem.rest_size = 1;
  for (int d = 0; d < shape.reduced; ++d) {
    if (d == lane) {
      problem.lane = reduced[d];
    } else if (d == fast) {
      problem.fast = reduced[d];
    } else {
      problem.dims[problem.kept + problem.rest++] = reduced[d];
      problem.rest_size *= reduced[d].extent;
    }
  }
  problem.divides_rest = problem.rest_size > problem.lane.extent;
}

/// Likewise in the mappings of runs.
template <class Problem>
void place_run_axes(const AxesShape& shape, Problem& problem) {
  problem.rest = shape.reduced - shape.run_dims;
  problem.rest_size = 1;
  for (int d = 0; d < problem.rest; ++d) problem.rest_size *= shape.dims[shape.kept + d].extent;
  problem.divides_rest = problem.rest_size > problem.run_size;
}

/// Mappings tiles and rings: the rows, then those among them that pairs of doubles did not settle.
template <class Space, class Problem>
void launch_scratch_rows(const Space& space, const ReduceAxesPlan& plan, const AxesShape& shape,
                         const Problem& problem) {
  using T = typename Problem::element_type;
  using Fold = typename Problem::fold_type;
  const auto launch = [&](const auto& functor) {
    launch_teams(space, plan.league_size, plan.team_size / plan.threads, plan.scratch_bytes, functor, 0, plan.threads);
  };
  if (plan.mapping == AxesMapping::rings) {
    launch(ReduceRowRings<Space, Problem>{{problem, plan.scratch_bytes, plan.threads, false}});
  } else {
    const int part = row_tile_part(shape.run_size, plan.threads);
    const bool parts_in_packs = static_cast<std::int64_t>(part) * plan.threads == shape.run_size &&
                                part % packed_length<T> == 0 && misaligned_head(problem.in, packed_length<T>) == 0;
    launch(ReduceRowTiles<Space, Problem>{
        {problem, plan.scratch_bytes, plan.threads, parts_in_packs}, plan.outputs, part});
  }
  constexpr int teams_at_once = 4;
  const int most_lanes = row_lanes(shape.run_size, sizeof(T));
  const int lanes = most_lanes < row_lanes_joined<Fold> ? 1 : most_lanes, vectors = axes_team_size_max / lanes;
  const std::size_t scratch_bytes = rows_scratch_bytes<Fold>(vectors, lanes);
  launch_teams(space, teams_at_once * multiprocessors(device_limits(space)), vectors, scratch_bytes,
               ReduceRowsLeft<Space, Problem>{{problem, scratch_bytes, lanes, false}}, 0, lanes);
}

/// Mapping groups of a host.
template <class Space, class Problem, class Launch>
void launch_host_columns(const ReduceAxesPlan& plan, const AxesShape& shape, const Problem& problem,
                         const Launch& launch) {
  using Fold = typename Problem::fold_type;
  if constexpr (takes_panels<Fold>() && std::is_pointer_v<decltype(Problem::in)>) {
    const NanPolicy nan = problem.fold.context().nan;
    if (plan.parts == 1 && turns_columns<Fold>(shape, sizeof(typename Problem::element_type), nan) &&
        ReduceTurnedColumns<Space, Problem>::fits(shape)) {
      return launch(ReduceTurnedColumns<Space, Problem>{problem});
    }
    const bool leaves_parts = panel_leaves_parts<Fold>(sizeof(typename Problem::element_type));
    if ((leaves_parts || plan.parts == 1) && has_columns<Fold>(shape, nan)) {
      const bool whole_rows = plan.outputs >= shape.dims[shape.kept - 1].extent;
      const int joined = whole_rows ? joined_rows<Fold>(shape, nan) : 1;
      return launch(ReducePanels<Space, Problem>{problem, plan.outputs, joined});
    }
  }
  launch(ReduceColumns<Space, Problem>{problem});
}

/// Mapping groups of a device.
template <class Space, class Problem>
void launch_groups(const Space& space, const ReduceAxesPlan& plan, const AxesShape& shape, const Problem& problem,
                   int asked_team_size) {
  const std::int64_t threads_fast = std::min<std::int64_t>(plan.threads, problem.fast.extent);
  launch_teams(space, plan.league_size, plan.team_size, plan.scratch_bytes,
               ReduceGroups<Space, Problem>{problem, plan.scratch_bytes, plan.outputs, plan.threads,
                                            static_cast<int>(std::max<std::int64_t>(1, threads_fast)),
                                            plan_side(shape, plan.outputs)},
               asked_team_size);
}

/// Mapping runs.
template <class Space, class Problem>
void launch_runs(const Space& space, const ReduceAxesPlan& plan, const AxesShape& shape, Problem problem,
                 int asked_team_size) {
  place_run_axes(shape, problem);
  launch_teams(space, plan.league_size, plan.team_size, plan.scratch_bytes,
               ReduceRuns<Space, Problem>{problem, plan.scratch_bytes}, asked_team_size);
}

/// The parts of outputs that several teams shared, by so many teams.
template <class Space, class Problem>
void launch_parts(const Space& space, int parts, std::int64_t league_size, Problem problem) {
  problem.parts = 1;
  const int team_size = is_host_space<Space> ? 1 : power_of_two_below(std::min(parts, 128));
  const std::size_t scratch_bytes = after_axes() + FoldScratch<typename Problem::fold_type>(team_size).bytes;
  launch_teams(space, static_cast<int>(league_size), team_size, scratch_bytes,
               ReduceParts<Space, Problem>{problem, scratch_bytes, parts}, 0);
}

/// Mapping packs; of exact sums then those that pairs did not settle, as the plan for any shape has it.
template <class Space, class Problem>
void launch_column_packs(const Space& space, const ReduceAxesPlan& plan, const AxesShape& planned,
                         const AxesShape& shape, Problem problem, const Workspace<Space>& workspace) {
  using Fold = typename Problem::fold_type;
  using Partial = column_partial_t<Fold>;
  constexpr std::size_t element_bytes = sizeof(typename Problem::element_type);
  const DeviceLimits limits = device_limits(space);
  const ColumnPacks packs = column_packs<Fold>(limits, planned, element_bytes, {});
  auto* const partials = static_cast<Partial*>(workspace.partials());
  place_group_axes(shape, 1, problem);
  launch_teams(space, plan.league_size, plan.team_size, plan.scratch_bytes,
               ReduceColumnPacks<Space, Problem>{problem, plan.scratch_bytes, packs, partials}, 0);
  problem.parts = 1;
  const int threads = column_join_threads(packs), outputs = axes_team_size_max / threads;
  const std::size_t scratch_bytes = after_axes() + axes_team_size_max * sizeof(Partial);
  launch_teams(space, static_cast<int>(ceil_div(shape.kept_size, outputs)), axes_team_size_max, scratch_bytes,
               ReduceColumnParts<Space, Problem>{problem, scratch_bytes, packs, partials, outputs, threads}, 0);
  if constexpr (sums_in_pairs<Fold>()) {
    ReduceAxesPlan rest = general_axes_plan<Fold>(limits, planned, element_bytes, {});
    const auto at_once = static_cast<int>(teams_at_once(limits, rest.team_size));
    rest.league_size = std::min(rest.league_size, at_once);
    problem.partials = Partials<Fold>(workspace.partials(), shape.kept_size * rest.parts);
    problem.parts = rest.parts;
    problem.only_left = true;
    if (rest.mapping == AxesMapping::runs) {
      launch_runs(space, rest, shape, problem, 0);
    } else {
      place_group_axes(shape, rest.threads, problem);
      launch_groups(space, rest, shape, problem, 0);
    }
    if (rest.parts > 1) launch_parts(space, rest.parts, std::min<std::int64_t>(shape.kept_size, 8 * at_once), problem);
  }
}

/// Mapping lines of a device, several outputs a thread. span: for ExactFew.
template <class Space, class Problem>
void launch_batches(const Space& space, const ReduceAxesPlan& plan, const AxesShape& shape, const Problem& problem,
                    int span, int asked_team_size) {
  using Pointer = decltype(Problem::in);
  using T = typename Problem::element_type;
  constexpr bool in_pairs = sums_in_pairs<typename Problem::fold_type>();
  const AxesDim inner = shape.kept > 0 ? shape.dims[shape.kept - 1] : AxesDim{};
  /// A kernel whose teams take so many outputs at a time.
  const auto lines = [&]<class Lines>(std::type_identity<Lines>, std::int64_t outputs) {
    const std::int64_t along = ceil_div(inner.extent, outputs);
    return Lines{problem, plan.scratch_bytes, span, along, along * (shape.kept_size / inner.extent), inner};
  };
  const auto launch = [&](const auto& functor) {
    launch_teams(space, plan.league_size, plan.team_size, plan.scratch_bytes, functor, asked_team_size);
  };
  const auto launch_best = [&]<bool Leaves>(std::bool_constant<Leaves>) {
    using Batched = ReduceLines<Space, Problem, 1, Leaves>;
    constexpr std::type_identity<Batched> batched;
    if constexpr (has_short_rows<Pointer, typename Problem::result_type>()) {
      if (has_short_rows(shape, problem.in, problem.out)) {
        const int rows = plan.team_size * short_rows_at_once<T>(shape.reduced_size);
        return launch(ReduceShortRows<Space, Problem, Leaves>{lines(batched, rows)});
      }
    }
    if constexpr (std::is_pointer_v<Pointer>) {
      if constexpr (sizeof(typename Batched::Line) <= side_line_bytes_max && Leaves == in_pairs) {
        const auto launch_side = [&]<bool Rows, int Shortest>(std::bool_constant<Rows>,
                                                              std::integral_constant<int, Shortest>) {
          with_side_length<Shortest>(
              static_cast<int>(shape.reduced_size), [&]<int Length>(std::integral_constant<int, Length>) {
                launch(ReduceSideLines<Space, Problem, Length, Rows>{
                    lines(batched, std::int64_t{plan.team_size} * side_columns<typename Problem::fold_type, Length>)});
              });
        };
        if (has_side_lines(shape, plan.team_size, 1)) {
          return launch_side(std::false_type{}, std::integral_constant<int, 2>{});
        }
        if (shape.reduced_size > short_row_max && has_side_lines(shape, plan.team_size, shape.reduced_size)) {
          return launch_side(std::true_type{}, std::integral_constant<int, short_row_max + 1>{});
        }
      }
      using Wide = ReduceLines<Space, Problem, std::min(packed_length<T>, line_loads), Leaves>;
      if (rows_in_packs(shape, problem.in)) return launch(lines(std::type_identity<Wide>{}, plan.outputs));
    }
    launch(lines(batched, plan.outputs));
  };
  if constexpr (in_pairs) {
    if (leaves_lines(shape, sizeof(T))) {
      launch_best(std::true_type{});
      Problem rest = problem;
      rest.only_left = true;
      const std::int64_t at_once = teams_at_once(device_limits(space), plan.team_size);
      return launch_teams(space, static_cast<int>(std::min<std::int64_t>(plan.league_size, at_once)), plan.team_size,
                          plan.scratch_bytes, ReduceLines<Space, Problem, 0>{rest, plan.scratch_bytes, span, 0, 0, {}},
                          0);
    }
  }
  launch_best(std::false_type{});
}

/// planned: the shape that the plan is for, in which output strides part no axes.
template <class Space, class Fold, class Pointer, class Result>
void launch_axes(const Space& space, const ReduceAxesPlan& plan, const AxesShape& planned, const AxesShape& shape,
                 const Fold& fold, const Pointer& in, Result* out, const Workspace<Space>& workspace,
                 int asked_team_size) {
  using Problem = AxesProblem<Pointer, Fold, Result>;
  Problem problem{in,
                  out,
                  Partials<Fold>(workspace.partials(), shape.kept_size * plan.parts),
                  workspace.status_word(),
                  {workspace.left(), workspace.ticket(), static_cast<std::int64_t*>(workspace.partials())},
                  fold,
                  shape.kept_size,
                  shape.reduced_size,
                  1,
                  shape.run_size,
                  shape.kept,
                  0,
                  shape.run_dims,
                  plan.parts,
                  false,
                  false,
                  {},
                  {},
                  {}};
  std::copy(shape.dims, shape.dims + axes_max, problem.dims);
  const auto launch = [&](const auto& functor) {
    const int vector_length = plan.mapping == AxesMapping::rows ? plan.threads : 1;
    launch_teams(space, plan.league_size, plan.team_size / vector_length, plan.scratch_bytes, functor, asked_team_size,
                 vector_length);
  };
  constexpr bool panels = is_host_space<Space> && takes_panels<Fold>() && std::is_pointer_v<Pointer>;
  if constexpr (panels) {
    // The plan knows no output, whose strides may part axes that it took as one.
    const bool turned = !takes_lines<Fold>() || turns_rows<Fold>(shape, sizeof(typename Problem::element_type));
    if (plan.mapping == AxesMapping::lines && turned) {
      problem.run = shape.run_dims;
      return launch(ReduceTurned<Space, Problem>{problem});
    }
  }
  if constexpr (!is_host_space<Space> && takes_column_packs<Fold>() &&
                is_packed(sizeof(typename Problem::element_type)) && std::is_pointer_v<Pointer>) {
    if (plan.mapping == AxesMapping::packs) return launch_column_packs(space, plan, planned, shape, problem, workspace);
  }
  if (plan.mapping == AxesMapping::groups) {
    place_group_axes(shape, plan.threads, problem);
    if constexpr (is_host_space<Space>) {
      launch_host_columns<Space>(plan, shape, problem, launch);
    } else {
      launch_groups(space, plan, shape, problem, asked_team_size);
    }
  } else if (plan.mapping == AxesMapping::lines) {
    if constexpr (takes_lines<Fold>()) {
      place_group_axes(shape, 1, problem);
      const int span = float_span(shape.reduced_size);
      if (is_host_space<Space> || !batches_lines(shape)) {
        launch(ReduceLines<Space, Problem, 0>{problem, plan.scratch_bytes, span, 0, 0, {}});
      } else if constexpr (!is_host_space<Space>) {
        launch_batches(space, plan, shape, problem, span, asked_team_size);
      }
    }
  } else {
    place_run_axes(shape, problem);
    if (plan.mapping == AxesMapping::runs) {
      launch_runs(space, plan, shape, problem, asked_team_size);
    } else if (plan.mapping == AxesMapping::rows) {
      if constexpr (takes_rows<Fold>() && !is_host_space<Space>) {
        const bool in_packs = rows_in_packs(shape, in);
        if constexpr (chained_row_max<Fold>(1) > 0 && std::is_pointer_v<Pointer>) {
          if (Fold::takes_all(fold.context().nan) && shape.run_size <= chained_row_max<Fold>(plan.threads) &&
              (shape.run_dims <= 1 || !chains_ascend<Fold>())) {
            return launch(ReduceRows<Space, Problem, true>{problem, plan.scratch_bytes, plan.threads, in_packs});
          }
        }
        launch(ReduceRows<Space, Problem>{problem, plan.scratch_bytes, plan.threads, in_packs});
      }
    } else if (plan.mapping == AxesMapping::tiles || plan.mapping == AxesMapping::rings) {
      if constexpr (!is_host_space<Space> && takes_row_tiles<Fold>(sizeof(typename Problem::element_type))) {
        launch_scratch_rows(space, plan, shape, problem);
      }
    } else if constexpr (!is_host_space<Space>) {
      const int row = static_cast<int>(shape.reduced_size);
      launch(ReduceStaged<Space, Problem>{
          problem, plan.scratch_bytes, plan.outputs, plan.threads, row,
          static_cast<int>(staged_row_length(shape.reduced_size, plan.threads)),
          row == 0 ? 0 : static_cast<std::uint64_t>(ceil_div(std::int64_t{1} << 32, row))});
    }
  }
  if (plan.parts > 1) {
    const std::int64_t league =
        is_host_space<Space> ? std::min<std::int64_t>(shape.kept_size, plan.league_size) : shape.kept_size;
    launch_parts(space, plan.parts, league, problem);
  }
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines that scratch cannot hold: in batches through the workspace, each kernel puts one batch back and fetches the
// next, so that reads and writes of main memory overlap.
#ifndef TESSERA_TRANSPOSE_DETAIL_IN_PLACE_MOVE_HPP
#define TESSERA_TRANSPOSE_DETAIL_IN_PLACE_MOVE_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/transpose/in_place_plan.hpp>

namespace tessera::detail {

/// Loads that a thread of a device has in flight.
template <ExecutionSpace Space>
inline constexpr int in_place_ahead = is_host_space<Space> ? 1 : 8;

/// A thread's share of count elements that a team takes in turns.
template <TeamMember Member>
KOKKOS_FORCEINLINE_FUNCTION int thread_share(const Member& team, int count) {
  return count <= team.team_rank() ? 0 : (count - team.team_rank() - 1) / team.team_size() + 1;
}

/// Calls store(load()) count times, some loads before their stores.
template <int Ahead, class T, class Load, class Store>
KOKKOS_FORCEINLINE_FUNCTION void move_ahead(int count, const Load& load, const Store& store) {
  TESSERA_NO_UNROLL
  for (int done = 0; done < count; done += Ahead) {
    T values[Ahead];
    TESSERA_UNROLL
    for (int k = 0; k < Ahead; ++k) {
      if (done + k < count) values[k] = load();
    }
    TESSERA_UNROLL
    for (int k = 0; k < Ahead; ++k) {
      if (done + k < count) store(values[k]);
    }
  }
}

/// Lines first .. first + lines - 1, in a buffer of the workspace.
template <class T>
struct LineBatch {
  std::int64_t first = 0, lines = 0;
  T* buffer = nullptr;
};

/// The tiles of two batches, in turns while both have some.
template <ExecutionSpace Space, class Pass>
struct MoveBatches {
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<1024, 1>>;
  using member_type = typename policy_type::member_type;
  using value_type = typename Pass::value_type;

  Pass pass;
  LineBatch<value_type> done, next;
  std::int64_t done_tiles, next_tiles;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const std::size_t bytes = pass.scratch_bytes();
    std::byte* scratch = bytes == 0 ? nullptr : team_scratch(team, bytes);
    const TileWalk walk = tile_walk(team, done_tiles + next_tiles);
    for (std::int64_t tile = walk.begin; tile < walk.end; tile += walk.step) {
      take(team, tile, scratch);
      if (bytes != 0 && tile + walk.step < walk.end) team.team_barrier();  // scratch is used anew
    }
  }

  KOKKOS_FUNCTION void take(const member_type& team, std::int64_t tile, std::byte* scratch) const {
    const std::int64_t both = Kokkos::min(done_tiles, next_tiles);
    const bool is_done = tile < 2 * both ? tile % 2 == 0 : done_tiles > next_tiles;
    const std::int64_t own = tile < 2 * both ? tile / 2 : tile - both;
    if (is_done) {
      pass.put_back(team, done, own, scratch);
    } else {
      pass.fetch(team, next, own, scratch);
    }
  }
};

template <ExecutionSpace Space, class Functor>
void launch_pass(const std::string& label, const Space& space, const InPlacePlan& plan, int team_size,
                 std::int64_t tiles, std::size_t scratch_bytes, const Functor& functor, int asked_team_size) {
  const auto league = static_cast<int>(std::min<std::int64_t>(plan.league_size, tiles));
  typename Functor::policy_type policy(space, league, team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(scratch_bytes))));
  require_launchable("tessera::transpose_in_place", policy, functor, asked_team_size);
  Kokkos::parallel_for(label, policy, functor);
}

/// lines: of the matrix, each of `length` elements.
template <ExecutionSpace Space, class Pass>
void launch_batches(const std::string& label, const Space& space, const InPlacePlan& plan, int team_size,
                    const LinePlan& line_plan, const Pass& pass, std::int64_t lines, std::int64_t length,
                    std::byte* workspace, int asked_team_size) {
  using T = typename Pass::value_type;
  const std::size_t buffer = buffer_bytes(line_plan.batch * length, sizeof(T));
  const std::int64_t batches = ceil_div(lines, line_plan.batch);
  const auto batch = [&](std::int64_t index) -> LineBatch<T> {
    if (index < 0 || index >= batches) return {};
    const std::int64_t first = index * line_plan.batch;
    const auto place = static_cast<std::size_t>(index % line_plan.buffers) * buffer;
    return {first, std::min(line_plan.batch, lines - first), reinterpret_cast<T*>(workspace + place)};
  };
  const auto launch = [&](const LineBatch<T>& done, const LineBatch<T>& next) {
    const MoveBatches<Space, Pass> functor{pass, done, next, pass.tiles(done), pass.tiles(next)};
    launch_pass(label, space, plan, team_size, functor.done_tiles + functor.next_tiles, pass.scratch_bytes(), functor,
                asked_team_size);
  };
  if (line_plan.buffers == 2) {
    for (std::int64_t index = 0; index <= batches; ++index) launch(batch(index - 1), batch(index));
    return;
  }
  for (std::int64_t index = 0; index < batches; ++index) {
    launch({}, batch(index));
    launch(batch(index), {});
  }
}

}  // namespace tessera::detail

#endif

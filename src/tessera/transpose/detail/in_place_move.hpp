// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines that scratch cannot hold: in batches through the workspace, all in one kernel, small enough that the cache
// still holds a batch when it is put back.
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
#include <tessera/transpose/detail/in_place_layout.hpp>
#include <tessera/transpose/in_place_plan.hpp>
#include <thread>

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

/// In the workspace, zero before the kernel.
struct BatchCounts {
  std::int64_t* next;     // tile to be drawn
  std::int64_t* fetched;  // tiles so far, of each buffer
  std::int64_t* put_back;
};

struct ZeroBatchCounts {
  std::int64_t* counts;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { counts[i] = 0; }
};

/// Step s fetches batch s and, tile by tile in turns, puts back batch s - lag. Teams draw the tiles in this order and
/// wait for what theirs needs; it has been drawn before, by teams that run, so some team can always go on.
template <ExecutionSpace Space, class Pass>
struct MoveBatches {
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<1024, 1>>;
  using member_type = typename policy_type::member_type;
  using T = typename Pass::value_type;

  Pass pass;
  std::int64_t lines, batch, batches;  // of the matrix, of a buffer, of the matrix
  std::int64_t tiles;                  // of a whole batch
  int buffers, lag;
  std::size_t buffer_bytes;
  std::byte* memory;  // the buffers
  BatchCounts counts;

  struct Tile {
    std::int64_t batch, index;
    bool is_put_back;
  };

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t draws() const { return 2 * tiles * (batches + lag); }

  [[nodiscard]] KOKKOS_FUNCTION Tile tile_of(std::int64_t drawn) const {
    const QuotientRemainder step = divide(drawn, 2 * tiles);
    if (buffers == 1) {  // which is put back as a whole before it is fetched anew
      const bool is_put_back = step.remainder < tiles;
      return {step.quotient - (is_put_back ? lag : 0), step.remainder - (is_put_back ? 0 : tiles), is_put_back};
    }
    const bool is_put_back = (step.remainder & 1) == 0;
    return {step.quotient - (is_put_back ? lag : 0), step.remainder >> 1, is_put_back};
  }

  [[nodiscard]] KOKKOS_FUNCTION bool exists(const Tile& tile) const { return tile.batch >= 0 && tile.batch < batches; }

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const std::size_t bytes = pass.scratch_bytes();
    std::byte* scratch = team_scratch(team, batch_scratch_bytes(bytes));
    ScratchLayout layout;
    layout.append<std::byte>(bytes);
    auto* drawn = reinterpret_cast<std::int64_t*>(scratch + layout.bytes());
    // Two threads, where there are as many, so that one tile is reported while the next is waited for.
    const bool reports = team.team_rank() == 0, waits = team.team_rank() == team.team_size() - 1;
    std::int64_t next = waits ? draw() : 0;  // one ahead, to hide its latency
    while (true) {
      if (waits) {
        wait_for(next);
        *drawn = next;
        if (next < draws()) next = draw();
      }
      team.team_barrier();
      const std::int64_t own = *drawn;
      if (own >= draws()) return;
      const Tile tile = tile_of(own);
      if (exists(tile)) take(team, tile, scratch);
      team.team_barrier();  // the tile is complete, and scratch is used anew
      if (reports && exists(tile)) {
        Kokkos::memory_fence();
        Kokkos::atomic_add((tile.is_put_back ? counts.put_back : counts.fetched) + turn_of(tile.batch).remainder,
                           std::int64_t{1});
      }
    }
  }

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t draw() const {
    return Kokkos::atomic_fetch_add(counts.next, std::int64_t{1});
  }

  /// Its buffer, and how many batches had this before.
  [[nodiscard]] KOKKOS_FUNCTION QuotientRemainder turn_of(std::int64_t index) const { return divide(index, buffers); }

  /// A batch is put back when all of it was fetched, and fetched when its buffer's last one was put back. The last
  /// batch counts as a whole one.
  KOKKOS_FUNCTION void wait_for(std::int64_t drawn) const {
    const Tile tile = tile_of(drawn);
    if (!exists(tile)) return;
    const QuotientRemainder turn = turn_of(tile.batch);
    std::int64_t* count = (tile.is_put_back ? counts.fetched : counts.put_back) + turn.remainder;
    const std::int64_t needed = (turn.quotient + (tile.is_put_back ? 1 : 0)) * tiles;
    while (Kokkos::atomic_load(count) < needed) {
      KOKKOS_IF_ON_HOST((std::this_thread::yield();))
    }
    Kokkos::memory_fence();
  }

  /// The last batch may have fewer tiles.
  KOKKOS_FUNCTION void take(const member_type& team, const Tile& tile, std::byte* scratch) const {
    const std::int64_t first = tile.batch * batch;
    const auto place = static_cast<std::size_t>(turn_of(tile.batch).remainder) * buffer_bytes;
    const LineBatch<T> lines_of_batch{first, Kokkos::min(batch, lines - first), reinterpret_cast<T*>(memory + place)};
    if (tile.index >= pass.tiles(lines_of_batch.lines)) return;
    if (tile.is_put_back) {
      pass.put_back(team, lines_of_batch, tile.index, scratch);
    } else {
      pass.fetch(team, lines_of_batch, tile.index, scratch);
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
  const std::int64_t batches = ceil_div(lines, line_plan.batch);
  auto* counts = reinterpret_cast<std::int64_t*>(workspace);
  Kokkos::parallel_for("tessera::transpose_in_place::counts",
                       Kokkos::RangePolicy<Space>(space, 0, batch_counts(line_plan.buffers)), ZeroBatchCounts{counts});
  const MoveBatches<Space, Pass> functor{pass,
                                         lines,
                                         line_plan.batch,
                                         batches,
                                         pass.tiles(line_plan.batch),
                                         line_plan.buffers,
                                         std::max(1, line_plan.buffers / 2),
                                         buffer_bytes(line_plan.batch * length, sizeof(typename Pass::value_type)),
                                         workspace + batch_count_bytes,
                                         {counts, counts + 1, counts + 1 + line_plan.buffers}};
  const std::int64_t at_once = std::max(1, device_limits(space).concurrency / team_size);
  launch_pass(label, space, plan, team_size, std::min(functor.draws(), at_once),
              batch_scratch_bytes(pass.scratch_bytes()), functor, asked_team_size);
}

}  // namespace tessera::detail

#endif

// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row shuffles of in-place transposes.
#ifndef TESSERA_TRANSPOSE_DETAIL_IN_PLACE_ROWS_HPP
#define TESSERA_TRANSPOSE_DETAIL_IN_PLACE_ROWS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/transpose/detail/in_place_maps.hpp>
#include <tessera/transpose/detail/in_place_move.hpp>
#include <tessera/transpose/in_place_plan.hpp>

namespace tessera::detail {

/// Rows that scratch holds, one or some a team. c2r scatters into scratch, r2c gathers from it.
template <ExecutionSpace Space, class T>
struct RowsInScratch {
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<1024, 1>>;
  using member_type = typename policy_type::member_type;
  static constexpr int ahead = in_place_ahead<Space>;

  T* data;
  RowShuffle<std::int32_t> shuffle;
  int lanes;  // threads of a row
  std::int64_t batch;
  bool scatters;

  /// Strides of any power of two, up to 1024 elements, meet different banks.
  KOKKOS_FORCEINLINE_FUNCTION static int swizzled(int element) {
    if constexpr (is_host_space<Space>) return element;
    return element ^ ((element >> 5 ^ element >> 10) & 31);
  }

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const std::size_t bytes = row_scratch_bytes(batch * shuffle.n, sizeof(T));
    auto* scratch = reinterpret_cast<T*>(team_scratch(team, bytes));
    const typename RowShuffle<std::int32_t>::Cursor origin = shuffle.origin(team.team_rank() % lanes);
    const TileWalk walk = tile_walk(team, ceil_div(shuffle.m, batch));
    for (std::int64_t tile = walk.begin; tile < walk.end; tile += walk.step) {
      const std::int64_t row = tile * batch;
      const auto rows = static_cast<int>(Kokkos::min(batch, shuffle.m - row));
      T* memory = data + row * shuffle.n;
      if (scatters) {
        shuffle_rows<true>(team, origin, row, rows, memory, scratch);
        team.team_barrier();
        copy<false>(team, rows * shuffle.n, memory, scratch);
      } else {
        copy<true>(team, rows * shuffle.n, memory, scratch);
        team.team_barrier();
        shuffle_rows<false>(team, origin, row, rows, memory, scratch);
      }
      if (tile + walk.step < walk.end) team.team_barrier();  // scratch is staged anew
    }
  }

  template <bool ToScratch>
  KOKKOS_FUNCTION static void copy(const member_type& team, int count, T* memory, T* scratch) {
    int from = team.team_rank(), to = team.team_rank();
    const int step = team.team_size();
    const auto load = [&] {
      const T value = ToScratch ? memory[from] : scratch[swizzled(from)];
      from += step;
      return value;
    };
    const auto store = [&](const T& value) {
      (ToScratch ? scratch[swizzled(to)] : memory[to]) = value;
      to += step;
    };
    move_ahead<ahead, T>(thread_share(team, count), load, store);
  }

  /// Where a thread stands among its rows: every groups-th, in each the elements lane, lane + lanes, ..
  struct Place {
    int row, j;
  };

  KOKKOS_FORCEINLINE_FUNCTION bool advance(Place& place, int lane, int groups) const {
    place.j += lanes;
    if (place.j < shuffle.n) return true;
    place = {place.row + groups, lane};
    return false;
  }

  /// Scatters: element j of a row goes from memory to its target in scratch. Else it comes from there.
  template <bool Scatters>
  KOKKOS_FUNCTION void shuffle_rows(const member_type& team, const typename RowShuffle<std::int32_t>::Cursor& origin,
                                    std::int64_t first, int rows, T* memory, T* scratch) const {
    const int groups = team.team_size() / lanes, lane = team.team_rank() % lanes, group = team.team_rank() / lanes;
    if (group >= groups || group >= rows || lane >= shuffle.n) return;
    const int count = ((rows - group - 1) / groups + 1) * ((shuffle.n - lane - 1) / lanes + 1);
    Place memory_place{group, lane}, scratch_place{group, lane};
    const int remainder_step = groups % shuffle.n;
    auto remainder = static_cast<int>(divide(first + group, shuffle.n).remainder);
    auto cursor = shuffle.begin(origin, first + group, remainder);
    const auto memory_element = [&]() -> T& {
      T& element = memory[memory_place.row * shuffle.n + memory_place.j];
      advance(memory_place, lane, groups);
      return element;
    };
    const auto scratch_element = [&]() -> T& {
      T& element = scratch[swizzled(scratch_place.row * shuffle.n + shuffle.target(cursor))];
      if (advance(scratch_place, lane, groups)) {
        shuffle.advance(cursor);
      } else {
        remainder = shuffle.reduced(remainder + remainder_step);
        cursor = shuffle.begin(origin, first + scratch_place.row, remainder);
      }
      return element;
    };
    if constexpr (Scatters) {
      move_ahead<ahead, T>(count, memory_element, [&](const T& value) { scratch_element() = value; });
    } else {
      move_ahead<ahead, T>(count, scratch_element, [&](const T& value) { memory_element() = value; });
    }
  }
};

/// Rows in the registers of a team. They are gathered from memory, which the team's cache reads once: all of a row is
/// read before any of it is written.
template <ExecutionSpace Space, class T>
struct RowsInRegisters {
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<1024, 1>>;
  using member_type = typename policy_type::member_type;
  static constexpr int each = row_registers(sizeof(T));

  T* data;
  RowShuffle<std::int32_t> shuffle;
  RowUnshuffle<std::int32_t> unshuffle;
  bool is_inverse;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const TileWalk walk = tile_walk(team, shuffle.m);
    for (std::int64_t row = walk.begin; row < walk.end; row += walk.step) {
      if (is_inverse) {
        move(team, shuffle, row);
      } else {
        move(team, unshuffle, row);
      }
    }
  }

  template <class Map>
  KOKKOS_FORCEINLINE_FUNCTION void move(const member_type& team, const Map& map, std::int64_t row) const {
    T* memory = data + row * shuffle.n;
    T values[each];
    auto cursor = map.begin(team.team_rank(), row);
    TESSERA_UNROLL
    for (int k = 0; k < each; ++k) {
      if (team.team_rank() + k * team.team_size() < shuffle.n) values[k] = memory[map.target(cursor)];
      map.advance(cursor);
    }
    team.team_barrier();
    TESSERA_UNROLL
    for (int k = 0; k < each; ++k) {
      const int j = team.team_rank() + k * team.team_size();
      if (j < shuffle.n) memory[j] = values[k];
    }
  }
};

/// Rows through the workspace, gathered from there, in pieces.
template <ExecutionSpace Space, class T>
struct RowBatches {
  using value_type = T;
  using Batch = LineBatch<T>;
  static constexpr int ahead = in_place_ahead<Space>;

  T* data;
  RowShuffle<std::int64_t> shuffle;      // in steps of a team
  RowUnshuffle<std::int64_t> unshuffle;  // likewise
  std::int64_t chunks, chunk;            // pieces of a row, and elements of one
  bool is_inverse;

  [[nodiscard]] KOKKOS_FUNCTION std::size_t scratch_bytes() const { return 0; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t tiles(std::int64_t lines) const { return lines * chunks; }

  /// A thread's part of a piece.
  struct Piece {
    T* row;     // of the matrix
    T* buffer;  // the row
    std::int64_t index, begin;
    int count;
  };

  template <TeamMember Member>
  [[nodiscard]] KOKKOS_FUNCTION Piece piece_of(const Member& team, const Batch& batch, std::int64_t tile) const {
    const QuotientRemainder split = divide(tile, chunks);
    const std::int64_t index = batch.first + split.quotient, begin = split.remainder * chunk;
    const auto elements = static_cast<int>(Kokkos::max<std::int64_t>(0, Kokkos::min(chunk, shuffle.n - begin)));
    return {data + index * shuffle.n, batch.buffer + split.quotient * shuffle.n, index, begin + team.team_rank(),
            thread_share(team, elements)};
  }

  template <TeamMember Member>
  KOKKOS_FUNCTION void fetch(const Member& team, const Batch& batch, std::int64_t tile, std::byte*) const {
    const Piece piece = piece_of(team, batch, tile);
    const T* from = piece.row + piece.begin;
    T* to = piece.buffer + piece.begin;
    const auto load = [&] {
      const T value = load_once(from);
      from += team.team_size();
      return value;
    };
    const auto store = [&](const T& value) {
      *to = value;
      to += team.team_size();
    };
    move_ahead<ahead, T>(piece.count, load, store);
  }

  template <TeamMember Member>
  KOKKOS_FUNCTION void put_back(const Member& team, const Batch& batch, std::int64_t tile, std::byte*) const {
    const Piece piece = piece_of(team, batch, tile);
    if (piece.count == 0) return;
    if (is_inverse) {
      gather(piece, shuffle);
    } else {
      gather(piece, unshuffle);
    }
  }

  template <class Map>
  KOKKOS_FUNCTION void gather(const Piece& piece, const Map& map) const {
    auto cursor = map.begin(piece.begin, piece.index);
    T* to = piece.row + piece.begin;
    const auto load = [&] {
      const T value = piece.buffer[map.target(cursor)];
      map.advance(cursor);
      return value;
    };
    const auto store = [&](const T& value) {
      store_once(to, value);
      to += shuffle.step;
    };
    move_ahead<ahead, T>(piece.count, load, store);
  }
};

template <ExecutionSpace Space, class T>
void launch_rows(const Space& space, const InPlacePlan& plan, const InPlaceShape& shape, T* data, std::byte* workspace,
                 int asked_team_size) {
  const std::string label = "tessera::transpose_in_place::rows";
  const bool is_inverse = plan.variant == InPlaceVariant::r2c;
  const int team_size = plan.row_team_size;
  if (plan.rows.memory == LineMemory::workspace) {
    const std::int64_t chunks = row_chunks(shape.n, sizeof(T));
    const RowBatches<Space, T> pass{data,
                                    RowShuffle<std::int64_t>(shape, team_size),
                                    RowUnshuffle<std::int64_t>(shape, team_size),
                                    chunks,
                                    ceil_div(shape.n, chunks),
                                    is_inverse};
    return launch_batches(label, space, plan, team_size, plan.rows, pass, shape.m, shape.n, workspace, asked_team_size);
  }
  const std::int64_t tiles = ceil_div(shape.m, plan.rows.batch);
  if constexpr (!is_host_space<Space>) {
    if (plan.rows.memory == LineMemory::registers) {
      const RowsInRegisters<Space, T> functor{data, RowShuffle<std::int32_t>(shape, team_size),
                                              RowUnshuffle<std::int32_t>(shape, team_size), is_inverse};
      return launch_pass(label, space, plan, team_size, tiles, 0, functor, asked_team_size);
    }
  }
  const auto threads = std::bit_floor(static_cast<unsigned>(team_size));
  const auto lanes = static_cast<int>(std::min(threads, std::bit_ceil(static_cast<unsigned>(shape.n))));
  const RowsInScratch<Space, T> functor{data, RowShuffle<std::int32_t>(shape, lanes), lanes, plan.rows.batch,
                                        !is_inverse};
  launch_pass(label, space, plan, team_size, tiles, row_scratch_bytes(plan.rows.batch * shape.n, sizeof(T)), functor,
              asked_team_size);
}

}  // namespace tessera::detail

#endif
